"""The views of a season: its message, the table of a division, a player's matches, and the rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import discord
from discord import ui

from bot.core.formats import format_pace
from bot.core.layout import (
    CALM_COLOUR,
    GOLD,
    CustomId,
    Item,
    build_button,
    build_layout,
    build_page_buttons,
    build_primary_button,
    build_rows,
    build_text_view,
    format_timestamp,
)
from bot.core.pictures import build_gallery
from bot.core.safe_text import escape_text
from bot.leagues import tournament_views
from bot.leagues.service import LeagueSeason
from bot.leagues.tournament_views import format_bracket_alt
from bot.tables.move_labels import ALT_LIMIT, clip_text, format_list
from data.words import Words
from engine.leagues.bracket import choose_section, list_sections
from engine.leagues.divisions import count_place_changes
from engine.leagues.season import MIN_PLAYERS, WIN, Conditions, Fixture
from engine.leagues.standings import StandingsLine, list_round_marks, list_winners, rank_division
from engine.table.terms import DAY, parse_pace
from render.leagues.picture import LeagueLine

LEAGUE_FILE: Final = "league.png"
TEXT_LIMIT: Final = 3200  # characters for the lines of a message, of the 4,000 that Discord allows
MAX_PICTURE_LINES: Final = 16  # the most lines of a picture. The message has the places of the others.
NO_PERMISSION: Final = 50013
CHANNEL_GONE: Final = 10003  # Discord's error codes for a missing permission and a deleted channel


@dataclass(frozen=True, slots=True)
class SeasonNames:
    """The names of a season's players: `safe` in messages, `plain` in pictures and alt texts."""

    safe: Mapping[int, str]
    plain: Mapping[int, str]


def format_title(league: LeagueSeason, words: Words, *, escaped: bool = True) -> str:
    """Return `Spring · season 2`, or the name of a tournament."""
    return format_season_name(league.season.conditions, words, escaped=escaped)


def format_season_name(conditions: Conditions, words: Words, *, escaped: bool = True) -> str:
    name = escape_text(conditions.name) if escaped else conditions.name
    return name if conditions.kind != "league" else words("league.title", name=name, number=conditions.number)


def build_season_view(
    league: LeagueSeason,
    player_names: SeasonNames,
    words: Words,
    *,
    alt: str = "",
    permissions: str = "",
    unregistered: Sequence[str] = (),
) -> ui.LayoutView:
    """Return the message of a season. With an `alt` text it has the picture of the first division.

    `permissions` are the missing ones, `unregistered` the players of the season before who have not signed up.
    """
    season, season_id = league.season, league.head.season_id
    lines = [f"## {format_title(league, words)}", format_conditions(league, words)]
    lines += _format_state_lines(league, player_names, words)
    if unregistered:
        line = words("league.awaited", list=words("and.comma").join(unregistered))
        # With very many players there is no room for those who have not signed up.
        lines += [line] if sum(map(len, lines)) + len(line) <= TEXT_LIMIT else []
    tables = "\n".join(_format_division_lines(league, player_names, words))
    if season.conditions.again and season.state in ("signup", "running"):
        tables += f"\n-# {words('league.next')}"
    trouble = format_problem(league, words, permissions)
    body = "\n".join([*lines, tables, trouble] if trouble else [*lines, tables])
    picture = [build_gallery(LEAGUE_FILE, alt)] if alt else []
    buttons = []
    if season.state == "signup":
        buttons.append(build_primary_button(words("league.sign_up"), CustomId("signup", season_id)))
    if season.state in ("signup", "running"):
        buttons.append(build_button(words("league.withdraw"), CustomId("signoff", season_id)))
    if season.divisions:
        buttons.append(build_button(words("league.table"), CustomId("season", season_id)))
    buttons.append(build_button(words("league.rules"), CustomId("seasonrules", season_id)))
    colour = GOLD if season.state == "over" else CALM_COLOUR
    return build_layout(*picture, ui.TextDisplay(body[:4000]), *build_rows(buttons), colour=colour)


