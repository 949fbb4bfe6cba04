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
from render.canvas.geometry import Layout, centred, largest_edge, whole
from render.canvas.lettering import Style, draw_text, wrapped
from render.canvas.picture import WIDTH, lay_cloth, pictured
from render.faces import Face, face_of
from render.table.cards import signed
from render.table.laid import stamp_hexagon, stamp_ring, stamp_tile
from render.table.legend import draw_legend, legend_height
from render.table.open_places import cross, open_place
from render.table.plain_tile import LIGHT, glow_reach, light, shadow

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
ON_SIDES = {
    "corner_play": "U0,0=233 D1,-1=343",
    "boss": "U0,0=233 D0,0=BOSS",
    "boss_wild": "U0,0=233 D0,0=BOSS",
}
SIDES = ON_SIDES | {"placement": "U0,0=444 D0,0=134", "next_to_last": "U0,0=444 D0,0=134 U1,0=333"}
FIVES = ON_SIDES | {"fives": "U0,0=444 D0,0=111", "next_to_last": "U0,0=444 D0,0=111 U1,0=400"}
# The same for sets whose highest number is 3.
ON_SIDES_TO_3 = ON_SIDES | {"corner_play": "U0,0=233 D1,-1=313"}
SIDES_TO_3 = ON_SIDES_TO_3 | {"placement": "U0,0=333 D0,0=123", "next_to_last": "U0,0=333 D0,0=123 U1,0=222"}
FIVES_TO_3 = ON_SIDES_TO_3 | {"fives": "U0,0=333 D0,0=122", "next_to_last": "U0,0=333 D0,0=122 U1,0=311"}


@dataclass(frozen=True, slots=True)
class Example:
    """A position and the tile just played, with points of interest. `before` are the older tiles."""

    before: tuple[Placement, ...]
    new: Placement
    points: int  # the score of the new tile; 0 if it does not matter
    marked: tuple[Site, ...]  # the corners at which the new tile matches or touches
    hexagons: tuple[Site, ...]
    open: tuple[Cell, ...]  # where play continues
    shut: tuple[Cell, ...]  # free cells where it does not


def diagrams(rules: Rules) -> tuple[Diagram, ...]:
    """The diagrams of this game under these rules, in drawing order."""
    board, wild = rules.board(), {tile for tile in rules.tiles if WILD in tile}
    shown: list[Diagram] = ["fives" if rules.fit.fives else "placement"]
    if isinstance(board.fit, TrailFit):
        shown += [] if board.fit.everywhere else ["next_to_last"]
        shown += ["corner_play"] if board.fit.corner_plays else []
    elif rules.plane.sides == 4:
        shown.append("third_match")
    elif _pays_bonuses(rules):
        shown += ["hexagon", "bridge"]
    else:
        shown.append("all_corners")
    if BOSS in wild:
        shown.append("boss" if rules.wild_stands is not None else "boss_wild")
    shown += ["joker"] if wild - {BOSS} else []
    return tuple(shown)


def placements(rules: Rules, diagram: Diagram) -> list[Placement]:
    """The tiles of a diagram in the order of play; the last is the new one."""
    if diagram == "joker":
        joker = next(tile for tile in rules.tiles if WILD in tile)
        _, first, second = joker
        text = f"U0,0=33{second} D0,0=J{first}{second}"
    else:
        text = _positions(rules)[diagram]
    laid = []
    for part in text.split():
        cell, shown = part.split("=")
        laid.append(rules.lay(rules.plane.parse_cell(cell), parse_labels(shown, rules.plane.sides)))
    return laid


def example(rules: Rules, diagram: Diagram) -> Example:
    """A diagram played out: what its last tile scores, matches and makes."""
    *before, new = placements(rules, diagram)
    board = rules.board()
    for placement in before:
        board.place(placement)
    made = board.closed(new.cell) if diagram == "hexagon" else ()
    points, marked = rules.score(board, new).points, _met(board, new.cell)
    board.place(new)
    onward = _onward(board, new.cell) if diagram == "next_to_last" else ((), ())
    return Example(tuple(before), new, points, marked, made, *onward)


def _positions(rules: Rules) -> dict[str, str]:
    if rules.labels == "sides":
        if max(map(max, rules.tiles)) == 3:
            return FIVES_TO_3 if rules.fit.fives else SIDES_TO_3
        return FIVES if rules.fit.fives else SIDES
    return TRIANGLES if rules.plane.sides == 3 else SQUARES


def _pays_bonuses(rules: Rules) -> bool:
    """Whether hexagons score under these rules. Closes one to find out."""
    if not isinstance(rules, BonusRules):
        return False
    board = rules.board()
    *before, new = placements(rules, "hexagon")
    for placement in before:
        board.place(placement)
    return bool(rules.score(board, new).bonus)


def _met(board: Board, cell: Cell) -> tuple[Site, ...]:
    """The corners that a tile on this cell shares: labelled corners, or the only touching corner."""
    corners = board.lattice.shape(cell).corners
    if isinstance(board.fit, TrailFit):
        touch = board.touch(cell)
        return (corners[touch.corner],) if touch else ()
    return tuple(site for site in corners if site in board.labels)


def _onward(board: Board, last: Cell) -> tuple[tuple[Cell, ...], tuple[Cell, ...]]:
    """The free cells beside the last tile, and those beside other tiles where no tile can go."""
    beside = board.lattice.shape(last).across
    around = dict.fromkeys(near for cell in board.placed for near in board.lattice.shape(cell).across)
    free = [cell for cell in around if cell not in board.placed]
    return tuple(cell for cell in free if cell in beside), tuple(cell for cell in free if cell not in board.open_cells)


