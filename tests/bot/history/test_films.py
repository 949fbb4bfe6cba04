"""Films of matches by button, command and record, and their limits."""

import asyncio
import itertools
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from simcord import ResponseMessage
from typer.testing import CliRunner

from bot.core.names import SeatNames
from bot.core.pictures import draw_in_thread
from bot.history import films
from bot.history import views as history_views
from bot.history.films import FilmMaker
from bot.tables import past_match
from bot.tables.past_match import Replay, load_replay
from data.words import load_words
from render.table.film import Film
from tests.bot.history.replays import app, play_to_result, save_record
from tests.bot.member import Member
from tests.bot.messages import list_alt_texts, list_menus, read_button_ids, read_text
from tests.bot.simulated_guild import SimGuild
from tests.wording import has_sentence

RECORD = Path(__file__).parents[2] / "golden" / "triominoes-evening.txt"
NAMES = SeatNames(("Ada", "Grace"), ("Ada", "Grace"))


async def read_film(shown: ResponseMessage) -> Image.Image:
    (attached,) = shown.attachments
    assert attached.filename == "film.gif"
    return Image.open(BytesIO(await attached.read()))


async def test_film_has_three_speeds_and_works_from_record(
    sim: SimGuild, ada: Member, grace: Member, linus: Member, tmp_path: Path
) -> None:
    end = await play_to_result(sim, ada, grace, target=10)
    shown = await linus.open_click(end, "Replay")
    shown = await linus.open_click(shown, "Film")

    film = await read_film(shown)
    plays = (await sim.load_table()).event_log.play_count
    assert has_sentence(read_text(shown), "replay.film_title", n=plays)
    assert film.info["duration"] == 1000
    assert has_sentence(list_alt_texts(shown)[0], "replay.film_alt")
    fast_film = await linus.open_select(shown, "fast")
    assert (await read_film(fast_film)).info["duration"] == 400
    assert [one.value for one in list_menus(fast_film)[0].options] == ["slow", "normal", "fast"]
    assert "move 0 of" in await linus.read_click(fast_film, "Move by move")

    file, out = await save_record(ada, end, tmp_path / "match.txt"), tmp_path / "match.gif"
    arguments = ["replay", str(file), "--film", str(out), "--speed", "0.4", "--name", "Ada", "--name", "Grace"]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    by_command = await ada.open_command("tiles replay", film=True, speed="fast")
    (attached,) = by_command.attachments
    film = await asyncio.to_thread(out.read_bytes)
    assert await attached.read() == film, "the very film of the record"


async def test_film_of_running_or_missing_match_is_refused(room: SimGuild, ada: Member) -> None:
    forged = await room.post("by:film:1|fast", "by:film:999|x")
    assert has_sentence(await ada.read_click(forged, "Button 0"), "replay.not_over")
    assert has_sentence(await ada.read_click(forged, "Button 1"), "no.NO_SUCH_TABLE")


async def test_film_requests_are_limited_per_user(sim: SimGuild, ada: Member, grace: Member) -> None:
    end = await play_to_result(sim, ada, grace, target=10)
    shown = await ada.open_click(end, "Replay")
    forged = await sim.post(f"by:film:{(await sim.load_head()).match_id}|slow")
    answers = [await ada.read_click(forged, "Button 0") for _ in range(6)]

    assert all("as a film" in one for one in answers[:4])
    assert all(has_sentence(one, "replay.film_later") for one in answers[4:])
    assert "Forward" in read_button_ids(shown)
    assert "as a film" in await grace.read_click(forged, "Button 0"), "others are not kept waiting by it"


@pytest.fixture
async def past(sim: SimGuild, ada: Member, grace: Member) -> Replay:
    await play_to_result(sim, ada, grace)
    return await load_replay(sim.client.services.tables, await sim.load_head())


