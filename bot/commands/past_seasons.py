"""Seasons and tournaments that are over: those that somebody has won, and all of a server, behind a button of every
table.
"""

from typing import Final

from bot.commands.context import Context
from bot.commands.sight import may_hear, season_address
from bot.service.season_titles import SeasonTitle
from bot.views import past_seasons as views
from bot.views.messages import Content
from bot.views.sentences import listed

SEASONS: Final = 5
"""So many of the seasons that somebody has won are named, the newest."""


async def won_seasons(ctx: Context, user_id: int, game: str) -> list[str]:
    """The seasons and tournaments that somebody has won, but for those of channels that the asker does not see: what
    a league is called there is none of their business.
    """
    told = [
        views.season_title(one.conditions, season_address(ctx, one.channel_id, one.message_id), ctx.words)
        for one in await ctx.services.titles.of(user_id, ctx.guild_id, game)
        if may_hear(ctx, one.channel_id)
    ]
    more = len(told) - SEASONS
    return [*told[:SEASONS], *([ctx.words("history.more", n=more)] if more > 0 else [])]


async def show_past(ctx: Context) -> None:
    """The list, newest first, without those of channels that the asker does not see."""
    found = await ctx.services.titles.all(ctx.guild_id)
    lines = [await _line(ctx, one) for one in found if may_hear(ctx, one.channel_id)]
    await ctx.show(Content(views.past_view(lines, ctx.press.table, ctx.words)))


async def _line(ctx: Context, one: SeasonTitle) -> str:
    nobody = ctx.words("name.somebody")
    names = [nobody if user is None else await ctx.name(user) for user in one.winners]
    winner = listed(ctx.words, [f"**{name}**" for name in names]) if names else ""
    return views.past_row(one.conditions, season_address(ctx, one.channel_id, one.message_id), winner, ctx.words)
