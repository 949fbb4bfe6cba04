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
    Sitting,
    circled,
    kinds,
    opened,
    refused,
    said,
)

CALLED = ("turn", {"seat": 0})


def sitting(*, game: str = "triominoes", absent: str = "turn", **chosen: int | str) -> Sitting:
    found = circled(GRACE, LINUS, game=game, absent=absent, **chosen)
    while found.match.turn != 0 or find_last_placement(found.match.undo_stack, 0) is None:
        found.move()
    return found


def silent(choice: Choice | None = None, **chosen: str) -> tuple[Sitting, TableDecision]:
    found = sitting(**chosen)
    done = found.run_out()
    if choice is not None:
        done = found.ask(ChooseAbsence(GRACE, choice, found.state.clock.watch.absence_question))
    return found, done


def asking(kind: str = "abort", by: int = GRACE, **about: int) -> tuple[Sitting, int]:
    found = sitting()
    question = found.ask(AskPlayers(by, kind, **about)).table.question  # type: ignore[arg-type]
    return found, question.number


def test_player_to_move_is_mentioned():
    assert said(opened(GRACE, LINUS).ask(MoveTable(ADA, 9))) == [("turn", {"seat": opened(GRACE, LINUS).match.turn})]
    found = opened(GRACE, LINUS)
    moved = found.move()
    assert said(moved) == [("turn", {"seat": found.match.turn})]


def test_computer_turn_mentions_no_player():
    found = opened(computers=1)
    while found.match.turn != 0:
        found.move()
    assert said(found.move()) == []


def test_round_post_names_next_opener_and_last_joins_match_post():
    found, rounds, ended = circled(GRACE, clock="relaxed"), 0, None
    while ended is None:
        done = found.move()
        posts, first = said(done), found.state.seq - len(done.events) + 1
        for number, event in enumerate(done.events):
            following = done.events[number + 1] if number + 1 < len(done.events) else None
            if isinstance(event, RoundEnded) and isinstance(following, Dealt):
                assert posts[0] == ("round", {"seq": first + number, "opener": following.opener})
                rounds += 1
            if isinstance(event, MatchEnded):
                ended = first + number
                assert posts == [("end", {"seq": ended})]
    assert rounds > 0


def test_reminder_names_seat_and_start_of_turn():
    found = sitting()
    assert said(found.wait(DAY)) == [("remind", {"seat": 0, "began": START})]


def test_other_players_are_asked_when_turn_time_ends():
    found, done = silent()
    asked = found.state.seq
    assert said(done) == [("absence", {"seat": 0, "asked": asked, "until": START + 2 * DAY})]


@pytest.mark.parametrize(("choice", "following"), [("wait", [CALLED]), ("turn", []), ("seat", [])])
def test_chosen_absence_action_is_announced(choice: Choice, following: list[object]):
    _, done = silent(choice)
    assert said(done) == [("notice", {"key": f"{choice}_chosen", "seat": 0}), *following]


def test_wish_to_end_match_lists_players_still_to_agree():
    _, done = silent("end")
    assert said(done) == [("notice", {"key": "end_wished", "seat": 1, "silent": 0, "waiting": (2,)})]


def test_match_ended_by_others_is_announced_with_result():
    found, _ = silent("end")
    done = found.ask(ChooseAbsence(LINUS, "end", found.state.clock.watch.absence_question))
    assert said(done) == [("notice", {"key": "end_chosen", "seat": 0}), ("end", {"seq": found.state.seq})]


def test_barely_started_match_ends_without_result():
    found = opened(GRACE, LINUS, by_hand=True)
    mover, seat = found.mover, found.match.turn
    found.run_out()
    asked = found.state.clock.watch.absence_question
    first, second = (who for who in (ADA, GRACE, LINUS) if who != mover)
    found.ask(ChooseAbsence(first, "end", asked))
    done = found.ask(ChooseAbsence(second, "end", asked))
    assert said(done) == [("notice", {"key": "end_chosen", "seat": seat})]
    assert (done.table.state, done.table.close_reason, mover) == ("void", "aborted", done.table.seats[seat].user_id)


@pytest.mark.parametrize("absent", ["turn", "seat", "end"])
def test_default_absence_action_is_announced(absent: str):
    found, _ = silent(absent=absent)
    asked = found.state.clock.watch.absence_question
    done = found.wait(DAY)
    end = [("end", {"seq": found.state.seq})] if absent == "end" else []
    settled = ("unasked", {"asked": asked, "seat": 0, "outcome": absent})
    assert said(done) == [settled, ("notice", {"key": f"{absent}_default", "seat": 0}), *end]


