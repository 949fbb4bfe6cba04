"""The views of finished matches: pages of the history with its menus, one match, replays and films."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any, Final, Self

import discord
from discord import ui

from bot.core.environment import ms
from bot.core.formats import day_text, moment, month_text
from bot.core.layout import CALM_COLOUR, Item, Press, button, layout, menu, primary, rows, select_options, turn_buttons
from bot.core.names import Names
from bot.core.pictures import picture
from bot.history.films import SPEEDS
from bot.tables import move_labels
from bot.tables.board_views import end_buttons, seat_colour
from bot.tables.past_match import FRAMES, Replay, replay_alt, replay_lines
from bot.tables.service import Table
from data.rulebook import games
from data.store.history.store import HistoryPage, PastMatch
from data.words import Words
from engine.match.player_view import view_for

ON_PAGE: Final = 8  # matches on a page, so that their lines fit a message
NAMED: Final = 3  # players that a line names
EVERYTHING: Final = "all"
YEARS: Final = range(2015, 10_000)  # the years that a month can have. Discord began in 2015.


@dataclass(frozen=True, slots=True)
class Filter:
    game: str = EVERYTHING
    month: str = EVERYTHING  # like `2026-11`, by UTC
    other: int = 0  # the user id of another player; 0 for all
    page: int = 0

    def __str__(self) -> str:
        return f"{self.game}.{self.month}.{self.other}.{self.page}"

    @classmethod
    def parsed(cls, text: str) -> Self | None:
        """Parse a button's argument; None if it is not ours."""
        parts = text.split(".")
        if len(parts) != 4 or not all(part.isdecimal() and part.isascii() and len(part) < 21 for part in parts[2:]):
            return None
        game, month, other, page = parts
        if (game != EVERYTHING and game not in games()) or (month != EVERYTHING and parsed_month(month) is None):
            return None
        return cls(game, month, min(int(other), 2**63 - 1), min(int(page), 1_000_000))

    @property
    def span(self) -> tuple[int | None, int | None]:
        """The first moment, and the first moment after it, UTC epoch ms."""
        first = parsed_month(self.month)
        if first is None:
            return None, None
        year, after = divmod(first.year * 12 + first.month, 12)
        return ms(first), ms(date(year, after + 1, 1)) if year in YEARS else None


def parsed_month(text: str) -> date | None:
    """Return the first day of a month like `2026-11`; None for other text."""
    year, _, month = text.partition("-")
    if not (text.isascii() and year.isdecimal() and month.isdecimal() and len(text) == 7 and len(month) == 2):
        return None
    if int(year) not in YEARS or not 1 <= int(month) <= 12:
        return None
    return date(int(year), int(month), 1)


