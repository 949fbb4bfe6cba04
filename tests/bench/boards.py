"""Tables to draw: the whole course of a round, and tables as full as they get."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from random import Random

from data.rulebook import rules
from engine.board import Placement
from engine.decide import decide, forced, start
from engine.match import Match, evolve, replay
from engine.players import greedy
from engine.seen import Seen, see
from render import Captions

NAMES = ("Ada", "Grace", "Linus", "Margaret")
"""Who plays."""
SYLLABLES = ("an", "be", "ka", "lo", "mi", "ra", "su", "to", "vi", "ne")
FULL = {"triominoes": 56, "quad-ominos": 125}
"""All tiles of a set."""


def captions(seen: Seen, names: Sequence[str] = NAMES) -> Captions:
    """A header that changes with every move, as it does at a table."""
    last = f"{names[seen.last.seat]} {'-'.join(map(str, seen.last.tile))} = {seen.last.points:+}" if seen.last else ""
    return Captions(f"Round {seen.round}", last, f"{names[seen.turn]} to play", f"Boneyard {seen.boneyard} · to 400")


def people(table: int) -> tuple[str, ...]:
    """Who sits at one table of many."""
    rng = Random(table)
    return tuple("".join(rng.choices(SYLLABLES, k=3)).title() for _ in NAMES)


@cache
def course(game: str = "triominoes", seed: int = 3) -> tuple[tuple[Seen, Seen], ...]:
    """What everybody and what the next player sees after each placement of a round of four."""
    rng, secret = Random(seed), bytes(32)
    match = replay(start(rules(game), seats=4, computers=(), by_hand=False, secret=secret))
    found, lying = [], 0
    while not match.ended and match.round == 1:
        action = forced(match) or greedy.choose(see(match, match.turn), rng)
        for event in decide(match, action, secret):
            evolve(match, event)
        if not match.ended and len(match.board.placed) > lying:
            lying = len(match.board.placed)
            found.append((see(match, None), see(match, match.turn)))
    return tuple(found)


@cache
def fullest(game: str) -> Match:
    """A table on which every tile of the set lies, in the middle of a match."""
    for seed in range(400):
        match = _filled(game, Random(seed))
        if len(match.board.placed) == FULL[game]:
            return match
    raise AssertionError("no table was ever full")


def _filled(game: str, rng: Random) -> Match:
    secret = bytes(32)
    match = replay(start(rules(game), seats=4, computers=(), by_hand=False, secret=secret))
    while len(match.board.placed) < 3:
        for event in decide(match, forced(match) or greedy.choose(see(match, match.turn), rng), secret):
            evolve(match, event)
    board, left = match.rules.board(), list(match.rules.tiles)
    rng.shuffle(left)
    board.place(Placement(left.pop(), match.rules.plane.first, 0))
    while left and (moves := list(board.legal(left))):
        # Tiles with many different numbers fit in few places, so they come first; none is left over then.
        hardest = max(len(set(move.tile)) for move in moves)
        laid = rng.choice([move for move in moves if len(set(move.tile)) == hardest])
        board.place(laid)
        left.remove(laid.tile)
    match.board = board
    for seat in match.seats:
        seat.hand = []
    match.boneyard = []
    newest = list(board.placed.values())[-1]
    assert match.last is not None
    match.last = replace(match.last, tile=newest.tile, cell=newest.cell, rotation=newest.rotation)
    return match
