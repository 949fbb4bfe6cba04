"""A private picture reports the areas of clickable places and the chosen ones, and its pixels confirm them."""

from dataclasses import replace

import pytest
from PIL import ImageChops

from engine.match.player_view import view_for
from render.canvas.cell_outline import ClickAreas, Corners
from render.canvas.picture import Picture
from render.canvas.png import add_text
from render.table.hand import render_hand
from render.table.table_picture import render_table
from tests.render.pixels import to_rgb
from tests.render.tables import CAPTIONS, GAMES, NAMES, build_mover_view, build_running_round


def compute_changed_box(one: Picture, other: Picture) -> tuple[int, int, int, int]:
    return ImageChops.difference(to_rgb(one), to_rgb(other)).getbbox()


def compute_bounds(corners: Corners) -> tuple[int, int, int, int]:
    across, down = zip(*corners, strict=True)
    return min(across), min(down), max(across), max(down)


@pytest.mark.parametrize("game", GAMES)
def test_click_area_of_place_contains_its_letter(game: str) -> None:
    view = build_mover_view(game)
    bare = render_hand(view, NAMES, CAPTIONS, letters=())
    assert bare.click_areas.places == {}
    for cell in sorted({move.placement.cell for move in view.moves})[:3]:
        lettered = render_hand(view, NAMES, CAPTIONS, letters={cell})
        (corners,) = lettered.click_areas.places.values()
        assert list(lettered.click_areas.places) == [cell]
        box, changed_box = compute_bounds(corners), compute_changed_box(bare, lettered)
        assert box[0] - 4 <= changed_box[0] < changed_box[2] <= box[2] + 4
        assert box[1] - 4 <= changed_box[1] < changed_box[3] <= box[3] + 4
        # A slot has round corners, so the corners of the triangle stay free.
        areas = [(right - left) * (bottom - top) for left, top, right, bottom in (changed_box, box)]
        assert areas[0] > 0.3 * areas[1]


@pytest.mark.parametrize("game", GAMES)
def test_click_area_of_tile_is_its_position_on_rack(game: str) -> None:
    view = build_mover_view(game)
    usual = render_hand(view, NAMES, CAPTIONS)
    assert list(usual.click_areas.tiles) == list(view.own_seat.hand or ())
    for tile in sorted({move.placement.tile for move in view.moves})[:2]:
        left, top, right, bottom = compute_bounds(usual.click_areas.tiles[tile])
        changed_box = compute_changed_box(usual, render_hand(view, NAMES, CAPTIONS, picked=tile))
        assert left - 12 <= changed_box[0] < changed_box[2] <= right + 12
        assert top - 60 <= changed_box[1] < changed_box[3] <= bottom + 60


def test_public_picture_has_no_click_areas() -> None:
    for game in GAMES:
        assert render_table(view_for(build_running_round(game), None), NAMES, CAPTIONS).click_areas == ClickAreas()


def test_text_chunk_does_not_change_picture() -> None:
    plain = render_table(view_for(build_running_round("points"), None), NAMES, CAPTIONS)
    annotated = Picture(add_text(plain.png, "targets", '{"a":[1]}'), plain.width, plain.height)
    assert to_rgb(annotated).tobytes() == to_rgb(plain).tobytes()
    assert b"tEXttargets\0" + b'{"a":[1]}' in annotated.png


@pytest.mark.parametrize("game", GAMES)
def test_place_of_chosen_tile_keeps_its_letter(game: str) -> None:
    view = build_mover_view(game, 10, 3)
    move = view.moves[-1]

    def render_lettered(letter: str) -> bytes:
        places = tuple(replace(one, letter=letter) for one in view.places if one.cell == move.placement.cell)
        return render_hand(replace(view, places=places), NAMES, CAPTIONS, ghost=move.placement).png

    assert len({render_lettered("A"), render_lettered("B"), render_lettered("AB")}) == 3


@pytest.mark.parametrize("game", GAMES)
def test_letter_hides_little_of_tile(game: str) -> None:
    view = build_mover_view(game, 10, 3)
    move = view.moves[-1]
    bare = to_rgb(render_hand(replace(view, places=()), NAMES, CAPTIONS, ghost=move.placement))
    picture = render_hand(view, NAMES, CAPTIONS, ghost=move.placement, letters=())
    changed = ImageChops.difference(bare, to_rgb(picture)).convert("L").getbbox()
    xs, ys = zip(*picture.click_areas.places[move.placement.cell], strict=True)
    tile = (max(xs) - min(xs)) * (max(ys) - min(ys)) / (2 if len(xs) == 3 else 1)
    assert (changed[2] - changed[0]) * (changed[3] - changed[1]) <= tile / 3.5


def test_points_under_chosen_tile_follow_chosen_place() -> None:
    view = view_for(build_running_round("triominoes", 10, 3), 1)
    best = {move.placement.tile: move for move in reversed(view.moves)}
    other = next(move for move in view.moves if move != best[move.placement.tile])

    def render_scored(points: int) -> bytes:
        moves = tuple(replace(move, points=points) if move == other else move for move in view.moves)
        return render_hand(replace(view, moves=moves), NAMES, CAPTIONS, ghost=other.placement).png

    assert render_scored(other.points) != render_scored(other.points - 1)
