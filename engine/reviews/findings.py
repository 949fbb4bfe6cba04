"""The results of a review as frozen values, and their plain form for the store.

Points are a seat's lead over the mean of the others. An `at` is the index of an event in the match's log; `Started` is
0.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, Literal, get_args

from engine.board.tiles import count_pips, is_triple
from engine.match.actions import Action, Choose, Play
from engine.match.rules import Rules
from engine.record.text import format_choice, parse_choice

Habit = Literal["hexagon", "bridge", "option", "draw", "place", "triple", "heavy", "light", "tile"]
"""Kinds of mistakes: a missed hexagon or bridge; another option of the turn was better; drew instead of placing or vice
versa; right tile, wrong place; kept a triple; or a heavier, lighter or equally heavy tile was better.
"""

HABITS: Final[Sequence[Habit]] = get_args(Habit)


@dataclass(frozen=True, slots=True)
class HabitCount:
    """One kind of mistake: how often, and its total cost in points."""

    habit: Habit
    times: int
    lost: float


def classify_habit(made: Action, best: Action, *, hexagon: bool = False, bridge: bool = False) -> Habit:
    """Return the kind of mistake of `made` compared with `best`; a `hexagon` or a `bridge` may have been missed."""
    if hexagon or bridge:
        return "hexagon" if hexagon else "bridge"
    if not (isinstance(made, Play) and isinstance(best, Play)):
        return "option" if isinstance(made, Choose) or isinstance(best, Choose) else "draw"
    if made.tile == best.tile:
        return "place"
    if is_triple(best.tile) and not is_triple(made.tile):
        return "triple"
    if count_pips(best.tile) == count_pips(made.tile):
        return "tile"
    return "heavy" if count_pips(best.tile) > count_pips(made.tile) else "light"


def sort_by_cost(habits: Iterable[HabitCount]) -> tuple[HabitCount, ...]:
    return tuple(sorted(habits, key=lambda one: (-one.lost, HABITS.index(one.habit))))


REVIEW_VERSION: Final = 1  # version of the results; stored reviews have it
Label = Literal["good", "inaccuracy", "mistake", "blunder"]
BLUNDER: Final = 15.0
MISTAKE: Final = 5.0
INACCURACY: Final = 1.0  # fewest points of each label
HALF_ACCURACY_COST: Final = 10.0  # the cost in points that halves the accuracy of a choice


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceReview:
    """A seat's choice compared with our best guess."""

    at: int  # index of the resulting event
    round: int
    seat: int
    made: Action
    best: Action  # our best guess; may be what was made
    cost: float  # points lost compared with the best guess; below 0 only by chance, since other deals value it
    error: float  # standard error of the cost
    worlds: int  # number of valued deals
    options: int  # number of legal moves
    missed_hexagons: int = 0  # additional hexagons that could have been closed, if the choice was not good
    missed_bridge: bool = False  # whether a bridge was possible and none was made, if the choice was not good

    @property
    def label(self) -> Label:
        return classify_cost(self.cost)

    @property
    def habit(self) -> Habit | None:
        """The kind of mistake; None for a good choice."""
        if self.label == "good":
            return None
        return classify_habit(self.made, self.best, hexagon=self.missed_hexagons > 0, bridge=self.missed_bridge)

    @property
    def accuracy(self) -> float:
        """From 100 for no loss down to 0."""
        return 100 * HALF_ACCURACY_COST / (HALF_ACCURACY_COST + max(0.0, self.cost))


