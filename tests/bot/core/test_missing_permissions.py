"""Missing permissions, and deleted messages and channels."""

import discord
import pytest

from bot.core.permissions import REQUIRED, REQUIRED_IN_THREADS, REQUIRED_TO_OPEN_THREADS
from data.words import load_words
from tests.bot.core.channels import create_restricted_channel, delete_channel
from tests.bot.member import Member
from tests.bot.messages import read_button_ids, read_private_text, read_text
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, has_sentence


@pytest.mark.parametrize("permission", sorted(REQUIRED))
async def test_missing_permission_is_named_with_its_channel(sim: SimGuild, ada: Member, permission: str) -> None:
    cellar = create_restricted_channel(sim, permission)
    answer = read_private_text(await ada.slash(cellar, "tiles new"))
    name = load_words()(f"permission.{permission}")
    assert answer == en("no.MISSING_PERMISSION", channel=cellar.mention, permissions=name)
    assert "*Edit Channel → Permissions*" in answer
    assert sim.list_public_messages(cellar) == []
    assert await sim.store.matches.list_heads_in_channel(cellar.id) == []


@pytest.mark.parametrize("permission", sorted({*REQUIRED_IN_THREADS, *REQUIRED_TO_OPEN_THREADS}))
async def test_thread_permission_is_needed_for_threads_only(sim: SimGuild, ada: Member, permission: str) -> None:
    cellar = create_restricted_channel(sim, permission)
    answer = read_private_text(await ada.slash(cellar, "tiles new", thread=True))
    name = load_words()(f"permission.{permission}")
    assert answer == en("no.MISSING_PERMISSION", channel=cellar.mention, permissions=name)
    assert cellar.threads == []
    assert has_sentence(read_private_text(await ada.slash(cellar, "tiles new")), "lobby.opened")


async def test_deleted_board_is_posted_again_and_match_continues(room: SimGuild) -> None:
    await room.play_by_typing(room.get_called_player())
    deleted_id, board_text = room.get_board().id, room.read_board()
    await _delete_message(room, deleted_id)
    new_board = room.get_board()
    assert new_board.id != deleted_id
    assert read_text(new_board) == board_text
    assert (await room.load_head()).board_message_id == new_board.id
    await room.play_by_typing(room.get_called_player())
    assert [message.id for message in room.list_boards()] == [new_board.id]


async def test_deleted_lobby_is_posted_again(sim: SimGuild, ada: Member, grace: Member) -> None:
    await ada.use_command("tiles new", seats=2)
    await _delete_message(sim, sim.get_board().id)
    await grace.click(sim.get_board(), label="Join")
    assert (await sim.load_head()).state == "open"


async def test_board_deleted_while_bot_was_offline_is_posted_again(room: SimGuild) -> None:
    board = room.get_board()
    room.env.inject_error("PATCH", f"/channels/*/messages/{board.id}", status=404, code=10008, message="Unknown")
    await room.play_by_typing(room.get_called_player())
    assert room.get_board().id != board.id
    assert (await room.load_head()).board_message_id == room.get_board().id


async def test_board_deleted_by_purge_is_posted_again(room: SimGuild) -> None:
    deleted_id = room.get_board().id
    ids = [str(message.id) for message in room.list_public_messages()]
    purge = discord.RawBulkMessageDeleteEvent({"ids": ids, "channel_id": room.channel.id, "guild_id": room.guild.id})
    await room.client.on_raw_bulk_message_delete(purge)
    await room.client.services.announcer.refresh((await room.load_head()).match_id)
    assert room.get_board().id != deleted_id
    assert (await room.load_head()).board_message_id == room.get_board().id


async def test_deleted_call_does_not_disturb_match(room: SimGuild) -> None:
    mover = room.get_called_player()
    await _delete_message(room, room.list_calls()[0].id)
    await room.play_by_typing(mover)
    assert len(room.list_calls()) == 1


