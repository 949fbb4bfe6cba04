"""The published perft tables: every command prints what its row says, and so does a generator written separately."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
import typer
from typer.testing import CliRunner

from bot.tools.cli import mount
from bot.tools.position_reading import parse_tile, with_options
from data.rulebook import load_rules
from engine.board.board import Placement
from engine.match.rules import Rules
from tests.depth import part, scaled
from tests.engine.growing import as_naive
from tests.engine.naive_games import second_opinion

DOC = Path(__file__).parents[2] / "docs" / "reference" / "perft.md"

PATIENCE = scaled(160, least=160)


class Row(NamedTuple):
    tiles: int
    command: str
    counts: list[int]

    @property
    def words(self) -> list[str]:
        return self.command.split()[1:]

    @property
    def game(self) -> str:
        return self.words[1]

    def said(self, name: str) -> list[str]:
        return [value for word, value in zip(self.words, self.words[1:], strict=False) if word == f"--{name}"]

    @property
    def rules(self) -> Rules:
        return with_options(load_rules(self.game), self.said("option"))


def rows() -> list[Row]:
    found = re.findall(
        r"^\| (\d+) \| `(boneyard perft [^`]+)` \|(.+)\|$", DOC.read_text(encoding="utf-8"), re.MULTILINE
    )
    return [
        Row(int(tiles), command, [int(cell.replace(",", "")) for cell in counts.split("|") if cell.strip()])
        for tiles, command, counts in found
    ]


ROWS = rows()
FEW_MOVES, FEW_WAYS = 40, 20_000


def rows_with(what: Callable[[Row], bool]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        "row",
        [
            pytest.param(
                row, id=row.command.removeprefix("boneyard perft "), marks=[] if what(row) else [pytest.mark.deep]
            )
            for row in part(ROWS)
        ],
    )


app = typer.Typer()
mount(app)


@rows_with(lambda row: row.counts[-1] <= FEW_WAYS)
def test_command_prints_counts_of_its_row(row: Row):
    printed = CliRunner().invoke(app, [*row.words, "--json"])

    assert json.loads(printed.stdout) == {"counts": row.counts}
    assert [str(len(row.counts))] == row.said("depth")
    assert row.tiles == len(row.rules.tiles)


@rows_with(lambda row: row.counts[0] <= FEW_MOVES)
def test_perft_counts_equal_reference_implementation(row: Row):
    played = row.rules
    start = as_naive(Placement(parse_tile(played, row.said("start")[0], "start"), played.plane.first, 0))
    other = second_opinion(played)
    # A count asks about every position one step before it.
    depth = 1 + sum(count <= PATIENCE for count in row.counts[:-1])

    assert [other.ways([start], steps) for steps in range(1, depth + 1)] == row.counts[:depth]
    assert depth >= 2


def test_every_set_of_tiles_of_rules_has_table():
    sets = {(row.game, row.tiles) for row in ROWS}

    assert {tiles for game, tiles in sets if game == "triominoes"} == {56, 84, 76}
    for game in ("points", "muggins", "star"):
        assert {tiles for name, tiles in sets if name == game} == {35, 36, 56, 57}
    assert {tiles for game, tiles in sets if game == "trioker"} == {24, 25, 45, 76}
    arrangements = {row.rules.with_option("target", "1").quad_arrangement for row in ROWS if row.game == "quad-ominos"}
    assert arrangements == {"clockwise", "counter_clockwise", "free"}


def test_counts_of_first_issue_are_among_them():
    found = {tuple(row.words[1:4]): row.counts for row in ROWS if not row.said("option")}

    assert found["triominoes", "--start", "5-5-5"] == [15, 210, 3270, 57240]
    assert found["triominoes", "--start", "0-1-2"][:3] == [9, 108, 1578]
