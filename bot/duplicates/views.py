"""The views of deals: the list of a server, new deals, and how the tables of a deal compare."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import discord
from discord import ui

from bot.core.formats import moment
from bot.core.layout import CALM_COLOUR, GOLD, Item, Press, button, layout, menu, primary, rows
from bot.core.pictures import picture
from bot.core.safe_text import safe
from bot.duplicates.service import PAIR, Field, SeatLine
from bot.tables import move_labels
from bot.tables.service import rules_of
from data.store.duplicates.deals import SealedDeal, WeeklySet
from data.words import Words
from engine.table.terms import Terms
from render.canvas.picture import Picture
from render.duplicates.picture import FieldLine, field_picture

FIELD_FILE: Final = "field.png"
MOST_BARS: Final = 12  # the most bars of the picture
MOST_LINES: Final = 25  # the most lines in a message
AND: Final = ","  # separates the name of a deal from the wish for another table


def deal_button(deal: SealedDeal, words: Words) -> ui.Button[Any]:
    return primary(words("deal.play"), Press("playdeal", argument=deal.name))


def another_button(deal: SealedDeal, words: Words) -> ui.Button[Any]:
    return button(words("deal.another"), Press("playdeal", argument=f"{deal.name}{AND}1"))


def list_view(deals: Sequence[SealedDeal], terms: Mapping[int, Terms], words: Words) -> ui.LayoutView:
    sealed = [one for one in deals if one.opened_at is None]
    opened = [one for one in deals if one.opened_at is not None][:10]
    lines = [f"## {words('deal.list')}"]
    for one in sealed:
        what = terms_line(terms[one.deal_id], words)
        lines.append(words("deal.row", deal=one.name, what=what, until=moment(one.closes_at, "f")))
    lines.append(words("deal.how" if sealed else "deal.none"))
    if opened:
        lines.append(words("deal.opened", deals=", ".join(f"**{one.name}**" for one in opened)))
    items: list[Item] = [ui.TextDisplay("\n".join(lines)[:4000])]
    if sealed:
        choices = [
            discord.SelectOption(
                label=one.name, value=one.name, description=terms_line(terms[one.deal_id], words)[:100]
            )
            for one in sealed
        ]
        items.append(menu(Press("playdeal"), words("deal.play_menu"), choices))
    return layout(*items, colour=CALM_COLOUR)


def made_view(deal: SealedDeal, terms: Terms, fingerprint: str, words: Words) -> ui.LayoutView:
    told = words("deal.made", deal=deal.name, what=terms_line(terms, words), until=moment(deal.closes_at, "f"))
    lines = [told, *([words("deal.made_tables", n=deal.tables)] if deal.tables else [])]
    lines.append(f"{words('deal.print')}\n```\n{fingerprint}\n```")
    return layout(ui.TextDisplay("\n".join(lines)), *rows([deal_button(deal, words)]), colour=GOLD)


def weekly_view(deal: SealedDeal, terms: Terms, fingerprint: str, words: Words) -> ui.LayoutView:
    facts = {"deal": deal.name, "what": terms_line(terms, words), "until": moment(deal.closes_at, "f")}
    lines = [f"## {words('deal.weekly_title', deal=deal.name)}", words("deal.weekly_sealed", **facts)]
    lines.append(f"{words('deal.print')}\n```\n{fingerprint}\n```")
    return layout(ui.TextDisplay("\n".join(lines)), *rows([deal_button(deal, words)]), colour=GOLD)


def terms_line(terms: Terms, words: Words) -> str:
    parts = [words(f"game.{terms.game}"), move_labels.target_text(words, rules_of(terms))]
    return " · ".join([*(part for part in parts if part), words("count.seats", n=terms.seats)])


def weekly_text(done: WeeklySet, found: SealedDeal, what: str, words: Words) -> str:
    """Return the confirmation for the moderator: the current deal, and when the next one comes."""
    if done.current is None:
        return words("deal.weekly_on", what=what, deal=found.name)
    key = "deal.weekly_same" if done.is_same else "deal.weekly_next"
    return words(key, what=what, deal=found.name, until=moment(found.closes_at, "f"))


def still_sealed_view(deal: SealedDeal, done: int, running: int, words: Words) -> ui.LayoutView:
    told = words("deal.waiting", deal=deal.name, until=moment(deal.closes_at, "f"), done=done, running=running)
    return layout(ui.TextDisplay(told), colour=CALM_COLOUR)


def field_drawn(
    deal: SealedDeal, field: Field, plain: Mapping[int, str], words: Words, scheme: str
) -> tuple[Picture, str] | None:
    """Return the picture of the results and its alt text; None without results."""
    shown = [FieldLine(who(one.line, plain, words), round(one.ahead)) for one in field.placed[:MOST_BARS]]
    if not shown:
        return None
    title = words("deal.field_title", deal=deal.name)
    alt = " ".join(f"{words('and.colon', what=line.name, more=move_labels.points_text(line.ahead))}." for line in shown)
    return field_picture(title, shown, scheme=scheme), move_labels.clipped(f"{title}. {alt}")


def field_view(deal: SealedDeal, field: Field, plain: Mapping[int, str], words: Words, alt: str) -> ui.LayoutView:
    """Return the results of an open deal; with an `alt` text they have a picture."""
    names = {user: safe(name) for user, name in plain.items()}
    lines = [f"## {words('deal.field_title', deal=deal.name)}"]
    if not field.placed:
        lines.append(words("deal.field_none"))
    for one in field.placed[:MOST_LINES]:
        facts = {"place": one.place, "name": who(one.line, names, words), "seat": one.line.seat + 1}
        ahead = move_labels.points_text(round(one.ahead))
        lines.append(words("deal.field_row", **facts, ahead=ahead, total=move_labels.number_text(one.line.total)))
    if len(field.placed) > MOST_LINES:
        lines.append(words("deal.field_more", n=len(field.placed) - MOST_LINES))
    # A deal for two tables is a match of two teams; otherwise each player plays alone.
    if deal.tables == PAIR and (teams := field.teams) is not None:
        lines.append(_teams(teams, names, words))
    if field.placed:
        means = [move_labels.number_text(round(mean)) for mean in field.means]
        lines.append(f"-# {words('deal.field_how', n=field.tables, means=' · '.join(means))}")
    if field.spoilt:
        lines.append(f"-# {words('deal.field_spoilt', n=field.spoilt)}")
    if field.running:
        lines.append(f"-# {words('deal.field_running', n=field.running)}")
    shown = [picture(FIELD_FILE, alt)] if alt else []
    return layout(ui.TextDisplay(lines[0]), *shown, ui.TextDisplay("\n".join(lines[1:])[:3800]), colour=GOLD)


def _teams(
    teams: tuple[tuple[SeatLine, SeatLine], tuple[SeatLine, SeatLine]], names: Mapping[int, str], words: Words
) -> str:
    ours, theirs = sorted(teams, key=lambda team: -sum(line.total for line in team))
    points = [sum(line.total for line in team) for team in (ours, theirs)]
    told = [move_labels.listed(words, [who(line, names, words) for line in team]) for team in (ours, theirs)]
    facts = {
        "first": told[0],
        "second": told[1],
        "ours": points[0],
        "theirs": points[1],
        "ahead": points[0] - points[1],
    }
    return words("deal.teams_even" if points[0] == points[1] else "deal.teams", **facts)


def who(line: SeatLine, names: Mapping[int, str], words: Words) -> str:
    if line.user_id is not None:
        return names.get(line.user_id, words("name.somebody"))
    return words(f"level.{line.computer}") if line.computer is not None else words("name.somebody")
