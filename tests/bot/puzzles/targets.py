"""The click targets that a picture contains for its menu."""

import json
from io import BytesIO

from PIL import Image

from bot.tables.board_text import TARGETS_KEYWORD


def read_targets(file: bytes) -> dict[str, list[list[object]]] | None:
    """Return the targets from the metadata of a picture file."""
    with Image.open(BytesIO(file)) as image:
        image.load()
        text = image.info.get(TARGETS_KEYWORD)
    return None if text is None else json.loads(text)
