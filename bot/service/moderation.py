"""A match that a moderator ends. Pausing, resuming and skipping are the clock's (`bot.service.absence`)."""

from dataclasses import replace

from bot.service.absence import MODERATED
from bot.service.matches import TRIES, Clock
from bot.service.refusals import No, Refused
from bot.service.tables import Table, Tables
from data.store import Change, LobbyEvent, Post, Repeated, Stale, Store

STOPPED = "stopped"
"""Why such a table was closed, as the end of a key of `lobby.closed_`."""


class Moderation:
    """Ends matches that their people do not end themselves."""

    def __init__(self, store: Store, tables: Tables, now: Clock) -> None:
        self._store = store
        self._tables = tables
        self._now = now

    async def stop(self, match_id: int, *, reason: str, moderator: int, request: int) -> Table:
        """Close a lobby, or end a match without a result. Raises Refused(FINISHED, CLOSED)."""
        for _ in range(TRIES):
            table = await self._tables.load(match_id)
            if await self._store.seen_request(request) is not None:
                return table
            if table.head.state in ("done", "void"):
                raise Refused(No.FINISHED if table.head.state == "done" else No.CLOSED)
            change = Change(
                match_id=match_id,
                expected_seq=table.head.seq,
                events=[LobbyEvent(kind="stopped", facts={"reason": reason})],
                state="void",
                settings=replace(table.terms, closed=STOPPED).stored(),
                outbox=[Post(kind=MODERATED, body={"seq": table.head.seq + 1})],
                request=request,
                moderator=moderator,
            )
            try:
                await self._store.commit(change, now=self._now())
            except Repeated:
                pass
            except Stale:
                continue
            return await self._tables.load(match_id)
        raise Refused(No.STALE)
