"""A question to the people at a table: what is asked, who has to agree, and what an answer makes of it.

One at a time stands in `Head.clock` under "proposal". It lapses by itself: after a day, and with any further move.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal

import msgspec

from bot.service.refusals import No, Refused
from bot.service.tables import Table
from data.store import Change, LobbyEvent, Post
from engine.events import Passed, Placed
from engine.moments import last_placement
from engine.tiles import tile_text

Kind = Literal["abort", "undo", "substitute"]
Outcome = Literal["agreed", "no", "withdrawn", "lapsed"]
"""What becomes of a question: it is done, somebody else says no, the asker does, or the match goes on without it."""

POST: Final = "agreement"
"""The kind of post that tells what a question led to: its body's `key` says whether it was answered "no", or whether a
seat was "replaced".
"""
SETTLED: Final = "settled"
"""The kind of post that puts the outcome of a question in the place of the question."""
LAPSES: Final = "lapses"
"""The kind of post that says, at its time, that nobody has settled the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A question to the people at a table. Seats stand for the people who sit there."""

    kind: Kind
    by: int
    """Who asks."""
    seat: int
    """Whose placement goes back, or whose seat changes hands; the asker's own where it is neither."""
    number: int
    """The move at which it was asked: its buttons carry it."""
    told: int
    """How much had happened until then; whatever happens further withdraws the question."""
    until: int
    """When it lapses, in UTC epoch ms."""
    asked: tuple[int, ...] = ()
    """Who has to agree."""
    waiting: tuple[int, ...] = ()
    """Who of them has yet to."""
    person: int | None = None
    """Who is to take the seat, by user id."""
    accepted: bool = False
    """Whether they will."""
    refused: bool = False
    """Whether somebody said no. It is kept, so that nobody is asked the same again before something has happened."""


def standing(table: Table) -> Proposal | None:
    """The question that is open at a table, whatever the hour."""
    found = kept(table)
    return None if found is None or found.refused else found


def people(table: Table) -> list[int]:
    """The seats whose people have a say: they are still in the match, and not absent."""
    active = table.match.active
    return [row.seat for row in table.seats if row.user_id and row.seat in active and not is_absent(table, row.seat)]


def is_absent(table: Table, seat: int) -> bool:
    """Whether somebody let their time run out and has not come back since."""
    return seat in table.face.standins or bool(table.face.watch.silences.get(seat))


def has_begun(table: Table) -> bool:
    """Whether everybody has had a turn: from then on a match is not ended by one person alone."""
    assert table.story is not None
    had = {told.event.seat for told in table.story.told if isinstance(told.event, Placed | Passed)}
    return had >= set(table.match.active)


def kept(table: Table) -> Proposal | None:
    """What was asked last, unless the match has gone on since."""
    found = _stored(table)
    return None if found is None or _lost(found) else found


def unsettled(table: Table) -> Proposal | None:
    """The question whose message still asks: the one that is open, or one whose newcomer has been forgotten since."""
    found = _stored(table)
    return None if found is None or found.refused else found


def _stored(table: Table) -> Proposal | None:
    stored = table.head.clock.get("proposal")
    if not stored or table.story is None:
        return None
    found = msgspec.convert(stored, Proposal)
    return found if found.told == len(table.story.told) else None


def _lost(found: Proposal) -> bool:
    """Whether nobody can answer it any more: whoever was to sit down has been forgotten."""
    return found.kind == "substitute" and found.person is None and not found.refused


def onto(clock: Mapping[str, Any], proposal: Proposal | None) -> Mapping[str, Any]:
    """`Head.clock` with this question in it, or with none; what others keep there stays.

    Whoever was to sit down is known there for as long as it is open (PRIVACY.md): of one that was refused the seats
    stay, so that nobody is asked the same again.
    """
    rest = {key: value for key, value in clock.items() if key != "proposal"}
    if proposal is None:
        return rest
    return {**rest, "proposal": asdict(replace(proposal, person=None) if proposal.refused else proposal)}


def settled(table: Table, outcome: Outcome, *, user_id: int | None = None) -> tuple[list[Post], Sequence[str]]:
    """What is to be said because the open question is none any more, if there is one, and what need not be said now.

    `user_id` is who said no. Everything that a sentence about it needs goes along: the table changes with it. Whoever
    settles a question takes it off the clock too, by `onto`.
    """
    found = unsettled(table)
    if found is None:
        return [], ()
    outcome = "lapsed" if _lost(found) else outcome
    moment = last_placement(table.match.behind, found.seat) if found.kind == "undo" else None
    body = {
        "number": found.number,
        "outcome": outcome,
        "kind": found.kind,
        "by": table.seats[found.by].user_id,
        "owner": None if found.seat == found.by else table.seats[found.seat].user_id,
        "person": found.person,
        "user": user_id,
        "tile": tile_text(moment.tile) if moment is not None and moment.tile is not None else "",
        "asked": [*(table.seats[seat].user_id for seat in found.asked), *([found.person] if found.person else [])],
    }
    return [Post(kind=SETTLED, body=body)], (LAPSES,)


def without_result(
    table: Table, seat: int, outcome: Outcome, *, said: Sequence[Post] = (), request: int | None
) -> Change:
    """The act of a seat that ends a match without a result. The open question, if there is one, ends like this too."""
    settling, withdraws = settled(table, outcome)
    return Change(
        match_id=table.head.match_id,
        expected_seq=table.head.seq,
        events=[LobbyEvent(kind="closed", facts={"reason": "aborted", "seat": seat})],
        state="void",
        settings=replace(table.terms, closed="aborted").stored(),
        clock=onto(table.head.clock, None),
        outbox=[*settling, *said],
        withdraws=withdraws,
        request=request,
    )


def answered(table: Table, proposal: Proposal, user_id: int, *, yes: bool) -> Proposal:
    """The question after one person's answer. A no counts until the last yes, also from somebody who had agreed.

    Raises Refused(NOT_SEATED, NOT_ASKED, AGREED_ALREADY).
    """
    seat = table.seat_of(user_id)
    sits_down = user_id == proposal.person
    if not sits_down and seat not in (proposal.by, *proposal.asked):
        raise Refused(No.NOT_SEATED if seat is None else No.NOT_ASKED)
    if not yes:
        return replace(proposal, refused=True)
    if sits_down and not proposal.accepted:
        return replace(proposal, accepted=True)
    if seat in proposal.waiting:
        return replace(proposal, waiting=tuple(other for other in proposal.waiting if other != seat))
    raise Refused(No.AGREED_ALREADY)
