"""The leaderboard: ten lines a page, menus for game, where and when, the asker's own rank always last; records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import discord
from discord import ui

from bot.service.ladder import certainty, points
from bot.views import sentences as sentences
from bot.views.parts import CALM_COLOUR, Press, button, layout, menu, rows
from data.rulebook import games
from data.store import LeaderboardPage, LeaderRow, Rating
from data.store.bests import RecordLine
from data.store.scores import OPPONENTS
from data.words import Words


@dataclass(frozen=True, slots=True)
class Cut:
    """Which part of the results is shown."""

    game: str
    server: bool
    """This server only, else everywhere."""
    month: bool
    """The last 30 days only, else all time."""
    page: int
    """From 0."""

    def __str__(self) -> str:
        return f"{self.game}.{'server' if self.server else 'all'}.{'month' if self.month else 'ever'}.{self.page}"


def parse_cut(text: str) -> Cut | None:
    """The cut in a button's argument, None for one that is not ours."""
    parts = text.split(".")
    if len(parts) != 4 or parts[0] not in games() or not parts[3].isdecimal():
        return None
    return Cut(parts[0], parts[1] == "server", parts[2] == "month", min(int(parts[3]), 1_000_000))


def leaders_view(
    cut: Cut, page: LeaderboardPage, mine: LeaderRow | None, names: Mapping[int, str], words: Words
) -> ui.LayoutView:
    """One page."""
    scope = words("leaders.scope_server" if cut.server else "leaders.scope_everywhere")
    period = words("leaders.period_month" if cut.month else "leaders.period_all")
    game = words(f"game.{cut.game}")
    lines = [f"## {words('leaders.title', game=game)}", f"{scope} · {period}", ""]
    lines += [row_text(row, cut, names, words) for row in page.rows] or [words("leaders.none")]
    lines.append("")
    if mine is None:
        lines.append(words("leaders.mine_none"))
    elif mine.hidden:
        lines.append(words("leaders.mine_hidden"))
    else:
        lines.append(words("leaders.mine", row=row_text(mine, cut, names, words)))
    order = words("leaders.order_month" if cut.month else "leaders.order_rating")
    if page.rows:
        people = words("count.people", n=page.total)
        lines.append(words("leaders.page", page=page.page + 1, pages=page.pages, people=people, order=order))
    turn = [
        button(words("leaders.earlier"), _press(replace(cut, page=page.page - 1)))
        if page.page
        else button(words("leaders.earlier"), Press("leadersback"), disabled=True),
        button(words("leaders.later"), _press(replace(cut, page=page.page + 1)), disabled=page.page + 1 >= page.pages),
    ]
    if cut.server:
        turn.append(button(words("records.button"), Press("records", argument=cut.game)))
    return layout(
        ui.TextDisplay("\n".join(lines)),
        _menu(words("leaders.game"), "leadersgame", cut, [replace(cut, game=game) for game in games()], words),
        _menu(
            words("leaders.scope"), "leaderswhere", cut, [replace(cut, server=True), replace(cut, server=False)], words
        ),
        _menu(
            words("leaders.period"), "leaderswhen", cut, [replace(cut, month=False), replace(cut, month=True)], words
        ),
        *rows(turn),
        colour=CALM_COLOUR,
    )


def records_view(
    game: str,
    found: Mapping[str, Sequence[RecordLine]],
    names: Mapping[int, str],
    where: Mapping[int, str],
    words: Words,
) -> ui.LayoutView:
    """The records of a server, `where` telling of each match where it was played."""
    lines = [f"## {words('records.title', game=words(f'game.{game}'))}"]
    for kind, listed in found.items():
        lines.append(f"**{words(f'records.{kind}')}**")
        lines += [
            words(
                "records.row",
                name=names.get(record.user_id, words("name.somebody")),
                value=best_text(kind, record.value, words),
                where=where[record.match_id],
            )
            for record in listed
        ]
    lines.append(words("records.how" if found else "records.none"))
    options = [discord.SelectOption(label=words(f"game.{one}"), value=one, default=one == game) for one in games()]
    back = button(words("records.back"), _press(Cut(game, True, False, 0)))
    return layout(
        ui.TextDisplay("\n".join(lines)[:4000]),
        menu(Press("recordsgame"), words("leaders.game"), options),
        *rows([back]),
        colour=CALM_COLOUR,
    )


def best_text(kind: str, value: int, words: Words) -> str:
    """How much somebody's best of this kind is."""
    match kind:
        case "hexagons":
            return words("count.hexagons", n=value)
        case "streak":
            return words("count.wins", n=value)
        case "longest":
            return words("count.moves", n=value)
        case _:
            return sentences.count_points(words, value)


def row_text(row: LeaderRow, cut: Cut, names: Mapping[int, str], words: Words) -> str:
    """One line."""
    facts = {
        "rank": "–" if row.rank is None else row.rank,
        "name": names.get(row.user_id, words("name.somebody")),
        "wins": row.wins,
        "matches": row.matches,
        "average": sentences.number_text(round(row.average)),
    }
    if cut.month:
        return words("leaders.row_month", **facts)
    if row.rating is None:
        return words("leaders.row_unrated", **facts)
    text = words("leaders.row_rating", rating=points(row.rating), sure=certainty_text(row.rating, words), **facts)
    return text if row.rank is not None else f"{text} · {no_rank_text(row.opponents, words)}"


def certainty_text(rating: Rating, words: Words) -> str:
    """How sure a rating is, in words."""
    return words(f"leaders.{certainty(rating)}")


def no_rank_text(opponents: int, words: Words) -> str:
    """Why somebody who is rated has no rank yet."""
    if opponents >= OPPONENTS:
        return words("leaders.no_rank")
    return words("leaders.no_rank_people", met=opponents, people=words("count.different_people", n=OPPONENTS))


def _press(cut: Cut) -> Press:
    return Press("leaders", argument=str(cut))


def _menu(label: str, verb: str, now: Cut, cuts: list[Cut], words: Words) -> ui.ActionRow[ui.LayoutView]:
    options = []
    for cut in cuts:
        if verb == "leadersgame":
            name = words(f"game.{cut.game}")
        elif verb == "leaderswhere":
            name = words("leaders.scope_server" if cut.server else "leaders.scope_everywhere")
        else:
            name = words("leaders.period_month" if cut.month else "leaders.period_all")
        options.append(discord.SelectOption(label=name, value=str(replace(cut, page=0)), default=cut == now))
    return menu(Press(verb), label, options)
