"""Races between a move and its deadline in two processes."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import text

from bot.core.user_settings import UserSettings
from bot.tables.acts import TableActions
from bot.tables.lobbies import TableRequest
from bot.tables.service import TableCache
from data.store.connection.open_database import open_engine
from data.store.store import Store
from engine.table.commands import Join, TakeAction
from engine.table.preferences import Preferences
from engine.table.refusals import Refusal, RefusalError
from tests.bot.timed_table import START, TimedTable, best
from tests.bot.use_cases import ADA, GRACE
from tests.depth import scaled

pytestmark = pytest.mark.deep

RACES = scaled(100, least=100)
STEP = 0.0002


@pytest.fixture
async def other_store(url: str, store: Store) -> AsyncIterator[Store]:
    other_store = await Store.open(url)
    yield other_store
    await other_store.close()


async def test_race_of_move_and_deadline_has_one_winner(store: Store, other_store: Store, tmp_path: Path) -> None:
    timed_table = TimedTable(store, START)
    tables = TableCache(other_store)
    acts = TableActions(other_store, tables, lambda: timed_table.time, lambda: bytes(32), presses=False)
    theirs = UserSettings(other_store, tables, acts, lambda: timed_table.time)
    won = {"move": 0, "deadline": 0}
    for user in (ADA, GRACE):
        await timed_table.people.set(user, lambda _: Preferences(remind=False))
    ahead, channel, streak, last = 0.0, 0, 0, ""
    while sum(won.values()) < RACES:
        channel += 1
        match_id = await _start_match(timed_table, channel)
        while sum(won.values()) < RACES:
            table = await timed_table.table(match_id)
            if table.head.state != "open":
                break
            winner = await _race(timed_table, theirs, match_id, ahead)
            won[winner] += 1
            streak, last = streak + 1 if winner == last else 1, winner
            ahead += streak * (STEP if winner == "deadline" else -STEP)
    assert min(won.values()) > RACES // 20, won
    engine = await open_engine(f"sqlite:///{tmp_path}/boneyard.db")
    async with engine.connect() as connection:
        gaps = await connection.execute(
            text(
                "SELECT count(*) FROM matches m WHERE seq != (SELECT count(*) FROM events e"
                " WHERE e.match_id = m.match_id) OR seq != (SELECT max(e.seq) FROM events e"
                " WHERE e.match_id = m.match_id)"
            )
        )
        assert gaps.scalar_one() == 0
    await engine.dispose()


async def _start_match(timed_table: TimedTable, channel: int) -> int:
    invitation = TableRequest(
        guild_id=10, channel_id=channel, host_id=ADA, game="triominoes", seats=2, clock="1d", target=60
    )
    table = await timed_table.acts.open(invitation, request=timed_table.request())
    await timed_table.act(table.head.match_id, Join(GRACE), request=timed_table.request())
    return table.head.match_id


async def _race(timed_table: TimedTable, theirs: UserSettings, match_id: int, ahead: float) -> str:
    table = await timed_table.table(match_id)
    head, user = table.head, table.find_turn_user()
    assert head.due.kind == "deadline"
    timed_table.time = head.due.at

    async def move() -> bool:
        await asyncio.sleep(-ahead)
        try:
            acted = await timed_table.acts.act(
                match_id, TakeAction(user, lambda seat: best(table, seat), head.seq), request=timed_table.request()
            )
        except RefusalError as refused:
            if refused.why is not Refusal.STALE:
                raise
            return False
        return bool(acted.events)

    async def run_out() -> bool:
        await asyncio.sleep(ahead)
        return await theirs.run_due(head)

    moved, ran_out = await asyncio.gather(move(), run_out())
    assert moved != ran_out
    if ran_out:
        after = await timed_table.table(match_id)
        opponent = GRACE if user == ADA else ADA
        if after.clock.watch.absence_question is not None:
            await timed_table.choose(after, opponent, "wait")
        else:
            # After the second timeout the computer plays the turn.
            await timed_table.tick()
    return "move" if moved else "deadline"
