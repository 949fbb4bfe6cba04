"""Typed moves: `/tiles play tile:3-3-4 place:G` with autocompletion, and the other commands of a turn."""

from collections.abc import Mapping
from typing import get_args

from discord import app_commands

from bot.core.choices import NamesByValue, list_choices, localize, suggest
from bot.core.command_groups import match_group, serve, tiles
from bot.core.context import Context, Interaction
from bot.core.layout import CustomId
from bot.tables import hand_commands, move_labels
from bot.tables.move_labels import MoveNotes, format_tile
from bot.tables.opening_commands import add_command
from data.words import Words
from engine.board.board import Placement
from engine.board.lattice import Cell
from engine.board.tiles import Tile, format_tile_notation, list_rotations, meets, parse_labels, rotate_tile
from engine.match.actions import Option
from engine.match.errors import RuleError, Violation
from engine.match.player_view import Move, PlayerView, view_for
from engine.table.refusals import Refusal, RefusalError
from engine.table.terms import CLASSIC

add_command(tiles, "hand", hand_commands.show_hand)


@tiles.command(name="play", description=localize("command.play"))
@app_commands.describe(tile=localize("parameter.play_tile"), place=localize("parameter.play_place"))
async def play_command(interaction: Interaction, tile: str, place: str | None = None) -> None:
    async def play_typed(ctx: Context) -> None:
        table = await ctx.prefer_cached_table()
        view = view_for(table.match, hand_commands.require_seat(table, ctx.user_id))
        if view.ended:
            raise RefusalError(Refusal.FINISHED)
        if not view.is_own_turn:
            raise RuleError(Violation.NOT_YOUR_TURN, turn=view.turn)
        placement = parse_typed_placement(view, tile, place, ctx.words, table.terms.theme)
        await hand_commands.place_tile(ctx, table, placement, expected=None)

    await serve(interaction, "play", play_typed)


@tiles.command(name="choose", description=localize("command.choose"))
@app_commands.describe(option=localize("parameter.choose_option"))
@app_commands.choices(option=list_choices("option.{}", get_args(Option)))
async def choose_command(interaction: Interaction, option: str) -> None:
    async def choose(ctx: Context) -> None:
        ctx.custom_id = CustomId("choose", argument=option)
        await hand_commands.choose_option(ctx)

    await serve(interaction, "choose", choose)


add_command(tiles, "draw", hand_commands.draw_tile)
add_command(tiles, "pass", hand_commands.pass_turn)
add_command(match_group, "resign", hand_commands.resign)


@suggest(play_command, "tile")
async def suggest_tiles(ctx: Context, current: str, _: Mapping[str, str]) -> NamesByValue:
    """Return the tiles that fit, best first, with the points of their best place."""
    view, theme = await _load_view(ctx)
    if view is None:
        return {}
    typed, words, found = "".join(filter(str.isalnum, current.upper())), ctx.words, {}
    key = "typed.tile" if view.rules.scores_tiles else "typed.tile_bare"
    for choice in move_labels.group_moves_by_tile(view):
        # The doubled tile contains it from each of its corners.
        if typed in move_labels.encode_tile(choice.tile) * 2 if typed else not current.strip():
            places, best = words("hand.tile_places", n=len(choice.moves)), move_labels.format_points(choice.best_points)
            name = words(key, tile=format_tile(choice.tile, theme), points=best, places=places)
            found[format_tile_notation(choice.tile)] = name
    return found


@suggest(play_command, "place")
async def suggest_places(ctx: Context, current: str, options: Mapping[str, str]) -> NamesByValue:
    """Return the places for the typed tile, best first; the places of all moves if there is none yet."""
    view, theme = await _load_view(ctx)
    if view is None:
        return {}
    try:
        tile = _parse_tile(view, options.get("tile", ""))
    except ValueError:
        tile = None
    typed, notes = current.strip().upper(), MoveNotes(ctx.words, view, theme)
    found: dict[str, Move] = {}
    for move in view.moves:
        move_line = f"{move_labels.format_move(view, move, ' · ')} {notes.format_gains(move)}".upper()
        if (tile is None or move.placement.tile == tile) and (move.letter.startswith(typed) or typed in move_line):
            # Several tiles may fit a place: it is listed once, with its best score.
            found.setdefault(_format_place_value(view, move), move)
    return {
        value: notes.append_facts(move_labels.format_move(view, move, " · "), move) for value, move in found.items()
    }


