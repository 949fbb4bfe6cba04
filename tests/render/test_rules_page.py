"""The pictures of the rules show legal positions that match their sentences."""

from collections.abc import Iterable, Iterator

import pytest

from data.rulebook import load_rules
from engine.board.board import Board, Placement
from engine.board.tiles import BOSS, WILD
from engine.match.errors import RuleError, Violation
from engine.match.rules import Rules, judge_placement
from render.canvas.geometry import OUTLINES
from render.canvas.theme import DARK
from render.faces import THEMES, build_face, compute_sign_height
from render.table.hand import find_readable_edge
from render.table.rules_page import DIAGRAMS, Diagram, build_position, list_diagrams, list_placements, render_rules
from render.table.set_chart import count_tiles_by_value, group_tiles, render_set_chart
from render.table.tile import render_tile
from tests.engine.readings import build_rules
from tests.render.pixels import count_ivory, count_pixels, to_rgb
from tests.render.readability import PHONE
from tests.render.tables import GAMES

WORDS = {name: f"What is seen here is called {name}, in a sentence of usual length." for name in DIAGRAMS}


def iterate_readings() -> Iterator[tuple[str, Rules]]:
    for game in GAMES:
        yield game, load_rules(game)
        for option, values in type(load_rules(game)).get_readings().items():
            for value in values:
                try:
                    yield f"{game}, {option} = {value}", load_rules(game).with_option(option, value)
                except ValueError:
                    continue


def build_board(played: Rules, placed: Iterable[Placement]) -> Board:
    board = played.build_board()
    for placement in placed:
        judge_placement(board, placement, played)
        board.place(placement)
    return board


READINGS = {
    **dict(iterate_readings()),
    **{f"trioker 0-{n - 1}": load_rules("trioker").with_option("trioker_values", str(n)) for n in (5, 6)},
    "triominoes 0-9": load_rules("triominoes").with_option("tile_set", "trio220"),
}


@pytest.mark.parametrize("name", READINGS)
def test_every_position_is_legal_under_every_reading_that_shows_it(name: str) -> None:
    played = READINGS[name]
    assert list_diagrams(played)
    for diagram in list_diagrams(played):
        build_board(played, list_placements(played, diagram))


@pytest.mark.parametrize(
    ("game", "options", "shown"),
    [
        ("triominoes", "", ("placement", "hexagon", "bridge")),
        ("quad-ominos", "", ("placement", "third_match")),
        ("points", "", ("placement", "next_to_last")),
        ("points", "boss=in layout=open", ("placement", "boss")),
        ("muggins", "", ("fives", "next_to_last")),
        ("star", "", ("placement", "next_to_last", "corner_play", "boss")),
        ("star", "boss_after=wild", ("placement", "next_to_last", "corner_play", "boss_wild")),
        ("trioker", "", ("placement", "all_corners")),
        ("trioker", "trioker_bonuses=on", ("placement", "hexagon", "bridge")),
        ("trioker", "trioker_joker=on", ("placement", "all_corners", "joker")),
    ],
)
def test_rules_show_diagrams_of_game(game: str, options: str, shown: tuple[str, ...]) -> None:
    assert list_diagrams(build_rules(game, options)) == shown


def test_games_together_show_every_diagram() -> None:
    assert {name for played in READINGS.values() for name in list_diagrams(played)} == set(DIAGRAMS)


@pytest.mark.parametrize(("diagram", "points"), [("placement", 5), ("hexagon", 54), ("bridge", 46)])
def test_diagram_points_equal_rules(diagram: Diagram, points: int) -> None:
    assert build_position(load_rules("triominoes"), diagram).points == points


def test_hexagon_is_closed_by_its_last_tile() -> None:
    shown = build_position(load_rules("triominoes"), "hexagon")
    assert shown.hexagons == ((0, 0),)
    assert len(shown.marked_sites) == 3


def test_bridge_touches_one_tile_and_point_and_closes_nothing() -> None:
    played = load_rules("triominoes").with_option("bridge_extension", "none")
    *before, new = list_placements(played, "bridge")
    board = build_board(played, before)
    beside = [near for near in played.plane.get_shape(new.cell).neighbours if near in board.placed]
    assert len(beside) == 1
    assert board.list_closed_corners(new.cell) == ()
    assert judge_placement(board, new, played).bridge


