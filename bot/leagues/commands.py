"""`/tiles-league`: start, move and end seasons and tournaments, and sign up for them."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import discord
from discord import app_commands

from bot.core.choices import NamesByValue, localize, suggest
from bot.core.command_groups import serve
from bot.core.context import Context, Interaction, check_permissions
from bot.core.dispatch import register_handler
from bot.core.formats import normalize_clock
from bot.core.layout import format_board_link, format_timestamp
from bot.core.pictures import build_file
from bot.core.profile_sections import SECTIONS, ProfileSection
from bot.leagues import views
from bot.leagues.season_jobs import SeasonRunner
from bot.leagues.service import LONGEST_NAME, LeagueSeason, LeagueService, SeasonTitle, SeasonTitleFinder
from bot.tables.lobbies import TableRequest
from bot.tables.lobby_commands import GAME_CHOICES
from bot.tables.messages import Content
from bot.tables.move_labels import format_list
from bot.tables.opening_commands import list_clock_choices
from bot.tables.visible_tables import can_learn_name, format_season_link, is_visible
from data.rulebook import list_games
from data.store.leagues.seasons import UNDER_WAY
from engine.leagues.season import MAX_DIVISION, Conditions
from engine.table.refusals import Refusal, RefusalError
from engine.table.terms import DAY, MINUTE

LEAGUE_CLOCK = "bank 3d+12h"  # the default clock of a league match. No player waits longer than three days.

SEASON_CLOCKS = (LEAGUE_CLOCK, "days 1d", "days 3d", "bank 7d+12h")
TOURNAMENT_CLOCK = "live 3m"  # the default clock of a tournament match. An absent player has three minutes to return.
TOURNAMENT_CLOCKS = (TOURNAMENT_CLOCK, "live 1m", "live 2m", "live 5m", "live 10m")
MAX_ROUNDS = 9
KINDS = [
    app_commands.Choice(name=localize("tournament.kind_swiss"), value="swiss"),
    app_commands.Choice(name=localize("tournament.kind_knockout"), value="knockout"),
]

leagues = app_commands.Group(name="tiles-league", description=localize("command.league"), guild_only=True)


@leagues.command(name="start", description=localize("command.league_start"))
@app_commands.describe(
    name=localize("parameter.league_name"),
    game=localize("parameter.new_game"),
    days=localize("parameter.league_days"),
    signup=localize("parameter.league_signup"),
    size=localize("parameter.league_size"),
    target=localize("parameter.new_target"),
    clock=localize("parameter.new_clock"),
    again=localize("parameter.league_again"),
)
@app_commands.choices(game=GAME_CHOICES)
async def league_start_command(
    interaction: Interaction,
    name: app_commands.Range[str, 1, LONGEST_NAME],
    game: str | None = None,
    days: app_commands.Range[int, 7, 90] = 28,
    signup: app_commands.Range[int, 1, 30] = 7,
    size: app_commands.Range[int, 4, 6] = MAX_DIVISION,
    target: app_commands.Range[int, 10, 5000] | None = None,
    clock: str = LEAGUE_CLOCK,
    again: bool = False,
) -> None:
    async def start(ctx: Context) -> None:
        now = ctx.services.now()
        conditions = Conditions(
            name=name,
            game=game or list_games()[0],
            clock=normalize_clock(clock),
            signup_until=now + signup * DAY,
            length=days * DAY,
            target=0,
            size=size,
            again=again,
            signup=signup * DAY,
        )
        await _announce(ctx, conditions, target, "league.announced")

    await serve(interaction, "leaguestart", start)


@suggest(league_start_command, "clock")
async def suggest_season_clocks(ctx: Context, typed: str, _: Mapping[str, str]) -> NamesByValue:
    return list_clock_choices(SEASON_CLOCKS, ctx.words, typed)


@leagues.command(name="tournament", description=localize("command.league_tournament"))
@app_commands.describe(
    name=localize("parameter.tournament_name"),
    kind=localize("parameter.tournament_kind"),
    game=localize("parameter.new_game"),
    rounds=localize("parameter.tournament_rounds"),
    signup=localize("parameter.tournament_signup"),
    minutes=localize("parameter.tournament_minutes"),
    target=localize("parameter.new_target"),
    clock=localize("parameter.new_clock"),
)
@app_commands.choices(game=GAME_CHOICES, kind=KINDS)
async def league_tournament_command(
    interaction: Interaction,
    name: app_commands.Range[str, 1, LONGEST_NAME],
    kind: str,
    game: str | None = None,
    rounds: app_commands.Range[int, 2, MAX_ROUNDS] | None = None,
    signup: app_commands.Range[int, 5, 1440] = 30,
    minutes: app_commands.Range[int, 15, 180] = 45,
    target: app_commands.Range[int, 10, 5000] | None = None,
    clock: str = TOURNAMENT_CLOCK,
) -> None:
    async def start(ctx: Context) -> None:
        now = ctx.services.now()
        conditions = Conditions(
            name=name,
            game=game or list_games()[0],
            clock=normalize_clock(clock),
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


@suggest(league_tournament_command, "clock")
async def suggest_tournament_clocks(ctx: Context, typed: str, _: Mapping[str, str]) -> NamesByValue:
    return list_clock_choices(TOURNAMENT_CLOCKS, ctx.words, typed)


@leagues.command(name="begin", description=localize("command.league_begin"))
async def league_begin_command(interaction: Interaction) -> None:
    async def begin(ctx: Context) -> None:
        await _change_season(ctx, ctx.services[LeagueService].begin, "league.begun", "tournament.begun")

    await serve(interaction, "leaguebegin", begin)


@leagues.command(name="table", description=localize("command.league_table"))
async def league_table_command(interaction: Interaction) -> None:
    await serve(interaction, "season", show_season)


@leagues.command(name="end", description=localize("command.league_end"))
async def league_end_command(interaction: Interaction) -> None:
    async def end(ctx: Context) -> None:
        try:
            await _change_season(ctx, ctx.services[LeagueService].end, "league.ended", "tournament.ended")
        except RefusalError as refused:
            if refused.why is not Refusal.SEASON_DAMAGED:
                raise
            await ctx.services[LeagueService].close_damaged(int(str(refused.facts["season"])), ctx.guild_id)
            await ctx.say(ctx.words("league.closed"))

    await serve(interaction, "leagueend", end)


async def _change_season(
    ctx: Context, change: Callable[[int, int], Awaitable[LeagueSeason]], league_key: str, tournament_key: str
) -> None:
    """Begin or end the season that is meant, and say so with one of these texts."""
    _check_moderator(ctx)
    league = await change((await _load_requested_season(ctx)).head.season_id, ctx.guild_id)
    await ctx.services[SeasonRunner].run_now(league.head.season_id)
    key = tournament_key if league.season.is_tournament else league_key
    await ctx.say(ctx.words(key, channel=f"<#{league.head.channel_id}>"))


@leagues.command(name="move", description=localize("command.league_move"))
async def league_move_command(interaction: Interaction) -> None:
    async def move(ctx: Context) -> None:
        _check_moderator(ctx)
        _check_has_threads(ctx)
        league = await _load_requested_season(ctx)
        if league.season.state not in UNDER_WAY:
            raise RefusalError(Refusal.TOURNAMENT_OVER if league.season.is_tournament else Refusal.SEASON_OVER)
        await ctx.services[SeasonRunner].move(league, ctx.channel_id)
        await ctx.say(ctx.words("league.moved", channel=f"<#{ctx.channel_id}>"))

    await serve(interaction, "leaguemove", move)


@register_handler("signup")
async def sign_up(ctx: Context) -> None:
    await _load_pressed_season(ctx)
    league = await ctx.services[LeagueService].sign_up(ctx.custom_id.table, ctx.guild_id, ctx.user_id)
    await ctx.services[SeasonRunner].run_now(league.head.season_id)
    facts = {"name": views.format_title(league, ctx.words), "channel": f"<#{league.head.channel_id}>"}
    await ctx.say(ctx.words("tournament.signed_up" if league.season.is_tournament else "league.signed_up", **facts))


@register_handler("signoff")
async def sign_off(ctx: Context) -> None:
    """Withdraw from a season. A running season asks for confirmation, because leaving is final."""
    services, season_id = ctx.services, ctx.custom_id.table
    league = await _load_pressed_season(ctx)
    player = league.find_player(ctx.user_id)
    if league.season.state == "running" and league.has_player(ctx.user_id) and ctx.custom_id.argument != "sure":
        assert player is not None, "they play in it"
        text, leave = views.build_leave_question(league, player, ctx.words)
        await ctx.say(text, leave)
        return
    after = await services[LeagueService].withdraw(season_id, ctx.guild_id, ctx.user_id)
    for fixture in league.season.undecided_fixtures:
        if player in fixture.players and fixture.number in league.season.match_ids:
            services.announcer.refresh(league.season.match_ids[fixture.number])
    await services[SeasonRunner].run_now(season_id)
    if after.season.state == "signup":
        until = format_timestamp(after.season.conditions.signup_until, "f")
        await ctx.say(ctx.words("league.withdrawn", until=until))
    else:
        await ctx.say(ctx.words("tournament.left" if after.season.is_tournament else "league.left"))


@register_handler("season")
async def show_season(ctx: Context) -> None:
    """Show a division with the user's matches, the user's own division first; before the start, the players."""
    league = await _load_requested_season(ctx)
    words, seasons = ctx.words, ctx.services[SeasonRunner].messages
    names = await seasons.load_names(league, words)
    permissions = seasons.format_missing_permissions(league.head, words)
    if not league.season.divisions:
        await ctx.show(Content(views.build_season_view(league, names, words, permissions=permissions)))
        return
    player = league.find_player(ctx.user_id)
    division = _choose_division(ctx, league, player)
    alt = views.format_page_alt(league, division, names, words)
    image = await seasons.render_picture(league, division, names, words, ctx.scheme)
    own_matches = await _format_own_matches(ctx, league, player, names)
    view = views.build_table_view(league, division, own_matches, names, alt, words, permissions)
    await ctx.show(Content(view, [build_file(views.LEAGUE_FILE, image, alt)]))


@register_handler("seasonrules")
async def show_season_rules(ctx: Context) -> None:
    league = await _load_pressed_season(ctx)
    await ctx.say(views.format_season_rules(league, ctx.words))


def _choose_division(ctx: Context, league: LeagueSeason, player: int | None) -> int:
    if ctx.custom_id.argument.isdecimal():
        return min(int(ctx.custom_id.argument[:3]), views.count_pages(league) - 1)
    return views.choose_page(league, player)


async def _format_own_matches(
    ctx: Context, league: LeagueSeason, player: int | None, names: views.SeasonNames
) -> list[str]:
    if player is None:
        return []
    match_ids = list(league.season.match_ids.values())
    heads = {head.match_id: head for head in await ctx.services.store.matches.list_heads(match_ids)}
    lines, now = [], ctx.services.now()
    for fixture in league.season.iterate_fixtures(player):
        other = fixture.players[1 - fixture.players.index(player)]
        head = heads.get(league.season.match_ids.get(fixture.number, 0))
        link = ctx.words("league.its_thread")
        if head is not None and is_visible(ctx, head.channel_id):
            link = format_board_link(head)
        lines.append(views.format_own_match(league, fixture, player, names.safe[other], link, ctx.words, now))
    return lines


async def _load_requested_season(ctx: Context) -> LeagueSeason:
    if ctx.custom_id.table:
        return await _load_pressed_season(ctx)
    return await ctx.services[LeagueService].load_nearest(
        ctx.guild_id, ctx.channel_id, lambda league: _can_see_season(ctx, league)
    )


async def _load_pressed_season(ctx: Context) -> LeagueSeason:
    """Return the season of a button. Raises RefusalError(NO_SUCH_SEASON)."""
    league = await ctx.services[LeagueService].load(ctx.custom_id.table, ctx.guild_id)
    if not _can_see_season(ctx, league):
        raise RefusalError(Refusal.NO_SUCH_SEASON)
    return league


def _can_see_season(ctx: Context, league: LeagueSeason) -> bool:
    """Return whether the user sees the channel of a season, plays in it, or manages the server."""
    plays = league.find_player(ctx.user_id) is not None
    return plays or ctx.interaction.permissions.manage_guild or can_learn_name(ctx, league.head.channel_id)


async def _announce(ctx: Context, conditions: Conditions, target: int | None, key: str) -> None:
    """Announce a season. Raises RefusalError if the user may not, or the channel cannot have matches."""
    _check_moderator(ctx)
    _check_has_threads(ctx)
    await ctx.services.guilds.check_place(ctx.guild_id, {ctx.channel_id})
    table_request = TableRequest(
        guild_id=ctx.guild_id,
        channel_id=ctx.channel_id,
        host_id=ctx.user_id,
        game=conditions.game,
        seats=2,
        target=target,
        clock=conditions.clock,
    )
    league = await ctx.services[LeagueService].announce(table_request, conditions, request=ctx.interaction.id)
    await ctx.services[SeasonRunner].run_now(league.head.season_id)
    await ctx.say(ctx.words(key, channel=f"<#{ctx.channel_id}>"))


def _check_has_threads(ctx: Context) -> None:
    if not isinstance(ctx.interaction.channel, discord.TextChannel):
        raise RefusalError(Refusal.NO_THREADS)
    check_permissions(ctx, thread=True)


def _check_moderator(ctx: Context) -> None:
    if not ctx.interaction.permissions.manage_guild:
        raise RefusalError(Refusal.MODERATORS_ONLY)


MAX_TITLES: Final = 5  # the most titles that a card names


class SeasonTitlesSection(ProfileSection):
    async def list_titles(self, ctx: Context, user_id: int, game: str) -> list[str]:
        """Return the seasons that a player has won, without those of channels that the user cannot see."""
        titles = []
        for one in await ctx.services[SeasonTitleFinder].list_for_user(user_id, ctx.guild_id, game):
            if can_learn_name(ctx, one.channel_id):
                url = format_season_link(ctx, one.channel_id, one.message_id)
                titles.append(views.format_season_title(one.conditions, url, ctx.words))
        more = len(titles) - MAX_TITLES
        return [*titles[:MAX_TITLES], *([ctx.words("history.more", n=more)] if more > 0 else [])]


SECTIONS.append(SeasonTitlesSection())


@register_handler("pastseasons")
async def show_past_seasons(ctx: Context) -> None:
    """Show the last seasons, newest first, without those of channels that the user cannot see."""
    titles = await ctx.services[SeasonTitleFinder].list_for_guild(ctx.guild_id)
    lines = [await _format_past_season(ctx, one) for one in titles if can_learn_name(ctx, one.channel_id)]
    await ctx.show(Content(views.build_past_view(lines, ctx.custom_id.table, ctx.words)))


async def _format_past_season(ctx: Context, one: SeasonTitle) -> str:
    nobody = ctx.words("name.somebody")
    names = [nobody if user is None else await ctx.resolve_name(user) for user in one.winners]
    winner = format_list(ctx.words, [f"**{name}**" for name in names]) if names else ""
    url = format_season_link(ctx, one.channel_id, one.message_id)
    return views.format_past_season(one.conditions, url, winner, ctx.words)
