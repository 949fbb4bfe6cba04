"""The public picture of a table."""

from dataclasses import replace

import pytest
from PIL import ImageChops

from engine.board.board import Placement
from engine.board.lattice import Cell, Site
from engine.match.player_view import view_for
from render.canvas.geometry import EDGES, Layout
from render.canvas.picture import HEADER_HEIGHT, RIM, WIDTH, Captions, Header
from render.canvas.theme import DARK, SCHEMES
from render.faces import build_face
from render.table.board_picture import find_bridge_sites
from render.table.cards import compute_card_height, compute_card_positions
from render.table.table_picture import MAX_HEIGHT, MIN_HEIGHT, arrange_table, draw_table, render_table
from tests.render.pixels import compute_palette_error, count_ivory, count_pixels, to_rgb
from tests.render.readability import measure_board
from tests.render.tables import (
    CAPTIONS,
    NAMES,
    build_arrangement,
    build_ended_round,
    build_mid_round,
    build_running_round,
    build_window,
    build_won_round,
    with_first_seat,
)

pytestmark = pytest.mark.usefixtures("zlib_pictures")


def build_sample_layout() -> Layout:
    return build_window(view_for(build_mid_round(), None)).layout


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_every_number_of_seats_has_its_cards(seats: int) -> None:
    view = view_for(build_mid_round(seats), None)
    image, low = to_rgb(render_table(view, NAMES, CAPTIONS)), build_arrangement(view).plates_top
    for seat in range(seats):
        assert count_pixels(image, DARK.get_seat_colour(seat), (0, low, 1200, image.height)) > 40


@pytest.mark.parametrize("tiles", [1, 3, 8, 16, 30, 45])
@pytest.mark.parametrize("seats", [2, 4, 6])
def test_picture_takes_shape_of_table_and_table_fills_it(tiles: int, seats: int) -> None:
    view = view_for(build_running_round("triominoes", tiles, seats), None)
    left, top, right, bottom = build_arrangement(view).board
    cells = [*(lying.cell for lying in view.tiles), *(place.cell for place in view.places)]
    shown = build_window(view).layout
    boxes = [shown.compute_box(cell) for cell in cells]
    wide = max(box[2] for box in boxes) - min(box[0] for box in boxes)
    high = max(box[3] for box in boxes) - min(box[1] for box in boxes)
    picture = render_table(view, NAMES, CAPTIONS)
    assert MIN_HEIGHT <= picture.height <= MAX_HEIGHT + 60
    larger = next((edge for edge in EDGES if edge > shown.edge), None)
    # Tiles of the next larger size would not fit or do not exist, and no row of pixels is empty.
    assert (
        larger is None or wide * larger / shown.edge > right - left or picture.height * larger / shown.edge > MAX_HEIGHT
    )
    assert bottom - top - high <= 0.3 * shown.edge or picture.height == MIN_HEIGHT


def test_last_move_has_ring_of_brass() -> None:
    view = view_for(build_mid_round(), None)
    spot = build_sample_layout().locate_cell(view.tiles[-1].cell)
    box = (spot.x, spot.y, spot.x + build_sample_layout().edge, spot.y + build_sample_layout().row_height)
    with_ring = count_pixels(to_rgb(render_table(view, NAMES, CAPTIONS)), DARK.brass_light, box)
    without = count_pixels(to_rgb(render_table(replace(view, last=None), NAMES, CAPTIONS)), DARK.brass_light, box)
    assert with_ring > build_sample_layout().edge
    assert without < build_sample_layout().edge // 4


