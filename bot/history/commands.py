"""`/tiles history`: one's own matches that are over, each with its end, its record, and a rematch."""

from collections.abc import Iterable, Sequence
from io import BytesIO
from typing import Any, Final

import discord
from discord import app_commands, ui

from bot.core.command_groups import localized, serve, tiles
from bot.core.context import Context, Interaction
from bot.core.dispatch import handles
from bot.core.formats import day_text, month_text
from bot.core.layout import Press, button
from bot.core.pictures import drawn, file
from bot.core.profile_sections import SECTIONS, Buttons, ProfileSection
from bot.core.safe_text import safe
from bot.history import views
from bot.history.films import SPEEDS, Films
from bot.history.views import EVERYTHING, ON_PAGE, Filter, PageFacts
from bot.tables.lobby_commands import GAMES
from bot.tables.messages import Content
from bot.tables.move_labels import clipped
from bot.tables.past_match import Replay, replay_alt, replay_picture
from bot.tables.visible_tables import check_unsealed, links, load_past_match
from data.store.history.store import HistoryStore, PastMatch, Search
from data.store.log.match_values import Head
from engine.table.refusals import No, Refused

CHOICES: Final = 25
"""The most that Discord lists."""


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
    """`/tiles history`."""

    async def first_page(ctx: Context) -> None:
        if month is not None and views.parsed_month(month.strip()) is None:
            await ctx.say(ctx.words("history.no_month"))
            return
        other = 0 if person is None or person.id == ctx.user_id else person.id
        await history(ctx, Filter(game or EVERYTHING, EVERYTHING if month is None else month.strip(), other))

    await serve(interaction, "history", first_page)


