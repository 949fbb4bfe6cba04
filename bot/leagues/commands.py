"""`/tiles-league`: start, move and end seasons and tournaments, and sign up for them."""

from typing import Final

import discord
from discord import app_commands

from bot.core.command_groups import localized, serve
from bot.core.context import Context, Interaction, check_permissions
from bot.core.dispatch import handles
from bot.core.formats import moment
from bot.core.layout import address
from bot.core.pictures import file
from bot.core.profile_sections import SECTIONS, ProfileSection
from bot.leagues import views as leagues_views
from bot.leagues.season_jobs import Seasons
from bot.leagues.service import LONGEST_NAME, LeagueBook, LeagueSeason, SeasonTitle, SeasonTitles
from bot.tables.lobbies import Invitation
from bot.tables.lobby_commands import GAMES
from bot.tables.messages import Content
from bot.tables.move_labels import listed
from bot.tables.opening_commands import clock_choices
from bot.tables.visible_tables import may_hear, season_address, visible
from data.rulebook import games
from data.store.leagues.seasons import UNDER_WAY
from engine.leagues.season import MOST_DIVISION, Conditions
from engine.table.refusals import No, Refused
from engine.table.terms import DAY, MINUTE

PACE = "bank 3d+12h"  # the default clock of a league match. No player waits longer than three days.

LIVE = "live 3m"  # the default clock of a tournament match. An absent player has three minutes to come back.
MOST_ROUNDS = 9
KINDS = [
    app_commands.Choice(name=localized("tournament.kind_swiss"), value="swiss"),
    app_commands.Choice(name=localized("tournament.kind_knockout"), value="knockout"),
]

leagues = app_commands.Group(name="tiles-league", description=localized("command.league"), guild_only=True)


@leagues.command(name="start", description=localized("command.league_start"))
@app_commands.describe(
    name=localized("parameter.league_name"),
    game=localized("parameter.new_game"),
    days=localized("parameter.league_days"),
    signup=localized("parameter.league_signup"),
    size=localized("parameter.league_size"),
    target=localized("parameter.new_target"),
    clock=localized("parameter.new_clock"),
    again=localized("parameter.league_again"),
)
@app_commands.choices(game=GAMES)
async def league_start_command(
    interaction: Interaction,
    name: app_commands.Range[str, 1, LONGEST_NAME],
    game: str | None = None,
    days: app_commands.Range[int, 7, 90] = 28,
    signup: app_commands.Range[int, 1, 30] = 7,
    size: app_commands.Range[int, 4, 6] = MOST_DIVISION,
    target: app_commands.Range[int, 10, 5000] | None = None,
    clock: str = PACE,
    again: bool = False,
) -> None:
    async def start(ctx: Context) -> None:
        now = ctx.services.now()
        conditions = Conditions(
            name=name,
            game=game or games()[0],
            clock=clock,
            signup_until=now + signup * DAY,
            length=days * DAY,
            target=0,
            size=size,
            again=again,
            signup=signup * DAY,
        )
        await _announce(ctx, conditions, target, "league.announced")

    await serve(interaction, "leaguestart", start)


league_start_command.autocomplete("clock")(clock_choices)


@leagues.command(name="tournament", description=localized("command.league_tournament"))
@app_commands.describe(
    name=localized("parameter.tournament_name"),
    kind=localized("parameter.tournament_kind"),
    game=localized("parameter.new_game"),
    rounds=localized("parameter.tournament_rounds"),
    signup=localized("parameter.tournament_signup"),
    minutes=localized("parameter.tournament_minutes"),
    target=localized("parameter.new_target"),
    clock=localized("parameter.new_clock"),
)
@app_commands.choices(game=GAMES, kind=KINDS)
async def league_tournament_command(
    interaction: Interaction,
    name: app_commands.Range[str, 1, LONGEST_NAME],
    kind: str,
    game: str | None = None,
    rounds: app_commands.Range[int, 2, MOST_ROUNDS] | None = None,
    signup: app_commands.Range[int, 5, 1440] = 30,
    minutes: app_commands.Range[int, 15, 180] = 45,
    target: app_commands.Range[int, 10, 5000] | None = None,
    clock: str = LIVE,
) -> None:
    async def start(ctx: Context) -> None:
        now = ctx.services.now()
        conditions = Conditions(
            name=name,
            game=game or games()[0],
            clock=clock,
            signup_until=now + signup * MINUTE,
            length=0,
            target=0,
            at_once=1,
            kind="knockout" if kind == "knockout" else "swiss",
            rounds=rounds or 0,
            round_time=minutes * MINUTE,
        )
        await _announce(ctx, conditions, target, "tournament.announced")

    await serve(interaction, "leaguetournament", start)


