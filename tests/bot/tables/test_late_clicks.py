"""Clicks after a match was ended, paused or given to a substitute, in channels and DMs."""

import pytest

from engine.table.commands import Moderate
from tests.bot.local_bot import Json, LocalBot, list_button_labels, list_components
from tests.bot.local_bot import read_text as read_local_text
from tests.bot.member import Member
from tests.bot.messages import list_menus, read_button_ids, read_text
from tests.bot.simulated_guild import SimGuild
from tests.playground.page_user import PageUser
from tests.wording import en, has_sentence

CLOSED = en("no.CLOSED")


@pytest.mark.parametrize("is_agreed", [True, False], ids=["all agreed", "a moderator"])
async def test_old_menu_says_that_table_was_closed(
    room: SimGuild, ada: Member, grace: Member, mary: Member, is_agreed: bool
) -> None:
    mover = room.get_called_player()
    hand = await room.open_hand(mover)
    room.forget_hands()
    move = list_menus(hand)[0].options[0].value
    if is_agreed:
        confirmation = await ada.open_command("tiles match abort")
        await ada.click(confirmation, label="End the match")
        questions = [message for message in room.list_public_messages() if "Agree" in read_button_ids(message)]
        await grace.click(questions[-1], label="Agree")
    else:
        await mary.use_command("tiles-admin end", reason="late")
    assert (await room.load_head()).state == "void"
    answer = await mover.open_select(hand, move)
    assert read_text(answer) == CLOSED
    assert "Rematch" in read_button_ids(answer)


async def test_old_hand_of_substituted_player_is_refused(room: SimGuild, linus: Member) -> None:
    mover = room.get_called_player()
    hand = await room.open_hand(mover)
    room.forget_hands()
    move = list_menus(hand)[0].options[0].value
    await mover.use_command("tiles match substitute", person=linus)
    question = next(
        one for one in reversed(room.list_public_messages()) if "Agree" in read_button_ids(one) and one.mentions
    )
    await linus.click(question, label="Agree")
    answer = await mover.open_select(hand, move)
    assert read_text(answer).startswith(en("no.NOT_SEATED"))
    assert {"Text board", "Scores"} <= set(read_button_ids(answer))


async def test_old_hand_of_closed_table_changes_no_setting(room: SimGuild, mary: Member) -> None:
    mover = room.get_called_player()
    hand = await room.open_hand(mover)
    room.forget_hands()
    await mary.use_command("tiles-admin end", reason="late")
    assert await mover.read_click(hand, "Skip preview") == CLOSED
    assert not (await room.store.users.load_person(mover.id)).quick


async def start_with_dm_call(sim: LocalBot) -> tuple[PageUser, str, Json]:
    for one in (sim.ada, sim.grace):
        await sim.use_command(one, "tiles", "settings", call="dm")
    await sim.use_command(sim.ada, "tiles", "new", seats=2)
    lobby = await sim.ada.wait_for_message(sim.channel_id, lambda one: "Join" in list_button_labels(one))
    await sim.grace.click(lobby, label="Join")
    await sim.ada.wait_for_message(sim.channel_id, lambda one: "My hand" in list_button_labels(one))
    await sim.wait_until_all_sent()
    mover = await sim.get_mover()
    (call,) = await sim.list_direct_messages(mover)
    return mover, sim.discord.world.direct_channels[mover.id], call


async def click_and_read(person: PageUser, place: str, message: Json, label: str) -> Json:
    return await person.wait_for_answer(place, await person.click(message, label=label))


async def test_dm_button_says_that_match_is_closed(local: LocalBot) -> None:
    mover, place, call = await start_with_dm_call(local)
    async with PageUser(local.discord.address, "Mary") as mary:
        await local.client.services.acts.act(1, Moderate("stop", int(mary.id), "late"), request=99)
    answer = await click_and_read(mover, place, call, "My hand")
    assert read_local_text(answer) == CLOSED
    assert list_button_labels(answer) == set(), "a table that is opened here would stand nowhere"


async def test_dm_button_names_moderator_who_paused_match(local: LocalBot) -> None:
    mover, place, call = await start_with_dm_call(local)
    hand = await click_and_read(mover, place, call, "My hand")
    menu = next(part for part in list_components(hand["components"]) if part["type"] == 3)
    await mover.select(hand, [menu["options"][0]["value"]], custom_id=menu["custom_id"])
    preview = await mover.wait_for_message(place, lambda one: "Back" in list_button_labels(one))
    async with PageUser(local.discord.address, "Mary") as mary:
        await local.client.services.acts.act(1, Moderate("pause", int(mary.id), "tea"))
    play = next(label for label in list_button_labels(preview) if label.startswith("Play "))
    await mover.click(preview, label=play)
    answer = await mover.wait_for_message(place, lambda one: one["id"] > preview["id"])
    assert has_sentence(read_local_text(answer), "no.PAUSED", name="Mary", reason="tea")


async def test_dm_hand_of_finished_match_offers_no_rematch(local: LocalBot) -> None:
    mover, place, call = await start_with_dm_call(local)
    answer = await local.use_command(mover, "tiles", "match", "resign")
    await mover.click(answer, label="Resign")
    await mover.wait_for_message(local.channel_id, lambda one: "Rematch" in list_button_labels(one))
    await local.wait_until_all_sent()
    hand = await click_and_read(mover, place, call, "My hand")
    assert has_sentence(read_local_text(hand), "end.title")
    assert "Rematch" not in list_button_labels(hand)
