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
from tests.render.pixels import count, rgb
from tests.render.tables import CAPTIONS, GAMES, NAMES, mover, of


@pytest.mark.parametrize("game", GAMES)
def test_place_of_chosen_tile_keeps_its_letter(game: str) -> None:
    seen = mover(game, 10, 3)
    move = seen.moves[-1]

    def called(letter: str) -> bytes:
        places = tuple(replace(one, letter=letter) for one in seen.places if one.cell == move.placement.cell)
        return render_hand(replace(seen, places=places), NAMES, CAPTIONS, ghost=move.placement).png

    assert len({called("A"), called("B"), called("AB")}) == 3


@pytest.mark.parametrize("game", GAMES)
def test_letter_hides_little_of_tile(game: str) -> None:
    seen = mover(game, 10, 3)
    move = seen.moves[-1]
    bare = rgb(render_hand(replace(seen, places=()), NAMES, CAPTIONS, ghost=move.placement))
    picture = render_hand(seen, NAMES, CAPTIONS, ghost=move.placement, letters=())
    changed = ImageChops.difference(bare, rgb(picture)).convert("L").getbbox()
    xs, ys = zip(*picture.click_areas.places[move.placement.cell], strict=True)
    tile = (max(xs) - min(xs)) * (max(ys) - min(ys)) / (2 if len(xs) == 3 else 1)
    assert (changed[2] - changed[0]) * (changed[3] - changed[1]) <= tile / 3.5


def test_points_under_chosen_tile_follow_chosen_place() -> None:
    seen = view_for(of("triominoes", 10, 3), 1)
    best = {move.placement.tile: move for move in reversed(seen.moves)}
    other = next(move for move in seen.moves if move != best[move.placement.tile])

    def scoring(points: int) -> bytes:
        moves = tuple(replace(move, points=points) if move == other else move for move in seen.moves)
        return render_hand(replace(seen, moves=moves), NAMES, CAPTIONS, ghost=other.placement).png

    assert scoring(other.points) != scoring(other.points - 1)


def test_tile_chosen_for_figure_keeps_letter_of_its_place() -> None:
    filling = Filling(FIGURES["hexagon"])
    tile, cells = next(iter(filling.cells_by_tile.items()))
    chosen = Placement(tile, cells[0], filling.list_rotations(tile, cells[0])[0])

    def dark(tagged: Filling) -> int:
        return count(rgb(render_solo_puzzle(tagged, CAPTIONS, chosen=chosen)), DARK.slot)

    lying = filling.place(tile, cells[0], chosen.rotation)
    assert dark(filling) > count(rgb(render_solo_puzzle(lying, CAPTIONS)), DARK.slot)