def test_third_match_earns_its_choice() -> None:
    played = load_rules("quad-ominos")
    *before, new = list_placements(played, "third_match")
    board = build_board(played, before)
    earned = judge_placement(board, new, played)
    assert earned.matched == 3
    assert played.find_reward(new.tile, earned, opening=False, bonus_tile=False) is not None


def test_next_to_last_example_opens_only_cells_beside_last_tile() -> None:
    for game in ("points", "muggins"):
        played = load_rules(game)
        shown = build_position(played, "next_to_last")
        board = build_board(played, (*shown.older_tiles, shown.new_tile))
        assert shown.open_cells
        assert set(shown.open_cells) == set(board.open_cells)
        for cell in shown.closed_cells:
            for tile in played.tiles:
                if tile not in {lying.tile for lying in board.placed.values()}:
                    with pytest.raises(RuleError) as refused:
                        judge_placement(board, played.build_placement(cell, tile), played)
                    assert refused.value.why is Violation.NOT_NEXT_TO_LAST


def test_crossed_out_cells_are_not_open_in_star() -> None:
    played = load_rules("star")
    shown = build_position(played, "next_to_last")
    board = build_board(played, (*shown.older_tiles, shown.new_tile))
    assert shown.closed_cells
    assert not {*shown.closed_cells} & {*board.open_cells}


def test_numbers_that_meet_add_up_to_five() -> None:
    first, second = list_placements(load_rules("muggins"), "fives")
    assert first.shown_labels[1] + second.shown_labels[2] == 5


def test_corner_play_touches_in_one_point() -> None:
    played = load_rules("star")
    first, second = list_placements(played, "corner_play")
    one, other = (set(played.plane.get_shape(placement.cell).corners) for placement in (first, second))
    assert one & other == set(build_position(played, "corner_play").marked_sites)
    assert len(one & other) == 1


def test_wild_tiles_are_drawn_as_wild() -> None:
    assert list_placements(load_rules("star"), "boss")[-1].tile == BOSS
    joker = list_placements(load_rules("trioker").with_option("trioker_joker", "on"), "joker")[-1].tile
    assert WILD in joker


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("game", GAMES)
def test_every_diagram_and_its_sentence_are_drawn(game: str, theme: str) -> None:
    played = load_rules(game)
    picture = render_rules(played, WORDS, theme=theme)
    image = to_rgb(picture)
    assert len(picture.png) <= 160_000
    assert count_pixels(image, DARK.text) > 800 * len(list_diagrams(played))
    assert count_pixels(image, DARK.brass) > 300 * len(list_diagrams(played))
    silent = to_rgb(render_rules(played, {}, theme=theme))
    assert silent.height < image.height
    assert count_pixels(silent, DARK.text) < 3000


@pytest.mark.parametrize(("game", "options"), [*((game, "") for game in GAMES), ("trioker", "trioker_joker=on")])
def test_chart_shows_every_tile_of_the_set_readably(game: str, options: str) -> None:
    played = build_rules(game, options)
    groups, counts = group_tiles(played.tiles), count_tiles_by_value(played.tiles)
    assert sorted(tile for tiles in groups.values() for tile in tiles) == sorted(played.tiles)
    assert all(count == sum(value in tile for tile in played.tiles) for value, count in counts.items())
    picture = render_set_chart(played, "Tiles", {**{kind: kind for kind in groups}, "numbers": "numbers"})
    outline, face = OUTLINES[played.plane.first.kind], build_face(played, "classic")
    edge = find_readable_edge(outline, face)
    assert compute_sign_height(edge, outline, face) * PHONE / picture.width >= 9
    tile_pixels = count_ivory(render_tile(edge, outline, played.tiles[0], face).rgb_image)
    assert count_ivory(to_rgb(picture)) > 0.6 * tile_pixels * len(played.tiles)


def test_themes_look_different() -> None:
    assert len({render_rules(load_rules("star"), WORDS, theme=theme).png for theme in THEMES}) == len(THEMES)
