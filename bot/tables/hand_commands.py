"""Play: `/tiles hand play draw pass resign` and the buttons and menus of "My hand"."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final, cast, get_args

import discord
from discord import ui

from bot.computers import hints
from bot.core.context import ACKNOWLEDGE_AFTER, Context, Interaction
from bot.core.dispatch import dispatch, register_form, register_handler
from bot.core.languages import choose_words
from bot.core.layout import CustomId, build_button
from bot.tables import board_views, hand_views, move_labels
from bot.tables.acts import MAX_TRIES
from bot.tables.board_commands import FORM_TIMEOUT, open_form
from bot.tables.messages import Content
from bot.tables.move_labels import format_tile
from bot.tables.service import CommandResult, Table
from data.store.connection.faults import DatabaseUnavailable
from data.store.connection.store_errors import StaleVersion
from data.words import Words
from engine.board.board import Placement
from engine.match.actions import Action, Choose, Draw, Option, Pass, Play, Resign, Undo
from engine.match.errors import RuleError, Violation
from engine.match.events import Drew
from engine.match.player_view import Move, view_for
from engine.match.state import Match
from engine.table.commands import TakeAction
from engine.table.refusals import Refusal, RefusalError
from engine.table.table_state import Premove, PremoveChoice, create_premove


@register_handler("hand")
async def show_hand(ctx: Context) -> None:
    table = await ctx.load_table()
    seat = require_seat(table, ctx.user_id)
    await ctx.show_hand(table, seat, ctx.words("absence.stood_in") if seat in table.clock.standins else "")


@register_handler("tile")
async def pick_tile(ctx: Context) -> None:
    table = require_current(ctx, await ctx.load_table())
    seat = require_seat(table, ctx.user_id)
    view = view_for(table.match, seat)
    tile = move_labels.find_movable_tile(view, ctx.values)
    if tile is None:
        raise RefusalError(Refusal.STALE)
    await ctx.show_hand(table, seat, tile=tile)


@register_handler("move")
async def choose_move(ctx: Context) -> None:
    """Show the chosen move on the board, or play it if the user has turned the confirmation off. *More* shows the menu
    of tiles.
    """
    table = require_current(ctx, await ctx.prefer_cached_table())
    if not table.get_person(ctx.user_id).quick:
        table = require_current(ctx, await ctx.load_table())  # only a preview needs a fresh table
    seat, value = require_seat(table, ctx.user_id), ctx.values[0] if ctx.values else ""
    if value == hand_views.MORE_MOVES:
        await ctx.show_hand(table, seat, by_tile=True)
        return
    move = move_labels.find_move(view_for(table.match, seat), value)
    if move is None:
        raise RefusalError(Refusal.STALE)
    if table.get_person(ctx.user_id).quick:
        await place_tile(ctx, table, move.placement, expected=ctx.custom_id.seq)
        return
    await ctx.show_hand(table, seat, chosen=move)


@register_handler("play")
async def confirm_move(ctx: Context) -> None:
    table = await ctx.prefer_cached_table()
    named, then = _split_choice(ctx.custom_id.argument)
    placement = move_labels.parse_placement(named, table.match.rules)
    if placement is None:
        raise RefusalError(Refusal.UNKNOWN_BUTTON)
    await place_tile(ctx, table, placement, expected=ctx.custom_id.seq, then=then or "")


@register_handler("choose")
async def choose_option(ctx: Context) -> None:
    """Choose a bonus or end the turn. The argument is the option."""
    option = next((option for option in get_args(Option) if option == ctx.custom_id.argument), None)
    if option is None:
        raise RefusalError(Refusal.UNKNOWN_BUTTON)
    await _act(ctx, await ctx.prefer_cached_table(), lambda seat: Choose(seat, option), expected=ctx.custom_id.seq)


@register_handler("draw")
async def draw_tile(ctx: Context) -> None:
    await _act(ctx, await ctx.prefer_cached_table(), Draw, expected=ctx.custom_id.seq)


@register_handler("pass")
async def pass_turn(ctx: Context) -> None:
    await _act(ctx, await ctx.prefer_cached_table(), Pass, expected=ctx.custom_id.seq)


async def undo_placement(ctx: Context, table: Table) -> None:
    await _act(ctx, table, Undo, expected=ctx.custom_id.seq)


@register_handler("quick")
async def toggle_confirmation(ctx: Context) -> None:
    """Turn the confirmation before a move on or off."""
    table = await ctx.load_table()
    seat = require_seat(table, ctx.user_id)
    # Save only after `require_seat`: at a closed table nothing must change.
    services, quick = ctx.services, ctx.custom_id.argument == "on"
    person = await services.store.users.set_person(ctx.user_id, quick=quick, now=services.now())
    table = replace(table, people={**table.people, ctx.user_id: person})
    await ctx.show_hand(table, seat, ctx.words("settings.quick_on" if person.quick else "settings.quick_off"))


@register_handler("resign")
async def resign(ctx: Context) -> None:
    table = await ctx.load_table()
    words, match_id = ctx.words, table.head.match_id
    seat = require_seat(table, ctx.user_id)
    if table.match.ended:
        raise RefusalError(Refusal.FINISHED)
    match ctx.custom_id.argument:
        case "yes":
            await ctx.act(table, TakeAction(ctx.user_id, Resign))
            ctx.refresh(table)
            await ctx.say(words("resign.done"))
        case "no":
            await ctx.say(words("resign.kept"), build_button(words("board.hand"), CustomId("hand", match_id)))
        case _:
            check_plays(table, seat)
            yes, no = (CustomId("resign", match_id, argument=answer) for answer in ("yes", "no"))
            text = words("resign.ask", then=words(f"resign.then_{_choose_resign_key(table.match, seat)}"))
            leave = build_button(words("resign.yes"), yes, style=discord.ButtonStyle.danger)
            await ctx.say(text, leave, build_button(words("resign.no"), no))


async def place_tile(
    ctx: Context, table: Table, placement: Placement, *, expected: int | None, then: PremoveChoice = ""
) -> None:
    action = partial(Play, tile=placement.tile, cell=placement.cell, rotation=placement.rotation)
    try:
        await _act(ctx, table, action, expected=expected, then=then)
    except RuleError as broken:
        # Some rules check only the place; the answer also says where this tile fits.
        broken.facts.setdefault("tile", placement.tile)
        raise


async def _act(
    ctx: Context, table: Table, action: Callable[[int], Action], *, expected: int | None, then: PremoveChoice = ""
) -> None:
    acted = await ctx.act(table, TakeAction(ctx.user_id, action, expected, then))
    seat = require_seat(acted.table, ctx.user_id)
    note = "\n".join(_format_act_lines(ctx.words, acted, seat))
    if not ctx.is_from_private_message:
        # A user who types, or uses the board's buttons, gets no picture of the next turn. The answer is a new message
        # and should be above the call of the next player, but must not delay it for long.
        answer = asyncio.ensure_future(_show_answer(ctx, acted.table, seat, note))
        await asyncio.wait([answer], timeout=ACKNOWLEDGE_AFTER)
        ctx.refresh(table)
        await answer
        return
    # The answer and the public board are drawn at the same time.
    ctx.refresh(table)
    until = ctx.services.live_hands.expiry
    content = await ctx.messages.build_act_answer(acted.table, seat, note=note, direct=ctx.is_direct, until=until)
    await ctx.show_table(acted.table, content)


async def _show_answer(ctx: Context, table: Table, seat: int, note: str) -> None:
    await ctx.show(await ctx.messages.build_act_answer(table, seat, note=note, direct=ctx.is_direct))


def _format_act_lines(words: Words, acted: CommandResult, seat: int) -> list[str]:
    """Describe the player's own act, with drawn tiles."""
    match, theme, event_log = acted.table.match, acted.table.terms.theme, acted.table.event_log
    drawn_tiles = [event.tile for event in acted.events if isinstance(event, Drew) and event.seat == seat]
    lines = []
    for entry in acted.public_events:
        if getattr(entry.event, "seat", None) != seat:
            continue
        if isinstance(entry.event, Drew):
            tile = drawn_tiles.pop(0)
            assert tile is not None
            fits = any(move.placement.tile == tile for move in view_for(match, seat).moves)
            lines.append(words("hand.drew_fits" if fits else "hand.drew", tile=format_tile(tile, theme)))
            continue
        located = entry if event_log is None else event_log.with_neighbours(entry)
        lines += filter(None, [move_labels.format_own_event(words, located, match.rules, theme)])
    return lines


