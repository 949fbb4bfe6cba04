"""`/tiles profile`: somebody's card, and two people beside each other.

Who stays off leaderboards shows their card to nobody else: others are told what they have both played, and no more.
"""

from typing import Final

import discord
from discord import app_commands, ui

from bot.core.command_groups import localized, serve, tiles
from bot.core.context import Context, Interaction, link, still_there
from bot.core.dispatch import handles
from bot.core.languages import at_once
from bot.core.layout import Item, Press, button, primary, rows
from bot.core.names import plain_name
from bot.core.pictures import drawn, file
from bot.core.profile_sections import SECTIONS
from bot.core.safe_text import safe
from bot.profiles import views
from bot.profiles.views import ALL_GAMES, CARD_FILE, ProfileCard, Rivals
from bot.sending.alerts import wanted_text
from bot.tables import move_labels
from bot.tables.fairness_views import GUIDE
from bot.tables.lobby_commands import GAMES, guide
from bot.tables.messages import Content
from bot.tables.rules_text import whynot_view
from bot.tables.service import Table
from bot.tables.visible_tables import open_tables, where_played
from data.rulebook import games
from data.store.profiles.store import ProfileStore
from data.store.results.scores import EVERYWHERE
from engine.match.errors import Why

LISTED: Final = 20
"""So many tables have a line and a button in the list; a server allows a person no more unless it is told to."""
LENGTH: Final = 3900
"""Characters of a message that the lines may fill, of the 4000 there are."""
NAMED: Final = 3
"""So many people of a table are named in its line."""


@tiles.command(name="games", description=localized("command.games"))
async def games_command(interaction: Interaction) -> None:
    """`/tiles games`."""
    await serve(interaction, "games", my_games)


async def my_games(ctx: Context) -> None:
    """The asker's tables on this server, those that wait for them first, and the open ones they could sit down at."""
    words = ctx.words
    tables = [table for table in await ctx.services.tables.of(ctx.user_id) if table.head.guild_id == ctx.guild_id]
    offers, joins = await open_tables(ctx)
    text = f"## {words('tables.title')}" if tables else words("tables.none")
    buttons: list[ui.Button[ui.LayoutView]] = []
    listed = 0
    for table in tables[:LISTED]:
        line, under = await _table_line(ctx, table)
        if ctx.services.announcer.is_closed(table.head.match_id) and await still_there(ctx, table):
            line += f"\n-# {words('trouble.listed', match=table.head.match_id)}"
        if len(text) + len(line) >= LENGTH - len(offers):
            break
        text += f"\n{line}"
        buttons += under
        listed += 1
    if listed < len(tables):
        text += f"\n{words('tables.more', n=len(tables) - listed)}"
    for aside in (await ctx.services.store.quarantine.quarantined(guild_id=ctx.guild_id, user_id=ctx.user_id))[:NAMED]:
        text += f"\n-# {words('tables.aside', match=aside.match_id)}"
    text += f"\n{offers}" if offers else ""
    wanted = await ctx.services.store.alerts.alerts_wanted(ctx.user_id, ctx.guild_id)
    if wanted and not any(wanted.values()):
        text += f"\n{wanted_text(wanted, words)}"
    await ctx.say(text, *buttons, *joins, button(words("alerts.choose"), Press("alerts")))


