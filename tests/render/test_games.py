"""Pictures of every game of the family: tables and hands of squares, of dominoes with a boss, of up to twelve seats."""

from collections import defaultdict
from dataclasses import replace

import pytest
from PIL import Image, ImageChops

from data.rulebook import load_rules
from engine.board.board import Placement
from engine.board.lattice import Cell
from engine.board.tiles import Tile
from engine.match.player_view import PlayerView, view_for
from render.canvas.picture import HEADER_HEIGHT, RIM, WIDTH
from render.canvas.theme import DARK
from render.faces import THEMES
from render.table.cards import GAP, compute_card_height, compute_card_positions, count_card_rows
from render.table.hand import draw_hand, render_hand
from render.table.table_picture import draw_table, render_table
from tests.render.pixels import compute_palette_error, count_ivory, count_pixels, is_plain_cloth, to_rgb
from tests.render.tables import (
    CAPTIONS,
    GAMES,
    NAMES,
    build_arrangement,
    build_ended_round,
    build_hand_arrangement,
    build_mover_view,
    build_random_table,
    build_running_round,
    play_until,
    with_first_seat,
    with_own_hand,
)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("game", GAMES)
def test_every_game_is_drawn_between_its_header_and_its_cards(game: str, theme: str) -> None:
    view = view_for(build_running_round(game), None)
    image = to_rgb(render_table(view, NAMES, CAPTIONS, theme=theme))
    arrangement = build_arrangement(view, theme)
    assert image.size == (1200, arrangement.height)
    assert count_ivory(image, arrangement.board) > 5000
    assert count_pixels(image, DARK.quiet, arrangement.board) > 500
    assert count_pixels(image, DARK.brass_light, arrangement.board) > 300
    left, _, right, bottom = arrangement.board
    assert count_pixels(image, DARK.lip, (left, bottom, right, arrangement.plates_top)) == 0


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("game", GAMES)
def test_hand_picture_draws_ghost_on_board(game: str, theme: str) -> None:
    view = build_mover_view(game)
    usual = render_hand(view, NAMES, CAPTIONS, theme=theme)
    ghost = render_hand(view, NAMES, CAPTIONS, ghost=view.moves[0].placement, theme=theme)
    assert (usual.width, usual.height) == (ghost.width, ghost.height)
    box = (0, HEADER_HEIGHT, 1200, 750)
    changed = ImageChops.difference(to_rgb(usual).crop(box), to_rgb(ghost).crop(box))
    assert changed.getbbox() is not None
    assert count_pixels(to_rgb(usual), DARK.accent, box) > 300


@pytest.mark.parametrize("game", GAMES)
def test_only_picture_theme_has_legend(game: str) -> None:
    view = view_for(build_running_round(game), None)
    strip = (200, HEADER_HEIGHT, 1000, HEADER_HEIGHT + 50)
    classic, shapes = (to_rgb(render_table(view, NAMES, CAPTIONS, theme=theme)) for theme in THEMES)
    values = {label for tile in view.rules.tiles for label in tile if label >= 0}
    for value in values:
        assert count_pixels(shapes, DARK.values[value], strip, within=0) > 100
    assert count_pixels(classic, DARK.text, strip) < count_pixels(shapes, DARK.text, strip)


def test_ten_values_are_drawn_and_listed_in_legend() -> None:
    match = build_running_round("triominoes", 30, options="tile_set=trio220")
    view = view_for(match, match.turn)
    hand = tuple(tile for tile in match.rules.tiles if len(set(tile)) == 1)
    assert len(hand) == 10
    held = replace(with_own_hand(view, hand), moves=())
    classic, shapes = (to_rgb(render_hand(held, NAMES, CAPTIONS, theme=theme)) for theme in THEMES)
    strip = shapes.crop((0, HEADER_HEIGHT, 1200, HEADER_HEIGHT + 50))
    assert [count_pixels(strip, DARK.values[value], within=0) > 100 for value in range(10)] == [True] * 10
    assert is_plain_cloth(strip, (0, 0, 24, 50))
    assert classic.height < shapes.height


