"""What the hidden tiles may be: nothing that is so is ruled out, nothing that cannot be so is dealt."""

from collections import Counter
from random import Random

import pytest

from data.rulebook import presets, rules
from engine.actions import Pass, Play
from engine.match import Match
from engine.players.deals import CERTAIN, Deals, against
from engine.seen import see
from engine.simulation import Simulation
from tests.depth import comes_up, deep
from tests.engine.tables import Playout, act, match, tile

WHOLE_SET = ("points", "muggins", "star", "trioker")
READINGS = [rules(game, preset) for game in WHOLE_SET for preset in presets(game)]
POINTS, TRIOKER = rules("points"), rules("trioker")


def hidden(table: Match, viewer: int) -> list[int]:
    """The bits of the tiles that a seat does not see."""
    held = table.board.hand(table.seats[viewer].hand)
    one = table.board.tableau
    return [bit for bit in one.table.bit.values() if not bit & (held | one.played)]


def ruled_out(table: Match, viewer: int) -> list[int]:
    """What each seat cannot have, as masks, as far as one of them can tell."""
    speaks = against(see(table, viewer), hidden(table, viewer))
    return [sum(bit for bit, weight in held.items() if weight >= CERTAIN) for held in speaks[: len(table.seats)]]


def imagined(table: Match, viewer: int, deals: int) -> list[list[int]]:
    """The hands in so many deals that a seat imagines."""
    seen, rng = see(table, viewer), Random(0)
    one = Simulation.seen(seen)
    found, deal = [], Deals(seen, one)
    for _ in range(deals):
        deal.deal(one, rng)
        found.append(list(one.hands))
    return found


def test_nothing_that_is_so_is_ruled_out_and_nothing_is_dealt_that_is():
    met = Counter[str]()
    for seed in range(deep(12)):
        rng = Random(f"deals {seed}")
        reading = READINGS[seed % len(READINGS)]
        playout = Playout(rng, rng.randint(2, reading.max_seats), rules=reading, resigning=0.002)
        for step, _ in enumerate(playout.steps()):
            table = playout.match
            if table.ended or table.round_over or step % 5:
                continue
            never = ruled_out(table, table.turn)
            held = [0 if seat.resigned else table.board.hand(seat.hand) for seat in table.seats]
            for seat in table.active:
                assert seat == table.turn or not held[seat] & never[seat]
                met["ruled out"] += never[seat].bit_count()
            for hands in imagined(table, table.turn, 2):
                assert [*map(int.bit_count, hands)] == [*map(int.bit_count, held)]
                assert hands[table.turn] == held[table.turn]
                assert sum(hands) & table.board.tableau.played == 0
                for seat in table.active:
                    assert seat == table.turn or not hands[seat] & never[seat]
                    met["as it is" if hands == held else "otherwise"] += 1

    assert met.keys() >= comes_up({"ruled out", "as it is", "otherwise"})


@pytest.mark.parametrize("game", ["star", "trioker"])
def test_where_all_is_dealt_to_two_whoever_counts_knows_the_other_hand(game: str):
    playout = Playout(Random(1), 2, rules=rules(game))
    for _ in playout.steps():
        table = playout.match
        if not table.ended:
            assert imagined(table, table.turn, 1) == [Simulation.of(table).hands]


def lay(table: Match, text: str) -> None:
    """The seat to act places a tile where it fits first."""
    wanted = tile(text, table.rules)
    lies = next(lies for lies in table.legal(table.turn) if lies.tile == wanted)
    act(table, Play(table.turn, *lies))


def test_who_passes_has_nothing_that_fitted():
    table = match(["1-1-2 0-0-0", "4-4-4 3-3-4", "0-0-1 0-2-2"], choices="4-4-4", rules=POINTS, turn=1)
    lay(table, "4-4-4")
    act(table, Pass(2))

    never = set(table.board.tableau.table.held(ruled_out(table, 0)[2]))

    assert never == {one for one in POINTS.tiles if 4 in one and one not in table.board.tiles}


def test_who_leads_a_tile_tells_that_nobody_has_a_higher_triple():
    fours = (tile("4-4-4", POINTS),)
    playout = next(one for seed in range(400) if (one := Playout(Random(seed), 2, rules=POINTS)).match.aside == fours)
    table = playout.match
    next(playout.steps())

    for hands in imagined(table, table.turn, 20):
        assert hands == Simulation.of(table).hands


def test_a_tile_that_would_have_brought_more_is_likelier_elsewhere():
    table = match(["1-1-2 0-0-0", "4-4-4 1-3-3 2-2-3", "0-0-4 0-2-2 1-1-1"], choices="4-4-4", rules=POINTS, turn=1)
    lay(table, "4-4-4")
    lay(table, "0-0-4")
    better, worse = (table.board.hand([tile(text, POINTS)]) for text in ("3-4-4", "0-3-3"))

    found = [hands[2] for hands in imagined(table, 0, 2000)]

    assert 0.2 < sum(bool(hand & better) for hand in found) / sum(bool(hand & worse) for hand in found) < 0.6
