"""What somebody may see on a server: its channels, and what was played in them."""

from collections.abc import Collection, Iterable

import discord

from bot.base.permissions import sees
from bot.commands.context import Context
from bot.views.parts import address
from data.store import Head


def visible(ctx: Context, channel_id: int) -> bool:
    """Whether whoever asks sees a channel of this server."""
    guild, asker = ctx.interaction.guild, ctx.interaction.user
    return guild is not None and isinstance(asker, discord.Member) and sees(guild, channel_id, asker)


def links(ctx: Context, heads: Iterable[Head]) -> dict[int, str]:
    """What to show of where these matches were played, by number: of those alone whose channel the asker sees."""
    found = {}
    for head in heads:
        if visible(ctx, head.channel_id):
            named, where = ctx.words("replay.table", match=head.match_id), address(head)
            found[head.match_id] = f"[{named}]({where})" if where.startswith("https:") else f"{named} · {where}"
    return found


async def where_played(ctx: Context, numbers: Collection[int]) -> dict[int, str]:
    """Where these matches were played: a link for whoever sees the channel, the number of the table for others."""
    found = links(ctx, await ctx.services.store.heads(numbers))
    return {number: found.get(number) or ctx.words("replay.table", match=number) for number in numbers}


async def may_see(ctx: Context, head: Head) -> bool:
    """Whether somebody sees the channel of a match that is over, sat in it, or has a result of it: what is played
    elsewhere is not theirs to know.
    """
    if head.channel_id == ctx.interaction.channel_id or visible(ctx, head.channel_id):
        return True
    store = ctx.services.store
    if any(row.user_id == ctx.user_id for row in await store.seats(head.match_id)):
        return True
    return any(result.user_id == ctx.user_id for result in await store.results(head.match_id))
