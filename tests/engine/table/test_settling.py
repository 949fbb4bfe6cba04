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
from engine.table.commands import (
    AskPlayers,
    ChooseAbsence,
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
from engine.table.evolve import MATCH_EVENTS, DecisionContext
from engine.table.table_posts import TURN, TURN_POST_DELAY
from engine.table.table_state import MAX_UNDOS, Due, Outage, compute_deadline, compute_used_time
from engine.table.terms import DAY, HOUR, MINUTE, UNDO_SPANS
from tests.engine.table.simulated_table import (
    ADA,
    GRACE,
    LINUS,
    MARY,
    NEMO,
    FirstChoice,
    SimulatedTable,
    build_terms,
    expect_refusal,
    list_event_names,
    list_posts,
    open_played_table,
    open_table,
    summarize_log,
)
from tests.engine.tables import SECRET


@dataclass
class SimulatedGameTable(SimulatedTable):
    game_rules: Rules = field(default_factory=lambda: load_rules("triominoes"))

    def build_context(self) -> DecisionContext:
        return replace(super().build_context(), rules=self.game_rules)


AT_ONCE = "immediate"


@pytest.mark.parametrize(
    ("game", "seats", "reading"),
    [*((game, 2, "") for game in list_games()), *(("triominoes", seats, AT_ONCE) for seats in (2, 3, 4))],
)
def test_settled_moves_give_same_log_as_immediate_moves(game: str, seats: int, reading: str):
    rules = load_rules(game).with_option("block_detection", reading) if reading else load_rules(game)
    sim = SimulatedGameTable(build_terms(game, seats, target=rules.target), game_rules=rules)
    sim.execute(OpenTable(sim.terms, ADA))
    for user in range(2, seats + 1):
        sim.execute(Join(user))
    while not sim.match.ended:
        sim.play_turn()
    log: list[Event] = start(rules, seats=seats, computers=(), by_hand=False, secret=SECRET)
    event_log = build_event_log(log)
    while not event_log.match.ended:
        match = event_log.match
        action = find_forced_action(match) or greedy.choose(view_for(match, match.turn), FirstChoice())
        for event in decide(match, action, SECRET):
            event_log.apply(event)
            log.append(event)
    assert [entry.event for entry in sim.entries if isinstance(entry.event, MATCH_EVENTS)] == log
    if seats == 4:
        assert any(isinstance(event, RoundEnded) and event.out is None for event in log), "nobody could go on"


def place_tentative_tile(*others: int, **options: object) -> tuple[SimulatedTable, int, int]:
    sim = open_table(*others, **options)
    mover = sim.current_user
    sim.play_move()
    assert sim.state.tentative_turn is not None
    return sim, mover, sim.current_user


def test_unsettled_tile_mentions_no_player_and_only_settling_is_due():
    sim = open_table(GRACE)
    sim.now += HOUR
    decision = sim.play_move()
    assert list_event_names(decision) == ["Placed", "Tentative"]
    assert list_posts(decision) == []
    assert decision.due == Due(at=sim.now + UNDO_SPANS["days"], kind="settle")
    settling = sim.wait(UNDO_SPANS["days"])
    assert list_event_names(settling) == ["Settled", "TurnBegan"]
    assert [kind for kind, _ in list_posts(settling)] == ["turn"]


def test_tile_at_live_table_settles_after_five_seconds():
    sim, _, _ = place_tentative_tile(GRACE, clock="live 2m")
    assert sim.due == Due(at=sim.now + 5000, kind="settle")


def test_only_next_player_settles_tile_by_looking():
    sim, mover, following = place_tentative_tile(GRACE, LINUS)
    for user in {ADA, GRACE, LINUS, NEMO} - {following}:
        assert list_event_names(sim.execute(ViewHand(user))) == []
    assert list_event_names(sim.execute(ViewHand(following)))[0] == "Settled"
    assert list_event_names(sim.execute(ViewHand(following))) == []
    assert expect_refusal(sim, TakeAction(mover, Undo)) in ("TOO_LATE_TO_TAKE_BACK", "NOTHING_TO_TAKE_BACK")


def test_player_who_starts_own_turn_is_mentioned_minute_later():
    sim, coverage = open_table(GRACE, target=150), Counter[str]()
    while not sim.match.ended:
        if not sim.play_move().table.tentative_turn:
            continue
        turn_before = sim.match.turn
        # The next player looks at their hand, acts at once, or waits until the turn is final.
        user, way = sim.current_user, sim.state.seq % 3
        act = TakeAction(user, lambda seat: Undo(seat))
        decision = sim.wait(MINUTE) if not way else sim.execute_once(ViewHand(user) if way == 1 else act)
        if not sim.match.ended:
            turn = sim.match.turn
            is_at_table = bool(way) and turn == turn_before
            turn_posts = [(post.body["seat"], post.at) for post in decision.posts if post.kind == TURN]
            assert turn_posts == [(turn, sim.now + TURN_POST_DELAY if is_at_table else None)]
            coverage["later" if is_at_table else "waited" if turn == turn_before else "passed"] += 1
    assert coverage.keys() == {"later", "waited", "passed"}


REVEALING_COMMANDS = {
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


@pytest.mark.parametrize("command", REVEALING_COMMANDS.values(), ids=REVEALING_COMMANDS)
def test_revealing_command_settles_tile_first_and_is_retried(command):
    sim, mover, following = place_tentative_tile(GRACE, LINUS)
    (third,) = {ADA, GRACE, LINUS} - {mover, following}
    decision = sim.execute_once(command(mover, third))
    assert decision.must_repeat
    assert list_event_names(decision)[0] == "Settled"
    assert sim.state.tentative_turn is None


def test_refused_spectator_or_repeated_move_does_not_settle_tile():
    sim, mover, _ = place_tentative_tile(GRACE, LINUS)
    before = sim.state
    assert expect_refusal(sim, AskPlayers(NEMO, "abort")) == "NOT_SEATED"
    again = TakeAction(mover, lambda seat: greedy.choose(view_for(sim.match, seat), FirstChoice()))
    assert expect_refusal(sim, again) == "NOT_YOUR_TURN"
    assert sim.state == before


def test_undo_keeps_used_time_and_mentions_no_player():
    sim = open_table(GRACE)
    mover, started_at = sim.current_user, sim.now
    for number in range(MAX_UNDOS):
        sim.now += HOUR
        sim.play_move()
        sim.now += 10_000
        undone = sim.execute(TakeAction(mover, Undo))
        assert list_event_names(undone) == ["Undone"]
        assert list_posts(undone) == []
        assert compute_used_time(sim.state.clock.time, sim.now) == (number + 1) * (HOUR + 10_000)
    assert compute_deadline(sim.state.clock.time) == started_at + DAY
    last_placement = sim.play_move()
    assert "Tentative" not in list_event_names(last_placement)
    assert [kind for kind, _ in list_posts(last_placement)] == ["turn"]


def test_tile_cannot_be_undone_after_deadline():
    sim = open_table(GRACE, clock="live 1m")
    mover = sim.current_user
    sim.now += MINUTE - 2000
    sim.play_move()
    assert sim.due == Due(at=sim.now + 2000, kind="settle")
    sim.now += 2000
    assert expect_refusal(sim, TakeAction(mover, Undo)) == "TOO_LATE_TO_TAKE_BACK"
    sim.execute(RunDue(sim.due))
    assert sim.current_user != mover


def test_time_bank_stops_at_placement_and_next_starts_at_settling():
    sim = open_table(GRACE, clock="bank 2h+1h")
    mover = sim.match.turn
    sim.now += HOUR + 30 * MINUTE
    sim.play_move()
    sim.wait(UNDO_SPANS["bank"])
    time = sim.state.clock.time
    assert time.banks[mover] == 30 * MINUTE + HOUR
    assert time.since == sim.now
    assert compute_deadline(time) == sim.now + 2 * HOUR


def test_tile_settles_at_once_before_computer_turn():
    sim = open_table(computers=1)
    sim.play_until(lambda: sim.turn.user)
    assert "Tentative" not in list_event_names(sim.play_move())
    assert expect_refusal(sim, TakeAction(ADA, Undo)) in ("TOO_LATE_TO_TAKE_BACK", "NOTHING_TO_TAKE_BACK")


def test_ending_match_by_choice_does_not_change_earlier_log():
    sim = open_played_table(GRACE, LINUS, absent="turn")
    sim.run_out_clock()
    before, event_log = summarize_log(sim.event_log), sim.event_log
    first, second = (who for who in (ADA, GRACE, LINUS) if who != sim.current_user)
    assert list_event_names(sim.choose_absence(first, "end")) == ["EndWished"]
    assert list_event_names(sim.choose_absence(second, "end")) == ["ChoiceMade", "Resigned", "MatchEnded"]
    assert summarize_log(event_log) == before


def test_outage_credit_with_move_does_not_change_earlier_log():
    sim = open_table(GRACE)
    sim.outages = (Outage(start=sim.now, end=sim.now + HOUR),)
    sim.now += HOUR
    before, event_log = summarize_log(sim.event_log), sim.event_log
    assert list_event_names(sim.play_turn())[0] == "Credited"
    assert summarize_log(event_log) == before


def test_outage_credit_waits_for_next_event():
    sim = open_table(GRACE, clock="relaxed")
    sim.outages = (Outage(start=sim.now, end=sim.now + HOUR),)
    sim.now += HOUR
    table = sim.state
    decision = sim.execute(SetVacation(NEMO, 0, "home"))
    assert (decision.events, decision.table) == ((), table)
    assert list_event_names(sim.execute(Rearm())) == ["Credited"]
    assert sim.execute(Rearm()).events == ()


def test_refusal_changes_nothing():
    sim = open_table(GRACE)
    assert expect_refusal(sim, TakeAction(LINUS, Resign)) == "NOT_SEATED"
    assert expect_refusal(sim, TakeAction(sim.find_other_user(), Draw)) == "NOT_YOUR_TURN"
    assert expect_refusal(sim, ChooseAbsence(GRACE, "end", None)) == "NOBODY_ABSENT"
