"""Somebody's matches that are over: a page of them with menus to narrow them down, and one of them in full."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final, Self

import discord
from discord import ui

from bot.core.formats import day_text, moment, month_text
from bot.core.layout import CALM_COLOUR, Item, Press, button, layout, menu, primary, rows
from bot.core.names import Names
from bot.core.pictures import picture
from bot.history.films import SPEEDS
from bot.tables import move_labels
from bot.tables.board_views import seat_colour
from bot.tables.past_match import FRAMES, Replay, replay_alt, replay_lines
from bot.tables.service import Table
from data.rulebook import games
from data.store.history.store import HistoryPage, PastMatch
from data.words import Words
from engine.match.player_view import view_for

ON_PAGE: Final = 8
"""Matches on a page: so many lines with names and links fit a message, and so many a phone."""
NAMED: Final = 3
"""So many people of a match are named in its line."""
EVERYTHING: Final = "all"
YEARS: Final = range(2015, 10_000)
"""The years that a month may be of: Discord is as old as the first of them."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which of the asker's matches are shown."""

    game: str = EVERYTHING
    month: str = EVERYTHING
    """Such as `2026-11`, by UTC."""
    other: int = 0
    """Who played along, 0 where it may be anybody."""
    page: int = 0

    def __str__(self) -> str:
        return f"{self.game}.{self.month}.{self.other}.{self.page}"

    @classmethod
    def parsed(cls, text: str) -> Self | None:
        """The filter in a button's argument; None for one that is not ours."""
        parts = text.split(".")
        if len(parts) != 4 or not all(part.isdecimal() and part.isascii() and len(part) < 21 for part in parts[2:]):
            return None
        game, month, other, page = parts
        if (game != EVERYTHING and game not in games()) or (month != EVERYTHING and parsed_month(month) is None):
            return None
        return cls(game, month, min(int(other), 2**63 - 1), min(int(page), 1_000_000))

    @property
    def span(self) -> tuple[int | None, int | None]:
        """From when on, and before when, the matches have ended, UTC epoch ms."""
        first = parsed_month(self.month)
        if first is None:
            return None, None
        year, after = divmod(first.year * 12 + first.month, 12)
        return _ms(first), _ms(datetime(year, after + 1, 1, tzinfo=UTC)) if year in YEARS else None

    @property
    def is_open(self) -> bool:
        """Whether all matches are meant."""
        return (self.game, self.month, self.other) == (EVERYTHING, EVERYTHING, 0)


def parsed_month(text: str) -> datetime | None:
    """The first moment of a month that is written like `2026-11`; None for anything else."""
    year, _, month = text.partition("-")
    if not (text.isascii() and year.isdecimal() and month.isdecimal() and len(text) == 7 and len(month) == 2):
        return None
    if int(year) not in YEARS or not 1 <= int(month) <= 12:
        return None
    return datetime(int(year), int(month), 1, tzinfo=UTC)


def month_named(at: int) -> str:
    """The month of a moment as a filter names it."""
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m")


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What is known of a page's matches beside what the store says of them."""

    names: Mapping[int, str]
    """Of the people in them, as they are, by user id."""
    safe: Mapping[int, str]
    """The same, escaped."""
    links: Mapping[int, str]
    """Where the asker finds a match, by its number; who is missing is not to be seen."""
    months: Sequence[int]
    """A moment of each month with matches, newest first."""


def history_view(wanted: Filter, page: HistoryPage, told: PageFacts, words: Words) -> ui.LayoutView:
    """One page."""
    with_whom = told.safe.get(wanted.other)
    title = words("history.title") if with_whom is None else words("history.title_with", name=with_whom)
    game = words("history.all_games") if wanted.game == EVERYTHING else words(f"game.{wanted.game}")
    lines = [f"## {title}", f"{game} · {_month(wanted.month, words)}", ""]
    lines += [match_lines(row, told, words) for row in page.rows]
    if not page.rows:
        lines.append(words("history.none" if wanted.is_open else "history.none_here"))
    else:
        matches = words("count.matches", n=page.total)
        lines.append(words("history.page", page=page.page + 1, pages=page.pages, matches=matches))
    now = replace(wanted, page=page.page)
    items: list[Item] = [ui.TextDisplay("\n".join(lines)[:4000])]
    if page.rows:
        items.append(menu(Press("past", argument=str(now)), words("history.choose"), _matches(page, told, words)))
    turn = [
        button(words("leaders.earlier"), _to(replace(now, page=now.page - 1)))
        if now.page
        else button(words("leaders.earlier"), Press("historyback"), disabled=True),
        button(words("leaders.later"), _to(replace(now, page=now.page + 1)), disabled=page.page + 1 >= page.pages),
    ]
    if wanted.other:
        turn.append(button(words("history.anybody"), _to(replace(now, other=0, page=0))))
    return layout(
        *items,
        menu(Press("historygame"), words("leaders.game"), _games(now, words)),
        menu(Press("historymonth"), words("history.month"), _months(now, told.months, words)),
        *rows(turn),
        colour=CALM_COLOUR,
    )


