"""Pictures of every game of the family: tables and hands of squares, of dominoes with a boss, of up to twelve seats."""

from dataclasses import replace

import pytest
from PIL import Image, ImageChops, ImageStat

from data.rulebook import load_rules
from engine.board.board import Placement
from engine.match.player_view import PlayerView, view_for
from render.canvas.palette import get_palette
from render.canvas.picture import HEADER_HEIGHT, RIM, WIDTH
from render.canvas.theme import DARK
from render.faces import THEMES, build_face
from render.table.cards import GAP, compute_card_height, compute_card_positions, count_card_rows
from render.table.hand import build_hand_layout, draw_hand, render_hand
from render.table.table_picture import TableArrangement, arrange_table, draw_table, render_table
from tests.render.pixels import count, ivory, rgb
from tests.render.tables import CAPTIONS, GAMES, NAMES, ended, mover, of, play, reseated, strewn


def plan(seen: PlayerView, theme: str = "classic") -> TableArrangement:
    return arrange_table(seen, build_face(seen.rules, theme), HEADER_HEIGHT)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("game", GAMES)
def test_every_game_is_drawn_between_its_header_and_its_cards(game: str, theme: str) -> None:
    seen = view_for(of(game), None)
    image = rgb(render_table(seen, NAMES, CAPTIONS, theme=theme))
    where = plan(seen, theme)
    assert image.size == (1200, where.height)
    assert ivory(image, where.board) > 5000
    assert count(image, DARK.quiet, where.board) > 500
    assert count(image, DARK.brass_light, where.board) > 300
    left, _, right, bottom = where.board
    assert count(image, DARK.lip, (left, bottom, right, where.plates_top)) == 0


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("game", GAMES)
def test_hand_picture_draws_ghost_on_board(game: str, theme: str) -> None:
    seen = mover(game)
    usual = render_hand(seen, NAMES, CAPTIONS, theme=theme)
    ghost = render_hand(seen, NAMES, CAPTIONS, ghost=seen.moves[0].placement, theme=theme)
    assert (usual.width, usual.height) == (ghost.width, ghost.height)
    box = (0, HEADER_HEIGHT, 1200, 750)
    changed = ImageChops.difference(rgb(usual).crop(box), rgb(ghost).crop(box))
    assert changed.getbbox() is not None
    assert count(rgb(usual), DARK.accent, box) > 300


@pytest.mark.parametrize("game", GAMES)
def test_only_picture_theme_has_legend(game: str) -> None:
    seen = view_for(of(game), None)
    strip = (200, HEADER_HEIGHT, 1000, HEADER_HEIGHT + 50)
    classic, shapes = (rgb(render_table(seen, NAMES, CAPTIONS, theme=theme)) for theme in THEMES)
    values = {label for tile in seen.rules.tiles for label in tile if label >= 0}
    for value in values:
        assert count(shapes, DARK.values[value], strip, within=0) > 100
    assert count(classic, DARK.text, strip) < count(shapes, DARK.text, strip)


def test_ten_values_are_drawn_and_listed_in_legend() -> None:
    match = of("triominoes", 30, options=(("tile_set", "trio220"),))
    seen = view_for(match, match.turn)
    hand = tuple(tile for tile in match.rules.tiles if len(set(tile)) == 1)
    assert len(hand) == 10
    seats = tuple(replace(seat, hand=hand) if seat.seat == seen.viewer else seat for seat in seen.seats)
    held = replace(seen, seats=seats, moves=())
    classic, shapes = (rgb(render_hand(held, NAMES, CAPTIONS, theme=theme)) for theme in THEMES)
    strip = shapes.crop((0, HEADER_HEIGHT, 1200, HEADER_HEIGHT + 50))
    assert [count(strip, DARK.values[value], within=0) > 100 for value in range(10)] == [True] * 10
    assert count(strip, DARK.cloth, (0, 0, 24, 50), within=0) == 24 * 50
    assert classic.height < shapes.height


