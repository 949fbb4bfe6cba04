"""Undo of a placement (docs/reference/rules.md §10), on small tables and in whole matches of every game."""

from dataclasses import replace
from random import Random

import pytest

from data.rulebook import list_games, list_presets, load_rules
from engine.match.actions import Action, Choose, Draw, Pass, Play, Resign, Undo
from engine.match.decide import decide
from engine.match.errors import Violation
from engine.match.events import Chose, Dealt, Event, MatchEnded, Placed, Resigned, Undone
from engine.match.player_view import PlayerView, view_for
from engine.match.rules import Rules
from engine.match.state import Match, apply_event, find_last_placement, replay
from engine.record import read, rerun, write
from tests.engine.readings import given_rules, rngs
from tests.engine.tables import (
    RULES,
    Playout,
    act,
    build_match,
    build_play,
    build_tile,
    build_tiles,
    capture_state,
    expect_refusal,
)

READINGS = {f"{game} {preset}": load_rules(game, preset) for game in list_games() for preset in list_presets(game)}

POSITION = "U0,0=135"
HANDS = ("3-5-5 0-0-1 0-0-2", "1-3-3 1-1-3 0-0-4")


def build_table(**facts: object) -> Match:
    return build_match(HANDS, position=POSITION, **{"boneyard": "2-2-2 4-4-4", "totals": (40, 60), **facts})  # type: ignore[arg-type]


def capture_table(game: Match) -> dict[str, object]:
    values = capture_state(game)
    del values["undo_stack"]
    values["seen"] = [replace(view, can_undo=False) for view in values["seen"] if isinstance(view, PlayerView)]  # type: ignore[attr-defined]
    return values


def test_undo_returns_tile_to_hand_and_removes_score() -> None:
    game = build_table()
    before = capture_state(game)

    act(game, build_play(0, "D0,0=355"))
    assert game.turn == 1
    assert act(game, Undo(0)) == [Undone(0)]

    assert capture_state(game) == before
    assert game.seats[0].hand == list(build_tiles(HANDS[0])), "in the order in which it was held"


def test_undo_of_another_seats_move_is_refused() -> None:
    game = build_table()
    act(game, build_play(0, "D0,0=355"))
    assert expect_refusal(game, Undo(1)).why is Violation.NOTHING_TO_TAKE_BACK


def test_undo_after_next_seats_placement_requires_agreement() -> None:
    game = build_table()
    before = capture_table(game)
    act(game, build_play(0, "D0,0=355"), build_play(1, "D-1,0=331"))

    error = expect_refusal(game, Undo(0))

    assert error.why is Violation.TOO_LATE_TO_TAKE_BACK
    assert error.facts["tile"] == build_tile("3-5-5")
    assert act(game, Undo(0, agreed=True)) == [Undone(0, agreed=True)]
    assert capture_table(game) == before


def test_undo_still_needs_agreement_after_next_seats_undo() -> None:
    game = build_table()
    act(game, build_play(0, "D0,0=355"))
    before = capture_table(game)
    act(game, build_play(1, "D-1,0=331"), Undo(1))

    assert capture_table(game) == before
    assert expect_refusal(game, Undo(0)).why is Violation.TOO_LATE_TO_TAKE_BACK
    assert not view_for(game, 0).can_undo
    act(game, Undo(0, agreed=True))


def test_undo_after_a_draw_is_refused() -> None:
    game = build_match(("3-5-5 0-0-1", "0-0-4 0-4-4"), position=POSITION, boneyard="2-2-2 4-4-4")
    act(game, build_play(0, "D0,0=355"), Draw(1))
    for agreed in (False, True):
        assert expect_refusal(game, Undo(0, agreed)).why is Violation.NOTHING_TO_TAKE_BACK


def test_undo_returns_placement_but_keeps_drawn_tile() -> None:
    game = build_match(("0-0-1 0-0-2", "0-0-4 0-4-4"), position=POSITION, boneyard="3-5-5 4-4-4")
    act(game, Draw(0))
    before = capture_state(game)

    act(game, build_play(0, "D0,0=355"), Undo(0))

    assert capture_state(game) == before
    assert game.drawn == 1
    assert expect_refusal(game, Undo(0)).why is Violation.NOTHING_TO_TAKE_BACK


def test_undo_before_next_seats_pass_requires_agreement() -> None:
    game = build_match(("3-5-5 0-0-1", "0-0-4 0-4-4", "1-1-3 0-0-2"), position=POSITION)
    before = capture_table(game)
    act(game, build_play(0, "D0,0=355"), Pass(1))
    assert game.seats[1].total == -10

    assert expect_refusal(game, Undo(0)).why is Violation.TOO_LATE_TO_TAKE_BACK
    act(game, Undo(0, agreed=True))

    assert capture_table(game) == before
    assert game.failed == []


@pytest.mark.parametrize(
    ("hands", "totals", "after", "back", "why"),
    [
        (("3-5-5 0-0-1", "1-3-3 0-0-4", "1-1-3 0-0-2"), None, [Resign(2)], Undo(0, agreed=True), None),
        (("3-5-5 0-0-1", "1-3-3 0-0-4", "1-1-3 0-0-2"), None, [Resign(2)], Undo(2), Violation.RESIGNED),
        (("3-5-5", "1-3-3 0-0-4"), None, [], Undo(0, agreed=True), None),
        (("3-5-5", "1-3-3 0-0-4"), (399, 0), [], Undo(0), Violation.MATCH_OVER),
    ],
    ids=["somebody resigned", "resigned oneself", "round ended", "match ended"],
)
def test_undo_after_resignation_or_round_end_is_refused(
    hands: tuple[str, ...], totals: tuple[int, int] | None, after: list[Action], back: Undo, why: Violation | None
) -> None:
    game = build_match(hands, position=POSITION, totals=totals)
    events = act(game, build_play(0, "D0,0=355"), *after)
    assert isinstance(events[-1], Resigned if after else MatchEnded if totals else Dealt)

    assert expect_refusal(game, back).why is (why or Violation.NOTHING_TO_TAKE_BACK)
    assert not game.can_undo(back.seat)


