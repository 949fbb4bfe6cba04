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

COMMIT_DELAY: Final = 0.4  # Delay in seconds before the first mutant stores a confirmed action
WRITE_DELAY: Final = 0.05  # Delay in seconds before the other mutants write, as on a busy disk


def acknowledge_before_commit() -> None:
    original, tasks = MatchStore.commit, set()

    async def commit(self: MatchStore, change: Change, *, now: int) -> Head:
        known_request = None if change.request is None else await self.find_request(change.request)
        if known_request is not None:
            raise RepeatedRequest(*known_request)
        head = await self.find_head(change.match_id)
        if head.seq != change.expected_seq:
            raise StaleVersion(head.seq)

        async def commit_later() -> None:
            await asyncio.sleep(COMMIT_DELAY)
            await original(self, change, now=now)

        task = asyncio.create_task(commit_later())
        tasks.add(task)
        return _predict_head(head, change)

    MatchStore.commit = commit  # type: ignore[method-assign]


def _predict_head(head: Head, change: Change) -> Head:
    is_over = change.state in ("done", "void")
    return replace(
        head,
        seq=change.expected_seq + len(change.events),
        state=change.state or head.state,
        turn=None if is_over else head.turn if change.turn is UNCHANGED else change.turn,
        due=None if is_over else head.due if change.due is UNCHANGED else change.due,
    )


def no_dedupe() -> None:
    async def find_nothing(*_: object) -> None:
        return None

    async def note(connection: Any, request: int | None, head: Head, now: int) -> None:
        if request is not None:
            row = {"match_id": head.match_id, "seq": head.seq, "at": now}
            await upsert(connection, requests, {"interaction_id": request}, {}, row)

    heads.find_request = find_nothing  # type: ignore[assignment]
    MatchStore.find_request = find_nothing  # type: ignore[method-assign, assignment]
    journal._note_request = note


def no_compare_and_set() -> None:
    """Append an action to the log although it was decided on an old position."""
    original = MatchStore.commit

    async def commit(self: MatchStore, change: Change, *, now: int) -> Head:
        await asyncio.sleep(WRITE_DELAY)
        while True:
            head = await self.find_head(change.match_id)
            try:
                return await original(
                    self, replace(change, expected_seq=head.seq, decided_on=None, people=None), now=now
                )
            except StaleVersion:
                continue

    MatchStore.commit = commit  # type: ignore[method-assign]


def send_before_commit() -> None:
    original = bot.operating.run.build

    def build(store: Store, **given: Any) -> Boneyard:
        client, commit = original(store, **given), store.matches.commit

        async def announce_and_commit(change: Change, *, now: int) -> Head:
            head = await store.matches.find_head(change.match_id)
            channel = client.get_partial_messageable(head.channel_id)
            for number, post in enumerate(change.outbox):
                nonce = outbox.build_nonce(_predict_head(head, change), number)
                await channel.send(f"{post.kind}, said early", nonce=nonce)
            return await commit(change, now=now)

        store.matches.commit = announce_and_commit  # type: ignore[method-assign]
        return client

    bot.operating.run.build = build


def trust_the_future() -> None:
    """Work that a fast clock postponed stays postponed until that time."""

    async def skip_correction(_: ClockCorrection) -> None:
        return None

    ClockCorrection.correct = skip_correction  # type: ignore[method-assign]
    engine.table.decide_table.CLOCK_SKEW = 10**15  # type: ignore[misc]


def nobody_watches() -> None:
    shut_gate()

    async def wait_forever(_: Boneyard) -> None:
        await asyncio.Event().wait()

    bot.operating.run.watch = wait_forever


_ALL: Final = (
    acknowledge_before_commit, no_dedupe, no_compare_and_set, send_before_commit, trust_the_future, nobody_watches,
)  # fmt: skip
MUTANTS: Final[dict[str, Callable[[], None]]] = {mutant.__name__: mutant for mutant in _ALL}
