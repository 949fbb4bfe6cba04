"""A turn that can be taken back alone, and what happens when it settles; a table changes only by what is written."""

from collections import Counter
from dataclasses import dataclass, field, replace

import pytest

from data.rulebook import list_games, load_rules
from engine.match.actions import Draw, Resign, Undo
from engine.match.decide import decide, find_forced_action, start
from engine.match.event_log import build_event_log
from engine.match.events import Event, RoundEnded
from engine.match.player_view import view_for
from engine.match.rules import Rules
from engine.players import greedy
from engine.table.clock import compute_deadline, compute_used_time
from engine.table.commands import (
    AskPlayers,
    ChooseAbsence,
    Command,
    Join,
    LeaveTable,
    Moderate,
    MoveTable,
    OpenTable,
    Rearm,
    ReturnToSeat,
    RunDue,
    SetVacation,
    TakeAction,
    ViewHand,
)
from engine.table.decide_table import TableDecision
from engine.table.evolve import MATCH_EVENTS, DecisionContext
from engine.table.table_posts import TURN, TURN_POST_DELAY
from engine.table.table_state import MAX_UNDOS, Due, Outage
from engine.table.terms import DAY, HOUR, MINUTE, UNDO_SPANS
from tests.engine.table.sitting import (
    ADA,
    GRACE,
    LINUS,
    MARY,
    NEMO,
    First,
    Sitting,
    circled,
    kinds,
    mark,
    opened,
    refused,
    said,
    terms,
)
from tests.engine.tables import SECRET


@dataclass
class Played(Sitting):
    playing: Rules = field(default_factory=lambda: load_rules("triominoes"))

    def given(self) -> DecisionContext:
        return replace(super().given(), rules=self.playing)


AT_ONCE = "immediate"


@pytest.mark.parametrize(
    ("game", "seats", "reading"),
    [*((game, 2, "") for game in list_games()), *(("triominoes", seats, AT_ONCE) for seats in (2, 3, 4))],
)
def test_settled_moves_give_same_log_as_immediate_moves(game: str, seats: int, reading: str):
    playing = load_rules(game).with_option("block_detection", reading) if reading else load_rules(game)
    sitting = Played(terms(game, seats, target=playing.target), playing=playing)
    sitting.ask(OpenTable(sitting.terms, ADA))
    for user in range(2, seats + 1):
        sitting.ask(Join(user))
    while not sitting.match.ended:
        sitting.move()
    log: list[Event] = start(playing, seats=seats, computers=(), by_hand=False, secret=SECRET)
    event_log = build_event_log(log)
    while not event_log.match.ended:
        match = event_log.match
        for event in decide(
            match, find_forced_action(match) or greedy.choose(view_for(match, match.turn), First()), SECRET
        ):
            event_log.apply(event)
            log.append(event)
    assert [entry.event for entry in sitting.entries if isinstance(entry.event, MATCH_EVENTS)] == log
    if seats == 4:
        assert any(isinstance(event, RoundEnded) and event.out is None for event in log), "nobody could go on"


def placed(*others: int, **chosen: object) -> tuple[Sitting, int, int]:
    sitting = opened(*others, **chosen)
    mover = sitting.mover
    sitting.place()
    assert sitting.state.tentative_turn is not None
    return sitting, mover, sitting.mover


def test_unsettled_tile_mentions_no_player_and_only_settling_is_due():
    sitting = opened(GRACE)
    sitting.now += HOUR
    done = sitting.place()
    assert kinds(done) == ["Placed", "Tentative"]
    assert said(done) == []
    assert done.due == Due(at=sitting.now + UNDO_SPANS["days"], kind="settle")
    settled = sitting.wait(UNDO_SPANS["days"])
    assert kinds(settled)[:1] == ["Settled"]
    assert kinds(settled)[-1] == "TurnBegan"
    assert [kind for kind, _ in said(settled)] == ["turn"]


def test_tile_at_live_table_settles_after_five_seconds():
    sitting, _, _ = placed(GRACE, clock="live 2m")
    assert sitting.due == Due(at=sitting.now + 5000, kind="settle")


def test_only_next_player_settles_tile_by_looking():
    sitting, mover, following = placed(GRACE, LINUS)
    for user in {ADA, GRACE, LINUS, NEMO} - {following}:
        assert kinds(sitting.ask(ViewHand(user))) == []
    assert kinds(sitting.ask(ViewHand(following)))[0] == "Settled"
    assert kinds(sitting.ask(ViewHand(following))) == []
    assert refused(sitting, TakeAction(mover, Undo)) in ("TOO_LATE_TO_TAKE_BACK", "NOTHING_TO_TAKE_BACK")


def calls(decided: TableDecision) -> list[tuple[int, int | None]]:
    return [(post.body["seat"], post.at) for post in decided.posts if post.kind == TURN]


def test_player_who_starts_own_turn_is_mentioned_minute_later():
    sitting, called = opened(GRACE, target=150), Counter[str]()
    while not sitting.match.ended:
        if not sitting.place().table.tentative_turn:
            continue
        at_it = sitting.match.turn
        # They look at their hand, act at once, or wait until it stands.
        user, after = sitting.mover, sitting.state.seq % 3
        act = TakeAction(user, lambda seat: Undo(seat))
        decided = sitting.wait(MINUTE) if not after else sitting.once(ViewHand(user) if after == 1 else act)
        assert decided is not None
        if not sitting.match.ended:
            turn = sitting.match.turn
            there = bool(after) and turn == at_it
            assert calls(decided) == [(turn, sitting.now + TURN_POST_DELAY if there else None)]
            called["later" if there else "waited" if turn == at_it else "passed"] += 1
    assert called.keys() == {"later", "waited", "passed"}


