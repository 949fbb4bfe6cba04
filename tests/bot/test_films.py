"""The film of a match: by button, by command and from its record; it holds nobody up, and nobody gets too many."""

from __future__ import annotations

import asyncio
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from simcord import MemberActor, ResponseMessage
from typer.testing import CliRunner

from bot.service.replays import Replay, looked_back
from bot.views import films
from bot.views import replay as views
from bot.views.films import Films
from bot.views.names import Names
from bot.views.pictures import drawn
from data.words import words
from render import Film
from tests.bot.house import House
from tests.bot.reading import button_ids, menus, pictures, private, told, words_of
from tests.bot.test_looking_back import app, over, record

RECORD = Path(__file__).parents[1] / "golden" / "triominoes-evening.txt"
NAMES = Names(("Ada", "Grace"), ("Ada", "Grace"))


async def film_of(shown: ResponseMessage) -> Image.Image:
    """The film of an answer."""
    (attached,) = shown.attachments
    assert attached.filename == "film.gif"
    return Image.open(BytesIO(await attached.read()))


async def test_anybody_watches_a_match_as_a_film_as_fast_as_they_like(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor, tmp_path: Path
) -> None:
    end = await over(house, ada, grace, target=10)
    shown = private(await linus.click(end, label="Replay"))
    shown = private(await linus.click(shown, label="Film"))

    film = await film_of(shown)
    plays = (await house.now()).story.plays  # type: ignore[union-attr]
    assert f"all {plays} moves as a film" in words_of(shown)
    assert film.info["duration"] == 1000
    assert pictures(shown)[0].startswith("A film of the match, move by move. How it ends:")
    fast = private(await linus.select(shown, ["fast"]))
    assert (await film_of(fast)).info["duration"] == 400
    assert [one.value for one in menus(fast)[0].options] == ["slow", "normal", "fast"]
    shown = private(await linus.click(fast, label="Move by move"))
    assert "move 0 of" in words_of(shown)

    file, out = await record(ada, end, tmp_path / "match.txt"), tmp_path / "match.gif"
    asked = ["replay", str(file), "--film", str(out), "--speed", "0.4", "--name", "Ada", "--name", "Grace"]
    assert CliRunner().invoke(app, asked).exit_code == 0
    by_command = private(await ada.slash(house.channel, "tiles replay", film=True, speed="fast"))
    (attached,) = by_command.attachments
    assert await attached.read() == content(out), "the very film of the record"


def content(file: Path) -> bytes:
    """What is in a file."""
    return file.read_bytes()


async def test_there_is_no_film_of_what_is_not_over_or_not_there(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.table(ada, grace)
    forged = await house.post("by:film:1|fast", "by:film:999|x")
    assert told(await ada.click(forged, label="Button 0")).startswith("You can look back on a match once it is over.")
    assert told(await ada.click(forged, label="Button 1")).startswith("That table does not exist.")


async def test_who_presses_too_often_waits_and_can_go_move_by_move(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    end = await over(house, ada, grace, target=10)
    shown = private(await ada.click(end, label="Replay"))
    forged = await house.post(f"by:film:{(await house.head()).match_id}|slow")
    said = [told(await ada.click(forged, label="Button 0")) for _ in range(6)]

    assert all("as a film" in one for one in said[:4])
    assert all(one.startswith("A film takes a moment of work") for one in said[4:])
    assert "Forward" in button_ids(shown)
    assert "as a film" in told(await grace.click(forged, label="Button 0")), "others are not kept waiting by it"


@pytest.fixture
async def past(house: House, ada: MemberActor, grace: MemberActor) -> Replay:
    """A match that is over."""
    await over(house, ada, grace)
    return await looked_back(house.client.services.tables, await house.head())


async def test_ten_who_ask_for_the_same_film_get_one_that_is_made_once(
    past: Replay, monkeypatch: pytest.MonkeyPatch
) -> None:
    shot = 0
    really = Film.shoot

    def counted(film: Film, number: int) -> None:
        nonlocal shot
        shot += 1
        really(film, number)

    monkeypatch.setattr(Film, "shoot", counted)
    making = Films(lambda: 0)

    made = await asyncio.gather(*(making.film(one, past, "fast", words(), named) for one in range(10)))

    assert len(set(made)) == 1
    assert shot == Image.open(BytesIO(made[0] or b"")).n_frames  # type: ignore[attr-defined]
    assert making._making == {}


async def test_a_picture_that_is_wanted_meanwhile_waits_for_a_frame_and_not_for_the_film(
    past: Replay, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    begun, loop = asyncio.Event(), asyncio.get_running_loop()
    really = Film.shoot

    def noted(film: Film, number: int) -> None:
        order.append("frame")
        loop.call_soon_threadsafe(begun.set)
        really(film, number)

    monkeypatch.setattr(Film, "shoot", noted)
    making = Films(lambda: 0)
    filming = [asyncio.create_task(making.film(1, past, speed, words(), named)) for speed in ("slow", "fast")]
    await begun.wait()

    await drawn(order.append, "board")

    assert order.index("board") < 8, "frames are drawn one at a time, and others in between"
    assert all(await asyncio.gather(*filming))
    assert order.count("frame") > 20


async def test_of_a_long_match_the_last_pictures_are_shown_and_the_title_says_so(
    past: Replay, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (films, views):
        monkeypatch.setattr(module, "FRAMES", 7)

    made = await Films(lambda: 0).film(1, past, "fast", words(), named)

    assert Image.open(BytesIO(made or b"")).n_frames == 7  # type: ignore[attr-defined]
    assert "the last 7 pictures as a film" in str(views.film_view(past, "fast", words(), "").to_components())


async def test_nobody_can_fill_the_queue(past: Replay) -> None:
    making = Films(lambda: 0)
    making._making = {(number, 1, "en", "dark"): asyncio.create_task(asyncio.sleep(0, b"")) for number in range(8)}
    assert await making.film(1, past, "slow", words(), named) is None


async def named(_: object) -> Names:
    """Whose seats they are."""
    return NAMES


# -- from a record ------------------------------------------------------------------------------------------


def test_a_record_becomes_a_film_for_its_owner_alone(tmp_path: Path) -> None:
    for ending in ("gif", "png"):
        out = tmp_path / f"film.{ending}"
        made = CliRunner().invoke(app, ["replay", str(RECORD), "--film", str(out), "--speed", "0.5"])
        assert (made.exit_code, made.stderr) == (0, "")
        assert out.stat().st_mode & 0o777 == 0o600
        with Image.open(out) as film:
            film.seek(1)
            assert film.info["duration"] == 500


@pytest.mark.parametrize(
    ("words_given", "said"),
    [
        (["--film", "film.mp4"], "film: film.mp4: the name of a film ends with .gif or .png"),
        (["--film", "no/where.gif"], "film: no/where.gif: No such file or directory"),
        (["--film", "x.gif", "--theme", "wood"], "theme: there is no 'wood'; there is "),
        (["--film", "x.gif", "--scheme", "mauve"], "scheme: there is no 'mauve'; there is dark, light, contrast"),
        (["--film", "x.gif", "--language", "xx"], "language: there is no 'xx'; there is "),
        (["--film", "x.gif", *("--name", "Ada") * 3], "name: 3 names for 2 seats"),
    ],
)
def test_what_is_no_film_is_told_in_a_line(
    words_given: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = CliRunner().invoke(app, ["replay", str(RECORD), *words_given])
    assert made.exit_code == 2
    assert made.stderr.startswith(f"boneyard: {said}")
    assert made.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