@pytest.mark.usefixtures("zlib_pictures")
def test_rotations_of_square_make_different_ghosts() -> None:
    view = next(
        view
        for tiles in range(4, 30)
        for seat in range(4)
        if len(list_rotated_moves(view := view_for(build_running_round("quad-ominos", tiles), seat))) > 1
    )
    one, other = list_rotated_moves(view)[:2]
    assert (one.tile, one.cell) == (other.tile, other.cell)
    shown = [render_hand(view, NAMES, CAPTIONS, ghost=ghost, letters=[one.cell]).png for ghost in (one, other)]
    assert shown[0] != shown[1]


def list_rotated_moves(view: PlayerView) -> list[Placement]:
    """Return the placements of one tile on one cell, for the tile and the cell that have most."""
    found: defaultdict[tuple[Tile, Cell], list[Placement]] = defaultdict(list)
    for move in view.moves:
        found[move.placement.tile, move.placement.cell].append(move.placement)
    return max(found.values(), key=len, default=[])


def test_corner_to_corner_place_is_marked_at_its_corner() -> None:
    view = view_for(build_running_round("star", 8), None)
    touching = [place for place in view.places if place.touch]
    assert touching
    bare = replace(view, places=tuple(replace(place, touch=None) for place in view.places))
    marked, unmarked = (to_rgb(render_table(table, NAMES, CAPTIONS)) for table in (view, bare))
    assert count_pixels(marked, DARK.quiet) > count_pixels(unmarked, DARK.quiet) + 50 * len(touching)


@pytest.mark.parametrize("game", ["quad-ominos", "star"])
@pytest.mark.parametrize("tiles", [0, 1, 12, 28, 36])
def test_hand_of_any_size_has_a_rack(game: str, tiles: int) -> None:
    view = build_mover_view(game, 10, 2)
    picture = render_hand(with_own_hand(view, view.rules.tiles[:tiles]), NAMES, CAPTIONS)
    image = to_rgb(picture)
    low = max(window.area[3] for window in build_hand_arrangement(view).windows)
    assert count_pixels(image, DARK.walnut, (32, low, 1168, picture.height)) > 15_000
    assert is_plain_cloth(image, (0, 0, 24, picture.height))


def test_hand_of_sixty_squares_is_taller_than_thirty() -> None:
    view = build_mover_view("quad-ominos", 10, 2)
    hands = (with_own_hand(view, view.rules.tiles[:tiles]) for tiles in (30, 60))
    thirty, sixty = (render_hand(hand, NAMES, CAPTIONS).height for hand in hands)
    assert sixty > thirty + 100


@pytest.mark.parametrize("seats", [5, 6, 7, 8, 12])
def test_more_than_four_seats_have_rows_of_plates(seats: int) -> None:
    view = view_for(build_running_round("quad-ominos", 12, seats), None)
    image = to_rgb(render_table(view, NAMES, CAPTIONS))
    assert count_card_rows(seats) == (3 if seats > 8 else 2)
    for seat, (row, x, width) in enumerate(compute_card_positions(WIDTH, seats)):
        top = build_arrangement(view).plates_top + row * (compute_card_height(seats) + GAP)
        card = (x, top, x + width, top + compute_card_height(seats))
        assert count_pixels(image, DARK.get_seat_colour(seat), card, within=0) > 40
    line = to_rgb(render_hand(view_for(build_running_round("quad-ominos", 12, seats), 0), NAMES, CAPTIONS))
    for seat in range(seats):
        assert count_pixels(line, DARK.get_seat_colour(seat), (0, 690, 1200, line.height), within=0) > 40


def test_single_deal_card_has_no_target_bar() -> None:
    view = view_for(build_running_round("star"), None)
    assert view.rules.target == 0
    box = (24, build_arrangement(view).plates_top + 120, 1176, build_arrangement(view).plates_top + 140)
    assert count_pixels(to_rgb(render_table(view, NAMES, CAPTIONS)), DARK.groove, box, within=0) < 50
    aiming = replace(view, rules=view.rules.with_option("target", "100"))
    assert count_pixels(to_rgb(render_table(aiming, NAMES, CAPTIONS)), DARK.groove, box, within=0) > 2000


