"""Reminders, timeouts, vacations and absent players: what the clock does and what the other players choose."""

from dataclasses import replace
from typing import Final, get_args

from engine.match.errors import RuleError, Violation
from engine.match.events import Resigned
from engine.match.rounds import end_match
from engine.table import hosting, play, table_events, table_state
from engine.table.clock import compute_time_left, credit_outages
from engine.table.commands import (
    ChooseAbsence,
    NoteDeparture,
    Rearm,
    RestoreQuarantined,
    ReturnToSeat,
    RunDue,
    SetVacation,
)
from engine.table.evolve import Draft
from engine.table.preferences import can_start_vacation, is_away
from engine.table.refusals import Refusal, RefusalError
from engine.table.table_events import Choice, ReadAgain
from engine.table.table_state import Due
from engine.table.terms import DAY

CHOICES: Final[tuple[Choice, ...]] = get_args(Choice)


def run_due(draft: Draft, command: RunDue) -> None:
    """Do what the clock is due to do; do nothing if the due moment has changed or was handled."""
    due, now = command.due, draft.context.now
    if draft.context.due != due or due.at > now:
        return
    if due.kind == "unkeep":
        hosting.check_lobby(draft)
        if not draft.events:
            # The guest of the reserved seat has been forgotten.
            draft.apply(table_events.Rearmed())
        return
    if due.kind == "expire":
        hosting.check_lobby(draft)
        draft.apply(table_events.Closed("expired"))
        return
    if due.kind == "settle":
        play.settle(draft, command)
        return
    draft.follow_vacation()
    current_due = _find_due(draft)
    if current_due is None or current_due.kind != due.kind or current_due.at > now:
        # A vacation, quiet hours or a muted turn has moved the due moment.
        draft.apply(table_events.Rearmed())
    elif due.kind == "resume":
        draft.apply(table_events.PauseEnded(None))
    elif due.kind == "idle":
        draft.apply(table_events.Closed("practice_over" if draft.table.is_practice else "idle"))
    elif due.kind == "remind":
        _remind(draft)
    elif due.kind == "deadline":
        _handle_timeout(draft)
    else:
        _apply_terms(draft)


def rearm(draft: Draft, _: Rearm) -> None:
    """Record that the due moment has moved because the player to move changed a setting."""
    if draft.table.state != "open":
        return
    draft.follow_vacation()
    if not draft.events and _find_due(draft) != draft.context.due:
        draft.apply(table_events.Rearmed())


def _find_due(draft: Draft) -> Due | None:
    turn, given = draft.turn, draft.context
    person = None if turn is None or turn.user is None else given.get_person(turn.user)
    return table_state.find_due(draft.table, turn, person, given.match_id)


def _remind(draft: Draft) -> None:
    turn = draft.turn
    assert turn is not None
    assert turn.user is not None
    preferences = draft.context.get_person(turn.user).preferences
    main, further = table_state.compute_reminder_times(draft.table.clock, preferences)
    draft.apply(table_events.Reminded(turn.seat, main is not None and (further is None or main <= further)))


def _handle_timeout(draft: Draft) -> None:
    turn, table, now = draft.turn, draft.table, draft.context.now
    assert turn is not None
    assert turn.user is not None
    preferences = draft.context.get_person(turn.user).preferences
    pace, over = table.terms.pace, table.clock.time.has_used_grace
    takes_vacation = preferences.automatic and can_start_vacation(preferences, now) and not is_away(preferences, now)
    if takes_vacation and pace.kind != "live" and not over:
        # Grant more time first; the caller starts the automatic vacation, which stops all clocks of this player.
        draft.apply(table_events.Granted(turn.seat, pace.grace))
        return
    draft.apply(table_events.RanOut(turn.seat))
    if over or draft.table.clock.watch.timeouts[turn.seat] > 1 or not _has_others_present(draft, turn.seat):
        _apply_terms(draft)
        return
    draft.apply(table_events.ChoiceAsked(turn.seat, now + pace.grace))


def note_departure(draft: Draft, command: NoteDeparture) -> None:
    """Treat the player to move as one whose time ran out: they have left the server. Do nothing if another player is to
    move, or the others were asked in this turn.
    """
    turn, table, now = draft.turn, draft.table, draft.context.now
    is_settled = table.state == "open" and table.tentative_turn is None and not table.clock.time.paused
    if not is_settled or turn is None or turn.user != command.user or table.clock.watch.asked is not None:
        return
    if _has_others_present(draft, turn.seat):
        draft.apply(table_events.RanOut(turn.seat))
        if draft.table.clock.watch.timeouts[turn.seat] > 1:
            _apply_terms(draft)
        else:
            draft.apply(table_events.ChoiceAsked(turn.seat, now + table.terms.pace.grace, left=True))


def restore_quarantined(draft: Draft, command: RestoreQuarantined) -> None:
    draft.apply(ReadAgain(command.since))


