"""Matches of two equal players with a given secret."""

from dataclasses import replace

from data.rulebook import load_rules
from engine.match.decide import decide, find_forced_action, start
from engine.match.events import Event
from engine.match.player_view import view_for
from engine.match.rules import Rules
from engine.match.state import apply_event, replay
from engine.players import greedy

SHORT_RULES = replace(load_rules("triominoes"), target=60)


class FirstOptionRandom:
    """A random source that always selects the first option."""

    def randrange(self, _stop: int, /) -> int:
        return 0


def play_fair_match(deal: bytes, contributions: tuple[str, ...] = (), rules: Rules = SHORT_RULES) -> list[Event]:
    """Return the log of a match with this secret and the entropy of the players."""
    log = start(rules, seats=2, computers=(), by_hand=False, secret=deal, contributions=contributions)
    match = replay(log)
    while not match.ended:
        events = decide(
            match, find_forced_action(match) or greedy.choose(view_for(match, match.turn), FirstOptionRandom()), deal
        )
        for event in events:
            apply_event(match, event)
        log += events
    return log
