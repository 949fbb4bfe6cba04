"""A seat that changes hands in the middle of a match."""

from dataclasses import replace

from bot.service.house import House
from bot.service.matches import Clock, calls
from bot.service.proposals import POST, Proposal, onto, settled
from bot.service.tables import Table
from bot.service.timekeeper import Timekeeper
from data.store import Change, LobbyEvent, Post, Store


class Handovers:
    """Knows what changes at a table when somebody else goes on with a seat."""

    def __init__(self, store: Store, now: Clock) -> None:
        self._now = now
        self._house = House(store, now)
        self._timekeeper = Timekeeper(store)

    async def change(self, table: Table, proposal: Proposal, request: int) -> Change:
        """Somebody else sits there from now on, with the time of a turn that has just begun."""
        assert table.story is not None
        assert proposal.person is not None
        head, seat, now = table.head, proposal.seat, self._now()
        before = table.seats[seat].user_id
        seats = [
            replace(row, user_id=proposal.person, joined_at=now) if row.seat == seat else row for row in table.seats
        ]
        face, seq = table.face.vacated((seat,)), head.seq + 1
        if seat == table.match.turn:
            armed = await self._timekeeper.begun(
                head.clock, face, table.terms.pace, table.story, seats, match_id=head.match_id, seq=seq, now=now
            )
        else:
            armed = await self._timekeeper.armed(
                head.clock,
                face.calmed(head.seq, seq),
                table.story,
                seats,
                match_id=head.match_id,
                now=now,
                due=head.due,
            )
        posts, withdraws = settled(table, "agreed")
        return Change(
            match_id=head.match_id,
            expected_seq=head.seq,
            events=[LobbyEvent(kind="replaced", facts={"seat": seat})],
            seats=seats,
            host_id=proposal.person if head.host_id == before else None,
            turn=armed.turn,
            due=armed.due,
            clock=onto(armed.clock, None),
            outbox=[
                Post(kind=POST, body={"key": "replaced", "user": before, "person": proposal.person}),
                *posts,
                *(calls(armed.turn) if seat == table.match.turn else ()),
            ],
            withdraws=withdraws,
            request=request,
            limits=await self._house.limits(head.guild_id, proposal.person),
        )
