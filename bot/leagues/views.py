"""A season as people see it: the message for all, the table of a division, one's own matches, how it goes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import discord
from discord import ui

from bot.core.formats import moment, pace_text
from bot.core.layout import CALM_COLOUR, GOLD, Item, Press, button, layout, primary, rows
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
LENGTH: Final = 3200
"""Characters that the lines of a message may fill, of the 4000 there are."""
PICTURED: Final = 16
"""Lines that a picture has at most: sixty of a tournament could not be read on any screen, and their places are told in
the message.
"""
NO_PERMISSION: Final = 50013
CHANNEL_GONE: Final = 10003
"""Discord's numbers for a permission that is missing, and for a channel that is gone."""


@dataclass(frozen=True, slots=True)
class SeasonNames:
    """What the players of a season are called: `safe` in messages, `plain` in pictures and alt texts."""

    safe: Mapping[int, str]
    plain: Mapping[int, str]


def title_of(found: LeagueSeason, words: Words, *, escaped: bool = True) -> str:
    """`Spring · season 2`; of a tournament its name."""
    return season_name(found.season.conditions, words, escaped=escaped)


def season_name(conditions: Conditions, words: Words, *, escaped: bool = True) -> str:
    """The same of what was announced."""
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
    """The message for all. With an `alt` text it carries the picture of the first division's table; `permissions` are
    those that the bot lacks, `awaited` those of the season before who have not signed up yet.
    """
    season, season_id = found.season, found.head.season_id
    lines = [f"## {title_of(found, words)}", played_text(found, words), *_state(found, called, words)]
    if awaited:
        line = words("league.awaited", list=words("and.comma").join(awaited))
        # With very many people there is no room for those who have not signed up.
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
    """What is played and how fast."""
    conditions = found.season.conditions
    kind = [tournament_views.kind_text(conditions.kind, words)] if found.season.is_tournament else []
    parts = [*kind, words(f"game.{conditions.game}"), pace_text(words, parse_pace(conditions.clock))]
    if conditions.target:
        parts.insert(-1, words("league.target", target=conditions.target))
    return " · ".join(parts)


def trouble_text(found: LeagueSeason, words: Words, permissions: str) -> str:
    """What keeps the next matches from opening, and what to do about it; empty where nothing does."""
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
    """The table of a division as it is drawn."""
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
    """What is shown first: a player's own division, or their part of a bracket; else where there is most to see."""
    if found.season.conditions.kind == "knockout":
        return section_of(found.season, player)
    divisions = enumerate(found.season.divisions)
    return next((number for number, players in divisions if player in players), 0)


def pages_of(found: LeagueSeason) -> int:
    """How many pictures it takes to show all: one a division, or a part of a bracket."""
    return len(sections(found.season) if found.season.conditions.kind == "knockout" else found.season.divisions)


def page_alt(found: LeagueSeason, division: int, called: SeasonNames, words: Words) -> str:
    """The picture of a division, or of a part of a bracket, in words."""
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
    # Of many people the places come before what led to them.
    return move_labels.clipped(with_rounds if len(with_rounds) <= move_labels.ALT_LIMIT else whole(told))


def heading_of(found: LeagueSeason, division: int, words: Words) -> str:
    """What a table is of: a division, or a tournament after so many rounds."""
    if found.season.is_tournament:
        return tournament_views.round_text(found.season, words)
    return words("league.division", n=division + 1)


def column_names(found: LeagueSeason, words: Words) -> list[str]:
    """The names of the columns of numbers."""
    last = "tournament.col_buchholz" if found.season.conditions.kind == "swiss" else "league.col_difference"
    return [words("league.col_points"), words("league.col_record"), words(last)]


def season_rules_text(found: LeagueSeason, words: Words) -> str:
    """How it goes, told before anybody signs up."""
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
    """One division, or part of a bracket, for whoever asks, with their own matches beneath and the others behind
    buttons.
    """
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
    turn = [
        button(words("leaders.earlier"), Press("season", season_id, argument=f"{division - 1}"))
        if division
        else button(words("leaders.earlier"), Press("season", season_id, argument="first"), disabled=True),
        button(
            words("leaders.later"),
            Press("season", season_id, argument=f"{division + 1}"),
            disabled=division + 1 >= pages,
        ),
    ]
    items: list[Item] = [picture(LEAGUE_FILE, alt), ui.TextDisplay("\n".join(lines)[:4000])]
    past = button(words("league.past"), Press("pastseasons", season_id))
    return layout(*items, *rows([*(turn if pages > 1 else []), past]), colour=CALM_COLOUR)


def own_line(found: LeagueSeason, fixture: Fixture, player: int, name: str, link: str, words: Words, now: int) -> str:
    """One of somebody's matches: how it ended, where it is played, or when it opens."""
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
    """The call to both who meet."""
    season = found.season
    facts = {"name": title_of(found, words), "round": number, "until": moment(season.ends, "f")}
    view = ui.View(timeout=None)
    view.add_item(button(words("league.table"), Press("season", found.head.season_id)))
    view.stop()
    return view, words("league.call", mentions=mentions, **facts)


def leave_question(found: LeagueSeason, player: int, words: Words) -> tuple[str, ui.Button[ui.LayoutView]]:
    """What leaving comes to, before anybody does."""
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


MOST_LISTED: Final = 20
"""Seasons in the list of a server."""
PAST_LENGTH: Final = 3800
"""Characters that they may fill, of the 4000 there are."""


def named_season(conditions: Conditions, where: str, words: Words) -> str:
    """What a season is called, with the way there, if any."""
    name = f"**{season_name(conditions, words)}**"
    return f"[{name}]({where})" if where else name


def season_title(conditions: Conditions, where: str, words: Words) -> str:
    """A season that somebody has won, as one of their titles."""
    return words("profile.title_season", season=named_season(conditions, where, words))


def past_row(conditions: Conditions, where: str, winner: str, words: Words) -> str:
    """A line of the list; `winner` is empty where nobody has won."""
    facts = {"season": named_season(conditions, where, words), "game": words(f"game.{conditions.game}")}
    return words("league.past_row", winner=winner, **facts) if winner else words("league.past_nobody", **facts)


def past_view(listed: Sequence[str], season_id: int, words: Words) -> ui.LayoutView:
    """The list, and the way back to the season that it was asked for from."""
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
