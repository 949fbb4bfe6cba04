"""The picture of a solo puzzle."""

import pytest

from engine.board.board import Placement
from engine.solo.catalogue import FIGURES
from engine.solo.filling import Filling
from render.canvas.cell_outline import Outline
from render.canvas.theme import DARK
from render.faces import Face, compute_sign_height
from render.solo.picture import render_solo_puzzle
from tests.render.pixels import count_pixels, to_rgb
from tests.render.readability import PHONE
from tests.render.tables import CAPTIONS


def test_tile_chosen_for_figure_keeps_letter_of_its_place() -> None:
    filling = Filling(FIGURES["hexagon"])
    tile, cells = next(iter(filling.cells_by_tile.items()))
    chosen = Placement(tile, cells[0], filling.list_rotations(tile, cells[0])[0])

    def count_slot_pixels(tagged: Filling) -> int:
        return count_pixels(to_rgb(render_solo_puzzle(tagged, CAPTIONS, chosen=chosen)), DARK.slot)

    lying = filling.place(tile, cells[0], chosen.rotation)
    assert count_slot_pixels(filling) > count_pixels(to_rgb(render_solo_puzzle(lying, CAPTIONS)), DARK.slot)


@pytest.mark.parametrize("figure", ["hexagon", "horseshoe"])
def test_remaining_tiles_can_be_read_on_phone(figure: str) -> None:
    picture = render_solo_puzzle(Filling(FIGURES[figure]), CAPTIONS)
    across, _ = zip(*next(iter(picture.click_areas.tiles.values())), strict=True)
    height = compute_sign_height(max(across) - min(across), Outline.UP, Face())
    assert height * PHONE / picture.width >= 9
