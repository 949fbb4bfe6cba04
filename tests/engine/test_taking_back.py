"""Taking a placement back (docs/reference/rules.md §10), on little tables and on whole matches of every game."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.rulebook import list_games, list_presets, load_rules
from engine.match.actions import Action, Choose, Draw, Pass, Play, Resign, Undo
from engine.match.decide import decide
from engine.match.errors import Violation
from engine.match.events import Chose, Dealt, Event, MatchEnded, Placed, Resigned, Undone
from engine.match.player_view import PlayerView, view_for
from engine.match.state import Match, apply_event, find_last_placement, replay
from engine.record import read, rerun, write
from tests.depth import scaled
from tests.engine.tables import Playout, act, match, play, refused_by, state, tile, tiles

READINGS = {f"{game} {preset}": load_rules(game, preset) for game in list_games() for preset in list_presets(game)}

every_reading = pytest.mark.parametrize("name", READINGS)
few = settings(max_examples=scaled(2))
chances = st.integers(0, 2**32).map(Random)

POSITION = "U0,0=135"
HANDS = ("3-5-5 0-0-1 0-0-2", "1-3-3 1-1-3 0-0-4")


def table(**facts: object) -> Match:
    return match(HANDS, position=POSITION, **{"boneyard": "2-2-2 4-4-4", "totals": (40, 60), **facts})  # type: ignore[arg-type]


def at_the_table(of: Match) -> dict[str, object]:
    plain = state(of)
    del plain["behind"]
    plain["seen"] = [replace(seen, can_undo=False) for seen in plain["seen"] if isinstance(seen, PlayerView)]  # type: ignore[attr-defined]
    return plain


def test_undo_returns_tile_to_hand_and_removes_score() -> None:
    there = table()
    before = state(there)

    (placed,) = act(there, play(0, "D0,0=355"))
    assert isinstance(placed, Placed)
    assert there.turn == 1
    assert act(there, Undo(0)) == [Undone(0)]

    assert state(there) == before
    assert there.seats[0].hand == list(tiles(HANDS[0])), "in the order in which it was held"
    assert there.turn == 0


def test_placement_can_be_undone_repeatedly() -> None:
    there = table()
    for _ in range(3):
        act(there, play(0, "D0,0=355"), Undo(0))
    act(there, play(0, "D0,0=355"))
    assert there.seats[0].total == 53


def test_undo_of_another_seats_move_is_refused() -> None:
    there = table()
    act(there, play(0, "D0,0=355"))
    assert refused_by(there, Undo(1)).why is Violation.NOTHING_TO_TAKE_BACK


def test_undo_after_next_seats_placement_requires_agreement() -> None:
    there = table()
    before = at_the_table(there)
    act(there, play(0, "D0,0=355"), play(1, "D-1,0=331"))

    broken = refused_by(there, Undo(0))

    assert broken.why is Violation.TOO_LATE_TO_TAKE_BACK
    assert broken.facts["tile"] == tile("3-5-5")
    assert act(there, Undo(0, agreed=True)) == [Undone(0, agreed=True)]
    assert at_the_table(there) == before


def test_undo_still_needs_agreement_after_next_seats_undo() -> None:
    there = table()
    act(there, play(0, "D0,0=355"))
    before = at_the_table(there)
    act(there, play(1, "D-1,0=331"), Undo(1))

    assert at_the_table(there) == before
    assert refused_by(there, Undo(0)).why is Violation.TOO_LATE_TO_TAKE_BACK
    assert not view_for(there, 0).can_undo
    act(there, Undo(0, agreed=True))


def test_undo_after_a_draw_is_refused() -> None:
    there = match(("3-5-5 0-0-1", "0-0-4 0-4-4"), position=POSITION, boneyard="2-2-2 4-4-4")
    act(there, play(0, "D0,0=355"), Draw(1))
    for agreed in (False, True):
        assert refused_by(there, Undo(0, agreed)).why is Violation.NOTHING_TO_TAKE_BACK


def test_undo_returns_placement_but_keeps_drawn_tile() -> None:
    there = match(("0-0-1 0-0-2", "0-0-4 0-4-4"), position=POSITION, boneyard="3-5-5 4-4-4")
    act(there, Draw(0))
    before = state(there)

    act(there, play(0, "D0,0=355"), Undo(0))

    assert state(there) == before
    assert there.drawn == 1
    assert refused_by(there, Undo(0)).why is Violation.NOTHING_TO_TAKE_BACK


def test_undo_before_next_seats_pass_requires_agreement() -> None:
    there = match(("3-5-5 0-0-1", "0-0-4 0-4-4", "1-1-3 0-0-2"), position=POSITION)
    before = at_the_table(there)
    act(there, play(0, "D0,0=355"), Pass(1))
    assert there.seats[1].total == -10

    assert refused_by(there, Undo(0)).why is Violation.TOO_LATE_TO_TAKE_BACK
    act(there, Undo(0, agreed=True))

    assert at_the_table(there) == before
    assert there.failed == []


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
    there = match(hands, position=POSITION, totals=totals)
    happened = act(there, play(0, "D0,0=355"), *after)
    assert isinstance(happened[-1], Resigned if after else MatchEnded if totals else Dealt)

    assert refused_by(there, back).why is (why or Violation.NOTHING_TO_TAKE_BACK)
    assert not there.can_undo(back.seat)


@pytest.mark.parametrize(("choices", "why"), [("5-5-5", Violation.NOTHING_TO_TAKE_BACK), ("5-5-5 4-4-5", None)])
def test_opening_can_be_undone_only_when_it_was_chosen(choices: str, why: Violation | None) -> None:
    there = match(("5-5-5 4-4-5 0-0-1", "1-3-3 0-0-4"), choices=choices)
    before = state(there)
    act(there, play(0, "U0,0=555"))
    if why is not None:
        assert refused_by(there, Undo(0)).why is why
        return
    act(there, Undo(0))
    assert state(there) == before


def test_undo_of_placement_also_removes_its_bonus() -> None:
    quads = load_rules("quad-ominos")
    there = match(("1244 0355 0000", "0001 0011 0111"), position="0,0=4455 1,0=4445 1,1=2244", rules=quads)
    before = state(there)

    happened = act(there, play(0, "0,1=1244", quads), Choose(0, "points"))
    assert [type(event) for event in happened] == [Placed, Chose]
    assert there.seats[0].total == 36
    act(there, Undo(0))

    assert state(there) == before


def test_further_tiles_of_turn_are_undone_one_by_one() -> None:
    quads = load_rules("quad-ominos")
    hands = ("4445 1244 2555 0355 0000", "2244 0001")
    there = match(hands, position="0,0=4455 1,0=4445", turn=1, rules=quads)
    there.seats[0].hand = list(tiles("1244 2555 0355 0000", quads))
    act(there, play(1, "1,1=2244", quads))
    before = at_the_table(there)
    act(there, play(0, "0,1=1244", quads), Choose(0, "tiles"))
    between = state(there)
    moves = there.list_legal_moves(0)
    act(there, Play(0, moves[0].tile, moves[0].cell, moves[0].rotation))
    assert there.bonus_tiles == 1

    act(there, Undo(0))
    assert state(there) == between
    act(there, Undo(0))
    assert at_the_table(there) == before


@every_reading
@few
@given(rng=chances)
def test_undo_of_placement_restores_state_in_every_game(name: str, rng: Random) -> None:
    reading = READINGS[name]
    played = Playout(rng, rng.randint(reading.min_seats, min(4, reading.max_seats)), rules=reading)
    tried = 0
    moments: list[tuple[int, dict[str, object]]] = []
    while not played.match.ended and tried < 12:
        action = played.action()
        if isinstance(action, Play):
            moments = [(action.seat, at_the_table(played.match))]
        happened = decide(played.match, action, played.secret)
        for event in happened:
            apply_event(played.match, event)
        played.log += happened
        if moments and played.match.can_undo(moments[0][0]) and rng.random() < 0.5:
            seat, before = moments.pop()
            tried += 1
            undone = played.match.copy()
            apply_event(undone, *decide(undone, Undo(seat), played.secret))
            assert at_the_table(undone) == before
    assert tried


def wavering(rng: Random, name: str, most: int = 250) -> list[Event]:
    reading = READINGS[name]
    played = Playout(rng, rng.randint(reading.min_seats, min(4, reading.max_seats)), rules=reading)
    for _ in range(most):
        there = played.match
        if there.ended:
            break
        alone = [seat for seat in there.active if there.can_undo(seat)]
        agreed = [seat for seat in there.active if find_last_placement(there.undo_stack, seat)]
        if alone and rng.random() < 0.25:
            happened = decide(there, Undo(rng.choice(alone)), played.secret)
        elif agreed and rng.random() < 0.1:
            happened = decide(there, Undo(rng.choice(agreed), agreed=True), played.secret)
        else:
            happened = decide(there, played.action(), played.secret)
        for event in happened:
            apply_event(there, event)
        played.log += happened
    assert state(replay(played.log)) == state(played.match)
    return played.log


@every_reading
@few
@given(rng=chances)
def test_match_with_undos_replays_and_its_record_has_no_faults(name: str, rng: Random) -> None:
    log = wavering(rng, name)

    text = write(log, load_rules(name.split()[0]))
    record = read(text, load_rules)
    checked = rerun(record)

    assert record.events == log
    assert checked.faults == []
    assert checked.log == log
    assert state(checked.match) == state(replay(log))


def test_test_matches_contain_undo_with_and_without_agreement() -> None:
    log = wavering(Random(1), "triominoes default")
    assert {event.agreed for event in log if isinstance(event, Undone)} == {False, True}


def test_record_with_forbidden_undo_has_a_fault() -> None:
    log = wavering(Random(1), "triominoes default")
    needed = next(
        at for at, event in enumerate(log) if isinstance(event, Undone) and not replay(log[:at]).can_undo(event.seat)
    )
    said = write(log[: needed + 1], load_rules("triominoes")).splitlines()
    alone = said[-1].removesuffix(" by agreement")
    assert alone != said[-1]

    checked = rerun(read("\n".join([*said[:-1], alone]), load_rules))

    assert [(fault.actual, fault.rule_broken and fault.rule_broken.why) for fault in checked.faults] == [
        (alone, Violation.TOO_LATE_TO_TAKE_BACK)
    ]
