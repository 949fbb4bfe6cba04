"""Agreements of players: ending a match without a result, and giving a seat to a substitute."""

import asyncio

import pytest
from simcord import MemberActor

from bot.tables.service import Table
from data.store.store import Store
from engine.board.tiles import format_tile_notation
from engine.match.events import Undone
from engine.table.commands import AnswerQuestion, AskPlayers
from engine.table.questions import QUESTION_SPAN
from engine.table.refusals import Refusal, RefusalError
from engine.table.table_events import Closed
from engine.table.table_state import Question
from tests.bot.messages import button_ids, menus, pictures, private, told, words_of
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.agreements import ask_to_abort, play_one_turn_each
from tests.bot.timed_table import TimedTable
from tests.bot.use_cases import ADA, GRACE, LINUS, refusal
from tests.wording import en, says

DAY = 24


async def state(sim: SimGuild) -> str:
    return (await sim.head()).state


async def test_only_human_player_ends_match_at_once(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, computers=1)
    question = private(await ada.slash(sim.channel, "tiles match abort"))
    assert words_of(question).startswith(en("agree.abort_ask"))
    before = await sim.standing()
    assert told(await ada.click(question, label="Keep playing")) == en("resign.kept")
    assert await sim.standing() == before

    assert await ask_to_abort(sim, ada) == en("agree.done_abort")

    assert await state(sim) == "void"
    assert says(words_of(sim.board()), "lobby.closed", reason=en("lobby.closed_aborted"))
    assert sim.calls() == []
    assert says(told(await ada.slash(sim.channel, "tiles profile")), "profile.none", name="Ada", game="Triominoes")
    await sim.table(grace, ada)
    assert await state(sim) == "open", "and the channel is free for another"


async def test_abort_before_first_move_needs_all_players(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace)
    question = private(await ada.slash(sim.channel, "tiles match abort"))
    assert words_of(question).startswith(en("agree.abort_ask_agreed"))
    assert (await ask_to_abort(sim, ada)).startswith(en("agree.asked").split(".")[0])
    assert await state(sim) == "open"
    await grace.click(sim.board(), label="Agree")
    assert await state(sim) == "void"