@pytest.mark.parametrize("paused", [True, False])
def test_absence_question_shows_new_deadline_after_pause_or_outage(paused: bool):
    found, _ = silent()
    asked = found.state.clock.watch.absence_question
    if paused:
        found.ask(Moderate("pause", MARY, "tea"))
        found.now += 9 * DAY
        done = found.ask(Moderate("resume", MARY, ""))
    else:
        found.now += HOUR
        found.owed = (Outage(start=found.now - HOUR, end=found.now),)
        done = found.ask(Rearm())
    assert said(done)[0] == ("asked_on", {"asked": asked})
    assert found.state.clock.watch.until == found.now + DAY


def test_absent_player_ending_pause_closes_own_absence_question():
    found, _ = silent()
    asked = found.state.clock.watch.absence_question
    number = found.ask(AskPlayers(GRACE, "pause")).table.seq
    found.ask(AnswerQuestion(LINUS, number, yes=True))
    assert ("unasked", {"asked": asked, "seat": 0, "outcome": "goes_on"}) in said(found.ask(EndPause(ADA)))


def test_return_of_absent_player_is_announced():
    found, _ = silent("seat")
    assert said(found.ask(ReturnToSeat(ADA))) == [("notice", {"key": "returned", "seat": 0})]
    found, _ = silent()
    assert said(found.ask(ReturnToSeat(ADA))) == [("notice", {"key": "returned", "seat": 0})]


@pytest.mark.parametrize(("told", "days"), [("away", 3), ("away_by_itself", 3), ("home", 0)])
def test_vacation_and_its_end_are_announced(told: str, days: int):
    found = sitting()
    if not days:
        found.prefers(GRACE, away_until=START + DAY)
        found.ask(SetVacation(GRACE, START + DAY, "away"))
    until = START + days * DAY if days else 0
    found.prefers(GRACE, away_until=until)
    assert said(found.ask(SetVacation(GRACE, until, told))) == [("notice", {"key": told, "seat": 1, "until": until})]


def test_automatic_vacation_is_not_announced_with_extra_time():
    found = sitting()
    found.prefers(ADA, automatic=True)
    assert said(found.run_out()) == []
    found.prefers(ADA, remind=False)
    assert said(found.ask(Rearm())) == []


def test_question_is_posted_and_its_lapse_is_scheduled():
    found = sitting()
    done = found.ask(AskPlayers(GRACE, "abort"))
    number = found.state.seq
    assert done.posts == (
        Post(kind="question", body={"number": number}),
        Post(kind="lapses", body={"number": number}, at=START + QUESTION_SPAN),
    )


def settled(number: int, outcome: str, kind: str, **others: object) -> tuple[str, dict[str, object]]:
    usual = {"by": GRACE, "owner": None, "person": None, "user": None, "tile": "", "asked": [ADA, LINUS]}
    return "settled", {"number": number, "outcome": outcome, "kind": kind, **usual, **others}


def test_refusal_is_announced_and_replaces_question():
    found, number = asking()
    done = found.ask(AnswerQuestion(LINUS, number, yes=False))
    refusal = ("agreement", {"key": "no", "kind": "abort", "user": LINUS})
    assert said(done) == [refusal, settled(number, "no", "abort", user=LINUS)]
    assert done.obsolete_kinds == ("lapses",)


def test_withdrawn_question_is_not_announced():
    found, number = asking()
    done = found.ask(AnswerQuestion(GRACE, number, yes=False))
    assert said(done) == [settled(number, "withdrawn", "abort", user=GRACE)]
    assert done.obsolete_kinds == ("lapses",)


def test_alternating_questions_cannot_be_asked_twice_in_turn():
    found = sitting()
    asks = [AskPlayers(GRACE, "substitute", person=NEMO), AskPlayers(GRACE, "pause"), AskPlayers(GRACE, "abort")]
    for ask in asks:
        found.ask(AnswerQuestion(GRACE, found.ask(ask).table.seq, yes=False))
    assert [refused(found, ask) for ask in asks] == ["ASKED_BEFORE"] * 3
    found.move()
    assert kinds(found.ask(asks[0])) == ["Asked"]


def test_all_agree_to_end_without_result():
    found, number = asking()
    assert said(found.ask(AnswerQuestion(ADA, number, yes=True))) == []
    done = found.ask(AnswerQuestion(LINUS, number, yes=True))
    assert said(done) == [settled(number, "agreed", "abort")]
    assert done.obsolete_kinds == ("lapses",)