def require_current(ctx: Context, table: Table) -> Table:
    """Return the table if it has not changed since the menu was made. Raises RefusalError(STALE)."""
    if ctx.custom_id.seq is not None and not table.state.is_current(ctx.custom_id.seq):
        raise RefusalError(Refusal.STALE)
    return table


def _choose_resign_key(match: Match, seat: int) -> str:
    """Return the end of a `resign.then_` key: what follows when this seat resigns."""
    left = [other for other in match.active if other != seat]
    if len(left) < match.rules.min_seats:
        return "over"
    return "computers" if all(match.seats[other].computer for other in left) else "others"


def check_plays(table: Table, seat: int) -> None:
    """Raise RuleError(RESIGNED) if the player has left the match."""
    if table.match.seats[seat].resigned:
        raise RuleError(Violation.RESIGNED)


def require_seat(table: Table, user_id: int) -> int:
    table.match  # noqa: B018 - a table without a match has no hands: it raises that
    seat = table.find_seat(user_id)
    if seat is None:
        raise RefusalError(Refusal.NOT_SEATED)
    return seat


@register_handler("premove")
async def set_premove(ctx: Context) -> None:
    """Store a premove: a move, a tile whose places are shown next, or a bonus choice."""
    table = require_current(ctx, await ctx.load_table())
    seat = require_seat(table, ctx.user_id)
    if table.match.ended:
        raise RefusalError(Refusal.FINISHED)
    if not hand_views.can_set_premove(table, seat):
        raise RefusalError(Refusal.STALE)
    chosen_value = ctx.values[0] if ctx.values else ctx.custom_id.argument
    if chosen_value == hand_views.MAX_POINTS:
        if not hand_views.can_computer_play(table):
            raise RefusalError(Refusal.NO_HINTS)
        await _store_premove(ctx, table, seat, create_premove(table.match, seat, None))
        return
    view = view_for(table.match, seat)
    tile = move_labels.find_movable_tile(view, [chosen_value])
    if tile is not None:
        await ctx.show_hand(table, seat, tile=tile)
        return
    named, then = _split_choice(chosen_value)
    move = move_labels.find_move(view, named)
    if move is None:
        raise RefusalError(Refusal.STALE)
    if then is None and needs_bonus_choice(move):
        await ctx.show_hand(table, seat, chosen=move)
        return
    chosen = then if then is not None and needs_bonus_choice(move) else ""
    try:
        premove = create_premove(table.match, seat, move.placement, chosen)
    except ValueError:
        raise RefusalError(Refusal.STALE) from None
    await _store_premove(ctx, table, seat, premove)


