"""How a match begins: the deal, what the rules force after it, and the first clock."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.service.matches import Clock, play_out, posts
from bot.service.story import Story, story_of
from bot.service.tables import Table, Terms
from bot.service.timekeeper import Armed, Timekeeper
from data.store import Change, LobbyEvent, SeatRow, Store
from engine.decide import start
from engine.events import Event


class Starts:
    """Knows what changes at a table whose match begins."""

    def __init__(self, store: Store, now: Clock) -> None:
        self._now = now
        self._timekeeper = Timekeeper(store)

    async def change(
        self, table: Table, seats: Sequence[SeatRow], before: Sequence[LobbyEvent], request: int | None
    ) -> Change:
        """The match begins with these seats, after what happened `before` it in the same act."""
        head = table.head
        began, story = begin(table.terms, seats, head.secret)
        seq = head.seq + len(before) + len(began)
        armed = await self.armed(head.clock, table.terms, story, seats, began, match_id=head.match_id, seq=seq)
        return Change(
            match_id=table.head.match_id,
            expected_seq=table.head.seq,
            events=[*before, *began],
            state="open",
            seats=seats if before else None,
            turn=armed.turn,
            due=armed.due,
            clock=armed.clock,
            outbox=posts(began, table.head.seq + len(before), story, seats),
            request=request,
        )

    async def armed(
        self,
        clock: Mapping[str, Any],
        terms: Terms,
        story: Story,
        seats: Sequence[SeatRow],
        began: Sequence[Event],
        *,
        match_id: int,
        seq: int,
    ) -> Armed:
        """The clock after a beginning that takes the match to move `seq`."""
        now = self._now()
        return await self._timekeeper.follow(
            clock, terms.pace, story, seats, began, match_id=match_id, seq=seq, now=now
        )


def begin(terms: Terms, seats: Sequence[SeatRow], secret: bytes) -> tuple[list[Event], Story]:
    """All events until somebody has something to choose, and the match as it stands then."""
    computers = [row.seat for row in seats if row.computer is not None]
    events = start(terms.rules, seats=len(seats), computers=computers, by_hand=terms.by_hand, secret=secret)
    story = story_of(events)
    return [*events, *play_out(story, secret)], story
