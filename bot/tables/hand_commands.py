"""Play: `/tiles hand play draw pass resign` and the buttons and menus of "My hand"."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final, cast, get_args

import discord
from discord import ui

from bot.computers import hints
from bot.core.context import SOON, Context, Interaction
from bot.core.dispatch import dispatch, handles, opens_form
from bot.core.languages import at_once
from bot.core.layout import Press, button
from bot.core.services import Served
from bot.tables import board_views, hand_views, move_labels
from bot.tables.acts import TRIES
from bot.tables.board_commands import OPEN, open_form
from bot.tables.messages import Content
from bot.tables.move_labels import tile_name, where
from bot.tables.service import Acted, Table
from data.store.connection.faults import DatabaseUnavailable
from data.store.connection.store_errors import Stale
from data.words import Words
from engine.board.board import Placement
from engine.match.actions import Action, Choose, Draw, Option, Pass, Play, Resign, TakeBack
from engine.match.errors import RuleBroken, Why
from engine.match.events import Chose, Drew, Passed, Placed, Undone
from engine.match.player_view import Move, view_for
from engine.match.state import Match
from engine.table.commands import Act
from engine.table.refusals import No, Refused
from engine.table.table_state import Premove, Then, decided


@handles("hand")
async def hand(ctx: Context) -> None:
    table = await ctx.table()
    seat = seat_at(table, ctx.user_id)
    quick = table.person(ctx.user_id).quick
    note = ctx.words("absence.stood_in") if seat in table.clock.standins else ""
    await ctx.show_table(table, await ctx.messages.hand(table, seat, quick=quick, note=note, direct=ctx.direct))


@handles("tile")
async def pick_tile(ctx: Context) -> None:
    table = current(ctx, await ctx.table())
    seat = seat_at(table, ctx.user_id)
    seen = view_for(table.match, seat)
    tile = next(
        (choice.tile for choice in move_labels.by_tile(seen) if move_labels.tile_token(choice.tile) in ctx.values), None
    )
    if tile is None:
        raise Refused(No.STALE)
    quick = table.person(ctx.user_id).quick
    await ctx.show_table(table, await ctx.messages.hand(table, seat, quick=quick, tile=tile))


@handles("move")
async def choose_move(ctx: Context) -> None:
    """Show the chosen move on the board, or play it if the user has turned the confirmation off."""
    table = current(ctx, await ctx.table_to_act_on())
    if not table.person(ctx.user_id).quick:
        table = current(ctx, await ctx.table())  # only a preview needs a fresh table
    seat = seat_at(table, ctx.user_id)
    move = move_labels.find_move(view_for(table.match, seat), ctx.values[0] if ctx.values else "")
    if move is None:
        raise Refused(No.STALE)
    if table.person(ctx.user_id).quick:
        await place(ctx, table, move.placement, expected=ctx.press.seq)
        return
    await ctx.show_table(table, await ctx.messages.hand(table, seat, chosen=move))


@handles("play")
async def confirm(ctx: Context) -> None:
    table = await ctx.table_to_act_on()
    placement = move_labels.parse_token(ctx.press.argument, table.match.rules)
    if placement is None:
        raise Refused(No.UNKNOWN_BUTTON)
    await place(ctx, table, placement, expected=ctx.press.seq)


@handles("choose")
async def choose_option(ctx: Context) -> None:
    """Choose a bonus or end the turn. The argument is the option."""
    option = next((option for option in get_args(Option) if option == ctx.press.argument), None)
    if option is None:
        raise Refused(No.UNKNOWN_BUTTON)
    await _act(ctx, await ctx.table_to_act_on(), lambda seat: Choose(seat, option), expected=ctx.press.seq)


@handles("draw")
async def draw(ctx: Context) -> None:
    await _act(ctx, await ctx.table_to_act_on(), Draw, expected=ctx.press.seq)


@handles("pass")
async def pass_turn(ctx: Context) -> None:
    await _act(ctx, await ctx.table_to_act_on(), Pass, expected=ctx.press.seq)


async def take_back(ctx: Context, table: Table) -> None:
    await _act(ctx, table, TakeBack, expected=ctx.press.seq)


@handles("quick")
async def quick(ctx: Context) -> None:
    """Turn the confirmation before a move on or off."""
    table = await ctx.table()
    seat = seat_at(table, ctx.user_id)
    # Save only after `seat_at`: at a closed table nothing must change.
    person = await ctx.services.store.users.set_person(
        ctx.user_id, quick=ctx.press.argument == "on", now=ctx.services.now()
    )
    note = ctx.words("settings.quick_on" if person.quick else "settings.quick_off")
    await ctx.show_table(table, await ctx.messages.hand(table, seat, quick=person.quick, note=note, direct=ctx.direct))


@handles("resign")
async def resign(ctx: Context) -> None:
    table = await ctx.table()
    words = ctx.words
    seat = seat_at(table, ctx.user_id)
    if table.match.ended:
        raise Refused(No.FINISHED)
    match ctx.press.argument:
        case "yes":
            await ctx.act(table, Act(ctx.user_id, Resign))
            show_everybody(ctx, table)
            await ctx.say(words("resign.done"))
        case "no":
            await ctx.say(words("resign.kept"), button(words("board.hand"), Press("hand", table.head.match_id)))
        case _:
            check_plays(table, seat)
            yes = Press("resign", table.head.match_id, argument="yes")
            no = Press("resign", table.head.match_id, argument="no")
            await ctx.say(
                words("resign.ask", then=words(f"resign.then_{_resign_key(table.match, seat)}")),
                button(words("resign.yes"), yes, style=discord.ButtonStyle.danger),
                button(words("resign.no"), no),
            )


async def place(ctx: Context, table: Table, placement: Placement, *, expected: int | None) -> None:
    action = partial(Play, tile=placement.tile, cell=placement.cell, rotation=placement.rotation)
    try:
        await _act(ctx, table, action, expected=expected)
    except RuleBroken as broken:
        # Some rules check only the place; the answer also says where this tile fits.
        broken.facts.setdefault("tile", placement.tile)
        raise


async def _act(ctx: Context, table: Table, action: Callable[[int], Action], *, expected: int | None) -> None:
    acted = await ctx.act(table, Act(ctx.user_id, action, expected))
    seat = seat_at(acted.table, ctx.user_id)
    note = "\n".join(_act_lines(ctx.words, acted, seat))
    if not ctx.in_own_message:
        # A user who types, or uses the board's buttons, gets no picture of the next turn. The answer is a new message
        # and should be above the call of the next player, but must not delay it for long.
        answer = asyncio.ensure_future(_show_answer(ctx, acted.table, seat, note))
        await asyncio.wait([answer], timeout=SOON)
        show_everybody(ctx, table)
        await answer
        return
    # The answer and the public board are drawn at the same time.
    show_everybody(ctx, table)
    until = ctx.services.live_hands.until
    content = await ctx.messages.acted(acted.table, seat, note=note, direct=ctx.direct, until=until)
    await ctx.show_table(acted.table, content)


async def _show_answer(ctx: Context, table: Table, seat: int, note: str) -> None:
    await ctx.show(await ctx.messages.acted(table, seat, note=note, direct=ctx.direct))


def show_everybody(ctx: Context, table: Table) -> None:
    """Update the public messages and let the computers move, in the background."""
    ctx.services.announcer.refresh(table.head.match_id)
    ctx.services.scheduler.soon(table.head.match_id)


def _act_lines(words: Words, acted: Acted, seat: int) -> list[str]:
    """Describe the player's own act, with drawn tiles. It names no letter, because letters change with the board."""
    match, theme, event_log = acted.table.match, acted.table.terms.theme, acted.table.event_log
    drawn = [event.tile for event in acted.events if isinstance(event, Drew) and event.seat == seat]
    lines = []
    for told in acted.told:
        match told.event:
            case Placed() as placed if placed.seat == seat:
                sums = move_labels.arithmetic(
                    words, placed, match.rules, tile=placed.tile, opening=told.opening, drawn=placed.drawn
                )
                beside = () if event_log is None else event_log.located(told).beside
                at = where(words, placed.cell, beside, theme)
                facts = {"where": at} if at and not told.opening else {}
                key = "hand.played_opening" if told.opening else "hand.played_at" if at else "hand.played"
                facts |= {"tile": tile_name(placed.tile, theme), "total": move_labels.number_text(told.totals[seat])}
                lines.append(words(key if sums else f"{key}_bare", arithmetic=sums, **facts))
            case Drew(drawer) if drawer == seat:
                tile = drawn.pop(0)
                assert tile is not None
                fits = any(move.placement.tile == tile for move in view_for(match, seat).moves)
                lines.append(words("hand.drew_fits" if fits else "hand.drew", tile=tile_name(tile, theme)))
            case Chose(chooser, option, points, tiles) if chooser == seat:
                lines.append(
                    words(
                        f"hand.chose_{'points' if option == 'both' and not tiles else option}",
                        points=move_labels.points_text(points),
                        tiles=words("count.more_tiles", n=tiles),
                        total=move_labels.number_text(told.totals[seat]),
                    )
                )
            case Passed(passer, _, points) if passer == seat:
                total = move_labels.number_text(told.totals[seat])
                key = "hand.passed" if points else "hand.passed_free"
                lines.append(words(key, points=move_labels.points_text(points), total=total))
            case Undone(undoer) if undoer == seat and told.tile is not None:
                total = move_labels.number_text(told.totals[seat])
                lines.append(words("hand.undone", tile=tile_name(told.tile, theme), total=total))
            case _:
                pass
    return lines


