"""The generated page of commands is current and complete."""

import re

import pytest
from discord import app_commands

from tests.project.commands import GROUPS, list_commands
from tests.tools import commands_page


def test_commands_page_is_current() -> None:
    page = commands_page.PAGE.read_text(encoding="utf-8")
    assert page == commands_page.format_page(), "run `uv run checks -m tests.tools.commands_page`"


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_commands_page_has_heading_for_every_command(group: app_commands.Group) -> None:
    headings = re.findall(rf"^### `/{group.name} (.+)`$", commands_page.format_page(), re.MULTILINE)
    assert headings == sorted(list_commands(group))
