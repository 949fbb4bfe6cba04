"""Acts in the match, and what the clock makes of them."""

from collections.abc import Sequence

from engine.actions import Action
from engine.decide import decide, forced
from engine.events import Event, Resigned, Undone
from engine.table.commands import Act, ActFor
from engine.table.draft import Draft
from engine.table.events import Granted, Returned, TurnBegan
from engine.table.posts import begins_turn
from engine.table.refusals import No, Refused


def play_turn(draft: Draft, command: Act) -> None:
    """A person acts. Raises Refused(NOT_SEATED, FINISHED, STALE, PAUSED), or RuleBroken with the reason."""
    seat = draft.table.seat_of(command.user)
    match = draft.match if draft.story is None or draft.table.state == "void" else draft.story.match
    if seat is None:
        raise Refused(No.NOT_SEATED)
    if match.ended:
        raise Refused(No.FINISHED)
    if command.expected is not None and not draft.table.still(command.expected):
        raise Refused(No.STALE)
    if draft.table.clock.time.paused:
        draft.check_running()
    act(draft, command.action(seat), by=seat)


def play_for(draft: Draft, command: ActFor) -> None:
    """A computer acts. Raises Refused(STALE) when the table has moved on or stands still, or RuleBroken."""
    table = draft.table
    if table.state != "open" or table.clock.time.paused or not table.still(command.expected):
        raise Refused(No.STALE)
    act(draft, command.action)


def act(draft: Draft, action: Action, *, by: int | None = None) -> None:
    """Do it, all or nothing, and what the rules force after it. `by` is the seat whose person acts."""
    clock = draft.table.clock
    if by is not None and (by in clock.standins or by in clock.watch.silences):
        welcome_back(draft, by)
    assert draft.story is not None
    events = decide(draft.story.match, action, draft.given.secret)
    draft.happens(*events)
    follow(draft, [*events, *play_out(draft)], by=by)


def welcome_back(draft: Draft, seat: int) -> None:
    """Somebody is there again; whoever the computer played for has their turn, and the table is told."""
    stood_in = seat in draft.table.clock.standins
    draft.happens(Returned(seat, told=stood_in))
    if stood_in and seat == draft.match.turn:
        begin_anew(draft)


def play_out(draft: Draft) -> list[Event]:
    """Let everything happen that the rules force, unless people at this table do that by hand."""
    events: list[Event] = []
    assert draft.story is not None
    match = draft.story.match
    while action := forced(match):
        if match.by_hand and not match.seats[match.turn].computer:
            break
        following = decide(match, action, draft.given.secret)
        draft.happens(*following)
        events += following
    return events


def follow(draft: Draft, events: Sequence[Event], *, by: int | None = None) -> None:
    """The clock follows what happened in the match."""
    assert draft.story is not None
    match, clock = draft.story.match, draft.table.clock
    if match.ended:
        return
    goes_on_for = clock.watch.seat == match.turn
    taken_back = any(isinstance(event, Undone) for event in events)
    # Within a turn that has not ended, a tile that is taken back changes nothing about the time.
    goes_on = taken_back and goes_on_for and clock.time.height <= len(match.behind)
    # When somebody else resigns, whoever is to move goes on as before.
    elsewhere = goes_on_for and all(isinstance(event, Resigned) for event in events)
    if not goes_on_for or (begins_turn(events, match) and not elsewhere and not goes_on):
        draft.happens(TurnBegan(match.turn, len(match.behind), "back" if taken_back else "next"))
    elif by == match.turn and clock.watch.asking is not None:
        # They were given up on and are in the middle of a turn: they have what is left of the question to finish it.
        until = clock.watch.until or draft.given.now
        draft.happens(Granted(match.turn, max(0, until - draft.given.now)))


def begin_anew(draft: Draft) -> None:
    """The running turn begins anew, for the person whose seat it is or for the computer."""
    draft.happens(TurnBegan(draft.match.turn, len(draft.match.behind), "anew"))
