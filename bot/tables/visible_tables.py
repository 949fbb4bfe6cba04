"""What a user may see on a server: its channels and the matches in them."""

from collections.abc import Collection, Iterable
from functools import partial
from typing import Final

import discord
from discord import ui
from structlog.contextvars import bind_contextvars

from bot.core.context import Context, format_table_link
from bot.core.layout import CustomId, build_button, format_board_link, format_message_link
from bot.core.permissions import can_see_channel
from bot.sending.alerts import format_lobby_facts
from bot.tables.past_match import Replay, load_replay
from bot.tables.service import Table
from data.store.log.match_values import Head
from engine.table.refusals import Refusal, RefusalError
from engine.table.table_events import is_sealed


def is_visible(ctx: Context, channel_id: int) -> bool:
    guild, asker = ctx.interaction.guild, ctx.interaction.user
    return guild is not None and isinstance(asker, discord.Member) and can_see_channel(guild, channel_id, asker)


def can_learn_name(ctx: Context, channel_id: int) -> bool:
    """Return whether the user may learn the name of something in a channel: they see the channel, or it is deleted."""
    guild = ctx.interaction.guild
    return is_visible(ctx, channel_id) or (guild is not None and guild.get_channel(channel_id) is None)


def format_season_link(ctx: Context, channel_id: int, message_id: int | None) -> str:
    """Return the link to a season's message; empty if the user cannot see it."""
    is_shown = message_id is not None and is_visible(ctx, channel_id)
    return format_message_link(ctx.guild_id, channel_id, message_id) if is_shown and message_id is not None else ""


def build_links(ctx: Context, heads: Iterable[Head]) -> dict[int, str]:
    found = {}
    for head in heads:
        if is_visible(ctx, head.channel_id):
            named, where = ctx.words("replay.table", match=head.match_id), format_board_link(head)
            found[head.match_id] = f"[{named}]({where})" if where.startswith("https:") else f"{named} · {where}"
    return found


async def build_match_locations(ctx: Context, numbers: Collection[int]) -> dict[int, str]:
    """Return where these matches were played: a link if the user sees the channel, else the table's number."""
    found = build_links(ctx, await ctx.services.store.matches.list_heads(numbers))
    return {number: found.get(number) or ctx.words("replay.table", match=number) for number in numbers}


async def can_see_match(ctx: Context, head: Head) -> bool:
    """Return whether the user sees the channel of a finished match, played in it, or has a result of it."""
    if head.channel_id == ctx.interaction.channel_id or is_visible(ctx, head.channel_id):
        return True
    store = ctx.services.store
    if any(row.user_id == ctx.user_id for row in await store.matches.list_seats(head.match_id)):
        return True
    return any(result.user_id == ctx.user_id for result in await store.results.list_results(head.match_id))


def check_unsealed(table: Table) -> None:
    """Raise RefusalError(DEAL_SEALED) for anything that would reveal a deal that others have yet to play."""
    if is_sealed(table.state):
        raise RefusalError(Refusal.DEAL_SEALED, until=table.terms.deal_until)


def check_seated(ctx: Context, table: Table) -> None:
    """Raise RefusalError(DEAL_SEALED) except for the players of the table."""
    if table.find_seat(ctx.user_id) is None:
        check_unsealed(table)


async def load_past_match(ctx: Context, match_id: int) -> Replay | None:
    """Load a match; None if it is not finished. Raises RefusalError if it is hidden from the user, deleted or
    unreadable.
    """
    tables, store = ctx.services.tables, ctx.services.store
    head = await store.matches.find_head(match_id)
    if head is None or head.guild_id != ctx.guild_id or not await can_see_match(ctx, head):
        raise RefusalError(Refusal.NO_SUCH_TABLE)
    bind_contextvars(match=match_id, seq=head.seq)
    if head.state == "done":
        check_unsealed(await tables.load(match_id))
        return await load_replay(tables, head)
    (await tables.load(match_id)).match  # noqa: B018 - raises for a table that came to no match
    return None


MAX_OFFERED: Final = 5  # tables with a line and a button


async def list_joinable_tables(ctx: Context, *, deal: str | None = None) -> tuple[str, list[ui.Button[ui.LayoutView]]]:
    """Return the tables that the user may join, optionally of one sealed `deal`, with a button each; empty if none."""
    words, announcer = ctx.words, ctx.services.announcer
    found = await ctx.services.lobbies.list_joinable(ctx.guild_id, ctx.user_id, partial(is_visible, ctx))
    found = [table for table in found if not announcer.is_closed(table.head.match_id)]
    if deal is not None:
        found = [table for table in found if table.terms.deal == deal]
    found.sort(key=lambda table: ctx.user_id not in table.guests.reserved_until)
    if not found:
        return "", []
    lines = [f"### {words('tables.open_title')}"]
    lines += [await _format_table(ctx, table) for table in found[:MAX_OFFERED]]
    if len(found) > MAX_OFFERED:
        lines.append(words("tables.open_more", n=len(found) - MAX_OFFERED))
    buttons = []
    for table in found[:MAX_OFFERED]:
        press = CustomId("sit", table.head.match_id, table.state.revised_seq)
        label = words("tables.join", match=press.table)
        buttons.append(build_button(label, press, style=discord.ButtonStyle.success))
    return "\n".join(lines), buttons


async def _format_table(ctx: Context, table: Table) -> str:
    words = ctx.words
    facts = format_lobby_facts(table, words)
    if ctx.user_id in table.guests.reserved_until:
        facts = f"{facts} · {words('tables.open_kept')}"
    host, game = await ctx.resolve_name(table.head.host_id), words(f"game.{table.terms.game}")
    match_id, link = table.head.match_id, format_table_link(table)
    return words("tables.open", match=match_id, game=game, name=host, terms=facts, link=link)
