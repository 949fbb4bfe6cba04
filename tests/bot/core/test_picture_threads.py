"""Rendering of pictures in a few threads, and their cache."""

import asyncio
import threading

import pytest

from bot.core.pictures import DRAWING_THREADS, PictureCache, draw_in_thread
from render.canvas.picture import Picture


async def test_pictures_are_rendered_in_limited_number_of_threads():
    lock, running, most, all_threads = threading.Lock(), 0, 0, threading.Barrier(DRAWING_THREADS)

    def draw() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        all_threads.wait()
        with lock:
            running -= 1

    await asyncio.gather(*(draw_in_thread(draw) for _ in range(4 * DRAWING_THREADS)))
    assert most == DRAWING_THREADS


async def test_rendering_error_is_raised_to_caller():
    with pytest.raises(ZeroDivisionError):
        await draw_in_thread(divmod, 1, 0)


class RecordingRenderer:
    def __init__(self) -> None:
        self.calls: list[str] = []

    def __call__(self, what: str, *, theme: str = "classic") -> Picture:
        self.calls.append(f"{what} {theme}")
        return Picture(what.encode() * 10, 1, 1)


async def test_unchanged_picture_is_not_rendered_again():
    renderer, last = RecordingRenderer(), PictureCache()
    first = await last.draw_cached(1, renderer, "a")
    assert await last.draw_cached(1, renderer, "a") is first
    assert renderer.calls == ["a classic"]


async def test_changed_arguments_render_picture_again():
    renderer, last = RecordingRenderer(), PictureCache()
    for what, theme in (("a", "classic"), ("b", "classic"), ("b", "night"), ("a", "classic")):
        await last.draw_cached(1, renderer, what, theme=theme)
    await last.draw_cached(2, renderer, "a", theme="classic")
    assert renderer.calls == ["a classic", "b classic", "b night", "a classic", "a classic"], "each table has its own"


async def test_picture_cache_keeps_recently_used_tables():
    renderer, last = RecordingRenderer(), PictureCache(max_bytes=25)
    for match_id in (1, 2, 1, 3, 1, 2):
        await last.draw_cached(match_id, renderer, "a")
    assert len(renderer.calls) == 4, "twenty bytes are two pictures: the second went for the third"


async def test_simultaneous_renderings_of_table_take_cache_space_once():
    renderer, last = RecordingRenderer(), PictureCache(max_bytes=25)
    await asyncio.gather(*(last.draw_cached(1, renderer, "a") for _ in range(5)))
    renderer.calls.clear()
    for match_id in (2, 1, 2):
        await last.draw_cached(match_id, renderer, "a")
    assert renderer.calls == ["a classic"], "there is room for two"