@pytest.mark.parametrize(
    ("game", "seats"),
    [("triominoes", 4), ("quad-ominos", 4), ("quad-ominos", 12), ("points", 6), ("star", 2), ("trioker", 3)],
)
def test_open_hands_lie_above_plates_when_round_is_over(game: str, seats: int) -> None:
    view = view_for(build_ended_round(game, seats), None)
    image, arrangement = to_rgb(render_table(view, NAMES, CAPTIONS)), build_arrangement(view)
    assert any(seat.hand for seat in view.seats)
    assert count_ivory(image, (0, arrangement.hands_top, WIDTH, arrangement.plates_top)) > 1000
    assert count_pixels(image, DARK.lip, (0, arrangement.board[3], WIDTH, arrangement.hands_top)) == 0
    for x in (0, WIDTH - RIM):
        assert count_ivory(image, (x, arrangement.hands_top, x + RIM, arrangement.height)) == 0


@pytest.mark.parametrize(
    ("game", "seats", "tiles"),
    [
        *(("triominoes", 6, tiles) for tiles in (0, 1, 9, 20, 40)),
        *(("quad-ominos", 12, tiles) for tiles in (1, 20, 60)),
    ],
)
def test_open_hands_of_any_size_stay_between_board_and_plates(game: str, seats: int, tiles: int) -> None:
    view = view_for(build_ended_round(game, seats), None)
    large = with_first_seat(view, hand=view.rules.tiles[:tiles], tiles=tiles)
    image, arrangement = to_rgb(render_table(large, NAMES, CAPTIONS)), build_arrangement(large)
    assert count_ivory(image, (0, arrangement.board[3], WIDTH, arrangement.hands_top)) == 0
    assert count_ivory(image, (0, arrangement.plates_top - GAP, WIDTH, arrangement.plates_top)) == 0
    for x in (0, WIDTH - RIM):
        assert count_ivory(image, (x, arrangement.hands_top, x + RIM, image.height)) == 0
    assert game != "quad-ominos" or image.height >= build_arrangement(view).height


@pytest.mark.parametrize("game", GAMES)
def test_every_palette_picture_looks_like_true_colours(game: str) -> None:
    view = build_mover_view(game)
    ghost = view.moves[0].placement
    for theme in THEMES:
        tables = (draw_table(view, NAMES, CAPTIONS, theme=theme, true_colour=true) for true in (False, True))
        hands = (draw_hand(view, NAMES, CAPTIONS, ghost=ghost, theme=theme, true_colour=true) for true in (False, True))
        for pair in (tables, hands):
            assert compute_palette_error(*(canvas.image for canvas in pair)) <= 2.6


def test_crowded_palette_picture_looks_like_true_colours() -> None:
    view = view_for(build_random_table(125), None)
    pair = (draw_table(view, NAMES, CAPTIONS, true_colour=true).image for true in (False, True))
    assert compute_palette_error(*pair) <= 2.6


@pytest.mark.parametrize("tiles", [60, 100, 125])
def test_crowded_tables_are_small_files(tiles: int) -> None:
    assert len(render_table(view_for(build_random_table(tiles), None), NAMES, CAPTIONS).png) <= 280_000


def test_board_with_edge_keeps_its_position() -> None:
    shown = {edged: [_compute_board_bounds(tiles, edged=edged) for tiles in (1, 4, 9)] for edged in (True, False)}
    assert shown[True][0] == shown[True][1] == shown[True][2], "the edge is where it was"
    assert shown[False][0] != shown[False][2], "a table without one is fitted around its tiles"
    left, top, right, bottom = shown[True][0]
    assert right - left > bottom - top > 500


def _compute_board_bounds(tiles: int, *, edged: bool) -> tuple[int, int, int, int]:
    played = load_rules("trioker").with_option("trioker_board", "hexagon" if edged else "unbounded")
    seen = view_for(play_until(lambda view: len(view.tiles) == tiles, rules=played), None)
    image = to_rgb(render_table(seen, NAMES, CAPTIONS)).crop(build_arrangement(seen).board)
    return ImageChops.difference(image, Image.new("RGB", image.size, DARK.cloth)).getbbox()
