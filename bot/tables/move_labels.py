"""Words for moves, places, tiles and points, made from `PlayerView` and redacted events.

Points use a real minus sign.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import factorial
from typing import Final

import discord

from bot.core.names import SeatNames
from bot.tables.service import Table
from data.words import Words
from engine.board.board import Placement
from engine.board.demands import Place, Touch
from engine.board.lattice import Cell
from engine.board.tiles import (
    BOSS,
    WILD,
    Tile,
    count_pips,
    format_labels,
    format_tile_notation,
    is_triple,
    parse_labels,
)
from engine.match.bonuses import BonusRules
from engine.match.event_log import Neighbour, PublicEvent, list_neighbours
from engine.match.events import Chose, Passed, Placed, Undone
from engine.match.following import FollowUpProbe, NewPlaceCounter
from engine.match.player_view import Move, PlayerView
from engine.match.rules import Rules
from engine.table.terms import CLASSIC, PROGRAM_PREFIX

MARKUP = re.compile(r"\\([^0-9A-Za-z\s])|\*\*|^-# ")  # bold, small type and backslashes before escaped signs
ALT_LIMIT = 1024  # Discord's limit for the description of an attachment


def format_points(points: int) -> str:
    """Format a change of points: `+46`, `−15`, `0`."""
    return f"+{points}" if points > 0 else format_number(points)


def format_number(number: int) -> str:
    return str(number).replace("-", "−")


def format_point_count(words: Words, points: int) -> str:
    """Format a number of points: `1 point`, `312 points`, `−15 points`."""
    text = words("count.points", n=abs(points))
    return f"−{text}" if points < 0 else text


def format_list(words: Words, items: Sequence[str], *, last: str = "and.two") -> str:
    """Format a list: `A`, `A and B`, `A, B and C`; with `last` "and.or" the last item is an alternative."""
    if len(items) < 2:
        return "".join(items)
    return words(last, first=words("and.comma").join(items[:-1]), last=items[-1])


def format_place_name(words: Words, rules: Rules, cell: Cell, place: int) -> str:
    """Name a corner or side of a cell: `left`, `top right`."""
    return words(f"{'side' if rules.labels == 'sides' else 'corner'}.{cell.kind}{place}")


def format_need(rules: Rules, need: int, name: Callable[[int], str] = str) -> str:
    """Return the label required here: the number, or a label that makes a multiple of five with it (`0/5`)."""
    if not rules.fit.sums_of_five:
        return name(need)
    values = sorted({label for tile in rules.tiles for label in tile if label >= 0 and (label + need) % 5 == 0})
    return "/".join(map(name, values))


def format_boneyard(words: Words, view: PlayerView) -> str:
    """Say how many tiles can be drawn or were set aside; empty if none."""
    if view.rules.has_boneyard:
        return words("board.well" if view.rules.family == "quads" else "board.boneyard", count=view.boneyard)
    return words("board.aside", count=view.aside) if view.aside else ""


def format_target(words: Words, rules: Rules) -> str:
    if rules.rounds:
        return words("count.rounds", n=rules.rounds)
    return words("board.target", target=rules.target) if rules.target else words("board.one_deal")


def format_title(words: Words, view: PlayerView) -> str:
    game = words(f"game.{view.rules.game}")
    return words("board.title", game=game, round=view.round) if not view.rules.is_one_deal else game


def choose_stage_key(view: PlayerView) -> str:
    """Return the stage of the turn as the end of a wording key: `choice`, `bonus`, `further`, `drawn` or empty.

    `further_must` means that the rules require a further move if one exists, which the text does not reveal.
    """
    if view.reward is not None:
        return "_choice"
    if view.bonus_tiles:
        return "_bonus"
    if view.further:
        return "_further_must" if view.rules.must_take_further_turn else "_further"
    return "_drawn" if view.drawn else ""


def build_stage_facts(words: Words, view: PlayerView) -> dict[str, object]:
    points, tiles = (view.reward.points, view.reward.tiles) if view.reward else (0, 0)
    bonus, more = words("hand.take_points", n=points), words("count.more_tiles", n=tiles or view.bonus_tiles)
    return {"drawn": view.drawn, "bonus": bonus, "tiles": more}


def format_arithmetic(words: Words, placed: Placed | Move, rules: Rules, *, opening: bool, drawn: int) -> str:
    """`10 + 50 hexagon − 5 for 1 drawn = +55`, or just `+7`; empty if placing a tile scores nothing."""
    if not rules.scores_tiles:
        return ""
    tile = placed.tile if isinstance(placed, Placed) else placed.placement.tile
    total = f"**{format_points(placed.points)}**"
    if placed.beside is not None:
        return _format_fives(words, tile, placed.beside, placed.points, total)
    cost = rules.draw_cost * drawn
    bonus = placed.points + cost - placed.base
    bridge = rules.bridge_bonus if placed.bridge and isinstance(rules, BonusRules) else 0
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


def _format_fives(words: Words, tile: Tile, beside: int, points: int, total: str) -> str:
    """`7 + 8 = +15`, `10 + 8 = 18, no multiple of five: 0`, `beside 8, rounded up: +10`."""
    if tile == BOSS:
        return words("event.boss_beside", beside=beside, total=total)
    own = count_pips(tile)
    key = "event.fives" if points or not own + beside else "event.no_fives"
    return words(key, own=own, beside=beside, sum=own + beside, total=total)


OwnEvent = Placed | Chose | Passed | Undone


def format_own_event(words: Words, entry: PublicEvent, rules: Rules, theme: str) -> str | None:
    """Describe an act to the player who did it; None for other events. Letters change with the board."""
    total = format_number(entry.totals[entry.event.seat]) if isinstance(entry.event, OwnEvent) else ""
    match entry.event:
        case Placed() as placed:
            sums = format_arithmetic(words, placed, rules, opening=entry.opening, drawn=placed.drawn)
            at = format_location(words, placed.cell, entry.neighbours, theme)
            key = "hand.played_opening" if entry.opening else "hand.played_at" if at else "hand.played"
            facts = {"where": at} if key == "hand.played_at" else {}
            facts |= {"tile": format_tile(placed.tile, theme), "total": total}
            return words(key if sums else f"{key}_bare", arithmetic=sums, **facts)
        case Chose(_, option, points, tiles):
            key = f"hand.chose_{'points' if option == 'both' and not tiles else option}"
            more = words("count.more_tiles", n=tiles)
            return words(key, points=format_points(points), tiles=more, total=total)
        case Passed(_, drawn, points):
            key = ("hand.passed_drew" if drawn else "hand.passed") if points else "hand.passed_free"
            return words(key, points=format_points(points), drawn=drawn, total=total)
        case Undone() if entry.tile is not None:
            return words("hand.undone", tile=format_tile(entry.tile, theme), total=total)
        case _:
            return None


def format_turn(words: Words, view: PlayerView, names: Sequence[str]) -> str:
    if view.ended:
        winners = [names[seat] for seat, place in enumerate(view.ended.places) if place == 1]
        total = format_number(max(view.ended.totals[seat] for seat, p in enumerate(view.ended.places) if p == 1))
        if len(winners) == 1:
            return words("board.is_over", name=winners[0], total=total)
        return words("board.is_over_shared", names=format_list(words, winners), total=total)
    if not view.tiles:
        return words("board.whose_opening", name=names[view.turn])
    return words(f"board.whose{choose_stage_key(view)}", name=names[view.turn], **build_stage_facts(words, view))


def format_needs(words: Words, rules: Rules, place: Place) -> str:
    """`left 3, top 3, right free`; at a corner, the numbers beside the corner."""
    parts = []
    if place.touch is not None:
        corner = words(f"corner.{place.cell.kind}{place.touch.corner}")
        parts.append(words("text.touch", corner=corner, numbers=format_touch(words, place.touch)))
    for number, need in enumerate(place.needs):
        name = format_place_name(words, rules, place.cell, number)
        if need is not None:
            parts.append(words("text.need", corner=name, label=format_need(rules, need)))
        elif place.touch is None:
            parts.append(words("text.free", corner=name))
    return ", ".join(parts)


def format_touch(words: Words, touch: Touch, name: Callable[[int], str] = str) -> str:
    """`3 and 4`: the numbers beside a corner."""
    return format_list(words, [words("text.any") if number is None else name(number) for number in touch.numbers])


def format_move(view: PlayerView, move: Move, between: str = " ") -> str:
    """`G +60`, with the rotation if several fit: `G 4-2-4-4 +14`."""
    parts = [move.letter]
    if is_rotation_ambiguous(view, move):
        parts.append(format_tile_notation(move.placement.shown_labels))
    # If no move scores, or scores are hidden, zeros would say nothing.
    if view.rules.scores_tiles and any(other.points for other in view.moves):
        parts.append(format_points(move.points))
    return between.join(parts)


def format_shortcut(words: Words, view: PlayerView, move: Move, theme: str = CLASSIC, *, bonus: int = 0) -> str:
    """`G  +60`, with the `bonus`; with the tile where the letter and the points do not name one move."""
    has_points = any(other.points for other in view.moves)
    points = format_points(move.points + bonus) if has_points else ""
    twins = sum((other.letter, other.points) == (move.letter, move.points) for other in view.moves)
    name = move.letter
    if twins > 1 or not (view.tiles and has_points):
        shown = move.placement.shown_labels if is_rotation_ambiguous(view, move) else move.placement.tile
        key = "hand.move" if view.tiles else "hand.move_opening"
        name = words(key, tile=format_tile(shown, theme), letter=move.letter)
    return f"{name}  {points}".rstrip()


def is_rotation_ambiguous(view: PlayerView, move: Move) -> bool:
    """Return whether the same tile fits the same place in another rotation too."""
    placement = move.placement
    others = [other.placement for other in view.moves if other.placement != placement]
    return any((other.tile, other.cell) == (placement.tile, placement.cell) for other in others)


def strip_markdown(text: str) -> str:
    """Remove Markdown and the gaps of omitted facts."""
    return re.sub(r" {2,}", " ", MARKUP.sub(lambda sign: sign[1] or "", text)).strip()


def clip_text(text: str, limit: int = ALT_LIMIT) -> str:
    """Cut the text to `limit` characters, by default to an alt text."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def encode_placement(placement: Placement) -> str:
    """Encode the placement as a button argument."""
    return f"{encode_tile(placement.tile)}.{placement.cell}.{placement.rotation}"


