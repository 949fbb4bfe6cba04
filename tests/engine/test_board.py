"""The table against a second opinion: move by move, forwards and backwards."""

from random import Random

import pytest

from data.rulebook import games, rules
from engine.board import Board, Placement
from engine.errors import RuleBroken
from engine.lattice import TRIANGLES, Cell
from engine.placing import judge
from engine.tiles import Tile, canonical, rotation_showing
from tests.depth import deep
from tests.engine import naive
from tests.engine.examples import PLACEMENTS, Example
from tests.engine.growing import as_naive, grown, legal
from tests.engine.tables import RULES, board, frontier, layout, placement

FIRST = ("U", 0, 0)


@pytest.mark.parametrize("example", PLACEMENTS, ids=lambda example: example.id)
def test_generator_and_score_agree_with_the_second_opinion_on_every_example(example: Example):
    table = board(example.position)
    moves = legal(table)
    option = dict([example.option.split("=")]) if example.option else {}

    assert {as_naive(move) for move in moves} == naive.moves(layout(table))
    for move in moves:
        earned = example.rules.score(table, move)
        assert (earned.points, earned.hexagons, earned.bridge) == naive.worth(layout(table), *as_naive(move), option)


def test_the_random_layouts_below_meet_every_kind_of_bonus_but_three_hexagons_at_once():
    met = set()
    for seed in range(40, 52):
        rng = Random(seed)
        for order in [grown(rng, size=45) for _ in range(6)]:
            table = RULES.board()
            for lies in order:
                if table.placed:
                    sides = sum(near in table.placed for near in TRIANGLES.shape(lies.cell).across)
                    earned = RULES.score(table, lies)
                    met.add((sides, earned.hexagons, earned.bridge))
                table.place(lies)
    # Three at once is RULES T28, above.
    assert met == {(1, 0, False), (1, 0, True), (2, 0, True), (2, 1, False), (3, 2, False)}


@pytest.mark.parametrize("seed", range(40, 40 + deep(3)))
def test_generator_score_and_undo_agree_with_the_second_opinion_on_every_position(seed: int):
    rng = Random(seed)
    for _ in range(6):
        table = RULES.board()
        history = []
        for lies in grown(rng, size=45):
            table.place(lies)
            moves = legal(table)
            found = {as_naive(move) for move in moves}
            plain = layout(table)
            assert len(found) == len(moves)
            assert found == naive.moves(plain)
            for move in moves:
                earned = RULES.score(table, move)
                assert (earned.points, earned.hexagons, earned.bridge) == naive.worth(plain, *as_naive(move))
            history.append((found, frontier(table), dict(table.labels), dict(table.covers)))
        while table.placed:
            found, cells, labels, covers = history.pop()
            assert {as_naive(move) for move in legal(table)} == found
            assert (frontier(table), table.labels, table.covers) == (cells, labels, covers)
            table.undo()
        assert not frontier(table)
        assert not table.labels
        assert not table.covers


@pytest.mark.parametrize("seed", range(deep(2)))
def test_any_placement_at_all_is_judged_as_the_second_opinion_judges_it(seed: int):
    rng = Random(seed)
    seen = set()
    for _ in range(60):
        order = grown(rng, size=rng.randrange(1, 40))
        table = RULES.board()
        for lies in order:
            table.place(lies)
        for _ in range(40):
            near = rng.choice(order).cell
            cell = Cell(rng.choice("UD"), near.x + rng.randint(-2, 2), near.y + rng.randint(-2, 2))
            labels = (rng.randrange(6), rng.randrange(6), rng.randrange(6))
            shown = labels if rng.random() < 0.3 else rng.choice(naive.turns(rng.choice(naive.SETS["trio56"])))
            expected = naive.verdict(layout(table), (cell.kind, cell.x, cell.y), shown)
            turn = rotation_showing(canonical(shown), shown)
            assert turn is not None
            try:
                judge(table, Placement(canonical(shown), cell, turn), RULES)
                why = None
            except RuleBroken as broken:
                why = broken.why.value
            assert why == expected
            seen.add(why)
    assert seen >= {"NO_SUCH_TILE", "OCCUPIED", "TILE_ALREADY_PLAYED", "NO_SIDE_CONTACT", "CORNER_MISMATCH"}


