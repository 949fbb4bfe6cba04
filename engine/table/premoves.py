"""Play premoves in the act that begins their owner's turn, and drop the impossible ones.

The log contains ordinary actions, as if the owner had clicked at that moment.
"""

from dataclasses import replace
from typing import Final

from engine.match.actions import Play
from engine.match.player_view import view_for
from engine.players import greedy
from engine.table import play
from engine.table.commands import Command, TakeAction, ViewHand
from engine.table.evolve import Draft
from engine.table.table_events import ReadAgain, TurnBegan
from engine.table.table_state import Premove, PremoveOutcome, find_drop_reason

MAX_STEPS: Final = 100  # actions in one automatic turn, including draws


class FixedRandom:
    """A constant `Random`: among equal moves the first is played, so that the choice is reproducible."""

    def randrange(self, _stop: int, /) -> int:
        return 0

    def random(self) -> float:
        return 0.0


def play_premoves(draft: Draft, command: Command) -> None:
    """Play the premoves whose turn has begun, one after another, and note the impossible ones."""
    if not draft.events or draft.event_log is None:
        return
    if draft.table.state == "void":
        return  # all of them go with the match
    _clear_own_premove(draft, command)
    # Each turn consumes a premove, so the loop ends.
    while (user := _find_due_user(draft)) is not None:
        _play(draft, user, is_viewing=isinstance(command, ViewHand) and command.user == user)
    for user in _list_waiting(draft):
        seat = draft.context.premoves[user].seat
        if draft.table.find_seat(user) != seat or draft.match.seats[seat].resigned:
            draft.premoves[user] = None
        elif (outcome := _find_drop_reason(draft, draft.context.premoves[user])) is not None:
            _set_outcome(draft, user, outcome)


def _clear_own_premove(draft: Draft, command: Command) -> None:
    """Delete the shown outcome when the owner acts, and the premove if they act on their own turn."""
    if not isinstance(command, TakeAction):
        return
    premove = draft.context.premoves.get(command.user)
    if premove is not None and (not premove.is_waiting or premove.seat == draft.match.turn or draft.match.ended):
        draft.premoves[command.user] = None


def _list_waiting(draft: Draft) -> list[int]:
    return [user for user, one in draft.context.premoves.items() if one.is_waiting and user not in draft.premoves]


def _find_due_user(draft: Draft) -> int | None:
    turn, table = draft.turn, draft.table
    if (
        turn is None
        or turn.user not in _list_waiting(draft)
        or table.tentative_turn is not None
        or table.clock.time.paused
    ):
        return None
    last = next((event for event in reversed(draft.events) if isinstance(event, TurnBegan)), None)
    began = last is not None and (last.seat, last.how) == (turn.seat, "next")
    return turn.user if began and draft.context.premoves[turn.user].seat == turn.seat else None


def _play(draft: Draft, user: int, *, is_viewing: bool) -> None:
    premove = draft.context.premoves[user]
    seat, placement = premove.seat, premove.placement
    if (outcome := find_drop_reason(draft.match, premove)) is not None:
        _set_outcome(draft, user, outcome)
    elif placement is None and is_viewing:
        _set_outcome(draft, user, "here")
    elif placement is None:
        _set_outcome(draft, user, "played")
        _play_greedily(draft, seat)
    else:
        _set_outcome(draft, user, "played")
        play.apply_action(draft, Play(seat, placement.tile, placement.cell, placement.rotation), by=seat)
        play.choose_bonus(draft, seat, premove.then)


def _play_greedily(draft: Draft, seat: int) -> None:
    """Play the whole turn as the computer player that takes the most points."""
    height = len(draft.events)
    for _ in range(MAX_STEPS):
        match = draft.match
        if match.ended or match.turn != seat or draft.table.tentative_turn is not None:
            return
        if any(isinstance(event, TurnBegan) for event in draft.events[height:]):
            return  # the next turn is theirs as well, and for them to decide on
        play.apply_action(draft, greedy.choose(view_for(match, seat), FixedRandom()), by=seat)


def _find_drop_reason(draft: Draft, premove: Premove) -> PremoveOutcome | None:
    table, match, seat = draft.table, draft.match, premove.seat
    if table.state != "open" or match.ended:
        return "stopped"
    was_restored = any(isinstance(event, ReadAgain) for event in draft.events)
    if table.clock.time.paused or was_restored or seat in table.clock.standins:
        return "stopped"
    if table.tentative_turn is not None:
        return None  # what was just placed may be taken back
    return "stopped" if match.turn == seat else find_drop_reason(match, premove)


def _set_outcome(draft: Draft, user: int, outcome: PremoveOutcome) -> None:
    draft.premoves[user] = replace(draft.context.premoves[user], became=outcome)