def classify_cost(cost: float) -> Label:
    if cost < INACCURACY:
        return "good"
    if cost < MISTAKE:
        return "inaccuracy"
    return "mistake" if cost < BLUNDER else "blunder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Luck:
    """A seat's result as the sum of its parts, in points ahead."""

    deal: float  # by dealt tiles
    draws: float  # by drawn tiles
    skill: float  # by the choices of this player and of the others
    rest: float  # unexplained
    error: float  # standard error of deal and draws together
    skill_error: float = 0.0  # standard error of skill

    @property
    def luck(self) -> float:
        """The part by chance."""
        return self.deal + self.draws

    @property
    def result(self) -> float:
        """The seat's final lead in points."""
        # Remove float errors, since half points are rounded later.
        return round(self.deal + self.draws + self.skill + self.rest, 9)

    @property
    def rounded_parts(self) -> tuple[int, int, int, int]:
        """Deal, draws, skill and rest as integers that add up to the rounded result; the rest absorbs rounding."""
        deal, draws, skill = round(self.deal), round(self.draws), round(self.skill)
        return deal, draws, skill, round(self.result) - deal - draws - skill


@dataclass(frozen=True, slots=True, kw_only=True)
class LuckyDraw:
    """The luck of a seat's draw, in points ahead compared with other tiles."""

    at: int  # index of the last drawn tile's event
    round: int
    seat: int
    tiles: int  # number of tiles in a row
    ahead: float
    error: float  # standard error of `ahead`

    @property
    def is_significant(self) -> bool:
        """Whether it was significantly lucky: at least a point, and two standard errors."""
        return self.ahead >= max(1.0, 2 * self.error)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatReview:
    """A seat over the whole match."""

    seat: int
    choices: int  # number of choices
    accuracy: float | None  # mean accuracy of its choices, 0 to 100; None without choices
    lost: float  # total cost of its choices
    error: float  # standard error of `lost`
    inaccuracies: int
    mistakes: int
    blunders: int
    missed_hexagons: int
    missed_bridges: int
    luck: Luck | None = None  # None until it is computed
    habits: tuple[HabitCount, ...] = ()  # mistakes by kind, the costliest first
    wins: bool = False  # whether points are hundredths of the win

    @property
    def good_choices(self) -> int:
        """The number of choices better than an inaccuracy."""
        return self.choices - self.inaccuracies - self.mistakes - self.blunders


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """Expectation of the running round after an event, with hands known and boneyard order unknown."""

    at: int
    round: int
    ahead: tuple[float, ...]  # by seat: expected lead at the end of the round, in points
    error: float  # standard error of each
    seat: int | None = None  # the acting seat; None for a deal and for the end of a round or match


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """The results of a match, or of the rounds reviewed so far."""

    version: int
    seats: tuple[SeatReview, ...]
    rounds: tuple[int, ...]  # reviewed rounds, the costliest first
    choices: tuple[ChoiceReview, ...]  # in the order of play
    curve: tuple[Expectation, ...]  # in the order of play: after each event that was not undone
    moments: tuple[int, ...]  # decisive events, at most three, in the order of play
    draws: tuple[LuckyDraw, ...] = ()  # luckiest draw of each seat that had one, the luckiest first
    wins: bool = False
    """Whether a single deal decides; points are then hundredths of the win (`engine.reviews.futures`)."""

    def list_costliest(self, seat: int | None = None, most: int = 3) -> list[ChoiceReview]:
        """Return the costliest choices, of one seat or of all, without good ones."""
        found = [one for one in self.choices if seat in {None, one.seat} and one.label != "good"]
        return sorted(found, key=lambda one: -one.cost)[:most]


def list_luckiest(draws: Iterable[LuckyDraw]) -> tuple[LuckyDraw, ...]:
    """Return the luckiest draw of each seat that had one, the luckiest first."""
    best: dict[int, LuckyDraw] = {}
    for one in draws:
        if one.is_significant and (one.seat not in best or one.ahead > best[one.seat].ahead):
            best[one.seat] = one
    return tuple(sorted(best.values(), key=lambda one: (-one.ahead, one.at)))


def build_seat_review(
    seat: int, choices: Iterable[ChoiceReview], luck: Luck | None = None, *, wins: bool = False
) -> SeatReview:
    """Summarise a seat's own choices."""
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
        habits=group_by_habit(own),
        wins=wins,
    )


