"""The views of a season: its message, the table of a division, a player's matches, and the rules."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import discord
from discord import ui

from bot.core.formats import moment, pace_text
from bot.core.layout import CALM_COLOUR, GOLD, Item, Press, button, layout, primary, rows, turn_buttons
from bot.core.pictures import picture
from bot.core.safe_text import safe
from bot.leagues import tournament_views
from bot.leagues.service import LeagueSeason
from bot.leagues.tournament_views import bracket_alt
from bot.tables import move_labels
from data.words import Words
from engine.leagues.bracket import section_of, sections
from engine.leagues.divisions import change_places
from engine.leagues.season import LEAST_PLAYERS, WIN, Conditions, Fixture
from engine.leagues.standings import TableLine, division_table, round_marks, winners
from engine.table.terms import DAY, parse_pace
from render.leagues.picture import LeagueLine

LEAGUE_FILE: Final = "league.png"
LENGTH: Final = 3200  # characters for the lines of a message, of the 4,000 that Discord allows
PICTURED: Final = 16  # the most lines of a picture. The message has the places of the others.
NO_PERMISSION: Final = 50013
CHANNEL_GONE: Final = 10003  # Discord's error codes for a missing permission and a deleted channel


@dataclass(frozen=True, slots=True)
class SeasonNames:
    """The names of a season's players: `safe` in messages, `plain` in pictures and alt texts."""

    safe: Mapping[int, str]
    plain: Mapping[int, str]


def title_of(found: LeagueSeason, words: Words, *, escaped: bool = True) -> str:
    """Return `Spring · season 2`, or the name of a tournament."""
    return season_name(found.season.conditions, words, escaped=escaped)


def season_name(conditions: Conditions, words: Words, *, escaped: bool = True) -> str:
    name = safe(conditions.name) if escaped else conditions.name
    return name if conditions.kind != "league" else words("league.title", name=name, number=conditions.number)


def season_view(
    found: LeagueSeason,
    called: SeasonNames,
    words: Words,
    *,
    alt: str = "",
    permissions: str = "",
    awaited: Sequence[str] = (),
) -> ui.LayoutView:
    """Return the message of a season. With an `alt` text it has the picture of the first division.

    `permissions` are the missing ones, `awaited` the players of the season before who have not signed up.
    """
    season, season_id = found.season, found.head.season_id
    lines = [f"## {title_of(found, words)}", played_text(found, words), *_state(found, called, words)]
    if awaited:
        line = words("league.awaited", list=words("and.comma").join(awaited))
        # With very many players there is no room for those who have not signed up.
        lines += [line] if sum(map(len, lines)) + len(line) <= LENGTH else []
    tables = "\n".join(_division_lines(found, called, words))
    if season.conditions.again and season.state in ("signup", "running"):
        tables += f"\n-# {words('league.next')}"
    trouble = trouble_text(found, words, permissions)
    body = "\n".join([*lines, tables, trouble] if trouble else [*lines, tables])
    items: list[Item] = [ui.TextDisplay(body[:4000])]
    if alt:
        items.insert(0, picture(LEAGUE_FILE, alt))
    buttons = []
    if season.state == "signup":
        buttons.append(primary(words("league.sign_up"), Press("signup", season_id)))
    if season.state in ("signup", "running"):
        buttons.append(button(words("league.withdraw"), Press("signoff", season_id)))
    if season.divisions:
        buttons.append(button(words("league.table"), Press("season", season_id)))
    buttons.append(button(words("league.rules"), Press("seasonrules", season_id)))
    return layout(*items, *rows(buttons), colour=GOLD if season.state == "over" else CALM_COLOUR)


def played_text(found: LeagueSeason, words: Words) -> str:
    conditions = found.season.conditions
    parts = [words(f"game.{conditions.game}"), pace_text(words, parse_pace(conditions.clock))]
    if conditions.target:
        parts.insert(-1, words("league.target", target=conditions.target))
    if found.season.is_tournament:
        parts.insert(0, words("tournament.kind_swiss" if conditions.kind == "swiss" else "tournament.kind_knockout"))
    return " · ".join(parts)


def trouble_text(found: LeagueSeason, words: Words, permissions: str) -> str:
    """Return why the next matches cannot open and what to do about it; empty if they can."""
    match found.head.trouble:
        case None:
            return ""
        case code if code == CHANNEL_GONE:
            return words("league.no_channel")
        case _ if permissions:
            return words("league.no_rights", permissions=permissions)
        case _:
            return words("league.held_up")


