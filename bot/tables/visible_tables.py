"""What a user may see on a server: its channels and the matches in them."""

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
    guild, asker = ctx.interaction.guild, ctx.interaction.user
    return guild is not None and isinstance(asker, discord.Member) and sees(guild, channel_id, asker)


def may_hear(ctx: Context, channel_id: int) -> bool:
    """Return whether the user may learn the name of something in a channel: they see the channel, or it is deleted."""
    guild = ctx.interaction.guild
    return visible(ctx, channel_id) or (guild is not None and guild.get_channel(channel_id) is None)


def season_address(ctx: Context, channel_id: int, message_id: int | None) -> str:
    """Return the link to a season's message; empty if the user cannot see it."""
    seen = message_id is not None and visible(ctx, channel_id)
    return message_address(ctx.guild_id, channel_id, message_id) if seen and message_id is not None else ""


def links(ctx: Context, heads: Iterable[Head]) -> dict[int, str]:
    found = {}
    for head in heads:
        if visible(ctx, head.channel_id):
            named, where = ctx.words("replay.table", match=head.match_id), address(head)
            found[head.match_id] = f"[{named}]({where})" if where.startswith("https:") else f"{named} · {where}"
    return found


async def where_played(ctx: Context, numbers: Collection[int]) -> dict[int, str]:
    """Return where these matches were played: a link if the user sees the channel, else the table's number."""
    found = links(ctx, await ctx.services.store.matches.heads(numbers))
    return {number: found.get(number) or ctx.words("replay.table", match=number) for number in numbers}


async def may_see(ctx: Context, head: Head) -> bool:
    """Return whether the user sees the channel of a finished match, played in it, or has a result of it."""
    if head.channel_id == ctx.interaction.channel_id or visible(ctx, head.channel_id):
        return True
    store = ctx.services.store
    if any(row.user_id == ctx.user_id for row in await store.matches.seats(head.match_id)):
        return True
    return any(result.user_id == ctx.user_id for result in await store.results.of_match(head.match_id))


def check_unsealed(table: Table) -> None:
    """Raise Refused(DEAL_SEALED) for anything that would reveal a deal that others have yet to play."""
    if is_sealed(table.state):
        raise Refused(No.DEAL_SEALED, until=table.terms.deal_until)


def check_seated(ctx: Context, table: Table) -> None:
    """Raise Refused(DEAL_SEALED) except for the players of the table."""
    if table.seat_of(ctx.user_id) is None:
        check_unsealed(table)


async def load_past_match(ctx: Context, match_id: int) -> Replay | None:
    """Load a match; None if it is not finished. Raises Refused if it is hidden from the user, deleted or unreadable."""
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


OFFERED: Final = 5  # tables with a line and a button


async def open_tables(ctx: Context, *, deal: str | None = None) -> tuple[str, list[ui.Button[ui.LayoutView]]]:
    """Return the tables that the user may join, optionally of one sealed `deal`, with a button each; empty if none."""
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
    presses = [Press("sit", table.head.match_id, table.state.revised) for table in found[:OFFERED]]
    joins = [
        button(words("tables.join", match=press.table), press, style=discord.ButtonStyle.success) for press in presses
    ]
    return "\n".join(lines), joins


async def _line(ctx: Context, table: Table) -> str:
    words = ctx.words
    facts = lobby_facts(table, words)
    if ctx.user_id in table.guests.kept:
        facts = f"{facts} · {words('tables.open_kept')}"
    host, game = await ctx.name(table.head.host_id), words(f"game.{table.terms.game}")
    return words("tables.open", match=table.head.match_id, game=game, name=host, terms=facts, link=link(table))
