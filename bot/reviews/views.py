"""The views of a review: its progress, its overview and its pages, and the summaries of reviews in profiles."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from discord import ui

from bot.core.formats import format_month, format_share
from bot.core.layout import (
    CALM_COLOUR,
    GOLD,
    CustomId,
    Item,
    build_button,
    build_layout,
    build_menu,
    build_primary_button,
    build_rows,
    build_select_options,
    build_text_view,
)
from bot.core.names import SeatNames
from bot.core.pictures import build_gallery
from bot.reviews.service import Progress, ReviewJob
from bot.tables.board_views import build_end_buttons
from bot.tables.move_labels import (
    clip_text,
    format_list,
    format_point_count,
    format_points,
    format_target,
    strip_markdown,
)
from bot.tables.past_match import Replay
from data.words import Words
from engine.reviews.findings import ChoiceReview, Luck, Review, SeatReview, from_plain_seat
from engine.reviews.over_time import LuckComparison, Summary, compare_luck, summarize_by_month
from render.canvas.picture import Picture
from render.reviews.picture import ResultCurves, ReviewLine, ReviewWords, render_review

REVIEW_FILE = "review.png"

MAX_MOMENTS: Final = 3  # the most pages of moments
MAX_CHOICES, CHOICES_PER_SEAT = 12, 5  # the most pages of costly choices, of all seats and of one seat
TEXT_LIMIT: Final = 3800  # characters below the title of a message
PROGRESS_STEPS: Final = 12  # steps of the progress bar

REVIEW_VERB, SHOW_VERB, OVERVIEW_ARGUMENT = "review", "showreview", "all"


@dataclass(frozen=True, slots=True)
class ReviewPages:
    """The pages of a review. Page 0 is the overview."""

    review: Review

    @property
    def moments(self) -> tuple[int, ...]:
        return self.review.moments[:MAX_MOMENTS]

    @property
    def choices(self) -> list[ChoiceReview]:
        """Return the costliest choices, costliest first, with some of every seat."""
        seats = [self.review.list_costliest(seat.seat, CHOICES_PER_SEAT) for seat in self.review.seats]
        return sorted((one for own in seats for one in own), key=lambda one: -one.cost)[:MAX_CHOICES]

    @property
    def last_page(self) -> int:
        return self.draws_page or len(self.moments) + len(self.choices)

    @property
    def draws_page(self) -> int:
        """The last page, if there are lucky draws; else 0."""
        return len(self.moments) + len(self.choices) + 1 if self.review.draws else 0

    def parse_page(self, text: str) -> int:
        """Return the page that an id or a menu names, which may be anything."""
        digits = text.rpartition(".")[2]
        return min(int(digits), self.last_page) if digits.isascii() and digits.isdigit() else 0

    def find_moment(self, page: int) -> int | None:
        return self.moments[page - 1] if 1 <= page <= len(self.moments) else None

    def get_choice(self, page: int) -> ChoiceReview:
        return self.choices[page - len(self.moments) - 1]


@dataclass(frozen=True, slots=True)
class ReviewPage:
    title: str
    lines: Sequence[str]
    image: Picture
    alt: str


def build_waiting_view(job: ReviewJob, words: Words) -> ui.LayoutView:
    lines = [f"### {words('review.under_way')}"]
    if job.is_waiting:
        lines.append(words("review.waits"))
    else:
        progress = job.progress or Progress(0, 1)
        share = progress.done / max(1, progress.total)
        bar = "▰" * int(PROGRESS_STEPS * share) + "▱" * (PROGRESS_STEPS - int(PROGRESS_STEPS * share))
        lines.append(f"{bar} {format_share(words, share)}")
    lines.append(words("review.comes"))
    again = build_button(words("review.again"), CustomId(REVIEW_VERB, job.match_id))
    return build_text_view("\n".join(lines), again, colour=CALM_COLOUR)


def build_failed_view(match_id: int, words: Words) -> ui.LayoutView:
    retry = build_primary_button(words("review.button"), CustomId(REVIEW_VERB, match_id))
    return build_text_view(words("review.failed"), retry)


def render_overview(past: Replay, review: Review, names: SeatNames, words: Words, scheme: str) -> tuple[Picture, str]:
    return _render_picture(past, review, names, words, scheme), format_overview_alt(past, review, names, words)


def _render_picture(past: Replay, review: Review, names: SeatNames, words: Words, scheme: str) -> Picture:
    curve = review.curve
    starts = [step for step, point in enumerate(curve) if not step or point.round != curve[step - 1].round]
    course = ResultCurves(
        leads=tuple(point.ahead for point in curve),
        round_starts=tuple(starts),
        decisive_steps=tuple(
            next(step for step, point in enumerate(curve) if point.at >= moment)
            for moment in review.moments[:MAX_MOMENTS]
        ),
    )
    picture_words = ReviewWords(
        title=words("review.title"),
        subtitle=words("review.subtitle", game=_format_game(past, words)),
        rounds=tuple(words("replay.round", round=curve[step].round) for step in starts),
        columns=(words("review.accuracy"), words("review.luck"), words("review.skill")),
    )
    lines = [
        ReviewLine(
            seat=seat.seat,
            name=names.picture_names[seat.seat],
            accuracy=None if seat.accuracy is None else round(seat.accuracy),
            luck=None if seat.luck is None else sum(seat.luck.rounded_parts[:2]),
            skill=None if seat.luck is None else seat.luck.rounded_parts[2],
        )
        for seat in review.seats
    ]
    return render_review(picture_words, lines, course, scheme=scheme)


def format_overview_alt(past: Replay, review: Review, names: SeatNames, words: Words) -> str:
    texts = [words("review.alt", game=_format_game(past, words))]
    round_ends = {point.round: point for point in review.curve}
    for point in round_ends.values():
        each = zip(names.plain, point.ahead, strict=True)
        ahead = (f"{name} {format_points(round(value))}" for name, value in each)
        texts.append(words("review.alt_round", round=point.round, ahead=words("and.comma").join(ahead)))
    texts += [strip_markdown(line) for seat in review.seats for line in _format_seat_lines(seat, names.plain, words)]
    return clip_text(" ".join(texts))


def build_overview_view(
    past: Replay, review: Review, names: SeatNames, words: Words, alt: str, *, is_private: bool, can_show: bool
) -> ui.LayoutView:
    """Return the overview: `is_private` for one player, who may show it to everyone if `can_show`; else for the
    channel.
    """
    match_id, pages = past.head.match_id, ReviewPages(review)
    seats = [_format_seat_lines(seat, names.escaped, words) for seat in review.seats]
    about = [*names.explain_numbers(words), *([words("review.one_deal")] if review.wins else []), words("review.guess")]
    lines = [*(line for seat_lines in seats for line in seat_lines), *about]
    if len("\n".join(lines)) > TEXT_LIMIT:
        # With very many players only the picture shows luck.
        lines = [*(told[0] for told in seats), *about]
    items: list[Item] = [
        ui.TextDisplay(f"### {words('review.heading', game=_format_game(past, words))}"),
        build_gallery(REVIEW_FILE, alt),
        ui.TextDisplay("\n".join(lines)[:TEXT_LIMIT]),
    ]
    if not is_private:
        own_review = build_button(words("review.button"), CustomId(REVIEW_VERB, match_id))
        return build_layout(*items, *build_rows([own_review]), colour=GOLD)
    buttons = []
    if pages.moments:
        buttons.append(build_primary_button(words("review.moments"), _build_press(match_id, "moments", 1)))
    if pages.choices:
        buttons.append(build_button(words("review.choices"), _build_press(match_id, "choices", len(pages.moments) + 1)))
    if pages.draws_page:
        buttons.append(build_button(words("review.draws"), _build_press(match_id, "draws", pages.draws_page)))
    buttons += build_end_buttons("review", match_id, words)
    if can_show:
        buttons.append(build_button(words("review.show"), CustomId(SHOW_VERB, match_id)))
    return build_layout(*items, *build_rows(buttons), colour=CALM_COLOUR)


def _format_seat_lines(seat: SeatReview, names: Sequence[str], words: Words) -> list[str]:
    name = names[seat.seat]
    if seat.accuracy is None:
        lines = [words("review.no_choice", name=name)]
    else:
        lines = [
            words(
                "review.row" if seat.good_choices < seat.choices else "review.row_good",
                name=name,
                accuracy=round(seat.accuracy),
                n=seat.choices,
                lost=words("count.points", n=max(0, round(seat.lost))),
                error=_format_margin(seat.error),
                labels=_format_counts(
                    words, blunders=seat.blunders, mistakes=seat.mistakes, inaccuracies=seat.inaccuracies
                ),
            )
        ]
        missed = _format_counts(words, hexagons=seat.missed_hexagons, bridges=seat.missed_bridges)
        if missed:
            lines[0] += " " + words("review.missed", missed=missed)
    return lines if seat.luck is None else [*lines, _format_luck(seat.luck, words)]


def _format_counts(words: Words, **counts: int) -> str:
    return format_list(words, [words(f"count.{kind}", n=many) for kind, many in counts.items() if many])


def _format_luck(luck: Luck, words: Words) -> str:
    """Return the parts of a result, rounded so that they add up."""
    deal, draws, skill, rest = luck.rounded_parts
    parts = {"deal": deal, "draws": draws, "luck": deal + draws, "skill": skill, "rest": rest}
    texts = {name: format_points(part) for name, part in parts.items()}
    return words(
        "review.split",
        result=format_points(sum(luck.rounded_parts)),
        error=_format_margin(luck.error),
        skill_error=_format_margin(luck.skill_error),
        **texts,
    )


def _format_margin(error: float) -> str:
    return str(max(1, round(2 * error)))


def _format_game(past: Replay, words: Words) -> str:
    return f"{words(f'game.{past.head.game}')} · {format_target(words, past.end.rules)}"


def build_page_view(
    match_id: int, page: ReviewPage, number: int, last: int, labels: Sequence[str], words: Words
) -> ui.LayoutView:
    """Return one page. `labels` are those of the pages from 1."""
    back, forward = _build_press(match_id, "back", number - 1), _build_press(match_id, "forward", number + 1)
    steps = [
        build_button(words("replay.back"), back, disabled=number <= 1),
        build_primary_button(words("replay.forward"), forward, disabled=number >= last),
        build_button(words("review.overview"), _build_press(match_id, OVERVIEW_ARGUMENT, 0)),
    ]
    options = build_select_options({str(at): label[:100] for at, label in enumerate(labels, 1)}, str(number))
    return build_layout(
        ui.TextDisplay(f"### {page.title}"),
        build_gallery(REVIEW_FILE, page.alt),
        ui.TextDisplay("\n".join(page.lines)[:3000]),
        *build_rows(steps),
        build_menu(CustomId(REVIEW_VERB, match_id), words("review.go"), options),
        colour=CALM_COLOUR,
    )


def _build_press(match_id: int, name: str, page: int) -> CustomId:
    return CustomId(REVIEW_VERB, match_id, argument=f"{name}.{max(0, page)}")


MAX_MONTHS: Final = 6  # months, newest first
MAX_HABITS: Final = 2  # kinds of mistakes in a month
MONTHS_TEXT_LIMIT: Final = 3900  # characters for the months and the text above them
MIN_MATCHES: Final = 3  # the fewest reviewed matches for a comparison of luck
ERRORS_PER_SIDE: Final = 2  # standard errors on either side


def summarize_months(reviewed: Iterable[tuple[int, Mapping[str, Any]]]) -> Mapping[str, Summary]:
    """Return the summaries of stored seats (`build_seat_facts`) with the ends of their matches, by month of UTC, newest
    first.
    """
    found = []
    for ended_at, facts in reviewed:
        if (seat := _parse_seat(facts)) is not None:
            found.append((datetime.fromtimestamp(ended_at / 1000, UTC).strftime("%Y-%m"), seat))
    return summarize_by_month(found)


def compare_reviewed_luck(
    reviewed: Iterable[tuple[Mapping[str, Any], Mapping[str, Any], int]],
) -> LuckComparison | None:
    """Return the luck between two players, by their stored seats and the number of seats."""
    seats = ((_parse_seat(one), _parse_seat(other), of) for one, other, of in reviewed)
    return compare_luck((one, other, of) for one, other, of in seats if one is not None and other is not None)


def _parse_seat(facts: Mapping[str, Any]) -> SeatReview | None:
    try:
        return from_plain_seat(facts)
    except (KeyError, TypeError):
        return None


def format_months(words: Words, months: Mapping[str, Summary], *, used: int = 0) -> str:
    """Return the lines of the newest months that fit below `used` characters; empty without any."""
    title, about = words("over_time.title"), words("over_time.about")
    lines, left = list[str](), MONTHS_TEXT_LIMIT - used - len(title) - len(about) - 2
    for month in [*months][:MAX_MONTHS]:
        more = "\n".join(_format_month_lines(words, month, months[month]))
        left -= len(more) + 1
        if left < 0:
            break
        lines.append(more)
    return "\n".join([title, *lines, about]) if lines else ""


def format_luck_comparison(words: Words, names: tuple[str, str], between: LuckComparison | None) -> str:
    """Return who of two was luckier, or that there are too few reviews. `names` are escaped."""
    if between is None or between.matches < MIN_MATCHES:
        have = 0 if between is None else between.matches
        return words("rivals.luck_few", need=MIN_MATCHES, have=have)
    error = max(1, round(ERRORS_PER_SIDE * between.error))
    difference = abs(round(between.ahead))
    facts = {
        "matches": words("count.matches", n=between.matches),
        "points": words("rivals.of_win", n=difference) if between.wins else format_point_count(words, difference),
        "error": error,
        "name": names[between.ahead < 0],
    }
    # Within the interval the difference can be chance.
    return words("rivals.luck" if difference > error else "rivals.luck_even", **facts)


def _format_month_lines(words: Words, month: str, summary: Summary) -> Iterable[str]:
    began = datetime.strptime(month, "%Y-%m").replace(tzinfo=UTC)
    matches = words("count.matches", n=summary.matches)
    facts = {"month": format_month(words, int(began.timestamp() * 1000)), "matches": matches}
    if summary.accuracy is None:
        yield words("over_time.month_bare", **facts)
        return
    yield words("over_time.month", **facts, accuracy=round(summary.accuracy))
    lost = max(0, round(summary.lost))
    key = "over_time.lost_of_win" if summary.wins else "over_time.lost"
    parts = [words(key, n=lost, points=format_point_count(words, lost))]
    if (luck := summary.luck) is not None:
        key = "over_time.luck_of_win" if summary.wins else "over_time.luck"
        error = max(1, round(ERRORS_PER_SIDE * luck.error))
        luck_text, skill = format_points(round(luck.luck)), format_points(round(luck.skill))
        parts.append(words(key, luck=luck_text, error=error, skill=skill))
    yield " ".join(parts)
    habits = [
        words("over_time.habit", habit=words(f"over_time.{one.habit}"), n=one.times)
        for one in summary.habits[:MAX_HABITS]
    ]
    if habits:
        yield words("over_time.habits", habits=format_list(words, habits))
