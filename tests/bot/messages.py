"""Reading messages as a person does: their words, buttons, menus, pictures."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import discord
from simcord import InteractionResult, ResponseMessage

Message = discord.Message | ResponseMessage

TEXT, BUTTON, MENU, GALLERY = 10, 2, 3, 12  # Discord's numbers for components


@dataclass(frozen=True)
class Option:
    """One line of a menu."""

    label: str
    value: str
    description: str


@dataclass(frozen=True)
class Menu:
    """A menu under a message."""

    custom_id: str
    placeholder: str
    options: tuple[Option, ...]


def parts(message: Message) -> Iterator[dict[str, Any]]:
    """Every component of a message, in the order in which they are read."""
    found = message.components
    yield from _walk([part if isinstance(part, dict) else part.to_dict() for part in found])


def _walk(tree: object) -> Iterator[dict[str, Any]]:
    if isinstance(tree, list):
        for item in tree:
            yield from _walk(item)
    elif isinstance(tree, dict):
        if "type" in tree:
            yield tree
        for key in ("components", "accessory"):
            yield from _walk(tree.get(key))


def words_of(message: Message) -> str:
    return "\n".join([message.content, *(part["content"] for part in parts(message) if part["type"] == TEXT)]).strip()


def button_ids(message: Message) -> dict[str, str]:
    return {
        part["label"]: part["custom_id"]
        for part in parts(message)
        if part["type"] == BUTTON and not part.get("disabled")
    }


def menus(message: Message) -> list[Menu]:
    return [
        Menu(
            part["custom_id"],
            part.get("placeholder", ""),
            tuple(Option(one["label"], one["value"], one.get("description") or "") for one in part["options"]),
        )
        for part in parts(message)
        if part["type"] == MENU
    ]


def pictures(message: Message) -> list[str]:
    """The alt texts of the pictures a message shows."""
    return [item["description"] for part in parts(message) if part["type"] == GALLERY for item in part["items"]]


STATE = re.compile(r"by:scores:\d+:(\d+)")
"""The id on a board by which one can tell how much of the log it shows."""


def shown_seq(message: Message | dict[str, Any]) -> int:
    """How much of the log a board shows. Fails for what is no board."""
    found = [message] if isinstance(message, dict) else list(parts(message))
    (seq,) = {int(seq) for seq in STATE.findall(str(found))}
    return seq


def games_of(page: Message) -> list[str]:
    """Return the numbers of the matches in the menu of a history page, in order."""
    found = [menu for menu in menus(page) if menu.custom_id.startswith("by:past")]
    return [option.value for menu in found for option in menu.options]


def ids(message: Message) -> list[str]:
    """Every id that a press can bring back, disabled buttons included."""
    return [part["custom_id"] for part in parts(message) if "custom_id" in part]


def private(result: InteractionResult) -> ResponseMessage:
    answer = result.followups[-1] if result.followups else result.response
    assert answer is not None, "nothing was answered"
    assert answer.ephemeral, f"everybody can read: {words_of(answer)}"
    return answer


def told(result: InteractionResult) -> str:
    return words_of(private(result))
