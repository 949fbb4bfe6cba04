"""Print all texts of the bot in every language side by side: the real bot plays all scenes on a local Discord.

`uv run checks -m tests.conformance.walk` prints it; `--only lobbies turns` selects chapters, `--languages en de`
selects languages. Chapters run in order, and some continue the state of an earlier one. Each text is printed where it
first occurs.
"""

import argparse
import asyncio
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

from bot.playground import components
from bot.playground.injected_faults import Faults
from data.words import list_languages
from tests.conformance import chapters, refusing
from tests.conformance.stage import PEOPLE, Json
from tests.conformance.tour import LeafCommand, ShownComponent, Tour, disable_pictures, open_tour

CHAPTERS: Final = {one.__name__: one for one in (*chapters.CHAPTERS, *refusing.CHAPTERS, *chapters.LAST_CHAPTERS)}

TextPosition = tuple[str | int, ...]  # location of a text: its message and component

VARIABLE_PARTS: Final = re.compile(r"\d{15,20}|\b[0-9a-f]{8,64}\b|<t:\d+")
"""Parts of texts that differ between two runs: ids, fingerprints, times."""


@dataclass
class RecordedAction:
    name: str
    texts: dict[TextPosition, str] = field(default_factory=dict)


class RecordingTour(Tour):
    actions: list[RecordedAction]
    known_messages: dict[str, str]
    current_action: str

    async def use(self, who: str, leaf: LeafCommand, **options: Any) -> str:
        for option in leaf.options:
            if option.get("autocomplete") and not options:
                found = await self.people[who].fetch_choices(
                    self.place, leaf.path[0], *leaf.path[1:], focused=option["name"], **{option["name"]: ""}
                )
                action = RecordedAction(f"{who}: /{leaf.name} {option['name']}:…")
                action.texts = {(number,): one["name"] for number, one in enumerate(found)}
                self.actions.append(action)
        option_text = " ".join(f"{name}:{value}" for name, value in options.items())
        self.current_action = f"{who}: /{leaf.name} {option_text}".rstrip()
        return await super().use(who, leaf, **options)

    async def click(self, one: ShownComponent) -> str:
        self.current_action = f"{one.who}: [{one.custom_id.verb} {one.custom_id.argument}]".replace(" ]", "]")
        return await super().click(one)

    async def skip_time(self, seconds: float) -> None:
        await super().skip_time(seconds)
        self.current_action = f"{seconds / 3600:.0f} hours later" if seconds >= 3600 else f"{seconds:.0f} seconds later"
        await self._record_messages()

    async def wait_until_idle(self) -> None:
        await super().wait_until_idle()
        while (head := await self.load_head()) and head.state == "open" and head.turn and head.turn.user is None:
            # Wait for the computer's moves, so that each language shows them after the same act.
            await self.client.services.scheduler.sweep()
            await super().wait_until_idle()
        if self.current_action:
            await self._record_messages()

    async def _record_messages(self) -> None:
        action, self.current_action = RecordedAction(self.current_action), ""
        self.actions.append(action)
        for who in PEOPLE:
            for number, message in await self.list_messages(who):
                content = str((message["content"], message["components"], message["attachments"]))
                if self.known_messages.get(message["id"]) != content:
                    self.known_messages[message["id"]] = content
                    action.texts |= {(who, number, *position): text for position, text in iterate_texts(message)}


def iterate_texts(message: Json) -> Iterator[tuple[TextPosition, str]]:
    if message["content"]:
        yield ("content",), message["content"]
    for number, one in enumerate(components.walk(message["components"])):
        for line, text in enumerate(str(one.get("content", "")).split("\n")):
            if text:
                yield (number, "text", line), text
        for key in ("label", "placeholder", "description"):
            if one.get(key):
                yield (number, key), one[key]
        for option in one.get("options") or ():
            option_text = " — ".join(filter(None, (option["label"], option.get("description"))))
            yield (number, "option", option["value"]), option_text
        for item, shown in enumerate(one.get("items") or ()):
            yield (number, "picture", item), f"(picture) {shown.get('description')}"


async def record_texts(language: str, chapter_names: Sequence[str], folder: Path) -> list[RecordedAction]:
    async with open_tour(folder, Faults(), RecordingTour) as tour:
        tour.actions, tour.known_messages, tour.current_action = [], {}, ""
        world = tour.discord.world
        for person in tour.people.values():
            world.set_locale(world.users[person.id], language)
        for guild in world.guilds:
            world.members.set_locale(guild, language)
        for name in chapter_names:
            await tour.move_to_new_channel()
            await CHAPTERS[name](tour)
        return tour.actions


def iterate_translations(recordings: dict[str, list[RecordedAction]]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each text once, in all languages, with the act that caused it."""
    first, seen = next(iter(recordings.values())), set[tuple[str, ...]]()
    for number, action in enumerate(first):
        same = {
            language: acts[number] if number < len(acts) else RecordedAction("")
            for language, acts in recordings.items()
        }
        for place in dict.fromkeys(place for one in same.values() for place in one.texts):
            texts = {language: one.texts[place] for language, one in same.items() if place in one.texts}
            known = tuple(VARIABLE_PARTS.sub("#", text) for text in texts.values())
            if known not in seen:
                seen.add(known)
                yield action.name, texts


def record_languages(languages_: Sequence[str], chapter_names: Sequence[str]) -> dict[str, list[RecordedAction]]:
    recordings = {}
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        disable_pictures(patch)
        for language in languages_:
            recordings[language] = asyncio.run(record_texts(language, chapter_names, Path(folder)))
    return recordings


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.walk", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=CHAPTERS, default=list(CHAPTERS), metavar="CHAPTER")
    parser.add_argument(
        "--languages", nargs="+", choices=list_languages(), default=list(list_languages()), metavar="LANGUAGE"
    )
    args = parser.parse_args()
    recordings = record_languages(args.languages, args.only)
    heading = ""
    for action, texts in iterate_translations(recordings):
        if action != heading:
            heading = action
            print(f"\n— {action}")
        for language, text in texts.items():
            print(f"  {language}  {text}")
        print()


if __name__ == "__main__":
    main()