def test_agreed_undo_is_posted_and_player_mentioned():
    found, number = asking("undo", ADA)
    moment = find_last_placement(found.match.undo_stack, 0)
    assert moment.tile is not None
    found.ask(AnswerQuestion(GRACE, number, yes=True))
    done = found.ask(AnswerQuestion(LINUS, number, yes=True))
    about = {"by": ADA, "tile": format_tile_notation(moment.tile), "asked": [GRACE, LINUS]}
    assert said(done) == [settled(number, "agreed", "undo", **about), CALLED]
    assert any(isinstance(event, Undone) for event in done.events)


def test_seat_change_is_announced_and_substitute_to_move_is_mentioned():
    found, number = asking("substitute", person=NEMO, owner=ADA)
    found.ask(AnswerQuestion(ADA, number, yes=True))
    done = found.ask(AnswerQuestion(NEMO, number, yes=True))
    replaced = ("agreement", {"key": "replaced", "user": ADA, "person": NEMO})
    about = {"owner": ADA, "person": NEMO, "asked": [ADA, NEMO]}
    assert said(done) == [replaced, settled(number, "agreed", "substitute", **about), CALLED]


def test_substitute_who_is_not_to_move_is_not_mentioned():
    found, number = asking("substitute", person=NEMO)
    done = found.ask(AnswerQuestion(NEMO, number, yes=True))
    replaced = ("agreement", {"key": "replaced", "user": GRACE, "person": NEMO})
    assert said(done) == [replaced, settled(number, "agreed", "substitute", person=NEMO, asked=[NEMO])]


def lapsed(found: Sitting, number: int) -> TableDecision:
    found.now += QUESTION_SPAN
    return found.ask(ExpireQuestion(number))


@pytest.mark.parametrize(
    ("overtaken", "following"),
    [
        (lapsed, []),
        (lambda found, _: found.move(), [("turn", {"seat": 1})]),
        (lambda found, _: found.ask(Moderate("stop", MARY, "late")), [("moderated", {"seq": 0})]),
    ],
)
def test_question_overtaken_by_event_lapses_first(
    overtaken: Callable[[Sitting, int], TableDecision], following: list[tuple[str, dict[str, int]]]
):
    found, number = asking()
    done = overtaken(found, number)
    expected = [(kind, {"seq": found.state.seq} if kind == "moderated" else body) for kind, body in following]
    assert said(done) == [settled(number, "lapsed", "abort"), *expected]
    assert done.obsolete_kinds == ("lapses",)


def test_question_to_forgotten_player_lapses():
    found, number = asking("substitute", person=NEMO)
    assert found.state.question is not None
    found.table = replace(found.state, question=replace(found.state.question, person=None))
    found.replay_loaded = (found.table, found.event_log)
    assert found.state.open_question is None
    done = found.ask(AskPlayers(GRACE, "abort"))
    assert said(done)[0] == settled(number, "lapsed", "substitute", asked=[])


def test_expired_question_is_replaced_by_new_one():
    found, number = asking()
    found.now += QUESTION_SPAN
    done = found.ask(AskPlayers(ADA, "abort"))
    again = found.state.seq
    assert said(done) == [
        settled(number, "lapsed", "abort"),
        ("question", {"number": again}),
        ("lapses", {"number": again}),
    ]


def test_moderator_act_is_announced_and_mention_waits_for_pause():
    found = sitting()
    skipped = found.ask(Moderate("skip", MARY, "asleep"))
    assert said(skipped) == [("moderated", {"seq": found.state.seq - 1})]
    found = sitting()
    paused = found.ask(Moderate("pause", MARY, "tea"))
    assert (said(paused), paused.obsolete_kinds) == ([("moderated", {"seq": found.state.seq})], ("turn",))
    resumed = found.ask(Moderate("resume", MARY, ""))
    assert (said(resumed), resumed.obsolete_kinds) == ([("moderated", {"seq": found.state.seq}), CALLED], ())
    assert said(found.ask(Moderate("stop", MARY, ""))) == [("moderated", {"seq": found.state.seq})]


def test_lobby_changes_are_not_announced():
    found = opened(GRACE, seats=3)
    assert said(found.ask(MoveTable(ADA, 9))) == []
    assert said(found.wait(2 * DAY)) == []
    assert found.state.close_reason == "expired"
