"""What is chosen and not played yet is named in the picture as the words beside it name it."""

from dataclasses import replace

import pytest
from PIL import ImageChops

from engine.board.board import Placement
from engine.match.player_view import view_for
from engine.solo.catalogue import FIGURES
from engine.solo.filling import Filling
from render.canvas.theme import DARK
from render.solo.picture import render_solo_puzzle
from render.table.hand import render_hand
from tests.render.pixels import count_pixels, to_rgb
from tests.render.tables import CAPTIONS, GAMES, NAMES, build_mover_view, build_running_round


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


def test_tile_chosen_for_figure_keeps_letter_of_its_place() -> None:
    filling = Filling(FIGURES["hexagon"])
    tile, cells = next(iter(filling.cells_by_tile.items()))
    chosen = Placement(tile, cells[0], filling.list_rotations(tile, cells[0])[0])

    def count_slot_pixels(tagged: Filling) -> int:
        return count_pixels(to_rgb(render_solo_puzzle(tagged, CAPTIONS, chosen=chosen)), DARK.slot)

    lying = filling.place(tile, cells[0], chosen.rotation)
    assert count_slot_pixels(filling) > count_pixels(to_rgb(render_solo_puzzle(lying, CAPTIONS)), DARK.slot)
