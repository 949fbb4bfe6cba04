"""Old, repeated, foreign and forged buttons get an answer and change nothing."""

import pytest

from tests.bot.member import Member
from tests.bot.messages import find_play_label, list_menus, read_button_ids, read_private_text, read_text
from tests.bot.simulated_guild import MENU_VALUES, MIXED_HAND_DEAL, SHORT_MATCH_DEAL, SimGuild
from tests.wording import en, has_sentence


async def test_play_button_clicked_twice_plays_once(room: SimGuild) -> None:
    mover = room.get_called_player()
    hand = await room.open_hand(mover)
    value = list_menus(hand)[0].options[0].value
    preview = await mover.open_select(hand, value)
    play_label = find_play_label(preview)
    copied_message = await room.post(read_button_ids(preview)[play_label])
    await mover.click(preview, label=play_label)
    after = await room.take_snapshot()
    second = await mover.open_click(copied_message, "Button 0")
    assert read_text(second).startswith(en("no.STALE"))
    assert "'s turn" in read_text(second), "and the current hand is shown"
    assert await room.take_snapshot() == after


async def test_old_menu_shows_current_hand(room: SimGuild) -> None:
    mover = room.get_called_player()
    old_hand = await room.open_hand(mover)
    room.forget_hands()
    await room.play_by_typing(mover)
    await room.play_by_typing(room.get_called_player())
    after = await room.take_snapshot()
    current_hand = await mover.open_select(old_hand, list_menus(old_hand)[0].options[-1].value)
    assert read_text(current_hand).startswith(en("no.STALE"))
    assert current_hand.id == old_hand.id, "in the same message"
    assert await room.take_snapshot() == after
    new_menu = list_menus(current_hand)[0]
    assert new_menu.custom_id != list_menus(old_hand)[0].custom_id or new_menu.options
    answer = await mover.open_select(current_hand, new_menu.options[0].value)
    assert any(label.startswith("Play") for label in read_button_ids(answer))


async def test_my_hand_shows_own_hand(room: SimGuild, linus: Member) -> None:
    call = room.list_calls()[0]
    mover, waiting_member = room.get_called_player(), room.get_waiting_player()
    assert "### Your turn" in await mover.read_click(call, "My hand")
    waiting_hand = await waiting_member.open_click(call, "My hand")
    assert f"{mover.user.global_name}'s turn" in read_text(waiting_hand)
    assert [one.custom_id.split(":")[1] for one in list_menus(waiting_hand)] in ([], ["premove"]), (
        "nothing that moves now"
    )
    assert has_sentence(await linus.read_click(call, "My hand"), "no.NOT_SEATED")


async def test_copied_play_is_refused(room: SimGuild, linus: Member) -> None:
    mover, waiting_member = room.get_called_player(), room.get_waiting_player()
    hand = await room.open_hand(mover)
    preview = await mover.open_select(hand, list_menus(hand)[0].options[0].value)
    play = next(custom_id for label, custom_id in read_button_ids(preview).items() if label.startswith("Play"))
    copied_message = await room.post(play)
    before = await room.take_snapshot()
    answer = await waiting_member.click(copied_message, label="Button 0")
    assert read_private_text(answer).startswith(en("why.NOT_YOUR_TURN", name=mover.user.global_name))
    assert (await linus.read_click(copied_message, "Button 0")).startswith(en("no.NOT_SEATED"))
    assert await room.take_snapshot() == before