def month_named(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m")


@dataclass(frozen=True, slots=True)
class PageFacts:
    """Facts about the matches of a page that the store does not have."""

    names: Mapping[int, str]  # names by user id
    safe: Mapping[int, str]  # the same, escaped
    links: Mapping[int, str]  # by match, if the user can see its channel
    months: Sequence[int]  # a moment of each month with matches, newest first


def history_view(wanted: Filter, page: HistoryPage, told: PageFacts, words: Words) -> ui.LayoutView:
    with_whom = told.safe.get(wanted.other)
    title = words("history.title") if with_whom is None else words("history.title_with", name=with_whom)
    game = words("history.all_games") if wanted.game == EVERYTHING else words(f"game.{wanted.game}")
    lines = [f"## {title}", f"{game} · {_month(wanted.month, words)}", ""]
    lines += [match_lines(row, told, words) for row in page.rows]
    if not page.rows:
        lines.append(words("history.none" if replace(wanted, page=0) == Filter() else "history.none_here"))
    else:
        matches = words("count.matches", n=page.total)
        lines.append(words("history.page", page=page.page + 1, pages=page.pages, matches=matches))
    now = replace(wanted, page=page.page)
    items: list[Item] = [ui.TextDisplay("\n".join(lines)[:4000])]
    if page.rows:
        items.append(menu(Press("past", argument=str(now)), words("history.choose"), _matches(page, told, words)))
    back = _to(replace(now, page=now.page - 1)) if now.page else Press("historyback")
    forward = _to(replace(now, page=now.page + 1))
    turn = turn_buttons(words, back, forward, first=not now.page, last=page.page + 1 >= page.pages)
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
    mine = row.mine
    if mine is None:
        return words("history.substitute")
    if not mine.finished:
        return words("history.left")
    if not mine.won:
        return words("history.place", place=mine.place, seats=mine.seats)
    return words("history.shared" if any(other.place == 1 for other in row.others) else "history.won")


def against_text(row: PastMatch, names: Mapping[int, str], words: Words) -> str:
    """Return the other players with their points; empty if none is left."""
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
    """Return what is below the end of a match: its link and the way back."""
    number = row.any.match_id
    where = told.links.get(number) or words("replay.table", match=number)
    line = words("history.when", where=where, day=moment(row.any.ended_at, "f"))
    return [ui.TextDisplay(line), *rows([button(words("history.back"), _to(wanted))])]


def bare_view(row: PastMatch, wanted: Filter, told: PageFacts, words: Words) -> ui.LayoutView:
    """Return a match that has only its results, or no end."""
    text = f"{match_lines(row, told, words)}\n{words('history.bare')}"
    return layout(ui.TextDisplay(text), *past_items(row, wanted, told, words), colour=CALM_COLOUR)


def _to(wanted: Filter) -> Press:
    return Press("history", argument=str(wanted))


def _month(month: str, words: Words) -> str:
    first = parsed_month(month)
    return words("history.any_time") if first is None else month_text(words, ms(first))


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
    values = {str(replace(now, game=game, page=0)): name for game, name in named.items()}
    return select_options(values, str(replace(now, page=0)))


def _months(now: Filter, known: Sequence[int], words: Words) -> list[discord.SelectOption]:
    months = dict.fromkeys([EVERYTHING, now.month, *(month_named(at) for at in known)])
    values = {str(replace(now, month=month, page=0)): _month(month, words) for month in list(months)[:25]}
    return select_options(values, str(replace(now, page=0)))


REPLAY_FILE = "replay.png"
FILM_FILE = "film.gif"


def replay_view(
    replay: Replay, number: int, table: Table, names: Names, words: Words, alt: str, *, listed: bool = False
) -> ui.LayoutView:
    """Return one step of a match. If it is `listed` in the reader's history, a button leads there."""
    assert table.event_log is not None
    seen = view_for(table.match, None)
    moves, match_id = {"plays": table.event_log.plays, "of": replay.plays}, replay.head.match_id
    title = words("replay.title", title=move_labels.title_text(words, seen), **moves)
    lines = replay_lines(table.event_log, names, words, table.terms.theme) or [words("replay.dealt")]
    if seen.ended or seen.round_over is None:
        lines.append(move_labels.whose_turn(words, seen, names.safe))
    lines.append(words("replay.line", number=number, of=replay.last))
    added = [] if replay.end.terms.guided else end_buttons("replay", match_id, words)
    return layout(
        ui.TextDisplay(f"### {title}"),
        picture(REPLAY_FILE, alt),
        ui.TextDisplay("\n".join(lines)[:3000]),
        *rows(_steps(replay, number, words)),
        *rows([button(words("replay.film"), Press("film", match_id)), *added, *_back(words, listed=listed)]),
        *_rounds(replay, number, words),
        colour=seat_colour(seen),
    )


def film_view(replay: Replay, speed: str, words: Words, alt: str, *, listed: bool = False) -> ui.LayoutView:
    """Return the film of a match; `listed` as in `replay_view`."""
    match_id = replay.head.match_id
    options = select_options({one: words(f"replay.{one}") for one in SPEEDS}, speed)
    title = words("replay.film_title", game=words(f"game.{replay.head.game}"), n=replay.plays)
    if len(replay.shown) > FRAMES:
        title = words("replay.film_end", game=words(f"game.{replay.head.game}"), of=FRAMES)
    added = [] if replay.end.terms.guided else end_buttons("replay", match_id, words)
    return layout(
        ui.TextDisplay(f"### {title}"),
        picture(FILM_FILE, alt),
        menu(Press("film", match_id), words("replay.speed"), options),
        *rows([button(words("replay.steps"), Press("replay", match_id)), *added, *_back(words, listed=listed)]),
        colour=CALM_COLOUR,
    )


def film_alt(replay: Replay, names: Names, words: Words) -> str:
    event_log = replay.end.event_log
    assert event_log is not None
    return move_labels.clipped(words("replay.film_alt", end=replay_alt(event_log, names, words)))


def asked_speed(text: str) -> str:
    """Return the speed that an id or a menu names, which may be anything."""
    return text if text in SPEEDS else "normal"


def _steps(replay: Replay, number: int, words: Words) -> list[ui.Button[Any]]:
    """Return the buttons for the first, previous, next and last step. No two have the same id."""
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


def _back(words: Words, *, listed: bool) -> list[ui.Button[Any]]:
    return [button(words("history.back"), Press("history", argument=str(Filter())))] if listed else []


def _rounds(replay: Replay, number: int, words: Words) -> list[Item]:
    """Return a menu of the rounds around the current one, at most 25; empty for a single round."""
    first = replay.rounds
    if len(first) < 2:
        return []
    here = replay.steps[number].round
    near = sorted(sorted(first, key=lambda one: abs(one - here))[:25])
    options = select_options({str(first[one]): words("replay.round", round=one) for one in near}, str(first[here]))
    return [menu(Press("replay", replay.head.match_id), words("replay.go"), options)]


def asked_step(text: str, last: int) -> int:
    """Return the step that an id or a menu names, which may be anything."""
    digits = text.rpartition(".")[2]
    return min(int(digits), last) if digits.isascii() and digits.isdigit() else 0
