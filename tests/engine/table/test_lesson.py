"""The tiles of a guided game."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import count
from random import Random

from data.rulebook import load_rules
from engine.board.board import Placement
from engine.match.actions import Play
from engine.match.decide import decide, find_forced_action, start
from engine.match.events import Drew, Event, Placed, RoundEnded
from engine.match.player_view import Move, view_for
from engine.match.state import Match, apply_event, replay
from engine.players import greedy
from engine.table.seats import build_guided_deal

RULES = replace(load_rules("triominoes"), target=50)
SECRET = bytes(32)
LEARNER = 0
MOST_TURNS = 8


def played(choose: Callable[[tuple[Move, ...]], Move]) -> tuple[Match, list[Event], int]:
    began = start(RULES, seats=2, computers=[1], by_hand=False, secret=SECRET)[0]
    match = replay([began, build_guided_deal(RULES)])
    log: list[Event] = []
    turns = 0
    while match.ended is None:
        action = find_forced_action(match)
        if action is None:
            seen = view_for(match, match.turn)
            if match.turn == LEARNER:
                lies = choose(seen.moves).placement
                action, turns = Play(LEARNER, lies.tile, lies.cell, lies.rotation), turns + 1
            else:
                action = greedy.choose_gently(seen, Random(1))
                lies = Placement(action.tile, action.cell, action.rotation)
                chosen = next(move for move in seen.moves if move.placement == lies)
                assert chosen.points == min(move.points for move in seen.moves), "the best is left to who learns"
        for event in decide(match, action, SECRET):
            apply_event(match, event)
            log.append(event)
    return match, log, turns


def lines() -> Iterator[tuple[Match, list[Event], int]]:
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        way = waiting.pop()
        at = count()

        def choose(moves: tuple[Move, ...], way: tuple[int, ...] = way, at: Iterator[int] = at) -> Move:
            number = next(at)
            if number < len(way):
                return moves[way[number]]
            before = (*way, *[0] * (number - len(way)))
            waiting.extend((*before, other) for other in range(1, len(moves)))
            return moves[0]

        yield played(choose)


@cache
def all_ways() -> list[tuple[Match, list[Event], int]]:
    return list(lines())


def made(log: list[Event], what: Callable[[Placed], object]) -> bool:
    return any(isinstance(event, Placed) and event.seat == LEARNER and what(event) for event in log)


def test_learner_choosing_best_place_sees_all_rules_and_wins() -> None:
    match, log, turns = played(lambda moves: moves[0])

    assert made(log, lambda placed: placed.hexagons)
    assert made(log, lambda placed: placed.bridge)
    assert any(isinstance(event, Drew) and event.seat == LEARNER for event in log)
    assert [event.out for event in log if isinstance(event, RoundEnded)] == [LEARNER]
    assert match.ended.places == (1, 2)
    assert turns <= MOST_TURNS


def test_lesson_is_always_one_short_round() -> None:
    for match, log, turns in all_ways():
        assert sum(isinstance(event, RoundEnded) for event in log) == 1
        assert turns <= MOST_TURNS
        assert match.ended is not None


def test_every_lesson_has_draw_and_most_bring_bonus_and_win() -> None:
    ways = all_ways()

    assert len(ways) > 50, "there is something to choose"
    assert all(any(isinstance(event, Drew) for event in log) for _, log, _ in ways)
    won = sum(match.ended is not None and match.ended.places[LEARNER] == 1 for match, _, _ in ways)
    lucky = sum(made(log, lambda placed: placed.hexagons or placed.bridge) for _, log, _ in ways)
    assert won >= 0.8 * len(ways)
    assert lucky >= 0.8 * len(ways)


def test_same_moves_always_get_same_answers() -> None:
    first, again = played(lambda moves: moves[-1]), played(lambda moves: moves[-1])

    assert first[1] == again[1]
    left = [told for told in first[1] if isinstance(told, Placed) and told.seat != LEARNER]
    assert len(left) > 3


def test_every_tile_of_lesson_set_exists_once() -> None:
    dealt = build_guided_deal(RULES)

    assert sorted([*dealt.hands[0], *dealt.hands[1], *dealt.boneyard, *dealt.aside]) == sorted(RULES.tiles)
    assert dealt.opener == 1 - LEARNER, "whoever learns finds a tile to play at"
