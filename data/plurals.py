"""Plural categories of CLDR, by Babel. `python -m data.plurals pl` prints the forms of a language."""

import sys
from collections.abc import Callable
from functools import cache
from typing import Final

FORMS: Final = ("zero", "one", "two", "few", "many", "other")  # in CLDR's order
# Whole numbers with every category: no CLDR rule looks further.
SAMPLES: Final = (*range(1001), *range(2000, 100_001, 1000), 1_000_000, 2_000_000)


@cache
def load_plural_rule(language: str) -> Callable[[int], str]:
    """Return the plural form of a number: `chooser("pl")(5)` is `many`. Raises ValueError for an unknown language."""
    from babel import Locale, UnknownLocaleError

    try:
        return Locale.parse(language).plural_form
    except UnknownLocaleError as error:
        raise ValueError(f"CLDR knows no language {language!r}") from error


@cache
def list_forms(language: str) -> dict[str, tuple[int, ...]]:
    """Return the forms of whole numbers in a language, with sample numbers. Raises ValueError."""
    form = load_plural_rule(language)
    found = {name: tuple(number for number in SAMPLES if form(number) == name) for name in FORMS}
    return {name: numbers for name, numbers in found.items() if numbers}


def format_forms(language: str) -> str:
    """Return the forms as in a language's file, with sample numbers: `{one = "1", few = "2, 3, 4, …"}`."""
    first = {form: [*map(str, numbers[:6]), "…"][: len(numbers)] for form, numbers in list_forms(language).items()}
    return "{" + ", ".join(f'{form} = "{", ".join(numbers)}"' for form, numbers in first.items()) + "}"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m data.plurals LANGUAGE, such as pl")
    try:
        sys.stdout.write(format_forms(sys.argv[1]) + "\n")
    except ValueError as error:
        sys.exit(str(error))