def _state(found: LeagueSeason, called: SeasonNames, words: Words) -> list[str]:
    season, conditions = found.season, found.season.conditions
    if season.is_tournament and season.state != "signup":
        return tournament_views.state_lines(season, called.safe, words)
    match season.state:
        case "signup":
            days = words("count.days", n=max(1, round(conditions.length / DAY)))
            told = [words("league.signup", until=moment(conditions.signup_until, "f"), days=days)]
            if season.is_tournament:
                told = [tournament_views.signup_text(conditions, words)]
            names = [called.safe[player] for player in season.players]
            if names:
                people = words("count.people", n=len(names))
                told.append(words("league.players", people=people, list=words("and.comma").join(names))[:LENGTH])
            else:
                told.append(words("league.nobody"))
            if len(names) < LEAST_PLAYERS:
                too_few = "tournament.too_few" if season.is_tournament else "league.too_few"
                told.append(words(too_few, least=LEAST_PLAYERS))
            return told
        case "running":
            done, everything = len(season.decisions), len(season.fixtures)
            return [words("league.running", done=done, all=everything, until=moment(season.ends, "f"))]
        case "off":
            return [words("league.off_few" if season.off == "few" else "league.off_moderator")]
        case "over":
            won = [called.safe[player] for player in winners(season)]
            if not won:
                return [words("league.over_nobody")]
            key = "league.over" if len(won) == 1 else "league.over_shared"
            return [words(key, winner=move_labels.listed(words, [f"**{name}**" for name in won]))]


def _division_lines(found: LeagueSeason, called: SeasonNames, words: Words) -> list[str]:
    if found.season.is_tournament:
        return tournament_views.table_lines(found.season, called.safe, words)
    told: list[str] = []
    for number in range(len(found.season.divisions)):
        lines = [f"**{words('league.division', n=number + 1)}**"]
        for line in division_table(found.season, number):
            name = called.safe[line.player]
            if line.left:
                lines.append(words("league.row_left", name=name))
                continue
            record = {"won": line.wins, "tied": line.ties, "lost": line.losses}
            row = words("league.row", place=line.place, name=name, points=line.points, **record)
            lines.append(tournament_views.with_signs(row, round_marks(found.season, line.player)))
        if sum(len(one) + 1 for one in (*told, *lines)) > LENGTH:
            break  # the rest is behind the button
        told += lines
    players = chain.from_iterable(found.season.divisions)
    return [*told, words("league.how"), *tournament_views.signs_told(found.season, players, words)] if told else []


def picture_lines(found: LeagueSeason, division: int, called: SeasonNames) -> list[LeagueLine]:
    table, sizes = division_table(found.season, division), [len(one) for one in found.season.divisions]
    moving = change_places(sizes)
    begun = any(line.played for line in table)
    up = moving[division - 1] if division and begun else 0
    down = moving[division] if division < len(moving) and begun else 0
    staying = sum(not line.left for line in table)
    best = {line.player for line in table if line.place == 1 and line.points}
    return [
        LeagueLine(
            place="–" if line.left else str(line.place),
            name=called.plain[line.player],
            points=str(line.points),
            record=f"{line.wins}–{line.ties}–{line.losses}",
            difference=str(line.buchholz) if found.season.conditions.kind == "swiss" else _signed(line.difference),
            goes="" if line.left else "up" if number < up else "down" if number >= staying - down else "",
            rounds=() if line.left else round_marks(found.season, line.player),
            first=line.player in best,
            left=line.left,
        )
        for number, line in enumerate(table[:PICTURED])
    ]


def page_of(found: LeagueSeason, player: int | None) -> int:
    """Return the page to show first: the player's own division or part of a bracket."""
    if found.season.conditions.kind == "knockout":
        return section_of(found.season, player)
    divisions = enumerate(found.season.divisions)
    return next((number for number, players in divisions if player in players), 0)


def pages_of(found: LeagueSeason) -> int:
    return len(sections(found.season) if found.season.conditions.kind == "knockout" else found.season.divisions)


def page_alt(found: LeagueSeason, division: int, called: SeasonNames, words: Words) -> str:
    if found.season.conditions.kind == "knockout":
        return bracket_alt(found.season, division, title_of(found, words, escaped=False), called.plain, words)

    def told(line: TableLine) -> str:
        name = called.plain[line.player]
        if found.season.is_tournament:
            return tournament_views.alt_line(line, name, words)
        if line.left:
            return words("league.alt_left", name=name)
        facts = {"points": line.points, "possible": WIN * line.played, "difference": _signed(line.difference)}
        return words("league.alt_row", place=line.place, name=name, **facts)

    def whole(each: Callable[[TableLine], str]) -> str:
        rows = "; ".join(map(each, division_table(found.season, division)))
        title, named = title_of(found, words, escaped=False), heading_of(found, division, words)
        return words("league.alt", title=title, division=named, rows=rows)

    def with_rounds_told(line: TableLine) -> str:
        return told(line) + (
            "" if line.left else tournament_views.rounds_in_words(round_marks(found.season, line.player), words)
        )

    with_rounds = whole(with_rounds_told)
    # Of many players the places come before the rounds.
    return move_labels.clipped(with_rounds if len(with_rounds) <= move_labels.ALT_LIMIT else whole(told))


def heading_of(found: LeagueSeason, division: int, words: Words) -> str:
    if found.season.is_tournament:
        return tournament_views.round_text(found.season, words)
    return words("league.division", n=division + 1)


