"""Premoves in somebody's own hand: what they may decide on beforehand, what they have, and what became of it."""

from collections.abc import Sequence
from typing import Final

import discord
from discord import ui

from bot.service.tables import Table
from bot.views.moves import MoveNotes, by_tile, tile_name, tile_token, token
from bot.views.parts import Item, Press, button, menu, rows
from data.words import Words
from engine.board import Placement
from engine.seen import Move, Seen
from engine.table.premove import Premove, dropped, places_stay
from engine.tiles import Tile

IF_AWAY: Final = "most"
"""The value of the choice to have played whatever scores most."""
ASK: Final = "ask"
"""In the id of a button: they want to be asked which bonus they take."""
LINES: Final = 25
"""The most options a Discord menu takes."""


def may_decide(table: Table, seat: int) -> bool:
    """Whether the person on a seat may decide on their next turn now: they wait for it, and play themselves."""
    match = table.match
    return (
        table.head.state == "open"
        and match.ended is None
        and match.turn != seat
        and seat in match.active
        and bool(match.board.placed)
        and not table.clock.time.paused
        and seat not in table.clock.standins
        and not table.terms.guided
    )


def offers_most(table: Table) -> bool:
    """Whether the computer may play a turn for somebody: where no rating is at stake."""
    return table.hints


def waiting_one(table: Table, seen: Seen) -> Premove | None:
    """What the viewer has decided on, while it can still be played."""
    mine = own_premove(table, seen)
    return mine if mine is not None and mine.waits and dropped(table.match, mine) is None else None


def own_premove(table: Table, seen: Seen) -> Premove | None:
    """What the viewer has decided on, or what became of it."""
    user = None if seen.viewer is None else table.seats[seen.viewer].user_id
    return None if user is None or seen.ended else table.premoves.get(user)


def ghost_of(table: Table, seen: Seen) -> Placement | None:
    """The tile that is to be placed, as it is to lie."""
    mine = None if seen.my_turn else waiting_one(table, seen)
    return None if mine is None else mine.placement


def premove_text(table: Table, seen: Seen, words: Words) -> str:
    """What the viewer has decided on, or what became of it; empty where there is nothing to say."""
    mine = own_premove(table, seen)
    if mine is None:
        return ""
    lies = mine.placement
    tile = words("premove.whatever") if lies is None else tile_name(lies.tile, table.terms.theme)
    if mine.became is not None:
        return words(f"premove.{mine.became}", tile=tile)
    place = None if lies is None else seen.place(lies.cell)
    if seen.my_turn or (lies is not None and place is None):
        return ""
    if place is None:
        return words("premove.armed_most")
    told = words("premove.armed", tile=tile, letter=place.letter)
    return f"{told} {words(f'premove.then_{mine.then}')}" if mine.then else told


def premove_items(
    table: Table, seen: Seen, words: Words, *, tile: Tile | None = None, chosen: Move | None = None
) -> list[Item]:
    """The menu of what may be decided on; the places of one `tile`; or which bonus is taken for the `chosen` move."""
    if seen.viewer is None or not may_decide(table, seen.viewer):
        return []
    if chosen is not None:
        return _then(table, words, chosen)
    mine, head = own_premove(table, seen), table.head
    armed = mine is not None and mine.waits
    cancel = rows([button(words("premove.cancel"), Press("unpremove", head.match_id))] * armed)
    options = _options(table, seen, words, tile)
    if not options:
        return cancel
    key = "menu" if tile is not None or len(seen.moves) <= LINES else "menu_tile"
    where = "" if tile is None else words("premove.menu_place", tile=tile_name(tile, table.terms.theme))
    prompt = where or words(f"premove.{key}")
    return [menu(Press("premove", head.match_id, head.seq), prompt, options), *cancel]


def _options(table: Table, seen: Seen, words: Words, tile: Tile | None) -> list[discord.SelectOption]:
    theme, most = table.terms.theme, []
    if tile is None and offers_most(table):
        most = [
            discord.SelectOption(label=words("premove.most"), value=IF_AWAY, description=words("premove.most_about"))
        ]
    moves = [move for move in seen.moves if tile is None or move.placement.tile == tile]
    if not places_stay(table.match):
        return most
    if tile is None and len(moves) + len(most) > LINES:
        found = [
            discord.SelectOption(
                label=words("hand.move_opening", tile=tile_name(choice.tile, theme)),
                value=tile_token(choice.tile),
                description=words("hand.tile_places", n=len({move.placement.cell for move in choice.moves})),
            )
            for choice in by_tile(seen)
        ]
    else:
        found = _of_moves(seen, words, moves, theme)
    return [*found[: LINES - len(most)], *most]


def _of_moves(seen: Seen, words: Words, moves: Sequence[Move], theme: str) -> list[discord.SelectOption]:
    notes = MoveNotes(words, seen, theme)
    return [
        discord.SelectOption(
            label=words("hand.move", tile=tile_name(move.placement.tile, theme), letter=move.letter),
            value=token(move.placement),
            description=notes.under(move) or None,
        )
        for move in moves
    ]


def _then(table: Table, words: Words, chosen: Move) -> list[Item]:
    reward, head = chosen.reward, table.head
    assert reward is not None
    labels = {
        "points": words("hand.take_points", n=reward.points),
        "tiles": words("hand.take_tiles", n=reward.tiles),
        ASK: words("premove.ask"),
    }
    tile = tile_name(chosen.placement.tile, table.terms.theme)
    buttons = [
        button(label, Press("premove", head.match_id, head.seq, f"{token(chosen.placement)}.{then}"))
        for then, label in labels.items()
    ]
    buttons.append(button(words("hand.back"), Press("hand", head.match_id)))
    told: Item = ui.TextDisplay(words("premove.choose_then", tile=tile, letter=chosen.letter))
    return [told, *rows(buttons)]
