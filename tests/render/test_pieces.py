"""Sprites that are cut into pieces give the same pixels as whole ones."""

from itertools import pairwise
from random import Random

import pytest
from PIL import Image, ImageDraw

from render.canvas.cache import COMPOSITION_CACHE, PART_CACHE
from render.canvas.canvas import Canvas, Sprite
from render.canvas.cell_outline import Outline
from render.canvas.palette import get_palette
from render.canvas.pieces import MIN_RUN, compute_cuts, cut_picture
from render.canvas.theme import CONTRAST, DARK, Theme
from render.faces import Face
from render.table.laid import DRAWING_CACHE, open_tiles_drawing
from render.table.plain_tile import render_blank_tile, render_tile_shadow
from render.table.tile import paint_tile_with_shadow, render_tile
from tests.render.tables import build_running_round

SIZE = (260, 230)


def build_mask(kind: str) -> Image.Image:
    mask = Image.new("1", SIZE)
    pen, (width, height) = ImageDraw.Draw(mask), SIZE
    match kind:
        case "triangle":
            pen.polygon([(width // 2, 0), (width, height), (0, height)], fill=255)
        case "ring":
            pen.ellipse((0, 0, width - 1, height - 1), fill=255)
            pen.ellipse((30, 30, width - 31, height - 31), fill=0)
        case "full":
            pen.rectangle((0, 0, *SIZE), fill=255)
        case "a hole":
            pen.rectangle((0, 0, *SIZE), fill=255)
            mask.putpixel((100, 100), 0)
        case "specks":
            rng = Random(1)
            for _ in range(40):
                mask.putpixel((rng.randrange(width), rng.randrange(height)), 255)

    return mask


KINDS = ("triangle", "ring", "full", "a hole", "specks", "empty")


@pytest.mark.parametrize("kind", KINDS)
def test_sprite_in_pieces_is_pasted_as_whole_one_is(kind: str) -> None:
    mask, numbers = build_mask(kind), Image.frombytes("L", SIZE, Random(2).randbytes(SIZE[0] * SIZE[1]))
    for at in ((20, 30), (-50, -70), (300, 200)):
        canvas = Canvas(400, 300)
        canvas.image.paste(9, (0, 0, 400, 300))
        expected = canvas.image.copy()
        expected.paste(numbers, at, mask)
        canvas.paste_sprite(Sprite(DARK, numbers.convert("RGB"), mask, numbers), *at)
        assert canvas.image.tobytes() == expected.tobytes()


def test_cuts_omit_empty_areas_and_need_no_mask_for_full() -> None:
    mask = build_mask("triangle")
    found = compute_cuts(mask, mask)
    covered = sum((cut.right - cut.left) * (cut.bottom - cut.top) for cut in found)
    full = sum((cut.right - cut.left) * (cut.bottom - cut.top) for cut in found if cut.is_opaque)
    assert covered < 0.7 * SIZE[0] * SIZE[1]
    assert full > 0.5 * covered
    assert all(cut.right - cut.left >= MIN_RUN for cut in found if cut.is_opaque)
    cut_up = cut_picture(mask.convert("L"), found, mask)
    assert cut_up.bytes == covered
    assert all(piece.mask is None for piece in cut_up.opaque)


def test_mask_without_anything_in_it_has_no_pieces() -> None:
    assert compute_cuts(build_mask("empty"), build_mask("empty")) == ()


@pytest.mark.parametrize("edge", [62, 150, 240])
@pytest.mark.parametrize("outline", list(Outline))
def test_put_down_tile_equals_shadow_and_sprite_drawn_separately(edge: int, outline: Outline) -> None:
    labels, face = (1, 2, 3, 4)[: outline.sides], Face()
    thrown, reach = render_tile_shadow(DARK, edge, outline)
    canvas, expected = (Canvas(400, 400) for _ in range(2))
    paint_tile_with_shadow(canvas, edge, outline, labels, face, 10 + reach, 20 + reach)
    expected.paint_shadow(thrown, 10, 20)
    tile, cover = render_tile(edge, outline, labels, face), render_blank_tile(edge, outline)
    expected.paste_sprite(tile, 10 + reach, 20 + reach)
    edges = Image.new("L", (400, 400))
    edges.paste(cover.point([255 * (0 < level < 255) for level in range(256)]), (10 + reach, 20 + reach))
    for image in (canvas.image, expected.image):
        image.paste(0, mask=edges)
    assert canvas.image.tobytes() == expected.image.tobytes()


def has_shade_between(row: list[int]) -> bool:
    """Whether the first edge of a row of pixels has a pixel of a light between both sides."""
    start = next(at for at, light in enumerate(row) if abs(light - row[0]) > 60)
    out, inside = row[start - 2], row[start + 1]
    lights = row[start - 1 : start + 1]
    return any(min(abs(light - out), abs(light - inside)) > 0.06 * abs(inside - out) for light in lights)


@pytest.mark.parametrize("outline", [Outline.UP, Outline.DOWN])
@pytest.mark.parametrize("theme", [DARK, CONTRAST], ids=["dark", "contrast"])
def test_every_step_of_slanted_edge_has_a_shade_between(outline: Outline, theme: Theme) -> None:
    canvas = Canvas(300, 300, theme)
    paint_tile_with_shadow(canvas, 150, outline, (1, 2, 3), Face(theme=theme), 60, 60)
    image = get_palette(theme).to_palette_image(canvas.image).convert("L")
    for way in (1, -1):
        rows = [[image.getpixel((x, y)) for x in range(50, 220)][::way] for y in range(85, 160)]
        assert all(one or other for one, other in pairwise(map(has_shade_between, rows)))


def test_cache_for_one_size_does_not_grow_with_tiles() -> None:
    for cache in (PART_CACHE, COMPOSITION_CACHE, DRAWING_CACHE):
        cache.clear()
    match, kept = build_running_round("triominoes", 40), []
    tiles, lattice = tuple(match.board.placed.values()), match.rules.plane
    for count in (24, 40):
        with open_tiles_drawing(lattice, 150, Face(), tiles[:count]):
            kept.append(COMPOSITION_CACHE.bytes + PART_CACHE.bytes)
    assert kept[1] - kept[0] < 16 * 4_000


def test_drawing_does_not_depend_on_tile_order() -> None:
    match = build_running_round("triominoes", 16)
    tiles, lattice = tuple(match.board.placed.values()), match.rules.plane
    with (
        open_tiles_drawing(lattice, 150, Face(), tiles) as one,
        open_tiles_drawing(lattice, 150, Face(), tiles[::-1]) as other,
    ):
        assert one.canvas.image.tobytes() == other.canvas.image.tobytes()


def test_part_of_canvas_is_same_memory_and_its_edges_cut() -> None:
    canvas, blot = Canvas(300, 200), Sprite(DARK, Image.new("RGB", (80, 80)), None, Image.new("L", (80, 80), 99))
    for box in ((50, 40, 120, 100), (230, 150, 300, 200), (0, 0, 300, 200)):
        part = canvas.create_part(box)
        part.paste_sprite(blot, -10, 20)
        expected = Image.new("L", (box[2] - box[0], box[3] - box[1]))
        expected.paste(99, (-10, 20, 70, 100))
        assert part.image.tobytes() == expected.tobytes() == canvas.image.crop(box).tobytes()
        around = canvas.image.copy()
        around.paste(0, box)
        assert around.getbbox() is None
        canvas.image.paste(0, (0, 0, 300, 200))
