"""What is drawn on a tile: coloured fields on its corners or sides, and on them digits, pips or shapes."""

from render.faces.face import THEMES, Face, face_of
from render.faces.layers import Layer, field_layers, label_fields, label_sign, sign_layers
from render.faces.signs import sign_height

__all__ = [
    "THEMES",
    "Face",
    "Layer",
    "face_of",
    "field_layers",
    "label_fields",
    "label_sign",
    "sign_height",
    "sign_layers",
]
