"""Matches and positions to measure with: played from fixed seeds, so that every run measures the same work."""

from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Final

from data.rulebook import load_rules
from engine.match.decide import decide, find_forced_action, start
from engine.match.events import Event
from engine.match.player_view import PlayerView, view_for
from engine.match.state import Match, apply_event, replay
from engine.players import greedy
from render.canvas.picture import Captions

NAMES: Final = ("Ada", "Grace", "Linus", "Margaret")


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """A round of greedy players."""

    log: tuple[Event, ...]
    """All events of the match so far."""
    views: tuple[tuple[PlayerView, PlayerView], ...]
    """After each placement: the public view, and the view of the seat that is to move."""
    matches: tuple[Match, ...]
    """Copies of the match at these moments."""


@cache
def play_round(game: str = "triominoes", seats: int = 4, seed: int = 3, target: int = 400) -> PlayedRound:
    """Play the first round of a match. It ends the match where the `target` is low."""
    rng, secret, played = Random(seed), bytes(32), load_rules(game).with_option("target", str(target))
    log = list(start(played, seats=seats, computers=(), by_hand=False, secret=secret))
    match = replay(log)
    views, matches, placed = [], [], 0
    while not match.ended and match.round == 1:
        action = find_forced_action(match) or greedy.choose(view_for(match, match.turn), rng)
        for event in decide(match, action, secret):
            apply_event(match, event)
            log.append(event)
        if not match.ended and match.round == 1 and len(match.board.placed) > placed:
            placed = len(match.board.placed)
            views.append((view_for(match, None), view_for(match, match.turn)))
            matches.append(match.copy())
    return PlayedRound(tuple(log), tuple(views), tuple(matches))


@cache
def list_choices(count: int) -> tuple[PlayerView, ...]:
    """Return positions of two-player rounds in which the seat to move has several placements."""
    found: list[PlayerView] = []
    seed = 0
    while len(found) < count:
        seed += 1
        own = [view for _, view in play_round(seats=2, seed=seed).views if len(view.moves) > 2]
        found += own[4::6]
    return tuple(found[:count])


def build_captions(view: PlayerView) -> Captions:
    """Return the captions of a picture, different after every move as at a real table."""
    last = f"{NAMES[view.last.seat]} {view.last.points:+}" if view.last else ""
    return Captions(f"Round {view.round}", last, f"{NAMES[view.turn]} to play", f"Boneyard {view.boneyard}")
