"""Bots with one deliberate bug each. Tests for lost and duplicate moves must detect all of them."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import bot.operating.run
import engine.table.decide_table
from bot.client import Boneyard
from bot.sending.cleanup import ClockCorrection
from data.store.connection.engines import upsert
from data.store.connection.store_errors import RepeatedRequest, StaleVersion
from data.store.connection.tables import requests
from data.store.log import heads
from data.store.log.match_values import UNCHANGED, Change, Head
from data.store.matches import journal
from data.store.matches.store import MatchStore
from data.store.outbox import outbox
from data.store.store import Store
from tests.crash.hangs import shut_gate

LATER: Final = 0.4  # Delay in seconds before the first mutant stores a confirmed action
SLOW: Final = 0.05  # Delay in seconds before the other mutants write, as on a busy disk


def acknowledge_before_commit() -> None:
    really, later = MatchStore.commit, set()

    async def commit(self: MatchStore, change: Change, *, now: int) -> Head:
        known = None if change.request is None else await self.find_request(change.request)
        if known is not None:
            raise RepeatedRequest(*known)
        head = await self.find_head(change.match_id)
        if head.seq != change.expected_seq:
            raise StaleVersion(head.seq)

        async def keep() -> None:
            await asyncio.sleep(LATER)
            await really(self, change, now=now)

        task = asyncio.create_task(keep())
        later.add(task)
        return _after(head, change)

    MatchStore.commit = commit  # type: ignore[method-assign]


def _after(head: Head, change: Change) -> Head:
    over = change.state in ("done", "void")
    return replace(
        head,
        seq=change.expected_seq + len(change.events),
        state=change.state or head.state,
        turn=None if over else head.turn if change.turn is UNCHANGED else change.turn,
        due=None if over else head.due if change.due is UNCHANGED else change.due,
    )


def no_dedupe() -> None:
    async def unknown(*_: object) -> None:
        return None

    async def note(connection: Any, request: int | None, head: Head, now: int) -> None:
        if request is not None:
            row = {"match_id": head.match_id, "seq": head.seq, "at": now}
            await upsert(connection, requests, {"interaction_id": request}, {}, row)

    heads.find_request = unknown  # type: ignore[assignment]
    MatchStore.find_request = unknown  # type: ignore[method-assign, assignment]
    journal._note_request = note


def no_compare_and_set() -> None:
    """Append an action to the log although it was decided on an old position."""
    really = MatchStore.commit

    async def commit(self: MatchStore, change: Change, *, now: int) -> Head:
        await asyncio.sleep(SLOW)
        while True:
            head = await self.find_head(change.match_id)
            try:
                return await really(self, replace(change, expected_seq=head.seq, decided_on=None, people=None), now=now)
            except StaleVersion:
                continue

    MatchStore.commit = commit  # type: ignore[method-assign]


def send_before_commit() -> None:
    really = bot.operating.run.build

    def build(store: Store, **given: Any) -> Boneyard:
        client, commit = really(store, **given), store.matches.commit

        async def announce_and_commit(change: Change, *, now: int) -> Head:
            head = await store.matches.find_head(change.match_id)
            channel = client.get_partial_messageable(head.channel_id)
            for number, post in enumerate(change.outbox):
                nonce = outbox.build_nonce(_after(head, change), number)
                await channel.send(f"{post.kind}, said early", nonce=nonce)
            return await commit(change, now=now)

        store.matches.commit = announce_and_commit  # type: ignore[method-assign]
        return client

    bot.operating.run.build = build


def trust_the_future() -> None:
    """Work that a fast clock postponed stays postponed until that time."""

    async def nothing(_: ClockCorrection) -> None:
        return None

    ClockCorrection.correct = nothing  # type: ignore[method-assign]
    engine.table.decide_table.CLOCK_SKEW = 10**15  # type: ignore[misc]


def nobody_watches() -> None:
    shut_gate()

    async def sleep(_: Boneyard) -> None:
        await asyncio.Event().wait()

    bot.operating.run.watch = sleep


_ALL: Final = (
    acknowledge_before_commit, no_dedupe, no_compare_and_set, send_before_commit, trust_the_future, nobody_watches,
)  # fmt: skip
MUTANTS: Final[dict[str, Callable[[], None]]] = {mutant.__name__: mutant for mutant in _ALL}
