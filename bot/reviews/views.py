"""The views of a review: its progress, its overview and its pages, and the summaries of reviews in profiles."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from discord import ui

from bot.core.formats import month_text, percent_text
from bot.core.layout import CALM_COLOUR, GOLD, Item, Press, button, layout, menu, primary, rows, said, select_options
from bot.core.names import Names
from bot.core.pictures import picture
from bot.reviews.service import HowFar, Reviewing
from bot.tables import move_labels
from bot.tables.board_views import end_buttons
from bot.tables.move_labels import count_points, listed, points_text
from bot.tables.past_match import Replay
from data.words import Words
from engine.reviews.findings import ChoiceReview, Luck, Review, SeatReview, seat_from_plain
from engine.reviews.over_time import LuckBetween, Summary, by_month, luck_between
from render.canvas.picture import Picture
from render.reviews.picture import Course, ReviewLine, ReviewWords, review_picture

REVIEW_FILE = "review.png"

MOMENTS, EACH, COSTLIEST = 3, 5, 12  # the most pages of moments, of costly choices by one seat, and of costly choices
ROOMY: Final = 3800  # characters below the title of a message
STEPS: Final = 12  # steps of the progress bar

VERB, SHOW, ALL = "review", "showreview", "all"


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages of a review. Page 0 is the overview."""

    review: Review

    @property
    def moments(self) -> tuple[int, ...]:
        return self.review.moments[:MOMENTS]

    @property
    def choices(self) -> list[ChoiceReview]:
        """Return the costliest choices, costliest first, with some of every seat."""
        seats = [self.review.costliest(seat.seat, EACH) for seat in self.review.seats]
        return sorted((one for own in seats for one in own), key=lambda one: -one.cost)[:COSTLIEST]

    @property
    def last(self) -> int:
        return self.draws_page or len(self.moments) + len(self.choices)

    @property
    def draws_page(self) -> int:
        """The last page, if there are lucky draws; else 0."""
        return len(self.moments) + len(self.choices) + 1 if self.review.draws else 0

    def asked(self, text: str) -> int:
        """Return the page that an id or a menu names, which may be anything."""
        digits = text.rpartition(".")[2]
        return min(int(digits), self.last) if digits.isascii() and digits.isdigit() else 0

    def moment(self, page: int) -> int | None:
        return self.moments[page - 1] if 1 <= page <= len(self.moments) else None

    def choice(self, page: int) -> ChoiceReview:
        return self.choices[page - len(self.moments) - 1]


def waiting_view(making: Reviewing, words: Words) -> ui.LayoutView:
    lines = [f"### {words('review.under_way')}"]
    if making.waits:
        lines.append(words("review.waits"))
    else:
        so_far = making.progress or HowFar(0, 1)
        share = so_far.done / max(1, so_far.of)
        bar = "▰" * int(STEPS * share) + "▱" * (STEPS - int(STEPS * share))
        lines.append(f"{bar} {percent_text(words, share)}")
    lines.append(words("review.comes"))
    return said("\n".join(lines), button(words("review.again"), Press(VERB, making.match_id)), colour=CALM_COLOUR)


def failed_view(match_id: int, words: Words) -> ui.LayoutView:
    return said(words("review.failed"), primary(words("review.button"), Press(VERB, match_id)))


def overview(past: Replay, review: Review, names: Names, words: Words, scheme: str) -> tuple[Picture, str]:
    return _picture(past, review, names, words, scheme), overview_alt(past, review, names, words)


def _picture(past: Replay, review: Review, names: Names, words: Words, scheme: str) -> Picture:
    curve = review.curve
    starts = [step for step, point in enumerate(curve) if not step or point.round != curve[step - 1].round]
    course = Course(
        ahead=tuple(point.ahead for point in curve),
        starts=tuple(starts),
        moments=tuple(
            next(step for step, point in enumerate(curve) if point.at >= moment) for moment in review.moments[:MOMENTS]
        ),
    )
    told = ReviewWords(
        title=words("review.title"),
        subtitle=words("review.subtitle", game=_game(past, words)),
        rounds=tuple(words("replay.round", round=curve[step].round) for step in starts),
        columns=(words("review.accuracy"), words("review.luck"), words("review.skill")),
    )
    lines = [
        ReviewLine(
            seat=seat.seat,
            name=names.pictured[seat.seat],
            accuracy=None if seat.accuracy is None else round(seat.accuracy),
            luck=None if seat.luck is None else sum(seat.luck.in_points[:2]),
            skill=None if seat.luck is None else seat.luck.in_points[2],
        )
        for seat in review.seats
    ]
    return review_picture(told, lines, course, scheme=scheme)


