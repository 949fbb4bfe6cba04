"""Old, repeated, foreign and forged buttons get an answer and change nothing."""

import pytest
from simcord import MemberActor

from tests.bot.messages import button_ids, menus, private, told, words_of
from tests.bot.simulated_guild import LIVELY, MENU_VALUES, SHORT_MATCH, SimGuild
from tests.wording import en, says


async def test_play_button_clicked_twice_plays_once(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace)
    mover = sim.to_move()
    hand = await sim.hand(mover)
    value = menus(hand)[0].options[0].value
    preview = private(await mover.select(hand, [value]))
    again = next(label for label in button_ids(preview) if label.startswith("Play"))
    twin = await sim.post(button_ids(preview)[again])
    await mover.click(preview, label=again)
    after = await sim.standing()
    second = private(await mover.click(twin, label="Button 0"))
    assert words_of(second).startswith(en("no.STALE"))
    assert "'s turn" in words_of(second), "and the current hand is shown"
    assert await sim.standing() == after


async def test_old_menu_shows_current_hand(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace)
    mover = sim.to_move()
    old = await sim.hand(mover)
    sim.lapse()
    await sim.play_by_typing(mover)
    await sim.play_by_typing(sim.to_move())
    after = await sim.standing()
    asked = private(await mover.select(old, [menus(old)[0].options[-1].value]))
    assert words_of(asked).startswith(en("no.STALE"))
    assert asked.id == old.id, "in the same message"
    assert await sim.standing() == after
    fresh = menus(asked)[0]
    assert fresh.custom_id != menus(old)[0].custom_id or fresh.options
    played = private(await mover.select(asked, [fresh.options[0].value]))
    assert any(label.startswith("Play") for label in button_ids(played))


async def test_my_hand_shows_own_hand(sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor) -> None:
    await sim.table(ada, grace)
    call = sim.calls()[0]
    mover, waiting = sim.to_move(), sim.waiting()
    assert "### Your turn" in told(await mover.click(call, label="My hand"))
    theirs = private(await waiting.click(call, label="My hand"))
    assert f"{mover.user.global_name}'s turn" in words_of(theirs)
    assert [one.custom_id.split(":")[1] for one in menus(theirs)] in ([], ["premove"]), "nothing that moves now"
    assert says(told(await linus.click(call, label="My hand")), "no.NOT_SEATED")


async def test_copied_play_is_refused(sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor) -> None:
    await sim.table(ada, grace)
    mover, waiting = sim.to_move(), sim.waiting()
    hand = await sim.hand(mover)
    preview = private(await mover.select(hand, [menus(hand)[0].options[0].value]))
    play = next(custom_id for label, custom_id in button_ids(preview).items() if label.startswith("Play"))
    copied = await sim.post(play)
    before = await sim.standing()
    asked = await waiting.click(copied, label="Button 0")
    assert told(asked).startswith(en("why.NOT_YOUR_TURN", name=mover.user.global_name))
    assert told(await linus.click(copied, label="Button 0")).startswith(en("no.NOT_SEATED"))
    assert await sim.standing() == before


async def test_old_buttons_of_finished_match_offer_rematch(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    sim.deals.wanted = [SHORT_MATCH]
    await sim.table(ada, grace, linus, target=60)
    mover = sim.to_move()
    hand = await sim.hand(mover)
    preview = private(await mover.select(hand, [menus(hand)[0].options[0].value]))
    play = next(custom_id for label, custom_id in button_ids(preview).items() if label.startswith("Play"))
    old = await sim.post(play, "by:draw:1:9", "by:pass:1", "by:resign:1|yes", "by:start:1", "by:leave:1")
    await sim.play_to_the_end()
    before = await sim.standing()
    for number in range(6):
        asked = private(await mover.click(old, label=f"Button {number}"))
        assert words_of(asked) == en("no.FINISHED")
        assert "Rematch" in button_ids(asked)
    assert await sim.standing() == before
    assert says(told(await mover.click(await sim.post("by:hand:1"), label="Button 0")), "hand.title_over")


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


async def test_forged_ids_change_nothing(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    sim.deals.wanted = [LIVELY]
    await sim.table(ada, grace)
    posts = [await sim.post(*FORGED[start : start + 25]) for start in range(0, len(FORGED), 25)]
    before = await sim.standing()
    for person in (sim.waiting(), linus):
        for message in posts:
            for label, custom_id in button_ids(message).items():
                answer = told(await person.click(message, label=label))
                assert answer, custom_id
                assert not says(answer, "no.BROKEN"), custom_id
    assert await sim.standing() == before
    assert (await sim.store.matches.list_heads_in_channel(sim.channel.id)) == [await sim.head()]


@pytest.mark.parametrize("custom_id", ["by:move:1", "by:tile:1", "by:leaderswhere", "by:leaderswhen", "by:hand:1", "x"])
async def test_forged_menus_are_answered_privately_and_change_nothing(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, custom_id: str
) -> None:
    sim.deals.wanted = [LIVELY]
    await sim.table(ada, grace)
    message = await sim.post(menu=custom_id)
    before = await sim.standing()
    for value in MENU_VALUES:
        answer = told(await sim.to_move().select(message, [value]))
        assert answer
        assert not says(answer, "no.BROKEN")
    assert await sim.standing() == before


async def test_unknown_button_is_answered_with_explanation(sim: SimGuild, ada: MemberActor) -> None:
    message = await sim.post("by:nosuchthing:1")
    assert told(await ada.click(message, label="Button 0")) == (en("no.UNKNOWN_BUTTON"))


async def test_resign_question_at_three_seats_names_consequence(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await sim.table(ada, grace, linus)
    asked = private(await ada.slash(sim.channel, "tiles match resign"))
    assert says(words_of(asked), "resign.then_others")
    await ada.click(asked, label="Resign")
    asked = private(await grace.slash(sim.channel, "tiles match resign"))
    assert says(words_of(asked), "resign.then_over")


async def test_resign_question_against_computers_says_match_ends(sim: SimGuild, ada: MemberActor) -> None:
    await sim.table(ada, computers=2)
    asked = private(await ada.slash(sim.channel, "tiles match resign"))
    assert says(words_of(asked), "resign.then_computers")
    await ada.click(asked, label="Resign")
    assert (await sim.head()).state == "done"


@pytest.mark.parametrize("command", ["tiles match resign", "tiles match abort"])
async def test_resigned_player_is_refused(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor, command: str
) -> None:
    await sim.table(ada, grace, linus)
    await ada.click(private(await ada.slash(sim.channel, "tiles match resign")), label="Resign")
    assert told(await ada.slash(sim.channel, command)).startswith(en("why.RESIGNED"))


async def test_resigning_asks_first_then_ends_match(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace)
    before = await sim.standing()
    asked = private(await ada.slash(sim.channel, "tiles match resign"))
    assert says(words_of(asked), "resign.ask", then=en("resign.then_over"))
    kept = private(await ada.click(asked, label="Keep playing"))
    assert words_of(kept) == en("resign.kept")
    assert await sim.standing() == before
    asked = private(await ada.slash(sim.channel, "tiles match resign"))
    gone = private(await ada.click(asked, label="Resign"))
    assert words_of(gone) == "You resigned."
    (end,) = sim.ends()
    assert words_of(end).startswith("## Triominoes: Grace wins")
    assert "`2` **Ada**" in words_of(end)
    assert "· resigned" in words_of(end)
    assert sim.calls() == []
    assert (await sim.head()).state == "done"
