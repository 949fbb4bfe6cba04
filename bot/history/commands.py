"""`/tiles history` and `/tiles replay`: a user's finished matches, replays and films."""

from collections.abc import Iterable, Sequence
from io import BytesIO
from typing import Any, Final

import discord
from discord import app_commands, ui

from bot.core.command_groups import localized, serve, suggest, tiles
from bot.core.context import Context, Interaction
from bot.core.dispatch import handles
from bot.core.formats import day_text, month_text
from bot.core.layout import Press, button
from bot.core.pictures import drawn, file
from bot.core.profile_sections import SECTIONS, Buttons, ProfileSection
from bot.core.safe_text import safe
from bot.history import views as history_views
from bot.history.films import SPEEDS, Films
from bot.history.views import EVERYTHING, ON_PAGE, Filter, PageFacts
from bot.tables.board_views import END_BUTTONS, EndButton
from bot.tables.lobby_commands import GAMES
from bot.tables.messages import Content
from bot.tables.move_labels import clipped
from bot.tables.past_match import Replay, replay_alt, replay_picture
from bot.tables.visible_tables import check_unsealed, links, load_past_match
from data.store.history.store import HistoryStore, PastMatch, Search
from data.store.log.match_values import Head
from engine.table.refusals import No, Refused

CHOICES: Final = 25  # Discord's limit for suggestions


@tiles.command(name="history", description=localized("command.history"))
@app_commands.rename(person="with")
@app_commands.describe(
    person=localized("parameter.history_with"),
    game=localized("parameter.history_game"),
    month=localized("parameter.history_month"),
)
@app_commands.choices(game=GAMES)
async def history_command(
    interaction: Interaction, person: discord.User | None = None, game: str | None = None, month: str | None = None
) -> None:
    async def first_page(ctx: Context) -> None:
        if month is not None and history_views.parsed_month(month.strip()) is None:
            await ctx.say(ctx.words("history.no_month"))
            return
        other = 0 if person is None or person.id == ctx.user_id else person.id
        await history(ctx, Filter(game or EVERYTHING, EVERYTHING if month is None else month.strip(), other))

    await serve(interaction, "history", first_page)


