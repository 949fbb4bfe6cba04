"""`/tiles profile` and `/tiles leaderboard`: cards, two players compared, rankings and records.

A user who is off the leaderboards has a private card: others see only the matches that they have in common.
"""

from itertools import chain
from typing import Final

import discord
from discord import app_commands

from bot.core.choices import localize
from bot.core.command_groups import serve, tiles
from bot.core.context import Context, Interaction
from bot.core.dispatch import register_handler
from bot.core.layout import CustomId, Item, build_button, build_rows
from bot.core.names import format_plain_name
from bot.core.pictures import build_file, draw_in_thread
from bot.core.profile_sections import SECTIONS
from bot.core.safe_text import escape_text
from bot.profiles import views
from bot.profiles.views import ALL_GAMES, CARD_FILE, ProfileCard, RivalPair
from bot.tables.help_commands import choose_channel_game
from bot.tables.lobby_commands import GAME_CHOICES
from bot.tables.messages import Content
from bot.tables.visible_tables import build_match_locations
from data.rulebook import list_games
from data.store.profiles.store import ProfileStore
from data.store.results.scores import EVERYWHERE

LATEST_MATCHES: Final = 100
MAX_LOADS: Final = 2  # a list is loaded again without users who turn out to have left


@tiles.command(name="leaderboard", description=localize("command.leaderboard"))
@app_commands.describe(
    game=localize("parameter.leaderboard_game"),
    where=localize("parameter.leaderboard_where"),
    period=localize("parameter.leaderboard_period"),
)
@app_commands.choices(
    game=GAME_CHOICES,
    where=[
        app_commands.Choice(name=localize("leaders.scope_server"), value="server"),
        app_commands.Choice(name=localize("leaders.scope_everywhere"), value="everywhere"),
    ],
    period=[
        app_commands.Choice(name=localize("leaders.period_all"), value="all"),
        app_commands.Choice(name=localize("leaders.period_month"), value="month"),
    ],
)
async def leaderboard_command(
    interaction: Interaction, game: str | None = None, where: str = "server", period: str = "all"
) -> None:
    async def first_page(ctx: Context) -> None:
        shown_game = game or await choose_channel_game(ctx)
        await show_leaderboard(ctx, views.LeaderboardQuery(shown_game, where == "server", period == "month", 0))

    await serve(interaction, "leaderboard", first_page)


@register_handler("leaders", "leaderswhere", "leadersgame", "leaderswhen")
async def handle_leaderboard_menu(ctx: Context) -> None:
    query = views.parse_query(ctx.values[0] if ctx.values else ctx.custom_id.argument)
    await show_leaderboard(ctx, query or views.LeaderboardQuery(list_games()[0], True, False, 0))


async def show_leaderboard(ctx: Context, query: views.LeaderboardQuery) -> None:
    profiles = ProfileStore(ctx.services.store.transactions)
    guild = ctx.guild_id if query.server else EVERYWHERE
    for _ in range(MAX_LOADS):
        page = await profiles.load_leaderboard(guild, query.game, is_recent=query.month, page=query.page)
        people = [row.user_id for row in page.rows]
        names = await ctx.services.names.resolve_names(ctx.guild_id, [*people, ctx.user_id], ctx.words)
        if not query.server or not await ctx.services.departures.hide_departed(ctx.guild_id, page.rows):
            break
    own_row = await profiles.find_own_row(guild, query.game, ctx.user_id, is_recent=query.month)
    await ctx.show(Content(views.build_leaderboard_view(query, page, own_row, names, ctx.words)))


@register_handler("records", "recordsgame")
async def show_records(ctx: Context) -> None:
    chosen = ctx.values[0] if ctx.values else ctx.custom_id.argument
    game = chosen if chosen in list_games() else await choose_channel_game(ctx)
    for _ in range(MAX_LOADS):
        found = await ProfileStore(ctx.services.store.transactions).load_records(ctx.guild_id, game)
        held = [record for listed in found.values() for record in listed]
        names = await ctx.services.names.resolve_names(ctx.guild_id, [record.user_id for record in held], ctx.words)
        if not await ctx.services.departures.hide_departed(ctx.guild_id, held):
            break
    locations = await build_match_locations(ctx, {record.match_id for listed in found.values() for record in listed})
    await ctx.show(Content(views.build_records_view(game, found, names, locations, ctx.words)))