def encode_tile(tile: Tile) -> str:
    return format_labels(tile)


def parse_placement(text: str, rules: Rules) -> Placement | None:
    """Decode a button argument; None if it is no placement."""
    parts = text.split(".")
    if len(parts) != 3 or not parts[2].isdecimal():
        return None
    try:
        tile, cell = parse_labels(parts[0], rules.plane.sides), rules.plane.parse_cell(parts[1])
    except ValueError:
        return None
    return Placement(tile, cell, normalize_rotation(rules, int(parts[2])))


def normalize_rotation(rules: Rules, rotation: int) -> int:
    # Tiles without a fixed order have as many rotations as there are orders of their labels.
    return rotation % (factorial(rules.plane.sides) if rules.fit.free_order else rules.plane.sides)


def find_move(view: PlayerView, text: str) -> Move | None:
    placement = parse_placement(text, view.rules)
    return next((move for move in view.moves if move.placement == placement), None)


@dataclass(frozen=True, slots=True)
class TileChoice:
    """A tile of the hand with all its moves."""

    tile: Tile
    moves: tuple[Move, ...]

    @property
    def best_points(self) -> int:
        return max(move.points for move in self.moves)


def group_moves_by_tile(view: PlayerView) -> list[TileChoice]:
    tiles: dict[Tile, list[Move]] = {}
    for move in view.moves:
        tiles.setdefault(move.placement.tile, []).append(move)
    return [TileChoice(tile, tuple(moves)) for tile, moves in tiles.items()]


