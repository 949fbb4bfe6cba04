"""Typed moves: `/tiles play tile:3-3-4 place:G` with autocompletion, and the other commands of a turn."""

from typing import get_args

from discord import app_commands

from bot.core.command_groups import localized, serve, tiles, whole_match
from bot.core.context import Context, Interaction
from bot.core.layout import Press
from bot.tables import hand_commands, move_labels
from bot.tables.move_labels import MoveNotes, tile_name
from bot.tables.opening_commands import add_command
from data.words import Words
from engine.board.board import Placement
from engine.board.lattice import Cell
from engine.board.tiles import Tile, meets, parse_labels, rotated, rotations, tile_text
from engine.match.actions import Option
from engine.match.errors import RuleBroken, Why
from engine.match.player_view import Move, PlayerView, view_for
from engine.table.refusals import No, Refused
from engine.table.terms import CLASSIC

CHOICES = 25  # the most that Discord lists


add_command(tiles, "hand", hand_commands.hand)


@tiles.command(name="play", description=localized("command.play"))
@app_commands.describe(tile=localized("parameter.play_tile"), place=localized("parameter.play_place"))
async def play_command(interaction: Interaction, tile: str, place: str | None = None) -> None:
    async def play_typed(ctx: Context) -> None:
        table = await ctx.table_to_act_on()
        seen = view_for(table.match, hand_commands.seat_at(table, ctx.user_id))
        if seen.ended:
            raise Refused(No.FINISHED)
        if not seen.my_turn:
            raise RuleBroken(Why.NOT_YOUR_TURN, turn=seen.turn)
        await hand_commands.place(ctx, table, meant(seen, tile, place, ctx.words, table.terms.theme), expected=None)

    await serve(interaction, "play", play_typed)


@tiles.command(name="choose", description=localized("command.choose"))
@app_commands.describe(option=localized("parameter.choose_option"))
@app_commands.choices(option=[app_commands.Choice(name=localized(f"option.{o}"), value=o) for o in get_args(Option)])
async def choose_command(interaction: Interaction, option: str) -> None:
    async def choose(ctx: Context) -> None:
        ctx.press = Press("choose", argument=option)
        await hand_commands.choose_option(ctx)

    await serve(interaction, "choose", choose)


add_command(tiles, "draw", hand_commands.draw)
add_command(tiles, "pass", hand_commands.pass_turn)
add_command(whole_match, "resign", hand_commands.resign)


