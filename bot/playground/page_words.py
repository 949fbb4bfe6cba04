"""Languages: the page's own words, and the locale that a user's client sends to the bot."""

from collections.abc import Sequence
from typing import Final

from aiohttp import web
from discord import Locale

from bot.playground.payloads import Json
from data.words import FALLBACK, Counted, Words, languages, spoken, words

SECTION: Final = "page."  # the prefix of the page's sentences in `data/wording`

MOST_ASKED: Final = 20  # languages of a browser that are considered

FURNISHED: Final = ("page.first_guild", "page.first_topic_tiles", "page.first_topic_second")
"""Server name and topics of a new world. They are stored in English; the page translates them."""

LOCALES: Final = [str(locale) for locale in Locale]


def page_words(asked: Sequence[str]) -> Json:
    """The page's sentences in the first of these languages (`de-AT`, `en`) that is available, else in English.

    Each key maps to a text, or to its forms by plural category. The names of all languages are included.
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
    """The words in the first available language of the request."""
    asked = (tag.split(";")[0].strip() for tag in request.headers.get("Accept-Language", "").split(",")[:MOST_ASKED])
    return words(next(filter(None, map(spoken, asked)), FALLBACK))


def furnished_key(kept: str | None) -> str | None:
    """The key of a text that every new world has; None for other texts."""
    return next((key.removeprefix(SECTION) for key in FURNISHED if words()(key) == kept), None)


def locale_of(tag: str) -> str:
    """Discord's locale for a browser language (`de-AT`, `pt`): the same or a related one, else American English."""
    short = tag.split("-")[0].lower()
    kin = [locale for locale in LOCALES if locale.split("-")[0] == short]
    return next((locale for locale in LOCALES if locale.lower() == tag.lower()), kin[0] if kin else "en-US")
