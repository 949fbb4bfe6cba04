"""The reference implementations by game, with one interface for moves, reasons and scores on a layout."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from engine.families import DominoRules, QuadRules, TriokerRules, TriominoRules
from engine.match.rules import Rules, Score
from tests.engine import naive, naive_dominoes, naive_squares, naive_trioker
from tests.engine.naive import Cell, Layout, Shown


class ReferenceScore(NamedTuple):
    points: int
    hexagons: int = 0
    bridge: bool = False
    matched: int = 0
    corner: bool = False

    @classmethod
    def from_score(cls, score: Score) -> "ReferenceScore":
        return cls(score.points, score.hexagons, score.bridge, score.matched, score.corner)


@dataclass(frozen=True)
class ReferenceRules:
    list_hand_moves: Callable[[Layout, list[Shown] | None], set[tuple[Cell, Shown]]]
    """Everything that a hand can place, or all the tiles that do not lie."""
    find_violation: Callable[[Layout, Cell, Shown], str | None]
    """The first reason against a placement; None when it is legal."""
    score_placement: Callable[[Layout, Cell, Shown], ReferenceScore]
    tile_count: int

    def list_moves(self, layout: Layout) -> set[tuple[Cell, Shown]]:

        return self.list_hand_moves(layout, None)

    def count_sequences(self, layout: Layout, depth: int) -> int:
        if depth == 1:
            return len(self.list_moves(layout))
        return sum(self.count_sequences([*layout, move], depth - 1) for move in self.list_moves(layout))


def build_reference_rules(rules: Rules) -> ReferenceRules:
    match rules:
        case TriominoRules():
            return _build_triominoes(rules)
        case QuadRules():
            return _build_quads(rules)
        case DominoRules():
            return _build_dominoes(rules)
        case TriokerRules():
            return _build_trioker(rules)
    raise AssertionError(f"nobody has a second opinion on {rules.family}")


def get_option_values(rules: Rules) -> dict[str, str]:
    return {name: str(getattr(rules, name)) for name in type(rules).get_readings()}


def _build_triominoes(rules: TriominoRules) -> ReferenceRules:
    name, options = rules.tile_set, get_option_values(rules)
    return ReferenceRules(
        lambda layout, hand: naive.list_moves(layout, name, hand),
        lambda layout, cell, shown: naive.find_violation(layout, cell, shown, name),
        lambda layout, cell, shown: ReferenceScore(*naive.score_placement(layout, cell, shown, options)),
        len(naive.SETS[name]),
    )


def _build_quads(rules: QuadRules) -> ReferenceRules:
    arrangement = rules.quad_arrangement
    return ReferenceRules(
        lambda layout, hand: naive_squares.list_moves(layout, arrangement, hand),
        lambda layout, cell, shown: naive_squares.find_violation(layout, cell, shown, arrangement),
        lambda layout, cell, shown: ReferenceScore(
            sum(shown), matched=naive_squares.count_matched_corners(layout, cell)
        ),
        len(naive_squares.TILES),
    )


def _build_dominoes(rules: DominoRules) -> ReferenceRules:
    game, options = rules.family, get_option_values(rules)

    def score_placement(layout: Layout, cell: Cell, shown: Shown) -> ReferenceScore:
        points, corner = naive_dominoes.score_placement(layout, cell, shown, game, options)
        return ReferenceScore(points, corner=corner)

    return ReferenceRules(
        lambda layout, hand: naive_dominoes.list_moves(layout, game, options, hand),
        lambda layout, cell, shown: naive_dominoes.find_violation(layout, cell, shown, game, options),
        score_placement,
        len(naive_dominoes.list_tiles(options)),
    )


def _build_trioker(rules: TriokerRules) -> ReferenceRules:
    settings: tuple[Any, ...] = rules.trioker_values, rules.trioker_joker == "on", rules.trioker_board

    def score_placement(layout: Layout, cell: Cell, shown: Shown) -> ReferenceScore:
        if rules.trioker_bonuses == "off":
            return ReferenceScore(0)
        # Hexagons and bridges depend on the cells of tiles, not on their numbers.
        return ReferenceScore(*naive.score_placement(layout, cell, (0, 0, 0), get_option_values(rules)))

    return ReferenceRules(
        lambda layout, hand: naive_trioker.list_moves(layout, *settings, hand=hand),
        lambda layout, cell, shown: naive_trioker.find_violation(layout, cell, shown, *settings),
        score_placement,
        len(naive_trioker.list_tiles(*settings[:2])),
    )
