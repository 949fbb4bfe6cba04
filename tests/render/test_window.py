"""Large tables: the part that play is about stays in sight, and a map says that there is more."""

from dataclasses import replace

import pytest
from PIL import ImageChops

from engine.board.lattice import SQUARES, Cell
from engine.match.player_view import view_for
from render.canvas.canvas import Canvas
from render.canvas.geometry import SLOT_INSET
from render.canvas.theme import DARK
from render.faces import build_face
from render.table import board_picture
from render.table.hand import render_hand
from render.table.overview import draw_overview
from render.table.table_picture import arrange_table, render_table
from render.table.window import Window, build_window
from tests.render.pixels import count, overlap, rgb
from tests.render.tables import CAPTIONS, NAMES, ended, of, strewn

COMFORT = 62
AREA = (24, 110, 1176, 738)


def window(live: list[Cell], tiles: int = 110) -> Window:
    return build_window(SQUARES, tuple(strewn(tiles, 2).board.placed.values()), (), (), live, AREA, COMFORT)


def test_table_that_fits_in_readable_tiles_is_shown_whole() -> None:
    seen = view_for(of("quad-ominos", 10), None)
    shown = build_window(
        SQUARES, seen.tiles, (place.cell for place in seen.places), seen.dead, [seen.tiles[-1].cell], AREA, COMFORT
    )
    assert not shown.is_cropped
    assert shown.layout.edge >= COMFORT


def test_crowded_table_is_shown_from_near_around_what_is_live() -> None:
    cell = list(strewn(110).board.placed)[-1]
    shown = window([cell])
    assert shown.is_cropped
    assert shown.layout.edge == COMFORT
    left, top, right, bottom = shown.layout.compute_box(cell)
    assert AREA[0] <= left < right <= AREA[2]
    assert AREA[1] <= top < bottom <= AREA[3]


@pytest.mark.parametrize("seed", range(1, 7))
@pytest.mark.parametrize("tiles", [40, 70, 100, 125])
def test_every_place_and_last_tile_are_in_sight(tiles: int, seed: int) -> None:
    seen = view_for(strewn(tiles, seed), None)
    face = build_face(seen.rules, "classic")
    area = arrange_table(seen, face, 150).board
    live = [*(place.cell for place in seen.places), seen.tiles[-1].cell]
    shown = build_window(SQUARES, seen.tiles, (place.cell for place in seen.places), seen.dead, live, area, COMFORT)
    for cell in live:
        left, top, right, bottom = shown.layout.compute_box(cell)
        # A slot is smaller than its cell.
        free = round(SLOT_INSET[4] * shown.layout.edge) * (cell != seen.tiles[-1].cell)
        assert area[0] <= left + free < right - free <= area[2]
        assert area[1] <= top + free < bottom - free <= area[3]


def test_whole_table_is_shown_without_live_places() -> None:
    assert not window([]).is_cropped


def test_zoomed_view_leaves_no_space_the_table_could_fill() -> None:
    tiles = list(strewn(110).board.placed)
    everything = window([]).layout
    for cell in (min(tiles), max(tiles)):
        shown = window([cell])
        boxes = [shown.layout.compute_box(other) for other in tiles]
        if shown.continues[0]:
            assert max(box[2] for box in boxes) >= AREA[2] - shown.layout.edge
        if shown.continues[2]:
            assert min(box[0] for box in boxes) <= AREA[0] + shown.layout.edge
        assert shown.layout.edge > everything.edge


@pytest.mark.usefixtures("zlib_pictures")
def test_cropped_picture_has_map(monkeypatch: pytest.MonkeyPatch) -> None:
    cropped = replace(view_for(strewn(125, 3), None), places=(), dead=())
    whole = replace(cropped, tiles=cropped.tiles[:6])
    with_maps = [render_table(seen, NAMES, CAPTIONS).png for seen in (cropped, whole)]
    monkeypatch.setattr(board_picture, "draw_overview", lambda *_: None)
    without = [render_table(seen, NAMES, CAPTIONS).png for seen in (cropped, whole)]
    assert with_maps[0] != without[0]
    assert with_maps[1] == without[1]


def map_beside(live: list[Cell]) -> tuple[int, int, int, int] | None:
    tiles = list(strewn(110, 2).board.placed)
    canvas = Canvas(1200, 900)
    before = canvas.image.copy()
    draw_overview(canvas, window([tiles[-1]]), tiles, live, None)
    return ImageChops.difference(before, canvas.image).getbbox()


def test_map_hides_no_live_place() -> None:
    shown = window([list(strewn(110, 2).board.placed)[-1]])
    middle = shown.layout.compute_box(list(strewn(110, 2).board.placed)[-1])
    free = map_beside([])
    assert free is not None
    corner = [Cell("", x, y) for x in range(-40, 40) for y in range(-40, 40)]
    under = [cell for cell in corner if overlap(shown.layout.compute_box(cell), free)]
    assert under
    moved = map_beside(under)
    assert moved is None or not overlap(moved, free)
    # With live places everywhere there is no corner left for it.
    assert map_beside([cell for cell in corner if shown.is_cell_visible(cell)]) is None
    assert not overlap(middle, free)


def test_hand_picture_zooms_to_places_of_own_moves() -> None:
    match = strewn(110)
    seen = view_for(match, match.turn)
    assert seen.moves
    one = [seen.moves[0]]
    near = rgb(render_hand(replace(seen, moves=tuple(one)), NAMES, CAPTIONS))
    assert count(near, DARK.accent, (24, 110, 1176, 690)) > 700


def test_crowded_board_does_not_jump_while_move_is_chosen() -> None:
    match = strewn(110)
    seen = view_for(match, match.turn)
    # Few places far apart, so that the picture is near and the last tile matters.
    seen = replace(seen, moves=seen.moves[-1:], dead=())
    usual = rgb(render_hand(seen, NAMES, CAPTIONS)).crop((24, 110, 1176, 690))
    chosen = rgb(render_hand(seen, NAMES, CAPTIONS, ghost=seen.moves[0].placement)).crop((24, 110, 1176, 690))
    changed = ImageChops.difference(usual, chosen).convert("L").point([0, *[255] * 255])
    assert count(changed.convert("RGB"), (255, 255, 255)) < 0.1 * changed.width * changed.height


def test_table_of_round_that_is_over_is_shown_whole() -> None:
    over = view_for(ended("quad-ominos", 4), None)
    image = rgb(render_table(replace(over, tiles=view_for(strewn(125), None).tiles), NAMES, CAPTIONS))
    assert count(image, DARK.slot, (24, 150, 1176, 500), within=0) < 50
