"""What can be pressed in a private picture, said in the picture's own file: which tile and which place stand for which
choice of the menu beside it, or for which button. Discord's clients pass over it; the local page lets people point
(docs/decisions/0048).

It names nothing but what the menu offers to the same person, and stands in no picture that anybody else sees.
"""

import json
from collections.abc import Sequence
from typing import Final

from bot.views.moves import by_tile, tile_token, token
from bot.views.parts import Press
from data.store import Head
from engine.board import Placement
from engine.seen import Move, Seen
from engine.tiles import Tile
from render import Picture, Spots, labelled

KEYWORD: Final = "targets"
"""Under which the text stands in the file."""

Target = tuple[str, int | None, int | None, str]
"""A choice: the value of an option or the id of a button, the numbers of the tile and of the place that stand for it,
and for each corner of the tile the corner of the place that it comes to lie on.
"""


def pointed(
    image: Picture, head: Head, seen: Seen, offered: Sequence[Move], *, tiles_first: bool, chosen: Move | None
) -> bytes:
    """The file of a private picture with its targets in it.

    `offered` are the moves that its menu has; `tiles_first` says that the menu has their tiles only; a `chosen` move is
    confirmed by a button.
    """
    if not seen.my_turn:
        return image.png
    if chosen is not None:
        lies = chosen.placement
        return pointed_at(image, [(str(Press("play", head.match_id, head.seq, token(lies))), lies)])
    if tiles_first:
        return pointed_at(image, [(tile_token(choice.tile), choice.tile) for choice in by_tile(seen)])
    return pointed_at(image, [(token(move.placement), move.placement) for move in offered])


def pointed_at(image: Picture, choices: Sequence[tuple[str, Placement | Tile]]) -> bytes:
    """The file of a private picture in which these can be chosen: the value of an option or the id of a button, and the
    placement that it stands for, or a tile wherever it may go.
    """
    tiles, places = list(image.spots.tiles), list(image.spots.places)

    def target(value: str, which: Placement | Tile) -> Target:
        lies = which if isinstance(which, Placement) else None
        tile = which.tile if isinstance(which, Placement) else which
        place = places.index(lies.cell) if lies is not None and lies.cell in image.spots.places else None
        return value, tiles.index(tile) if tile in image.spots.tiles else None, place, _turned(lies) if lies else ""

    targets = [target(value, which) for value, which in choices]
    return labelled(image.png, KEYWORD, _written(image.spots, targets))


def _written(spots: Spots, targets: Sequence[Target]) -> str:
    """`{"tiles": [corners], "places": [corners], "targets": [[value, tile, place, turned]]}`, in ASCII."""
    told = {"tiles": list(spots.tiles.values()), "places": list(spots.places.values()), "targets": targets}
    return json.dumps(told, separators=(",", ":"))


def _turned(lies: Placement) -> str:
    """`120`: the tile's first corner comes to lie on the place's corner 1, its second on 2, its third on 0."""
    size, shown = len(lies.tile), list(lies.shown)
    for turn in range(size):
        if all(shown[(corner + turn) % size] == label for corner, label in enumerate(lies.tile)):
            return "".join(str((corner + turn) % size) for corner in range(size))
    # A tile that was flipped: each corner takes the first that shows its label.
    free = list(range(size))
    found = []
    for label in lies.tile:
        found.append(next(corner for corner in free if shown[corner] == label))
        free.remove(found[-1])
    return "".join(map(str, found))
