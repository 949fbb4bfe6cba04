"""Playing: `/tiles hand play draw pass resign` and the buttons and menus of "My hand"."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import get_args

import discord

from bot.commands.context import SOON, Context
from bot.service.tables import Acted, Table
from bot.views import moves
from bot.views import sentences as sentences
from bot.views.moves import tile_name, where
from bot.views.parts import Press, button
from data.words import Words
from engine.actions import Action, Choose, Draw, Option, Pass, Play, Resign, TakeBack
from engine.board import Placement
from engine.errors import RuleBroken, Why
from engine.events import Chose, Drew, Passed, Placed, Undone
from engine.match import Match
from engine.seen import see
from engine.table.commands import Act
from engine.table.refusals import No, Refused


async def hand(ctx: Context) -> None:
    """Show somebody their own hand."""
    table = await ctx.table()
    seat = seat_at(table, ctx.user_id)
    quick = table.person(ctx.user_id).quick
    note = ctx.words("absence.stood_in") if seat in table.clock.standins else ""
    await ctx.show_table(table, await ctx.messages.hand(table, seat, quick=quick, note=note, direct=ctx.direct))


async def pick_tile(ctx: Context) -> None:
    """A tile was chosen from the menu: show where it can go."""
    table = current(ctx, await ctx.table())
    seat = seat_at(table, ctx.user_id)
    seen = see(table.match, seat)
    tile = next((choice.tile for choice in moves.by_tile(seen) if moves.tile_token(choice.tile) in ctx.values), None)
    if tile is None:
        raise Refused(No.STALE)
    quick = table.person(ctx.user_id).quick
    await ctx.show_table(table, await ctx.messages.hand(table, seat, quick=quick, tile=tile))


async def choose_move(ctx: Context) -> None:
    """A move was chosen from the menu: show it on the board, or play it for people who want no second look."""
    table = current(ctx, await ctx.table_to_act_on())
    if not table.person(ctx.user_id).quick:
        table = current(ctx, await ctx.table())  # what is shown is read
    seat = seat_at(table, ctx.user_id)
    move = moves.find_move(see(table.match, seat), ctx.values[0] if ctx.values else "")
    if move is None:
        raise Refused(No.STALE)
    if table.person(ctx.user_id).quick:
        await place(ctx, table, move.placement, expected=ctx.press.seq)
        return
    await ctx.show_table(table, await ctx.messages.hand(table, seat, chosen=move))


async def confirm(ctx: Context) -> None:
    """The move that was shown is to be played."""
    table = await ctx.table_to_act_on()
    placement = moves.parse_token(ctx.press.argument, table.match.rules)
    if placement is None:
        raise Refused(No.UNKNOWN_BUTTON)
    await place(ctx, table, placement, expected=ctx.press.seq)


async def choose_option(ctx: Context) -> None:
    """Say how one's turn goes on: which bonus, or that it ends here. The argument is the option."""
    option = next((option for option in get_args(Option) if option == ctx.press.argument), None)
    if option is None:
        raise Refused(No.UNKNOWN_BUTTON)
    await _act(ctx, await ctx.table_to_act_on(), lambda seat: Choose(seat, option), expected=ctx.press.seq)


async def draw(ctx: Context) -> None:
    """Take a tile from the boneyard."""
    await _act(ctx, await ctx.table_to_act_on(), Draw, expected=ctx.press.seq)


async def pass_turn(ctx: Context) -> None:
    """End a turn in which nothing can be done."""
    await _act(ctx, await ctx.table_to_act_on(), Pass, expected=ctx.press.seq)


async def take_back(ctx: Context, table: Table) -> None:
    """Undo one's last placement."""
    await _act(ctx, table, TakeBack, expected=ctx.press.seq)


async def quick(ctx: Context) -> None:
    """Switch the second look before a move on or off."""
    table = await ctx.table()
    seat = seat_at(table, ctx.user_id)
    # Only now: whoever is told that the table is closed has changed nothing.
    person = await ctx.services.store.set_person(ctx.user_id, quick=ctx.press.argument == "on", now=ctx.services.now())
    note = ctx.words("settings.quick_on" if person.quick else "settings.quick_off")
    await ctx.show_table(table, await ctx.messages.hand(table, seat, quick=person.quick, note=note, direct=ctx.direct))


async def resign(ctx: Context) -> None:
    """Ask whether somebody really wants to leave the match, and do it when they say so."""
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
                words("resign.ask", then=words(f"resign.then_{_what_follows(table.match, seat)}")),
                button(words("resign.yes"), yes, style=discord.ButtonStyle.danger),
                button(words("resign.no"), no),
            )


async def place(ctx: Context, table: Table, placement: Placement, *, expected: int | None) -> None:
    action = partial(Play, tile=placement.tile, cell=placement.cell, rotation=placement.rotation)
    try:
        await _act(ctx, table, action, expected=expected)
    except RuleBroken as broken:
        # Some rules look at the place alone; the answer also says where this tile does fit.
        broken.facts.setdefault("tile", placement.tile)
        raise