@pytest.mark.parametrize(("choices", "why"), [("5-5-5", Violation.NOTHING_TO_TAKE_BACK), ("5-5-5 4-4-5", None)])
def test_opening_can_be_undone_only_when_it_was_chosen(choices: str, why: Violation | None) -> None:
    game = build_match(("5-5-5 4-4-5 0-0-1", "1-3-3 0-0-4"), choices=choices)
    before = capture_state(game)
    act(game, build_play(0, "U0,0=555"))
    if why is not None:
        assert expect_refusal(game, Undo(0)).why is why
        return
    act(game, Undo(0))
    assert capture_state(game) == before


def test_undo_of_placement_also_removes_its_bonus() -> None:
    quads = load_rules("quad-ominos")
    game = build_match(("1244 0355 0000", "0001 0011 0111"), position="0,0=4455 1,0=4445 1,1=2244", rules=quads)
    before = capture_state(game)

    events = act(game, build_play(0, "0,1=1244", quads), Choose(0, "points"))
    assert [type(event) for event in events] == [Placed, Chose]
    assert game.seats[0].total == 36
    act(game, Undo(0))

    assert capture_state(game) == before


def test_further_tiles_of_turn_are_undone_one_by_one() -> None:
    quads = load_rules("quad-ominos")
    hands = ("4445 1244 2555 0355 0000", "2244 0001")
    game = build_match(hands, position="0,0=4455 1,0=4445", turn=1, rules=quads)
    game.seats[0].hand = list(build_tiles("1244 2555 0355 0000", quads))
    act(game, build_play(1, "1,1=2244", quads))
    before = capture_table(game)
    act(game, build_play(0, "0,1=1244", quads), Choose(0, "tiles"))
    state_between = capture_state(game)
    moves = game.list_legal_moves(0)
    act(game, Play(0, moves[0].tile, moves[0].cell, moves[0].rotation))
    assert game.bonus_tiles == 1

    act(game, Undo(0))
    assert capture_state(game) == state_between
    act(game, Undo(0))
    assert capture_table(game) == before


@given_rules(READINGS, 2, rng=rngs)
def test_undo_of_placement_restores_state_in_every_game(rules: Rules, rng: Random) -> None:
    playout = Playout(rng, rng.randint(rules.min_seats, min(4, rules.max_seats)), rules=rules)
    undo_count = 0
    moments: list[tuple[int, dict[str, object]]] = []
    while not playout.match.ended and undo_count < 12:
        action = playout.choose_action()
        if isinstance(action, Play):
            moments = [(action.seat, capture_table(playout.match))]
        events = decide(playout.match, action, playout.secret)
        for event in events:
            apply_event(playout.match, event)
        playout.log += events
        if moments and playout.match.can_undo(moments[0][0]) and rng.random() < 0.5:
            seat, before = moments.pop()
            undo_count += 1
            undone = playout.match.copy()
            apply_event(undone, *decide(undone, Undo(seat), playout.secret))
            assert capture_table(undone) == before
    assert undo_count


def play_with_undos(rng: Random, rules: Rules = RULES) -> list[Event]:
    playout = Playout(rng, rng.randint(rules.min_seats, min(4, rules.max_seats)), rules=rules)
    for _ in range(250):
        game = playout.match
        if game.ended:
            break
        free_seats = [seat for seat in game.active if game.can_undo(seat)]
        agreeing_seats = [seat for seat in game.active if find_last_placement(game.undo_stack, seat)]
        if free_seats and rng.random() < 0.25:
            events = decide(game, Undo(rng.choice(free_seats)), playout.secret)
        elif agreeing_seats and rng.random() < 0.1:
            events = decide(game, Undo(rng.choice(agreeing_seats), agreed=True), playout.secret)
        else:
            events = decide(game, playout.choose_action(), playout.secret)
        for event in events:
            apply_event(game, event)
        playout.log += events
    assert capture_state(replay(playout.log)) == capture_state(playout.match)
    return playout.log


@given_rules(READINGS, 2, rng=rngs)
def test_match_with_undos_replays_and_its_record_has_no_faults(rules: Rules, rng: Random) -> None:
    log = play_with_undos(rng, rules)

    record = read(write(log, load_rules(rules.game)), load_rules)
    checked = rerun(record)

    assert record.events == log
    assert (checked.faults, checked.log) == ([], log)
    assert capture_state(checked.match) == capture_state(replay(log))


def test_test_matches_contain_undo_with_and_without_agreement() -> None:
    log = play_with_undos(Random(1))
    assert {event.agreed for event in log if isinstance(event, Undone)} == {False, True}


def test_record_with_forbidden_undo_has_a_fault() -> None:
    log = play_with_undos(Random(1))
    undo_at = next(
        at for at, event in enumerate(log) if isinstance(event, Undone) and not replay(log[:at]).can_undo(event.seat)
    )
    lines = write(log[: undo_at + 1], load_rules("triominoes")).splitlines()
    forbidden_line = lines[-1].removesuffix(" by agreement")
    assert forbidden_line != lines[-1]

    checked = rerun(read("\n".join([*lines[:-1], forbidden_line]), load_rules))

    assert [(fault.actual, fault.rule_broken and fault.rule_broken.why) for fault in checked.faults] == [
        (forbidden_line, Violation.TOO_LATE_TO_TAKE_BACK)
    ]
