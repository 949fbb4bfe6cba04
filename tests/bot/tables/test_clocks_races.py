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
from tests.bot.timed_table import TimedTable, choose_best_action
from tests.bot.use_cases import ADA, GRACE
from tests.depth import scale_count

pytestmark = pytest.mark.deep

RACE_COUNT = scale_count(100, least=100)
OFFSET_STEP = 0.0002


@pytest.fixture
async def other_store(url: str, store: Store) -> AsyncIterator[Store]:
    other_store = await Store.open(url)
    yield other_store
    await other_store.close()


async def test_race_of_move_and_deadline_has_one_winner(store: Store, other_store: Store, tmp_path: Path) -> None:
    timed_table = TimedTable(store)
    tables = TableCache(other_store)
    acts = TableActions(other_store, tables, lambda: timed_table.time, lambda: bytes(32), presses=False)
    other_settings = UserSettings(other_store, tables, acts, lambda: timed_table.time)
    wins = {"move": 0, "deadline": 0}
    for user in (ADA, GRACE):
        await timed_table.user_settings.set(user, lambda _: Preferences(remind=False))
    head_start, channel, streak, last = 0.0, 0, 0, ""
    while sum(wins.values()) < RACE_COUNT:
        channel += 1
        invitation = TableRequest(
            guild_id=10, channel_id=channel, host_id=ADA, game="triominoes", seats=2, clock="1d", target=60
        )
        table = await timed_table.acts.open(invitation, request=timed_table.create_request_id())
        await timed_table.interact(table, Join(GRACE))
        match_id = table.head.match_id
        while sum(wins.values()) < RACE_COUNT:
            table = await timed_table.load_table(match_id)
            if table.head.state != "open":
                break
            winner = await _run_race(timed_table, other_settings, match_id, head_start)
            wins[winner] += 1
            streak, last = streak + 1 if winner == last else 1, winner
            head_start += streak * (OFFSET_STEP if winner == "deadline" else -OFFSET_STEP)
    assert min(wins.values()) > RACE_COUNT // 20, wins
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


async def _run_race(timed_table: TimedTable, other_settings: UserSettings, match_id: int, head_start: float) -> str:
    table = await timed_table.load_table(match_id)
    head, user = table.head, table.find_turn_user()
    assert head.due.kind == "deadline"
    timed_table.time = head.due.at

    async def move() -> bool:
        await asyncio.sleep(-head_start)
        try:
            acted = await timed_table.acts.act(
                match_id,
                TakeAction(user, lambda seat: choose_best_action(table, seat), head.seq),
                request=timed_table.create_request_id(),
            )
        except RefusalError as refused:
            if refused.why is not Refusal.STALE:
                raise
            return False
        return bool(acted.events)

    async def run_out() -> bool:
        await asyncio.sleep(head_start)
        return await other_settings.run_due(head)

    has_moved, has_run_out = await asyncio.gather(move(), run_out())
    assert has_moved != has_run_out
    if has_run_out:
        after = await timed_table.load_table(match_id)
        opponent = GRACE if user == ADA else ADA
        if after.clock.watch.absence_question is not None:
            await timed_table.choose_absence(after, opponent, "wait")
        else:
            # After the second timeout the computer plays the turn.
            await timed_table.tick()
    return "move" if has_moved else "deadline"
