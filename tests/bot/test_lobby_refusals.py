"""Refusals in a lobby: each answer is private, says what to do next, and changes nothing."""

import pytest
from simcord import MemberActor

from tests.bot.house import House
from tests.bot.reading import button_ids, told, words_of
from tests.wording import en, says

NEEDS_MATCH = ("hand", "play", "draw", "pass", "match resign", "board", "scores")


async def refused(house: House, *answers: str, before: tuple[int, list[str]]) -> str:
    assert await house.standing() == before
    (said,) = {*answers}
    return said


async def ask(house: House, person: MemberActor, command: str) -> str:
    options = {"tile": "1-2-3"} if command == "play" else {}
    return told(await person.slash(house.channel, f"tiles {command}", **options))


@pytest.fixture
async def lobby(house: House, ada: MemberActor, grace: MemberActor) -> tuple[int, list[str]]:
    await ada.slash(house.channel, "tiles new", seats=3)
    await grace.click(house.board(), label="Join")
    return await house.standing()


async def test_second_join_is_refused(house: House, grace: MemberActor, lobby: tuple[int, list[str]]) -> None:
    asked = told(await grace.click(house.board(), label="Join")), await ask(house, grace, "join")
    assert await refused(house, *asked, before=lobby) == en("no.ALREADY_SEATED")


async def test_only_host_starts(house: House, grace: MemberActor, lobby: tuple[int, list[str]]) -> None:
    asked = told(await grace.click(house.board(), label="Start")), await ask(house, grace, "start")
    assert await refused(house, *asked, before=lobby) == en("no.NOT_HOST", name="Ada")


async def test_leaving_lobby(house: House, ada: MemberActor, grace: MemberActor, lobby: tuple[int, list[str]]) -> None:
    await ada.click(house.board(), label="Leave")
    assert "1. Grace · host" in words_of(house.board())
    before = await house.standing()
    assert await refused(house, await ask(house, ada, "leave"), before=before) == en("no.JOIN_FIRST")
    assert await ask(house, grace, "leave") == en("lobby.left")
    assert en("lobby.closed", reason=en("lobby.closed_empty")) in words_of(house.board())
    assert set(button_ids(house.board())) == {"Open again"}
    await ada.click(house.board(), label="Open again")
    assert says(words_of(house.board()), "lobby.title", host="Ada")


async def test_running_match(house: House, ada: MemberActor, linus: MemberActor, lobby: tuple[int, list[str]]) -> None:
    await ada.click(house.board(), label="Start")
    before = await house.standing()
    assert await refused(house, await ask(house, linus, "join"), before=before) == en("no.ALREADY_STARTED")
    assert await refused(house, await ask(house, ada, "leave"), before=before) == en("no.LEAVE_MEANS_RESIGN")
    assert says(await refused(house, await ask(house, linus, "leave"), before=before), "no.NOT_SEATED")


async def test_full_table_is_not_joined(house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor) -> None:
    await ada.slash(house.channel, "tiles new", seats=2)
    join = button_ids(house.board())["Join"]
    await grace.click(house.board(), label="Join")
    old = await house.post(join)
    before = await house.standing()
    asked = told(await linus.click(old, custom_id=join)), await ask(house, linus, "join")
    assert await refused(house, *asked, before=before) == en("no.TABLE_FULL", seats="2")
    assert await refused(house, told(await ada.click(old, custom_id=join)), before=before) == en("no.ALREADY_SEATED")


async def test_table_of_six_starts_with_sixth_player(house: House, ada: MemberActor) -> None:
    await ada.slash(house.channel, "tiles new")
    for name in ("Barbara", "Carol", "Dora", "Emmy", "Frances"):
        assert (await house.head()).state == "lobby"
        await house.person(name).click(house.board(), label="Join")
    match = await house.match()
    assert len(match.seats) == 6
    assert {len(seat.hand) for seat in match.seats} <= {5, 6, 7, 8, 9}


async def test_commands_of_match_are_refused_in_lobby(house: House, ada: MemberActor) -> None:
    await ada.slash(house.channel, "tiles new")
    assert "Start" not in button_ids(house.board())
    before = await house.standing()
    assert await refused(house, await ask(house, ada, "start"), before=before) == en("no.ALONE", least="2")
    asked = [await ask(house, ada, command) for command in NEEDS_MATCH]
    assert await refused(house, *asked, before=before) == en("no.NOT_STARTED", name="Ada")


async def test_commands_of_table_are_refused_without_one(house: House, ada: MemberActor) -> None:
    asked = [await ask(house, ada, command) for command in ("join", "leave", "start", *NEEDS_MATCH)]
    assert {*asked} == {en("no.NO_TABLE_HERE")}
    assert house.public() == []


async def test_lobby_closes_after_day(house: House, ada: MemberActor) -> None:
    await ada.slash(house.channel, "tiles new")
    lobby = house.board().id
    await house.wait(hours=23)
    assert says(words_of(house.board()), "lobby.waiting", host="Ada")
    await house.wait(hours=24)
    assert house.board().id == lobby
    assert en("lobby.closed", reason=en("lobby.closed_expired")) in words_of(house.board())
    await ada.click(house.board(), label="Open again")
    assert says(words_of(house.board()), "lobby.waiting", host="Ada")
