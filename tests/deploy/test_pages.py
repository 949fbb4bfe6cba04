"""Public texts outside the program match the limits of Discord and the behavior of the bot."""

import re
import tomllib
from datetime import date
from pathlib import Path

import discord
import pytest

from bot.core.environment import read_version
from bot.core.permissions import REQUIRED, REQUIRED_IN_THREADS, REQUIRED_TO_OPEN_THREADS
from data.words import list_languages
from tests.project.commands import GROUPS, list_commands
from tests.project.sources import ROOT

GUIDES = sorted(
    page.relative_to(ROOT).as_posix() for page in (ROOT / "docs" / "how-to").glob("*.md") if "add-a-" not in page.name
)
PAGES = ("SECURITY.md", "docs/reference/terms.md", *GUIDES)
DIRECTORY = (ROOT / "docs" / "how-to" / "app-directory.md").read_text(encoding="utf-8")
TEXTS = tomllib.loads((ROOT / "deploy" / "app-directory.toml").read_text(encoding="utf-8"))
MAX_LENGTHS = {"description": 400, "summary": 200, "page": 4000}


def list_anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", PAGES)
def test_page_links_have_targets(name: str) -> None:
    page = ROOT / name
    links = re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
    assert links
    for link in links:
        file, _, anchor = link.partition("#")
        if "://" in file:
            continue
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), link
        assert not anchor or anchor in list_anchors(target), link


@pytest.mark.parametrize("name", PAGES)
def test_commands_and_files_named_on_page_exist(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    known = {f"{group.name} {command}" for group in GROUPS for command in list_commands(group)} | {"tiles data"}
    for typed in re.findall(r"(?<![\w`/])/(tiles(?:-\w+)?(?: [a-z]+)+)|`/(tiles(?:-\w+)?(?: [a-z]+)+)", text):
        command = typed[0] or typed[1]
        assert any(f"{command} ".startswith(f"{one} ") for one in known), command
    for file in re.findall(r"`((?:deploy|docs|bot)/[\w./-]+)`", text):
        assert (ROOT / file).exists() or file == "deploy/.env", file


def test_releases_have_version_and_date_newest_first() -> None:
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    releases = [heading for heading in headings if heading != "Unreleased"]
    assert headings[: len(headings) - len(releases)] in ([], ["Unreleased"]), "what is not released comes first"
    found = []
    for release in releases:
        version, day = re.fullmatch(r"(\d+\.\d+\.\d+) - (\d{4}-\d{2}-\d{2})", release).groups()  # type: ignore[union-attr]
        found.append((date.fromisoformat(day), tuple(map(int, version.split(".")))))
    assert found == sorted(found, reverse=True)
    assert len({version for _, version in found}) == len(found)
    now = tuple(map(int, read_version().split(".")))
    assert not found or found[0][1] <= now, "the version in pyproject.toml is behind"


def test_every_text_exists_within_limit_in_every_language() -> None:
    (row,) = [line for line in DIRECTORY.splitlines() if line.startswith("| Supported languages")]
    spoken = row.strip("| ").rpartition(" | ")[2].split(", ")
    assert len(spoken) == len(list_languages())
    assert set(TEXTS) == set(spoken)
    for language, texts in TEXTS.items():
        assert set(texts) == set(MAX_LENGTHS)
        for kind, text in texts.items():
            assert len(text) <= MAX_LENGTHS[kind], f"{language}, {kind}: {len(text)}"
            assert "/tiles" in text or kind == "summary"


def test_tags_and_permissions_match_discord_and_bot() -> None:
    row = next(line for line in DIRECTORY.splitlines() if line.startswith("| Tags"))
    tags = re.findall(r"`([^`]+)`", row)
    assert 1 <= len(tags) <= 5
    assert len(set(tags)) == len(tags)
    assert all(len(tag) <= 20 for tag in tags)
    wanted = discord.Permissions(**dict.fromkeys((*REQUIRED, *REQUIRED_IN_THREADS, *REQUIRED_TO_OPEN_THREADS), True))
    assert f"[permissions](../tutorials/run-your-own-bot.md#permissions), {wanted.value} |" in DIRECTORY
    assert len([*REQUIRED, *REQUIRED_IN_THREADS, *REQUIRED_TO_OPEN_THREADS]) == 7, "the texts say seven"
    assert discord.Permissions(wanted.value) == wanted
