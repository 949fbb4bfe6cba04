"""Clocks and absences as people meet them: at `/tiles new`, on the board, in the question about a silent player."""

from __future__ import annotations

import re

import pytest
from simcord import MemberActor

from bot.operating.client import SWEEP
from data.store.shards import PULSE
from engine.table.clock import deadline
from engine.table.pace import HOUR
from tests.bot.house import House
from tests.bot.presses import take_turn
from tests.bot.reading import Message, button_ids, private, told, words_of

STAMP = re.compile(r"<t:\d+:[RDf]>")


def name(person: MemberActor) -> str:
    """What somebody is called."""
    return person.name.capitalize()


def question(house: House) -> Message:
    """The newest question about a silent player."""
    return next(message for message in reversed(house.public()) if "What now?" in words_of(message))


def notices(house: House) -> list[str]:
    """The small lines about who is there."""
    lines = (words_of(message) for message in house.public() if not button_ids(message))
    return [line.removeprefix("-# ") for line in lines if line.startswith("-# ")]


async def silent(
    house: House, *people: MemberActor, turns: int = 0, **options: object
) -> tuple[MemberActor, list[MemberActor]]:
    """At a table with a day a turn somebody lets it run out, after some turns; who, and the others."""
    await house.table(*people, **{"clock": "1d", **options})
    for _ in range(turns):
        await take_turn(house, house.to_move())
    mover = house.to_move()
    await house.wait(hours=19.5)
    await house.wait(hours=5)
    return mover, [person for person in people if person.id != mover.id]


