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
from engine.table.commands import (
    AnswerQuestion,
    AskPlayers,
    Command,
    Join,
    LeaveTable,
    Moderate,
    OpenTable,
    RunDue,
    TakeAction,
    ViewHand,
)
from engine.table.decide_table import TableDecision
from engine.table.evolve import replay
from engine.table.table_events import Paused, Settled, Tentative, TurnBegan
from engine.table.table_posts import TURN
from engine.table.table_state import Premove, create_premove, find_drop_reason
from engine.table.terms import GREEDY, MINUTE, UNDO_SPANS
from tests.depth import scaled
from tests.engine.table.sitting import (
    ADA,
    GRACE,
    LINUS,
    MARY,
    TRAILS,
    First,
    Sitting,
    kinds,
    opened,
    refused,
    terms,
    waiting,
)

SETTLE = UNDO_SPANS["days"]


def arm(sitting: Sitting, user: int, number: int = 0, then: str = "") -> Premove:
    seat = sitting.state.find_seat(user)
    assert seat is not None
    move = view_for(sitting.match, seat).moves[number]
    sitting.ahead[user] = create_premove(sitting.match, seat, move.placement, then)  # type: ignore[arg-type]
    return sitting.ahead[user]


def lays(lies: Placement) -> Callable[[int], Play]:
    return lambda seat: Play(seat, lies.tile, lies.cell, lies.rotation)


def pair() -> Sitting:
    sitting = opened(GRACE)
    for _ in range(4):
        sitting.move()
    return sitting


def settled(sitting: Sitting) -> TableDecision:
    assert sitting.due.kind == "settle"
    sitting.now = sitting.due.at
    return sitting.once(RunDue(sitting.due))


class Twins:
    def __init__(self, sitting: Sitting, rng: Random) -> None:
        entries = list(sitting.entries)
        self.one, self.rng = sitting, rng
        self.other = replace(sitting, entries=entries, replay_loaded=replay(entries), ahead={})
        self.played = self.dropped = 0

    def ask(self, command: Command) -> None:
        armed = dict(self.one.ahead)
        done = self.one.once(command)
        self.other.now = self.one.now
        self.other.once(command)
        pressing = [user for user, one in done.premoves.items() if one is not None and one.became == "played"]
        self.played += len(pressing)
        self.dropped += sum(one is not None and not one.is_waiting for one in done.premoves.values()) - len(pressing)
        while pressing:
            user = self.other.mover
            pressing.remove(user)
            lies, then = armed[user].placement, armed[user].then
            assert lies is not None
            self.other.once(TakeAction(user, lays(lies)))
            match = self.other.match
            if (
                then
                and match.choosing
                and match.turn == armed[user].seat
                and then in view_for(match, match.turn).options
            ):
                self.other.once(TakeAction(user, partial(Choose, option=then)))
        assert self.one.entries == self.other.entries
        assert (self.one.state, self.one.due, self.one.turn) == (self.other.state, self.other.due, self.other.turn)
        if done.must_repeat:
            self.ask(command)

    def go_on(self) -> None:
        sitting, rng = self.one, self.rng
        for user in waiting(sitting):
            moves = view_for(sitting.match, sitting.state.find_seat(user)).moves
            if moves and rng.random() < 0.7:
                arm(sitting, user, rng.randrange(len(moves)), rng.choice(["", "points", "tiles"]))
        turn = sitting.turn
        assert turn.user is not None
        seen = view_for(sitting.match, turn.seat)
        if seen.moves and seen.reward is None:
            lies = rng.choice(seen.moves).placement
            self.ask(TakeAction(turn.user, lays(lies)))
        elif seen.options:
            option = rng.choice(seen.options)
            self.ask(TakeAction(turn.user, lambda seat: Choose(seat, option)))
        if sitting.state.tentative_turn is None or sitting.match.ended:
            return
        back = sitting.match.can_undo(turn.seat) and sitting.state.can_undo(turn.seat, sitting.match.turn)
        if rng.random() < 0.2 and back:
            self.ask(TakeAction(turn.user, Undo))
        elif rng.random() < 0.5:
            sitting.now = sitting.due.at
            self.ask(RunDue(sitting.due))
        else:
            self.ask(ViewHand(sitting.turn.user or 0))


