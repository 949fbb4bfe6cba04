"""The seasons and tournaments of a server that are over, with who has won them: behind a button of every table."""

from bot.commands.context import Context
from bot.commands.sight import may_hear, season_address
from bot.service.season_titles import SeasonTitle
from bot.views import past_seasons as views
from bot.views.messages import Content
from bot.views.sentences import listed


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
