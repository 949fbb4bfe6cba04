"""What a review finds in a match, as frozen values; `engine.review.kept` writes them down.

Points are points ahead: what a seat has more than the mean of the others. An `at` is the number of an event in the
match's own log, `Started` being 0.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from engine.actions import Action
from engine.review.habits import Habit, HabitCount, costliest_first, habit_of

REVIEW_VERSION: Final = 1
"""Of what is found. A review that is kept says by which version it was made."""

Label = Literal["good", "inaccuracy", "mistake", "blunder"]

BLUNDER: Final = 15.0
MISTAKE: Final = 5.0
INACCURACY: Final = 1.0
"""From so many points on a choice is called so."""

HALF_WORTH: Final = 10.0
"""A choice that costs so many points is worth half of one that costs nothing, in accuracy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceReview:
    """What a seat did where the rules left it a choice, beside our best guess."""

    at: int
    """The event that it led to."""
    round: int
    seat: int
    made: Action
    best: Action
    """Our best guess; what was made where that is it."""
    cost: float
    """The points that are lost by what was made beside the best guess; 0 where that was made. The best guess is found
    in some worlds and valued in others, so this does not flatter; it may come out a little below 0.
    """
    error: float
    """The standard error of the cost."""
    worlds: int
    """The deals in which it was valued."""
    options: int
    """How many moves there were to choose from."""
    missed_hexagons: int = 0
    """Hexagons that could have been closed beside those that were, where the choice was not good."""
    missed_bridge: bool = False
    """Whether a bridge could have been made, and none was, where the choice was not good."""

    @property
    def label(self) -> Label:
        """What such a cost is called."""
        return label_of(self.cost)

    @property
    def habit(self) -> Habit | None:
        """What kind of mistake it was; None where it was good."""
        if self.label == "good":
            return None
        return habit_of(self.made, self.best, hexagon=self.missed_hexagons > 0, bridge=self.missed_bridge)

    @property
    def accuracy(self) -> float:
        """From 100 where nothing is lost down to 0."""
        return 100 * HALF_WORTH / (HALF_WORTH + max(0.0, self.cost))


def label_of(cost: float) -> Label:
    """What a choice that costs so many points is called."""
    if cost < INACCURACY:
        return "good"
    if cost < MISTAKE:
        return "inaccuracy"
    return "mistake" if cost < BLUNDER else "blunder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Luck:
    """A seat's result in parts that add up to it: so many points ahead through each."""

    deal: float
    """The tiles that were dealt."""
    draws: float
    """The tiles that were drawn."""
    skill: float
    """Its own choices, and those of the others."""
    rest: float
    """What none of these explains."""
    error: float
    """The standard error of what chance brought, deal and draws together."""
    skill_error: float = 0.0
    """The standard error of skill."""

    @property
    def luck(self) -> float:
        """What chance brought."""
        return self.deal + self.draws

    @property
    def result(self) -> float:
        """The points by which the seat ended ahead."""
        # The sum is off by what a float cannot say, and half points are there to be rounded.
        return round(self.deal + self.draws + self.skill + self.rest, 9)

    @property
    def in_points(self) -> tuple[int, int, int, int]:
        """Deal, draws, skill and rest as whole points that add up to the result as a whole number: what rounding leaves
        over is counted as rest.
        """
        deal, draws, skill = round(self.deal), round(self.draws), round(self.skill)
        return deal, draws, skill, round(self.result) - deal - draws - skill


