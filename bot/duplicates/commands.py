"""`/tiles-deal`: sealed deals that many tables play, and how these tables compare."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import discord
from discord import app_commands

from bot.core.choices import MAX_CHOICES, SEPARATOR, NamesByValue, filter_choices, localize, suggest
from bot.core.command_groups import serve
from bot.core.context import Context, Interaction, check_permissions, format_table_link
from bot.core.dispatch import register_handler
from bot.duplicates import views
from bot.duplicates.posts import DealNewsPosts, build_comparison
from bot.duplicates.service import MAX_DAYS, DealRequest, DuplicateDeals, build_common_terms
from bot.tables import opening_commands
from bot.tables.board_views import END_BUTTONS, EndButton
from bot.tables.lobbies import TableRequest
from bot.tables.lobby_commands import GAME_CHOICES, new_command
from bot.tables.messages import Content
from bot.tables.opening_commands import has_threads, open_table
from bot.tables.rules_text import parse_options
from bot.tables.visible_tables import list_joinable_tables
from data.rulebook import DEFAULT_PRESET, list_games, load_rules
from data.store.duplicates.deals import SealedDeal
from data.store.duplicates.store import DealStore
from engine.match.shuffle import compute_commitment
from engine.table.refusals import Refusal, RefusalError

MAX_SEATS: Final = max(load_rules(game).max_seats for game in list_games())  # the seats of the largest table

deal_group: Final = app_commands.Group(name="tiles-deal", description=localize("command.deal"), guild_only=True)


@deal_group.command(name="new", description=localize("command.deal_new"))
@app_commands.describe(
    game=localize("parameter.new_game"),
    seats=localize("parameter.deal_seats"),
    days=localize("parameter.deal_days"),
    tables=localize("parameter.deal_tables"),
    target=localize("parameter.new_target"),
    preset=localize("parameter.new_preset"),
    options=localize("parameter.new_options"),
)
@app_commands.choices(game=GAME_CHOICES)
async def new_deal_command(
    interaction: Interaction,
    game: str | None = None,
    seats: app_commands.Range[int, 2, MAX_SEATS] = 2,
    days: app_commands.Range[int, 1, MAX_DAYS] = 7,
    tables: app_commands.Range[int, 2, 100] | None = None,
    target: app_commands.Range[int, 10, 5000] | None = None,
    preset: str = "",
    options: str = "",
) -> None:
    async def make(ctx: Context) -> None:
        chosen_game, languages = game or list_games()[0], opening_commands.list_option_languages(ctx.words)
        deal_request = DealRequest(
            game=chosen_game,
            seats=seats,
            target=target,
            preset=preset or DEFAULT_PRESET,
            options=parse_options(options, chosen_game, preset or None, languages),
            days=days,
            tables=tables or 0,
        )
        deal = await ctx.services[DuplicateDeals].create(ctx.guild_id, ctx.channel_id, deal_request)
        terms, fingerprint = build_common_terms(deal), compute_commitment(deal.secret)
        await ctx.show(Content(views.build_new_deal_view(deal, terms, fingerprint, ctx.words)))

    await serve(interaction, "dealnew", make)


suggest(new_deal_command, "preset")(opening_commands.suggest_presets)
suggest(new_deal_command, "options")(opening_commands.suggest_options)


@deal_group.command(name="list", description=localize("command.deal_list"))
async def list_command(interaction: Interaction) -> None:
    await serve(interaction, "deals", show_deals)


async def show_deals(ctx: Context) -> None:
    found = await DealStore(ctx.services.store.transactions).list_deals(ctx.guild_id)
    terms = {one.deal_id: build_common_terms(one) for one in found}
    await ctx.show(Content(views.build_list_view(found, terms, ctx.words)))


@register_handler("playdeal")
async def play_deal(ctx: Context) -> None:
    """Lead the user to their table of a deal, else to open tables, else open one. Raises what `open_table` raises."""
    name, _, wants_another = (ctx.values[0] if ctx.values else ctx.custom_id.argument).partition(views.SEPARATOR)
    services = ctx.services
    table_request = TableRequest(
        guild_id=ctx.guild_id, channel_id=ctx.channel_id, host_id=ctx.user_id, game=list_games()[0], deal=name
    )
    for table in await services.tables.list_of_user(ctx.user_id):
        if table.head.guild_id == ctx.guild_id and table.terms.deal and table.terms.deal == name:
            await ctx.say(ctx.words("deal.mine", link=format_table_link(table)))
            return
    if await DealStore(services.store.transactions).find_deal(ctx.guild_id, name) is None:
        # Suggestions do not check who may play a deal; the command does.
        raise RefusalError(Refusal.NO_SUCH_DEAL, text=discord.utils.escape_markdown(name[:40]))
    deal = await services[DuplicateDeals].resolve_sealed_deal(table_request)
    text, joins = ("", []) if wants_another else await list_joinable_tables(ctx, deal=deal.name)
    if joins:
        await ctx.say(text, *joins, views.build_another_table_button(deal, ctx.words))
        return
    channel_table = await services.tables.find_in_channel(ctx.channel_id, with_finished=False)
    await open_table(ctx, table_request, thread=channel_table is not None and has_threads(ctx))


@deal_group.command(name="field", description=localize("command.deal_field"))
@app_commands.describe(deal=localize("parameter.deal"))
async def field_command(interaction: Interaction, deal: str) -> None:
    async def show(ctx: Context) -> None:
        found = await DealStore(ctx.services.store.transactions).find_deal(ctx.guild_id, deal.strip().lower())
        if found is None:
            raise RefusalError(Refusal.NO_SUCH_DEAL, text=discord.utils.escape_markdown(deal[:40]))
        await _show_field(ctx, found)

    await serve(interaction, "dealfield", show)


@register_handler("field")
async def show_field(ctx: Context) -> None:
    """Show how the tables compare of the deal that a table plays."""
    table = await ctx.load_table()
    deals = DealStore(ctx.services.store.transactions)
    found = await deals.find_deal(table.head.guild_id, table.terms.deal) if table.terms.deal else None
    if found is None:
        raise RefusalError(Refusal.UNKNOWN_BUTTON)
    await _show_field(ctx, found)


async def _show_field(ctx: Context, deal: SealedDeal) -> None:
    field = await ctx.services[DuplicateDeals].compute_field(deal)
    if deal.opened_at is None:
        finished_tables = field.tables + field.excluded_tables  # a match that a player left is finished as well
        view = views.build_sealed_view(deal, finished_tables, field.running_tables, ctx.words)
        await ctx.show_separately(Content(view))
        return
    await ctx.show_separately(await build_comparison(deal, field, ctx.services.names, ctx.words, ctx.scheme))


@deal_group.command(name="weekly", description=localize("command.deal_weekly"))
@app_commands.describe(
    game=localize("parameter.new_game"), seats=localize("parameter.deal_seats"), off=localize("parameter.deal_off")
)
@app_commands.choices(game=GAME_CHOICES)
async def weekly_command(
    interaction: Interaction,
    game: str | None = None,
    seats: app_commands.Range[int, 2, MAX_SEATS] = 2,
    off: bool = False,
) -> None:
    async def change(ctx: Context) -> None:
        services, words = ctx.services, ctx.words
        if not ctx.interaction.permissions.manage_guild:
            raise RefusalError(Refusal.DEAL_MODERATORS)
        if off:
            was = await DealStore(services.store.transactions).delete_weekly_deal(ctx.guild_id)
            await ctx.say(words("deal.weekly_off" if was else "deal.weekly_none"))
            return
        check_permissions(ctx, thread=False)
        deal_request = DealRequest(game=game or list_games()[0], seats=seats)
        done = await services[DuplicateDeals].set_weekly(ctx.guild_id, ctx.channel_id, deal_request)
        new_deal = None if done.current else await services[DuplicateDeals].create_this_week(done.weekly)
        # Another moderator may have set it at the same moment.
        found = new_deal or done.current or await services[DuplicateDeals].find_this_week(ctx.guild_id)
        if found is None:
            raise RefusalError(Refusal.STALE)
        what = views.format_deal_terms(build_common_terms(replace(found, terms=done.weekly.terms)), words)
        await ctx.say(views.format_weekly_confirmation(done, found, what, words))
        await services[DealNewsPosts].sweep(services.presence.connected_shards)

    await serve(interaction, "dealweekly", change)


@suggest(field_command, "deal")
async def suggest_deals(ctx: Context, typed: str, _: Mapping[str, str]) -> NamesByValue:
    return await _list_deal_choices(ctx, typed, sealed=False)


@suggest(new_command, "deal")
async def suggest_sealed_deals(ctx: Context, typed: str, _: Mapping[str, str]) -> NamesByValue:
    """Suggest the deals that can be played."""
    return await _list_deal_choices(ctx, typed, sealed=True)


async def _list_deal_choices(ctx: Context, typed: str, *, sealed: bool) -> NamesByValue:
    found = await DealStore(ctx.services.store.transactions).list_deals(ctx.guild_id, limit=MAX_CHOICES)
    named = {
        one.name: f"{one.name}{SEPARATOR}{views.format_deal_terms(build_common_terms(one), ctx.words)}"
        for one in found
        if not (sealed and one.opened_at is not None)
    }
    return filter_choices(named, typed)


END_BUTTONS.append(EndButton("deal.field", "field", frozenset({"sealed board"})))
