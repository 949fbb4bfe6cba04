"""What pages of the docs name exists: SQL tables, options, files."""

import re

import pytest

from bot import features
from data.rulebook import list_games, load_rules
from data.store.connection.schema import metadata
from engine.match.errors import Violation
from tests.project.sources import PACKAGES, ROOT

features.load()  # their SQL tables register then


def read_page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_privacy_page_names_every_sql_table_and_no_other() -> None:
    page = read_page("PRIVACY.md")
    cells = [line.split("|")[2] for line in page.splitlines() if line.startswith("|") and "`" in line]
    named = {word for cell in cells for word in cell.split("`")[1::2]} | {"forgotten"}
    assert "(`forgotten`:" in page
    assert named == set(metadata.tables)


def test_readme_links_privacy_page() -> None:
    assert "](PRIVACY.md)" in read_page("README.md")


@pytest.mark.parametrize("game", list_games())
def test_rulebook_names_every_option_and_value_of_game(game: str) -> None:
    page, table = read_page("docs/reference/rules.md"), load_rules(game)
    names = {*table.list_options(), *(value for values in table.get_readings().values() for value in values)}
    assert {name for name in names if f"`{name}`" not in page} == set()


def test_rulebook_names_reasons_of_refused_placements() -> None:
    page = read_page("docs/reference/rules.md")
    assert len([why for why in Violation if why.name in page]) >= 12


def test_guide_to_new_game_names_files_that_exist() -> None:
    guide = read_page("docs/how-to/add-a-game.md").split("## What the existing games needed")[1]
    named = set(re.findall(r"`([\w./-]+\.(?:py|toml))`", guide))
    files = [file.as_posix() for package in PACKAGES for file in (ROOT / package).rglob("*.*")]
    assert len(named) > 10
    assert {name for name in named if not any(file.endswith(f"/{name}") for file in files)} == set()
