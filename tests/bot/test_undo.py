"""Taking a tile back as people do it: by the button of one's own answer, by `/tiles undo`, or by asking the others."""

from __future__ import annotations

import re

import pytest
from simcord import MemberActor

from bot.operating.client import SWEEP
from data.rulebook import rules
from engine.events import Undone
from engine.moments import last_placement
from engine.table.pace import SETTLES
from engine.table.state import MOST_TAKEN_BACK
from tests.bot.house import House
from tests.bot.parlour import parlour
from tests.bot.reading import Message, button_ids, menus, pictures, private, told, words_of
from tests.bot.stacked import dealt, played, seated

HANDS = ("555 355 014 001", "155 135 133 002")
"""Ada opens with 5-5-5; Grace fits with 1-5-5, then Ada with 3-5-5."""


async def sit(house: House, ada: MemberActor, grace: MemberActor, *, by_hand: bool = False) -> None:
    """Ada has opened, Grace is to play."""
    log, _ = played(dealt(rules("triominoes"), *HANDS, by_hand=by_hand), *(("U0,0=555",) if by_hand else ()))
    await seated(house, log, ada, grace)


async def play(house: House, person: MemberActor, tile: str) -> Message:
    """Somebody types a tile that goes in one place at least, and sees their hand."""
    place = (await person.autocomplete(house.channel, "tiles play", "place", "", tile=tile))[0]["value"]
    return private(await person.slash(house.channel, "tiles play", tile=tile, place=place))


