"""What computer players weigh, as data: every number of theirs comes from `data/players`, where a command puts it."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import mul


@dataclass(frozen=True, slots=True, kw_only=True)
class Taste:
    """What a placement is worth to a player that looks one move ahead: points for each unit of what it leads to."""

    points: float = 1.0
    """Each point that it scores, a bonus that may be taken for it included."""
    pips: float = 0.0
    """Each pip of its tile: below zero, a heavy tile is not worth all of its points."""
    triple: float = 0.0
    """Its tile being a triple, which fits at fewer places than others later."""
    own_bonus: float = 0.0
    """Each point of the bonuses that the rest of the hand can take afterwards. Each place counts once, with its highest
    bonus, because only one tile can take it.
    """
    own_next: float = 0.0
    """Each point of the best placement of the rest of the hand afterwards."""
    own_fit: float = 0.0
    """The part of the rest of the hand that fits somewhere afterwards, from 0 to 1."""
    last_fits: float = 0.0
    """The hand being down to one tile that fits."""
    reply: float = 0.0
    """Each point that the next seat's best answer is expected to bring, by the tiles that are unseen."""
    others_bonus: float = 0.0
    """Each point of the bonuses that unseen tiles can take afterwards, times how likely the next seat holds a tile."""
    unseen_fit: float = 0.0
    """The part of the unseen tiles that fits somewhere afterwards, from 0 to 1."""
    shut_out: float = 0.0
    """None of the unseen tiles fitting afterwards, so that all others pass."""
    again: float = 0.0
    """A further turn for it."""

    @property
    def looks_on(self) -> bool:
        """Whether anything is asked of the table afterwards."""
        own = self.own_bonus, self.own_next, self.own_fit, self.last_fits
        return any((*own, self.reply, self.others_bonus, self.unseen_fit, self.shut_out))


@dataclass(frozen=True, slots=True)
class Leaf:
    """What the place where a play-out stops is worth beside the totals: points that the seat will still gain on the
    mean of the others. Linear in what is told of the hands.
    """

    fewest: tuple[int, ...]
    """The phases: by the fewest tiles that anybody holds, the most of each but the last."""
    phases: tuple[tuple[tuple[float, ...], tuple[float, ...]], ...]
    """By phase: the weights where another seat is on turn and where this one is. The last of them stands alone; those
    before it are of the facts of `Playouts.facts`.
    """

    def worth(self, facts: Sequence[float], on_turn: bool) -> float:
        """The value of a place with these facts; the first is the fewest tiles that anybody holds."""
        phase = bisect_left(self.fewest, facts[0])
        weights = self.phases[phase][on_turn]
        return float(sum(map(mul, weights, facts))) + weights[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking:
    """How long somebody tries moves, and on what deals."""

    worlds: int
    """Deals that are tried, at most, for each move."""
    turns: int
    """Turns that are played on in each."""
    worlds_of_many: int | None = None
    turns_of_many: int | None = None
    """The same with three seats or more, where they are other numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How much a player that grows a tree may look at before a move (`engine.players.tree`)."""

    plies: int
    """Moves that it tries, in all play-outs together; it ends after the play-out that reaches them."""
    nodes: int = 0
    """Positions that it looks at to find the exact end of a round of two."""
    tiles: int = 0
    """Tiles in both hands from which on it does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The numbers of all levels of a game. Where one is missing, the level plays as greedy does."""

    fitted_by: str = ""
    """The command that makes them."""
    medium: Taste | None = None
    hard: Taste | None = None
    own: Taste | None = None
    """How a seat that tries its moves plays on itself, with two seats; greedily where this is missing."""
    own_of_many: Taste | None = None
    """With three or more."""
    thinking: dict[str, Thinking] = field(default_factory=dict)
    """How long the levels think that try moves, by their names."""
    leaf: Leaf | None = None
    """With two seats."""
    leaf_of_many: Leaf | None = None
    """With three or more."""
    doubts: tuple[tuple[int, float], ...] = ()
    """How likely a seat still holds what would have scored more than what it placed: by the points more, the factor."""
    trees: dict[str, Budget] = field(default_factory=dict)
    """The budgets of the levels that grow a tree, by their names."""

    def playing_on(self, seats: int) -> tuple[Leaf | None, Taste | None]:
        """What a play-out with so many seats goes by: the worth of where it stops, and the taste of whoever tries."""
        return (self.leaf, self.own) if seats == 2 else (self.leaf_of_many, self.own_of_many)


NOTHING = Weights()
"""What is known of a game that nobody has fitted."""
