"""Cached drawings of the empty table: reuse never shows in the picture, and the cache stays small."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from random import Random

import pytest
from PIL import ImageChops

from data.rulebook import rules
from engine.board.board import Placement
from engine.match.actions import Play
from engine.match.decide import decide, forced, start
from engine.match.player_view import PlayerView, view_for
from engine.match.state import evolve, replay
from engine.players import greedy
from render.faces import face_of
from render.table.hand import hand_picture
from render.table.laid import DRAWINGS, FEW, laid_tiles
from render.table.table_picture import table_picture
from tests.depth import part, scaled
from tests.render.tables import CAPTIONS, GAMES, NAMES, of, strewn

pytestmark = pytest.mark.usefixtures("zlib_pictures")


@pytest.fixture(autouse=True)
def nothing_is_kept() -> None:
    DRAWINGS.clear()


def round_of(game: str, seed: int, seats: int = 3) -> Iterator[tuple[PlayerView, PlayerView]]:
    rng, secret = Random(seed), bytes(32)
    match = replay(start(rules(game), seats=seats, computers=(), by_hand=False, secret=secret))
    while not match.ended and match.round == 1:
        seen = view_for(match, match.turn)
        action = forced(match) or greedy.choose(seen, rng)
        if isinstance(action, Play):
            action = Play(action.seat, *rng.choice(seen.moves).placement)
        for event in decide(match, action, secret):
            evolve(match, event)
        if not match.ended:
            yield view_for(match, None), view_for(match, match.turn)


@pytest.mark.parametrize("game", part(GAMES))
@pytest.mark.parametrize("seed", range(1, 1 + scaled(1)))
def test_incremental_picture_equals_picture_drawn_from_scratch(game: str, seed: int) -> None:
    tables = list(islice(round_of(game, seed), 12))
    added = [
        (table_picture(seen, NAMES, CAPTIONS).png, hand_picture(mine, NAMES, CAPTIONS).png) for seen, mine in tables
    ]
    for (seen, mine), (board, hand) in zip(tables, added, strict=True):
        DRAWINGS.clear()
        assert table_picture(seen, NAMES, CAPTIONS).png == board
        DRAWINGS.clear()
        assert hand_picture(mine, NAMES, CAPTIONS).png == hand


@pytest.mark.parametrize("tiles", [1, 2, FEW - 1, FEW, FEW + 3])
def test_tiles_that_were_played_since_are_added_however_many(tiles: int) -> None:
    seen = view_for(of("triominoes", 20), None)
    alone = table_picture(seen, NAMES, CAPTIONS).png
    DRAWINGS.clear()
    table_picture(replace(seen, tiles=seen.tiles[:-tiles]), NAMES, CAPTIONS)
    assert table_picture(seen, NAMES, CAPTIONS).png == alone


def test_undone_tile_disappears_from_picture() -> None:
    seen = view_for(of("triominoes", 12), None)
    before = replace(seen, tiles=seen.tiles[:-1])
    alone = table_picture(before, NAMES, CAPTIONS).png
    DRAWINGS.clear()
    table_picture(seen, NAMES, CAPTIONS)
    assert table_picture(before, NAMES, CAPTIONS).png == alone


def test_tables_with_same_last_tile_have_different_drawings() -> None:
    seen = view_for(of("triominoes", 12), None)
    first, second, *rest = seen.tiles
    other = replace(seen, tiles=(Placement(second.tile, first.cell, first.rotation), second, *rest))
    alone = table_picture(other, NAMES, CAPTIONS).png
    DRAWINGS.clear()
    assert table_picture(seen, NAMES, CAPTIONS).png != alone
    assert table_picture(other, NAMES, CAPTIONS).png == alone


def test_cropped_table_drawing_can_be_extended() -> None:
    seen = view_for(strewn(110), None)
    alone = table_picture(seen, NAMES, CAPTIONS).png
    DRAWINGS.clear()
    table_picture(replace(seen, tiles=seen.tiles[:-1]), NAMES, CAPTIONS)
    assert table_picture(seen, NAMES, CAPTIONS).png == alone


def test_drawing_in_use_is_not_shared() -> None:
    seen = view_for(of("triominoes", 20), None)
    lattice, face = seen.rules.plane, face_of(seen.rules, "classic")
    with laid_tiles(lattice, 62, face, seen.tiles[:-1]) as less:
        before = less.canvas.image.copy()
        with laid_tiles(lattice, 62, face, seen.tiles) as more:
            assert more.canvas is not less.canvas
        assert ImageChops.difference(before, less.canvas.image).getbbox() is None


def test_extended_drawing_is_cached_once() -> None:
    seen = view_for(of("triominoes", 20), None)
    lattice, face = seen.rules.plane, face_of(seen.rules, "classic")
    kept = set()
    for count in range(1, 21):
        with laid_tiles(lattice, 62, face, seen.tiles[:count]) as drawing:
            kept.add(drawing.bytes)
        assert DRAWINGS.bytes == drawing.bytes
    assert len(kept) < 20, "every tile took another canvas"


def test_drawing_is_not_cached_after_exception() -> None:
    seen = view_for(of("triominoes", 5), None)
    lattice, face = seen.rules.plane, face_of(seen.rules, "classic")
    with pytest.raises(ValueError, match="half drawn"), laid_tiles(lattice, 62, face, seen.tiles):
        raise ValueError("half drawn")
    assert DRAWINGS.bytes == 0


def test_many_threads_may_draw_one_table_at_once() -> None:
    seen = view_for(of("triominoes", 20), None)
    tables = [replace(seen, tiles=seen.tiles[:count], last=None) for count in range(1, 21)] * 3
    alone = [table_picture(table, NAMES, CAPTIONS).png for table in tables]
    DRAWINGS.clear()
    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(lambda table: table_picture(table, NAMES, CAPTIONS).png, tables)) == alone
