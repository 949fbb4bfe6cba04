"""The posts of a table on a local Discord."""

from bot.core.layout import build_text_view
from bot.sending.sender import Outgoing
from bot.tables.service import Table
from data.store.log.match_values import Change
from data.store.outbox.outbox_values import OutboxRow
from engine.table.commands import ViewHand
from engine.table.table_events import Rearmed
from engine.table.table_posts import Post
from tests.bot.local_bot import Json, LocalBot, read_text
from tests.bot.messages import read_shown_seq
from tests.bot.sending.active_player import make_delayed_call_due
from tests.playground.page_user import PageUser

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


async def queue_posts(local: LocalBot, *texts: str) -> None:
    """Queue posts with these texts."""

    async def write_post(_: Table, row: OutboxRow) -> Outgoing:
        return Outgoing(build_text_view(row.body["text"]))

    local.client.services.announcer.publisher.writers["test"] = write_post
    posts = [Post(kind="test", body={"text": text}) for text in texts]
    head = await local.load_head()
    change = Change(match_id=1, expected_seq=head.seq, events=[Rearmed()], outbox=posts)
    await local.store.matches.commit(change, now=local.client.services.now())


async def start_next_turn(local: LocalBot) -> None:
    """Play a tile, let the next player settle it, and make the call due."""
    await local.place_tile()
    services = local.client.services
    following = (await services.tables.load(1)).find_turn_user()
    await services.acts.act(1, ViewHand(following))
    await make_delayed_call_due(local.store, 1, services.now())


async def fetch_private_messages(local: LocalBot, person: PageUser) -> list[Json]:
    """Return the private messages of a user, without the one about the opened table."""
    await local.wait_until_idle()
    found = await person.fetch_messages(local.channel_id, 100)
    return [one for one in found if one["flags"] & EPHEMERAL_FLAG and "Your table is open" not in read_text(one)]
