"""The views of finished matches: pages of the history with its menus, one match, replays and films."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any, Final, Self

import discord
from discord import ui

from bot.core.environment import to_epoch_ms
from bot.core.formats import format_day, format_month
from bot.core.layout import (
    CALM_COLOUR,
    CustomId,
    Item,
    build_button,
    build_layout,
    build_menu,
    build_page_buttons,
    build_rows,
    build_select_options,
    format_timestamp,
)
from bot.core.names import SeatNames
from bot.core.pictures import build_gallery
from bot.history.films import SPEEDS
from bot.tables.board_views import build_end_buttons, choose_seat_colour
from bot.tables.move_labels import clip_text, format_number, format_point_count, format_title, format_turn
from bot.tables.past_match import FRAMES, Replay, format_replay_alt, format_replay_lines
from bot.tables.service import Table
from data.rulebook import list_games
from data.store.history.store import HistoryPage, PastMatch
from data.words import Words
from engine.match.player_view import view_for
from engine.typed_text import normalize_text

PAGE_SIZE: Final = 8  # matches on a page, so that their lines fit a message
MAX_NAMES: Final = 3  # players that a line names
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

    def build_id(self) -> CustomId:
        return CustomId("history", argument=str(self))

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Parse a button's argument; None if it is not ours."""
        parts = text.split(".")
        if len(parts) != 4 or not all(part.isdecimal() and part.isascii() and len(part) < 21 for part in parts[2:]):
            return None
        game, month, other, page = parts
        if (game != EVERYTHING and game not in list_games()) or (month != EVERYTHING and parse_month(month) is None):
            return None
        return cls(game, month, min(int(other), 2**63 - 1), min(int(page), 1_000_000))

    @property
    def span(self) -> tuple[int | None, int | None]:
        """The first moment, and the first moment after it, UTC epoch ms."""
        first = parse_month(self.month)
        if first is None:
            return None, None
        year, after = divmod(first.year * 12 + first.month, 12)
        return to_epoch_ms(first), to_epoch_ms(date(year, after + 1, 1)) if year in YEARS else None


def parse_month(text: str) -> date | None:
    """Return the first day of a month like `2026-11`; None for other text."""
    text = normalize_text(text)
    year, _, month = text.partition("-")
    if not (text.isascii() and year.isdecimal() and month.isdecimal() and len(text) == 7 and len(month) == 2):
        return None
    if int(year) not in YEARS or not 1 <= int(month) <= 12:
        return None
    return date(int(year), int(month), 1)


