"""Every game against a second opinion, forwards and backwards."""

from random import Random

import pytest

from data.rulebook import load_rules
from engine.board.board import Board, Placement
from engine.board.lattice import Cell
from engine.board.tiles import WILD
from engine.families import RULES_OF
from engine.match.errors import RuleError
from engine.match.rules import Rules, judge_placement
from tests.depth import part, scaled
from tests.engine.growing import as_naive, grown, legal, plain
from tests.engine.naive_games import Opinion, Worth, named, second_opinion
from tests.engine.readings import read
from tests.engine.tables import frontier

POSITIONS = scaled(50)

DOMINOES = [
    "boss=in",
    "boss=in boss_after=wild",
    "boss=in tile_set=td56",
    "boss=in layout=open",
    "boss=in side_contact=last_only",
    "boss=in side_contact=last_only boss_after=wild tile_set=td56",
    "boss=in tile_set=mac76",
]
READINGS: dict[str, list[str]] = {
    "triominoes": [
        "",
        "tile_set=mac76 bonus_stacking=sum",
        "tile_set=trio84 bridge_extension=opposite_point",
        "bridge_extension=any_side",
    ],
    "quad-ominos": ["", "quad_arrangement=counter_clockwise", "quad_arrangement=free"],
    "points": ["", *DOMINOES, "pairing=fives tile_set=td56", "tile_set=mac24"],
    "muggins": ["", *DOMINOES, "tile_set=td56", "pairing=equal", "tile_set=mac45"],
    "star": [
        "",
        *DOMINOES,
        "star_corner_order=collinear",
        "star_corner_order=mirror",
        "star_corner_order=collinear boss_after=wild tile_set=td56",
        "star_corner_order=mirror boss_after=wild tile_set=td56",
        "star_sum=all_touching boss_value=none",
        "star_sum=all_touching layout=open tile_set=td56",
        "pairing=fives",
        "tile_set=mac45 layout=open",
    ],
    "trioker": [
        "",
        "trioker_joker=on",
        "trioker_values=5 trioker_joker=on trioker_bonuses=on",
        "trioker_values=6",
        "trioker_board=hexagon",
        "trioker_board=hexagon trioker_joker=on trioker_bonuses=on hexagon_scale=stepped",
        "trioker_bonuses=on bridge_extension=none bonus_stacking=sum",
    ],
}
CASES = [(game, options) for game in READINGS for options in READINGS[game]]
every_case = pytest.mark.parametrize(
    ("game", "options"), part(CASES), ids=[f"{game}-{options or 'default'}" for game, options in part(CASES)]
)


def test_cross_check_covers_every_family():
    assert {load_rules(game).family for game in READINGS} == set(RULES_OF)


@every_case
def test_moves_scores_and_undo_equal_reference_implementation(game: str, options: str):
    played, rng = read(game, options), Random(f"{game} {options}")
    other, positions = second_opinion(played), 0
    assert other.tiles == len(played.tiles)
    while positions < POSITIONS // len(READINGS[game]):
        table, history = played.build_board(), []
        for lies in grown(rng, rng.randrange(2, 46), played):
            table.place(lies)
            history.append(what_is_legal(table, played, other, rng))
        positions += len(history)
        while table.placed:
            assert (frozenset(map(as_naive, legal(table, played))), *state(table)) == history.pop()
            table.undo()
        assert (frontier(table), table.labels, table.cover_counts) == ({}, {}, {})


def what_is_legal(table: Board, played: Rules, other: Opinion, rng: Random) -> tuple[object, ...]:
    moves, layout = legal(table, played), plain(table)
    found = frozenset(map(as_naive, moves))
    assert len(found) == len(moves)
    assert found == other.moves(layout)
    for move in rng.sample(moves, min(len(moves), 12)):
        assert Worth.of(judge_placement(table, move, played)) == other.worth(layout, *as_naive(move))
    left = [tile for tile in played.tiles if all(lies.tile != tile for lies in table.placed.values())]
    for tile in rng.sample(left, min(len(left), 3)):
        assert table.has_legal_move([tile]) == any(move.tile == tile for move in moves)
    return found, *state(table)


def state(table: Board) -> tuple[object, ...]:
    return frontier(table), dict(table.labels), dict(table.cover_counts)


@every_case
def test_random_placements_are_judged_like_reference_implementation(game: str, options: str):
    played, rng = read(game, options), Random(f"{options} {game}")
    other, seen = second_opinion(played), set()
    for _ in range(18):
        order = grown(rng, rng.randrange(1, 30), played)
        table = played.build_board()
        for lies in order:
            table.place(lies)
        layout, moves = plain(table), legal(table, played)
        for _ in range(40):
            move = rng.choice(moves) if moves and rng.random() < 0.1 else attempt(order, played, rng)
            why = reason(table, move, played)
            assert why == other.verdict(layout, *as_naive(move)), str(move)
            seen.add(why)
    assert seen >= expected(game, played)


def attempt(order: list[Placement], played: Rules, rng: Random) -> Placement:
    near = rng.choice([order[-1], rng.choice(order)]).cell
    cell = Cell(
        rng.choice("UD") if near.kind else "",
        near.x + rng.randint(-1, 1) * rng.randint(1, 2),
        near.y + rng.randint(-1, 1) * rng.randint(1, 2),
    )
    if rng.random() < 0.2:
        return played.build_placement(cell, tuple(rng.randrange(7) for _ in range(played.plane.sides)))
    return Placement(rng.choice(played.tiles), cell, rng.randrange(played.plane.sides))


def reason(table: Board, move: Placement, played: Rules) -> str | None:
    try:
        judge_placement(table, move, played)
    except RuleError as broken:
        return broken.why.value
    return None


def expected(game: str, played: Rules) -> set[str | None]:
    found = {None, "NO_SUCH_TILE", "OCCUPIED", "TILE_ALREADY_PLAYED"}
    if game in ("points", "muggins", "star"):
        found |= {"SIDE_MISMATCH", "CORNER_MISMATCH"} if game == "star" else {"SIDE_MISMATCH"}
        return found | {"NO_SIDE_CONTACT" if named(played)["layout"] == "open" else "NOT_NEXT_TO_LAST"}
    if played.fit.within is not None:
        found.add("OFF_THE_BOARD")
    return found | {"NO_SIDE_CONTACT", "CORNER_MISMATCH"}


def test_positions_cover_every_kind_of_play():
    met = set()
    for seed in range(25):
        for game, options in (("star", ""), ("quad-ominos", ""), ("trioker", "trioker_joker=on trioker_bonuses=on")):
            played = read(game, options)
            table = played.build_board()
            for lies in grown(Random(seed), 30, played):
                if table.placed:
                    earned = judge_placement(table, lies, played)
                    met |= {("corner", earned.corner), ("matched", earned.matched), ("hexagons", earned.hexagons)}
                    met |= {("bridge", earned.bridge), ("wild", WILD in lies.tile)}
                table.place(lies)

    assert met >= {("corner", True), ("bridge", True), ("wild", True), ("hexagons", 1)}
    # All four at once is RULES Q16.
    assert met >= {("matched", 2), ("matched", 3)}
