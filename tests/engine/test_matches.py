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
from tests.depth import part, scaled
from tests.engine.random_play import everything
from tests.engine.readings import read
from tests.engine.tables import Playout, state, totals

BATCH = 40
EVERY_PRESET = [(game, preset, "") for game in list_games() for preset in list_presets(game)]
RARE = [
    ("triominoes", "tile_set=trio84"),
    ("triominoes", "tile_set=mac76"),
    (
        "triominoes",
        "tile_set=trio84 bonus_stacking=sum bridge_extension=opposite_point opening_tie=next_unique_sum "
        "block_detection=immediate blocked_winner=fewest_tiles blocked_tie=none game_tie=extra_round target=100",
    ),
    (
        "triominoes",
        "bonus_stacking=sum block_detection=immediate draw_limit=unlimited voluntary_draw=on "
        "blocked_bonus=lose_own game_winner=round_winner final_round=at_round_end target=100",
    ),
    ("quad-ominos", "quad_arrangement=free deal=half target_check=round_end well_exhausted_penalty=none"),
    ("quad-ominos", "quad_arrangement=counter_clockwise partial_bonus=on zero_opening=off blocked_award=differences"),
    ("points", "boss=in boss_after=wild remainder=boneyard side_contact=last_only"),
    ("muggins", "boss=in boss_after=wild remainder=boneyard layout=open"),
    ("star", "star_corner_order=mirror extra_turn=forced boss_after=wild remainder=boneyard"),
    ("star", "layout=open side_contact=last_only boss_value=none star_sum=all_touching target=60"),
    ("trioker", "trioker_joker=on trioker_values=6 trioker_bonuses=on bonus_stacking=sum target=40"),
    ("trioker", "trioker_joker=on trioker_board=hexagon hexagon_scale=stepped trioker_bonuses=on"),
]
TABLES = EVERY_PRESET + [(game, "default", options) for game, options in RARE]
CASES = [
    pytest.param(*table, batch, id=f"{'-'.join(table)}-{batch}", marks=[pytest.mark.deep] if is_deep else [])
    for table in part(TABLES)
    for batch, is_deep in enumerate([table[1] != "default", *[True] * scaled(2)])
]
SHORT = {"triominoes": 80, "quad-ominos": 100, "star": 30, "points": 25, "muggins": 25, "trioker": 15}


def playout(rng: Random, played: Rules) -> Playout:
    seats = rng.randint(played.min_seats, played.max_seats)
    greedy = frozenset({rng.randrange(seats)}) if rng.random() < 0.05 else frozenset()
    resigning = 0.02 if rng.random() < 0.4 else 0.0
    return Playout(rng, seats, greedy_seats=greedy, resigning=resigning, drawing=0.05, rules=played)


def shortened(played: Rules, number: int) -> Rules:
    near = SHORT.get(played.game, played.target)
    return replace(played, target=min(near, played.target)) if number % 10 else played


@pytest.mark.parametrize(("game", "preset", "options", "batch"), CASES)
def test_random_match_is_replayed_from_its_log_to_same_state(game: str, preset: str, options: str, batch: int):
    met: set[object] = set()
    usual = read(game, options, preset)
    for number in range(BATCH):
        rng, played = Random(batch * BATCH + number), shortened(usual, number)
        match = playout(rng, played)
        # In the middle of a match one in three is compared, and every one at its end.
        middle, then = rng.randrange(20, 200) if number % 3 == 0 else None, None
        ledger, there_is = [0] * match.seats, everything(match.match)
        for count, (action, happened) in enumerate(match.steps()):
            book(ledger, happened)
            if count == middle:
                then = len(match.log), state(match.match)
            if count % 20 == 0 or match.match.ended:
                assert everything(match.match) == there_is
                assert totals(match.match) == ledger
            if count % 50 == 0 and not match.match.ended:
                with pytest.raises(RuleError) as refused:
                    decide(match.match, Draw(match.match.find_next_active(match.match.turn)), match.secret)
                assert refused.value.why is Violation.NOT_YOUR_TURN
            met |= {type(action), *map(type, happened)}

        assert there_is == Counter(played.tiles)
        assert isinstance(match.log[-1], MatchEnded)
        assert list(match.log[-1].totals) == ledger
        assert state(replay(match.log)) == state(match.match)
        if then:
            assert state(replay(match.log[: then[0]])) == then[1]
    assert met >= everyday(usual, f"{preset} {options}")


def book(ledger: list[int], happened: Sequence[Event]) -> None:
    for event in happened:
        match event:
            case Placed() | Passed() | Chose():
                ledger[event.seat] += event.points
            case RoundEnded(awards=awards):
                ledger[:] = [total + award for total, award in zip(ledger, awards, strict=True)]


def everyday(played: Rules, options: str) -> set[object]:
    found: set[object] = {Play, Resign, Placed, MatchEnded}
    if played.family in ("triominoes", "quads"):
        found |= {Draw, Drew}
    if played.family in ("quads", "star"):
        found |= {Choose, Chose}
    # The well of Quad-Ominos is large, and where a tile may go next to any nearly everything fits.
    if played.family != "quads" and "open" not in options:
        found |= {Pass, Passed}
    return found


@pytest.mark.parametrize("game", list_games())
@pytest.mark.parametrize("seed", range(3))
def test_applying_event_to_copy_leaves_original_unchanged(game: str, seed: int):
    played = playout(Random(seed), shortened(load_rules(game), 1))
    for _ in played.steps():
        pass
    match = replay(played.log[:1])
    for event in played.log[1:]:
        before = state(match)
        apply_event(match.copy(), event)
        assert state(match) == before
        apply_event(match, event)
