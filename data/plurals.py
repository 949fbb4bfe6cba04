"""Which form of a word a number takes, in any language: the plural categories of CLDR, by Babel.

`python -m data.plurals pl` says which forms a language's file needs.
"""

import sys
from collections.abc import Callable
from functools import cache
from typing import Final

FORMS: Final = ("zero", "one", "two", "few", "many", "other")
"""CLDR's names, in its order."""

SAMPLES: Final = (*range(1001), *range(2000, 100_001, 1000), 1_000_000, 2_000_000)
"""Whole numbers among which every category of whole numbers is found: no rule of CLDR looks further."""


@cache
def chooser(language: str) -> Callable[[int], str]:
    """What finds the form of a number: `chooser("pl")(5)` is `many`. Raises ValueError for a language CLDR has not."""
    # Babel takes longer to import than anything else here, and most of the command line counts nothing.
    from babel import Locale, UnknownLocaleError

    try:
        return Locale.parse(language).plural_form
    except UnknownLocaleError as error:
        raise ValueError(f"CLDR knows no language {language!r}") from error


@cache
def forms(language: str) -> dict[str, tuple[int, ...]]:
    """The forms that whole numbers take in a language, each with the samples that take it. Raises ValueError."""
    form = chooser(language)
    found = {name: tuple(number for number in SAMPLES if form(number) == name) for name in FORMS}
    return {name: numbers for name, numbers in found.items() if numbers}


def told(language: str) -> str:
    """The forms as a language's file writes them, each with its first numbers: `{one = "1", few = "2, 3, 4, …"}`."""
    first = {form: [*map(str, numbers[:6]), "…"][: len(numbers)] for form, numbers in forms(language).items()}
    return "{" + ", ".join(f'{form} = "{", ".join(numbers)}"' for form, numbers in first.items()) + "}"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m data.plurals LANGUAGE, such as pl")
    try:
        sys.stdout.write(told(sys.argv[1]) + "\n")
    except ValueError as error:
        sys.exit(str(error))
