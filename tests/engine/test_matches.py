"""Whole matches of every preset of every game and of rarer options."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from data.rulebook import list_games, list_presets, load_rules
from engine.match.actions import Choose, Draw, Pass, Play, Resign
from engine.match.decide import decide
from engine.match.errors import RuleError, Violation
from engine.match.events import Chose, Drew, Event, MatchEnded, Passed, Placed, RoundEnded
from engine.match.rules import Rules
from engine.match.state import apply_event, replay
from tests.depth import sample_cases, scale_count
from tests.engine.random_play import count_tiles
from tests.engine.readings import RARE_OPTIONS, build_rules
from tests.engine.tables import Playout, capture_state, list_totals

BATCH = 40
EVERY_PRESET = [(game, preset, "") for game in list_games() for preset in list_presets(game)]
RARE = [
    *(("triominoes", options) for options in RARE_OPTIONS.values()),
    ("quad-ominos", "quad_arrangement=free deal=half target_check=round_end well_exhausted_penalty=none"),
    ("quad-ominos", "quad_arrangement=counter_clockwise partial_bonus=on zero_opening=off blocked_award=differences"),
    ("points", "boss=in boss_after=wild remainder=boneyard side_contact=last_only"),
    ("muggins", "boss=in boss_after=wild remainder=boneyard layout=open"),
    ("star", "star_corner_order=mirror extra_turn=forced boss_after=wild remainder=boneyard"),
    ("star", "layout=open side_contact=last_only boss_value=none star_sum=all_touching target=60"),
    ("trioker", "trioker_joker=on trioker_values=6 trioker_bonuses=on bonus_stacking=sum target=40"),
    ("trioker", "trioker_joker=on trioker_board=hexagon hexagon_scale=stepped trioker_bonuses=on"),
]
RULE_SETS = EVERY_PRESET + [(game, "default", options) for game, options in RARE]
CASES = [
    pytest.param(*table, batch, id=f"{'-'.join(table)}-{batch}", marks=[pytest.mark.deep] if is_deep else [])
    for table in sample_cases(RULE_SETS)
    for batch, is_deep in enumerate([table[1] != "default", *[True] * scale_count(2)])
]
SHORT = {"triominoes": 80, "quad-ominos": 100, "star": 30, "points": 25, "muggins": 25, "trioker": 15}


def build_playout(rng: Random, rules: Rules) -> Playout:
    seats = rng.randint(rules.min_seats, rules.max_seats)
    greedy = frozenset({rng.randrange(seats)}) if rng.random() < 0.05 else frozenset()
    resigning = 0.02 if rng.random() < 0.4 else 0.0
    return Playout(rng, seats, greedy_seats=greedy, resign_chance=resigning, draw_chance=0.05, rules=rules)


def shorten_target(rules: Rules, number: int) -> Rules:
    short_target = SHORT.get(rules.game, rules.target)
    return replace(rules, target=min(short_target, rules.target)) if number % 10 else rules


@pytest.mark.parametrize(("game", "preset", "options", "batch"), CASES)
def test_random_match_is_replayed_from_its_log_to_same_state(game: str, preset: str, options: str, batch: int):
    coverage: set[object] = set()
    full_rules = build_rules(game, options, preset)
    for number in range(BATCH):
        rng, rules = Random(batch * BATCH + number), shorten_target(full_rules, number)
        playout = build_playout(rng, rules)
        # Every third position is compared, and each final one.
        snapshot_step, snapshot = rng.randrange(20, 200) if number % 3 == 0 else None, None
        ledger, all_tiles = list_totals(playout.match), count_tiles(playout.match)
        for count, (action, events) in enumerate(playout.iterate_steps()):
            update_ledger(ledger, events)
            if count == snapshot_step:
                snapshot = len(playout.log), capture_state(playout.match)
            if count % 20 == 0 or playout.match.ended:
                assert count_tiles(playout.match) == all_tiles
                assert list_totals(playout.match) == ledger
            if count % 50 == 0 and not playout.match.ended:
                with pytest.raises(RuleError) as excinfo:
                    decide(playout.match, Draw(playout.match.find_next_active(playout.match.turn)), playout.secret)
                assert excinfo.value.why is Violation.NOT_YOUR_TURN
            coverage |= {type(action), *map(type, events)}

        assert all_tiles == Counter(rules.tiles)
        assert isinstance(playout.log[-1], MatchEnded)
        assert list(playout.log[-1].totals) == ledger
        assert capture_state(replay(playout.log)) == capture_state(playout.match)
        if snapshot:
            assert capture_state(replay(playout.log[: snapshot[0]])) == snapshot[1]
    assert coverage >= list_expected_types(full_rules, f"{preset} {options}")


def update_ledger(ledger: list[int], events: Sequence[Event]) -> None:
    for event in events:
        match event:
            case Placed() | Passed() | Chose():
                ledger[event.seat] += event.points
            case RoundEnded(awards=awards):
                ledger[:] = [total + award for total, award in zip(ledger, awards, strict=True)]


def list_expected_types(rules: Rules, options: str) -> set[object]:
    found: set[object] = {Play, Resign, Placed, MatchEnded}
    if rules.family in ("triominoes", "quads"):
        found |= {Draw, Drew}
    if rules.family in ("quads", "star"):
        found |= {Choose, Chose}
    # The well of Quad-Ominos is large, and in an open layout nearly every tile fits.
    if rules.family != "quads" and "open" not in options:
        found |= {Pass, Passed}
    return found


@pytest.mark.parametrize("game", list_games())
@pytest.mark.parametrize("seed", range(3))
def test_applying_event_to_copy_leaves_original_unchanged(game: str, seed: int):
    playout = build_playout(Random(seed), shorten_target(load_rules(game), 1))
    playout.play()
    match = replay(playout.log[:1])
    for event in playout.log[1:]:
        before = capture_state(match)
        apply_event(match.copy(), event)
        assert capture_state(match) == before
        apply_event(match, event)
