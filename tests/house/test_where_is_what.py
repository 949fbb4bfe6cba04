"""`docs/where-is-what.md` leads to every thing by one line: what it names is there, questions find their answers."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.house.sources import ROOT

PAGE = ROOT / "docs" / "where-is-what.md"
MOST = 60
"""Lines of the page."""


class Row(NamedTuple):
    """A line of the table: files and folders, and names that are defined in them."""

    thing: str
    paths: tuple[str, ...]
    names: tuple[str, ...]


class Asked(NamedTuple):
    """A question, the word in it to look for on the page, and the fact that answers it in its file."""

    question: str
    word: str
    path: str
    fact: str


QUESTIONS = [
    Asked(
        "Where is the two-minute limit of an outage?", "outage", "bot/posting/presence.py", "OUTAGE: Final = 120_000"
    ),
    Asked("Where is the 80 % of the reminder?", "80 %", "engine/table/clock.py", "REMIND_AT: Final = 80"),
    Asked(
        "How many days of vacation has a year?", "vacation", "engine/table/preferences.py", "VACATION_DAYS: Final = 21"
    ),
    Asked("When do quiet hours end?", "quiet hours", "engine/table/preferences.py", "def quiet_until("),
    Asked("How long does a lobby wait?", "lobby", "engine/table/reminders.py", "EXPIRES: Final = DAY"),
    Asked(
        "How long can a question that people agree on be answered?",
        "agree",
        "engine/table/questions.py",
        "LASTS: Final = DAY",
    ),
    Asked("How often is an act tried again?", "tried again", "bot/service/acts.py", "TRIES: Final = 5"),
    Asked("What are a hexagon's points?", "hexagon's", "data/games/triominoes.toml", "hexagons = [50, 100, 150]"),
    Asked("How long is the lease on a post?", "lease", "data/store/outbox.py", "LEASE: Final = 25_000"),
    Asked("Where is the nonce made?", "nonce", "data/store/outbox.py", "def nonce("),
    Asked("When is a board posted afresh?", "afresh", "bot/posting/scroll.py", "FAR: Final = 15"),
    Asked(
        "How many tables may a person have?",
        "how many tables",
        "bot/service/guild_settings.py",
        "MOST_PERSON: Final = 20",
    ),
    Asked(
        "When does somebody press too fast?",
        "too fast",
        "bot/operating/run.py",
        "RateLimit(now, most=20, per_second=2)",
    ),
    Asked(
        "How long is the longest pause before a retry?", "retry", "bot/base/discord_errors.py", "LONGEST: Final = 3600"
    ),
    Asked("Which rating has a newcomer?", "newcomer", "bot/service/ladder.py", "MIDDLE: Final = 1500"),
    Asked("Which permissions does the bot need?", "permissions", "bot/base/permissions.py", "NEEDED: Final = ("),
    Asked(
        "When is the data of a server deleted that the bot left?",
        "left",
        "bot/service/privacy.py",
        "KEPT_AFTER_LEAVING: Final = 30 * DAY",
    ),
    Asked("How many threads draw?", "threads", "bot/views/pictures.py", "THREADS: Final = 2"),
]


def rows() -> list[Row]:
    """The lines of the table."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return [
        Row(thing, *(tuple(re.findall(r"`([^`]+)`", cell)) for cell in (where, names)))
        for thing, where, names in cells[2:]
    ]


def defined(path: str) -> Iterator[str]:
    """The names at the top of a file, or of all files of a folder."""
    place = ROOT / path
    for file in place.rglob("*.py") if place.is_dir() else [place]:
        if file.suffix != ".py":
            continue
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    yield name
                case ast.AnnAssign(target=ast.Name(id=name)):
                    yield name
                case ast.Assign(targets=[ast.Name(id=name)]):
                    yield name


def test_the_page_is_short_and_each_thing_stands_there_once() -> None:
    things = [row.thing for row in rows()]
    assert len(PAGE.read_text(encoding="utf-8").splitlines()) <= MOST
    assert len(things) == len(set(things)) > 40


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.thing)
def test_what_the_page_names_is_there(row: Row) -> None:
    assert row.paths
    assert [path for path in row.paths if not (ROOT / path).exists()] == []
    known = {name for path in row.paths for name in defined(path)}
    assert [name for name in row.names if name not in known] == []


def test_what_the_page_links_to_and_says_above_its_table_is_there() -> None:
    text = PAGE.read_text(encoding="utf-8")
    linked = re.findall(r"\]\(([^)#]+)\)", text)
    assert linked
    assert [link for link in linked if not (PAGE.parent / link).exists()] == []
    above = re.findall(r"`([^`]+)`", text.partition("\n|")[0])
    assert [path for path in above if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda asked: asked.question)
def test_a_question_is_answered_by_one_line(asked: Asked) -> None:
    found = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if asked.word in line.lower()]
    assert asked.word in asked.question.lower()
    assert len(found) == 1, found
    assert f"`{asked.path}`" in found[0]
    assert asked.fact in (ROOT / asked.path).read_text(encoding="utf-8")
