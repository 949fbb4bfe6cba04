"""Public posts depend only on the events."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from engine.board.tiles import format_tile_notation
from engine.match.events import Dealt, MatchEnded, RoundEnded, Undone
from engine.match.state import find_last_placement
from engine.table.commands import (
    AnswerQuestion,
    AskPlayers,
    ChooseAbsence,
    EndPause,
    ExpireQuestion,
    Moderate,
    MoveTable,
    Rearm,
    ReturnToSeat,
    SetVacation,
)
from engine.table.decide_table import TableDecision
from engine.table.questions import QUESTION_SPAN
from engine.table.table_events import Choice
from engine.table.table_posts import Post
from engine.table.table_state import Outage
from engine.table.terms import DAY, HOUR
from tests.engine.table.sitting import (
    ADA,
    GRACE,
    LINUS,
    MARY,
    NEMO,
    START,
    SimulatedTable,
    expect_refusal,
    list_event_names,
    list_posts,
    open_played_table,
    open_table,
)

TURN_MENTION = ("turn", {"seat": 0})


def open_first_seat_table(*, game: str = "triominoes", absent: str = "turn", **chosen: int | str) -> SimulatedTable:
    sim = open_played_table(GRACE, LINUS, game=game, absent=absent, **chosen)
    while sim.match.turn != 0 or find_last_placement(sim.match.undo_stack, 0) is None:
        sim.play_turn()
    return sim


def open_timed_out_table(choice: Choice | None = None, **chosen: str) -> tuple[SimulatedTable, TableDecision]:
    sim = open_first_seat_table(**chosen)
    decision = sim.run_out_clock()
    if choice is not None:
        decision = sim.execute(ChooseAbsence(GRACE, choice, sim.state.clock.watch.absence_question))
    return sim, decision


def open_table_with_question(kind: str = "abort", by: int = GRACE, **about: int) -> tuple[SimulatedTable, int]:
    sim = open_first_seat_table()
    question = sim.execute(AskPlayers(by, kind, **about)).table.question  # type: ignore[arg-type]
    return sim, question.number


def test_player_to_move_is_mentioned():
    assert list_posts(open_table(GRACE, LINUS).execute(MoveTable(ADA, 9))) == [
        ("turn", {"seat": open_table(GRACE, LINUS).match.turn})
    ]
    sim = open_table(GRACE, LINUS)
    moved = sim.play_turn()
    assert list_posts(moved) == [("turn", {"seat": sim.match.turn})]


def test_computer_turn_mentions_no_player():
    sim = open_table(computers=1)
    while sim.match.turn != 0:
        sim.play_turn()
    assert list_posts(sim.play_turn()) == []


def test_round_post_names_next_opener_and_last_joins_match_post():
    sim, rounds, ended = open_played_table(GRACE, clock="relaxed"), 0, None
    while ended is None:
        decision = sim.play_turn()
        posts, first = list_posts(decision), sim.state.seq - len(decision.events) + 1
        for number, event in enumerate(decision.events):
            following = decision.events[number + 1] if number + 1 < len(decision.events) else None
            if isinstance(event, RoundEnded) and isinstance(following, Dealt):
                assert posts[0] == ("round", {"seq": first + number, "opener": following.opener})
                rounds += 1
            if isinstance(event, MatchEnded):
                ended = first + number
                assert posts == [("end", {"seq": ended})]
    assert rounds > 0


def test_reminder_names_seat_and_start_of_turn():
    sim = open_first_seat_table()
    assert list_posts(sim.wait(DAY)) == [("remind", {"seat": 0, "began": START})]


def test_other_players_are_asked_when_turn_time_ends():
    sim, decision = open_timed_out_table()
    question = sim.state.seq
    assert list_posts(decision) == [("absence", {"seat": 0, "asked": question, "until": START + 2 * DAY})]


@pytest.mark.parametrize(("choice", "following"), [("wait", [TURN_MENTION]), ("turn", []), ("seat", [])])
def test_chosen_absence_action_is_announced(choice: Choice, following: list[object]):
    _, decision = open_timed_out_table(choice)
    assert list_posts(decision) == [("notice", {"key": f"{choice}_chosen", "seat": 0}), *following]


def test_wish_to_end_match_lists_players_still_to_agree():
    _, decision = open_timed_out_table("end")
    assert list_posts(decision) == [("notice", {"key": "end_wished", "seat": 1, "silent": 0, "waiting": (2,)})]


def test_match_ended_by_others_is_announced_with_result():
    sim, _ = open_timed_out_table("end")
    decision = sim.execute(ChooseAbsence(LINUS, "end", sim.state.clock.watch.absence_question))
    assert list_posts(decision) == [("notice", {"key": "end_chosen", "seat": 0}), ("end", {"seq": sim.state.seq})]


def test_barely_started_match_ends_without_result():
    sim = open_table(GRACE, LINUS, by_hand=True)
    mover, seat = sim.current_user, sim.match.turn
    sim.run_out_clock()
    question = sim.state.clock.watch.absence_question
    first, second = (user for user in (ADA, GRACE, LINUS) if user != mover)
    sim.execute(ChooseAbsence(first, "end", question))
    decision = sim.execute(ChooseAbsence(second, "end", question))
    assert list_posts(decision) == [("notice", {"key": "end_chosen", "seat": seat})]
    assert (decision.table.state, decision.table.close_reason, mover) == (
        "void",
        "aborted",
        decision.table.seats[seat].user_id,
    )


@pytest.mark.parametrize("absent", ["turn", "seat", "end"])
def test_default_absence_action_is_announced(absent: str):
    sim, _ = open_timed_out_table(absent=absent)
    question = sim.state.clock.watch.absence_question
    decision = sim.wait(DAY)
    end = [("end", {"seq": sim.state.seq})] if absent == "end" else []
    closing_post = ("unasked", {"asked": question, "seat": 0, "outcome": absent})
    assert list_posts(decision) == [closing_post, ("notice", {"key": f"{absent}_default", "seat": 0}), *end]


@pytest.mark.parametrize("paused", [True, False])
def test_absence_question_shows_new_deadline_after_pause_or_outage(paused: bool):
    sim, _ = open_timed_out_table()
    question = sim.state.clock.watch.absence_question
    if paused:
        sim.execute(Moderate("pause", MARY, "tea"))
        sim.now += 9 * DAY
        decision = sim.execute(Moderate("resume", MARY, ""))
    else:
        sim.now += HOUR
        sim.outages = (Outage(start=sim.now - HOUR, end=sim.now),)
        decision = sim.execute(Rearm())
    assert list_posts(decision)[0] == ("asked_on", {"asked": question})
    assert sim.state.clock.watch.until == sim.now + DAY


def test_absent_player_ending_pause_closes_own_absence_question():
    sim, _ = open_timed_out_table()
    question = sim.state.clock.watch.absence_question
    number = sim.execute(AskPlayers(GRACE, "pause")).table.seq
    sim.execute(AnswerQuestion(LINUS, number, yes=True))
    assert ("unasked", {"asked": question, "seat": 0, "outcome": "goes_on"}) in list_posts(sim.execute(EndPause(ADA)))


def test_return_of_absent_player_is_announced():
    sim, _ = open_timed_out_table("seat")
    assert list_posts(sim.execute(ReturnToSeat(ADA))) == [("notice", {"key": "returned", "seat": 0})]
    sim, _ = open_timed_out_table()
    assert list_posts(sim.execute(ReturnToSeat(ADA))) == [("notice", {"key": "returned", "seat": 0})]


@pytest.mark.parametrize(("told", "days"), [("away", 3), ("away_by_itself", 3), ("home", 0)])
def test_vacation_and_its_end_are_announced(told: str, days: int):
    sim = open_first_seat_table()
    if not days:
        sim.set_preferences(GRACE, away_until=START + DAY)
        sim.execute(SetVacation(GRACE, START + DAY, "away"))
    until = START + days * DAY if days else 0
    sim.set_preferences(GRACE, away_until=until)
    assert list_posts(sim.execute(SetVacation(GRACE, until, told))) == [
        ("notice", {"key": told, "seat": 1, "until": until})
    ]


def test_automatic_vacation_is_not_announced_with_extra_time():
    sim = open_first_seat_table()
    sim.set_preferences(ADA, automatic=True)
    assert list_posts(sim.run_out_clock()) == []
    sim.set_preferences(ADA, remind=False)
    assert list_posts(sim.execute(Rearm())) == []


def test_question_is_posted_and_its_lapse_is_scheduled():
    sim = open_first_seat_table()
    decision = sim.execute(AskPlayers(GRACE, "abort"))
    number = sim.state.seq
    assert decision.posts == (
        Post(kind="question", body={"number": number}),
        Post(kind="lapses", body={"number": number}, at=START + QUESTION_SPAN),
    )


def build_settled_post(number: int, outcome: str, kind: str, **others: object) -> tuple[str, dict[str, object]]:
    defaults = {"by": GRACE, "owner": None, "person": None, "user": None, "tile": "", "asked": [ADA, LINUS]}
    return "settled", {"number": number, "outcome": outcome, "kind": kind, **defaults, **others}


def test_refusal_is_announced_and_replaces_question():
    sim, number = open_table_with_question()
    decision = sim.execute(AnswerQuestion(LINUS, number, yes=False))
    refusal = ("agreement", {"key": "no", "kind": "abort", "user": LINUS})
    assert list_posts(decision) == [refusal, build_settled_post(number, "no", "abort", user=LINUS)]
    assert decision.obsolete_kinds == ("lapses",)


def test_withdrawn_question_is_not_announced():
    sim, number = open_table_with_question()
    decision = sim.execute(AnswerQuestion(GRACE, number, yes=False))
    assert list_posts(decision) == [build_settled_post(number, "withdrawn", "abort", user=GRACE)]
    assert decision.obsolete_kinds == ("lapses",)


def test_alternating_questions_cannot_be_asked_twice_in_turn():
    sim = open_first_seat_table()
    commands = [AskPlayers(GRACE, "substitute", person=NEMO), AskPlayers(GRACE, "pause"), AskPlayers(GRACE, "abort")]
    for command in commands:
        sim.execute(AnswerQuestion(GRACE, sim.execute(command).table.seq, yes=False))
    assert [expect_refusal(sim, ask) for ask in commands] == ["ASKED_BEFORE"] * 3
    sim.play_turn()
    assert list_event_names(sim.execute(commands[0])) == ["Asked"]


def test_all_agree_to_end_without_result():
    sim, number = open_table_with_question()
    assert list_posts(sim.execute(AnswerQuestion(ADA, number, yes=True))) == []
    decision = sim.execute(AnswerQuestion(LINUS, number, yes=True))
    assert list_posts(decision) == [build_settled_post(number, "agreed", "abort")]
    assert decision.obsolete_kinds == ("lapses",)


def test_agreed_undo_is_posted_and_player_mentioned():
    sim, number = open_table_with_question("undo", ADA)
    moment = find_last_placement(sim.match.undo_stack, 0)
    assert moment.tile is not None
    sim.execute(AnswerQuestion(GRACE, number, yes=True))
    decision = sim.execute(AnswerQuestion(LINUS, number, yes=True))
    about = {"by": ADA, "tile": format_tile_notation(moment.tile), "asked": [GRACE, LINUS]}
    assert list_posts(decision) == [build_settled_post(number, "agreed", "undo", **about), TURN_MENTION]
    assert any(isinstance(event, Undone) for event in decision.events)


def test_seat_change_is_announced_and_substitute_to_move_is_mentioned():
    sim, number = open_table_with_question("substitute", person=NEMO, owner=ADA)
    sim.execute(AnswerQuestion(ADA, number, yes=True))
    decision = sim.execute(AnswerQuestion(NEMO, number, yes=True))
    replaced = ("agreement", {"key": "replaced", "user": ADA, "person": NEMO})
    about = {"owner": ADA, "person": NEMO, "asked": [ADA, NEMO]}
    assert list_posts(decision) == [replaced, build_settled_post(number, "agreed", "substitute", **about), TURN_MENTION]


def test_substitute_who_is_not_to_move_is_not_mentioned():
    sim, number = open_table_with_question("substitute", person=NEMO)
    decision = sim.execute(AnswerQuestion(NEMO, number, yes=True))
    replaced = ("agreement", {"key": "replaced", "user": GRACE, "person": NEMO})
    assert list_posts(decision) == [
        replaced,
        build_settled_post(number, "agreed", "substitute", person=NEMO, asked=[NEMO]),
    ]


def expire_question(sim: SimulatedTable, number: int) -> TableDecision:
    sim.now += QUESTION_SPAN
    return sim.execute(ExpireQuestion(number))


@pytest.mark.parametrize(
    ("overtaken", "following"),
    [
        (expire_question, []),
        (lambda sim, _: sim.play_turn(), [("turn", {"seat": 1})]),
        (lambda found, _: found.execute(Moderate("stop", MARY, "late")), [("moderated", {"seq": 0})]),
    ],
)
def test_question_overtaken_by_event_lapses_first(
    overtaken: Callable[[SimulatedTable, int], TableDecision], following: list[tuple[str, dict[str, int]]]
):
    found, number = open_table_with_question()
    decision = overtaken(found, number)
    expected = [(kind, {"seq": found.state.seq} if kind == "moderated" else body) for kind, body in following]
    assert list_posts(decision) == [build_settled_post(number, "lapsed", "abort"), *expected]
    assert decision.obsolete_kinds == ("lapses",)


def test_question_to_forgotten_player_lapses():
    sim, number = open_table_with_question("substitute", person=NEMO)
    assert sim.state.question is not None
    sim.table = replace(sim.state, question=replace(sim.state.question, person=None))
    sim.replayed_state = (sim.table, sim.event_log)
    assert sim.state.open_question is None
    decision = sim.execute(AskPlayers(GRACE, "abort"))
    assert list_posts(decision)[0] == build_settled_post(number, "lapsed", "substitute", asked=[])


def test_expired_question_is_replaced_by_new_one():
    sim, number = open_table_with_question()
    sim.now += QUESTION_SPAN
    decision = sim.execute(AskPlayers(ADA, "abort"))
    new_number = sim.state.seq
    assert list_posts(decision) == [
        build_settled_post(number, "lapsed", "abort"),
        ("question", {"number": new_number}),
        ("lapses", {"number": new_number}),
    ]


def test_moderator_act_is_announced_and_mention_waits_for_pause():
    sim = open_first_seat_table()
    skipped = sim.execute(Moderate("skip", MARY, "asleep"))
    assert list_posts(skipped) == [("moderated", {"seq": sim.state.seq - 1})]
    sim = open_first_seat_table()
    paused = sim.execute(Moderate("pause", MARY, "tea"))
    assert (list_posts(paused), paused.obsolete_kinds) == ([("moderated", {"seq": sim.state.seq})], ("turn",))
    resumed = sim.execute(Moderate("resume", MARY, ""))
    assert (list_posts(resumed), resumed.obsolete_kinds) == ([("moderated", {"seq": sim.state.seq}), TURN_MENTION], ())
    assert list_posts(sim.execute(Moderate("stop", MARY, ""))) == [("moderated", {"seq": sim.state.seq})]


def test_lobby_changes_are_not_announced():
    sim = open_table(GRACE, seats=3)
    assert list_posts(sim.execute(MoveTable(ADA, 9))) == []
    assert list_posts(sim.wait(2 * DAY)) == []
    assert sim.state.close_reason == "expired"
