"""A match of ninety days with a vacation, a time change and one day of downtime."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from bot.client import SWEEP_INTERVAL
from data.store.connection.shards import PULSE_PREFIX
from engine.table.terms import DAY, HOUR, MINUTE
from tests.bot.member import Member
from tests.bot.messages import read_text
from tests.bot.simulated_guild import SimGuild
from tests.wording import has_sentence

pytestmark = pytest.mark.deep

PARIS = ZoneInfo("Europe/Paris")
KINDS = {"remind.deadline": "reminder", "absence.asked": "question", "notice.away": "vacation"}


@dataclass
class LongMatch:
    sim: SimGuild
    seen_ids: set[int] = field(default_factory=set)
    notices: list[tuple[int, str]] = field(default_factory=list)

    async def advance_to(self, time: int) -> None:
        while True:
            due = (await self.sim.load_head()).due
            if due is None or due.at > time:
                break
            await self._skip_to(due.at)
        await self._skip_to(time)

    async def stay_offline_until(self, time: int) -> None:
        self.sim.clock.skipped_ms += max(0, time - self.sim.clock())
        await self.sim.restart()
        await self.sim.env.advance_time(2 * SWEEP_INTERVAL)
        self._note_messages()

    async def _skip_to(self, time: int) -> None:
        self.sim.clock.skipped_ms += max(0, time - self.sim.clock())
        await self.sim.store.operations.record_pulse(PULSE_PREFIX, now=self.sim.clock())
        await self.sim.env.advance_time(2 * SWEEP_INTERVAL)
        self._note_messages()

    def _note_messages(self) -> None:
        for message in self.sim.list_public_messages():
            if message.id in self.seen_ids:
                continue
            self.seen_ids.add(message.id)
            kind = next((kind for key, kind in KINDS.items() if has_sentence(read_text(message), key)), None)
            if kind is not None:
                self.notices.append((self.sim.clock(), kind))

    def count_notices(self, since: int = 0) -> Counter[str]:
        return Counter(kind for at, kind in self.notices if at >= since)


def is_night(at: int) -> bool:
    hour = datetime.fromtimestamp(at / 1000, PARIS).hour
    return hour >= 22 or hour < 7


async def test_season_sends_each_reminder_once_never_at_night(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, clock="3d", target=5000)
    await grace.use_command("tiles settings", quiet="22:00-07:00", zone="Europe/Paris")
    await ada.use_command("tiles settings", remind=False)
    long_match, start = LongMatch(sim), sim.clock()
    had_vacation = had_outage = False
    slow_turns = 0
    while sim.clock() < start + 90 * DAY:
        mover, called_at = sim.get_called_player(), sim.clock()
        if mover.id == ada.id:
            await long_match.advance_to(called_at + 7 * HOUR)
        else:
            # Grace waits longer than the reminder delay and its quiet hours.
            if not had_vacation and called_at > start + 20 * DAY:
                had_vacation = True
                await grace.use_command("tiles settings", vacation=10)
                await long_match.advance_to(called_at + 10 * DAY)
                called_at = sim.clock()
            if not had_outage and called_at > start + 50 * DAY:
                had_outage = True
                await long_match.advance_to(called_at + DAY)
                await long_match.stay_offline_until(called_at + 2 * DAY)
                called_at += DAY
            slow_turns += 1
            await long_match.advance_to(called_at + 3 * DAY - 2 * MINUTE)
        board = sim.get_board().id
        await sim.play_by_typing(mover)
        long_match.seen_ids.add(board)
    assert had_vacation
    assert had_outage
    assert datetime.fromtimestamp(sim.clock() / 1000, UTC) > datetime(2026, 3, 30, tzinfo=UTC)
    assert long_match.count_notices() == {"reminder": slow_turns, "vacation": 1}
    assert [at for at, kind in long_match.notices if kind == "reminder" and is_night(at)] == []
    log = await sim.load_stored_match()
    assert log.head.state == "open"


async def test_silent_season_asks_once_then_computer_plays(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, clock="3d", target=5000)
    silent = sim.get_called_player()
    other = sim.get_waiting_player()
    long_match, start = LongMatch(sim), sim.clock()
    turns = 0
    while sim.clock() < start + 40 * DAY:
        mover, called_at, call = sim.get_called_player(), sim.clock(), sim.list_calls()[-1].id
        if mover.id == silent.id:
            turns += 1
            # The first time, the other players get one more day to decide.
            await long_match.advance_to(called_at + 3 * DAY + (DAY if turns == 1 else 0))
            await long_match.advance_to(sim.clock() + MINUTE)
            # The turn returns only where the other player could not move.
            assert sim.list_calls()[-1].id != call
        else:
            await long_match.advance_to(called_at + 7 * HOUR)
            await sim.play_by_typing(other)
    assert turns > 8
    assert long_match.count_notices() == {"question": 1, "reminder": turns}
