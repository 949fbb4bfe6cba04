"""Pictures are drawn beside everything else, in few threads."""

import asyncio
import threading
import time

import pytest

from bot.views.pictures import THREADS, drawn


async def test_no_more_is_drawn_at_a_time_than_there_are_threads():
    lock, now, most = threading.Lock(), 0, 0

    def draw() -> None:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.01)
        with lock:
            now -= 1

    await asyncio.gather(*(drawn(draw) for _ in range(8)))
    assert most == THREADS


async def test_whoever_asked_is_told_why_a_picture_failed():
    with pytest.raises(ZeroDivisionError):
        await drawn(divmod, 1, 0)