def ways(table: Board, depth: int) -> int:
    """How many ways there are to place `depth` further tiles, by placing and taking back on one board."""
    moves = legal(table)
    if depth == 1:
        return len(moves)
    found = 0
    for move in moves:
        table.place(move)
        found += ways(table, depth - 1)
        assert table.undo() == move
    return found


@pytest.mark.parametrize(("start", "counts"), [("555", [15, 210, 3270, 57240]), ("012", [9, 108, 1578])])
def test_there_are_as_many_ways_to_go_on_as_are_known(start: str, counts: list[int]):
    table = board(f"U0,0={start}")

    assert [ways(table, depth) for depth in range(1, len(counts) + 1)] == counts


@pytest.mark.parametrize(("start", "counts"), [("555", [15, 210, 3270]), ("012", [9, 108, 1578])])
def test_the_second_opinion_counts_as_many_ways_to_go_on(start: str, counts: list[int]):
    a, b, c = map(int, start)

    assert [naive.ways([(FIRST, (a, b, c))], depth) for depth in (1, 2, 3)] == counts


def test_a_copy_goes_its_own_way():
    table = board("U0,0=135 D0,0=355")
    before = (dict(table.placed), frontier(table), set(legal(table)))
    twin = table.copy()

    twin.place(placement("D-1,0=331"))
    twin.undo()
    twin.undo()

    assert (table.placed, frontier(table), set(legal(table))) == before
    assert set(legal(twin)) == set(legal(board("U0,0=135")))


def test_an_empty_table_takes_any_tile_on_the_first_cell_once():
    table = RULES.board()
    hand = [(1, 3, 5), (2, 2, 2)]

    assert list(table.legal(hand)) == [Placement(tile, TRIANGLES.first, 0) for tile in hand]
    assert table.has_legal(hand)
    assert not table.has_legal([])


def test_the_quick_question_whether_anything_fits_has_the_answer_of_the_slow_one():
    rng = Random(5)
    answers = set()
    for _ in range(60):
        table = RULES.board()
        for lies in grown(rng, size=rng.randrange(1, 30)):
            table.place(lies)
        left = [tile for tile in RULES.tiles if tile not in {lies.tile for lies in table.placed.values()}]
        for hand in ([tile] for tile in left):
            assert table.has_legal(hand) == bool(list(table.legal(hand)))
            answers.add(table.has_legal(hand))
    assert answers == {True, False}


@pytest.mark.parametrize("game", games())
def test_whatever_was_asked_before_a_hand_has_the_moves_of_a_table_that_was_never_asked(game: str):
    played, rng, compared = rules(game), Random(game), 0
    for _ in range(8):
        table, left = played.board(), rng.sample(played.tiles, len(played.tiles))
        hands: list[list[Tile]] = [[left.pop() for _ in range(4)] for _ in range(2)]
        for _ in range(30):
            hand = rng.choice(hands)
            moves = table.legal(hand)
            assert moves == table.copy().legal(hand)
            compared += len(moves)
            match rng.choice(["ask again", "draw", "place", "shuffle", "take back", "spoil"]):
                case "draw" if left:
                    hand.append(left.pop())
                case "place" if moves:
                    table.place(chosen := rng.choice(moves))
                    hand.remove(chosen.tile)
                case "shuffle":
                    rng.shuffle(hand)
                case "take back" if table.placed:
                    hand.append(table.undo().tile)
                case "spoil":
                    moves.clear()
    assert compared > 200


def test_a_cell_is_fillable_exactly_when_a_tile_left_fits():
    table = board("D0,-1=122 U0,-1=312 D-1,-1=413 U-1,0=451 D-1,0=501")

    # RULES T24: the gap needs 0-2-1 clockwise, which does not exist.
    assert list(map(str, table.places().dead)) == ["U0,0"]


def test_every_turn_of_a_tile_is_tried():
    assert {str(move) for move in board("U0,0=111").legal([(1, 1, 3)])} == {"D-1,0=311", "D0,0=131", "D0,-1=113"}
