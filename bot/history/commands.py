"""`/tiles history` and `/tiles replay`: a user's finished matches, replays and films."""

from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from typing import Any, Final

import discord
from discord import app_commands, ui

from bot.core.choices import MAX_CHOICES, NamesByValue, filter_choices, localize, suggest
from bot.core.command_groups import serve, tiles
from bot.core.context import Context, Interaction
from bot.core.dispatch import register_handler
from bot.core.formats import format_day, format_month
from bot.core.layout import CustomId, build_button
from bot.core.pictures import build_file, draw_in_thread
from bot.core.profile_sections import SECTIONS, Buttons, ProfileSection
from bot.core.safe_text import escape_text
from bot.history import views
from bot.history.films import SPEEDS, FilmMaker
from bot.history.views import EVERYTHING, PAGE_SIZE, Filter, PageFacts
from bot.tables.board_views import END_BUTTONS, EndButton
from bot.tables.lobby_commands import GAME_CHOICES
from bot.tables.messages import Content
from bot.tables.move_labels import clip_text
from bot.tables.past_match import Replay, format_replay_alt, render_replay
from bot.tables.visible_tables import build_links, check_unsealed, load_past_match
from data.store.history.store import HistoryQuery, HistoryStore, PastMatch
from data.store.log.match_values import Head
from engine.table.refusals import Refusal, RefusalError
from engine.typed_text import normalize_text


@tiles.command(name="history", description=localize("command.history"))
@app_commands.rename(person="with")
@app_commands.describe(
    person=localize("parameter.history_with"),
    game=localize("parameter.history_game"),
    month=localize("parameter.history_month"),
)
@app_commands.choices(game=GAME_CHOICES)
async def history_command(
    interaction: Interaction, person: discord.User | None = None, game: str | None = None, month: str | None = None
) -> None:
    async def first_page(ctx: Context) -> None:
        if month is not None and views.parse_month(month) is None:
            await ctx.say(ctx.words("history.no_month"))
            return
        other = 0 if person is None or person.id == ctx.user_id else person.id
        await show_history(
            ctx, Filter(game or EVERYTHING, EVERYTHING if month is None else normalize_text(month), other)
        )

    await serve(interaction, "history", first_page)


@suggest(history_command, "month")
async def suggest_months(ctx: Context, typed: str, _: Mapping[str, str]) -> NamesByValue:
    """Suggest the months in which the user has played here, newest first."""
    known = await HistoryStore(ctx.services.store.transactions).list_months(ctx.user_id, ctx.guild_id)
    return filter_choices({views.format_month_key(at): format_month(ctx.words, at) for at in known}, typed)


@register_handler("history", "historygame", "historymonth")
async def handle_history_menu(ctx: Context) -> None:
    await show_history(ctx, Filter.parse(ctx.values[0] if ctx.values else ctx.custom_id.argument) or Filter())


async def show_history(ctx: Context, match_filter: Filter) -> None:
    history = HistoryStore(ctx.services.store.transactions)
    since, until = match_filter.span
    search = HistoryQuery(
        user_id=ctx.user_id,
        guild_id=ctx.guild_id,
        game=None if match_filter.game == EVERYTHING else match_filter.game,
        other=match_filter.other or None,
        since=since,
        until=until,
    )
    page = await history.load_page(search, page=match_filter.page, size=PAGE_SIZE)
    months = await history.list_months(ctx.user_id, ctx.guild_id)
    page_facts = await _load_page_facts(ctx, page.rows, match_filter, months)
    await ctx.show(Content(views.build_history_view(match_filter, page, page_facts, ctx.words)))


@register_handler("past")
async def show_past_match(ctx: Context) -> None:
    """Show one of the user's matches; the argument leads back to its page. Raises RefusalError(NO_SUCH_TABLE)."""
    chosen = ctx.values[0] if ctx.values else str(ctx.custom_id.table)
    number = int(chosen) if chosen.isascii() and chosen.isdecimal() and len(chosen) <= 12 else 0
    row = await HistoryStore(ctx.services.store.transactions).find_match(ctx.user_id, number)
    if row is None or row.any_result.guild_id != ctx.guild_id:
        raise RefusalError(Refusal.NO_SUCH_TABLE)
    match_filter = Filter.parse(ctx.custom_id.argument) or Filter()
    page_facts = await _load_page_facts(ctx, [row], match_filter)
    table = await ctx.services.tables.load(number) if row.head is not None and row.head.state == "done" else None
    if table is not None:
        check_unsealed(table)
    if table is None or table.event_log is None or table.event_log.match.ended is None:
        await ctx.show(Content(views.build_results_view(row, match_filter, page_facts, ctx.words)))
        return
    items = views.build_past_match_items(row, match_filter, page_facts, ctx.words)
    await ctx.show(await ctx.messages.build_match_end(table, items))


async def _load_page_facts(
    ctx: Context, rows: Iterable[PastMatch], match_filter: Filter, months: Iterable[int] = ()
) -> PageFacts:
    """Return the names of the other players, and links to the matches that the user can see."""
    people = dict.fromkeys(one.user_id for row in rows for one in row.other_results)
    if match_filter.other:
        people[match_filter.other] = None
    names = await ctx.services.names.resolve_plain_names(ctx.guild_id, people, ctx.words)
    found = build_links(ctx, (row.head for row in rows if row.head is not None))
    return PageFacts(names, {user: escape_text(name) for user, name in names.items()}, found, tuple(months))


MAX_NAMES_LENGTH: Final = 40  # characters for names in a suggestion


