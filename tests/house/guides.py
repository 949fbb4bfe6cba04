"""Guides as the steps that they are, and a copy of the repository to follow them in.

A step is a fenced block, and the end of the line above it says what becomes of it:

    Write `path`:                        a new file
    In `path`, below `text`:             below the first line that has the text
    In `path`, above `text`:             above it
    In `path`, instead of `text`:        in its place

A block of `sh` is run as it stands, a block of `text` only shows something.
"""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.house.sources import ROOT

FOLLOWING = "BONEYARD_FOLLOWS_A_GUIDE"
"""Set in the environment of a copy's checks, so that the guides are not followed in there again."""

BLOCK = re.compile(r"^(?P<said>.*)\n+(?P<indent> *)```(?P<kind>\w+)\n(?P<text>(?:.*\n)*?)(?P=indent)```$", re.MULTILINE)
WRITE = re.compile(r"\bWrite `(?P<path>[^`]+)`:$")
CHANGE = re.compile(
    r"\bIn `(?P<path>[^`]+)`, (?P<where>below|above|instead of) (?P<mark>`+) ?(?P<line>.+?) ?(?P=mark):$"
)

UV = """#!/bin/sh
# `uv run` in the environment that the tests run in.
shift
case $1 in
  python) shift; exec {python} "$@" ;;
  pytest) shift; exec {python} -m pytest -n 0 -p no:cacheprovider "$@" ;;
  *) echo "no guide runs $1" >&2; exit 2 ;;
esac
"""


class GuideError(AssertionError):
    """A step that cannot be followed as it is written."""


@dataclass(frozen=True, slots=True)
class Step:
    """A block of a guide, and the line above it."""

    said: str
    kind: str
    text: str

    @property
    def checks(self) -> bool:
        """Whether it runs the checks that the guide ends with."""
        return self.kind == "sh" and "uv run pytest" in self.text


def steps(guide: str) -> list[Step]:
    """The steps of a guide, in its order."""
    found = [
        Step(block["said"].strip(), block["kind"], re.sub(f"^{block['indent']}", "", block["text"], flags=re.MULTILINE))
        for block in BLOCK.finditer(guide)
    ]
    if 2 * len(found) != guide.count("```"):
        raise GuideError("a block has no language, or no line above it")
    return found


class Copy:
    """The working tree, without what git ignores, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.root, tools = folder / "copy", folder / "tools"
        ignored = [line.rstrip("/") for line in (ROOT / ".gitignore").read_text(encoding="utf-8").split()]
        shutil.copytree(ROOT, self.root, ignore=shutil.ignore_patterns(".git", *ignored))
        tools.mkdir()
        (tools / "uv").write_text(UV.format(python=sys.executable), encoding="utf-8")
        (tools / "uv").chmod(0o755)
        around = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "BONEYARD_"))}
        path = {"PATH": f"{tools}:{around['PATH']}", "PYTHONPATH": str(self.root)}
        self.environment = around | path | {FOLLOWING: "1"}

    def follow(self, step: Step) -> None:
        """Do what a step says. Raises GuideError where that cannot be done."""
        if step.kind == "sh":
            done = self.run(step)
            if done.returncode != 0:
                raise GuideError(f"{step.text}{done.stdout}{done.stderr}")
        elif written := WRITE.search(step.said):
            with (self.root / written["path"]).open("x", encoding="utf-8") as file:
                file.write(step.text)
        elif change := CHANGE.search(step.said):
            file = self.root / change["path"]
            lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
            at = next((number for number, line in enumerate(lines) if change["line"] in line), None)
            if at is None:
                raise GuideError(f"{change['path']} has no line with {change['line']}")
            first, last = {"below": (at + 1, at + 1), "above": (at, at), "instead of": (at, at + 1)}[change["where"]]
            file.write_text("".join([*lines[:first], step.text, *lines[last:]]), encoding="utf-8")
        elif step.kind != "text":
            raise GuideError(f"nothing says what becomes of the block below: {step.said}")

    def run(self, step: Step, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run the commands of a step up to the first that fails."""
        return subprocess.run(
            ["sh", "-ec", step.text],
            cwd=self.root,
            env=self.environment | environment,
            capture_output=True,
            text=True,
            check=False,
        )
