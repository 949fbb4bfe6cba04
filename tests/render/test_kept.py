"""What is drawn is kept by the bytes it takes: never more than there is room for, whatever is drawn."""

import pytest
from PIL import Image

from engine.match.player_view import view_for
from render.canvas.cache import COMPOSITION_CACHE, PART_CACHE, Cache, count_bytes
from render.table.hand import render_hand
from render.table.laid import DRAWING_CACHE
from render.table.table_picture import render_table
from tests.render.tables import CAPTIONS, NAMES, build_running_round

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
