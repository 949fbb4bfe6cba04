"""Players who leave Discord or stop playing."""

import logging
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

import pytest

from bot.tables.lobbies import TableRequest
from bot.tables.service import Table
from data.store.store import Store
from engine.match.errors import RuleError
from engine.table.absence import CHOICES
from engine.table.commands import AnswerQuestion, AskPlayers, ChooseAbsence, Join, VacateChannel
from engine.table.decide_table import decide
from engine.table.evolve import DecisionContext
from engine.table.preferences import Person
from engine.table.refusals import RefusalError
from engine.table.table_events import Closed
from engine.table.table_state import IDLE_SPAN
from engine.table.terms import DAY, DEFAULT_CLOCK, HOUR, RELAXED, parse_pace
from tests.bot.timed_table import TimedTable
from tests.bot.use_cases import GUILD
from tests.depth import scaled

pytestmark = pytest.mark.deep

START = 1_768_046_400_000
STEP = 6 * HOUR
SEASON = 90 * DAY
TABLES = min(100, scaled(4))
VANISH = 0.3


@dataclass
class Party:
    channel: int
    people: list[int]
    gone: dict[int, int]
    table: int = 0
    moves_at: int = 0  # The time of the next player's move
    patience: str = "wait"  # How the remaining players react when they have to wait

    def there(self, now: int) -> list[int]:
        return [person for person in self.people if self.gone.get(person, now + 1) > now]


