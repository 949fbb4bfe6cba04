"""The wording files are complete and used, and every sentence gets the facts that it names."""

import re
from string import Formatter

import pytest

from bot.playground.payloads import STEPS
from data.plurals import format_forms, list_forms
from data.rulebook import list_games
from data.words import PluralText, Text, Words, list_languages, load_words
from engine.match.errors import Violation
from engine.table.refusals import Refusal
from tests.project.sources import find_page_keys, find_page_words, find_strings

KEY = re.compile(r"[a-z]+\.[A-Za-z0-9_]+")
VARIANTS = ("_bare", "_free", "_drew_free")
PLACES = {f"{what}.{kind}{place}" for what in ("corner", "side") for kind in "UD" for place in range(3)} | {
    f"corner.{place}" for place in range(4)
}
REASONS = ("", "_MIRROR", "_TOUCH", "_FIVES", "_TILE", "_UNLIMITED")
ENGLISH = load_words("en")

every_language = pytest.mark.parametrize(
    "said", [load_words(one) for one in list_languages()], ids=lambda said: said.language
)


def find_fact_names(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def list_text_forms(text: Text) -> list[str]:
    return list(text.forms.values()) if isinstance(text, PluralText) else [text]


@every_language
def test_every_reason_has_whole_sentence(said: Words) -> None:
    for key in [*(f"why.{why}" for why in Violation), *(f"no.{no}" for no in Refusal)]:
        sentence = said.texts[key]
        assert sentence.rstrip(")").endswith((".", "{link}", "{letters}")), key
        assert len(sentence.split()) > 3, key


def test_every_sentence_is_used() -> None:
    strings, patterns = find_strings()
    keys = set(ENGLISH.texts)
    sections = {key.split(".")[0] for key in keys}
    # A pattern that matches every key proves nothing, so composed keys must begin with their section.
    patterns_by_section: dict[str, list[re.Pattern[str]]] = {section: [] for section in sections}
    for pattern in patterns:
        if (section := pattern.split("\\.")[0]) in sections:
            patterns_by_section[section].append(re.compile(pattern.replace(".+", ".*")))
    on_page = {f"page.{key}" for key in find_page_words()} | {f"page.step_{step}" for step in STEPS}

    def is_used(key: str) -> bool:
        is_made = any(one.fullmatch(key) for one in patterns_by_section[key.split(".")[0]])
        return key in strings or key in on_page or key in PLACES or is_made

    def find_base_key(key: str) -> str:
        return next((key.removesuffix(end) for end in reversed(VARIANTS) if key.endswith(end)), key)

    assert {key for key in keys if not is_used(key) and not is_used(find_base_key(key))} == set()
    reasons = {f"no.{no}" for no in Refusal} | {f"why.{why}{kind}" for why in Violation for kind in REASONS}
    assert {key for key in keys if key.split(".")[0] in ("no", "why")} - reasons - strings == set()
    for section in ("whyname", "whyrule", "whytext"):
        assert {key for key in keys if key.startswith(f"{section}.")} == {f"{section}.{why}" for why in Violation}


def test_every_key_in_code_has_sentence() -> None:
    sections = {key.split(".")[0] for key in ENGLISH.texts}
    keys = {text for text in find_strings()[0] if KEY.fullmatch(text) and text.split(".")[0] in sections}
    assert {key for key in keys if key not in ENGLISH and not key.endswith((".png", ".toml"))} == set()


def test_every_key_of_page_has_sentence() -> None:
    keys = find_page_keys()
    assert len(keys) > 100
    assert {key for key in keys if f"page.{key}" not in ENGLISH} == set()


@every_language
def test_every_language_has_same_keys_and_facts(said: Words) -> None:
    assert set(said.texts) == set(ENGLISH.texts)
    for key, text in said.texts.items():
        expected = set[str]().union(*map(find_fact_names, list_text_forms(ENGLISH.texts[key])))
        assert set[str]().union(*map(find_fact_names, list_text_forms(text))) == expected, key
        for form in list_text_forms(text):
            assert find_fact_names(form) | {"n"} == expected | {"n"}, f"{key}: a form omits more than the number"


@every_language
def test_counting_sentences_have_exactly_plural_forms_of_language(said: Words) -> None:
    numbers = list_forms(said.language)
    for key, english in ENGLISH.texts.items():
        text = said.texts[key]
        if isinstance(text, PluralText):
            assert set(text.forms) == set(numbers), f"{said.language}.toml: {key} needs {format_forms(said.language)}"
            several = {form for form in numbers if len(numbers[form]) > 1}
            silent = {form for form in several if "n" not in find_fact_names(text.forms[form])}
            assert silent == set(), f"{said.language}.toml: {key} needs {{n}} in forms of several numbers"
        else:
            assert not isinstance(english, PluralText), (
                f"{said.language}.toml: {key} needs {format_forms(said.language)}"
            )


BOLD = re.compile(r"\*\*([^*{}]+)\*\*")
LABELS = ("lobby.join", "lobby.start", "lobby.add_computer", "board.hand", "board.text", "board.scores")
LABELS += ("board.rematch", "absence.here", "absence.back", "agree.no", "hand.play_bare")
"""Buttons that sentences mention."""


@every_language
def test_sentence_names_button_by_its_label(said: Words) -> None:
    labels = {str(ENGLISH.texts[key]): said.texts[key] for key in LABELS}
    for key, text in ENGLISH.texts.items():
        for label in BOLD.findall(text) if isinstance(text, str) else ():
            if label in labels and not key.startswith("rules."):
                assert f"**{labels[label]}**" in said.texts[key], key


@every_language
def test_command_descriptions_fit_discord(said: Words) -> None:
    for key, text in said.texts.items():
        if key.startswith(("command.", "parameter.")):
            assert 5 < len(text) <= 100, key
            assert not text.endswith("."), key


@pytest.mark.parametrize("key", ["no.SUCH_KEY", "lobby.title"])
def test_missing_key_or_fact_raises_key_error(key: str) -> None:
    with pytest.raises(KeyError):
        ENGLISH(key)


@every_language
def test_labels_of_buttons_and_games_are_short(said: Words) -> None:
    for key in ("join", "leave", "add_computer", "start", "rules", "reopen"):
        assert len(str(said.texts[f"lobby.{key}"])) <= 30
    for game in list_games():
        assert len(said(f"game.{game}")) <= 40
