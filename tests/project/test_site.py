"""The documentation site builds without warnings, and its pages load nothing from other servers."""

import re
from pathlib import Path

import pytest

from tests.tools.site import run_mkdocs

pytestmark = pytest.mark.deep

LOADED = re.compile(
    r'<(?:script|img|iframe)\b[^>]*\bsrc="(?:https?:)?//|<link\b[^>]*\brel="stylesheet"[^>]*href="https?://'
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site in strict mode: a broken link or a page without an entry in the index is an error."""
    try:
        version = run_mkdocs("--version")
    except OSError as error:
        pytest.skip(str(error))
    if version.returncode != 0:
        pytest.skip(f"the dependency group `docs` cannot be installed: {version.stderr}")
    folder = tmp_path_factory.mktemp("site")
    done = run_mkdocs("build", "--strict", "--site-dir", str(folder))
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder


def test_site_has_search_and_pictures(site: Path) -> None:
    assert "guided game" in (site / "search" / "search_index.json").read_text(encoding="utf-8")
    assert (site / "pictures" / "board.png").stat().st_size > 1000
    assert 'src="../pictures/board.png"' in (site / "tutorials" / "first-match.html").read_text(encoding="utf-8")


def test_site_loads_nothing_from_other_servers(site: Path) -> None:
    pages = [page for page in site.rglob("*.html") if LOADED.search(page.read_text(encoding="utf-8"))]
    assert pages == []
