"""A tile's labels as layers of colour: inlays, and a sign on each."""

from collections.abc import Sequence

from PIL import Image

from engine.board.tiles import BOSS, WILD, Tile
from render.canvas.cache import COMPOSITION_CACHE
from render.canvas.cell_outline import Outline
from render.canvas.palette import compute_rim_colour
from render.canvas.theme import Colour
from render.faces import signs
from render.faces.face import Face, render_inlay

Layer = tuple[Colour, Image.Image]  # a colour and its coverage (mode "L", as large as the tile)

INLAY_OFFSET = 0.009  # offset of an inlay's colour from its dark edge, as a share of the tile's edge
INLAY_EDGE = 0.008  # width of that edge
WILD_RIM = 0.03  # brass rim of a wild label that shows a number
CROWN, CROWN_PLAYED = 0.34, 0.2  # size of a boss's crown while it is wild, and once its sides count a number


def build_tile_layers(edge: int, outline: Outline, face: Face, labels: Tile) -> list[Layer]:
    """All layers of a tile, the lowest first."""
    if labels == BOSS:
        return _build_boss_layers(edge, outline, face, len(labels))
    layers = [
        layer for slot, label in enumerate(labels) for layer in build_label_layers(edge, outline, face, slot, label)
    ]
    return [*layers, *build_sum_layers(edge, outline, face, labels)]


def build_label_layers(edge: int, outline: Outline, face: Face, slot: int, label: int) -> list[Layer]:
    """The inlay of one label and its sign."""
    theme = face.theme
    value = face.wild_value if label == WILD else label
    if value is None:
        return [
            *_build_inlay_layers(edge, outline, face, slot, theme.brass),
            (theme.dark_digit, signs.render_wild_crown(edge, outline, face, slot)),
        ]
    colour = theme.values[value]
    inlay = _build_inlay_layers(edge, outline, face, slot, colour)
    if label == WILD:
        inlay = [
            *_build_inlay_layers(edge, outline, face, slot, theme.brass),
            (colour, _render_inlay(edge, outline, face, slot, WILD_RIM, (0, 0))),
        ]
    return [*inlay, (theme.get_digit_colour(value), signs.render_number(edge, outline, face, slot, value))]


def build_sum_layers(edge: int, outline: Outline, face: Face, labels: Sequence[int]) -> list[Layer]:
    """The sum of a tile's numbers, if they are at its sides. Star scores by it."""
    if face.labels != "sides" or tuple(labels) == BOSS:
        return []
    values = [face.wild_value if label == WILD else label for label in labels]
    if any(value is None for value in values):
        return []
    return [(face.theme.ink_quiet, signs.render_sum(edge, outline, face, sum(value or 0 for value in values)))]


def _build_inlay_layers(edge: int, outline: Outline, face: Face, slot: int, colour: Colour) -> list[Layer]:
    """Enamel set into the face: dark at its upper left, bright at its lower right."""
    return [
        (face.theme.ivory_edge, _render_inlay(edge, outline, face, slot, 0, (INLAY_OFFSET, INLAY_OFFSET))),
        (compute_rim_colour(colour), _render_inlay(edge, outline, face, slot, 0, (0, 0))),
        (colour, _render_inlay(edge, outline, face, slot, INLAY_EDGE, (INLAY_OFFSET * 0.6, INLAY_OFFSET * 0.8))),
    ]


def _build_boss_layers(edge: int, outline: Outline, face: Face, sides: int) -> list[Layer]:
    """A brass crown on ebony, and the number of its sides in brass."""
    theme = face.theme
    if face.wild_value is None:
        return [(theme.brass, signs.render_crown(edge, outline, face, CROWN))]
    layers: list[Layer] = []
    for slot in range(sides):
        layers += [
            (theme.brass_dark, _render_inlay(edge, outline, face, slot, 0, (0, 0))),
            (theme.ebony, _render_inlay(edge, outline, face, slot, INLAY_EDGE * 1.5, (0, 0))),
            (theme.brass_light, signs.render_number(edge, outline, face, slot, face.wild_value)),
        ]
    return [*layers, (theme.brass, signs.render_crown(edge, outline, face, CROWN_PLAYED))]


@COMPOSITION_CACHE.memoize
def _render_inlay(
    edge: int, outline: Outline, face: Face, slot: int, inset: float, offset: tuple[float, float]
) -> Image.Image:
    return render_inlay(edge, outline, face, slot, inset, offset)
