"""Hooks of the documentation site: navigation from the index, and links to files outside `docs`."""

import logging
import re
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
PROJECT_PAGES = ("CHANGELOG.md", "CONTRIBUTING.md", "PRIVACY.md", "SECURITY.md")
"""Pages at the top of the repository that the site shows too, in the folder `project`."""

CODE = re.compile(r"(^ *```.*?^ *```$)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?P<image>!?)\[(?P<text>(?:`[^`]*`|!?\[[^\]]*\]\([^)]*\)|[^\[\]])*)\]\((?P<target>[^)\s]+)\)")
SECTION = re.compile(r"^## ([^:\n]+).*\n((?:(?!## ).*\n?)*)", re.MULTILINE)
ENTRY = re.compile(r"^- \[([^\]]+)\]\(([^)]+)\)", re.MULTILINE)

log = logging.getLogger("mkdocs.plugins.site")  # mkdocs counts warnings of this logger in strict mode


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Read the navigation from `docs/README.md`, so that a page without an entry there is a warning."""
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    nav: list[Any] = [{"Home": "README.md"}]
    for title, text in SECTION.findall(index):
        pages = [{name: target} for name, target in ENTRY.findall(text) if target != "decisions/README.md"]
        nav.append({title: pages})
    decisions = sorted((ROOT / "docs" / "decisions").glob("0*.md"))
    nav.append({"Decisions": ["decisions/README.md", *(f"decisions/{page.name}" for page in decisions)]})
    nav.append({"Project": [f"project/{name}" for name in PROJECT_PAGES]})
    config.nav = nav
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages at the top of the repository."""
    for name in PROJECT_PAGES:
        files.append(File.generated(config, f"project/{name}", abs_src_path=str(ROOT / name)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Adjust the links of a page, except those inside code blocks."""
    parts = CODE.split(markdown)
    return "".join(part if number % 2 else _adjust_links(part, page.file.src_uri) for number, part in enumerate(parts))


def _adjust_links(text: str, page: str) -> str:
    """Return the text with links that work on the site. A link to code becomes plain text."""

    def adjust(link: re.Match[str]) -> str:
        path, hash_sign, anchor = link["target"].partition("#")
        if not path or ":" in path:
            return link[0]
        source = PurePosixPath(_get_source_path(page))
        target = normpath((source.parent / path).as_posix())
        if not (ROOT / target).exists():
            log.warning("%s links to %s, which does not exist", source, target)
        on_site = _find_page_path(target)
        if on_site is None:
            return link["text"]
        new = relpath(on_site, PurePosixPath(page).parent.as_posix())
        return f"{link['image']}[{link['text']}]({new}{hash_sign}{anchor})"

    return LINK.sub(adjust, text)


def _get_source_path(page: str) -> str:
    """Return the path of a page in the repository."""
    return page.removeprefix("project/") if page.startswith("project/") else f"docs/{page}"


def _find_page_path(file: str) -> str | None:
    """Return the path of a file of the repository on the site, or None if the site does not have it."""
    if file in PROJECT_PAGES:
        return f"project/{file}"
    if file == "README.md":
        return "README.md"  # the index of the docs
    if (ROOT / file).is_dir():
        file = f"{file}/README.md"
    if not file.startswith("docs/") or not (ROOT / file).is_file():
        return None
    return file.removeprefix("docs/")