async def test_old_buttons_of_aborted_match_change_nothing(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await sim.table(ada, grace)
    mover = sim.to_move()
    hand = await sim.hand(mover)
    preview = private(await mover.select(hand, [menus(hand)[0].options[0].value]))
    play = next(label for label in button_ids(preview) if label.startswith("Play +"))
    sim.lapse()
    old = await sim.post("by:hand:1", "by:undo:1", "by:abort:1|yes", "by:agree:1:4|yes", "by:resign:1|yes")
    await ask_to_abort(sim, mover)
    await (grace if mover is ada else ada).click(sim.board(), label="Agree")
    before = await sim.standing()

    assert told(await mover.click(preview, label=play)).startswith(en("no.CLOSED"))
    for number in range(5):
        for person in (ada, grace, linus):
            said = told(await person.click(old, label=f"Button {number}"))
            assert said.startswith((en("no.CLOSED"), en("no.PROPOSAL_OVER"))), number
    assert await sim.standing() == before


async def test_abort_needs_all_players(sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor) -> None:
    await play_one_turn_each(sim, ada, grace, linus)
    mover = sim.to_move()
    assert (await ask_to_abort(sim, ada)).startswith(en("agree.asked").split(".")[0])
    assert await state(sim) == "open"
    question = en("agree.abort", name="Ada")
    assert says(words_of(sim.board()), "agree.waiting")
    (call,) = [message for message in sim.calls() if question in words_of(message)]
    assert {user.id for user in call.mentions} == {grace.id, linus.id}

    assert told(await grace.click(call, label="Agree")) == en("agree.agreed")
    assert says(words_of(sim.board()), "agree.waiting")
    assert told(await grace.click(call, label="Agree")) == en("no.AGREED_ALREADY")
    assert told(await ada.click(call, label="Agree")) == en("no.AGREED_ALREADY")
    assert await state(sim) == "open"
    await sim.restart()
    assert told(await linus.click(sim.board(), label="Agree")) == en("agree.done_abort")
    assert await state(sim) == "void"
    assert mover.id in sim.people


async def test_watcher_cannot_ask_or_agree(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor, mary: MemberActor
) -> None:
    await play_one_turn_each(sim, ada, grace)
    before = await sim.standing()
    for command, options in (("match abort", {}), ("undo", {}), ("match substitute", {"person": mary})):
        said = told(await linus.slash(sim.channel, f"tiles {command}", **options))
        assert said.startswith(en("no.NOT_SEATED"))
    assert await sim.standing() == before
    await ada.slash(sim.channel, "tiles match substitute", person=linus)
    before = await sim.standing()
    for label in ("Agree", "No"):
        assert told(await mary.click(sim.board(), label=label)).startswith(en("no.NOT_SEATED"))
    assert told(await grace.click(sim.board(), label="Agree")).startswith(en("no.NOT_ASKED"))
    assert await sim.standing() == before
    assert told(await linus.click(sim.board(), label="No")) == en("agree.declined")
    assert await seat_of(sim, ada) is not None


async def test_hand_works_and_move_withdraws_question(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await play_one_turn_each(sim, ada, grace)
    mover, other = sim.to_move(), sim.waiting()
    hand = await sim.hand(mover)
    await ask_to_abort(sim, other)
    preview = private(await mover.select(hand, [menus(hand)[0].options[0].value]))
    play = next(label for label in button_ids(preview) if label.startswith("Play "))
    assert words_of(private(await mover.click(preview, label=play))).startswith("You played ")
    assert not says(words_of(sim.board()), "agree.abort"), "and the move withdraws the question"


async def test_asker_can_withdraw_question(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await play_one_turn_each(sim, ada, grace)
    await ask_to_abort(sim, ada)
    said = told(await ada.click(sim.board(), label="No"))
    assert said == en("agree.withdrawn")
    assert not says(words_of(sim.board()), "agree.abort")
    assert await state(sim) == "open"


async def test_player_can_change_yes_to_no(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await play_one_turn_each(sim, ada, grace, linus)
    await ask_to_abort(sim, ada)
    await grace.click(sim.board(), label="Agree")
    assert told(await grace.click(sim.board(), label="No")) == en("agree.declined")
    assert await state(sim) == "open"
    assert not says(words_of(sim.board()), "agree.abort")


async def test_second_or_repeated_question_is_refused(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await play_one_turn_each(sim, ada, grace)
    await ask_to_abort(sim, ada)
    assert (await ask_to_abort(sim, grace)).startswith(en("no.PROPOSAL_OPEN"))
    assert told(await grace.click(sim.board(), label="No")) == en("agree.declined")
    assert (await ask_to_abort(sim, ada)).startswith(en("no.ASKED_BEFORE"))
    assert (await ask_to_abort(sim, grace)).startswith(en("agree.asked").split(".")[0]), "but others may ask"


async def test_forged_answers_do_nothing(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await play_one_turn_each(sim, ada, grace)
    await ask_to_abort(sim, ada)
    number = (await sim.head()).seq
    forged = await sim.post(
        "by:agree:1|yes",
        f"by:agree:1:{number + 1}|yes",
        "by:agree:1:1|yes",
        f"by:agree:1:{number}|perhaps",
        f"by:agree:1:{number}",
        "by:agree|yes",
    )
    before = await sim.standing()
    for label in button_ids(forged):
        said = told(await grace.click(forged, label=label))
        assert said.startswith((en("no.PROPOSAL_OVER"), en("no.UNKNOWN_BUTTON")))
    assert await sim.standing() == before


async def seat_of(sim: SimGuild, person: MemberActor) -> int | None:
    return next((row.seat for row in (await sim.now()).seats if row.user_id == person.id), None)


async def test_substitute_gets_seat(sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor) -> None:
    await play_one_turn_each(sim, ada, grace)
    mover = sim.to_move()
    seat = await seat_of(sim, mover)
    held = (await sim.match()).seats[seat or 0].hand
    said = told(await mover.slash(sim.channel, "tiles match substitute", person=linus))
    assert said.startswith(en("agree.asked").split(".")[0])
    question = en("agree.substitute", name=mover.user.global_name, person="**Linus**")
    assert question in words_of(sim.board())
    assert [user.id for user in sim.calls()[-1].mentions] == [linus.id]
    assert await seat_of(sim, mover) == seat

    assert told(await linus.click(sim.calls()[-1], label="Agree")) == en("agree.done_substitute", person="Linus")

    assert (await seat_of(sim, linus), await seat_of(sim, mover)) == (seat, None)
    assert sim.to_move() is linus, "and is called"
    replaced = en("agree.replaced", person="**Linus**", owner=f"**{mover.user.global_name}**")
    assert any(words_of(one) == replaced for one in sim.public())
    assert "Linus" in words_of(sim.board())
    hand = await sim.hand(linus)
    assert all(format_tile_notation(tile) in pictures(hand)[0] for tile in held)
    assert says(told(await mover.click(sim.board(), label="My hand")), "no.NOT_SEATED")
    assert words_of(await sim.play_by_menu(linus)).startswith("You played ")


async def test_early_substitute_has_result(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await sim.table(ada, grace)
    await ada.slash(sim.channel, "tiles match substitute", person=linus)
    await linus.click(sim.calls()[-1], label="Agree")
    question = private(await grace.slash(sim.channel, "tiles match resign"))
    await grace.click(question, label="Resign")
    (end,) = sim.ends()
    assert words_of(end).startswith("## Triominoes: Linus wins")
    results = {
        result.user_id: result.place for result in await sim.store.results.list_results((await sim.head()).match_id)
    }
    assert results == {linus.id: 1, grace.id: 2, ada.id: 2}
    (mine,) = [
        one for one in await sim.store.results.list_results((await sim.head()).match_id) if one.user_id == ada.id
    ]
    assert (mine.won, mine.rated, mine.after) == (False, False, None)
    assert not mine.finished
    (card,) = pictures(private(await ada.slash(sim.channel, "tiles profile")))
    assert f"{en('profile.finished')} 0 of 1, Wins 0" in card


async def test_late_substitute_has_no_result(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await sim.table(ada, grace)
    for _ in range(4):
        await sim.play_by_typing(sim.to_move())
    await ada.slash(sim.channel, "tiles match substitute", person=linus)
    await linus.click(sim.calls()[-1], label="Agree")
    question = private(await linus.slash(sim.channel, "tiles match resign"))
    await linus.click(question, label="Resign")
    results = {result.user_id: result for result in await sim.store.results.list_results((await sim.head()).match_id)}
    assert results.keys() == {ada.id, grace.id}
    assert (await sim.head()).host_id == linus.id
    assert (results[ada.id].place, results[ada.id].finished) == (2, False)
    assert says(told(await linus.slash(sim.channel, "tiles profile")), "profile.none", name="Linus")


async def test_seat_needs_owner_consent(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await play_one_turn_each(sim, ada, grace)
    await ada.slash(sim.channel, "tiles match substitute", person=linus, seat=grace)
    question = en("agree.substitute_other", name="Ada", person="**Linus**", owner="Grace")
    assert question in words_of(sim.board())
    assert {user.id for user in sim.calls()[-1].mentions} == {grace.id, linus.id}
    assert told(await linus.click(sim.board(), label="Agree")) == en("agree.agreed")
    assert await seat_of(sim, grace) is not None
    assert told(await grace.click(sim.board(), label="No")) == en("agree.declined")
    assert await seat_of(sim, grace) is not None
    assert await seat_of(sim, linus) is None


async def test_absent_seat_can_be_given_to_substitute(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    mary = sim.person("Mary")
    await sim.table(ada, grace, linus, clock="live 2m")
    silent = sim.to_move()
    first, second = (person for person in (ada, grace, linus) if person is not silent)
    await sim.wait(seconds=130)
    seat = await seat_of(sim, silent)
    await first.slash(sim.channel, "tiles match substitute", person=mary, seat=silent)
    call = sim.calls()[-1]
    assert {user.id for user in call.mentions} == {second.id, mary.id}
    for person in (second, mary):
        await person.click(call, label="Agree")
    assert await seat_of(sim, mary) == seat
    assert sim.to_move() is mary
    head = await sim.head()
    assert head.due.at > sim.clock(), "and has the time of a turn"
    assert words_of(await sim.play_by_menu(mary)).startswith("You played ")


@pytest.mark.parametrize(
    ("person", "seat", "said"),
    [
        ("grace", None, en("no.SITS_ALREADY")),
        ("linus", "linus", en("no.NO_SEAT_OF_THEIRS")),
        ("bot", None, en("no.NOT_A_PERSON")),
    ],
)
async def test_impossible_substitute_is_refused_with_reason(
    sim: SimGuild,
    ada: MemberActor,
    grace: MemberActor,
    linus: MemberActor,
    person: str,
    seat: str | None,
    said: str,
) -> None:
    await play_one_turn_each(sim, ada, grace)
    known = {"grace": grace, "linus": linus}
    before = await sim.standing()
    bot = sim.guild.add_member(sim.env.create_user("other", bot=True)) if person == "bot" else None
    options = {} if seat is None else {"seat": known[seat]}
    answer = told(await ada.slash(sim.channel, "tiles match substitute", person=bot or known[person], **options))
    assert answer.startswith(said)
    assert await sim.standing() == before


MARY = 4


def question_of(table: Table) -> Question:
    assert table.question is not None
    return table.question


@pytest.fixture
async def table(timed_table: TimedTable) -> Table:
    table = await timed_table.started(GRACE, LINUS)
    for _ in range(3):
        table = await timed_table.move(table.head.match_id)
    return table


async def test_two_simultaneous_agreements_both_count(timed_table: TimedTable, table: Table) -> None:
    match_id = table.head.match_id
    asked = await timed_table.act(match_id, AskPlayers(ADA, "abort"))
    assert question_of(asked).waiting == (1, 2)
    number = question_of(asked).number

    both = await asyncio.gather(
        *(timed_table.acts.act(match_id, AnswerQuestion(user, number, yes=True)) for user in (GRACE, LINUS))
    )

    assert sorted(any(isinstance(event, Closed) for event in one.events) for one in both) == [False, True]
    assert (await timed_table.tables.load(match_id)).head.state == "void"


async def test_simultaneous_move_and_last_agreement_apply_only_one(timed_table: TimedTable, table: Table) -> None:
    match_id = table.head.match_id
    while not table.match.undo_stack:
        table = await timed_table.move(table.head.match_id)
    asker = table.seats[table.match.undo_stack[0].seat].user_id
    others = [user for user in (ADA, GRACE, LINUS) if user != asker]
    asked = await timed_table.act(match_id, AskPlayers(asker, "undo"))
    number = question_of(asked).number
    await timed_table.acts.act(match_id, AnswerQuestion(others[0], number, yes=True))
    before = await timed_table.tables.load(match_id)

    moved, agreed = await asyncio.gather(
        timed_table.move(match_id),
        timed_table.acts.act(match_id, AnswerQuestion(others[1], number, yes=True)),
        return_exceptions=True,
    )

    log = [event for event in await timed_table.store.matches.list_events(match_id) if isinstance(event, Undone)]
    after = await timed_table.tables.load(match_id)
    if isinstance(agreed, RefusalError):
        assert agreed.why in (Refusal.PROPOSAL_OVER, Refusal.STALE)
        assert log == []
        assert len(after.match.board.placed) > len(before.match.board.placed)
    else:
        assert isinstance(moved, Exception)
        assert len(log) == 1
        assert len(after.match.board.placed) < len(before.match.board.placed)


async def test_question_and_answer_delivered_twice_count_once(timed_table: TimedTable, table: Table) -> None:
    match_id, request = table.head.match_id, timed_table.request()
    first = await timed_table.act(match_id, AskPlayers(ADA, "abort"), request=request)
    again = await timed_table.act(match_id, AskPlayers(ADA, "abort"), request=request)
    assert question_of(again) == question_of(first)
    assert again.head.seq == first.head.seq
    yes = timed_table.request()
    for _ in range(2):
        said = await timed_table.acts.act(
            match_id, AnswerQuestion(GRACE, question_of(first).number, yes=True), request=yes
        )
        assert question_of(said.table).waiting == (2,)
    assert said.table.head.seq == first.head.seq + 1


async def test_answer_to_expired_question_is_refused(timed_table: TimedTable, table: Table) -> None:
    asked = await timed_table.act(table.head.match_id, AskPlayers(ADA, "abort"))
    timed_table.time += QUESTION_SPAN
    assert (
        await refusal(
            timed_table.acts.act(table.head.match_id, AnswerQuestion(GRACE, question_of(asked).number, yes=True))
        )
        is Refusal.PROPOSAL_OVER
    )


async def test_question_keeps_clock_and_open_hands_valid(timed_table: TimedTable, table: Table) -> None:
    asked = await timed_table.act(table.head.match_id, AskPlayers(ADA, "abort"))
    assert asked.state.is_current(table.head.seq)
    assert asked.clock.time == table.clock.time
    assert asked.head.due == table.head.due
    assert asked.question == question_of(asked)


async def test_deleted_user_cannot_take_seat(timed_table: TimedTable, store: Store, table: Table) -> None:
    asked = await timed_table.act(table.head.match_id, AskPlayers(ADA, "substitute", MARY, GRACE))
    await store.erasure.erase_user(MARY, left_match_ids=(), now=timed_table.time)
    assert (
        await refusal(
            timed_table.acts.act(table.head.match_id, AnswerQuestion(GRACE, question_of(asked).number, yes=True))
        )
        is Refusal.PROPOSAL_OVER
    )
