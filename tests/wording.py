"""Compare texts of the bot by wording keys, so that no test repeats a sentence of `data/wording`."""

import re
from collections.abc import Iterable
from string import Formatter

from data.words import PluralText, load_words

en = load_words("en")
"""The English sentences: `en("lobby.joined", name="Ada")`."""


def build_sentence_pattern(key: str, /, locale: str = "en", **facts: object) -> re.Pattern[str]:
    """Return a pattern that matches the sentence of a key. A fact that is not given matches any text.

    Raises KeyError for a key that the language does not have, and for a fact that the sentence does not have.
    """
    text = load_words(locale).texts[key]
    forms = list(text.forms.values()) if isinstance(text, PluralText) else [text]
    known = {name for form in forms for _, name, _, _ in Formatter().parse(form)}
    if isinstance(text, PluralText):
        known.add("n")
    if unknown := facts.keys() - known:
        raise KeyError(f"{key} has no facts {sorted(unknown)}")
    if isinstance(text, PluralText) and "n" in facts:
        forms = [text[int(str(facts["n"]))]]
    return re.compile("|".join(_build_form_pattern(form, facts) for form in forms), re.DOTALL)


def _build_form_pattern(form: str, facts: dict[str, object]) -> str:
    parts = []
    for literal, name, spec, _ in Formatter().parse(form):
        parts.append(re.escape(literal))
        if name is not None:
            parts.append(re.escape(format(facts[name], spec or "")) if name in facts else ".*?")
    return "".join(parts)


def has_sentence(text: str | Iterable[str], key: str, /, locale: str = "en", **facts: object) -> bool:
    """Whether a text contains the sentence of a key, or one of several texts is that sentence."""
    pattern = build_sentence_pattern(key, locale, **facts)
    if isinstance(text, str):
        return pattern.search(text) is not None
    return any(pattern.fullmatch(one) for one in text)
