"""Acts in the match, and what the clock makes of them."""

from collections.abc import Sequence

from engine.match.actions import Action, Choose, Play, Resign, TakeBack
from engine.match.decide import decide, forced
from engine.match.errors import RuleBroken, Why
from engine.match.events import Chose, Event, MatchEnded, Placed, Resigned, RoundEnded, Undone
from engine.match.rounds import when_it_stands
from engine.match.state import Match
from engine.table.clock import deadline, spent
from engine.table.commands import Act, ActFor, Command, GoAway, Lapse, Look, Rearm, RestoreQuarantined, Rule, RunDue
from engine.table.evolve import Draft
from engine.table.refusals import No, Refused
from engine.table.table_events import Granted, Returned, Settled, Stumbled, Tentative, TurnBegan
from engine.table.table_posts import begins_turn
from engine.table.table_state import MOST_TAKEN_BACK
from engine.table.terms import SETTLES, parse_pace


def play_turn(draft: Draft, command: Act) -> None:
    """A person acts. Raises Refused(NOT_SEATED, FINISHED, STALE, PAUSED), or RuleBroken with the reason."""
    seat = draft.table.seat_of(command.user)
    match = draft.match if draft.event_log is None or draft.table.state == "void" else draft.event_log.match
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
    if command.instead is not None:
        draft.happens(Stumbled(draft.match.turn, command.instead))
    act(draft, command.action)


def act(draft: Draft, action: Action, *, by: int | None = None) -> None:
    """Do it, all or nothing, and what the rules force after it. `by` is the seat whose person acts."""
    clock = draft.table.clock
    if by is not None and (by in clock.standins or by in clock.watch.silences):
        welcome_back(draft, by)
    assert draft.event_log is not None
    if by is not None and isinstance(action, Play | Choose) and (last := _last_chance(draft, by)):
        events = _own_part(draft, action)
        match = draft.event_log.match
        if match.turn != by and not any(isinstance(event, RoundEnded | MatchEnded) for event in events):
            if match.can_take_back(by):
                draft.happens(last)
                return
            events += _happens(draft, when_it_stands(match, draft.given.secret))
    else:
        if isinstance(action, TakeBack) and not action.agreed:
            _check_alone(draft, action)
        events = _happens(draft, decide(draft.event_log.match, action, draft.given.secret))
    follow(draft, [*events, *play_out(draft)], by=by)


def look_at_hand(draft: Draft, command: Look) -> None:
    """Somebody looks at their hand. Nothing happens unless it is their turn and the one before it has not settled."""
    if draft.table.unsettled is not None and draft.table.seat_of(command.user) == draft.match.turn:
        settle(draft, command)


def settle(draft: Draft, command: Command) -> None:
    """A turn that could be taken back stands: what depends on hidden tiles happens now, and the next turn begins.

    Whose it is by now says so when they act, or look at their hand.
    """
    if draft.table.unsettled is None:
        return
    seat = draft.table.seat_of(command.user) if isinstance(command, Act | Look) else None
    draft.happens(Settled(seat if seat == draft.match.turn else None))
    _happens(draft, when_it_stands(draft.match, draft.given.secret))
    play_out(draft)
    if not draft.match.ended:
        draft.happens(TurnBegan(draft.match.turn, len(draft.match.behind)))


def settles_first(draft: Draft, command: Command) -> bool:
    """Whether the turn before has to settle, and be written, before anybody decides on this.

    Whatever could tell of hidden tiles does, whether it is allowed or refused. What the mover takes back does not,
    nor what is refused because it is somebody else's turn.
    """
    table = draft.table
    if table.unsettled is None or table.state != "open":
        return False
    match command:
        case Act(user, action):
            seat = table.seat_of(user)
            return seat is not None and (seat == draft.match.turn or isinstance(action(seat), Resign))
        case Look() | RunDue() | Rearm() | GoAway() | RestoreQuarantined() | Lapse():
            return False
        case ActFor() | Rule():
            return True
        case _:
            # Nobody who watches can settle it for those who play.
            return table.seat_of(getattr(command, "user", 0) or getattr(command, "by", 0)) is not None


