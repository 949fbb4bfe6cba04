"""Acts in the match, and their effect on the clock."""

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
    """A player acts. Raises Refused(NOT_SEATED, FINISHED, STALE, PAUSED), or RuleBroken with the reason."""
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
    """A computer acts. Raises Refused(STALE) if the table has changed or is paused, or RuleBroken."""
    table = draft.table
    if table.state != "open" or table.clock.time.paused or not table.still(command.expected):
        raise Refused(No.STALE)
    if command.instead is not None:
        draft.happens(Stumbled(draft.match.turn, command.instead))
    act(draft, command.action)


def act(draft: Draft, action: Action, *, by: int | None = None) -> None:
    """Do an action and everything that the rules force after it, or nothing. `by` is the seat of an acting player."""
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
    """Settle the turn before, if it is now the turn of the user who looks at their hand."""
    if draft.table.unsettled is not None and draft.table.seat_of(command.user) == draft.match.turn:
        settle(draft, command)


def settle(draft: Draft, command: Command) -> None:
    """Make a tentative turn final: do what depends on hidden tiles, and begin the next turn. The event records whether
    the next player caused it by acting or looking at their hand.
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
    """Return whether the turn before must settle, and be stored, before this command is decided. It must for every
    command whose answer could reveal hidden tiles, even a refusal. It need not for an undo by the mover, or for a
    command that is refused because it is another seat's turn.
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
            # Spectators cannot settle a turn.
            return table.seat_of(getattr(command, "user", 0) or getattr(command, "by", 0)) is not None


def _last_chance(draft: Draft, seat: int) -> Tentative | None:
    """Return the tentative end of this seat's turn; None if the turn is final at once. It depends on public facts only:
    the next player, the number of undos, and the clock.
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
    # An undo must not gain time.
    until = until if end is None else min(until, end)
    return Tentative(seat, until, spent(table.clock.time, now)) if until > now else None


def _own_part(draft: Draft, action: Play | Choose) -> list[Event]:
    """Apply a placement or choice and the forced rest of its turn. What other hands decide follows when it settles."""
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
    """Drop a round end that depends on all hands."""
    if not any(isinstance(event, RoundEnded) and event.out is None for event in events):
        return events
    own: list[Event] = [event for event in events if isinstance(event, Placed | Chose)]
    total = match.seats[match.turn].total + sum(event.points for event in events if isinstance(event, Placed | Chose))
    # Reaching the target can end the match at once, whatever the others hold.
    return events if match.rules.finish == "turn" and total >= match.rules.target else own


def _check_alone(draft: Draft, action: TakeBack) -> None:
    """Raise RuleBroken(TOO_LATE_TO_TAKE_BACK) if the match would allow the undo but the table does not."""
    table, match = draft.table, draft.match
    late = table.unsettled is not None and draft.given.now >= table.unsettled.until
    if match.can_take_back(action.seat) and (late or not table.takes_back(action.seat, match.turn)):
        raise RuleBroken(Why.TOO_LATE_TO_TAKE_BACK, tile=match.behind[-1].tile)


def _happens(draft: Draft, events: list[Event]) -> list[Event]:
    draft.happens(*events)
    return events


def welcome_back(draft: Draft, seat: int) -> None:
    """Mark a player as present; if a computer plays for them, announce it and give them their turn."""
    stood_in = seat in draft.table.clock.standins
    draft.happens(Returned(seat, told=stood_in))
    if stood_in and seat == draft.match.turn:
        begin_anew(draft)


def play_out(draft: Draft) -> list[Event]:
    """Apply all forced moves, unless players at this table make them by hand."""
    events: list[Event] = []
    while action := forced(draft.match):
        # `draft.match` may change with the first event.
        match = draft.match
        if match.by_hand and not match.seats[match.turn].computer:
            break
        events += _happens(draft, decide(match, action, draft.given.secret))
    return events


def follow(draft: Draft, events: Sequence[Event], *, by: int | None = None) -> None:
    """Update the clock after events of the match."""
    assert draft.event_log is not None
    match, clock = draft.event_log.match, draft.table.clock
    if match.ended:
        return
    goes_on_for = clock.watch.seat == match.turn
    taken_back = any(isinstance(event, Undone) for event in events)
    # An undo within a turn does not change its time.
    goes_on = taken_back and goes_on_for and clock.time.height <= len(match.behind)
    # The resignation of another player does not interrupt the running turn.
    elsewhere = goes_on_for and all(isinstance(event, Resigned) for event in events)
    if not goes_on_for or (begins_turn(events, match) and not elsewhere and not goes_on):
        draft.happens(TurnBegan(match.turn, len(match.behind), "back" if taken_back else "next"))
    elif by == match.turn and clock.watch.asking is not None:
        # The others were choosing; this player has the rest of that time to finish their turn.
        until = clock.watch.until or draft.given.now
        draft.happens(Granted(match.turn, max(0, until - draft.given.now)))


def begin_anew(draft: Draft) -> None:
    """Begin the running turn again, for its player or for the computer."""
    draft.happens(TurnBegan(draft.match.turn, len(draft.match.behind), "anew"))
