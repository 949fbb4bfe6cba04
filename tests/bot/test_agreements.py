"""What the people at a table agree on: ending a match without a result, and handing a seat to somebody else."""

from __future__ import annotations

import pytest
from simcord import MemberActor

from data.store import Head
from engine.tiles import tile_text
from tests.bot.house import House
from tests.bot.reading import button_ids, menus, pictures, private, told, words_of

DAY = 24


async def circle(house: House, *people: MemberActor) -> None:
    """Everybody has had a turn and could place."""
    await house.table(*people)
    for _ in people:
        await house.play_by_typing(house.to_move())


async def asks_to_abort(house: House, person: MemberActor) -> str:
    """Somebody wants the match to end, and says so twice."""
    question = private(await person.slash(house.channel, "tiles match abort"))
    return told(await person.click(question, label="End the match"))


async def state(house: House) -> str:
    return (await house.head()).state


# -- without a result ---------------------------------------------------------------------------------------


async def test_whoever_plays_with_computers_alone_may_end_it(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.table(ada, computers=1)
    question = private(await ada.slash(house.channel, "tiles match abort"))
    assert words_of(question).startswith("End this match without a result? Nobody else has to agree")
    before = await house.standing()
    assert told(await ada.click(question, label="Play on")) == "You are still in."
    assert await house.standing() == before

    assert await asks_to_abort(house, ada) == "The match is ended without a result."

    assert await state(house) == "void"
    assert "This table was closed: the match was ended without a result." in words_of(house.board())
    assert house.calls() == []
    assert "has not finished a match of Triominoes here yet" in told(await ada.slash(house.channel, "tiles profile"))
    await house.table(grace, ada)
    assert await state(house) == "open", "and the channel is free for another"


async def test_nobody_looks_at_a_hand_and_ends_a_match_with_others_alone(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.table(ada, grace)
    question = private(await ada.slash(house.channel, "tiles match abort"))
    assert words_of(question).startswith("End this match without a result? Everybody at the table must agree")
    assert (await asks_to_abort(house, ada)).startswith("You have asked.")
    assert await state(house) == "open"
    await grace.click(house.board(), label="Agree")
    assert await state(house) == "void"


async def test_what_is_left_of_an_ended_match_explains_itself(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await house.table(ada, grace)
    mover = house.to_move()
    hand = await house.hand(mover)
    preview = private(await mover.select(hand, [menus(hand)[0].options[0].value]))
    play = next(label for label in button_ids(preview) if label.startswith("Play +"))
    house.lapse()
    old = await house.post("by:hand:1", "by:undo:1", "by:abort:1|yes", "by:agree:1:4|yes", "by:resign:1|yes")
    await asks_to_abort(house, mover)
    await (grace if mover is ada else ada).click(house.board(), label="Agree")
    before = await house.standing()

    assert told(await mover.click(preview, label=play)).startswith("This table was closed.")
    for number in range(5):
        for person in (ada, grace, linus):
            said = told(await person.click(old, label=f"Button {number}"))
            assert said.startswith(("This table was closed.", "That question is settled.")), number
    assert await house.standing() == before


async def test_later_everybody_must_agree(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await circle(house, ada, grace, linus)
    mover = house.to_move()
    assert (await asks_to_abort(house, ada)).startswith("You have asked.")
    assert await state(house) == "open"
    question = "**Ada** would like to end this match without a result."
    assert f"{question}\nStill to agree: Grace and Linus." in words_of(house.board())
    (call,) = [message for message in house.calls() if question in words_of(message)]
    assert {user.id for user in call.mentions} == {grace.id, linus.id}

    assert told(await grace.click(call, label="Agree")) == "You agreed. The others have yet to answer."
    assert "\nStill to agree: Linus." in words_of(house.board())
    assert told(await grace.click(call, label="Agree")) == "You have agreed already. The others have yet to answer."
    assert told(await ada.click(call, label="Agree")) == "You have agreed already. The others have yet to answer."
    assert await state(house) == "open"
    await house.restart()
    assert told(await linus.click(house.board(), label="Agree")) == "The match is ended without a result."
    assert await state(house) == "void"
    assert mover.id in house.people


async def test_only_the_people_at_the_table_are_asked(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await circle(house, ada, grace)
    before = await house.standing()
    assert told(await linus.slash(house.channel, "tiles match abort")).startswith("You are watching this match.")
    assert told(await linus.slash(house.channel, "tiles undo")).startswith("You are watching this match.")
    assert await house.standing() == before
    await asks_to_abort(house, ada)
    before = await house.standing()
    for label in ("Agree", "No"):
        assert told(await linus.click(house.board(), label=label)).startswith("You are watching this match.")
    assert await house.standing() == before


async def test_an_old_hand_stays_good_while_people_are_asked(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await circle(house, ada, grace)
    mover, other = house.to_move(), house.waiting()
    hand = await house.hand(mover)
    await asks_to_abort(house, other)
    preview = private(await mover.select(hand, [menus(hand)[0].options[0].value]))
    play = next(label for label in button_ids(preview) if label.startswith("Play "))
    assert words_of(private(await mover.click(preview, label=play))).startswith("You played ")
    assert "would like to end" not in words_of(house.board()), "and the move withdraws the question"


async def test_whoever_asked_can_withdraw_it(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await circle(house, ada, grace)
    await asks_to_abort(house, ada)
    said = told(await ada.click(house.board(), label="No"))
    assert said == "You no longer ask. Everything stays as it is."
    assert "would like to end" not in words_of(house.board())
    assert await state(house) == "open"


async def test_whoever_agreed_can_think_again_before_the_last_yes(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await circle(house, ada, grace, linus)
    await asks_to_abort(house, ada)
    await grace.click(house.board(), label="Agree")
    assert told(await grace.click(house.board(), label="No")) == "You said no. Everything stays as it is."
    assert await state(house) == "open"
    assert "would like to end" not in words_of(house.board())


async def test_one_question_at_a_time_and_none_twice(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await circle(house, ada, grace)
    await asks_to_abort(house, ada)
    assert (await asks_to_abort(house, grace)).startswith("The table is being asked something already")
    assert told(await grace.click(house.board(), label="No")) == "You said no. Everything stays as it is."
    assert (await asks_to_abort(house, ada)).startswith("Somebody said no to that just now.")
    assert (await asks_to_abort(house, grace)).startswith("You have asked."), "but others may ask"


async def test_a_question_lapses_after_a_day(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await circle(house, ada, grace)
    await asks_to_abort(house, ada)
    answers = button_ids(house.board())
    await house.wait(hours=DAY + 1)
    assert "would like to end" not in words_of(house.board())
    old = await house.post(answers["Agree"])
    before = await house.standing()
    assert told(await grace.click(old, label="Button 0")).startswith("That question is settled.")
    assert await house.standing() == before
    assert (await asks_to_abort(house, grace)).startswith("You have asked."), "and another can be asked"


async def test_forged_answers_do_nothing(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await circle(house, ada, grace)
    await asks_to_abort(house, ada)
    number = (await house.head()).seq
    forged = await house.post(
        "by:agree:1|yes",
        f"by:agree:1:{number + 1}|yes",
        "by:agree:1:1|yes",
        f"by:agree:1:{number}|perhaps",
        f"by:agree:1:{number}",
        "by:agree|yes",
    )
    before = await house.standing()
    for label in button_ids(forged):
        said = told(await grace.click(forged, label=label))
        assert said.startswith(("That question is settled.", "I do not know this button."))
    assert await house.standing() == before


# -- somebody else goes on ----------------------------------------------------------------------------------


async def seat_of(house: House, person: MemberActor) -> int | None:
    return next((row.seat for row in (await house.now()).seats if row.user_id == person.id), None)


async def test_a_seat_goes_to_whoever_accepts_it(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await circle(house, ada, grace)
    mover = house.to_move()
    seat = await seat_of(house, mover)
    held = (await house.match()).seats[seat or 0].hand
    said = told(await mover.slash(house.channel, "tiles match substitute", person=linus))
    assert said.startswith("You have asked.")
    question = f"**{mover.user.global_name}** would like **Linus** to go on with this seat."
    assert question in words_of(house.board())
    assert [user.id for user in house.calls()[-1].mentions] == [linus.id]
    assert await seat_of(house, mover) == seat

    assert told(await linus.click(house.calls()[-1], label="Agree")) == "Linus plays on with that seat."

    assert (await seat_of(house, linus), await seat_of(house, mover)) == (seat, None)
    assert house.to_move() is linus, "and is called"
    replaced = f"**Linus** plays on with the seat of **{mover.user.global_name}**."
    assert any(words_of(one) == replaced for one in house.public())
    assert "Linus" in words_of(house.board())
    hand = await house.hand(linus)
    assert all(tile_text(tile) in pictures(hand)[0] for tile in held)
    assert "You are watching this match" in told(await mover.click(house.board(), label="My hand"))
    assert words_of(await house.play_by_menu(linus)).startswith("You played ")


async def test_who_gives_up_a_seat_before_a_placement_has_left_and_the_result_is_the_substitutes(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await house.table(ada, grace)
    await ada.slash(house.channel, "tiles match substitute", person=linus)
    await linus.click(house.calls()[-1], label="Agree")
    question = private(await grace.slash(house.channel, "tiles match resign"))
    await grace.click(question, label="Resign")
    (end,) = house.ends()
    assert words_of(end).startswith("## Triominoes: Linus wins")
    results = {result.user_id: result.place for result in await house.store.results((await house.head()).match_id)}
    assert results == {linus.id: 1, grace.id: 2, ada.id: 2}
    (mine,) = [one for one in await house.store.results((await house.head()).match_id) if one.user_id == ada.id]
    assert (mine.won, mine.rated, mine.after) == (False, False, None)
    assert not mine.finished
    (card,) = pictures(private(await ada.slash(house.channel, "tiles profile")))
    assert "Matches finished 0 of 1, Wins 0" in card


async def test_whoever_has_placed_keeps_the_result_and_who_goes_on_has_none(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await house.table(ada, grace)
    for _ in range(4):
        await house.play_by_typing(house.to_move())
    await ada.slash(house.channel, "tiles match substitute", person=linus)
    await linus.click(house.calls()[-1], label="Agree")
    question = private(await linus.slash(house.channel, "tiles match resign"))
    await linus.click(question, label="Resign")
    results = {result.user_id: result for result in await house.store.results((await house.head()).match_id)}
    assert results.keys() == {ada.id, grace.id}
    assert (results[ada.id].place, results[ada.id].finished) == (2, False)
    assert "has not finished a match of Triominoes here yet" in told(await linus.slash(house.channel, "tiles profile"))


async def test_the_host_who_goes_hands_on_the_table_too(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await house.table(ada, grace)
    await ada.slash(house.channel, "tiles match substitute", person=linus)
    await linus.click(house.calls()[-1], label="Agree")
    head: Head = await house.head()
    assert head.host_id == linus.id


async def test_a_seat_is_not_given_away_without_its_owner(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await circle(house, ada, grace)
    await ada.slash(house.channel, "tiles match substitute", person=linus, seat=grace)
    question = "**Ada** would like **Linus** to go on with the seat of **Grace**."
    assert question in words_of(house.board())
    assert {user.id for user in house.calls()[-1].mentions} == {grace.id, linus.id}
    assert told(await linus.click(house.board(), label="Agree")) == "You agreed. The others have yet to answer."
    assert await seat_of(house, grace) is not None
    assert told(await grace.click(house.board(), label="No")) == "You said no. Everything stays as it is."
    assert await seat_of(house, grace) is not None
    assert await seat_of(house, linus) is None


async def test_the_seat_of_somebody_absent_is_given_away_by_all_the_others(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    mary = house.person("Mary")
    await house.table(ada, grace, linus, clock="live 2m")
    silent = house.to_move()
    first, second = (person for person in (ada, grace, linus) if person is not silent)
    await house.wait(seconds=130)
    seat = await seat_of(house, silent)
    await first.slash(house.channel, "tiles match substitute", person=mary, seat=silent)
    call = house.calls()[-1]
    assert {user.id for user in call.mentions} == {second.id, mary.id}
    for person in (second, mary):
        await person.click(call, label="Agree")
    assert await seat_of(house, mary) == seat
    assert house.to_move() is mary
    head = await house.head()
    assert head.due is not None
    assert head.due.at > house.clock(), "and has the time of a turn"
    assert words_of(await house.play_by_menu(mary)).startswith("You played ")


@pytest.mark.parametrize(
    ("person", "seat", "said"),
    [
        ("grace", None, "That person sits at this table already."),
        ("linus", "linus", "That person has no seat in this match."),
        ("bot", None, "A seat can only go to a person on this server."),
    ],
)
async def test_who_cannot_take_or_give_a_seat_is_told_apart(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor, person: str, seat: str | None, said: str
) -> None:
    await circle(house, ada, grace)
    known = {"grace": grace, "linus": linus}
    before = await house.standing()
    bot = house.guild.add_member(house.env.create_user("other", bot=True)) if person == "bot" else None
    options = {} if seat is None else {"seat": known[seat]}
    answer = told(await ada.slash(house.channel, "tiles match substitute", person=bot or known[person], **options))
    assert answer.startswith(said)
    assert await house.standing() == before


async def test_somebody_who_watches_can_neither_offer_nor_accept_what_is_not_theirs(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await circle(house, ada, grace)
    mary = house.person("Mary")
    assert told(await linus.slash(house.channel, "tiles match substitute", person=mary)).startswith("You are watching")
    await ada.slash(house.channel, "tiles match substitute", person=linus)
    before = await house.standing()
    assert told(await mary.click(house.board(), label="Agree")).startswith("You are watching this match.")
    assert told(await grace.click(house.board(), label="Agree")).startswith("This is not for you to answer.")
    assert await house.standing() == before
    assert told(await linus.click(house.board(), label="No")) == "You said no. Everything stays as it is."
    assert await seat_of(house, ada) is not None