def format_conditions(league: LeagueSeason, words: Words) -> str:
    conditions = league.season.conditions
    parts = [words(f"game.{conditions.game}"), format_pace(words, parse_pace(conditions.clock))]
    if conditions.target:
        parts.insert(-1, words("league.target", target=conditions.target))
    if league.season.is_tournament:
        parts.insert(0, words("tournament.kind_swiss" if conditions.kind == "swiss" else "tournament.kind_knockout"))
    return " · ".join(parts)


def format_problem(league: LeagueSeason, words: Words, permissions: str) -> str:
    """Return why the next matches cannot open and what to do about it; empty if they can."""
    match league.head.trouble:
        case None:
            return ""
        case code if code == CHANNEL_GONE:
            return words("league.no_channel")
        case _ if permissions:
            return words("league.no_rights", permissions=permissions)
        case _:
            return words("league.held_up")


def _format_state_lines(league: LeagueSeason, player_names: SeasonNames, words: Words) -> list[str]:
    season, conditions = league.season, league.season.conditions
    if season.is_tournament and season.state != "signup":
        return tournament_views.format_state_lines(season, player_names.safe, words)
    match season.state:
        case "signup":
            days = words("count.days", n=max(1, round(conditions.length / DAY)))
            lines = [words("league.signup", until=format_timestamp(conditions.signup_until, "f"), days=days)]
            if season.is_tournament:
                lines = [tournament_views.format_signup(conditions, words)]
            names = [player_names.safe[player] for player in season.players]
            if names:
                people = words("count.people", n=len(names))
                lines.append(words("league.players", people=people, list=words("and.comma").join(names))[:TEXT_LIMIT])
            else:
                lines.append(words("league.nobody"))
            if len(names) < MIN_PLAYERS:
                too_few = "tournament.too_few" if season.is_tournament else "league.too_few"
                lines.append(words(too_few, least=MIN_PLAYERS))
            return lines
        case "running":
            done, everything = len(season.decisions), len(season.fixtures)
            return [words("league.running", done=done, all=everything, until=format_timestamp(season.ends, "f"))]
        case "off":
            return [words("league.off_few" if season.cancel_reason == "few" else "league.off_moderator")]
        case "over":
            won = [player_names.safe[player] for player in list_winners(season)]
            if not won:
                return [words("league.over_nobody")]
            key = "league.over" if len(won) == 1 else "league.over_shared"
            return [words(key, winner=format_list(words, [f"**{name}**" for name in won]))]


def _format_division_lines(league: LeagueSeason, player_names: SeasonNames, words: Words) -> list[str]:
    if league.season.is_tournament:
        return tournament_views.format_table_lines(league.season, player_names.safe, words)
    shown_lines: list[str] = []
    for number in range(len(league.season.divisions)):
        lines = [f"**{words('league.division', n=number + 1)}**"]
        for line in rank_division(league.season, number):
            name = player_names.safe[line.player]
            if line.has_left:
                lines.append(words("league.row_left", name=name))
                continue
            record = {"won": line.wins, "tied": line.ties, "lost": line.losses}
            row = words("league.row", place=line.place, name=name, points=line.points, **record)
            lines.append(tournament_views.append_round_signs(row, list_round_marks(league.season, line.player)))
        if sum(len(one) + 1 for one in (*shown_lines, *lines)) > TEXT_LIMIT:
            break  # the rest is behind the button
        shown_lines += lines
    if not shown_lines:
        return []
    legend = tournament_views.format_sign_legend(league.season, chain.from_iterable(league.season.divisions), words)
    return [*shown_lines, words("league.how"), *legend]