def current(ctx: Context, table: Table) -> Table:
    """Return the table if it has not changed since the menu was made. Raises Refused(STALE)."""
    if ctx.press.seq is not None and not table.state.still(ctx.press.seq):
        raise Refused(No.STALE)
    return table


def _resign_key(match: Match, seat: int) -> str:
    """Return the end of a `resign.then_` key: what follows when this seat resigns."""
    left = [other for other in match.active if other != seat]
    if len(left) < match.rules.min_seats:
        return "over"
    return "computers" if all(match.seats[other].computer for other in left) else "others"


def check_plays(table: Table, seat: int) -> None:
    """Raise RuleBroken(RESIGNED) if the player has left the match."""
    if table.match.seats[seat].resigned:
        raise RuleBroken(Why.RESIGNED)


def seat_at(table: Table, user_id: int) -> int:
    table.match  # noqa: B018 - a table without a match has no hands: it raises that
    seat = table.seat_of(user_id)
    if seat is None:
        raise Refused(No.NOT_SEATED)
    return seat


@handles("premove")
async def decide_ahead(ctx: Context) -> None:
    """Store a premove: a move, a tile whose places are shown next, or a bonus choice."""
    table = current(ctx, await ctx.table())
    seat = seat_at(table, ctx.user_id)
    if table.match.ended:
        raise Refused(No.FINISHED)
    if not hand_views.may_decide(table, seat):
        raise Refused(No.STALE)
    wanted = ctx.values[0] if ctx.values else ctx.press.argument
    if wanted == hand_views.IF_AWAY:
        if not hand_views.offers_most(table):
            raise Refused(No.NO_HINTS)
        await _store_premove(ctx, table, seat, decided(table.match, seat, None))
        return
    seen = view_for(table.match, seat)
    tile = next((one.tile for one in move_labels.by_tile(seen) if move_labels.tile_token(one.tile) == wanted), None)
    if tile is not None:
        await ctx.show_table(table, await ctx.messages.hand(table, seat, tile=tile, direct=ctx.direct))
        return
    named, then = _split_choice(wanted)
    move = move_labels.find_move(seen, named)
    if move is None:
        raise Refused(No.STALE)
    if then is None and asks(move):
        await ctx.show_table(table, await ctx.messages.hand(table, seat, chosen=move, direct=ctx.direct))
        return
    chosen = then if then is not None and asks(move) else ""
    try:
        premove = decided(table.match, seat, move.placement, chosen)
    except ValueError:
        raise Refused(No.STALE) from None
    await _store_premove(ctx, table, seat, premove)


