"""Faces of tiles: numbers, pips and shapes on corners and sides, and the signs of wild tiles."""

from itertools import combinations, product

import pytest
from PIL import Image, ImageChops, ImageDraw, ImageStat

from data.rulebook import load_rules
from engine.board.tiles import BOSS, WILD
from render.canvas.cell_outline import Outline
from render.canvas.geometry import EDGES
from render.canvas.palette import get_palette
from render.canvas.theme import DARK
from render.faces import Face, build_face, compute_sign_height
from render.faces.face import MEASURES, PILL_INSET, Signs, compute_inlay_centre, render_inlay
from render.faces.shapes import SHAPES, draw_shape
from render.faces.signs import render_number, render_sum
from render.table.plain_tile import render_brass_ring
from render.table.tile import render_tile
from tests.render.pixels import count_pixels

EDGE = 104
DIGITS, SHAPED = Face(), Face(signs="shapes")
SIDES, SIDES_SHAPED = Face("sides", "pips"), Face("sides", "shapes")
OUTLINES = [Outline.UP, Outline.DOWN, Outline.SQUARE]


def render_sample(outline: Outline, labels: tuple[int, ...], face: Face, edge: int = EDGE) -> Image.Image:
    return render_tile(edge, outline, labels, face).rgb_image


@pytest.mark.parametrize("outline", OUTLINES)
@pytest.mark.parametrize("face", [DIGITS, SHAPED, SIDES, SIDES_SHAPED])
def test_every_label_has_its_colour_at_its_corner_or_side(outline: Outline, face: Face) -> None:
    labels = (1, 2, 3, 4)[: outline.sides]
    image = render_sample(outline, labels, face)
    for slot, label in enumerate(labels):
        at = PILL_INSET if face.signs == "pips" else MEASURES[face.labels, outline.sides].inset
        x, y = compute_inlay_centre(EDGE, outline, face.labels, slot, at)
        reach = EDGE // 8
        box = (max(0, x - reach), max(0, y - reach), min(image.width, x + reach), min(image.height, y + reach))
        part = image.crop(tuple(map(round, box)))
        assert max(labels, key=lambda value: count_pixels(part, DARK.values[value], within=0)) == label


@pytest.mark.parametrize("outline", OUTLINES)
@pytest.mark.parametrize("face", [DIGITS, SHAPED, Face("sides"), SIDES_SHAPED])
def test_signs_stay_inside_their_inlays(outline: Outline, face: Face) -> None:
    for value in range(10):
        for slot in range(outline.sides):
            cover = render_inlay(EDGE, outline, face, slot)
            sign = render_number(EDGE, outline, face, slot, value)
            outside = ImageStat.Stat(ImageChops.subtract(sign, cover)).sum[0]
            assert outside <= 0.06 * ImageStat.Stat(sign).sum[0], f"{value} in slot {slot}"


def test_larger_tiles_never_have_smaller_digits() -> None:
    for outline in OUTLINES:
        heights = [compute_sign_height(edge, outline, DIGITS) for edge in EDGES]
        assert heights == sorted(heights)


def test_any_two_shapes_differ_at_size_of_letter() -> None:
    def silhouette(value: int) -> Image.Image:
        sheet = Image.new("L", (80, 80), 0)
        draw_shape(ImageDraw.Draw(sheet), SHAPES[value], (40, 40), 80)
        return sheet.reduce(8)

    assert len(SHAPES) == 10
    for one, other in combinations(range(10), 2):
        difference = ImageStat.Stat(ImageChops.difference(silhouette(one), silhouette(other))).mean[0]
        assert difference > 255 * 0.12, f"{one} looks like {other}"


@pytest.mark.parametrize("signs", ["pips", "shapes"])
@pytest.mark.parametrize("edge", [44, 66, 104, 150, 240])
def test_domino_shows_its_sum_at_every_size(edge: int, signs: Signs) -> None:
    for outline in (Outline.UP, Outline.DOWN):
        for labels, total in (((0, 3, 5), 8), ((5, 5, 5), 15), ((0, 0, 0), 0), ((WILD, 3, 4), 7)):
            face = Face("sides", signs, wild_value=0)
            image = render_tile(edge, outline, labels, face).rgb_image
            sign = render_sum(edge, outline, face, total).point([255 * (level == 255) for level in range(256)])
            solid = ImageStat.Stat(sign).sum[0] / 255
            assert solid > 0
            found = Image.new("RGB", image.size, (0, 0, 0))
            found.paste(image, (0, 0), sign)
            assert count_pixels(found, DARK.ink_quiet, within=0) == solid
    # A side that stays wild has no sum.
    wild = render_tile(edge, Outline.UP, (WILD, 3, 4), Face("sides", signs)).rgb_image
    assert count_pixels(wild, DARK.ink_quiet, within=0) == 0


