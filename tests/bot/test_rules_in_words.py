"""Every single rule of every game has a name and a sentence, and all it can be has words: nowhere are they code."""

from __future__ import annotations

import pytest
from simcord import MemberActor

from bot.views.readings import offered, option_text, options_typed, value_name
from data.rulebook import games, presets, rules
from data.words import languages, words
from tests.bot.house import House
from tests.bot.reading import Message, menus, private, told, words_of
from tests.wording import en, says

DRAWN_BY_LOT = "Several hexagons at once: in steps; Who opens: by lot, with any tile"


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("game", games())
def test_every_rule_has_a_name_and_a_sentence_and_all_it_can_be_has_words(game: str, language: str) -> None:
    said = words(language)
    for preset in presets(game):
        playing = rules(game, preset)
        for name in playing.options():
            assert 2 < len(said(f"rule.{name}")) <= 50
            assert said(f"rulesays.{name}").endswith(".")
            assert len(said(f"rulesays.{name}")) <= 100
        for name, values in offered(playing).items():
            texts = [value_name(said, playing, name, value) for value in values]
            assert len(set(texts)) == len(texts), f"{name}: two readings have the same name"
            for text, value in zip(texts, values, strict=True):
                assert "_" not in text
                assert text != value or value.isalnum()
                assert "; " not in text, "that stands between two rules"
                assert len(option_text(said, playing, name, value)) <= 100


@pytest.mark.parametrize("language", languages())
def test_what_is_offered_in_words_is_read_again(language: str) -> None:
    said = words(language)
    for game in games():
        playing = rules(game)
        for name, values in offered(playing).items():
            for value in values:
                told_so = option_text(said, playing, name, value)
                assert options_typed(told_so, game, None, [said]) == (f"{name}={value}",)


def test_what_is_typed_and_what_is_chosen_mean_the_same() -> None:
    meant = ("hexagon_scale=stepped", "opening_choice=any_tile")
    for text in (DRAWN_BY_LOT, " ".join(meant), ", ".join(meant), f"{meant[0]}; {DRAWN_BY_LOT.split('; ')[1]}"):
        assert options_typed(text, "triominoes", None, [words("de"), words("en")]) == meant
    assert options_typed("nothing of the kind", "triominoes", None, [words()]) == ("nothing", "of", "the", "kind")


async def panel(house: House, host: MemberActor) -> Message:
    """The page of single rules."""
    first = private(await host.click(house.board(), label="Set up"))
    return private(await host.click(first, label="Single rules"))


async def test_the_host_sets_single_rules_by_menus_and_everybody_reads_them_in_words(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await ada.slash(house.channel, "tiles new", clock="relaxed", preset="goliath")
    (which,) = menus(await panel(house, ada))
    listed = {one.value: one for one in which.options}
    assert set(listed) == set(rules("triominoes").options()) - {"target"}
    assert listed["hexagon_scale"].label == "Several hexagons at once: in steps"
    assert listed["hexagon_scale"].description == en("rulesays.hexagon_scale")

    picked = private(await ada.select(await panel(house, ada), ["blocked_bonus"], custom_id=which.custom_id))
    _, values = menus(picked)
    assert [one.label for one in values.options] == [
        "The differences",
        "The others' points less one's own",
        "All lose what they hold",
        "Nothing",
    ]
    after = private(await ada.select(picked, ["none"], custom_id=values.custom_id))

    assert (await house.terms())["options"] == {"blocked_bonus": "none"}
    assert says(words_of(after), "settings.every")
    assert says(words_of(house.board()), "settings.every")
    assert "_" not in words_of(house.board())
    again = private(await ada.select(after, ["others_minus_own"], custom_id=menus(after)[1].custom_id))
    assert (await house.terms())["options"] == {}, "that is what this reading of the rules says"
    assert "Changed: " in words_of(again)

    for custom_id in (which.custom_id, values.custom_id):
        forged = await house.post(menu=custom_id)
        refused = told(await grace.select(forged, ["nonsense"], custom_id=custom_id))
        assert says(refused, "no.HOST_DECIDES")
        assert "Something went wrong" not in told(await ada.select(forged, ["nonsense"], custom_id=custom_id))


async def test_rules_that_are_chosen_in_words_are_played(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace, options=DRAWN_BY_LOT)
    played = (await house.match()).rules
    assert played == rules("triominoes").with_option("hexagon_scale", "stepped").with_option(
        "opening_choice", "any_tile"
    )
