"""A busy machine is no error: what comes as soon as it can is waited for longer than any machine takes."""

import asyncio
from typing import Final

from simcord import Env

AGAIN: Final = 20
"""So often simcord waits its five seconds. What never settles fails all the same, only later."""


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
