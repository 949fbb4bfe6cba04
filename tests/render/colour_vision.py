"""Simulate colour vision deficiencies, and measure how different colours look."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import atan2, cos, degrees, exp, hypot, radians, sin, sqrt
from typing import Final

from render.canvas.theme import Colour

Matrix = tuple[tuple[float, float, float], ...]
Lab = tuple[float, float, float]

SIGHTS: Final[Mapping[str, Matrix]] = {
    # Machado, Oliveira and Fernandes 2009, severity 1.0, on linear light.
    "all colours": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
"""By kind of colour vision: the matrix for red, green and blue light."""

_XYZ: Final[Matrix] = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)
_WHITE: Final = (0.95047, 1.0, 1.08883)


def to_linear_light(colour: Colour) -> list[float]:
    """Return the linear light of a colour, 0 to 1 for each component."""
    return [c / 12.92 if (c := part / 255) <= 0.04045 else pow((c + 0.055) / 1.055, 2.4) for part in colour]


def multiply(matrix: Matrix, vector: Sequence[float]) -> list[float]:
    return [sum(factor * part for factor, part in zip(row, vector, strict=True)) for row in matrix]


def simulate_light(colour: Colour, sight: str) -> list[float]:
    return [min(1.0, max(0.0, part)) for part in multiply(SIGHTS[sight], to_linear_light(colour))]


def simulate_colour(colour: Colour, sight: str) -> Colour:
    parts = [
        12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055
        for part in simulate_light(colour, sight)
    ]
    red, green, blue = (round(255 * part) for part in parts)
    return red, green, blue


def to_lab(light: Sequence[float]) -> Lab:
    """Convert linear light to CIELAB, with the white of a screen."""
    x, y, z = (
        t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116
        for t in (part / white for part, white in zip(multiply(_XYZ, light), _WHITE, strict=True))
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def compute_ciede2000(one: Lab, other: Lab) -> float:
    """Return how different two colours look. From about 2 on, most people can distinguish them side by side."""
    bright = (hypot(*one[1:]) + hypot(*other[1:])) / 2
    stretch = 1 + (1 - sqrt(bright**7 / (bright**7 + 25**7))) / 2
    (a, b), (c, d) = (one[1] * stretch, one[2]), (other[1] * stretch, other[2])
    chroma, chroma_too = hypot(a, b), hypot(c, d)
    hue, hue_too = degrees(atan2(b, a)) % 360, degrees(atan2(d, c)) % 360
    grey = chroma * chroma_too == 0
    turn = 0.0 if grey else (hue_too - hue + 180) % 360 - 180
    middle = hue + hue_too if grey else (hue + turn / 2) % 360
    light, strong = (one[0] + other[0]) / 2, (chroma + chroma_too) / 2
    tilt = (
        1
        - 0.17 * cos(radians(middle - 30))
        + 0.24 * cos(radians(2 * middle))
        + 0.32 * cos(radians(3 * middle + 6))
        - 0.20 * cos(radians(4 * middle - 63))
    )
    by_light = (other[0] - one[0]) / (1 + 0.015 * (light - 50) ** 2 / sqrt(20 + (light - 50) ** 2))
    by_chroma = (chroma_too - chroma) / (1 + 0.045 * strong)
    by_hue = 2 * sqrt(chroma * chroma_too) * sin(radians(turn / 2)) / (1 + 0.015 * strong * tilt)
    blue = -2 * sqrt(strong**7 / (strong**7 + 25**7)) * sin(radians(60 * exp(-(((middle - 275) / 25) ** 2))))
    return sqrt(by_light**2 + by_chroma**2 + by_hue**2 + blue * by_chroma * by_hue)


def compute_distance(one: Colour, other: Colour, sight: str) -> float:
    return compute_ciede2000(to_lab(simulate_light(one, sight)), to_lab(simulate_light(other, sight)))


def find_nearest_pair(colours: Sequence[Colour], sight: str) -> tuple[float, int, int]:
    """Return the smallest distance between two of the colours, and these two."""
    return min(
        (compute_distance(colours[one], colours[other], sight), one, other)
        for one, other in combinations(range(len(colours)), 2)
    )


def compute_contrast(one: Colour, other: Colour) -> float:
    """Return the contrast of text and background by WCAG, 1 to 21."""
    dark, light = sorted(
        sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), to_linear_light(c), strict=True)) for c in (one, other)
    )
    return (light + 0.05) / (dark + 0.05)