@history_command.autocomplete("month")
async def month_choices(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """The months in which the asker has played here, newest first."""
    ctx = Context(interaction, Press("history"))
    await ctx.attune()
    known = await HistoryStore(ctx.services.store.transactions).months_played(ctx.user_id, ctx.guild_id)
    named = {views.month_named(at): month_text(ctx.words, at) for at in known}
    typed = current.strip().lower()
    found = [
        app_commands.Choice(name=name, value=value)
        for value, name in named.items()
        if typed in f"{name} {value}".lower()
    ]
    return found[:CHOICES]


@handles("history", "historygame", "historymonth")
async def turn_history(ctx: Context) -> None:
    """A button or menu of the list: everything it shows is in the argument, or in what was chosen."""
    await history(ctx, Filter.parsed(ctx.values[0] if ctx.values else ctx.press.argument) or Filter())


async def history(ctx: Context, wanted: Filter) -> None:
    """One page of the asker's own matches on this server."""
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
    await ctx.show(Content(views.history_view(wanted, page, told, ctx.words)))


@handles("past")
async def look_at_match(ctx: Context) -> None:
    """One of the asker's matches, as its end stood in the channel, with all that can be done about it. The argument is
    the page it was found on, the number that of the press, or what was chosen. Raises Refused for one of others.
    """
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
        await ctx.show(Content(views.bare_view(row, wanted, told, ctx.words)))
        return
    await ctx.show(await ctx.messages.match_end(table, views.past_items(row, wanted, told, ctx.words)))


async def _told(ctx: Context, rows: Iterable[PastMatch], wanted: Filter, months: Iterable[int] = ()) -> PageFacts:
    """What those are called who are shown, and where the asker can see what they played."""
    people = [one.user_id for row in rows for one in row.others] + ([wanted.other] if wanted.other else [])
    names = {user: await ctx.services.names.name(ctx.guild_id, user, ctx.words) for user in dict.fromkeys(people)}
    found = links(ctx, (row.head for row in rows if row.head is not None))
    return PageFacts(names, {user: safe(name) for user, name in names.items()}, found, tuple(months))


NAMED: Final = 40
"""Letters of the names in a line of that list."""


@handles("replay")
async def look_back(ctx: Context) -> None:
    """A step of a match that is over, for the asker alone. The argument, or what was chosen, ends with its number; with
    neither it is the first.
    """
    past = await load_past_match(ctx, ctx.press.table)
    if past is None:
        await ctx.say(ctx.words("replay.not_over"))
        return
    number = views.asked_step(ctx.values[0] if ctx.values else ctx.press.argument, past.last)
    table = past.at(number)
    assert table.event_log is not None
    words, names = ctx.words, await ctx.messages.names(table)
    alt = replay_alt(table.event_log, names, words)
    image = await drawn(replay_picture, table.event_log, names, words, table.terms.theme, ctx.scheme)
    view = views.replay_view(past, number, table, names, words, alt, listed=await _is_own(ctx, past))
    await ctx.show(Content(view, [file(views.REPLAY_FILE, image, alt)]))


@handles("film")
async def show_film(ctx: Context) -> None:
    """All of a match as a film. The argument, or what was chosen, says how fast it is."""
    past = await load_past_match(ctx, ctx.press.table)
    if past is None:
        await ctx.say(ctx.words("replay.not_over"))
        return
    words, speed = ctx.words, views.asked_speed(ctx.values[0] if ctx.values else ctx.press.argument)
    made = await ctx.services[Films].film(ctx.user_id, past, speed, words, ctx.messages.names, ctx.scheme)
    if made is None:
        await ctx.aside(words("replay.film_later"))
        return
    alt = views.film_alt(past, await ctx.messages.names(past.end), words)
    attached = discord.File(BytesIO(made), filename=views.FILM_FILE, description=alt)
    view = views.film_view(past, speed, words, alt, listed=await _is_own(ctx, past))
    await ctx.show(Content(view, [attached]))


async def _is_own(ctx: Context, past: Replay) -> bool:
    """Whether a match is among those that `/tiles history` lists for the asker."""
    return await HistoryStore(ctx.services.store.transactions).played(ctx.user_id, past.head.match_id) is not None


async def _ended(ctx: Context) -> list[Head]:
    """The matches that ended in this channel, and those on this server that the asker took part in: newest first."""
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
    """`/tiles replay`."""

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
    """Matches that can be looked back on, found by game, day, number and whoever played."""
    ctx = Context(interaction, Press("replay"))
    await ctx.attune()
    typed = current.strip().lower()
    heads = await _ended(ctx)
    people = await ctx.services.store.matches.sitting_at([head.match_id for head in heads])
    named = {str(head.match_id): _match_name(ctx, head, people[head.match_id]) for head in heads}
    return [app_commands.Choice(name=name, value=value) for value, name in named.items() if typed in name.lower()]


def _match_name(ctx: Context, head: Head, people: Sequence[int]) -> str:
    """`Triominoes · Nov 22, 2026 · Ada, Grace · table 7`. Nobody is asked for a name: lists are wanted at once."""
    known = (ctx.services.names.known(head.guild_id, user_id) for user_id in people)
    names = clipped(ctx.words("and.comma").join(filter(None, known)), NAMED)
    game, number = ctx.words(f"game.{head.game}"), ctx.words("replay.table", match=head.match_id)
    return " · ".join(filter(None, (game, day_text(ctx.words, head.updated_at), names, number)))


class MatchesSection(ProfileSection):
    """The way from a card to the matches behind it."""

    def own_buttons(self, ctx: Context, game: str) -> Buttons:
        """Return the way to the asker's own matches."""
        return [_matches_button(ctx, Filter(game))]

    def rivals_buttons(self, ctx: Context, other: int, game: str | None) -> Buttons:
        """Return the way to the matches of these two."""
        return [_matches_button(ctx, Filter(game or EVERYTHING, other=other))]


def _matches_button(ctx: Context, wanted: Filter) -> ui.Button[Any]:
    return button(ctx.words("profile.matches"), Press("history", argument=str(wanted)))


SECTIONS.append(MatchesSection())
