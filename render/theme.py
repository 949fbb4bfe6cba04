"""Every colour of the pictures. Values keep their colour everywhere, so a tile is known before its digit is read."""

from dataclasses import dataclass

Colour = tuple[int, int, int]
"""Red, green, blue, 0 to 255."""


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of one look. All opaque: a picture has to sit well in a dark and in a light chat."""

    ground: Colour = (30, 33, 41)
    shadow: Colour = (12, 13, 18)
    panel: Colour = (42, 46, 57)
    panel_on: Colour = (54, 59, 74)
    """The card of the seat whose turn it is."""
    groove: Colour = (68, 74, 90)
    """What a bar has still to fill, and quiet outlines."""
    badge: Colour = (60, 66, 82)
    faint: Colour = (92, 98, 114)
    grey: Colour = (158, 164, 178)
    white: Colour = (243, 245, 250)
    gold: Colour = (255, 208, 66)
    mint: Colour = (92, 219, 190)
    coral: Colour = (255, 142, 132)
    pink: Colour = (255, 120, 178)

    face: Colour = (250, 246, 236)
    lip: Colour = (189, 177, 152)
    gap: Colour = (10, 11, 14)
    """Between two tiles that touch, and the hairline around the outermost."""
    light_digit: Colour = (255, 255, 255)
    dark_digit: Colour = (24, 18, 14)
    values: tuple[Colour, ...] = (
        (58, 28, 68),
        (63, 30, 216),
        (34, 143, 112),
        (238, 142, 32),
        (136, 5, 3),
        (175, 126, 202),
        (160, 252, 145),
        (135, 0, 150),
        (135, 165, 90),
        (225, 75, 255),
    )
    """By value, chosen by search so that people who see few colours can tell them apart; tests state the distance.
    The first seven, which nearly every set keeps to, are further apart than ten can be."""
    light_digits: frozenset[int] = frozenset({0, 1, 4, 7})
    """The values whose digit is light. It is a second cue beside the colour."""
    seats: tuple[Colour, ...] = (
        (86, 156, 255),
        (255, 160, 82),
        (112, 216, 128),
        (232, 130, 222),
        (240, 222, 110),
        (110, 214, 232),
        (244, 76, 112),
        (184, 244, 40),
        (244, 76, 244),
        (100, 160, 124),
        (124, 148, 40),
        (244, 172, 172),
    )

    def digit(self, value: int) -> Colour:
        """The colour of a value's digit."""
        return self.light_digit if value in self.light_digits else self.dark_digit

    def seat(self, seat: int) -> Colour:
        """The colour of a seat, counted from 0."""
        return self.seats[seat % len(self.seats)]


THEME = Theme()


def mix(under: Colour, over: Colour, share: float) -> Colour:
    """`over` laid on `under` with this opacity, 0 to 1."""
    return (
        round(under[0] + (over[0] - under[0]) * share),
        round(under[1] + (over[1] - under[1]) * share),
        round(under[2] + (over[2] - under[2]) * share),
    )
