"""What somebody may see on a server: its channels, and what was played in them."""

from collections.abc import Collection, Iterable
from typing import Final

import discord
from discord import ui

from bot.core.context import Context, link
from bot.core.layout import Press, address, button, message_address
from bot.core.logs import about
from bot.core.permissions import sees
from bot.sending.alerts import lobby_facts
from bot.tables.past_match import Replay, looked_back
from bot.tables.service import Table
from data.store.log.match_values import Head
from engine.table.refusals import No, Refused
from engine.table.table_events import is_sealed


def visible(ctx: Context, channel_id: int) -> bool:
    """Whether whoever asks sees a channel of this server."""
    guild, asker = ctx.interaction.guild, ctx.interaction.user
    return guild is not None and isinstance(asker, discord.Member) and sees(guild, channel_id, asker)


def may_hear(ctx: Context, channel_id: int) -> bool:
    """Whether whoever asks may be told what something in a channel was called: they see the channel, or it is gone."""
    guild = ctx.interaction.guild
    return visible(ctx, channel_id) or (guild is not None and guild.get_channel(channel_id) is None)


def season_address(ctx: Context, channel_id: int, message_id: int | None) -> str:
    """Where the message of a season is; empty for whoever does not see it."""
    seen = message_id is not None and visible(ctx, channel_id)
    return message_address(ctx.guild_id, channel_id, message_id) if seen and message_id is not None else ""


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
    found = links(ctx, await ctx.services.store.matches.heads(numbers))
    return {number: found.get(number) or ctx.words("replay.table", match=number) for number in numbers}


async def may_see(ctx: Context, head: Head) -> bool:
    """Whether somebody sees the channel of a match that is over, sat in it, or has a result of it: what is played
    elsewhere is not theirs to know.
    """
    if head.channel_id == ctx.interaction.channel_id or visible(ctx, head.channel_id):
        return True
    store = ctx.services.store
    if any(row.user_id == ctx.user_id for row in await store.matches.seats(head.match_id)):
        return True
    return any(result.user_id == ctx.user_id for result in await store.results.of_match(head.match_id))


def check_unsealed(table: Table) -> None:
    """Raise Refused(DEAL_SEALED) for what tells everybody, or whoever looks, of a deal that others have yet to play."""
    if is_sealed(table.state):
        raise Refused(No.DEAL_SEALED, until=table.terms.deal_until)


def check_seated(ctx: Context, table: Table) -> None:
    """The same for what those who sit there may see."""
    if table.seat_of(ctx.user_id) is None:
        check_unsealed(table)


async def load_past_match(ctx: Context, match_id: int) -> Replay | None:
    """The match that is meant; None for one that is not over. Raises Refused for one that is none of the asker's
    business, does not exist any more, or cannot be read.
    """
    tables, store = ctx.services.tables, ctx.services.store
    head = await store.matches.head(match_id)
    if head is None or head.guild_id != ctx.guild_id or not await may_see(ctx, head):
        raise Refused(No.NO_SUCH_TABLE)
    about(match=match_id, seq=head.seq)
    if head.state == "done":
        check_unsealed(await tables.load(match_id))
        return await looked_back(tables, head)
    (await tables.load(match_id)).match  # noqa: B018 - raises for a table that came to no match
    return None


OFFERED: Final = 5
"""So many open tables have a line and a button."""


async def open_tables(ctx: Context, *, deal: str | None = None) -> tuple[str, list[ui.Button[ui.LayoutView]]]:
    """The tables that the asker may sit down at, or those alone of a sealed deal, and a button for each; empty where
    there are none.
    """
    words, announcer = ctx.words, ctx.services.announcer
    found = await ctx.services.lobbies.of(ctx.guild_id, ctx.user_id, lambda channel_id: visible(ctx, channel_id))
    found = [table for table in found if not announcer.is_closed(table.head.match_id)]
    if deal is not None:
        found = [table for table in found if table.terms.deal == deal]
    found.sort(key=lambda table: ctx.user_id not in table.guests.kept)
    if not found:
        return "", []
    lines = [f"### {words('tables.open_title')}"]
    lines += [await _line(ctx, table) for table in found[:OFFERED]]
    if len(found) > OFFERED:
        lines.append(words("tables.open_more", n=len(found) - OFFERED))
    joins = [
        button(
            words("tables.join", match=table.head.match_id),
            Press("sit", table.head.match_id, table.state.revised),
            style=discord.ButtonStyle.success,
        )
        for table in found[:OFFERED]
    ]
    return "\n".join(lines), joins


async def _line(ctx: Context, table: Table) -> str:
    words = ctx.words
    facts = lobby_facts(table, words)
    if ctx.user_id in table.guests.kept:
        facts = f"{facts} · {words('tables.open_kept')}"
    return words(
        "tables.open",
        match=table.head.match_id,
        game=words(f"game.{table.terms.game}"),
        name=await ctx.name(table.head.host_id),
        terms=facts,
        link=link(table),
    )
