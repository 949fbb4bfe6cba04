"""The targets that a picture names for its menu."""

import json
from io import BytesIO

from PIL import Image

from bot.tables.board_text import KEYWORD


def read_targets(file: bytes) -> dict[str, list[list[object]]] | None:
    """Return what the file of a picture says of its targets."""
    with Image.open(BytesIO(file)) as image:
        image.load()
        text = image.info.get(KEYWORD)
    return None if text is None else json.loads(text)
