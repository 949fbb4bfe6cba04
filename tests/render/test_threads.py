"""Pictures drawn by several threads at once have the same bytes as pictures drawn alone."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest
from PIL import Image

from engine.match.player_view import view_for
from render.canvas.cache import COMPOSITION_CACHE, GENERATIONS, PART_CACHE, Cache
from render.canvas.palette import Palette
from render.canvas.theme import DARK
from render.table.hand import render_hand
from render.table.laid import DRAWING_CACHE
from render.table.table_picture import render_table
from tests.depth import part, scaled
from tests.render.tables import CAPTIONS, GAMES, NAMES, of

pytestmark = pytest.mark.usefixtures("zlib_pictures")

THREADS = 4
ROOMS = (0, 400_000, 4_000_000, 32_000_000)


@pytest.fixture
def one_after_the_other() -> Iterator[None]:
    interval, rooms = (
        sys.getswitchinterval(),
        [(cache, cache.limit) for cache in (PART_CACHE, COMPOSITION_CACHE, DRAWING_CACHE)],
    )
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)
    for cache, room in rooms:
        give(cache, room)


def give(cache: Cache[object], room: int) -> None:
    cache.clear()
    cache.limit, cache._generation_limit = room, room // GENERATIONS


def drawn(game: str, tiles: int, kind: str) -> bytes:
    match = of(game, tiles)
    if kind == "board":
        return render_table(view_for(match, None), NAMES, CAPTIONS).png
    return render_hand(view_for(match, match.turn), NAMES, CAPTIONS).png


@pytest.mark.deep
@pytest.mark.usefixtures("one_after_the_other")
def test_picture_is_same_when_several_threads_draw() -> None:
    rng = Random(5)
    wanted = [(game, tiles, kind) for game in part(GAMES) for tiles in (4, 9, 10) for kind in ("board", "hand")]
    alone = {}
    for what in wanted:
        for cache in (PART_CACHE, COMPOSITION_CACHE, DRAWING_CACHE):
            cache.clear()
        alone[what] = drawn(*what)
    with ThreadPoolExecutor(THREADS) as threads:
        for _ in range(scaled(6)):
            for cache in (PART_CACHE, COMPOSITION_CACHE, DRAWING_CACHE):
                give(cache, rng.choice(ROOMS))
            # Some are drawn twice at once, and most want the same parts.
            some = rng.choices(wanted, k=2 * THREADS)
            for what, png in zip(some, threads.map(lambda what: drawn(*what), some), strict=True):
                assert png == alone[what], what


def test_palette_is_loaded_before_first_lookup(monkeypatch: pytest.MonkeyPatch) -> None:
    put: list[Image.Image] = []
    load = Image.Image.load

    def watched(image: Image.Image) -> object:
        if image.palette is not None and image.palette.dirty:
            put.append(image)
        return load(image)

    palette = Palette(DARK)
    monkeypatch.setattr(Image.Image, "load", watched)
    palette.to_index_image(Image.new("RGB", (8, 8), DARK.brass))
    assert put == []