@history_command.autocomplete("month")
async def month_choices(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Suggest the months in which the user has played here, newest first."""
    ctx = Context(interaction, Press("history"))
    await ctx.attune()
    known = await HistoryStore(ctx.services.store.transactions).months_played(ctx.user_id, ctx.guild_id)
    return suggest({history_views.month_named(at): month_text(ctx.words, at) for at in known}, current)


@handles("history", "historygame", "historymonth")
async def turn_history(ctx: Context) -> None:
    await history(ctx, Filter.parsed(ctx.values[0] if ctx.values else ctx.press.argument) or Filter())


async def history(ctx: Context, wanted: Filter) -> None:
    store = ctx.services.store
    since, until = wanted.span
    search = Search(
        user_id=ctx.user_id,
        guild_id=ctx.guild_id,
        game=None if wanted.game == EVERYTHING else wanted.game,
        other=wanted.other or None,
        since=since,
        until=until,
    )
    page = await HistoryStore(store.transactions).history(search, page=wanted.page, size=ON_PAGE)
    told = await _told(
        ctx, page.rows, wanted, await HistoryStore(store.transactions).months_played(ctx.user_id, ctx.guild_id)
    )
    await ctx.show(Content(history_views.history_view(wanted, page, told, ctx.words)))


@handles("past")
async def look_at_match(ctx: Context) -> None:
    """Show one of the user's matches; the argument leads back to its page. Raises Refused for other users' matches."""
    chosen = ctx.values[0] if ctx.values else str(ctx.press.table)
    number = int(chosen) if chosen.isascii() and chosen.isdecimal() and len(chosen) <= 12 else 0
    row = await HistoryStore(ctx.services.store.transactions).played(ctx.user_id, number)
    if row is None or row.any.guild_id != ctx.guild_id:
        raise Refused(No.NO_SUCH_TABLE)
    wanted = Filter.parsed(ctx.press.argument) or Filter()
    told = await _told(ctx, [row], wanted)
    table = await ctx.services.tables.load(number) if row.head is not None and row.head.state == "done" else None
    if table is not None:
        check_unsealed(table)
    if table is None or table.event_log is None or table.event_log.match.ended is None:
        await ctx.show(Content(history_views.bare_view(row, wanted, told, ctx.words)))
        return
    await ctx.show(await ctx.messages.match_end(table, history_views.past_items(row, wanted, told, ctx.words)))


async def _told(ctx: Context, rows: Iterable[PastMatch], wanted: Filter, months: Iterable[int] = ()) -> PageFacts:
    """Return the names of the other players, and links to the matches that the user can see."""
    people = [one.user_id for row in rows for one in row.others] + ([wanted.other] if wanted.other else [])
    names = {user: await ctx.services.names.name(ctx.guild_id, user, ctx.words) for user in dict.fromkeys(people)}
    found = links(ctx, (row.head for row in rows if row.head is not None))
    return PageFacts(names, {user: safe(name) for user, name in names.items()}, found, tuple(months))


NAMED: Final = 40  # characters for names in a suggestion


@handles("replay")
async def look_back(ctx: Context) -> None:
    """Show a step of a finished match: the number at the end of the argument or the chosen value, else the first."""
    past = await load_past_match(ctx, ctx.press.table)
    if past is None:
        await ctx.say(ctx.words("replay.not_over"))
        return
    number = history_views.asked_step(ctx.values[0] if ctx.values else ctx.press.argument, past.last)
    table = past.at(number)
    assert table.event_log is not None
    words, names = ctx.words, await ctx.messages.names(table)
    alt = replay_alt(table.event_log, names, words)
    image = await drawn(replay_picture, table.event_log, names, words, table.terms.theme, ctx.scheme)
    view = history_views.replay_view(past, number, table, names, words, alt, listed=await _is_own(ctx, past))
    await ctx.show(Content(view, [file(history_views.REPLAY_FILE, image, alt)]))


@handles("film")
async def show_film(ctx: Context) -> None:
    """Show the film of a match. The argument or the chosen value is its speed."""
    past = await load_past_match(ctx, ctx.press.table)
    if past is None:
        await ctx.say(ctx.words("replay.not_over"))
        return
    words, speed = ctx.words, history_views.asked_speed(ctx.values[0] if ctx.values else ctx.press.argument)
    made = await ctx.services[Films].film(ctx.user_id, past, speed, words, ctx.messages.names, ctx.scheme)
    if made is None:
        await ctx.aside(words("replay.film_later"))
        return
    alt = history_views.film_alt(past, await ctx.messages.names(past.end), words)
    attached = discord.File(BytesIO(made), filename=history_views.FILM_FILE, description=alt)
    view = history_views.film_view(past, speed, words, alt, listed=await _is_own(ctx, past))
    await ctx.show(Content(view, [attached]))


async def _is_own(ctx: Context, past: Replay) -> bool:
    return await HistoryStore(ctx.services.store.transactions).played(ctx.user_id, past.head.match_id) is not None


async def _ended(ctx: Context) -> list[Head]:
    """Return the matches that ended in this channel, and the user's on this server, newest first."""
    store = ctx.services.store
    here = await store.matches.heads_in_channel(ctx.channel_id, ("done",), limit=CHOICES)
    own = await store.matches.ended_of_user(ctx.user_id, ctx.guild_id, CHOICES)
    found = {head.match_id: head for head in (*here, *own)}
    return sorted(found.values(), key=lambda head: (head.updated_at, head.match_id), reverse=True)[:CHOICES]


@tiles.command(name="replay", description=localized("command.replay"))
@app_commands.describe(
    match=localized("parameter.replay_match"),
    film=localized("parameter.replay_film"),
    speed=localized("parameter.replay_speed"),
)
@app_commands.choices(speed=[app_commands.Choice(name=localized(f"replay.{one}"), value=one) for one in SPEEDS])
async def replay_command(
    interaction: Interaction, match: str | None = None, film: bool = False, speed: str | None = None
) -> None:
    async def show(ctx: Context) -> None:
        if match is None:
            here = await ctx.services.store.matches.heads_in_channel(ctx.channel_id, ("done",), limit=1)
            found = here or (await _ended(ctx))[:1]
            if not found:
                await ctx.say(ctx.words("replay.none"))
                return
            number = found[0].match_id
        else:
            typed = match.strip().removeprefix("#")
            if not (typed.isascii() and typed.isdigit() and len(typed) <= 12):
                raise Refused(No.NO_SUCH_TABLE)
            number = int(typed)
        if film or speed is not None:
            ctx.press = Press("film", number, argument=speed or "")
            await show_film(ctx)
        else:
            ctx.press = Press("replay", number)
            await look_back(ctx)

    await serve(interaction, "replay", show)


@replay_command.autocomplete("match")
async def match_choices(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Suggest finished matches by game, day, number and players."""
    ctx = Context(interaction, Press("replay"))
    await ctx.attune()
    typed = current.strip().lower()
    heads = await _ended(ctx)
    people = await ctx.services.store.matches.sitting_at([head.match_id for head in heads])
    named = {str(head.match_id): _match_name(ctx, head, people[head.match_id]) for head in heads}
    return [app_commands.Choice(name=name, value=value) for value, name in named.items() if typed in name.lower()]


def _match_name(ctx: Context, head: Head, people: Sequence[int]) -> str:
    """Return `Triominoes · Nov 22, 2026 · Ada, Grace · table 7` with cached names: suggestions are urgent."""
    known = (ctx.services.names.known(head.guild_id, user_id) for user_id in people)
    names = clipped(ctx.words("and.comma").join(filter(None, known)), NAMED)
    game, number = ctx.words(f"game.{head.game}"), ctx.words("replay.table", match=head.match_id)
    return " · ".join(filter(None, (game, day_text(ctx.words, head.updated_at), names, number)))


class MatchesSection(ProfileSection):
    def own_buttons(self, ctx: Context, game: str) -> Buttons:
        return [_matches_button(ctx, Filter(game))]

    def rivals_buttons(self, ctx: Context, other: int, game: str | None) -> Buttons:
        return [_matches_button(ctx, Filter(game or EVERYTHING, other=other))]


def _matches_button(ctx: Context, wanted: Filter) -> ui.Button[Any]:
    return button(ctx.words("profile.matches"), Press("history", argument=str(wanted)))


SECTIONS.append(MatchesSection())
END_BUTTONS.append(EndButton("replay.button", "replay", frozenset({"end", "guided end", "board", "review"})))
