"""Reserved seats: players who get their calls by DM answer the invitation there."""

from tests.bot.local_bot import Json, LocalBot, labels, words_of
from tests.wording import en, says


async def invite_by_dm(local: LocalBot) -> list[Json]:
    await local.store.users.set_person(int(local.grace.id), pings="dm", now=1)
    opened = await local.ada.use_command(local.place, "tiles", "new", **{"with": local.grace.id})
    await local.answered(local.ada, opened)
    await local.settled()
    return await local.direct(local.grace)


async def invitations_in_channel(local: LocalBot) -> list[Json]:
    return [one for one in await local.ada.fetch_messages(local.place) if "Take seat" in labels(one)]


def is_over(message: Json) -> bool:
    return says(words_of(message), "lobby.call_over_alone")


def is_free(message: Json) -> bool:
    return "Set up" in labels(message) and "2. *free*" in words_of(message)


async def test_reserved_seat_is_accepted_from_dm(local: LocalBot) -> None:
    (call,) = await invite_by_dm(local)
    assert await invitations_in_channel(local) == []
    await local.grace.click(call, label="Take seat")
    said = await local.grace.wait_for_message(
        call["channel_id"], lambda one: says(words_of(one), "lobby.joined", host="Ada")
    )
    assert "My hand" in labels(said)
    await local.grace.wait_for_message(call["channel_id"], is_over)
    await local.ada.wait_for_message(local.place, lambda one: "My hand" in labels(one))
    assert (await local.head()).state == "open"


async def test_reserved_seat_is_declined_from_dm(local: LocalBot) -> None:
    (call,) = await invite_by_dm(local)
    said = await local.grace.wait_for_answer(call["channel_id"], await local.grace.click(call, label="Decline"))
    assert words_of(said) == en("lobby.declined")
    await local.settled()
    await local.ada.wait_for_message(local.place, is_free)
    # The invitation says that it is over and has no buttons.
    await local.grace.wait_for_message(call["channel_id"], is_over)
    assert [labels(one) for one in await local.direct(local.grace) if one["id"] == call["id"]] == [set()]
    joined = await local.answered(local.grace, await local.grace.use_command(local.place, "tiles", "join"))
    assert says(words_of(joined), "lobby.joined", host="Ada")


async def test_invitation_withdrawn_by_host_says_it_is_over(local: LocalBot) -> None:
    (call,) = await invite_by_dm(local)
    removed = await local.ada.use_command(local.place, "tiles-host", "remove", person=local.grace.id)
    await local.answered(local.ada, removed)
    await local.grace.wait_for_message(call["channel_id"], is_over)


async def test_data_deletion_ends_invitation_and_frees_seat(local: LocalBot) -> None:
    opened = await local.ada.use_command(local.place, "tiles", "new", **{"with": local.grace.id})
    await local.answered(local.ada, opened)
    await local.settled()
    (call,) = await invitations_in_channel(local)
    sure = await local.grace.use_command(local.place, "tiles", "data", "delete")
    asked = await local.grace.wait_for_answer(local.place, sure)
    await local.grace.click(asked, label="Delete everything")
    said = await local.ada.wait_for_message(local.place, lambda one: one["id"] == call["id"] and not labels(one))
    assert words_of(said) == en("lobby.call_over", people="Someone")
    await local.ada.wait_for_message(local.place, is_free)


async def test_invitation_with_closed_dms_is_posted_in_channel(local: LocalBot) -> None:
    local.discord.world.closed_direct_messages.add(local.grace.id)
    assert await invite_by_dm(local) == []
    (call,) = await invitations_in_channel(local)
    assert [one["id"] for one in call["mentions"]] == [local.grace.id]
