"""The second opinions by game: one way to ask each of them for the moves, the reasons and the scores on a layout."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from engine.families import DominoRules, QuadRules, TriokerRules, TriominoRules
from engine.match.rules import Rules, Score
from tests.engine import naive, naive_dominoes, naive_squares, naive_trioker

Cell = tuple[str, int, int]
Shown = tuple[int, ...]
Layout = list[tuple[Cell, Shown]]


class Worth(NamedTuple):
    """What a placement after the first should earn and make."""

    points: int
    hexagons: int = 0
    bridge: bool = False
    matched: int = 0
    corner: bool = False

    @classmethod
    def of(cls, score: Score) -> "Worth":
        return cls(score.points, score.hexagons, score.bridge, score.matched, score.corner)


@dataclass(frozen=True)
class Opinion:
    held: Callable[[Layout, list[Shown] | None], set[tuple[Cell, Shown]]]
    """Everything that a hand can place, or all the tiles that do not lie."""
    verdict: Callable[[Layout, Cell, Shown], str | None]
    """The first reason against a placement; None when it is legal."""
    worth: Callable[[Layout, Cell, Shown], Worth]
    """What a legal placement earns."""
    tiles: int
    """How many tiles there are."""

    def moves(self, layout: Layout) -> set[tuple[Cell, Shown]]:
        """Everything that can be placed when all tiles that do not lie are in hand."""
        return self.held(layout, None)

    def ways(self, layout: Layout, depth: int) -> int:
        """How many ways there are to place `depth` further tiles."""
        if depth == 1:
            return len(self.moves(layout))
        return sum(self.ways([*layout, move], depth - 1) for move in self.moves(layout))


def second_opinion(rules: Rules) -> Opinion:
    """The second opinion on a game, by the options that a table plays."""
    match rules:
        case TriominoRules():
            return _triominoes(rules)
        case QuadRules():
            return _quads(rules)
        case DominoRules():
            return _dominoes(rules)
        case TriokerRules():
            return _trioker(rules)
    raise AssertionError(f"nobody has a second opinion on {rules.family}")


def named(rules: Rules) -> dict[str, str]:
    return {name: str(getattr(rules, name)) for name in type(rules).get_readings()}


def _triominoes(rules: TriominoRules) -> Opinion:
    name, read = rules.tile_set, named(rules)
    return Opinion(
        lambda layout, hand: {*naive.moves(triangles(layout), name, triangular(hand))},
        lambda layout, cell, shown: naive.verdict(triangles(layout), cell, triangle(shown), name),
        lambda layout, cell, shown: Worth(*naive.worth(triangles(layout), cell, triangle(shown), read)),
        len(naive.SETS[name]),
    )


def _quads(rules: QuadRules) -> Opinion:
    how = rules.quad_arrangement
    return Opinion(
        lambda layout, hand: naive_squares.moves(layout, how, hand),
        lambda layout, cell, shown: naive_squares.verdict(layout, cell, shown, how),
        lambda layout, cell, shown: Worth(sum(shown), matched=naive_squares.matched(layout, cell)),
        len(naive_squares.TILES),
    )


def _dominoes(rules: DominoRules) -> Opinion:
    game, read = rules.family, named(rules)

    def worth(layout: Layout, cell: Cell, shown: Shown) -> Worth:
        points, corner = naive_dominoes.worth(layout, cell, shown, game, read)
        return Worth(points, corner=corner)

    return Opinion(
        lambda layout, hand: naive_dominoes.moves(layout, game, read, hand),
        lambda layout, cell, shown: naive_dominoes.verdict(layout, cell, shown, game, read),
        worth,
        len(naive_dominoes.tiles(read)),
    )


def _trioker(rules: TriokerRules) -> Opinion:
    asked: tuple[Any, ...] = rules.trioker_values, rules.trioker_joker == "on", rules.trioker_board

    def worth(layout: Layout, cell: Cell, shown: Shown) -> Worth:
        if rules.trioker_bonuses == "off":
            return Worth(0)
        # Hexagons and bridges ask where tiles lie, not what they show.
        points, hexagons, bridge = naive.worth(triangles(layout), cell, (0, 0, 0), named(rules))
        return Worth(points, hexagons, bridge)

    return Opinion(
        lambda layout, hand: naive_trioker.moves(layout, *asked, hand=hand),
        lambda layout, cell, shown: naive_trioker.verdict(layout, cell, shown, *asked),
        worth,
        len(naive_trioker.tiles(asked[0], asked[1])),
    )


def triangle(shown: Shown) -> naive.Shown:
    a, b, c = shown
    return a, b, c


def triangular(hand: list[Shown] | None) -> list[naive.Shown] | None:
    return None if hand is None else [triangle(shown) for shown in hand]


def triangles(layout: Layout) -> naive.Layout:
    return [(cell, triangle(shown)) for cell, shown in layout]
