"""Which version this is."""

import tomllib
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


@cache
def this_version() -> str:
    """The version that is installed; in a checkout that is not, the one that `pyproject.toml` names.

    A checkout comes first: the metadata of an editable installation is as old as its installation.
    """
    named = Path(__file__).parents[2] / "pyproject.toml"
    try:
        project = tomllib.loads(named.read_text(encoding="utf-8"))["project"]
        if project["name"] == "boneyard":
            return str(project["version"])
    except (OSError, KeyError, tomllib.TOMLDecodeError):
        pass
    try:
        return version("boneyard")
    except PackageNotFoundError:
        return "unknown"