async def test_a_table_says_how_long_people_have_to_move(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await ada.slash(house.channel, "tiles new", seats=2, clock="bank 7d+12h", absent="seat")
    assert (
        "Clock: up to 7 days for one turn, and each turn gives 12 hours back. "
        "If somebody's time runs out again and again, "
        "the computer plays for them until they are back." in words_of(house.board())
    )
    await grace.click(house.board(), label="Join")
    assert re.search(r"Time to move until <t:\d+:f> \(<t:\d+:R>\)\.", words_of(house.board()))
    assert re.search(r"You have at least until <t:\d+:f> \(<t:\d+:R>\)\.", words_of(house.calls()[-1]))
    for text in (False, True):
        shown = told(await ada.slash(house.channel, "tiles board", text=text))
        assert "Time to move until <t:" in shown


async def test_a_call_promises_no_more_than_stays_true_when_time_is_given_back(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.table(ada, grace, clock="days 1d")
    (call,) = house.calls()
    promised = re.search(r"You have at least until <t:(\d+):f>", words_of(call))
    assert promised is not None
    house.clock.skipped += 5 * HOUR  # nobody was there to note that time goes by
    await house.env.advance_time(2 * SWEEP)
    end = deadline((await house.now()).clock.time)
    assert end is not None
    assert end // 1000 >= int(promised[1]) + 5 * HOUR // 1000
    assert [words_of(one) for one in house.calls()] == [words_of(call)]


async def test_a_relaxed_table_says_nothing_about_time(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace, clock="relaxed")
    assert not STAMP.search(words_of(house.board()))
    assert "Mute this turn" not in button_ids(house.calls()[-1])


async def test_what_is_no_clock_is_refused_with_examples(house: House, ada: MemberActor) -> None:
    refused = await ada.slash(house.channel, "tiles new", clock="soon")
    assert told(refused).startswith("“soon” is no clock. Write `relaxed`, a time for each turn from 1 hour to 14 days")
    assert house.public() == []


async def test_clocks_are_offered_and_a_typed_one_comes_first(house: House, ada: MemberActor) -> None:
    offered = await ada.autocomplete(house.channel, "tiles new", "clock", "")
    assert [choice["name"] for choice in offered] == [
        "Up to 6 days for one turn, and each turn gives 3 days back",
        "1 day a turn",
        "3 days a turn",
        "7 days a turn",
        "Up to 7 days for one turn, and each turn gives 12 hours back",
        "Live: 5 minutes a turn",
        "Relaxed (after 14 silent days the others choose how it goes on)",
    ]
    offered = await ada.autocomplete(house.channel, "tiles new", "clock", "36h")
    assert offered[0] == {"name": "1 day 12 hours a turn", "value": "days 1d12h"}


async def test_a_rematch_keeps_the_clock(house: House, ada: MemberActor) -> None:
    await house.table(ada, computers=1, clock="3d", absent="end")
    await ada.slash(house.channel, "tiles match resign")
    await ada.click(private(await ada.slash(house.channel, "tiles match resign")), label="Resign")
    await ada.click(house.ends()[-1], label="Rematch")
    terms = await house.terms()
    assert (terms["clock"], terms["absent"]) == ("days 3d", "end")


async def test_a_reminder_is_one_new_message_with_the_way_to_ones_hand(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.table(ada, grace, clock="1d")
    mover = house.to_move()
    await house.wait(hours=19.5)
    await house.wait(hours=1)
    reminders = [message for message in house.public() if "for your turn in Triominoes" in words_of(message)]
    (reminder,) = reminders
    assert [user.id for user in reminder.mentions] == [mover.id]
    assert STAMP.search(words_of(reminder))
    assert words_of(private(await mover.click(reminder, label="My hand"))).startswith("### Your turn")


async def test_a_reminder_is_taken_back_with_the_call_when_the_turn_is_over(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.table(ada, grace, clock="1d")
    mover = house.to_move()
    await house.wait(hours=20)
    assert sum(f"<@{mover.id}>" in words_of(message) for message in house.public()) == 2
    await house.play_by_typing(mover)
    assert not any(f"<@{mover.id}>, your turn" in words_of(message) for message in house.public())


async def test_muting_a_turn_keeps_its_reminder_away(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace, clock="1d")
    mover, call = house.to_move(), house.calls()[-1]
    refused = await house.waiting().click(call, label="Mute this turn")
    assert told(refused).startswith("It is not your turn there any more")
    assert told(await mover.click(call, label="Mute this turn")) == "No more reminders in this turn."
    before = len(house.public())
    await house.wait(hours=20)
    assert len(house.public()) == before


async def test_the_question_about_a_silent_player_is_public_and_offers_four_ways(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    mover, _ = await silent(house, ada, grace)
    asked = question(house)
    assert words_of(asked).startswith(f"**{name(mover)}**'s time ran out. What now? The first to choose decides")
    assert list(button_ids(asked)) == [
        "Wait 1 day more",
        "Computer takes the turn",
        "Computer until they are back",
        "End the match",
        "I am here",
    ]
    assert "The others choose what to do, until <t:" in words_of(house.board())
    await house.wait(hours=1)
    assert sum("What now?" in words_of(message) for message in house.public()) == 1


@pytest.mark.parametrize(
    ("label", "said", "noticed"),
    [
        ("Wait 1 day more", "{other} chose to wait.", "The others wait for {silent}."),
        ("Computer takes the turn", "{other} let the computer take the turn.", "The computer takes {silent}'s turn."),
        (
            "Computer until they are back",
            "{other} let the computer take the seat.",
            "The computer plays for {silent} until they are back.",
        ),
        ("End the match", "{other} ended the match.", "The match was ended: {silent} did not come back."),
    ],
)
async def test_each_button_does_what_it_says_once_even_after_a_restart(
    house: House, ada: MemberActor, grace: MemberActor, label: str, said: str, noticed: str
) -> None:
    mover, (other,) = await silent(house, ada, grace, turns=2)
    asked = question(house)
    label_of_return = "I am here"
    assert told(await mover.click(asked, label=label)).startswith("It is you who is waited for.")
    linus = house.person("Linus")
    assert told(await linus.click(asked, label=label)).startswith("You are watching this match.")
    assert told(await linus.click(asked, label=label_of_return)).startswith("You are watching this match.")
    custom_ids = button_ids(asked)
    await house.restart()
    await other.click(asked, label=label)
    names = {"silent": name(mover), "other": name(other)}
    assert said.format(**names) in [words_of(message).removeprefix("-# ") for message in house.public()]
    assert noticed.format(**names) in notices(house)
    # Somebody still has the question on the screen, and presses what is there no more.
    old = await house.post(*custom_ids.values())
    seq = (await house.head()).seq
    for number in range(4):
        late = told(await other.click(old, label=f"Button {number}"))
        assert late.startswith("That is decided already.")
    assert (await house.head()).seq == seq


async def test_the_computer_takes_the_turn_at_once(house: House, ada: MemberActor, grace: MemberActor) -> None:
    mover, (other,) = await silent(house, ada, grace)
    await other.click(question(house), label="Computer takes the turn")
    await house.wait()
    assert house.to_move().id == other.id
    assert (await house.now()).clock.standins == {}
    assert mover.id != other.id


async def test_the_owner_takes_the_seat_back_with_one_press_on_the_board(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    mover, (other,) = await silent(house, ada, grace)
    await other.click(question(house), label="Computer until they are back")
    await house.wait()
    assert f"The computer plays for {name(mover)}." in words_of(house.board())
    assert told(await other.click(house.board(), label="I am back")).startswith("You play your seat yourself already.")
    assert words_of(await house.hand(mover)).startswith("The computer plays for you. **I am back** under the board")
    await house.restart()
    back = await mover.click(house.board(), label="I am back")
    assert told(back) == "Welcome back: you play your seat yourself."
    assert "The computer plays for" not in words_of(house.board())
    assert "I am back" not in button_ids(house.board())
    assert f"{name(mover)} is back." in notices(house)


async def test_the_silent_one_answers_the_question_themselves(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    mover, (other,) = await silent(house, ada, grace)
    asked = question(house)
    assert told(await other.click(asked, label="I am here")).startswith("You play your seat yourself already.")
    await mover.click(asked, label="I am here")
    assert f"-# {name(mover)} is here." in [words_of(message) for message in house.public()]
    assert "Time to move until" in words_of(house.board())
    hand = await house.hand(mover)
    assert words_of(hand).startswith("### Your turn")


async def test_playing_late_is_an_answer_too(house: House, ada: MemberActor, grace: MemberActor) -> None:
    mover, (other,) = await silent(house, ada, grace)
    custom_ids = button_ids(question(house))
    await house.play_by_menu(mover)
    old = await house.post(*custom_ids.values())
    late = await other.click(old, label="Button 3")
    assert told(late).startswith("That is decided already.")
    assert (await house.head()).state == "open"


async def test_a_match_that_was_ended_is_told_with_its_result(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    mover, others = await silent(house, ada, grace, linus, turns=3)
    await others[0].click(question(house), label="End the match")
    first, second = (name(person) for person in others)
    assert f"For ending the match: {first}. Still to say so: {second}." in words_of(question(house))
    assert f"{first} would end the match, as {name(mover)} is silent. Still to say so: {second}." in notices(house)
    assert house.ends() == []
    await others[1].click(question(house), label="End the match")
    (end,) = house.ends()
    assert f"`3` **{name(mover)}**" in words_of(end)
    assert "· resigned" in words_of(end)
    assert "Not rated, and no win on the leaderboard: that takes two people" in words_of(end)
    board = await house.store.leaderboard(house.guild.id, "triominoes")
    assert [row.wins for row in board.rows] == [0, 0, 0]


async def test_after_a_second_silence_nobody_is_asked_and_the_terms_apply(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    mover, (other,) = await silent(house, ada, grace)
    await other.click(question(house), label="Wait 1 day more")
    await house.wait(hours=19.5)
    await house.wait(hours=5)
    await house.wait()
    assert f"{name(mover)}'s time ran out: the computer takes the turn." in notices(house)
    assert house.to_move().id == other.id


async def test_an_outage_of_a_day_costs_nobody_their_turn(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace, clock="1d")
    await house.wait(hours=10)
    # The process is gone for a day and a half.
    house.clock.skipped += 36 * 3600 * 1000
    await house.restart()
    await house.wait()
    assert not any("What now?" in words_of(message) for message in house.public())
    before = len(house.public())
    await house.wait(hours=9)
    assert len(house.public()) == before
    await house.wait(hours=1)
    await house.wait(hours=4.5)
    assert "What now?" in words_of(question(house))


async def test_a_reminder_that_could_not_be_sent_in_time_is_not_sent_late(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.table(ada, grace, clock="1d")
    desk = house.client.services
    head = await house.head()
    assert head.due is not None
    # The reminder was written, and the process ended before it could be sent; the next one starts after the deadline.
    house.clock.skipped += head.due.at - house.clock()
    await house.store.pulse(PULSE, now=house.clock())
    assert await desk.people.run_due(head)
    house.clock.skipped += 6 * 3600 * 1000
    await house.store.pulse(PULSE, now=house.clock())
    late = await house.head()
    assert await desk.people.run_due(late)
    await house.restart()
    await house.wait()
    assert not any("for your turn in Triominoes" in words_of(message) for message in house.public())
    assert "What now?" in words_of(question(house))
