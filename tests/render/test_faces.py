"""What tiles carry: numbers, pips and shapes on corners and sides, and the signs of wild tiles."""

from itertools import combinations, product

import pytest
from PIL import Image, ImageChops, ImageDraw, ImageStat

from data.rulebook import rules
from engine.tiles import BOSS, WILD
from render.faces import Face, face_of, field_layers
from render.faces.places import anchor
from render.faces.shapes import SHAPES, draw_shape
from render.faces.signs import PIPS_FROM, number_sign
from render.outline import Outline
from render.palette import numbered
from render.theme import THEME
from render.tile import tile_sprite
from tests.render.pixels import count

EDGE = 104
DIGITS, SHAPED = Face(), Face(signs="shapes")
SIDES, SIDES_SHAPED = Face("sides", "pips"), Face("sides", "shapes")
OUTLINES = [Outline.UP, Outline.DOWN, Outline.SQUARE]


def drawn(outline: Outline, labels: tuple[int, ...], face: Face, edge: int = EDGE) -> Image.Image:
    return tile_sprite(edge, outline, labels, face).rgb


@pytest.mark.parametrize("outline", OUTLINES)
@pytest.mark.parametrize("face", [DIGITS, SHAPED, SIDES, SIDES_SHAPED])
def test_every_label_lies_in_its_colour_at_its_corner_or_side(outline: Outline, face: Face) -> None:
    labels = (1, 2, 3, 4)[: outline.sides]
    image = drawn(outline, labels, face)
    for slot, label in enumerate(labels):
        x, y = anchor(EDGE, outline, face.labels, slot)
        reach = EDGE // 5
        box = (max(0, x - reach), max(0, y - reach), min(image.width, x + reach), min(image.height, y + reach))
        left, top, right, bottom = (round(v) for v in box)
        found = {value: count(image, THEME.values[value], (left, top, right, bottom), within=0) for value in labels}
        assert max(found, key=lambda value: found[value]) == label


@pytest.mark.parametrize("outline", OUTLINES)
@pytest.mark.parametrize("face", [DIGITS, SHAPED, Face("sides"), SIDES_SHAPED])
def test_signs_keep_to_their_fields(outline: Outline, face: Face) -> None:
    for value in range(10):
        covers = field_layers(EDGE, outline, face, (value,) * outline.sides)
        for slot, (_, cover) in enumerate(covers):
            sign = number_sign(EDGE, outline, face, slot, value)
            outside = ImageStat.Stat(ImageChops.subtract(sign, cover)).sum[0]
            assert outside <= 0.06 * ImageStat.Stat(sign).sum[0], f"{value} in slot {slot}"


def test_any_two_shapes_differ_at_the_size_of_a_letter() -> None:
    def silhouette(value: int) -> Image.Image:
        sheet = Image.new("L", (80, 80), 0)
        draw_shape(ImageDraw.Draw(sheet), SHAPES[value], (40, 40), 80)
        return sheet.reduce(8)

    assert len(SHAPES) == 10
    for one, other in combinations(range(10), 2):
        apart = ImageStat.Stat(ImageChops.difference(silhouette(one), silhouette(other))).mean[0]
        assert apart > 255 * 0.12, f"{one} looks like {other}"


def test_dominoes_carry_pips_where_they_are_large_and_digits_where_they_are_small() -> None:
    for edge, pips in ((PIPS_FROM, True), (PIPS_FROM - 26, False)):
        as_pips = drawn(Outline.UP, (0, 3, 5), SIDES, edge)
        as_digits = drawn(Outline.UP, (0, 3, 5), SIDES.plain, edge)
        assert (ImageChops.difference(as_pips, as_digits).getbbox() is not None) == pips


def test_every_number_of_pips_has_its_own_amount_of_ink() -> None:
    amounts = []
    for value in range(10):
        image = drawn(Outline.DOWN, (value, value, value), SIDES, 190)
        amounts.append(count(image, THEME.digit(value), within=0) / 3)
    # Nothing for nought, and one pip more for each number.
    assert amounts[0] == 0
    for value in range(1, 10):
        assert abs(amounts[value] - value * amounts[1]) < 0.2 * value * amounts[1]


def test_a_wild_label_is_a_crown_on_gold() -> None:
    image = drawn(Outline.UP, (WILD, 0, 0), DIGITS)
    assert count(image, THEME.gold, (0, 50, 50, 90)) > 150
    assert count(image, THEME.gold, (52, 0, 104, 90)) == 0


def test_a_boss_wears_a_crown_and_shows_what_its_sides_have_come_to_count() -> None:
    held = drawn(Outline.UP, BOSS, SIDES)
    lying = drawn(Outline.UP, BOSS, Face("sides", "pips", stands=0))
    still_wild = drawn(Outline.UP, BOSS, Face("sides", "pips", stands=None))
    assert count(held, THEME.gold) > 800
    assert count(held, THEME.values[0]) == 0
    assert count(lying, THEME.gold) > 200
    assert count(lying, THEME.values[0]) > 1000
    assert ImageChops.difference(held, still_wild).getbbox() is None


def test_what_is_wild_on_the_table_of_a_game_follows_from_its_rules() -> None:
    star = rules("star")
    assert face_of(star, "classic") == Face("sides", "pips", stands=0)
    assert face_of(star.with_option("boss_after", "wild"), "classic") == Face("sides", "pips", stands=None)
    assert face_of(star, "classic").held == Face("sides", "pips", stands=None)
    assert face_of(rules("quad-ominos"), "picture") == Face("corners", "shapes", stands=None)


def test_an_unknown_theme_is_refused_with_the_names_of_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"'neon'.*classic, picture"):
        face_of(rules("star"), "neon")


@pytest.mark.parametrize("outline", OUTLINES)
def test_a_ring_hides_no_digit(outline: Outline) -> None:
    for face, value in product((DIGITS, SIDES), range(10)):
        labels = (value,) * outline.sides
        plain, ringed = (tile_sprite(EDGE, outline, labels, face, colour).rgb for colour in (None, THEME.gold))
        ink = THEME.digit(value)
        assert count(ringed, ink, within=0) >= 0.99 * count(plain, ink, within=0)


@pytest.mark.parametrize("outline", OUTLINES)
@pytest.mark.parametrize("face", [DIGITS, SHAPED, SIDES, SIDES_SHAPED, Face(stands=3), Face("sides", "pips", 0)])
def test_a_tile_put_together_from_its_labels_is_the_one_painted_whole(outline: Outline, face: Face) -> None:
    """Also where there is so little room that two labels share pixels: on sides, with an edge of 16 to 38."""
    kinds = [labels[: outline.sides] for labels in ((1, 2, 3, 4), (0, 0, 9, 9), (WILD, 8, WILD, 5), BOSS)]
    for edge, labels, colour in product((16, 38, 104, 168), kinds, (None, THEME.gold)):
        sprite = tile_sprite(edge, outline, labels, face, colour)
        assert sprite.numbers.tobytes() == numbered(sprite.rgb).tobytes(), (edge, labels, colour)
