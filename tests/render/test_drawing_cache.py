"""Cached drawings stay within a limit of bytes, and are the same when several threads draw at once."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest
from PIL import Image

from engine.match.player_view import view_for
from render.canvas.cache import COMPOSITION_CACHE, GENERATIONS, PART_CACHE, Cache, count_bytes
from render.canvas.palette import Palette
from render.canvas.theme import DARK
from render.table.hand import render_hand
from render.table.laid import DRAWING_CACHE
from render.table.table_picture import render_table
from tests.depth import sample_cases, scale_count
from tests.render.tables import CAPTIONS, GAMES, NAMES, build_running_round

pytestmark = pytest.mark.usefixtures("zlib_pictures")

MAX_CACHE_BYTES = 80 * 1024 * 1024


def test_all_caches_have_a_total_size_limit() -> None:
    assert sum(cache.limit for cache in (PART_CACHE, COMPOSITION_CACHE, DRAWING_CACHE)) <= MAX_CACHE_BYTES


def test_cache_keeps_newest_entries_within_size_limit() -> None:
    cache: Cache[Image.Image] = Cache(1_000_000)
    for number in range(100):
        image = Image.new("RGB", (100, 100 + number))
        cache.put(number, image, count_bytes(image))
        assert cache.bytes <= 1_000_000
        assert cache.get(number) is image
    assert cache.bytes > 500_000
    assert cache.get(0) is None


def test_frequently_used_entry_stays_in_cache() -> None:
    cache: Cache[int] = Cache(1000)
    cache.put("often", 1, 10)
    for number in range(1000):
        cache.put(number, number, 10)
        assert cache.get("often") == 1


def test_cache_below_half_size_reads_without_reordering(monkeypatch: pytest.MonkeyPatch) -> None:
    cache: Cache[int] = Cache(1000)
    for number in range(45):
        cache.put(number, number, 10)
    monkeypatch.delattr(Cache, "put")
    for number in [*range(45), *reversed(range(45))]:
        assert cache.get(number) == number


def test_entry_stored_twice_is_counted_once() -> None:
    cache: Cache[int] = Cache(1000)
    for _ in range(5):
        cache.put("one", 1, 100)
    assert cache.bytes == 100


def test_cached_bytes_equal_pixel_bytes() -> None:
    assert count_bytes(Image.new("L", (30, 20))) == 600
    assert count_bytes((Image.new("RGB", (30, 20)), b"abc", "not counted")) == 2403


def test_picture_is_same_after_caches_are_cleared() -> None:
    view = view_for(build_running_round("triominoes", 12), 0)

    def render_pictures() -> tuple[bytes, bytes]:
        return render_table(view, NAMES, CAPTIONS).png, render_hand(view, NAMES, CAPTIONS).png

    before = render_pictures()
    assert PART_CACHE.bytes > 0 < COMPOSITION_CACHE.bytes
    for cache in (PART_CACHE, COMPOSITION_CACHE, DRAWING_CACHE):
        cache.clear()
        assert cache.bytes == 0
    assert render_pictures() == before


CACHES = (PART_CACHE, COMPOSITION_CACHE, DRAWING_CACHE)
THREADS = 4
CACHE_LIMITS = (0, 400_000, 4_000_000, 32_000_000)


@pytest.fixture
def one_after_the_other() -> Iterator[None]:
    interval, limits = sys.getswitchinterval(), [(cache, cache.limit) for cache in CACHES]
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)
    for cache, limit in limits:
        set_cache_limit(cache, limit)


def set_cache_limit(cache: Cache[object], limit: int) -> None:
    cache.clear()
    cache.limit, cache._generation_limit = limit, limit // GENERATIONS


def render_png(game: str, tiles: int, kind: str) -> bytes:
    match = build_running_round(game, tiles)
    if kind == "board":
        return render_table(view_for(match, None), NAMES, CAPTIONS).png
    return render_hand(view_for(match, match.turn), NAMES, CAPTIONS).png


@pytest.mark.deep
@pytest.mark.usefixtures("one_after_the_other")
def test_picture_is_same_when_several_threads_draw() -> None:
    rng = Random(5)
    cases = [(game, tiles, kind) for game in sample_cases(GAMES) for tiles in (4, 9, 10) for kind in ("board", "hand")]
    expected = {}
    for what in cases:
        for cache in CACHES:
            cache.clear()
        expected[what] = render_png(*what)
    with ThreadPoolExecutor(THREADS) as threads:
        for _ in range(scale_count(6)):
            for cache in CACHES:
                set_cache_limit(cache, rng.choice(CACHE_LIMITS))
            # Some pictures are drawn twice at the same time, and most use the same cached parts.
            some = rng.choices(cases, k=2 * THREADS)
            for what, png in zip(some, threads.map(lambda case: render_png(*case), some), strict=True):
                assert png == expected[what], what


def test_palette_is_loaded_before_first_lookup(monkeypatch: pytest.MonkeyPatch) -> None:
    dirty_images: list[Image.Image] = []
    load = Image.Image.load

    def load_and_record(image: Image.Image) -> object:
        if image.palette is not None and image.palette.dirty:
            dirty_images.append(image)
        return load(image)

    palette = Palette(DARK)
    monkeypatch.setattr(Image.Image, "load", load_and_record)
    palette.to_index_image(Image.new("RGB", (8, 8), DARK.brass))
    assert dirty_images == []
