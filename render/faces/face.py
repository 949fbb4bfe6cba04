"""How the tiles of a table look: where their labels lie, and by which signs they are shown."""

from dataclasses import dataclass, replace
from typing import Literal, Protocol

from engine.fit import Labels

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

    @property
    def plain(self) -> "Face":
        """The same look with digits for pips, for people who choose from menus of numbers."""
        return replace(self, signs="digits") if self.signs == "pips" else self

    @property
    def held(self) -> "Face":
        """The same look in a hand, where what is wild is wild still."""
        return replace(self, stands=None)


def face_of(rules: Labelled, theme: str) -> Face:
    """How tiles look that lie on the table. Raises ValueError for a theme that is none of `THEMES`."""
    if theme not in THEMES:
        raise ValueError(f"there is no theme {theme!r}; there is {', '.join(THEMES)}")
    signs: Signs = "shapes" if theme == "picture" else "pips" if rules.labels == "sides" else "digits"
    return Face(rules.labels, signs, rules.wild_stands)