async def test_table_of_deleted_channel_can_be_moved(sim: SimGuild, ada: Member, grace: Member) -> None:
    deleted_channel = sim.guild.create_text_channel("doomed")
    await sim.start_table(ada, grace, channel=deleted_channel)
    mover, board = sim.get_called_player(deleted_channel), sim.get_board(deleted_channel)
    listed = await mover.open_command("tiles games")
    assert "Bring" not in str(read_button_ids(listed))
    bring = await sim.post("by:bring:1")
    assert await mover.read_click(bring, "Button 0") == (en("no.CHANNEL_THERE", link=board.jump_url))

    await delete_channel(sim, deleted_channel)

    played = await mover.use_command("tiles hand")
    assert "### Your turn" in read_private_text(played)
    other = ada if mover.id == grace.id else grace
    await sim.play_by_typing(mover)
    assert "### Your turn" in await other.read_command("tiles hand")

    listed = await other.open_command("tiles games")
    assert has_sentence(read_text(listed), "tables.gone", game="Triominoes", names="Grace")
    brought = await other.open_click(listed, "Bring table 1 here")
    assert read_text(brought) == en("lobby.moved", link=sim.get_board().jump_url)
    assert sim.get_called_player().id == other.id, "and the next player is called there"
    await sim.play_by_typing(other)
    assert len(sim.list_calls()) == 1
    assert len(sim.list_boards()) == 1


async def test_moving_table_to_busy_channel_or_by_watcher_is_refused(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    deleted_channel = sim.guild.create_text_channel("doomed")
    await sim.start_table(ada, grace, channel=deleted_channel)
    await linus.use_command("tiles new")
    await delete_channel(sim, deleted_channel)
    bring = await sim.post("by:bring:1")
    assert has_sentence(await ada.read_click(bring, "Button 0"), "no.CHANNEL_TAKEN")
    await linus.use_command("tiles leave")
    assert (await linus.read_click(bring, "Button 0")).startswith(en("no.NOT_SEATED"))
    assert (await sim.store.matches.load(1)).head.channel_id == deleted_channel.id


async def test_move_reopens_archived_thread(sim: SimGuild, ada: Member, grace: Member) -> None:
    place = await sim.start_table(ada, grace, thread=True)
    thread = sim.client.get_channel(place.id)
    await thread.edit(archived=True)
    # Discord rejects edits in an archived thread, but the simulation allows them.
    sim.env.inject_error("PATCH", "/channels/*/messages/*", status=400, code=50083, message="Thread is archived")
    mover = sim.get_called_player(place)
    await sim.play_by_typing(mover, place)
    head = await sim.load_head(place)
    assert head.shown_seq == head.seq
    assert sim.get_called_player(place).id != mover.id
    assert not (await sim.client.fetch_channel(place.id)).archived


async def test_player_who_left_server_keeps_seat_without_name(room: SimGuild, ada: Member, grace: Member) -> None:
    room.guild.remove_member(grace)
    await room.restart()
    assert f"{en('name.somebody')}: " in await ada.read_command("tiles board", text=True)
    assert "Grace" not in await ada.read_command("tiles games")


async def test_board_is_updated_after_temporary_edit_failures(room: SimGuild) -> None:
    mover = room.get_called_player()
    for _ in range(2):
        room.env.inject_error("PATCH", "/channels/*/messages/*", status=503, message="Service Unavailable")
    seq = (await room.load_head()).seq
    played = await room.play_by_typing(mover)
    assert read_private_text(played).startswith("You played "), "the mover is answered all the same"
    head = await room.load_head()
    assert head.seq > seq == head.shown_seq
    for _ in range(6):
        await room.wait(seconds=30)
    head = await room.load_head()
    assert head.shown_seq == head.seq
    assert room.get_called_player().id != mover.id


async def _delete_message(sim: SimGuild, message_id: int) -> None:
    role = sim.guild.create_role("Moderators", permissions=discord.Permissions(manage_messages=True))
    moderator = sim.guild.add_member(sim.env.create_user("moderator"), roles=[role])
    await moderator.delete(next(message for message in sim.list_public_messages() if message.id == message_id))
