"""A tile's labels as layers of colour: inlays, and a sign on each."""

from collections.abc import Sequence

from PIL import Image

from engine.board.tiles import BOSS, WILD, Tile
from render.canvas.cache import PIECES
from render.canvas.cell_outline import Outline
from render.canvas.palette import rim
from render.canvas.theme import Colour
from render.faces import signs
from render.faces.face import Face, field

Layer = tuple[Colour, Image.Image]  # a colour and its coverage (mode "L", as large as the tile)

SUNK = 0.009  # offset of an inlay's colour from its dark edge, as a share of the tile's edge
THIN = 0.008  # width of that edge
RIM = 0.03  # brass rim of a wild label that shows a number
CROWN, CROWN_PLAYED = 0.34, 0.2  # size of a boss's crown while it is wild, and once its sides count a number


def tile_layers(edge: int, outline: Outline, face: Face, labels: Tile) -> list[Layer]:
    """All layers of a tile, the lowest first."""
    if labels == BOSS:
        return _boss(edge, outline, face, len(labels))
    layers = [layer for slot, label in enumerate(labels) for layer in label_layers(edge, outline, face, slot, label)]
    return [*layers, *sum_layers(edge, outline, face, labels)]


def label_layers(edge: int, outline: Outline, face: Face, slot: int, label: int) -> list[Layer]:
    """The inlay of one label and its sign."""
    theme = face.theme
    value = face.stands if label == WILD else label
    if value is None:
        return [
            *_inlay(edge, outline, face, slot, theme.brass),
            (theme.dark_digit, signs.wild(edge, outline, face, slot)),
        ]
    colour = theme.values[value]
    inlay = _inlay(edge, outline, face, slot, colour)
    if label == WILD:
        inlay = [
            *_inlay(edge, outline, face, slot, theme.brass),
            (colour, _field(edge, outline, face, slot, RIM, (0, 0))),
        ]
    return [*inlay, (theme.digit(value), signs.number_sign(edge, outline, face, slot, value))]


def sum_layers(edge: int, outline: Outline, face: Face, labels: Sequence[int]) -> list[Layer]:
    """The sum of a tile's numbers, engraved in its middle, if its numbers are pips."""
    if face.signs != "pips" or tuple(labels) == BOSS:
        return []
    values = [face.stands if label == WILD else label for label in labels]
    if any(value is None for value in values):
        return []
    return [(face.theme.ink_quiet, signs.engraved(edge, outline, sum(value or 0 for value in values)))]


def _inlay(edge: int, outline: Outline, face: Face, slot: int, colour: Colour) -> list[Layer]:
    """Enamel set into the face: dark at its upper left, bright at its lower right."""
    return [
        (face.theme.ivory_edge, _field(edge, outline, face, slot, 0, (SUNK, SUNK))),
        (rim(colour), _field(edge, outline, face, slot, 0, (0, 0))),
        (colour, _field(edge, outline, face, slot, THIN, (SUNK * 0.6, SUNK * 0.8))),
    ]


def _boss(edge: int, outline: Outline, face: Face, sides: int) -> list[Layer]:
    """A brass crown on ebony, and the number of its sides in brass."""
    theme = face.theme
    if face.stands is None:
        return [(theme.brass, signs.crown(edge, outline, CROWN))]
    layers: list[Layer] = []
    for slot in range(sides):
        layers += [
            (theme.brass_dark, _field(edge, outline, face, slot, 0, (0, 0))),
            (theme.ebony, _field(edge, outline, face, slot, THIN * 1.5, (0, 0))),
            (theme.brass_light, signs.number_sign(edge, outline, face, slot, face.stands)),
        ]
    return [*layers, (theme.brass, signs.crown(edge, outline, CROWN_PLAYED))]


@PIECES.kept
def _field(edge: int, outline: Outline, face: Face, slot: int, less: float, moved: tuple[float, float]) -> Image.Image:
    return field(edge, outline, face, slot, less, moved)
