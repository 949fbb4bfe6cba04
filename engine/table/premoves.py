"""Play premoves in the act that begins their owner's turn, and drop the impossible ones.

The log contains ordinary actions, as if the owner had clicked at that moment.
"""

from dataclasses import replace
from typing import Final

from engine.match.actions import Choose, Play
from engine.match.decide import options
from engine.match.player_view import view_for
from engine.players import greedy
from engine.table import play
from engine.table.commands import Act, Command, Look
from engine.table.evolve import Draft
from engine.table.table_events import ReadAgain, TurnBegan
from engine.table.table_state import Became, Premove, dropped

MOST_STEPS: Final = 100  # actions in one automatic turn, including draws


class Unmoved:
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
    _note_their_own(draft, command)
    # Each turn consumes a premove, so the loop ends.
    while (user := _due(draft)) is not None:
        _play(draft, user, here=isinstance(command, Look) and command.user == user)
    for user in _waiting(draft):
        seat = draft.given.premoves[user].seat
        if draft.table.seat_of(user) != seat or draft.match.seats[seat].resigned:
            draft.premoves[user] = None
        elif (became := _lost(draft, draft.given.premoves[user])) is not None:
            _became(draft, user, became)


def _note_their_own(draft: Draft, command: Command) -> None:
    """Delete the shown outcome when the owner acts, and the premove if they act on their own turn."""
    if not isinstance(command, Act):
        return
    premove = draft.given.premoves.get(command.user)
    if premove is not None and (not premove.waits or premove.seat == draft.match.turn or draft.match.ended):
        draft.premoves[command.user] = None


def _waiting(draft: Draft) -> list[int]:
    return [user for user, one in draft.given.premoves.items() if one.waits and user not in draft.premoves]


def _due(draft: Draft) -> int | None:
    turn, table = draft.turn, draft.table
    if turn is None or turn.user not in _waiting(draft) or table.unsettled is not None or table.clock.time.paused:
        return None
    last = next((event for event in reversed(draft.events) if isinstance(event, TurnBegan)), None)
    began = last is not None and (last.seat, last.how) == (turn.seat, "next")
    return turn.user if began and draft.given.premoves[turn.user].seat == turn.seat else None


def _play(draft: Draft, user: int, *, here: bool) -> None:
    premove = draft.given.premoves[user]
    seat, lies = premove.seat, premove.placement
    if (became := dropped(draft.match, premove)) is not None:
        _became(draft, user, became)
    elif lies is None and here:
        _became(draft, user, "here")
    elif lies is None:
        _became(draft, user, "played")
        _play_most(draft, seat)
    else:
        _became(draft, user, "played")
        play.act(draft, Play(seat, lies.tile, lies.cell, lies.rotation), by=seat)
        match = draft.match
        if premove.then and match.turn == seat and match.choosing and premove.then in options(match):
            play.act(draft, Choose(seat, premove.then), by=seat)


def _play_most(draft: Draft, seat: int) -> None:
    """Play the whole turn as the computer player that takes the most points."""
    height = len(draft.events)
    for _ in range(MOST_STEPS):
        match = draft.match
        if match.ended or match.turn != seat or draft.table.unsettled is not None:
            return
        if any(isinstance(event, TurnBegan) for event in draft.events[height:]):
            return  # the next turn is theirs as well, and for them to decide on
        play.act(draft, greedy.choose(view_for(match, seat), Unmoved()), by=seat)


def _lost(draft: Draft, premove: Premove) -> Became | None:
    table, match, seat = draft.table, draft.match, premove.seat
    if table.state != "open" or match.ended:
        return "stopped"
    again = any(isinstance(event, ReadAgain) for event in draft.events)
    if table.clock.time.paused or again or seat in table.clock.standins:
        return "stopped"
    if table.unsettled is not None:
        return None  # what was just placed may be taken back
    return "stopped" if match.turn == seat else dropped(match, premove)


def _became(draft: Draft, user: int, became: Became) -> None:
    draft.premoves[user] = replace(draft.given.premoves[user], became=became)
