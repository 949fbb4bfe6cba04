"""Each guide is executed in a copy of the repository: its checks pass, and fail if a step is missing."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from data.plurals import list_forms
from data.words import list_languages
from tests.project.guides import INSIDE_A_COPY, GuideError, RepositoryCopy, read_steps
from tests.project.sources import ROOT

pytestmark = pytest.mark.skipif(INSIDE_A_COPY in os.environ, reason="a guide is being executed already")


def do_nothing(_: Path) -> None:
    """Do nothing: the blocks of the guide are enough."""


def add_czech_plural_forms(copy: Path) -> None:
    file = copy / "data" / "wording" / "cs.toml"
    counting = re.compile(r'\{one = "[^"]*", other = ("[^"]*")\}')
    czech = ", ".join(f"{form} = \\1" for form in list_forms("cs"))
    file.write_text(counting.sub(f"{{{czech}}}", file.read_text(encoding="utf-8")), encoding="utf-8")


@dataclass(frozen=True)
class Guide:
    page: str
    manual_step: Callable[[Path], None]
    omitted_step: str
    expected_error: str


GUIDES = [
    Guide("add-a-game.md", do_nothing, "In `data/wording/de.toml`", "KeyError: 'game.triominoes-120'"),
    Guide("add-a-language.md", add_czech_plural_forms, "by hand", "cs.toml: count.days needs {one = "),
    Guide("add-a-command.md", do_nothing, "page of commands again", "test_commands_page_is_current"),
    Guide("add-a-feature.md", do_nothing, "page of commands again", "test_commands_page_is_current"),
]


@pytest.mark.deep
@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.page)
def test_guide_passes_its_checks_and_fails_them_without_step(guide: Guide, tmp_path: Path) -> None:
    copy, steps = (
        RepositoryCopy(tmp_path),
        read_steps((ROOT / "docs" / "how-to" / guide.page).read_text(encoding="utf-8")),
    )
    checks = [step for step in steps if step.is_check]
    omitted = [step for step in steps if guide.omitted_step in step.line]
    assert checks
    assert len(omitted) == (guide.omitted_step != "by hand")

    for step in steps:
        if not step.is_check and step not in omitted:
            copy.execute(step)
    failed = copy.run(checks[0], PYTEST_ADDOPTS="-x")
    assert failed.returncode == 1
    assert guide.expected_error in failed.stdout

    for step in omitted:
        copy.execute(step)
    guide.manual_step(copy.root)
    for step in checks:
        copy.execute(step)


@pytest.mark.parametrize("page", ["add-a-game.md", "add-a-command.md"])
def test_guide_names_every_language(page: str) -> None:
    text = (ROOT / "docs" / "how-to" / page).read_text(encoding="utf-8")
    named = re.findall(r"In `data/wording/(\w+).toml`|^ *(?:name|say) (\w+) ", text, re.MULTILINE)
    assert {block or line for block, line in named} == set(list_languages())


def test_block_without_language_raises_guide_error() -> None:
    with pytest.raises(GuideError):
        read_steps("Run:\n```\nuv run pytest\n```\n")