def find_movable_tile(view: PlayerView, texts: Collection[str]) -> Tile | None:
    """Return the tile with a move that one of these button arguments names."""
    return next((choice.tile for choice in group_moves_by_tile(view) if encode_tile(choice.tile) in texts), None)


SHAPES: Final = ("🌙", "💧", "❤️", "⭐", "🍃", "🌸", "🐟", "🔑", "⚡", "🏠")  # for 0 to 9 (`render.faces.shapes`)
CROWN: Final = "👑"  # wildcard label
DIRECTIONS: Final = {
    "U": ("right", "left", "above"),
    "D": ("below", "left", "right"),
    "": ("below", "left", "above", "right"),
}
"""For each kind of cell, the direction across each of its sides."""

MAX_DESCRIPTION: Final = 100  # characters of an option's description


def format_tile(tile: Tile, theme: str = CLASSIC) -> str:
    """`0-0-1`; at a table with shapes `🌙🌙💧 0-0-1`: the faces, and the text to type."""
    if theme == CLASSIC or tile == BOSS:
        return format_tile_notation(tile)
    return f"{''.join(CROWN if label == WILD else SHAPES[label] for label in tile)} {format_tile_notation(tile)}"


def format_location(words: Words, cell: Cell, near: Sequence[Neighbour], theme: str = CLASSIC) -> str:
    """`left of 3-3-4`, `between 3-3-4 and 2-3-3`, `corner to corner with 1-3-3 (left to top)`; else empty."""
    if not near:
        return ""
    tiles = [format_tile(one.tile, theme) for one in near]
    if len(near) > 1:
        return words("where.between", tiles=format_list(words, tiles))
    (_, side, point), *_ = near
    if point is not None:
        own, other = (words(f"corner.{kind}{number}") for kind, number in point)
        return words("where.corner", tile=tiles[0], own=own, other=other)
    assert side is not None
    return words(f"where.{DIRECTIONS[cell.kind][side]}", tile=tiles[0])