@handles("unpremove")
async def take_away(ctx: Context) -> None:
    table = await ctx.table()
    seat, match_id = seat_at(table, ctx.user_id), table.head.match_id
    if ctx.user_id not in table.premoves:
        raise Refused(No.STALE)
    await _cancel_premove(ctx, match_id)
    table = await ctx.services.tables.load(match_id)
    note, quick = ctx.words("premove.cancelled"), table.person(ctx.user_id).quick
    await ctx.show_table(table, await ctx.messages.hand(table, seat, note=note, quick=quick, direct=ctx.direct))


def asks(move: Move) -> bool:
    return move.reward is not None and not move.reward.both


def _split_choice(text: str) -> tuple[str, Then | None]:
    named, _, then = text.rpartition(".")
    if then in ("points", "tiles"):
        return named, cast(Then, then)
    return (named, "") if then == hand_views.ASK else (text, None)


async def _store_premove(ctx: Context, table: Table, seat: int, premove: Premove) -> None:
    try:
        await ctx.services.store.matches.arm(table.head, ctx.user_id, premove)
    except Stale:
        raise Refused(No.STALE) from None
    table = await ctx.services.tables.load(table.head.match_id)
    quick = table.person(ctx.user_id).quick
    await ctx.show_table(table, await ctx.messages.hand(table, seat, quick=quick, direct=ctx.direct))


