"""Looking back on a match that is over: *Replay* under its end, and `/tiles replay`."""

from collections.abc import Sequence
from io import BytesIO
from typing import Final

import discord
from discord import app_commands

from bot.base.logs import about
from bot.commands.context import Context, Interaction
from bot.commands.registry import localized, serve, tiles
from bot.commands.sight import check_unsealed, may_see
from bot.service.replays import Replay, looked_back
from bot.views import replay as views
from bot.views.films import SPEEDS
from bot.views.messages import Content
from bot.views.parts import Press
from bot.views.pictures import drawn, file
from bot.views.sentences import clipped
from bot.views.times import day_text
from data.store import Head
from engine.table.refusals import No, Refused

CHOICES: Final = 25
"""The most that Discord lists."""
NAMED: Final = 40
"""Letters of the names in a line of that list."""


async def look_back(ctx: Context) -> None:
    """A step of a match that is over, for the asker alone. The argument, or what was chosen, ends with its number; with
    neither it is the first.
    """
    past = await past_match(ctx, ctx.press.table)
    if past is None:
        await ctx.say(ctx.words("replay.not_over"))
        return
    number = views.asked_step(ctx.values[0] if ctx.values else ctx.press.argument, past.last)
    table = past.at(number)
    assert table.story is not None
    words, names = ctx.words, await ctx.messages.names(table)
    alt = views.replay_alt(table.story, names, words)
    image = await drawn(views.still, table.story, names, words, table.terms.theme, ctx.scheme)
    view = views.replay_view(past, number, table, names, words, alt, listed=await _is_own(ctx, past))
    await ctx.show(Content(view, [file(views.REPLAY_FILE, image, alt)]))


async def show_film(ctx: Context) -> None:
    """All of a match as a film. The argument, or what was chosen, says how fast it is."""
    past = await past_match(ctx, ctx.press.table)
    if past is None:
        await ctx.say(ctx.words("replay.not_over"))
        return
    words, speed = ctx.words, views.asked_speed(ctx.values[0] if ctx.values else ctx.press.argument)
    made = await ctx.services.films.film(ctx.user_id, past, speed, words, ctx.messages.names, ctx.scheme)
    if made is None:
        await ctx.aside(words("replay.film_later"))
        return
    alt = views.film_alt(past, await ctx.messages.names(past.end), words)
    attached = discord.File(BytesIO(made), filename=views.FILM_FILE, description=alt)
    view = views.film_view(past, speed, words, alt, listed=await _is_own(ctx, past))
    await ctx.show(Content(view, [attached]))


async def past_match(ctx: Context, match_id: int) -> Replay | None:
    """The match that is meant; None for one that is not over. Raises Refused for one that is none of the asker's
    business, does not exist any more, or cannot be read.
    """
    tables, store = ctx.services.tables, ctx.services.store
    head = await store.head(match_id)
    if head is None or head.guild_id != ctx.guild_id or not await may_see(ctx, head):
        raise Refused(No.NO_SUCH_TABLE)
    about(match=match_id, seq=head.seq)
    if head.state == "done":
        check_unsealed(await tables.load(match_id))
        return await looked_back(tables, head)
    (await tables.load(match_id)).match  # noqa: B018 - raises for a table that came to no match
    return None


async def _is_own(ctx: Context, past: Replay) -> bool:
    """Whether a match is among those that `/tiles history` lists for the asker."""
    return await ctx.services.store.played(ctx.user_id, past.head.match_id) is not None


async def _ended(ctx: Context) -> list[Head]:
    """The matches that ended in this channel, and those on this server that the asker took part in: newest first."""
    store = ctx.services.store
    here = await store.heads_in_channel(ctx.channel_id, ("done",), limit=CHOICES)
    own = await store.ended_of_user(ctx.user_id, ctx.guild_id, CHOICES)
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
            here = await ctx.services.store.heads_in_channel(ctx.channel_id, ("done",), limit=1)
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
    people = await ctx.services.store.sitting_at([head.match_id for head in heads])
    named = {str(head.match_id): _match_name(ctx, head, people[head.match_id]) for head in heads}
    return [app_commands.Choice(name=name, value=value) for value, name in named.items() if typed in name.lower()]


def _match_name(ctx: Context, head: Head, people: Sequence[int]) -> str:
    """`Triominoes · Nov 22, 2026 · Ada, Grace · table 7`. Nobody is asked for a name: lists are wanted at once."""
    known = (ctx.services.names.known(head.guild_id, user_id) for user_id in people)
    names = clipped(ctx.words("and.comma").join(filter(None, known)), NAMED)
    game, number = ctx.words(f"game.{head.game}"), ctx.words("replay.table", match=head.match_id)
    return " · ".join(filter(None, (game, day_text(ctx.words, head.updated_at), names, number)))
