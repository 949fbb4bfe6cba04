"""The views of deals: the list of a server, new deals, and how the tables of a deal compare."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import discord
from discord import ui

from bot.core.layout import (
    CALM_COLOUR,
    GOLD,
    CustomId,
    Item,
    build_button,
    build_layout,
    build_menu,
    build_primary_button,
    build_text_view,
    format_timestamp,
)
from bot.core.pictures import build_gallery
from bot.core.safe_text import escape_text
from bot.duplicates.service import TEAM_COUNT, Field, SeatResult, Team
from bot.tables.move_labels import clip_text, format_list, format_number, format_points, format_target
from bot.tables.service import build_rules
from data.store.duplicates.deals import SealedDeal, WeeklyDealUpdate
from data.words import Words
from engine.table.terms import Terms
from render.canvas.picture import Picture
from render.duplicates.picture import FieldLine, render_field_comparison

FIELD_FILE: Final = "field.png"
MAX_BARS: Final = 12  # the most bars of the picture
MAX_LINES: Final = 25  # the most lines in a message
SEPARATOR: Final = ","  # separates the name of a deal from the wish for another table


def build_deal_button(deal: SealedDeal, words: Words) -> ui.Button[Any]:
    return build_primary_button(words("deal.play"), CustomId("playdeal", argument=deal.name))


def build_another_table_button(deal: SealedDeal, words: Words) -> ui.Button[Any]:
    return build_button(words("deal.another"), CustomId("playdeal", argument=f"{deal.name}{SEPARATOR}1"))


def build_list_view(deals: Sequence[SealedDeal], terms: Mapping[int, Terms], words: Words) -> ui.LayoutView:
    sealed = [one for one in deals if one.opened_at is None]
    opened = [one for one in deals if one.opened_at is not None][:10]
    lines, descriptions = [f"## {words('deal.list')}"], dict[str, str]()
    for one in sealed:
        what = descriptions[one.name] = format_deal_terms(terms[one.deal_id], words)
        lines.append(words("deal.row", deal=one.name, what=what, until=format_timestamp(one.closes_at, "f")))
    lines.append(words("deal.how" if sealed else "deal.none"))
    if opened:
        lines.append(words("deal.opened", deals=", ".join(f"**{one.name}**" for one in opened)))
    items: list[Item] = [ui.TextDisplay("\n".join(lines)[:4000])]
    if sealed:
        options = [
            discord.SelectOption(label=name, value=name, description=what[:100]) for name, what in descriptions.items()
        ]
        items.append(build_menu(CustomId("playdeal"), words("deal.play_menu"), options))
    return build_layout(*items, colour=CALM_COLOUR)


def build_new_deal_view(deal: SealedDeal, terms: Terms, fingerprint: str, words: Words) -> ui.LayoutView:
    what, until = format_deal_terms(terms, words), format_timestamp(deal.closes_at, "f")
    lines = [words("deal.made", deal=deal.name, what=what, until=until)]
    lines += [words("deal.made_tables", n=deal.tables)] if deal.tables else []
    lines.append(f"{words('deal.print')}\n```\n{fingerprint}\n```")
    return build_text_view("\n".join(lines), build_deal_button(deal, words), colour=GOLD)


def build_weekly_view(deal: SealedDeal, terms: Terms, fingerprint: str, words: Words) -> ui.LayoutView:
    facts = {"deal": deal.name, "what": format_deal_terms(terms, words), "until": format_timestamp(deal.closes_at, "f")}
    lines = [f"## {words('deal.weekly_title', deal=deal.name)}", words("deal.weekly_sealed", **facts)]
    lines.append(f"{words('deal.print')}\n```\n{fingerprint}\n```")
    return build_text_view("\n".join(lines), build_deal_button(deal, words), colour=GOLD)


def format_deal_terms(terms: Terms, words: Words) -> str:
    parts = [words(f"game.{terms.game}"), format_target(words, build_rules(terms))]
    return " · ".join([*(part for part in parts if part), words("count.seats", n=terms.seats)])


def format_weekly_confirmation(done: WeeklyDealUpdate, found: SealedDeal, what: str, words: Words) -> str:
    """Return the confirmation for the moderator: the current deal, and when the next one comes."""
    if done.current is None:
        return words("deal.weekly_on", what=what, deal=found.name)
    key = "deal.weekly_same" if done.is_same else "deal.weekly_next"
    return words(key, what=what, deal=found.name, until=format_timestamp(found.closes_at, "f"))


def build_sealed_view(deal: SealedDeal, done: int, running: int, words: Words) -> ui.LayoutView:
    until = format_timestamp(deal.closes_at, "f")
    text = words("deal.waiting", deal=deal.name, until=until, done=done, running=running)
    return build_text_view(text, colour=CALM_COLOUR)


def render_field(
    deal: SealedDeal, field: Field, names: Mapping[int, str], words: Words, scheme: str
) -> tuple[Picture, str] | None:
    """Return the picture of the results and its alt text; None without results."""
    best = field.ranking[:MAX_BARS]
    lines = [FieldLine(format_player_name(one.result, names, words), round(one.lead)) for one in best]
    if not lines:
        return None
    title = words("deal.field_title", deal=deal.name)
    alt = " ".join(f"{words('and.colon', what=line.name, more=format_points(line.lead))}." for line in lines)
    return render_field_comparison(title, lines, scheme=scheme), clip_text(f"{title}. {alt}")


def build_field_view(
    deal: SealedDeal, field: Field, plain_names: Mapping[int, str], words: Words, alt: str
) -> ui.LayoutView:
    """Return the results of an open deal; with an `alt` text they have a picture."""
    names = {user: escape_text(name) for user, name in plain_names.items()}
    lines = [f"## {words('deal.field_title', deal=deal.name)}"]
    if not field.ranking:
        lines.append(words("deal.field_none"))
    for one in field.ranking[:MAX_LINES]:
        facts = {"place": one.place, "name": format_player_name(one.result, names, words), "seat": one.result.seat + 1}
        lead_text = format_points(round(one.lead))
        lines.append(words("deal.field_row", **facts, ahead=lead_text, total=format_number(one.result.total)))
    if len(field.ranking) > MAX_LINES:
        lines.append(words("deal.field_more", n=len(field.ranking) - MAX_LINES))
    # A deal for two tables is a match of two teams; otherwise each player plays alone.
    if deal.tables == TEAM_COUNT and (teams := field.teams) is not None:
        lines.append(_format_teams(teams, names, words))
    if field.ranking:
        means = [format_number(round(mean)) for mean in field.means]
        lines.append(f"-# {words('deal.field_how', n=field.tables, means=' · '.join(means))}")
    if field.excluded_tables:
        lines.append(f"-# {words('deal.field_spoilt', n=field.excluded_tables)}")
    if field.running_tables:
        lines.append(f"-# {words('deal.field_running', n=field.running_tables)}")
    picture_items = [build_gallery(FIELD_FILE, alt)] if alt else []
    return build_layout(
        ui.TextDisplay(lines[0]), *picture_items, ui.TextDisplay("\n".join(lines[1:])[:3800]), colour=GOLD
    )


def _format_teams(teams: tuple[Team, Team], names: Mapping[int, str], words: Words) -> str:
    ranking = sorted(teams, key=lambda team: -sum(line.total for line in team))
    ours, theirs = (sum(line.total for line in team) for team in ranking)
    first, second = (format_list(words, [format_player_name(line, names, words) for line in team]) for team in ranking)
    key = "deal.teams_even" if ours == theirs else "deal.teams"
    return words(key, first=first, second=second, ours=ours, theirs=theirs, ahead=ours - theirs)


def format_player_name(line: SeatResult, names: Mapping[int, str], words: Words) -> str:
    if line.user_id is not None:
        return names.get(line.user_id, words("name.somebody"))
    return words(f"level.{line.computer}") if line.computer is not None else words("name.somebody")
