"""A tile's labels as layers of colour: the fields, which an outline may cover, and the signs, which it may not."""

from PIL import Image, ImageChops

from engine.tiles import BOSS, WILD, Tile
from render.blank import large
from render.canvas import SMOOTH
from render.faces import signs as sign
from render.faces.face import Face
from render.faces.places import field
from render.kept import PIECES
from render.outline import Outline
from render.theme import THEME, Colour

Layer = tuple[Colour, Image.Image]
"""A colour, and where it goes (mode "L", as large as the tile)."""

PLAQUE, PLAQUE_PLAYED = 0.25, 0.15
"""The gold plate in the middle of a boss: as long as it is wild, and when its sides have come to count a number."""
CROWN, CROWN_PLAYED = 0.33, 0.21
RIM = 0.8
"""What the gold rim leaves of the field of a wild label that stands for a number."""


def field_layers(edge: int, outline: Outline, face: Face, labels: Tile) -> list[Layer]:
    """The coloured fields of a tile."""
    if labels == BOSS:
        if face.stands is None:
            return [(THEME.gold, sign.plaque(edge, outline, PLAQUE))]
        zero = THEME.values[face.stands]
        around = [(zero, _field(edge, outline, face, slot)) for slot in range(len(labels))]
        return [*around, (THEME.gold, sign.plaque(edge, outline, PLAQUE_PLAYED))]
    return [layer for slot, label in enumerate(labels) for layer in label_fields(edge, outline, face, slot, label)]


def label_fields(edge: int, outline: Outline, face: Face, slot: int, label: int) -> list[Layer]:
    """The coloured field of one label, which is two where it is wild and stands for a number."""
    whole = _field(edge, outline, face, slot)
    if label != WILD:
        return [(THEME.values[label], whole)]
    if face.stands is None:
        return [(THEME.gold, whole)]
    return [(THEME.gold, whole), (THEME.values[face.stands], _field(edge, outline, face, slot, RIM))]


def sign_layers(edge: int, outline: Outline, face: Face, labels: Tile) -> list[Layer]:
    """The digits, pips, shapes and crowns of a tile."""
    if labels == BOSS:
        if face.stands is None:
            return [(THEME.dark_digit, sign.crown(edge, outline, CROWN))]
        ink = THEME.digit(face.stands)
        around = [(ink, sign.small(edge, outline, face, slot, face.stands)) for slot in range(len(labels))]
        return [*around, (THEME.dark_digit, sign.crown(edge, outline, CROWN_PLAYED))]
    return [label_sign(edge, outline, face, slot, label) for slot, label in enumerate(labels)]


def label_sign(edge: int, outline: Outline, face: Face, slot: int, label: int) -> Layer:
    """The digit, pips, shape or crown of one label."""
    value = face.stands if label == WILD else label
    if value is None:
        return THEME.dark_digit, sign.wild(edge, outline, face, slot)
    return THEME.digit(value), sign.number_sign(edge, outline, face, slot, value)


@PIECES.kept
def _field(edge: int, outline: Outline, face: Face, slot: int, size: float = 1.0) -> Image.Image:
    """A field that keeps to the face of the tile."""
    _, ivory = large(edge, outline)
    return ImageChops.darker(field(edge, outline, face, slot, size), ivory).reduce(SMOOTH)