@dataclass
class Season:
    timed_table: TimedTable
    rng: Random
    clock: str
    parties: list[Party] = field(default_factory=list)
    waited: list[int] = field(default_factory=list)
    stuck: dict[int, int] = field(default_factory=dict)
    blocked: list[tuple[int, int]] = field(default_factory=list)
    silent: list[tuple[int, int]] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)

    async def open(self, party: Party) -> None:
        host, *others = party.there(self.timed_table.time) or [0]
        if not others:
            party.table = 0
            return
        asked = TableRequest(
            guild_id=GUILD,
            channel_id=party.channel,
            host_id=host,
            game="triominoes",
            seats=len(others) + 1,
            clock=self.clock,
            target=5000,
        )
        table = await self.timed_table.acts.open(asked, request=self.timed_table.request())
        for other in others:
            table = await self.timed_table.act(table.head.match_id, Join(other), request=self.timed_table.request())
        party.table = table.head.match_id
        party.people = [host, *others]

    async def pass_by(self) -> None:
        for number in range(TABLES):
            people = [1000 + number * 10 + seat for seat in range(self.rng.choice((2, 2, 3, 4)))]
            chance = 1 if number % 8 == 0 else VANISH
            gone = {one: START + self.rng.randrange(int(60 * DAY)) for one in people if self.rng.random() < chance}
            patience = self.rng.choice((*CHOICES, "abort", "nothing"))
            self.parties.append(Party(20 + number, people, gone, patience=patience))
            await self.open(self.parties[-1])
        while self.timed_table.time < START + SEASON:
            await self.timed_table.wait(STEP)
            for party in self.parties:
                if party.table:
                    await self.live(party)

    async def live(self, party: Party) -> None:
        table, now = await self.timed_table.table(party.table), self.timed_table.time
        while table.head.state == "open":
            mover, there = table.find_turn_user(), party.there(now)
            self.look(party, table, there)
            if mover not in there:
                await self.wait(party, table, there)
                return
            if party.moves_at == 0:
                party.moves_at = now + self.rng.choice((0, 0, STEP, DAY, 2 * DAY))
            if party.moves_at > now:
                return
            party.moves_at = 0
            try:
                table = await self.timed_table.move(party.table)
            except (RefusalError, RuleError):
                table = await self.timed_table.table(party.table)
            await self.timed_table.tick()
            table = await self.timed_table.table(party.table)
        self.stuck.pop(party.table, None)
        self.ended.append(table.state.close_reason or table.head.state)
        await self.open(party)

    async def wait(self, party: Party, table: Table, there: list[int]) -> None:
        if not there or party.patience == "nothing":
            return
        if party.patience == "abort":
            await self.abort(party, there)
        elif table.clock.watch.absence_question is not None:
            for one in there:
                choice = next(choice for choice in CHOICES if choice == party.patience)
                table = await self.timed_table.table(party.table)
                if table.clock.watch.absence_question is not None:
                    asked = ChooseAbsence(one, choice, table.clock.watch.absence_question)
                    await self.timed_table.act(party.table, asked, request=self.timed_table.request())

    async def abort(self, party: Party, there: list[int]) -> None:
        table = await self.timed_table.table(party.table)
        if not self.can_end(table, there):
            return
        table = await self.timed_table.act(
            party.table, AskPlayers(there[0], "abort"), request=self.timed_table.request()
        )
        while table.question is not None and table.question.waiting:
            user = table.seats[table.question.waiting[0]].user_id
            assert user is not None
            answer = AnswerQuestion(user, table.question.number, yes=True)
            table = await self.timed_table.act(party.table, answer, request=self.timed_table.request())
        assert table.head.state == "void"

    def can_end(self, table: Table, there: list[int]) -> bool:
        given = DecisionContext(
            now=self.timed_table.time,
            secret=table.head.secret,
            rules=table.rules,
            people={one: Person(user_id=one) for one in there},
            match_id=table.head.match_id,
            due=table.head.due,
        )
        try:
            decided = decide(table.state, table.event_log, AskPlayers(there[0], "abort"), given)
        except (RefusalError, RuleError):
            return False
        asked = decided.table.question
        alone = any(isinstance(event, Closed) for event in decided.events)
        return alone or (asked is not None and {table.seats[seat].user_id for seat in asked.waiting} <= set(there))

    def look(self, party: Party, table: Table, there: list[int]) -> None:
        now, number = self.timed_table.time, table.head.match_id
        if table.find_turn_user() in there or not there:
            self.stuck.pop(number, None)
        else:
            began = table.clock.watch.began
            out = table.clock.watch.absence_question is not None or self.can_end(table, there)
            if self.stuck.get(number) != began and (out or now - began > 14 * DAY):
                # One entry per wait: the time until a free exit, or a mark that the wait is already too long.
                self.stuck[number] = began
                self.waited.append(now - began)
        lost = now if there else max((party.gone[one] for one in party.people), default=0)
        pace = parse_pace(self.clock)
        if now - lost > (len(party.people) + 1) * (pace.max_turn_time + pace.grace) and not table.state.can_vacate(
            table.match
        ):
            self.blocked.append((number, now))

    async def gaps(self) -> list[int]:
        found = []
        for number in await self._numbers():
            head = await self.timed_table.store.matches.find_head(number)
            times = [entry.at for entry in await self.timed_table.store.matches.load_log(number)]
            times += [self.timed_table.time] if head.state == "open" else []
            found.append(max((later - earlier for earlier, later in pairwise(times)), default=0))
        return found

    async def tell(self) -> None:
        logging.getLogger(__name__).warning(
            "%s: %d channels, %d tables, %d people of whom %d vanished; %d times somebody waited, %.2f days at most;"
            " %d blocked channels, %.1f days of silence at most; ended: %s",
            self.clock,
            len(self.parties),
            len(await self._numbers()),
            sum(len(party.gone.keys() | set(party.people)) for party in self.parties),
            sum(len(party.gone) for party in self.parties),
            len(self.waited),
            max(self.waited) / DAY,
            len({number for number, _ in self.blocked}),
            max(await self.gaps()) / DAY,
            dict(Counter(self.ended)),
        )

    async def _numbers(self) -> list[int]:
        found, number = [], 1
        while await self.timed_table.store.matches.find_head(number) is not None:
            found.append(number)
            number += 1
        return found


@pytest.fixture
def rooms(store: Store) -> TimedTable:
    return TimedTable(store, START)


async def season_at(rooms: TimedTable, clock: str) -> Season:
    season = Season(rooms, Random(11), clock)
    await season.pass_by()
    return season


async def test_ninety_days_with_vanishing_players_leave_no_stuck_table(rooms: TimedTable) -> None:
    season = await season_at(rooms, DEFAULT_CLOCK)
    assert sum(bool(party.gone) for party in season.parties) > TABLES // 3
    await season.tell()
    assert season.blocked == []
    assert max(await season.gaps()) < IDLE_SPAN
    assert season.waited
    assert max(season.waited) <= 14 * DAY
    left = [party for party in season.parties if not party.there(rooms.time - 28 * DAY)]
    for party in left:
        if party.table == 0:
            continue  # it has ended automatically
        if (await rooms.table(party.table)).head.state == "open":
            await rooms.act(party.table, VacateChannel(None))
        assert (await rooms.table(party.table)).head.state == "void"
    assert left


async def test_ninety_days_at_relaxed_tables_leave_no_stuck_table(rooms: TimedTable) -> None:
    season = await season_at(rooms, RELAXED)
    await season.tell()
    assert season.blocked == []
    assert max(await season.gaps()) < IDLE_SPAN
    assert max(season.waited) <= 15 * DAY
