"""Reminders, timeouts, vacations and absent players: what the clock does and what the other players choose."""

from dataclasses import replace
from typing import Final, get_args

from engine.match.errors import RuleBroken, Why
from engine.match.events import Resigned
from engine.match.rounds import match_ended
from engine.table import hosting, play, table_events, table_state
from engine.table.clock import left
from engine.table.clockwork import repaid
from engine.table.commands import ChooseAbsence, ComeBack, GoAway, Rearm, RestoreQuarantined, RunDue
from engine.table.evolve import Draft
from engine.table.preferences import is_away, may_leave
from engine.table.refusals import No, Refused
from engine.table.table_events import Choice, ReadAgain
from engine.table.table_state import Due
from engine.table.terms import DAY

CHOICES: Final[tuple[Choice, ...]] = get_args(Choice)


def run_due(draft: Draft, command: RunDue) -> None:
    """Do what the clock is due to do; do nothing if the due moment has changed or was handled."""
    due, now = command.due, draft.given.now
    if draft.given.due != due or due.at > now:
        return
    if due.kind == "unkeep":
        hosting.check_lobby(draft)
        if not draft.events:
            # The guest of the reserved seat has been forgotten.
            draft.happens(table_events.Rearmed())
        return
    if due.kind == "expire":
        hosting.check_lobby(draft)
        draft.happens(table_events.Closed("expired"))
        return
    if due.kind == "settle":
        play.settle(draft, command)
        return
    draft.follow_vacation()
    found = _due(draft)
    if found is None or found.kind != due.kind or found.at > now:
        # A vacation, quiet hours or a muted turn has moved the due moment.
        draft.happens(table_events.Rearmed())
    elif due.kind == "resume":
        draft.happens(table_events.PauseEnded(None))
    elif due.kind == "idle":
        draft.happens(table_events.Closed("practice_over" if draft.table.practice else "idle"))
    elif due.kind == "remind":
        _remind(draft)
    elif due.kind == "deadline":
        _run_out(draft)
    else:
        _apply_terms(draft)


def rearm(draft: Draft, _: Rearm) -> None:
    """Record that the due moment has moved because the player to move changed a setting."""
    if draft.table.state != "open":
        return
    draft.follow_vacation()
    if not draft.events and _due(draft) != draft.given.due:
        draft.happens(table_events.Rearmed())


def _due(draft: Draft) -> Due | None:
    turn, given = draft.turn, draft.given
    person = None if turn is None or turn.user is None else given.person(turn.user)
    return table_state.due(draft.table, turn, person, given.match_id)


def _remind(draft: Draft) -> None:
    turn = draft.turn
    assert turn is not None
    assert turn.user is not None
    main, further = table_state.moments(draft.table.clock, draft.given.person(turn.user).preferences)
    draft.happens(table_events.Reminded(turn.seat, main is not None and (further is None or main <= further)))


def _run_out(draft: Draft) -> None:
    turn, table, now = draft.turn, draft.table, draft.given.now
    assert turn is not None
    assert turn.user is not None
    preferences = draft.given.person(turn.user).preferences
    pace, over = table.terms.pace, table.clock.time.over
    willing = preferences.automatic and may_leave(preferences, now) and not is_away(preferences, now)
    if willing and pace.kind != "live" and not over:
        # Grant more time first; the caller starts the automatic vacation, which stops all clocks of this player.
        draft.happens(table_events.Granted(turn.seat, pace.grace))
        return
    draft.happens(table_events.RanOut(turn.seat))
    if over or draft.table.clock.watch.silences[turn.seat] > 1 or not _others_there(draft, turn.seat):
        _apply_terms(draft)
        return
    draft.happens(table_events.ChoiceAsked(turn.seat, now + pace.grace))


def restore_quarantined(draft: Draft, command: RestoreQuarantined) -> None:
    draft.happens(ReadAgain(command.since))


