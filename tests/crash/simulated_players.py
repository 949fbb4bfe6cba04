"""Simulated players who play without a pause: commands, menus, premoves, duplicate requests and retries."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any

import aiohttp

from bot.core.layout import parse_custom_id
from bot.playground import components
from bot.playground.discord_limits import PageError
from bot.playground.payloads import LOADING, Json
from bot.playground.person import PageUser
from bot.playground.server import LocalDiscord
from bot.tables.move_labels import encode_placement
from data.store.connection.faults import DatabaseUnavailable
from data.store.connection.store_errors import DamagedLog
from data.store.log.match_values import Head
from data.store.store import Store
from engine.board.tiles import format_tile_notation
from engine.match.player_view import PlayerView, view_for
from engine.match.state import replay
from tests.crash.premove_checks import Ahead
from tests.depth import DEPTH

EVERY: Any = ("lobby", "open", "done", "void")
PATIENCE = 1.2  # Seconds until a player retries
IMPATIENT, BY_MENU, BY_CHOICE, BEFOREHAND = 0.25, 0.3, 0.5, 0.3
"""Probabilities: two simultaneous requests, the menu of a hand, an unnecessary draw, and a premove."""


@dataclass(frozen=True)
class Terms:
    """The terms of a table, which is played again and again."""

    people: int
    options: dict[str, Any]
    dawdling: float = 0.0  # Longest time in seconds that a player waits before a move
    gathers: type[Group] | None = None
    """Special roles of players, if they do more than play match after match."""


LEVEL = "master" if DEPTH > 1 else "medium"
"""The level of computer players.

