"""The games on the shelf are read whole or refused with a reason."""

from pathlib import Path

import pytest

from data import rulebook
from data.rulebook import RulebookError
from engine.rules import Rules

TRIOMINOES = (rulebook.GAMES / "triominoes.toml").read_text(encoding="utf-8")


@pytest.fixture
def refusal(tmp_path: Path):
    """What reading this text as `triominoes.toml` is refused with."""

    def read(text: str) -> str:
        file = tmp_path / "triominoes.toml"
        file.write_text(text, encoding="utf-8")
        with pytest.raises(RulebookError) as refused:
            rulebook.read(file)
        return str(refused.value)

    return read


def test_triominoes_plays_by_the_numbers_of_the_rules():
    assert rulebook.rules("triominoes") == Rules(
        game="triominoes",
        lattice="triangles",
        tile_set="trio56",
        min_seats=2,
        max_seats=6,
        deal=(9, 7, 7, 6, 6),
        target=400,
        triple_opening=10,
        zero_opening=40,
        hexagons=(50, 100, 150),
        bridge=40,
        draw_limit=3,
        draw_penalty=5,
        failed_turn=10,
        going_out=25,
    )


def test_the_boneyard_after_the_deal_is_that_of_the_rules():
    rules = rulebook.rules("triominoes")

    left = [len(rules.tiles) - seats * rules.hand_size(seats) for seats in (2, 3, 4, 5, 6)]

    assert left == [38, 35, 28, 26, 20]


def test_every_game_on_the_shelf_can_be_read():
    assert "triominoes" in rulebook.games()
    assert [rulebook.rules(game).game for game in rulebook.games()] == list(rulebook.games())


def test_a_game_is_read_once():
    assert rulebook.rules("triominoes") is rulebook.rules("triominoes")


@pytest.mark.parametrize("name", ["chess", "", "Triominoes", "../games/triominoes"])
def test_a_game_that_is_not_there_is_refused_with_the_games_that_are(name: str):
    with pytest.raises(RulebookError, match=r"there is no game .*; there is triominoes"):
        rulebook.rules(name)


def test_an_unknown_key_is_named_with_its_file_and_what_is_allowed(refusal):
    message = refusal(TRIOMINOES + "\nbrige = 40\n")

    assert message.startswith("triominoes.toml: unknown key 'brige'; allowed are game, lattice, tile_set, ")
    assert "bridge" in message


def test_a_missing_key_is_named_with_its_file(refusal):
    message = refusal(TRIOMINOES.replace("going_out", "# going_out"))

    assert message.startswith("triominoes.toml: missing key going_out; needed are game, ")


@pytest.mark.parametrize("wrong", ['"forty"', "40.5", "true", "[40]"])
def test_a_value_of_the_wrong_kind_is_refused_by_its_key(refusal, wrong: str):
    message = refusal(TRIOMINOES.replace("bridge = 40", f"bridge = {wrong}"))

    assert message.startswith("triominoes.toml: Expected `int`, got ")
    assert message.endswith("at `$.bridge`")


def test_numbers_that_make_no_game_are_refused(refusal):
    message = refusal(TRIOMINOES.replace("[9, 7, 7, 6, 6]", "[9, 7, 7, 6]"))

    assert message == "triominoes.toml: deal must have 5 numbers, one for each number of seats"


def test_a_file_named_after_another_game_is_refused(refusal):
    message = refusal(TRIOMINOES.replace('game = "triominoes"', 'game = "trominoes"'))

    assert message == "triominoes.toml: game must be 'triominoes', the name of the file, not 'trominoes'"


def test_a_file_that_is_no_toml_is_refused(refusal):
    assert refusal("bridge 40").startswith("triominoes.toml: cannot be read: ")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path):
    with pytest.raises(RulebookError, match=r"^quadominoes\.toml: cannot be read: "):
        rulebook.read(tmp_path / "quadominoes.toml")
