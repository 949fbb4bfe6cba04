"""`/tiles daily`: the puzzle of the day, solved in a private message, and shown to others without what solves it."""

from collections.abc import Sequence
from datetime import date
from typing import Final

from discord import app_commands

from bot.core.command_groups import localized, serve, tiles
from bot.core.context import Context, Interaction
from bot.core.days import ms
from bot.core.dispatch import handles
from bot.core.formats import day_text, moment
from bot.core.layout import Press, button
from bot.core.pictures import drawn, file
from bot.core.profile_sections import SECTIONS, Buttons, ProfileSection
from bot.puzzles import views
from bot.puzzles.service import PARTED, Dailies, Daily, PuzzleStanding
from bot.puzzles.views import (
    PUZZLE_CARD_FILE,
    Chosen,
    PuzzleChoice,
    card_drawn,
    chosen_of,
    daily_alt,
    daily_card,
    daily_picture,
    solved_position,
    table_row,
)
from bot.tables.board_text import pointed_at
from bot.tables.lobby_commands import GAMES
from bot.tables.messages import Content
from data.rulebook import BEST_KNOWN, games
from data.words import Words
from engine.match.errors import RuleBroken
from engine.table.refusals import No, Refused

CHOICES: Final = 25
"""The most that Discord lists."""


@tiles.command(name="daily", description=localized("command.daily"))
@app_commands.rename(day="date")
@app_commands.describe(game=localized("parameter.daily_game"), day=localized("parameter.daily_date"))
@app_commands.choices(game=GAMES)
async def daily_command(interaction: Interaction, game: str | None = None, day: str | None = None) -> None:
    """`/tiles daily`."""

    async def asked_for(ctx: Context) -> None:
        typed = (day or "").strip()
        try:
            wanted = date.fromisoformat(typed) if typed else ctx.services[Dailies].today()
        except ValueError:
            await ctx.say(ctx.words("daily.no_date"))
            return
        await show(ctx, PuzzleChoice(game if game in games() else BEST_KNOWN, wanted), nearest=not typed)

    await serve(interaction, "daily", asked_for)


