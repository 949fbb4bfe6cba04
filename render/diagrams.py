"""The small worked positions that explain a game's rules, and which of them a game has."""

from dataclasses import dataclass
from typing import Literal, get_args

from engine.board import Board, Placement
from engine.bonuses import BonusRules
from engine.lattice import Cell, Site, TrailFit
from engine.rules import Rules
from engine.tiles import BOSS, WILD, parse_labels

Diagram = Literal[
    "placement",
    "fives",
    "hexagon",
    "bridge",
    "all_corners",
    "third_match",
    "next_to_last",
    "corner_play",
    "boss",
    "boss_wild",
    "joker",
]
"""What a diagram shows:

* placement: a tile laid beside another; fives: the same where numbers that meet add up to a multiple of five
* hexagon, bridge: the tile that makes one
* all_corners: a tile that meets several, all of which it must match
* third_match: the tile that matches three corners
* next_to_last: where play goes on, and where it does not
* corner_play: a tile laid corner to corner
* boss, joker: the tile with wild labels beside another; boss_wild: the boss where its sides stay wild
"""

DIAGRAMS: tuple[Diagram, ...] = get_args(Diagram)

HEXAGON = "D-1,-1=030 U0,-1=033 D0,-1=333 U0,0=313 D-1,0=113 U-1,0=013"
BRIDGE = "D-1,0=022 U-1,1=012 D-1,1=122 U0,1=223 D0,0=233 U1,0=333 D1,-1=331 U1,-1=131 D0,-1=231"
# Sets of 24 tiles know no number above 3; no set of squares minds these whichever way round its tiles are written.
TRIANGLES: dict[str, str] = {
    "placement": "U0,0=123 D-1,0=221",
    "hexagon": HEXAGON,
    "bridge": BRIDGE,
    "all_corners": HEXAGON,
}
SQUARES: dict[str, str] = {
    "placement": "0,0=4455 1,0=4445",
    "third_match": "0,0=4455 1,0=4445 1,1=2244 0,1=4244",
}
SIDES: dict[str, str] = {
    "placement": "U0,0=444 D0,0=134",
    "next_to_last": "U0,0=444 D0,0=134 U1,0=333",
    "corner_play": "U0,0=233 D1,-1=343",
    "boss": "U0,0=233 D0,0=BOSS",
    "boss_wild": "U0,0=233 D0,0=BOSS",
}
FIVES: dict[str, str] = {
    "fives": "U0,0=444 D0,0=111",
    "next_to_last": "U0,0=444 D0,0=111 U1,0=400",
    "corner_play": "U0,0=233 D1,-1=343",
    "boss": "U0,0=233 D0,0=BOSS",
    "boss_wild": "U0,0=233 D0,0=BOSS",
}
# The same for sets whose highest number is 3.
SIDES_TO_3: dict[str, str] = SIDES | {
    "placement": "U0,0=333 D0,0=123",
    "next_to_last": "U0,0=333 D0,0=123 U1,0=222",
    "corner_play": "U0,0=233 D1,-1=313",
}
FIVES_TO_3: dict[str, str] = FIVES | {
    "fives": "U0,0=333 D0,0=122",
    "next_to_last": "U0,0=333 D0,0=122 U1,0=311",
    "corner_play": "U0,0=233 D1,-1=313",
}


@dataclass(frozen=True, slots=True)
class Example:
    """A position and the tile that has just been laid, with what is worth pointing at.

    `before` are the tiles it was laid to.
    """

    before: tuple[Placement, ...]
    new: Placement
    points: int
    """What the new tile scores; 0 where there is nothing to say."""
    marked: tuple[Site, ...]
    """The corners at which the new tile matches or touches."""
    hexagons: tuple[Site, ...]
    open: tuple[Cell, ...]
    """Where play goes on."""
    shut: tuple[Cell, ...]
    """Where it does not, though there is room."""


def diagrams(rules: Rules) -> tuple[Diagram, ...]:
    """The diagrams of this game under these rules, in the order in which they are drawn."""
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
    """The tiles of a diagram in the order they are laid; the last is the new one."""
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
    """Whether hexagons score under these rules: asked by closing one."""
    if not isinstance(rules, BonusRules):
        return False
    board = rules.board()
    *before, new = placements(rules, "hexagon")
    for placement in before:
        board.place(placement)
    return bool(rules.score(board, new).bonus)


def _met(board: Board, cell: Cell) -> tuple[Site, ...]:
    """The corners a tile on this cell shares with others: where corners are labelled, or touch as the only thing."""
    corners = board.lattice.shape(cell).corners
    if isinstance(board.fit, TrailFit):
        touch = board.touch(cell)
        return (corners[touch.corner],) if touch else ()
    return tuple(site for site in corners if site in board.labels)


def _onward(board: Board, last: Cell) -> tuple[tuple[Cell, ...], tuple[Cell, ...]]:
    """The free cells beside the last tile, and those beside the others only where no tile can go at all."""
    beside = board.lattice.shape(last).across
    around = dict.fromkeys(near for cell in board.placed for near in board.lattice.shape(cell).across)
    free = [cell for cell in around if cell not in board.placed]
    return tuple(cell for cell in free if cell in beside), tuple(cell for cell in free if cell not in board.open_cells)