@register_handler("unpremove")
async def cancel_premove(ctx: Context) -> None:
    table = await ctx.load_table()
    seat, match_id = require_seat(table, ctx.user_id), table.head.match_id
    if ctx.user_id not in table.premoves:
        raise RefusalError(Refusal.STALE)
    await _clear_premove(ctx, match_id)
    await ctx.show_hand(await ctx.services.tables.load(match_id), seat, ctx.words("premove.cancelled"))


def needs_bonus_choice(move: Move) -> bool:
    return move.reward is not None and not move.reward.both


def _split_choice(text: str) -> tuple[str, PremoveChoice | None]:
    named, _, then = text.rpartition(".")
    if then in ("points", "tiles"):
        return named, cast(PremoveChoice, then)
    return (named, "") if then == hand_views.ASK_BONUS else (text, None)


async def _store_premove(ctx: Context, table: Table, seat: int, premove: Premove) -> None:
    try:
        await ctx.services.store.matches.save_premove(table.head, ctx.user_id, premove)
    except StaleVersion:
        raise RefusalError(Refusal.STALE) from None
    await ctx.show_hand(await ctx.services.tables.load(table.head.match_id), seat)


async def _clear_premove(ctx: Context, match_id: int) -> None:
    for _ in range(MAX_TRIES):
        table = await ctx.services.tables.load(match_id)
        if ctx.user_id not in table.premoves:
            return
        with suppress(StaleVersion):
            await ctx.services.store.matches.save_premove(table.head, ctx.user_id, None)
            return
    raise RefusalError(Refusal.STALE)


