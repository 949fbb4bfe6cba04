"""Agreements of players: ending a match without a result, and giving a seat to a substitute."""

import asyncio

import pytest

from bot.tables.service import Table
from data.store.store import Store
from engine.board.tiles import format_tile_notation
from engine.match.events import Undone
from engine.table.commands import AnswerQuestion, AskPlayers
from engine.table.questions import QUESTION_SPAN
from engine.table.refusals import Refusal, RefusalError
from engine.table.table_events import Closed
from tests.bot.member import Member
from tests.bot.messages import find_play_label, list_alt_texts, list_menus, read_button_ids, read_text
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.agreements import ask_to_abort, play_one_turn_each
from tests.bot.timed_table import TimedTable
from tests.bot.use_cases import ADA, GRACE, LINUS, catch_refusal
from tests.wording import en, has_sentence

DAY = 24


async def load_state(sim: SimGuild) -> str:
    return (await sim.load_head()).state


async def test_only_human_player_ends_match_at_once(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, computers=1)
    question = await ada.open_command("tiles match abort")
    assert read_text(question).startswith(en("agree.abort_ask"))
    before = await sim.take_snapshot()
    assert await ada.read_click(question, "Keep playing") == en("resign.kept")
    assert await sim.take_snapshot() == before

    assert await ask_to_abort(sim, ada) == en("agree.done_abort")

    assert await load_state(sim) == "void"
    assert has_sentence(sim.read_board(), "lobby.closed", reason=en("lobby.closed_aborted"))
    assert sim.list_calls() == []
    assert has_sentence(await ada.read_command("tiles profile"), "profile.none", name="Ada", game="Triominoes")
    await sim.start_table(grace, ada)
    assert await load_state(sim) == "open", "and the channel is free for another"


async def test_abort_before_first_move_needs_all_players(room: SimGuild, ada: Member, grace: Member) -> None:
    question = await ada.open_command("tiles match abort")
    assert read_text(question).startswith(en("agree.abort_ask_agreed"))
    assert (await ask_to_abort(room, ada)).startswith(en("agree.asked").split(".")[0])
    assert await load_state(room) == "open"
    await grace.click(room.get_board(), label="Agree")
    assert await load_state(room) == "void"


