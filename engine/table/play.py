"""Acts in the match, and their effect on the clock."""

from collections.abc import Sequence

from engine.match.actions import Action, Choose, Play, Resign, Undo
from engine.match.decide import decide, find_forced_action, list_options
from engine.match.errors import RuleError, Violation
from engine.match.events import Chose, Event, MatchEnded, Placed, Resigned, RoundEnded, Undone
from engine.match.rounds import end_dead_round
from engine.match.state import Match
from engine.table.commands import (
    Command,
    ExpireQuestion,
    Moderate,
    NoteDeparture,
    Rearm,
    RestoreQuarantined,
    RunDue,
    SetVacation,
    TakeAction,
    TakeComputerAction,
    ViewHand,
)
from engine.table.evolve import Draft
from engine.table.refusals import Refusal, RefusalError
from engine.table.table_events import Granted, Returned, Settled, Stumbled, Tentative, TurnBegan
from engine.table.table_posts import has_turn_begun
from engine.table.table_state import MAX_UNDOS, PremoveChoice, compute_deadline, compute_used_time
from engine.table.terms import UNDO_SPANS, parse_pace


def play_turn(draft: Draft, command: TakeAction) -> None:
    """A player acts. Raises RefusalError(NOT_SEATED, FINISHED, STALE, PAUSED), or RuleError with the reason."""
    seat = draft.table.find_seat(command.user)
    match = draft.match if draft.event_log is None or draft.table.state == "void" else draft.event_log.match
    if seat is None:
        raise RefusalError(Refusal.NOT_SEATED)
    if match.ended:
        raise RefusalError(Refusal.FINISHED)
    if command.expected is not None and not draft.table.is_current(command.expected):
        raise RefusalError(Refusal.STALE)
    if draft.table.clock.time.paused:
        draft.check_running()
    apply_action(draft, command.action(seat), by=seat)
    choose_bonus(draft, seat, command.then)


def choose_bonus(draft: Draft, seat: int, option: PremoveChoice) -> None:
    """Choose the bonus that a player has chosen together with a placement, if the placement offers it."""
    match = draft.match
    if option and match.turn == seat and match.choosing and option in list_options(match):
        apply_action(draft, Choose(seat, option), by=seat)


def play_for(draft: Draft, command: TakeComputerAction) -> None:
    """A computer acts. Raises RefusalError(STALE) if the table has changed or is paused, or RuleError."""
    table = draft.table
    if table.state != "open" or table.clock.time.paused or not table.is_current(command.expected):
        raise RefusalError(Refusal.STALE)
    if command.stumble is not None:
        draft.apply(Stumbled(draft.match.turn, command.stumble))
    apply_action(draft, command.action)


def apply_action(draft: Draft, action: Action, *, by: int | None = None) -> None:
    """Do an action and everything that the rules force after it, or nothing. `by` is the seat of an acting player."""
    clock = draft.table.clock
    if by is not None and (by in clock.standins or by in clock.watch.timeouts):
        welcome_back(draft, by)
    assert draft.event_log is not None
    if by is not None and isinstance(action, Play | Choose) and (tentative := _find_tentative_end(draft, by)):
        events = _apply_own_part(draft, action)
        match = draft.event_log.match
        if match.turn != by and not any(isinstance(event, RoundEnded | MatchEnded) for event in events):
            if match.can_undo(by):
                draft.apply(tentative)
                return
            events += _apply_events(draft, end_dead_round(match, draft.context.secret))
    else:
        if isinstance(action, Undo) and not action.agreed:
            _check_undo_alone(draft, action)
        events = _apply_events(draft, decide(draft.event_log.match, action, draft.context.secret))
    update_clock(draft, [*events, *play_forced_moves(draft)], by=by)


def view_hand(draft: Draft, command: ViewHand) -> None:
    """Settle the turn before, if it is now the turn of the user who looks at their hand."""
    if draft.table.tentative_turn is not None and draft.table.find_seat(command.user) == draft.match.turn:
        settle(draft, command)


def settle(draft: Draft, command: Command) -> None:
    """Make a tentative turn final: do what depends on hidden tiles, and begin the next turn. The event records whether
    the next player caused it by acting or looking at their hand.
    """
    if draft.table.tentative_turn is None:
        return
    seat = draft.table.find_seat(command.user) if isinstance(command, TakeAction | ViewHand) else None
    draft.apply(Settled(seat if seat == draft.match.turn else None))
    _apply_events(draft, end_dead_round(draft.match, draft.context.secret))
    play_forced_moves(draft)
    if not draft.match.ended:
        draft.apply(TurnBegan(draft.match.turn, len(draft.match.undo_stack)))


def must_settle_first(draft: Draft, command: Command) -> bool:
    """Return whether the turn before must settle, and be stored, before this command is decided. It must for every
    command whose answer could reveal hidden tiles, even a refusal. It need not for an undo by the mover, or for a
    command that is refused because it is another seat's turn.
    """
    table = draft.table
    if table.tentative_turn is None or table.state != "open":
        return False
    match command:
        case TakeAction(user, action):
            seat = table.find_seat(user)
            return seat is not None and (seat == draft.match.turn or isinstance(action(seat), Resign))
        case (
            ViewHand() | RunDue() | Rearm() | SetVacation() | RestoreQuarantined() | ExpireQuestion() | NoteDeparture()
        ):
            return False
        case TakeComputerAction() | Moderate():
            return True
        case _:
            # Spectators cannot settle a turn.
            return table.find_seat(getattr(command, "user", 0) or getattr(command, "by", 0)) is not None


