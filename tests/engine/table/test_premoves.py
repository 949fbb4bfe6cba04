"""Premoves."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from random import Random

import pytest

from data.rulebook import list_games
from engine.board.board import Placement
from engine.match.actions import Choose, Play, Resign, Undo
from engine.match.player_view import view_for
from engine.players import greedy
from engine.table.commands import Command, LeaveTable, Moderate, RunDue, TakeAction, ViewHand
from engine.table.decide_table import TableDecision
from engine.table.evolve import replay
from engine.table.table_events import Paused, Settled, Tentative, TurnBegan
from engine.table.table_posts import TURN
from engine.table.table_state import Premove, create_premove, find_drop_reason
from engine.table.terms import MINUTE, UNDO_SPANS
from tests.depth import scale_count
from tests.engine.table.simulated_table import (
    ADA,
    GRACE,
    LINUS,
    MARY,
    TRAIL_GAMES,
    FirstChoice,
    SimulatedTable,
    expect_refusal,
    list_event_names,
    list_waiting_users,
    open_table,
)

SETTLE_SPAN = UNDO_SPANS["days"]


def set_premove(sim: SimulatedTable, user: int, number: int = 0, then: str = "") -> Premove:
    view = sim.view(user)
    sim.premoves[user] = create_premove(sim.match, view.viewer, view.moves[number].placement, then)
    return sim.premoves[user]


def build_play(placement: Placement) -> Callable[[int], Play]:
    return lambda seat: Play(seat, placement.tile, placement.cell, placement.rotation)


def open_advanced_table(*others: int, turns: int = 3) -> SimulatedTable:
    sim = open_table(*others)
    for _ in range(turns):
        sim.play_turn()
    return sim


@pytest.fixture
def sim() -> SimulatedTable:
    return open_advanced_table(GRACE, turns=4)


def settle_turn(sim: SimulatedTable) -> TableDecision:
    assert sim.due.kind == "settle"
    sim.now = sim.due.at
    return sim.execute_once(RunDue(sim.due))


class PairedTables:
    def __init__(self, sim: SimulatedTable, rng: Random) -> None:
        entries = list(sim.entries)
        self.premove_table, self.rng = sim, rng
        self.manual_table = replace(sim, entries=entries, replayed_state=replay(entries), premoves={})
        self.played_count = self.dropped_count = 0

    def execute(self, command: Command) -> None:
        premoves = dict(self.premove_table.premoves)
        decision = self.premove_table.execute_once(command)
        self.manual_table.now = self.premove_table.now
        self.manual_table.execute_once(command)
        settled = {user: one.became for user, one in decision.premoves.items() if one and not one.is_waiting}
        played_users = [user for user, became in settled.items() if became == "played"]
        self.played_count += len(played_users)
        self.dropped_count += len(settled) - len(played_users)
        while played_users:
            user = self.manual_table.current_user
            played_users.remove(user)
            self.manual_table.execute_once(TakeAction(user, build_play(premoves[user].placement)))
            then = premoves[user].then
            if then and self.manual_table.match.choosing and then in self.manual_table.view(user).options:
                self.manual_table.execute_once(TakeAction(user, partial(Choose, option=then)))
        for fact in ("entries", "state", "due", "turn"):
            assert getattr(self.premove_table, fact) == getattr(self.manual_table, fact)
        if decision.must_repeat:
            self.execute(command)

    def play_step(self) -> None:
        sim, rng = self.premove_table, self.rng
        for user in list_waiting_users(sim):
            moves = sim.view(user).moves
            if moves and rng.random() < 0.7:
                set_premove(sim, user, rng.randrange(len(moves)), rng.choice(["", "points", "tiles"]))
        turn = sim.turn
        view = sim.view(turn.user)
        if view.moves and view.reward is None:
            placement = rng.choice(view.moves).placement
            self.execute(TakeAction(turn.user, build_play(placement)))
        elif view.options:
            option = rng.choice(view.options)
            self.execute(TakeAction(turn.user, lambda seat: Choose(seat, option)))
        if sim.state.tentative_turn is None or sim.match.ended:
            return
        can_undo = sim.match.can_undo(turn.seat) and sim.state.can_undo(turn.seat, sim.match.turn)
        if rng.random() < 0.2 and can_undo:
            self.execute(TakeAction(turn.user, Undo))
        elif rng.random() < 0.5:
            sim.now = sim.due.at
            self.execute(RunDue(sim.due))
        else:
            self.execute(ViewHand(sim.turn.user or 0))


@pytest.mark.parametrize("game", [game for game in list_games() if game not in TRAIL_GAMES])
def test_premoves_give_same_log_as_immediate_moves(game: str) -> None:
    rng, played, dropped = Random(7), 0, 0
    for _ in range(scale_count(4, 1)):
        tables = PairedTables(open_table(*[GRACE, LINUS, MARY][: rng.randint(1, 3)], game=game, target=10_000), rng)
        for _ in range(30):
            if tables.premove_table.match.ended:
                break
            tables.play_step()
        played, dropped = played + tables.played_count, dropped + tables.dropped_count
    assert played > 3
    assert dropped > 0


@pytest.mark.parametrize("game", TRAIL_GAMES)
def test_premove_is_refused_without_legal_place(game: str) -> None:
    sim = open_table(GRACE, game=game)
    sim.play_until(lambda: sim.view(sim.find_other_user()).moves)
    with pytest.raises(ValueError, match="could not place"):
        set_premove(sim, sim.find_other_user())


def test_premove_is_played_when_turn_begins_and_uses_no_time(sim: SimulatedTable) -> None:
    user = sim.find_other_user()
    premove = _set_surviving_premove(sim, user)
    decision = settle_turn(sim)
    assert list_event_names(decision) == ["Settled", "TurnBegan", "Placed", "Tentative"]
    assert decision.events[3] == Tentative(premove.seat, sim.now + SETTLE_SPAN, 0)
    assert decision.premoves == {user: replace(premove, became="played")}
    assert TURN not in [post.kind for post in decision.posts], "nobody is called who has moved"


def test_premove_waits_while_previous_tile_can_be_undone(sim: SimulatedTable) -> None:
    user = sim.find_other_user()
    mover = sim.current_user
    premove = _set_surviving_premove(sim, user)
    assert sim.state.tentative_turn is not None
    assert sim.premoves == {user: premove}
    undone = sim.execute_once(TakeAction(mover, Undo))
    assert undone.premoves == {}
    assert sim.premoves == {user: premove}, "the table is as it was when they decided"
    assert sim.current_user == mover


def test_premoved_tile_can_be_undone_like_any_other(sim: SimulatedTable) -> None:
    user = sim.find_other_user()
    premove = _set_surviving_premove(sim, user)
    settle_turn(sim)
    decision = sim.execute_once(TakeAction(user, Undo))
    assert "Undone" in list_event_names(decision)
    assert premove.placement.tile in sim.match.seats[premove.seat].hand
    assert sim.premoves == {}, "what became of it is old news"
    assert "Placed" not in list_event_names(sim.execute_once(ViewHand(user))), "and it is not played again"


def test_own_move_on_turn_replaces_premove(sim: SimulatedTable) -> None:
    user = sim.find_other_user()
    premove = _set_surviving_premove(sim, user)
    placement = next(one.placement for one in sim.view(user).moves if one.placement != premove.placement)
    decision = sim.execute(TakeAction(user, build_play(placement)))
    assert sim.match.board.last == placement
    assert list_event_names(decision).count("Placed") == 1
    assert sim.premoves == {}


def test_player_who_opens_hand_sees_premove_played(sim: SimulatedTable) -> None:
    user = sim.find_other_user()
    premove = _set_surviving_premove(sim, user)
    decision = sim.execute_once(ViewHand(user))
    assert decision.events[0] == Settled(premove.seat)
    assert sim.match.board.last == premove.placement


def test_premove_chain_plays_one_turn_at_time_while_undo_possible() -> None:
    sim = open_advanced_table(GRACE, LINUS)
    first = sim.current_user
    sim.play_move()
    for user in (ADA, GRACE, LINUS):
        if user not in (first, sim.current_user) and sim.view(user).moves:
            set_premove(sim, user)
    second = sim.current_user
    sim.execute(ViewHand(second))
    sim.play_move()
    assert sim.state.tentative_turn is not None
    assert [one.became for one in settle_turn(sim).premoves.values()] in (["played"], ["place"])


def test_player_whose_premove_needs_choice_is_mentioned() -> None:
    rng, mention_count = Random(1), 0
    for _ in range(200):
        sim = open_table(GRACE, secret=rng.randbytes(32), game="quad-ominos")
        for _ in range(8):
            sim.play_turn()
            user = sim.find_other_user()
            found = [number for number, one in enumerate(sim.view(user).moves) if one.reward is not None]
            if not found or sim.match.choosing or sim.match.bonus_tiles:
                continue
            set_premove(sim, user, found[0])
            if not (sim.play_move().table.tentative_turn and sim.due and sim.due.kind == "settle"):
                break
            decision = settle_turn(sim)
            if sim.match.choosing and sim.match.turn == sim.state.find_seat(user):
                assert [post.kind for post in decision.posts] == [TURN], "they do not know of it yet"
                mention_count += 1
            break
        if mention_count:
            return
    raise AssertionError("nobody came to a choice")


@pytest.mark.parametrize("others", [(), (GRACE,)])
def test_premove_is_played_in_same_act_as_computer_move(others: tuple[int, ...]) -> None:
    rng, played = Random(5), 0
    for _ in range(20):
        sim = open_table(*others, computers=1, secret=rng.randbytes(32))
        for _ in range(12):
            if sim.state.tentative_turn is not None:
                settle_turn(sim)
            turn = sim.turn
            if turn is None or sim.match.ended:
                break
            next_seat = sim.state.seats[(turn.seat + 1) % len(sim.state.seats)]
            if turn.user is None and next_seat.user_id is not None and view_for(sim.match, next_seat.seat).moves:
                premove = set_premove(sim, next_seat.user_id)
                decision = sim.play_move()
                if sim.premoves[next_seat.user_id].became == "played":
                    begin_index = next(n for n, event in enumerate(decision.events) if isinstance(event, TurnBegan))
                    assert "Tentative" not in list_event_names(decision)[:begin_index], "a computer takes nothing back"
                    assert list_event_names(decision)[begin_index + 1] == "Placed"
                    assert premove.placement in sim.match.board.placed.values()
                    assert TURN not in [post.kind for post in decision.posts], "nobody is called who has moved"
                    played += 1
                else:
                    assert sim.premoves[next_seat.user_id].became == "place"
            else:
                sim.play_turn()
    assert played > 3


def test_premove_is_dropped_and_player_mentioned_when_place_is_taken(sim: SimulatedTable) -> None:
    user = sim.find_other_user()
    move_numbers = {one.placement.cell: number for number, one in reversed(list(enumerate(sim.view(user).moves)))}
    blocking = [one.placement for one in sim.view(sim.current_user).moves if one.placement.cell in move_numbers]
    assert blocking, "another deal is needed here"
    placement = blocking[0]
    set_premove(sim, user, move_numbers[placement.cell])
    sim.execute_once(TakeAction(sim.current_user, build_play(placement)))
    assert sim.premoves[user].is_waiting, "it may be taken back yet"
    decision = settle_turn(sim)
    assert sim.premoves[user].became == "place"
    assert "Placed" not in list_event_names(decision)
    assert [post.kind for post in decision.posts] == [TURN], "they are called as ever"


def test_premove_is_dropped_when_place_demands_more() -> None:
    rng, case_count = Random(3), 0
    while not case_count:
        sim = open_table(GRACE, secret=rng.randbytes(32))
        for _ in range(rng.randint(4, 14)):
            if sim.match.ended:
                break
            sim.play_turn()
        if sim.match.ended or sim.turn is None or sim.turn.user is None:
            continue
        user = sim.find_other_user()
        for number, move in enumerate(sim.view(user).moves):
            premove = set_premove(sim, user, number)
            for opponent_move in sim.view(sim.current_user).moves:
                board = sim.match.copy()
                board.board.place(opponent_move.placement)
                drop_reason = find_drop_reason(board, premove)
                is_still_legal = move.placement in board.list_legal_moves(premove.seat)
                place = next((one for one in board.board.list_places().open if one.cell == move.placement.cell), None)
                is_unchanged = place is not None and (place.needs, place.touch) == (premove.needs, premove.touch)
                assert (drop_reason is None) == (is_unchanged and is_still_legal)
                case_count += is_still_legal and not is_unchanged


def test_pause_new_round_or_missing_tile_drops_premove(sim: SimulatedTable) -> None:
    user = sim.find_other_user()
    set_premove(sim, user)
    sim.execute_once(Moderate("pause", 5, "tea"))
    assert isinstance(sim.entries[-1].event, Paused)
    assert sim.premoves[user].became == "stopped"
    sim.execute_once(Moderate("resume", 5, ""))
    premove = set_premove(sim, user)
    assert find_drop_reason(sim.match, replace(premove, round=premove.round + 1)) == "round"
    hand = sim.match.copy()
    hand.seats[premove.seat].hand.remove(premove.placement.tile)
    assert find_drop_reason(hand, premove) == "hand"


def test_resigned_or_forgotten_player_leaves_no_premove() -> None:
    for build_command in (lambda user: TakeAction(user, Resign), lambda user: LeaveTable(user, deletes_data=True)):
        sim = open_advanced_table(GRACE, LINUS)
        user = list_waiting_users(sim)[0]
        set_premove(sim, user)
        sim.execute(build_command(user))
        assert sim.premoves == {}


def test_substitute_does_not_inherit_premove() -> None:
    sim = open_advanced_table(GRACE, LINUS)
    user = list_waiting_users(sim)[0]
    seat = set_premove(sim, user).seat
    sim.ask(user, "substitute", person=9)
    sim.answer(9)
    assert sim.state.seats[seat].user_id == 9
    assert sim.premoves == {}


def test_computer_plays_one_turn_for_absent_but_not_present_player(sim: SimulatedTable) -> None:
    user = sim.find_other_user()
    absence_premove = create_premove(sim.match, sim.state.find_seat(user), None)
    sim.premoves[user] = absence_premove
    sim.play_move()
    decision = settle_turn(sim)
    assert decision.premoves == {user: replace(absence_premove, became="played")}
    assert "Placed" in list_event_names(decision) or "Passed" in list_event_names(decision)
    present_table = open_advanced_table(GRACE, turns=4)
    user = present_table.find_other_user()
    present_table.premoves[user] = create_premove(present_table.match, present_table.state.find_seat(user), None)
    present_table.play_move()
    decision = present_table.execute_once(ViewHand(user))
    assert present_table.premoves[user].became == "here"
    assert "Placed" not in list_event_names(decision)


def test_premove_that_hand_does_not_allow_is_refused(sim: SimulatedTable) -> None:
    opponent_placement = sim.view(sim.current_user).moves[0].placement
    with pytest.raises(ValueError, match="could not place"):
        create_premove(sim.match, sim.state.find_seat(sim.find_other_user()), opponent_placement)


def test_refusals_to_others_do_not_reveal_premove(sim: SimulatedTable) -> None:
    without_premove = open_advanced_table(GRACE, turns=4)
    user = sim.find_other_user()
    set_premove(sim, user)
    undo = TakeAction(user, Undo)
    assert expect_refusal(sim, undo) == expect_refusal(without_premove, undo)
    sim.wait(MINUTE)
    without_premove.wait(MINUTE)
    assert (sim.due, sim.turn, sim.state) == (without_premove.due, without_premove.turn, without_premove.state)


def _set_surviving_premove(sim: SimulatedTable, user: int) -> Premove:
    action = greedy.choose(sim.view(sim.current_user), FirstChoice())
    for number in range(len(sim.view(user).moves)):
        premove = set_premove(sim, user, number)
        match_after = sim.match.copy()
        match_after.board.place(Placement(action.tile, action.cell, action.rotation))
        if find_drop_reason(match_after, premove) is None:
            sim.execute_once(TakeAction(sim.current_user, lambda _: action))
            assert any(isinstance(event.event, Tentative) for event in sim.entries[-2:])
            assert isinstance(sim.entries[-1].event, Tentative | TurnBegan)
            return premove
    raise AssertionError("another deal is needed here")
