"""Matches that a moderator stops, for good or for a while. Skipping a turn is `bot.service.absence`'s."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from bot.service.absence import moderated
from bot.service.again import tried
from bot.service.clockface import Clockface
from bot.service.clockhand import Clockhand, Note
from bot.service.clocks import paused, resumed
from bot.service.matches import Clock, calls
from bot.service.paces import DAY
from bot.service.proposals import onto, settled
from bot.service.refusals import No, Refused
from bot.service.tables import Table, Tables
from data.store import TURN, Change, LobbyEvent, Post, Repeated, Store, Turn

STOPPED = "stopped"
"""Why such a table was closed, as the end of a key of `lobby.closed_`."""


class Moderation:
    """Ends, pauses and resumes matches whose people do not do that themselves."""

    def __init__(self, store: Store, tables: Tables, now: Clock) -> None:
        self._store = store
        self._tables = tables
        self._now = now
        self._hand = Clockhand(store, tables, now)

    async def stop(self, match_id: int, *, reason: str, moderator: int, request: int) -> Table:
        """Close a lobby, or end a match without a result. Raises Refused(FINISHED, CLOSED)."""

        async def once() -> Table:
            table = await self._tables.load(match_id)
            if await self._store.seen_request(request) is not None:
                return table
            if table.head.state in ("done", "void"):
                raise Refused(No.FINISHED if table.head.state == "done" else No.CLOSED)
            settling, withdraws = settled(table, "lapsed")
            change = Change(
                match_id=match_id,
                expected_seq=table.head.seq,
                events=[LobbyEvent(kind="stopped", facts={"reason": reason})],
                state="void",
                settings=replace(table.terms, closed=STOPPED).stored(),
                clock=onto(table.head.clock, None),
                outbox=[*settling, moderated(table)],
                withdraws=withdraws,
                request=request,
                moderator=moderator,
            )
            with suppress(Repeated):
                await self._store.commit(change, now=self._now())
            return await self._tables.load(match_id)

        return await tried(once)

    async def pause(self, match_id: int, *, reason: str, moderator: int, request: int | None = None) -> Table:
        """Stop a match: no time runs, and nobody can act. Raises Refused(NOT_STARTED, FINISHED, PAUSED_ALREADY)."""
        note = Note(kind="paused", facts={"reason": reason}, moderator=moderator)

        def stop(face: Clockface) -> Clockface:
            if face.time.paused:
                raise Refused(No.PAUSED_ALREADY)
            return replace(face, time=paused(face.time, self._now()))

        # The call tells a time that does not run, to somebody who cannot act.
        return await self._change(match_id, stop, note, request, withdraws=(TURN,))

    async def resume(self, match_id: int, *, reason: str, moderator: int, request: int | None = None) -> Table:
        """Let it go on. Raises Refused(NOT_STARTED, FINISHED, NOT_PAUSED)."""
        note = Note(kind="resumed", facts={"reason": reason}, moderator=moderator)
        table = await self._tables.load(match_id)
        another = min(table.terms.pace.another, DAY)

        def go_on(face: Clockface) -> Clockface:
            if not face.time.paused:
                raise Refused(No.NOT_PAUSED)
            now, watch = self._now(), face.watch
            until = None if watch.asking is None else now + another
            return replace(face, time=resumed(face.time, now), watch=replace(watch, until=until, told=now))

        return await self._change(match_id, go_on, note, request, posts=calls)

    async def _change(
        self,
        match_id: int,
        change: Callable[[Clockface], Clockface],
        note: Note,
        request: int | None,
        *,
        posts: Callable[[Turn | None], list[Post]] = lambda _: [],
        withdraws: Sequence[str] = (),
    ) -> Table:

        async def once() -> Table:
            table = await self._tables.load(match_id)
            if request is not None and await self._store.seen_request(request) is not None:
                return table
            if table.match.ended:
                raise Refused(No.FINISHED)
            said = [moderated(table), *posts(table.head.turn)]
            try:
                return await self._hand.write(
                    table, change(table.face), note, said, withdraws=withdraws, request=request
                )
            except Repeated:
                return await self._tables.load(match_id)

        return await tried(once)