def overview_alt(past: Replay, review: Review, names: Names, words: Words) -> str:
    told = [words("review.alt", game=_game(past, words))]
    ends = [
        point
        for point, after in zip(review.curve, [*review.curve[1:], None], strict=True)
        if after is None or after.round != point.round
    ]
    for point in ends:
        each = zip(names.plain, point.ahead, strict=True)
        ahead = (f"{name} {points_text(round(value))}" for name, value in each)
        told.append(words("review.alt_round", round=point.round, ahead=words("and.comma").join(ahead)))
    told += [move_labels.plain(line) for seat in review.seats for line in _of_seat(seat, names.plain, words)]
    return move_labels.clipped(" ".join(told))


def overview_view(
    past: Replay, review: Review, names: Names, words: Words, alt: str, *, alone: bool, shows: bool
) -> ui.LayoutView:
    """Return the overview: `alone` for one player, who may show it to everyone if `shows`; else for the channel."""
    match_id, pages = past.head.match_id, Pages(review)
    seats = [_of_seat(seat, names.safe, words) for seat in review.seats]
    about = [*names.numbered(words), *([words("review.one_deal")] if review.wins else []), words("review.guess")]
    lines = [*(line for told in seats for line in told), *about]
    if len("\n".join(lines)) > ROOMY:
        # With very many players only the picture shows luck.
        lines = [*(told[0] for told in seats), *about]
    items: list[Item] = [
        ui.TextDisplay(f"### {words('review.heading', game=_game(past, words))}"),
        picture(REVIEW_FILE, alt),
        ui.TextDisplay("\n".join(lines)[:ROOMY]),
    ]
    if not alone:
        return layout(*items, *rows([button(words("review.button"), Press(VERB, match_id))]), colour=GOLD)
    buttons = []
    if pages.moments:
        buttons.append(primary(words("review.moments"), _press(match_id, "moments", 1)))
    if pages.choices:
        buttons.append(button(words("review.choices"), _press(match_id, "choices", len(pages.moments) + 1)))
    if pages.draws_page:
        buttons.append(button(words("review.draws"), _press(match_id, "draws", pages.draws_page)))
    buttons += end_buttons("review", match_id, words)
    if shows:
        buttons.append(button(words("review.show"), Press(SHOW, match_id)))
    return layout(*items, *rows(buttons), colour=CALM_COLOUR)


def _of_seat(seat: SeatReview, names: Sequence[str], words: Words) -> list[str]:
    name = names[seat.seat]
    if seat.accuracy is None:
        lines = [words("review.no_choice", name=name)]
    else:
        lines = [
            words(
                "review.row" if seat.good < seat.choices else "review.row_good",
                name=name,
                accuracy=round(seat.accuracy),
                n=seat.choices,
                lost=words("count.points", n=max(0, round(seat.lost))),
                error=_margin(seat.error),
                labels=move_labels.listed(words, _counted(seat, words)),
            )
        ]
        missed = [
            words(f"count.{kind}", n=many)
            for kind, many in (("hexagons", seat.missed_hexagons), ("bridges", seat.missed_bridges))
            if many
        ]
        if missed:
            lines[0] += " " + words("review.missed", missed=move_labels.listed(words, missed))
    return lines if seat.luck is None else [*lines, _luck(seat.luck, words)]


def _counted(seat: SeatReview, words: Words) -> list[str]:
    kinds = ("blunders", seat.blunders), ("mistakes", seat.mistakes), ("inaccuracies", seat.inaccuracies)
    return [words(f"count.{kind}", n=many) for kind, many in kinds if many]


