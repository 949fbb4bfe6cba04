"""The pictures beside the rules: positions that are legal, and show what they say."""

from collections.abc import Iterable, Iterator
from itertools import combinations

import pytest

from data.rulebook import rules
from engine.board.board import Board, Placement
from engine.board.tiles import BOSS, WILD
from engine.match.errors import RuleBroken, Why
from engine.match.rules import Rules, judge
from render.canvas.theme import DARK
from render.faces import THEMES
from render.table.rules_page import DIAGRAMS, Diagram, diagrams, example, placements, rules_picture
from tests.render.pixels import count, rgb
from tests.render.tables import GAMES

WORDS = {name: f"What is seen here is called {name}, in a sentence of usual length." for name in DIAGRAMS}


def readings() -> Iterator[tuple[str, Rules]]:
    for game in GAMES:
        yield game, rules(game)
        for option, values in type(rules(game)).readings().items():
            for value in values:
                try:
                    yield f"{game}, {option} = {value}", rules(game).with_option(option, value)
                except ValueError:
                    continue


def board_with(played: Rules, placed: Iterable[Placement]) -> Board:
    board = played.board()
    for placement in placed:
        board.place(placement)
    return board


READINGS = {
    **dict(readings()),
    **{f"trioker 0-{n - 1}": rules("trioker").with_option("trioker_values", str(n)) for n in (5, 6)},
    "triominoes 0-9": rules("triominoes").with_option("tile_set", "trio220"),
}


@pytest.mark.parametrize("name", READINGS)
def test_every_position_is_legal_under_every_reading_that_shows_it(name: str) -> None:
    played = READINGS[name]
    assert diagrams(played)
    for diagram in diagrams(played):
        board = played.board()
        for placement in placements(played, diagram):
            judge(board, placement, played)
            board.place(placement)


@pytest.mark.parametrize(
    ("game", "options", "shown"),
    [
        ("triominoes", {}, ("placement", "hexagon", "bridge")),
        ("quad-ominos", {}, ("placement", "third_match")),
        ("points", {}, ("placement", "next_to_last")),
        ("points", {"boss": "in", "layout": "open"}, ("placement", "boss")),
        ("muggins", {}, ("fives", "next_to_last")),
        ("star", {}, ("placement", "next_to_last", "corner_play", "boss")),
        ("star", {"boss_after": "wild"}, ("placement", "next_to_last", "corner_play", "boss_wild")),
        ("trioker", {}, ("placement", "all_corners")),
        ("trioker", {"trioker_bonuses": "on"}, ("placement", "hexagon", "bridge")),
        ("trioker", {"trioker_joker": "on"}, ("placement", "all_corners", "joker")),
    ],
)
def test_game_shows_what_it_has(game: str, options: dict[str, str], shown: tuple[str, ...]) -> None:
    played = rules(game)
    for name, value in options.items():
        played = played.with_option(name, value)
    assert diagrams(played) == shown


def test_games_together_show_every_diagram_there_is() -> None:
    assert {name for played in READINGS.values() for name in diagrams(played)} == set(DIAGRAMS)


@pytest.mark.parametrize(("diagram", "points"), [("placement", 5), ("hexagon", 54), ("bridge", 46)])
def test_points_are_those_rules_give(diagram: Diagram, points: int) -> None:
    assert example(rules("triominoes"), diagram).points == points


def test_hexagon_is_closed_by_its_last_tile() -> None:
    shown = example(rules("triominoes"), "hexagon")
    assert shown.hexagons == ((0, 0),)
    assert len(shown.marked) == 3


def test_bridge_touches_one_tile_and_point_and_closes_nothing() -> None:
    played = rules("triominoes").with_option("bridge_extension", "none")
    *before, new = placements(played, "bridge")
    board = board_with(played, before)
    beside = [near for near in played.plane.shape(new.cell).across if near in board.placed]
    assert len(beside) == 1
    assert board.closed(new.cell) == ()
    assert judge(board, new, played).bridge


def test_third_match_earns_its_choice() -> None:
    played = rules("quad-ominos")
    *before, new = placements(played, "third_match")
    board = board_with(played, before)
    earned = judge(board, new, played)
    assert earned.matched == 3
    assert played.reward(new.tile, earned, opening=False, bonus_tile=False) is not None


def test_next_to_last_example_opens_only_cells_beside_last_tile() -> None:
    for game in ("points", "muggins"):
        played = rules(game)
        shown = example(played, "next_to_last")
        board = board_with(played, (*shown.before, shown.new))
        assert shown.open
        assert set(shown.open) == set(board.open_cells)
        for cell in shown.shut:
            for tile in played.tiles:
                if tile not in {lying.tile for lying in board.placed.values()}:
                    with pytest.raises(RuleBroken) as refused:
                        judge(board, played.lay(cell, tile), played)
                    assert refused.value.why is Why.NOT_NEXT_TO_LAST


def test_crossed_out_cells_are_not_open_in_star() -> None:
    played = rules("star")
    shown = example(played, "next_to_last")
    board = board_with(played, (*shown.before, shown.new))
    assert shown.shut
    assert not {*shown.shut} & {*board.open_cells}


def test_numbers_that_meet_add_up_to_five() -> None:
    first, second = placements(rules("muggins"), "fives")
    assert first.shown[1] + second.shown[2] == 5


def test_corner_play_touches_in_one_point() -> None:
    played = rules("star")
    first, second = placements(played, "corner_play")
    one, other = (set(played.plane.shape(laid.cell).corners) for laid in (first, second))
    assert one & other == set(example(played, "corner_play").marked)
    assert len(one & other) == 1


def test_wild_tiles_are_ones_shown_as_wild() -> None:
    assert placements(rules("star"), "boss")[-1].tile == BOSS
    joker = placements(rules("trioker").with_option("trioker_joker", "on"), "joker")[-1].tile
    assert WILD in joker


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("game", GAMES)
def test_every_diagram_and_its_sentence_are_drawn(game: str, theme: str) -> None:
    played = rules(game)
    picture = rules_picture(played, WORDS, theme=theme)
    image = rgb(picture)
    assert len(picture.png) <= 80_000
    assert count(image, DARK.text) > 800 * len(diagrams(played))
    assert count(image, DARK.brass) > 300 * len(diagrams(played))
    silent = rgb(rules_picture(played, {}, theme=theme))
    assert silent.height < image.height
    assert count(silent, DARK.text) < 3000


def test_themes_look_different() -> None:
    for one, other in combinations(THEMES, 2):
        assert (
            rules_picture(rules("star"), WORDS, theme=one).png != rules_picture(rules("star"), WORDS, theme=other).png
        )