async def test_old_buttons_of_aborted_match_change_nothing(
    room: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    mover = room.get_called_player()
    hand = await room.open_hand(mover)
    preview = await mover.open_select(hand, list_menus(hand)[0].options[0].value)
    play = find_play_label(preview)
    room.forget_hands()
    old_message = await room.post("by:hand:1", "by:undo:1", "by:abort:1|yes", "by:agree:1:4|yes", "by:resign:1|yes")
    await ask_to_abort(room, mover)
    await (grace if mover is ada else ada).click(room.get_board(), label="Agree")
    before = await room.take_snapshot()

    assert (await mover.read_click(preview, play)).startswith(en("no.CLOSED"))
    for number in range(5):
        for person in (ada, grace, linus):
            answer = await person.read_click(old_message, f"Button {number}")
            assert answer.startswith((en("no.CLOSED"), en("no.PROPOSAL_OVER"))), number
    assert await room.take_snapshot() == before


async def test_abort_needs_all_players(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await play_one_turn_each(sim, ada, grace, linus)
    mover = sim.get_called_player()
    assert (await ask_to_abort(sim, ada)).startswith(en("agree.asked").split(".")[0])
    assert await load_state(sim) == "open"
    question = en("agree.abort", name="Ada")
    assert has_sentence(sim.read_board(), "agree.waiting")
    (call,) = [message for message in sim.list_calls() if question in read_text(message)]
    assert {user.id for user in call.mentions} == {grace.id, linus.id}

    assert await grace.read_click(call, "Agree") == en("agree.agreed")
    assert has_sentence(sim.read_board(), "agree.waiting")
    assert await grace.read_click(call, "Agree") == en("no.AGREED_ALREADY")
    assert await ada.read_click(call, "Agree") == en("no.AGREED_ALREADY")
    assert await load_state(sim) == "open"
    await sim.restart()
    assert await linus.read_click(sim.get_board(), "Agree") == en("agree.done_abort")
    assert await load_state(sim) == "void"
    assert mover.id in sim.members


async def test_watcher_cannot_ask_or_agree(
    sim: SimGuild, ada: Member, grace: Member, linus: Member, mary: Member
) -> None:
    await play_one_turn_each(sim, ada, grace)
    before = await sim.take_snapshot()
    for command, options in (("match abort", {}), ("undo", {}), ("match substitute", {"person": mary})):
        answer = await linus.read_command(f"tiles {command}", **options)
        assert answer.startswith(en("no.NOT_SEATED"))
    assert await sim.take_snapshot() == before
    await ada.use_command("tiles match substitute", person=linus)
    before = await sim.take_snapshot()
    for label in ("Agree", "No"):
        assert (await mary.read_click(sim.get_board(), label)).startswith(en("no.NOT_SEATED"))
    assert (await grace.read_click(sim.get_board(), "Agree")).startswith(en("no.NOT_ASKED"))
    assert await sim.take_snapshot() == before
    assert await linus.read_click(sim.get_board(), "No") == en("agree.declined")
    assert await find_seat(sim, ada) is not None


async def test_hand_works_and_move_withdraws_question(sim: SimGuild, ada: Member, grace: Member) -> None:
    await play_one_turn_each(sim, ada, grace)
    mover, other = sim.get_called_player(), sim.get_waiting_player()
    hand = await sim.open_hand(mover)
    await ask_to_abort(sim, other)
    preview = await mover.open_select(hand, list_menus(hand)[0].options[0].value)
    play = find_play_label(preview)
    assert (await mover.read_click(preview, play)).startswith("You played ")
    assert not has_sentence(sim.read_board(), "agree.abort"), "and the move withdraws the question"


async def test_asker_can_withdraw_question(sim: SimGuild, ada: Member, grace: Member) -> None:
    await play_one_turn_each(sim, ada, grace)
    await ask_to_abort(sim, ada)
    answer = await ada.read_click(sim.get_board(), "No")
    assert answer == en("agree.withdrawn")
    assert not has_sentence(sim.read_board(), "agree.abort")
    assert await load_state(sim) == "open"


async def test_player_can_change_yes_to_no(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await play_one_turn_each(sim, ada, grace, linus)
    await ask_to_abort(sim, ada)
    await grace.click(sim.get_board(), label="Agree")
    assert await grace.read_click(sim.get_board(), "No") == en("agree.declined")
    assert await load_state(sim) == "open"
    assert not has_sentence(sim.read_board(), "agree.abort")


async def test_second_or_repeated_question_is_refused(sim: SimGuild, ada: Member, grace: Member) -> None:
    await play_one_turn_each(sim, ada, grace)
    await ask_to_abort(sim, ada)
    assert (await ask_to_abort(sim, grace)).startswith(en("no.PROPOSAL_OPEN"))
    assert await grace.read_click(sim.get_board(), "No") == en("agree.declined")
    assert (await ask_to_abort(sim, ada)).startswith(en("no.ASKED_BEFORE"))
    assert (await ask_to_abort(sim, grace)).startswith(en("agree.asked").split(".")[0]), "but others may ask"


async def test_forged_answers_do_nothing(sim: SimGuild, ada: Member, grace: Member) -> None:
    await play_one_turn_each(sim, ada, grace)
    await ask_to_abort(sim, ada)
    number = (await sim.load_head()).seq
    forged = await sim.post(
        "by:agree:1|yes",
        f"by:agree:1:{number + 1}|yes",
        "by:agree:1:1|yes",
        f"by:agree:1:{number}|perhaps",
        f"by:agree:1:{number}",
        "by:agree|yes",
    )
    before = await sim.take_snapshot()
    for label in read_button_ids(forged):
        answer = await grace.read_click(forged, label)
        assert answer.startswith((en("no.PROPOSAL_OVER"), en("no.UNKNOWN_BUTTON")))
    assert await sim.take_snapshot() == before


async def find_seat(sim: SimGuild, person: Member) -> int | None:
    return next((row.seat for row in (await sim.load_table()).seats if row.user_id == person.id), None)


async def test_substitute_gets_seat_after_all_agree(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await play_one_turn_each(sim, ada, grace)
    mover = sim.get_called_player()
    seat = await find_seat(sim, mover)
    hand_before = (await sim.replay_match()).seats[seat or 0].hand
    answer = await mover.read_command("tiles match substitute", person=linus)
    assert answer.startswith(en("agree.asked").split(".")[0])
    question = en("agree.substitute", name=mover.user.global_name, person="**Linus**")
    assert question in sim.read_board()
    assert [user.id for user in sim.list_calls()[-1].mentions] == [linus.id]
    assert await find_seat(sim, mover) == seat

    assert await linus.read_click(sim.list_calls()[-1], "Agree") == en("agree.done_substitute", person="Linus")

    assert (await find_seat(sim, linus), await find_seat(sim, mover)) == (seat, None)
    assert sim.get_called_player() is linus, "and is called"
    replaced = en("agree.replaced", person="**Linus**", owner=f"**{mover.user.global_name}**")
    assert any(read_text(one) == replaced for one in sim.list_public_messages())
    assert "Linus" in sim.read_board()
    hand = await sim.open_hand(linus)
    assert all(format_tile_notation(tile) in list_alt_texts(hand)[0] for tile in hand_before)
    assert has_sentence(await mover.read_click(sim.get_board(), "My hand"), "no.NOT_SEATED")
    assert read_text(await sim.play_by_menu(linus)).startswith("You played ")


async def test_early_substitute_has_result(room: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await ada.use_command("tiles match substitute", person=linus)
    await linus.click(room.list_calls()[-1], label="Agree")
    question = await grace.open_command("tiles match resign")
    await grace.click(question, label="Resign")
    (end,) = room.list_results()
    assert read_text(end).startswith("## Triominoes: Linus wins")
    results = {
        result.user_id: result.place
        for result in await room.store.results.list_results((await room.load_head()).match_id)
    }
    assert results == {linus.id: 1, grace.id: 2, ada.id: 2}
    (own_result,) = [
        one for one in await room.store.results.list_results((await room.load_head()).match_id) if one.user_id == ada.id
    ]
    assert (own_result.won, own_result.rated, own_result.after) == (False, False, None)
    assert not own_result.finished
    (card,) = list_alt_texts(await ada.open_command("tiles profile"))
    assert f"{en('profile.finished')} 0 of 1, Wins 0" in card


async def test_late_substitute_has_no_result(room: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await room.play_turns(4)
    await ada.use_command("tiles match substitute", person=linus)
    await linus.click(room.list_calls()[-1], label="Agree")
    question = await linus.open_command("tiles match resign")
    await linus.click(question, label="Resign")
    results = {
        result.user_id: result for result in await room.store.results.list_results((await room.load_head()).match_id)
    }
    assert results.keys() == {ada.id, grace.id}
    assert (await room.load_head()).host_id == linus.id
    assert (results[ada.id].place, results[ada.id].finished) == (2, False)
    assert has_sentence(await linus.read_command("tiles profile"), "profile.none", name="Linus")


async def test_seat_needs_owner_consent(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await play_one_turn_each(sim, ada, grace)
    await ada.use_command("tiles match substitute", person=linus, seat=grace)
    question = en("agree.substitute_other", name="Ada", person="**Linus**", owner="Grace")
    assert question in sim.read_board()
    assert {user.id for user in sim.list_calls()[-1].mentions} == {grace.id, linus.id}
    assert await linus.read_click(sim.get_board(), "Agree") == en("agree.agreed")
    assert await find_seat(sim, grace) is not None
    assert await grace.read_click(sim.get_board(), "No") == en("agree.declined")
    assert await find_seat(sim, grace) is not None
    assert await find_seat(sim, linus) is None


async def test_absent_seat_can_be_given_to_substitute(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    mary = sim.add_member("Mary")
    await sim.start_table(ada, grace, linus, clock="live 2m")
    absent_user = sim.get_called_player()
    first, second = (person for person in (ada, grace, linus) if person is not absent_user)
    await sim.wait(seconds=130)
    seat = await find_seat(sim, absent_user)
    await first.use_command("tiles match substitute", person=mary, seat=absent_user)
    call = sim.list_calls()[-1]
    assert {user.id for user in call.mentions} == {second.id, mary.id}
    for person in (second, mary):
        await person.click(call, label="Agree")
    assert await find_seat(sim, mary) == seat
    assert sim.get_called_player() is mary
    head = await sim.load_head()
    assert head.due.at > sim.clock(), "and has the time of a turn"
    assert read_text(await sim.play_by_menu(mary)).startswith("You played ")


@pytest.mark.parametrize(
    ("person", "seat", "said"),
    [
        ("grace", None, en("no.SITS_ALREADY")),
        ("linus", "linus", en("no.NO_SEAT_OF_THEIRS")),
        ("bot", None, en("no.NOT_A_PERSON")),
    ],
)
async def test_impossible_substitute_is_refused_with_reason(
    sim: SimGuild, ada: Member, grace: Member, linus: Member, person: str, seat: str | None, said: str
) -> None:
    await play_one_turn_each(sim, ada, grace)
    members_by_name = {"grace": grace, "linus": linus}
    before = await sim.take_snapshot()
    bot = sim.guild.add_member(sim.env.create_user("other", bot=True)) if person == "bot" else None
    options = {} if seat is None else {"seat": members_by_name[seat]}
    answer = await ada.read_command("tiles match substitute", person=bot or members_by_name[person], **options)
    assert answer.startswith(said)
    assert await sim.take_snapshot() == before


MARY = 4


@pytest.fixture
async def table(timed_table: TimedTable) -> Table:
    table = await timed_table.start_match(GRACE, LINUS)
    for _ in range(3):
        table = await timed_table.play_turn(table)
    return table


async def test_two_simultaneous_agreements_both_count(timed_table: TimedTable, table: Table) -> None:
    match_id = table.head.match_id
    table_with_question = await timed_table.act(match_id, AskPlayers(ADA, "abort"))
    assert table_with_question.question.waiting == (1, 2)
    number = table_with_question.question.number

    both = await asyncio.gather(
        *(timed_table.acts.act(match_id, AnswerQuestion(user, number, yes=True)) for user in (GRACE, LINUS))
    )

    assert sorted(any(isinstance(event, Closed) for event in one.events) for one in both) == [False, True]
    assert (await timed_table.tables.load(match_id)).head.state == "void"


async def test_simultaneous_move_and_last_agreement_apply_only_one(timed_table: TimedTable, table: Table) -> None:
    match_id = table.head.match_id
    while not table.match.undo_stack:
        table = await timed_table.play_turn(table)
    asker = table.seats[table.match.undo_stack[0].seat].user_id
    others = [user for user in (ADA, GRACE, LINUS) if user != asker]
    table_with_question = await timed_table.act(match_id, AskPlayers(asker, "undo"))
    number = table_with_question.question.number
    await timed_table.acts.act(match_id, AnswerQuestion(others[0], number, yes=True))
    before = await timed_table.tables.load(match_id)

    move_result, agreement = await asyncio.gather(
        timed_table.play_turn(match_id),
        timed_table.acts.act(match_id, AnswerQuestion(others[1], number, yes=True)),
        return_exceptions=True,
    )

    log = [event for event in await timed_table.store.matches.list_events(match_id) if isinstance(event, Undone)]
    after = await timed_table.tables.load(match_id)
    if isinstance(agreement, RefusalError):
        assert agreement.why in (Refusal.PROPOSAL_OVER, Refusal.STALE)
        assert log == []
        assert len(after.match.board.placed) > len(before.match.board.placed)
    else:
        assert isinstance(move_result, Exception)
        assert len(log) == 1
        assert len(after.match.board.placed) < len(before.match.board.placed)


async def test_question_and_answer_delivered_twice_count_once(timed_table: TimedTable, table: Table) -> None:
    match_id, request = table.head.match_id, timed_table.create_request_id()
    first = await timed_table.act(match_id, AskPlayers(ADA, "abort"), request=request)
    repeated = await timed_table.act(match_id, AskPlayers(ADA, "abort"), request=request)
    assert repeated.question == first.question
    assert repeated.head.seq == first.head.seq
    yes_request = timed_table.create_request_id()
    for _ in range(2):
        outcome = await timed_table.acts.act(
            match_id, AnswerQuestion(GRACE, first.question.number, yes=True), request=yes_request
        )
        assert outcome.table.question.waiting == (2,)
    assert outcome.table.head.seq == first.head.seq + 1


async def test_answer_to_expired_question_is_refused(timed_table: TimedTable, table: Table) -> None:
    table_with_question = await timed_table.act(table, AskPlayers(ADA, "abort"))
    timed_table.time += QUESTION_SPAN
    answer = AnswerQuestion(GRACE, table_with_question.question.number, yes=True)
    assert await catch_refusal(timed_table.act(table, answer)) is Refusal.PROPOSAL_OVER


async def test_question_keeps_clock_and_open_hands_valid(timed_table: TimedTable, table: Table) -> None:
    table_with_question = await timed_table.act(table, AskPlayers(ADA, "abort"))
    assert table_with_question.state.is_current(table.head.seq)
    assert table_with_question.clock.time == table.clock.time
    assert table_with_question.head.due == table.head.due


async def test_deleted_user_cannot_take_seat(timed_table: TimedTable, store: Store, table: Table) -> None:
    table_with_question = await timed_table.act(table, AskPlayers(ADA, "substitute", MARY, GRACE))
    await store.erasure.erase_user(MARY, left_match_ids=(), now=timed_table.time)
    answer = AnswerQuestion(GRACE, table_with_question.question.number, yes=True)
    assert await catch_refusal(timed_table.act(table, answer)) is Refusal.PROPOSAL_OVER