def _last_chance(draft: Draft, seat: int) -> Tentative | None:
    """Until when the turn of this seat can be taken back, should it end now; None where it stands at once.

    Who comes next, how often something was taken back and what the clock says: all of that everybody knows.
    """
    assert draft.event_log is not None
    table, now = draft.table, draft.given.now
    following = draft.event_log.match.next_active(seat)
    if (
        table.seats[following].user_id is None
        or following in table.clock.standins
        or table.taken_back >= MOST_TAKEN_BACK
    ):
        return None
    end, until = deadline(table.clock.time), now + SETTLES[parse_pace(table.terms.clock).kind]
    # Nobody wins time by taking something back.
    until = until if end is None else min(until, end)
    return Tentative(seat, until, spent(table.clock.time, now)) if until > now else None


def _own_part(draft: Draft, action: Play | Choose) -> list[Event]:
    """Let a placement or a choice happen, with what it leaves no choice about in the same turn, and nothing beyond
    that: whether anybody can go on is looked for when it stands.
    """
    assert draft.event_log is not None
    events: list[Event] = []
    step: Action | None = action
    while isinstance(step, Play | Choose):
        match = draft.event_log.match
        events += _happens(draft, _without_others(match, decide(match, step, draft.given.secret)))
        match = draft.event_log.match
        goes_on = match.turn == action.seat and not match.by_hand
        goes_on = goes_on and not any(isinstance(event, RoundEnded | MatchEnded) for event in events)
        step = forced(match) if goes_on else None
    return events


def _without_others(match: Match, events: list[Event]) -> list[Event]:
    """These events up to the end of a round that all hands together bring about."""
    if not any(isinstance(event, RoundEnded) and event.out is None for event in events):
        return events
    own: list[Event] = [event for event in events if isinstance(event, Placed | Chose)]
    total = match.seats[match.turn].total + sum(event.points for event in events if isinstance(event, Placed | Chose))
    # Who reaches a target that ends the match at once ends it whatever the others hold.
    return events if match.rules.finish == "turn" and total >= match.rules.target else own


def _check_alone(draft: Draft, action: TakeBack) -> None:
    """Raise RuleBroken(TOO_LATE_TO_TAKE_BACK) where the match would allow it, and the table does not any more."""
    table, match = draft.table, draft.match
    late = table.unsettled is not None and draft.given.now >= table.unsettled.until
    if match.can_take_back(action.seat) and (late or not table.takes_back(action.seat, match.turn)):
        raise RuleBroken(Why.TOO_LATE_TO_TAKE_BACK, tile=match.behind[-1].tile)


def _happens(draft: Draft, events: list[Event]) -> list[Event]:
    draft.happens(*events)
    return events


def welcome_back(draft: Draft, seat: int) -> None:
    """Somebody is there again; whoever the computer played for has their turn, and the table is told."""
    stood_in = seat in draft.table.clock.standins
    draft.happens(Returned(seat, told=stood_in))
    if stood_in and seat == draft.match.turn:
        begin_anew(draft)


def play_out(draft: Draft) -> list[Event]:
    """Let everything happen that the rules force, unless people at this table do that by hand."""
    events: list[Event] = []
    while action := forced(draft.match):
        # The draft's own match, which may be another one from the first event on.
        match = draft.match
        if match.by_hand and not match.seats[match.turn].computer:
            break
        events += _happens(draft, decide(match, action, draft.given.secret))
    return events


def follow(draft: Draft, events: Sequence[Event], *, by: int | None = None) -> None:
    """The clock follows what happened in the match."""
    assert draft.event_log is not None
    match, clock = draft.event_log.match, draft.table.clock
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
