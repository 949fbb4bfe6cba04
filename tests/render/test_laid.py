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
from tests.depth import part, scaled
from tests.render.tables import CAPTIONS, GAMES, NAMES, of, strewn

pytestmark = pytest.mark.usefixtures("zlib_pictures")


@pytest.fixture(autouse=True)
def nothing_is_kept() -> None:
    DRAWING_CACHE.clear()


def round_of(game: str, seed: int, seats: int = 3) -> Iterator[tuple[PlayerView, PlayerView]]:
    rng, secret = Random(seed), bytes(32)
    match = replay(start(load_rules(game), seats=seats, computers=(), by_hand=False, secret=secret))
    while not match.ended and match.round == 1:
        seen = view_for(match, match.turn)
        action = find_forced_action(match) or greedy.choose(seen, rng)
        if isinstance(action, Play):
            action = Play(action.seat, *rng.choice(seen.moves).placement)
        for event in decide(match, action, secret):
            apply_event(match, event)
        if not match.ended:
            yield view_for(match, None), view_for(match, match.turn)


@pytest.mark.parametrize("game", part(GAMES))
@pytest.mark.parametrize("seed", range(1, 1 + scaled(1)))
def test_incremental_picture_equals_picture_drawn_from_scratch(game: str, seed: int) -> None:
    tables = list(islice(round_of(game, seed), 12))
    added = [(render_table(seen, NAMES, CAPTIONS).png, render_hand(mine, NAMES, CAPTIONS).png) for seen, mine in tables]
    for (seen, mine), (board, hand) in zip(tables, added, strict=True):
        DRAWING_CACHE.clear()
        assert render_table(seen, NAMES, CAPTIONS).png == board
        DRAWING_CACHE.clear()
        assert render_hand(mine, NAMES, CAPTIONS).png == hand


@pytest.mark.parametrize("tiles", [1, 2, MAX_NEW_TILES - 1, MAX_NEW_TILES, MAX_NEW_TILES + 3])
def test_tiles_that_were_played_since_are_added_however_many(tiles: int) -> None:
    seen = view_for(of("triominoes", 20), None)
    alone = render_table(seen, NAMES, CAPTIONS).png
    DRAWING_CACHE.clear()
    render_table(replace(seen, tiles=seen.tiles[:-tiles]), NAMES, CAPTIONS)
    assert render_table(seen, NAMES, CAPTIONS).png == alone


def test_undone_tile_disappears_from_picture() -> None:
    seen = view_for(of("triominoes", 12), None)
    before = replace(seen, tiles=seen.tiles[:-1])
    alone = render_table(before, NAMES, CAPTIONS).png
    DRAWING_CACHE.clear()
    render_table(seen, NAMES, CAPTIONS)
    assert render_table(before, NAMES, CAPTIONS).png == alone


def test_tables_with_same_last_tile_have_different_drawings() -> None:
    seen = view_for(of("triominoes", 12), None)
    first, second, *rest = seen.tiles
    other = replace(seen, tiles=(Placement(second.tile, first.cell, first.rotation), second, *rest))
    alone = render_table(other, NAMES, CAPTIONS).png
    DRAWING_CACHE.clear()
    assert render_table(seen, NAMES, CAPTIONS).png != alone
    assert render_table(other, NAMES, CAPTIONS).png == alone


def test_cropped_table_drawing_can_be_extended() -> None:
    seen = view_for(strewn(110), None)
    alone = render_table(seen, NAMES, CAPTIONS).png
    DRAWING_CACHE.clear()
    render_table(replace(seen, tiles=seen.tiles[:-1]), NAMES, CAPTIONS)
    assert render_table(seen, NAMES, CAPTIONS).png == alone


def test_drawing_in_use_is_not_shared() -> None:
    seen = view_for(of("triominoes", 20), None)
    lattice, face = seen.rules.plane, build_face(seen.rules, "classic")
    with open_tiles_drawing(lattice, 62, face, seen.tiles[:-1]) as less:
        before = less.canvas.image.copy()
        with open_tiles_drawing(lattice, 62, face, seen.tiles) as more:
            assert more.canvas is not less.canvas
        assert ImageChops.difference(before, less.canvas.image).getbbox() is None


def test_extended_drawing_is_cached_once() -> None:
    seen = view_for(of("triominoes", 20), None)
    lattice, face = seen.rules.plane, build_face(seen.rules, "classic")
    kept = set()
    for count in range(1, 21):
        with open_tiles_drawing(lattice, 62, face, seen.tiles[:count]) as drawing:
            kept.add(drawing.bytes)
        assert DRAWING_CACHE.bytes == drawing.bytes
    assert len(kept) < 20, "every tile took another canvas"


def test_drawing_is_not_cached_after_exception() -> None:
    seen = view_for(of("triominoes", 5), None)
    lattice, face = seen.rules.plane, build_face(seen.rules, "classic")
    with pytest.raises(ValueError, match="half drawn"), open_tiles_drawing(lattice, 62, face, seen.tiles):
        raise ValueError("half drawn")
    assert DRAWING_CACHE.bytes == 0


def test_many_threads_may_draw_one_table_at_once() -> None:
    seen = view_for(of("triominoes", 20), None)
    tables = [replace(seen, tiles=seen.tiles[:count], last=None) for count in range(1, 21)] * 3
    alone = [render_table(table, NAMES, CAPTIONS).png for table in tables]
    DRAWING_CACHE.clear()
    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(lambda table: render_table(table, NAMES, CAPTIONS).png, tables)) == alone