@pytest.mark.usefixtures("zlib_pictures")
def test_rotations_of_square_make_different_ghosts() -> None:
    seen = next(
        seen
        for tiles in range(4, 30)
        for seat in range(4)
        if len(two_ways(seen := view_for(of("quad-ominos", tiles), seat))) > 1
    )
    one, other = two_ways(seen)[:2]
    assert (one.tile, one.cell) == (other.tile, other.cell)
    shown = [render_hand(seen, NAMES, CAPTIONS, ghost=ghost, letters=[one.cell]).png for ghost in (one, other)]
    assert shown[0] != shown[1]


def two_ways(seen: PlayerView) -> list[Placement]:
    laid = [move.placement for move in seen.moves]
    return next(
        (same for one in laid if len(same := [p for p in laid if (p.tile, p.cell) == (one.tile, one.cell)]) > 1), []
    )


def test_corner_to_corner_place_is_marked_at_its_corner() -> None:
    seen = view_for(of("star", 8), None)
    touching = [place for place in seen.places if place.touch]
    assert touching
    bare = replace(seen, places=tuple(replace(place, touch=None) for place in seen.places))
    marked, unmarked = (rgb(render_table(table, NAMES, CAPTIONS)) for table in (seen, bare))
    assert count(marked, DARK.quiet) > count(unmarked, DARK.quiet) + 50 * len(touching)


@pytest.mark.parametrize("game", ["quad-ominos", "star"])
@pytest.mark.parametrize("tiles", [0, 1, 12, 28, 36])
def test_hand_of_any_size_has_a_rack(game: str, tiles: int) -> None:
    seen = mover(game, 10, 2)
    hand = seen.rules.tiles[:tiles]
    seats = tuple(replace(seat, hand=hand) if seat.seat == seen.viewer else seat for seat in seen.seats)
    picture = render_hand(replace(seen, seats=seats), NAMES, CAPTIONS)
    image = rgb(picture)
    low = max(window.area[3] for window in build_hand_layout(seen).windows)
    assert count(image, DARK.walnut, (32, low, 1168, picture.height)) > 15_000
    left = image.crop((0, 0, 24, picture.height))
    assert ImageChops.difference(left, left.resize((1, picture.height)).resize(left.size)).getbbox() is None


def test_hand_of_sixty_squares_is_taller_than_thirty() -> None:
    seen = mover("quad-ominos", 10, 2)

    def with_hand(tiles: int) -> PlayerView:
        hand = seen.rules.tiles[:tiles]
        seats = tuple(replace(seat, hand=hand) if seat.seat == seen.viewer else seat for seat in seen.seats)
        return replace(seen, seats=seats)

    thirty, sixty = (render_hand(with_hand(tiles), NAMES, CAPTIONS).height for tiles in (30, 60))
    assert sixty > thirty + 100


@pytest.mark.parametrize("seats", [5, 6, 7, 8, 12])
def test_more_than_four_seats_have_rows_of_plates(seats: int) -> None:
    seen = view_for(of("quad-ominos", 12, seats), None)
    image = rgb(render_table(seen, NAMES, CAPTIONS))
    assert count_card_rows(seats) == (3 if seats > 8 else 2)
    for seat, (row, x, width) in enumerate(compute_card_positions(WIDTH, seats)):
        top = plan(seen).plates_top + row * (compute_card_height(seats) + GAP)
        assert (
            count(image, DARK.get_seat_colour(seat), (x, top, x + width, top + compute_card_height(seats)), within=0)
            > 40
        )
    line = rgb(render_hand(view_for(of("quad-ominos", 12, seats), 0), NAMES, CAPTIONS))
    for seat in range(seats):
        assert count(line, DARK.get_seat_colour(seat), (0, 690, 1200, line.height), within=0) > 40


def test_single_deal_card_has_no_target_bar() -> None:
    seen = view_for(of("star"), None)
    assert seen.rules.target == 0
    box = (24, plan(seen).plates_top + 120, 1176, plan(seen).plates_top + 140)
    assert count(rgb(render_table(seen, NAMES, CAPTIONS)), DARK.groove, box, within=0) < 50
    aiming = replace(seen, rules=seen.rules.with_option("target", "100"))
    assert count(rgb(render_table(aiming, NAMES, CAPTIONS)), DARK.groove, box, within=0) > 2000


