"""Channels and threads where a table can be opened or moved to, and rematches in busy channels."""

import discord
import pytest
from simcord import ChannelHandle

from tests.bot.core.channels import delete_channel
from tests.bot.member import Member
from tests.bot.messages import get_private_answer, read_button_ids, read_private_text
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, has_sentence

NO_THREADS = en("no.NO_THREADS")


async def abort_match(sim: SimGuild, ada: Member, grace: Member) -> discord.Message:
    await sim.start_table(ada, grace)
    await ada.click(await ada.open_command("tiles match abort"), label="End the match")
    await grace.click(sim.get_board(), label="Agree")
    assert (await sim.load_head()).state == "void"
    return sim.get_board()


@pytest.mark.parametrize(
    "other", [{"seats": 3}, {"target": 150}, {"clock": "live 5m"}, {"by_hand": True}, {"game": "quad-ominos"}]
)
async def test_rematch_with_one_different_term_joins_no_table(
    sim: SimGuild, ada: Member, grace: Member, linus: Member, other: dict[str, object]
) -> None:
    old_message = await abort_match(sim, ada, grace)
    await linus.use_command("tiles new", **{"seats": 2} | other)
    before = await sim.take_snapshot()
    answer = await grace.read_click(old_message, "Open again")
    assert answer == en("no.CHANNEL_BUSY_OFFER", link=sim.get_board().jump_url)
    assert await sim.take_snapshot() == before
    assert [row.user_id for row in (await sim.load_table()).seats] == [linus.id]


async def test_second_rematch_request_joins_same_table(sim: SimGuild, ada: Member, grace: Member) -> None:
    old_message = await abort_match(sim, ada, grace)
    await grace.click(old_message, label="Open again")
    assert has_sentence(sim.read_board(), "lobby.title", host="Grace")
    await ada.click(old_message, label="Open again")
    assert [row.user_id for row in (await sim.load_table()).seats] == [grace.id, ada.id]
    assert (await sim.load_head()).state == "open"


@pytest.fixture
def lounge(sim: SimGuild) -> ChannelHandle:
    return sim.guild.create_voice_channel("lounge")


async def test_thread_in_channel_without_threads_is_refused(sim: SimGuild, ada: Member, lounge: ChannelHandle) -> None:
    assert read_private_text(await ada.slash(lounge, "tiles new", thread=True)) == NO_THREADS
    assert await sim.store.matches.list_heads_in_channel(lounge.id) == []
    assert has_sentence(read_private_text(await ada.slash(lounge, "tiles new")), "lobby.opened")


async def test_busy_channel_without_threads_suggests_no_thread(
    sim: SimGuild, ada: Member, lounge: ChannelHandle
) -> None:
    await ada.slash(lounge, "tiles new")
    board = sim.get_board(lounge)
    refusal_text = en("no.CHANNEL_TAKEN", link=board.jump_url)
    assert read_private_text(await ada.slash(lounge, "tiles new")) == refusal_text
    practice = await sim.client.get_partial_messageable(lounge.id).send(view=_build_practice_view())
    assert read_private_text(await ada.click(practice, custom_id="by:practice")) == refusal_text


async def test_table_moves_only_to_allowed_channel(sim: SimGuild, ada: Member, grace: Member, mary: Member) -> None:
    old_channel, tables = sim.guild.create_text_channel("doomed"), sim.guild.create_text_channel("tables")
    await sim.start_table(ada, grace, channel=old_channel)
    await mary.use_command("tiles-admin settings", allow=tables)
    await delete_channel(sim, old_channel)
    bring = await sim.post("by:bring:1")
    assert await ada.read_click(bring, "Button 0") == (en("no.CHANNEL_NOT_ALLOWED", channels=tables.mention))
    assert (await sim.store.matches.load(1)).head.channel_id == old_channel.id
    table_list = get_private_answer(await ada.slash(tables, "tiles games"))
    move_answer = await ada.click(table_list, label="Bring table 1 here")
    assert read_private_text(move_answer) == en("lobby.moved", link=sim.get_board(tables).jump_url)


async def test_table_moves_to_thread_of_allowed_channel(
    sim: SimGuild, ada: Member, grace: Member, mary: Member
) -> None:
    old_channel, tables = sim.guild.create_text_channel("doomed"), sim.guild.create_text_channel("tables")
    await sim.start_table(ada, grace, channel=old_channel)
    await mary.use_command("tiles-admin settings", allow=tables)
    await mary.slash(tables, "tiles new", thread=True)
    thread = tables.threads[-1]
    await mary.slash(thread, "tiles leave")
    await delete_channel(sim, old_channel)
    table_list = get_private_answer(await ada.slash(thread, "tiles games"))
    assert "Bring table 1 here" in read_button_ids(table_list)
    await ada.click(table_list, label="Bring table 1 here")
    assert (await sim.store.matches.load(1)).head.channel_id == thread.id


def _build_practice_view() -> discord.ui.View:
    view = discord.ui.View(timeout=None)
    view.add_item(discord.ui.Button(label="Practice", custom_id="by:practice"))
    view.stop()
    return view