def build_picture_lines(league: LeagueSeason, division: int, player_names: SeasonNames) -> list[LeagueLine]:
    table, sizes = rank_division(league.season, division), [len(one) for one in league.season.divisions]
    moves = count_place_changes(sizes)
    begun = any(line.played for line in table)
    up = moves[division - 1] if division and begun else 0
    down = moves[division] if division < len(moves) and begun else 0
    staying = sum(not line.has_left for line in table)
    best = {line.player for line in table if line.place == 1 and line.points}
    is_swiss = league.season.conditions.kind == "swiss"
    return [
        LeagueLine(
            place="–" if line.has_left else str(line.place),
            name=player_names.plain[line.player],
            points=str(line.points),
            record=f"{line.wins}–{line.ties}–{line.losses}",
            difference=str(line.buchholz) if is_swiss else _format_signed(line.difference),
            movement="" if line.has_left else "up" if number < up else "down" if number >= staying - down else "",
            rounds=() if line.has_left else list_round_marks(league.season, line.player),
            is_first=line.player in best,
            has_left=line.has_left,
        )
        for number, line in enumerate(table[:MAX_PICTURE_LINES])
    ]


def choose_page(league: LeagueSeason, player: int | None) -> int:
    """Return the page to show first: the player's own division or part of a bracket."""
    if league.season.conditions.kind == "knockout":
        return choose_section(league.season, player)
    divisions = enumerate(league.season.divisions)
    return next((number for number, players in divisions if player in players), 0)


def count_pages(league: LeagueSeason) -> int:
    return len(list_sections(league.season) if league.season.conditions.kind == "knockout" else league.season.divisions)


def format_page_alt(league: LeagueSeason, division: int, player_names: SeasonNames, words: Words) -> str:
    title, names = format_title(league, words, escaped=False), player_names.plain
    if league.season.conditions.kind == "knockout":
        return format_bracket_alt(league.season, division, title, names, words)
    rows, detailed_rows = [], []
    for line in rank_division(league.season, division):
        rows.append(_format_alt_line(league, line, names[line.player], words))
        marks = () if line.has_left else list_round_marks(league.season, line.player)
        detailed_rows.append(rows[-1] + tournament_views.format_rounds(marks, words))
    heading = format_heading(league, division, words)
    alt = words("league.alt", title=title, division=heading, rows="; ".join(detailed_rows))
    if len(alt) > ALT_LIMIT:  # of many players the places come before the rounds
        alt = words("league.alt", title=title, division=heading, rows="; ".join(rows))
    return clip_text(alt)


def _format_alt_line(league: LeagueSeason, line: StandingsLine, name: str, words: Words) -> str:
    if league.season.is_tournament:
        return tournament_views.format_alt_line(line, name, words)
    if line.has_left:
        return words("league.alt_left", name=name)
    facts = {"points": line.points, "possible": WIN * line.played, "difference": _format_signed(line.difference)}
    return words("league.alt_row", place=line.place, name=name, **facts)


def format_heading(league: LeagueSeason, division: int, words: Words) -> str:
    if league.season.is_tournament:
        return tournament_views.format_round(league.season, words)
    return words("league.division", n=division + 1)


def list_column_names(league: LeagueSeason, words: Words) -> list[str]:
    last = "tournament.col_buchholz" if league.season.conditions.kind == "swiss" else "league.col_difference"
    return [words("league.col_points"), words("league.col_record"), words(last)]


def format_season_rules(league: LeagueSeason, words: Words) -> str:
    if league.season.is_tournament:
        return tournament_views.format_rules(league.season.conditions, words)
    return words("league.how_it_goes")


def build_table_view(
    league: LeagueSeason,
    division: int,
    own_matches: Sequence[str],
    player_names: SeasonNames,
    alt: str,
    words: Words,
    permissions: str = "",
) -> ui.LayoutView:
    """Return one page with the user's own matches; buttons lead to the other pages."""
    pages = count_pages(league)
    lines = [f"## {format_title(league, words)}", words("league.how")]
    if league.season.is_tournament:
        lines[1:] = tournament_views.format_pairing_lines(league.season, player_names.safe, words)
    if league.season.conditions.kind != "knockout":
        lines += tournament_views.format_sign_legend(league.season, league.season.divisions[division], words)
    if own_matches:
        lines += [f"**{words('league.mine')}**", *own_matches]
    if trouble := format_problem(league, words, permissions):
        lines.append(trouble)
    season_id = league.head.season_id
    back = CustomId("season", season_id, argument=f"{division - 1}" if division else "first")
    forward = CustomId("season", season_id, argument=f"{division + 1}")
    turn = build_page_buttons(words, back, forward, first=not division, last=division + 1 >= pages)
    items: list[Item] = [build_gallery(LEAGUE_FILE, alt), ui.TextDisplay("\n".join(lines)[:4000])]
    past = build_button(words("league.past"), CustomId("pastseasons", season_id))
    return build_layout(*items, *build_rows([*(turn if pages > 1 else []), past]), colour=CALM_COLOUR)


