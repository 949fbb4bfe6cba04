"""The published perft tables: every command prints the numbers of its row, and a separate move generator counts the
same.
"""

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
from tests.depth import sample_cases, scale_count
from tests.engine.naive_games import build_reference_rules
from tests.engine.random_layouts import to_naive

DOC = Path(__file__).parents[2] / "docs" / "reference" / "perft.md"

MAX_COUNT = scale_count(160, least=160)


class PerftRow(NamedTuple):
    tiles: int
    command: str
    counts: list[int]

    @property
    def arguments(self) -> list[str]:
        return self.command.split()[1:]

    @property
    def game(self) -> str:
        return self.arguments[1]

    def list_flag_values(self, name: str) -> list[str]:
        return [value for word, value in zip(self.arguments, self.arguments[1:], strict=False) if word == f"--{name}"]

    @property
    def rules(self) -> Rules:
        return with_options(load_rules(self.game), self.list_flag_values("option"))


def read_rows() -> list[PerftRow]:
    found = re.findall(
        r"^\| (\d+) \| `(boneyard perft [^`]+)` \|(.+)\|$", DOC.read_text(encoding="utf-8"), re.MULTILINE
    )
    return [
        PerftRow(int(tiles), command, [int(cell.replace(",", "")) for cell in counts.split("|") if cell.strip()])
        for tiles, command, counts in found
    ]


ROWS = read_rows()
FEW_MOVES, FEW_WAYS = 40, 20_000


def parametrize_rows(is_quick: Callable[[PerftRow], bool]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        "row",
        [
            pytest.param(
                row, id=row.command.removeprefix("boneyard perft "), marks=[] if is_quick(row) else [pytest.mark.deep]
            )
            for row in sample_cases(ROWS)
        ],
    )


app = typer.Typer()
mount(app)


@parametrize_rows(lambda row: row.counts[-1] <= FEW_WAYS)
def test_command_prints_counts_of_its_row(row: PerftRow):
    printed = CliRunner().invoke(app, [*row.arguments, "--json"])

    assert json.loads(printed.stdout) == {"counts": row.counts}
    assert [str(len(row.counts))] == row.list_flag_values("depth")
    assert row.tiles == len(row.rules.tiles)


@parametrize_rows(lambda row: row.counts[0] <= FEW_MOVES)
def test_perft_counts_equal_reference_implementation(row: PerftRow):
    rules = row.rules
    start = to_naive(Placement(parse_tile(rules, row.list_flag_values("start")[0], "start"), rules.plane.first, 0))
    reference = build_reference_rules(rules)
    # A count examines every position one step earlier.
    depth = 1 + sum(count <= MAX_COUNT for count in row.counts[:-1])

    assert [reference.count_sequences([start], steps) for steps in range(1, depth + 1)] == row.counts[:depth]
    assert depth >= 2


def test_every_tile_set_has_perft_table():
    sets = {(row.game, row.tiles) for row in ROWS}

    assert {tiles for game, tiles in sets if game == "triominoes"} == {56, 84, 76}
    for game in ("points", "muggins", "star"):
        assert {tiles for name, tiles in sets if name == game} == {35, 36, 56, 57}
    assert {tiles for game, tiles in sets if game == "trioker"} == {24, 25, 45, 76}
    arrangements = {row.rules.with_option("target", "1").quad_arrangement for row in ROWS if row.game == "quad-ominos"}
    assert arrangements == {"clockwise", "counter_clockwise", "free"}


def test_perft_table_contains_known_counts():
    found = {tuple(row.arguments[1:4]): row.counts for row in ROWS if not row.list_flag_values("option")}

    assert found["triominoes", "--start", "5-5-5"] == [15, 210, 3270, 57240]
    assert found["triominoes", "--start", "0-1-2"][:3] == [9, 108, 1578]