async def test_the_answer_to_a_tile_has_a_button_that_takes_it_back(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await sit(house, ada, grace)
    before = await house.match()
    answer = await play(house, grace, "1-5-5")
    assert "Undo" in button_ids(answer)
    assert "*Undo* takes it back until <t:" in words_of(answer)
    assert ":T>, or until Ada goes on." in words_of(answer)
    assert house.calls() == [], "nobody is called to a turn that may not begin"
    assert "-# Grace can take that back until <t:" in words_of(house.board())

    back = private(await grace.click(answer, label="Undo"))

    assert words_of(back).startswith("You took back 1-5-5. You have 0.\n### Your turn · 4 tiles")
    assert menus(back), "and another move can be chosen"
    assert "Undo" not in button_ids(back)
    after = await house.match()
    assert (after.turn, after.seats[1].hand, list(after.board.placed)) == (
        before.turn,
        before.seats[1].hand,
        list(before.board.placed),
    )
    assert "**Grace** took back 1-5-5 → 0" in words_of(house.board())
    assert await house.turn() is grace
    assert house.calls() == [], "whoever took it back is there"


async def test_it_is_typed_too_and_the_scores_tell_both(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await sit(house, ada, grace)
    await play(house, grace, "1-5-5")
    said = told(await grace.slash(house.channel, "tiles undo"))
    assert said.startswith("You took back 1-5-5. You have 0.")
    scores = told(await ada.slash(house.channel, "tiles scores"))
    assert "**Grace** played 1-5-5: **+11** → 11\n**Grace** took back 1-5-5 → 0" in scores
    assert "Grace 0" in scores


async def test_a_tile_is_played_by_the_menu_taken_back_and_played_elsewhere(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await sit(house, ada, grace)
    first = await house.play_by_menu(grace, stands=False)
    hand = private(await grace.click(first, label="Undo"))
    preview = private(await grace.select(hand, [menus(hand)[0].options[-1].value]))
    label = next(label for label in button_ids(preview) if label.startswith("Play +"))
    assert words_of(private(await grace.click(preview, label=label))).startswith("You played ")
    assert await house.turn() is ada


async def test_the_button_pressed_twice_takes_one_tile_back(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await sit(house, ada, grace)
    answer = await play(house, grace, "1-5-5")
    copied = await house.post(button_ids(answer)["Undo"])
    await grace.click(copied, label="Button 0")
    after = await house.standing()
    again = told(await grace.click(copied, label="Button 0"))
    assert again.startswith("The table has moved on since that button.")
    assert await house.standing() == after
    assert sum(isinstance(event, Undone) for event in (await house.loaded()).events) == 1


async def test_nobody_else_can_press_it(house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor) -> None:
    await sit(house, ada, grace)
    answer = await play(house, grace, "1-5-5")
    copied = await house.post(button_ids(answer)["Undo"])
    before = await house.standing()
    assert told(await linus.click(copied, label="Button 0")).startswith("You are watching this match")
    assert await house.standing() == before
    placed = (await house.match()).board.placed
    # Whoever is next goes on by it: from then on Grace's tile stands.
    assert told(await ada.click(copied, label="Button 0")).startswith("The table has moved on since that button.")
    refused = private(await ada.slash(house.channel, "tiles undo"))
    assert words_of(refused).startswith("There is nothing of yours to take back")
    assert "Rules §10, Taking back" in told(await ada.click(refused, label="Why not?"))
    assert (await house.match()).board.placed == placed


async def test_an_old_undo_still_works_after_a_restart_while_nobody_has_moved(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await sit(house, ada, grace)
    answer = await play(house, grace, "1-5-5")
    await house.restart()
    assert told(await grace.click(answer, label="Undo")).startswith("You took back 1-5-5.")


async def test_after_the_next_tile_the_button_says_so_and_the_command_offers_to_ask(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await sit(house, ada, grace)
    answer = await play(house, grace, "1-5-5")
    await play(house, ada, "3-5-5")
    await house.stands()
    before = await house.standing()
    assert told(await grace.click(answer, label="Undo")).startswith("The table has moved on since that button.")
    offer = private(await grace.slash(house.channel, "tiles undo"))
    assert words_of(offer) == (
        "1-5-5 stands: alone you can take a tile back only for a short while, until the next player acts or looks at "
        "their hand, and a few times in a turn. It can still go back to your hand, with all that came after it, "
        "if everybody at the table agrees. Shall I ask the others?"
    )
    assert list(button_ids(offer)) == ["Ask the others"]
    assert await house.standing() == before, "nobody has been asked yet"


async def asked(house: House, ada: MemberActor, grace: MemberActor) -> None:
    """Grace and Ada have placed a tile each, and Grace would like hers back."""
    await sit(house, ada, grace)
    await play(house, grace, "1-5-5")
    await play(house, ada, "3-5-5")
    offer = private(await grace.slash(house.channel, "tiles undo"))
    assert told(await grace.click(offer, label="Ask the others")).startswith("You have asked.")


async def test_by_agreement_everything_placed_since_goes_back(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await asked(house, ada, grace)
    question = "**Grace** would like to take back 1-5-5, with all that was placed since."
    assert question in words_of(house.board())
    call = house.calls()[-1]
    assert [user.id for user in call.mentions] == [ada.id]
    assert f"{question} Still to agree: Ada. There is time until <t:" in words_of(call)

    agreed = told(await ada.click(house.board(), label="Agree"))

    assert agreed == "1-5-5 is taken back, with all that was placed since."
    match = await house.match()
    assert match.turn == 1
    assert len(match.board.placed) == 1
    board = words_of(house.board())
    assert "**Grace** took back 1-5-5, as all agreed: Ada 25 · Grace 0" in board
    assert question not in board
    assert "Agree" not in button_ids(house.board())
    assert house.to_move() is grace


async def test_a_no_leaves_everything_and_is_not_asked_again_at_once(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await asked(house, ada, grace)
    before = (await house.match()).board.placed
    assert told(await ada.click(house.calls()[-1], label="No")) == "You said no. Everything stays as it is."
    assert (await house.match()).board.placed == before
    assert any(words_of(one) == "**Ada** said no: nothing is taken back." for one in house.public())
    assert "would like to take back" not in words_of(house.board())

    offer = private(await grace.slash(house.channel, "tiles undo"))
    again = told(await grace.click(offer, label="Ask the others"))
    assert again.startswith("Somebody said no to that just now.")


async def test_a_move_withdraws_the_question(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await asked(house, ada, grace)
    answers = button_ids(house.calls()[-1])
    await house.play_by_typing(grace)
    assert "would like to take back" not in words_of(house.board())
    # What somebody pressed just before.
    old = await house.post(answers["Agree"], answers["No"])
    before = await house.standing()
    for label in ("Button 0", "Button 1"):
        assert told(await ada.click(old, label=label)).startswith("That question is settled.")
    assert await house.standing() == before


async def test_after_a_draw_nobody_can_agree_to_it(house: House, ada: MemberActor, grace: MemberActor) -> None:
    log, _ = played(dealt(rules("triominoes"), "555 014 001", "155 135 133 002", by_hand=True), "U0,0=555")
    await seated(house, log, ada, grace)
    await play(house, grace, "1-5-5")
    if (await house.match()).legal(0):
        pytest.fail("Ada should have to draw")
    await ada.slash(house.channel, "tiles draw")
    assert told(await grace.slash(house.channel, "tiles undo")).startswith("There is nothing of yours to take back")
    forged = await house.post("by:undo:1|ask")
    before = await house.standing()
    said = told(await grace.click(forged, label="Button 0"))
    assert said.startswith("There is nothing of yours to take back")
    assert await house.standing() == before


async def test_a_bonus_that_was_taken_goes_back_with_its_tile(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    log, _ = played(dealt(rules("quad-ominos"), "4455 2244 5555 0000", "4445 1244 2555 0355"), "1,0=4445", "1,1=2244")
    await seated(house, log, ada, grace)
    choice = private(await grace.slash(house.channel, "tiles play", tile="1-2-4-4", place="0,1"))
    taken = private(await grace.click(choice, label="+25 points"))
    assert words_of(taken).startswith("You took the bonus: +25. You have 53.")
    back = told(await grace.click(taken, label="Undo"))
    assert back.startswith("You took back 1-2-4-4. You have 17.")
    assert await house.turn() is grace


async def test_what_a_computer_has_answered_stands_where_nobody_can_agree(house: House, ada: MemberActor) -> None:
    await house.table(ada, computers=1)
    for _ in range(12):
        hand = await house.play_by_menu(ada, stands=False)
        assert "Undo" not in button_ids(hand), "a computer answers at once"
        await house.wait()
        match = await house.match()
        if match.turn == 0 and last_placement(match.behind, 0):
            break
    else:
        pytest.fail("the computer always drew")
    before = await house.standing()
    said = told(await ada.slash(house.channel, "tiles undo"))
    assert said.startswith("Nobody else is there who could agree to that, so what was placed stands.")
    forged = await house.post(f"by:undo:{(await house.head()).match_id}|ask")
    assert told(await ada.click(forged, label="Button 0")).startswith("Nobody else is there who could agree")
    assert (await house.standing())[0] == before[0]


async def test_it_stands_by_itself_and_whoever_is_next_is_called_then(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await sit(house, ada, grace)
    answer = await play(house, grace, "1-5-5")
    await house.wait(seconds=SETTLES["relaxed"] / 1000 - 2)
    assert house.calls() == []
    await house.wait(seconds=2.5)
    assert house.to_move() is ada
    assert "can take that back" not in words_of(house.board())
    assert told(await grace.click(answer, label="Undo")).startswith("The table has moved on since that button.")


async def test_it_stands_as_soon_as_whoever_is_next_looks_at_their_hand(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await sit(house, ada, grace)
    await play(house, grace, "1-5-5")
    assert "Your turn" in words_of(await house.hand(ada))
    assert await house.turn() is ada
    assert house.calls() == [], "Ada knows"
    assert told(await grace.slash(house.channel, "tiles undo")).startswith("1-5-5 stands: ")


async def test_it_stands_after_a_restart_as_well(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await sit(house, ada, grace)
    await play(house, grace, "1-5-5")
    await house.restart()
    await house.wait(seconds=SETTLES["relaxed"] / 1000 + 2 * SWEEP)
    assert house.to_move() is ada


async def test_nobody_is_called_however_often_a_tile_is_taken_back_and_that_has_an_end(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await sit(house, ada, grace)
    for _ in range(MOST_TAKEN_BACK):
        answer = await play(house, grace, "1-5-5")
        assert told(await grace.click(answer, label="Undo")).startswith("You took back 1-5-5.")
        assert house.calls() == []
    answer = await play(house, grace, "1-5-5")
    assert "Undo" not in button_ids(answer)
    assert house.to_move() is ada
    assert told(await grace.slash(house.channel, "tiles undo")).startswith("1-5-5 stands: ")


async def test_the_boards_own_buttons_are_good_at_once_for_whoever_is_next(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    log, _ = played(dealt(rules("triominoes"), "555 014 001", "155 135 133 002", by_hand=True), "U0,0=555")
    await seated(house, log, ada, grace)
    await play(house, grace, "1-5-5")
    assert told(await ada.click(house.board(), label="Draw")).startswith("You drew ")


async def test_at_a_live_table_it_stands_after_seconds_while_nobody_does_anything(url: str) -> None:
    async with parlour(url) as place:
        await place.table(clock="live 5m")
        mover = await place.mover()
        await place.place_tile()
        assert await place.calls() == []
        (other,) = [person for person in place.people.values() if person is not mover]
        call = await other.wait_for(place.place, lambda one: one["mentions"])
        assert [user["id"] for user in call["mentions"]] == [other.id]


async def test_whether_the_next_player_has_to_draw_shows_nowhere_before_the_tile_stands(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    shown, settled = [], []
    for hand in ("555 355 014 001", "555 003 014 001"):
        house.channel = house.guild.create_text_channel(f"with-{hand[4:7]}")
        log, _ = played(dealt(rules("triominoes"), hand, HANDS[1]))
        await seated(house, log, ada, grace)
        answer = await play(house, grace, "1-5-5")
        scores = await grace.slash(house.channel, "tiles scores")
        seen = [answer, house.board(), private(scores)]
        shown.append([PASSING.sub("", words_of(one)) for one in seen] + [list(button_ids(one)) for one in seen])
        shown[-1] += [pictures(one) for one in seen] + [[len(house.calls()), len(house.public())]]
        await house.stands()
        settled.append("could not play" in words_of(house.board()) or "drew" in words_of(house.board()))
    assert shown[0] == shown[1]
    assert settled == [False, True], "in the second channel she has to"


PASSING = re.compile(r"<t:\d+:T>|Table \d+ · move \d+.*")
"""What tells two tables apart by their number and the hour."""
