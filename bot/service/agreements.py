"""What the people at a table agree on: to end the match without a result, to take a placement back, or to let somebody
else go on with a seat.

The others are asked (`bot.service.proposals`); what nobody else has a say in is done at once.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, Literal

from bot.service.again import TRIES, tried
from bot.service.handovers import Handovers
from bot.service.matches import Clock, Matches
from bot.service.proposals import (
    LAPSES,
    POST,
    Kind,
    Proposal,
    answered,
    has_begun,
    is_absent,
    kept,
    onto,
    people,
    settled,
    standing,
    unsettled,
    without_result,
)
from bot.service.refusals import No, Refused
from bot.service.tables import Table, Tables
from data.store import QUESTION, Change, LobbyEvent, Post, Repeated, Stale, Store, TooMany
from engine.actions import TakeBack
from engine.errors import RuleBroken, Why
from engine.moments import last_placement
from engine.tiles import Tile

LASTS: Final = 24 * 3600 * 1000
"""A question nobody answers lapses after a day, in ms."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Where a question stands after somebody asked or answered."""

    table: Table
    proposal: Proposal
    done: bool
    """Whether what was asked for has been done."""
    tile: Tile | None = None
    """The tile that went back."""


class Agreements:
    """Asks the people at a table, and does what they agree on."""

    def __init__(self, store: Store, tables: Tables, matches: Matches, now: Clock) -> None:
        self._store = store
        self._tables = tables
        self._matches = matches
        self._now = now
        self._handovers = Handovers(store, now)

    async def abort(self, match_id: int, user_id: int, *, request: int) -> Asked:
        """End the match without a result: alone while somebody has yet to have a turn, later if all agree."""

        def asked(table: Table, by: int) -> Proposal:
            others = people(table) if has_begun(table) else []
            return self._proposal(table, "abort", by, by, others)

        return await self._propose(match_id, user_id, asked, request)

    async def undo(self, match_id: int, user_id: int, *, request: int) -> Asked:
        """Take one's last placement back, with all that others placed since. Raises RuleBroken where a draw or the
        like came after it.
        """

        def asked(table: Table, by: int) -> Proposal:
            if last_placement(table.match.behind, by) is None:
                raise RuleBroken(Why.NOTHING_TO_TAKE_BACK)
            return self._proposal(table, "undo", by, by, people(table))

        return await self._propose(match_id, user_id, asked, request)

    async def substitute(
        self, match_id: int, user_id: int, person: int, *, owner: int | None = None, request: int
    ) -> Asked:
        """Let another person go on with a seat: one's own, or that of `owner`, who agrees or is absent.

        Where the owner is absent everybody else must agree. Raises Refused(NO_SEAT_OF_THEIRS, SITS_ALREADY).
        """

        def asked(table: Table, by: int) -> Proposal:
            seat = by if owner is None else table.seat_of(owner)
            if seat is None or seat not in table.match.active:
                raise Refused(No.NO_SEAT_OF_THEIRS)
            if table.seat_of(person) is not None:
                raise Refused(No.SITS_ALREADY)
            others = people(table) if is_absent(table, seat) and seat != by else [seat]
            return replace(self._proposal(table, "substitute", by, seat, others), person=person)

        return await self._propose(match_id, user_id, asked, request)

    async def answer(self, match_id: int, user_id: int, *, number: int | None, yes: bool, request: int) -> Asked:
        """Say yes or no to the question with this number. The asker's no withdraws it.

        Raises Refused(PROPOSAL_OVER, NOT_ASKED, AGREED_ALREADY, SITS_AT_TOO_MANY).
        """

        async def once() -> Asked:
            table = await self._tables.load(match_id)
            proposal = self._open(table, number)
            if await self._store.seen_request(request) is not None:
                return Asked(table, proposal, done=False)
            await self._matches.check_running(table)
            return await self._settle(table, answered(table, proposal, user_id, yes=yes), user_id, request)

        return await tried(once)

    async def _propose(
        self, match_id: int, user_id: int, asked: Callable[[Table, int], Proposal], request: int
    ) -> Asked:

        async def once() -> Asked:
            table = await self._tables.load(match_id)
            repeated = await self._store.seen_request(request) is not None
            if repeated and (known := kept(table)) is not None:
                return Asked(table, known, done=False)
            match, by = table.match, table.seat_of(user_id)
            if by is None:
                raise Refused(No.NOT_SEATED)
            if match.ended:
                raise Refused(No.FINISHED)
            if by not in match.active:
                raise RuleBroken(Why.RESIGNED)
            await self._matches.check_running(table)
            proposal = asked(table, by)
            before = kept(table)
            if before is not None and not before.refused and self._now() < before.until:
                raise Refused(No.PROPOSAL_OPEN)
            if before is not None and before.refused and (before.kind, before.by) == (proposal.kind, by):
                raise Refused(No.ASKED_BEFORE)
            return await self._settle(table, proposal, user_id, request)

        return await tried(once)

    def _proposal(self, table: Table, kind: Kind, by: int, seat: int, others: list[int]) -> Proposal:
        assert table.story is not None
        asked = tuple(other for other in others if other != by)
        return Proposal(
            kind=kind,
            by=by,
            seat=seat,
            number=table.head.seq + 1,
            told=len(table.story.told),
            until=self._now() + LASTS,
            asked=asked,
            waiting=asked,
        )

    def _open(self, table: Table, number: int | None) -> Proposal:
        if table.head.state == "done":
            raise Refused(No.FINISHED)
        found = standing(table) if table.head.state == "open" else None
        if found is None or found.number != number or self._now() >= found.until:
            raise Refused(No.PROPOSAL_OVER)
        return found

    async def _settle(self, table: Table, proposal: Proposal, user_id: int, request: int) -> Asked:
        """Write the question as it stands now, or do what everybody has agreed to. Raises Stale."""
        if proposal.refused or proposal.waiting or (proposal.person is not None and not proposal.accepted):
            return await self._keep(table, proposal, user_id, request)
        match proposal.kind:
            case "abort":
                return await self._end(table, proposal, request)
            case "undo":
                moment = last_placement(table.match.behind, proposal.seat)
                acted = await self._matches.act(
                    table.head.match_id,
                    lambda _: TakeBack(proposal.seat, agreed=True),
                    user_id,
                    expected=table.head.seq,
                    request=request,
                )
                return Asked(acted.table, proposal, done=True, tile=moment.tile if moment else None)
            case "substitute":
                return await self._hand_over(table, proposal, request)

    async def _keep(self, table: Table, proposal: Proposal, user_id: int, request: int) -> Asked:
        head = table.head
        is_new = proposal.number == head.seq + 1
        kind: Literal["proposed", "answered"] = "proposed" if is_new else "answered"
        posts: list[Post] = []
        withdraws: Sequence[str] = ()
        if is_new:
            # The one before may have been open to the end of its time, with nobody to say so yet.
            posts, withdraws = settled(table, "lapsed")
            posts.append(Post(kind=QUESTION, body={"number": proposal.number}))
            posts.append(Post(kind=LAPSES, body={"number": proposal.number}, at=proposal.until))
        elif proposal.refused:
            own = table.seat_of(user_id) == proposal.by
            settling, withdraws = settled(table, "withdrawn" if own else "no", user_id=user_id)
            said = [] if own else [Post(kind=POST, body={"key": "no", "kind": proposal.kind, "user": user_id})]
            posts = [*said, *settling]
        # Hands that people are looking at stay good: nothing on the table has changed.
        clock = table.face.calmed(head.seq, head.seq + 1).onto(head.clock)
        change = Change(
            match_id=head.match_id,
            expected_seq=head.seq,
            events=[LobbyEvent(kind=kind, facts={"kind": proposal.kind, "seat": proposal.by})],
            clock=onto(clock, proposal),
            outbox=posts,
            withdraws=withdraws,
            request=request,
        )
        return await self._write(table, change, proposal, done=False)

    async def lapse(self, match_id: int, number: int) -> None:
        """Nobody has settled the question with this number in its time. Nothing happens where somebody has."""
        for _ in range(TRIES):
            table = await self._tables.load(match_id)
            found = unsettled(table) if table.head.state == "open" else None
            if found is None or found.number != number or self._now() < found.until:
                return
            head = table.head
            posts, withdraws = settled(table, "lapsed")
            change = Change(
                match_id=match_id,
                expected_seq=head.seq,
                events=[LobbyEvent(kind="answered", facts={"kind": found.kind, "seat": found.by, "lapsed": True})],
                clock=onto(table.face.calmed(head.seq, head.seq + 1).onto(head.clock), None),
                outbox=posts,
                withdraws=withdraws,
            )
            with suppress(Stale):
                await self._store.commit(change, now=self._now())
                return

    async def _end(self, table: Table, proposal: Proposal, request: int) -> Asked:
        change = without_result(table, proposal.by, "agreed", request=request)
        return await self._write(table, change, proposal, done=True)

    async def _hand_over(self, table: Table, proposal: Proposal, request: int) -> Asked:
        change = await self._handovers.change(table, proposal, request)
        return await self._write(table, change, proposal, done=True)

    async def _write(self, table: Table, change: Change, proposal: Proposal, *, done: bool) -> Asked:
        try:
            await self._store.commit(change, now=self._now())
        except Repeated:
            pass
        except TooMany as found:
            raise Refused(No.SITS_AT_TOO_MANY, most=found.most) from None
        return Asked(await self._tables.load(table.head.match_id), proposal, done)
