"""Opening a table in the channel one is in, or in a new thread: for commands and buttons alike."""

import asyncio
from collections.abc import Collection
from dataclasses import replace
from typing import Final

import discord

from bot.base.permissions import missing
from bot.commands.context import Context, check_permissions, link
from bot.service.invitations import Invitation
from bot.service.tables import Table
from bot.views.names import plain_name
from engine.table.commands import GiveWay
from engine.table.refusals import No, Refused

THREAD_NAME: Final = 100
"""The characters of a thread's name."""

SHOWN: Final = 5.0
"""Seconds that whoever asked waits for the table to be shown before they are answered."""


async def open_table(ctx: Context, invitation: Invitation, *, thread: bool, name: str = "lobby.thread") -> Table:
    """Open a table as `open_quietly` does, and say where it is."""
    table = await open_quietly(ctx, invitation, thread=thread, name=name)
    await ctx.say(ctx.words("lobby.opened", link=link(table)))
    return table


async def open_quietly(ctx: Context, invitation: Invitation, *, thread: bool, name: str = "lobby.thread") -> Table:
    """Open a table here or in a new thread, and show it there.

    A table that holds its channel for nobody makes way for it. Raises Refused(NO_THREADS, CHANNEL_BUSY,
    CHANNEL_BUSY_OFFER, CHANNEL_TAKEN), and what the permissions, the house and the terms refuse.
    """
    services, parent = ctx.services, _parent(ctx)
    if thread and parent is None:
        raise Refused(No.NO_THREADS)
    check_permissions(ctx, thread=thread)
    opened: discord.Thread | None = None
    asked, invitation = invitation, await services.guilds.usual(invitation)
    again = await services.store.seen_request(ctx.interaction.id) is not None
    if not again:
        services.programs.check(*invitation.computers)
        await services.guilds.check(invitation, {ctx.channel_id, parent_id(ctx) or ctx.channel_id})
    if thread and parent is not None and not again:
        await services.deals.agreed(invitation)  # a refusal must come before the thread, not leave an empty one
        public = await services.languages.at(ctx.guild_id)
        title = public(name, game=public(f"game.{invitation.game}"), name=plain_name(ctx.interaction.user, public))
        opened = await _new_thread(parent, title)
        invitation = replace(invitation, channel_id=opened.id)
    table: Table | None = None
    try:
        table = await _opened(ctx, invitation)
    except Refused as refused:
        if refused.why is No.CHANNEL_BUSY and parent is None:
            # What CHANNEL_BUSY proposes is a thread.
            raise Refused(No.CHANNEL_TAKEN, **refused.facts) from None
        if refused.why is No.CHANNEL_BUSY and _can_have_thread(ctx):
            offer = services.offers.keep(ctx.interaction.id, asked)
            raise Refused(No.CHANNEL_BUSY_OFFER, offer=offer, **refused.facts) from None
        raise
    finally:
        if opened is not None and (table is None or table.head.channel_id != opened.id):
            await _put_away(opened)
    await show_table(ctx, table)
    return await services.tables.load(table.head.match_id)


async def show_table(ctx: Context, table: Table) -> None:
    """Bring the public messages up to date, then let the computers move."""
    # It may take as long as Discord says. Whoever asked is not kept waiting for that, and nothing is cut short.
    await asyncio.wait([ctx.services.announcer.refresh(table.head.match_id)], timeout=SHOWN)
    ctx.services.scheduler.soon(table.head.match_id)


def has_threads(ctx: Context) -> bool:
    """Whether a table asked for here can have a thread of its own."""
    return _parent(ctx) is not None


def parent_id(ctx: Context) -> int | None:
    """The channel that the thread one is in belongs to. None in a channel."""
    channel = ctx.interaction.channel
    return channel.parent_id if isinstance(channel, discord.Thread) else None


def _parent(ctx: Context) -> discord.TextChannel | None:
    """Where a new thread belongs; None where there are none: in voice channels, and in the posts of forums."""
    channel = ctx.interaction.channel
    # A thread has no threads of its own: another one opens beside it.
    parent = channel.parent if isinstance(channel, discord.Thread) else channel
    return parent if isinstance(parent, discord.TextChannel) else None


async def _opened(ctx: Context, invitation: Invitation) -> Table:
    """Open it, and have a table make way that is in the way and holds its channel for nobody."""
    acts, request = ctx.services.acts, ctx.interaction.id
    try:
        return await acts.open(invitation, request=request)
    except Refused as refused:
        if refused.why is not No.CHANNEL_BUSY:
            raise
        await _make_way(ctx, await ctx.services.tables.load(int(str(refused.facts["table"]))))
    return await acts.open(invitation, request=request)


async def _make_way(ctx: Context, busy: Table) -> None:
    """The table goes on in a thread, or ends where there can be none. Raises Refused(CHANNEL_BUSY)."""
    match_id, parent, services = busy.head.match_id, _parent(ctx), ctx.services
    if busy.story is None or not busy.state.gives_way(busy.story.match):
        raise Refused(No.CHANNEL_BUSY, table=match_id)
    thread: discord.Thread | None = None
    if parent is not None and _can_have_thread(ctx):
        public, host = await services.languages.at(ctx.guild_id), await ctx.name(busy.head.host_id)
        title = public("lobby.thread", game=public(f"game.{busy.terms.game}"), name=host)
        thread = await _new_thread(parent, title)
    try:
        await services.acts.act(match_id, GiveWay(None if thread is None else thread.id))
    except Refused:
        if thread is not None:
            await _put_away(thread)
        raise
    services.announcer.refresh(match_id)


async def _new_thread(parent: discord.TextChannel, title: str) -> discord.Thread:
    # A channel for announcements has no other threads than these, which are as public.
    kind = discord.ChannelType.news_thread if parent.is_news() else discord.ChannelType.public_thread
    name = _told_apart(title, {thread.name for thread in parent.threads})
    return await parent.create_thread(name=name, type=kind, auto_archive_duration=10080)


def _told_apart(title: str, taken: Collection[str]) -> str:
    """The name of a thread that none beside it has: somebody's second table is their table 2."""
    numbered = (f"{title[: THREAD_NAME - 5]} · {number}" for number in range(2, len(taken) + 3))
    return next(name for name in (title[:THREAD_NAME], *numbered) if name not in taken)


def _can_have_thread(ctx: Context) -> bool:
    in_thread = isinstance(ctx.interaction.channel, discord.Thread)
    lacking = missing(ctx.interaction.app_permissions, in_thread=in_thread, opens_thread=True)
    return _parent(ctx) is not None and not lacking


async def _put_away(thread: discord.Thread) -> None:
    """A thread that no table came to: the request was refused, or another delivery of it was quicker."""
    try:
        await thread.delete()
    except discord.Forbidden:
        # Deleting takes Manage Threads, which the bot does not ask for; its own threads it may archive.
        await thread.edit(archived=True)
