"""The picture of a table's rules: diagrams side by side, each with a sentence below."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from engine.board.board import Board, Placement
from engine.board.lattice import Cell, Site, TrailFit
from engine.board.tiles import BOSS, WILD, parse_labels
from engine.match.bonuses import BonusRules
from engine.match.rules import Rules
from render.canvas import marks
from render.canvas.canvas import Box, Canvas
from render.canvas.geometry import Layout, build_centred_layout, choose_edge, compute_table_frame
from render.canvas.lettering import Style, draw_text, wrap_lines
from render.canvas.picture import WIDTH, Picture, build_picture, draw_cloth
from render.faces import Face, build_face
from render.table.cards import format_signed
from render.table.laid import paint_hexagon, paint_ring, paint_tile, paint_tiles
from render.table.legend import compute_legend_height, draw_legend
from render.table.open_places import render_dead_mark, render_open_place
from render.table.plain_tile import paint_tile_light

Diagram = Literal[
    "placement", "fives", "hexagon", "bridge", "all_corners", "third_match",
    "next_to_last", "corner_play", "boss", "boss_wild", "joker",
]  # fmt: skip
"""What a diagram shows:

* placement: a tile beside another; fives: the same, and the touching numbers add up to a multiple of five
* hexagon, bridge: the tile that completes one
* all_corners: a tile that touches several others and must match all of them
* third_match: the tile that matches three corners
* next_to_last: places where play may continue, and places where it may not
* corner_play: a tile that touches another only at a corner
* boss, joker: the tile with wild labels beside another; boss_wild: the boss with sides that stay wild
"""

DIAGRAMS: tuple[Diagram, ...] = get_args(Diagram)

HEXAGON = "D-1,-1=030 U0,-1=033 D0,-1=333 U0,0=313 D-1,0=113 U-1,0=013"
BRIDGE = "D-1,0=022 U-1,1=012 D-1,1=122 U0,1=223 D0,0=233 U1,0=333 D1,-1=331 U1,-1=131 D0,-1=231"
# Sets of 24 tiles have no number above 3. The squares exist in all sets, in any rotation.
TRIANGLES = {"placement": "U0,0=123 D-1,0=221", "hexagon": HEXAGON, "bridge": BRIDGE, "all_corners": HEXAGON}
SQUARES = {"placement": "0,0=4455 1,0=4445", "third_match": "0,0=4455 1,0=4445 1,1=2244 0,1=4244"}
ON_SIDES = {"corner_play": "U0,0=233 D1,-1=343", "boss": "U0,0=233 D0,0=BOSS", "boss_wild": "U0,0=233 D0,0=BOSS"}
SIDES = ON_SIDES | {"placement": "U0,0=444 D0,0=134", "next_to_last": "U0,0=444 D0,0=134 U1,0=333"}
FIVES = ON_SIDES | {"fives": "U0,0=444 D0,0=111", "next_to_last": "U0,0=444 D0,0=111 U1,0=400"}
# The same for sets whose highest number is 3.
ON_SIDES_TO_3 = ON_SIDES | {"corner_play": "U0,0=233 D1,-1=313"}
SIDES_TO_3 = ON_SIDES_TO_3 | {"placement": "U0,0=333 D0,0=123", "next_to_last": "U0,0=333 D0,0=123 U1,0=222"}
FIVES_TO_3 = ON_SIDES_TO_3 | {"fives": "U0,0=333 D0,0=122", "next_to_last": "U0,0=333 D0,0=122 U1,0=311"}


@dataclass(frozen=True, slots=True)
class DiagramPosition:
    """A position and the tile just played, with points of interest. `before` are the older tiles."""

    older_tiles: tuple[Placement, ...]
    new_tile: Placement
    points: int  # the score of the new tile; 0 if it does not matter
    marked_sites: tuple[Site, ...]  # the corners at which the new tile matches or touches
    hexagons: tuple[Site, ...]
    open_cells: tuple[Cell, ...]  # where play continues
    closed_cells: tuple[Cell, ...]  # free cells where it does not


def list_diagrams(rules: Rules) -> tuple[Diagram, ...]:
    """The diagrams of this game under these rules, in drawing order."""
    board, wild = rules.build_board(), {tile for tile in rules.tiles if WILD in tile}
    shown: list[Diagram] = ["fives" if rules.fit.sums_of_five else "placement"]
    if isinstance(board.fit, TrailFit):
        shown += [] if board.fit.open_layout else ["next_to_last"]
        shown += ["corner_play"] if board.fit.corner_plays else []
    elif rules.plane.sides == 4:
        shown.append("third_match")
    elif _has_bonuses(rules):
        shown += ["hexagon", "bridge"]
    else:
        shown.append("all_corners")
    if BOSS in wild:
        shown.append("boss" if rules.wild_value is not None else "boss_wild")
    shown += ["joker"] if wild - {BOSS} else []
    return tuple(shown)


def list_placements(rules: Rules, diagram: Diagram) -> list[Placement]:
    """The tiles of a diagram in the order of play; the last is the new one."""
    if diagram == "joker":
        joker = next(tile for tile in rules.tiles if WILD in tile)
        _, first, second = joker
        text = f"U0,0=33{second} D0,0=J{first}{second}"
    else:
        text = _get_positions(rules)[diagram]
    placed = []
    for part in text.split():
        cell, shown = part.split("=")
        placed.append(rules.build_placement(rules.plane.parse_cell(cell), parse_labels(shown, rules.plane.sides)))
    return placed


def build_position(rules: Rules, diagram: Diagram) -> DiagramPosition:
    """A diagram played out: what its last tile scores, matches and makes."""
    *before, new = list_placements(rules, diagram)
    board = rules.build_board()
    for placement in before:
        board.place(placement)
    hexagons = board.list_closed_corners(new.cell) if diagram == "hexagon" else ()
    points, marked = rules.score_placement(board, new).points, _list_shared_corners(board, new.cell)
    board.place(new)
    continuations = _list_continuations(board, new.cell) if diagram == "next_to_last" else ((), ())
    return DiagramPosition(tuple(before), new, points, marked, hexagons, *continuations)


def _get_positions(rules: Rules) -> dict[str, str]:
    if rules.labels == "sides":
        if max(map(max, rules.tiles)) == 3:
            return FIVES_TO_3 if rules.fit.sums_of_five else SIDES_TO_3
        return FIVES if rules.fit.sums_of_five else SIDES
    return TRIANGLES if rules.plane.sides == 3 else SQUARES


def _has_bonuses(rules: Rules) -> bool:
    """Whether hexagons score under these rules. Closes one to find out."""
    if not isinstance(rules, BonusRules):
        return False
    board = rules.build_board()
    *before, new = list_placements(rules, "hexagon")
    for placement in before:
        board.place(placement)
    return bool(rules.score_placement(board, new).bonus)


def _list_shared_corners(board: Board, cell: Cell) -> tuple[Site, ...]:
    """The corners that a tile on this cell shares: labelled corners, or the only touching corner."""
    corners = board.lattice.get_shape(cell).corners
    if isinstance(board.fit, TrailFit):
        touch = board.get_touch(cell)
        return (corners[touch.corner],) if touch else ()
    return tuple(site for site in corners if site in board.labels)


def _list_continuations(board: Board, last: Cell) -> tuple[tuple[Cell, ...], tuple[Cell, ...]]:
    """The free cells beside the last tile, and those beside other tiles where no tile can go."""
    beside = board.lattice.get_shape(last).neighbours
    around = dict.fromkeys(near for cell in board.placed for near in board.lattice.get_shape(cell).neighbours)
    free = [cell for cell in around if cell not in board.placed]
    return tuple(cell for cell in free if cell in beside), tuple(cell for cell in free if cell not in board.open_cells)


MARGIN = 24
GAP = 16
PAD = 26  # from the outline of a diagram to its content
DIAGRAM_HEIGHT = 330  # height of a diagram without its sentence
MAX_EDGE = 168  # the largest edge of a tile
TEXT_SIZE = 29  # size of the sentences, just readable in a picture shown 400 pixels wide
LINE_HEIGHT = 38
SCORE_SIZE = 40
CIRCLE_RADIUS = 0.13  # radius of the circle around a matching corner, as a share of the edge


def render_rules(
    rules: Rules, captions: Mapping[Diagram, str], *, theme: str = "classic", scheme: str = "dark"
) -> Picture:
    """Draw the diagrams of `list_diagrams` in that order. 1200 pixels wide.

    `captions` has a sentence for each diagram; a missing one stays blank. Raises ValueError for an unknown `theme` or
    `scheme`.
    """
    face = build_face(rules, theme, scheme)
    shown = list_diagrams(rules)
    across = len(shown) if len(shown) <= 3 else 2
    width = (WIDTH - 2 * MARGIN - GAP * (across - 1)) // across
    lines = {name: wrap_lines(captions.get(name, ""), Style.TEXT, TEXT_SIZE, width - 2 * PAD) for name in shown}
    rows = [shown[start : start + across] for start in range(0, len(shown), across)]
    heights = [DIAGRAM_HEIGHT + PAD + LINE_HEIGHT * max(len(lines[name]) for name in row) for row in rows]
    top = MARGIN + compute_legend_height(face)
    canvas = Canvas(WIDTH, top + sum(heights) + GAP * (len(rows) - 1) + MARGIN, face.theme)
    draw_cloth(canvas)
    draw_legend(canvas, rules, face, MARGIN // 2)
    for row, height in zip(rows, heights, strict=True):
        for number, name in enumerate(row):
            x = MARGIN + number * (width + GAP)
            _draw_diagram(canvas, rules, name, lines[name], face, (x, top, x + width, top + height))
        top += height + GAP
    return build_picture(canvas)


def _draw_diagram(canvas: Canvas, rules: Rules, name: Diagram, lines: list[str], face: Face, box: Box) -> None:
    """Draw one diagram in its outline, with its sentence."""
    left, top, right, bottom = box
    canvas.paint_shape(canvas.theme.slot_edge, left, top, marks.render_rounded_box, right - left, bottom - top, 18, 2)
    position = build_position(rules, name)
    area = (left + PAD, top + PAD, right - PAD, top + DIAGRAM_HEIGHT - PAD // 2)
    _PositionPainter(canvas, rules, position, face, area).draw()
    if position.points:
        base = top + PAD + SCORE_SIZE * 3 // 4
        points = format_signed(position.points)
        draw_text(canvas, points, right - PAD, base, Style.LOUD, SCORE_SIZE, canvas.theme.accent, side="right")
    for number, line in enumerate(lines):
        base = top + DIAGRAM_HEIGHT + LINE_HEIGHT * 3 // 4 + number * LINE_HEIGHT
        draw_text(canvas, line, left + PAD, base, Style.TEXT, TEXT_SIZE, canvas.theme.text)


class _PositionPainter:
    """A position with its new tile lit and points of interest marked."""

    def __init__(self, canvas: Canvas, rules: Rules, position: DiagramPosition, face: Face, area: Box) -> None:
        self.canvas, self.position, self.face = canvas, position, face
        self.layout = _build_layout(rules, position, area)
        self.edge, self.theme = self.layout.edge, canvas.theme

    def draw(self) -> None:
        position, layout, theme = self.position, self.layout, self.theme
        tiles = (*position.older_tiles, position.new_tile)
        paint_tiles(self.canvas, layout, self.face, tiles)
        spot = layout.locate_cell(position.new_tile.cell)
        if not theme.outlined:
            paint_tile_light(self.canvas, self.edge, spot.outline, spot.x, spot.y)
        for cell in position.open_cells:
            at = layout.locate_cell(cell)
            self.canvas.paste_sprite(render_open_place(theme, self.edge, at.outline, "", playable=True), at.x, at.y)
        for cell in position.closed_cells:
            at, mark = layout.locate_cell(cell), render_dead_mark(theme, self.edge)
            x, y = at.outline.compute_centre_pixel(self.edge)
            self.canvas.paste_sprite(mark, at.x + x - mark.width // 2, at.y + y - mark.height // 2)
        paint_tile(self.canvas, layout, position.new_tile, self.face, lit=True)
        for site in position.hexagons:
            paint_hexagon(self.canvas, layout, site, newest=True)
        paint_ring(self.canvas, layout, position.new_tile.cell)
        radius, line = round(CIRCLE_RADIUS * self.edge), max(3, round(0.035 * self.edge))
        circle = marks.render_rounded_box, 2 * radius, 2 * radius, radius, line
        for x, y in map(layout.locate_corner, position.marked_sites):
            self.canvas.paint_shape(theme.brass, x - radius, y - radius, *circle)


def _build_layout(rules: Rules, position: DiagramPosition, area: Box) -> Layout:
    left, top, right, bottom = area
    tiles = (*position.older_tiles, position.new_tile)
    table_frame = compute_table_frame(rules.plane, tiles, position.open_cells, position.closed_cells)
    edge = min(MAX_EDGE, choose_edge(rules.plane, table_frame, right - left, bottom - top))
    return build_centred_layout(rules.plane, table_frame, edge, area)