async def _table_line(ctx: Context, table: Table) -> tuple[str, list[ui.Button[ui.LayoutView]]]:
    words, match_id = ctx.words, table.head.match_id
    names = (await ctx.messages.names(table)).safe
    others = [name for seat, name in enumerate(names) if seat != table.seat_of(ctx.user_id)]
    named = move_labels.listed(words, others[:NAMED])
    if len(others) > NAMED:
        named = words("and.more", list=named, n=len(others) - NAMED)
    facts = {"game": words(f"game.{table.terms.game}"), "names": named, "link": link(table)}
    if not await still_there(ctx, table):
        bring = primary(words("tables.bring", match=match_id), Press("bring", match_id))
        return words("tables.gone", **facts), [bring]
    if table.head.state == "lobby":
        return words("tables.lobby", **facts), []
    hand = button(words("tables.hand", match=match_id), Press("hand", match_id))
    if table.turn_user() == ctx.user_id:
        return words("tables.mine", **facts), [hand]
    return words("tables.theirs", turn=names[table.match.turn], **facts), [hand]


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
    """`/tiles leaderboard`."""

    async def first_page(ctx: Context) -> None:
        await leaderboard(ctx, views.Cut(game or await played_here(ctx), where == "server", period == "month", 0))

    await serve(interaction, "leaderboard", first_page)


@handles("leaders", "leaderswhere", "leadersgame", "leaderswhen")
async def turn_page(ctx: Context) -> None:
    """A button or menu of the leaderboard: everything it shows is in the argument."""
    cut = views.parse_cut(ctx.values[0] if ctx.values else ctx.press.argument)
    await leaderboard(ctx, cut or views.Cut(games()[0], True, False, 0))


async def leaderboard(ctx: Context, cut: views.Cut) -> None:
    """One page of a leaderboard, with the asker's own rank."""
    services = ctx.services
    guild = ctx.guild_id if cut.server else EVERYWHERE
    page = await ProfileStore(services.store.transactions).leaderboard(guild, cut.game, lately=cut.month, page=cut.page)
    mine = await ProfileStore(services.store.transactions).own_rank(guild, cut.game, ctx.user_id, lately=cut.month)
    people = [row.user_id for row in page.rows]
    names = await services.names.people(ctx.guild_id, [*people, ctx.user_id], ctx.words)
    await ctx.show(Content(views.leaders_view(cut, page, mine, names, ctx.words)))


@handles("records", "recordsgame")
async def show_records(ctx: Context) -> None:
    """The records of this server in a game, which is the argument, or was chosen; and where the asker finds each."""
    meant = ctx.values[0] if ctx.values else ctx.press.argument
    game = meant if meant in games() else await played_here(ctx)
    found = await ProfileStore(ctx.services.store.transactions).records(ctx.guild_id, game)
    people = dict.fromkeys(record.user_id for listed in found.values() for record in listed)
    names = await ctx.services.names.people(ctx.guild_id, list(people), ctx.words)
    where = await where_played(ctx, {record.match_id for listed in found.values() for record in listed})
    await ctx.show(Content(views.records_view(game, found, names, where, ctx.words)))


async def played_here(ctx: Context) -> str:
    """The game that is played in this channel, or was last: most likely it is the one that is meant."""
    table = await ctx.services.tables.here(ctx.channel_id)
    return games()[0] if table is None else table.terms.game


@tiles.command(name="help", description=localized("command.help"))
@app_commands.describe(why=localized("parameter.help_why"), guided=localized("parameter.help_guided"))
async def help_command(interaction: Interaction, why: str | None = None, guided: bool = False) -> None:
    """`/tiles help`."""
    if guided:
        await serve(interaction, "guide", guide)
        return

    async def explain(ctx: Context) -> None:
        ctx.press = Press("why", argument=why or "")
        await why_not(ctx)

    await serve(interaction, "help", help_text if why is None else explain)


