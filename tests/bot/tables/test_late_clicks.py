"""Clicks after a match was ended, paused or given to a substitute, in channels and DMs."""

import pytest
from simcord import MemberActor

from bot.playground.person import PageUser
from engine.table.commands import Moderate
from tests.bot.local_bot import Json, LocalBot, list_button_labels, list_components, run_local_bot
from tests.bot.local_bot import read_text as said_in
from tests.bot.messages import get_private_answer, list_menus, read_button_ids, read_private_text, read_text
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, has_sentence

CLOSED = en("no.CLOSED")


async def end_by_agreement(sim: SimGuild, ada: MemberActor, grace: MemberActor, mary: MemberActor) -> None:
    confirmation = get_private_answer(await ada.slash(sim.channel, "tiles match abort"))
    await ada.click(confirmation, label="End the match")
    if (await sim.load_head()).state == "open":
        question = next(
            message for message in reversed(sim.list_public_messages()) if "Agree" in read_button_ids(message)
        )
        await grace.click(question, label="Agree")


async def end_by_moderator(sim: SimGuild, ada: MemberActor, grace: MemberActor, mary: MemberActor) -> None:
    await mary.slash(sim.channel, "tiles-admin end", reason="late")


@pytest.mark.parametrize("end", [end_by_agreement, end_by_moderator], ids=["all agreed", "a moderator"])
async def test_old_menu_says_that_table_was_closed(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, mary: MemberActor, end: object
) -> None:
    await sim.start_table(ada, grace)
    mover = sim.get_called_player()
    hand = await sim.open_hand(mover)
    sim.forget_hands()
    move = list_menus(hand)[0].options[0].value
    assert callable(end)
    await end(sim, ada, grace, mary)
    assert (await sim.load_head()).state == "void"
    answer = get_private_answer(await mover.select(hand, [move]))
    assert read_text(answer) == CLOSED
    assert "Rematch" in read_button_ids(answer)


async def test_old_hand_of_substituted_player_is_refused(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await sim.start_table(ada, grace)
    mover = sim.get_called_player()
    hand = await sim.open_hand(mover)
    sim.forget_hands()
    move = list_menus(hand)[0].options[0].value
    await mover.slash(sim.channel, "tiles match substitute", person=linus)
    question = next(
        one for one in reversed(sim.list_public_messages()) if "Agree" in read_button_ids(one) and one.mentions
    )
    await linus.click(question, label="Agree")
    answer = get_private_answer(await mover.select(hand, [move]))
    assert read_text(answer).startswith(en("no.NOT_SEATED"))
    assert {"Text board", "Scores"} <= set(read_button_ids(answer))


async def test_old_hand_of_closed_table_changes_no_setting(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, mary: MemberActor
) -> None:
    await sim.start_table(ada, grace)
    mover = sim.get_called_player()
    hand = await sim.open_hand(mover)
    sim.forget_hands()
    await mary.slash(sim.channel, "tiles-admin end", reason="late")
    assert read_private_text(await mover.click(hand, label="Skip preview")) == CLOSED
    assert not (await sim.store.users.load_person(mover.id)).quick


async def start_with_dm_call(sim: LocalBot) -> tuple[PageUser, str, Json]:
    for one in (sim.ada, sim.grace):
        await sim.wait_for_answer(one, await one.use_command(sim.channel_id, "tiles", "settings", call="dm"))
    await sim.wait_for_answer(sim.ada, await sim.ada.use_command(sim.channel_id, "tiles", "new", seats=2))
    lobby = await sim.ada.wait_for_message(sim.channel_id, lambda one: "Join" in list_button_labels(one))
    await sim.grace.click(lobby, label="Join")
    await sim.ada.wait_for_message(sim.channel_id, lambda one: "My hand" in list_button_labels(one))
    await sim.wait_until_all_sent()
    mover = await sim.get_mover()
    (call,) = await sim.list_direct_messages(mover)
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
        assert list_button_labels(answer) == set(), "a table that is opened here would stand nowhere"


async def test_dm_button_names_moderator_who_paused_match(url: str) -> None:
    async with run_local_bot(url) as sim:
        mover, place, call = await start_with_dm_call(sim)
        hand = await click_and_read(mover, place, call, "My hand")
        menu = next(part for part in list_components(hand["components"]) if part["type"] == 3)
        await mover.select(hand, [menu["options"][0]["value"]], custom_id=menu["custom_id"])
        preview = await mover.wait_for_message(place, lambda one: "Back" in list_button_labels(one))
        async with PageUser(sim.discord.address, "Mary") as mary:
            await sim.client.services.acts.act(1, Moderate("pause", int(mary.id), "tea"))
        play = next(label for label in list_button_labels(preview) if label.startswith("Play "))
        await mover.click(preview, label=play)
        answer = await mover.wait_for_message(place, lambda one: one["id"] > preview["id"])
        assert has_sentence(said_in(answer), "no.PAUSED", name="Mary", reason="tea")


async def test_dm_hand_of_finished_match_offers_no_rematch(url: str) -> None:
    async with run_local_bot(url) as sim:
        mover, place, call = await start_with_dm_call(sim)
        answer = await sim.wait_for_answer(mover, await mover.use_command(sim.channel_id, "tiles", "match", "resign"))
        await mover.click(answer, label="Resign")
        await mover.wait_for_message(sim.channel_id, lambda one: "Rematch" in list_button_labels(one))
        await sim.wait_until_all_sent()
        hand = await click_and_read(mover, place, call, "My hand")
        assert has_sentence(said_in(hand), "hand.title_over")
        assert list_button_labels(hand) == {"Show as text"}
        await mover.click(hand, label="Show as text")
        assert list_button_labels(await mover.wait_for_message(place, lambda one: "round 1" in said_in(one))) == {
            "My hand"
        }
