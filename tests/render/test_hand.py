"""The picture of a player's own hand."""

from dataclasses import replace

import pytest
from PIL import ImageChops

from engine.match.player_view import PlayerView, view_for
from render.canvas.canvas import Box
from render.canvas.picture import WIDTH
from render.canvas.theme import DARK
from render.faces import build_face
from render.table.closeup import GUTTER
from render.table.hand import build_hand_rack, render_hand
from tests.render.pixels import count_ivory, count_pixels, is_plain_cloth, to_rgb
from tests.render.tables import CAPTIONS, NAMES, build_hand_arrangement, play_until, with_own_hand

pytestmark = pytest.mark.usefixtures("zlib_pictures")

BOARD = (0, 172, 1200, 592)


def compute_rack_box(view: PlayerView) -> Box:
    arrangement, rack = build_hand_arrangement(view), build_hand_rack(view, build_face(view.rules, "classic"))
    top = max(window.area[3] for window in arrangement.windows)
    return 0, top, WIDTH, arrangement.bottom + GUTTER + rack.height + GUTTER - 10


def has_ten_tiles(view: PlayerView) -> bool:
    return view.round_over is None and len(view.tiles) > 9


def build_hand_view(tiles: int | None = None) -> PlayerView:
    match = play_until(has_ten_tiles, seats=3)
    view = next(view for seat in range(3) if (view := view_for(match, seat)).moves)
    return view if tiles is None else with_own_hand(view, view.rules.tiles[:tiles])


@pytest.mark.parametrize("tiles", [0, 1, 9, 15, 25, 40, 55])
def test_hand_of_any_size_fits_its_picture(tiles: int) -> None:
    picture = render_hand(build_hand_view(tiles), NAMES, CAPTIONS)
    assert picture.width == 1200
    assert picture.height <= 2000
    image = to_rgb(picture)
    assert count_pixels(image, DARK.walnut, compute_rack_box(build_hand_view(tiles))) > 20_000
    assert is_plain_cloth(image, (0, 0, 24, picture.height))


def test_hand_of_nine_fits_in_one_row() -> None:
    low, usual, high = (render_hand(build_hand_view(tiles), NAMES, CAPTIONS).height for tiles in (7, 9, 15))
    assert low - 30 <= usual <= low
    assert high > usual + 80


def test_places_are_lettered_only_where_hand_fits() -> None:
    view = build_hand_view()
    fits = {move.placement.cell for move in view.moves}
    assert 0 < len(fits) < len(view.places)
    shown = render_hand(view, NAMES, CAPTIONS)
    assert render_hand(view, NAMES, CAPTIONS, letters=fits).png == shown.png
    assert render_hand(view, NAMES, CAPTIONS, letters=()).png != shown.png
    hopeless = replace(view, moves=())
    assert count_pixels(to_rgb(render_hand(hopeless, NAMES, CAPTIONS)), DARK.brass, (0, 150, 1200, 690)) < 3000


def test_tiles_that_fit_are_bright_and_others_dim() -> None:
    view = build_hand_view(9)
    bright = count_ivory(to_rgb(render_hand(view, NAMES, CAPTIONS)), compute_rack_box(view))
    hopeless = replace(view, moves=())
    none = count_ivory(to_rgb(render_hand(hopeless, NAMES, CAPTIONS)), compute_rack_box(hopeless))
    assert none < 300
    playable = {move.placement.tile for move in view.moves} & set(view.rules.tiles[:9])
    assert (bright > none) == bool(playable)


def test_picked_tile_is_lit() -> None:
    view = build_hand_view()
    picked = view.moves[0].placement.tile
    lit = count_pixels(to_rgb(render_hand(view, NAMES, CAPTIONS, picked=picked)), DARK.lit, compute_rack_box(view))
    assert lit > count_pixels(to_rgb(render_hand(view, NAMES, CAPTIONS)), DARK.lit, compute_rack_box(view)) + 200


def test_ghost_is_paler_than_played_tile() -> None:
    # The tile that was played last is lit only as long as none is chosen.
    view = replace(build_hand_view(), last=None)
    ghost = view.moves[0].placement
    usual = to_rgb(render_hand(view, NAMES, CAPTIONS))
    shown = to_rgb(render_hand(view, NAMES, CAPTIONS, ghost=ghost))
    assert ImageChops.difference(usual.crop(BOARD), shown.crop(BOARD)).getbbox() is not None
    # Paler than a tile that was played: no new pixel has the colour of the face.
    assert count_ivory(shown, BOARD) <= count_ivory(usual, BOARD) + 2500
    assert shown.getpixel((0, 0)) == usual.getpixel((0, 0))


def test_board_does_not_jump_while_move_is_chosen() -> None:
    match = play_until(lambda view: len(view.tiles) == 2 and view.round_over is None, seats=2)
    views = (view_for(match, 0), view_for(match, 1))
    seen = next(view for view in views if len({move.placement.cell for move in view.moves}) > 1)
    heart = (300, 250, 900, 550)
    one = to_rgb(render_hand(seen, NAMES, CAPTIONS, letters=())).crop(heart)
    other = to_rgb(render_hand(seen, NAMES, CAPTIONS, letters=[seen.moves[0].placement.cell])).crop(heart)
    faces = [image.point([255 * (level > 244) for level in range(256)] * 3).convert("L") for image in (one, other)]
    assert faces[0].getbbox() == faces[1].getbbox() is not None


def test_opening_can_be_chosen_on_empty_table() -> None:
    match = play_until(lambda view: not view.tiles and view.round_over is None)
    seen = view_for(match, match.turn)
    empty = render_hand(seen, NAMES, CAPTIONS)
    chosen = render_hand(seen, NAMES, CAPTIONS, ghost=seen.moves[0].placement)
    assert empty.png != chosen.png


def test_hand_picture_does_not_depend_on_other_hands() -> None:
    match = play_until(has_ten_tiles, seats=3)
    seat = next(seat for seat in range(3) if view_for(match, seat).moves)
    before = render_hand(view_for(match, seat), NAMES, CAPTIONS).png
    one, two = (match.seats[other] for other in range(3) if other != seat)
    one.hand[0], two.hand[0] = two.hand[0], one.hand[0]
    assert render_hand(view_for(match, seat), NAMES, CAPTIONS).png == before
