"""`boneyard replay` of every game: its records, and the moments at which somebody has a choice."""

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from PIL import Image
from typer.testing import CliRunner

from bot.referee.cli import mount
from data.rulebook import games
from engine.record.text import parse_placement
from tests.bot.replays import BLOCKS, RECORDS
from tests.engine.readings import read

app = typer.Typer()
mount(app)

FILES = sorted(RECORDS.glob("*.txt"))
STAR = next(block for block in BLOCKS if "game: star" in block)
CHAIN = RECORDS / "quad-ominos-chain.txt"
ZEROS = RECORDS / "quad-ominos-zeros.txt"


def told(file: Path | str, *words: str, status: int = 0) -> str:
    """What is printed for a record, a file or its text."""
    name, lines = (str(file), None) if isinstance(file, Path) else ("-", file)
    result = CliRunner().invoke(app, ["replay", name, *words], input=lines)
    assert (result.exit_code, result.stderr) == (status, "")
    return result.stdout.removesuffix("\n")


def answer(file: Path | str, *words: str, status: int = 0) -> Any:
    return json.loads(told(file, *words, "--json", status=status))


def last_line(file: Path | str, plays: int) -> str:
    return told(file, "--at", str(plays)).split("\n")[-1]


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_every_golden_record_is_found_right(file: Path):
    found = answer(file)

    assert found["faults"] == []
    assert file.stem.startswith(found["game"])


def test_every_game_has_a_record_to_replay():
    assert {answer(file)["game"] for file in FILES} == set(games())


@pytest.mark.parametrize("game", games())
def test_a_position_of_every_game_fits_the_judge(game: str):
    file = RECORDS / f"{game}.txt"
    plays = [line.split() for line in file.read_text(encoding="utf-8").split("\n") if " plays " in line]
    position = answer(file, "--at", "12")["at"]["position"].split()

    assert position == [line[3].removesuffix(":") for line in plays if int(line[0]) <= 12]
    judged = CliRunner().invoke(
        app, ["judge", "placement", game, "--position", " ".join(position[:-1]), "--move", position[-1], "--json"]
    )
    assert json.loads(judged.stdout)["legal"]
    assert str(parse_placement(position[0], read(game))) == position[0]


@pytest.mark.parametrize("game", games())
def test_a_picture_of_every_game_is_drawn(game: str, tmp_path: Path):
    there, end = tmp_path / "there.png", tmp_path / "end.png"

    told(RECORDS / f"{game}.txt", "--at", "5", "--picture", str(there))
    told(RECORDS / f"{game}.txt", "--picture", str(end))

    with Image.open(there) as one, Image.open(end) as other:
        assert one.size[0] > 400
        assert one.tobytes() != other.tobytes()


@pytest.mark.parametrize(
    ("file", "plays", "said"),
    [
        (CHAIN, 1, "A takes 25 points or 2 more tiles."),
        (CHAIN, 2, "A may place 2 more tiles."),
        (CHAIN, 3, "A may place 1 more tile."),
        (CHAIN, 4, "B is to play."),
        (ZEROS, 1, "B takes 25 points and 2 more tiles."),
        (ZEROS, 2, "B may place 2 more tiles."),
        (STAR, 5, "B may take a further turn."),
        (STAR, 6, "C is to play."),
    ],
)
def test_in_the_middle_of_a_turn_it_says_what_may_be_chosen(file: Path | str, plays: int, said: str):
    assert last_line(file, plays).endswith(f": {said}")


def test_the_same_as_json():
    choice, tiles = answer(CHAIN, "--at", "1")["at"], answer(CHAIN, "--at", "2")["at"]
    both, further = answer(ZEROS, "--at", "1")["at"], answer(STAR, "--at", "5")["at"]

    assert (choice["turn"], choice["options"], choice["bonus_tiles"]) == (0, ["points", "tiles"], 0)
    assert (tiles["turn"], tiles["options"], tiles["bonus_tiles"]) == (0, [], 2)
    assert (both["turn"], both["options"]) == (1, [])
    assert (further["turn"], further["options"], further["further"]) == (1, ["stop"], True)


def test_a_game_without_a_boneyard_says_what_was_set_aside():
    assert last_line(STAR, 6) == "After 6 lines of play, round 1, set aside 1: C is to play."
    assert answer(STAR, "--at", "6")["at"]["aside"] == 1


@pytest.mark.parametrize(
    ("text", "play", "instead", "reason"),
    [
        (CHAIN, "2 A chooses 2 tiles: +0 -> 16", "2 B passes: -20 -> -20", "NOT_YOUR_TURN: it is the turn of A"),
        (
            CHAIN,
            "2 A chooses 2 tiles: +0 -> 16",
            "2 A plays 0,-1=4442 matching 2: +14 -> 30",
            "MUST_CHOOSE: the seat has to choose: points or tiles",
        ),
        (
            CHAIN,
            "4 A plays 1,-1=4024 matching 2: +10 -> 40",
            "4 A chooses points: +25 -> 55",
            "NOTHING_TO_CHOOSE: there is nothing to choose",
        ),
        (STAR, "6 B chooses to stop: +0 -> 15", "6 B passes: +0 -> 15", "MUST_CHOOSE: the seat has to choose: stop"),
        (
            STAR,
            "7 C plays D2,-4=411",
            "7 C plays U5,5=002",
            "NOT_NEXT_TO_LAST: U5,5 shares no side and no corner that can be played with the last tile",
        ),
        (
            STAR,
            "2 D plays D0,-1=422",
            "2 D plays D0,-1=242",
            "SIDE_MISMATCH: side 0 of D0,-1 carries 4 and the tile shows 2",
        ),
    ],
)
def test_the_reason_is_in_words(text: Path | str, play: str, instead: str, reason: str):
    record = text.read_text(encoding="utf-8") if isinstance(text, Path) else text
    assert f"\n{play}" in record
    record = record.replace(f"\n{play}", f"\n{instead}", 1)

    assert answer(record, status=1)["faults"][0]["should"] == reason


def test_a_choice_that_gives_something_else_is_a_wrong_line():
    record = CHAIN.read_text(encoding="utf-8").replace(
        "12 B chooses points: +25 -> 32", "12 B chooses points: +20 -> 27"
    )

    assert answer(record, status=1)["faults"][0]["should"] == "12 B chooses points: +25 -> 32"
