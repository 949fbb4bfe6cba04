"""Permissions that are missing, messages and channels that somebody deletes."""

import discord
import pytest
from simcord import MemberActor

from bot.core.permissions import IN_THREADS, NEEDED, TO_OPEN_THREADS
from data.words import words
from tests.bot.channels import lose, without
from tests.bot.house import House
from tests.bot.reading import button_ids, private, told, words_of
from tests.wording import en, says


@pytest.mark.parametrize("permission", sorted(NEEDED))
async def test_missing_permission_is_named_with_its_channel(house: House, ada: MemberActor, permission: str) -> None:
    cellar = without(house, permission)
    said = told(await ada.slash(cellar, "tiles new"))
    assert said.startswith("I need **")
    assert words()(f"permission.{permission}") in said
    assert f"in {cellar.mention}" in said
    assert "*Edit Channel → Permissions*" in said
    assert house.public(cellar) == []
    assert await house.store.matches.heads_in_channel(cellar.id) == []


@pytest.mark.parametrize("permission", sorted({*IN_THREADS, *TO_OPEN_THREADS}))
async def test_permission_for_threads_is_only_needed_for_threads(
    house: House, ada: MemberActor, permission: str
) -> None:
    cellar = without(house, permission)
    said = told(await ada.slash(cellar, "tiles new", thread=True))
    assert f"I need **{words()(f'permission.{permission}')}** in {cellar.mention}" in said
    assert cellar.threads == []
    assert says(told(await ada.slash(cellar, "tiles new")), "lobby.opened")


async def test_board_that_is_deleted_comes_back_and_match_goes_on(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.table(ada, grace)
    await house.play_by_typing(house.to_move())
    lost, said = house.board().id, words_of(house.board())
    await _delete(house, lost)
    again = house.board()
    assert again.id != lost
    assert words_of(again) == said
    assert (await house.head()).board_message_id == again.id
    await house.play_by_typing(house.to_move())
    assert [message.id for message in house.boards()] == [again.id]


async def test_lobby_that_is_deleted_comes_back(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await ada.slash(house.channel, "tiles new", seats=2)
    await _delete(house, house.board().id)
    await grace.click(house.board(), label="Join")
    assert (await house.head()).state == "open"


async def test_board_deleted_while_bot_was_away_is_posted_with_next_move(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.table(ada, grace)
    board = house.board()
    house.env.inject_error("PATCH", f"/channels/*/messages/{board.id}", status=404, code=10008, message="Unknown")
    await house.play_by_typing(house.to_move())
    assert house.board().id != board.id
    assert (await house.head()).board_message_id == house.board().id


async def test_purge_that_takes_board_brings_it_back(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace)
    lost = house.board().id
    ids = [str(message.id) for message in house.public()]
    purge = discord.RawBulkMessageDeleteEvent({"ids": ids, "channel_id": house.channel.id, "guild_id": house.guild.id})
    await house.client.on_raw_bulk_message_delete(purge)
    await house.client.services.announcer.refresh((await house.head()).match_id)
    assert house.board().id != lost
    assert (await house.head()).board_message_id == house.board().id


async def test_deleted_call_is_nothing_to_worry_about(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace)
    mover = house.to_move()
    await _delete(house, house.calls()[0].id)
    await house.play_by_typing(mover)
    assert len(house.calls()) == 1


async def test_table_whose_channel_is_gone_can_be_brought_to_another(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    lost = house.guild.create_text_channel("doomed")
    await house.table(ada, grace, channel=lost)
    mover, board = house.to_move(lost), house.board(lost)
    listed = private(await mover.slash(house.channel, "tiles games"))
    assert "Bring" not in str(button_ids(listed))
    bring = await house.post("by:bring:1")
    assert told(await mover.click(bring, label="Button 0")) == (en("no.CHANNEL_THERE", link=board.jump_url))

    await lose(house, lost)

    played = await mover.slash(house.channel, "tiles hand")
    assert "### Your turn" in told(played)
    other = ada if mover.id == grace.id else grace
    await house.play_by_typing(mover)
    assert "### Your turn" in told(await other.slash(house.channel, "tiles hand"))

    listed = private(await other.slash(house.channel, "tiles games"))
    assert says(words_of(listed), "tables.gone", game="Triominoes", names="Grace")
    brought = private(await other.click(listed, label="Bring table 1 here"))
    assert words_of(brought) == en("lobby.moved", link=house.board().jump_url)
    assert house.to_move().id == other.id, "and the next player is called there"
    await house.play_by_typing(other)
    assert len(house.calls()) == 1
    assert len(house.boards()) == 1


async def test_table_is_not_brought_where_another_is_or_by_people_who_only_watch(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    lost = house.guild.create_text_channel("doomed")
    await house.table(ada, grace, channel=lost)
    await linus.slash(house.channel, "tiles new")
    await lose(house, lost)
    bring = await house.post("by:bring:1")
    assert says(told(await ada.click(bring, label="Button 0")), "no.CHANNEL_TAKEN")
    await linus.slash(house.channel, "tiles leave")
    assert told(await linus.click(bring, label="Button 0")).startswith(en("no.NOT_SEATED"))
    assert (await house.store.matches.load(1)).head.channel_id == lost.id  # type: ignore[union-attr]


async def test_thread_that_quiet_week_archived_is_opened_again_by_next_move(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    place = await house.table(ada, grace, thread=True)
    thread = house.client.get_channel(place.id)
    await thread.edit(archived=True)
    # Discord edits nothing in an archived thread; the simulation would.
    house.env.inject_error("PATCH", "/channels/*/messages/*", status=400, code=50083, message="Thread is archived")
    mover = house.to_move(place)
    await house.play_by_typing(mover, place)
    head = await house.head(place)
    assert head.shown_seq == head.seq
    assert house.to_move(place).id != mover.id
    assert not (await house.client.fetch_channel(place.id)).archived  # type: ignore[union-attr]


async def test_somebody_who_left_server_keeps_place_without_name(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.table(ada, grace)
    house.guild.remove_member(grace)
    await house.restart()
    assert "Somebody: " in told(await ada.slash(house.channel, "tiles board", text=True))
    assert "Grace" not in told(await ada.slash(house.channel, "tiles games"))


async def test_channel_that_cannot_be_written_to_for_while_is_caught_up_with_later(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.table(ada, grace)
    mover = house.to_move()
    for _ in range(2):
        house.env.inject_error("PATCH", "/channels/*/messages/*", status=503, message="Service Unavailable")
    seq = (await house.head()).seq
    played = await house.play_by_typing(mover)
    assert told(played).startswith("You played "), "the mover is answered all the same"
    head = await house.head()
    assert head.seq > seq == head.shown_seq
    for _ in range(6):
        await house.wait(seconds=30)
    head = await house.head()
    assert head.shown_seq == head.seq
    assert house.to_move().id != mover.id


async def _delete(house: House, message_id: int) -> None:
    role = house.guild.create_role("Moderators", permissions=discord.Permissions(manage_messages=True))
    moderator = house.guild.add_member(house.env.create_user("moderator"), roles=[role])
    await moderator.delete(next(message for message in house.public() if message.id == message_id))
