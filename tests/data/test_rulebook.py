"""Game files are read completely or refused with a reason."""

from pathlib import Path

import pytest

from data import rulebook
from data.rulebook import RulebookError
from engine.families import TriominoRules

OPTIONS = TriominoRules.list_options()
TRIOMINOES = (rulebook.GAMES / "triominoes.toml").read_text(encoding="utf-8")


@pytest.fixture
def refusal(tmp_path: Path):
    def read(text: str) -> str:
        file = tmp_path / "triominoes.toml"
        file.write_text(text, encoding="utf-8")
        with pytest.raises(RulebookError) as refused:
            rulebook.read_game(file)
        return str(refused.value)

    return read


def test_triominoes_file_has_numbers_of_rules():
    assert rulebook.load_rules("triominoes") == TriominoRules(
        game="triominoes",
        family="triominoes",
        lattice="triangles",
        tile_set="trio56",
        min_seats=2,
        max_seats=6,
        deal=(9, 7, 7, 6, 6),
        target=400,
        triple_opening=10,
        zero_opening_score=40,
        zero_opening="only_if_top",
        opening_tie="next_tile",
        opening_choice="rule",
        hexagons=(50, 100, 150),
        hexagons_stepped=(50, 60, 70),
        hexagon_scale="per_hexagon",
        bridge=40,
        bridge_extension="two_sides",
        bonus_stacking="hexagon_only",
        draw_limit=3,
        draw_penalty=5,
        voluntary_draw="off",
        failed_turn=10,
        empty_boneyard_penalty=10,
        going_out=25,
        block_detection="full_circle",
        blocked_bonus="differences",
        blocked_winner="lowest_total",
        blocked_tie="each",
        final_round="latched",
        game_winner="most_points",
        game_tie="shared",
    )


@pytest.mark.parametrize("name", ["chess", "", "Triominoes", "../games/triominoes"])
def test_unknown_game_is_refused_with_available_games(name: str):
    with pytest.raises(RulebookError, match="there is triominoes"):
        rulebook.load_rules(name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TRIOMINOES.replace("[9, 7, 7, 6, 6]", "[9, 7, 7, 6]"), "deal must"),
        (TRIOMINOES.replace('game = "triominoes"', 'game = "trominoes"'), "game must"),
        ("bridge 40", "cannot be read: "),
    ],
)
def test_invalid_file_is_refused_with_reason(refusal, text: str, message: str):
    assert refusal(text).startswith(f"triominoes.toml: {message}")


def test_missing_file_is_refused(tmp_path: Path):
    with pytest.raises(RulebookError, match=r"^quadominoes\.toml: cannot be read: "):
        rulebook.read_game(tmp_path / "quadominoes.toml")


def test_default_preset_is_first_and_unknown_preset_is_refused():
    assert rulebook.list_presets("triominoes")[0] == rulebook.DEFAULT_PRESET
    with pytest.raises(RulebookError) as refused:
        rulebook.load_rules("triominoes", "pressmann")
    assert str(refused.value).endswith(", ".join(rulebook.list_presets("triominoes")))


@pytest.mark.parametrize(
    ("preset", "message"),
    [
        (
            "[presets.house]\nblocked_bonnus = 'none'",
            f"unknown option 'blocked_bonnus'; allowed are {', '.join(OPTIONS)}",
        ),
        ("[presets.house]\nbridge = 50", f"unknown option 'bridge'; allowed are {', '.join(OPTIONS)}"),
        ("[presets.house]", "a preset is a table of options, and not called default"),
        ("[presets.default]\ntarget = 100", "a preset is a table of options, and not called default"),
        ("[presets.house]\ntarget = 0", "target must be from 1 to 100000"),
        ("[presets.house]\ndraw_limit = 'none'", "draw_limit must be from 0 to 100, or unlimited; not 'none'"),
        ("[presets.house]\nblocked_tie = 'both'", "blocked_tie must be one of each, none; not 'both'"),
        ("[presets.house]\nvoluntary_draw = true", "voluntary_draw must be one of off, on; not True"),
        ("[presets.house]\ntarget = 'many'", "Expected `int`, got `str` - at `$.target`"),
    ],
)
def test_invalid_preset_is_refused_with_file_key_and_allowed_values(refusal, preset: str, message: str):
    place = preset.partition("]")[0].removeprefix("[")
    assert refusal(f"{TRIOMINOES}\n{preset}\n") == f"triominoes.toml: {place}: {message}"


def test_every_preset_of_file_has_complete_rules(tmp_path: Path):
    file = tmp_path / "triominoes.toml"
    file.write_text(f"{TRIOMINOES}\n[presets.house]\nblocked_tie = 'none'\n", encoding="utf-8")
    found = rulebook.read_game(file)
    assert list(found) == [*rulebook.list_presets("triominoes"), "house"]
    assert found["house"] == rulebook.load_rules("triominoes").with_option("blocked_tie", "none")
