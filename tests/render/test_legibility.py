"""Digits and words of pictures can be read on a phone, and are as large as the layouts say."""

from dataclasses import replace

import pytest
from PIL import Image

from engine.board.tiles import Tile
from engine.match.player_view import view_for
from render.canvas.canvas import Box
from render.canvas.theme import DARK, Colour
from render.table.hand import build_hand_layout, render_hand
from render.table.table_picture import build_table_layout, render_table
from tests.render.pixels import rgb
from tests.render.readability import PHONE, board_sizes, film_sizes, hand_sizes, play_round, text_sizes
from tests.render.tables import CAPTIONS, NAMES, mover, of


def tallest(image: Image.Image, box: Box, colour: Colour) -> int:
    part = image.crop(box)
    left = {
        (x, y)
        for y in range(part.height)
        for x in range(part.width)
        if sum(abs(a - b) for a, b in zip(part.getpixel((x, y)), colour, strict=True)) < 40
    }
    heights = [0]
    while left:
        thing, edge = set(), [left.pop()]
        while edge:
            x, y = edge.pop()
            thing.add((x, y))
            beside = {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)} & left
            left -= beside
            edge += beside
        rows, columns = {y for _, y in thing}, {x for x, _ in thing}
        if not rows & {0, part.height - 1} and not columns & {0, part.width - 1}:
            heights.append(max(rows) - min(rows) + 1)
    return max(heights)


def dark(labels: Tile) -> bool:
    return 0 not in labels and min(labels) > 0 and bool(set(labels) - DARK.light_digits)


@pytest.mark.parametrize("game", ["triominoes", "quad-ominos"])
def test_digit_height_on_board_equals_layout(game: str) -> None:
    seen = view_for(of(game, 14), None)
    window = build_table_layout(seen).windows[0]
    lying = next(lying for lying in seen.tiles[:-1] if dark(lying.shown_labels))
    said = board_sizes(seen)
    high = tallest(rgb(render_table(seen, NAMES, CAPTIONS)), window.layout.compute_box(lying.cell), DARK.dark_digit)
    assert high * PHONE / 1200 == pytest.approx(said.digits, rel=0.1)


def test_digit_height_in_hand_equals_layout() -> None:
    seen = mover("triominoes", 14)
    bright = tuple({move.placement.tile for move in seen.moves if dark(move.placement.tile)})
    assert bright
    seats = tuple(replace(seat, hand=bright) if seat.seat == seen.viewer else seat for seat in seen.seats)
    seen = replace(seen, seats=seats)
    picture, said = render_hand(seen, NAMES, CAPTIONS), hand_sizes(seen)
    assert said.height == picture.height
    below = max(window.area[3] for window in build_hand_layout(seen).windows)
    high = tallest(rgb(picture), (0, below, picture.width, picture.height), DARK.dark_digit)
    assert high * PHONE / 1200 == pytest.approx(said.tiles, rel=0.1)


@pytest.mark.parametrize(("game", "least"), [("triominoes", 6.5), ("star", 6.5), ("quad-ominos", 5)])
def test_digits_are_readable_on_phone_during_whole_round(game: str, least: float) -> None:
    for match in play_round(game, 3):
        board = board_sizes(view_for(match, None))
        assert board is None or board.digits >= least
        if not match.round_over:
            hand = hand_sizes(view_for(match, match.turn))
            assert hand.tiles is None or hand.tiles >= 9
            assert hand.places is None or hand.places >= 9


@pytest.mark.parametrize(("game", "seats"), [("star", 2), ("quad-ominos", 2), ("triominoes", 3)])
def test_film_of_whole_round_can_be_read_on_phone(game: str, seats: int) -> None:
    frames = film_sizes(game, seats)
    assert min(one.digits for one in frames) >= 6.5, "the end with its hands among them"
    assert frames[-1].shown is not None
    assert frames[-1].shown >= 6.5


def test_at_twelve_seats_words_are_as_large_as_at_two() -> None:
    for own in (False, True):
        assert min(word.capital for word in text_sizes(view_for(of("quad-ominos", 12, 12), 0), own=own)[0]) >= 7


def test_text_sizes_separate_words_from_place_letters() -> None:
    seen = view_for(of("triominoes", 10), None)
    words, letters = text_sizes(seen, own=False)
    assert {"Ada", "Grace", "Linus", "Björn"} <= {word.text for word in words}
    assert {letter.text for letter in letters} == {place.letter for place in seen.places}
    assert all(0 < word.small < word.capital for word in words)
