"""Write pictures with zlib in tests that compare the bytes or sizes of files.

ISA-L sometimes compresses the same pixels into a few bytes more or less on a busy machine. zlib never does.
"""

import pytest

from render.canvas.canvas import Canvas
from render.canvas.png import ZLIB


@pytest.fixture
def zlib_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Canvas.to_png, "__defaults__", (ZLIB,))