league_tournament_command.autocomplete("clock")(clock_choices)


@leagues.command(name="begin", description=localized("command.league_begin"))
async def league_begin_command(interaction: Interaction) -> None:
    async def begin(ctx: Context) -> None:
        _check_moderator(ctx)
        found = await ctx.services[LeagueBook].begin((await _meant(ctx)).head.season_id, ctx.guild_id)
        await ctx.services[Seasons].go_on(found.head.season_id)
        key = "tournament.begun" if found.season.is_tournament else "league.begun"
        await ctx.say(ctx.words(key, channel=f"<#{found.head.channel_id}>"))

    await serve(interaction, "leaguebegin", begin)


@leagues.command(name="table", description=localized("command.league_table"))
async def league_table_command(interaction: Interaction) -> None:
    await serve(interaction, "season", show_season)


@leagues.command(name="end", description=localized("command.league_end"))
async def league_end_command(interaction: Interaction) -> None:
    async def end(ctx: Context) -> None:
        _check_moderator(ctx)
        found = await ctx.services[LeagueBook].end((await _meant(ctx)).head.season_id, ctx.guild_id)
        await ctx.services[Seasons].go_on(found.head.season_id)
        key = "tournament.ended" if found.season.is_tournament else "league.ended"
        await ctx.say(ctx.words(key, channel=f"<#{found.head.channel_id}>"))

    await serve(interaction, "leagueend", end)


@leagues.command(name="move", description=localized("command.league_move"))
async def league_move_command(interaction: Interaction) -> None:
    async def move(ctx: Context) -> None:
        _check_moderator(ctx)
        _check_has_threads(ctx)
        found = await _meant(ctx)
        if found.season.state not in UNDER_WAY:
            raise Refused(No.TOURNAMENT_OVER if found.season.is_tournament else No.SEASON_OVER)
        await ctx.services[Seasons].move(found, ctx.channel_id)
        await ctx.say(ctx.words("league.moved", channel=f"<#{ctx.channel_id}>"))

    await serve(interaction, "leaguemove", move)


@handles("signup")
async def sign_up(ctx: Context) -> None:
    await _pressed(ctx)
    found = await ctx.services[LeagueBook].sign_up(ctx.press.table, ctx.guild_id, ctx.user_id)
    await ctx.services[Seasons].go_on(found.head.season_id)
    facts = {"name": leagues_views.title_of(found, ctx.words), "channel": f"<#{found.head.channel_id}>"}
    await ctx.say(ctx.words("tournament.signed_up" if found.season.is_tournament else "league.signed_up", **facts))


@handles("signoff")
async def sign_off(ctx: Context) -> None:
    """Withdraw from a season. A running season asks for confirmation, because leaving is final."""
    services, season_id = ctx.services, ctx.press.table
    found = await _pressed(ctx)
    player = found.player(ctx.user_id)
    if found.season.state == "running" and found.plays(ctx.user_id) and ctx.press.argument != "sure":
        assert player is not None, "they play in it"
        text, leave = leagues_views.leave_question(found, player, ctx.words)
        await ctx.say(text, leave)
        return
    after = await services[LeagueBook].withdraw(season_id, ctx.guild_id, ctx.user_id)
    for fixture in found.season.undecided:
        if player in fixture.players and fixture.number in found.season.opened:
            services.announcer.refresh(found.season.opened[fixture.number])
    await services[Seasons].go_on(season_id)
    if after.season.state == "signup":
        until = moment(after.season.conditions.signup_until, "f")
        await ctx.say(ctx.words("league.withdrawn", until=until))
    else:
        await ctx.say(ctx.words("tournament.left" if after.season.is_tournament else "league.left"))


@handles("season")
async def show_season(ctx: Context) -> None:
    """Show a division with the user's matches, the user's own division first; before the start, the players."""
    found = await _meant(ctx)
    words, seasons = ctx.words, ctx.services[Seasons].messages
    called = await seasons.called(found, words)
    lacking = seasons.lacking(found.head, words)
    if not found.season.divisions:
        await ctx.show(Content(leagues_views.season_view(found, called, words, permissions=lacking)))
        return
    player = found.player(ctx.user_id)
    division = _division(ctx, found, player)
    alt = leagues_views.page_alt(found, division, called, words)
    image = await seasons.picture(found, division, called, words, ctx.scheme)
    mine = await _own_matches(ctx, found, player, called)
    view = leagues_views.table_view(found, division, mine, called, alt, words, lacking)
    await ctx.show(Content(view, [file(leagues_views.LEAGUE_FILE, image, alt)]))


@handles("seasonrules")
async def season_rules(ctx: Context) -> None:
    found = await _pressed(ctx)
    await ctx.say(leagues_views.season_rules_text(found, ctx.words))