@dataclass(frozen=True, slots=True, kw_only=True)
class LuckyDraw:
    """What came when a seat drew: so many points ahead through the tiles that came instead of any others."""

    at: int
    """The event of the last tile."""
    round: int
    seat: int
    tiles: int
    """How many came one after another."""
    ahead: float
    error: float
    """The standard error of that."""

    @property
    def certain(self) -> bool:
        """Whether it was lucky as far as anybody can say: by a point or more, and beyond two standard errors."""
        return self.ahead >= max(1.0, 2 * self.error)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatReview:
    """A seat over the whole match."""

    seat: int
    choices: int
    """How often it had a choice."""
    accuracy: float | None
    """The mean of its choices' accuracy, from 0 to 100; None where it had no choice."""
    lost: float
    """What its choices cost together."""
    error: float
    """The standard error of that."""
    inaccuracies: int
    mistakes: int
    blunders: int
    missed_hexagons: int
    missed_bridges: int
    luck: Luck | None = None
    """None while it is not found."""
    habits: tuple[HabitCount, ...] = ()
    """Its mistakes by their kind, what cost most first."""
    wins: bool = False
    """Whether what is told as points is hundredths of the win."""

    @property
    def good(self) -> int:
        """The choices that cost less than an inaccuracy."""
        return self.choices - self.inaccuracies - self.mistakes - self.blunders


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What the running round promised after an event, with all hands known and the boneyard's order unknown."""

    at: int
    round: int
    ahead: tuple[float, ...]
    """By seat: the points by which it may expect to be ahead when the round is over."""
    error: float
    """The standard error of each."""
    seat: int | None = None
    """Whose act the event was; None for a deal, and for the end of a round or of the match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """All that is found in a match, or in those of its rounds that were looked at so far."""

    version: int
    seats: tuple[SeatReview, ...]
    rounds: tuple[int, ...]
    """The rounds that were looked at, the costliest first."""
    choices: tuple[ChoiceReview, ...]
    """In the order of play."""
    curve: tuple[Expected, ...]
    """In the order of play: after each event of a round that stood."""
    moments: tuple[int, ...]
    """The events that decided the match, at most three, in the order of play."""
    draws: tuple[LuckyDraw, ...] = ()
    """The luckiest draw of each seat that had one, the luckiest first."""
    wins: bool = False
    """Whether a single deal decided: then what is told as points is hundredths of the win (`engine.review.outcome`)."""

    def costliest(self, seat: int | None = None, most: int = 3) -> list[ChoiceReview]:
        """The choices that cost most, of one seat or of all, those that were good left out."""
        found = [one for one in self.choices if seat in {None, one.seat} and one.label != "good"]
        return sorted(found, key=lambda one: -one.cost)[:most]


def luckiest(draws: Iterable[LuckyDraw]) -> tuple[LuckyDraw, ...]:
    """Of these the luckiest of each seat that had any, the luckiest first."""
    best: dict[int, LuckyDraw] = {}
    for one in draws:
        if one.certain and (one.seat not in best or one.ahead > best[one.seat].ahead):
            best[one.seat] = one
    return tuple(sorted(best.values(), key=lambda one: (-one.ahead, one.at)))


def seat_review(
    seat: int, choices: Iterable[ChoiceReview], luck: Luck | None = None, *, wins: bool = False
) -> SeatReview:
    """What a seat's own choices come to, picked out of these."""
    own = [one for one in choices if one.seat == seat]
    labels = [one.label for one in own]
    return SeatReview(
        seat=seat,
        choices=len(own),
        accuracy=sum(one.accuracy for one in own) / len(own) if own else None,
        lost=sum(one.cost for one in own),
        error=sum(one.error**2 for one in own) ** 0.5,
        inaccuracies=labels.count("inaccuracy"),
        mistakes=labels.count("mistake"),
        blunders=labels.count("blunder"),
        missed_hexagons=sum(one.missed_hexagons for one in own),
        missed_bridges=sum(one.missed_bridge for one in own),
        luck=luck,
        habits=by_habit(own),
        wins=wins,
    )


def by_habit(choices: Iterable[ChoiceReview]) -> tuple[HabitCount, ...]:
    """The mistakes among these by their kind, what cost most first."""
    costs: defaultdict[Habit, list[float]] = defaultdict(list)
    for one in choices:
        if one.habit is not None:
            costs[one.habit].append(one.cost)
    return costliest_first(HabitCount(habit, len(lost), sum(lost)) for habit, lost in costs.items())
