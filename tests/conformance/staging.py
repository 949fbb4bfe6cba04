"""Play one scene. After each act, the messages that each user sees are recorded or compared."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from discord import AllowedMentions, Object, ui

from tests.conformance.known import Difference, KnownDifference, find_known_difference
from tests.conformance.loopback import LoopbackStage
from tests.conformance.plain import Views, iterate_differences, normalize_views
from tests.conformance.simulated import SimulatedStage
from tests.conformance.stage import PEOPLE, TABLE, Json

MAX_PAUSE = 30.0
"""Maximum seconds between two checks whether the local Discord shows the same as simcord."""

FINAL_PAUSE = 0.25  # Seconds that the final state must stay unchanged

MAX_PRINTED = 10  # Differences printed when a scene fails

BOARD_LABELS = {"Join", "My hand", "Rematch"}
EPHEMERAL, LAYOUT = 1 << 6, 1 << 15


@dataclass(frozen=True)
class Snapshot:
    action: str
    views: Json


@dataclass
class SceneRun:
    """A scene on one stage. With `expected`, each snapshot must equal that of an earlier run."""

    stage: LoopbackStage | SimulatedStage
    expected: list[Snapshot] | None = None
    known_differences: set[KnownDifference] = field(default_factory=set)  # The known differences that were met
    snapshots: list[Snapshot] = field(default_factory=list)
    views: Views = field(default_factory=dict)

    async def use_command(self, who: str, command: str, *, channel: str = TABLE, **options: Any) -> None:
        await self.stage.use_command(who, channel, command, **options)
        await self._record_snapshot(f"{who}: /{command} {options or ''} in #{channel}")

    def expire_private_messages(self) -> None:
        """Expire the private messages shown so far, so that the bot cannot edit them, as after a restart."""
        live_hands = self.stage.client.services.live_hands
        for person in live_hands.user_ids:
            live_hands.forget(person)

    async def suggest(self, who: str, command: str, option: str, typed: str = "", **given: Any) -> list[Json]:
        found = await self.stage.suggest(who, TABLE, command, option, typed, **given)
        self._add_snapshot(Snapshot(f"{who}: /{command} {given or ''} {option}:{typed}", {"suggestions": found}))
        return found

    async def click(self, who: str, message: Json, label: str) -> None:
        button = next(one for one in list_components(message["components"]) if one.get("label", "").startswith(label))
        await self.stage.click(who, message, button["custom_id"])
        await self._record_snapshot(f"{who}: [{label}]")

    async def choose(self, who: str, message: Json, number: int = 0) -> None:
        menu = next(one for one in list_components(message["components"]) if "options" in one)
        await self.stage.choose(who, message, menu["custom_id"], menu["options"][number]["value"])
        await self._record_snapshot(f"{who}: chooses {menu['options'][number]['label']}")

    async def say(self, who: str, *texts: str) -> None:
        for text in texts:
            await self.stage.say(who, TABLE, text)
        await self._record_snapshot(f"{who}: {len(texts)} messages")

    async def delete(self, message: Json) -> None:
        await self.stage.delete(message)
        await self._record_snapshot("a message is deleted")

    async def post(self, text: str, *custom_ids: str, mentioned: str | None = None) -> Json:
        """Post a message of the bot with buttons of these ids, labelled A, B, C...; "@Ada" mentions Ada, and `rings`
        are the users that it notifies.
        """
        ids = {name: key for key, name in self.stage.names.items()}
        view = ui.View(timeout=None)
        for number, custom_id in enumerate(custom_ids):
            view.add_item(ui.Button(label=chr(ord("A") + number), custom_id=custom_id))
        view.stop()
        for name in PEOPLE:
            text = text.replace(f"@{name}", f"<@{ids[name]}>")
        allowed = AllowedMentions(users=[Object(int(ids[mentioned]))] if mentioned else False)
        channel = self.stage.client.get_partial_messageable(int(ids[TABLE]))
        await channel.send(text, view=view, allowed_mentions=allowed)
        await self._record_snapshot(f"the bot posts {len(custom_ids)} forged buttons")
        return self.list_public_messages()[-1]

    def find_private_message(self, who: str, place: str = TABLE) -> Json:
        return [one for one in self.views[who, place] if one["flags"] & EPHEMERAL][-1]

    def list_public_messages(self, place: str = TABLE) -> list[Json]:
        return [one for one in self.views[PEOPLE[0], place] if not one["flags"] & EPHEMERAL]

    def find_board(self, place: str = TABLE) -> Json:
        return [
            one
            for one in self.list_public_messages(place)
            if one["flags"] & LAYOUT and BOARD_LABELS & list_button_labels(one)
        ][-1]

    def find_turn_player(self, place: str = TABLE) -> str | None:
        (channel,) = [key for key, name in self.stage.names.items() if name == place]
        table = self.stage.client.services.tables.find_cached_in(int(channel))
        if table is None or table.state.tentative_turn is not None or (user := table.find_turn_user()) is None:
            return None
        return self.stage.names[str(user)]

    def find_waiting_player(self) -> str:
        return next(who for who in PEOPLE[:2] if who != self.find_turn_player())

    async def _record_snapshot(self, action: str) -> None:
        await self.stage.client.services.announcer.wait_until_idle()
        views = await self._read_views()
        pause = 0.03
        while pause < MAX_PAUSE and any(self._iterate_unknown_differences(views)):
            await asyncio.sleep(pause)
            pause *= 1.2
            views = await self._read_views()
        self._add_snapshot(Snapshot(action, views))

    async def _read_views(self) -> Json:
        self.views = {(who, place): await self.stage.view(who, place) for place in self.stage.places for who in PEOPLE}
        return normalize_views(self.views, self.stage.names)

    def _iterate_unknown_differences(self, views: Json) -> Iterator[Difference]:
        if self.expected is None:
            return
        for difference in iterate_differences(self.expected[len(self.snapshots)].views, views):
            known = find_known_difference(difference)
            if known is None:
                yield difference
            else:
                self.known_differences.add(known)

    def _add_snapshot(self, snapshot: Snapshot) -> None:
        if self.expected is not None:
            assert snapshot.action == self.expected[len(self.snapshots)].action
            wrong = [str(one) for one in islice(self._iterate_unknown_differences(snapshot.views), MAX_PRINTED)]
            assert not wrong, "\n".join([f"after {len(self.snapshots)} acts, {snapshot.action}", *wrong])
        self.snapshots.append(snapshot)

    async def end(self) -> None:
        if self.expected is not None:
            await asyncio.sleep(FINAL_PAUSE)
        await self._record_snapshot("the end")
        assert self.expected is None or len(self.snapshots) == len(self.expected)


Scene = Callable[[SceneRun], Awaitable[None]]


def list_components(tree: object) -> list[Json]:
    if isinstance(tree, list):
        return [one for item in tree for one in list_components(item)]
    if not isinstance(tree, dict):
        return []
    return [tree, *list_components(tree.get("components")), *list_components(tree.get("accessory"))]


def list_button_labels(message: Json) -> set[str]:
    return {one["label"] for one in list_components(message["components"]) if "label" in one}
