"""All texts for users, by language, from `data/wording/*.toml`."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from data.plurals import load_plural_rule

WORDING = Path(__file__).parent / "wording"
DEFAULT_LANGUAGE = "en"
CACHED_COUNTS = 1000  # cached counts; most are below it


class WordingError(ValueError):
    """A language's file that cannot be read. The message names the file, the key and what is allowed."""


class PluralText(dict[int, str]):
    """A text by number, from its plural forms: `{one = "{n} tile", other = "{n} tiles"}`, cached by number."""

    def __init__(self, language: str, forms: Mapping[str, str]) -> None:
        super().__init__()
        self.language, self.forms = language, forms

    def __missing__(self, n: int) -> str:
        text = self.forms[load_plural_rule(self.language)(n)]
        if n < CACHED_COUNTS:
            self[n] = text
        return text


Text = str | PluralText
# French words that elide before a vowel: "le temps d’Ada".
ELISIONS: Final = {"fr": re.compile(r"\b([dD]|[qQ]u)e (\**)\{(\w+)\}")}
# A word that starts with a vowel; a single letter names a place and is spelt.
VOWEL_START: Final = re.compile(r"[\W_]*[aeiouàâäæéèêëîïôöœùûü][^\W\d_]", re.IGNORECASE)


class Words:
    """The texts of one language: `words("lobby.joined", name="Ada")`; the fact `n` chooses a plural form."""

    def __init__(self, language: str, texts: Mapping[str, Text]) -> None:
        self.language = language
        self.texts = texts
        self._elision = ELISIONS.get(language)

    def __call__(self, key: str, /, **facts: Any) -> str:
        """Return a text with its facts. Raises KeyError for a missing key or fact."""
        text = self.texts[key]
        if isinstance(text, PluralText):
            text = text[facts["n"]]
        if self._elision is not None:
            text = self._elision.sub(partial(_elide, facts), text)
        return text.format(**facts)

    def __contains__(self, key: str) -> bool:
        return key in self.texts


def _elide(facts: Mapping[str, Any], found: re.Match[str]) -> str:
    fact = facts.get(found[3])
    begins = isinstance(fact, str) and VOWEL_START.match(fact)
    return f"{found[1]}’{found[2]}{{{found[3]}}}" if begins else found[0]


@cache
def list_languages() -> tuple[str, ...]:
    return tuple(sorted(file.stem for file in WORDING.glob("*.toml")))


def find_language(locale: str | None) -> str | None:
    """Return the supported language of a locale such as `de` or `en-GB`, or None."""
    short = (locale or "").split("-")[0]
    return short if short in list_languages() else None


@cache
def load_words(language: str | None = None) -> Words:
    """Return the texts of a locale such as `en` or `en-GB`, by default English."""
    chosen = find_language(language) or DEFAULT_LANGUAGE
    if chosen != language:
        return load_words(chosen)
    texts = read_wording(WORDING / f"{chosen}.toml", chosen)
    for file in sorted((WORDING / "features").glob("*.toml")):
        texts |= read_wording(file, chosen, in_file_of_feature=True)
    return Words(chosen, texts)


def read_wording(file: Path, language: str, *, in_file_of_feature: bool = False) -> dict[str, Text]:
    """Read the texts of a language in one file by section and key, `lobby.joined`.

    The file of a feature has all languages, each in a separate table: `[en.lobby]`. Raises WordingError.
    """
    try:
        tree = tomllib.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise WordingError(f"{file.name}: cannot be read: {error}") from error
    texts: dict[str, Text] = {}
    for section, entries in (tree.get(language, {}) if in_file_of_feature else tree).items():
        if not isinstance(entries, dict):
            raise WordingError(f"{file.name}: {section} stands above the first section, like [game]")
        for key, text in entries.items():
            texts[f"{section}.{key}"] = PluralText(language, text) if isinstance(text, dict) else text
            if not all(isinstance(one, str) for one in (text.values() if isinstance(text, dict) else (text,))):
                raise WordingError(
                    f"{file.name}: {section}.{key} must be a text, or a table of its forms "
                    f'like {{one = "{{n}} tile", other = "{{n}} tiles"}}; not {text!r}'
                )
    return texts


def capitalize_first(text: str) -> str:
    """Capitalize the first letter only: in some languages names have capitals."""
    return text[:1].upper() + text[1:]
