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
MAX_TURNS = 8


def play_lesson(choose: Callable[[tuple[Move, ...]], Move]) -> tuple[Match, list[Event], int]:
    started = start(RULES, seats=2, computers=[1], by_hand=False, secret=SECRET)[0]
    match = replay([started, build_guided_deal(RULES)])
    log: list[Event] = []
    turns = 0
    while match.ended is None:
        action = find_forced_action(match)
        if action is None:
            view = view_for(match, match.turn)
            if match.turn == LEARNER:
                placement = choose(view.moves).placement
                action, turns = Play(LEARNER, placement.tile, placement.cell, placement.rotation), turns + 1
            else:
                action = greedy.choose_gently(view, Random(1))
                placement = Placement(action.tile, action.cell, action.rotation)
                chosen = next(move for move in view.moves if move.placement == placement)
                assert chosen.points == min(move.points for move in view.moves), "the best is left to who learns"
        for event in decide(match, action, SECRET):
            apply_event(match, event)
            log.append(event)
    return match, log, turns


@cache
def list_all_lessons() -> list[tuple[Match, list[Event], int]]:
    lessons, pending = [], [()]
    while pending:
        way = pending.pop()
        at = count()

        def choose(moves: tuple[Move, ...], choices: tuple[int, ...] = way, counter: Iterator[int] = at) -> Move:
            number = next(counter)
            if number < len(choices):
                return moves[choices[number]]
            before = (*choices, *[0] * (number - len(choices)))
            pending.extend((*before, other) for other in range(1, len(moves)))
            return moves[0]

        lessons.append(play_lesson(choose))
    return lessons


def has_learner_placed(log: list[Event], predicate: Callable[[Placed], object]) -> bool:
    return any(isinstance(event, Placed) and event.seat == LEARNER and predicate(event) for event in log)


def test_learner_choosing_best_place_sees_all_rules_and_wins() -> None:
    match, log, turns = play_lesson(lambda moves: moves[0])

    assert has_learner_placed(log, lambda placed: placed.hexagons)
    assert has_learner_placed(log, lambda placed: placed.bridge)
    assert any(isinstance(event, Drew) and event.seat == LEARNER for event in log)
    assert [event.out for event in log if isinstance(event, RoundEnded)] == [LEARNER]
    assert match.ended.places == (1, 2)
    assert turns <= MAX_TURNS


def test_lesson_is_always_one_short_round() -> None:
    for match, log, turns in list_all_lessons():
        assert sum(isinstance(event, RoundEnded) for event in log) == 1
        assert turns <= MAX_TURNS
        assert match.ended is not None


def test_every_lesson_has_draw_and_most_bring_bonus_and_win() -> None:
    lessons = list_all_lessons()

    assert len(lessons) > 50, "there is something to choose"
    assert all(any(isinstance(event, Drew) for event in log) for _, log, _ in lessons)
    win_count = sum(match.ended is not None and match.ended.places[LEARNER] == 1 for match, _, _ in lessons)
    with_bonus = sum(has_learner_placed(log, lambda placed: placed.hexagons or placed.bridge) for _, log, _ in lessons)
    assert win_count >= 0.8 * len(lessons)
    assert with_bonus >= 0.8 * len(lessons)


def test_same_moves_always_get_same_answers() -> None:
    first, second = play_lesson(lambda moves: moves[-1]), play_lesson(lambda moves: moves[-1])

    assert first[1] == second[1]
    opponent_plays = [event for event in first[1] if isinstance(event, Placed) and event.seat != LEARNER]
    assert len(opponent_plays) > 3


def test_every_tile_of_lesson_set_exists_once() -> None:
    dealt = build_guided_deal(RULES)

    assert sorted([*dealt.hands[0], *dealt.hands[1], *dealt.boneyard, *dealt.aside]) == sorted(RULES.tiles)
    assert dealt.opener == 1 - LEARNER, "whoever learns finds a tile to play at"
