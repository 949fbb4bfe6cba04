"""Kept seats for people who are called by direct message: they answer there."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.bot.parlour import Json, Parlour, labels, parlour, words_of


@pytest.fixture
async def house(url: str) -> AsyncIterator[Parlour]:
    async with parlour(url) as found:
        yield found


async def invited(house: Parlour) -> list[Json]:
    """Ada has kept a seat for Grace, who is called by direct message; what she got."""
    await house.store.set_person(int(house.grace.id), pings="dm", now=1)
    opened = await house.ada.slash(house.place, "tiles", "new", **{"with": house.grace.id})
    await house.answered(house.ada, opened)
    await house.settled()
    return await house.direct(house.grace)


async def in_channel(house: Parlour) -> list[Json]:
    """The calls to kept seats that everybody can read."""
    return [one for one in await house.ada.messages(house.place) if "Take the seat" in labels(one)]


def is_over(message: Json) -> bool:
    """Whether a direct call says that it calls no more."""
    return words_of(message).startswith("This call to a seat is over: https://discord.com/channels/")


def is_free(message: Json) -> bool:
    """Whether this is the lobby, and nobody is waited for."""
    return "Set up" in labels(message) and "2. *free*" in words_of(message)


async def test_a_seat_is_taken_from_a_direct_message(house: Parlour) -> None:
    (call,) = await invited(house)
    assert await in_channel(house) == []
    await house.grace.click(call, label="Take the seat")
    sits = "You sit at the table of Ada"
    said = await house.grace.wait_for(call["channel_id"], lambda one: words_of(one).startswith(sits))
    assert "My hand" in labels(said)
    await house.grace.wait_for(call["channel_id"], is_over)
    await house.ada.wait_for(house.place, lambda one: "My hand" in labels(one))
    assert (await house.head()).state == "open"


async def test_a_seat_is_declined_from_a_direct_message(house: Parlour) -> None:
    (call,) = await invited(house)
    said = await house.grace.answer(call["channel_id"], await house.grace.click(call, label="Decline"))
    assert words_of(said) == "You declined: others can have that seat now."
    await house.settled()
    await house.ada.wait_for(house.place, is_free)
    # What called her says that it is over, and still leads there.
    await house.grace.wait_for(call["channel_id"], is_over)
    assert [labels(one) for one in await house.direct(house.grace) if one["id"] == call["id"]] == [set()]
    # Who thinks again goes there, and sits down as anybody may.
    joined = await house.answered(house.grace, await house.grace.slash(house.place, "tiles", "join"))
    assert words_of(joined).startswith("You sit at the table of Ada")


async def test_a_call_that_the_host_takes_back_says_so(house: Parlour) -> None:
    (call,) = await invited(house)
    removed = await house.ada.slash(house.place, "tiles-host", "remove", person=house.grace.id)
    await house.answered(house.ada, removed)
    await house.grace.wait_for(call["channel_id"], is_over)


async def test_who_has_their_data_deleted_is_called_to_nothing_any_more(house: Parlour) -> None:
    opened = await house.ada.slash(house.place, "tiles", "new", **{"with": house.grace.id})
    await house.answered(house.ada, opened)
    await house.settled()
    (call,) = await in_channel(house)
    sure = await house.grace.slash(house.place, "tiles", "data", "delete")
    asked = await house.grace.answer(house.place, sure)
    await house.grace.click(asked, label="Delete everything")
    said = await house.ada.wait_for(house.place, lambda one: one["id"] == call["id"] and not labels(one))
    assert words_of(said) == "Called to a seat here: Somebody. This call is over."
    await house.ada.wait_for(house.place, is_free)


async def test_whose_direct_messages_are_closed_is_called_in_the_channel(house: Parlour) -> None:
    house.discord.world.shut_doors.add(house.grace.id)
    assert await invited(house) == []
    (call,) = await in_channel(house)
    assert [one["id"] for one in call["mentions"]] == [house.grace.id]
