"""Machines with fonts for every script and with none, whatever this one has."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from render.canvas import lettering, scripts

FONTS = Path(__file__).parent / "fonts"
"""A few letters of East Asian scripts, and a few emoji."""
KEPT = (scripts.installed, scripts.east_asian, scripts.emoji, scripts.shapes, scripts.font_of, scripts.opened)
KEPT_OF_TEXTS = (lettering.readable, lettering.fitted, lettering.length, lettering.box, lettering._mixed)


def forget() -> None:
    """What is remembered of the fonts of this machine is not remembered any more."""
    for kept in (*KEPT, *KEPT_OF_TEXTS):
        kept.cache_clear()


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("BONEYARD_FONTS", "")
    forget()
    yield
    forget()


@pytest.fixture
def furnished(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A system with fonts for East Asian scripts and emoji."""
    monkeypatch.setenv("BONEYARD_FONTS", str(FONTS))
    forget()
    yield
    forget()
