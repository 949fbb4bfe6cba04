"""Matches for a store: real ones played by the engine, and small tables."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from data.store.log.match_values import Change, Head, NewMatch
from data.store.results.scores import History, MatchResult, PlayerResult, Rating, RatingStep
from data.store.store import Store
from engine.match.events import Event
from engine.table.table_events import Opened, Rearmed
from engine.table.table_state import SeatRow
from engine.table.terms import Terms
from tests.engine.tables import Playout

SECRET = bytes(range(32))
ADA, GRACE, LINUS = 1001, 1002, 1003
GUILD, CHANNEL = 900_000_000_000_000_001, 800_000_000_000_000_001
NOW = 1_760_000_000_000
TERMS = Terms(game="triominoes", seats=4, target=400, by_hand=False)
ANY_EVENT = Rearmed()
"""An event for tests in which the kind does not matter."""

INSERT_RESULT = (
    "INSERT INTO results (match_id, user_id, guild_id, game, place, seats, people, score, best_move, hexagons, bridges,"
    " rated, won, finished, counts, counts_everywhere, opponents, opponents_everywhere, ended_at)"
    " VALUES (:at, :user, :guild, 'triominoes', 1, 2, 2, 0, 0, 0, 0, :rated, :rated, :rated, :rated, :rated, 1, 1, :at)"
)
"""Inserts the head of a finished match."""


def build_seat(seat: int, user_id: int) -> SeatRow:
    return SeatRow(seat=seat, user_id=user_id, joined_at=NOW)


def build_head(**changes: Any) -> Head:
    """Return the head of a new table without a message."""
    defaults: dict[str, Any] = {
        "match_id": 1,
        "game": "triominoes",
        "guild_id": GUILD,
        "channel_id": CHANNEL,
        "host_id": ADA,
        "state": "lobby",
        "seq": 1,
        "shown_seq": 0,
        "board_message_id": None,
        "turn_message_id": None,
        "turn": None,
        "due": None,
        "secret": SECRET,
        "created_at": NOW,
        "updated_at": NOW,
    }
    return Head(**(defaults | changes))


def build_new_match(**changes: Any) -> NewMatch:
    defaults: dict[str, Any] = {
        "game": "triominoes",
        "guild_id": GUILD,
        "channel_id": CHANNEL,
        "host_id": ADA,
        "secret": SECRET,
        "seats": [build_seat(0, ADA)],
    }
    values = defaults | changes
    opened = Opened(replace(TERMS, game=values["game"]), values["host_id"], tuple(values["seats"]))
    return NewMatch(**({"events": [opened]} | values))


def build_change(head: Head, **changes: Any) -> Change:
    """Return a change with one event for the log of a match, and the given fields."""
    defaults: dict[str, Any] = {"match_id": head.match_id, "expected_seq": head.seq, "events": [ANY_EVENT]}
    return Change(**(defaults | changes))


def play_match(seed: int, seats: int, *, resign_chance: float = 0.0) -> list[Event]:
    """Return all events of a match of greedy players."""
    playout = Playout(Random(seed), seats, frozenset(range(seats)), resign_chance)
    playout.play()
    return playout.log


def rate_by_steps(
    before: Mapping[int, Rating], players: Sequence[PlayerResult], history: History | None = None
) -> dict[int, RatingStep]:
    """A simple rating model: a rating starts at 25, and gains or loses 1 for each player who is behind or ahead."""
    after = {}
    places = {player.user_id: player.place for player in players}
    for user, place in places.items():
        step = sum(place < other for other in places.values()) - sum(place > other for other in places.values())
        old = before.get(user, Rating(25.0, 8.0))
        after[user] = RatingStep(Rating(old.mu + step, max(1.0, old.sigma - 0.5)), 1.0)
    return after


def build_result(
    *scores: tuple[int, int], seats: int | None = None, rate: Any = rate_by_steps, rated: bool = True
) -> MatchResult:
    """Return a result from (user, score) pairs, ranked by score. Further seats are computers in the last places."""
    players = [
        PlayerResult(user_id=user, place=1 + sum(other > score for _, other in scores), score=score)
        for user, score in scores
    ]
    return MatchResult(seats=seats or max(2, len(scores)), players=players, rate=rate, rated=rated)


async def add_match(store: Store, *, now: int = NOW, request: int | None = None, **changes: Any) -> Head:
    return await store.matches.create(build_new_match(**changes), now=now, request=request)


async def commit_change(store: Store, head: Head, *, now: int = NOW, **changes: Any) -> Head:
    return await store.matches.commit(build_change(head, **changes), now=now)


async def add_finished_match(
    store: Store, result: MatchResult, *, guild_id: int = GUILD, game: str = "triominoes", now: int
) -> int:
    """Add a match that opens and ends at once; return its id."""
    users: Sequence[int] = [player.user_id for player in result.players]
    seats = [build_seat(seat, user) for seat, user in enumerate(users)]
    head = await add_match(store, guild_id=guild_id, game=game, seats=seats, channel_id=now, now=now)
    await commit_change(store, head, state="done", result=result, now=now)
    return head.match_id
