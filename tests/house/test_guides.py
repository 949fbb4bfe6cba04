"""The guides pass as they are written: each is followed in a copy of the repository, and ends with green checks."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from data.plurals import forms
from data.words import languages
from tests.house.guides import FOLLOWING, Copy, GuideError, Step, steps
from tests.house.sources import ROOT

pytestmark = pytest.mark.skipif(FOLLOWING in os.environ, reason="a guide is being followed already")


def nothing(_: Path) -> None:
    """A guide whose blocks are all there is to do."""


def translated(copy: Path) -> None:
    """What a translator does, mechanically: every table of forms gets those of Czech, in English."""
    file = copy / "data" / "wording" / "cs.toml"
    counting = re.compile(r'\{one = "[^"]*", other = ("[^"]*")\}')
    czech = ", ".join(f"{form} = \\1" for form in forms("cs"))
    file.write_text(counting.sub(f"{{{czech}}}", file.read_text(encoding="utf-8")), encoding="utf-8")


@dataclass(frozen=True)
class Guide:
    """A guide, what it leaves to people, and something of it that must not be left out."""

    page: str
    by_hand: Callable[[Path], None]
    left_out: str
    """Part of the line above a block; or of what is done by hand, where there is no such block."""
    complaint: str
    """What the checks say when that is missing."""


GUIDES = [
    Guide("adding-a-game.md", nothing, "In `data/wording/de.toml`", "KeyError: 'game.triominoes-120'"),
    Guide("languages.md", translated, "by hand", "cs.toml: count.days needs {one = "),
    Guide("adding-a-command.md", nothing, "In `README.md`", "every_command_is_in_the_readme"),
]


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.page)
def test_a_guide_that_is_followed_ends_green_and_red_where_a_step_of_it_is_left_out(
    guide: Guide, tmp_path: Path
) -> None:
    copy, todo = Copy(tmp_path), steps((ROOT / "docs" / guide.page).read_text(encoding="utf-8"))
    checks = [step for step in todo if step.checks]
    left_out = [step for step in todo if guide.left_out in step.said]
    assert checks
    assert len(left_out) == (guide.left_out != "by hand")

    for step in todo:
        if not step.checks and step not in left_out:
            copy.follow(step)
    red = copy.run(checks[0], PYTEST_ADDOPTS="-x")
    assert red.returncode == 1
    assert guide.complaint in red.stdout

    for step in left_out:
        copy.follow(step)
    guide.by_hand(copy.root)
    for step in checks:
        copy.follow(step)


def test_the_guides_name_every_language_that_has_words() -> None:
    for page in ("adding-a-game.md", "adding-a-command.md"):
        told = (ROOT / "docs" / page).read_text(encoding="utf-8")
        named = re.findall(r"In `data/wording/(\w+).toml`|^ *(?:name|say) (\w+) ", told, re.MULTILINE)
        assert {block or line for block, line in named} == set(languages()), page


GUIDE = """
1. First, a file. Write `notes/new.txt`:
   ```python
   def one():

       return 1
   ```
2. In `notes/old.txt`, instead of ``the `second` ``:
   ```toml
   two = 2
   ```
"""


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Copy:
    """A copy of a repository that has two lines."""
    (tmp_path / "here" / "notes").mkdir(parents=True)
    (tmp_path / "here" / "notes" / "old.txt").write_text("the first\nthe `second`\n")
    (tmp_path / "here" / ".gitignore").write_text("*.log\n")
    (tmp_path / "here" / "ignored.log").touch()
    monkeypatch.setattr("tests.house.guides.ROOT", tmp_path / "here")
    return Copy(tmp_path)


def test_a_block_is_written_or_put_where_the_line_above_it_says(copy: Copy) -> None:
    for step in steps(GUIDE):
        copy.follow(step)

    assert (copy.root / "notes" / "new.txt").read_text() == "def one():\n\n    return 1\n"
    assert (copy.root / "notes" / "old.txt").read_text() == "the first\ntwo = 2\n"
    assert not (copy.root / "ignored.log").exists()


@pytest.mark.parametrize(
    ("where", "text"),
    [("below", "the first\nnew\nthe `second`\n"), ("above", "new\nthe first\nthe `second`\n")],
)
def test_a_block_can_go_below_or_above_a_line(copy: Copy, where: str, text: str) -> None:
    copy.follow(Step(f"In `notes/old.txt`, {where} `the first`:", "toml", "new\n"))

    assert (copy.root / "notes" / "old.txt").read_text() == text


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (Step("In `notes/old.txt`, below `the third`:", "toml", ""), "notes/old.txt has no line with the third"),
        (Step("Somewhere:", "toml", ""), "nothing says what becomes of the block below: Somewhere:"),
        (Step("Run it:", "sh", "echo why; false\ntouch never\n"), "echo why; false\ntouch never\nwhy\n"),
    ],
)
def test_a_step_that_cannot_be_followed_says_why(copy: Copy, step: Step, reason: str) -> None:
    with pytest.raises(GuideError) as lost:
        copy.follow(step)
    assert str(lost.value) == reason
    assert not (copy.root / "never").exists()


def test_a_block_without_a_language_is_no_step_and_not_overlooked() -> None:
    with pytest.raises(GuideError):
        steps("Run:\n```\nuv run pytest\n```\n")
