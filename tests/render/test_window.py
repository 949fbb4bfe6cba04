"""Large tables: the part with the open places stays visible, and an overview shows that there is more."""

from dataclasses import replace

import pytest
from PIL import ImageChops

from engine.board.lattice import SQUARES, Cell
from engine.match.player_view import PlayerView, view_for
from render.canvas.canvas import Box, Canvas
from render.canvas.geometry import SLOT_INSET, compute_table_frame
from render.canvas.theme import DARK
from render.faces import build_face
from render.table import board_picture
from render.table.hand import render_hand
from render.table.overview import draw_overview
from render.table.table_picture import arrange_table, render_table
from render.table.window import Window, build_frame_window
from tests.render.pixels import count_pixels, is_overlapping, to_rgb
from tests.render.tables import CAPTIONS, NAMES, build_ended_round, build_random_table, build_running_round

COMFORT = 62
AREA = (24, 110, 1176, 738)


def build_sample_window(live: list[Cell], tiles: int = 110) -> Window:
    placements = tuple(build_random_table(tiles, 2).board.placed.values())
    return build_frame_window(SQUARES, compute_table_frame(SQUARES, placements, (), ()), live, AREA, COMFORT)


def build_view_window(view: PlayerView, live: list[Cell], area: Box) -> Window:
    table_frame = compute_table_frame(SQUARES, view.tiles, (place.cell for place in view.places), view.dead)
    return build_frame_window(SQUARES, table_frame, live, area, COMFORT)


def test_table_that_fits_in_readable_tiles_is_shown_whole() -> None:
    view = view_for(build_running_round("quad-ominos", 10), None)
    shown = build_view_window(view, [view.tiles[-1].cell], AREA)
    assert not shown.is_cropped
    assert shown.layout.edge >= COMFORT


def test_crowded_table_is_cropped_to_its_live_places() -> None:
    cell = list(build_random_table(110).board.placed)[-1]
    shown = build_sample_window([cell])
    assert shown.is_cropped
    assert shown.layout.edge == COMFORT
    left, top, right, bottom = shown.layout.compute_box(cell)
    assert AREA[0] <= left < right <= AREA[2]
    assert AREA[1] <= top < bottom <= AREA[3]


@pytest.mark.parametrize("seed", range(1, 7))
@pytest.mark.parametrize("tiles", [40, 70, 100, 125])
def test_every_place_and_last_tile_are_visible(tiles: int, seed: int) -> None:
    view = view_for(build_random_table(tiles, seed), None)
    face = build_face(view.rules, "classic")
    area = arrange_table(view, face, 150).board
    live = [*(place.cell for place in view.places), view.tiles[-1].cell]
    shown = build_view_window(view, live, area)
    for cell in live:
        left, top, right, bottom = shown.layout.compute_box(cell)
        # A slot is smaller than its cell.
        free = round(SLOT_INSET[4] * shown.layout.edge) * (cell != view.tiles[-1].cell)
        assert area[0] <= left + free < right - free <= area[2]
        assert area[1] <= top + free < bottom - free <= area[3]


def test_whole_table_is_shown_without_live_places() -> None:
    assert not build_sample_window([]).is_cropped


def test_zoomed_view_leaves_no_space_the_table_could_fill() -> None:
    tiles = list(build_random_table(110).board.placed)
    everything = build_sample_window([]).layout
    for cell in (min(tiles), max(tiles)):
        shown = build_sample_window([cell])
        boxes = [shown.layout.compute_box(other) for other in tiles]
        if shown.continues[0]:
            assert max(box[2] for box in boxes) >= AREA[2] - shown.layout.edge
        if shown.continues[2]:
            assert min(box[0] for box in boxes) <= AREA[0] + shown.layout.edge
        assert shown.layout.edge > everything.edge


@pytest.mark.usefixtures("zlib_pictures")
def test_cropped_picture_has_map(monkeypatch: pytest.MonkeyPatch) -> None:
    cropped = replace(view_for(build_random_table(125, 3), None), places=(), dead=())
    whole = replace(cropped, tiles=cropped.tiles[:6])
    with_maps = [render_table(view, NAMES, CAPTIONS).png for view in (cropped, whole)]
    monkeypatch.setattr(board_picture, "draw_overview", lambda *_: None)
    without = [render_table(seen, NAMES, CAPTIONS).png for seen in (cropped, whole)]
    assert with_maps[0] != without[0]
    assert with_maps[1] == without[1]


def find_map_box(live: list[Cell]) -> tuple[int, int, int, int] | None:
    tiles = list(build_random_table(110, 2).board.placed)
    canvas = Canvas(1200, 900)
    before = canvas.image.copy()
    draw_overview(canvas, build_sample_window([tiles[-1]]), tiles, live, None)
    return ImageChops.difference(before, canvas.image).getbbox()


def test_map_hides_no_live_place() -> None:
    last = build_random_table(110, 2).board.last.cell
    shown = build_sample_window([last])
    free = find_map_box([])
    corner = [Cell("", x, y) for x in range(-40, 40) for y in range(-40, 40)]
    under = [cell for cell in corner if is_overlapping(shown.layout.compute_box(cell), free)]
    assert under
    moved = find_map_box(under)
    assert moved is None or not is_overlapping(moved, free)
    # If open places are everywhere, no corner is free for the overview.
    assert find_map_box([cell for cell in corner if shown.is_cell_visible(cell)]) is None
    assert not is_overlapping(shown.layout.compute_box(last), free)


def test_hand_picture_zooms_to_places_of_own_moves() -> None:
    match = build_random_table(110)
    view = view_for(match, match.turn)
    assert view.moves
    one = [view.moves[0]]
    near = to_rgb(render_hand(replace(view, moves=tuple(one)), NAMES, CAPTIONS))
    assert count_pixels(near, DARK.accent, (24, 110, 1176, 690)) > 700


def test_crowded_board_does_not_jump_while_move_is_chosen() -> None:
    match = build_random_table(110)
    view = view_for(match, match.turn)
    # Few places that are far apart, so that the picture is a close-up and the last tile matters.
    view = replace(view, moves=view.moves[-1:], dead=())
    usual = to_rgb(render_hand(view, NAMES, CAPTIONS)).crop((24, 110, 1176, 690))
    chosen = to_rgb(render_hand(view, NAMES, CAPTIONS, ghost=view.moves[0].placement)).crop((24, 110, 1176, 690))
    changed = ImageChops.difference(usual, chosen).convert("L").point([0, *[255] * 255])
    assert count_pixels(changed.convert("RGB"), (255, 255, 255)) < 0.1 * changed.width * changed.height


def test_finished_round_is_shown_whole() -> None:
    over = view_for(build_ended_round("quad-ominos", 4), None)
    image = to_rgb(render_table(replace(over, tiles=view_for(build_random_table(125), None).tiles), NAMES, CAPTIONS))
    assert count_pixels(image, DARK.slot, (24, 150, 1176, 500), within=0) < 50
