"""The invariants of RULES §9 that a layout of Triominoes keeps, on layouts that hypothesis grows:

* all tiles that cover a vertex show one value there;
* each placement after the first adds 0 or 1 vertices, so V = T + 2 - A, A being the placements that added none;
* a placement adds no vertex if and only if it closes a hexagon or earns the bridge;
* a one-sided placement never closes a hexagon; a move closes 0 to 3; bridge and hexagon bonus exclude each other;
* the first two-sided placement without a hexagon comes after at least one bridge made from one side;
* a layout is connected through sides, rebuilding it in order passes every check, and what is legal on it does not
  depend on the order of its tiles;
* turning it by 60 degrees or moving it changes neither legality nor score; in a mirror exactly the singles are no
  tiles any more;
* every generated move is legal, and trying every tile in every turn on every touching cell finds no other;
* a tile has at most one fitting rotation that looks different per cell (how many it has is in `test_tiles`).

Those about matches are in `test_match_properties`.
"""

from collections.abc import Callable
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board import Board, Placement
from engine.errors import RuleBroken
from engine.lattice import TRIANGLES, Cell, Site
from engine.placing import judge
from engine.rules import Score
from engine.tiles import canonical, rotation_showing, tile_text
from tests.depth import deep
from tests.engine.examples import PLACEMENTS
from tests.engine.growing import laid
from tests.engine.tables import RULES, board, frontier

Layout = list[Placement]

RINGS = sorted({example.position for example in PLACEMENTS if len(example.position.split()) > 5})


def moves(table: Board) -> list[Placement]:
    """Every placement when all tiles that are not on the table are in hand: bonuses first, then what touches most."""
    used = {lies.tile for lies in table.placed.values()}
    found, covers = table.legal([tile for tile in RULES.tiles if tile not in used]), table.covers

    def order(move: Placement) -> tuple[int, int]:
        touches = sum(covers.get(site, 0) for site in corners(move))
        return -RULES.score(table, move).bonus, -touches

    return sorted(found, key=order)


def corners(lies: Placement) -> tuple[Site, ...]:
    return TRIANGLES.shape(lies.cell).corners


@st.composite
def layouts(draw: st.DrawFn, most: int = 40) -> Layout:
    """A legal layout in order. Small picks huddle, large ones straggle; both shrink to the triple of zeros alone.

    Some begin with a ring of RULES 8.1, because bridges that get added to are rare elsewhere.
    """
    single = st.sampled_from(RULES.tiles).map(lambda tile: f"U0,0={tile_text(tile)}")
    table = board(draw(single | st.sampled_from(RINGS)))
    size = draw(st.integers(0, most))
    for pick in draw(st.lists(st.integers(0, 60) | st.integers(0, 3), min_size=size, max_size=size)):
        legal = moves(table)
        if not legal:
            break
        table.place(legal[pick % len(legal)])
    return list(table.placed.values())


def steps(layout: Layout) -> list[tuple[Board, Placement]]:
    """Each placement after the first, with the table it was made on."""
    return [(laid(RULES, layout[:count]), layout[count]) for count in range(1, len(layout))]


def sides(table: Board, cell: Cell) -> int:
    return sum(near in table.placed for near in TRIANGLES.shape(cell).across)


@given(layouts())
def test_all_tiles_that_meet_at_a_vertex_show_one_value(layout: Layout):
    shown: dict[Site, set[int]] = {}
    for lies in layout:
        for site, label in zip(corners(lies), lies.shown, strict=True):
            shown.setdefault(site, set()).add(label)

    assert {len(labels) for labels in shown.values()} == {1}
    assert laid(RULES, layout).labels == {site: labels.pop() for site, labels in shown.items()}


@given(layouts())
def test_vertices_are_tiles_plus_two_minus_the_placements_that_match_three_corners(layout: Layout):
    added = [sum(site not in table.labels for site in corners(lies)) for table, lies in steps(layout)]

    assert set(added) <= {0, 1}
    assert len(laid(RULES, layout).labels) == len(layout) + 2 - added.count(0)


@given(layouts())
def test_a_placement_adds_no_vertex_if_and_only_if_it_earns_a_bonus(layout: Layout):
    for table, _ in steps(layout):
        for move in moves(table):
            earned = RULES.score(table, move)
            assert (earned.bonus > 0) == all(site in table.labels for site in corners(move))
            assert (earned.bonus > 0) == (earned.hexagons > 0 or earned.bridge)


@given(layouts())
def test_bonuses_keep_their_bounds(layout: Layout):
    for table, _ in steps(layout):
        for move in moves(table):
            earned = RULES.score(table, move)
            assert earned.hexagons in (0, 1, 2, 3)
            assert not (earned.hexagons and earned.bridge)
            assert earned.bonus == {0: 40 * earned.bridge, 1: 50, 2: 100, 3: 150}[earned.hexagons]
            if sides(table, move.cell) == 1:
                assert earned.hexagons == 0