def _luck(luck: Luck, words: Words) -> str:
    """Return the parts of a result, rounded so that they add up."""
    deal, draws, skill, rest = luck.in_points
    parts = {"deal": deal, "draws": draws, "luck": deal + draws, "skill": skill, "rest": rest}
    told = {name: move_labels.points_text(part) for name, part in parts.items()}
    return words(
        "review.split",
        result=move_labels.points_text(sum(luck.in_points)),
        error=_margin(luck.error),
        skill_error=_margin(luck.skill_error),
        **told,
    )


def _margin(error: float) -> str:
    return str(max(1, round(2 * error)))


def _game(past: Replay, words: Words) -> str:
    return f"{words(f'game.{past.head.game}')} · {move_labels.target_text(words, past.end.rules)}"


def page_view(
    match_id: int,
    pages: Pages,
    page: int,
    title: str,
    lines: Sequence[str],
    words: Words,
    alt: str,
    labels: Sequence[str],
) -> ui.LayoutView:
    """Return one page. `labels` are those of the pages from 1."""
    steps = [
        button(words("replay.back"), _press(match_id, "back", page - 1), disabled=page <= 1),
        primary(words("replay.forward"), _press(match_id, "forward", page + 1), disabled=page >= pages.last),
        button(words("review.overview"), _press(match_id, ALL, 0)),
    ]
    named = {str(number): label[:100] for number, label in enumerate(labels, 1)}
    return layout(
        ui.TextDisplay(f"### {title}"),
        picture(REVIEW_FILE, alt),
        ui.TextDisplay("\n".join(lines)[:3000]),
        *rows(steps),
        menu(Press(VERB, match_id), words("review.go"), select_options(named, str(page))),
        colour=CALM_COLOUR,
    )


def _press(match_id: int, way: str, page: int) -> Press:
    return Press(VERB, match_id, argument=f"{way}.{max(0, page)}")


SHOWN: Final = 6  # months, newest first
HABITS: Final = 2  # kinds of mistakes in a month
MONTHS_ROOMY: Final = 3900  # characters for the months and the text above them
ENOUGH: Final = 3  # the fewest reviewed matches for a comparison of luck
WIDE: Final = 2  # standard errors on either side


def reviewed_months(reviewed: Iterable[tuple[int, Mapping[str, Any]]]) -> Mapping[str, Summary]:
    """Return the summaries of stored seats (`seat_facts`) with the ends of their matches, by month of UTC, newest
    first.
    """
    found = []
    for ended_at, facts in reviewed:
        if (seat := _seat(facts)) is not None:
            found.append((datetime.fromtimestamp(ended_at / 1000, UTC).strftime("%Y-%m"), seat))
    return by_month(found)


def reviewed_between(met: Iterable[tuple[Mapping[str, Any], Mapping[str, Any], int]]) -> LuckBetween | None:
    """Return the luck between two players, by their stored seats and the number of seats."""
    seats = ((_seat(one), _seat(other), of) for one, other, of in met)
    return luck_between((one, other, of) for one, other, of in seats if one is not None and other is not None)


def _seat(facts: Mapping[str, Any]) -> SeatReview | None:
    try:
        return seat_from_plain(facts)
    except (KeyError, TypeError):
        return None


def months_told(words: Words, told: Mapping[str, Summary], *, said: int = 0) -> str:
    """Return the lines of the newest months that fit below `said` characters; empty without any."""
    title, about = words("over_time.title"), words("over_time.about")
    lines, left = list[str](), MONTHS_ROOMY - said - len(title) - len(about) - 2
    for month in [*told][:SHOWN]:
        more = "\n".join(_month(words, month, told[month]))
        left -= len(more) + 1
        if left < 0:
            break
        lines.append(more)
    return "\n".join([title, *lines, about]) if lines else ""


def luckier_text(words: Words, names: tuple[str, str], between: LuckBetween | None) -> str:
    """Return who of two was luckier, or that there are too few reviews. `names` are escaped."""
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
    # Within the interval the difference can be chance.
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
