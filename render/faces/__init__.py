"""The labels of a tile: inlays at its corners or along its sides, with digits, pips or shapes."""

from render.faces.face import THEMES, Face, face_of
from render.faces.layers import Layer, label_layers, sum_layers, tile_layers
from render.faces.signs import sign_height

__all__ = ["THEMES", "Face", "Layer", "face_of", "label_layers", "sign_height", "sum_layers", "tile_layers"]