def settle_absence(draft: Draft, command: ChooseAbsence) -> None:
    """Choose what happens to the silent player: the first answer decides, but ending needs everyone present. Raises
    Refused(NOT_SEATED, NOBODY_ABSENT, ABSENT_YOURSELF, PAUSED, AGREED_ALREADY).
    """
    match, seat = draft.match, draft.table.seat_of(command.user)
    if seat is None or match.seats[seat].resigned:
        raise Refused(No.NOT_SEATED)
    asking = draft.table.clock.watch.asking
    if match.ended or asking is None or asking != command.asked:
        raise Refused(No.NOBODY_ABSENT)
    if seat == match.turn:
        raise Refused(No.ABSENT_YOURSELF)
    draft.check_running()
    if command.choice == "end":
        agreed = draft.table.clock.watch.ending
        waiting = [other for other in draft.table.people(match) if other not in (seat, match.turn, *agreed)]
        if waiting and seat in agreed:
            raise Refused(No.AGREED_ALREADY)
        if waiting:
            # A single player could otherwise win by having an accomplice stop playing.
            draft.happens(table_events.EndWished(seat, match.turn, tuple(waiting)))
            return
    _apply(draft, command.choice, "chosen")


def come_back(draft: Draft, command: ComeBack) -> None:
    """Mark a player as present. Raises RuleBroken(RESIGNED), Refused(NOT_SEATED, FINISHED, NOT_ABSENT)."""
    match, table = draft.match, draft.table
    seat = table.seat_of(command.user)
    if seat is None:
        raise Refused(No.NOT_SEATED)
    if match.ended:
        raise Refused(No.FINISHED)
    if seat not in match.active:
        raise RuleBroken(Why.RESIGNED)
    asking = seat == match.turn and table.clock.watch.asking is not None
    if seat not in table.clock.standins and not asking:
        raise Refused(No.NOT_ABSENT)
    play.welcome_back(draft, seat)
    if asking:
        span = max(0, (table.clock.watch.until or 0) - draft.given.now)
        draft.happens(table_events.ChoiceMade(seat, "wait", "returned", span))


def go_away(draft: Draft, command: GoAway) -> None:
    """Start or end the vacation of a seated player; do nothing for a user who does not play here."""
    seat, pace, now = draft.table.seat_of(command.user), draft.table.terms.pace, draft.given.now
    if draft.table.state != "open" or seat is None or seat not in draft.match.active or pace.kind == "live":
        return
    time, watch = draft.table.clock.time, draft.table.clock.watch
    runs = seat == draft.match.turn and draft.table.unsettled is None
    if command.until and runs and (watch.asking is not None or left(time, now) == 0):
        # The rest of the question's time, or the grace period, waits until they return; only once.
        rest = pace.grace if watch.until is None else max(0, watch.until - now)
        draft.happens(table_events.Granted(seat, 0 if time.over else rest))
    draft.happens(table_events.Away(seat, command.until, command.told))


def credit(draft: Draft) -> None:
    """Credit outages to the running clock; time that was credited before is not credited again."""
    now = draft.given.now
    # An outage that ends later than now was recorded by a clock that was ahead.
    outages = tuple(replace(one, end=min(one.end, now)) for one in draft.given.outages if one.start < now)
    if draft.table.state != "open":
        return
    before, after = draft.table.clock, repaid(draft.table.clock, outages)
    # While no time runs, log a credit only if it matters for the idle timeout.
    moved = after.acted - before.acted > DAY
    if moved or (before.time.since, before.watch) != (after.time.since, after.watch):
        draft.happens(table_events.Credited(outages))


def _apply_terms(draft: Draft) -> None:
    """Apply the absence rule of the table; with all players absent, a stand-in plays one turn only."""
    usual = draft.table.terms.absent
    alone = not _others_there(draft, draft.match.turn)
    _apply(draft, "turn" if usual == "seat" and alone else usual, "default")


def _apply(draft: Draft, choice: Choice, how: str) -> None:
    seat = draft.match.turn
    draft.happens(table_events.ChoiceMade(seat, choice, "chosen" if how == "chosen" else "default"))
    if choice == "end":
        _end(draft, seat)
    elif choice != "wait":
        play.begin_anew(draft)


def _end(draft: Draft, seat: int) -> None:
    """End the match as it stands, with the silent player last; without a result if a player has had no turn yet."""
    assert draft.event_log is not None
    if not draft.event_log.everybody_played:
        draft.happens(table_events.Closed("aborted", seat))
        return
    draft.happens(Resigned(seat))
    match = draft.match
    totals = [other.total for other in match.seats]
    draft.happens(match_ended(match, totals, match.active, draft.given.secret))


def _others_there(draft: Draft, seat: int) -> bool:
    active = set(draft.match.active) - {seat, *draft.table.clock.standins}
    return any(row.user_id is not None and row.seat in active for row in draft.table.seats)
