"""Languages: the page's own words, and the locale that a user's client sends to the bot."""

from collections.abc import Iterable, Sequence
from typing import Final

from aiohttp import web
from discord import Locale

from bot.playground.payloads import Json
from data.words import DEFAULT_LANGUAGE, PluralText, Words, find_language, list_languages, load_words

SECTION: Final = "page."  # the prefix of the page's sentences in `data/wording`

MAX_LANGUAGES: Final = 20  # languages of a browser that are considered

INITIAL_TEXTS: Final = ("page.first_guild", "page.first_topic_tiles", "page.first_topic_second")
"""Server name and topics of a new world. They are stored in English; the page translates them."""

LOCALES: Final = [str(locale) for locale in Locale]


def choose_language(tags: Iterable[str]) -> str:
    """The first of these languages (`de-AT`, `en`) that is available, else English."""
    return next(filter(None, map(find_language, tags)), DEFAULT_LANGUAGE)


def build_page_words(tags: Sequence[str]) -> Json:
    """The page's sentences in the first of these languages (`de-AT`, `en`) that is available, else in English.

    Each key maps to a text, or to its forms by plural category. The names of all languages are included.
    """
    language = choose_language(tags)
    texts = {
        key.removeprefix(SECTION): text.forms if isinstance(text, PluralText) else text
        for key, text in load_words(language).texts.items()
        if key.startswith(SECTION)
    }
    return {
        "language": language,
        "texts": texts,
        "languages": {one: load_words(one)("admin.language_name") for one in list_languages()},
    }


def choose_words(request: web.Request) -> Words:
    """The words in the first available language of the request."""
    tags = (tag.split(";")[0].strip() for tag in request.headers.get("Accept-Language", "").split(",")[:MAX_LANGUAGES])
    return load_words(choose_language(tags))


def find_initial_key(text: str | None) -> str | None:
    """The key of a text that every new world has; None for other texts."""
    return next((key.removeprefix(SECTION) for key in INITIAL_TEXTS if load_words()(key) == text), None)


def choose_locale(tag: str) -> str:
    """Discord's locale for a browser language (`de-AT`, `pt`): the same or a related one, else American English."""
    short = tag.split("-")[0].lower()
    related = [locale for locale in LOCALES if locale.split("-")[0] == short]
    return next((locale for locale in LOCALES if locale.lower() == tag.lower()), related[0] if related else "en-US")
