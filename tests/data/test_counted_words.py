"""Texts with a counted word have the right form for every number."""

import re

import pytest

from data.words import list_languages, load_words

DATIVE = re.compile(r"\b(?:mit|von|aus|bei|nach|seit|zu) \**\{(?:points|tiles|hexagons|moves|days)\}", re.IGNORECASE)


def test_german_counted_words_are_not_used_in_dative() -> None:
    texts = {key: text for key, text in load_words("de").texts.items() if isinstance(text, str)}
    wrong = [key for key, text in texts.items() if DATIVE.search(text)]
    # These numbers name tiles and are no counts: "between 1-2-3 and 4-4-5" needs no plural.
    assert wrong == []


@pytest.mark.parametrize("language", list_languages())
def test_count_of_one_of_many_needs_no_plural_verb(language: str) -> None:
    words = load_words(language)
    for key, facts in (
        ("solo.lies", {"all": 24}),
        ("tournament.running", {"n": 3, "all": 3, "matches": 1, "when": ""}),
        ("league.running", {"all": 6, "until": ""}),
    ):
        counted = "laid" if key == "solo.lies" else "done"
        text = words(key, **{counted: 1}, **facts)
        verbs = r"\b(lie|are|is|liegen|liegt|sind|ist|han|ha|sont|est|liggen|ligt|zijn|terminaram|terminou)\b"
        assert not re.search(verbs, text), text
        assert not re.search(r"\b1 (tuiles|parties|Partien)\b", text), text


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "1 of 5 players solved it"),
        ("de", "Gelöst: 1 von 5 Spielern"),
        ("es", "Resuelto por 1 de 5 jugadores"),
        ("fr", "Résolue par 1 sur 5 joueurs"),
        ("nl", "Opgelost door 1 van 5 spelers"),
        ("pl", "Rozwiązało: 1 z 5 graczy"),
        ("pt", "Resolvido por 1 de 5 jogadores"),
    ],
)
def test_sentence_about_other_solvers_fits_a_single_solver(language: str, said: str) -> None:
    assert load_words(language)("daily.others", n=5, solved=1, points=1000).startswith(said)


def test_french_elides_only_before_names_starting_with_vowel() -> None:
    words = load_words("fr")
    assert "d’Ada" in words("why.NOT_YOUR_TURN", name="Ada")
    assert "de Grace" in words("why.NOT_YOUR_TURN", name="Grace")
    assert "jusqu’à ce qu’Élodie joue" in words("hand.may_undo", until="10:00", name="Élodie")
    assert "de \\_x\\_" in words("why.NOT_YOUR_TURN", name="\\_x\\_"), "what is no letter is left alone"


@pytest.mark.parametrize("language", list_languages())
def test_count_of_one_is_not_followed_by_plural(language: str) -> None:
    words = load_words(language)
    for key, facts in (
        ("no.TOO_MANY_GUESTS", {"guests": 1, "computers": 1, "seats": 2}),
        ("doctor.backlog", {"posts": 1, "boards": 1}),
        ("admin.limits", {"person": 1, "server": 1}),
        ("deal.field_row", {"place": 3, "name": "Ada", "ahead": "+7", "seat": 2, "total": 1}),
    ):
        text = words(key, **facts)
        assert not re.search(r"\b1 [^\W\d_]{4,}", text), text


@pytest.mark.parametrize("language", list_languages())
def test_players_to_answer_are_listed_without_plural_verb(language: str) -> None:
    words = load_words(language)
    texts = words("agree.waiting", names="Ada", until="10:00"), words("absence.ending", names="Ada", waiting="Grace")
    assert not re.search(r"\b(Doivent|Faltan|Moeten|Muszą|Faltam)\b", " ".join(texts))
