"""`/tiles-deal`: sealed deals that many tables play, and how these tables compare."""

from dataclasses import replace
from typing import Final

import discord
from discord import app_commands

from bot.core.command_groups import localized, serve
from bot.core.context import Context, Interaction, check_permissions, link
from bot.core.dispatch import handles
from bot.core.layout import Press
from bot.core.pictures import drawn, file
from bot.duplicates import views as duplicates_views
from bot.duplicates.posts import DealNewsPosts
from bot.duplicates.service import MOST_DAYS, DuplicateDeals, Wanted, common_terms
from bot.tables import opening_commands
from bot.tables.board_views import END_BUTTONS, EndButton
from bot.tables.lobbies import Invitation
from bot.tables.lobby_commands import GAMES, new_command
from bot.tables.messages import Content
from bot.tables.opening_commands import has_threads, open_table
from bot.tables.rules_text import options_typed
from bot.tables.visible_tables import open_tables
from data.rulebook import DEFAULT, games, rules
from data.store.duplicates.deals import SealedDeal
from data.store.duplicates.store import DealStore
from engine.match.shuffle import commitment
from engine.table.refusals import No, Refused

CHOICES: Final = 25  # Discord's limit for suggestions

MOST_PLAY: Final = max(rules(game).max_seats for game in games())  # the seats of the largest table

deal_group: Final = app_commands.Group(name="tiles-deal", description=localized("command.deal"), guild_only=True)


@deal_group.command(name="new", description=localized("command.deal_new"))
@app_commands.describe(
    game=localized("parameter.new_game"),
    seats=localized("parameter.deal_seats"),
    days=localized("parameter.deal_days"),
    tables=localized("parameter.deal_tables"),
    target=localized("parameter.new_target"),
    preset=localized("parameter.new_preset"),
    options=localized("parameter.new_options"),
)
@app_commands.choices(game=GAMES)
async def new_deal_command(
    interaction: Interaction,
    game: str | None = None,
    seats: app_commands.Range[int, 2, MOST_PLAY] = 2,
    days: app_commands.Range[int, 1, MOST_DAYS] = 7,
    tables: app_commands.Range[int, 2, 100] | None = None,
    target: app_commands.Range[int, 10, 5000] | None = None,
    preset: str = "",
    options: str = "",
) -> None:
    async def make(ctx: Context) -> None:
        wanted = Wanted(
            game=game or games()[0],
            seats=seats,
            target=target,
            preset=preset or DEFAULT,
            options=options_typed(options, game or games()[0], preset or None, opening_commands.spoken_with(ctx.words)),
            days=days,
            tables=tables or 0,
        )
        deal = await ctx.services[DuplicateDeals].make(ctx.guild_id, ctx.channel_id, wanted)
        await ctx.show(
            Content(duplicates_views.made_view(deal, common_terms(deal), commitment(deal.secret), ctx.words))
        )

    await serve(interaction, "dealnew", make)


new_deal_command.autocomplete("preset")(opening_commands.preset_choices)
new_deal_command.autocomplete("options")(opening_commands.option_choices)


@deal_group.command(name="list", description=localized("command.deal_list"))
async def list_command(interaction: Interaction) -> None:
    await serve(interaction, "deals", show_deals)


async def show_deals(ctx: Context) -> None:
    found = await DealStore(ctx.services.store.transactions).deals(ctx.guild_id)
    terms = {one.deal_id: common_terms(one) for one in found}
    await ctx.show(Content(duplicates_views.list_view(found, terms, ctx.words)))


@handles("playdeal")
async def play_deal(ctx: Context) -> None:
    """Lead the user to their table of a deal, else to open tables, else open one. Raises what `open_table` raises."""
    name, _, another = (ctx.values[0] if ctx.values else ctx.press.argument).partition(duplicates_views.AND)
    services = ctx.services
    asked = Invitation(
        guild_id=ctx.guild_id, channel_id=ctx.channel_id, host_id=ctx.user_id, game=games()[0], deal=name
    )
    mine = [table for table in await services.tables.of(ctx.user_id) if table.head.guild_id == ctx.guild_id]
    already = next((table for table in mine if table.terms.deal and table.terms.deal == name), None)
    if already is not None:
        await ctx.say(ctx.words("deal.mine", link=link(already)))
        return
    if await DealStore(services.store.transactions).deal(ctx.guild_id, name) is None:
        # Suggestions do not check who may play a deal; the command does.
        raise Refused(No.NO_SUCH_DEAL, text=discord.utils.escape_markdown(name[:40]))
    deal = await services[DuplicateDeals].sealed(asked)
    text, joins = ("", []) if another else await open_tables(ctx, deal=deal.name)
    if joins:
        await ctx.say(text, *joins, duplicates_views.another_button(deal, ctx.words))
        return
    here = await services.tables.here(ctx.channel_id, over=False)
    await open_table(ctx, asked, thread=here is not None and has_threads(ctx))


