"""`/tiles daily`: the puzzle of the day, solved in a private message; a card shows it without its answer."""

from collections.abc import Mapping, Sequence
from datetime import date

from discord import app_commands

from bot.core.choices import NamesByValue, filter_choices, localize, suggest
from bot.core.command_groups import serve, tiles
from bot.core.context import Context, Interaction
from bot.core.dispatch import register_handler
from bot.core.environment import to_epoch_ms
from bot.core.formats import format_day
from bot.core.layout import CustomId, build_button, format_timestamp
from bot.core.pictures import build_file, draw_in_thread
from bot.core.profile_sections import SECTIONS, Buttons, ProfileSection
from bot.puzzles import views
from bot.puzzles.service import SEPARATOR, DailyPuzzle, PuzzleService, PuzzleStanding
from bot.puzzles.views import PuzzleChoice, PuzzlePosition
from bot.tables.board_text import embed_targets
from bot.tables.board_views import END_BUTTONS, EndButton
from bot.tables.lobby_commands import GAME_CHOICES
from bot.tables.messages import Content
from data.rulebook import DEFAULT_GAME, list_games
from data.words import Words
from engine.match.errors import RuleError
from engine.table.refusals import Refusal, RefusalError
from engine.typed_text import normalize_text


@tiles.command(name="daily", description=localize("command.daily"))
@app_commands.rename(day="date")
@app_commands.describe(game=localize("parameter.daily_game"), day=localize("parameter.daily_date"))
@app_commands.choices(game=GAME_CHOICES)
async def daily_command(interaction: Interaction, game: str | None = None, day: str | None = None) -> None:
    async def show_requested(ctx: Context) -> None:
        typed = normalize_text(day or "")
        try:
            chosen_day = date.fromisoformat(typed) if typed else ctx.services[PuzzleService].get_today()
        except ValueError:
            await ctx.say(ctx.words("daily.no_date"))
            return
        await show(ctx, PuzzleChoice(game if game in list_games() else DEFAULT_GAME, chosen_day), nearest=not typed)

    await serve(interaction, "daily", show_requested)


@suggest(daily_command, "day")
async def suggest_days(ctx: Context, typed: str, options: Mapping[str, str]) -> NamesByValue:
    """Suggest the days that have a puzzle, newest first."""
    past_days = ctx.services[PuzzleService].list_past_days(options.get("game", DEFAULT_GAME))
    return filter_choices({day.isoformat(): format_day(ctx.words, to_epoch_ms(day)) for day in past_days}, typed)


@register_handler("daily", "dailyday", "dailygame")
async def show_puzzle(ctx: Context) -> None:
    """Show the puzzle of a button or of a menu under a finished puzzle; without one, today's."""
    argument = ctx.values[0] if ctx.values else ctx.custom_id.argument
    today = PuzzleChoice(DEFAULT_GAME, ctx.services[PuzzleService].get_today())
    await show(ctx, _parse_choice(argument) if argument else today, nearest=True)


@register_handler("dailypick")
async def show_pick(ctx: Context) -> None:
    """Show what was chosen from the menu. It is not an answer yet."""
    choice = _parse_choice(ctx.custom_id.argument)
    placement = ctx.values[0] if ctx.values else ""
    await show(ctx, PuzzleChoice(choice.game, choice.day, (*choice.line, placement)))


@register_handler("dailytext")
async def show_as_text(ctx: Context) -> None:
    await show(ctx, _parse_choice(ctx.custom_id.argument), text=True)


@register_handler("dailyhint")
async def take_hint(ctx: Context) -> None:
    choice = _parse_choice(ctx.custom_id.argument)
    if (daily := await _find_puzzle(ctx, choice)) is not None:
        await _send_puzzle(ctx, daily, choice, await ctx.services[PuzzleService].take_hint(ctx.user_id, daily))


@register_handler("dailyanswer")
async def give_answer(ctx: Context) -> None:
    choice = _parse_choice(ctx.custom_id.argument)
    daily = await _find_puzzle(ctx, choice)
    if daily is None:
        return
    if not choice.line:
        raise RefusalError(Refusal.UNKNOWN_BUTTON)
    _build_position(daily, choice)
    dailies = ctx.services[PuzzleService]
    before = await dailies.begin(ctx.user_id, daily)
    answer = SEPARATOR.join(choice.line)
    standing = await dailies.submit_answer(ctx.user_id, daily, answer)
    is_repeated = before.attempt.solved is None and answer in before.attempt.answers
    note = ctx.words("daily.again") if is_repeated else ""
    await _send_puzzle(ctx, daily, PuzzleChoice(choice.game, choice.day), standing, note=note)


