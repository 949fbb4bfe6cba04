"""The close-up of the places of a hand shows all of them, readable on a phone, for every hand."""

from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest

from engine.match.player_view import PlayerView, view_for
from engine.match.state import Match
from render.canvas.cell_outline import Outline
from render.canvas.lettering import Style, measure_text
from render.canvas.picture import WIDTH
from render.faces import build_face
from render.table import rack
from render.table.hand import build_hand_rack, render_hand
from render.table.small_table import build_small_window
from tests.render.pixels import is_overlapping
from tests.render.readability import is_inside, measure_hand
from tests.render.tables import (
    CAPTIONS,
    GAMES,
    NAMES,
    build_ended_round,
    build_hand_arrangement,
    build_random_table,
    build_running_round,
)

MIN_SIGN_HEIGHT = 9


def build_hand_view(match: Match, tiles: int, seed: int = 1) -> PlayerView:
    match = match.copy()
    unused_tiles = sorted(set(match.rules.tiles) - set(match.board.tiles))
    match.seats[match.turn].hand[:] = Random(seed).sample(unused_tiles, min(tiles, len(unused_tiles)))
    return view_for(match, match.turn)


@pytest.mark.parametrize("tiles", [1, 7, 30])
@pytest.mark.parametrize("game", GAMES)
def test_tiles_and_places_are_readable_on_phone_in_every_game(game: str, tiles: int) -> None:
    for lying in (3, 16):
        sizes = measure_hand(build_hand_view(build_running_round(game, lying, 2), tiles))
        assert sizes.tiles >= MIN_SIGN_HEIGHT
        assert sizes.places is None or sizes.places >= MIN_SIGN_HEIGHT


@pytest.mark.parametrize("lying", [20, 60, 100])
def test_large_table_has_windows_for_every_playable_place(lying: int) -> None:
    view = build_hand_view(build_random_table(lying, 2), 30)
    assert (measure_hand(view).places or 0) >= MIN_SIGN_HEIGHT
    windows = build_hand_arrangement(view).windows
    fits = {move.placement.cell for move in view.moves}
    assert all(any(is_inside(window, window.layout.compute_box(cell)) for window in windows) for cell in fits)


@pytest.mark.parametrize("seed", range(4))
def test_windows_do_not_overlap_inside_picture(seed: int) -> None:
    arrangement = build_hand_arrangement(build_hand_view(build_random_table(80, seed), 12, seed))
    areas = [window.area for window in arrangement.windows]
    for number, area in enumerate(areas):
        assert 0 < area[0] < area[2] < WIDTH
        assert 0 < area[1] < area[3] <= arrangement.bottom
        assert not any(is_overlapping(area, other) for other in areas[number + 1 :])


@pytest.mark.parametrize(("held", "most"), [(12, 1950), (30, 2350)])
def test_hand_picture_height_is_limited_for_large_tables(held: int, most: int) -> None:
    # A picture of 1200 by 1950 is 600 pixels high on a phone, where it is 369 wide. Thirty tiles take 150 of them.
    for seed in range(4):
        view = build_hand_view(build_random_table(80, seed), held, seed)
        assert render_hand(view, NAMES, CAPTIONS).height <= most


def test_few_places_on_large_table_are_shown_in_close_up() -> None:
    view = build_hand_view(build_random_table(100, 2), 30)
    (near,) = build_hand_arrangement(replace(view, moves=view.moves[:1])).windows
    assert near.layout.edge >= min(window.layout.edge for window in build_hand_arrangement(view).windows)
    assert near.is_cropped


def test_readable_table_is_shown_whole() -> None:
    for view in (
        build_hand_view(build_running_round("triominoes", 4), 7),
        replace(build_hand_view(build_running_round("triominoes", 20), 7), moves=()),
    ):
        (window,) = build_hand_arrangement(view).windows
        assert not window.is_cropped


def test_small_window_shows_every_tile() -> None:
    view = build_hand_view(build_random_table(80, 3), 9)
    fits = {move.placement.cell for move in view.moves}
    small = build_small_window(view, (816, 170, 1168, 560), fits)
    assert all(is_inside(small, small.layout.compute_box(lying.cell)) for lying in view.tiles)


@pytest.mark.usefixtures("zlib_pictures")
def test_hand_picture_after_round_shows_no_moves() -> None:
    over = view_for(build_ended_round("triominoes"), 0)
    moves = build_hand_view(build_running_round("triominoes", 20), 7).moves
    assert moves
    pictures = [render_hand(replace(over, moves=some), NAMES, CAPTIONS).png for some in (moves, ())]
    assert pictures[0] == pictures[1]


def test_tiles_on_rack_do_not_overlap() -> None:
    for game, tiles in (("star", 28), ("quad-ominos", 30), ("triominoes", 30)):
        view = build_hand_view(build_running_round(game, 10, 2), tiles)
        hand_rack = build_hand_rack(view, build_face(view.rules, "classic"))
        stands = hand_rack.positions
        assert sorted(stand.tile for stand in stands) == sorted(view.own_seat.hand)

        ups = [stand for stand in stands if stand.outline is not Outline.DOWN]
        edge = hand_rack.edge
        boxes = [(one.x, one.y, one.x + edge, one.y + one.outline.compute_height(edge)) for one in ups]
        assert all(box[0] >= 0 and box[2] <= 1136 for box in boxes)
        assert not any(is_overlapping(one, other) for number, one in enumerate(boxes) for other in boxes[number + 1 :])


@pytest.mark.parametrize("held", [12, 30])
def test_labels_under_rack_tiles_do_not_overlap(held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[tuple[int, float, float]] = []

    def draw(_: object, text: str, x: float, base: int, *, style: Style, size: int, **__: object) -> None:
        if text:
            texts.append((base, x, x + measure_text(text, style, size)))

    monkeypatch.setattr(rack, "draw_text", draw)
    render_hand(build_hand_view(build_random_table(80, 1), held, 1), NAMES, CAPTIONS)
    assert len(texts) > 10
    for (base, _, end), (below, begin, _) in pairwise(sorted(texts)):
        assert base != below or begin > end
