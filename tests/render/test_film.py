"""Films of stored matches have one size, a table that does not move, and a file size that Discord accepts."""

from functools import cache
from io import BytesIO
from itertools import pairwise

import pytest
from PIL import Image, ImageChops, ImageSequence

from bot.core.names import SeatNames
from bot.tables.past_match import build_shots
from data.words import load_words
from engine.match.event_log import build_event_log
from engine.record import list_steps, rerun
from render.table.film import LAST_FRAME_MS, Film, FilmFrame
from tests.golden.matches import read_golden_record
from tests.render.tables import NAMES


@cache
def load_frames(name: str, max_frames: int = 60) -> tuple[FilmFrame, ...]:
    log = rerun(read_golden_record(name)).log
    names = NAMES[: log[0].seats]
    moments = (
        (build_event_log(log[: step.events]), SeatNames(names, names)) for step in list_steps(log)[: max_frames + 40]
    )
    return tuple(build_shots(moments, load_words()))[:max_frames]


def render_gif(frames: tuple[FilmFrame, ...], ms: int = 1000) -> bytes:
    film = Film(frames, ms)
    for number in range(len(film)):
        film.render_frame(number)
    return film.to_gif()


@pytest.mark.parametrize(
    "name",
    [
        "muggins-evening",
        *(pytest.param(one, marks=pytest.mark.deep) for one in ("triominoes-evening", "quad-ominos-chain")),
    ],
)
def test_sixty_plies_take_at_most_1200_kilobytes(name: str) -> None:
    film = render_gif(load_frames(name))
    assert len(film) <= 1_200_000
    assert Image.open(BytesIO(film)).n_frames == 60  # type: ignore[attr-defined]


def test_placed_tile_does_not_move_during_round() -> None:
    whole = load_frames("triominoes-evening")
    longest = max(range(1, 6), key=lambda number: sum(one.view.round == number for one in whole))
    running = [one for one in whole if one.view.round == longest and one.view.round_over is None]
    assert len(running) > 10
    played = Image.open(BytesIO(render_gif(tuple(running))))
    pictures = [frame.convert("RGB") for frame in ImageSequence.Iterator(played)]
    assert len(pictures) == len(running)
    width, height = played.size
    board = (0, height // 6, width, height * 3 // 4)
    for before, after in pairwise(pictures):
        changed = ImageChops.difference(before.crop(board), after.crop(board)).convert("L").point(lambda one: one > 40)
        share = sum(changed.histogram()[1:]) / (changed.width * changed.height)
        assert share < 0.15, "one tile came, and the light went to it"


def test_last_frame_and_round_ends_are_shown_longer() -> None:
    whole = load_frames("triominoes-evening", 30)
    played = Image.open(BytesIO(render_gif(whole, 400)))
    times = [frame.info["duration"] for frame in ImageSequence.Iterator(played)]
    assert times[-1] >= LAST_FRAME_MS
    for one, time in list(zip(whole, times, strict=True))[:-1]:
        assert time == (800 if one.view.round_over is not None else 400)


def test_hands_are_open_only_at_ends_of_rounds() -> None:
    whole = load_frames("triominoes-evening")
    for one in whole:
        assert all((seat.hand is None) == (one.view.round_over is None) for seat in one.view.seats)
    assert any(one.view.round_over for one in whole)
