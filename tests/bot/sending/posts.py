"""The posts of a table on a local Discord."""

import asyncio
from collections.abc import Awaitable, Callable

from tests.bot.local_bot import LocalBot
from tests.bot.messages import read_shown_seq

SEND = "POST /api/v10/channels"
EDIT = "PATCH /api/v10/channels"
DELETE = "DELETE /api/v10/channels"


async def is_up_to_date(sim: LocalBot) -> bool:
    """Check for one current board, one call for the turn, and an empty outbox."""
    head = await sim.load_head()
    (board,), (call,) = await sim.list_boards(), await sim.list_calls()
    assert read_shown_seq(board) == head.seq
    assert [one["id"] for one in call["mentions"]] == [str(head.turn.user)]
    assert (head.board_message_id, head.turn_message_id) == (int(board["id"]), int(call["id"]))
    assert await sim.list_pending_posts() == []
    return head.seq == head.shown_seq


async def wait_until(condition: Callable[[], object] | Callable[[], Awaitable[object]]) -> None:
    async with asyncio.timeout(300):
        while True:
            result = condition()
            if await result if isinstance(result, Awaitable) else result:
                return
            await asyncio.sleep(0.02)
