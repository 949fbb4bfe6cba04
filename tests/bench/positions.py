"""Positions to measure on: reached by random play from fixed seeds, the same for whoever is measured."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from random import Random

from data.rulebook import rules
from engine.actions import Play
from engine.board import Placement
from engine.events import Event, Placed
from engine.match import Match
from engine.rules import Rules
from engine.tiles import Tile
from tests.engine.growing import as_naive, plain
from tests.engine.naive_games import Cell, Layout, Opinion, Shown, second_opinion
from tests.engine.tables import Playout

MATCHES = 10
"""Matches that are played for the positions of a game."""
EVERY = 11
"""Of the actions of a match, one in so many is asked about."""


Course = list[tuple[Placement, tuple[Tile, ...]]]


@dataclass(frozen=True)
class Position:
    """Somebody's turn in the middle of a round, and the same as the second opinion has it."""

    match: Match
    layout: Layout
    hand: list[Shown]

    def legal(self) -> list[Placement]:
        """What the engine says can be placed."""
        return self.match.legal(self.match.turn)

    def naive(self, opinion: Opinion) -> set[tuple[Cell, Shown]]:
        """What the second opinion says."""
        return opinion.held(self.layout, self.hand)


@cache
def positions(game: str) -> list[Position]:
    """Turns of a game by its default reading, with both sides' answers compared once."""
    found = []
    played = rules(game)
    for seed in range(MATCHES):
        seats = 2 + seed % (played.max_seats - 1)
        for number, match in enumerate(_turns(Random(f"{game} {seed}"), seats, played)):
            if number % EVERY == seed % EVERY:
                found.append(_position(match.copy()))
    opinion = second_opinion(played)
    for position in found:
        legal = position.legal()
        assert {as_naive(placement) for placement in legal} == position.naive(opinion)
    return found


def _turns(rng: Random, seats: int, played: Rules) -> Iterator[Match]:
    """The first round of a match at every turn whose seat may place a tile of its hand next to others."""
    playout = Playout(rng, seats=seats, rules=played)
    for _ in playout.steps():
        match = playout.match
        if match.round > 1 or match.ended:
            return
        if match.board.placed and not (match.choosing or match.bonus_tiles or match.further):
            yield match


def _position(match: Match) -> Position:
    return Position(match, plain(match.board), [*match.seats[match.turn].hand])


@cache
def courses(game: str) -> list[Course]:
    """The placements of the first round of each match, each with the hand of whoever was to move after it."""
    found = []
    for seed in range(MATCHES):
        played = rules(game)
        course: Course = []
        playout = Playout(Random(f"{game} {seed}"), seats=2 + seed % (played.max_seats - 1), rules=played)
        for action, happened in playout.steps():
            match = playout.match
            if not isinstance(happened[0], Placed) or not isinstance(action, Play):
                continue
            if match.round > 1 or match.ended:
                break
            course.append((Placement(action.tile, action.cell, action.rotation), tuple(match.seats[match.turn].hand)))
        found.append(course)
    return found


@cache
def full_hands(game: str, size: int) -> list[tuple[Match, tuple[Tile, ...]]]:
    """Tables of a game with a hand of so many tiles that do not lie on them."""
    rng = Random(f"{game} {size}")
    found = []
    for position in positions(game):
        left = [tile for tile in position.match.rules.tiles if tile not in position.match.board.tiles]
        if len(left) >= size:
            found.append((position.match, tuple(rng.sample(left, size))))
    return found


@cache
def long_match(placements: int) -> list[Event]:
    """The log of a match of Triominoes up to this placement, over as many rounds as it takes."""
    playout = Playout(Random(placements), seats=2, rules=rules("triominoes"))
    for _ in playout.steps():
        placed = [number for number, event in enumerate(playout.log, 1) if isinstance(event, Placed)]
        if len(placed) >= placements:
            return playout.log[: placed[placements - 1]]
    raise AssertionError("the match ended before")
