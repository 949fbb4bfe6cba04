"""An attacker places a tile, sees whether the opponent has to draw, and takes the tile back.

`BONEYARD_DEPTH=50 uv run pytest -n 0 -s tests/abuse/test_undo_probing.py` plays 1,000 deals, each from both seats.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import sqrt
from random import Random
from typing import Protocol

import pytest

from data.rulebook import list_games, load_rules
from data.store.store import Store
from engine.match.actions import Action, Choose, Draw, Pass, Play, Undo
from engine.match.decide import decide as decide_match
from engine.match.decide import find_forced_action, start
from engine.match.errors import RuleError
from engine.match.event_log import EventLog, build_event_log
from engine.match.events import Drew, Passed, Undone
from engine.match.player_view import view_for
from engine.match.state import Match
from engine.players import greedy
from engine.table.commands import Command, Join, OpenTable, RunDue, TakeAction, TakeComputerAction, ViewHand
from engine.table.decide_table import TableDecision, decide
from engine.table.evolve import DecisionContext
from engine.table.refusals import RefusalError
from engine.table.table_state import MAX_UNDOS, Due, TableState
from engine.table.terms import Terms
from tests.bot.simulated_guild import secret
from tests.bot.timed_table import TimedTable
from tests.bot.use_cases import GRACE
from tests.depth import scaled

pytestmark = pytest.mark.deep


@pytest.fixture
def timed_table(store: Store) -> TimedTable:
    return TimedTable(store)


DEALS, OF_OLD = scaled(20, 10), scaled(40, 10)


class Place(Protocol):
    match: Match
    tries: int

    def look(self, seat: int) -> None: ...

    def act(self, action: Action) -> None: ...

    def take_back(self, seat: int) -> bool: ...

    def answered(self) -> bool: ...


@dataclass
class Before:
    deal: int
    tries: int = 12
    event_log: EventLog = field(init=False)

    def __post_init__(self) -> None:
        events = start(load_rules("triominoes"), seats=2, computers=(), by_hand=False, secret=secret(self.deal))
        self.event_log = build_event_log(events)
        self._play_out()

    @property
    def match(self) -> Match:
        return self.event_log.match

    def look(self, seat: int) -> None:
        """Do nothing."""

    def act(self, action: Action) -> None:
        for event in decide_match(self.match, action, secret(self.deal)):
            self.event_log.apply(event)
        self._play_out()

    def _play_out(self) -> None:
        while action := find_forced_action(self.match):
            for event in decide_match(self.match, action, secret(self.deal)):
                self.event_log.apply(event)

    def take_back(self, seat: int) -> bool:
        if not self.match.can_undo(seat):
            return False
        self.act(Undo(seat))
        return True

    def answered(self) -> bool:
        return isinstance(self.event_log.events[-1].event, Drew | Passed)


@dataclass
class Now:
    deal: int
    tries: int = MAX_UNDOS
    game: str = "triominoes"
    seats: int = 2
    now: int = 1_768_046_400_000
    table: TableState | None = None
    event_log: EventLog | None = None
    due: Due | None = None
    said: list[str] = field(default_factory=list)  # The kinds of all outbox items

    def __post_init__(self) -> None:
        terms = Terms(game=self.game, seats=self.seats, target=load_rules(self.game).target, by_hand=False, clock="1d")
        self.ask(OpenTable(terms, 1))
        for user in range(2, self.seats + 1):
            self.ask(Join(user))

    @property
    def state(self) -> TableState:
        assert self.table is not None
        return self.table

    @property
    def match(self) -> Match:
        return self.event_log.match

    def ask(self, command: Command) -> TableDecision:
        self.now += 1
        decided = self.asked(command)
        self.table, self.event_log, self.due = decided.table, decided.event_log, decided.due
        self.said += [post.kind for post in decided.posts]
        return self.ask(command) if decided.must_repeat else decided

    def asked(self, command: Command) -> TableDecision:
        given = DecisionContext(now=self.now, secret=secret(self.deal), rules=load_rules(self.game), due=self.due)
        return decide(self.table, self.event_log, command, given)

    def look(self, seat: int) -> None:
        self.ask(ViewHand(seat + 1))

    def act(self, action: Action) -> None:
        self.ask(TakeAction(action.seat + 1, lambda _: action))

    def take_back(self, seat: int) -> bool:
        try:
            self.act(Undo(seat))
        except (RuleError, RefusalError):
            return False
        return True

    def answered(self) -> bool:
        if self.state.tentative_turn is not None:
            self.now = self.state.tentative_turn.until - 2
        return isinstance(self.event_log.events[-1].event, Drew | Passed)


def honest(place: Place, seat: int, rng: Random) -> None:
    place.act(greedy.choose(view_for(place.match, seat), rng))


def prober(place: Place, seat: int, rng: Random) -> None:
    seen = view_for(place.match, seat)
    best = greedy.choose(seen, rng)
    if not isinstance(best, Play):
        place.act(best)
        return
    moves = [Play(seat, move.placement.tile, move.placement.cell, move.placement.rotation) for move in seen.moves]
    for move in [best, *(move for move in moves if move != best)][: place.tries]:
        place.act(move)
        if place.answered() or not place.take_back(seat):
            return
    place.act(best)


Player = Callable[[Place, int, Random], None]


def won(place: Place, attacker: int, player: Player, deal: int) -> float:
    streams = [Random(f"{deal} {seat == attacker}") for seat in range(2)]
    while not place.match.ended:
        place.look(place.match.turn)
        turn = place.match.turn
        if place.match.ended:
            break
        (player if turn == attacker else honest)(place, turn, streams[turn])
    places = place.match.ended.places
    return 0.5 if places == (1, 1) else float(places[attacker] == 1)


def mirrored(table: Callable[[int], Place], player: Player, deals: int) -> list[float]:
    return [won(table(deal), seat, player, deal) for deal in range(deals) for seat in range(2)]


def told(name: str, wins: Sequence[float]) -> None:
    n, share, z = len(wins), sum(wins) / len(wins), 1.96
    middle, spread = share + z * z / (2 * n), z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low, high = (middle - spread) / (1 + z * z / n), (middle + spread) / (1 + z * z / n)
    print(f"\n{name}: {sum(wins):g} of {n}, {share:.1%} ({low:.1%} to {high:.1%})")


def test_undo_probing_wins_if_draw_is_immediate() -> None:
    tricked, plain = mirrored(Before, prober, OF_OLD), mirrored(Before, honest, OF_OLD)
    told("before, with the trick", tricked)
    told("before, without", plain)
    assert sum(tricked) > 1.1 * sum(plain), "otherwise this attacker is none"


def test_undo_probing_gains_nothing_at_current_tables() -> None:
    tricked, plain = mirrored(Now, prober, DEALS), mirrored(Now, honest, DEALS)
    told("now, with the trick", tricked)
    told("now, without", plain)
    assert tricked == plain


def exchanged(event_log: EventLog, viewer: int, rng: Random) -> EventLog:
    twin = event_log.copy()
    match = twin.match
    others = [seat for number, seat in enumerate(match.seats) if number != viewer]
    hidden = [tile for seat in others for tile in seat.hand] + match.boneyard + list(match.aside)
    rng.shuffle(hidden)
    for seat in others:
        seat.hand = [hidden.pop() for _ in seat.hand]
    match.boneyard = [hidden.pop() for _ in match.boneyard]
    match.aside = tuple(hidden)
    return twin


def shown(table: Now, decided: TableDecision, mover: int) -> list[object]:
    after = replace_in(table, decided)
    following = decided.event_log.match.turn + 1
    answers = [
        outcome(after, TakeAction(user, action))
        for user in range(1, table.seats + 1)
        for action in (Draw, Pass, Undo)
        if action is Undo or user != following
    ]
    back = after.asked(TakeAction(mover + 1, Undo))
    return [
        decided.table,
        decided.turn,
        decided.due,
        decided.posts,
        decided.obsolete_kinds,
        decided.public_events,
        decided.events,
        view_for(decided.event_log.match, mover),
        view_for(decided.event_log.match, None),
        answers,
        back.table,
        view_for(back.event_log.match, mover),
        view_for(back.event_log.match, None),
    ]


def replace_in(table: Now, decided: TableDecision) -> Now:
    after = object.__new__(Now)
    after.deal, after.game, after.seats, after.now, after.said = table.deal, table.game, table.seats, table.now + 1, []
    after.table, after.event_log, after.due = decided.table, decided.event_log, decided.due
    return after


def outcome(table: Now, command: Command) -> object:
    try:
        decided = table.asked(command)
    except (RuleError, RefusalError) as refused:
        return refused.why, str(refused.facts)
    return decided.must_repeat or (decided.events, decided.posts, decided.due)


@pytest.mark.parametrize("game", list_games())
def test_undo_period_reveals_nothing_about_hidden_tiles(game: str) -> None:
    rng, met, ends = Random(game), 0, 0
    playing = load_rules(game)
    for deal in range(scaled(3)):
        table = Now(deal, game=game, seats=min(3, playing.max_seats))
        for _ in range(200):
            if table.match.ended:
                break
            turn = table.match.turn
            acts = all_acts(table, turn)
            for action in rng.sample(acts, min(2, len(acts))):
                command = TakeAction(turn + 1, lambda _, action=action: action)
                decided = table.asked(command)
                if decided.table.tentative_turn is None:
                    continue
                twin = replace_in(table, decided)
                assert table.event_log is not None
                twin.now, twin.table, twin.due = table.now, table.table, table.due
                twin.event_log = exchanged(table.event_log, turn, rng)
                same = twin.asked(command)
                assert shown(twin, same, turn) == shown(table, decided, turn)
                met += 1
                # The results may differ only after the undo period.
                ends += settled(table, decided) != settled(twin, same)
            table.act(
                rng.choice(acts) if acts and rng.random() < 0.2 else greedy.choose(view_for(table.match, turn), rng)
            )
            if table.state.tentative_turn is not None:
                table.look(table.match.turn)
    assert met > 20
    assert ends or game != "triominoes", "the twins were different indeed"


def settled(table: Now, decided: TableDecision) -> list[str]:
    after = replace_in(table, decided)
    assert after.event_log is not None
    return [type(event).__name__ for event in after.asked(ViewHand(after.match.turn + 1)).events]


def all_acts(table: Now, seat: int) -> list[Action]:
    seen = view_for(table.match, seat)
    moves = [] if seen.reward else [move.placement for move in seen.moves]
    return [
        *(Play(seat, lies.tile, lies.cell, lies.rotation) for lies in moves),
        *(Choose(seat, option) for option in seen.options),
    ]


async def test_undo_is_limited_and_sends_no_mention(timed_table: TimedTable) -> None:
    table = await timed_table.started(GRACE)
    match_id = table.head.match_id
    mover = table.find_turn_user()
    assert mover is not None
    undone = 0
    for _ in range(50):
        before = await timed_table.table(match_id)
        if before.find_turn_user() == mover and before.state.tentative_turn is None:
            after = await timed_table.place(match_id)
            assert len(await timed_table.said("turn")) == (after.state.tentative_turn is None)
        try:
            acted = await timed_table.acts.act(match_id, TakeAction(mover, Undo), request=timed_table.request())
        except (RefusalError, RuleError):
            continue
        undone += sum(isinstance(event, Undone) for event in acted.events)
        assert await timed_table.said("turn") == []
    assert undone == MAX_UNDOS
    assert (await timed_table.table(match_id)).find_turn_user() != mover
    assert len(await timed_table.said("turn")) == 1


def test_undo_period_ends_automatically() -> None:
    table = Now(1)
    calls = table.said.count("turn")
    honest(table, table.match.turn, Random(1))
    assert table.due.kind == "settle"
    assert table.said.count("turn") == calls
    table.now = table.due.at - 1
    table.ask(RunDue(table.due))
    assert table.state.tentative_turn is None
    assert table.said.count("turn") == calls + 1


def test_next_computer_never_sees_undoable_move() -> None:
    table = Now(3)
    honest(table, table.match.turn, Random(1))
    assert table.state.tentative_turn is not None
    decided = table.asked(TakeComputerAction(Draw(table.match.turn), table.state.seq))
    assert decided.must_repeat
    assert decided.table.tentative_turn is None
