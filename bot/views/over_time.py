"""What reviews say of somebody month by month: accuracy, luck beside skill, and what their mistakes were like."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from bot.views.sentences import count_points, listed, points_text
from bot.views.times import month_text
from data.words import Words
from engine.review.findings import SeatReview
from engine.review.kept import seat_from_plain
from engine.review.over_time import LuckBetween, Summary, by_month, luck_between

SHOWN: Final = 6
"""Months, the newest first."""
HABITS: Final = 2
"""Kinds of mistakes of each."""
ROOMY: Final = 3900
"""Characters of a message that the lines may fill, with what is said above them."""
ENOUGH: Final = 3
"""Reviewed matches of two people from which on it is told who was luckier."""
WIDE: Final = 2
"""Standard errors that are told on either side."""


def reviewed_months(reviewed: Iterable[tuple[int, Mapping[str, Any]]]) -> Mapping[str, Summary]:
    """Seats of reviews, as they are kept (`bot.service.reviews.facts`), with the end of their matches in ms: by the
    month in UTC, the newest first. What cannot be read is left out.
    """
    found = []
    for ended_at, facts in reviewed:
        if (seat := _seat(facts)) is not None:
            found.append((datetime.fromtimestamp(ended_at / 1000, UTC).strftime("%Y-%m"), seat))
    return by_month(found)


def reviewed_between(met: Iterable[tuple[Mapping[str, Any], Mapping[str, Any], int]]) -> LuckBetween | None:
    """Luck between two people, by what reviews of their matches say of both, as it is kept, and how many seats there
    were. What cannot be read is left out.
    """
    seats = ((_seat(one), _seat(other), of) for one, other, of in met)
    return luck_between((one, other, of) for one, other, of in seats if one is not None and other is not None)


def _seat(facts: Mapping[str, Any]) -> SeatReview | None:
    """A seat of a review, as it is kept; None where it cannot be read."""
    try:
        return seat_from_plain(facts)
    except (KeyError, TypeError):
        return None


def months_told(words: Words, told: Mapping[str, Summary], *, said: int = 0) -> str:
    """A few lines for each of the newest months, as many as have room below so many characters that are said;
    nothing where there are none.
    """
    title, about = words("over_time.title"), words("over_time.about")
    lines, left = list[str](), ROOMY - said - len(title) - len(about) - 2
    for month in [*told][:SHOWN]:
        more = "\n".join(_month(words, month, told[month]))
        left -= len(more) + 1
        if left < 0:
            break
        lines.append(more)
    return "\n".join([title, *lines, about]) if lines else ""


def luckier_text(words: Words, names: tuple[str, str], between: LuckBetween | None) -> str:
    """Who of two was luckier, by the reviews there are; and what to do where they are too few. `names` are escaped."""
    if between is None or between.matches < ENOUGH:
        have = 0 if between is None else between.matches
        return words("rivals.luck_few", need=ENOUGH, have=have)
    error = max(1, round(WIDE * between.error))
    much = abs(round(between.ahead))
    facts = {
        "matches": words("count.matches", n=between.matches),
        "points": words("rivals.of_win", n=much) if between.wins else count_points(words, much),
        "error": error,
        "name": names[between.ahead < 0],
    }
    # Within its interval nobody can say that it was not as much the other way.
    return words("rivals.luck" if much > error else "rivals.luck_even", **facts)


def _month(words: Words, month: str, told: Summary) -> Iterable[str]:
    began = datetime.strptime(month, "%Y-%m").replace(tzinfo=UTC)
    facts = {
        "month": month_text(words, int(began.timestamp() * 1000)),
        "matches": words("count.matches", n=told.matches),
    }
    if told.accuracy is None:
        yield words("over_time.month_bare", **facts)
        return
    yield words("over_time.month", **facts, accuracy=round(told.accuracy))
    lost = max(0, round(told.lost))
    parts = [
        words("over_time.lost_of_win", n=lost)
        if told.wins
        else words("over_time.lost", points=count_points(words, lost))
    ]
    if (luck := told.luck) is not None:
        key = "over_time.luck_of_win" if told.wins else "over_time.luck"
        error = max(1, round(WIDE * luck.error))
        parts.append(words(key, luck=points_text(round(luck.luck)), error=error, skill=points_text(round(luck.skill))))
    yield " ".join(parts)
    habits = [
        words("over_time.habit", habit=words(f"over_time.{one.habit}"), n=one.times) for one in told.habits[:HABITS]
    ]
    if habits:
        yield words("over_time.habits", habits=listed(words, habits))