def map_tiles_by_cell(view: PlayerView) -> Mapping[Cell, Tile]:
    return {placement.cell: placement.tile for placement in view.tiles}


class MoveNotes:
    """Describes the moves of a hand for menus: effect, place and rotation."""

    def __init__(self, words: Words, view: PlayerView, theme: str = CLASSIC) -> None:
        self._words, self._view, self._theme = words, view, theme
        self._tiles_by_cell = map_tiles_by_cell(view)
        self._rotations: dict[tuple[Tile, Cell], list[Tile]] = {}
        for placement in [move.placement for move in view.moves]:
            self._rotations.setdefault((placement.tile, placement.cell), []).append(placement.shown_labels)
        self._outlook = NewPlaceCounter(view.rules, view.tiles) if view.tiles else None
        self._following = FollowUpProbe(view)

    def format_location(self, move: Move) -> str:
        near = list_neighbours(self._view.rules.plane, self._tiles_by_cell, move.placement.cell, corner=move.corner)
        return format_location(self._words, move.placement.cell, near, self._theme)

    def format_note(self, move: Move) -> str:
        """Return the whole line, cut to a menu; the facts that distinguish two moves come first."""
        return self.append_facts("", move)

    def append_facts(self, text: str, move: Move) -> str:
        """Append what fits. The rotation and the location distinguish moves, so the other facts go first."""
        rotation, gains = self.format_rotation(move), self.format_gains(move)
        location, opened = self.format_location(move), self._format_opened(move)
        for facts in (
            (rotation, gains, location, opened),
            (rotation, gains, location),
            (rotation, location),
            (rotation,),
        ):
            longer = " · ".join(filter(None, (text, *facts)))
            if len(longer) <= MAX_DESCRIPTION:
                return longer
        return text

    def format_rotation(self, move: Move) -> str:
        """Name the corners that distinguish the tile's rotations: `4 top left, 3 bottom right`; empty for one."""
        placement = move.placement
        ways = self._rotations[placement.tile, placement.cell]
        differs = [place for place in range(len(placement.shown_labels)) if len({shown[place] for shown in ways}) > 1]
        return format_labels_at(self._words, self._view.rules, placement, differs)

    def format_gains(self, move: Move) -> str:
        """`closes a hexagon`, `bridge`, `then +25 or 2 more tiles`, or empty."""
        words, gains = self._words, []
        if move.hexagons:
            gains.append(words("hand.move_note_hexagon", n=move.hexagons))
        if move.bridge:
            gains.append(words("hand.move_note_bridge"))
        if move.reward is not None:
            key = "hand.move_note_points"
            if self._following.can_take_tiles(move):
                key = "hand.move_note_both" if move.reward.both else "hand.move_note_choice"
            tiles = words("count.more_tiles", n=move.reward.tiles)
            gains.append(words(key, points=format_points(move.reward.points), tiles=tiles))
        if self._following.can_move_again(move):
            gains.append(words("hand.move_note_corner"))
        return words("and.comma").join(gains)

    def _format_opened(self, move: Move) -> str:
        opened = 0 if self._outlook is None else self._outlook.count_new_places(move.placement)
        return self._words("hand.move_note_opens", n=opened) if opened else ""


def format_labels_at(words: Words, rules: Rules, placement: Placement, places: Sequence[int]) -> str:
    """`4 top left, 3 bottom right`: the labels of a placed tile on these corners or sides."""
    named = (
        (format_tile((placement.shown_labels[at],)), format_place_name(words, rules, placement.cell, at))
        for at in places
    )
    return words("and.comma").join(words("where.shows", label=label, place=place) for label, place in named)


def format_programs(table: Table, names: SeatNames, words: Words) -> list[str]:
    """Name the external players in the lobby; later those that the computer replaced, with the number of moves."""
    seats = list(table.state.programs)
    if not seats:
        return []
    if table.event_log is None:
        return [words("program.here", names=format_list(words, [f"**{names.escaped[seat]}**" for seat in seats]))]
    lines = []
    for seat in seats:
        failure = table.state.get_stumbles(seat)
        if failure.is_excluded:
            lines.append(words("program.out", name=names.escaped[seat]))
        elif failure.moves:
            moves = words("count.moves", n=failure.moves)
            lines.append(words("program.stood_in", name=names.escaped[seat], moves=moves))
    return lines


def build_program_options(programs: Sequence[str], words: Words) -> list[discord.SelectOption]:
    about, named = words("program.says"), {name: words("name.program", name=name) for name in programs}
    return [
        discord.SelectOption(label=label, value=f"{PROGRAM_PREFIX}{name}", description=about)
        for name, label in named.items()
    ]
