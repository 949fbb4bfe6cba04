"""Use cases with a clock that jumps from one due time to the next, without Discord."""

from dataclasses import dataclass, field

from bot.tables.service import Table
from data.store.outbox.outbox_values import OutboxRow
from engine.match.actions import Draw, Pass, Play
from engine.match.player_view import view_for
from engine.table.commands import ChooseAbsence, Join, TakeAction
from engine.table.table_events import Choice
from engine.table.terms import DAY
from tests.bot.use_cases import UseCases, get_match_id

START = 1_768_046_400_000
"""10 January 2026, 12:00 UTC."""


@dataclass
class TimedTable(UseCases):
    """The use cases, with methods that let time pass."""

    time: int = START
    finished_jobs: list[tuple[int, str]] = field(default_factory=list)
    """Time and kind of each due job that ran."""

    async def tick(self) -> None:
        """Run all due jobs, like the sweep."""
        while heads := await self.store.matches.list_due_heads(self.time, limit=50):
            for head in heads:
                if head.due.kind == "computer":
                    await self.play_computers(head.match_id)
                elif await self.user_settings.run_due(head):
                    self.finished_jobs.append((self.time, head.due.kind))

    async def wait_until(self, time: int) -> None:
        """Advance the clock and run each job at its due time."""
        await self.tick()
        while heads := await self.store.matches.list_due_heads(time, limit=1):
            self.time = max(self.time, heads[0].due.at)
            await self.tick()
        self.time = time

    async def wait(self, span: int) -> None:
        await self.wait_until(self.time + span)

    async def load_table(self, table: Table | int) -> Table:
        return await self.tables.load(get_match_id(table))

    async def play_turn(self, table: Table | int) -> Table:
        return await self.settle_turn(await self.play_tentatively(table))

    async def play_tentatively(self, table: Table | int) -> Table:
        table = await self.load_table(table)
        user = table.find_turn_user()
        return await self.interact(table, TakeAction(user, lambda seat: choose_best_action(table, seat)))

    async def choose_absence(self, table: Table, user_id: int, choice: Choice) -> Table:
        return await self.interact(table, ChooseAbsence(user_id, choice, table.clock.watch.absence_question))

    async def choose_end(self, table: Table) -> Table:
        """Let all present players choose to end the match."""
        absent_user, question = table.find_turn_user(), table.clock.watch.absence_question
        for row in table.seats:
            if row.user_id not in (None, absent_user):
                assert table.head.state == "open"
                table = await self.interact(table, ChooseAbsence(row.user_id, "end", question))
        return table

    async def list_posts(self, kind: str) -> list[OutboxRow]:
        """Return the unsent posts of a kind."""
        return [row for row in await self.store.outbox.list_due(self.time, limit=10_000) if row.kind == kind]


def choose_best_action(table: Table, seat: int) -> Play | Draw | Pass:
    view = view_for(table.match, seat)
    if view.moves:
        move = view.moves[0].placement
        return Play(seat, move.tile, move.cell, move.rotation)
    return Draw(seat) if view.can_draw else Pass(seat)


async def start_match(timed_table: TimedTable, *others: int, **terms: str | bool | int) -> Table:
    """Start a match of Ada and others, by default with one day a turn."""
    table = await timed_table.open(seats=len(others) + 1, **{"clock": "1d", **terms})
    for other in others:
        table = await timed_table.interact(table, Join(other))
    return table


def get_waiting_user(table: Table) -> int:
    turn = table.find_turn_user()
    return next(row.user_id for row in table.seats if row.user_id not in (None, turn))


async def let_turn_expire(timed_table: TimedTable, table: Table) -> Table:
    await timed_table.wait(DAY)
    return await timed_table.load_table(table)
