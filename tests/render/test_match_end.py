"""The picture of a finished match."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest
from PIL import Image, ImageChops

from data.rulebook import load_rules
from engine.match.player_view import PlayerView, view_for
from engine.match.state import Match
from render.canvas.graph import compute_curve_points
from render.canvas.picture import Picture
from render.canvas.theme import SCHEMES
from render.table.match_end import DecisiveMove, EndWords, draw_match_end, render_match_end
from tests.render.pixels import compute_palette_error, count_pixels, to_rgb
from tests.render.tables import GAMES, NAMES, build_running_round, play_until

pytestmark = pytest.mark.usefixtures("zlib_pictures")

SCORE_HISTORY = [tuple(step * (seat + 1) for seat in range(12)) for step in range(9)]


@cache
def build_ended_match(game: str, seats: int, seed: int = 1) -> Match:
    played = replace(load_rules(game), target=min(1, load_rules(game).target))
    return play_until(lambda view: bool(view.ended and view.ended.places[0] == 1), seats=seats, seed=seed, rules=played)


def build_words(seats: int, title: str = "Ada wins") -> EndWords:
    best = tuple(f"best +{seat}" for seat in range(seats))
    return EndWords(title, "Triominoes to 400", "22 ahead", "The decisive move", "0-2-5", "from 3 to 9", best)


def build_decisive_move(view: PlayerView) -> DecisiveMove:
    return DecisiveMove(view.tiles[len(view.tiles) // 2], 57, is_visible=True)


def render_sample(view: PlayerView, move: DecisiveMove | None = None, **more: str) -> Picture:
    return render_match_end(view, NAMES, build_words(len(view.seats)), SCORE_HISTORY, move, **more)


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_match_end_picture(game: str) -> None:
    view = view_for(build_ended_match(game, 3), None)
    picture = render_sample(view, build_decisive_move(view))
    assert (picture.width, to_rgb(picture).size) == (1200, (1200, picture.height))
    assert 900 <= picture.height <= 1800
    assert len(picture.png) <= 280_000


def test_tall_table_picture_is_limited_to_two_to_three() -> None:
    view = view_for(build_ended_match("triominoes", 4, seed=3), None)
    assert 1700 < render_sample(view, build_decisive_move(view)).height <= 1800


@pytest.mark.parametrize("seats", [2, 6, 12])
def test_every_seat_has_a_line(seats: int) -> None:
    view = view_for(build_ended_match("quad-ominos", seats), None)
    heights = [render_sample(replace(view, seats=view.seats[:some])).height for some in (seats - 1, seats)]
    assert heights[0] < heights[1] <= 2400


def test_match_end_shows_no_open_or_dead_places() -> None:
    # A match that reaches its target in the middle of a round still has open places and a last move.
    view = view_for(build_ended_match("triominoes", 3), None)
    running_view = view_for(build_running_round("triominoes", 12, 3), None)
    assert running_view.places
    assert running_view.dead
    open_ = replace(view, places=running_view.places, dead=running_view.dead, round_over=None)
    assert render_sample(open_).png == render_sample(replace(open_, places=(), dead=(), last=None, newest=())).png


def test_decisive_move_is_highlighted_or_shown_separately() -> None:
    view = view_for(build_ended_match("triominoes", 3), None)
    visible, hidden = build_decisive_move(view), replace(build_decisive_move(view), is_visible=False)
    theme = SCHEMES["dark"]
    lit, unlit, without = (
        count_pixels(to_rgb(render_sample(view, move)), theme.brass, (0, 250, 1200, 900))
        for move in (visible, hidden, None)
    )
    assert lit > unlit
    assert render_sample(view, hidden).height > render_sample(view).height
    assert without == 0 or unlit >= without


def test_match_end_does_not_depend_on_hands() -> None:
    view = view_for(build_ended_match("triominoes", 3), None)
    bare = replace(view, seats=tuple(replace(seat, hand=None) for seat in view.seats))
    assert render_sample(view).png == render_sample(bare).png


def test_match_end_without_tiles_can_be_drawn() -> None:
    view = replace(view_for(build_ended_match("triominoes", 3), None), tiles=(), hexagons=(), bridges=())
    assert render_sample(view).height >= 500


def test_long_name_and_shared_win_stay_inside() -> None:
    view = view_for(build_ended_match("triominoes", 3), None)
    shared = replace(view, ended=replace(view.ended, places=(1, 1, 3)))
    title = "Wilhelmina Alexandra von Hohenstein and Maximilian share the win"
    theme = SCHEMES["dark"]
    image = to_rgb(render_match_end(shared, NAMES, build_words(3, title), SCORE_HISTORY, None))
    assert count_pixels(image, theme.text, (1160, 0, 1200, 250)) == 0
    assert count_pixels(image, theme.text, (250, 60, 1000, 180)) > 500


def test_every_token_and_every_name_that_has_room_is_drawn() -> None:
    view = view_for(build_ended_match("triominoes", 3), None)
    bare = replace(view, seats=tuple(replace(seat, hexagons=0, bridges=0, computer=True) for seat in view.seats))
    names = ("Computer (medium)", "Wilhelmina Alexandra von H", "Grace")
    words = build_words(3)

    def render(shown: PlayerView, names: Sequence[str]) -> Image.Image:
        return to_rgb(render_match_end(shown, names, words, SCORE_HISTORY, None))

    def find_changes(changed: Image.Image) -> tuple[int, int, int, int]:
        return ImageChops.difference(render(bare, names), changed).getbbox()

    for token in ({"bridges": 1}, {"hexagons": 2}, {"hexagons": 12, "bridges": 12}):
        assert find_changes(render(replace(bare, seats=tuple(replace(seat, **token) for seat in bare.seats)), names))
    for seat, name in enumerate(names):
        # A change of any letter must be visible, so the last one is drawn.
        other = [*names[:seat], f"{name[:-1]}x", *names[seat + 1 :]]
        assert find_changes(render(bare, other))


def test_course_runs_from_first_total_to_last() -> None:
    points = compute_curve_points([0, -25, 50], -25, 50)
    assert points[0] == (0, pytest.approx(2 / 3))
    assert points[1] == (0.5, 1)
    assert points[-1] == (1, 0)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_palette_picture_looks_like_true_colours(scheme: str) -> None:
    view = view_for(build_ended_match("triominoes", 3), None)
    words, move = build_words(3), build_decisive_move(view)
    pair = (
        draw_match_end(view, NAMES, words, SCORE_HISTORY, move, scheme=scheme, true_colour=true).image
        for true in (False, True)
    )
    assert compute_palette_error(*pair, SCHEMES[scheme]) <= 2.5
