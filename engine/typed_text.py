"""Normalise typed text: phone keyboards write other dashes, digits and spaces."""

import unicodedata
from typing import Final

MINUS: Final = "\N{MINUS SIGN}"


def normalize_text(text: str) -> str:
    """Return the text in Unicode's compatibility form (NFKC), with ASCII hyphens for all dashes and minus signs, and
    single spaces.
    """
    plain = unicodedata.normalize("NFKC", text)
    return " ".join("".join("-" if is_dash(letter) else letter for letter in plain).split())


def fold_text(text: str) -> str:
    """Return the text without case and spaces, to compare what was typed with a name."""
    return normalize_text(text).casefold().replace(" ", "")


def is_dash(letter: str) -> bool:
    return letter == MINUS or unicodedata.category(letter) == "Pd"
