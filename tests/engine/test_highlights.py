"""Highlights of finished matches."""

from collections.abc import Sequence

import pytest

from data.rulebook import load_rules
from engine.board.lattice import TRIANGLES
from engine.match.decide import start
from engine.match.event_log import EventLog, PublicEvent, build_event_log
from engine.match.events import Event, MatchEnded, Passed, Placed, RoundEnded, Undone
from engine.match.highlights import find_highlight, list_totals


def build_placed_event(seat: int, points: int) -> Placed:
    return Placed(seat, (1, 2, 3), TRIANGLES.first, 0, points, 0, False, 0, 0, points)


def build_log(*entries: tuple[Event, Sequence[int]], places: tuple[int, ...] | None = (1, 2)) -> EventLog:
    seats = len(entries[0][1])
    found = build_event_log(start(load_rules("triominoes"), seats=seats, computers=(), by_hand=False, secret=bytes(32)))
    found.events = [PublicEvent(event, 1, tuple(after), False) for event, after in entries]
    if places is not None:
        found.match.ended = MatchEnded(tuple(entries[-1][1]), places, "")
    return found


def build_scoring_events(*points: int) -> list[tuple[Event, Sequence[int]]]:
    totals, found = [0, 0], list[tuple[Event, Sequence[int]]]()
    for one in points:
        totals[one < 0] += abs(one)
        found.append((build_placed_event(int(one < 0), abs(one)), tuple(totals)))
    return found


BLOCKED = (RoundEnded(1, None, ((), ((5, 5, 5),)), (27, 0)), (55, 53))
GOING_OUT = (RoundEnded(1, 0, ((), ((5, 5, 5),)), (25, 0)), (33, 12))


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (build_scoring_events(9, -30, 57, -20, 4), (57, 9, 66, True, True)),
        (build_scoring_events(-10, 12, -5, 6, 20, 20), (6, 12, 18, True, True)),
        ([*build_scoring_events(-12, 8), GOING_OUT], (33, 0, 33, True, True)),
        ([*build_scoring_events(20, -12, 8), (GOING_OUT[0], (53, 12))], (33, 20, 53, False, False)),
        ([*build_scoring_events(20, -12, 8, -41), BLOCKED], (20, 0, 20, True, True)),
        (build_scoring_events(8, -5, 17, -6, 15), (17, 8, 25, False, False)),
        (build_scoring_events(9, -15, 9), (9, 9, 18, True, True)),
    ],
    ids=[
        "more than the lead at the end",
        "took the lead for good",
        "going out counts",
        "goes out, ahead anyway",
        "won by a block",
        "led always",
        "latest of equals",
    ],
)
def test_highlight_is_placement_that_decided_or_best(
    told: list[tuple[Event, Sequence[int]]], expected: tuple[int, int, int, bool, bool]
) -> None:
    found = find_highlight(build_log(*told))

    assert (found.points, found.before, found.after, found.takes_lead, found.is_decisive) == expected


def test_undone_placement_is_no_highlight() -> None:
    log = build_log(
        (build_placed_event(0, 9), (9, 0)),
        (build_placed_event(1, 50), (9, 50)),
        (Undone(1), (9, 0)),
        (build_placed_event(1, 3), (9, 3)),
    )
    assert list_totals(log) == [(0, 0), (9, 0), (9, 3)]
    assert find_highlight(log).placed.points == 9


@pytest.mark.parametrize("places", [None, (1, 2)])
def test_match_without_end_or_winner_tile_has_no_highlight(places: tuple[int, ...] | None) -> None:
    log = build_log((Passed(0, 3, -25), (-25, 0)), (build_placed_event(1, 4), (-25, 4)), places=places)
    assert find_highlight(log) is None


def test_highlight_is_none_when_tiles_score_nothing() -> None:
    blocked = RoundEnded(1, None, ((), ((5, 5, 5),)), (8, 0))
    log = build_log((build_placed_event(0, 0), (0, 0)), (build_placed_event(1, 0), (0, 0)), (blocked, (8, 0)))
    assert find_highlight(log) is None
