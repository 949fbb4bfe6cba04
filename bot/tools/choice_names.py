"""Choices on the command line: a value, or its name in any language and case."""

from collections.abc import Callable, Collection

from data.words import list_languages, load_words
from engine.typed_text import fold_text


def find_value(typed: str, section: str, values: Collection[str]) -> str:
    """Return the value that is meant, by itself or by its name in a section of the wording; else what was typed."""
    if typed in values:
        return typed
    for value in values:
        names = [load_words(language).texts.get(f"{section}.{value}") for language in list_languages()]
        if _fold(typed) in {_fold(name) for name in (value, *names) if isinstance(name, str)}:
            return value
    return typed


def _fold(text: str) -> str:
    return fold_text(text).replace("-", "")


def accept_names(section: str, values: Collection[str]) -> Callable[[str], str]:
    """Return a callback for a parameter whose values have names in a section of the wording."""
    return lambda typed: find_value(typed, section, values)


def accept_language(typed: str) -> str:
    """Return the code of a language that is meant, by the code or by its own name; else what was typed."""
    names = {code: (code, fold_text(load_words(code)("admin.language_name"))) for code in list_languages()}
    return next((code for code, known in names.items() if fold_text(typed) in known), typed)
