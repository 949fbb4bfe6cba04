"""Weights of computer players, loaded from `data/players`, where a command writes them."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import mul


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementWeights:
    """The value of a placement to a player that looks one move ahead: points per unit of each feature."""

    points: float = 1.0  # per point, including a bonus to choose
    pips: float = 0.0  # per pip of its tile; below 0, a heavy tile is worth less than its points
    triple: float = 0.0  # if its tile is a triple, which fits fewer places later
    own_bonus: float = 0.0
    """Per point of the bonuses open to the rest of the hand: the highest one of each place, since one tile takes it."""
    own_next: float = 0.0  # per point of the best next placement of the rest of the hand
    own_fit: float = 0.0  # times the fraction of the rest of the hand that fits, 0 to 1
    last_fits: float = 0.0  # if the hand has one tile left, and it fits
    reply: float = 0.0  # per point of the next seat's expected best answer, from the unseen tiles
    others_bonus: float = 0.0
    """Per point of the bonuses open to unseen tiles, times the chance that the next seat holds a tile."""
    unseen_fit: float = 0.0  # times the fraction of the unseen tiles that fit, 0 to 1
    shut_out: float = 0.0  # if no unseen tile fits, so that all others pass
    again: float = 0.0  # if it gives a further turn

    @property
    def needs_lookahead(self) -> bool:
        """Whether a feature needs the table after the move."""
        own = self.own_bonus, self.own_next, self.own_fit, self.last_fits
        return any((*own, self.reply, self.others_bonus, self.unseen_fit, self.shut_out))


@dataclass(frozen=True, slots=True)
class LeafWeights:
    """The points that a seat will gain on the mean of the others after a rollout, linear in the facts."""

    fewest: tuple[int, ...]  # phases, by the fewest tiles in any hand: the upper limit of each but the last
    phases: tuple[tuple[tuple[float, ...], tuple[float, ...]], ...]
    """By phase: weights of `Playouts.facts` and a constant, for another seat's turn and for this seat's."""

    def evaluate(self, facts: Sequence[float], on_turn: bool) -> float:
        """Return the value of these facts; the first is the fewest tiles in any hand."""
        phase = bisect_left(self.fewest, facts[0])
        weights = self.phases[phase][on_turn]
        return float(sum(map(mul, weights, facts))) + weights[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutBudget:
    """How many sampled deals a player tries, and how far."""

    worlds: int  # deals per move at most
    turns: int  # turns per rollout
    worlds_of_many: int | None = None
    turns_of_many: int | None = None  # the same for three or more seats, if different


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeBudget:
    """The budget of a tree search per move (`engine.players.tree`)."""

    plies: int  # moves in all rollouts; the search ends after the rollout that reaches it
    nodes: int = 0  # positions for the exact end of a round of two
    tiles: int = 0  # tiles in both hands from which on the exact end is searched


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The weights of all levels of a game. A level without weights plays greedily."""

    fitted_by: str = ""  # command that fits them
    medium: PlacementWeights | None = None
    hard: PlacementWeights | None = None
    own: PlacementWeights | None = None  # how the searching seat plays in rollouts of two seats; greedily if missing
    own_of_many: PlacementWeights | None = None  # the same for three or more seats
    thinking: dict[str, RolloutBudget] = field(default_factory=dict)  # by level
    leaf: LeafWeights | None = None  # two seats
    leaf_of_many: LeafWeights | None = None  # three or more seats
    doubts: tuple[tuple[int, float], ...] = ()
    """Chance that a seat holds a tile that would have scored more: by extra points, the factor."""
    trees: dict[str, TreeBudget] = field(default_factory=dict)  # by level

    def choose_rollout_weights(self, seats: int) -> tuple[LeafWeights | None, PlacementWeights | None]:
        """Return the leaf and the searching seat's weights for rollouts with so many seats."""
        return (self.leaf, self.own) if seats == 2 else (self.leaf_of_many, self.own_of_many)


NO_WEIGHTS = Weights()  # for games without fitted weights
