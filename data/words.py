"""Every sentence a person reads, by language, from `data/wording/*.toml`."""

import tomllib
from functools import cache
from pathlib import Path

WORDING = Path(__file__).parent / "wording"

FALLBACK = "en"


class Words:
    """The sentences of one language: `words("lobby.joined", name="Ada")`.

    A key whose text is a pair counts: `["{n} tile", "{n} tiles"]` is chosen by the fact `n`.
    """

    def __init__(self, language: str, texts: dict[str, str | list[str]]) -> None:
        self.language = language
        self.texts = texts

    def __call__(self, key: str, /, **facts: object) -> str:
        """The sentence with its facts filled in. Raises KeyError for a key or fact that is not there."""
        text = self.texts[key]
        if isinstance(text, list):
            text = text[0] if facts["n"] == 1 else text[1]
        return text.format(**facts)

    def __contains__(self, key: str) -> bool:
        return key in self.texts


@cache
def languages() -> tuple[str, ...]:
    """The languages that have a file."""
    return tuple(sorted(file.stem for file in WORDING.glob("*.toml")))


def spoken(locale: str | None) -> str | None:
    """The language with a file that a locale such as `de` or `en-GB` asks for; None where there is none."""
    short = (locale or "").split("-")[0]
    return short if short in languages() else None


@cache
def words(language: str | None = None) -> Words:
    """The sentences of a language such as `en` or `en-GB`; English where there are none."""
    chosen = spoken(language) or FALLBACK
    if chosen != language:
        return words(chosen)
    tree = tomllib.loads((WORDING / f"{chosen}.toml").read_text(encoding="utf-8"))
    texts = {f"{section}.{key}": text for section, entries in tree.items() for key, text in entries.items()}
    return Words(chosen, texts)


def upper_first(text: str) -> str:
    """The text as the beginning of a line: the rest stays as it is, since in some languages names have capitals."""
    return text[:1].upper() + text[1:]
