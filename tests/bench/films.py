"""Films: the size of the first 60 plies of a match that was held, and what they cost from its record to the file."""

from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Final

from PIL import Image

from bot.views.films import shots
from bot.views.names import Names
from data.rulebook import rules
from data.words import words
from engine.events import Event
from engine.record import read, rerun, steps
from engine.story import story_of
from render import KINDS, Film
from render.animation import Animation
from tests.bench.boards import NAMES
from tests.bench.measure import Effort, Work, cost, ratio
from tests.bench.pictures import forget_sizes
from tests.bench.rows import row

GOLDEN: Final = Path(__file__).parents[1] / "golden"
HELD: Final = "triominoes-evening"
PLIES: Final = 60


class WebP(Animation):
    """The same frames as Pillow writes them, without loss and as fast as it can."""

    def _pressed(self, part: Image.Image) -> bytes:
        # Everything is pressed at the end: what it is given here are whole frames.
        assert self._before is not None
        picture = self._before.copy()
        picture.putpalette(self._palette)
        self._whole = [*getattr(self, "_whole", []), picture.convert("RGB")]
        return b""

    def file(self) -> bytes:
        first, *others = self._whole
        file = BytesIO()
        times = {"duration": self._times, "loop": 0}
        first.save(file, "WEBP", save_all=True, append_images=others, lossless=True, quality=0, method=0, **times)
        return file.getvalue()

    def _head(self) -> bytes:
        return b""

    def _part(self, *_: object) -> bytes:
        return b""

    def _foot(self) -> bytes:
        return b""


@cache
def log(name: str = HELD) -> tuple[Event, ...]:
    """What happened in a match that was held."""
    return tuple(rerun(read((GOLDEN / f"{name}.txt").read_text(encoding="utf-8"), rules)).log)


def film(kind: type[Animation], name: str = HELD) -> bytes:
    """Its first plies as a film."""
    happened = log(name)
    seats = len(happened[1].hands)  # type: ignore[union-attr]
    names, there = Names(NAMES[:seats], NAMES[:seats]), steps(happened)
    story, before, found = story_of(happened[: there[0].events]), there[0].events, []
    for step in there[1:]:
        for event in happened[before : step.events]:
            story.tell(event)
        before = step.events
        found += shots([(story, names)], words())
        if len(found) == PLIES:
            break
    made = Film(found, kind, 1000)
    for number in range(len(made)):
        made.shoot(number)
    return made.file()


@row("film: 60 plies of Triominoes", goal=1000, better="less", unit="kB")
def size(_: Effort) -> float:
    """As a GIF, which is what Discord shows."""
    return len(film(KINDS[".gif"])) / 1000


@row("film: 60 plies of Quad-Ominos", goal=1000, better="less", unit="kB")
def squares(_: Effort) -> float:
    """Three seats and larger tables."""
    return len(film(KINDS[".gif"], "quad-ominos-chain")) / 1000


@row("film: CPU of 60 plies", goal=1, better="less", unit="s")
def seconds(effort: Effort) -> float:
    """From the events to the file, with nothing drawn before it."""
    return cost(Work(lambda: film(KINDS[".gif"]), before=forget_sizes), effort)


@row("film: as APNG", better="less", unit="kB")
def apng(_: Effort) -> float:
    """The same frames."""
    return len(film(KINDS[".png"])) / 1000


@row("film: as WebP", better="less", unit="kB")
def webp(_: Effort) -> float:
    """The same frames."""
    return len(film(WebP)) / 1000


@row("film: CPU as APNG / as GIF", better="less")
def apng_cost(effort: Effort) -> float:
    """Warm."""
    return ratio(Work(lambda: film(KINDS[".png"])), Work(lambda: film(KINDS[".gif"])), effort)


@row("film: CPU as WebP / as GIF", better="less")
def webp_cost(effort: Effort) -> float:
    """Warm."""
    return ratio(Work(lambda: film(WebP)), Work(lambda: film(KINDS[".gif"])), effort)
