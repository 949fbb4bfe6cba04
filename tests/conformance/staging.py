"""Play one scene: people act, and after each act the messages that each person sees are recorded or compared."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from discord import AllowedMentions, Object, ui

from tests.conformance.known import Difference, Known, known
from tests.conformance.plain import Views, differences, plain
from tests.conformance.stage import PEOPLE, TABLE, Json, Stage

PATIENCE = 30.0
"""The longest pause, in seconds, before looking again whether the local Discord shows what simcord showed."""

LATE = 0.25  # Seconds that the final state must stay unchanged

MOST_TOLD = 10  # Differences printed when a scene fails

PUBLIC_TABLE = {"Join", "My hand", "Rematch"}
EPHEMERAL, LAYOUT = 1 << 6, 1 << 15


@dataclass(frozen=True)
class Moment:
    act: str
    shown: Json


@dataclass
class Staging:
    """A scene on one stage. With `wanted`, the moments of an earlier performance, each must come out the same."""

    stage: Stage
    wanted: list[Moment] | None = None
    excused: set[Known] = field(default_factory=set)  # The known differences that were met
    moments: list[Moment] = field(default_factory=list)
    views: Views = field(default_factory=dict)

    async def slash(self, who: str, command: str, *, channel: str = TABLE, **options: Any) -> None:
        await self.stage.slash(who, channel, command, **options)
        await self._look(f"{who}: /{command} {options or ''} in #{channel}")

    def lapse(self) -> None:
        """The private messages that were shown so far are too old to be changed, as they are after a restart."""
        live_hands = self.stage.client.services.live_hands
        for person in live_hands.user_ids:
            live_hands.forget(person)

    async def suggest(self, who: str, command: str, option: str, typed: str = "", **given: Any) -> list[Json]:
        found = await self.stage.suggest(who, TABLE, command, option, typed, **given)
        self._keep(Moment(f"{who}: /{command} {given or ''} {option}:{typed}", {"suggestions": found}))
        return found

    async def press(self, who: str, message: Json, label: str) -> None:
        pressed = next(one for one in walk(message["components"]) if one.get("label", "").startswith(label))
        await self.stage.click(who, message, pressed["custom_id"])
        await self._look(f"{who}: [{label}]")

    async def choose(self, who: str, message: Json, number: int = 0) -> None:
        menu = next(one for one in walk(message["components"]) if "options" in one)
        await self.stage.choose(who, message, menu["custom_id"], menu["options"][number]["value"])
        await self._look(f"{who}: chooses {menu['options'][number]['label']}")

    async def say(self, who: str, *texts: str) -> None:
        for text in texts:
            await self.stage.say(who, TABLE, text)
        await self._look(f"{who}: {len(texts)} messages")

    async def delete(self, message: Json) -> None:
        await self.stage.delete(message)
        await self._look("a message is deleted")

    async def post(self, text: str, *custom_ids: str, rings: str | None = None) -> Json:
        """A message of the bot with buttons of these ids, labelled A, B, C...; "@Ada" names Ada, "rings" rings one."""
        ids = {name: key for key, name in self.stage.names.items()}
        view = ui.View(timeout=None)
        for number, custom_id in enumerate(custom_ids):
            view.add_item(ui.Button(label=chr(ord("A") + number), custom_id=custom_id))
        view.stop()
        for name in PEOPLE:
            text = text.replace(f"@{name}", f"<@{ids[name]}>")
        allowed = AllowedMentions(users=[Object(int(ids[rings]))] if rings else False)
        channel = self.stage.client.get_partial_messageable(int(ids[TABLE]))
        await channel.send(text, view=view, allowed_mentions=allowed)
        await self._look(f"the bot posts {len(custom_ids)} forged buttons")
        return self.public()[-1]

    def private(self, who: str, place: str = TABLE) -> Json:
        return [one for one in self.views[who, place] if one["flags"] & EPHEMERAL][-1]

    def public(self, place: str = TABLE) -> list[Json]:
        return [one for one in self.views[PEOPLE[0], place] if not one["flags"] & EPHEMERAL]

    def board(self, place: str = TABLE) -> Json:
        return [one for one in self.public(place) if one["flags"] & LAYOUT and PUBLIC_TABLE & labels(one)][-1]

    def offers(self, place: str, label: str) -> bool:
        return label in labels(self.board(place))

    def to_move(self, place: str = TABLE) -> str | None:
        (channel,) = [key for key, name in self.stage.names.items() if name == place]
        table = self.stage.client.services.tables.find_cached_in(int(channel))
        if table is None or table.state.tentative_turn is not None or (user := table.find_turn_user()) is None:
            return None
        return self.stage.names[str(user)]

    def waiting(self) -> str:
        return next(who for who in PEOPLE[:2] if who != self.to_move())

    def _place_of(self, message: Json) -> str:
        return self.stage.names[str(message["channel_id"])]

    async def _look(self, act: str) -> None:
        await self.stage.client.services.announcer.wait_until_idle()
        shown = await self._see()
        pause = 0.03
        while pause < PATIENCE and any(self._wrong(shown)):
            await asyncio.sleep(pause)
            pause *= 1.2
            shown = await self._see()
        self._keep(Moment(act, shown))

    async def _see(self) -> Json:
        self.views = {(who, place): await self.stage.view(who, place) for place in self.stage.places for who in PEOPLE}
        return plain(self.views, self.stage.names)

    def _wrong(self, shown: Json) -> Iterator[Difference]:
        if self.wanted is None:
            return
        for difference in differences(self.wanted[len(self.moments)].shown, shown):
            excuse = known(difference)
            if excuse is None:
                yield difference
            else:
                self.excused.add(excuse)

    def _keep(self, moment: Moment) -> None:
        if self.wanted is not None:
            assert moment.act == self.wanted[len(self.moments)].act
            wrong = [str(one) for one in islice(self._wrong(moment.shown), MOST_TOLD)]
            assert not wrong, "\n".join([f"after {len(self.moments)} acts, {moment.act}", *wrong])
        self.moments.append(moment)

    async def end(self) -> None:
        if self.wanted is not None:
            await asyncio.sleep(LATE)
        await self._look("the end")
        assert self.wanted is None or len(self.moments) == len(self.wanted)


Scene = Callable[[Staging], Awaitable[None]]


def walk(tree: object) -> list[Json]:
    if isinstance(tree, list):
        return [one for item in tree for one in walk(item)]
    if not isinstance(tree, dict):
        return []
    return [tree, *walk(tree.get("components")), *walk(tree.get("accessory"))]


def labels(message: Json) -> set[str]:
    return {one["label"] for one in walk(message["components"]) if "label" in one}
