"""Actions at a table: the decided events are stored, and an unreadable log does not affect other tables."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import aiohttp
import discord
import pytest

from bot.core.admission import Admission, NoRateLimit
from bot.core.context import Context
from bot.core.dispatch import dispatch
from bot.core.layout import CustomId
from bot.sending.live_hands import LiveHands
from bot.tables.acts import TableActions
from bot.tables.service import TableCache
from data.store.connection.faults import DatabaseFault, DatabaseUnavailable
from data.store.connection.shards import PULSE_PREFIX, Shard
from data.store.connection.store_errors import DamagedLog
from data.store.log.match_values import LoadedMatch
from data.store.store import Store
from data.words import load_words
from engine.match.actions import Play
from engine.match.events import Started
from engine.match.player_view import view_for
from engine.table.commands import AnswerQuestion, AskPlayers, Moderate, TakeAction
from engine.table.table_state import Outage
from engine.table.terms import DAY, HOUR
from tests.bot.core.forged_interactions import ForgedInteraction
from tests.bot.simulated_guild import derive_secret
from tests.bot.timed_table import START, TimedTable, start_match
from tests.bot.use_cases import ADA, CHANNEL, GRACE, LINUS, UseCases

MARY, NEMO = 8, 9


async def test_replayed_clock_equals_decided_clock_after_slow_write(store: Store, timed_table: TimedTable) -> None:
    def ticking_clock() -> int:
        timed_table.time += 1
        return timed_table.time

    timed_table.acts = TableActions(store, timed_table.tables, ticking_clock, lambda: derive_secret(1), presses=False)
    table = await start_match(timed_table, GRACE)
    await timed_table.acts.act(table.head.match_id, Moderate("pause", MARY, ""))
    await timed_table.acts.act(table.head.match_id, Moderate("resume", MARY, ""))
    table = await timed_table.play_turn(table)
    assert (await TableCache(store).load(table.head.match_id)).state == table.state


async def test_substitute_on_vacation_stops_clock_of_seat(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE, LINUS)
    match_id, owner = table.head.match_id, table.find_turn_user()
    asker = next(user for user in (ADA, GRACE, LINUS) if user != owner)
    await timed_table.user_settings.set_vacation(NEMO, 5)
    question = (await timed_table.act(match_id, AskPlayers(asker, "substitute", NEMO, owner))).question
    await timed_table.act(match_id, AnswerQuestion(NEMO, question.number, yes=True))
    table = await timed_table.act(match_id, AnswerQuestion(owner, question.number, yes=True))
    assert table.find_turn_user() == NEMO
    assert table.clock.time.since == START + 5 * DAY, "nobody's time runs while they are away"


@pytest.mark.parametrize("wrong", ["a hole", "a row of another version"])
async def test_unreadable_table_does_not_block_outage_credit_of_others(
    store: Store, timed_table: TimedTable, monkeypatch: pytest.MonkeyPatch, logged_errors: list[str], wrong: str
) -> None:
    table, other = await start_match(timed_table, GRACE), await start_match(timed_table, LINUS, channel_id=CHANNEL + 1)
    broken, mover, load = table.head.match_id, table.find_turn_user(), store.matches.load
    while other.find_turn_user() == mover:
        other = await timed_table.play_turn(other)
    readable_id = other.head.match_id

    async def load_damaged(match_id: int) -> LoadedMatch | None:
        loaded = await load(match_id)
        if loaded is None or match_id != broken:
            return loaded
        if wrong == "a row of another version":
            raise DamagedLog(match_id, 3, "its kind 'dealt' is unknown")
        return replace(loaded, log=tuple(entry for entry in loaded.log if not isinstance(entry.event, Started)))

    monkeypatch.setattr(store.matches, "load", load_damaged)
    await store.operations.record_pulse(PULSE_PREFIX, now=START)
    assert await store.operations.note_outage(Shard(), Outage(start=START, end=START + HOUR), pulse=START)
    timed_table.time += HOUR
    restarted = TimedTable(store, timed_table.time)
    assert await restarted.outage_credit.finish() == [readable_id]
    assert await restarted.outage_credit.finish() == []
    (line,) = logged_errors
    assert "'match': 1" in line
    logged_errors.clear()


async def test_computers_play_until_next_player_turn(use_cases: UseCases) -> None:
    table = await use_cases.open(computers=2)
    refreshed_ids: list[int] = []

    async def look(match_id: int) -> None:
        refreshed_ids.append((await use_cases.tables.load(match_id)).head.seq)

    for _ in range(3):
        await use_cases.computers.play(table.head.match_id, look)
        table = await use_cases.tables.load(table.head.match_id)
        assert table.find_turn_user() == ADA
        move = view_for(table.match, 0).moves[0].placement
        play = partial(Play, tile=move.tile, cell=move.cell, rotation=move.rotation)
        acted = await use_cases.acts.act(table.head.match_id, TakeAction(ADA, play, table.head.seq))
        table = acted.table
    assert len(refreshed_ids) >= 2
    assert refreshed_ids == sorted(refreshed_ids)


@dataclass
class FailingInteraction(ForgedInteraction):
    request: Callable[[], Awaitable[Any]] | None = None
    fails_on_defer: bool = False

    async def defer(self, **_: object) -> None:
        if self.fails_on_defer:
            await self.send()

    async def send(self, **_: object) -> discord.Object:
        await self.request()
        raise AssertionError("the request must fail")

    edit_original_response = send_message = send


async def use_closed_session() -> None:
    session = aiohttp.ClientSession()
    await session.close()
    await session.get("http://127.0.0.1:9/")


async def lose_database(_: Context) -> None:
    raise DatabaseUnavailable(DatabaseFault.LOST)


async def serve(request: Callable[[], Awaitable[None]], *, fails_on_defer: bool = False) -> None:
    limits = NoRateLimit()
    languages = SimpleNamespace(choose_words=lambda _: load_words("en"), load_user_words=lose_database)
    hands: Any = LiveHands(None, None, lambda: 0)
    admission = Admission(limits, limits)
    services = SimpleNamespace(admission=admission, languages=languages, live_hands=hands, announcer=None)
    client: Any = SimpleNamespace(services=services)
    interaction: Any = FailingInteraction(
        client, SimpleNamespace(id=1), None, None, request=request, fails_on_defer=fails_on_defer
    )
    await dispatch(Context(interaction, CustomId("new")), lose_database)


@pytest.mark.parametrize("fails_on_defer", [False, True], ids=["reply", "acknowledgement"])
async def test_reply_after_session_is_closed_is_logged_without_traceback(
    caplog: pytest.LogCaptureFixture, fails_on_defer: bool
) -> None:
    caplog.set_level(logging.INFO)
    await serve(use_closed_session, fails_on_defer=fails_on_defer)
    lines = [record for record in caplog.records if "closed its session" in record.getMessage()]
    assert [(line.levelno, line.exc_info) for line in lines] == [(logging.INFO, None)]


@pytest.mark.parametrize("fails_on_defer", [False, True], ids=["reply", "acknowledgement"])
async def test_other_runtime_error_in_reply_is_raised(fails_on_defer: bool) -> None:
    request = AsyncMock(side_effect=RuntimeError("dictionary changed size during iteration"))
    with pytest.raises(RuntimeError, match="dictionary changed size"):
        await serve(request, fails_on_defer=fails_on_defer)