@pytest.mark.parametrize("game", [game for game in list_games() if game not in TRAILS])
def test_premoves_give_same_log_as_immediate_moves(game: str) -> None:
    rng, played, lost = Random(7), 0, 0
    for _ in range(scaled(4, 1)):
        twins = Twins(opened(*[GRACE, LINUS, MARY][: rng.randint(1, 3)], game=game, target=10_000), rng)
        for _ in range(30):
            if twins.one.match.ended:
                break
            twins.go_on()
        played, lost = played + twins.played, lost + twins.dropped
    assert played > 3
    assert lost > 0


@pytest.mark.parametrize("game", TRAILS)
def test_premove_is_refused_without_legal_place(game: str) -> None:
    sitting = opened(GRACE, game=game)
    while not view_for(sitting.match, 1 - sitting.match.turn).moves:
        sitting.move()
    with pytest.raises(ValueError, match="could not place"):
        arm(sitting, sitting.other())


def test_premove_is_played_when_turn_begins_and_uses_no_time(pair_of: Sitting) -> None:
    sitting, user = pair_of, pair_of.other()
    premove = _that_survives(sitting, user)
    done = settled(sitting)
    assert kinds(done) == ["Settled", "TurnBegan", "Placed", "Tentative"]
    assert done.events[3] == Tentative(premove.seat, sitting.now + SETTLE, 0)
    assert done.premoves == {user: replace(premove, became="played")}
    assert [post for post in done.posts if post.kind == TURN] == [], "nobody is called who has moved"


def test_premove_waits_while_previous_tile_can_be_undone(pair_of: Sitting) -> None:
    sitting, user = pair_of, pair_of.other()
    mover = sitting.mover
    armed = _that_survives(sitting, user)
    assert sitting.state.tentative_turn is not None
    assert sitting.ahead == {user: armed}
    taken = sitting.once(TakeAction(mover, Undo))
    assert taken.premoves == {}
    assert sitting.ahead == {user: armed}, "the table is as it was when they decided"
    assert sitting.mover == mover


def test_premoved_tile_can_be_undone_like_any_other(pair_of: Sitting) -> None:
    sitting, user = pair_of, pair_of.other()
    premove = _that_survives(sitting, user)
    settled(sitting)
    done = sitting.once(TakeAction(user, Undo))
    assert "Undone" in kinds(done)
    assert premove.placement.tile in sitting.match.seats[premove.seat].hand
    assert sitting.ahead == {}, "what became of it is old news"
    assert "Placed" not in kinds(sitting.once(ViewHand(user))), "and it is not played again"


def test_own_move_on_turn_replaces_premove(pair_of: Sitting) -> None:
    sitting, user = pair_of, pair_of.other()
    premove = _that_survives(sitting, user)
    move = next(one for one in view_for(sitting.match, premove.seat).moves if one.placement != premove.placement)
    lies = move.placement
    done = sitting.ask(TakeAction(user, lays(lies)))
    assert sitting.match.board.last == lies
    assert kinds(done).count("Placed") == 1
    assert sitting.ahead == {}


def test_player_who_opens_hand_sees_premove_played(pair_of: Sitting) -> None:
    sitting, user = pair_of, pair_of.other()
    premove = _that_survives(sitting, user)
    done = sitting.once(ViewHand(user))
    assert done.events[0] == Settled(premove.seat)
    assert sitting.match.board.last == premove.placement


def test_premove_chain_plays_one_turn_at_time_while_undo_possible() -> None:
    sitting = opened(GRACE, LINUS)
    for _ in range(3):
        sitting.move()
    first = sitting.mover
    sitting.place()
    for user in (ADA, GRACE, LINUS):
        if user not in (first, sitting.mover) and view_for(sitting.match, sitting.state.find_seat(user)).moves:
            arm(sitting, user)
    second = sitting.mover
    sitting.ask(ViewHand(second))
    sitting.place()
    assert sitting.state.tentative_turn is not None
    assert [one.became for one in settled(sitting).premoves.values()] in (["played"], ["place"])


