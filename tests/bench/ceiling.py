"""How much there is to be won by looking: `python -m tests.bench.ceiling GAME SEATS DEALS`.

A player that is handed every hand and the boneyard tries each of its moves: four times all go on greedily to the end of
the round, dealt as it is, and what that leaves it ahead of the others counts. It plays single deals against greedy,
every deal from every seat. No level is given what this one is, so what it wins is about the most that can be won.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from multiprocessing import Pool
from random import Random
from typing import Annotated, Final

import typer

from bot.arena.contest import Contest
from bot.arena.playing import shares
from bot.arena.tally import mean, played_what, share_mean
from engine.actions import Action
from engine.decide import decide, forced, start
from engine.events import RoundEnded
from engine.match import Match, evolve, replay
from engine.players import greedy
from engine.seen import see
from engine.simulation import Simulation
from engine.tableau import Ply
from engine.turns import places

TRIES: Final = 4
"""So often each move is played on from: of moves that are worth the same anybody may choose any."""

Deal = tuple[float, float]
"""The part of the wins, and the points ahead of the mean of the others, by all seats."""


def looking(match: Match, chance: Random) -> Action:
    """What somebody does who sees everything."""
    simulation = Simulation.of(match)
    seat, moves = simulation.turn, simulation.moves()
    worth = [sum(_tried(simulation, move, seat, chance) for _ in range(TRIES)) for move in moves]
    return simulation.action(moves[worth.index(max(worth))])


def _tried(one: Simulation, move: Ply, seat: int, chance: Random) -> float:
    """What a seat is ahead of the mean of the others once this move was made and the round played to its end."""
    before = one.plies
    while not one.over:
        one.play(move)
        if not one.over:
            move = _following(one, chance)
    found = one.totals[seat] - (sum(one.totals) - one.totals[seat]) / (len(one.totals) - 1)
    while one.plies > before:
        one.undo()
    return found


def _following(one: Simulation, chance: Random) -> Ply:
    """What greedy does: the most points, then the most pips, then any of equals."""
    moves = one.moves()
    placements = [move for move in moves if move[1] >= 0]
    if not placements:
        return moves[0]
    worth = [_worth(one, move) for move in placements]
    best = max(worth)
    return chance.choice([move for move, found in zip(placements, worth, strict=True) if found == best])


def _worth(one: Simulation, move: Ply) -> tuple[int, int]:
    earned, table = one.earned(move), one.tableau.table
    opening, bonus_tile = not one.tableau.lies, one.bonus_tiles > 0
    reward = one.rules.reward(table.turned[move[1]].tile, earned, opening=opening, bonus_tile=bonus_tile)
    return earned.points + (0 if reward is None else reward.points), table.pips[move[1]]


def totals(contest: Contest, deal: int, seat: int) -> list[int]:
    """The totals of a round in which whoever looks sits on this seat."""
    secret, chance = contest.secret(deal), contest.chance(deal, seat, 0)
    match = replay(start(contest.rules, seats=contest.seats, computers=(), by_hand=False, secret=secret))
    while True:
        action = forced(match) or (looking(match, chance) if match.turn == seat else _greedy(match, chance))
        for event in decide(match, action, secret):
            evolve(match, event)
            if isinstance(event, RoundEnded) or match.ended is not None:
                return [one.total for one in match.seats]


def _greedy(match: Match, chance: Random) -> Action:
    return greedy.choose(see(match, match.turn), chance)


def played(contest: Contest, deal: int) -> Deal:
    """A deal from every seat."""
    won = ahead = 0.0
    for seat in range(contest.seats):
        found = totals(contest, deal, seat)
        won += shares(places(found, ()))[seat]
        ahead += found[seat] - (sum(found) - found[seat]) / (contest.seats - 1)
    return won / contest.seats, ahead / contest.seats


def row(contest: Contest, deals: Iterable[Deal]) -> str:
    """A row of docs/strength.md."""
    won, ahead = zip(*deals, strict=True)
    share = share_mean([100 * part for part in won])
    return f"| {played_what(contest)} | {len(won):,} | **{share}** | {100 / contest.seats:.1f} | {mean(ahead)} |"


def main(
    game: Annotated[str, typer.Argument(help="The game.")],
    seats: Annotated[int, typer.Argument(help="Seats, one of which looks.")] = 2,
    deals: Annotated[int, typer.Argument(help="Deals.")] = 100,
    seed: Annotated[int, typer.Option(help="What the deals come from.")] = 15,
    jobs: Annotated[int, typer.Option(help="Processes.")] = 1,
) -> None:
    """Play deals, and print a row."""
    contest = Contest(game, ("looking", "greedy"), seed, seats, single=True)
    with Pool(jobs) as pool:
        found = pool.map(partial(played, contest), range(deals), chunksize=1)
    typer.echo(row(contest, found))


if __name__ == "__main__":
    typer.run(main)