@register_handler("replay")
async def show_replay(ctx: Context) -> None:
    """Show a step of a finished match: the number at the end of the argument or the chosen value, else the first."""
    past = await load_past_match(ctx, ctx.custom_id.table)
    if past is None:
        await ctx.say(ctx.words("replay.not_over"))
        return
    number = views.parse_step(ctx.values[0] if ctx.values else ctx.custom_id.argument, past.last_step)
    table = past.replay_to(number)
    assert table.event_log is not None
    words, names = ctx.words, await ctx.messages.load_names(table)
    alt = format_replay_alt(table.event_log, names, words)
    image = await draw_in_thread(render_replay, table.event_log, names, words, table.terms.theme, ctx.scheme)
    view = views.build_replay_view(past, number, table, names, words, alt, listed=await _is_own(ctx, past))
    await ctx.show(Content(view, [build_file(views.REPLAY_FILE, image, alt)]))


@register_handler("film")
async def show_film(ctx: Context) -> None:
    """Show the film of a match. The argument or the chosen value is its speed."""
    past = await load_past_match(ctx, ctx.custom_id.table)
    if past is None:
        await ctx.say(ctx.words("replay.not_over"))
        return
    words, speed = ctx.words, views.parse_speed(ctx.values[0] if ctx.values else ctx.custom_id.argument)
    film = await ctx.services[FilmMaker].make_film(ctx.user_id, past, speed, words, ctx.messages.load_names, ctx.scheme)
    if film is None:
        await ctx.say_separately(words("replay.film_later"))
        return
    alt = views.format_film_alt(past, await ctx.messages.load_names(past.end), words)
    attached = discord.File(BytesIO(film), filename=views.FILM_FILE, description=alt)
    view = views.build_film_view(past, speed, words, alt, listed=await _is_own(ctx, past))
    await ctx.show(Content(view, [attached]))


async def _is_own(ctx: Context, past: Replay) -> bool:
    return await HistoryStore(ctx.services.store.transactions).find_match(ctx.user_id, past.head.match_id) is not None


async def _list_ended_matches(ctx: Context) -> list[Head]:
    """Return the matches that ended in this channel, and the user's on this server, newest first."""
    store = ctx.services.store
    here = await store.matches.list_heads_in_channel(ctx.channel_id, ("done",), limit=MAX_CHOICES)
    own = await store.matches.list_ended_of_user(ctx.user_id, ctx.guild_id, MAX_CHOICES)
    found = {head.match_id: head for head in (*here, *own)}
    return sorted(found.values(), key=lambda head: (head.updated_at, head.match_id), reverse=True)[:MAX_CHOICES]


@tiles.command(name="replay", description=localize("command.replay"))
@app_commands.describe(
    match=localize("parameter.replay_match"),
    film=localize("parameter.replay_film"),
    speed=localize("parameter.replay_speed"),
)
@app_commands.choices(speed=[app_commands.Choice(name=localize(f"replay.{one}"), value=one) for one in SPEEDS])
async def replay_command(
    interaction: Interaction, match: str | None = None, film: bool = False, speed: str | None = None
) -> None:
    async def show(ctx: Context) -> None:
        if match is None:
            here = await ctx.services.store.matches.list_heads_in_channel(ctx.channel_id, ("done",), limit=1)
            found = here or (await _list_ended_matches(ctx))[:1]
            if not found:
                await ctx.say(ctx.words("replay.none"))
                return
            number = found[0].match_id
        else:
            typed = match.strip().removeprefix("#")
            if not (typed.isascii() and typed.isdigit() and len(typed) <= 12):
                raise RefusalError(Refusal.NO_SUCH_TABLE)
            number = int(typed)
        if film or speed is not None:
            ctx.custom_id = CustomId("film", number, argument=speed or "")
            await show_film(ctx)
        else:
            ctx.custom_id = CustomId("replay", number)
            await show_replay(ctx)

    await serve(interaction, "replay", show)


@suggest(replay_command, "match")
async def suggest_matches(ctx: Context, typed: str, _: Mapping[str, str]) -> NamesByValue:
    """Suggest finished matches by game, day, number and players."""
    heads = await _list_ended_matches(ctx)
    people = await ctx.services.store.matches.load_seated_users([head.match_id for head in heads])
    named = {str(head.match_id): _format_match_name(ctx, head, people[head.match_id]) for head in heads}
    return filter_choices(named, typed)


def _format_match_name(ctx: Context, head: Head, people: Sequence[int]) -> str:
    """Return `Triominoes · Nov 22, 2026 · Ada, Grace · table 7` with cached names: suggestions are urgent."""
    known = (ctx.services.names.get_cached(head.guild_id, user_id) for user_id in people)
    names = clip_text(ctx.words("and.comma").join(filter(None, known)), MAX_NAMES_LENGTH)
    game, number = ctx.words(f"game.{head.game}"), ctx.words("replay.table", match=head.match_id)
    return " · ".join(filter(None, (game, format_day(ctx.words, head.updated_at), names, number)))


class MatchesSection(ProfileSection):
    def build_own_buttons(self, ctx: Context, game: str) -> Buttons:
        return [_build_matches_button(ctx, Filter(game))]

    def build_rivals_buttons(self, ctx: Context, other: int, game: str | None) -> Buttons:
        return [_build_matches_button(ctx, Filter(game or EVERYTHING, other=other))]


def _build_matches_button(ctx: Context, match_filter: Filter) -> ui.Button[Any]:
    return build_button(ctx.words("profile.matches"), match_filter.build_id())


SECTIONS.append(MatchesSection())
END_BUTTONS.append(EndButton("replay.button", "replay", frozenset({"end", "guided end", "board", "review"})))
