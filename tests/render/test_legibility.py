"""Digits and words of pictures can be read on a phone, and are as large as the layouts say."""

import pytest
from PIL import Image

from engine.board.tiles import Tile
from engine.match.player_view import view_for
from render.canvas.canvas import Box
from render.canvas.theme import DARK, Colour
from render.table.hand import render_hand
from render.table.table_picture import render_table
from tests.render.pixels import to_rgb
from tests.render.readability import PHONE, measure_board, measure_film, measure_hand, measure_texts, play_round
from tests.render.tables import (
    CAPTIONS,
    GAMES,
    NAMES,
    build_ended_round,
    build_hand_arrangement,
    build_mover_view,
    build_running_round,
    build_window,
    with_own_hand,
)


def measure_tallest_shape(image: Image.Image, box: Box, colour: Colour) -> int:
    part = image.crop(box)
    pixels = {
        (x, y)
        for y in range(part.height)
        for x in range(part.width)
        if sum(abs(a - b) for a, b in zip(part.getpixel((x, y)), colour, strict=True)) < 40
    }
    heights = [0]
    while pixels:
        shape, edge = set(), [pixels.pop()]
        while edge:
            x, y = edge.pop()
            shape.add((x, y))
            neighbours = {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)} & pixels
            pixels -= neighbours
            edge += neighbours
        rows, columns = {y for _, y in shape}, {x for x, _ in shape}
        if not rows & {0, part.height - 1} and not columns & {0, part.width - 1}:
            heights.append(max(rows) - min(rows) + 1)
    return max(heights)


def has_dark_digits(labels: Tile) -> bool:
    return 0 not in labels and min(labels) > 0 and bool(set(labels) - DARK.light_digits)


@pytest.mark.parametrize("game", ["triominoes", "quad-ominos"])
def test_digit_height_on_board_equals_layout(game: str) -> None:
    view = view_for(build_running_round(game, 14), None)
    window = build_window(view)
    lying = next(lying for lying in view.tiles[:-1] if has_dark_digits(lying.shown_labels))
    image, box = to_rgb(render_table(view, NAMES, CAPTIONS)), window.layout.compute_box(lying.cell)
    height = measure_tallest_shape(image, box, DARK.dark_digit)
    assert height * PHONE / 1200 == pytest.approx(measure_board(view).digits, rel=0.1)


def test_digit_height_in_hand_equals_layout() -> None:
    view = build_mover_view("triominoes", 14)
    bright = {move.placement.tile for move in view.moves if has_dark_digits(move.placement.tile)}
    assert bright
    view = with_own_hand(view, bright)
    picture, sizes = render_hand(view, NAMES, CAPTIONS), measure_hand(view)
    below = max(window.area[3] for window in build_hand_arrangement(view).windows)
    height = measure_tallest_shape(to_rgb(picture), (0, below, picture.width, picture.height), DARK.dark_digit)
    assert height * PHONE / 1200 == pytest.approx(sizes.tiles, rel=0.1)


@pytest.mark.parametrize(("game", "least"), [("triominoes", 6.5), ("star", 6.5), ("quad-ominos", 5)])
def test_digits_are_readable_on_phone_during_whole_round(game: str, least: float) -> None:
    for match in play_round(game, 3):
        board = measure_board(view_for(match, None))
        assert board is None or board.digits >= least
        if not match.round_over:
            hand = measure_hand(view_for(match, match.turn))
            assert hand.tiles is None or hand.tiles >= 9
            assert hand.places is None or hand.places >= 9


@pytest.mark.parametrize(("game", "seats"), [("star", 2), ("quad-ominos", 2), ("triominoes", 3)])
def test_film_of_whole_round_can_be_read_on_phone(game: str, seats: int) -> None:
    frames = measure_film(game, seats)
    assert min(one.digits for one in frames) >= 6.5, "the end with its hands among them"
    assert frames[-1].open_hands >= 6.5


@pytest.mark.parametrize("game", GAMES)
def test_open_hands_of_two_players_can_be_read_on_phone(game: str) -> None:
    assert measure_board(view_for(build_ended_round(game, 2), None)).open_hands >= 9


def test_at_twelve_seats_words_are_as_large_as_at_two() -> None:
    view = view_for(build_running_round("quad-ominos", 12, 12), 0)
    for own in (False, True):
        words, _ = measure_texts(view, own=own)
        assert min(word.capital for word in words) >= 7


def test_text_sizes_separate_words_from_place_letters() -> None:
    view = view_for(build_running_round("triominoes", 10), None)
    words, letters = measure_texts(view, own=False)
    assert {"Ada", "Grace", "Linus", "Björn"} <= {word.text for word in words}
    assert {letter.text for letter in letters} == {place.letter for place in view.places}
    assert all(0 < word.small < word.capital for word in words)