@given(layouts())
def test_a_two_sided_placement_without_a_hexagon_sits_beside_a_bridge_that_was_made_before(layout: Layout):
    made = False
    for table, lies in steps(layout):
        earned = RULES.score(table, lies)
        if sides(table, lies.cell) == 1:
            made = made or earned.bridge
        elif not earned.hexagons:
            assert earned.bridge
            assert made


@given(layouts())
def test_a_layout_is_connected_through_sides_and_can_be_rebuilt(layout: Layout):
    table = RULES.board()
    for lies in layout:
        judge(table, lies, RULES)
        table.place(lies)

    reached, edge = set(), [layout[0].cell]
    while edge:
        cell = edge.pop()
        if cell not in reached:
            reached.add(cell)
            edge += [near for near in TRIANGLES.shape(cell).across if near in table.placed]
    assert reached == set(table.placed)


@given(layouts(), st.randoms(use_true_random=False))
def test_what_is_legal_does_not_depend_on_the_order_of_the_tiles(layout: Layout, rng: Random):
    other = laid(RULES, rng.sample(layout, len(layout)))

    assert set(moves(other)) == set(moves(laid(RULES, layout)))
    assert frontier(other) == frontier(laid(RULES, layout))


def moved(lies: Placement, where: Callable[[Site], Site]) -> Placement:
    """The same numbers at the places their corners are taken to."""
    labels = {where(site): label for site, label in zip(corners(lies), lies.shown, strict=True)}
    cell = next(
        cell for cell in TRIANGLES.around(next(iter(labels))) if set(TRIANGLES.shape(cell).corners) == {*labels}
    )
    shown = tuple(labels[site] for site in TRIANGLES.shape(cell).corners)
    turn = rotation_showing(canonical(shown), shown)
    assert turn is not None
    return Placement(canonical(shown), cell, turn)


def ruling(table: Board, move: Placement) -> Score | str:
    try:
        return judge(table, move, RULES)
    except RuleBroken as broken:
        return broken.why.value


@st.composite
def attempts(draw: st.DrawFn) -> tuple[Layout, Placement]:
    """A layout and a placement somewhere near it that may be legal or not."""
    layout = draw(layouts(most=25))
    if draw(st.booleans()) and (legal := moves(laid(RULES, layout))):
        return layout, draw(st.sampled_from(legal))
    near = draw(st.sampled_from(layout)).cell
    cell = Cell(draw(st.sampled_from("UD")), near.x + draw(st.integers(-2, 2)), near.y + draw(st.integers(-2, 2)))
    return layout, Placement(draw(st.sampled_from(RULES.tiles)), cell, draw(st.integers(0, 2)))


@given(attempts(), st.integers(1, 5), st.integers(-9, 9), st.integers(-9, 9))
def test_turning_and_moving_the_table_change_neither_legality_nor_score(
    attempt: tuple[Layout, Placement], sixths: int, right: int, up: int
):
    def where(site: Site) -> Site:
        x, y = site
        for _ in range(sixths):
            x, y = -y, x + y
        return x + right, y + up

    layout, move = attempt
    turned_layout = [moved(lies, where) for lies in layout]

    assert ruling(laid(RULES, turned_layout), moved(move, where)) == ruling(laid(RULES, layout), move)
    assert [ruling(*step) for step in steps(turned_layout)] == [ruling(*step) for step in steps(layout)]


@given(attempts())
def test_in_a_mirror_exactly_the_singles_are_no_tiles_any_more(attempt: tuple[Layout, Placement]):
    def where(site: Site) -> Site:
        return site[1], site[0]

    layout, move = attempt
    seen = ruling(laid(RULES, [moved(lies, where) for lies in layout]), moved(move, where))

    assert seen == ("NO_SUCH_TILE" if len(set(move.tile)) == 3 else ruling(laid(RULES, layout), move))


@settings(max_examples=deep(20))
@given(layouts(most=30))
def test_the_generated_moves_are_exactly_those_the_checker_lets_pass(layout: Layout):
    table = laid(RULES, layout)
    touching = {cell for site in table.labels for cell in TRIANGLES.around(site)}

    looks = set()
    for tile in RULES.tiles:
        for cell in touching:
            for rotation in range(3):
                move = Placement(tile, cell, rotation)
                if not isinstance(ruling(table, move), str):
                    looks.add((cell, move.shown))

    generated = [(move.cell, move.shown) for move in moves(table)]
    assert len(generated) == len(set(generated))
    assert set(generated) == looks


@given(layouts())
def test_a_tile_fits_a_cell_in_one_way_at_most(layout: Layout):
    ways = [(move.tile, move.cell) for move in moves(laid(RULES, layout))]

    assert len(ways) == len(set(ways))
