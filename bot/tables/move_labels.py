"""Words for moves, places, tiles and points, made from `PlayerView` and redacted events.

Points use a real minus sign.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import factorial
from typing import Final

import discord

from bot.core.names import Names
from bot.tables.service import Table
from data.words import Words
from engine.board.board import Placement
from engine.board.demands import Place, Touch
from engine.board.lattice import Cell
from engine.board.tiles import BOSS, WILD, Tile, is_triple, labels_text, parse_labels, pips, tile_text
from engine.match.bonuses import BonusRules
from engine.match.event_log import Beside, neighbours
from engine.match.events import Placed
from engine.match.following import Following, Outlook
from engine.match.player_view import Move, PlayerView
from engine.match.rules import Rules
from engine.table.terms import CLASSIC, PROGRAM

MARKUP = re.compile(r"\\([^0-9A-Za-z\s])|\*\*|^-# ")  # bold, small type and backslashes before escaped signs
ALT_LIMIT = 1024  # Discord's limit for the description of an attachment


def points_text(points: int) -> str:
    """`+46`, `−15`, `0`."""
    return f"+{points}" if points > 0 else number_text(points)


def number_text(number: int) -> str:
    return str(number).replace("-", "−")


def count_points(words: Words, points: int) -> str:
    """`1 point`, `312 points`, `−15 points`."""
    told = words("count.points", n=abs(points))
    return f"−{told}" if points < 0 else told


def listed(words: Words, items: Sequence[str], *, last: str = "and.two") -> str:
    """`A`, `A and B`, `A, B and C`; with `last` "and.or" the last item is an alternative."""
    if len(items) < 2:
        return "".join(items)
    return words(last, first=words("and.comma").join(items[:-1]), last=items[-1])


def place_name(words: Words, rules: Rules, cell: Cell, place: int) -> str:
    """`left`, `top right`: name a corner or side of a cell."""
    return words(f"{'side' if rules.labels == 'sides' else 'corner'}.{cell.kind}{place}")


def wanted(rules: Rules, need: int, name: Callable[[int], str] = str) -> str:
    """Return the label required here: the number, or a label that makes a multiple of five with it (`0/5`)."""
    if not rules.fit.fives:
        return name(need)
    values = sorted({label for tile in rules.tiles for label in tile if label >= 0 and (label + need) % 5 == 0})
    return "/".join(map(name, values))


def boneyard_text(words: Words, seen: PlayerView) -> str:
    """Say how many tiles can be drawn or were set aside; empty if none."""
    if seen.rules.has_boneyard:
        return words("board.well" if seen.rules.family == "quads" else "board.boneyard", count=seen.boneyard)
    return words("board.aside", count=seen.aside) if seen.aside else ""


def target_text(words: Words, rules: Rules) -> str:
    return words("board.target", target=rules.target) if rules.target else words("board.one_deal")


def title_text(words: Words, seen: PlayerView) -> str:
    game = words(f"game.{seen.rules.game}")
    return words("board.title", game=game, round=seen.round) if seen.rules.target else game


def stage(seen: PlayerView) -> str:
    """Return the stage of the turn as the end of a wording key: `choice`, `bonus`, `further`, `drawn` or empty.

    `further_must` means that the rules require a further move if one exists, which the text does not reveal.
    """
    if seen.reward is not None:
        return "_choice"
    if seen.bonus_tiles:
        return "_bonus"
    if seen.further:
        return "_further_must" if seen.rules.must_go_on else "_further"
    return "_drawn" if seen.drawn else ""


def stage_facts(words: Words, seen: PlayerView) -> dict[str, object]:
    points, tiles = (seen.reward.points, seen.reward.tiles) if seen.reward else (0, 0)
    return {
        "drawn": seen.drawn,
        "bonus": words("hand.take_points", n=points),
        "tiles": words("count.more_tiles", n=tiles or seen.bonus_tiles),
    }


def arithmetic(words: Words, placed: Placed | Move, rules: Rules, *, tile: Tile, opening: bool, drawn: int) -> str:
    """`10 + 50 hexagon − 5 for 1 drawn = +55`, or just `+7`; empty if placing a tile scores nothing."""
    if not rules.scores_tiles:
        return ""
    total = f"**{points_text(placed.points)}**"
    if placed.beside is not None:
        return _fives(words, tile, placed.beside, placed.points, total)
    cost = rules.draw_cost * drawn
    bonus = placed.points + cost - placed.base
    bridge = rules.bridge if placed.bridge and isinstance(rules, BonusRules) else 0
    parts = [str(placed.base)]
    if opening and is_triple(tile) and bonus:
        parts.append(words("event.bonus_triple", bonus=f"+ {bonus}"))
    if placed.hexagons:
        parts.append(words("event.bonus_hexagons", n=placed.hexagons, bonus=f"+ {bonus - bridge}"))
    if placed.bridge:
        parts.append(words("event.bonus_bridge", bonus=f"+ {bridge}"))
    if drawn:
        parts.append(words("event.cost_drawn", cost=f"− {cost}", drawn=drawn))
    return total if len(parts) == 1 else f"{' '.join(parts)} = {total}"


def _fives(words: Words, tile: Tile, beside: int, points: int, total: str) -> str:
    """`7 + 8 = +15`, `10 + 8 = 18, no multiple of five: 0`, `beside 8, rounded up: +10`."""
    if tile == BOSS:
        return words("event.boss_beside", beside=beside, total=total)
    own = pips(tile)
    key = "event.fives" if points or not own + beside else "event.no_fives"
    return words(key, own=own, beside=beside, sum=own + beside, total=total)


def whose_turn(words: Words, seen: PlayerView, names: Sequence[str]) -> str:
    if seen.ended:
        winners = [names[seat] for seat, place in enumerate(seen.ended.places) if place == 1]
        total = number_text(max(seen.ended.totals[seat] for seat, p in enumerate(seen.ended.places) if p == 1))
        if len(winners) == 1:
            return words("board.is_over", name=winners[0], total=total)
        return words("board.is_over_shared", names=listed(words, winners), total=total)
    if not seen.tiles:
        return words("board.whose_opening", name=names[seen.turn])
    return words(f"board.whose{stage(seen)}", name=names[seen.turn], **stage_facts(words, seen))


def needs_text(words: Words, rules: Rules, place: Place) -> str:
    """`left 3, top 3, right free`; at a corner, the numbers beside the corner."""
    parts = []
    if place.touch is not None:
        corner = words(f"corner.{place.cell.kind}{place.touch.corner}")
        parts.append(words("text.touch", corner=corner, numbers=touch_text(words, place.touch)))
    for number, need in enumerate(place.needs):
        name = place_name(words, rules, place.cell, number)
        if need is not None:
            parts.append(words("text.need", corner=name, label=wanted(rules, need)))
        elif place.touch is None:
            parts.append(words("text.free", corner=name))
    return ", ".join(parts)


def touch_text(words: Words, touch: Touch, name: Callable[[int], str] = str) -> str:
    """`3 and 4`: the numbers beside a corner."""
    return listed(words, [words("text.any") if number is None else name(number) for number in touch.numbers])


def move_text(seen: PlayerView, move: Move, between: str = " ") -> str:
    """`G +60`, with the rotation if several fit: `G 4-2-4-4 +14`."""
    parts = [move.letter]
    if is_turned(seen, move):
        parts.append(tile_text(move.placement.shown))
    # If no move scores, or scores are hidden, zeros would say nothing.
    if seen.rules.scores_tiles and any(other.points for other in seen.moves):
        parts.append(points_text(move.points))
    return between.join(parts)


def is_turned(seen: PlayerView, move: Move) -> bool:
    """Return whether the same tile fits the same place in another rotation too."""
    lies = move.placement
    return any(
        other.placement.cell == lies.cell and other.placement.tile == lies.tile and other.placement != lies
        for other in seen.moves
    )


def plain(text: str) -> str:
    """Remove Markdown and the gaps of omitted facts."""
    return re.sub(r" {2,}", " ", MARKUP.sub(lambda sign: sign[1] or "", text)).strip()


def clipped(text: str, most: int = ALT_LIMIT) -> str:
    """Cut the text to `most` characters, by default to an alt text."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def token(placement: Placement) -> str:
    """Encode the placement as a button argument."""
    return f"{tile_token(placement.tile)}.{placement.cell}.{placement.rotation}"


