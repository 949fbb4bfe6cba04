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
from bot.playground.server import LocalDiscord
from bot.tables.move_labels import encode_placement
from data.store.connection.faults import DatabaseUnavailable
from data.store.connection.store_errors import DamagedLog
from data.store.log.match_values import Head
from data.store.store import Store
from engine.board.tiles import format_tile_notation
from engine.match.player_view import PlayerView, view_for
from engine.match.state import replay
from tests.crash.premove_checks import PremoveRequest
from tests.depth import DEPTH
from tests.playground.page_user import PageUser

ALL_STATES: Any = ("lobby", "open", "done", "void")
RETRY_SECONDS = 1.2  # Seconds until a player retries
DOUBLE_REQUEST_RATE, MENU_RATE, EXTRA_DRAW_RATE, PREMOVE_RATE = 0.25, 0.3, 0.5, 0.3
"""Probabilities: two simultaneous requests, a move in the hand, an unnecessary draw, and a premove."""
BUTTON_RATE = 0.5  # Probability that a move in the hand is played by its button, if it has one, and not in the menu


@dataclass(frozen=True)
class TableTerms:
    """The terms of a table, which is played again and again."""

    people: int
    options: dict[str, Any]
    max_wait: float = 0.0  # Longest time in seconds that a player waits before a move
    group_class: type[PlayerGroup] | None = None
    """Special roles of players, if they do more than play match after match."""


COMPUTER_LEVEL = "master" if DEPTH > 1 else "medium"
"""The level of computer players.

A level that searches starts a worker in every life of a bot. In an ordinary run, that takes the whole life.
"""
LOBBY_TABLE = TableTerms(1, {"game": "triominoes", "seats": 4})  # A table that no other player joins
MANUAL_TABLE = TableTerms(2, {"game": "triominoes", "target": 60, "by_hand": True, "options": "voluntary_draw=on"})
"""A table where a player may draw twice in a row, so that a duplicate request shows."""
TABLES = (
    MANUAL_TABLE,
    TableTerms(3, {"game": "triominoes", "target": 60, "by_hand": True, "options": "voluntary_draw=on"}),
    TableTerms(2, {"game": "points", "target": 40, "preset": "evening"}),
    TableTerms(
        2, {"game": "quad-ominos", "target": 60, "computers": 1, "level": COMPUTER_LEVEL, "options": "deal=half"}
    ),
    # A minute takes two seconds for these bots, so some turns time out.
    TableTerms(2, {"game": "triominoes", "target": 60, "clock": "live 1m"}, max_wait=4.0),
    LOBBY_TABLE,
    LOBBY_TABLE,
)


