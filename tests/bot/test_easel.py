"""Pictures are drawn beside everything else, and give way to it."""

import asyncio
import os
import sys
import threading
import time

import pytest

from bot.easel import THREADS, drawn

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux knows how nice a single thread is")


def niceness() -> int:
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


@linux
async def test_a_thread_that_draws_is_nicer_than_the_event_loop():
    before = niceness()
    drawing = await drawn(niceness)
    assert drawing > before
    assert niceness() == before, "the loop itself stays as it was"


async def test_the_loop_gets_the_interpreter_sooner_than_python_gives_it_by_itself():
    await drawn(str)
    assert sys.getswitchinterval() < 0.005


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