async def _act(ctx: Context, table: Table, action: Callable[[int], Action], *, expected: int | None) -> None:
    acted = await ctx.act(table, Act(ctx.user_id, action, expected))
    seat = seat_at(acted.table, ctx.user_id)
    note = "\n".join(_notes(ctx.words, acted, seat))
    if not ctx.in_own_message:
        # Whoever types, or presses the board's own buttons, has asked for no picture of what comes next. Their answer
        # is a new message, above the call to whoever is next; nobody waits long for it.
        answer = asyncio.ensure_future(_answer_typed(ctx, acted.table, seat, note))
        await asyncio.wait([answer], timeout=SOON)
        show_everybody(ctx, table)
        await answer
        return
    # The mover's answer and the public board are drawn side by side.
    show_everybody(ctx, table)
    until = ctx.services.live_hands.until
    content = await ctx.messages.acted(acted.table, seat, note=note, direct=ctx.direct, until=until)
    await ctx.show_table(acted.table, content)


async def _answer_typed(ctx: Context, table: Table, seat: int, note: str) -> None:
    await ctx.show(await ctx.messages.acted(table, seat, note=note, direct=ctx.direct))


def show_everybody(ctx: Context, table: Table) -> None:
    """Bring the public messages up to date, and let the computers move, while the asker is being answered."""
    ctx.services.announcer.refresh(table.head.match_id)
    ctx.services.scheduler.soon(table.head.match_id)


def _notes(words: Words, acted: Acted, seat: int) -> list[str]:
    """What the mover is told about their own act, drawn tiles included. Like the public line it names no letter: by now
    the places have others.
    """
    match, theme, story = acted.table.match, acted.table.terms.theme, acted.table.story
    drawn = [event.tile for event in acted.events if isinstance(event, Drew) and event.seat == seat]
    lines = []
    for told in acted.told:
        match told.event:
            case Placed() as placed if placed.seat == seat:
                sums = sentences.arithmetic(
                    words, placed, match.rules, tile=placed.tile, opening=told.opening, drawn=placed.drawn
                )
                beside = () if story is None else story.located(told).beside
                at = where(words, placed.cell, beside, theme)
                facts = {"where": at} if at and not told.opening else {}
                key = "hand.played_opening" if told.opening else "hand.played_at" if at else "hand.played"
                lines.append(
                    words(
                        key if sums else f"{key}_bare",
                        tile=tile_name(placed.tile, theme),
                        arithmetic=sums,
                        total=sentences.number_text(told.totals[seat]),
                        **facts,
                    )
                )
            case Drew(drawer) if drawer == seat:
                tile = drawn.pop(0)
                assert tile is not None
                fits = any(move.placement.tile == tile for move in see(match, seat).moves)
                lines.append(words("hand.drew_fits" if fits else "hand.drew", tile=tile_name(tile, theme)))
            case Chose(chooser, option, points, tiles) if chooser == seat:
                lines.append(
                    words(
                        f"hand.chose_{'points' if option == 'both' and not tiles else option}",
                        points=sentences.points_text(points),
                        tiles=words("count.more_tiles", n=tiles),
                        total=sentences.number_text(told.totals[seat]),
                    )
                )
            case Passed(passer, _, points) if passer == seat:
                total = sentences.number_text(told.totals[seat])
                key = "hand.passed" if points else "hand.passed_free"
                lines.append(words(key, points=sentences.points_text(points), total=total))
            case Undone(undoer) if undoer == seat and told.tile is not None:
                total = sentences.number_text(told.totals[seat])
                lines.append(words("hand.undone", tile=tile_name(told.tile, theme), total=total))
            case _:
                pass
    return lines


def current(ctx: Context, table: Table) -> Table:
    """The table, if it still stands where the menu was made."""
    if ctx.press.seq is not None and not table.state.still(ctx.press.seq):
        raise Refused(No.STALE)
    return table


def _what_follows(match: Match, seat: int) -> str:
    """What comes of it when this seat resigns, as the end of a key of `resign.then_`."""
    left = [other for other in match.active if other != seat]
    if len(left) < match.rules.min_seats:
        return "over"
    return "computers" if all(match.seats[other].computer for other in left) else "others"


def check_plays(table: Table, seat: int) -> None:
    """Raise RuleBroken(RESIGNED) for the seat of somebody who has left the match."""
    if table.match.seats[seat].resigned:
        raise RuleBroken(Why.RESIGNED)


def seat_at(table: Table, user_id: int) -> int:
    table.match  # noqa: B018 - a table without a match has no hands: it raises that
    seat = table.seat_of(user_id)
    if seat is None:
        raise Refused(No.NOT_SEATED)
    return seat
