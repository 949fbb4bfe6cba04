"""`/tiles daily`: the puzzle of the day, solved in a private message; a card shows it without its answer."""

from collections.abc import Sequence
from datetime import date

from discord import app_commands

from bot.core.command_groups import localized, serve, suggest, tiles
from bot.core.context import Context, Interaction
from bot.core.dispatch import handles
from bot.core.environment import ms
from bot.core.formats import day_text, moment
from bot.core.layout import Press, button
from bot.core.pictures import drawn, file
from bot.core.profile_sections import SECTIONS, Buttons, ProfileSection
from bot.puzzles import views as puzzles_views
from bot.puzzles.service import PARTED, Dailies, Daily, PuzzleStanding
from bot.puzzles.views import Chosen, PuzzleChoice
from bot.tables.board_text import pointed_at
from bot.tables.lobby_commands import GAMES
from bot.tables.messages import Content
from data.rulebook import BEST_KNOWN, games
from data.words import Words
from engine.match.errors import RuleBroken
from engine.table.refusals import No, Refused


@tiles.command(name="daily", description=localized("command.daily"))
@app_commands.rename(day="date")
@app_commands.describe(game=localized("parameter.daily_game"), day=localized("parameter.daily_date"))
@app_commands.choices(game=GAMES)
async def daily_command(interaction: Interaction, game: str | None = None, day: str | None = None) -> None:
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
    """Suggest the days that have a puzzle, newest first."""
    ctx = Context(interaction, Press("daily"))
    await ctx.attune()
    game = str(getattr(interaction.namespace, "game", None) or BEST_KNOWN)
    return suggest({one.isoformat(): day_text(ctx.words, ms(one)) for one in ctx.services[Dailies].past(game)}, current)


@handles("daily", "dailyday", "dailygame")
async def turn_to(ctx: Context) -> None:
    """Show the puzzle of a button or of a menu under a finished puzzle; without one, today's."""
    named = ctx.values[0] if ctx.values else ctx.press.argument
    today = PuzzleChoice(BEST_KNOWN, ctx.services[Dailies].today())
    await show(ctx, _asked(named) if named else today, nearest=True)


@handles("dailypick")
async def pick(ctx: Context) -> None:
    """Show what was chosen from the menu. It is not an answer yet."""
    asked = _asked(ctx.press.argument)
    chosen = ctx.values[0] if ctx.values else ""
    await show(ctx, PuzzleChoice(asked.game, asked.day, (*asked.line, chosen)))


@handles("dailytext")
async def puzzle_in_words(ctx: Context) -> None:
    await show(ctx, _asked(ctx.press.argument), text=True)


@handles("dailyhint")
async def take_hint(ctx: Context) -> None:
    asked = _asked(ctx.press.argument)
    if (daily := await _found(ctx, asked)) is not None:
        await _shown(ctx, daily, asked, await ctx.services[Dailies].hint(ctx.user_id, daily))


@handles("dailyanswer")
async def give_answer(ctx: Context) -> None:
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
    """Post the card in the channel, once."""
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
        image, alt = await drawn(puzzles_views.card_drawn, daily, standing, name, words, messages.scheme)
        view = puzzles_views.daily_card(daily, standing, name, words, alt, table)
        await ctx.show_everybody(Content(view, [file(puzzles_views.PUZZLE_CARD_FILE, image, alt)]))
    except BaseException:
        await dailies.unshare(ctx.guild_id, standing.tried)
        raise
    if shared == "unlisted":
        await ctx.aside(ctx.words("daily.unlisted"))


async def show(ctx: Context, asked: PuzzleChoice, *, text: bool = False, nearest: bool = False) -> None:
    """Show the puzzle, or why there is none. With `nearest`, show the last one of a game without new puzzles."""
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
        alt = puzzles_views.daily_alt(daily, chosen, words)
        late = daily.day < dailies.today()
        view = puzzles_views.open_view(daily, standing, chosen, words, alt, late=late, note=note, text=text)
    else:
        chosen = puzzles_views.solved_position(daily)
        alt = puzzles_views.daily_alt(daily, chosen, words)
        view = puzzles_views.end_view(
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
    image = await drawn(puzzles_views.daily_picture, daily, chosen, words, ctx.scheme)
    choices = puzzles_views.pointable(daily, chosen) if standing.tried.solved is None else []
    written = pointed_at(image, choices) if choices else image
    await ctx.show(Content(view, [file(puzzles_views.DAILY_FILE, written, alt)]))


async def _table(ctx: Context, daily: Daily, words: Words) -> list[str]:
    rows = await ctx.services[Dailies].table(ctx.guild_id, daily)
    names = await ctx.services.names.people(ctx.guild_id, [row.user_id for row in rows], words)
    return [puzzles_views.table_row(place, row, names[row.user_id], words) for place, row in enumerate(rows, 1)]


async def _found(ctx: Context, asked: PuzzleChoice) -> Daily | None:
    """Return the puzzle that is meant; without one, say why and return None."""
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
    days = {"first": day_text(words, ms(past[-1])), "last": day_text(words, ms(past[0]))}
    return words("daily.none", game=words(f"game.{game}"), **days)


def _asked(argument: str) -> PuzzleChoice:
    asked = PuzzleChoice.parsed(argument)
    if asked is None:
        raise Refused(No.UNKNOWN_BUTTON)
    return asked


def _chosen(daily: Daily, asked: PuzzleChoice) -> Chosen:
    """Return the position of a choice. Raises Refused for an impossible one."""
    try:
        return puzzles_views.chosen_of(daily, asked)
    except (RuleBroken, ValueError) as error:
        raise Refused(No.UNKNOWN_BUTTON) from error


class PuzzleHelp(ProfileSection):
    async def help_buttons(self, ctx: Context) -> Buttons:
        return [button(ctx.words("help.daily"), Press("daily"))]


SECTIONS.append(PuzzleHelp())
