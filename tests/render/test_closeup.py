"""The close look at the places of a hand: all of them are seen, and read on a phone, whatever the hand."""

from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest

from engine.match.player_view import PlayerView, view_for
from engine.match.state import Match
from render.canvas.cell_outline import Outline
from render.canvas.lettering import Style, measure_text
from render.faces import build_face
from render.table import rack
from render.table.hand import build_hand_layout, build_hand_rack, render_hand
from render.table.small_table import build_small_window
from render.table.window import PictureLayout, Window
from tests.render.pixels import overlap
from tests.render.readability import hand_sizes
from tests.render.tables import CAPTIONS, GAMES, NAMES, ended, of, strewn

LEAST = 9


def holding(match: Match, tiles: int, seed: int = 1) -> PlayerView:
    match = match.copy()
    left = sorted(set(match.rules.tiles) - set(match.board.tiles))
    match.seats[match.turn].hand[:] = Random(seed).sample(left, min(tiles, len(left)))
    return view_for(match, match.turn)


@pytest.mark.parametrize("tiles", [1, 7, 30])
@pytest.mark.parametrize("game", GAMES)
def test_tiles_and_places_are_read_on_phone_in_every_game(game: str, tiles: int) -> None:
    for lying in (3, 16):
        sizes = hand_sizes(holding(of(game, lying, 2), tiles))
        assert sizes.tiles is not None
        assert sizes.tiles >= LEAST
        assert sizes.places is None or sizes.places >= LEAST


@pytest.mark.parametrize("lying", [20, 60, 100])
def test_large_table_has_windows_for_every_playable_place(lying: int) -> None:
    seen = holding(strewn(lying, 2), 30)
    assert (hand_sizes(seen).places or 0) >= LEAST
    windows = build_hand_layout(seen).windows
    fits = {move.placement.cell for move in seen.moves}
    assert all(any(_whole(window, window.layout.compute_box(cell)) for window in windows) for cell in fits)


def _whole(window: Window, box: tuple[int, int, int, int]) -> bool:
    left, top, right, bottom = window.area
    return left <= box[0] and top <= box[1] and box[2] <= right and box[3] <= bottom


@pytest.mark.parametrize("seed", range(4))
def test_windows_do_not_overlap_inside_picture(seed: int) -> None:
    plan = build_hand_layout(holding(strewn(80, seed), 12, seed))
    areas = [window.area for window in plan.windows]
    for number, area in enumerate(areas):
        assert 0 < area[0] < area[2] < plan.width
        assert 0 < area[1] < area[3] < plan.height
        assert not any(overlap(area, other) for other in areas[number + 1 :])


@pytest.mark.parametrize(("held", "most"), [(12, 1950), (30, 2300)])
def test_hand_picture_height_is_limited_for_large_tables(held: int, most: int) -> None:
    # 1950 of 1200 are 600 pixels of a screen on which the picture is 369 wide; thirty tiles alone take 150.
    assert max(build_hand_layout(holding(strewn(80, seed), held, seed)).height for seed in range(4)) <= most


def test_few_places_on_large_table_are_seen_from_near() -> None:
    seen = holding(strewn(100, 2), 30)
    one = replace(seen, moves=seen.moves[:1])
    assert len(build_hand_layout(one).windows) == 1
    assert _edge(build_hand_layout(one)) >= _edge(build_hand_layout(seen))
    assert build_hand_layout(one).windows[0].is_cropped


def _edge(plan: PictureLayout) -> int:
    return min(window.layout.edge for window in plan.windows)


def test_table_that_can_be_read_as_whole_is_shown_whole() -> None:
    for seen in (holding(of("triominoes", 4), 7), replace(holding(of("triominoes", 20), 7), moves=())):
        (window,) = build_hand_layout(seen).windows
        assert not window.is_cropped


def test_small_window_shows_every_tile() -> None:
    seen = holding(strewn(80, 3), 9)
    fits = {move.placement.cell for move in seen.moves}
    small = build_small_window(seen, (816, 170, 1168, 560), fits)
    assert all(_whole(small, small.layout.compute_box(lying.cell)) for lying in seen.tiles)


@pytest.mark.usefixtures("zlib_pictures")
def test_hand_picture_after_round_shows_no_moves() -> None:
    over = view_for(ended("triominoes"), 0)
    moves = holding(of("triominoes", 20), 7).moves
    assert moves
    pictures = [render_hand(replace(over, moves=some), NAMES, CAPTIONS).png for some in (moves, ())]
    assert pictures[0] == pictures[1]


def test_tiles_on_rack_do_not_overlap() -> None:
    for game, tiles in (("star", 28), ("quad-ominos", 30), ("triominoes", 30)):
        seen = holding(of(game, 10, 2), tiles)
        stands = build_hand_rack(seen, build_face(seen.rules, "classic")).positions
        assert sorted(stand.tile for stand in stands) == sorted(
            seen.own_seat.hand if seen.own_seat and seen.own_seat.hand else ()
        )
        ups = [stand for stand in stands if stand.outline is not Outline.DOWN]
        edge = build_hand_layout(seen).hand_edges[0]
        boxes = [(one.x, one.y, one.x + edge, one.y + one.outline.compute_height(edge)) for one in ups]
        assert all(box[0] >= 0 and box[2] <= 1136 for box in boxes)
        assert not any(overlap(one, other) for number, one in enumerate(boxes) for other in boxes[number + 1 :])


@pytest.mark.parametrize("held", [12, 30])
def test_labels_under_rack_tiles_do_not_overlap(held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[tuple[int, float, float]] = []

    def draw(_: object, text: str, x: float, base: int, *, style: Style, size: int, **__: object) -> None:
        if text:
            written.append((base, x, x + measure_text(text, style, size)))

    monkeypatch.setattr(rack, "draw_text", draw)
    render_hand(holding(strewn(80, 1), held, 1), NAMES, CAPTIONS)
    assert len(written) > 10
    for (base, _, end), (below, begin, _) in pairwise(sorted(written)):
        assert base != below or begin > end
