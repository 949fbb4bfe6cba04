"""What can be done at a table that is being played: one door for people, buttons, deadlines and computer seats."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from bot.service.ladder import rate
from bot.service.refusals import No, Refused
from bot.service.story import Story, Told
from bot.service.tables import Table, Tables
from data.store import Change, Due, Head, MatchResult, PlayerResult, Post, Repeated, SeatRow, Stale, Store, Turn
from engine.actions import Action
from engine.decide import decide, forced
from engine.events import Chose, Dealt, Event, MatchEnded, Passed, Placed, Resigned, RoundEnded

Clock = Callable[[], int]
"""Now, in UTC epoch ms."""


@dataclass(frozen=True, slots=True)
class Acted:
    """What an action led to. `told` is empty when the same interaction had its effect before."""

    table: Table
    told: tuple[Told, ...]
    events: tuple[Event, ...]


class Matches:
    """Carries matches on."""

    def __init__(self, store: Store, tables: Tables, now: Clock) -> None:
        self._store = store
        self._tables = tables
        self._now = now

    async def act(
        self, match_id: int, action: Callable[[int], Action], user_id: int, *, expected: int | None, request: int
    ) -> Acted:
        """A person asks for something; `action` makes it for the seat they sit on.

        `expected` is the move that a button was made at. Raises Refused, or RuleBroken with the reason.
        """
        repeated = await self._store.seen_request(request)
        table = await self._tables.load(match_id)
        if repeated is not None:
            return Acted(table, (), ())
        match = table.match
        seat = table.seat_of(user_id)
        if seat is None:
            raise Refused(No.NOT_SEATED)
        if match.ended:
            raise Refused(No.FINISHED)
        if expected is not None and expected != table.head.seq:
            raise Refused(No.STALE)
        return await self._carry_on(table, action(seat), request)

    async def act_for_computer(self, table: Table, action: Action) -> Acted:
        """A computer seat acts, through the same door. Raises Refused(STALE) when the table moved on meanwhile."""
        return await self._carry_on(table, action, None)

    async def _carry_on(self, table: Table, action: Action, request: int | None) -> Acted:
        assert table.story is not None
        story, head = table.story.copy(), table.head
        told_before = len(story.told)
        events = decide(story.match, action, head.secret)
        for event in events:
            story.tell(event)
        events += play_out(story, head.secret)
        change = Change(
            match_id=head.match_id,
            expected_seq=head.seq,
            events=events,
            state="done" if story.match.ended else None,
            turn=turn_of(story, table.seats),
            due=due_of(story, self._now()),
            outbox=posts(events, head.seq, story, table.seats),
            result=_result(story, table.seats) if story.match.ended else None,
            request=request,
        )
        try:
            head = await self._store.commit(change, now=self._now())
        except Repeated:
            return Acted(await self._tables.load(head.match_id), (), ())
        except Stale:
            raise Refused(No.STALE) from None
        self._tables.keep(head, story)
        after = Table(head, table.seats, table.terms, story)
        return Acted(after, tuple(story.told[told_before:]), tuple(events))


def play_out(story: Story, secret: bytes) -> list[Event]:
    """Let everything happen that the rules force, unless people at this table do that by hand."""
    events: list[Event] = []
    while action := forced(story.match):
        if story.match.by_hand and not story.match.seats[story.match.turn].computer:
            break
        for event in decide(story.match, action, secret):
            story.tell(event)
            events.append(event)
    return events


def turn_of(story: Story, seats: Sequence[SeatRow]) -> Turn | None:
    """Whose move it is now."""
    if story.match.ended:
        return None
    seat = story.match.turn
    return Turn(seat=seat, user=seats[seat].user_id)


def due_of(story: Story, now: int) -> Due | None:
    """When the clock has something to do: at once, where a computer is to move."""
    if story.match.ended or not story.match.seats[story.match.turn].computer:
        return None
    return Due(at=now, kind="computer")


def posts(events: Sequence[Event], seq: int, story: Story, seats: Sequence[SeatRow]) -> list[Post]:
    """What has to be said in public about these events, which follow move `seq`."""
    said: list[Post] = []
    over = any(isinstance(event, MatchEnded) for event in events)
    for number, (event, following) in enumerate(zip_longest(events, events[1:]), seq + 1):
        # The last round's end is told together with the match's.
        if isinstance(event, RoundEnded) and isinstance(following, Dealt):
            said.append(Post(kind="round", body={"seq": number, "opener": following.opener}))
        elif isinstance(event, MatchEnded):
            said.append(Post(kind="end", body={"seq": number}))
    # Whoever goes on after a choice or with a further tile is not called to a turn they are in the middle of; but an
    # opening tile that played itself, and earned a choice, is a turn that its seat has yet to hear of.
    match = story.match
    dealt = any(isinstance(event, Dealt) for event in events)
    goes_on = not dealt and (match.choosing or match.bonus_tiles or match.further)
    turn_ended = any(isinstance(event, Placed | Chose | Passed | Dealt | Resigned) for event in events)
    if turn_ended and not goes_on and not over:
        said += calls(turn_of(story, seats))
    return said


def calls(turn: Turn | None) -> list[Post]:
    """The post that calls a person to move; nobody is called where it is a computer's turn or nobody's."""
    return [] if turn is None or turn.user is None else [Post(kind="turn", body={"seat": turn.seat})]


def _result(story: Story, seats: Sequence[SeatRow]) -> MatchResult:
    match = story.match
    assert match.ended is not None
    players = [
        PlayerResult(
            user_id=row.user_id,
            place=match.ended.places[row.seat],
            score=match.ended.totals[row.seat],
            best_move=match.seats[row.seat].best,
            hexagons=match.seats[row.seat].hexagons,
            bridges=match.seats[row.seat].bridges,
        )
        for row in seats
        if row.user_id is not None
    ]
    return MatchResult(seats=len(seats), players=players, rate=rate)


def head_is_computers(head: Head) -> bool:
    """Whether a computer seat is to move."""
    return head.state == "open" and head.turn is not None and head.turn.user is None
