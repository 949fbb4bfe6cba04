"""Playing: `/tiles hand play draw pass resign` and the buttons and menus of "My hand"."""

from collections.abc import Callable
from typing import get_args

import discord

from bot import narrate
from bot.ask import Ask
from bot.service.matches import Acted
from bot.service.refusals import No, Refused
from bot.service.tables import Table
from bot.views import moves
from bot.views.ids import Press
from bot.views.parts import button
from data.words import Words
from engine.actions import Action, Choose, Draw, Option, Pass, Play, Resign, TakeBack
from engine.board import Placement
from engine.errors import RuleBroken
from engine.events import Chose, Drew, Passed, Placed, Undone
from engine.seen import see
from engine.tiles import tile_text


async def hand(ask: Ask) -> None:
    """Show somebody their own hand."""
    table = await ask.table()
    seat = seat_at(table, ask.user_id)
    person = await ask.desk.store.person(ask.user_id)
    note = ask.words("absence.stood_in") if seat in table.face.standins else ""
    await ask.show(await ask.sheets.hand(table, seat, quick=person.quick, note=note, direct=ask.direct))


async def pick_tile(ask: Ask) -> None:
    """A tile was chosen from the menu: show where it can go."""
    table = await _current(ask)
    seat = seat_at(table, ask.user_id)
    seen = see(table.match, seat)
    tile = next((choice.tile for choice in moves.by_tile(seen) if moves.tile_token(choice.tile) in ask.values), None)
    if tile is None:
        raise Refused(No.STALE)
    person = await ask.desk.store.person(ask.user_id)
    await ask.show(await ask.sheets.hand(table, seat, quick=person.quick, tile=tile))


async def choose(ask: Ask) -> None:
    """A move was chosen from the menu: show it on the board, or play it for people who want no second look."""
    table = await _current(ask)
    seat = seat_at(table, ask.user_id)
    move = moves.find(see(table.match, seat), ask.values[0] if ask.values else "")
    if move is None:
        raise Refused(No.STALE)
    if (await ask.desk.store.person(ask.user_id)).quick:
        await place(ask, table, move.placement, expected=ask.press.seq)
        return
    await ask.show(await ask.sheets.hand(table, seat, chosen=move))


async def confirm(ask: Ask) -> None:
    """The move that was shown is to be played."""
    table = await ask.table()
    placement = moves.parse_token(ask.press.argument, table.match.rules)
    if placement is None:
        raise Refused(No.UNKNOWN_BUTTON)
    await place(ask, table, placement, expected=ask.press.seq)


async def choose_option(ask: Ask) -> None:
    """Say how one's turn goes on: which bonus, or that it ends here. The argument is the option."""
    option = next((option for option in get_args(Option) if option == ask.press.argument), None)
    if option is None:
        raise Refused(No.UNKNOWN_BUTTON)
    await _act(ask, await ask.table(), lambda seat: Choose(seat, option), expected=ask.press.seq)


async def draw(ask: Ask) -> None:
    """Take a tile from the boneyard."""
    await _act(ask, await ask.table(), Draw, expected=ask.press.seq)


async def pass_turn(ask: Ask) -> None:
    """End a turn in which nothing can be done."""
    await _act(ask, await ask.table(), Pass, expected=ask.press.seq)


async def take_back(ask: Ask, table: Table) -> None:
    """Undo one's last placement."""
    await _act(ask, table, TakeBack, expected=ask.press.seq)


async def quick(ask: Ask) -> None:
    """Switch the second look before a move on or off."""
    table = await ask.table()
    seat = seat_at(table, ask.user_id)
    # Only now: whoever is told that the table is closed has changed nothing.
    person = await ask.desk.store.set_person(ask.user_id, quick=ask.press.argument == "on", now=ask.desk.now())
    note = ask.words("settings.quick_on" if person.quick else "settings.quick_off")
    await ask.show(await ask.sheets.hand(table, seat, quick=person.quick, note=note, direct=ask.direct))