def _division(ctx: Context, found: LeagueSeason, player: int | None) -> int:
    if ctx.press.argument.isdecimal():
        return min(int(ctx.press.argument[:3]), leagues_views.pages_of(found) - 1)
    return leagues_views.page_of(found, player)


async def _own_matches(
    ctx: Context, found: LeagueSeason, player: int | None, called: leagues_views.SeasonNames
) -> list[str]:
    if player is None:
        return []
    heads = {head.match_id: head for head in await ctx.services.store.matches.heads(list(found.season.opened.values()))}
    lines = []
    for fixture in found.season.fixtures_of(player):
        other = fixture.players[1 - fixture.players.index(player)]
        head = heads.get(found.season.opened.get(fixture.number, 0))
        link = address(head) if head is not None and visible(ctx, head.channel_id) else ctx.words("league.its_thread")
        now = ctx.services.now()
        lines.append(leagues_views.own_line(found, fixture, player, called.safe[other], link, ctx.words, now))
    return lines


async def _meant(ctx: Context) -> LeagueSeason:
    if ctx.press.table:
        return await _pressed(ctx)
    return await ctx.services[LeagueBook].newest(ctx.guild_id, ctx.channel_id, lambda found: _may_know(ctx, found))


async def _pressed(ctx: Context) -> LeagueSeason:
    """Return the season of a button. Raises Refused(NO_SUCH_SEASON)."""
    found = await ctx.services[LeagueBook].season(ctx.press.table, ctx.guild_id)
    if not _may_know(ctx, found):
        raise Refused(No.NO_SUCH_SEASON)
    return found


def _may_know(ctx: Context, found: LeagueSeason) -> bool:
    """Return whether the user sees the channel of a season, plays in it, or manages the server."""
    plays = found.player(ctx.user_id) is not None
    return plays or ctx.interaction.permissions.manage_guild or may_hear(ctx, found.head.channel_id)


async def _announce(ctx: Context, conditions: Conditions, target: int | None, key: str) -> None:
    """Announce a season. Raises Refused if the user may not, or the channel cannot have matches."""
    _check_moderator(ctx)
    _check_has_threads(ctx)
    await ctx.services.guilds.check_place(ctx.guild_id, {ctx.channel_id})
    asked = Invitation(
        guild_id=ctx.guild_id,
        channel_id=ctx.channel_id,
        host_id=ctx.user_id,
        game=conditions.game,
        seats=2,
        target=target,
        clock=conditions.clock,
    )
    found = await ctx.services[LeagueBook].announce(asked, conditions, request=ctx.interaction.id)
    await ctx.services[Seasons].go_on(found.head.season_id)
    await ctx.say(ctx.words(key, channel=f"<#{ctx.channel_id}>"))


def _check_has_threads(ctx: Context) -> None:
    if not isinstance(ctx.interaction.channel, discord.TextChannel):
        raise Refused(No.NO_THREADS)
    check_permissions(ctx, thread=True)


def _check_moderator(ctx: Context) -> None:
    if not ctx.interaction.permissions.manage_guild:
        raise Refused(No.MODERATORS_ONLY)


SEASONS: Final = 5  # the most titles that a card names


class SeasonTitlesSection(ProfileSection):
    async def titles(self, ctx: Context, user_id: int, game: str) -> list[str]:
        """Return the seasons that a player has won, without those of channels that the user cannot see."""
        told = [
            leagues_views.season_title(one.conditions, season_address(ctx, one.channel_id, one.message_id), ctx.words)
            for one in await ctx.services[SeasonTitles].of(user_id, ctx.guild_id, game)
            if may_hear(ctx, one.channel_id)
        ]
        more = len(told) - SEASONS
        return [*told[:SEASONS], *([ctx.words("history.more", n=more)] if more > 0 else [])]


SECTIONS.append(SeasonTitlesSection())


@handles("pastseasons")
async def show_past(ctx: Context) -> None:
    """Show the last seasons, newest first, without those of channels that the user cannot see."""
    found = await ctx.services[SeasonTitles].all(ctx.guild_id)
    lines = [await _line(ctx, one) for one in found if may_hear(ctx, one.channel_id)]
    await ctx.show(Content(leagues_views.past_view(lines, ctx.press.table, ctx.words)))


async def _line(ctx: Context, one: SeasonTitle) -> str:
    nobody = ctx.words("name.somebody")
    names = [nobody if user is None else await ctx.name(user) for user in one.winners]
    winner = listed(ctx.words, [f"**{name}**" for name in names]) if names else ""
    return leagues_views.past_row(
        one.conditions, season_address(ctx, one.channel_id, one.message_id), winner, ctx.words
    )