def test_player_whose_premove_needs_choice_is_mentioned() -> None:
    rng, called = Random(1), 0
    for _ in range(200):
        sitting = _dealt(rng.randbytes(32), game="quad-ominos")
        for _ in range(8):
            sitting.move()
            user = sitting.other()
            seat = sitting.state.find_seat(user)
            found = [n for n, one in enumerate(view_for(sitting.match, seat).moves) if one.reward is not None]
            if not found or sitting.match.choosing or sitting.match.bonus_tiles:
                continue
            arm(sitting, user, found[0])
            if not (sitting.place().table.tentative_turn and sitting.due and sitting.due.kind == "settle"):
                break
            done = settled(sitting)
            if sitting.match.choosing and sitting.match.turn == seat:
                assert [post.kind for post in done.posts] == [TURN], "they do not know of it yet"
                called += 1
            break
        if called:
            return
    raise AssertionError("nobody came to a choice")


@pytest.mark.parametrize("others", [(), (GRACE,)])
def test_premove_is_played_in_same_act_as_computer_move(others: tuple[int, ...]) -> None:
    rng, played = Random(5), 0
    for _ in range(20):
        sitting = Sitting(terms(seats=2 + len(others)), secret=rng.randbytes(32))
        for command in (OpenTable(sitting.terms, ADA, (GREEDY,)), *map(Join, others)):
            sitting.ask(command)
        for _ in range(12):
            if sitting.state.tentative_turn is not None:
                settled(sitting)
            turn = sitting.turn
            if turn is None or sitting.match.ended:
                break
            after = sitting.state.seats[(turn.seat + 1) % len(sitting.state.seats)]
            if turn.user is None and after.user_id is not None and view_for(sitting.match, after.seat).moves:
                premove = arm(sitting, after.user_id)
                done = sitting.place()
                if sitting.ahead[after.user_id].became == "played":
                    began = next(n for n, event in enumerate(done.events) if isinstance(event, TurnBegan))
                    assert "Tentative" not in kinds(done)[:began], "a computer takes nothing back"
                    assert kinds(done)[began + 1] == "Placed"
                    assert premove.placement in sitting.match.board.placed.values()
                    assert [post for post in done.posts if post.kind == TURN] == [], "nobody is called who has moved"
                    played += 1
                else:
                    assert sitting.ahead[after.user_id].became == "place"
            else:
                sitting.move()
    assert played > 3


def test_premove_is_dropped_and_player_mentioned_when_place_is_taken(pair_of: Sitting) -> None:
    sitting, user = pair_of, pair_of.other()
    seat = sitting.state.find_seat(user)
    mine = {
        one.placement.cell: number for number, one in reversed(list(enumerate(view_for(sitting.match, seat).moves)))
    }
    theirs = next(
        (one for one in view_for(sitting.match, sitting.match.turn).moves if one.placement.cell in mine), None
    )
    assert theirs is not None, "another deal is needed here"
    lies = theirs.placement
    arm(sitting, user, mine[lies.cell])
    sitting.once(TakeAction(sitting.mover, lays(lies)))
    assert sitting.ahead[user].is_waiting, "it may be taken back yet"
    done = settled(sitting)
    assert sitting.ahead[user].became == "place"
    assert "Placed" not in kinds(done)
    assert [post.kind for post in done.posts] == [TURN], "they are called as ever"


def test_premove_is_dropped_when_place_demands_more() -> None:
    rng, seen_it = Random(3), 0
    while seen_it < 1:
        sitting = _dealt(rng.randbytes(32))
        for _ in range(rng.randint(4, 14)):
            if sitting.match.ended:
                break
            sitting.move()
        if sitting.match.ended or sitting.turn is None or sitting.turn.user is None:
            continue
        user = sitting.other()
        seat = sitting.state.find_seat(user)
        assert seat is not None
        for number, move in enumerate(view_for(sitting.match, seat).moves):
            premove = arm(sitting, user, number)
            for theirs in view_for(sitting.match, sitting.match.turn).moves:
                board = sitting.match.copy()
                board.board.place(theirs.placement)
                became = find_drop_reason(board, premove)
                still = move.placement in board.list_legal_moves(seat)
                asked = next((one for one in board.board.list_places().open if one.cell == move.placement.cell), None)
                same = asked is not None and (asked.needs, asked.touch) == (premove.needs, premove.touch)
                assert (became is None) == (same and still)
                seen_it += still and not same
    assert seen_it


