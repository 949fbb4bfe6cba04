"""How the tiles of a table look: where their labels lie, and by which signs they are shown."""

from dataclasses import dataclass, replace
from typing import Literal, Protocol

from engine.lattice import Labels
from render.theme import DARK, Theme, theme_of

THEMES: tuple[str, ...] = ("classic", "picture")
"""The looks a table can have: numbers, or shapes that stand for them."""

Signs = Literal["digits", "pips", "shapes"]


class Labelled(Protocol):
    """What the rules of a game say about its labels."""

    @property
    def labels(self) -> Labels:
        """Where they lie."""

    @property
    def wild_stands(self) -> int | None:
        """What a wild label counts once it lies on the table; None while it stays wild."""


@dataclass(frozen=True, slots=True)
class Face:
    """The look of a table's tiles; a part of the key under which drawn tiles are kept."""

    labels: Labels = "corners"
    signs: Signs = "digits"
    stands: int | None = None
    """The number a wild label shows; None to show that it is wild."""
    theme: Theme = DARK
    """The colours."""

    @property
    def held(self) -> "Face":
        """The same look in a hand, where what is wild is wild still."""
        return replace(self, stands=None)


def face_of(rules: Labelled, theme: str, scheme: str = "dark") -> Face:
    """How tiles look that lie on the table.

    Raises ValueError for a theme that is none of `THEMES` and for a scheme that is none of `SCHEMES`.
    """
    if theme not in THEMES:
        raise ValueError(f"there is no theme {theme!r}; there is {', '.join(THEMES)}")
    signs: Signs = "shapes" if theme == "picture" else "pips" if rules.labels == "sides" else "digits"
    return Face(rules.labels, signs, rules.wild_stands, theme_of(scheme))
