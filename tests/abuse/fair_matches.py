"""Matches of two equal players under a given secret, for records that are checked."""

from dataclasses import replace

from data.rulebook import rules
from engine.match.decide import decide, forced, start
from engine.match.events import Event
from engine.match.player_view import view_for
from engine.match.rules import Rules
from engine.match.state import evolve, replay
from engine.players import greedy

SHORT = replace(rules("triominoes"), target=60)


class First:
    """A source of chance that always picks the first of equal choices."""

    def randrange(self, _stop: int, /) -> int:
        return 0


def played(deal: bytes, added: tuple[str, ...] = (), reading: Rules = SHORT) -> list[Event]:
    """Return the log of a match under this secret and what the players added."""
    log = start(reading, seats=2, computers=(), by_hand=False, secret=deal, contributions=added)
    match = replay(log)
    while not match.ended:
        happened = decide(match, forced(match) or greedy.choose(view_for(match, match.turn), First()), deal)
        for event in happened:
            evolve(match, event)
        log += happened
    return log
