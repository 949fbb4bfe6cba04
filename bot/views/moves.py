"""A move as the value of a menu or a button (`334.U0,1.2` is tile 3-3-4 on cell U0,1, turned twice), and in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import factorial
from typing import Final

from bot.views.sentences import listed, place_name, points_text
from data.words import Words
from engine.board import Placement
from engine.following import Following, Outlook
from engine.lattice import Cell
from engine.rules import Rules
from engine.seen import Move, Seen
from engine.story import Beside, neighbours
from engine.table.terms import CLASSIC
from engine.tiles import BOSS, WILD, Tile, labels_text, parse_labels, tile_text


def token(placement: Placement) -> str:
    """The placement as an argument of an id."""
    return f"{tile_token(placement.tile)}.{placement.cell}.{placement.rotation}"


def tile_token(tile: Tile) -> str:
    """The tile as an argument of an id."""
    return labels_text(tile)


def parse_token(text: str, rules: Rules) -> Placement | None:
    """The placement in an argument, None for one that is no placement at all."""
    parts = text.split(".")
    if len(parts) != 3 or not parts[2].isdecimal():
        return None
    try:
        tile, cell = parse_labels(parts[0], rules.plane.sides), rules.plane.parse_cell(parts[1])
    except ValueError:
        return None
    return Placement(tile, cell, turn(rules, int(parts[2])))


def turn(rules: Rules, rotation: int) -> int:
    """The rotation that a number from outside stands for."""
    # Tiles without a fixed order have as many rotations as there are orders of their labels.
    return rotation % (factorial(rules.plane.sides) if rules.fit.free else rules.plane.sides)


def find_move(seen: Seen, text: str) -> Move | None:
    """The legal move of the viewer that an argument names."""
    placement = parse_token(text, seen.rules)
    return next((move for move in seen.moves if move.placement == placement), None)


@dataclass(frozen=True, slots=True)
class TileChoice:
    """A tile of the hand with everything it can do."""

    tile: Tile
    moves: tuple[Move, ...]

    @property
    def best(self) -> int:
        """The most points it can make."""
        return max(move.points for move in self.moves)


def by_tile(seen: Seen) -> list[TileChoice]:
    """The playable tiles, best first."""
    tiles: dict[Tile, list[Move]] = {}
    for move in seen.moves:
        tiles.setdefault(move.placement.tile, []).append(move)
    return [TileChoice(tile, tuple(moves)) for tile, moves in tiles.items()]


SHAPES: Final = ("🌙", "💧", "❤️", "⭐", "🍃", "🌸", "🐟", "🔑", "⚡", "🏠")
"""The shapes that stand for the numbers 0 to 9 at tables with shapes (`render.faces.shapes`)."""
CROWN: Final = "👑"
"""What stands for no number, and fits anything."""

DIRECTIONS: Final = {
    "U": ("right", "left", "above"),
    "D": ("below", "left", "right"),
    "": ("below", "left", "above", "right"),
}
"""Where a cell of each kind lies, seen from the tile across each of its sides."""

MOST: Final = 100
"""The characters of the sentence under a menu's option."""


def tile_name(tile: Tile, theme: str = CLASSIC) -> str:
    """`0-0-1`; at a table with shapes `🌙🌙💧 0-0-1`: what is seen, and what can be typed."""
    if theme == CLASSIC or tile == BOSS:
        return tile_text(tile)
    return f"{''.join(CROWN if label == WILD else SHAPES[label] for label in tile)} {tile_text(tile)}"


def where(words: Words, cell: Cell, near: Sequence[Beside], theme: str = CLASSIC) -> str:
    """`left of 3-3-4`, `between 3-3-4 and 2-3-3`, `corner to corner with 1-3-3 (left to top)`; else empty."""
    if not near:
        return ""
    tiles = [tile_name(one.tile, theme) for one in near]
    if len(near) > 1:
        return words("where.between", tiles=listed(words, tiles))
    (_, side, point), *_ = near
    if point is not None:
        own, other = (words(f"corner.{kind}{number}") for kind, number in point)
        return words("where.corner", tile=tiles[0], own=own, other=other)
    assert side is not None
    return words(f"where.{DIRECTIONS[cell.kind][side]}", tile=tiles[0])


def lying(seen: Seen) -> Mapping[Cell, Tile]:
    """The tiles on the table by their cells, in the order of play."""
    return {lies.cell: lies.tile for lies in seen.tiles}


class MoveNotes:
    """Tells of the moves of one hand what stands under them in a menu: what each does, where, and how it lies."""

    def __init__(self, words: Words, seen: Seen, theme: str = CLASSIC) -> None:
        self._words, self._seen, self._theme = words, seen, theme
        self._lying = lying(seen)
        self._ways: dict[tuple[Tile, Cell], list[Tile]] = {}
        for move in seen.moves:
            self._ways.setdefault((move.placement.tile, move.placement.cell), []).append(move.placement.shown)
        self._outlook = Outlook(seen.rules, seen.tiles) if seen.tiles else None
        self._following = Following(seen)

    def where(self, move: Move) -> str:
        """Beside which tiles it would lie."""
        near = neighbours(self._seen.rules.plane, self._lying, move.placement.cell, corner=move.corner)
        return where(self._words, move.placement.cell, near, self._theme)

    def under(self, move: Move) -> str:
        """The whole line, as much of it as a menu takes: what tells two moves apart comes first."""
        return self.after("", move)

    def after(self, told: str, move: Move) -> str:
        """The same behind what is told already."""
        parts = [self.lies(move), self.earns(move), self.where(move), self._opens(move)]
        for part in filter(None, parts):
            longer = f"{told} · {part}" if told else part
            told = longer if len(longer) <= MOST else told
        return told

    def lies(self, move: Move) -> str:
        """How the tile is turned, where it fits its place in several ways: `4 top left, 3 bottom right`, as far as the
        ways differ; else nothing.
        """
        placement = move.placement
        ways = self._ways[placement.tile, placement.cell]
        differs = [place for place in range(len(placement.shown)) if len({shown[place] for shown in ways}) > 1]
        return shown_at(self._words, self._seen.rules, placement, differs)

    def earns(self, move: Move) -> str:
        """`closes a hexagon`, `bridge`, `then +25 or 2 more tiles`, or nothing."""
        words, told = self._words, []
        if move.hexagons:
            told.append(words("hand.move_note_hexagon", n=move.hexagons))
        if move.bridge:
            told.append(words("hand.move_note_bridge"))
        if move.reward is not None:
            key = "hand.move_note_points"
            if self._following.brings_tiles(move):
                key = "hand.move_note_both" if move.reward.both else "hand.move_note_choice"
            tiles = words("count.more_tiles", n=move.reward.tiles)
            told.append(words(key, points=points_text(move.reward.points), tiles=tiles))
        if self._following.brings_turn(move):
            told.append(words("hand.move_note_corner"))
        return words("and.comma").join(told)

    def _opens(self, move: Move) -> str:
        opened = 0 if self._outlook is None else self._outlook.opened(move.placement)
        return self._words("hand.move_note_opens", n=opened) if opened else ""


def shown_at(words: Words, rules: Rules, placement: Placement, places: Sequence[int]) -> str:
    """`4 top left, 3 bottom right`: what a tile that lies so shows on these corners or sides."""
    told = [
        words(
            "where.shows",
            label=tile_name((placement.shown[place],)),
            place=place_name(words, rules, placement.cell, place),
        )
        for place in places
    ]
    return words("and.comma").join(told)
