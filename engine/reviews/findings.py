"""What a review finds in a match, as frozen values; `engine.reviews.findings` writes them down.

Points are points ahead: what a seat has more than the mean of the others. An `at` is the number of an event in the
match's own log, `Started` being 0.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, Literal, assert_never, get_args

from engine.board.board import Placement
from engine.board.tiles import is_triple, pips
from engine.match.actions import Action, Choose, Draw, Option, Pass, Play, Resign, TakeBack
from engine.match.rules import Rules
from engine.record.text import parse_placement

Habit = Literal["hexagon", "bridge", "option", "draw", "place", "triple", "heavy", "light", "tile"]
"""A hexagon or a bridge was missed; another of the options of a turn was better, as points or tiles; somebody drew who
had better placed, or the other way about; the right tile came to lie in another place; a triple was kept; or a heavier
tile, a lighter one, or another of the same weight was the one to place."""

HABITS: Final[Sequence[Habit]] = get_args(Habit)


@dataclass(frozen=True, slots=True)
class HabitCount:
    """One kind of mistake: how often it was made, and how many points it cost together."""

    habit: Habit
    times: int
    lost: float


def habit_of(made: Action, best: Action, *, hexagon: bool = False, bridge: bool = False) -> Habit:
    """The kind of mistake that `made` is beside `best`, where a `hexagon` or a `bridge` may have been missed."""
    if hexagon or bridge:
        return "hexagon" if hexagon else "bridge"
    if not (isinstance(made, Play) and isinstance(best, Play)):
        return "option" if isinstance(made, Choose) or isinstance(best, Choose) else "draw"
    if made.tile == best.tile:
        return "place"
    if is_triple(best.tile) and not is_triple(made.tile):
        return "triple"
    if pips(best.tile) == pips(made.tile):
        return "tile"
    return "heavy" if pips(best.tile) > pips(made.tile) else "light"


def costliest_first(habits: Iterable[HabitCount]) -> tuple[HabitCount, ...]:
    """What cost most first."""
    return tuple(sorted(habits, key=lambda one: (-one.lost, HABITS.index(one.habit))))


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
    """Whether a single deal decides; points are then hundredths of the win (`engine.reviews.futures`)."""

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


PlainReview = dict[str, Any]

_OPTIONS: Final[Sequence[Option]] = ("points", "tiles", "stop")


class ReviewDamaged(ValueError):  # noqa: N818 - the review is what is damaged
    """What was kept is no review, or one of a later version than this."""


def as_plain(review: Review) -> PlainReview:
    """The review in numbers, texts, lists and mappings."""
    return {
        "version": review.version,
        "wins": review.wins,
        "seats": [asdict(seat) for seat in review.seats],
        "rounds": list(review.rounds),
        "choices": [_choice_told(choice) for choice in review.choices],
        "curve": [asdict(point) for point in review.curve],
        "moments": list(review.moments),
        "draws": [asdict(draw) for draw in review.draws],
    }


def from_plain(kept: object, rules: Rules) -> Review:
    """The review that was kept of a match by these rules, of this version or an older one. Raises ReviewDamaged."""
    try:
        return _review(kept, rules)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ReviewDamaged(f"this is no review of a match of {rules.game}: {error!r}") from error


def _review(kept: Any, rules: Rules) -> Review:
    if not 1 <= kept["version"] <= REVIEW_VERSION:
        raise ValueError(f"it has version {kept['version']}, and {REVIEW_VERSION} is the last that is known")
    return Review(
        version=kept["version"],
        seats=tuple(seat_from_plain(seat) for seat in kept["seats"]),
        rounds=tuple(kept["rounds"]),
        choices=tuple(_choice(choice, rules) for choice in kept["choices"]),
        curve=tuple(Expected(**_known(Expected, point) | {"ahead": tuple(point["ahead"])}) for point in kept["curve"]),
        moments=tuple(kept["moments"]),
        draws=tuple(LuckyDraw(**_known(LuckyDraw, draw)) for draw in kept.get("draws", ())),
        wins=kept.get("wins", False),
    )


def seat_from_plain(kept: Mapping[str, Any]) -> SeatReview:
    """The part of a review that is one seat's. Raises KeyError, TypeError where it is none."""
    luck, habits = kept.get("luck"), kept.get("habits", ())
    parts = {
        "luck": None if luck is None else Luck(**_known(Luck, luck)),
        "habits": tuple(HabitCount(**_known(HabitCount, one)) for one in habits if one["habit"] in HABITS),
    }
    return SeatReview(**_known(SeatReview, kept) | parts)


def _choice(kept: Mapping[str, Any], rules: Rules) -> ChoiceReview:
    seat = kept["seat"]
    actions = {name: _action(kept[name], seat, rules) for name in ("made", "best")}
    return ChoiceReview(**_known(ChoiceReview, kept) | actions)


def _known(kind: type, kept: Mapping[str, Any]) -> PlainReview:
    """What of this is a field of that kind."""
    return {field.name: kept[field.name] for field in fields(kind) if field.name in kept}


def _choice_told(choice: ChoiceReview) -> PlainReview:
    told = {field.name: getattr(choice, field.name) for field in fields(choice)}
    # The label is for those who read it without us.
    actions = {"made": _action_told(choice.made), "best": _action_told(choice.best)}
    return told | actions | {"label": choice.label}


def _action_told(action: Action) -> PlainReview:
    match action:
        case Play(_, tile, cell, rotation):
            return {"do": "place", "placement": str(Placement(tile, cell, rotation))}
        case Choose(_, option):
            return {"do": option}
        case Draw():
            return {"do": "draw"}
        case Pass():
            return {"do": "pass"}
        case Resign() | TakeBack():
            raise ValueError(f"{action} is nothing that a review weighs")
        case _:
            assert_never(action)


def _action(told: Mapping[str, Any], seat: int, rules: Rules) -> Action:
    done = told["do"]
    if done == "place":
        lies = parse_placement(told["placement"], rules)
        return Play(seat, lies.tile, lies.cell, lies.rotation)
    if done in {"draw", "pass"}:
        return Draw(seat) if done == "draw" else Pass(seat)
    return Choose(seat, _OPTIONS[_OPTIONS.index(done)])