MARGIN = 24
GAP = 16
PAD = 26  # from the outline of a diagram to its content
HIGH = 330  # height of a diagram without its sentence
LARGEST = 168  # the largest edge of a tile
SIZE = 29  # size of the sentences, just readable in a picture shown 400 pixels wide
LINE = 38
SCORE = 40
CIRCLE = 0.13  # radius of the circle around a matching corner, as a share of the edge


def draw_rules(
    rules: Rules,
    captions: Mapping[Diagram, str],
    *,
    theme: str = "classic",
    scheme: str = "dark",
    true: bool = False,
) -> Canvas:
    """Draw the diagrams of `diagrams(rules)` in that order. 1200 pixels wide.

    `captions` has a sentence for each diagram; a missing one stays blank. Raises ValueError for an unknown `theme` or
    `scheme`. `true` draws in 24-bit colour, for tests.
    """
    face = face_of(rules, theme, scheme)
    shown = diagrams(rules)
    across = len(shown) if len(shown) <= 3 else 2
    width = (WIDTH - 2 * MARGIN - GAP * (across - 1)) // across
    lines = {name: wrapped(captions.get(name, ""), Style.TEXT, SIZE, width - 2 * PAD) for name in shown}
    rows = [shown[start : start + across] for start in range(0, len(shown), across)]
    heights = [HIGH + PAD + LINE * max(len(lines[name]) for name in row) for row in rows]
    top = MARGIN + legend_height(face)
    canvas = Canvas(WIDTH, top + sum(heights) + GAP * (len(rows) - 1) + MARGIN, face.theme, true=true)
    lay_cloth(canvas)
    draw_legend(canvas, rules, face, MARGIN // 2)
    for row, height in zip(rows, heights, strict=True):
        for number, name in enumerate(row):
            x = MARGIN + number * (width + GAP)
            _panel(canvas, rules, name, lines[name], face, (x, top, x + width, top + height))
        top += height + GAP
    return canvas


rules_picture = pictured(draw_rules)


def _panel(canvas: Canvas, rules: Rules, name: Diagram, lines: list[str], face: Face, box: Box) -> None:
    """Draw one diagram in its outline, with its sentence."""
    left, top, right, bottom = box
    canvas.glaze(canvas.theme.slot_edge, left, top, marks.slab, right - left, bottom - top, 18, 2)
    shown = example(rules, name)
    _Drawing(canvas, rules, shown, face, (left + PAD, top + PAD, right - PAD, top + HIGH - PAD // 2)).draw()
    if shown.points:
        base = top + PAD + SCORE * 3 // 4
        points = signed(shown.points)
        draw_text(canvas, points, right - PAD, base, Style.LOUD, SCORE, canvas.theme.accent, side="right")
    base = top + HIGH + LINE * 3 // 4
    for line in lines:
        theme = canvas.theme
        draw_text(canvas, line, left + PAD, base, Style.TEXT, SIZE, theme.text)
        base += LINE


class _Drawing:
    """A position with its new tile lit and points of interest marked."""

    def __init__(self, canvas: Canvas, rules: Rules, shown: Example, face: Face, area: Box) -> None:
        self.canvas, self.shown, self.face = canvas, shown, face
        self.layout = _layout(rules, shown, area)
        self.edge, self.theme = self.layout.edge, canvas.theme

    def draw(self) -> None:
        shown, layout, theme = self.shown, self.layout, self.theme
        tiles = (*shown.before, shown.new)
        for laid in tiles if not theme.outlined else ():
            spot = layout.spot(laid.cell)
            sprite, reach = shadow(theme, self.edge, spot.outline)
            self.canvas.shade(sprite, spot.x - reach, spot.y - reach)
        spot = layout.spot(shown.new.cell)
        if not theme.outlined:
            reach = glow_reach(self.edge)
            self.canvas.shine(theme.brass, LIGHT, spot.x - reach, spot.y - reach, light(self.edge, spot.outline))
        for cell in shown.open:
            at = layout.spot(cell)
            self.canvas.stamp(open_place(theme, self.edge, at.outline, "", loud=True), at.x, at.y)
        for cell in shown.shut:
            at, mark = layout.spot(cell), cross(theme, self.edge)
            x, y = at.outline.heart(self.edge)
            self.canvas.stamp(mark, at.x + x - mark.width // 2, at.y + y - mark.height // 2)
        for laid in tiles:
            stamp_tile(self.canvas, layout, laid, self.face, lit=laid is shown.new)
        for site in shown.hexagons:
            stamp_hexagon(self.canvas, layout, site, newest=True)
        stamp_ring(self.canvas, layout, shown.new.cell)
        radius, line = round(CIRCLE * self.edge), max(3, round(0.035 * self.edge))
        for x, y in map(layout.point, shown.marked):
            self.canvas.glaze(theme.brass, x - radius, y - radius, marks.slab, 2 * radius, 2 * radius, radius, line)


def _layout(rules: Rules, shown: Example, area: Box) -> Layout:
    left, top, right, bottom = area
    everything = whole(rules.plane, (*shown.before, shown.new), shown.open, shown.shut)
    edge = min(LARGEST, largest_edge(rules.plane, everything, right - left, bottom - top))
    return centred(rules.plane, everything, edge, area)