@dataclass
class PlayerGroup:
    """The players of one channel."""

    channel: str
    people: list[PageUser]
    terms: TableTerms
    store: Store
    rng: Random
    guild: int = 0  # The guild of the channel
    opened: int = 0
    premoves: list[PremoveRequest] = field(default_factory=list)  # Premoves of all players
    stop_event: asyncio.Event = field(default_factory=asyncio.Event)

    async def play(self) -> None:
        while not self.stop_event.is_set():
            try:
                await self._take_step()
            except DatabaseUnavailable:
                await asyncio.sleep(0.1)  # this program cannot read, but the bots may continue
            except (PageError, TimeoutError, aiohttp.ClientError):
                continue

    async def _take_step(self) -> None:
        heads = await self.store.matches.list_heads_in_channel(int(self.channel), ALL_STATES)
        head = heads[0] if heads else None
        host = self.people[0]
        if head is None or head.state in ("done", "void"):
            seats = self.terms.people + self.terms.options.get("computers", 0)
            await host.use_command(self.channel, "tiles", "new", **{"seats": seats} | self.terms.options)
        elif head.state == "lobby":
            if len(self.people) == 1:
                await asyncio.sleep(0.1)  # no other player comes, so the clock closes it
                return
            seated_ids = {row.user_id for row in await self.store.matches.list_seats(head.match_id)}
            other = next((person for person in self.people if int(person.id) not in seated_ids), None)
            if other is None:
                return  # the match has started in between
            await other.use_command(self.channel, "tiles", "join")
        elif head.turn is None or head.turn.user is None:
            await asyncio.sleep(0.05)
            return
        else:
            if self.terms.max_wait and not self.stop_event.is_set():
                await asyncio.sleep(self.rng.uniform(0, self.terms.max_wait))
            mover = next(one for one in self.people if int(one.id) == head.turn.user)
            if self.rng.random() < PREMOVE_RATE and head.board_message_id and len(self.people) > 1:
                with suppress(PageError):
                    other = self.rng.choice([one for one in self.people if one is not mover])
                    await self._plan_premove(head.match_id, str(head.board_message_id), other)
            if not self._take_premove(head, mover):
                await self._act(head, mover)
        await self._wait_for_change(head)

    async def _wait_for_change(self, before: Head | None) -> None:
        async with asyncio.timeout(RETRY_SECONDS):
            while True:
                heads = await self.store.matches.list_heads_in_channel(int(self.channel), ALL_STATES)
                if heads and (before is None or (heads[0].match_id, heads[0].seq) != (before.match_id, before.seq)):
                    return
                await asyncio.sleep(0.03)

    async def _act(self, head: Head, person: PageUser) -> None:
        try:
            loaded = await self.store.matches.load(head.match_id)
        except DamagedLog:
            await person.use_command(self.channel, "tiles", "hand")
            await asyncio.sleep(RETRY_SECONDS / 4)
            return
        try:
            match = replay(loaded.events)
        except ValueError:
            await asyncio.sleep(RETRY_SECONDS)  # this log is beyond repair, and the final check reports it
            return
        view = view_for(match, head.turn.seat)
        if not match.ended and match.turn == head.turn.seat:
            if self.rng.random() < DOUBLE_REQUEST_RATE:
                await asyncio.gather(self._request_move(head, view, person), self._request_move(head, view, person))
            else:
                await self._request_move(head, view, person)

    async def _request_move(self, head: Head, view: PlayerView, person: PageUser) -> None:
        if view.reward is not None or (view.options and not view.moves):
            await person.use_command(self.channel, "tiles", "choose", option=self.rng.choice(view.options))
        elif view.moves and not (view.can_draw and view.rules.may_draw_freely and self.rng.random() < EXTRA_DRAW_RATE):
            placement = self.rng.choice(view.moves[:4]).placement
            if head.board_message_id and self.rng.random() < MENU_RATE:
                with suppress(PageError):
                    await self._move_in_hand(
                        head.match_id, str(head.board_message_id), person, encode_placement(placement)
                    )
                    return
            place = f"{placement.cell}.{placement.rotation}"
            await person.use_command(
                self.channel, "tiles", "play", tile=format_tile_notation(placement.tile), place=place
            )
        else:
            await person.use_command(self.channel, "tiles", "draw" if view.can_draw else "pass")

    def _take_premove(self, head: Head, mover: PageUser) -> bool:
        premoves = [one for one in self.premoves if (one.match_id, one.user) == (head.match_id, int(mover.id))]
        found = [one for one in premoves if not one.is_awaited]
        for one in found:
            one.is_awaited = True
        return bool(found)

    async def _plan_premove(self, match_id: int, board: str, person: PageUser) -> None:
        """Open My hand during the turn of another player and select one of its moves. Raises PageError."""
        hand = await self._open_hand(board, person)
        menu = _find_premove_menu(hand)
        moves = [] if menu is None else [one["value"] for one in menu["options"] if "." in one["value"]]
        if menu is None or not moves:
            return
        move = self.rng.choice(moves)
        request = self._record_premove(match_id, person, menu, move)
        selected = await person.select(hand, [move], custom_id=menu["custom_id"])
        request.is_awaited = (await person.fetch_outcome(selected, wait=RETRY_SECONDS))["state"] != "answered"

    def _record_premove(self, match_id: int, person: PageUser, menu: Json, move: str) -> PremoveRequest:
        custom_id = parse_custom_id(menu["custom_id"])
        request = PremoveRequest(match_id, int(person.id), custom_id.seq or 0, move)
        self.premoves.append(request)
        return request

    async def _move_in_hand(self, match_id: int, board: str, person: PageUser, move: str) -> None:
        hand = await self._open_hand(board, person)
        # While the previous move can be undone, the menu is for premoves.
        if (menu := _find_premove_menu(hand)) is not None:
            self._record_premove(match_id, person, menu, move)
        button = _find_move_button(hand, move)
        if button is not None and self.rng.random() < BUTTON_RATE:
            await person.click(hand, custom_id=button)
        else:
            await person.select(hand, [move])

    async def _open_hand(self, board: str, person: PageUser) -> Json:
        clicked = await person.click(await person.fetch_message(self.channel, board), label="My hand")
        outcome = await person.fetch_outcome(clicked, wait=RETRY_SECONDS)
        if outcome["state"] != "answered" or outcome["message_id"] is None:
            raise PageError("no answer")
        for _ in range(20):
            hand = await person.fetch_message(self.channel, outcome["message_id"])
            if not hand["flags"] & LOADING:
                return hand
            await asyncio.sleep(0.05)
        raise PageError("no hand")


def _find_move_button(hand: Json, move: str) -> str | None:
    """Return the custom id of the button that plays this move; None if the hand has none."""
    buttons = [
        one["custom_id"] for one in components.walk(hand["components"]) if "by:play:" in one.get("custom_id", "")
    ]
    endings = (move, f"{move}.points", f"{move}.tiles")
    return next((one for one in buttons if parse_custom_id(one).argument in endings), None)


def _find_premove_menu(hand: Json) -> Json | None:
    """Return the menu of premoves in the message of My hand; None if there is none."""
    found = [one for one in components.walk(hand["components"]) if "by:premove:" in one.get("custom_id", "")]
    return next((one for one in found if one["type"] in components.SELECTS), None)


@asynccontextmanager
async def seat_players(
    discord: LocalDiscord, store: Store, rng: Random, tables: Sequence[TableTerms], shards: int = 1
) -> AsyncIterator[list[PlayerGroup]]:
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
            kind = terms.group_class or PlayerGroup
            groups.append(kind(channel["id"], people, terms, store, Random(rng.random()), guild=int(server)))
        yield groups
