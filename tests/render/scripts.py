"""Simulate machines with fonts for every script, and without any."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from render.canvas import lettering, scripts

FONTS = Path(__file__).parent / "fonts"
"""A few letters of East Asian scripts, and a few emoji."""
CACHED_FONT_FUNCTIONS = (
    scripts.find_system_fonts,
    scripts.find_east_asian_font,
    scripts.find_emoji_font,
    scripts.can_shape_text,
    scripts.find_font,
    scripts.load_font,
)
CACHED_TEXT_FUNCTIONS = (
    lettering.clean_text,
    lettering.truncate_to_width,
    lettering.measure_text,
    lettering.compute_ink_box,
    lettering._split_runs,
)


def clear_font_caches() -> None:
    """Clear the cached fonts of this machine."""
    for function in (*CACHED_FONT_FUNCTIONS, *CACHED_TEXT_FUNCTIONS):
        function.cache_clear()


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("BONEYARD_FONTS", "")
    clear_font_caches()
    yield
    clear_font_caches()


@pytest.fixture
def furnished(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Simulate a system with fonts for East Asian scripts and emoji."""
    monkeypatch.setenv("BONEYARD_FONTS", str(FONTS))
    clear_font_caches()
    yield
    clear_font_caches()
