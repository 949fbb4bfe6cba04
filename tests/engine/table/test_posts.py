"""Public posts depend only on the events. A next-up notice is sent once, when the previous turn begins."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from engine.board.tiles import format_tile_notation
from engine.match.events import Dealt, MatchEnded, RoundEnded, Undone
from engine.match.state import find_last_placement
from engine.table.commands import (
    AskPlayers,
    EndPause,
    ExpireQuestion,
    Moderate,
    MoveTable,
    Rearm,
    ReturnToSeat,
    SetVacation,
)
from engine.table.decide_table import TableDecision
from engine.table.preferences import QuietHours
from engine.table.questions import QUESTION_SPAN
from engine.table.reminders import NEXT_UP
from engine.table.table_events import Choice
from engine.table.table_posts import Post
from engine.table.table_state import Outage
from engine.table.terms import DAY, HOUR
from tests.engine.table.simulated_table import (
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
    sim.play_until_placed(0)
    return sim


def open_timed_out_table(choice: Choice | None = None, **chosen: str) -> tuple[SimulatedTable, TableDecision]:
    sim = open_first_seat_table(**chosen)
    decision = sim.run_out_clock()
    return sim, decision if choice is None else sim.choose_absence(GRACE, choice)


def open_table_with_question(kind: str = "abort", by: int = GRACE, **about: int) -> tuple[SimulatedTable, int]:
    sim = open_first_seat_table()
    return sim, sim.ask(by, kind, **about)


def test_player_to_move_is_mentioned():
    sim = open_table(GRACE, LINUS)
    assert list_posts(sim.execute(MoveTable(ADA, 9))) == [("turn", {"seat": sim.match.turn})]
    assert list_posts(sim.play_turn()) == [("turn", {"seat": sim.match.turn})]


def test_computer_turn_mentions_no_player():
    sim = open_table(computers=1)
    sim.play_until(lambda: sim.match.turn == 0)
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
    decision = sim.choose_absence(LINUS, "end")
    assert list_posts(decision) == [("notice", {"key": "end_chosen", "seat": 0}), ("end", {"seq": sim.state.seq})]


def test_barely_started_match_ends_without_result():
    sim = open_table(GRACE, LINUS, by_hand=True)
    mover, seat = sim.current_user, sim.match.turn
    sim.run_out_clock()
    first, second = (user for user in (ADA, GRACE, LINUS) if user != mover)
    sim.choose_absence(first, "end")
    decision = sim.choose_absence(second, "end")
    assert list_posts(decision) == [("notice", {"key": "end_chosen", "seat": seat})]
    assert (decision.table.state, decision.table.close_reason) == ("void", "aborted")
    assert decision.table.seats[seat].user_id == mover


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
    sim.ask(GRACE, "pause")
    sim.answer(LINUS)
    assert ("unasked", {"asked": question, "seat": 0, "outcome": "goes_on"}) in list_posts(sim.execute(EndPause(ADA)))


def test_return_of_absent_player_is_announced():
    for choice in ("seat", None):
        sim, _ = open_timed_out_table(choice)
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
    decision = sim.answer(LINUS, yes=False)
    refusal = ("agreement", {"key": "no", "kind": "abort", "user": LINUS})
    assert list_posts(decision) == [refusal, build_settled_post(number, "no", "abort", user=LINUS)]
    assert decision.obsolete_kinds == ("lapses",)


def test_withdrawn_question_is_not_announced():
    sim, number = open_table_with_question()
    decision = sim.answer(GRACE, yes=False)
    assert list_posts(decision) == [build_settled_post(number, "withdrawn", "abort", user=GRACE)]
    assert decision.obsolete_kinds == ("lapses",)


def test_alternating_questions_cannot_be_asked_twice_in_turn():
    sim = open_first_seat_table()
    commands = [AskPlayers(GRACE, "substitute", person=NEMO), AskPlayers(GRACE, "pause"), AskPlayers(GRACE, "abort")]
    for command in commands:
        sim.execute(command)
        sim.answer(GRACE, yes=False)
    assert [expect_refusal(sim, ask) for ask in commands] == ["ASKED_BEFORE"] * 3
    sim.play_turn()
    assert list_event_names(sim.execute(commands[0])) == ["Asked"]


def test_all_agree_to_end_without_result():
    sim, number = open_table_with_question()
    assert list_posts(sim.answer(ADA)) == []
    decision = sim.answer(LINUS)
    assert list_posts(decision) == [build_settled_post(number, "agreed", "abort")]
    assert decision.obsolete_kinds == ("lapses",)


def test_agreed_undo_is_posted_and_player_mentioned():
    sim, number = open_table_with_question("undo", ADA)
    tile = find_last_placement(sim.match.undo_stack, 0).tile
    decision = sim.answer(GRACE, LINUS)
    about = {"by": ADA, "tile": format_tile_notation(tile), "asked": [GRACE, LINUS]}
    assert list_posts(decision) == [build_settled_post(number, "agreed", "undo", **about), TURN_MENTION]
    assert any(isinstance(event, Undone) for event in decision.events)


def test_seat_change_is_announced_and_substitute_to_move_is_mentioned():
    sim, number = open_table_with_question("substitute", person=NEMO, owner=ADA)
    decision = sim.answer(ADA, NEMO)
    replaced = ("agreement", {"key": "replaced", "user": ADA, "person": NEMO})
    about = {"owner": ADA, "person": NEMO, "asked": [ADA, NEMO]}
    assert list_posts(decision) == [replaced, build_settled_post(number, "agreed", "substitute", **about), TURN_MENTION]


def test_substitute_who_is_not_to_move_is_not_mentioned():
    sim, number = open_table_with_question("substitute", person=NEMO)
    replaced = ("agreement", {"key": "replaced", "user": GRACE, "person": NEMO})
    settled = build_settled_post(number, "agreed", "substitute", person=NEMO, asked=[NEMO])
    assert list_posts(sim.answer(NEMO)) == [replaced, settled]


def expire_question(sim: SimulatedTable, number: int) -> TableDecision:
    sim.now += QUESTION_SPAN
    return sim.execute(ExpireQuestion(number))


@pytest.mark.parametrize(
    ("overtaken", "following"),
    [
        (expire_question, []),
        (lambda sim, _: sim.play_turn(), [("turn", {"seat": 1})]),
        (lambda sim, _: sim.execute(Moderate("stop", MARY, "late")), [("moderated", {"seq": 0})]),
    ],
)
def test_question_overtaken_by_event_lapses_first(
    overtaken: Callable[[SimulatedTable, int], TableDecision], following: list[tuple[str, dict[str, int]]]
):
    sim, number = open_table_with_question()
    decision = overtaken(sim, number)
    expected = [(kind, {"seq": sim.state.seq} if kind == "moderated" else body) for kind, body in following]
    assert list_posts(decision) == [build_settled_post(number, "lapsed", "abort"), *expected]
    assert decision.obsolete_kinds == ("lapses",)


def test_question_to_forgotten_player_lapses():
    sim, number = open_table_with_question("substitute", person=NEMO)
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


PEOPLE = (ADA, GRACE, LINUS)


def list_notified_seats(decided: TableDecision | None) -> list[int]:
    return [int(body["seat"]) for kind, body in list_posts(decided) if kind == NEXT_UP]


def open_subscribed_table(*people: int, others: tuple[int, ...] = (GRACE, LINUS), **chosen: int) -> SimulatedTable:
    sim = open_played_table(*others, **chosen)
    for person in people:
        sim.set_preferences(person, next_up=True)
    return sim


def test_next_up_notice_goes_only_to_subscribed_next_player():
    sim = open_subscribed_table(ADA)
    notices = []
    for _ in range(9):
        notified_seats = list_notified_seats(sim.play_turn())
        notices.append((sim.match.turn, notified_seats))
    ada = sim.state.find_seat(ADA)
    for turn, seats in notices:
        assert seats == ([ada] if sim.match.find_next_active(turn) == ada else [])
    assert any(seats for _, seats in notices)


def test_next_up_notice_is_withdrawn_when_previous_turn_ends():
    sim = open_subscribed_table(ADA)
    assert NEXT_UP in sim.play_turn().obsolete_kinds
    assert NEXT_UP not in sim.execute(AskPlayers(ADA, "abort")).obsolete_kinds
    assert NEXT_UP in sim.resign(sim.current_user).obsolete_kinds


def test_table_of_two_players_gets_no_next_up_notice():
    for computers in (0, 2):
        sim = open_subscribed_table(ADA, GRACE, others=(GRACE,), computers=computers)
        assert [list_notified_seats(sim.play_turn()) for _ in range(8)] == [[]] * 8


def test_next_up_notice_skips_computer_in_between():
    sim = open_subscribed_table(*PEOPLE, computers=1)
    notified_seats = []
    for _ in range(12):
        notified_now = list_notified_seats(sim.play_turn())
        assert notified_now == [] or sim.turn.user is not None
        notified_seats += notified_now
    assert {sim.state.seats[seat].user_id for seat in notified_seats} == set(PEOPLE)


@pytest.mark.parametrize(
    "wishes",
    [{"next_up": False}, {"quiet": QuietHours(0, 1439)}, {"away_from": START - 1, "away_until": START + 90 * DAY}],
    ids=lambda wishes: next(iter(wishes)),
)
def test_next_up_notice_is_not_sent_to_unsubscribed_player(wishes: dict[str, object]):
    sim = open_subscribed_table(*PEOPLE)
    for person in PEOPLE:
        sim.set_preferences(person, **wishes)
    assert [list_notified_seats(sim.play_turn()) for _ in range(6)] == [[]] * 6


def test_next_up_notice_is_not_sent_to_absent_player():
    sim = open_subscribed_table(*PEOPLE)
    absent_user = sim.current_user
    while not sim.state.is_absent(seat := sim.state.find_seat(absent_user) or 0):
        sim.wait(HOUR)
    assert seat in sim.state.clock.standins or sim.state.clock.watch.timeouts
    for _ in range(4):
        sim.wait(2 * DAY)
        if sim.turn is not None and sim.turn.user != absent_user:
            assert seat not in list_notified_seats(sim.play_turn())
