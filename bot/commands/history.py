"""`/tiles history`: one's own matches that are over, each with its end, its record, and a rematch."""

from collections.abc import Iterable
from typing import Final

import discord
from discord import app_commands

from bot.commands.context import Context, Interaction
from bot.commands.lobby import GAMES
from bot.commands.registry import localized, serve, tiles
from bot.commands.sight import check_unsealed, links
from bot.views import history as views
from bot.views.harmless import safe
from bot.views.history import EVERYTHING, ON_PAGE, Filter, PageFacts
from bot.views.messages import Content
from bot.views.parts import Press
from bot.views.times import month_text
from data.store import PastMatch, Search
from engine.table.refusals import No, Refused

CHOICES: Final = 25
"""The most that Discord lists."""


@tiles.command(name="history", description=localized("command.history"))
@app_commands.rename(person="with")
@app_commands.describe(
    person=localized("parameter.history_with"),
    game=localized("parameter.history_game"),
    month=localized("parameter.history_month"),
)
@app_commands.choices(game=GAMES)
async def history_command(
    interaction: Interaction, person: discord.User | None = None, game: str | None = None, month: str | None = None
) -> None:
    """`/tiles history`."""

    async def first_page(ctx: Context) -> None:
        if month is not None and views.parsed_month(month.strip()) is None:
            await ctx.say(ctx.words("history.no_month"))
            return
        other = 0 if person is None or person.id == ctx.user_id else person.id
        await history(ctx, Filter(game or EVERYTHING, EVERYTHING if month is None else month.strip(), other))

    await serve(interaction, "history", first_page)


@history_command.autocomplete("month")
async def month_choices(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """The months in which the asker has played here, newest first."""
    ctx = Context(interaction, Press("history"))
    await ctx.attune()
    known = await ctx.services.store.months_played(ctx.user_id, ctx.guild_id)
    named = {views.month_named(at): month_text(ctx.words, at) for at in known}
    typed = current.strip().lower()
    found = [
        app_commands.Choice(name=name, value=value)
        for value, name in named.items()
        if typed in f"{name} {value}".lower()
    ]
    return found[:CHOICES]


async def turn_history(ctx: Context) -> None:
    """A button or menu of the list: everything it shows is in the argument, or in what was chosen."""
    await history(ctx, Filter.parsed(ctx.values[0] if ctx.values else ctx.press.argument) or Filter())


async def history(ctx: Context, wanted: Filter) -> None:
    """One page of the asker's own matches on this server."""
    store = ctx.services.store
    since, until = wanted.span
    search = Search(
        user_id=ctx.user_id,
        guild_id=ctx.guild_id,
        game=None if wanted.game == EVERYTHING else wanted.game,
        other=wanted.other or None,
        since=since,
        until=until,
    )
    page = await store.history(search, page=wanted.page, size=ON_PAGE)
    told = await _told(ctx, page.rows, wanted, await store.months_played(ctx.user_id, ctx.guild_id))
    await ctx.show(Content(views.history_view(wanted, page, told, ctx.words)))


async def look_at_match(ctx: Context) -> None:
    """One of the asker's matches, as its end stood in the channel, with all that can be done about it. The argument is
    the page it was found on, the number that of the press, or what was chosen. Raises Refused for one of others.
    """
    chosen = ctx.values[0] if ctx.values else str(ctx.press.table)
    number = int(chosen) if chosen.isascii() and chosen.isdecimal() and len(chosen) <= 12 else 0
    row = await ctx.services.store.played(ctx.user_id, number)
    if row is None or row.any.guild_id != ctx.guild_id:
        raise Refused(No.NO_SUCH_TABLE)
    wanted = Filter.parsed(ctx.press.argument) or Filter()
    told = await _told(ctx, [row], wanted)
    table = await ctx.services.tables.load(number) if row.head is not None and row.head.state == "done" else None
    if table is not None:
        check_unsealed(table)
    if table is None or table.story is None or table.story.match.ended is None:
        await ctx.show(Content(views.bare_view(row, wanted, told, ctx.words)))
        return
    await ctx.show(await ctx.messages.match_end(table, views.past_items(row, wanted, told, ctx.words)))


async def _told(ctx: Context, rows: Iterable[PastMatch], wanted: Filter, months: Iterable[int] = ()) -> PageFacts:
    """What those are called who are shown, and where the asker can see what they played."""
    people = [one.user_id for row in rows for one in row.others] + ([wanted.other] if wanted.other else [])
    names = {user: await ctx.services.names.name(ctx.guild_id, user, ctx.words) for user in dict.fromkeys(people)}
    found = links(ctx, (row.head for row in rows if row.head is not None))
    return PageFacts(names, {user: safe(name) for user, name in names.items()}, found, tuple(months))