async def test_old_buttons_of_finished_match_offer_rematch(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    await sim.start_table(ada, grace, linus, target=60, deal=SHORT_MATCH_DEAL)
    mover = sim.get_called_player()
    hand = await sim.open_hand(mover)
    preview = await mover.open_select(hand, list_menus(hand)[0].options[0].value)
    play = next(custom_id for label, custom_id in read_button_ids(preview).items() if label.startswith("Play"))
    old_message = await sim.post(play, "by:draw:1:9", "by:pass:1", "by:resign:1|yes", "by:start:1", "by:leave:1")
    await sim.play_to_the_end()
    before = await sim.take_snapshot()
    for number in range(6):
        answer = await mover.open_click(old_message, f"Button {number}")
        assert read_text(answer) == en("no.FINISHED")
        assert "Rematch" in read_button_ids(answer)
    assert await sim.take_snapshot() == before
    assert has_sentence(await mover.read_click(await sim.post("by:hand:1"), "Button 0"), "end.title")


WORDS = """
by:hand:999999999999 by:hand:0 by:hand:1:999999999 by:join:7 by:rematch:7 by:bring:1 by:play:1 by:play:1:3|
by:play:1:3|nonsense by:play:1:3|999.U0,0.0 by:play:1|999.U0,0.0 by:play:1|345.U999999,-999999.2
by:play:1|345.U0,0.99999999999999 by:play:1|345.U0,0.² by:play:1|٣٤٥.U0,0.1 by:move:1:3 by:tile:1:3 by:draw:1:0
by:pass:1:999999999 by:scores:1|99999999999999999999 by:scores:1|² by:scores:² by:leaders
by:leaders|triominoes.server.ever.99999999999 by:leaders|triominoes.server.ever.² by:leaders|quadominoes.x.y.0
by:leadersback by:quick:1|maybe by:resign:1|perhaps by:start:1 by:computer:1 by: by:hand: by:hand:-1 by:hand:1e3
by:HAND:1 by:hand:1:2:3 by:unknownverb:1 boneyard:1:join 🂠🂠🂠 ../../etc/passwd {}
"""
FORGED = [
    *WORDS.split(),
    "by:hand:1|" + "x" * 70,
    "by:" + "9" * 97,
    "other bot's button",
    "\n",
    "'; DROP TABLE matches; --",
    "\x00",
]


async def test_forged_ids_change_nothing(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await sim.start_table(ada, grace, deal=MIXED_HAND_DEAL)
    posts = [await sim.post(*FORGED[start : start + 25]) for start in range(0, len(FORGED), 25)]
    before = await sim.take_snapshot()
    for person in (sim.get_waiting_player(), linus):
        for message in posts:
            for label, custom_id in read_button_ids(message).items():
                answer = await person.read_click(message, label)
                assert answer, custom_id
                assert not has_sentence(answer, "no.BROKEN"), custom_id
    assert await sim.take_snapshot() == before
    assert (await sim.store.matches.list_heads_in_channel(sim.channel.id)) == [await sim.load_head()]


@pytest.mark.parametrize("custom_id", ["by:move:1", "by:tile:1", "by:leaderswhere", "by:leaderswhen", "by:hand:1", "x"])
async def test_forged_menus_are_answered_privately_and_change_nothing(
    sim: SimGuild, ada: Member, grace: Member, custom_id: str
) -> None:
    await sim.start_table(ada, grace, deal=MIXED_HAND_DEAL)
    message = await sim.post(menu=custom_id)
    before = await sim.take_snapshot()
    for value in MENU_VALUES:
        answer = read_private_text(await sim.get_called_player().select(message, [value]))
        assert answer
        assert not has_sentence(answer, "no.BROKEN")
    assert await sim.take_snapshot() == before


async def test_unknown_button_is_answered_with_explanation(sim: SimGuild, ada: Member) -> None:
    message = await sim.post("by:nosuchthing:1")
    assert await ada.read_click(message, "Button 0") == (en("no.UNKNOWN_BUTTON"))


async def test_resign_question_at_three_seats_names_consequence(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    await sim.start_table(ada, grace, linus)
    confirmation = await ada.open_command("tiles match resign")
    assert has_sentence(read_text(confirmation), "resign.then_others")
    await ada.click(confirmation, label="Resign")
    confirmation = await grace.open_command("tiles match resign")
    assert has_sentence(read_text(confirmation), "resign.then_over")


async def test_resign_question_against_computers_says_match_ends(sim: SimGuild, ada: Member) -> None:
    await sim.start_table(ada, computers=2)
    confirmation = await ada.open_command("tiles match resign")
    assert has_sentence(read_text(confirmation), "resign.then_computers")
    await ada.click(confirmation, label="Resign")
    assert (await sim.load_head()).state == "done"


@pytest.mark.parametrize("command", ["tiles match resign", "tiles match abort"])
async def test_resigned_player_is_refused(
    sim: SimGuild, ada: Member, grace: Member, linus: Member, command: str
) -> None:
    await sim.start_table(ada, grace, linus)
    await ada.click(await ada.open_command("tiles match resign"), label="Resign")
    assert (await ada.read_command(command)).startswith(en("why.RESIGNED"))


async def test_resigning_asks_first_then_ends_match(room: SimGuild, ada: Member) -> None:
    before = await room.take_snapshot()
    confirmation = await ada.open_command("tiles match resign")
    assert has_sentence(read_text(confirmation), "resign.ask", then=en("resign.then_over"))
    declined = await ada.open_click(confirmation, "Keep playing")
    assert read_text(declined) == en("resign.kept")
    assert await room.take_snapshot() == before
    confirmation = await ada.open_command("tiles match resign")
    resigned = await ada.open_click(confirmation, "Resign")
    assert read_text(resigned) == "You resigned."
    (end,) = room.list_results()
    assert read_text(end).startswith("## Triominoes: Grace wins")
    assert "`2` **Ada**" in read_text(end)
    assert "· resigned" in read_text(end)
    assert room.list_calls() == []
    assert (await room.load_head()).state == "done"