STIRRING = {
    "undo": lambda mover, third: AskPlayers(mover, "undo"),
    "abort": lambda mover, third: AskPlayers(third, "abort"),
    "substitute": lambda mover, third: AskPlayers(third, "substitute", NEMO),
    "resign": lambda mover, third: TakeAction(third, Resign),
    "resigns-oneself": lambda mover, third: TakeAction(mover, Resign),
    "leave": lambda mover, third: LeaveTable(third, deletes_data=True),
    "move": lambda mover, third: MoveTable(third, 9),
    "come-back": lambda mover, third: ReturnToSeat(third),
    **{what: lambda mover, third, what=what: Moderate(what, MARY, "") for what in ("pause", "skip", "stop")},
}


@pytest.mark.parametrize("command", STIRRING.values(), ids=STIRRING)
def test_revealing_command_settles_tile_first_and_is_retried(command):
    sitting, mover, following = placed(GRACE, LINUS)
    (third,) = {ADA, GRACE, LINUS} - {mover, following}
    asked: Command = command(mover, third)
    first = sitting.once(asked)
    assert first.must_repeat
    assert kinds(first)[0] == "Settled"
    assert sitting.state.tentative_turn is None


def test_refused_spectator_or_repeated_move_does_not_settle_tile():
    sitting, mover, _ = placed(GRACE, LINUS)
    before = sitting.state
    assert refused(sitting, AskPlayers(NEMO, "abort")) == "NOT_SEATED"
    assert (
        refused(sitting, TakeAction(mover, lambda seat: greedy.choose(view_for(sitting.match, seat), First())))
        == "NOT_YOUR_TURN"
    )
    assert sitting.state == before


def test_undo_keeps_used_time_and_mentions_no_player():
    sitting = opened(GRACE)
    mover, began = sitting.mover, sitting.now
    for number in range(MAX_UNDOS):
        sitting.now += HOUR
        sitting.place()
        sitting.now += 10_000
        back = sitting.ask(TakeAction(mover, Undo))
        assert kinds(back) == ["Undone"]
        assert said(back) == []
        assert compute_used_time(sitting.state.clock.time, sitting.now) == (number + 1) * (HOUR + 10_000)
    assert compute_deadline(sitting.state.clock.time) == began + DAY
    stands = sitting.place()
    assert "Tentative" not in kinds(stands)
    assert [kind for kind, _ in said(stands)] == ["turn"]


def test_tile_cannot_be_undone_after_deadline():
    sitting = opened(GRACE, clock="live 1m")
    mover = sitting.mover
    sitting.now += MINUTE - 2000
    sitting.place()
    assert sitting.due == Due(at=sitting.now + 2000, kind="settle")
    sitting.now += 2000
    assert refused(sitting, TakeAction(mover, Undo)) == "TOO_LATE_TO_TAKE_BACK"
    sitting.ask(RunDue(sitting.due))
    assert sitting.mover != mover


def test_time_bank_stops_at_placement_and_next_starts_at_settling():
    sitting = opened(GRACE, clock="bank 2h+1h")
    mover = sitting.match.turn
    sitting.now += HOUR + 30 * MINUTE
    sitting.place()
    sitting.wait(UNDO_SPANS["bank"])
    time = sitting.state.clock.time
    assert time.banks[mover] == 30 * MINUTE + HOUR
    assert time.since == sitting.now
    assert compute_deadline(time) == sitting.now + 2 * HOUR


def test_tile_settles_at_once_before_computer_turn():
    sitting = opened(computers=1)
    while sitting.turn is not None and sitting.turn.user is None:
        sitting.move()
    assert "Tentative" not in kinds(sitting.place())
    assert refused(sitting, TakeAction(ADA, Undo)) in ("TOO_LATE_TO_TAKE_BACK", "NOTHING_TO_TAKE_BACK")


def test_ending_match_by_choice_does_not_change_earlier_log():
    sitting = circled(GRACE, LINUS, absent="turn")
    sitting.run_out()
    before, event_log = mark(sitting.event_log), sitting.event_log
    asked = sitting.state.clock.watch.absence_question
    first, second = (who for who in (ADA, GRACE, LINUS) if who != sitting.mover)
    assert kinds(sitting.ask(ChooseAbsence(first, "end", asked))) == ["EndWished"]
    ended = sitting.ask(ChooseAbsence(second, "end", asked))
    assert kinds(ended) == ["ChoiceMade", "Resigned", "MatchEnded"]
    assert mark(event_log) == before


def test_outage_credit_with_move_does_not_change_earlier_log():
    sitting = opened(GRACE)
    sitting.owed = (Outage(start=sitting.now, end=sitting.now + HOUR),)
    sitting.now += HOUR
    before, event_log = mark(sitting.event_log), sitting.event_log
    assert kinds(sitting.move())[0] == "Credited"
    assert mark(event_log) == before


def test_outage_credit_waits_for_next_event():
    sitting = opened(GRACE, clock="relaxed")
    sitting.owed = (Outage(start=sitting.now, end=sitting.now + HOUR),)
    sitting.now += HOUR
    table = sitting.state
    nothing = sitting.ask(SetVacation(NEMO, 0, "home"))
    assert (nothing.events, nothing.table) == ((), table)
    assert kinds(sitting.ask(Rearm())) == ["Credited"]
    assert sitting.ask(Rearm()).events == ()


def test_refusal_changes_nothing():
    sitting = opened(GRACE)
    assert refused(sitting, TakeAction(LINUS, Resign)) == "NOT_SEATED"
    assert refused(sitting, TakeAction(sitting.other(), Draw)) == "NOT_YOUR_TURN"
    assert refused(sitting, ChooseAbsence(GRACE, "end", None)) == "NOBODY_ABSENT"
