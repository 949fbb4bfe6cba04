"""Taking a tile back gives nobody time: the clock goes on as if the tile had not been played."""

from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.match.actions import TakeBack
from engine.table.clock import Time, deadline, rewound, settled, spent, turned
from engine.table.commands import Act, Join
from engine.table.table_state import MOST_TAKEN_BACK
from engine.table.terms import DAY, HOUR, MINUTE, Pace
from tests.bot.timed_table import TimedTable
from tests.bot.use_cases import ADA, GRACE, LINUS

START = 1_760_000_000_000
SEATS = 3
DAYS = Pace("days", turn=5 * DAY)
BANK = Pace("bank", bank=9 * DAY, increment=HOUR)


@dataclass
class Told:
    pace: Pace
    now: int = START
    played: list[int] = field(default_factory=list)
    ran: list[int] = field(default_factory=lambda: [0] * SEATS)
    time: Time = field(default_factory=Time)

    def __post_init__(self) -> None:
        self.time = turned(Time(), self.pace, SEATS, 0, self.now)

    @property
    def seat(self) -> int:
        return len(self.played) % SEATS

    def wait(self, span: int) -> None:
        self.now += span
        self.ran[self.seat] += span

    def play(self) -> None:
        self.played.append(self.seat)
        self.time = turned(self.time, self.pace, SEATS, self.seat, self.now, len(self.played))

    def take_back(self, turns: int) -> None:
        del self.played[len(self.played) - turns :]
        self.time = rewound(self.time, self.pace, SEATS, self.seat, self.now, len(self.played))

    def left(self, seat: int) -> int:
        open_ = [one.used for one in self.time.broken if one.seat == seat]
        if seat == self.time.seat:
            open_.append(spent(self.time, self.now))
        return self.time.banks[seat] - sum(open_)


Steps = st.lists(st.tuples(st.integers(0, 5 * HOUR), st.integers(-3, 4)), max_size=40)


def follow(told: Told, wait: int, back: int) -> None:
    told.wait(wait)
    back = min(back, len(told.played))
    told.take_back(back) if back > 0 else told.play()


@given(Steps)
def test_undo_never_increases_time_bank(steps: list[tuple[int, int]]) -> None:
    told = Told(BANK)
    for wait, back in steps:
        follow(told, wait, back)
        for seat in range(SEATS):
            earned = BANK.increment * told.played.count(seat)
            assert told.left(seat) <= BANK.bank + earned - told.ran[seat]


@given(Steps)
def test_repeated_turn_keeps_used_time(steps: list[tuple[int, int]]) -> None:
    told = Told(DAYS)
    used: dict[int, int] = {}
    """By turn, counted from the first: what had been used of it."""
    for wait, back in steps:
        told.wait(wait)
        used[len(told.played)] = spent(told.time, told.now)
        follow(told, 0, back)
        _fold(used, len(told.played))
        assert spent(told.time, told.now) >= used.get(len(told.played), 0)
        assert told.time.allowance == DAYS.turn


def _fold(used: dict[int, int], turn: int) -> None:
    for seat in range(SEATS):
        mine = [one for one in used if one >= turn and one % SEATS == seat]
        if mine:
            most = max(used.pop(one) for one in mine)
            used[min(mine)] = most


def test_undo_removes_increment_of_turn() -> None:
    told = Told(Pace("bank", bank=10 * HOUR, increment=2 * HOUR))
    for _ in range(9):
        told.wait(HOUR)
        told.play()
        told.wait(MINUTE)
        told.take_back(1)
    assert spent(told.time, told.now) == 9 * HOUR
    assert deadline(told.time) == told.now + HOUR


def test_interrupted_player_keeps_used_time_after_undo() -> None:
    told = Told(DAYS)
    told.play()
    told.wait(20 * HOUR)
    told.take_back(1)
    assert spent(told.time, told.now) == 0
    told.wait(HOUR)
    told.play()
    assert (told.time.seat, spent(told.time, told.now)) == (1, 20 * HOUR)
    told.play()
    assert told.time.broken == ()


def test_undo_keeps_granted_time() -> None:
    told = Told(Pace("days", turn=HOUR))
    told.wait(2 * HOUR)
    told.time = replace(told.time, allowance=3 * HOUR)
    told.play()
    told.take_back(1)
    assert deadline(told.time) == told.now + HOUR


def test_settled_clock_keeps_no_earlier_turns() -> None:
    told = Told(BANK)
    told.play()
    assert [one.seat for one in told.time.spells] == [0]
    assert (settled(told.time).spells, settled(told.time).height) == ((), 0)


async def undo(timed_table: TimedTable, match_id: int, seat: int) -> None:
    table = await timed_table.table(match_id)
    user = table.seats[seat].user_id
    await timed_table.acts.act(match_id, Act(user, TakeBack), request=timed_table.request())


@pytest.mark.parametrize(("clock", "rest"), [("days 1d", 9 * HOUR), ("bank 1d+6h", 9 * HOUR), ("live 50m", None)])
async def test_repeated_undo_gains_no_time(timed_table: TimedTable, clock: str, rest: int | None) -> None:
    table = await timed_table.open(seats=3, clock=clock)
    match_id = table.head.match_id
    for user in (GRACE, LINUS):
        await timed_table.act(match_id, Join(user), request=timed_table.request())
    seat = (await timed_table.table(match_id)).match.turn
    for _ in range(MOST_TAKEN_BACK):
        await timed_table.wait(5 * HOUR if rest else 10 * MINUTE)
        await timed_table.place(match_id)
        assert (await timed_table.table(match_id)).match.turn != seat
        await undo(timed_table, match_id, seat)
    table = await timed_table.table(match_id)
    assert table.match.turn == seat
    assert deadline(table.clock.time) == timed_table.time + (rest or 20 * MINUTE)
    assert timed_table.done == [] or [kind for _, kind in timed_table.done] == ["remind"]
    assert ADA in {row.user_id for row in table.seats}
