"""A match of ninety days with a vacation, a time change and one day of downtime."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from simcord import MemberActor

from bot.client import SWEEP_INTERVAL
from data.store.connection.shards import PULSE_PREFIX
from engine.table.terms import DAY, HOUR, MINUTE
from tests.bot.messages import words_of
from tests.bot.simulated_guild import SimGuild
from tests.wording import says

pytestmark = pytest.mark.deep

PARIS = ZoneInfo("Europe/Paris")
KINDS = {"remind.deadline": "reminder", "absence.asked": "question", "notice.away": "vacation"}


@dataclass
class Season:
    sim: SimGuild
    seen: set[int] = field(default_factory=set)
    said: list[tuple[int, str]] = field(default_factory=list)

    async def until(self, time: int) -> None:
        while True:
            due = (await self.sim.head()).due
            if due is None or due.at > time:
                break
            await self._at(due.at)
        await self._at(time)

    async def away_until(self, time: int) -> None:
        self.sim.clock.skipped += max(0, time - self.sim.clock())
        await self.sim.restart()
        await self.sim.env.advance_time(2 * SWEEP_INTERVAL)
        self._note()

    async def _at(self, time: int) -> None:
        self.sim.clock.skipped += max(0, time - self.sim.clock())
        await self.sim.store.operations.record_pulse(PULSE_PREFIX, now=self.sim.clock())
        await self.sim.env.advance_time(2 * SWEEP_INTERVAL)
        self._note()

    def _note(self) -> None:
        for message in self.sim.public():
            if message.id in self.seen:
                continue
            self.seen.add(message.id)
            kind = next((kind for key, kind in KINDS.items() if says(words_of(message), key)), None)
            if kind is not None:
                self.said.append((self.sim.clock(), kind))

    def count(self, since: int = 0) -> Counter[str]:
        return Counter(kind for at, kind in self.said if at >= since)


def night(at: int) -> bool:
    hour = datetime.fromtimestamp(at / 1000, PARIS).hour
    return hour >= 22 or hour < 7


async def test_season_sends_each_reminder_once_never_at_night(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    await sim.table(ada, grace, clock="3d", target=5000)
    await grace.slash(sim.channel, "tiles settings", quiet="22:00-07:00", zone="Europe/Paris")
    await ada.slash(sim.channel, "tiles settings", remind=False)
    season, start = Season(sim), sim.clock()
    gone = outage = False
    slow_turns = 0
    while sim.clock() < start + 90 * DAY:
        mover, called = sim.to_move(), sim.clock()
        if mover.id == ada.id:
            await season.until(called + 7 * HOUR)
        else:
            # Grace waits longer than the reminder delay and its quiet hours.
            if not gone and called > start + 20 * DAY:
                gone = True
                await grace.slash(sim.channel, "tiles settings", vacation=10)
                await season.until(called + 10 * DAY)
                called = sim.clock()
            if not outage and called > start + 50 * DAY:
                outage = True
                await season.until(called + DAY)
                await season.away_until(called + 2 * DAY)
                called += DAY
            slow_turns += 1
            await season.until(called + 3 * DAY - 2 * MINUTE)
        board = sim.board().id
        await sim.play_by_typing(mover)
        season.seen.add(board)
    assert gone
    assert outage
    assert datetime.fromtimestamp(sim.clock() / 1000, UTC) > datetime(2026, 3, 30, tzinfo=UTC)
    assert season.count() == {"reminder": slow_turns, "vacation": 1}
    assert [at for at, kind in season.said if kind == "reminder" and night(at)] == []
    log = await sim.loaded()
    assert log.head.state == "open"


async def test_silent_season_asks_once_then_computer_plays(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace, clock="3d", target=5000)
    silent = sim.to_move()
    other = sim.waiting()
    season, start = Season(sim), sim.clock()
    turns = 0
    while sim.clock() < start + 40 * DAY:
        mover, called, call = sim.to_move(), sim.clock(), sim.calls()[-1].id
        if mover.id == silent.id:
            turns += 1
            # The first time, the other players get one more day to decide.
            await season.until(called + 3 * DAY + (DAY if turns == 1 else 0))
            await season.until(sim.clock() + MINUTE)
            # The turn returns only where the other player could not move.
            assert sim.calls()[-1].id != call
        else:
            await season.until(called + 7 * HOUR)
            await sim.play_by_typing(other)
    assert turns > 8
    assert season.count() == {"question": 1, "reminder": turns}