def tile_token(tile: Tile) -> str:
    return labels_text(tile)


def parse_token(text: str, rules: Rules) -> Placement | None:
    """Decode a button argument; None if it is no placement."""
    parts = text.split(".")
    if len(parts) != 3 or not parts[2].isdecimal():
        return None
    try:
        tile, cell = parse_labels(parts[0], rules.plane.sides), rules.plane.parse_cell(parts[1])
    except ValueError:
        return None
    return Placement(tile, cell, turn(rules, int(parts[2])))


def turn(rules: Rules, rotation: int) -> int:
    # Tiles without a fixed order have as many rotations as there are orders of their labels.
    return rotation % (factorial(rules.plane.sides) if rules.fit.free else rules.plane.sides)


def find_move(seen: PlayerView, text: str) -> Move | None:
    placement = parse_token(text, seen.rules)
    return next((move for move in seen.moves if move.placement == placement), None)


@dataclass(frozen=True, slots=True)
class TileChoice:
    """A tile of the hand with all its moves."""

    tile: Tile
    moves: tuple[Move, ...]

    @property
    def best(self) -> int:
        return max(move.points for move in self.moves)


def by_tile(seen: PlayerView) -> list[TileChoice]:
    tiles: dict[Tile, list[Move]] = {}
    for move in seen.moves:
        tiles.setdefault(move.placement.tile, []).append(move)
    return [TileChoice(tile, tuple(moves)) for tile, moves in tiles.items()]


