"""Clicks after a match was ended, paused or given to a substitute, in channels and DMs."""

import pytest
from simcord import MemberActor

from bot.playground.person import PageUser
from engine.table.commands import Moderate
from tests.bot.local_bot import Json, LocalBot, labels, run_local_bot, walk
from tests.bot.local_bot import words_of as said_in
from tests.bot.messages import button_ids, menus, private, told, words_of
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, says

CLOSED = en("no.CLOSED")


async def end_by_both(sim: SimGuild, ada: MemberActor, grace: MemberActor, mary: MemberActor) -> None:
    asked = private(await ada.slash(sim.channel, "tiles match abort"))
    await ada.click(asked, label="End the match")
    if (await sim.head()).state == "open":
        question = next(message for message in reversed(sim.public()) if "Agree" in button_ids(message))
        await grace.click(question, label="Agree")


async def end_by_moderator(sim: SimGuild, ada: MemberActor, grace: MemberActor, mary: MemberActor) -> None:
    await mary.slash(sim.channel, "tiles-admin end", reason="late")


@pytest.mark.parametrize("end", [end_by_both, end_by_moderator], ids=["all agreed", "a moderator"])
async def test_old_menu_says_that_table_was_closed(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, mary: MemberActor, end: object
) -> None:
    await sim.table(ada, grace)
    mover = sim.to_move()
    hand = await sim.hand(mover)
    sim.lapse()
    move = menus(hand)[0].options[0].value
    assert callable(end)
    await end(sim, ada, grace, mary)
    assert (await sim.head()).state == "void"
    answer = private(await mover.select(hand, [move]))
    assert words_of(answer) == CLOSED
    assert "Rematch" in button_ids(answer)


async def test_old_hand_of_substituted_player_is_refused(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await sim.table(ada, grace)
    mover = sim.to_move()
    hand = await sim.hand(mover)
    sim.lapse()
    move = menus(hand)[0].options[0].value
    await mover.slash(sim.channel, "tiles match substitute", person=linus)
    question = next(one for one in reversed(sim.public()) if "Agree" in button_ids(one) and one.mentions)
    await linus.click(question, label="Agree")
    answer = private(await mover.select(hand, [move]))
    assert words_of(answer).startswith(en("no.NOT_SEATED"))
    assert {"Text board", "Scores"} <= set(button_ids(answer))


async def test_old_hand_of_closed_table_changes_no_setting(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, mary: MemberActor
) -> None:
    await sim.table(ada, grace)
    mover = sim.to_move()
    hand = await sim.hand(mover)
    sim.lapse()
    await mary.slash(sim.channel, "tiles-admin end", reason="late")
    assert told(await mover.click(hand, label="Skip preview")) == CLOSED
    assert not (await sim.store.users.load_person(mover.id)).quick


async def start_with_dm_call(sim: LocalBot) -> tuple[PageUser, str, Json]:
    for one in (sim.ada, sim.grace):
        await sim.answered(one, await one.use_command(sim.place, "tiles", "settings", call="dm"))
    await sim.answered(sim.ada, await sim.ada.use_command(sim.place, "tiles", "new", seats=2))
    lobby = await sim.ada.wait_for_message(sim.place, lambda one: "Join" in labels(one))
    await sim.grace.click(lobby, label="Join")
    await sim.ada.wait_for_message(sim.place, lambda one: "My hand" in labels(one))
    await sim.settled()
    mover = await sim.mover()
    (call,) = await sim.direct(mover)
    return mover, sim.discord.world.direct_channels[mover.id], call


async def click_and_read(person: PageUser, place: str, message: Json, label: str) -> Json:
    return await person.wait_for_answer(place, await person.click(message, label=label))


async def test_dm_button_says_that_match_is_closed(url: str) -> None:
    async with run_local_bot(url) as sim:
        mover, place, call = await start_with_dm_call(sim)
        async with PageUser(sim.discord.address, "Mary") as mary:
            await sim.client.services.acts.act(1, Moderate("stop", int(mary.id), "late"), request=99)
        answer = await click_and_read(mover, place, call, "My hand")
        assert said_in(answer) == CLOSED
        assert labels(answer) == set(), "a table that is opened here would stand nowhere"


async def test_dm_button_names_moderator_who_paused_match(url: str) -> None:
    async with run_local_bot(url) as sim:
        mover, place, call = await start_with_dm_call(sim)
        hand = await click_and_read(mover, place, call, "My hand")
        menu = next(part for part in walk(hand["components"]) if part["type"] == 3)
        await mover.select(hand, [menu["options"][0]["value"]], custom_id=menu["custom_id"])
        preview = await mover.wait_for_message(place, lambda one: "Back" in labels(one))
        async with PageUser(sim.discord.address, "Mary") as mary:
            await sim.client.services.acts.act(1, Moderate("pause", int(mary.id), "tea"))
        play = next(label for label in labels(preview) if label.startswith("Play "))
        await mover.click(preview, label=play)
        answer = await mover.wait_for_message(place, lambda one: one["id"] > preview["id"])
        assert says(said_in(answer), "no.PAUSED", name="Mary", reason="tea")


async def test_dm_hand_of_finished_match_offers_no_rematch(url: str) -> None:
    async with run_local_bot(url) as sim:
        mover, place, call = await start_with_dm_call(sim)
        asked = await sim.answered(mover, await mover.use_command(sim.place, "tiles", "match", "resign"))
        await mover.click(asked, label="Resign")
        await mover.wait_for_message(sim.place, lambda one: "Rematch" in labels(one))
        await sim.settled()
        hand = await click_and_read(mover, place, call, "My hand")
        assert says(said_in(hand), "hand.title_over")
        assert labels(hand) == {"Show as text"}
        await mover.click(hand, label="Show as text")
        assert labels(await mover.wait_for_message(place, lambda one: "round 1" in said_in(one))) == {"My hand"}
