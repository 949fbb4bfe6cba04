"""PRIVACY.md speaks of everything that is kept."""

from data.store.schema import metadata
from tests.house.sources import ROOT


def test_the_privacy_page_names_every_table_of_the_store_and_no_other() -> None:
    page = (ROOT / "PRIVACY.md").read_text(encoding="utf-8")
    lines = [line.split("|")[2] for line in page.splitlines() if line.startswith("|") and "`" in line]
    named = {word for line in lines for word in line.split("`")[1::2]} | {"forgotten"}
    assert "(`forgotten`:" in page
    assert named == set(metadata.tables)


def test_the_readme_links_the_privacy_page() -> None:
    assert "](PRIVACY.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
