"""Refusals in a lobby: each answer is private, says what to do next, and changes nothing."""

import pytest
from simcord import MemberActor

from tests.bot.messages import button_ids, told, words_of
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, says

NEEDS_MATCH = ("hand", "play", "draw", "pass", "match resign", "board", "scores")


async def check_refusal(sim: SimGuild, *answers: str, before: tuple[int, list[str]]) -> str:
    assert await sim.standing() == before
    (said,) = {*answers}
    return said


async def send_command(sim: SimGuild, person: MemberActor, command: str) -> str:
    options = {"tile": "1-2-3"} if command == "play" else {}
    return told(await person.slash(sim.channel, f"tiles {command}", **options))


@pytest.fixture
async def lobby(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> tuple[int, list[str]]:
    await ada.slash(sim.channel, "tiles new", seats=3)
    await grace.click(sim.board(), label="Join")
    return await sim.standing()


async def test_second_join_is_refused(sim: SimGuild, grace: MemberActor, lobby: tuple[int, list[str]]) -> None:
    asked = told(await grace.click(sim.board(), label="Join")), await send_command(sim, grace, "join")
    assert await check_refusal(sim, *asked, before=lobby) == en("no.ALREADY_SEATED")


async def test_start_by_guest_is_refused(sim: SimGuild, grace: MemberActor, lobby: tuple[int, list[str]]) -> None:
    asked = told(await grace.click(sim.board(), label="Start")), await send_command(sim, grace, "start")
    assert await check_refusal(sim, *asked, before=lobby) == en("no.NOT_HOST", name="Ada")


async def test_leaving_lobby_passes_host_then_closes_table(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, lobby: tuple[int, list[str]]
) -> None:
    await ada.click(sim.board(), label="Leave")
    assert "1. Grace · host" in words_of(sim.board())
    before = await sim.standing()
    assert await check_refusal(sim, await send_command(sim, ada, "leave"), before=before) == en("no.JOIN_FIRST")
    assert await send_command(sim, grace, "leave") == en("lobby.left")
    assert en("lobby.closed", reason=en("lobby.closed_empty")) in words_of(sim.board())
    assert set(button_ids(sim.board())) == {"Open again"}
    await ada.click(sim.board(), label="Open again")
    assert says(words_of(sim.board()), "lobby.title", host="Ada")


async def test_join_and_leave_in_running_match_are_refused(
    sim: SimGuild, ada: MemberActor, linus: MemberActor, lobby: tuple[int, list[str]]
) -> None:
    await ada.click(sim.board(), label="Start")
    before = await sim.standing()
    assert await check_refusal(sim, await send_command(sim, linus, "join"), before=before) == en("no.ALREADY_STARTED")
    assert await check_refusal(sim, await send_command(sim, ada, "leave"), before=before) == en("no.LEAVE_MEANS_RESIGN")
    assert says(await check_refusal(sim, await send_command(sim, linus, "leave"), before=before), "no.NOT_SEATED")


async def test_join_at_full_table_is_refused(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await ada.slash(sim.channel, "tiles new", seats=2)
    join = button_ids(sim.board())["Join"]
    await grace.click(sim.board(), label="Join")
    old = await sim.post(join)
    before = await sim.standing()
    asked = told(await linus.click(old, custom_id=join)), await send_command(sim, linus, "join")
    assert await check_refusal(sim, *asked, before=before) == en("no.TABLE_FULL", seats="2")
    assert await check_refusal(sim, told(await ada.click(old, custom_id=join)), before=before) == en(
        "no.ALREADY_SEATED"
    )


async def test_table_of_six_starts_with_sixth_player(sim: SimGuild, ada: MemberActor) -> None:
    await ada.slash(sim.channel, "tiles new")
    for name in ("Barbara", "Carol", "Dora", "Emmy", "Frances"):
        assert (await sim.head()).state == "lobby"
        await sim.person(name).click(sim.board(), label="Join")
    match = await sim.match()
    assert len(match.seats) == 6
    assert {len(seat.hand) for seat in match.seats} <= {5, 6, 7, 8, 9}


async def test_match_commands_are_refused_in_lobby(sim: SimGuild, ada: MemberActor) -> None:
    await ada.slash(sim.channel, "tiles new")
    assert "Start" not in button_ids(sim.board())
    before = await sim.standing()
    assert await check_refusal(sim, await send_command(sim, ada, "start"), before=before) == en("no.ALONE", least="2")
    asked = [await send_command(sim, ada, command) for command in NEEDS_MATCH]
    assert await check_refusal(sim, *asked, before=before) == en("no.NOT_STARTED", name="Ada")


async def test_table_commands_are_refused_without_table(sim: SimGuild, ada: MemberActor) -> None:
    asked = [await send_command(sim, ada, command) for command in ("join", "leave", "start", *NEEDS_MATCH)]
    assert {*asked} == {en("no.NO_TABLE_HERE")}
    assert sim.public() == []


async def test_lobby_closes_after_day(sim: SimGuild, ada: MemberActor) -> None:
    await ada.slash(sim.channel, "tiles new")
    lobby = sim.board().id
    await sim.wait(hours=23)
    assert says(words_of(sim.board()), "lobby.waiting", host="Ada")
    await sim.wait(hours=24)
    assert sim.board().id == lobby
    assert en("lobby.closed", reason=en("lobby.closed_expired")) in words_of(sim.board())
    await ada.click(sim.board(), label="Open again")
    assert says(words_of(sim.board()), "lobby.waiting", host="Ada")