def match_lines(row: PastMatch, told: PageFacts, words: Words) -> str:
    """The two lines of a match."""
    number = row.any.match_id
    where = told.links.get(number) or words("replay.table", match=number)
    facts = {"outcome": went_text(row, words), "game": words(f"game.{row.any.game}"), "where": where}
    against = against_text(row, told.safe, words)
    if row.mine is None:
        second = words("history.lent", results=against)
    else:
        points = move_labels.count_points(words, row.mine.score)
        second = words("history.against", points=points, others=against) if against else points
    return f"{words('history.row', day=moment(row.any.ended_at, 'd'), **facts)}\n-# {second}"


def went_text(row: PastMatch, words: Words) -> str:
    """How it went for whoever looks back."""
    mine = row.mine
    if mine is None:
        return words("history.substitute")
    if not mine.finished:
        return words("history.left")
    if not mine.won:
        return words("history.place", place=mine.place, seats=mine.seats)
    return words("history.shared" if any(other.place == 1 for other in row.others) else "history.won")


def against_text(row: PastMatch, names: Mapping[int, str], words: Words) -> str:
    """Who else was there, with their points; empty where there is nobody left to speak of."""
    people = [
        words(
            "history.scored",
            name=names.get(one.user_id, words("name.somebody")),
            points=move_labels.number_text(one.score),
        )
        for one in row.others
    ]
    if len(people) > NAMED:
        people = [*people[:NAMED], words("history.more", n=len(people) - NAMED)]
    people += [words("count.computers", n=row.computers)] if row.computers else []
    people += [words("count.strangers", n=row.strangers)] if row.strangers else []
    return words("and.comma").join(people)


def past_items(row: PastMatch, wanted: Filter, told: PageFacts, words: Words) -> list[Item]:
    """What stands under the end of a match that was found in the list: where it is, and the way back."""
    number = row.any.match_id
    where = told.links.get(number) or words("replay.table", match=number)
    line = words("history.when", where=where, day=moment(row.any.ended_at, "f"))
    return [ui.TextDisplay(line), *rows([button(words("history.back"), _to(wanted))])]


def bare_view(row: PastMatch, wanted: Filter, told: PageFacts, words: Words) -> ui.LayoutView:
    """A match of which nothing is left to be looked at but its results, or that came to no end."""
    text = f"{match_lines(row, told, words)}\n{words('history.bare')}"
    return layout(ui.TextDisplay(text), *past_items(row, wanted, told, words), colour=CALM_COLOUR)


def _to(wanted: Filter) -> Press:
    return Press("history", argument=str(wanted))


def _month(month: str, words: Words) -> str:
    first = parsed_month(month)
    return words("history.any_time") if first is None else month_text(words, _ms(first))


def _matches(page: HistoryPage, told: PageFacts, words: Words) -> list[discord.SelectOption]:
    options = []
    for row in page.rows:
        facts = (went_text(row, words), words(f"game.{row.any.game}"), day_text(words, row.any.ended_at))
        label = move_labels.clipped(" · ".join(facts), 100)
        against = move_labels.clipped(against_text(row, told.names, words), 100) or None
        options.append(discord.SelectOption(label=label, value=str(row.any.match_id), description=against))
    return options


def _games(now: Filter, words: Words) -> list[discord.SelectOption]:
    named = {EVERYTHING: words("history.all_games"), **{game: words(f"game.{game}") for game in games()}}
    return [
        discord.SelectOption(label=name, value=str(replace(now, game=game, page=0)), default=game == now.game)
        for game, name in named.items()
    ]


def _months(now: Filter, known: Sequence[int], words: Words) -> list[discord.SelectOption]:
    months = dict.fromkeys([EVERYTHING, now.month, *(month_named(at) for at in known)])
    return [
        discord.SelectOption(
            label=_month(month, words), value=str(replace(now, month=month, page=0)), default=month == now.month
        )
        for month in list(months)[:25]
    ]


def _ms(at: datetime) -> int:
    return int(at.timestamp()) * 1000


REPLAY_FILE = "replay.png"
FILM_FILE = "film.gif"