NOTE_TIMEOUT: Final = 1.5  # seconds to wait for the stored note; Discord waits for three


@register_handler("unseen")
async def show_unseen(ctx: Context) -> None:
    table = await ctx.load_table()
    seat = require_seat(table, ctx.user_id)
    if table.match.ended:
        raise RefusalError(Refusal.FINISHED)
    await ctx.show(Content(board_views.build_unseen_view(table, view_for(table.match, seat), ctx.words)))


async def save_note(ctx: Context) -> None:
    table = await ctx.load_table()
    seat = require_seat(table, ctx.user_id)
    services, note = ctx.services, board_views.tidy_note(ctx.values[0] if ctx.values else "")
    if not await services.store.users.save_note(table.head.match_id, ctx.user_id, note, now=services.now()):
        raise RefusalError(Refusal.FINISHED)
    table = await services.tables.load(table.head.match_id)
    await ctx.show_hand(table, seat, ctx.words("note.kept" if note else "note.gone"))


class NoteForm(ui.Modal):
    def __init__(self, press: CustomId, words: Words, before: str) -> None:
        super().__init__(title=words("note.form"), custom_id=str(press), timeout=FORM_TIMEOUT)
        self._press = press
        style, longest = discord.TextStyle.paragraph, board_views.MAX_NOTE_LENGTH
        self._note = ui.TextInput[Any](
            style=style, default=before, max_length=longest, required=False, custom_id="note"
        )
        label, more = words("note.form_label"), words("note.form_more")
        self.add_item(ui.Label(text=label, description=more, component=self._note))

    async def on_submit(self, interaction: Interaction) -> None:
        await dispatch(Context(interaction, self._press, [self._note.value]), save_note)


@register_form("note")
async def open_note_form(interaction: Interaction, press: CustomId) -> None:
    """Open the form with the stored note, as the first response; if reading takes too long, show the hand."""
    ctx = Context(interaction, press)
    load_note = ctx.services.store.users.load_note(press.table, ctx.user_id)
    try:
        before = await asyncio.wait_for(load_note, NOTE_TIMEOUT)
    except (TimeoutError, DatabaseUnavailable):
        await dispatch(ctx, show_hand)
        return
    await open_form(interaction, press, NoteForm(press, choose_words(interaction), before))


HINT_ARGUMENTS: Final = frozenset({"", hints.MOVE, hints.AS_TEXT, f"{hints.MOVE}.{hints.AS_TEXT}"})


@register_handler("hint")
async def show_hint(ctx: Context) -> None:
    """Show a hint; with `move` also the move with its reasons, with `text` without a picture."""
    argument = ctx.custom_id.argument
    if argument not in HINT_ARGUMENTS:
        raise RefusalError(Refusal.UNKNOWN_BUTTON)
    table = await ctx.load_table()
    seat = require_seat(table, ctx.user_id)
    if table.match.ended:
        raise RefusalError(Refusal.FINISHED)
    if not table.has_hints:
        raise RefusalError(Refusal.DEAL_NO_HINTS if table.terms.deal else Refusal.NO_HINTS)
    table = require_current(ctx, table)
    if table.find_turn_user() != ctx.user_id or table.clock.time.paused:
        raise RefusalError(Refusal.STALE)
    advice = await ctx.services.hints.advise(table, seat, ctx.user_id)
    parts = argument.split(".")
    show = ctx.messages.build_text_hint if hints.AS_TEXT in parts else ctx.messages.build_hint
    content = await show(table, seat, advice, move=hints.MOVE in parts, direct=ctx.is_direct)
    await ctx.show_table(table, content, text=hints.AS_TEXT in parts)
