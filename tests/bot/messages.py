"""Read the texts, buttons, menus and pictures of messages."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import discord
from simcord import InteractionResult, ResponseMessage

Message = discord.Message | ResponseMessage

TEXT, BUTTON, MENU, GALLERY = 10, 2, 3, 12  # component types of the Discord API


@dataclass(frozen=True)
class Option:
    """An option of a select menu."""

    label: str
    value: str
    description: str


@dataclass(frozen=True)
class Menu:
    """A select menu of a message."""

    custom_id: str
    placeholder: str
    options: tuple[Option, ...]


def iterate_components(message: Message) -> Iterator[dict[str, Any]]:
    """Yield every component of a message in reading order."""
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


def read_text(message: Message) -> str:
    return "\n".join(
        [message.content, *(part["content"] for part in iterate_components(message) if part["type"] == TEXT)]
    ).strip()


def read_button_ids(message: Message) -> dict[str, str]:
    return {
        part["label"]: part["custom_id"]
        for part in iterate_components(message)
        if part["type"] == BUTTON and not part.get("disabled")
    }


PLAY_LABEL = re.compile(r"Play( [+−]?\d+| .+ at .+)?")
"""The button that plays the previewed move, or places a tile of a figure."""


def find_play_label(preview: Message) -> str:
    return next(label for label in read_button_ids(preview) if PLAY_LABEL.fullmatch(label))


def list_menus(message: Message) -> list[Menu]:
    return [
        Menu(
            part["custom_id"],
            part.get("placeholder", ""),
            tuple(Option(one["label"], one["value"], one.get("description") or "") for one in part["options"]),
        )
        for part in iterate_components(message)
        if part["type"] == MENU
    ]


def list_alt_texts(message: Message) -> list[str]:
    """Return the alt texts of the pictures in a message."""
    return [
        item["description"] for part in iterate_components(message) if part["type"] == GALLERY for item in part["items"]
    ]


SEQ_PATTERN = re.compile(r"by:scores:\d+:(\d+)")
"""The custom id on a board that contains the position in the event log."""


def read_shown_seq(message: Message | dict[str, Any]) -> int:
    """Return the position in the event log that a board shows. Fails for other messages."""
    found = [message] if isinstance(message, dict) else list(iterate_components(message))
    (seq,) = {int(seq) for seq in SEQ_PATTERN.findall(str(found))}
    return seq


def list_match_ids(page: Message) -> list[str]:
    """Return the match ids in the menu of a history page, in order."""
    found = [menu for menu in list_menus(page) if menu.custom_id.startswith("by:past")]
    return [option.value for menu in found for option in menu.options]


def list_custom_ids(message: Message) -> list[str]:
    """Return the custom ids of all components, including disabled buttons."""
    return [part["custom_id"] for part in iterate_components(message) if "custom_id" in part]


def get_private_answer(result: InteractionResult) -> ResponseMessage:
    answer = result.followups[-1] if result.followups else result.response
    assert answer is not None, "nothing was answered"
    assert answer.ephemeral, f"the answer is public: {read_text(answer)}"
    return answer


def read_private_text(result: InteractionResult) -> str:
    return read_text(get_private_answer(result))