async def resign(ask: Ask) -> None:
    """Ask whether somebody really wants to leave the match, and do it when they say so."""
    table = await ask.table()
    words = ask.words
    seat_at(table, ask.user_id)
    if table.match.ended:
        raise Refused(No.FINISHED)
    match ask.press.argument:
        case "yes":
            await ask.desk.matches.act(
                table.head.match_id, Resign, ask.user_id, expected=None, request=ask.interaction.id
            )
            show_everybody(ask, table)
            await ask.say(words("resign.done"))
        case "no":
            await ask.say(words("resign.kept"), button(words("board.hand"), Press("hand", table.head.match_id)))
        case _:
            yes = Press("resign", table.head.match_id, argument="yes")
            no = Press("resign", table.head.match_id, argument="no")
            await ask.say(
                words("resign.ask"),
                button(words("resign.yes"), yes, style=discord.ButtonStyle.danger),
                button(words("resign.no"), no),
            )


async def place(ask: Ask, table: Table, placement: Placement, *, expected: int | None) -> None:
    def action(seat: int) -> Action:
        return Play(seat, placement.tile, placement.cell, placement.rotation)

    try:
        await _act(ask, table, action, expected=expected)
    except RuleBroken as broken:
        # Some rules look at the place alone; the answer also says where this tile does fit.
        broken.facts.setdefault("tile", placement.tile)
        raise


async def _act(ask: Ask, table: Table, action: Callable[[int], Action], *, expected: int | None) -> None:
    desk = ask.desk
    acted = await desk.matches.act(
        table.head.match_id, action, ask.user_id, expected=expected, request=ask.interaction.id
    )
    seat = seat_at(acted.table, ask.user_id)
    note = "\n".join(_notes(ask.words, acted, seat))
    person = await desk.store.person(ask.user_id)
    # The mover's answer and the public board are drawn side by side.
    show_everybody(ask, table)
    await ask.show(await ask.sheets.hand(acted.table, seat, note=note, quick=person.quick, direct=ask.direct))


def show_everybody(ask: Ask, table: Table) -> None:
    """Bring the public messages up to date, and let the computers move, while the asker is being answered."""
    ask.desk.announcer.refresh(table.head.match_id)
    ask.desk.clockwork.soon(table.head.match_id)


def _notes(words: Words, acted: Acted, seat: int) -> list[str]:
    """What the mover is told about their own act, drawn tiles included."""
    match = acted.table.match
    drawn = [event.tile for event in acted.events if isinstance(event, Drew) and event.seat == seat]
    lines = []
    for told in acted.told:
        match told.event:
            case Placed() as placed if placed.seat == seat:
                sums = narrate.arithmetic(
                    words, placed, match.rules, tile=placed.tile, opening=told.opening, drawn=placed.drawn
                )
                lines.append(
                    words(
                        ("hand.played_opening" if told.opening else "hand.played") + ("" if sums else "_bare"),
                        tile=tile_text(placed.tile),
                        letter=told.letter,
                        arithmetic=sums,
                        total=narrate.number_text(told.totals[seat]),
                    )
                )
            case Drew(drawer) if drawer == seat:
                tile = drawn.pop(0)
                assert tile is not None
                fits = any(move.placement.tile == tile for move in see(match, seat).moves)
                lines.append(words("hand.drew_fits" if fits else "hand.drew", tile=tile_text(tile)))
            case Chose(chooser, option, points, tiles) if chooser == seat:
                lines.append(
                    words(
                        f"hand.chose_{'points' if option == 'both' and not tiles else option}",
                        points=narrate.points_text(points),
                        tiles=words("count.more_tiles", n=tiles),
                        total=narrate.number_text(told.totals[seat]),
                    )
                )
            case Passed(passer, _, points) if passer == seat:
                total = narrate.number_text(told.totals[seat])
                key = "hand.passed" if points else "hand.passed_free"
                lines.append(words(key, points=narrate.points_text(points), total=total))
            case Undone(undoer) if undoer == seat and told.tile is not None:
                total = narrate.number_text(told.totals[seat])
                lines.append(words("hand.undone", tile=tile_text(told.tile), total=total))
            case _:
                pass
    return lines


async def _current(ask: Ask) -> Table:
    """The table, if it still stands where the menu was made."""
    table = await ask.table()
    if ask.press.seq is not None and not table.still(ask.press.seq):
        raise Refused(No.STALE)
    return table


def seat_at(table: Table, user_id: int) -> int:
    table.match  # noqa: B018 - a table without a match has no hands: it raises that
    seat = table.seat_of(user_id)
    if seat is None:
        raise Refused(No.NOT_SEATED)
    return seat