@pytest.mark.parametrize(
    ("game", "seats"),
    [("triominoes", 4), ("quad-ominos", 4), ("quad-ominos", 12), ("points", 6), ("star", 2), ("trioker", 3)],
)
def test_open_hands_lie_above_plates_when_round_is_over(game: str, seats: int) -> None:
    seen = view_for(ended(game, seats), None)
    image, where = rgb(render_table(seen, NAMES, CAPTIONS)), plan(seen)
    assert any(seat.hand for seat in seen.seats)
    assert ivory(image, (0, where.hands_top, WIDTH, where.plates_top)) > 1000
    assert count(image, DARK.lip, (0, where.board[3], WIDTH, where.hands_top)) == 0
    for x in (0, WIDTH - RIM):
        assert ivory(image, (x, where.hands_top, x + RIM, where.height)) == 0


@pytest.mark.parametrize("tiles", [1, 20, 60])
def test_open_hands_of_squares_enlarge_picture_without_overlap(tiles: int) -> None:
    seen = view_for(ended("quad-ominos", 12), None)
    large = reseated(seen, hand=seen.rules.tiles[:tiles], tiles=tiles)
    image, where = rgb(render_table(large, NAMES, CAPTIONS)), plan(large)
    assert ivory(image, (0, where.board[3], WIDTH, where.hands_top)) == 0
    assert ivory(image, (0, where.plates_top - GAP, WIDTH, where.plates_top)) == 0
    assert image.height >= plan(seen).height


@pytest.mark.parametrize("game", GAMES)
def test_every_palette_picture_looks_like_true_colours(game: str) -> None:
    seen = mover(game)
    for theme in THEMES:
        table, true_table = (
            draw_table(seen, NAMES, CAPTIONS, theme=theme, true_colour=kind).image for kind in (False, True)
        )
        ghost = seen.moves[0].placement
        hand, true_hand = (
            draw_hand(seen, NAMES, CAPTIONS, ghost=ghost, theme=theme, true_colour=kind).image for kind in (False, True)
        )
        for drawn, true in ((table, true_table), (hand, true_hand)):
            assert (
                max(
                    ImageStat.Stat(
                        ImageChops.difference(get_palette(DARK).to_palette_image(drawn).convert("RGB"), true)
                    ).rms
                )
                <= 2
            )


def test_crowded_palette_picture_looks_like_true_colours() -> None:
    seen = view_for(strewn(125), None)
    palette, true = (draw_table(seen, NAMES, CAPTIONS, true_colour=kind).image for kind in (False, True))
    assert (
        max(ImageStat.Stat(ImageChops.difference(get_palette(DARK).to_palette_image(palette).convert("RGB"), true)).rms)
        <= 2
    )


@pytest.mark.parametrize("tiles", [60, 100, 125])
def test_crowded_tables_are_small_files(tiles: int) -> None:
    assert len(render_table(view_for(strewn(tiles), None), NAMES, CAPTIONS).png) <= 150_000


def test_board_with_edge_keeps_its_position() -> None:
    shown = {edged: [_outer(tiles, edged=edged) for tiles in (1, 4, 9)] for edged in (True, False)}
    assert shown[True][0] == shown[True][1] == shown[True][2], "the edge is where it was"
    assert shown[False][0] != shown[False][2], "a table without one is fitted around its tiles"
    left, top, right, bottom = shown[True][0]
    assert right - left > bottom - top > 500


def _outer(tiles: int, *, edged: bool) -> tuple[int, int, int, int]:
    played = load_rules("trioker").with_option("trioker_board", "hexagon" if edged else "unbounded")
    seen = view_for(play(lambda seen: len(seen.tiles) == tiles, rules=played), None)
    left, top, right, bottom = plan(seen).board
    image = rgb(render_table(seen, NAMES, CAPTIONS)).crop((left, top, right, bottom))
    box = ImageChops.difference(image, Image.new("RGB", image.size, DARK.cloth)).getbbox()
    assert box is not None
    return box