def format_own_match(
    league: LeagueSeason, fixture: Fixture, player: int, name: str, link: str, words: Words, now: int
) -> str:
    season, own_index = league.season, fixture.players.index(player)
    decision = season.decisions.get(fixture.number)
    if decision is not None and decision.how == "struck":
        return words("league.mine_struck", name=name)
    if decision is not None:
        mine, theirs = decision.points[own_index], decision.points[1 - own_index]
        return words("league.mine_done", name=name, mine=mine, theirs=theirs)
    if fixture.number in season.match_ids:
        return words("league.mine_open", name=name, link=link)
    opens = season.compute_opening_time(fixture.round)
    if opens <= now:
        return words("league.mine_next", name=name)
    return words("league.mine_waits", name=name, when=format_timestamp(opens))


def build_fixture_call(mentions: str, league: LeagueSeason, number: int, words: Words) -> tuple[ui.View, str]:
    season = league.season
    facts = {"name": format_title(league, words), "round": number, "until": format_timestamp(season.ends, "f")}
    view = ui.View(timeout=None)
    view.add_item(build_button(words("league.table"), CustomId("season", league.head.season_id)))
    view.stop()
    return view, words("league.call", mentions=mentions, **facts)


def build_leave_question(league: LeagueSeason, player: int, words: Words) -> tuple[str, ui.Button[ui.LayoutView]]:
    own_fixtures = list(league.season.iterate_fixtures(player))
    done = sum(one.number in league.season.decisions for one in own_fixtures)
    press = CustomId("signoff", league.head.season_id, argument="sure")
    label, question = "league.leave", words("league.leave_sure", done=done, all=len(own_fixtures))
    if league.season.is_tournament:
        label, question = "tournament.leave", words("tournament.leave_sure")
    return question, build_button(words(label), press, style=discord.ButtonStyle.danger)


def _format_signed(number: int) -> str:
    return f"+{number}" if number > 0 else f"−{-number}" if number else "0"


MAX_LISTED: Final = 20  # seasons in the list of a server
PAST_TEXT_LIMIT: Final = 3800  # characters for that list, of the 4,000 of a message


def format_season_link(conditions: Conditions, url: str, words: Words) -> str:
    name = f"**{format_season_name(conditions, words)}**"
    return f"[{name}]({url})" if url else name


def format_season_title(conditions: Conditions, url: str, words: Words) -> str:
    return words("profile.title_season", season=format_season_link(conditions, url, words))


def format_past_season(conditions: Conditions, url: str, winner: str, words: Words) -> str:
    """Return a line of the list of seasons; `winner` can be empty."""
    facts = {"season": format_season_link(conditions, url, words), "game": words(f"game.{conditions.game}")}
    return words("league.past_row", winner=winner, **facts) if winner else words("league.past_nobody", **facts)


def build_past_view(listed: Sequence[str], season_id: int, words: Words) -> ui.LayoutView:
    lines, room = [f"## {words('league.past')}"], PAST_TEXT_LIMIT
    for number, line in enumerate(listed):
        room -= len(line) + 1
        if number >= MAX_LISTED or room < 0:
            lines.append(words("history.more", n=len(listed) - number))
            break
        lines.append(line)
    if not listed:
        lines.append(words("league.past_none"))
    back = build_button(words("league.table"), CustomId("season", season_id))
    return build_text_view("\n".join(lines), back, colour=CALM_COLOUR)