@help_command.autocomplete("why")
async def why_choices(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """The refusals there are."""
    said = at_once(interaction)
    named = ((said(f"whyname.{why}"), why.value) for why in Why)
    typed = current.strip().lower()
    found = [app_commands.Choice(name=name, value=value) for name, value in named if typed in f"{name} {value}".lower()]
    return found[:25]


@handles("why")
async def why_not(ctx: Context) -> None:
    """The rule behind a refusal. The argument is its code, or words out of its name."""
    meant = ctx.press.argument.strip().lower()
    named = {why: ctx.words(f"whyname.{why}").lower() for why in Why}
    found = next((why for why, name in named.items() if meant and meant in (why.value.lower(), name)), None)
    if found is None:
        await help_text(ctx)
        return
    await ctx.show_aside(Content(whynot_view(found, ctx.words)))


async def help_text(ctx: Context) -> None:
    """Three steps, a guided game or a practice table to try them on, and what there is for one person."""
    words = ctx.words
    more = [one for section in SECTIONS for one in await section.help_buttons(ctx)]
    await ctx.say(
        words("help.text"),
        primary(words("help.guide"), GUIDE),
        button(words("help.practice"), Press("practice")),
        button(words("lobby.rules"), Press("rules")),
        *more,
    )


LAST: Final = 100
"""So many of somebody's last matches make the course of their rating."""


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
    """`/tiles profile`."""

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
    """A card as a picture, with the same facts as its alt text; and the match of each best."""
    words, store = ctx.words, ctx.services.store
    name = plain_name(person, words)
    found = await store.results.profile(person.id, ctx.guild_id, game)
    if found is None:
        await ctx.say(words("profile.none", name=safe(name), game=words(f"game.{game}")))
        return
    last = await ProfileStore(store.transactions).lately_played(person.id, ctx.guild_id, game, limit=LAST)
    bests = await ProfileStore(store.transactions).bests(person.id, ctx.guild_id, game)
    records = await ProfileStore(store.transactions).records(ctx.guild_id, game, most=1)
    titles = [words("profile.title_first")] if found.rank == 1 else []
    held = [kind for kind, listed in records.items() if listed[0].user_id == person.id]
    titles += [words("profile.title_record", what=words(f"records.{kind}")) for kind in held]
    for section in SECTIONS:
        titles += await section.titles(ctx, person.id, game)
    text = views.bests_text(bests, titles, await where_played(ctx, {best.match_id for best in bests.values()}), words)
    more = [button(words("records.button"), Press("records", argument=game))]
    if person.id == ctx.user_id:
        for section in SECTIONS:
            text = "\n".join(filter(None, [text, await section.own_text(ctx, game, len(text))]))
        more = [*(one for section in SECTIONS for one in section.own_buttons(ctx, game)), *more]
    card = views.person_card(name, game, found, last, words)
    await _show(ctx, card, text, *rows(more))


@handles("rivals")
async def turn_rivals(ctx: Context) -> None:
    """The menu under two people: both of them and the game are in what was chosen."""
    pair = views.parse_pair(ctx.values[0] if ctx.values else ctx.press.argument)
    await rivals(ctx, pair or Rivals(ctx.user_id, ctx.user_id))


async def rivals(ctx: Context, pair: Rivals, *, note: str = "") -> None:
    """Two people beside each other: the asker and anybody, or two of whom both stand on leaderboards."""
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
        await ctx.show(Content(views.rivals_bare_view(f"{said}{text}", pair, words)))
        return
    numbers = {best.match_id for best in (*found.best_moves, found.longest) if best is not None}
    text = views.rivals_text(escaped, found, await where_played(ctx, numbers), words)
    if ctx.user_id in (pair.first, pair.second):
        # Reviews are for those who played.
        players = pair.first, pair.second
        added = [await section.rivals_text(ctx, players, escaped, game) for section in SECTIONS]
        text = "\n".join(filter(None, [text, *added]))
    under = [views.rivals_menu(pair, words)]
    if pair.first == ctx.user_id:
        under += rows(one for section in SECTIONS for one in section.rivals_buttons(ctx, pair.second, game))
    await _show(ctx, views.rivals_card(names, pair.game, found, words), f"{said}{text}", *under)


async def _show(ctx: Context, card: ProfileCard, text: str, *under: Item) -> None:
    image, alt = await drawn(card.drawn, scheme=ctx.scheme), card.alt(ctx.words)
    await ctx.show(Content(views.card_view(alt, text, *under), [file(CARD_FILE, image, alt)]))