def test_pause_new_round_or_missing_tile_drops_premove(pair_of: Sitting) -> None:
    sitting, user = pair_of, pair_of.other()
    arm(sitting, user)
    sitting.once(Moderate("pause", 5, "tea"))
    assert isinstance(sitting.entries[-1].event, Paused)
    assert sitting.ahead[user].became == "stopped"
    sitting.once(Moderate("resume", 5, ""))
    premove = arm(sitting, user)
    assert find_drop_reason(sitting.match, replace(premove, round=premove.round + 1)) == "round"
    hand = sitting.match.copy()
    hand.seats[premove.seat].hand.remove(premove.placement.tile)
    assert find_drop_reason(hand, premove) == "hand"


def test_resigned_or_forgotten_player_leaves_no_premove() -> None:
    for leaves in (lambda user: TakeAction(user, Resign), lambda user: LeaveTable(user, deletes_data=True)):
        sitting = opened(GRACE, LINUS)
        for _ in range(3):
            sitting.move()
        user = waiting(sitting)[0]
        arm(sitting, user)
        sitting.ask(leaves(user))
        assert sitting.ahead == {}


def test_substitute_does_not_inherit_premove() -> None:
    sitting = opened(GRACE, LINUS)
    for _ in range(3):
        sitting.move()
    user = waiting(sitting)[0]
    seat = sitting.state.find_seat(user)
    arm(sitting, user)
    sitting.ask(AskPlayers(user, "substitute", person=9))
    number = sitting.state.question.number  # type: ignore[union-attr]
    sitting.ask(AnswerQuestion(9, number, True))
    assert sitting.state.seats[seat or 0].user_id == 9
    assert sitting.ahead == {}


def test_computer_plays_one_turn_for_absent_but_not_present_player(pair_of: Sitting) -> None:
    sitting, user = pair_of, pair_of.other()
    seat = sitting.state.find_seat(user)
    assert seat is not None
    away = create_premove(sitting.match, seat, None)
    sitting.ahead[user] = away
    sitting.place()
    done = settled(sitting)
    assert done.premoves == {user: replace(away, became="played")}
    assert "Placed" in kinds(done) or "Passed" in kinds(done)
    there = pair()
    user = there.other()
    there.ahead[user] = create_premove(there.match, there.state.find_seat(user) or 0, None)
    there.place()
    done = there.once(ViewHand(user))
    assert there.ahead[user].became == "here"
    assert "Placed" not in kinds(done)


def test_premove_that_hand_does_not_allow_is_refused(pair_of: Sitting) -> None:
    sitting = pair_of
    theirs = view_for(sitting.match, sitting.match.turn).moves[0].placement
    seat = sitting.state.find_seat(sitting.other())
    assert seat is not None
    with pytest.raises(ValueError, match="could not place"):
        create_premove(sitting.match, seat, theirs)


def test_refusals_to_others_do_not_reveal_premove(pair_of: Sitting) -> None:
    with_one, without = pair_of, pair()
    user = with_one.other()
    arm(with_one, user)
    early = TakeAction(user, Undo)
    assert refused(with_one, early) == refused(without, early)
    for sitting in (with_one, without):
        sitting.wait(MINUTE)
    assert (with_one.due, with_one.turn, with_one.state) == (without.due, without.turn, without.state)


@pytest.fixture(name="pair_of")
def _pair_of() -> Sitting:
    return pair()


def _dealt(secret: bytes, game: str = "triominoes") -> Sitting:
    sitting = Sitting(terms(game), secret=secret)
    sitting.ask(OpenTable(sitting.terms, ADA))
    sitting.ask(Join(GRACE))
    return sitting


def _that_survives(sitting: Sitting, user: int) -> Premove:
    seat = sitting.state.find_seat(user)
    assert seat is not None
    action = greedy.choose(view_for(sitting.match, sitting.match.turn), First())
    for number in range(len(view_for(sitting.match, seat).moves)):
        premove = arm(sitting, user, number)
        after = sitting.match.copy()
        after.board.place(Placement(action.tile, action.cell, action.rotation))
        if find_drop_reason(after, premove) is None:
            sitting.once(TakeAction(sitting.mover, lambda _: action))
            assert any(isinstance(event.event, Tentative) for event in sitting.entries[-2:])
            assert isinstance(sitting.entries[-1].event, Tentative | TurnBegan)
            return premove
    raise AssertionError("another deal is needed here")
