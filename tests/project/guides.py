"""Guides as a list of steps, and a copy of the repository in which they are executed.

A step is a fenced block. The end of the line above it says what to do with the block:

    Write `path`:                        create a file
    In `path`, below `text`:             insert below the first line that contains the text
    In `path`, above `text`:             insert above it
    In `path`, instead of `text`:        replace it

A block of `sh` is run, a block of `text` is only shown.
"""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.project.sources import ROOT

INSIDE_A_COPY = "BONEYARD_FOLLOWS_A_GUIDE"
"""An environment variable of the checks in a copy, so that they do not execute the guides again."""

BLOCK = re.compile(r"^(?P<line>.*)\n+(?P<indent> *)```(?P<kind>\w+)\n(?P<text>(?:.*\n)*?)(?P=indent)```$", re.MULTILINE)
WRITE = re.compile(r"\bWrite `(?P<path>[^`]+)`:$")
CHANGE = re.compile(
    r"\bIn `(?P<path>[^`]+)`, (?P<where>below|above|instead of) (?P<mark>`+) ?(?P<line>.+?) ?(?P=mark):$"
)

UV_SCRIPT = """#!/bin/sh
# `uv run` in the environment in which the tests run.
shift
case $1 in
  python) shift; exec {python} "$@" ;;
  pytest) shift; exec {python} -m pytest -n 0 -p no:cacheprovider "$@" ;;
  *) echo "no guide runs $1" >&2; exit 2 ;;
esac
"""


class GuideError(AssertionError):
    """A step that cannot be executed literally."""


@dataclass(frozen=True, slots=True)
class GuideStep:
    """A block of a guide, and the line above it."""

    line: str
    kind: str
    text: str

    @property
    def is_check(self) -> bool:
        """Whether the step runs the checks at the end of the guide."""
        return self.kind == "sh" and "uv run pytest" in self.text


def read_steps(guide: str) -> list[GuideStep]:
    """Return the steps of a guide in order. Raises GuideError for a block without a language."""
    found = [
        GuideStep(
            block["line"].strip(), block["kind"], re.sub(f"^{block['indent']}", "", block["text"], flags=re.MULTILINE)
        )
        for block in BLOCK.finditer(guide)
    ]
    if 2 * len(found) != guide.count("```"):
        raise GuideError("a block has no language, or no line above it")
    return found


class RepositoryCopy:
    """A copy of the working tree without the files that git ignores."""

    def __init__(self, folder: Path) -> None:
        self.root, tools = folder / "copy", folder / "tools"
        ignored = [line.rstrip("/") for line in (ROOT / ".gitignore").read_text(encoding="utf-8").split()]
        shutil.copytree(ROOT, self.root, ignore=shutil.ignore_patterns(".git", *ignored))
        tools.mkdir()
        (tools / "uv").write_text(UV_SCRIPT.format(python=sys.executable), encoding="utf-8")
        (tools / "uv").chmod(0o755)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "BONEYARD_"))}
        paths = {"PATH": f"{tools}:{inherited['PATH']}", "PYTHONPATH": str(self.root)}
        self.environment = inherited | paths | {INSIDE_A_COPY: "1"}

    def execute(self, step: GuideStep) -> None:
        """Execute a step. Raises GuideError if that fails."""
        if step.kind == "sh":
            done = self.run(step)
            if done.returncode != 0:
                raise GuideError(f"{step.text}{done.stdout}{done.stderr}")
        elif written := WRITE.search(step.line):
            path = self.root / written["path"]
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as file:
                file.write(step.text)
        elif change := CHANGE.search(step.line):
            file = self.root / change["path"]
            lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
            at = next((number for number, line in enumerate(lines) if change["line"] in line), None)
            if at is None:
                raise GuideError(f"{change['path']} has no line with {change['line']}")
            first, last = {"below": (at + 1, at + 1), "above": (at, at), "instead of": (at, at + 1)}[change["where"]]
            file.write_text("".join([*lines[:first], step.text, *lines[last:]]), encoding="utf-8")
        elif step.kind != "text":
            raise GuideError(f"no instruction for the block below: {step.line}")

    def run(self, step: GuideStep, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run the commands of a step until one fails."""
        return subprocess.run(
            ["sh", "-ec", step.text],
            cwd=self.root,
            env=self.environment | environment,
            capture_output=True,
            text=True,
            check=False,
        )
