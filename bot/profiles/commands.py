"""`/tiles profile` and `/tiles leaderboard`: cards, two players compared, rankings and records.

A user who is off the leaderboards has a private card: others see only the matches that they have in common.
"""

from typing import Final

import discord
from discord import app_commands

from bot.core.command_groups import localized, serve, tiles
from bot.core.context import Context, Interaction
from bot.core.dispatch import handles
from bot.core.layout import Item, Press, button, rows
from bot.core.names import plain_name
from bot.core.pictures import drawn, file
from bot.core.profile_sections import SECTIONS
from bot.core.safe_text import safe
from bot.profiles import views as profiles_views
from bot.profiles.views import ALL_GAMES, CARD_FILE, ProfileCard, Rivals
from bot.tables.help_commands import played_here
from bot.tables.lobby_commands import GAMES
from bot.tables.messages import Content
from bot.tables.visible_tables import where_played
from data.rulebook import games
from data.store.profiles.store import ProfileStore
from data.store.results.scores import EVERYWHERE

LATEST_MATCHES: Final = 100


@tiles.command(name="leaderboard", description=localized("command.leaderboard"))
@app_commands.describe(
    game=localized("parameter.leaderboard_game"),
    where=localized("parameter.leaderboard_where"),
    period=localized("parameter.leaderboard_period"),
)
@app_commands.choices(
    game=GAMES,
    where=[
        app_commands.Choice(name=localized("leaders.scope_server"), value="server"),
        app_commands.Choice(name=localized("leaders.scope_everywhere"), value="everywhere"),
    ],
    period=[
        app_commands.Choice(name=localized("leaders.period_all"), value="all"),
        app_commands.Choice(name=localized("leaders.period_month"), value="month"),
    ],
)
async def leaderboard_command(
    interaction: Interaction, game: str | None = None, where: str = "server", period: str = "all"
) -> None:
    async def first_page(ctx: Context) -> None:
        await leaderboard(
            ctx, profiles_views.Cut(game or await played_here(ctx), where == "server", period == "month", 0)
        )

    await serve(interaction, "leaderboard", first_page)


@handles("leaders", "leaderswhere", "leadersgame", "leaderswhen")
async def turn_page(ctx: Context) -> None:
    cut = profiles_views.parse_cut(ctx.values[0] if ctx.values else ctx.press.argument)
    await leaderboard(ctx, cut or profiles_views.Cut(games()[0], True, False, 0))


async def leaderboard(ctx: Context, cut: profiles_views.Cut) -> None:
    services = ctx.services
    guild = ctx.guild_id if cut.server else EVERYWHERE
    page = await ProfileStore(services.store.transactions).leaderboard(guild, cut.game, lately=cut.month, page=cut.page)
    mine = await ProfileStore(services.store.transactions).own_rank(guild, cut.game, ctx.user_id, lately=cut.month)
    people = [row.user_id for row in page.rows]
    names = await services.names.people(ctx.guild_id, [*people, ctx.user_id], ctx.words)
    await ctx.show(Content(profiles_views.leaders_view(cut, page, mine, names, ctx.words)))


@handles("records", "recordsgame")
async def show_records(ctx: Context) -> None:
    meant = ctx.values[0] if ctx.values else ctx.press.argument
    game = meant if meant in games() else await played_here(ctx)
    found = await ProfileStore(ctx.services.store.transactions).records(ctx.guild_id, game)
    people = dict.fromkeys(record.user_id for listed in found.values() for record in listed)
    names = await ctx.services.names.people(ctx.guild_id, list(people), ctx.words)
    where = await where_played(ctx, {record.match_id for listed in found.values() for record in listed})
    await ctx.show(Content(profiles_views.records_view(game, found, names, where, ctx.words)))


@tiles.command(name="profile", description=localized("command.profile"))
@app_commands.describe(
    person=localized("parameter.profile_person"),
    game=localized("parameter.profile_game"),
    against=localized("parameter.profile_against"),
)
@app_commands.choices(game=GAMES)
async def profile_command(
    interaction: Interaction,
    person: discord.User | None = None,
    game: str | None = None,
    against: discord.User | None = None,
) -> None:
    async def show(ctx: Context) -> None:
        whose = person or ctx.interaction.user
        if against is not None:
            await rivals(ctx, Rivals(whose.id, against.id, game or ALL_GAMES))
        elif whose.id != ctx.user_id and not (await ctx.services.store.users.person(whose.id)).preferences.listed:
            await rivals(ctx, Rivals(ctx.user_id, whose.id, game or ALL_GAMES), note="rivals.unlisted")
        else:
            await profile(ctx, whose, game or await played_here(ctx))

    await serve(interaction, "profile", show)