def settle_absence(draft: Draft, command: ChooseAbsence) -> None:
    """Choose what happens to the silent player: the first answer decides, but ending needs everyone present. Raises
    RefusalError(NOT_SEATED, NOBODY_ABSENT, ABSENT_YOURSELF, PAUSED, AGREED_ALREADY).
    """
    match, seat = draft.match, draft.table.find_seat(command.user)
    if seat is None or match.seats[seat].resigned:
        raise RefusalError(Refusal.NOT_SEATED)
    asking = draft.table.clock.watch.absence_question
    if match.ended or asking is None or asking != command.asked:
        raise RefusalError(Refusal.NOBODY_ABSENT)
    if seat == match.turn:
        raise RefusalError(Refusal.ABSENT_YOURSELF)
    draft.check_running()
    if command.choice == "end":
        agreed = draft.table.clock.watch.end_votes
        waiting = [other for other in draft.table.list_present_seats(match) if other not in (seat, match.turn, *agreed)]
        if waiting and seat in agreed:
            raise RefusalError(Refusal.AGREED_ALREADY)
        if waiting:
            # A single player could otherwise win by having an accomplice stop playing.
            draft.apply(table_events.EndWished(seat, match.turn, tuple(waiting)))
            return
    _apply_choice(draft, command.choice, "chosen")


def require_player(draft: Draft, user: int) -> int:
    """Return a user's seat in the match. Raises RuleError(RESIGNED), RefusalError(NOT_SEATED, FINISHED)."""
    match, seat = draft.match, draft.table.find_seat(user)
    if seat is None:
        raise RefusalError(Refusal.NOT_SEATED)
    if match.ended:
        raise RefusalError(Refusal.FINISHED)
    if seat not in match.active:
        raise RuleError(Violation.RESIGNED)
    return seat


def return_to_seat(draft: Draft, command: ReturnToSeat) -> None:
    """Mark a player as present. Raises RuleError(RESIGNED), RefusalError(NOT_SEATED, FINISHED, NOT_ABSENT)."""
    match, table, seat = draft.match, draft.table, require_player(draft, command.user)
    asking = seat == match.turn and table.clock.watch.absence_question is not None
    if seat not in table.clock.standins and not asking:
        raise RefusalError(Refusal.NOT_ABSENT)
    play.welcome_back(draft, seat)
    if asking:
        span = max(0, (table.clock.watch.until or 0) - draft.context.now)
        draft.apply(table_events.ChoiceMade(seat, "wait", "returned", span))


def set_vacation(draft: Draft, command: SetVacation) -> None:
    """Start or end the vacation of a seated player; do nothing for a user who does not play here."""
    seat, pace, now = draft.table.find_seat(command.user), draft.table.terms.pace, draft.context.now
    if draft.table.state != "open" or seat is None or seat not in draft.match.active or pace.kind == "live":
        return
    time, watch = draft.table.clock.time, draft.table.clock.watch
    runs = seat == draft.match.turn and draft.table.tentative_turn is None
    if command.until and runs and (watch.absence_question is not None or compute_time_left(time, now) == 0):
        # The rest of the question's time, or the grace period, waits until they return; only once.
        rest = pace.grace if watch.until is None else max(0, watch.until - now)
        draft.apply(table_events.Granted(seat, 0 if time.has_used_grace else rest))
    draft.apply(table_events.Away(seat, command.until, command.notice))


def credit_downtime(draft: Draft) -> None:
    """Credit outages to the running clock; time that was credited before is not credited again."""
    now = draft.context.now
    # An outage that ends later than now was recorded by a clock that was ahead.
    outages = tuple(replace(one, end=min(one.end, now)) for one in draft.context.outages if one.start < now)
    if draft.table.state != "open":
        return
    before, after = draft.table.clock, credit_outages(draft.table.clock, outages)
    # While no time runs, log a credit only if it matters for the idle timeout.
    moved = after.acted_at - before.acted_at > DAY
    if moved or (before.time.since, before.watch) != (after.time.since, after.watch):
        draft.apply(table_events.Credited(outages))


def _apply_terms(draft: Draft) -> None:
    """Apply the absence rule of the table; with all players absent, a stand-in plays one turn only."""
    usual = draft.table.terms.absent
    alone = not _has_others_present(draft, draft.match.turn)
    _apply_choice(draft, "turn" if usual == "seat" and alone else usual, "default")


def _apply_choice(draft: Draft, choice: Choice, how: str) -> None:
    seat = draft.match.turn
    draft.apply(table_events.ChoiceMade(seat, choice, "chosen" if how == "chosen" else "default"))
    if choice == "end":
        _end_match(draft, seat)
    elif choice != "wait":
        play.begin_anew(draft)


def _end_match(draft: Draft, seat: int) -> None:
    """End the match as it stands, with the silent player last; without a result if a player has had no turn yet."""
    assert draft.event_log is not None
    if not draft.event_log.has_everyone_played:
        draft.apply(table_events.Closed("aborted", seat))
        return
    draft.apply(Resigned(seat))
    match = draft.match
    totals = [other.total for other in match.seats]
    draft.apply(end_match(match, totals, match.active, draft.context.secret))


def _has_others_present(draft: Draft, seat: int) -> bool:
    active = set(draft.match.active) - {seat, *draft.table.clock.standins}
    return any(row.user_id is not None and row.seat in active for row in draft.table.seats)