def test_glow_of_last_move_touches_no_other_tile() -> None:
    view = view_for(build_mid_round(), None)
    lit = to_rgb(render_table(view, NAMES, CAPTIONS))
    unlit = to_rgb(render_table(replace(view, last=None), NAMES, CAPTIONS))
    edge = build_sample_layout().edge
    for placement in view.tiles[:-1]:
        spot = build_sample_layout().locate_cell(placement.cell)
        # Only the middle of the face: the corners of its box belong to the neighbours.
        across, down = spot.outline.compute_centre_pixel(edge)
        x, y = spot.x + across, spot.y + down
        box = (x - edge // 8, y - edge // 8, x + edge // 8, y + edge // 8)
        assert ImageChops.difference(lit.crop(box), unlit.crop(box)).getbbox() is None


def test_new_hexagons_are_outlined_more_heavily_than_old_ones() -> None:
    view = view_for(build_mid_round(), None)
    bare = to_rgb(render_table(replace(view, hexagons=(), newest=()), NAMES, CAPTIONS))

    def count_changed_pixels(newest: tuple[Site, ...]) -> int:
        outlined = to_rgb(render_table(replace(view, newest=newest), NAMES, CAPTIONS))
        return bare.width * bare.height - count_pixels(ImageChops.difference(bare, outlined), (0, 0, 0), within=0)

    assert count_changed_pixels(()) > 500
    assert count_changed_pixels(view.hexagons) > 1.3 * count_changed_pixels(())


def test_bridge_has_copper_stud_where_it_touches() -> None:
    view = replace(view_for(build_mid_round(), None), last=None)
    (cell, site), *_ = find_bridge_sites(view).items()
    x, y = build_sample_layout().locate_corner(site)
    box = (x - 12, y - 12, x + 12, y + 12)
    assert cell in view.bridges
    assert count_pixels(to_rgb(render_table(view, NAMES, CAPTIONS)), DARK.copper, box) > 100
    assert count_pixels(to_rgb(render_table(replace(view, bridges=()), NAMES, CAPTIONS)), DARK.copper) == 0


def test_hexagon_has_brass_stud_in_its_middle() -> None:
    view = replace(view_for(build_mid_round(), None), last=None)
    x, y = build_sample_layout().locate_corner(view.hexagons[0])
    box = (x - 12, y - 12, x + 12, y + 12)
    assert count_pixels(to_rgb(render_table(view, NAMES, CAPTIONS)), DARK.brass, box) > 60
    assert count_pixels(to_rgb(render_table(replace(view, hexagons=()), NAMES, CAPTIONS)), DARK.brass, box) == 0


def test_gap_without_such_tile_has_its_own_sign() -> None:
    view = view_for(build_running_round("triominoes", 20, 2), None)
    other = replace(view, impossible=set(view.dead) - set(view.impossible))
    spots = [build_window(view).layout.compute_box(cell) for cell in view.dead]
    pictures = [to_rgb(render_table(shown, NAMES, CAPTIONS)) for shown in (view, other)]
    assert all(pictures[0].crop(box).tobytes() != pictures[1].crop(box).tobytes() for box in spots)


def test_open_place_has_slot_with_letter_and_dead_place_none() -> None:
    view = view_for(build_mid_round(), None)
    image = to_rgb(render_table(view, NAMES, CAPTIONS))
    edge, high = build_sample_layout().edge, build_sample_layout().row_height
    for cell, open_ in [(place.cell, True) for place in view.places] + [(cell, False) for cell in view.dead]:
        spot = build_sample_layout().locate_cell(cell)
        box = (spot.x + edge // 4, spot.y + high // 8, spot.x + edge * 3 // 4, spot.y + high * 7 // 8)
        assert (count_pixels(image, DARK.slot, box, within=0) > edge) == open_
        assert not open_ or count_pixels(image, DARK.quiet, box) > edge


def test_picture_does_not_depend_on_hidden_tiles() -> None:
    match = build_mid_round()
    before = render_table(view_for(match, None), NAMES, CAPTIONS).png
    other = replace(
        match, seats=[replace(seat, hand=list(seat.hand)) for seat in match.seats], boneyard=list(match.boneyard)
    )
    one, two = other.seats[0], other.seats[1]
    one.hand[0], two.hand[0] = two.hand[0], one.hand[0]
    if other.boneyard:
        one.hand[0], other.boneyard[0] = other.boneyard[0], one.hand[0]
    assert [seat.hand for seat in other.seats] != [seat.hand for seat in match.seats]
    assert render_table(view_for(other, None), NAMES, CAPTIONS).png == before


def test_public_picture_shows_no_hand_even_for_player() -> None:
    match = build_mid_round()
    own, public = (render_table(view_for(match, viewer), NAMES, CAPTIONS) for viewer in (1, None))
    assert own.png == public.png


@pytest.mark.parametrize("game", ["triominoes", "quad-ominos", "star"])
@pytest.mark.parametrize("tiles", [1, 5, 12])
def test_open_hands_can_be_read_on_phone(game: str, tiles: int) -> None:
    over = view_for(build_ended_round(game, 4), None)
    hands = (over.rules.tiles[seat * tiles : (seat + 1) * tiles] for seat in range(4))
    seats = tuple(replace(seat, hand=hand) for seat, hand in zip(over.seats, hands, strict=True))
    sizes = measure_board(replace(over, seats=seats))
    assert sizes.open_hands >= 6.5


def test_empty_table_shows_its_first_place() -> None:
    view = view_for(build_mid_round(), None)
    empty = replace(view, tiles=(), last=None, hexagons=(), newest=(), bridges=(), dead=(), places=view.places[:1])
    image = to_rgb(render_table(empty, NAMES, CAPTIONS))
    assert count_pixels(image, DARK.brass, (400, 250, 800, 600)) > 1500


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
def test_extreme_cards_do_not_overlap(changes: dict[str, object], seats: int) -> None:
    view = view_for(build_mid_round(seats), None)
    usual = to_rgb(render_table(view, NAMES, CAPTIONS))
    extreme = to_rgb(render_table(with_first_seat(view, **changes), ["W" * 40, *NAMES[1:]], CAPTIONS))
    left, top, right, bottom = ImageChops.difference(usual, extreme).getbbox()
    _, x, width = compute_card_positions(WIDTH, seats)[0]
    plates = build_arrangement(view).plates_top
    assert x <= left < right <= x + width
    assert plates <= top < bottom <= plates + compute_card_height(seats)


@pytest.mark.parametrize("points", [9, 25, 99, 111, 150, 288])
def test_turn_points_do_not_overlap_tile_count_with_twelve_seats(points: int) -> None:
    view = view_for(build_running_round("quad-ominos", 10, 12), None)
    face = build_face(view.rules, "classic")
    image = to_rgb(render_table(with_first_seat(view, total=237, change=points, tiles=0), NAMES, CAPTIONS))
    _, x, width = compute_card_positions(WIDTH, 12)[0]
    plates = arrange_table(view, face).plates_top
    line = image.crop((x, plates + 66, x + width, plates + 93))
    columns = [line.crop((column, 0, column + 1, line.height)) for column in range(width)]
    gained = [number for number, column in enumerate(columns) if count_pixels(column, DARK.gain)]
    little = [number for number, column in enumerate(columns) if count_pixels(column, DARK.lip) > 9]
    assert not gained or gained[-1] + 12 < little[0], "beside the score there is room for both, or it stands above"


@pytest.mark.parametrize("name", ["🦊", "田中さん", "שלום עולם", "", "W" * 200, "\u202eAda", "A\nB", "Z\u0327\u0351"])
def test_any_name_can_be_drawn(name: str) -> None:
    view = view_for(build_mid_round(6), None)
    image = to_rgb(render_table(view, [name] * 6, Captions(name, name, name, name)))
    low = build_arrangement(view).plates_top
    assert count_pixels(image, DARK.text, (RIM, low, 300, low + 60)) > 20


@pytest.mark.parametrize("seats", [2, 4, 6])
def test_longest_board_stays_between_header_and_cards(seats: int) -> None:
    view = view_for(build_mid_round(seats), None)
    tiles = view.rules.tiles
    line = tuple(Placement(tiles[n], Cell("UD"[n % 2], 0, n // 2), 0) for n in range(56))
    lone = replace(view, tiles=line, places=(), dead=(), hexagons=(), newest=(), bridges=(), last=None)
    image = to_rgb(render_table(lone, NAMES, CAPTIONS))
    left, top, right, bottom = build_arrangement(lone).board
    assert count_ivory(image, (left, top, right, bottom)) > 1500
    for box in ((0, 0, WIDTH, top), (0, bottom, WIDTH, bottom + 20)):
        assert count_pixels(image, DARK.lip, box) == 0
    for box in ((0, 0, left, image.height), (right, 0, WIDTH, image.height)):
        assert count_ivory(image, box) == 0


def test_palette_picture_looks_like_true_colours() -> None:
    for match in (build_mid_round(), build_won_round(4)):
        view = view_for(match, None)
        for scheme, theme in SCHEMES.items():
            pair = (draw_table(view, NAMES, CAPTIONS, scheme=scheme, true_colour=true) for true in (False, True))
            assert compute_palette_error(*(canvas.image for canvas in pair), theme) <= 2.5, scheme


def test_every_scheme_looks_different_and_another_is_refused() -> None:
    view = view_for(build_mid_round(), None)
    assert len({render_table(view, NAMES, CAPTIONS, scheme=scheme).png for scheme in SCHEMES}) == 3
    with pytest.raises(ValueError, match=r"'neon'.*dark, light, contrast"):
        render_table(view, NAMES, CAPTIONS, scheme="neon")


@pytest.mark.parametrize(("tiles", "most"), [(10, 200_000), (24, 280_000), (40, 280_000)])
def test_pictures_are_small_files(tiles: int, most: int) -> None:
    assert len(render_table(view_for(build_running_round("triominoes", tiles), None), NAMES, CAPTIONS).png) <= most


def test_line_that_is_little_too_long_leaves_total_to_plate() -> None:
    opened = "Computer opened with 4-4-4: 12 + 10 triple = +22 → 22"
    beside = Captions("Triominoes · round 1", opened, "Ada to play", "Boneyard 4 · to 50")
    assert Header(beside, DARK).height == HEADER_HEIGHT
    longer = replace(beside, subtitle=opened.replace("Computer", "Somebody with a long name"))
    assert Header(longer, DARK).height > HEADER_HEIGHT
