"""Refusals in a lobby: each answer is private, says what to do next, and changes nothing."""

import pytest

from tests.bot.member import Member
from tests.bot.messages import read_button_ids, read_private_text
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, has_sentence

MATCH_COMMANDS = ("hand", "play", "draw", "pass", "match resign", "board", "scores")


async def check_refusal(sim: SimGuild, *answers: str, before: tuple[int, list[str]]) -> str:
    assert await sim.take_snapshot() == before
    (answer,) = {*answers}
    return answer


async def send_command(sim: SimGuild, person: Member, command: str) -> str:
    options = {"tile": "1-2-3"} if command == "play" else {}
    return await person.read_command(f"tiles {command}", **options)


@pytest.fixture
async def lobby(sim: SimGuild, ada: Member, grace: Member) -> tuple[int, list[str]]:
    await ada.use_command("tiles new", seats=3)
    await grace.click(sim.get_board(), label="Join")
    return await sim.take_snapshot()


async def test_second_join_is_refused(sim: SimGuild, grace: Member, lobby: tuple[int, list[str]]) -> None:
    answers = (await grace.read_click(sim.get_board(), "Join"), await send_command(sim, grace, "join"))
    assert await check_refusal(sim, *answers, before=lobby) == en("no.ALREADY_SEATED")


async def test_start_by_guest_is_refused(sim: SimGuild, grace: Member, lobby: tuple[int, list[str]]) -> None:
    answers = (await grace.read_click(sim.get_board(), "Start"), await send_command(sim, grace, "start"))
    assert await check_refusal(sim, *answers, before=lobby) == en("no.NOT_HOST", name="Ada")


async def test_leaving_lobby_passes_host_then_closes_table(
    sim: SimGuild, ada: Member, grace: Member, lobby: tuple[int, list[str]]
) -> None:
    await ada.click(sim.get_board(), label="Leave")
    assert "1. Grace · host" in sim.read_board()
    before = await sim.take_snapshot()
    assert await check_refusal(sim, await send_command(sim, ada, "leave"), before=before) == en("no.JOIN_FIRST")
    assert await send_command(sim, grace, "leave") == en("lobby.left")
    assert en("lobby.closed", reason=en("lobby.closed_empty")) in sim.read_board()
    assert set(read_button_ids(sim.get_board())) == {"Open again"}
    await ada.click(sim.get_board(), label="Open again")
    assert has_sentence(sim.read_board(), "lobby.title", host="Ada")


async def test_join_and_leave_in_running_match_are_refused(
    sim: SimGuild, ada: Member, linus: Member, lobby: tuple[int, list[str]]
) -> None:
    await ada.click(sim.get_board(), label="Start")
    before = await sim.take_snapshot()
    assert await check_refusal(sim, await send_command(sim, linus, "join"), before=before) == en("no.ALREADY_STARTED")
    assert await check_refusal(sim, await send_command(sim, ada, "leave"), before=before) == en("no.LEAVE_MEANS_RESIGN")
    assert has_sentence(
        await check_refusal(sim, await send_command(sim, linus, "leave"), before=before), "no.NOT_SEATED"
    )


async def test_join_at_full_table_is_refused(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await ada.use_command("tiles new", seats=2)
    join = read_button_ids(sim.get_board())["Join"]
    await grace.click(sim.get_board(), label="Join")
    old_message = await sim.post(join)
    before = await sim.take_snapshot()
    answers = read_private_text(await linus.click(old_message, custom_id=join)), await send_command(sim, linus, "join")
    assert await check_refusal(sim, *answers, before=before) == en("no.TABLE_FULL", seats="2")
    assert await check_refusal(
        sim, read_private_text(await ada.click(old_message, custom_id=join)), before=before
    ) == en("no.ALREADY_SEATED")


async def test_match_commands_are_refused_in_lobby(sim: SimGuild, ada: Member) -> None:
    await ada.use_command("tiles new")
    assert "Start" not in read_button_ids(sim.get_board())
    before = await sim.take_snapshot()
    assert await check_refusal(sim, await send_command(sim, ada, "start"), before=before) == en("no.ALONE", least="2")
    answers = [await send_command(sim, ada, command) for command in MATCH_COMMANDS]
    assert await check_refusal(sim, *answers, before=before) == en("no.NOT_STARTED", name="Ada")


async def test_table_commands_are_refused_without_table(sim: SimGuild, ada: Member) -> None:
    answers = [await send_command(sim, ada, command) for command in ("join", "leave", "start", *MATCH_COMMANDS)]
    assert {*answers} == {en("no.NO_TABLE_HERE")}
    assert sim.list_public_messages() == []


async def test_lobby_closes_after_day(sim: SimGuild, ada: Member) -> None:
    await ada.use_command("tiles new")
    lobby = sim.get_board().id
    await sim.wait(hours=23)
    assert has_sentence(sim.read_board(), "lobby.waiting", host="Ada")
    await sim.wait(hours=24)
    assert sim.get_board().id == lobby
    assert en("lobby.closed", reason=en("lobby.closed_expired")) in sim.read_board()
    await ada.click(sim.get_board(), label="Open again")
    assert has_sentence(sim.read_board(), "lobby.waiting", host="Ada")