def group_by_habit(choices: Iterable[ChoiceReview]) -> tuple[HabitCount, ...]:
    """Return the mistakes by kind, the costliest first."""
    costs: defaultdict[Habit, list[float]] = defaultdict(list)
    for one in choices:
        if one.habit is not None:
            costs[one.habit].append(one.cost)
    return sort_by_cost(HabitCount(habit, len(lost), sum(lost)) for habit, lost in costs.items())


PlainReview = dict[str, Any]


class DamagedReviewError(ValueError):
    """The stored value is no review, or has a newer version."""


def to_plain(review: Review) -> PlainReview:
    """Convert a review to JSON values."""
    return {
        "version": review.version,
        "wins": review.wins,
        "seats": [asdict(seat) for seat in review.seats],
        "rounds": list(review.rounds),
        "choices": [_to_plain_choice(choice) for choice in review.choices],
        "curve": [asdict(point) for point in review.curve],
        "moments": list(review.moments),
        "draws": [asdict(draw) for draw in review.draws],
    }


def from_plain(stored: object, rules: Rules) -> Review:
    """Load a stored review of this or an older version. Raises DamagedReviewError."""
    try:
        return _parse_review(stored, rules)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DamagedReviewError(f"this is no review of a match of {rules.game}: {error!r}") from error


def _parse_review(stored: Any, rules: Rules) -> Review:
    if not 1 <= stored["version"] <= REVIEW_VERSION:
        raise ValueError(f"it has version {stored['version']}, and {REVIEW_VERSION} is the last that is known")
    return Review(
        version=stored["version"],
        seats=tuple(from_plain_seat(seat) for seat in stored["seats"]),
        rounds=tuple(stored["rounds"]),
        choices=tuple(_parse_choice(choice, rules) for choice in stored["choices"]),
        curve=tuple(
            Expectation(**_select_known_fields(Expectation, point) | {"ahead": tuple(point["ahead"])})
            for point in stored["curve"]
        ),
        moments=tuple(stored["moments"]),
        draws=tuple(LuckyDraw(**_select_known_fields(LuckyDraw, draw)) for draw in stored.get("draws", ())),
        wins=stored.get("wins", False),
    )


def from_plain_seat(stored: Mapping[str, Any]) -> SeatReview:
    """Load one seat of a review. Raises KeyError, TypeError if invalid."""
    luck, habits = stored.get("luck"), stored.get("habits", ())
    known = (_select_known_fields(HabitCount, one) for one in habits if one["habit"] in HABITS)
    parts = {
        "luck": None if luck is None else Luck(**_select_known_fields(Luck, luck)),
        "habits": tuple(HabitCount(**one) for one in known),
    }
    return SeatReview(**_select_known_fields(SeatReview, stored) | parts)


def _parse_choice(stored: Mapping[str, Any], rules: Rules) -> ChoiceReview:
    seat = stored["seat"]
    actions = {
        name: parse_choice(stored[name].get("placement") or stored[name]["do"], seat, rules)
        for name in ("made", "best")
    }
    return ChoiceReview(**_select_known_fields(ChoiceReview, stored) | actions)


def _select_known_fields(kind: type, stored: Mapping[str, Any]) -> PlainReview:
    return {field.name: stored[field.name] for field in fields(kind) if field.name in stored}


def _to_plain_choice(choice: ChoiceReview) -> PlainReview:
    plain = {field.name: getattr(choice, field.name) for field in fields(choice)}
    # The label is for external readers.
    actions = {"made": _to_plain_action(choice.made), "best": _to_plain_action(choice.best)}
    return plain | actions | {"label": choice.label}


def _to_plain_action(action: Action) -> PlainReview:
    text = format_choice(action)
    return {"do": "place", "placement": text} if isinstance(action, Play) else {"do": text}
