"""The public picture of a table."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from time import process_time

import pytest
from PIL import ImageChops, ImageStat

from engine.board import Placement
from engine.lattice import Cell, Site
from engine.seen import see
from render import Captions, table_picture
from render.canvas import Canvas
from render.cards import cards_height
from render.geometry import Layout, lay_out
from render.palette import coloured
from render.picture import HEADER, WIDTH
from render.png import ZLIB
from render.table import HEIGHT, draw_table
from render.theme import THEME
from tests.render.pixels import count, rgb
from tests.render.tables import CAPTIONS, NAMES, middle, over, reseated, with_tiles


def layout(seats: int = 4) -> Layout:
    """How the middle table is laid out in its picture."""
    seen = see(middle(seats), None)
    area = (24, HEADER + 18, WIDTH - 24, HEIGHT - 20 - cards_height(seats) - 18)
    plane = seen.rules.plane
    return lay_out(plane, seen.tiles, [place.cell for place in seen.places], seen.dead, area)


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_every_number_of_seats_has_its_cards(seats: int) -> None:
    picture = table_picture(see(middle(seats), None), NAMES, CAPTIONS)
    assert (picture.width, picture.height) == (1200, 900)
    image = rgb(picture)
    for seat in range(seats):
        assert count(image, THEME.seat(seat), (0, 700, 1200, 900)) > 40


def test_the_last_move_has_a_gold_ring() -> None:
    seen = see(middle(), None)
    spot = layout().spot(seen.tiles[-1].cell)
    box = (spot.x, spot.y, spot.x + layout().edge, spot.y + layout().row)
    with_ring = count(rgb(table_picture(seen, NAMES, CAPTIONS)), THEME.gold, box)
    without = count(rgb(table_picture(replace(seen, last=None), NAMES, CAPTIONS)), THEME.gold, box)
    assert with_ring > layout().edge * 3
    assert without < layout().edge


def test_the_glow_of_the_last_move_touches_no_other_tile() -> None:
    seen = see(middle(), None)
    lit = rgb(table_picture(seen, NAMES, CAPTIONS))
    unlit = rgb(table_picture(replace(seen, last=None), NAMES, CAPTIONS))
    edge = layout().edge
    for placement in seen.tiles[:-1]:
        spot = layout().spot(placement.cell)
        # The heart of the face: the sloping sides of the box belong to the neighbours.
        across, down = spot.outline.heart(edge)
        x, y = spot.x + across, spot.y + down
        box = (x - edge // 8, y - edge // 8, x + edge // 8, y + edge // 8)
        assert ImageChops.difference(lit.crop(box), unlit.crop(box)).getbbox() is None


def test_new_hexagons_are_outlined_more_heavily_than_old_ones() -> None:
    seen = see(middle(), None)
    bare = rgb(table_picture(replace(seen, hexagons=(), newest=()), NAMES, CAPTIONS))

    def touched(newest: tuple[Site, ...]) -> int:
        outlined = rgb(table_picture(replace(seen, newest=newest), NAMES, CAPTIONS))
        return 1200 * 900 - count(ImageChops.difference(bare, outlined), (0, 0, 0), within=0)

    assert touched(()) > 500
    assert touched(seen.hexagons) > 1.3 * touched(())


def test_bridges_are_outlined_in_pink() -> None:
    seen = replace(see(middle(), None), last=None)
    assert count(rgb(table_picture(seen, NAMES, CAPTIONS)), THEME.pink) > 300
    assert count(rgb(table_picture(replace(seen, bridges=()), NAMES, CAPTIONS)), THEME.pink) == 0


def test_an_open_place_shows_its_badge_and_a_dead_one_only_a_small_mark() -> None:
    seen = see(middle(), None)
    image = rgb(table_picture(seen, NAMES, CAPTIONS))
    edge, high = layout().edge, layout().row
    for cell, badge in [(place.cell, True) for place in seen.places] + [(cell, False) for cell in seen.dead]:
        spot = layout().spot(cell)
        box = (spot.x + edge // 4, spot.y + high // 8, spot.x + edge * 3 // 4, spot.y + high * 7 // 8)
        assert (count(image, THEME.badge, box) > edge) == badge
        assert badge or count(image, THEME.faint, box) > 5


def test_the_picture_is_the_same_whatever_the_hidden_tiles_are() -> None:
    match = middle()
    before = table_picture(see(match, None), NAMES, CAPTIONS).png
    other = replace(
        match,
        seats=[replace(seat, hand=list(seat.hand)) for seat in match.seats],
        boneyard=list(match.boneyard),
    )
    one, two = other.seats[0], other.seats[1]
    assert one.hand
    assert two.hand
    one.hand[0], two.hand[0] = two.hand[0], one.hand[0]
    if other.boneyard:
        one.hand[0], other.boneyard[0] = other.boneyard[0], one.hand[0]
    assert [seat.hand for seat in other.seats] != [seat.hand for seat in match.seats]
    assert table_picture(see(other, None), NAMES, CAPTIONS).png == before


def test_the_table_shows_nobodys_hand_even_when_a_player_looks() -> None:
    match = middle()
    assert table_picture(see(match, 1), NAMES, CAPTIONS).png == table_picture(see(match, None), NAMES, CAPTIONS).png


@pytest.mark.parametrize("seats", [2, 4, 6])
def test_a_finished_round_shows_the_open_hands(seats: int) -> None:
    seen = see(over(seats), None)
    empty = replace(seen, seats=tuple(replace(seat, hand=()) for seat in seen.seats))
    shown, hidden = (rgb(table_picture(table, NAMES, CAPTIONS)) for table in (seen, empty))
    assert shown.size == hidden.size
    low = shown.height - 20 - cards_height(seats)
    box = (0, low - 104, WIDTH, low)
    assert count(shown, THEME.face, box) > 1000
    assert count(hidden, THEME.face, box) < 300


@pytest.mark.parametrize("tiles", [0, 1, 9, 20, 40])
def test_open_hands_of_any_size_stay_on_their_cards(tiles: int) -> None:
    seen = reseated(see(over(6), None), hand=see(over(6), None).rules.tiles[:tiles], tiles=tiles)
    image = rgb(table_picture(seen, NAMES, CAPTIONS))
    assert count(image, THEME.face, (0, image.height - 20 - cards_height(6), 24, image.height)) == 0
    assert count(image, THEME.face, (204, image.height - 270, 219, image.height)) == 0


def test_an_empty_table_invites_to_its_first_place() -> None:
    seen = see(middle(), None)
    empty = replace(seen, tiles=(), last=None, hexagons=(), newest=(), bridges=(), dead=(), places=seen.places[:1])
    image = rgb(table_picture(empty, NAMES, CAPTIONS))
    assert count(image, THEME.gold, (450, 250, 750, 600)) > 1500


@pytest.mark.parametrize(
    "changes",
    [
        {"total": -85, "change": -25},
        {"total": 123456, "change": 99999},
        {"total": 0, "change": 0, "tiles": 0},
        {"total": 399, "change": None, "tiles": 38},
        {"resigned": True},
        {"computer": True},
    ],
)
@pytest.mark.parametrize("seats", [2, 4, 6])
def test_extreme_cards_keep_to_themselves(changes: dict[str, object], seats: int) -> None:
    seen = see(middle(seats), None)
    usual = rgb(table_picture(seen, NAMES, CAPTIONS))
    extreme = rgb(table_picture(reseated(seen, **changes), ["W" * 40, *NAMES[1:]], CAPTIONS))
    changed = ImageChops.difference(usual, extreme).getbbox()
    assert changed is not None
    left, top, right, bottom = changed
    assert left >= 24
    assert right <= 24 + (1200 - 48) // seats
    assert top >= HEIGHT - 20 - cards_height(seats)
    assert bottom <= HEIGHT - 20


@pytest.mark.parametrize("name", ["🦊", "田中さん", "שלום עולם", "", "W" * 200, "\u202eAda", "A\nB", "Z\u0327\u0351"])
def test_any_name_can_be_drawn(name: str) -> None:
    seen = see(middle(6), None)
    image = rgb(table_picture(seen, [name] * 6, Captions(name, name, name, name)))
    assert count(image, THEME.white, (24, 730, 204, 775)) > 20


@pytest.mark.parametrize("seats", [2, 4, 6])
def test_the_longest_board_stays_between_header_and_cards(seats: int) -> None:
    seen = see(middle(seats), None)
    tiles = seen.rules.tiles
    line = tuple(Placement(tiles[n], Cell("UD"[n % 2], 0, n // 2), 0) for n in range(56))
    lone = replace(seen, tiles=line, places=(), dead=(), hexagons=(), newest=(), bridges=(), last=None)
    image = rgb(table_picture(lone, NAMES, CAPTIONS))
    assert count(image, THEME.face) > 1500
    assert count(image, THEME.face, (0, 0, 1200, HEADER)) == 0
    low, end = image.height - 20 - cards_height(seats), image.height
    assert count(image, THEME.face, (0, low, 1200, end)) == 0
    assert count(image, THEME.face, (0, 0, 24, end)) == count(image, THEME.face, (1176, 0, 1200, end)) == 0


def test_the_palette_picture_looks_like_the_true_colours() -> None:
    for match in (middle(), middle(6), over(4)):
        seen = see(match, None)
        palette = coloured(draw_table(Canvas(WIDTH, HEIGHT), seen, NAMES, CAPTIONS).image).convert("RGB")
        true = draw_table(Canvas(WIDTH, HEIGHT, true=True), seen, NAMES, CAPTIONS).image
        assert max(ImageStat.Stat(ImageChops.difference(palette, true)).rms) <= 2


@pytest.mark.parametrize(("tiles", "most"), [(10, 60_000), (24, 72_000), (40, 80_000)])
def test_pictures_are_small_files(tiles: int, most: int) -> None:
    assert len(table_picture(see(with_tiles(tiles), None), NAMES, CAPTIONS).png) <= most


def test_pictures_drawn_at_the_same_time_are_the_same_as_one_after_the_other() -> None:
    tables = [see(middle(seats), None) for seats in (2, 3, 4, 5, 6)] * 3
    alone = [table_picture(seen, NAMES, CAPTIONS).png for seen in tables]
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(lambda seen: table_picture(seen, NAMES, CAPTIONS).png, tables))
    assert together == alone


def test_drawing_takes_less_than_zlib_takes_for_the_file() -> None:
    seen = see(middle(), None)
    canvas = draw_table(Canvas(WIDTH, HEIGHT), seen, NAMES, CAPTIONS)

    def cost(act: object) -> float:
        assert callable(act)
        spent = []
        for _ in range(12):
            begun = process_time()
            act()
            spent.append(process_time() - begun)
        return min(spent)

    assert cost(lambda: draw_table(Canvas(WIDTH, HEIGHT), seen, NAMES, CAPTIONS)) <= cost(lambda: canvas.png(ZLIB))
