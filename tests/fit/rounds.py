"""Rounds that play themselves in small numbers, to learn from: thousands a minute."""

from collections.abc import Iterator, Sequence
from random import Random

from engine.players.playouts import Playouts
from engine.rules import Rules
from engine.simulation import Simulation


def dealt(rules: Rules, seats: int, rng: Random) -> Simulation:
    """A round dealt at random, before its opening."""
    tiles = list(rules.tiles)
    rng.shuffle(tiles)
    size = rules.hand_size(seats)
    hands = [tuple(tiles[seat * size : (seat + 1) * size]) for seat in range(seats)]
    opening = rules.opening(hands)
    board = rules.board()
    one = Simulation(rules, board, totals=[0] * seats, left=(), turn=opening.seat)
    rest = [board.hand([tile]) for tile in tiles[seats * size :]]
    one.deal([board.hand(hand) for hand in hands], rest, board.hand(opening.tiles))
    return one


def played(rules: Rules, seats: int, rng: Random, *, astray: float) -> Iterator[Simulation]:
    """The same round before every move after the opening, and once it is over. Every seat plays greedily, and anything
    with the chance `astray`.
    """
    one = dealt(rules, seats, rng)
    greedy = Playouts(one, None, 0).greedy
    while not one.over:
        moves = one.moves() if rng.random() < astray else ()
        one.play(rng.choice(moves) if moves else greedy())
        yield one


def ahead(totals: Sequence[int], seat: int) -> float:
    """By how much a seat is ahead of the mean of the others."""
    return totals[seat] - (sum(totals) - totals[seat]) / (len(totals) - 1)
