"""A busy machine is no error: what comes as soon as it can is waited for longer than any machine takes, and what is
waited for is looked at no more often than it can have changed.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final

from simcord import Env, _runtime, env
from simcord import _dpy_internals as inside

AGAIN: Final = 20
"""So often simcord waits its five seconds. What never settles fails all the same, only later."""
SLEEPS: Final = "_set_result_unless_cancelled"
"""What wakes a task out of `asyncio.sleep`."""


def wait_patiently() -> None:
    """Let simcord wait longer for the bot to settle: two processors with six workers do not always do that in five
    seconds. It waits so long several times, and not once for all of them, since by those five seconds it also tells
    what is at work from what sleeps.
    """
    settle, advance = Env._settle_internal, Env._advance_to

    async def settle_patiently(
        self: Env,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - simcord's own
        idle: float = 0.05,
        dispatch: str | None = None,
        _deadline: float | None = None,
    ) -> None:
        for _ in range(AGAIN):
            try:
                await settle(self, timeout=timeout, idle=idle, dispatch=dispatch, _deadline=_deadline)
            except TimeoutError:
                _deadline = None
            else:
                return
        await settle(self, timeout=timeout, idle=idle, dispatch=dispatch)

    async def advance_patiently(self: Env, target: float, deadline: float) -> None:
        for _ in range(AGAIN):
            try:
                await advance(self, target, deadline)
            except TimeoutError:
                deadline = asyncio.get_running_loop().time() + self.settle_timeout
            else:
                return
        await advance(self, target, deadline)

    Env._settle_internal = settle_patiently  # type: ignore[method-assign]
    Env._advance_to = advance_patiently  # type: ignore[method-assign]


def look_seldom() -> None:
    """Let simcord ask of every task what it waits for only when the answer matters, and find it quickly: it asked
    after every step of the bot, which was a sixth of all that a test of the bot took.
    """
    is_parked: Callable[..., bool] = env._is_parked  # type: ignore[attr-defined]

    def is_parked_now(state: Any, task: asyncio.Task[Any], deadline: float) -> bool:
        # While a thread works for the bot, it has not settled, whatever else waits for what.
        return not state.work.executors and is_parked(state, task, deadline)

    def is_asleep(waiter: asyncio.Future[Any] | None, loop: asyncio.AbstractEventLoop, deadline: float) -> bool:
        if waiter is None or waiter.done():
            return False
        # Of hundreds of timers few have this future among what they are called with: that comes first.
        return any(
            not timer.cancelled()
            and timer.when() > deadline
            and getattr(inside._original_callback(timer._callback), "__name__", "") == SLEEPS
            for timer in loop._scheduled  # type: ignore[attr-defined]
            if timer._args and waiter in timer._args
        )

    def monotonic() -> float:
        chosen = _runtime._selected_env(driver=False)
        return float(inside.real_monotonic() if chosen is None else chosen._virtual_time)

    inside._clock_monotonic = monotonic
    env._is_parked = is_parked_now  # type: ignore[attr-defined]
    inside.is_sleep_waiter = is_asleep
