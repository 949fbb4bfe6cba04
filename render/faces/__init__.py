"""The labels of a tile: inlays at its corners or along its sides, with digits, pips or shapes."""

from render.faces.face import THEMES, Face, build_face
from render.faces.layers import Layer, build_label_layers, build_sum_layers, build_tile_layers
from render.faces.signs import compute_sign_height

__all__ = [
    "THEMES",
    "Face",
    "Layer",
    "build_face",
    "build_label_layers",
    "build_sum_layers",
    "build_tile_layers",
    "compute_sign_height",
]