def replay_view(
    replay: Replay, number: int, table: Table, names: Names, words: Words, alt: str, *, listed: bool = False
) -> ui.LayoutView:
    """One step: the picture goes along as `replay.png`. From a match that is `listed` among the reader's own a button
    leads there.
    """
    assert table.event_log is not None
    seen = view_for(table.match, None)
    moves, match_id = {"plays": table.event_log.plays, "of": replay.plays}, replay.head.match_id
    title = words("replay.title", title=move_labels.title_text(words, seen), **moves)
    lines = replay_lines(table.event_log, names, words, table.terms.theme) or [words("replay.dealt")]
    if seen.ended or seen.round_over is None:
        lines.append(move_labels.whose_turn(words, seen, names.safe))
    lines.append(words("replay.line", number=number, of=replay.last))
    return layout(
        ui.TextDisplay(f"### {title}"),
        picture(REPLAY_FILE, alt),
        ui.TextDisplay("\n".join(lines)[:3000]),
        *rows(_steps(replay, number, words)),
        *rows(
            [
                button(words("replay.film"), Press("film", match_id)),
                *_review(replay, words),
                *_back(words, listed=listed),
            ]
        ),
        *_rounds(replay, number, words),
        colour=seat_colour(seen),
    )


def film_view(replay: Replay, speed: str, words: Words, alt: str, *, listed: bool = False) -> ui.LayoutView:
    """The film of a match, which goes along as `film.gif`, and how fast it may be; `listed` as in `replay_view`."""
    match_id = replay.head.match_id
    options = [discord.SelectOption(label=words(f"replay.{one}"), value=one, default=one == speed) for one in SPEEDS]
    whole = len(replay.shown) <= FRAMES
    game = words(f"game.{replay.head.game}")
    title = (
        words("replay.film_title", game=game, n=replay.plays)
        if whole
        else words("replay.film_end", game=game, of=FRAMES)
    )
    return layout(
        ui.TextDisplay(f"### {title}"),
        picture(FILM_FILE, alt),
        menu(Press("film", match_id), words("replay.speed"), options),
        *rows(
            [
                button(words("replay.steps"), Press("replay", match_id)),
                *_review(replay, words),
                *_back(words, listed=listed),
            ]
        ),
        colour=CALM_COLOUR,
    )


def film_alt(replay: Replay, names: Names, words: Words) -> str:
    """The film in words: how it ends."""
    event_log = replay.end.event_log
    assert event_log is not None
    return move_labels.clipped(words("replay.film_alt", end=replay_alt(event_log, names, words)))


def asked_speed(text: str) -> str:
    """The speed that an id or a menu names, which may say anything."""
    return text if text in SPEEDS else "normal"


def _steps(replay: Replay, number: int, words: Words) -> list[ui.Button[Any]]:
    """First, back, forward, last. Where they lead stands in their ids, no two of which are the same."""
    last, match_id = replay.last, replay.head.match_id

    def step(way: str, to: int, *, make: Any = button, off: bool) -> ui.Button[Any]:
        press = Press("replay", match_id, argument=f"{way}.{min(max(0, to), last)}")
        made: ui.Button[Any] = make(words(f"replay.{way}"), press, disabled=off)
        return made

    return [
        step("first", 0, off=number == 0),
        step("back", number - 1, off=number == 0),
        step("forward", number + 1, make=primary, off=number == last),
        step("last", last, off=number == last),
    ]


def _review(replay: Replay, words: Words) -> list[ui.Button[Any]]:
    """The way to what the match looks like move by move when it is weighed; a guided game is not."""
    return [] if replay.end.terms.guided else [button(words("review.button"), Press("review", replay.head.match_id))]


def _back(words: Words, *, listed: bool) -> list[ui.Button[Any]]:
    """The way to the list of the reader's own matches, where this one is among them."""
    return [button(words("history.back"), Press("history", argument=str(Filter())))] if listed else []


def _rounds(replay: Replay, number: int, words: Words) -> list[Item]:
    """A menu of the rounds, where there are several: those around the one that is shown, 25 at most."""
    first = replay.rounds
    if len(first) < 2:
        return []
    here = replay.steps[number].round
    near = sorted(sorted(first, key=lambda one: abs(one - here))[:25])
    options = [
        discord.SelectOption(label=words("replay.round", round=one), value=str(first[one]), default=one == here)
        for one in near
    ]
    return [menu(Press("replay", replay.head.match_id), words("replay.go"), options)]


def asked_step(text: str, last: int) -> int:
    """The step that an id or a menu names, which may say anything: the nearest there is, and the first for nonsense."""
    digits = text.rpartition(".")[2]
    return min(int(digits), last) if digits.isascii() and digits.isdigit() else 0
