"""Every sentence is there, is used, and gets the facts it speaks of."""

import re
from string import Formatter

import pytest

from bot.playground.start import STEPS
from data.plurals import forms, told
from data.rulebook import games
from data.words import Counted, Text, Words, languages, words
from engine.errors import Why
from engine.table.refusals import No
from tests.house.sources import page_asks, page_texts, patterns, texts

KEY = re.compile(r"[a-z]+\.[A-Za-z0-9_]+")
VARIANTS = ("_bare", "_free", "_drew_free")
"""What is put at the end of a key where a sentence has nothing to count."""
PLACES = {f"{what}.{kind}{place}" for what in ("corner", "side") for kind in "UD" for place in range(3)} | {
    f"corner.{place}" for place in range(4)
}
"""Corners and sides are named by the cell they belong to."""
REASONS = ("", "_MIRROR", "_TOUCH", "_FIVES", "_TILE", "_UNLIMITED")
"""Several sentences may tell one reason."""

LANGUAGES = [words(language) for language in languages()]


def facts(text: str) -> set[str]:
    """The names in braces."""
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def written(text: Text) -> list[str]:
    """What is written of a sentence: itself, or its forms."""
    return list(text.forms.values()) if isinstance(text, Counted) else [text]


@pytest.mark.parametrize("said", LANGUAGES, ids=lambda said: said.language)
def test_every_reason_has_a_sentence_that_ends_and_says_more_than_its_code(said: Words) -> None:
    for key in [*(f"why.{why}" for why in Why), *(f"no.{no}" for no in No)]:
        sentence = said.texts[key]
        assert isinstance(sentence, str)
        assert sentence.rstrip(")").endswith((".", "{link}", "{letters}"))
        assert len(sentence.split()) > 3


@pytest.mark.parametrize("said", LANGUAGES, ids=lambda said: said.language)
def test_no_sentence_is_left_over_and_none_is_missing(said: Words) -> None:
    literal = texts()
    sections = {key.split(".")[0] for key in said.texts}
    # A pattern that could be any key says nothing: those that are put together begin with their section.
    made = [
        re.compile(pattern.pattern.replace(".+", ".*"))
        for pattern in patterns()
        if pattern.pattern.split("\\.")[0] in sections
    ]

    on_page = {f"page.{key}" for key in page_texts()} | {f"page.step_{step}" for step in STEPS}

    def used(key: str) -> bool:
        return key in literal or key in on_page or key in PLACES or any(one.fullmatch(key) for one in made)

    def stem(key: str) -> str:
        return next((key.removesuffix(end) for end in reversed(VARIANTS) if key.endswith(end)), key)

    assert {key for key in said.texts if not used(key) and not used(stem(key))} == set()
    reasons = {f"no.{no}" for no in No} | {f"why.{why}{kind}" for why in Why for kind in REASONS}
    given = {key for key in said.texts if key.split(".")[0] in ("no", "why")}
    assert given - reasons - literal == set(), "a reason that nobody gives any more"
    for section in ("whyname", "whyrule", "whytext"):
        assert {key for key in said.texts if key.startswith(f"{section}.")} == {f"{section}.{why}" for why in Why}

    asked = {text for text in literal if KEY.fullmatch(text) and text.split(".")[0] in sections}
    missing = {key for key in asked if key not in said and not key.endswith((".png", ".toml"))}
    assert missing == set()


def test_all_that_the_page_says_is_there() -> None:
    asked = page_asks()
    assert len(asked) > 100
    assert {key for key in asked if f"page.{key}" not in words("en")} == set()


@pytest.mark.parametrize("said", LANGUAGES, ids=lambda said: said.language)
def test_every_language_says_the_same_with_the_same_facts(said: Words) -> None:
    english = words("en").texts
    assert set(said.texts) == set(english)
    for key, text in said.texts.items():
        speaks_of = set[str]().union(*map(facts, written(english[key])))
        assert set[str]().union(*map(facts, written(text))) == speaks_of, key
        for form in written(text):
            assert facts(form) | {"n"} == speaks_of | {"n"}, f"{key}: a form leaves out more than the number"


@pytest.mark.parametrize("said", LANGUAGES, ids=lambda said: said.language)
def test_what_counts_has_exactly_the_forms_that_numbers_take_in_the_language(said: Words) -> None:
    numbers = forms(said.language)
    for key, english in words("en").texts.items():
        text = said.texts[key]
        if isinstance(text, Counted):
            assert set(text.forms) == set(numbers), f"{said.language}.toml: {key} needs {told(said.language)}"
            several = {form for form in numbers if len(numbers[form]) > 1}
            silent = {form for form in several if "n" not in facts(text.forms[form])}
            assert silent == set(), f"{said.language}.toml: {key} says one thing of several numbers; it needs {{n}}"
        else:
            assert not isinstance(english, Counted), f"{said.language}.toml: {key} needs {told(said.language)}"


BOLD = re.compile(r"\*\*([^*{}]+)\*\*")
LABELS = ("lobby.join", "lobby.start", "lobby.add_computer", "board.hand", "board.text", "board.scores")
LABELS += ("board.rematch", "absence.here", "absence.back", "agree.no", "hand.play_bare")
"""Buttons that sentences speak of."""


@pytest.mark.parametrize("said", LANGUAGES, ids=lambda said: said.language)
def test_a_sentence_that_names_a_button_names_it_as_it_is_labelled(said: Words) -> None:
    english = words("en").texts
    named = {str(english[key]): said.texts[key] for key in LABELS}
    for key, text in english.items():
        for label in BOLD.findall(text) if isinstance(text, str) else ():
            if label in named and not key.startswith("rules."):
                assert f"**{named[label]}**" in said.texts[key], key


@pytest.mark.parametrize("said", LANGUAGES, ids=lambda said: said.language)
def test_what_discord_shows_of_commands_fits(said: Words) -> None:
    for key, text in said.texts.items():
        if key.startswith(("command.", "parameter.")):
            assert isinstance(text, str)
            assert 5 < len(text) <= 100, key
            assert not text.endswith("."), key


def test_a_key_or_a_fact_that_is_missing_is_an_error() -> None:
    said = words()
    with pytest.raises(KeyError):
        said("no.SUCH_KEY")
    with pytest.raises(KeyError):
        said("lobby.title")


@pytest.mark.parametrize("said", LANGUAGES, ids=lambda said: said.language)
def test_buttons_menus_and_lists_have_words_that_fit(said: Words) -> None:
    for key in ("join", "leave", "add_computer", "start", "rules", "reopen"):
        assert len(str(said.texts[f"lobby.{key}"])) <= 30
    for game in games():
        assert len(said(f"game.{game}")) <= 40
