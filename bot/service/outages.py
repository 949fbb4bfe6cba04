"""Time in which nobody could play, because the bot or Discord was away, is given back.

An outage is noted when it ends, before anybody can act. From then on every clock is read as if the time had been given
back. What is due stands in the store; it is moved there for some matches at once, the most urgent first.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import msgspec

from bot.service.clockface import Clockface
from bot.service.clocks import credited
from bot.service.timekeeper import as_wished
from data.store import Change, Head, LobbyEvent, Outage, Store, Ticking

SOME: Final = 100
"""Matches written in one transaction: others wait for it."""


class Outages:
    """Gives it back."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._pending: tuple[Outage, ...] | None = None

    async def look(self) -> tuple[Outage, ...]:
        """Read what is to be given back: another process may have noted it."""
        self._pending = await self._store.outages()
        return self._pending

    async def given(self, head: Head) -> Head:
        """A head whose clock has what it is owed. The store is told by whatever is written next, or by `settle`."""
        pending = await self.look() if self._pending is None else self._pending
        if not pending or head.state != "open":
            return head
        before = Clockface.read(head.clock)
        after = repaid(before, pending)
        return head if after == before else replace(head, clock=after.onto(head.clock))

    async def settle(self, now: int) -> list[int]:
        """Write what every running clock is owed, and when it acts next; returns the matches whose clock changed.

        Each clock remembers what it was given, and an outage is forgotten when all have been: a crash half way, or
        another process at it too, does no harm.
        """
        pending = await self.look() if self._pending is None else self._pending
        if not pending:
            return []
        written: list[int] = []
        waiting = await self._store.ticking()
        while waiting:
            some, waiting = waiting[:SOME], waiting[SOME:]
            changes = [change for one in await self._store.clocks(some) if (change := _credit(one, pending, now))]
            done = {head.match_id for head in await self._store.commit_each(changes, now=now)} if changes else set()
            written += done
            # Where a move came in between it took the clock along; whether it did is seen by looking once more.
            waiting += [change.match_id for change in changes if change.match_id not in done]
        await self._store.outages_over(pending)
        await self.look()
        return written


def repaid(face: Clockface, outages: Sequence[Outage]) -> Clockface:
    """The clock after these outages, oldest first. What it was given before is not given again."""
    for outage in outages:
        time, watch = credited(face.time, outage.start, outage.end), face.watch
        # A question of a later turn was asked after the outage.
        if time != face.time and watch.until is not None and watch.began < outage.end:
            until = watch.until + outage.end - max(outage.start, face.time.credited)
            watch = replace(watch, until=until)
        face = replace(face, time=time, watch=watch)
    return face


def _credit(one: Ticking, outages: Sequence[Outage], now: int) -> Change | None:
    """What is to be written about a match; None where nothing is owed to it."""
    head, seq = one.head, one.head.seq + 1
    try:
        before = Clockface.read(head.clock)
    except msgspec.ValidationError:
        return None  # a clock that cannot be read stops nobody else's
    face = repaid(before, outages)
    same = (face.time.since, face.watch) == (before.time.since, before.watch)
    if same or head.state != "open" or head.turn is None:
        return None
    face, due = as_wished(face.calmed(head.seq, seq), head.turn.seat, one.person, match_id=head.match_id, now=now)
    facts = {"start": outages[0].start, "end": outages[-1].end}
    return Change(
        match_id=head.match_id,
        expected_seq=head.seq,
        events=[LobbyEvent(kind="credited", facts=facts)],
        due=due,
        clock=face.onto(head.clock),
    )
