"""Collect all public texts of a match, to search them for hidden tiles."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from discord import ui

from bot.core.names import SeatNames
from bot.tables import board_text, end_views
from bot.tables import board_views as table
from bot.tables.acts import TableActions
from bot.tables.lobbies import TableRequest
from bot.tables.service import Table, TableCache
from data.rulebook import load_rules
from data.store.store import Store
from data.words import load_words
from engine.board.tiles import BOSS, Tile, format_tile_notation, to_canonical
from engine.match.actions import Action, Choose, Draw, Pass, Play
from engine.match.decide import list_options
from engine.match.event_log import EventLog
from engine.match.player_view import view_for
from engine.match.state import Match
from engine.table.commands import Join, TakeAction, ViewHand
from render.canvas.picture import Captions
from tests.bot.simulated_guild import derive_secret

OPEN_PLACES = re.compile(r"[Oo]pen spots[\s\S]*")
"""The list of open places, always last. Its numbers are public although they can look like a tile."""

TILE_TEXT = re.compile(r"(?<![\d.,-])(\d(?:-\d){2,3})(?![\d-])")
"""A tile in a text: `3-3-4`, `0-2-2-5`."""

TILE_ID = re.compile(r"(?<![0-9A-Za-z])(\d{3,4})\.[UDS]?-?\d+,-?\d+\.\d")
"""A tile in the id of a button: `334.U0,1.2`."""


def find_tiles(text: str) -> set[Tile]:
    """Return every tile that a text names, in any notation."""
    found = {tuple(map(int, face.split("-"))) for face in TILE_TEXT.findall(OPEN_PLACES.sub("", text))}
    found |= {tuple(map(int, token)) for token in TILE_ID.findall(text)}
    return {to_canonical(labels) for labels in found} | (
        {BOSS} if re.search(r"\bboss\b", text, re.IGNORECASE) else set()
    )


def list_hidden_tiles(match: Match) -> set[Tile]:
    hand_tiles = {tile for seat in match.seats if not match.round_over for tile in seat.hand}
    return hand_tiles | set(match.boneyard) | set(match.aside)


def exchange_hidden_tiles(match: Match, viewer: int, rng: Random) -> Match:
    """Shuffle the tiles that a seat does not see among the other hands, the boneyard and the tiles aside."""
    changed = match.copy()
    others = [seat for number, seat in enumerate(changed.seats) if number != viewer and not seat.resigned]
    hidden = [*changed.boneyard, *changed.aside, *(tile for seat in others for tile in seat.hand)]
    rng.shuffle(hidden)
    for seat in others:
        seat.hand, hidden = hidden[: len(seat.hand)], hidden[len(seat.hand) :]
    changed.boneyard, rest = hidden[: len(changed.boneyard)], hidden[len(changed.boneyard) :]
    changed.aside = tuple(rest)
    return changed


def list_boneyard_texts(match: Match) -> list[str]:
    """Return the first three tiles of the boneyard from both ends, joined in several ways."""
    faces = [format_tile_notation(tile) for tile in match.boneyard]
    return (
        [joint.join(order[:3]) for joint in (" ", ", ", ",") for order in (faces, faces[::-1])]
        if len(faces) > 2
        else []
    )


@dataclass(frozen=True)
class PublicTexts:
    texts: tuple[str, ...]
    ids: tuple[str, ...]
    files: tuple[str, ...]


def collect_public_texts(event_log: EventLog, game_table: Table, names: SeatNames) -> PublicTexts:
    words, player_view = load_words(), view_for(event_log.match, None)
    alt = table.format_full_board_alt(player_view, event_log, names, words)
    view = table.build_board_view(game_table, player_view, names, words, alt)
    call = table.build_turn_view(game_table.head.match_id, words)
    captions: Captions = table.build_captions(player_view, event_log, names, words)
    texts = [
        *(getattr(captions, name) for name in ("title", "subtitle", "turn", "note")),
        *_list_texts(view),
        table.format_turn_call(player_view, "<@1>", words),
        board_text.format_text_board(
            words, player_view, names.escaped, table.format_recent_turns(event_log, names, words)
        ),
        alt,
    ]
    if event_log.match.round_over is not None:
        texts.append(end_views.format_alt_with_hands(player_view, event_log, names, words))
    ids = [*_list_ids(view), *_list_ids(call)]
    return PublicTexts(tuple(texts), tuple(ids), (table.BOARD_FILE,))


def _list_texts(view: ui.LayoutView) -> list[str]:
    found = []
    for item in view.walk_children():
        found.append(str(getattr(item, "content", "")))
        found += [str(one.description) for one in getattr(item, "items", ())]
        found.append(str(getattr(item, "label", "")))
    return found


def _list_ids(view: ui.LayoutView | ui.View) -> list[str]:
    return [item.custom_id for item in view.walk_children() if hasattr(item, "custom_id")]


def choose_random_action(match: Match, rng: Random) -> Action:
    """Return a random legal action of the current seat."""
    view = view_for(match, match.turn)
    options = list_options(match)
    if view.reward is not None or (options and (not view.moves or rng.random() < 0.3)):
        return Choose(match.turn, rng.choice(options))
    if view.moves:
        placement = rng.choice(view.moves).placement
        return Play(match.turn, placement.tile, placement.cell, placement.rotation)
    return Draw(match.turn) if match.can_draw() else Pass(match.turn)


NOW = 2_000_000


@dataclass
class RandomMatch:
    """A random match of a game through the real services, on a real store."""

    store: Store
    tables: TableCache
    acts: TableActions
    deal: bytes
    table: Table

    @classmethod
    async def begin(
        cls,
        store: Store,
        game: str,
        preset: str,
        number: int,
        *,
        channel_id: int = 0,
        clock: Callable[[], int] = lambda: NOW,
    ) -> RandomMatch:
        """Open a table with two or three players in channel `at`, by default in channel `number`."""
        tables, deal, channel_id = TableCache(store), derive_secret(number), channel_id or number
        acts = TableActions(store, tables, clock, lambda: deal, presses=False)
        rules = load_rules(game, preset)
        seats = max(rules.min_seats, min(rules.max_seats, 2 + number % 2))
        request = TableRequest(
            guild_id=1,
            channel_id=channel_id,
            host_id=100,
            game=game,
            preset=preset,
            seats=seats,
            by_hand=bool(number % 3),
        )
        opened = await acts.open(request, request=channel_id * 100)
        for seat in range(1, seats):
            acted = await acts.act(opened.head.match_id, Join(100 + seat), request=channel_id * 100 + seat)
            opened = acted.table
        return cls(store, tables, acts, deal, opened)

    async def act(self, request: int, action: Action) -> None:
        """Settle the previous move, or else let the current seat act."""
        user = 100 + self.table.match.turn
        if self.table.state.tentative_turn is not None:
            self.table = (await self.acts.act(self.table.head.match_id, ViewHand(user))).table
            return
        acted = await self.acts.act(self.table.head.match_id, TakeAction(user, lambda _: action), request=request)
        self.table = acted.table
