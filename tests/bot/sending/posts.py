"""The posts of a table on a local Discord."""

from bot.playground.person import PageUser
from tests.bot.local_bot import Json, LocalBot, read_text
from tests.bot.messages import read_shown_seq

SEND = "POST /api/v10/channels"
EDIT = "PATCH /api/v10/channels"
DELETE = "DELETE /api/v10/channels"
EPHEMERAL_FLAG = 64


async def is_up_to_date(sim: LocalBot) -> bool:
    """Check for one current board, one call for the turn, and an empty outbox."""
    head = await sim.load_head()
    (board,), (call,) = await sim.list_boards(), await sim.list_calls()
    assert read_shown_seq(board) == head.seq
    assert [one["id"] for one in call["mentions"]] == [str(head.turn.user)]
    assert (head.board_message_id, head.turn_message_id) == (int(board["id"]), int(call["id"]))
    assert await sim.list_pending_posts() == []
    return head.seq == head.shown_seq


async def fetch_private_messages(local: LocalBot, person: PageUser) -> list[Json]:
    """Return the private messages of a user, without the one about the opened table."""
    await local.wait_until_idle()
    found = await person.fetch_messages(local.channel_id, 100)
    return [one for one in found if one["flags"] & EPHEMERAL_FLAG and "Your table is open" not in read_text(one)]