SHAPES: Final = ("🌙", "💧", "❤️", "⭐", "🍃", "🌸", "🐟", "🔑", "⚡", "🏠")  # for 0 to 9 (`render.faces.shapes`)
CROWN: Final = "👑"  # wildcard label
DIRECTIONS: Final = {
    "U": ("right", "left", "above"),
    "D": ("below", "left", "right"),
    "": ("below", "left", "above", "right"),
}
"""For each kind of cell, the direction across each of its sides."""

MOST: Final = 100  # characters of an option's description


def tile_name(tile: Tile, theme: str = CLASSIC) -> str:
    """`0-0-1`; at a table with shapes `🌙🌙💧 0-0-1`: the faces, and the text to type."""
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


def lying(seen: PlayerView) -> Mapping[Cell, Tile]:
    return {lies.cell: lies.tile for lies in seen.tiles}


class MoveNotes:
    """Describes the moves of a hand for menus: effect, place and rotation."""

    def __init__(self, words: Words, seen: PlayerView, theme: str = CLASSIC) -> None:
        self._words, self._seen, self._theme = words, seen, theme
        self._lying = lying(seen)
        self._ways: dict[tuple[Tile, Cell], list[Tile]] = {}
        for move in seen.moves:
            self._ways.setdefault((move.placement.tile, move.placement.cell), []).append(move.placement.shown)
        self._outlook = Outlook(seen.rules, seen.tiles) if seen.tiles else None
        self._following = Following(seen)

    def where(self, move: Move) -> str:
        near = neighbours(self._seen.rules.plane, self._lying, move.placement.cell, corner=move.corner)
        return where(self._words, move.placement.cell, near, self._theme)

    def under(self, move: Move) -> str:
        """Return the whole line, cut to a menu; the facts that distinguish two moves come first."""
        return self.after("", move)

    def after(self, told: str, move: Move) -> str:
        parts = [self.lies(move), self.earns(move), self.where(move), self._opens(move)]
        for part in filter(None, parts):
            longer = f"{told} · {part}" if told else part
            told = longer if len(longer) <= MOST else told
        return told

    def lies(self, move: Move) -> str:
        """Name the corners that distinguish the tile's rotations: `4 top left, 3 bottom right`; empty for one."""
        placement = move.placement
        ways = self._ways[placement.tile, placement.cell]
        differs = [place for place in range(len(placement.shown)) if len({shown[place] for shown in ways}) > 1]
        return shown_at(self._words, self._seen.rules, placement, differs)

    def earns(self, move: Move) -> str:
        """`closes a hexagon`, `bridge`, `then +25 or 2 more tiles`, or empty."""
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
    """`4 top left, 3 bottom right`: the labels of a placed tile on these corners or sides."""
    named = ((tile_name((placement.shown[at],)), place_name(words, rules, placement.cell, at)) for at in places)
    return words("and.comma").join(words("where.shows", label=label, place=place) for label, place in named)


def programs_told(table: Table, names: Names, words: Words) -> list[str]:
    """Name the external players in the lobby; later those that the computer replaced, with the number of moves."""
    seats = list(table.state.programs)
    if not seats:
        return []
    if table.event_log is None:
        return [words("program.here", names=listed(words, [f"**{names.safe[seat]}**" for seat in seats]))]
    lines = []
    for seat in seats:
        stumbled = table.state.stumbled(seat)
        if stumbled.out:
            lines.append(words("program.out", name=names.safe[seat]))
        elif stumbled.moves:
            lines.append(words("program.stood_in", name=names.safe[seat], moves=words("count.moves", n=stumbled.moves)))
    return lines


def program_options(programs: Sequence[str], words: Words) -> list[discord.SelectOption]:
    says = words("program.says")
    return [
        discord.SelectOption(label=words("name.program", name=name), value=f"{PROGRAM}{name}", description=says)
        for name in programs
    ]
