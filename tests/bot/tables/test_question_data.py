"""The store keeps an invited user only while the question is open (PRIVACY.md)."""

import sqlite3
from contextlib import closing
from pathlib import Path

import discord
from simcord import MemberActor

from data.store.connection.privacy_key import compute_fingerprint, load_key
from tests.bot.messages import button_ids, private, told, words_of
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.agreements import play_one_turn_each
from tests.bot.tables.greedy_clicks import take_turn
from tests.wording import en, says


async def invite_substitute(sim: SimGuild, person: MemberActor, *players: MemberActor) -> discord.Message:
    await play_one_turn_each(sim, *players)
    await sim.to_move().slash(sim.channel, "tiles match substitute", person=person)
    assert await is_in_log(sim, person)
    (question,) = [one for one in sim.public() if one.mentions and says(words_of(one), "agree.substitute")]
    return question


async def is_in_log(sim: SimGuild, person: MemberActor) -> bool:
    with closing(sqlite3.connect(sim.url.removeprefix("sqlite:///"))) as base:
        found = base.execute("SELECT count(*) FROM participants WHERE user_id = ?", (person.id,)).fetchone()
    return bool(found[0])


def current_player(sim: SimGuild, *players: MemberActor) -> MemberActor:
    call = next(one for one in reversed(sim.calls()) if "your turn" in words_of(one))
    return next(player for player in players if player.id == call.mentions[0].id)


async def test_move_deletes_invited_user_from_log(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await invite_substitute(sim, linus, ada, grace)
    await sim.play_by_typing(current_player(sim, ada, grace))
    assert not await is_in_log(sim, linus)


async def test_declined_question_deletes_invited_user(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    question = await invite_substitute(sim, linus, ada, grace)
    asker = current_player(sim, ada, grace)
    await linus.click(question, label="No")
    assert not await is_in_log(sim, linus)
    again = told(await asker.slash(sim.channel, "tiles match substitute", person=linus))
    assert says(again, "no.ASKED_BEFORE"), "and nobody is asked again for that"


async def test_expired_question_deletes_invited_user(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await invite_substitute(sim, linus, ada, grace)
    await sim.wait(hours=25)
    assert not await is_in_log(sim, linus)


async def test_match_ended_by_moderator_deletes_invited_user(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor, mary: MemberActor
) -> None:
    await invite_substitute(sim, linus, ada, grace)
    await mary.slash(sim.channel, "tiles-admin end", reason="enough")
    assert (await sim.head()).state == "void"
    assert not await is_in_log(sim, linus)


async def test_match_ended_by_players_deletes_invited_user(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await sim.table(ada, grace, clock="live 2m")
    for _ in range(2):
        await take_turn(sim, sim.to_move())
    silent = sim.to_move()
    other = ada if silent is grace else grace
    await silent.slash(sim.channel, "tiles match substitute", person=linus)
    await sim.wait(seconds=130)
    asked = next(one for one in sim.public() if "End the match" in button_ids(one))
    await other.click(asked, label="End the match")
    assert (await sim.head()).state == "done"
    assert not await is_in_log(sim, linus)


async def test_data_deletion_removes_invited_user_from_board(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await invite_substitute(sim, linus, ada, grace)
    assert "Linus" in words_of(sim.board())
    asked = private(await linus.slash(sim.channel, "tiles data delete"))
    await linus.click(asked, label="Delete everything")
    await sim.wait(seconds=30)
    assert "Linus" not in words_of(sim.board())


async def test_next_question_settles_question_of_deleted_user(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    question = await invite_substitute(sim, linus, ada, grace)
    await linus.click(private(await linus.slash(sim.channel, "tiles data delete")), label="Delete everything")
    mary = sim.person("Mary")
    said = told(await current_player(sim, ada, grace).slash(sim.channel, "tiles match substitute", person=mary))
    assert said.startswith(en("agree.asked").split(".")[0])
    await sim.wait(seconds=30)
    (before,) = [one for one in sim.public() if one.id == question.id]
    assert button_ids(before) == {}
    assert says(words_of(before), "agree.lapsed")
    assert "Linus" not in words_of(before)


async def test_invited_user_is_deleted_again_after_restore(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await invite_substitute(sim, linus, ada, grace)
    assert linus.id in await sim.store.erasure.list_user_ids()
    mark = compute_fingerprint(load_key(Path(sim.url.removeprefix("sqlite:///"))), linus.id)
    assert await sim.client.services.privacy.repeat_deletions({mark: sim.clock()}) == 1
    assert not await is_in_log(sim, linus)
    assert linus.id not in await sim.store.erasure.list_user_ids()