async def _cancel_premove(ctx: Context, match_id: int) -> None:
    for _ in range(TRIES):
        now = await ctx.services.tables.load(match_id)
        if ctx.user_id not in now.premoves:
            return
        with suppress(Stale):
            await ctx.services.store.matches.arm(now.head, ctx.user_id, None)
            return
    raise Refused(No.STALE)


NOTE_SOON: Final = 1.5  # seconds to wait for the stored note; Discord waits for three


@handles("unseen")
async def show_unseen(ctx: Context) -> None:
    table = await ctx.table()
    seat = seat_at(table, ctx.user_id)
    if table.match.ended:
        raise Refused(No.FINISHED)
    await ctx.show(Content(board_views.unseen_view(table, view_for(table.match, seat), ctx.words)))


async def take_note(ctx: Context) -> None:
    table = await ctx.table()
    seat = seat_at(table, ctx.user_id)
    services, note = ctx.services, board_views.tidied(ctx.values[0] if ctx.values else "")
    if not await services.store.users.keep_note(table.head.match_id, ctx.user_id, note, now=services.now()):
        raise Refused(No.FINISHED)
    table = await services.tables.load(table.head.match_id)
    told, quick = ctx.words("note.kept" if note else "note.gone"), table.person(ctx.user_id).quick
    await ctx.show_table(table, await ctx.messages.hand(table, seat, quick=quick, note=told, direct=ctx.direct))


class NoteForm(ui.Modal):
    def __init__(self, press: Press, words: Words, before: str) -> None:
        super().__init__(title=words("note.form"), custom_id=str(press), timeout=OPEN)
        self._press = press
        style, longest = discord.TextStyle.paragraph, board_views.LONGEST_NOTE
        self._note: ui.TextInput[Any] = ui.TextInput(
            custom_id="note", style=style, default=before, max_length=longest, required=False
        )
        label, more = words("note.form_label"), words("note.form_more")
        self.add_item(ui.Label(text=label, description=more, component=self._note))

    async def on_submit(self, interaction: Interaction) -> None:
        await dispatch(Context(interaction, self._press, [self._note.value]), take_note)


@opens_form("note")
async def ask_note(interaction: Interaction, press: Press) -> None:
    """Open the form with the stored note, as the first response; if reading takes too long, show the hand."""
    client: Any = interaction.client
    served: Served = client
    try:
        before = await asyncio.wait_for(
            served.services.store.users.own_note(press.table, interaction.user.id), NOTE_SOON
        )
    except (TimeoutError, DatabaseUnavailable):
        await dispatch(Context(interaction, press), hand)
        return
    await open_form(interaction, press, NoteForm(press, at_once(interaction), before))


PARTS: Final = frozenset({"", hints.MOVE, hints.AS_TEXT, f"{hints.MOVE}.{hints.AS_TEXT}"})  # the valid arguments


@handles("hint")
async def give(ctx: Context) -> None:
    """Show a hint; with `move` also the move with its reasons, with `text` without a picture."""
    argument = ctx.press.argument
    if argument not in PARTS:
        raise Refused(No.UNKNOWN_BUTTON)
    table = await ctx.table()
    seat = seat_at(table, ctx.user_id)
    if table.match.ended:
        raise Refused(No.FINISHED)
    if not table.hints:
        raise Refused(No.DEAL_NO_HINTS if table.terms.deal else No.NO_HINTS)
    table = current(ctx, table)
    if table.turn_user() != ctx.user_id or table.clock.time.paused:
        raise Refused(No.STALE)
    advice = await ctx.services.hints.of(table, seat, ctx.user_id)
    asked = argument.split(".")
    show = ctx.messages.hint_text if hints.AS_TEXT in asked else ctx.messages.hint
    content = await show(table, seat, advice, move=hints.MOVE in asked, direct=ctx.direct)
    await ctx.show_table(table, content, text=hints.AS_TEXT in asked)