def test_every_number_of_pips_has_its_own_amount_of_ink() -> None:
    face = Face("sides", "pips")
    amounts = [ImageStat.Stat(render_number(190, Outline.DOWN, face, 0, value)).sum[0] for value in range(7)]
    assert 0 < amounts[0] < 1.2 * amounts[1]
    for value in range(1, 7):
        assert abs(amounts[value] - value * amounts[1]) < 0.1 * value * amounts[1]


def test_wild_label_is_crown_on_gold() -> None:
    image = render_sample(Outline.UP, (WILD, 0, 0), DIGITS)
    assert count_pixels(image, DARK.brass, (0, 45, 52, 90)) > 150
    assert count_pixels(image, DARK.brass, (52, 0, 104, 90)) == 0


def test_boss_shows_crown_and_value_of_its_sides() -> None:
    held = render_sample(Outline.UP, BOSS, SIDES)
    lying = render_sample(Outline.UP, BOSS, Face("sides", "pips", wild_value=0))
    still_wild = render_sample(Outline.UP, BOSS, Face("sides", "pips", wild_value=None))
    assert count_pixels(held, DARK.brass) > 250
    assert count_pixels(held, DARK.brass_light) == 0
    assert count_pixels(lying, DARK.brass) > 80
    # Each side has a ring in a pill with a brass edge.
    assert count_pixels(lying, DARK.brass_light) > 3 * 5
    assert count_pixels(lying, DARK.brass_dark) > 3 * 30
    assert ImageChops.difference(held, still_wild).getbbox() is None


def test_face_of_game_and_wild_value_follow_rules() -> None:
    star = load_rules("star")
    assert build_face(star, "classic") == Face("sides", "pips", wild_value=0)
    assert build_face(star.with_option("boss_after", "wild"), "classic") == Face("sides", "pips", wild_value=None)
    assert build_face(star, "classic").hand_face == Face("sides", "pips", wild_value=None)
    assert build_face(load_rules("quad-ominos"), "picture") == Face("corners", "shapes", wild_value=None)


def test_unknown_theme_is_refused_with_available_themes() -> None:
    with pytest.raises(ValueError, match=r"'neon'.*classic, picture"):
        build_face(load_rules("star"), "neon")


@pytest.mark.parametrize("outline", OUTLINES)
def test_ring_of_last_tile_hides_no_sign(outline: Outline) -> None:
    for face, value in product((DIGITS, SHAPED, SIDES), range(10)):
        sprite, pad = render_brass_ring(DARK, EDGE, outline)
        ring = sprite.mask.convert("L").crop((pad, pad, sprite.width - pad, sprite.height - pad))
        for slot in range(outline.sides):
            sign = render_number(EDGE, outline, face, slot, value)
            assert ImageStat.Stat(ImageChops.darker(ring, sign)).sum[0] <= 0.02 * ImageStat.Stat(sign).sum[0]


@pytest.mark.parametrize("outline", OUTLINES)
@pytest.mark.parametrize("face", [DIGITS, SHAPED, SIDES, SIDES_SHAPED, Face(wild_value=3), Face("sides", "pips", 0)])
def test_tile_composed_of_labels_equals_tile_painted_at_once(outline: Outline, face: Face) -> None:
    kinds = [labels[: outline.sides] for labels in ((1, 2, 3, 4), (0, 0, 9, 9), (WILD, 8, WILD, 5), BOSS)]
    for edge, labels, lit in product((16, 38, 104, 168), kinds, (False, True)):
        sprite = render_tile(edge, outline, labels, face, lit=lit)
        painted = get_palette(DARK).to_index_image(sprite.rgb_image)
        assert sprite.index_image.tobytes() == painted.tobytes(), (edge, labels, lit)
