"""What is kept of people about a question: as long as it is open, and no longer (PRIVACY.md)."""

import sqlite3
from contextlib import closing
from pathlib import Path

import discord
from simcord import MemberActor

from data.store.connection.privacy_key import fingerprint, key_of
from tests.bot.agreements import circle
from tests.bot.house import House
from tests.bot.presses import take_turn
from tests.bot.reading import button_ids, private, told, words_of
from tests.wording import says


async def invited(house: House, person: MemberActor, *players: MemberActor) -> discord.Message:
    await circle(house, *players)
    await house.to_move().slash(house.channel, "tiles match substitute", person=person)
    assert await in_the_log(house, person)
    (question,) = [one for one in house.public() if one.mentions and "to go on with this seat" in words_of(one)]
    return question


async def in_the_log(house: House, person: MemberActor) -> bool:
    with closing(sqlite3.connect(house.url.removeprefix("sqlite:///"))) as base:
        found = base.execute("SELECT count(*) FROM participants WHERE user_id = ?", (person.id,)).fetchone()
    return bool(found[0])


def to_move(house: House, *players: MemberActor) -> MemberActor:
    call = next(one for one in reversed(house.calls()) if "your turn" in words_of(one))
    return next(player for player in players if player.id == call.mentions[0].id)


async def test_move_that_overtakes_question_forgets_who_was_asked(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await invited(house, linus, ada, grace)
    await house.play_by_typing(to_move(house, ada, grace))
    assert not await in_the_log(house, linus)


async def test_so_does_no(house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor) -> None:
    question = await invited(house, linus, ada, grace)
    asker = to_move(house, ada, grace)
    await linus.click(question, label="No")
    assert not await in_the_log(house, linus)
    again = told(await asker.slash(house.channel, "tiles match substitute", person=linus))
    assert says(again, "no.ASKED_BEFORE"), "and nobody is asked again for that"


async def test_so_does_time_that_runs_out(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await invited(house, linus, ada, grace)
    await house.wait(hours=25)
    assert not await in_the_log(house, linus)


async def test_so_does_end_of_match_by_moderator(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor, mary: MemberActor
) -> None:
    await invited(house, linus, ada, grace)
    await mary.slash(house.channel, "tiles-admin end", reason="enough")
    assert (await house.head()).state == "void"
    assert not await in_the_log(house, linus)


async def test_so_does_end_that_others_choose(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await house.table(ada, grace, clock="live 2m")
    for _ in range(2):
        await take_turn(house, house.to_move())
    silent = house.to_move()
    other = ada if silent is grace else grace
    await silent.slash(house.channel, "tiles match substitute", person=linus)
    await house.wait(seconds=130)
    asked = next(one for one in house.public() if "End the match" in button_ids(one))
    await other.click(asked, label="End the match")
    assert (await house.head()).state == "done"
    assert not await in_the_log(house, linus)


async def test_deletion_of_whoever_was_asked_draws_board_without_them(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await invited(house, linus, ada, grace)
    assert "Linus" in words_of(house.board())
    asked = private(await linus.slash(house.channel, "tiles data delete"))
    await linus.click(asked, label="Delete everything")
    await house.wait(seconds=30)
    assert "Linus" not in words_of(house.board())


async def test_their_question_is_settled_by_next_one(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    question = await invited(house, linus, ada, grace)
    await linus.click(private(await linus.slash(house.channel, "tiles data delete")), label="Delete everything")
    mary = house.person("Mary")
    said = told(await to_move(house, ada, grace).slash(house.channel, "tiles match substitute", person=mary))
    assert said.startswith("You have asked.")
    await house.wait(seconds=30)
    (before,) = [one for one in house.public() if one.id == question.id]
    assert button_ids(before) == {}
    assert says(words_of(before), "agree.lapsed")
    assert "Linus" not in words_of(before)


async def test_whoever_is_only_asked_is_among_everybody_that_restored_backup_may_have_to_forget(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await invited(house, linus, ada, grace)
    assert linus.id in await house.store.erasure.everybody()
    mark = fingerprint(key_of(Path(house.url.removeprefix("sqlite:///"))), linus.id)
    assert await house.client.services.privacy.delete_again({mark: house.clock()}) == 1
    assert not await in_the_log(house, linus)
    assert linus.id not in await house.store.erasure.everybody()
