"""Players who leave Discord or stop playing."""

from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

import pytest

from bot.tables.lobbies import TableRequest
from bot.tables.service import Table
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
from tests.bot.timed_table import START, TimedTable
from tests.bot.use_cases import GUILD
from tests.depth import scale_count

STEP = 6 * HOUR
DURATION = 90 * DAY
TABLES = min(100, scale_count(4))
VANISH_CHANCE = 0.3


@dataclass
class Party:
    channel: int
    people: list[int]
    vanish_times: dict[int, int]
    table: int = 0
    moves_at: int = 0  # The time of the next player's move
    patience: str = "wait"  # How the remaining players react when they have to wait

    def list_present(self, now: int) -> list[int]:
        return [person for person in self.people if self.vanish_times.get(person, now + 1) > now]


@dataclass
class GuildSimulation:
    timed_table: TimedTable
    rng: Random
    clock: str
    parties: list[Party] = field(default_factory=list)
    wait_times: list[int] = field(default_factory=list)
    recorded_waits: dict[int, int] = field(default_factory=dict)
    blockages: list[tuple[int, int]] = field(default_factory=list)

    async def open(self, party: Party) -> None:
        host, *others = party.list_present(self.timed_table.time) or [0]
        if not others:
            party.table = 0
            return
        table_request = TableRequest(
            guild_id=GUILD,
            channel_id=party.channel,
            host_id=host,
            game="triominoes",
            seats=len(others) + 1,
            clock=self.clock,
            target=5000,
        )
        table = await self.timed_table.acts.open(table_request, request=self.timed_table.create_request_id())
        for other in others:
            table = await self.timed_table.interact(table, Join(other))
        party.table = table.head.match_id
        party.people = [host, *others]

    async def run(self) -> None:
        for number in range(TABLES):
            people = [1000 + number * 10 + seat for seat in range(self.rng.choice((2, 2, 3, 4)))]
            chance = 1 if number % 8 == 0 else VANISH_CHANCE
            vanish_times = {
                one: START + self.rng.randrange(int(60 * DAY)) for one in people if self.rng.random() < chance
            }
            patience = self.rng.choice((*CHOICES, "abort", "nothing"))
            self.parties.append(Party(20 + number, people, vanish_times, patience=patience))
            await self.open(self.parties[-1])
        while self.timed_table.time < START + DURATION:
            await self.timed_table.wait(STEP)
            for party in self.parties:
                if party.table:
                    await self.advance_group(party)

    async def advance_group(self, party: Party) -> None:
        table, now = await self.timed_table.load_table(party.table), self.timed_table.time
        while table.head.state == "open":
            mover, present = table.find_turn_user(), party.list_present(now)
            self.record_waits(party, table, present)
            if mover not in present:
                await self.react_to_absence(party, table, present)
                return
            if party.moves_at == 0:
                party.moves_at = now + self.rng.choice((0, 0, STEP, DAY, 2 * DAY))
            if party.moves_at > now:
                return
            party.moves_at = 0
            try:
                table = await self.timed_table.play_turn(party.table)
            except (RefusalError, RuleError):
                table = await self.timed_table.load_table(party.table)
            await self.timed_table.tick()
            table = await self.timed_table.load_table(party.table)
        self.recorded_waits.pop(party.table, None)
        await self.open(party)

    async def react_to_absence(self, party: Party, table: Table, present: list[int]) -> None:
        if not present or party.patience == "nothing":
            return
        if party.patience == "abort":
            await self.abort(party, present)
        elif table.clock.watch.absence_question is not None:
            for one in present:
                table = await self.timed_table.load_table(party.table)
                if table.clock.watch.absence_question is not None:
                    command = ChooseAbsence(one, party.patience, table.clock.watch.absence_question)
                    await self.timed_table.interact(party.table, command)

    async def abort(self, party: Party, present: list[int]) -> None:
        table = await self.timed_table.load_table(party.table)
        if not self.can_end(table, present):
            return
        table = await self.timed_table.interact(party.table, AskPlayers(present[0], "abort"))
        while table.question is not None and table.question.waiting:
            user = table.seats[table.question.waiting[0]].user_id
            assert user is not None
            answer = AnswerQuestion(user, table.question.number, yes=True)
            table = await self.timed_table.interact(party.table, answer)
        assert table.head.state == "void"

    def can_end(self, table: Table, present: list[int]) -> bool:
        context = DecisionContext(
            now=self.timed_table.time,
            secret=table.head.secret,
            rules=table.rules,
            people={one: Person(user_id=one) for one in present},
            match_id=table.head.match_id,
            due=table.head.due,
        )
        try:
            decided = decide(table.state, table.event_log, AskPlayers(present[0], "abort"), context)
        except (RefusalError, RuleError):
            return False
        question = decided.table.question
        is_closed = any(isinstance(event, Closed) for event in decided.events)
        return is_closed or (
            question is not None and {table.seats[seat].user_id for seat in question.waiting} <= set(present)
        )

    def record_waits(self, party: Party, table: Table, present: list[int]) -> None:
        now, number = self.timed_table.time, table.head.match_id
        if table.find_turn_user() in present or not present:
            self.recorded_waits.pop(number, None)
        else:
            began = table.clock.watch.began
            has_exit = table.clock.watch.absence_question is not None or self.can_end(table, present)
            if self.recorded_waits.get(number) != began and (has_exit or now - began > 14 * DAY):
                # One entry per wait: the time until a free exit, or a mark that the wait is already too long.
                self.recorded_waits[number] = began
                self.wait_times.append(now - began)
        last_present = now if present else max((party.vanish_times[one] for one in party.people), default=0)
        pace = parse_pace(self.clock)
        if now - last_present > (len(party.people) + 1) * (
            pace.max_turn_time + pace.grace
        ) and not table.state.can_vacate(table.match):
            self.blockages.append((number, now))

    async def list_longest_gaps(self) -> list[int]:
        found = []
        for number in await self._list_match_ids():
            head = await self.timed_table.store.matches.find_head(number)
            times = [entry.at for entry in await self.timed_table.store.matches.load_log(number)]
            times += [self.timed_table.time] if head.state == "open" else []
            found.append(max((later - earlier for earlier, later in pairwise(times)), default=0))
        return found

    async def _list_match_ids(self) -> list[int]:
        found, number = [], 1
        while await self.timed_table.store.matches.find_head(number) is not None:
            found.append(number)
            number += 1
        return found


@pytest.mark.parametrize(("clock", "max_wait"), [(DEFAULT_CLOCK, 14 * DAY), (RELAXED, 15 * DAY)])
async def test_ninety_days_with_vanishing_players_leave_no_stuck_table(
    timed_table: TimedTable, clock: str, max_wait: int
) -> None:
    simulation = GuildSimulation(timed_table, Random(11), clock)
    await simulation.run()
    assert sum(bool(party.vanish_times) for party in simulation.parties) > TABLES // 3
    assert simulation.blockages == []
    assert max(await simulation.list_longest_gaps()) < IDLE_SPAN
    assert max(simulation.wait_times) <= max_wait
    vanished_parties = [party for party in simulation.parties if not party.list_present(timed_table.time - 28 * DAY)]
    for party in vanished_parties:
        if party.table == 0:
            continue  # it has ended automatically
        if (await timed_table.load_table(party.table)).head.state == "open":
            await timed_table.act(party.table, VacateChannel(None))
        assert (await timed_table.load_table(party.table)).head.state == "void"
    assert vanished_parties