@register_handler("dailyshare")
async def share_result(ctx: Context) -> None:
    """Post the card in the channel, once."""
    choice, dailies = _parse_choice(ctx.custom_id.argument), ctx.services[PuzzleService]
    daily = await _find_puzzle(ctx, choice)
    if daily is None:
        return
    standing = await dailies.begin(ctx.user_id, daily)
    if not dailies.can_share(standing.attempt):
        if not standing.attempt.counted or standing.attempt.solved is None:
            raise RefusalError(Refusal.UNKNOWN_BUTTON)
        await ctx.say_separately(ctx.words("daily.share_late"))
        return
    shared = await dailies.share(ctx.guild_id, standing.attempt)
    if shared == "before":
        await ctx.say_separately(ctx.words("daily.shared_before"))
        return
    messages = await ctx.services.languages.load_guild_messages(ctx.guild_id)
    try:
        words, table = messages.words, await _list_table_rows(ctx, daily, messages.words)
        name = await ctx.services.names.resolve_name(ctx.guild_id, ctx.user_id, words)
        image, alt = await draw_in_thread(views.render_card, daily, standing, name, words, messages.scheme)
        view = views.build_card(daily, standing, name, words, alt, table)
        await ctx.show_publicly(Content(view, [build_file(views.PUZZLE_CARD_FILE, image, alt)]))
    except BaseException:
        await dailies.unshare(ctx.guild_id, standing.attempt)
        raise
    if shared == "unlisted":
        await ctx.say_separately(ctx.words("daily.unlisted"))


async def show(ctx: Context, choice: PuzzleChoice, *, text: bool = False, nearest: bool = False) -> None:
    """Show the puzzle, or why there is none. With `nearest`, show the last one of a game without new puzzles."""
    dailies, note = ctx.services[PuzzleService], ""
    past_days = dailies.list_past_days(choice.game)
    if nearest and past_days and choice.day > past_days[0] and choice.day <= dailies.get_today():
        note, choice = _format_no_puzzle(choice.game, past_days, ctx.words), PuzzleChoice(choice.game, past_days[0])
    daily = await _find_puzzle(ctx, choice)
    if daily is not None:
        await _send_puzzle(ctx, daily, choice, await dailies.begin(ctx.user_id, daily), note=note, text=text)


async def _send_puzzle(
    ctx: Context,
    daily: DailyPuzzle,
    choice: PuzzleChoice,
    standing: PuzzleStanding,
    *,
    note: str = "",
    text: bool = False,
) -> None:
    words, dailies, is_open = ctx.words, ctx.services[PuzzleService], standing.attempt.solved is None
    position = _build_position(daily, choice) if is_open else views.build_solved_position(daily)
    alt = views.format_alt_text(daily, position, words)
    if is_open:
        is_late = daily.day < dailies.get_today()
        view = views.build_open_view(daily, standing, position, words, alt, is_late=is_late, note=note, text=text)
        if text:
            await ctx.show(Content(view))
            return
    else:
        can_share, past_days = dailies.can_share(standing.attempt), dailies.list_past_days(daily.game)
        table = await _list_table_rows(ctx, daily, words)
        view = views.build_end_view(
            daily, standing, words, alt, can_share=can_share, table=table, past_days=past_days, note=note
        )
    image = await draw_in_thread(views.render_puzzle, daily, position, words, ctx.scheme)
    choices = views.list_click_targets(daily, position) if is_open else []
    image_file = embed_targets(image, choices) if choices else image
    await ctx.show(Content(view, [build_file(views.DAILY_FILE, image_file, alt)]))


async def _list_table_rows(ctx: Context, daily: DailyPuzzle, words: Words) -> list[str]:
    rows = await ctx.services[PuzzleService].load_table(ctx.guild_id, daily)
    names = await ctx.services.names.resolve_names(ctx.guild_id, [row.user_id for row in rows], words)
    rows = ctx.services.departures.drop_departed(ctx.guild_id, rows)
    return [views.format_table_row(rank, row, names[row.user_id], words) for rank, row in enumerate(rows, 1)]


async def _find_puzzle(ctx: Context, choice: PuzzleChoice) -> DailyPuzzle | None:
    """Return the puzzle that is meant; without one, say why and return None."""
    dailies = ctx.services[PuzzleService]
    daily = dailies.find(choice.game, choice.day)
    if daily is not None:
        return daily
    past_days = dailies.list_past_days(choice.game)
    if choice.day > dailies.get_today():
        await ctx.say(ctx.words("daily.to_come", at=format_timestamp(to_epoch_ms(choice.day))))
    elif past_days:
        await ctx.say(_format_no_puzzle(choice.game, past_days, ctx.words))
    else:
        await ctx.say(ctx.words("daily.none_at_all", game=ctx.words(f"game.{choice.game}")))
    return None


def _format_no_puzzle(game: str, past_days: Sequence[date], words: Words) -> str:
    last, first = (format_day(words, to_epoch_ms(day)) for day in (past_days[0], past_days[-1]))
    return words("daily.none", game=words(f"game.{game}"), first=first, last=last)


def _parse_choice(argument: str) -> PuzzleChoice:
    choice = PuzzleChoice.parse(argument)
    if choice is None:
        raise RefusalError(Refusal.UNKNOWN_BUTTON)
    return choice


def _build_position(daily: DailyPuzzle, choice: PuzzleChoice) -> PuzzlePosition:
    """Return the position of a choice. Raises RefusalError for an impossible one."""
    try:
        return views.build_position(daily, choice)
    except (RuleError, ValueError) as error:
        raise RefusalError(Refusal.UNKNOWN_BUTTON) from error


class PuzzleHelp(ProfileSection):
    async def build_help_buttons(self, ctx: Context) -> Buttons:
        return [build_button(ctx.words("help.daily"), CustomId("daily"))]


SECTIONS.append(PuzzleHelp())
END_BUTTONS.append(EndButton("help.daily", "daily", frozenset({"guided end"})))
