"""Reserved seats: players who get their calls by DM answer the invitation there."""

from tests.bot.local_bot import Json, LocalBot, list_button_labels, read_text
from tests.wording import en, has_sentence


async def invite_by_dm(local: LocalBot) -> list[Json]:
    await local.store.users.set_person(int(local.grace.id), pings="dm", now=1)
    await local.use_command(local.ada, "tiles", "new", **{"with": local.grace.id})
    await local.wait_until_all_sent()
    return await local.list_direct_messages(local.grace)


async def fetch_channel_invitations(local: LocalBot) -> list[Json]:
    return [one for one in await local.ada.fetch_messages(local.channel_id) if "Take seat" in list_button_labels(one)]


def is_over(message: Json) -> bool:
    return has_sentence(read_text(message), "lobby.call_over_alone")


def is_free(message: Json) -> bool:
    return "Set up" in list_button_labels(message) and "2. *free*" in read_text(message)


async def test_reserved_seat_is_accepted_from_dm(local: LocalBot) -> None:
    (call,) = await invite_by_dm(local)
    assert await fetch_channel_invitations(local) == []
    await local.grace.click(call, label="Take seat")
    answer = await local.grace.wait_for_message(
        call["channel_id"], lambda one: has_sentence(read_text(one), "lobby.joined", host="Ada")
    )
    assert "My hand" in list_button_labels(answer)
    await local.grace.wait_for_message(call["channel_id"], is_over)
    await local.ada.wait_for_message(local.channel_id, lambda one: "My hand" in list_button_labels(one))
    assert (await local.load_head()).state == "open"


async def test_reserved_seat_is_declined_from_dm(local: LocalBot) -> None:
    (call,) = await invite_by_dm(local)
    answer = await local.grace.wait_for_answer(call["channel_id"], await local.grace.click(call, label="Decline"))
    assert read_text(answer) == en("lobby.declined")
    await local.wait_until_all_sent()
    await local.ada.wait_for_message(local.channel_id, is_free)
    # The invitation says that it is over and has no buttons.
    await local.grace.wait_for_message(call["channel_id"], is_over)
    assert [
        list_button_labels(one) for one in await local.list_direct_messages(local.grace) if one["id"] == call["id"]
    ] == [set()]
    join_answer = await local.use_command(local.grace, "tiles", "join")
    assert has_sentence(read_text(join_answer), "lobby.joined", host="Ada")


async def test_invitation_withdrawn_by_host_says_it_is_over(local: LocalBot) -> None:
    (call,) = await invite_by_dm(local)
    await local.use_command(local.ada, "tiles-host", "remove", person=local.grace.id)
    await local.grace.wait_for_message(call["channel_id"], is_over)


async def test_data_deletion_ends_invitation_and_frees_seat(local: LocalBot) -> None:
    await local.use_command(local.ada, "tiles", "new", **{"with": local.grace.id})
    await local.wait_until_all_sent()
    (call,) = await fetch_channel_invitations(local)
    confirmation = await local.use_command(local.grace, "tiles", "data", "delete")
    await local.grace.click(confirmation, label="Delete everything")
    edited_call = await local.ada.wait_for_message(
        local.channel_id, lambda one: one["id"] == call["id"] and not list_button_labels(one)
    )
    assert read_text(edited_call) == en("lobby.call_over", people="Someone")
    await local.ada.wait_for_message(local.channel_id, is_free)


async def test_invitation_with_closed_dms_is_posted_in_channel(local: LocalBot) -> None:
    local.discord.world.closed_direct_messages.add(local.grace.id)
    assert await invite_by_dm(local) == []
    (call,) = await fetch_channel_invitations(local)
    assert [one["id"] for one in call["mentions"]] == [local.grace.id]
