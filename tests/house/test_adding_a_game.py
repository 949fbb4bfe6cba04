"""Every file that the guide to a new game speaks of is there."""

import re

from tests.house.sources import ROOT

GUIDE = (ROOT / "docs" / "adding-a-game.md").read_text(encoding="utf-8").split("## What the games here took")[1]


def test_the_files_of_the_games_are_where_the_guide_says() -> None:
    told = set(re.findall(r"`([\w./-]+\.(?:py|toml))`", GUIDE))
    files = [file.as_posix() for room in ("data", "engine", "render") for file in (ROOT / room).rglob("*.*")]
    assert len(told) > 10
    assert {name for name in told if not any(file.endswith(f"/{name}") for file in files)} == set()