def _find_tentative_end(draft: Draft, seat: int) -> Tentative | None:
    """Return the tentative end of this seat's turn; None if the turn is final at once. It depends on public facts only:
    the next player, the number of undos, and the clock.
    """
    assert draft.event_log is not None
    table, now = draft.table, draft.context.now
    following = draft.event_log.match.find_next_active(seat)
    if table.seats[following].user_id is None or following in table.clock.standins or table.undo_count >= MAX_UNDOS:
        return None
    end, until = compute_deadline(table.clock.time), now + UNDO_SPANS[parse_pace(table.terms.clock).kind]
    # An undo must not gain time.
    until = until if end is None else min(until, end)
    return Tentative(seat, until, compute_used_time(table.clock.time, now)) if until > now else None


def _apply_own_part(draft: Draft, action: Play | Choose) -> list[Event]:
    """Apply a placement or choice and the forced rest of its turn. What other hands decide follows when it settles."""
    assert draft.event_log is not None
    events: list[Event] = []
    step: Action | None = action
    while isinstance(step, Play | Choose):
        match = draft.event_log.match
        events += _apply_events(draft, _drop_shared_end(match, decide(match, step, draft.context.secret)))
        match = draft.event_log.match
        goes_on = match.turn == action.seat and not match.by_hand
        goes_on = goes_on and not any(isinstance(event, RoundEnded | MatchEnded) for event in events)
        step = find_forced_action(match) if goes_on else None
    return events


def _drop_shared_end(match: Match, events: list[Event]) -> list[Event]:
    """Drop a round end that depends on all hands."""
    if not any(isinstance(event, RoundEnded) and event.out is None for event in events):
        return events
    own: list[Event] = [event for event in events if isinstance(event, Placed | Chose)]
    total = match.seats[match.turn].total + sum(event.points for event in events if isinstance(event, Placed | Chose))
    # Reaching the target can end the match at once, whatever the others hold.
    return events if match.rules.finish == "turn" and total >= match.rules.target else own


def _check_undo_alone(draft: Draft, action: Undo) -> None:
    """Raise RuleError(TOO_LATE_TO_TAKE_BACK) if the match would allow the undo but the table does not."""
    table, match = draft.table, draft.match
    late = table.tentative_turn is not None and draft.context.now >= table.tentative_turn.until
    if match.can_undo(action.seat) and (late or not table.can_undo(action.seat, match.turn)):
        raise RuleError(Violation.TOO_LATE_TO_TAKE_BACK, tile=match.undo_stack[-1].tile)


def _apply_events(draft: Draft, events: list[Event]) -> list[Event]:
    draft.apply(*events)
    return events


def welcome_back(draft: Draft, seat: int) -> None:
    """Mark a player as present; if a computer plays for them, announce it and give them their turn."""
    stood_in = seat in draft.table.clock.standins
    draft.apply(Returned(seat, told=stood_in))
    if stood_in and seat == draft.match.turn:
        begin_anew(draft)


def play_forced_moves(draft: Draft) -> list[Event]:
    """Apply all forced moves, unless players at this table make them by hand."""
    events: list[Event] = []
    while action := find_forced_action(draft.match):
        # `draft.match` may change with the first event.
        match = draft.match
        if match.by_hand and not match.seats[match.turn].computer:
            break
        events += _apply_events(draft, decide(match, action, draft.context.secret))
    return events


def update_clock(draft: Draft, events: Sequence[Event], *, by: int | None = None) -> None:
    """Update the clock after events of the match."""
    assert draft.event_log is not None
    match, clock = draft.event_log.match, draft.table.clock
    if match.ended:
        return
    goes_on_for = clock.watch.seat == match.turn
    taken_back = any(isinstance(event, Undone) for event in events)
    # An undo within a turn does not change its time.
    goes_on = taken_back and goes_on_for and clock.time.height <= len(match.undo_stack)
    # The resignation of another player does not interrupt the running turn.
    is_unaffected = goes_on_for and all(isinstance(event, Resigned) for event in events)
    if not goes_on_for or (has_turn_begun(events, match) and not is_unaffected and not goes_on):
        draft.apply(TurnBegan(match.turn, len(match.undo_stack), "back" if taken_back else "next"))
    elif by == match.turn and clock.watch.absence_question is not None:
        # The others were choosing; this player has the rest of that time to finish their turn.
        until = clock.watch.until or draft.context.now
        draft.apply(Granted(match.turn, max(0, until - draft.context.now)))


def begin_anew(draft: Draft) -> None:
    """Begin the running turn again, for its player or for the computer."""
    draft.apply(TurnBegan(draft.match.turn, len(draft.match.undo_stack), "anew"))