def format_month_key(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m")


@dataclass(frozen=True, slots=True)
class PageFacts:
    """Facts about the matches of a page that the store does not have."""

    names: Mapping[int, str]  # names by user id
    escaped_names: Mapping[int, str]  # the same, escaped
    links: Mapping[int, str]  # by match, if the user can see its channel
    months: Sequence[int]  # a moment of each month with matches, newest first


def build_history_view(match_filter: Filter, page: HistoryPage, page_facts: PageFacts, words: Words) -> ui.LayoutView:
    other_name = page_facts.escaped_names.get(match_filter.other)
    title = words("history.title") if other_name is None else words("history.title_with", name=other_name)
    game = words("history.all_games") if match_filter.game == EVERYTHING else words(f"game.{match_filter.game}")
    lines = [f"## {title}", f"{game} · {_format_month(match_filter.month, words)}", ""]
    lines += [format_match(row, page_facts, words) for row in page.rows]
    if not page.rows:
        lines.append(words("history.none" if replace(match_filter, page=0) == Filter() else "history.none_here"))
    else:
        matches = words("count.matches", n=page.total)
        lines.append(words("history.page", page=page.page + 1, pages=page.pages, matches=matches))
    current = replace(match_filter, page=page.page)
    items: list[Item] = [ui.TextDisplay("\n".join(lines)[:4000])]
    if page.rows:
        matches_id, options = CustomId("past", argument=str(current)), _build_match_options(page, page_facts, words)
        items.append(build_menu(matches_id, words("history.choose"), options))
    items.append(build_menu(CustomId("historygame"), words("leaders.game"), _build_game_options(current, words)))
    months = _build_month_options(current, page_facts.months, words)
    items.append(build_menu(CustomId("historymonth"), words("history.month"), months))
    back = replace(current, page=page.page - 1).build_id() if page.page else CustomId("historyback")
    forward = replace(current, page=page.page + 1).build_id()
    turn = build_page_buttons(words, back, forward, first=not page.page, last=page.page + 1 >= page.pages)
    if match_filter.other:
        turn.append(build_button(words("history.anybody"), replace(current, other=0, page=0).build_id()))
    return build_layout(*items, *build_rows(turn), colour=CALM_COLOUR)


def format_match(row: PastMatch, page_facts: PageFacts, words: Words) -> str:
    number = row.any_result.match_id
    location = page_facts.links.get(number) or words("replay.table", match=number)
    facts = {"outcome": format_outcome(row, words), "game": words(f"game.{row.any_result.game}"), "where": location}
    against = format_opponents(row, page_facts.escaped_names, words)
    if row.own_result is None:
        second = words("history.lent", results=against)
    else:
        points = format_point_count(words, row.own_result.score)
        second = words("history.against", points=points, others=against) if against else points
    return f"{words('history.row', day=format_timestamp(row.any_result.ended_at, 'd'), **facts)}\n-# {second}"


def format_outcome(row: PastMatch, words: Words) -> str:
    own_result = row.own_result
    if own_result is None:
        return words("history.substitute")
    if not own_result.finished:
        return words("history.left")
    if not own_result.won:
        return words("history.place", place=own_result.place, seats=own_result.seats)
    return words("history.shared" if any(other.place == 1 for other in row.other_results) else "history.won")


def format_opponents(row: PastMatch, names: Mapping[int, str], words: Words) -> str:
    """Return the other players with their points; empty if none is left."""
    nobody = words("name.somebody")
    people = [
        words("history.scored", name=names.get(one.user_id, nobody), points=format_number(one.score))
        for one in row.other_results
    ]
    if len(people) > MAX_NAMES:
        people = [*people[:MAX_NAMES], words("history.more", n=len(people) - MAX_NAMES)]
    people += [words("count.computers", n=row.computers)] if row.computers else []
    people += [words("count.strangers", n=row.unknown_player_count)] if row.unknown_player_count else []
    return words("and.comma").join(people)


def build_past_match_items(row: PastMatch, match_filter: Filter, page_facts: PageFacts, words: Words) -> list[Item]:
    """Return what is below the end of a match: its link and the way back."""
    number = row.any_result.match_id
    location = page_facts.links.get(number) or words("replay.table", match=number)
    line = words("history.when", where=location, day=format_timestamp(row.any_result.ended_at, "f"))
    return [ui.TextDisplay(line), *build_rows([build_button(words("history.back"), match_filter.build_id())])]


def build_results_view(row: PastMatch, match_filter: Filter, page_facts: PageFacts, words: Words) -> ui.LayoutView:
    """Return a match that has only its results, or no end."""
    text = f"{format_match(row, page_facts, words)}\n{words('history.bare')}"
    items = build_past_match_items(row, match_filter, page_facts, words)
    return build_layout(ui.TextDisplay(text), *items, colour=CALM_COLOUR)


def _format_month(month: str, words: Words) -> str:
    first = parse_month(month)
    return words("history.any_time") if first is None else format_month(words, to_epoch_ms(first))


def _build_match_options(page: HistoryPage, page_facts: PageFacts, words: Words) -> list[discord.SelectOption]:
    options = []
    for row in page.rows:
        game, day = words(f"game.{row.any_result.game}"), format_day(words, row.any_result.ended_at)
        label = clip_text(" · ".join((format_outcome(row, words), game, day)), 100)
        against = clip_text(format_opponents(row, page_facts.names, words), 100) or None
        options.append(discord.SelectOption(label=label, value=str(row.any_result.match_id), description=against))
    return options


def _build_game_options(now: Filter, words: Words) -> list[discord.SelectOption]:
    named = {EVERYTHING: words("history.all_games"), **{game: words(f"game.{game}") for game in list_games()}}
    values = {str(replace(now, game=game, page=0)): name for game, name in named.items()}
    return build_select_options(values, str(replace(now, page=0)))


def _build_month_options(now: Filter, known: Sequence[int], words: Words) -> list[discord.SelectOption]:
    months = dict.fromkeys([EVERYTHING, now.month, *(format_month_key(at) for at in known)])
    values = {str(replace(now, month=month, page=0)): _format_month(month, words) for month in list(months)[:25]}
    return build_select_options(values, str(replace(now, page=0)))


REPLAY_FILE = "replay.png"
FILM_FILE = "film.gif"


def build_replay_view(
    replay: Replay, number: int, table: Table, names: SeatNames, words: Words, alt: str, *, listed: bool = False
) -> ui.LayoutView:
    """Return one step of a match. If it is `listed` in the reader's history, a button leads there."""
    assert table.event_log is not None
    view = view_for(table.match, None)
    moves = {"plays": table.event_log.play_count, "of": replay.play_count}
    title = words("replay.title", title=format_title(words, view), **moves)
    lines = format_replay_lines(table.event_log, names, words, table.terms.theme) or [words("replay.dealt")]
    if view.ended or view.round_over is None:
        lines.append(format_turn(words, view, names.escaped))
    lines.append(words("replay.line", number=number, of=replay.last_step))
    film = build_button(words("replay.film"), CustomId("film", replay.head.match_id))
    return build_layout(
        ui.TextDisplay(f"### {title}"),
        build_gallery(REPLAY_FILE, alt),
        ui.TextDisplay("\n".join(lines)[:3000]),
        *build_rows(_build_step_buttons(replay, number, words)),
        *_build_link_rows(replay, film, words, listed=listed),
        *_build_round_menu(replay, number, words),
        colour=choose_seat_colour(view),
    )


def build_film_view(replay: Replay, speed: str, words: Words, alt: str, *, listed: bool = False) -> ui.LayoutView:
    """Return the film of a match; `listed` as in `build_replay_view`."""
    match_id = replay.head.match_id
    options = build_select_options({one: words(f"replay.{one}") for one in SPEEDS}, speed)
    title = words("replay.film_title", game=words(f"game.{replay.head.game}"), n=replay.play_count)
    if len(replay.shown_steps) > FRAMES:
        title = words("replay.film_end", game=words(f"game.{replay.head.game}"), of=FRAMES)
    steps = build_button(words("replay.steps"), CustomId("replay", match_id))
    return build_layout(
        ui.TextDisplay(f"### {title}"),
        build_gallery(FILM_FILE, alt),
        build_menu(CustomId("film", match_id), words("replay.speed"), options),
        *_build_link_rows(replay, steps, words, listed=listed),
        colour=CALM_COLOUR,
    )


def format_film_alt(replay: Replay, names: SeatNames, words: Words) -> str:
    event_log = replay.end.event_log
    assert event_log is not None
    return clip_text(words("replay.film_alt", end=format_replay_alt(event_log, names, words)))


def parse_speed(text: str) -> str:
    """Return the speed that an id or a menu names, which may be anything."""
    return text if text in SPEEDS else "normal"


def _build_step_buttons(replay: Replay, number: int, words: Words) -> list[ui.Button[Any]]:
    """Return the buttons for the first, previous, next and last step. No two have the same id."""
    last, buttons = replay.last_step, list[ui.Button[Any]]()
    steps = {"first": 0, "back": max(0, number - 1), "forward": min(number + 1, last), "last": last}
    for way, step in steps.items():
        press = CustomId("replay", replay.head.match_id, argument=f"{way}.{step}")
        style = discord.ButtonStyle.primary if way == "forward" else discord.ButtonStyle.secondary
        buttons.append(build_button(words(f"replay.{way}"), press, style=style, disabled=step == number))
    return buttons


def _build_link_rows(replay: Replay, link: ui.Button[Any], words: Words, *, listed: bool) -> list[Item]:
    added = [] if replay.end.terms.guided else build_end_buttons("replay", replay.head.match_id, words)
    back = [build_button(words("history.back"), Filter().build_id())] if listed else []
    return build_rows([link, *added, *back])


def _build_round_menu(replay: Replay, number: int, words: Words) -> list[Item]:
    """Return a menu of the rounds around the current one, at most 25; empty for a single round."""
    round_starts = replay.round_starts
    if len(round_starts) < 2:
        return []
    current_round = replay.steps[number].round
    near = sorted(sorted(round_starts, key=lambda one: abs(one - current_round))[:25])
    labels = {str(round_starts[one]): words("replay.round", round=one) for one in near}
    options = build_select_options(labels, str(round_starts[current_round]))
    return [build_menu(CustomId("replay", replay.head.match_id), words("replay.go"), options)]


def parse_step(text: str, last: int) -> int:
    """Return the step that an id or a menu names, which may be anything."""
    digits = text.rpartition(".")[2]
    return min(int(digits), last) if digits.isascii() and digits.isdigit() else 0
