"""Words of options that meant something else once: whatever was written with them keeps its meaning.

Logs and records say their edition where they hold such a word. Those that say none are of the first. Nobody else needs
to know: rules and terms are in the words of today as soon as they are read.
"""

from collections.abc import Mapping
from typing import Any, Final

FIRST_EDITION: Final = 1
"""That of whatever says none."""
EDITION: Final = 2
"""That of what is written today."""

OF_THE_FIRST: Final[Mapping[str, Mapping[str, str]]] = {"blocked_bonus": {"none": "lose_own"}}
"""By the name of an option: what a word of the first edition is called today.

In the first, a blocked round that paid `none` made everybody lose what they held.
"""


def needs_edition(options: Mapping[str, Any]) -> bool:
    """Whether what is written with these options must say that it does not mean the words of the first edition."""
    return any(str(options.get(name)) in words for name, words in OF_THE_FIRST.items())


def in_words_of_today(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of the first edition, as they are called today.

    Whatever has kept its meaning stays as it is, whether it is an option or not.
    """
    return {name: OF_THE_FIRST.get(name, {}).get(str(value), value) for name, value in options.items()}