A level that searches starts a worker in every life of a bot. In an ordinary run, that takes the whole life.
"""
LOBBY = Terms(1, {"game": "triominoes", "seats": 4})  # A table that no other player joins
BY_HAND = Terms(2, {"game": "triominoes", "target": 60, "by_hand": True, "options": "voluntary_draw=on"})
"""A table where a player may draw twice in a row, so that a duplicate request shows."""
TABLES = (
    BY_HAND,
    Terms(3, {"game": "triominoes", "target": 60, "by_hand": True, "options": "voluntary_draw=on"}),
    Terms(2, {"game": "points", "target": 40, "preset": "evening"}),
    Terms(2, {"game": "quad-ominos", "target": 60, "computers": 1, "level": LEVEL, "options": "deal=half"}),
    # A minute takes two seconds for these bots, so some turns time out.
    Terms(2, {"game": "triominoes", "target": 60, "clock": "live 1m"}, dawdling=4.0),
    LOBBY,
    LOBBY,
)


@dataclass
class Group:
    """The players of one channel."""

    channel: str
    people: list[PageUser]
    terms: Terms
    store: Store
    rng: Random
    guild: int = 0  # The guild of the channel
    opened: int = 0
    acts: int = 0
    asked: int = 0
    ahead: list[Ahead] = field(default_factory=list)  # Premoves of all players
    leaving: asyncio.Event = field(default_factory=asyncio.Event)

    async def stay(self) -> None:
        while not self.leaving.is_set():
            try:
                await self._next()
            except DatabaseUnavailable:
                await asyncio.sleep(0.1)  # this program cannot read, but the bots may continue
            except (PageError, TimeoutError, aiohttp.ClientError):
                continue

    async def _next(self) -> None:
        heads = await self.store.matches.list_heads_in_channel(int(self.channel), EVERY)
        head = heads[0] if heads else None
        host = self.people[0]
        if head is None or head.state in ("done", "void"):
            seats = self.terms.people + self.terms.options.get("computers", 0)
            await host.use_command(self.channel, "tiles", "new", **{"seats": seats} | self.terms.options)
        elif head.state == "lobby":
            if len(self.people) == 1:
                await asyncio.sleep(0.1)  # no other player comes, so the clock closes it
                return
            seated = {row.user_id for row in await self.store.matches.list_seats(head.match_id)}
            other = next((person for person in self.people if int(person.id) not in seated), None)
            if other is None:
                return  # the match has started in between
            await other.use_command(self.channel, "tiles", "join")
        elif head.turn is None or head.turn.user is None:
            await asyncio.sleep(0.05)
            return
        else:
            if self.terms.dawdling and not self.leaving.is_set():
                await asyncio.sleep(self.rng.uniform(0, self.terms.dawdling))
            mover = next(one for one in self.people if int(one.id) == head.turn.user)
            if self.rng.random() < BEFOREHAND and head.board_message_id and len(self.people) > 1:
                with suppress(PageError):
                    other = self.rng.choice([one for one in self.people if one is not mover])
                    await self._decide_ahead(head.match_id, str(head.board_message_id), other)
            if not self._awaits(head, mover):
                await self._act(head, mover)
        self.asked += 1
        await self._until_it_moved(head)

    async def _until_it_moved(self, before: Head | None) -> None:
        async with asyncio.timeout(PATIENCE):
            while True:
                heads = await self.store.matches.list_heads_in_channel(int(self.channel), EVERY)
                if heads and (before is None or (heads[0].match_id, heads[0].seq) != (before.match_id, before.seq)):
                    self.acts += 1
                    return
                await asyncio.sleep(0.03)

    async def _act(self, head: Head, person: PageUser) -> None:
        try:
            loaded = await self.store.matches.load(head.match_id)
        except DamagedLog:
            await person.use_command(self.channel, "tiles", "hand")
            await asyncio.sleep(PATIENCE / 4)
            return
        try:
            match = replay(loaded.events)
        except ValueError:
            await asyncio.sleep(PATIENCE)  # this log is beyond repair, and the final check reports it
            return
        seen = view_for(match, head.turn.seat)
        if not match.ended and match.turn == head.turn.seat:
            if self.rng.random() < IMPATIENT:
                await asyncio.gather(self._once(head, seen, person), self._once(head, seen, person))
            else:
                await self._once(head, seen, person)

    async def _once(self, head: Head, seen: PlayerView, person: PageUser) -> None:
        if seen.reward is not None or (seen.options and not seen.moves):
            await person.use_command(self.channel, "tiles", "choose", option=self.rng.choice(seen.options))
        elif seen.moves and not (seen.can_draw and seen.rules.may_draw_freely and self.rng.random() < BY_CHOICE):
            lies = self.rng.choice(seen.moves[:4]).placement
            if head.board_message_id and self.rng.random() < BY_MENU:
                with suppress(PageError):
                    await self._by_menu(head.match_id, str(head.board_message_id), person, encode_placement(lies))
                    return
            where = f"{lies.cell}.{lies.rotation}"
            await person.use_command(self.channel, "tiles", "play", tile=format_tile_notation(lies.tile), place=where)
        else:
            await person.use_command(self.channel, "tiles", "draw" if seen.can_draw else "pass")

    def _awaits(self, head: Head, mover: PageUser) -> bool:
        mine = [one for one in self.ahead if (one.match_id, one.user) == (head.match_id, int(mover.id))]
        found = [one for one in mine if not one.awaited]
        for one in found:
            one.awaited = True
        return bool(found)

    async def _decide_ahead(self, match_id: int, board: str, person: PageUser) -> None:
        """Open My hand during the turn of another player and select one of its moves. Raises PageError."""
        hand = await self._hand(board, person)
        menu = _premoves_in(hand)
        offered = [] if menu is None else [one["value"] for one in menu["options"] if "." in one["value"]]
        if menu is None or not offered:
            return
        move = self.rng.choice(offered)
        asked = self._asked_ahead(match_id, person, menu, move)
        chosen = await person.select(hand, [move], custom_id=menu["custom_id"])
        asked.awaited = (await person.fetch_outcome(chosen, wait=PATIENCE))["state"] != "answered"

    def _asked_ahead(self, match_id: int, person: PageUser, menu: Json, move: str) -> Ahead:
        press = parse_custom_id(menu["custom_id"])
        asked = Ahead(match_id, int(person.id), press.seq or 0, move)
        self.ahead.append(asked)
        return asked

    async def _by_menu(self, match_id: int, board: str, person: PageUser, move: str) -> None:
        hand = await self._hand(board, person)
        # While the previous move can be undone, the menu is for premoves.
        if (menu := _premoves_in(hand)) is not None:
            self._asked_ahead(match_id, person, menu, move)
        await person.select(hand, [move])

    async def _hand(self, board: str, person: PageUser) -> Json:
        pressed = await person.click(await person.fetch_message(self.channel, board), label="My hand")
        outcome = await person.fetch_outcome(pressed, wait=PATIENCE)
        if outcome["state"] != "answered" or outcome["message_id"] is None:
            raise PageError("no answer")
        for _ in range(20):
            hand = await person.fetch_message(self.channel, outcome["message_id"])
            if not hand["flags"] & LOADING:
                return hand
            await asyncio.sleep(0.05)
        raise PageError("no hand")


def _premoves_in(hand: Json) -> Json | None:
    """Return the menu of premoves in the message of My hand; None if there is none."""
    found = [one for one in components.walk(hand["components"]) if "by:premove:" in one.get("custom_id", "")]
    return next((one for one in found if one["type"] in components.SELECTS), None)


@asynccontextmanager
async def seated(
    discord: LocalDiscord, store: Store, rng: Random, tables: Sequence[Terms], shards: int = 1
) -> AsyncIterator[list[Group]]:
    """Groups of players in their own channels, with a store to read their matches.

    Their guilds belong to a given number of shards.
    """
    world, servers = discord.world, {}
    for guild in world.guilds:
        servers[(int(guild) >> 22) % shards] = guild
    while len(servers) < shards:
        guild = world.add_guild("Another server")["id"]
        servers.setdefault((int(guild) >> 22) % shards, guild)
    async with AsyncExitStack() as stack:
        groups, number = [], 0
        for terms in tables:
            server = servers[len(groups) % shards]
            channel = world.add_channel(f"table-{len(groups)}", guild_id=server)
            people = []
            for _ in range(terms.people):
                number += 1
                people.append(await stack.enter_async_context(PageUser(discord.address, f"Person {number}")))
                await store.users.set_person(int(people[-1].id), quick=True, now=1)
            kind = terms.gathers or Group
            groups.append(kind(channel["id"], people, terms, store, Random(rng.random()), guild=int(server)))
        yield groups
