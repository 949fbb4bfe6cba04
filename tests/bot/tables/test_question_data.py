"""The store keeps an invited user only while the question is open (PRIVACY.md)."""

import sqlite3
from contextlib import closing

import discord
import pytest

from tests.bot.member import Member
from tests.bot.messages import read_button_ids, read_text
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.agreements import play_one_turn_each
from tests.bot.tables.greedy_clicks import take_turn
from tests.wording import en, has_sentence


async def invite_substitute(sim: SimGuild, person: Member, *players: Member) -> discord.Message:
    await play_one_turn_each(sim, *players)
    await sim.get_called_player().use_command("tiles match substitute", person=person)
    assert await is_in_log(sim, person)
    (question,) = [
        one for one in sim.list_public_messages() if one.mentions and has_sentence(read_text(one), "agree.substitute")
    ]
    return question


async def is_in_log(sim: SimGuild, person: Member) -> bool:
    with closing(sqlite3.connect(sim.url.removeprefix("sqlite:///"))) as base:
        found = base.execute("SELECT count(*) FROM participants WHERE user_id = ?", (person.id,)).fetchone()
    return bool(found[0])


def get_current_player(sim: SimGuild, *players: Member) -> Member:
    call = next(one for one in reversed(sim.list_calls()) if "your turn" in read_text(one))
    return next(player for player in players if player.id == call.mentions[0].id)


@pytest.mark.parametrize("end", ["move", "expiry", "moderator"])
async def test_ended_question_deletes_invited_user(
    sim: SimGuild, ada: Member, grace: Member, linus: Member, mary: Member, end: str
) -> None:
    await invite_substitute(sim, linus, ada, grace)
    if end == "move":
        await sim.play_by_typing(get_current_player(sim, ada, grace))
    elif end == "expiry":
        await sim.wait(hours=25)
    else:
        await mary.use_command("tiles-admin end", reason="enough")
        assert (await sim.load_head()).state == "void"
    assert not await is_in_log(sim, linus)


async def test_declined_question_deletes_invited_user(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    question = await invite_substitute(sim, linus, ada, grace)
    asking_member = get_current_player(sim, ada, grace)
    await linus.click(question, label="No")
    assert not await is_in_log(sim, linus)
    second_answer = await asking_member.read_command("tiles match substitute", person=linus)
    assert has_sentence(second_answer, "no.ASKED_BEFORE"), "and nobody is asked again for that"


async def test_match_ended_by_players_deletes_invited_user(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    await sim.start_table(ada, grace, clock="live 2m")
    for _ in range(2):
        await take_turn(sim, sim.get_called_player())
    absent_member = sim.get_called_player()
    other = ada if absent_member is grace else grace
    await absent_member.use_command("tiles match substitute", person=linus)
    await sim.wait(seconds=130)
    question = next(one for one in sim.list_public_messages() if "End the match" in read_button_ids(one))
    await other.click(question, label="End the match")
    assert (await sim.load_head()).state == "done"
    assert not await is_in_log(sim, linus)


async def test_data_deletion_removes_invited_user_from_board(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    await invite_substitute(sim, linus, ada, grace)
    assert "Linus" in sim.read_board()
    answer = await linus.open_command("tiles data delete")
    await linus.click(answer, label="Delete everything")
    await sim.wait(seconds=30)
    assert "Linus" not in sim.read_board()


async def test_next_question_settles_question_of_deleted_user(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    question = await invite_substitute(sim, linus, ada, grace)
    await linus.click(await linus.open_command("tiles data delete"), label="Delete everything")
    mary = sim.add_member("Mary")
    answer = await get_current_player(sim, ada, grace).read_command("tiles match substitute", person=mary)
    assert answer.startswith(en("agree.asked").split(".")[0])
    await sim.wait(seconds=30)
    (before,) = [one for one in sim.list_public_messages() if one.id == question.id]
    assert read_button_ids(before) == {}
    assert has_sentence(read_text(before), "agree.lapsed")
    assert "Linus" not in read_text(before)