async def test_ten_film_requests_render_film_once(past: Replay, monkeypatch: pytest.MonkeyPatch) -> None:
    frame_count = 0
    render_frame = Film.render_frame

    def render_counted(film: Film, number: int) -> None:
        nonlocal frame_count
        frame_count += 1
        render_frame(film, number)

    monkeypatch.setattr(Film, "render_frame", render_counted)
    film_maker = FilmMaker(lambda: 0)

    made = await asyncio.gather(
        *(film_maker.make_film(one, past, "fast", load_words(), resolve_names) for one in range(10))
    )

    assert len(set(made)) == 1
    assert frame_count == Image.open(BytesIO(made[0] or b"")).n_frames
    assert film_maker._running == {}


async def test_picture_waits_for_at_most_one_film_frame(past: Replay, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    started, loop = asyncio.Event(), asyncio.get_running_loop()
    render_frame = Film.render_frame

    def render_noted(film: Film, number: int) -> None:
        order.append("frame")
        loop.call_soon_threadsafe(started.set)
        render_frame(film, number)

    monkeypatch.setattr(Film, "render_frame", render_noted)
    film_maker = FilmMaker(lambda: 0)
    filming = [
        asyncio.create_task(film_maker.make_film(1, past, speed, load_words(), resolve_names))
        for speed in ("slow", "fast")
    ]
    await started.wait()

    await draw_in_thread(order.append, "board")

    assert order.index("board") < 8, "frames are drawn one at a time, and others in between"
    assert all(await asyncio.gather(*filming))
    assert order.count("frame") > 20


async def test_film_of_long_match_is_cut_to_last_frames(past: Replay, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (past_match, history_views):
        monkeypatch.setattr(module, "FRAMES", 7)

    made = await FilmMaker(lambda: 0).make_film(1, past, "fast", load_words(), resolve_names)

    assert Image.open(BytesIO(made or b"")).n_frames == 7
    assert has_sentence(
        str(history_views.build_film_view(past, "fast", load_words(), "").to_components()), "replay.film_end", of=7
    )


async def test_one_user_cannot_fill_film_queue(past: Replay) -> None:
    async def wait_forever(_: object) -> SeatNames:
        return await asyncio.Event().wait()

    film_maker = FilmMaker(lambda: 0)
    several = list(itertools.product(films.SPEEDS, ("en", "de"), ("dark", "light")))[: films.MAX_FILMS + 1]
    *requests, another = (
        film_maker.make_film(number, past, speed, load_words(language), wait_forever, scheme)
        for number, (speed, language, scheme) in enumerate(several)
    )
    queue = [asyncio.create_task(one) for one in requests]
    await asyncio.sleep(0)
    assert await another is None
    for one in queue:
        one.cancel()


async def resolve_names(_: object) -> SeatNames:
    return NAMES


def test_film_of_record_is_visible_to_its_owner_only(tmp_path: Path) -> None:
    out = tmp_path / "film.gif"
    made = CliRunner().invoke(app, ["replay", str(RECORD), "--film", str(out), "--speed", "0.5"])
    assert (made.exit_code, made.stderr) == (0, "")
    assert out.stat().st_mode & 0o777 == 0o600
    with Image.open(out) as film:
        film.seek(1)
        assert film.info["duration"] == 500


@pytest.mark.parametrize(
    ("words_given", "said"),
    [
        (["--film", "film.mp4"], "film: film.mp4: the name of a film ends with .gif"),
        (["--picture", "table.jpg"], "picture: table.jpg: the name of a picture ends with .png"),
        (["--picture", "table.svg"], "picture: table.svg: the name of a picture ends with .png"),
        (["--film", "no/where.gif"], "film: no/where.gif: No such file or directory"),
        (["--film", "x.gif", "--theme", "wood"], "theme: there is no 'wood'; there is "),
        (["--film", "x.gif", "--scheme", "mauve"], "scheme: there is no 'mauve'; there is dark, light, contrast"),
        (["--film", "x.gif", "--language", "xx"], "language: there is no 'xx'; there is "),
        (["--film", "x.gif", *("--name", "Ada") * 3], "name: 3 names for 2 seats"),
    ],
)
def test_invalid_film_request_is_refused(
    words_given: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = CliRunner().invoke(app, ["replay", str(RECORD), *words_given])
    assert made.exit_code == 2
    assert made.stderr.startswith(f"boneyard: {said}")
    assert made.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
