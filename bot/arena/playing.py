"""One match between players, from its numbers alone: nobody waits, nobody presses, nothing is kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from engine.actions import Action, Resign
from engine.decide import decide, forced, start
from engine.events import Event, RoundEnded
from engine.match import Match, evolve, replay
from engine.rules import Rules
from engine.seen import Seen, see
from engine.turns import places

MOST_ACTIONS: Final = 20_000
"""After so many a match counts as it stands: under some readings few rounds bring anybody nearer to the target."""


class Sitter(Protocol):
    """Who plays a seat of one match."""

    def choose(self, seen: Seen) -> Action | None:
        """What it does now; None gives the match up. It is asked only where the rules leave a choice."""


@dataclass(frozen=True, slots=True)
class Played:
    """How a match, or the one round of it that was played, ended."""

    totals: tuple[int, ...]
    places: tuple[int, ...]
    log: tuple[Event, ...]


def play_match(rules: Rules, sitters: Sequence[Sitter], secret: bytes, *, single: bool) -> Played:
    """Play a match, or its first round. Each sitter sees what its seat may see and nothing else."""
    log = start(rules, seats=len(sitters), computers=(), by_hand=False, secret=secret)
    match = replay(log)
    for _ in range(MOST_ACTIONS):
        if match.ended is not None:
            return Played(match.ended.totals, match.ended.places, tuple(log))
        if single and match.round_over is not None:
            break
        for event in decide(match, _next(match, sitters), secret):
            evolve(match, event)
            log.append(event)
            if single and isinstance(event, RoundEnded):
                break
    totals = tuple(seat.total for seat in match.seats)
    return Played(totals, places(totals, match.left), tuple(log))


def _next(match: Match, sitters: Sequence[Sitter]) -> Action:
    seat = match.turn
    found = forced(match) or sitters[seat].choose(see(match, seat))
    return Resign(seat) if found is None else found


def shares(found: Sequence[int]) -> list[float]:
    """What each seat has of the win, by places: all of it, or its part where several came first."""
    first = found.count(1)
    return [(place == 1) / first for place in found]
