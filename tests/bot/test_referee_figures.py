"""Counting figures, asked as a person asks it at a terminal."""

import json
import re

import pytest
from typer.testing import CliRunner, Result

from bot.referee import figures
from bot.referee.figures import FigureCount, all_counted, figures_app
from engine.figures.catalogue import FIGURES
from engine.figures.counting import ENDLESS
from engine.figures.figure import Figure, in_order
from engine.lattice import TRIANGLES
from engine.tiles import complete
from tests.engine.naive_figures import count_solutions
from tests.project.sources import ROOT

TRIANGLE = in_order(TRIANGLES, map(TRIANGLES.parse_cell, ["U0,0", "D0,0", "U1,0", "U0,1"]))


def of_four(known: int | None = None) -> Figure:
    return Figure("triangle", TRIANGLES, "sides", complete(2), TRIANGLE, "000 001 011 111", solutions=known)


def ask(*words: str) -> Result:
    return CliRunner().invoke(figures_app, list(words))


def test_list_names_every_figure_and_what_is_known_of_it():
    rows = [json.loads(line) for line in ask("list", "--json").stdout.splitlines()]

    assert [row["figure"] for row in rows] == list(FIGURES)
    assert [row["known"] for row in rows[:3]] == [11_853_792, 106_624, None]
    assert ask("list").stdout.splitlines()[2] == ("bar: 24 tiles with their numbers at the corners; nobody has counted")


def test_small_figure_is_counted_to_end_as_trying_everything_counts_it():
    figure = of_four()

    found = all_counted(figure, steps=ENDLESS, quiet=True)

    assert (found.ways, found.whole, found.is_known) == (count_solutions(figure), True, None)
    assert found.ways > 0


def test_count_says_whether_it_is_known_one():
    right, wrong = (FigureCount(of_four(known), 12, whole=True, steps=9) for known in (12, 13))

    assert (right.is_known, wrong.is_known) == (True, False)
    assert right.sentence().endswith("; that is the known count")
    assert wrong.sentence().endswith("; the known count is 13")
    assert FigureCount(of_four(13), 14, whole=False, steps=9).is_known is False, "it is too many already"
    assert FigureCount(of_four(13), 12, whole=False, steps=9).is_known is None


def test_another_count_than_known_one_fails(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(figures.FIGURES, "triangle", of_four(known=1))

    found = ask("count", "triangle", "--quiet")

    assert found.exit_code == 1
    assert found.stdout.endswith("the known count is 1\n")


def test_count_that_is_cut_short_says_so_and_how_to_go_on():
    found = ask("count", "hexagon", "--steps", "500", "--json")

    assert found.exit_code == 0
    assert json.loads(found.stdout) == {
        "figure": "hexagon",
        "ways": 0,
        "different": None,
        "whole": False,
        "steps": 500,
        "known": 11_853_792,
    }
    assert "part 1 of 3" in found.stderr
    assert ask("count", "hexagon", "--steps", "500", "--quiet").output == (
        "hexagon: no way in 500 steps; the steps were used up, so give it more with --steps\n"
    )


def test_what_is_different_is_told_beside_raw_count():
    found = FigureCount(FIGURES["rectangle"], 106_624, whole=True, steps=1)

    assert found.sentence() == (
        "rectangle: 106,624 ways in 1 steps; 13,328 besides turning, mirroring and exchanging labels; "
        "that is the known count"
    )
    assert FigureCount(FIGURES["hexagon"], 11_853_792, whole=True, steps=1).different == 164_636
    assert FigureCount(FIGURES["bar"], 48, whole=True, steps=1).different is None


def test_figure_that_there_is_not_is_answered_with_those_there_are():
    found = ask("count", "sphynx")

    assert found.exit_code == 2
    assert found.stderr == f"boneyard: there is no figure 'sphynx'; there is {', '.join(FIGURES)}\n"


def test_page_names_every_figure_and_every_known_count():
    page = (ROOT / "docs" / "figures.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \|.*?\| ([\d,]+|not known) \|", page, re.MULTILINE))

    assert rows == {
        name: "not known" if figure.solutions is None else f"{figure.solutions:,}" for name, figure in FIGURES.items()
    }