def column_names(found: LeagueSeason, words: Words) -> list[str]:
    last = "tournament.col_buchholz" if found.season.conditions.kind == "swiss" else "league.col_difference"
    return [words("league.col_points"), words("league.col_record"), words(last)]


def season_rules_text(found: LeagueSeason, words: Words) -> str:
    conditions = found.season.conditions
    return tournament_views.how_text(conditions, words) if found.season.is_tournament else words("league.how_it_goes")


def table_view(
    found: LeagueSeason,
    division: int,
    mine: Sequence[str],
    called: SeasonNames,
    alt: str,
    words: Words,
    permissions: str = "",
) -> ui.LayoutView:
    """Return one page with the user's own matches; buttons lead to the other pages."""
    pages = pages_of(found)
    lines = [f"## {title_of(found, words)}", words("league.how")]
    if found.season.is_tournament:
        lines[1:] = tournament_views.pairing_lines(found.season, called.safe, words)
    if found.season.conditions.kind != "knockout":
        lines += tournament_views.signs_told(found.season, found.season.divisions[division], words)
    if mine:
        lines += [f"**{words('league.mine')}**", *mine]
    if trouble := trouble_text(found, words, permissions):
        lines.append(trouble)
    season_id = found.head.season_id
    back = Press("season", season_id, argument=f"{division - 1}" if division else "first")
    forward = Press("season", season_id, argument=f"{division + 1}")
    turn = turn_buttons(words, back, forward, first=not division, last=division + 1 >= pages)
    items: list[Item] = [picture(LEAGUE_FILE, alt), ui.TextDisplay("\n".join(lines)[:4000])]
    past = button(words("league.past"), Press("pastseasons", season_id))
    return layout(*items, *rows([*(turn if pages > 1 else []), past]), colour=CALM_COLOUR)


def own_line(found: LeagueSeason, fixture: Fixture, player: int, name: str, link: str, words: Words, now: int) -> str:
    season, mine = found.season, fixture.players.index(player)
    decision = season.decisions.get(fixture.number)
    if decision is not None and decision.how == "struck":
        return words("league.mine_struck", name=name)
    if decision is not None:
        return words("league.mine_done", name=name, mine=decision.points[mine], theirs=decision.points[1 - mine])
    if fixture.number in season.opened:
        return words("league.mine_open", name=name, link=link)
    opens = season.opens_at(fixture.round)
    if opens <= now:
        return words("league.mine_next", name=name)
    return words("league.mine_waits", name=name, when=moment(opens))


def fixture_call(mentions: str, found: LeagueSeason, number: int, words: Words) -> tuple[ui.View, str]:
    season = found.season
    facts = {"name": title_of(found, words), "round": number, "until": moment(season.ends, "f")}
    view = ui.View(timeout=None)
    view.add_item(button(words("league.table"), Press("season", found.head.season_id)))
    view.stop()
    return view, words("league.call", mentions=mentions, **facts)


def leave_question(found: LeagueSeason, player: int, words: Words) -> tuple[str, ui.Button[ui.LayoutView]]:
    mine = list(found.season.fixtures_of(player))
    done = sum(one.number in found.season.decisions for one in mine)
    press = Press("signoff", found.head.season_id, argument="sure")
    if found.season.is_tournament:
        leave = button(words("tournament.leave"), press, style=discord.ButtonStyle.danger)
        return words("tournament.leave_sure"), leave
    leave = button(words("league.leave"), press, style=discord.ButtonStyle.danger)
    return words("league.leave_sure", done=done, all=len(mine)), leave


def _signed(number: int) -> str:
    return f"+{number}" if number > 0 else f"−{-number}" if number else "0"


MOST_LISTED: Final = 20  # seasons in the list of a server
PAST_LENGTH: Final = 3800  # characters for that list, of the 4,000 of a message


def named_season(conditions: Conditions, where: str, words: Words) -> str:
    name = f"**{season_name(conditions, words)}**"
    return f"[{name}]({where})" if where else name


def season_title(conditions: Conditions, where: str, words: Words) -> str:
    return words("profile.title_season", season=named_season(conditions, where, words))


def past_row(conditions: Conditions, where: str, winner: str, words: Words) -> str:
    """Return a line of the list of seasons; `winner` can be empty."""
    facts = {"season": named_season(conditions, where, words), "game": words(f"game.{conditions.game}")}
    return words("league.past_row", winner=winner, **facts) if winner else words("league.past_nobody", **facts)


def past_view(listed: Sequence[str], season_id: int, words: Words) -> ui.LayoutView:
    lines, room = [f"## {words('league.past')}"], PAST_LENGTH
    for number, line in enumerate(listed):
        room -= len(line) + 1
        if number >= MOST_LISTED or room < 0:
            lines.append(words("history.more", n=len(listed) - number))
            break
        lines.append(line)
    if not listed:
        lines.append(words("league.past_none"))
    back = rows([button(words("league.table"), Press("season", season_id))])
    return layout(ui.TextDisplay("\n".join(lines)), *back, colour=CALM_COLOUR)
