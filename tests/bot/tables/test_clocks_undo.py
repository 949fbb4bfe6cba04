"""Undo gives no player extra time: the clock continues as if the tile had not been played."""

from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.match.actions import Undo
from engine.table.clock import begin_turn, forget_past_turns, rewind_turn
from engine.table.commands import Join, TakeAction
from engine.table.table_state import MAX_UNDOS, Time, compute_deadline, compute_used_time
from engine.table.terms import DAY, HOUR, MINUTE, Pace
from tests.bot.timed_table import TimedTable
from tests.bot.use_cases import ADA, GRACE, LINUS

START = 1_760_000_000_000
SEATS = 3
DAYS = Pace("days", turn=5 * DAY)
BANK = Pace("bank", bank=9 * DAY, increment=HOUR)


@dataclass
class ClockModel:
    pace: Pace
    now: int = START
    seats_played: list[int] = field(default_factory=list)
    elapsed: list[int] = field(default_factory=lambda: [0] * SEATS)
    time: Time = field(default_factory=Time)

    def __post_init__(self) -> None:
        self.time = begin_turn(Time(), self.pace, SEATS, 0, self.now)

    @property
    def seat(self) -> int:
        return len(self.seats_played) % SEATS

    def wait(self, span: int) -> None:
        self.now += span
        self.elapsed[self.seat] += span

    def play(self) -> None:
        self.seats_played.append(self.seat)
        self.time = begin_turn(self.time, self.pace, SEATS, self.seat, self.now, len(self.seats_played))

    def undo_turns(self, turns: int) -> None:
        del self.seats_played[len(self.seats_played) - turns :]
        self.time = rewind_turn(self.time, self.pace, SEATS, self.seat, self.now, len(self.seats_played))

    def compute_time_left(self, seat: int) -> int:
        undone_times = [one.used for one in self.time.undone_turns if one.seat == seat]
        if seat == self.time.seat:
            undone_times.append(compute_used_time(self.time, self.now))
        return self.time.banks[seat] - sum(undone_times)


STEPS = st.lists(st.tuples(st.integers(0, 5 * HOUR), st.integers(-3, 4)), max_size=40)


def apply_step(model: ClockModel, wait: int, back: int) -> None:
    model.wait(wait)
    back = min(back, len(model.seats_played))
    model.undo_turns(back) if back > 0 else model.play()


@given(STEPS)
def test_undo_never_increases_time_bank(steps: list[tuple[int, int]]) -> None:
    model = ClockModel(BANK)
    for wait, back in steps:
        apply_step(model, wait, back)
        for seat in range(SEATS):
            earned_time = BANK.increment * model.seats_played.count(seat)
            assert model.compute_time_left(seat) <= BANK.bank + earned_time - model.elapsed[seat]


@given(STEPS)
def test_repeated_turn_keeps_used_time(steps: list[tuple[int, int]]) -> None:
    model = ClockModel(DAYS)
    used: dict[int, int] = {}
    """Used time by turn number."""
    for wait, back in steps:
        model.wait(wait)
        used[len(model.seats_played)] = compute_used_time(model.time, model.now)
        apply_step(model, 0, back)
        _merge_used_time(used, len(model.seats_played))
        assert compute_used_time(model.time, model.now) >= used.get(len(model.seats_played), 0)
        assert model.time.allowance == DAYS.turn


def _merge_used_time(used: dict[int, int], turn: int) -> None:
    for seat in range(SEATS):
        own_times = [one for one in used if one >= turn and one % SEATS == seat]
        if own_times:
            most = max(used.pop(one) for one in own_times)
            used[min(own_times)] = most


def test_undo_removes_increment_of_turn() -> None:
    model = ClockModel(Pace("bank", bank=10 * HOUR, increment=2 * HOUR))
    for _ in range(9):
        model.wait(HOUR)
        model.play()
        model.wait(MINUTE)
        model.undo_turns(1)
    assert compute_used_time(model.time, model.now) == 9 * HOUR
    assert compute_deadline(model.time) == model.now + HOUR


def test_interrupted_player_keeps_used_time_after_undo() -> None:
    model = ClockModel(DAYS)
    model.play()
    model.wait(20 * HOUR)
    model.undo_turns(1)
    assert compute_used_time(model.time, model.now) == 0
    model.wait(HOUR)
    model.play()
    assert (model.time.seat, compute_used_time(model.time, model.now)) == (1, 20 * HOUR)
    model.play()
    assert model.time.undone_turns == ()


def test_undo_keeps_granted_time() -> None:
    model = ClockModel(Pace("days", turn=HOUR))
    model.wait(2 * HOUR)
    model.time = replace(model.time, allowance=3 * HOUR)
    model.play()
    model.undo_turns(1)
    assert compute_deadline(model.time) == model.now + HOUR


def test_settled_clock_keeps_no_earlier_turns() -> None:
    model = ClockModel(BANK)
    model.play()
    assert [one.seat for one in model.time.past_turns] == [0]
    assert (forget_past_turns(model.time).past_turns, forget_past_turns(model.time).height) == ((), 0)


async def undo(timed_table: TimedTable, match_id: int, seat: int) -> None:
    table = await timed_table.load_table(match_id)
    user = table.seats[seat].user_id
    await timed_table.acts.act(match_id, TakeAction(user, Undo), request=timed_table.create_request_id())


@pytest.mark.parametrize(("clock", "rest"), [("days 1d", 9 * HOUR), ("bank 1d+6h", 9 * HOUR), ("live 50m", None)])
async def test_repeated_undo_gains_no_time(timed_table: TimedTable, clock: str, rest: int | None) -> None:
    table = await timed_table.open(seats=3, clock=clock)
    match_id = table.head.match_id
    for user in (GRACE, LINUS):
        await timed_table.interact(match_id, Join(user))
    seat = (await timed_table.load_table(match_id)).match.turn
    for _ in range(MAX_UNDOS):
        await timed_table.wait(5 * HOUR if rest else 10 * MINUTE)
        await timed_table.play_tentatively(match_id)
        assert (await timed_table.load_table(match_id)).match.turn != seat
        await undo(timed_table, match_id, seat)
    table = await timed_table.load_table(match_id)
    assert table.match.turn == seat
    assert compute_deadline(table.clock.time) == timed_table.time + (rest or 20 * MINUTE)
    assert timed_table.finished_jobs == [] or [kind for _, kind in timed_table.finished_jobs] == ["remind"]
    assert ADA in {row.user_id for row in table.seats}