@daily_command.autocomplete("day")
async def day_choices(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """The days whose puzzles can be had, newest first: never one that is to come."""
    ctx = Context(interaction, Press("daily"))
    await ctx.attune()
    game = str(getattr(interaction.namespace, "game", None) or BEST_KNOWN)
    named = {day.isoformat(): day_text(ctx.words, ms(day)) for day in ctx.services[Dailies].past(game)}
    typed = current.strip().lower()
    found = [
        app_commands.Choice(name=name, value=value)
        for value, name in named.items()
        if typed in f"{name} {value}".lower()
    ]
    return found[:CHOICES]


@handles("daily", "dailyday", "dailygame")
async def turn_to(ctx: Context) -> None:
    """The puzzle, with what was chosen so far, that a button or one of the menus under an ended puzzle names; today's
    where a button names none.
    """
    named = ctx.values[0] if ctx.values else ctx.press.argument
    today = PuzzleChoice(BEST_KNOWN, ctx.services[Dailies].today())
    await show(ctx, _asked(named) if named else today, nearest=True)


@handles("dailypick")
async def pick(ctx: Context) -> None:
    """Something was chosen from the menu: it lies there to be looked at, and nobody has answered."""
    asked = _asked(ctx.press.argument)
    chosen = ctx.values[0] if ctx.values else ""
    await show(ctx, PuzzleChoice(asked.game, asked.day, (*asked.line, chosen)))


@handles("dailytext")
async def puzzle_in_words(ctx: Context) -> None:
    """The same without a picture."""
    await show(ctx, _asked(ctx.press.argument), text=True)


@handles("dailyhint")
async def take_hint(ctx: Context) -> None:
    """The hint."""
    asked = _asked(ctx.press.argument)
    if (daily := await _found(ctx, asked)) is not None:
        await _shown(ctx, daily, asked, await ctx.services[Dailies].hint(ctx.user_id, daily))


@handles("dailyanswer")
async def give_answer(ctx: Context) -> None:
    """Somebody answers with what they have chosen."""
    asked = _asked(ctx.press.argument)
    daily = await _found(ctx, asked)
    if daily is None:
        return
    if not asked.line:
        raise Refused(No.UNKNOWN_BUTTON)
    _chosen(daily, asked)
    dailies = ctx.services[Dailies]
    before = await dailies.begin(ctx.user_id, daily)
    answer = PARTED.join(asked.line)
    standing = await dailies.answer(ctx.user_id, daily, answer)
    again = before.tried.solved is None and answer in before.tried.answers
    note = ctx.words("daily.again") if again else ""
    await _shown(ctx, daily, PuzzleChoice(asked.game, asked.day), standing, note=note)


@handles("dailyshare")
async def share(ctx: Context) -> None:
    """Everybody in the channel sees how it went, once, and nothing of the answer."""
    asked, dailies = _asked(ctx.press.argument), ctx.services[Dailies]
    daily = await _found(ctx, asked)
    if daily is None:
        return
    standing = await dailies.begin(ctx.user_id, daily)
    if not dailies.may_share(standing.tried):
        if not standing.tried.counted or standing.tried.solved is None:
            raise Refused(No.UNKNOWN_BUTTON)
        await ctx.aside(ctx.words("daily.share_late"))
        return
    shared = await dailies.share(ctx.guild_id, standing.tried)
    if shared == "before":
        await ctx.aside(ctx.words("daily.shared_before"))
        return
    messages = await ctx.services.languages.messages_at(ctx.guild_id)
    try:
        words, table = messages.words, await _table(ctx, daily, messages.words)
        name = await ctx.services.names.name(ctx.guild_id, ctx.user_id, words)
        image, alt = await drawn(card_drawn, daily, standing, name, words, messages.scheme)
        view = daily_card(daily, standing, name, words, alt, table)
        await ctx.show_everybody(Content(view, [file(PUZZLE_CARD_FILE, image, alt)]))
    except BaseException:
        await dailies.unshare(ctx.guild_id, standing.tried)
        raise
    if shared == "unlisted":
        await ctx.aside(ctx.words("daily.unlisted"))


async def show(ctx: Context, asked: PuzzleChoice, *, text: bool = False, nearest: bool = False) -> None:
    """The puzzle as it stands for the asker, or why there is none; with `nearest` the last one there was instead, for
    whoever has named no day: of a game whose puzzles have come to an end they can still practise.
    """
    dailies, note = ctx.services[Dailies], ""
    past = dailies.past(asked.game)
    if nearest and past and asked.day > past[0] and asked.day <= dailies.today():
        note, asked = _none_text(asked.game, past, ctx.words), PuzzleChoice(asked.game, past[0])
    daily = await _found(ctx, asked)
    if daily is not None:
        await _shown(ctx, daily, asked, await dailies.begin(ctx.user_id, daily), note=note, text=text)


async def _shown(
    ctx: Context, daily: Daily, asked: PuzzleChoice, standing: PuzzleStanding, *, note: str = "", text: bool = False
) -> None:
    words, dailies = ctx.words, ctx.services[Dailies]
    if standing.tried.solved is None:
        chosen = _chosen(daily, asked)
        alt = daily_alt(daily, chosen, words)
        late = daily.day < dailies.today()
        view = views.open_view(daily, standing, chosen, words, alt, late=late, note=note, text=text)
    else:
        chosen = solved_position(daily)
        alt = daily_alt(daily, chosen, words)
        view = views.end_view(
            daily,
            standing,
            words,
            alt,
            shares=dailies.may_share(standing.tried),
            table=await _table(ctx, daily, words),
            past=dailies.past(daily.game),
            note=note,
        )
        text = False
    if text:
        await ctx.show(Content(view))
        return
    image = await drawn(daily_picture, daily, chosen, words, ctx.scheme)
    choices = views.pointable(daily, chosen) if standing.tried.solved is None else []
    written = pointed_at(image, choices) if choices else image
    await ctx.show(Content(view, [file(views.DAILY_FILE, written, alt)]))


async def _table(ctx: Context, daily: Daily, words: Words) -> list[str]:
    """The table of the day of this server."""
    rows = await ctx.services[Dailies].table(ctx.guild_id, daily)
    names = await ctx.services.names.people(ctx.guild_id, [row.user_id for row in rows], words)
    return [table_row(place, row, names[row.user_id], words) for place, row in enumerate(rows, 1)]


async def _found(ctx: Context, asked: PuzzleChoice) -> Daily | None:
    """The puzzle that is meant; None, and it is said why, where there is none or not yet."""
    dailies = ctx.services[Dailies]
    found = dailies.find(asked.game, asked.day)
    if found is not None:
        return found
    past = dailies.past(asked.game)
    if asked.day > dailies.today():
        await ctx.say(ctx.words("daily.to_come", at=moment(ms(asked.day))))
    elif past:
        await ctx.say(_none_text(asked.game, past, ctx.words))
    else:
        await ctx.say(ctx.words("daily.none_at_all", game=ctx.words(f"game.{asked.game}")))
    return None


def _none_text(game: str, past: Sequence[date], words: Words) -> str:
    """That a game has no puzzle for a day, and for which days it has."""
    days = {"first": day_text(words, ms(past[-1])), "last": day_text(words, ms(past[0]))}
    return words("daily.none", game=words(f"game.{game}"), **days)


def _asked(argument: str) -> PuzzleChoice:
    asked = PuzzleChoice.parsed(argument)
    if asked is None:
        raise Refused(No.UNKNOWN_BUTTON)
    return asked


def _chosen(daily: Daily, asked: PuzzleChoice) -> Chosen:
    """What a choice shows. Raises Refused for one that nobody can have made."""
    try:
        return chosen_of(daily, asked)
    except (RuleBroken, ValueError) as error:
        raise Refused(No.UNKNOWN_BUTTON) from error


class PuzzleHelp(ProfileSection):
    """The way from the help to the puzzle of the day."""

    async def help_buttons(self, ctx: Context) -> Buttons:
        """Return it."""
        return [button(ctx.words("help.daily"), Press("daily"))]


SECTIONS.append(PuzzleHelp())
