"""What the guide says of the size of files is what they have."""

import re

from tests.house.sources import ROOT

GUIDE = (ROOT / "docs" / "adding-a-game.md").read_text(encoding="utf-8")


def test_the_guide_counts_the_lines_of_files_as_they_are() -> None:
    told = re.findall(r"`([\w./-]+\.(?:py|toml))` (\d+)", GUIDE)
    assert len(told) > 10
    for name, lines in told:
        (file,) = [path for room in ("data", "engine", "render") for path in (ROOT / room).rglob(name.split("/")[-1])]
        assert file.as_posix().endswith(name)
        assert len(file.read_text(encoding="utf-8").splitlines()) == int(lines), name
