"""Cached drawings of the empty table: reuse never shows in the picture, and the cache stays small."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from random import Random

import pytest
from PIL import ImageChops

from data.rulebook import load_rules
from engine.board.board import Placement
from engine.match.actions import Play
from engine.match.decide import decide, find_forced_action, start
from engine.match.player_view import PlayerView, view_for
from engine.match.state import apply_event, replay
from engine.players import greedy
from render.faces import build_face
from render.table.hand import render_hand
from render.table.laid import DRAWING_CACHE, MAX_NEW_TILES, open_tiles_drawing
from render.table.table_picture import render_table
from tests.depth import sample_cases, scale_count
from tests.render.tables import CAPTIONS, GAMES, NAMES, build_random_table, build_running_round

pytestmark = pytest.mark.usefixtures("zlib_pictures")


@pytest.fixture(autouse=True)
def nothing_is_kept() -> None:
    DRAWING_CACHE.clear()


def iterate_round(game: str, seed: int, seats: int = 3) -> Iterator[tuple[PlayerView, PlayerView]]:
    rng, secret = Random(seed), bytes(32)
    match = replay(start(load_rules(game), seats=seats, computers=(), by_hand=False, secret=secret))
    while not match.ended and match.round == 1:
        view = view_for(match, match.turn)
        action = find_forced_action(match) or greedy.choose(view, rng)
        if isinstance(action, Play):
            action = Play(action.seat, *rng.choice(view.moves).placement)
        for event in decide(match, action, secret):
            apply_event(match, event)
        if not match.ended:
            yield view_for(match, None), view_for(match, match.turn)


@pytest.mark.parametrize("game", sample_cases(GAMES))
@pytest.mark.parametrize("seed", range(1, 1 + scale_count(1)))
def test_incremental_picture_equals_picture_drawn_from_scratch(game: str, seed: int) -> None:
    tables = list(islice(iterate_round(game, seed), 12))
    added = [
        (render_table(view, NAMES, CAPTIONS).png, render_hand(own_view, NAMES, CAPTIONS).png)
        for view, own_view in tables
    ]
    for (seen, mine), (board, hand) in zip(tables, added, strict=True):
        DRAWING_CACHE.clear()
        assert render_table(seen, NAMES, CAPTIONS).png == board
        DRAWING_CACHE.clear()
        assert render_hand(mine, NAMES, CAPTIONS).png == hand


@pytest.mark.parametrize("tiles", [1, 2, MAX_NEW_TILES - 1, MAX_NEW_TILES, MAX_NEW_TILES + 3])
def test_any_number_of_new_tiles_is_added_to_drawing(tiles: int) -> None:
    view = view_for(build_running_round("triominoes", 20), None)
    assert_picture_is_same_after(view, replace(view, tiles=view.tiles[:-tiles]))


def assert_picture_is_same_after(view: PlayerView, earlier: PlayerView) -> None:
    """Claim that a picture does not depend on an earlier one of the same table."""
    expected = render_table(view, NAMES, CAPTIONS).png
    DRAWING_CACHE.clear()
    render_table(earlier, NAMES, CAPTIONS)
    assert render_table(view, NAMES, CAPTIONS).png == expected


def test_undone_tile_disappears_from_picture() -> None:
    view = view_for(build_running_round("triominoes", 12), None)
    assert_picture_is_same_after(replace(view, tiles=view.tiles[:-1]), view)


def test_tables_with_same_last_tile_have_different_drawings() -> None:
    view = view_for(build_running_round("triominoes", 12), None)
    first, second, *rest = view.tiles
    other = replace(view, tiles=(Placement(second.tile, first.cell, first.rotation), second, *rest))
    assert render_table(view, NAMES, CAPTIONS).png != render_table(other, NAMES, CAPTIONS).png
    assert_picture_is_same_after(other, view)


def test_cropped_table_drawing_can_be_extended() -> None:
    view = view_for(build_random_table(110), None)
    assert_picture_is_same_after(view, replace(view, tiles=view.tiles[:-1]))


def test_drawing_in_use_is_not_shared() -> None:
    view = view_for(build_running_round("triominoes", 20), None)
    lattice, face = view.rules.plane, build_face(view.rules, "classic")
    with open_tiles_drawing(lattice, 62, face, view.tiles[:-1]) as less:
        before = less.canvas.image.copy()
        with open_tiles_drawing(lattice, 62, face, view.tiles) as more:
            assert more.canvas is not less.canvas
        assert ImageChops.difference(before, less.canvas.image).getbbox() is None


def test_extended_drawing_is_cached_once() -> None:
    view = view_for(build_running_round("triominoes", 20), None)
    lattice, face = view.rules.plane, build_face(view.rules, "classic")
    kept = set()
    for count in range(1, 21):
        with open_tiles_drawing(lattice, 62, face, view.tiles[:count]) as drawing:
            kept.add(drawing.bytes)
        assert DRAWING_CACHE.bytes == drawing.bytes
    assert len(kept) < 20, "every tile took another canvas"


def test_drawing_is_not_cached_after_exception() -> None:
    view = view_for(build_running_round("triominoes", 5), None)
    lattice, face = view.rules.plane, build_face(view.rules, "classic")
    with pytest.raises(ValueError, match="half drawn"), open_tiles_drawing(lattice, 62, face, view.tiles):
        raise ValueError("half drawn")
    assert DRAWING_CACHE.bytes == 0


def test_many_threads_may_draw_one_table_at_once() -> None:
    view = view_for(build_running_round("triominoes", 20), None)
    tables = [replace(view, tiles=view.tiles[:count], last=None) for count in range(1, 21)] * 3
    expected = [render_table(table, NAMES, CAPTIONS).png for table in tables]
    DRAWING_CACHE.clear()
    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(lambda table: render_table(table, NAMES, CAPTIONS).png, tables)) == expected
