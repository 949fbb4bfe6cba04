"""Languages: the page's own words, and the locale that a person's client tells the bot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from aiohttp import web
from discord import Locale

from bot.playground.payloads import Json
from data.words import FALLBACK, Counted, Words, languages, spoken, words

SECTION: Final = "page."
"""Where the page's own sentences stand in the files of `data/wording`."""

MOST_ASKED: Final = 20
"""Of the languages that a browser names, so many are looked at."""

FURNISHED: Final = ("page.first_guild", "page.first_topic_tiles", "page.first_topic_second")
"""What a world begins with, its server's name and what its channels are for, is kept in English, as the bot hears of
it. The page says it in the reader's language.
"""

LOCALES: Final = [str(locale) for locale in Locale]


def page_words(asked: Sequence[str]) -> Json:
    """What the page says, in the first of these languages (`de-AT`, `en`) that has a file, else in English: each
    sentence by its key, as a text or as its forms by plural category; and the names of all languages there are.
    """
    language = next(filter(None, map(spoken, asked)), FALLBACK)
    texts = {
        key.removeprefix(SECTION): text.forms if isinstance(text, Counted) else text
        for key, text in words(language).texts.items()
        if key.startswith(SECTION)
    }
    return {
        "language": language,
        "texts": texts,
        "languages": {one: words(one)("admin.language_name") for one in languages()},
    }


def asked_words(request: web.Request) -> Words:
    """What a reader is told with: the first of the languages that their browser, or the page, asks for and there is."""
    asked = (tag.split(";")[0].strip() for tag in request.headers.get("Accept-Language", "").split(",")[:MOST_ASKED])
    return words(next(filter(None, map(spoken, asked)), FALLBACK))


def furnished_key(kept: str | None) -> str | None:
    """By which key the page says a text that a world began with; None for what somebody else has written."""
    return next((key.removeprefix(SECTION) for key in FURNISHED if words()(key) == kept), None)


def locale_of(tag: str) -> str:
    """What Discord calls the language of a browser (`de-AT`, `pt`): the same, or the first of that language; American
    English for one that it does not know.
    """
    short = tag.split("-")[0].lower()
    kin = [locale for locale in LOCALES if locale.split("-")[0] == short]
    return next((locale for locale in LOCALES if locale.lower() == tag.lower()), kin[0] if kin else "en-US")
