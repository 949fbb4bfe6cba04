"""Complete random rounds of Triominoes for two, by the engine and by the second opinion: drawing, bonuses, penalties
and the award at the end included. Both are dealt the same tiles and choose by the same numbers."""

from collections.abc import Collection
from functools import cache
from random import Random
from typing import NamedTuple

from data.rulebook import rules
from engine.actions import Draw, Pass, Play
from engine.board import Placement
from engine.decide import decide, start
from engine.events import Dealt, RoundEnded
from engine.match import evolve, replay
from engine.players import greedy
from engine.seen import Seen, see
from engine.simulation import Simulation
from tests.engine import naive

RULES = rules("triominoes").with_option("target", "1")
"""Whoever has a point when the round is over has won: so no further round is dealt, which nobody would play."""
EMPTY = RULES.board()
"""The table that a simulated round begins on, which copies it."""
WORLDS, DEEP = 1000, 8
"""Deals that are played on, and for how many plies."""
MIDDLE = 8
"""Tiles that lie there where they start."""
DRAWS, DRAW, FAILED, OUT, SEATS = 3, 5, 10, 25, 2


class Outcome(NamedTuple):
    """What came of a round."""

    plies: int
    """Placements, draws and passes together: each is chosen by a seat, and judged."""
    totals: list[int]
    layout: naive.Layout


def secret(seed: int) -> bytes:
    """What orders the tiles of a round."""
    return Random(seed).randbytes(32)


def ours(seed: int, *, sort: bool = False) -> Outcome:
    """A round as the bot plays it: every action is judged by `decide`, every event folded by `evolve`.

    `sort` puts the moves in an order that the other side has too, to compare the two.
    """
    rng, order = Random(seed), secret(seed)
    match = replay(start(RULES, seats=SEATS, computers=(), by_hand=True, secret=order))
    plies = 0
    while True:
        seat = match.turn
        if legal := match.legal(seat):
            moves = sorted(legal, key=_reads) if sort else legal
            tile, cell, rotation = moves[int(rng.random() * len(moves))]
            action: Play | Draw | Pass = Play(seat, tile, cell, rotation)
        else:
            action = Draw(seat) if match.can_draw() else Pass(seat)
        plies += 1
        for event in decide(match, action, order):
            evolve(match, event)
            if isinstance(event, RoundEnded):
                return Outcome(plies, [seat.total for seat in match.seats], _layout(match.board.placed.values()))


def simulated(seed: int) -> Outcome:
    """A round as a computer player plays it on: no events, nothing judged, everything can be taken back."""
    rng = Random(seed)
    order = sorted(RULES.tiles, key=lambda _: rng.random())
    size = RULES.hand_size(SEATS)
    hands = [order[seat * size : (seat + 1) * size] for seat in range(SEATS)]
    opener, choices = RULES.opening(hands)
    simulation = Simulation(RULES, EMPTY, totals=[0] * SEATS, left=(), turn=opener)
    boneyard = list(map(EMPTY.tableau.table.bit.__getitem__, order[SEATS * size :]))
    simulation.deal([EMPTY.hand(hand) for hand in hands], boneyard, EMPTY.hand(choices))
    while moves := simulation.moves():
        simulation.play(moves[int(rng.random() * len(moves))])
    return Outcome(simulation.plies, simulation.totals, [])


def worlds() -> int:
    """A thousand deals of what a seat does not see, each played on for 8 plies at random and taken back; the plies."""
    seen, rng, plies = middle(), Random(1), 0
    simulation = Simulation.seen(seen)
    assert seen.mine is not None
    assert seen.mine.hand is not None
    mine = [simulation.tableau.table.bit[tile] for tile in seen.mine.hand]
    known = simulation.tableau.played | sum(mine)
    unseen = [bit for bit in simulation.tableau.table.bit.values() if not bit & known]
    sizes = [seat.tiles for seat in seen.seats]
    for _ in range(WORLDS):
        rng.shuffle(unseen)
        given, hands = 0, []
        for seat, size in enumerate(sizes):
            if seat == seen.viewer:
                hands.append(sum(mine))
            else:
                hands.append(sum(unseen[given : given + size]))
                given += size
        simulation.deal(hands, unseen[given:])
        for _ in range(DEEP):
            if not (moves := simulation.moves()):
                break
            simulation.play(moves[int(rng.random() * len(moves))])
        plies += simulation.plies
        while simulation.plies:
            simulation.undo()
    return plies


@cache
def middle() -> Seen:
    """What the seat whose turn it is sees in the middle of a round of two, with a choice to make."""
    rng, order = Random(2), secret(2)
    match = replay(start(RULES, seats=SEATS, computers=(), by_hand=True, secret=order))
    while len(match.board.placed) < MIDDLE or len(match.legal(match.turn)) < 3:
        action = greedy.choose(see(match, match.turn), rng)
        for event in decide(match, action, order):
            evolve(match, event)
        assert match.round == 1
        assert not match.ended
    return see(match, match.turn)


def dealt(seed: int) -> Dealt:
    """What both sides are dealt."""
    deal = start(RULES, seats=SEATS, computers=(), by_hand=True, secret=secret(seed))[1]
    assert isinstance(deal, Dealt)
    return deal


def theirs(seed: int, deal: Dealt, *, sort: bool = False) -> Outcome:
    """The same round by the second opinion: it asks every tile, turn and cell, and looks at the whole table."""
    rng = Random(seed)
    hands = [[_three(tile) for tile in hand] for hand in deal.hands]
    boneyard = [_three(tile) for tile in deal.boneyard]
    totals, layout, seat, drawn, failed, plies = [0] * SEATS, naive.Layout(), deal.opener, 0, 0, 0
    while failed < SEATS:
        if layout:
            moves = [*naive.moves(layout, hand=hands[seat])]
        else:
            moves = [(("U", 0, 0), _three(tile)) for tile in deal.choices]
        plies += 1
        if moves:
            if sort:
                moves.sort()
            cell, shown = moves[int(rng.random() * len(moves))]
            earned = naive.worth(layout, cell, shown)[0] if layout else _opening(shown)
            totals[seat] += earned - DRAW * drawn
            layout.append((cell, shown))
            hands[seat].remove(naive.tile_of(shown) or shown)
            if not hands[seat]:
                totals[seat] += OUT + sum(sum(tile) for hand in hands for tile in hand)
                return Outcome(plies, totals, layout)
            failed = 0
        elif drawn < DRAWS and boneyard:
            hands[seat].append(boneyard.pop(0))
            drawn += 1
            continue
        else:
            totals[seat] -= DRAW * drawn + FAILED
            failed += 1
        seat, drawn = (seat + 1) % SEATS, 0
    awards = naive.block(hands, {})
    return Outcome(plies, [total + award for total, award in zip(totals, awards, strict=True)], layout)


def _opening(shown: naive.Shown) -> int:
    """A triple earns ten more, and three zeros forty."""
    if len(set(shown)) > 1:
        return sum(shown)
    return sum(shown) + 10 if sum(shown) else 40


def _reads(placement: Placement) -> tuple[object, ...]:
    return placement.cell, placement.shown


def _layout(placed: Collection[Placement]) -> naive.Layout:
    return [((lies.cell.kind, lies.cell.x, lies.cell.y), _three(lies.shown)) for lies in placed]


def _three(shown: tuple[int, ...]) -> naive.Shown:
    a, b, c = shown
    return a, b, c
