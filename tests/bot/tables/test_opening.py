"""Channels and threads where a table can be opened or moved to, and rematches in busy channels."""

import discord
import pytest
from simcord import ChannelHandle, MemberActor

from tests.bot.core.channels import lose
from tests.bot.messages import button_ids, private, told, words_of
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, says

NO_THREADS = en("no.NO_THREADS")


@pytest.fixture
def mary(sim: SimGuild) -> MemberActor:
    role = sim.guild.create_role("Hosts", permissions=discord.Permissions(manage_guild=True))
    actor = sim.guild.add_member(sim.env.create_user("mary", global_name="Mary"), roles=[role])
    sim.people[actor.id] = actor
    return actor


async def abort_match(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> discord.Message:
    await sim.table(ada, grace)
    await ada.click(private(await ada.slash(sim.channel, "tiles match abort")), label="End the match")
    await grace.click(sim.board(), label="Agree")
    assert (await sim.head()).state == "void"
    return sim.board()


async def test_rematch_does_not_join_table_with_other_terms(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    old = await abort_match(sim, ada, grace)
    await linus.slash(sim.channel, "tiles new", game="quad-ominos", clock="live 1m", seats=3)
    before = await sim.standing()
    asked = await grace.click(old, label="Open again")
    assert told(asked) == (en("no.CHANNEL_BUSY_OFFER", link=sim.board().jump_url))
    assert await sim.standing() == before
    assert [row.user_id for row in (await sim.now()).seats] == [linus.id]


@pytest.mark.parametrize("other", [{"seats": 3}, {"target": 150}, {"clock": "live 5m"}, {"by_hand": True}])
async def test_rematch_with_one_different_term_joins_no_table(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor, other: dict[str, object]
) -> None:
    old = await abort_match(sim, ada, grace)
    await linus.slash(sim.channel, "tiles new", **({"seats": 2} | other))
    await grace.click(old, label="Open again")
    assert [row.user_id for row in (await sim.now()).seats] == [linus.id]


async def test_second_rematch_request_joins_same_table(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    old = await abort_match(sim, ada, grace)
    await grace.click(old, label="Open again")
    assert says(words_of(sim.board()), "lobby.title", host="Grace")
    await ada.click(old, label="Open again")
    assert [row.user_id for row in (await sim.now()).seats] == [grace.id, ada.id]
    assert (await sim.head()).state == "open"


@pytest.fixture
def lounge(sim: SimGuild) -> ChannelHandle:
    return sim.guild.create_voice_channel("lounge")


async def test_thread_in_channel_without_threads_is_refused(
    sim: SimGuild, ada: MemberActor, lounge: ChannelHandle
) -> None:
    assert told(await ada.slash(lounge, "tiles new", thread=True)) == NO_THREADS
    assert await sim.store.matches.list_heads_in_channel(lounge.id) == []
    assert says(told(await ada.slash(lounge, "tiles new")), "lobby.opened")


async def test_busy_channel_without_threads_suggests_no_thread(
    sim: SimGuild, ada: MemberActor, lounge: ChannelHandle
) -> None:
    await ada.slash(lounge, "tiles new")
    board = sim.board(lounge)
    taken = en("no.CHANNEL_TAKEN", link=board.jump_url)
    assert told(await ada.slash(lounge, "tiles new")) == taken
    practice = await sim.client.get_partial_messageable(lounge.id).send(view=_practice())
    assert told(await ada.click(practice, custom_id="by:practice")) == taken


async def test_table_moves_only_to_allowed_channel(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, mary: MemberActor
) -> None:
    doomed, tables = sim.guild.create_text_channel("doomed"), sim.guild.create_text_channel("tables")
    await sim.table(ada, grace, channel=doomed)
    await mary.slash(sim.channel, "tiles-admin settings", allow=tables)
    await lose(sim, doomed)
    bring = await sim.post("by:bring:1")
    assert told(await ada.click(bring, label="Button 0")) == (en("no.CHANNEL_NOT_ALLOWED", channels=tables.mention))
    assert (await sim.store.matches.load(1)).head.channel_id == doomed.id  # type: ignore[union-attr]
    listed = private(await ada.slash(tables, "tiles games"))
    brought = await ada.click(listed, label="Bring table 1 here")
    assert told(brought) == en("lobby.moved", link=sim.board(tables).jump_url)


async def test_table_moves_to_thread_of_allowed_channel(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, mary: MemberActor
) -> None:
    doomed, tables = sim.guild.create_text_channel("doomed"), sim.guild.create_text_channel("tables")
    await sim.table(ada, grace, channel=doomed)
    await mary.slash(sim.channel, "tiles-admin settings", allow=tables)
    await mary.slash(tables, "tiles new", thread=True)
    thread = tables.threads[-1]
    await mary.slash(thread, "tiles leave")
    await lose(sim, doomed)
    listed = private(await ada.slash(thread, "tiles games"))
    assert "Bring table 1 here" in button_ids(listed)
    await ada.click(listed, label="Bring table 1 here")
    assert (await sim.store.matches.load(1)).head.channel_id == thread.id  # type: ignore[union-attr]


def _practice() -> discord.ui.View:
    view = discord.ui.View(timeout=None)
    view.add_item(discord.ui.Button(label="Practice", custom_id="by:practice"))
    view.stop()
    return view
