"""My hand: what one player sees privately, and the menu of their moves."""

from collections.abc import Sequence

import discord
from discord import ui

from bot import narrate
from bot.names import Names
from bot.service.tables import Table
from bot.views.ids import Press
from bot.views.moves import TileChoice, by_tile, tile_token, token
from bot.views.parts import Item, button, layout, menu, picture, primary, rows
from bot.views.table import seat_colour
from data.words import Words
from engine.seen import Move, Seen
from engine.tiles import Tile, tile_text

HAND_FILE = "hand.png"
MENU = 25  # the most options a Discord menu takes


def hand_view(
    table: Table,
    seen: Seen,
    names: Names,
    words: Words,
    *,
    alt: str,
    note: str = "",
    quick: bool = False,
    tile: Tile | None = None,
    chosen: Move | None = None,
) -> ui.LayoutView:
    """The private message: a note about what just happened, the picture, and what can be done.

    `tile` is the tile picked when the moves are too many for one menu; `chosen` the move to confirm.
    """
    items: list[Item] = []
    if note:
        items.append(ui.TextDisplay(note[:2500]))
    items += [ui.TextDisplay(_title(seen, names, words)), picture(HAND_FILE, alt)]
    if chosen is not None:
        items += _confirmation(table, seen, words, chosen)
    else:
        if seen.my_turn:
            items += _choices(table, seen, words, tile)
        items += rows(_buttons(table, seen, words, quick=quick, back=tile is not None))
    return layout(*items, colour=seat_colour(seen))


def _title(seen: Seen, names: Names, words: Words) -> str:
    assert seen.mine is not None
    tiles = words("count.tiles", n=seen.mine.tiles)
    if seen.ended:
        return f"### {words('hand.title_over')}"
    if not seen.my_turn:
        return f"### {words('hand.title_wait', tiles=tiles, name=names.safe[seen.turn])}"
    title = f"### {words('hand.title_turn', tiles=tiles)}"
    if not seen.tiles:
        return f"{title}\n{words('hand.opening')}"
    if seen.moves:
        return title
    if seen.can_draw:
        rules = seen.rules
        draw = words("hand.must_draw", drawn=seen.drawn, limit=rules.most_draws, cost=f"−{rules.draw_penalty}")
        return f"{title}\n{draw}"
    lost = -seen.rules.failing_costs(seen.drawn)
    return f"{title}\n{words('hand.must_pass', points=narrate.points_text(lost))}"


def _choices(table: Table, seen: Seen, words: Words, tile: Tile | None) -> list[Item]:
    if not seen.moves:
        return rows([_draw_or_pass(table, seen, words)])
    menus = _menus(table, seen, words, tile)
    if seen.rules.voluntary_draw == "on" and seen.tiles:
        return [*menus, *rows([_draw_or_pass(table, seen, words)])]
    return menus


def _draw_or_pass(table: Table, seen: Seen, words: Words) -> ui.Button[ui.LayoutView]:
    if seen.can_draw:
        return primary(words("hand.draw"), Press("draw", table.head.match_id, table.head.seq))
    return primary(words("hand.pass"), Press("pass", table.head.match_id, table.head.seq))


def _menus(table: Table, seen: Seen, words: Words, tile: Tile | None) -> list[Item]:
    head = table.head
    move = Press("move", head.match_id, head.seq)
    if tile is not None:
        moves = [move for move in seen.moves if move.placement.tile == tile]
        return [menu(move, words("hand.choose_place", tile=tile_text(tile)), move_options(words, seen, moves))]
    if len(seen.moves) <= MENU:
        key = "hand.choose" if seen.tiles else "hand.choose_opening"
        return [menu(move, words(key), move_options(words, seen, seen.moves))]
    pick = Press("tile", head.match_id, head.seq)
    return [menu(pick, words("hand.choose_tile"), (_tile_option(words, choice) for choice in by_tile(seen)))]


def move_options(words: Words, seen: Seen, moves: Sequence[Move]) -> list[discord.SelectOption]:
    """Menu entries for moves, `3-3-4 → G · +60`, with the bonus under it."""
    key = "hand.move" if seen.tiles else "hand.move_opening"
    return [
        discord.SelectOption(
            label=words(
                key,
                tile=tile_text(move.placement.tile),
                letter=move.letter,
                points=narrate.points_text(move.points),
            ),
            value=token(move.placement),
            description=bonus_text(words, move) or None,
        )
        for move in moves[:MENU]
    ]


def bonus_text(words: Words, move: Move) -> str:
    """`hexagon`, `bridge`, or nothing."""
    if move.hexagons:
        return words("hand.move_note_hexagon", n=move.hexagons)
    return words("hand.move_note_bridge") if move.bridge else ""


def _tile_option(words: Words, choice: TileChoice) -> discord.SelectOption:
    best = narrate.points_text(choice.best)
    return discord.SelectOption(
        label=words("hand.tile_choice", tile=tile_text(choice.tile), points=best),
        value=tile_token(choice.tile),
        description=words("hand.tile_places", n=len(choice.moves)),
    )


def _confirmation(table: Table, seen: Seen, words: Words, chosen: Move) -> list[Item]:
    head = table.head
    tile = tile_text(chosen.placement.tile)
    sums = narrate.arithmetic(
        words, chosen, seen.rules, tile=chosen.placement.tile, opening=not seen.tiles, drawn=seen.drawn
    )
    key = "hand.preview" if seen.tiles else "hand.preview_opening"
    play = Press("play", head.match_id, head.seq, token(chosen.placement))
    label = words("hand.play", points=narrate.points_text(chosen.points))
    return [
        ui.TextDisplay(words(key, tile=tile, letter=chosen.letter, arithmetic=sums)),
        *rows(
            [
                button(label, play, style=discord.ButtonStyle.success),
                button(words("hand.back"), Press("hand", head.match_id)),
            ]
        ),
    ]


def _buttons(table: Table, seen: Seen, words: Words, *, quick: bool, back: bool) -> list[ui.Button[ui.LayoutView]]:
    match_id = table.head.match_id
    if seen.ended:
        return [primary(words("board.rematch"), Press("rematch", match_id))]
    buttons = [button(words("hand.back" if back else "hand.refresh"), Press("hand", match_id))]
    buttons.append(button(words("hand.text"), Press("text", match_id)))
    if quick:
        buttons.append(button(words("hand.quick_off"), Press("quick", match_id, argument="off")))
    else:
        buttons.append(button(words("hand.quick_on"), Press("quick", match_id, argument="on")))
    return buttons
