"""A private picture reports where it shows clickable places: its pixels confirm it."""

import pytest
from PIL import ImageChops

from engine.match.player_view import view_for
from render.canvas.cell_outline import Corners, Spots
from render.canvas.picture import Picture
from render.canvas.png import labelled
from render.table.hand import hand_picture
from render.table.table_picture import table_picture
from tests.render.pixels import rgb
from tests.render.tables import CAPTIONS, GAMES, NAMES, mover, of


def changed(one: Picture, other: Picture) -> tuple[int, int, int, int]:
    box = ImageChops.difference(rgb(one), rgb(other)).getbbox()
    assert box is not None
    return box


def frame(corners: Corners) -> tuple[int, int, int, int]:
    across, down = zip(*corners, strict=True)
    return min(across), min(down), max(across), max(down)


@pytest.mark.parametrize("game", GAMES)
def test_place_is_where_its_letter_is_drawn(game: str) -> None:
    seen = mover(game)
    bare = hand_picture(seen, NAMES, CAPTIONS, letters=())
    assert bare.spots.places == {}
    for cell in sorted({move.placement.cell for move in seen.moves})[:3]:
        lettered = hand_picture(seen, NAMES, CAPTIONS, letters={cell})
        (corners,) = lettered.spots.places.values()
        assert list(lettered.spots.places) == [cell]
        box, drawn = frame(corners), changed(bare, lettered)
        assert box[0] - 4 <= drawn[0] < drawn[2] <= box[2] + 4
        assert box[1] - 4 <= drawn[1] < drawn[3] <= box[3] + 4
        # A slot is round: it leaves the ends of a triangle free.
        assert (drawn[2] - drawn[0]) * (drawn[3] - drawn[1]) > 0.3 * (box[2] - box[0]) * (box[3] - box[1])


@pytest.mark.parametrize("game", GAMES)
def test_tile_is_where_it_is_lifted_from(game: str) -> None:
    seen = mover(game)
    usual = hand_picture(seen, NAMES, CAPTIONS)
    assert list(usual.spots.tiles) == list(seen.mine.hand or ())
    for tile in sorted({move.placement.tile for move in seen.moves})[:2]:
        left, top, right, bottom = frame(usual.spots.tiles[tile])
        drawn = changed(usual, hand_picture(seen, NAMES, CAPTIONS, picked=tile))
        assert left - 12 <= drawn[0] < drawn[2] <= right + 12
        assert top - 60 <= drawn[1] < drawn[3] <= bottom + 60


def test_public_picture_has_no_clickable_spots() -> None:
    for game in GAMES:
        assert table_picture(view_for(of(game), None), NAMES, CAPTIONS).spots == Spots()


def test_picture_with_text_in_it_is_same_picture() -> None:
    plain = table_picture(view_for(of("points"), None), NAMES, CAPTIONS)
    told = Picture(labelled(plain.png, "targets", '{"a":[1]}'), plain.width, plain.height)
    assert rgb(told).tobytes() == rgb(plain).tobytes()
    assert b"tEXttargets\0" + b'{"a":[1]}' in told.png
