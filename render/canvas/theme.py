"""Every colour of the pictures. Values keep their colour everywhere, so a tile is known before its digit is read."""

from dataclasses import dataclass, replace
from typing import Final

Colour = tuple[int, int, int]
"""Red, green, blue, 0 to 255."""


@dataclass(frozen=True, slots=True, eq=False)
class Theme:
    """The colours of one look: warm ivory tiles on a cloth, and brass where something happened.

    There is one object of each, so it is its own key wherever drawings are kept.
    """

    cloth: Colour = (43, 79, 73)
    deep: Colour = (10, 20, 20)
    """The deepest shadow. All that lies on the cloth - shadows, slots, its darker rim - is between it and the cloth."""
    groove: Colour = (16, 32, 30)
    """What a bar has still to fill, on a plate that is cut into the cloth."""
    slot: Colour = (26, 48, 45)
    """The ground of an open place, and of the plate of a seat that waits."""
    slot_edge: Colour = (56, 99, 92)
    """The lower edge of what is cut into the cloth, on which light falls."""
    outlined: bool = False
    """Whether what is cut into the cloth has an outline instead, and nothing has a shadow."""
    faint: Colour = (89, 120, 112)
    """Marks that say that nothing goes there."""
    text: Colour = (244, 236, 219)
    quiet: Colour = (179, 197, 188)
    accent: Colour = (242, 199, 102)
    """Words that are brass: what the last move brought, one's own places."""
    gain: Colour = (155, 218, 176)
    loss: Colour = (244, 164, 146)

    plate: Colour = (243, 232, 209)
    """The plate of whoever is to play: ivory like a tile."""
    ink: Colour = (36, 26, 20)
    """Words on ivory."""
    ink_quiet: Colour = (104, 82, 54)
    plate_groove: Colour = (207, 187, 148)

    ivory: Colour = (247, 235, 210)
    ivory_edge: Colour = (255, 252, 242)
    """The upper edge of a tile, on which light falls."""
    ivory_low: Colour = (233, 219, 189)
    """The lower part of its face."""
    lip: Colour = (181, 156, 110)
    lit: Colour = (253, 231, 176)
    """The same of the tile that was played last."""
    lit_edge: Colour = (255, 248, 220)
    lit_low: Colour = (244, 213, 143)
    lit_lip: Colour = (191, 146, 62)
    ebony: Colour = (58, 42, 36)
    """The boss's face."""
    ebony_edge: Colour = (98, 74, 62)
    brass: Colour = (242, 199, 102)
    brass_light: Colour = (255, 240, 190)
    brass_dark: Colour = (169, 122, 37)
    copper: Colour = (233, 164, 143)
    copper_dark: Colour = (146, 78, 60)
    walnut: Colour = (84, 54, 40)
    """The rack that a hand stands on."""
    walnut_edge: Colour = (116, 78, 58)

    light_digit: Colour = (251, 243, 226)
    dark_digit: Colour = (36, 26, 20)
    values: tuple[Colour, ...] = (
        (43, 42, 46),
        (31, 82, 163),
        (15, 122, 92),
        (221, 170, 74),
        (149, 41, 44),
        (176, 136, 186),
        (147, 215, 221),
        (106, 106, 136),
        (136, 166, 136),
        (136, 136, 76),
    )
    """By value, chosen by search so that people who see few colours can tell them apart; tests state the distance.
    The first seven, which nearly every set keeps to, are further apart than ten can be."""
    light_digits: frozenset[int] = frozenset({0, 1, 2, 4, 7})
    """The values whose digit is light. It is a second cue beside the colour."""
    seats: tuple[Colour, ...] = (
        (68, 203, 249),
        (233, 150, 48),
        (135, 187, 137),
        (198, 104, 125),
        (255, 236, 197),
        (143, 131, 218),
    )
    """By seat; they repeat from the seventh on, with a hollow sign (`render/canvas/tokens.py`)."""

    def digit(self, value: int) -> Colour:
        """The colour of a value's digit."""
        return self.light_digit if value in self.light_digits else self.dark_digit

    def seat(self, seat: int) -> Colour:
        """The colour of a seat, counted from 0."""
        return self.seats[seat % len(self.seats)]


DARK: Final = Theme()
"""Bottle-green cloth."""
LIGHT: Final = replace(
    DARK,
    cloth=(213, 217, 203),
    deep=(158, 164, 146),
    groove=(164, 170, 152),
    slot=(184, 189, 173),
    slot_edge=(236, 239, 229),
    faint=(150, 158, 142),
    text=(34, 48, 44),
    quiet=(62, 76, 69),
    accent=(104, 64, 0),
    gain=(10, 78, 46),
    loss=(138, 24, 20),
    plate=(255, 248, 232),
    copper=(214, 130, 104),
)
"""Sage linen."""
CONTRAST: Final = replace(
    DARK,
    cloth=(0, 0, 0),
    deep=(0, 0, 0),
    groove=(70, 70, 70),
    slot=(0, 0, 0),
    slot_edge=(255, 255, 255),
    outlined=True,
    faint=(128, 128, 128),
    text=(255, 255, 255),
    quiet=(236, 236, 236),
    accent=(255, 214, 90),
    gain=(150, 255, 180),
    loss=(255, 170, 150),
    plate=(255, 255, 255),
    ink=(0, 0, 0),
    ink_quiet=(48, 48, 48),
    plate_groove=(190, 190, 190),
    ivory=(255, 255, 255),
    ivory_edge=(255, 255, 255),
    ivory_low=(255, 255, 255),
    lip=(150, 150, 150),
    lit=(255, 236, 150),
    lit_edge=(255, 236, 150),
    lit_low=(255, 236, 150),
    lit_lip=(190, 140, 20),
    ebony=(24, 24, 24),
    ebony_edge=(120, 120, 120),
    brass=(255, 208, 60),
    brass_light=(255, 240, 170),
    brass_dark=(180, 130, 10),
    walnut=(20, 20, 20),
    walnut_edge=(255, 255, 255),
    light_digit=(255, 255, 255),
    dark_digit=(0, 0, 0),
    values=(
        (26, 26, 30),
        (11, 63, 160),
        (7, 92, 68),
        (240, 185, 51),
        (138, 18, 24),
        (199, 155, 210),
        (159, 227, 234),
        *DARK.values[7:],
    ),
)
"""Black, white, and nothing between that matters."""

SCHEMES: Final[dict[str, Theme]] = {"dark": DARK, "light": LIGHT, "contrast": CONTRAST}
"""The colour schemes a server or a person may choose, by the name that the public drawing functions take."""


def theme_of(scheme: str) -> Theme:
    """The colours of a scheme. Raises ValueError for one that is none of `SCHEMES`."""
    if scheme not in SCHEMES:
        raise ValueError(f"there is no colour scheme {scheme!r}; there is {', '.join(SCHEMES)}")
    return SCHEMES[scheme]


def mix(under: Colour, over: Colour, share: float) -> Colour:
    """`over` laid on `under` with this opacity, 0 to 1."""
    return (
        round(under[0] + (over[0] - under[0]) * share),
        round(under[1] + (over[1] - under[1]) * share),
        round(under[2] + (over[2] - under[2]) * share),
    )