@play_command.autocomplete("tile")
async def tile_choices(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Return the tiles that fit, best first, with the points of their best place."""
    seen, words, theme = await _load_view(interaction)
    if seen is None:
        return []
    typed = "".join(filter(str.isalnum, current.upper()))
    key, found = "typed.tile" if seen.rules.scores_tiles else "typed.tile_bare", []
    for choice in move_labels.by_tile(seen):
        # The doubled tile contains it from each of its corners.
        if typed in move_labels.tile_token(choice.tile) * 2 if typed else not current.strip():
            places, best = words("hand.tile_places", n=len(choice.moves)), move_labels.points_text(choice.best)
            name = words(key, tile=tile_name(choice.tile, theme), points=best, places=places)
            found.append(app_commands.Choice(name=name, value=tile_text(choice.tile)))
    return found[:CHOICES]


@play_command.autocomplete("place")
async def place_choices(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Return the places for the typed tile, best first; the places of all moves if there is none yet."""
    seen, words, theme = await _load_view(interaction)
    if seen is None:
        return []
    try:
        tile = _parse_tile(seen, str(interaction.namespace.tile or ""))
    except ValueError:
        tile = None
    typed, notes = current.strip().upper(), MoveNotes(words, seen, theme)
    found: dict[str, Move] = {}
    for move in seen.moves:
        told = f"{move_labels.move_text(seen, move, ' · ')} {notes.earns(move)}".upper()
        if (tile is None or move.placement.tile == tile) and (move.letter.startswith(typed) or typed in told):
            # Several tiles may fit a place: it is listed once, with its best score.
            found.setdefault(_place_value(seen, move), move)
    return [
        app_commands.Choice(name=notes.after(move_labels.move_text(seen, move, " · "), move), value=value)
        for value, move in list(found.items())[:CHOICES]
    ]


def _place_value(seen: PlayerView, move: Move) -> str:
    """Return the letter, or the exact cell and rotation if the letter is ambiguous."""
    lies = move.placement
    return f"{lies.cell}.{lies.rotation}" if move_labels.is_turned(seen, move) else move.letter


async def _load_view(interaction: Interaction) -> tuple[PlayerView | None, Words, str]:
    """Return the user's view from the cache (None if there is nothing to choose), the words, and the theme."""
    ctx = Context(interaction, Press("play"))
    await ctx.attune()
    ctx.services.live_hands.types(ctx.user_id)
    try:
        table = await ctx.table(over=False)  # called for every typed key
        seat = hand_commands.seat_at(table, ctx.user_id)
    except Refused:
        return None, ctx.words, CLASSIC
    seen = view_for(table.match, seat)
    return (seen if seen.my_turn else None), ctx.words, table.terms.theme


def meant(seen: PlayerView, tile_typed: str, place_typed: str | None, said: Words, theme: str = CLASSIC) -> Placement:
    """Parse a placement, legal or not. Raises Refused if it cannot be read, naming tiles as the table shows them."""
    rules = seen.rules
    try:
        shown = parse_labels(tile_typed, rules.plane.sides)
    except ValueError:
        like = tile_text(rules.tiles[len(rules.tiles) // 2])
        raise Refused(No.UNREADABLE_TILE, text=tile_typed[:40], labels=rules.plane.sides, like=like) from None
    tile = _parse_tile(seen, tile_typed)
    if tile not in rules.tiles:
        # The refusal shows the numbers in the typed order.
        return rules.lay(rules.plane.first, shown)
    own = [move.placement for move in seen.moves if move.placement.tile == tile]
    if place_typed is None:
        if len({placement.cell for placement in own}) > 1:
            letters = [move_labels.move_text(seen, move) for move in seen.moves if move.placement.tile == tile]
            raise Refused(No.WHICH_PLACE, tile=tile_name(tile, theme), letters=", ".join(letters[:10]))
        # No place fits: any place makes the rules explain the refusal.
        return own[0] if own else Placement(tile, seen.places[0].cell if seen.places else seen.rules.plane.first, 0)
    cell, rotation = _parse_cell(seen, place_typed)
    here = [placement for placement in own if placement.cell == cell]
    if rotation is not None:
        return Placement(tile, cell, rotation)
    if len(here) < 2:
        return here[0] if here else Placement(tile, cell, _nearest_rotation(seen, tile, cell))
    # If a tile fits in several rotations, the typed order of its numbers decides.
    ways = [placement for placement in here if placement.shown == shown]
    if not ways:
        raise Refused(
            No.WHICH_WAY,
            tile=tile_name(tile, theme),
            corner=move_labels.place_name(said, rules, cell, 0),
            ways=move_labels.listed(said, [f"`{tile_text(placement.shown)}`" for placement in here], last="and.or"),
        )
    return ways[0]


def _parse_tile(seen: PlayerView, typed: str) -> Tile:
    """Return the tile with these labels in any rotation. Raises ValueError."""
    rules = seen.rules
    return rules.lay(rules.plane.first, parse_labels(typed, rules.plane.sides)).tile


def _parse_cell(seen: PlayerView, typed: str) -> tuple[Cell, int | None]:
    text = typed.strip()
    place = next((place for place in seen.places if place.letter == text.upper()), None)
    if place is not None:
        return place.cell, None
    cell, _, rotation = text.partition(".")
    try:
        turned = move_labels.turn(seen.rules, int(rotation)) if rotation.isdigit() else None
        return seen.rules.plane.parse_cell(cell), turned
    except ValueError:
        pass
    if text.isalpha() and len(text) <= 2:
        letters = ", ".join(place.letter for place in seen.places)
        raise Refused(No.NO_SUCH_PLACE, letter=text.upper(), letters=letters)
    raise Refused(No.UNREADABLE_PLACE, text=text[:40])


def _nearest_rotation(seen: PlayerView, tile: Tile, cell: Cell) -> int:
    """Return the rotation with the fewest mismatches, so that the refusal names the corner that does not match."""
    place = seen.place(cell)
    if place is None:
        return 0

    def misses(rotation: int) -> int:
        pairs = zip(place.needs, rotated(tile, rotation), strict=True)
        return sum(not meets(need, label, fives=seen.rules.fit.fives) for need, label in pairs)

    return min(rotations(tile, free=seen.rules.fit.free), key=misses)
