"""Tables played through the real bot: its commands, services, store and announcements, with Discord's HTTP answered
from memory (`stand_in`). The deals are the same every time, and everybody plays their best move.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bot.operating.client import Boneyard
from bot.operating.wiring import build
from bot.service.tables import Table
from data.store import Store
from data.words import words
from engine.actions import Play
from engine.board import Placement
from engine.seen import see
from engine.table.commands import Act, Look
from engine.tiles import tile_text
from tests.bench.stand_in import StandIn

SEATS: Final = 4
DEAL: Final = bytes(range(32))


class Evening:
    """A bot with a database file, and one table after the other."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory()
        self._runner = asyncio.Runner()
        self._channels = count(20)
        self._requests = count(1_000_000)
        self.channel = 0
        self.match_id = 0
        self._people: list[int] = []
        self._script: list[tuple[int, Placement]] = []
        self._played = 0
        self._runner.run(self._open())

    async def _open(self) -> None:
        self.store = await Store.open(f"sqlite:///{Path(self._folder.name) / 'boneyard.db'}")
        self.client: Boneyard = build(self.store, secret=lambda: DEAL)
        await self.client._async_setup_hook()
        self.discord = StandIn(self.client)

    def new_table(self) -> None:
        """Four people begin a match in a channel of their own."""
        self._runner.run(self._new_table())

    async def _new_table(self) -> None:
        self.channel = next(self._channels)
        host, *others = range(self.channel * SEATS, (self.channel + 1) * SEATS)
        with self.discord.here():
            await self._typed(host, "new", game="triominoes")
            for person in others:
                await self._typed(person, "join")
            await self._typed(host, "start")
        (head,) = await self.store.heads_in_channel(self.channel)
        self.match_id, self._played = head.match_id, 0
        self._people = [row.user_id or 0 for row in await self.store.seats(self.match_id)]

    async def _typed(self, person: int, command: str, **options: str) -> None:
        self.discord.typed(person, self.channel, "tiles", command, **options)
        await self.discord.quiet()

    def stored(self, moves: int, *, hand: bool) -> None:
        """Checked and stored for good, the board drawn with its words and its message; and the mover's hand."""
        self._each(moves, lambda person, lies: self._stored(person, lies, hand=hand))

    def announced(self, moves: int) -> None:
        """The same without a hand, and everything else that follows in public: the board sent and noted. Whoever is
        next looks, and is not called.
        """
        self._each(moves, self._announced)

    def typed(self, moves: int) -> None:
        """`/tiles play`, from the gateway's event to the last request that follows from it, discord.py included."""
        self._each(moves, self._play)

    def _each(self, moves: int, do: Callable[[int, Placement], Awaitable[object]]) -> None:
        async def all_of_them() -> None:
            with self.discord.here():
                for _ in range(moves):
                    seat, lies = await self._next()
                    await do(self._people[seat], lies)
                    await self._stands()

        self._runner.run(all_of_them())

    async def _next(self) -> tuple[int, Placement]:
        """Who is to move, and where they play. Thought about at the first table; the others go the same way."""
        if self._played == len(self._script):
            table = await self.client.services.tables.load(self.match_id)
            seat = table.match.turn
            self._script.append((seat, see(table.match, seat).moves[0].placement))
        self._played += 1
        return self._script[self._played - 1]

    async def _stands(self) -> None:
        """Whoever is next asks for something: what was just placed cannot be taken back alone any more."""
        acts, table = self.client.services.acts, await self.client.services.tables.load(self.match_id)
        if table.state.unsettled is not None and (following := table.turn_user()) is not None:
            await acts.act(self.match_id, Look(following), seen=table)

    async def _act(self, person: int, lies: Placement) -> Table:
        acted = await self.client.services.acts.act(
            self.match_id,
            Act(person, lambda seat: Play(seat, lies.tile, lies.cell, lies.rotation)),
            request=next(self._requests),
            seen=self.client.services.tables.remembered(self.match_id),
        )
        return acted.table

    async def _stored(self, person: int, lies: Placement, *, hand: bool) -> None:
        table = await self._act(person, lies)
        messages = self.client.services.languages.messages(words())
        shown = [await messages.public(table)]
        if hand:
            seat = table.seat_of(person)
            assert seat is not None
            shown.append(await messages.hand(table, seat))
        for sheet in shown:
            json.dumps(sheet.view.to_components())

    async def _announced(self, person: int, lies: Placement) -> None:
        await self._act(person, lies)
        await self.client.services.announcer.refresh(self.match_id)
        await self.discord.quiet()

    async def _play(self, person: int, lies: Placement) -> None:
        await self._typed(person, "play", tile=tile_text(lies.tile), place=f"{lies.cell}.{lies.rotation}")