async def profile(ctx: Context, person: discord.abc.User, game: str) -> None:
    words, store = ctx.words, ctx.services.store
    name = plain_name(person, words)
    found = await store.results.profile(person.id, ctx.guild_id, game)
    if found is None:
        await ctx.say(words("profile.none", name=safe(name), game=words(f"game.{game}")))
        return
    last = await ProfileStore(store.transactions).lately_played(person.id, ctx.guild_id, game, limit=LATEST_MATCHES)
    bests = await ProfileStore(store.transactions).bests(person.id, ctx.guild_id, game)
    records = await ProfileStore(store.transactions).records(ctx.guild_id, game, most=1)
    titles = [words("profile.title_first")] if found.rank == 1 else []
    held = [kind for kind, listed in records.items() if listed[0].user_id == person.id]
    titles += [words("profile.title_record", what=words(f"records.{kind}")) for kind in held]
    for section in SECTIONS:
        titles += await section.titles(ctx, person.id, game)
    text = profiles_views.bests_text(
        bests, titles, await where_played(ctx, {best.match_id for best in bests.values()}), words
    )
    more = [button(words("records.button"), Press("records", argument=game))]
    if person.id == ctx.user_id:
        for section in SECTIONS:
            text = "\n".join(filter(None, [text, await section.own_text(ctx, game, len(text))]))
        more = [*(one for section in SECTIONS for one in section.own_buttons(ctx, game)), *more]
    card = profiles_views.person_card(name, game, found, last, words)
    await _show(ctx, card, text, *rows(more))


@handles("rivals")
async def turn_rivals(ctx: Context) -> None:
    pair = profiles_views.parse_pair(ctx.values[0] if ctx.values else ctx.press.argument)
    await rivals(ctx, pair or Rivals(ctx.user_id, ctx.user_id))


async def rivals(ctx: Context, pair: Rivals, *, note: str = "") -> None:
    """Compare two players: the user and another, or two who are on the leaderboards."""
    words, store = ctx.words, ctx.services.store
    if pair.first == pair.second:
        await ctx.say(words("rivals.self"))
        return
    if ctx.user_id not in (pair.first, pair.second):
        listed = [(await store.users.person(user)).preferences.listed for user in (pair.first, pair.second)]
        if not all(listed):
            await ctx.say(words("rivals.private"))
            return
    plain = [await ctx.services.names.name(ctx.guild_id, user, words) for user in (pair.first, pair.second)]
    names, escaped = (plain[0], plain[1]), (safe(plain[0]), safe(plain[1]))
    said = f"{words(note, name=escaped[1])}\n" if note else ""
    game = None if pair.game == ALL_GAMES else pair.game
    found = await ProfileStore(store.transactions).rivalry(ctx.guild_id, pair.first, pair.second, game=game)
    if not found.meetings:
        text = words("rivals.none" if game is None else "rivals.none_game", one=escaped[0], other=escaped[1])
        await ctx.show(Content(profiles_views.rivals_bare_view(f"{said}{text}", pair, words)))
        return
    numbers = {best.match_id for best in (*found.best_moves, found.longest) if best is not None}
    text = profiles_views.rivals_text(escaped, found, await where_played(ctx, numbers), words)
    if ctx.user_id in (pair.first, pair.second):
        # Reviews are for the players.
        players = pair.first, pair.second
        added = [await section.rivals_text(ctx, players, escaped, game) for section in SECTIONS]
        text = "\n".join(filter(None, [text, *added]))
    under = [profiles_views.rivals_menu(pair, words)]
    if pair.first == ctx.user_id:
        under += rows(one for section in SECTIONS for one in section.rivals_buttons(ctx, pair.second, game))
    await _show(ctx, profiles_views.rivals_card(names, pair.game, found, words), f"{said}{text}", *under)


async def _show(ctx: Context, card: ProfileCard, text: str, *under: Item) -> None:
    image, alt = await drawn(card.drawn, scheme=ctx.scheme), card.alt(ctx.words)
    await ctx.show(Content(profiles_views.card_view(alt, text, *under), [file(CARD_FILE, image, alt)]))