def _format_place_value(view: PlayerView, move: Move) -> str:
    """Return the letter, or the exact cell and rotation if the letter is ambiguous."""
    placement = move.placement
    return f"{placement.cell}.{placement.rotation}" if move_labels.is_rotation_ambiguous(view, move) else move.letter


async def _load_view(ctx: Context) -> tuple[PlayerView | None, str]:
    """Return the user's view from the cache (None if there is nothing to choose), and the theme."""
    ctx.services.live_hands.note_typing(ctx.user_id)
    try:
        table = await ctx.load_table(include_finished=False)  # called for every typed key
        seat = hand_commands.require_seat(table, ctx.user_id)
    except RefusalError:
        return None, CLASSIC
    view = view_for(table.match, seat)
    return (view if view.is_own_turn else None), table.terms.theme


def parse_typed_placement(
    view: PlayerView, tile_typed: str, place_typed: str | None, words: Words, theme: str = CLASSIC
) -> Placement:
    """Parse a placement, legal or not. Raises RefusalError if it cannot be read, naming tiles as the table shows
    them.
    """
    rules = view.rules
    try:
        typed_labels = parse_labels(tile_typed, rules.plane.sides)
    except ValueError:
        like, labels = format_tile_notation(rules.tiles[len(rules.tiles) // 2]), rules.plane.sides
        raise RefusalError(Refusal.UNREADABLE_TILE, text=tile_typed[:40], labels=labels, like=like) from None
    tile = _parse_tile(view, tile_typed)
    if tile not in rules.tiles:
        # The refusal shows the numbers in the typed order.
        return rules.build_placement(rules.plane.first, typed_labels)
    legal = [move.placement for move in view.moves if move.placement.tile == tile]
    if place_typed is None:
        if len({placement.cell for placement in legal}) > 1:
            letters = [move_labels.format_move(view, move) for move in view.moves if move.placement.tile == tile]
            raise RefusalError(Refusal.WHICH_PLACE, tile=format_tile(tile, theme), letters=", ".join(letters[:10]))
        # No place fits: any place makes the rules explain the refusal.
        return legal[0] if legal else Placement(tile, view.places[0].cell if view.places else view.rules.plane.first, 0)
    cell, rotation = _parse_cell(view, place_typed)
    candidates = [placement for placement in legal if placement.cell == cell]
    if rotation is not None:
        return Placement(tile, cell, rotation)
    if len(candidates) < 2:
        return candidates[0] if candidates else Placement(tile, cell, _find_nearest_rotation(view, tile, cell))
    # If a tile fits in several rotations, the typed order of its numbers decides.
    matching = [placement for placement in candidates if placement.shown_labels == typed_labels]
    if matching:
        return matching[0]
    corner, shown = move_labels.format_place_name(words, rules, cell, 0), [one.shown_labels for one in candidates]
    ways = move_labels.format_list(words, [f"`{format_tile_notation(labels)}`" for labels in shown], last="and.or")
    raise RefusalError(Refusal.WHICH_WAY, tile=format_tile(tile, theme), corner=corner, ways=ways)


def _parse_tile(view: PlayerView, typed: str) -> Tile:
    """Return the tile with these labels in any rotation. Raises ValueError."""
    rules = view.rules
    return rules.build_placement(rules.plane.first, parse_labels(typed, rules.plane.sides)).tile


def _parse_cell(view: PlayerView, typed: str) -> tuple[Cell, int | None]:
    text = typed.strip()
    place = next((place for place in view.places if place.letter == text.upper()), None)
    if place is not None:
        return place.cell, None
    cell, _, rotation = text.partition(".")
    try:
        turned = move_labels.normalize_rotation(view.rules, int(rotation)) if rotation.isdigit() else None
        return view.rules.plane.parse_cell(cell), turned
    except ValueError:
        pass
    if text.isalpha() and len(text) <= 2:
        letters = ", ".join(place.letter for place in view.places)
        raise RefusalError(Refusal.NO_SUCH_PLACE, letter=text.upper(), letters=letters)
    raise RefusalError(Refusal.UNREADABLE_PLACE, text=text[:40])


def _find_nearest_rotation(view: PlayerView, tile: Tile, cell: Cell) -> int:
    """Return the rotation with the fewest mismatches, so that the refusal names the corner that does not match."""
    place = view.find_place(cell)
    if place is None:
        return 0

    def count_mismatches(rotation: int) -> int:
        pairs = zip(place.needs, rotate_tile(tile, rotation), strict=True)
        return sum(not meets(need, label, fives=view.rules.fit.sums_of_five) for need, label in pairs)

    return min(list_rotations(tile, free=view.rules.fit.free_order), key=count_mismatches)