@deal_group.command(name="field", description=localized("command.deal_field"))
@app_commands.describe(deal=localized("parameter.deal"))
async def field_command(interaction: Interaction, deal: str) -> None:
    async def show(ctx: Context) -> None:
        found = await DealStore(ctx.services.store.transactions).deal(ctx.guild_id, deal.strip().lower())
        if found is None:
            raise Refused(No.NO_SUCH_DEAL, text=discord.utils.escape_markdown(deal[:40]))
        await _show_field(ctx, found)

    await serve(interaction, "dealfield", show)


@handles("field")
async def show_field(ctx: Context) -> None:
    """Show how the tables compare of the deal that a table plays."""
    table = await ctx.table()
    found = (
        await DealStore(ctx.services.store.transactions).deal(table.head.guild_id, table.terms.deal)
        if table.terms.deal
        else None
    )
    if found is None:
        raise Refused(No.UNKNOWN_BUTTON)
    await _show_field(ctx, found)


async def _show_field(ctx: Context, deal: SealedDeal) -> None:
    field = await ctx.services[DuplicateDeals].field(deal)
    if deal.opened_at is None:
        over = field.tables + field.spoilt  # a match that a player left is finished as well
        await ctx.show_aside(Content(duplicates_views.still_sealed_view(deal, over, field.running, ctx.words)))
        return
    people = {one.line.user_id for one in field.placed if one.line.user_id is not None}
    plain = {user: await ctx.services.names.name(deal.guild_id, user, ctx.words) for user in sorted(people)}
    made = await drawn(duplicates_views.field_drawn, deal, field, plain, ctx.words, ctx.scheme)
    view = duplicates_views.field_view(deal, field, plain, ctx.words, "" if made is None else made[1])
    await ctx.show_aside(Content(view, [] if made is None else [file(duplicates_views.FIELD_FILE, *made)]))


@deal_group.command(name="weekly", description=localized("command.deal_weekly"))
@app_commands.describe(
    game=localized("parameter.new_game"), seats=localized("parameter.deal_seats"), off=localized("parameter.deal_off")
)
@app_commands.choices(game=GAMES)
async def weekly_command(
    interaction: Interaction,
    game: str | None = None,
    seats: app_commands.Range[int, 2, MOST_PLAY] = 2,
    off: bool = False,
) -> None:
    async def change(ctx: Context) -> None:
        services, words = ctx.services, ctx.words
        if not ctx.interaction.permissions.manage_guild:
            raise Refused(No.DEAL_MODERATORS)
        if off:
            was = await DealStore(services.store.transactions).no_weekly_deal(ctx.guild_id)
            await ctx.say(words("deal.weekly_off" if was else "deal.weekly_none"))
            return
        check_permissions(ctx, thread=False)
        wanted = Wanted(game=game or games()[0], seats=seats)
        done = await services[DuplicateDeals].set_weekly(ctx.guild_id, ctx.channel_id, wanted)
        made = None if done.current else await services[DuplicateDeals].make_this_week(done.weekly)
        # Another moderator may have set it at the same moment.
        found = made or done.current or await services[DuplicateDeals].this_weeks(ctx.guild_id)
        if found is None:
            raise Refused(No.STALE)
        what = duplicates_views.terms_line(common_terms(replace(found, terms=done.weekly.terms)), words)
        await ctx.say(duplicates_views.weekly_text(done, found, what, words))
        await services[DealNewsPosts].sweep(services.presence.heard)

    await serve(interaction, "dealweekly", change)


@field_command.autocomplete("deal")
async def deal_choices(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    return await _choices(interaction, current, sealed=False)


async def sealed_choices(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Suggest the deals that can be played."""
    return await _choices(interaction, current, sealed=True)


new_command.autocomplete("deal")(sealed_choices)


async def _choices(interaction: Interaction, current: str, *, sealed: bool) -> list[app_commands.Choice[str]]:
    ctx = Context(interaction, Press("deals"))
    await ctx.attune()
    typed, found = (
        current.strip().lower(),
        await DealStore(ctx.services.store.transactions).deals(ctx.guild_id, limit=CHOICES),
    )
    named = {
        one.name: f"{one.name} · {duplicates_views.terms_line(common_terms(one), ctx.words)}"[:100]
        for one in found
        if not (sealed and one.opened_at is not None)
    }
    return [app_commands.Choice(name=text, value=name) for name, text in named.items() if typed in text.lower()]


END_BUTTONS.append(EndButton("deal.field", "field", frozenset({"sealed board"})))
