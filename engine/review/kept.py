"""A review as plain values for JSON: as the store keeps it, and as programs are given it.

    text = json.dumps(as_plain(review))
    review = from_plain(json.loads(text), rules)

What is kept stays readable: a field that comes later has a default, and a reader passes over what it does not know.
Placements are written as in records.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any, Final, assert_never

from engine.actions import Action, Choose, Draw, Option, Pass, Play, Resign, TakeBack
from engine.board import Placement
from engine.record.text import parse_placement
from engine.review.findings import REVIEW_VERSION, ChoiceReview, Expected, Luck, LuckyDraw, Review, SeatReview
from engine.review.habits import HABITS, HabitCount
from engine.rules import Rules

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
