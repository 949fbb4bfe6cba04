"""Looks for puzzles in rounds that computers play: the choices of a round, and those of which the best move is clear.

    for stand in choices_of_round(rules, player, secret, rng):
        puzzle = best(stand, weights, rng)

Of a best move only many worlds tell: it is looked for in few, and kept where it leads in `WORLDS` by `MARGIN` points at
least, three standard errors taken off. All moves are tried in the same worlds.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Final

from engine.board.board import Placement
from engine.board.tableau import Ply
from engine.match.actions import Play
from engine.match.decide import start
from engine.match.player_view import PlayerView, view_for
from engine.match.rules import Rules
from engine.match.state import Match, replay
from engine.players.evaluation_weights import Weights
from engine.players.greedy import Rng
from engine.players.levels import Player
from engine.players.prospects import Prospects, mean_and_error
from engine.puzzles.position import SEATS, Position, action_text, carry_out, to_choice
from engine.puzzles.puzzle import OUT, Puzzle
from tests.tools.puzzle_maker.exact import LYING, MOST_PLACEMENTS, is_quiet

WORLDS: Final = 10_000
"""In so many a best move is checked."""
MARGIN: Final = 3.0
"""So many points it must lead by."""
RESERVE: Final = 1.0
"""So many more when it is looked for: among many positions some look better than they are."""
BATCHES: Final = 50
"""Deals that follow one another may be alike: the error is told by the means of so many parts of them."""
ERRORS: Final = 3.0
"""So many standard errors are taken off what it leads by."""
LOOKS: Final[dict[int, float]] = {30: 0.5, 100: 1.5, 300: 1.5, 1_000: 1.3, 3_000: 1.1}
"""A position is given up where after so many worlds the lead in the mean is not so many times the margin."""
SURE: Final = 300
"""Not before so many worlds a move is left out of the comparison."""
FAR: Final = 6.0
"""A move that is behind by the margin and so many standard errors more is."""
CHOICES: Final = 4
"""Placements to choose from at least."""


@dataclass(frozen=True, slots=True)
class Situation:
    """A choice in a round, and how it came there."""

    match: Match
    position: Position


def choices_of_round(rules: Rules, player: Player, secret: bytes, rng: Rng) -> Iterator[Situation]:
    """The choices of a round that this player plays on all seats, each as it stands before it is made."""
    match, moves = replay(start(rules, seats=SEATS, computers=(), by_hand=False, secret=secret)), list[str]()
    while True:
        to_choice(match, secret)
        if match.round_over is not None or match.ended is not None:
            return
        yield Situation(match.copy(), Position(secret.hex(), tuple(moves)))
        action = player.choose(view_for(match, match.turn), rng)
        moves.append(action_text(action))
        carry_out(match, action, secret)


def best(stand: Situation, weights: Weights, rng: Rng, worlds: int = WORLDS) -> Puzzle | None:
    """A puzzle that asks for the best move, where one leads clearly, and is not the one that scores most now."""
    seen = view_for(stand.match, stand.match.turn)
    assert seen.mine is not None
    if (
        not is_quiet(seen)
        or len(seen.tiles) < LYING
        or not CHOICES <= len(seen.moves) <= MOST_PLACEMENTS
        or seen.mine.tiles < OUT
    ):
        return None
    led = lead(seen, weights, rng, worlds, sought=True)
    if led is None:
        return None
    return Puzzle("best", stand.position, (str(led.move),), round(led.margin, 2), led.worlds)


@dataclass(frozen=True, slots=True)
class Lead:
    """By how much a move leads."""

    move: Placement
    margin: float
    """Over the nearest: the mean less three standard errors."""
    worlds: int


def lead(seen: PlayerView, weights: Weights, rng: Rng, worlds: int = WORLDS, *, sought: bool = False) -> Lead | None:
    """The placement that leads in so many worlds, the same for all, and by how much; None where none does clearly.

    One that is `sought` is not the one that scores most now, and leads by the reserve more.
    """
    wanted = MARGIN + RESERVE if sought else MARGIN
    prospects = Prospects(seen, weights, rng)
    tried: dict[Ply, list[float]] = {move: [] for move in prospects.moves}
    plain = most_now(prospects) if sought else []
    for world in count(1):
        prospects.deal()
        for move, worths in tried.items():
            worths.append(prospects.worth(move))
        if world not in LOOKS and world != worlds:
            continue
        leads = max(tried, key=lambda move: sum(tried[move]))
        ahead = {move: _ahead(tried[leads], worths) for move, worths in tried.items() if move != leads}
        nearest = min(ahead, key=lambda move: ahead[move][0])
        if sought and (leads in plain or ahead[nearest][0] < wanted * LOOKS.get(world, 1.0)):
            return None
        if world == worlds:
            margin = min(mean - ERRORS * error for mean, error in ahead.values())
            return Lead(_placement(prospects, leads), margin, worlds) if margin >= wanted else None
        if world >= SURE:
            far = {move for move, (mean, error) in ahead.items() if mean - FAR * error > wanted}
            # One is compared to the end, so that a margin is told.
            tried = {move: worths for move, worths in tried.items() if move == nearest or move not in far}
    raise AssertionError


def most_now(prospects: Prospects) -> list[Ply]:
    """The moves that score most now; where nothing scores, those with the heaviest tile."""
    one, pips = prospects.one, prospects.one.tableau.table.pips
    moves = [move for move in prospects.moves if move[1] >= 0]
    worth = {move: one.earned(move).points if one.rules.scores_tiles else pips[move[1]] for move in moves}
    return [move for move in moves if worth[move] == max(worth.values())]


def _placement(prospects: Prospects, move: Ply) -> Placement:
    action = prospects.one.action(move)
    assert isinstance(action, Play), "in such positions there is nothing but placements"
    return Placement(action.tile, action.cell, action.rotation)


def _ahead(best: list[float], worths: list[float]) -> tuple[float, float]:
    """By how much the one is ahead in the mean, and the standard error of that."""
    apart = [more - less for more, less in zip(best, worths, strict=True)]
    mean, error = mean_and_error(apart)
    size = len(apart) // BATCHES
    if size > 1:
        parts = [sum(apart[first : first + size]) / size for first in range(0, size * BATCHES, size)]
        error = max(error, mean_and_error(parts)[1])
    return mean, error
