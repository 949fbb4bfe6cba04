"""Print all texts of the bot in every language side by side: the real bot plays all scenes on a local Discord.

`uv run checks -m tests.conformance.walk` prints it; `--only lobbies turns` selects chapters, `--languages en de`
selects languages. Chapters run in order, and some continue the state of an earlier one. Each text is printed where it
first occurs. A text that exists in one language only, or is the same in two languages, is marked.
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

import bot.tables.messages
from bot.playground import components
from bot.playground.injected_faults import Faults
from data.words import list_languages
from tests.conformance import chapters, refusing
from tests.conformance.tour import PEOPLE, Json, Leaf, Shown, Tour, tour
from tests.crash.fork_server import BLANK

CHAPTERS: Final = {one.__name__: one for one in (*chapters.CHAPTERS, *refusing.CHAPTERS, *chapters.LAST)}

Place = tuple[str | int, ...]  # Where a text stands: in which message, in which of its components

NUMBERS: Final = re.compile(r"\d{15,20}|\b[0-9a-f]{8,64}\b|<t:\d+")
"""What differs from walk to walk: ids, fingerprints, moments."""


@dataclass
class Act:
    name: str
    texts: dict[Place, str] = field(default_factory=dict)


class Walk(Tour):
    acts: list[Act]
    known: dict[str, str]
    doing: str

    def begin(self) -> None:
        self.acts, self.known, self.doing = [], {}, ""

    async def use(self, who: str, leaf: Leaf, **options: Any) -> str:
        for option in leaf.options:
            if option.get("autocomplete") and not options:
                found = await self.people[who].fetch_choices(
                    self.place, leaf.path[0], *leaf.path[1:], focused=option["name"], **{option["name"]: ""}
                )
                act = Act(f"{who}: /{leaf.name} {option['name']}:…")
                act.texts = {(number,): one["name"] for number, one in enumerate(found)}
                self.acts.append(act)
        told = " ".join(f"{name}:{value}" for name, value in options.items())
        self.doing = f"{who}: /{leaf.name} {told}".rstrip()
        return await super().use(who, leaf, **options)

    async def press(self, one: Shown) -> str:
        self.doing = f"{one.who}: [{one.press.verb} {one.press.argument}]".replace(" ]", "]")
        return await super().press(one)

    async def later(self, seconds: float) -> None:
        await super().later(seconds)
        self.doing = f"{seconds / 3600:.0f} hours later" if seconds >= 3600 else f"{seconds:.0f} seconds later"
        await self._look()

    async def quiet(self) -> None:
        await super().quiet()
        while (head := await self.head()) and head.state == "open" and head.turn and head.turn.user is None:
            # What a computer does is read too, and at the same act in every language.
            await self.client.services.scheduler.sweep()
            await super().quiet()
        if self.doing:
            await self._look()

    async def _look(self) -> None:
        act, self.doing = Act(self.doing), ""
        self.acts.append(act)
        for who in PEOPLE:
            person = self.people[who]
            direct = self.discord.world.direct_channels.get(person.id)
            for place in (self.place, *([direct] if direct else [])):
                for number, message in enumerate(await person.fetch_messages(place, 100)):
                    seen = str((message["content"], message["components"], message["attachments"]))
                    if self.known.get(message["id"]) != seen:
                        self.known[message["id"]] = seen
                        act.texts |= {(who, number, *spot): text for spot, text in texts_of(message)}


def texts_of(message: Json) -> Iterator[tuple[Place, str]]:
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
            told = " — ".join(filter(None, (option["label"], option.get("description"))))
            yield (number, "option", option["value"]), told
        for item, shown in enumerate(one.get("items") or ()):
            yield (number, "picture", item), f"(picture) {shown.get('description')}"


async def walked(language: str, only: Sequence[str], folder: Path) -> list[Act]:
    async with tour(folder, Faults(), Walk) as at:
        at.begin()
        world = at.discord.world
        for person in at.people.values():
            world.set_locale(world.users[person.id], language)
        for guild in world.guilds:
            world.members.set_locale(guild, language)
        for name in only:
            await at.elsewhere()
            await CHAPTERS[name](at)
        return at.acts


def beside(walks: dict[str, list[Act]]) -> Iterator[tuple[str, dict[str, str]]]:
    """Each text with the act that brought it, in every language that has it; each once."""
    first, met = next(iter(walks.values())), set[tuple[str, ...]]()
    for number, act in enumerate(first):
        same = {language: acts[number] if number < len(acts) else Act("") for language, acts in walks.items()}
        for place in dict.fromkeys(place for one in same.values() for place in one.texts):
            texts = {language: one.texts[place] for language, one in same.items() if place in one.texts}
            known = tuple(NUMBERS.sub("#", text) for text in texts.values())
            if known not in met:
                met.add(known)
                yield act.name, texts


def doubts(texts: dict[str, str], of: int) -> str:
    missing = "  ← not in every language" if len(texts) < of else ""
    worded = [text for text in texts.values() if len(re.findall(r"[^\W\d_]{3,}", text)) > 3]
    return missing or ("  ← the same in two languages" if len(set(worded)) < len(worded) else "")


def walk_all(languages_: Sequence[str], only: Sequence[str]) -> dict[str, list[Act]]:
    walks = {}
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        for name in ("render_table", "render_hand"):
            patch.setattr(bot.tables.messages, name, lambda *_, **__: BLANK)
        for language in languages_:
            walks[language] = asyncio.run(walked(language, only, Path(folder)))
    return walks


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.walk", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=CHAPTERS, default=list(CHAPTERS), metavar="CHAPTER")
    parser.add_argument(
        "--languages", nargs="+", choices=list_languages(), default=list(list_languages()), metavar="LANGUAGE"
    )
    asked = parser.parse_args()
    walks = walk_all(asked.languages, asked.only)
    heading = ""
    for act, texts in beside(walks):
        if act != heading:
            heading = act
            print(f"\n— {act}")
        for language, text in texts.items():
            print(f"  {language}  {text}")
        print(doubts(texts, len(walks)))


if __name__ == "__main__":
    main()
