"""Simulated rounds to learn from: thousands a minute."""

from collections.abc import Iterator, Sequence
from random import Random

from engine.match.rules import Rules
from engine.match.simulation import Simulation
from engine.players.rollouts import RolloutEvaluator


def deal_round(rules: Rules, seats: int, rng: Random) -> Simulation:
    """Deal a round at random, before its opening."""
    tiles = list(rules.tiles)
    rng.shuffle(tiles)
    size = rules.compute_hand_size(seats)
    hands = [tuple(tiles[seat * size : (seat + 1) * size]) for seat in range(seats)]
    opening = rules.find_opening(hands)
    board = rules.build_board()
    simulation = Simulation(rules, board, totals=[0] * seats, left=(), turn=opening.seat)
    boneyard = [board.to_mask([tile]) for tile in tiles[seats * size :]]
    simulation.deal([board.to_mask(hand) for hand in hands], boneyard, board.to_mask(opening.tiles))
    return simulation


def play_round(rules: Rules, seats: int, rng: Random, *, random_share: float) -> Iterator[Simulation]:
    """Yield the same round before every move after the opening, and once it is over.

    Every seat plays greedily, and with the probability `random_share` any legal move.
    """
    simulation = deal_round(rules, seats, rng)
    greedy = RolloutEvaluator(simulation, None, 0).choose_greedy_move
    while not simulation.over:
        moves = simulation.list_moves() if rng.random() < random_share else ()
        simulation.play(rng.choice(moves) if moves else greedy())
        yield simulation


def compute_lead(totals: Sequence[int], seat: int) -> float:
    """Return by how many points a seat is ahead of the mean of the others."""
    return totals[seat] - (sum(totals) - totals[seat]) / (len(totals) - 1)
