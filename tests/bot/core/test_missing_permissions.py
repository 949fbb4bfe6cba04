"""Missing permissions, and deleted messages and channels."""

import discord
import pytest
from simcord import MemberActor

from bot.core.permissions import REQUIRED, REQUIRED_IN_THREADS, REQUIRED_TO_OPEN_THREADS
from data.words import load_words
from tests.bot.core.channels import lose, without
from tests.bot.messages import button_ids, private, told, words_of
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, says


@pytest.mark.parametrize("permission", sorted(REQUIRED))
async def test_missing_permission_is_named_with_its_channel(sim: SimGuild, ada: MemberActor, permission: str) -> None:
    cellar = without(sim, permission)
    said = told(await ada.slash(cellar, "tiles new"))
    name = load_words()(f"permission.{permission}")
    assert said == en("no.MISSING_PERMISSION", channel=cellar.mention, permissions=name)
    assert "*Edit Channel → Permissions*" in said
    assert sim.public(cellar) == []
    assert await sim.store.matches.list_heads_in_channel(cellar.id) == []


@pytest.mark.parametrize("permission", sorted({*REQUIRED_IN_THREADS, *REQUIRED_TO_OPEN_THREADS}))
async def test_thread_permission_is_needed_for_threads_only(sim: SimGuild, ada: MemberActor, permission: str) -> None:
    cellar = without(sim, permission)
    said = told(await ada.slash(cellar, "tiles new", thread=True))
    name = load_words()(f"permission.{permission}")
    assert said == en("no.MISSING_PERMISSION", channel=cellar.mention, permissions=name)
    assert cellar.threads == []
    assert says(told(await ada.slash(cellar, "tiles new")), "lobby.opened")


async def test_deleted_board_is_posted_again_and_match_continues(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    await sim.table(ada, grace)
    await sim.play_by_typing(sim.to_move())
    lost, said = sim.board().id, words_of(sim.board())
    await _delete_message(sim, lost)
    again = sim.board()
    assert again.id != lost
    assert words_of(again) == said
    assert (await sim.head()).board_message_id == again.id
    await sim.play_by_typing(sim.to_move())
    assert [message.id for message in sim.boards()] == [again.id]


async def test_deleted_lobby_is_posted_again(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await ada.slash(sim.channel, "tiles new", seats=2)
    await _delete_message(sim, sim.board().id)
    await grace.click(sim.board(), label="Join")
    assert (await sim.head()).state == "open"


async def test_board_deleted_while_bot_was_offline_is_posted_again(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    await sim.table(ada, grace)
    board = sim.board()
    sim.env.inject_error("PATCH", f"/channels/*/messages/{board.id}", status=404, code=10008, message="Unknown")
    await sim.play_by_typing(sim.to_move())
    assert sim.board().id != board.id
    assert (await sim.head()).board_message_id == sim.board().id


async def test_board_deleted_by_purge_is_posted_again(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace)
    lost = sim.board().id
    ids = [str(message.id) for message in sim.public()]
    purge = discord.RawBulkMessageDeleteEvent({"ids": ids, "channel_id": sim.channel.id, "guild_id": sim.guild.id})
    await sim.client.on_raw_bulk_message_delete(purge)
    await sim.client.services.announcer.refresh((await sim.head()).match_id)
    assert sim.board().id != lost
    assert (await sim.head()).board_message_id == sim.board().id


async def test_deleted_call_does_not_disturb_match(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace)
    mover = sim.to_move()
    await _delete_message(sim, sim.calls()[0].id)
    await sim.play_by_typing(mover)
    assert len(sim.calls()) == 1


async def test_table_of_deleted_channel_can_be_moved(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    lost = sim.guild.create_text_channel("doomed")
    await sim.table(ada, grace, channel=lost)
    mover, board = sim.to_move(lost), sim.board(lost)
    listed = private(await mover.slash(sim.channel, "tiles games"))
    assert "Bring" not in str(button_ids(listed))
    bring = await sim.post("by:bring:1")
    assert told(await mover.click(bring, label="Button 0")) == (en("no.CHANNEL_THERE", link=board.jump_url))

    await lose(sim, lost)

    played = await mover.slash(sim.channel, "tiles hand")
    assert "### Your turn" in told(played)
    other = ada if mover.id == grace.id else grace
    await sim.play_by_typing(mover)
    assert "### Your turn" in told(await other.slash(sim.channel, "tiles hand"))

    listed = private(await other.slash(sim.channel, "tiles games"))
    assert says(words_of(listed), "tables.gone", game="Triominoes", names="Grace")
    brought = private(await other.click(listed, label="Bring table 1 here"))
    assert words_of(brought) == en("lobby.moved", link=sim.board().jump_url)
    assert sim.to_move().id == other.id, "and the next player is called there"
    await sim.play_by_typing(other)
    assert len(sim.calls()) == 1
    assert len(sim.boards()) == 1


async def test_moving_table_to_busy_channel_or_by_watcher_is_refused(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    lost = sim.guild.create_text_channel("doomed")
    await sim.table(ada, grace, channel=lost)
    await linus.slash(sim.channel, "tiles new")
    await lose(sim, lost)
    bring = await sim.post("by:bring:1")
    assert says(told(await ada.click(bring, label="Button 0")), "no.CHANNEL_TAKEN")
    await linus.slash(sim.channel, "tiles leave")
    assert told(await linus.click(bring, label="Button 0")).startswith(en("no.NOT_SEATED"))
    assert (await sim.store.matches.load(1)).head.channel_id == lost.id  # type: ignore[union-attr]


async def test_move_reopens_archived_thread(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    place = await sim.table(ada, grace, thread=True)
    thread = sim.client.get_channel(place.id)
    await thread.edit(archived=True)
    # Discord rejects edits in an archived thread, but the simulation allows them.
    sim.env.inject_error("PATCH", "/channels/*/messages/*", status=400, code=50083, message="Thread is archived")
    mover = sim.to_move(place)
    await sim.play_by_typing(mover, place)
    head = await sim.head(place)
    assert head.shown_seq == head.seq
    assert sim.to_move(place).id != mover.id
    assert not (await sim.client.fetch_channel(place.id)).archived  # type: ignore[union-attr]


async def test_player_who_left_server_keeps_seat_without_name(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    await sim.table(ada, grace)
    sim.guild.remove_member(grace)
    await sim.restart()
    assert f"{en('name.somebody')}: " in told(await ada.slash(sim.channel, "tiles board", text=True))
    assert "Grace" not in told(await ada.slash(sim.channel, "tiles games"))


async def test_board_is_updated_after_temporary_edit_failures(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    await sim.table(ada, grace)
    mover = sim.to_move()
    for _ in range(2):
        sim.env.inject_error("PATCH", "/channels/*/messages/*", status=503, message="Service Unavailable")
    seq = (await sim.head()).seq
    played = await sim.play_by_typing(mover)
    assert told(played).startswith("You played "), "the mover is answered all the same"
    head = await sim.head()
    assert head.seq > seq == head.shown_seq
    for _ in range(6):
        await sim.wait(seconds=30)
    head = await sim.head()
    assert head.shown_seq == head.seq
    assert sim.to_move().id != mover.id


async def _delete_message(sim: SimGuild, message_id: int) -> None:
    role = sim.guild.create_role("Moderators", permissions=discord.Permissions(manage_messages=True))
    moderator = sim.guild.add_member(sim.env.create_user("moderator"), roles=[role])
    await moderator.delete(next(message for message in sim.public() if message.id == message_id))
