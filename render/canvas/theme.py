"""All colours of the pictures. A value has the same colour everywhere, so that players recognise tiles by colour."""

from dataclasses import dataclass, replace
from typing import Final

Colour = tuple[int, int, int]  # red, green, blue, 0 to 255


@dataclass(frozen=True, slots=True, eq=False)
class Theme:
    """The colours of one scheme. Each scheme has exactly one object, which serves as cache key."""

    cloth: Colour = (43, 79, 73)
    deep: Colour = (10, 20, 20)  # the deepest shadow; shadows, slots and the cloth's rim lie between it and the cloth
    groove: Colour = (16, 32, 30)  # the empty part of a bar on an inset plate
    slot: Colour = (26, 48, 45)  # the ground of open places and of inset plates
    slot_edge: Colour = (56, 99, 92)  # the lower edge of inset areas, which catches light
    outlined: bool = False  # inset areas have an outline instead, and nothing has a shadow
    faint: Colour = (89, 120, 112)  # marks of dead places
    text: Colour = (244, 236, 219)
    quiet: Colour = (179, 197, 188)
    accent: Colour = (242, 199, 102)  # brass words: the points of the last move, the viewer's own places
    gain: Colour = (155, 218, 176)
    loss: Colour = (244, 164, 146)

    plate: Colour = (243, 232, 209)  # the ivory plate of the player to move
    ink: Colour = (36, 26, 20)  # words on ivory
    ink_quiet: Colour = (104, 82, 54)
    plate_groove: Colour = (207, 187, 148)

    ivory: Colour = (247, 235, 210)
    ivory_edge: Colour = (255, 252, 242)  # the upper edge of a tile, which catches light
    ivory_low: Colour = (233, 219, 189)  # the lower part of a tile's face
    lip: Colour = (181, 156, 110)
    lit: Colour = (253, 231, 176)  # the tile that was played last
    lit_edge: Colour = (255, 248, 220)
    lit_low: Colour = (244, 213, 143)
    lit_lip: Colour = (191, 146, 62)
    ebony: Colour = (58, 42, 36)  # the boss's face
    ebony_edge: Colour = (98, 74, 62)
    brass: Colour = (242, 199, 102)
    brass_light: Colour = (255, 240, 190)
    brass_dark: Colour = (169, 122, 37)
    copper: Colour = (233, 164, 143)
    copper_dark: Colour = (146, 78, 60)
    walnut: Colour = (84, 54, 40)  # the rack of a hand
    walnut_edge: Colour = (116, 78, 58)

    light_digit: Colour = (251, 243, 226)
    dark_digit: Colour = (36, 26, 20)
    values: tuple[Colour, ...] = (
        *((43, 42, 46), (31, 82, 163), (15, 122, 92), (221, 170, 74), (149, 41, 44)),
        *((176, 136, 186), (147, 215, 221), (106, 106, 136), (136, 166, 136), (136, 136, 76)),
    )
    """By value, chosen by search so that colour-blind people can tell them apart; tests check the distances.

    The first seven, which most sets use, are further apart than ten can be.
    """
    light_digits: frozenset[int] = frozenset({0, 1, 2, 4, 7})  # values with a light digit, as a second cue
    seats: tuple[Colour, ...] = (
        *((68, 203, 249), (233, 150, 48), (135, 187, 137)),
        *((198, 104, 125), (255, 236, 197), (143, 131, 218)),
    )
    """By seat; from the seventh on with a hollow sign (`render/canvas/tokens.py`)."""

    def get_digit_colour(self, value: int) -> Colour:
        return self.light_digit if value in self.light_digits else self.dark_digit

    def get_seat_colour(self, seat: int) -> Colour:
        """The colour of a seat, counted from 0."""
        return self.seats[seat % len(self.seats)]


DARK: Final = Theme()  # bottle-green cloth
LIGHT: Final = replace(
    DARK,
    cloth=(213, 217, 203), deep=(158, 164, 146), groove=(164, 170, 152), slot=(184, 189, 173),
    slot_edge=(236, 239, 229), faint=(150, 158, 142), plate=(255, 248, 232), copper=(214, 130, 104),
    text=(34, 48, 44), quiet=(62, 76, 69), accent=(104, 64, 0), gain=(10, 78, 46), loss=(138, 24, 20),
)  # fmt: skip
"""Sage linen."""
CONTRAST: Final = replace(
    DARK,
    cloth=(0, 0, 0), deep=(0, 0, 0), groove=(70, 70, 70), slot=(0, 0, 0), slot_edge=(255, 255, 255),
    outlined=True, faint=(128, 128, 128), text=(255, 255, 255), quiet=(236, 236, 236),
    accent=(255, 214, 90), gain=(150, 255, 180), loss=(255, 170, 150),
    plate=(255, 255, 255), ink=(0, 0, 0), ink_quiet=(48, 48, 48), plate_groove=(190, 190, 190),
    ivory=(255, 255, 255), ivory_edge=(255, 255, 255), ivory_low=(255, 255, 255), lip=(150, 150, 150),
    lit=(255, 236, 150), lit_edge=(255, 236, 150), lit_low=(255, 236, 150), lit_lip=(190, 140, 20),
    ebony=(24, 24, 24), ebony_edge=(120, 120, 120), walnut=(20, 20, 20), walnut_edge=(255, 255, 255),
    brass=(255, 208, 60), brass_light=(255, 240, 170), brass_dark=(180, 130, 10),
    light_digit=(255, 255, 255), dark_digit=(0, 0, 0),
    values=(
        (26, 26, 30), (11, 63, 160), (7, 92, 68), (240, 185, 51), (138, 18, 24), (199, 155, 210), (159, 227, 234),
        *DARK.values[7:],
    ),
)  # fmt: skip
"""Black and white, for high contrast."""

SCHEMES: Final[dict[str, Theme]] = {"dark": DARK, "light": LIGHT, "contrast": CONTRAST}
"""The colour schemes that a server or a user can choose, by name."""


def get_theme(scheme: str) -> Theme:
    """The colours of a scheme. Raises ValueError for an unknown one."""
    if scheme not in SCHEMES:
        raise ValueError(f"there is no colour scheme {scheme!r}; there is {', '.join(SCHEMES)}")
    return SCHEMES[scheme]


def mix(under: Colour, over: Colour, share: float) -> Colour:
    """Blend `over` onto `under` with this opacity, 0 to 1."""
    red, green, blue = (round(low + (height - low) * share) for low, height in zip(under, over, strict=True))
    return red, green, blue