@tiles.command(name="profile", description=localize("command.profile"))
@app_commands.describe(
    person=localize("parameter.profile_person"),
    game=localize("parameter.profile_game"),
    against=localize("parameter.profile_against"),
)
@app_commands.choices(game=GAME_CHOICES)
async def profile_command(
    interaction: Interaction,
    person: discord.User | None = None,
    game: str | None = None,
    against: discord.User | None = None,
) -> None:
    async def show(ctx: Context) -> None:
        user = person or ctx.interaction.user
        if against is not None:
            await show_rivals(ctx, RivalPair(user.id, against.id, game or ALL_GAMES))
        elif user.id != ctx.user_id and not (await ctx.services.store.users.load_person(user.id)).preferences.listed:
            await show_rivals(ctx, RivalPair(ctx.user_id, user.id, game or ALL_GAMES), note="rivals.unlisted")
        else:
            await show_profile(ctx, user, game or await choose_channel_game(ctx))

    await serve(interaction, "profile", show)


async def show_profile(ctx: Context, person: discord.abc.User, game: str) -> None:
    words, profiles = ctx.words, ProfileStore(ctx.services.store.transactions)
    name = format_plain_name(person, words)
    found = await ctx.services.store.results.find_profile(person.id, ctx.guild_id, game)
    if found is None:
        await ctx.say(words("profile.none", name=escape_text(name), game=words(f"game.{game}")))
        return
    last = await profiles.list_recent_results(person.id, ctx.guild_id, game, limit=LATEST_MATCHES)
    bests = await profiles.load_bests(person.id, ctx.guild_id, game)
    records = await profiles.load_records(ctx.guild_id, game, most=1)
    titles = [words("profile.title_first")] if found.rank == 1 else []
    held_records = [kind for kind, listed in records.items() if listed[0].user_id == person.id]
    titles += [words("profile.title_record", what=words(f"records.{kind}")) for kind in held_records]
    for section in SECTIONS:
        titles += await section.list_titles(ctx, person.id, game)
    locations = await build_match_locations(ctx, {best.match_id for best in bests.values()})
    text = views.format_bests(bests, titles, locations, words)
    more = [build_button(words("records.button"), CustomId("records", argument=game))]
    if person.id == ctx.user_id:
        for section in SECTIONS:
            text = "\n".join(filter(None, [text, await section.format_own_lines(ctx, game, len(text))]))
        more = [*(one for section in SECTIONS for one in section.build_own_buttons(ctx, game)), *more]
    card = views.build_player_card(name, game, found, last, words)
    await _show_card(ctx, card, text, *build_rows(more))


@register_handler("rivals")
async def handle_rivals_menu(ctx: Context) -> None:
    pair = views.parse_pair(ctx.values[0] if ctx.values else ctx.custom_id.argument)
    await show_rivals(ctx, pair or RivalPair(ctx.user_id, ctx.user_id))


async def show_rivals(ctx: Context, pair: RivalPair, *, note: str = "") -> None:
    """Compare two players: the user and another, or two who are on the leaderboards."""
    words, store, players = ctx.words, ctx.services.store, (pair.first, pair.second)
    if pair.first == pair.second:
        await ctx.say(words("rivals.self"))
        return
    if ctx.user_id not in players:
        listed = [(await store.users.load_person(user)).preferences.listed for user in players]
        if not all(listed):
            await ctx.say(words("rivals.private"))
            return
    known = await ctx.services.names.resolve_plain_names(ctx.guild_id, players, words)
    first, second = (known[user] for user in players)
    names, escaped = (first, second), (escape_text(first), escape_text(second))
    note_line = f"{words(note, name=escaped[1])}\n" if note else ""
    game = None if pair.game == ALL_GAMES else pair.game
    found = await ProfileStore(store.transactions).load_rivalry(ctx.guild_id, pair.first, pair.second, game=game)
    if not found.meetings:
        text = words("rivals.none" if game is None else "rivals.none_game", one=escaped[0], other=escaped[1])
        await ctx.show(Content(views.build_rivals_text_view(f"{note_line}{text}", pair, words)))
        return
    numbers = {best.match_id for best in (*found.best_moves, found.longest) if best is not None}
    text = views.format_rivalry(escaped, found, await build_match_locations(ctx, numbers), words)
    if ctx.user_id in players:
        # Reviews are for the players.
        added = [await section.format_rivals_lines(ctx, players, escaped, game) for section in SECTIONS]
        text = "\n".join(filter(None, [text, *added]))
    extra_items = [views.build_rivals_menu(pair, words)]
    if pair.first == ctx.user_id:
        links = (section.build_rivals_buttons(ctx, pair.second, game) for section in SECTIONS)
        extra_items += build_rows(chain.from_iterable(links))
    await _show_card(ctx, views.build_rivals_card(names, pair.game, found, words), f"{note_line}{text}", *extra_items)


async def _show_card(ctx: Context, card: ProfileCard, text: str, *extra_items: Item) -> None:
    image, alt = await draw_in_thread(card.render, scheme=ctx.scheme), card.format_alt(ctx.words)
    await ctx.show(Content(views.build_card_view(alt, text, *extra_items), [build_file(CARD_FILE, image, alt)]))
