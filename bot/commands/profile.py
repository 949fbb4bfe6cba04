"""`/tiles profile`: somebody's card, and two people beside each other.

Who stays off leaderboards shows their card to nobody else: others are told what they have both played, and no more.
"""

from typing import Final

import discord
from discord import app_commands

from bot.commands.context import Context, Interaction
from bot.commands.lobby import GAMES
from bot.commands.past_seasons import won_seasons
from bot.commands.people import played_here
from bot.commands.registry import localized, serve, tiles
from bot.commands.sight import where_played
from bot.views import profile as views
from bot.views.harmless import safe
from bot.views.history import Filter
from bot.views.messages import Content
from bot.views.names import plain_name
from bot.views.over_time import luckier_text, months_told, reviewed_between, reviewed_months
from bot.views.parts import Item, Press, button, rows
from bot.views.pictures import drawn, file
from bot.views.profile import ALL_GAMES, CARD_FILE, ProfileCard, Rivals

LAST: Final = 100
"""So many of somebody's last matches make the course of their rating."""
REVIEWED: Final = 300
"""So many reviews of somebody, the newest, are summed up."""


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
        elif whose.id != ctx.user_id and not (await ctx.services.store.person(whose.id)).preferences.listed:
            await rivals(ctx, Rivals(ctx.user_id, whose.id, game or ALL_GAMES), note="rivals.unlisted")
        else:
            await profile(ctx, whose, game or await played_here(ctx))

    await serve(interaction, "profile", show)


async def profile(ctx: Context, person: discord.abc.User, game: str) -> None:
    """A card as a picture, with the same facts as its alt text; and the match of each best."""
    words, store = ctx.words, ctx.services.store
    name = plain_name(person, words)
    found = await store.profile(person.id, ctx.guild_id, game)
    if found is None:
        await ctx.say(words("profile.none", name=safe(name), game=words(f"game.{game}")))
        return
    last = await store.lately_played(person.id, ctx.guild_id, game, limit=LAST)
    bests = await store.bests(person.id, ctx.guild_id, game)
    records = await store.records(ctx.guild_id, game, most=1)
    titles = [words("profile.title_first")] if found.rank == 1 else []
    held = [kind for kind, listed in records.items() if listed[0].user_id == person.id]
    titles += [words("profile.title_record", what=words(f"records.{kind}")) for kind in held]
    titles += await won_seasons(ctx, person.id, game)
    text = views.bests_text(bests, titles, await where_played(ctx, {best.match_id for best in bests.values()}), words)
    more = [button(words("records.button"), Press("records", argument=game))]
    if person.id == ctx.user_id:
        text = "\n".join(filter(None, [text, await _months(ctx, game, len(text))]))
        more.insert(0, button(words("profile.matches"), Press("history", argument=str(Filter(game)))))
    card = views.person_card(name, game, found, last, words)
    await _show(ctx, card, text, *rows(more))


async def _months(ctx: Context, game: str, said: int) -> str:
    """How the asker plays, by what reviews say of it: for themselves alone."""
    reviewed = await ctx.services.store.reviewed(ctx.user_id, game, limit=REVIEWED)
    return months_told(ctx.words, reviewed_months((one.ended_at, one.facts) for one in reviewed), said=said)


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
        listed = [(await store.person(user)).preferences.listed for user in (pair.first, pair.second)]
        if not all(listed):
            await ctx.say(words("rivals.private"))
            return
    plain = [await ctx.services.names.name(ctx.guild_id, user, words) for user in (pair.first, pair.second)]
    names, escaped = (plain[0], plain[1]), (safe(plain[0]), safe(plain[1]))
    said = f"{words(note, name=escaped[1])}\n" if note else ""
    game = None if pair.game == ALL_GAMES else pair.game
    found = await store.rivalry(ctx.guild_id, pair.first, pair.second, game=game)
    if not found.meetings:
        text = words("rivals.none" if game is None else "rivals.none_game", one=escaped[0], other=escaped[1])
        await ctx.show(Content(views.rivals_bare_view(f"{said}{text}", pair, words)))
        return
    numbers = {best.match_id for best in (*found.best_moves, found.longest) if best is not None}
    text = views.rivals_text(escaped, found, await where_played(ctx, numbers), words)
    if ctx.user_id in (pair.first, pair.second):
        # Reviews are for those who played.
        text = f"{text}\n{await _luck(ctx, pair, escaped, game)}"
    under = [views.rivals_menu(pair, words)]
    if pair.first == ctx.user_id:
        wanted = Filter(game or ALL_GAMES, other=pair.second)
        under += views.history_buttons(words, wanted)
    await _show(ctx, views.rivals_card(names, pair.game, found, words), f"{said}{text}", *under)


async def _luck(ctx: Context, pair: Rivals, names: tuple[str, str], game: str | None) -> str:
    """Who was luckier in what these two have played and somebody has had reviewed."""
    met = await ctx.services.store.reviewed_together(ctx.guild_id, pair.first, pair.second, game=game, limit=REVIEWED)
    return luckier_text(ctx.words, names, reviewed_between((*one.facts, one.seats) for one in met))


async def _show(ctx: Context, card: ProfileCard, text: str, *under: Item) -> None:
    image, alt = await drawn(card.drawn, scheme=ctx.scheme), card.alt(ctx.words)
    await ctx.show(Content(views.card_view(alt, text, *under), [file(CARD_FILE, image, alt)]))
