"""The whole move: an interaction in, checked, stored to last, its pictures drawn, its answers out."""

import asyncio
from collections.abc import Callable
from functools import cache
from io import BytesIO
from statistics import quantiles
from time import perf_counter
from typing import Any
from unittest.mock import patch

from PIL import Image

from bot.views import messages as sheets
from bot.views.pictures import drawn
from engine.seen import Seen
from render import Captions, Picture, table_picture
from tests.bench.boards import NAMES, captions, course
from tests.bench.evening import Evening
from tests.bench.measure import Effort, Work, ratio
from tests.bench.pictures import bare
from tests.bench.rows import row, work
from tests.bench.yardsticks import usual
from tests.bench.yardsticks.scene import scene

MOVES = 24
"""The first moves of a match, again and again."""
TABLES = 8
"""Tables that are drawn at the same time."""
TICK = 0.0005
"""Seconds between two looks at the event loop's clock."""


@cache
def evening() -> Evening:
    """The bot that all rows share."""
    return Evening()


@work("a move and its board")
def with_board() -> Work:
    """Checked, stored, drawn, written as a message."""
    return _moves(lambda: evening().stored(MOVES, hand=False))


@work("a move, its board and the mover's hand")
def with_hand() -> Work:
    """The same, with the mover's own picture."""
    return _moves(lambda: evening().stored(MOVES, hand=True))


@work("a move and everything said in public about it")
def announced() -> Work:
    """The same as the first, with all that is sent and noted after it."""
    return _moves(lambda: evening().announced(MOVES))


@work("/tiles play")
def typed() -> Work:
    """As people use it: everything together."""
    return _moves(lambda: evening().typed(MOVES))


def _moves(do: Callable[[], None]) -> Work:
    return Work(do, units=MOVES, before=evening().new_table)


@cache
def shown() -> tuple[Image.Image, ...]:
    """The boards of these moves, as they were uploaded."""
    sent: list[bytes] = []

    def keep(seen: Seen, *given: Any, **more: Any) -> Picture:
        picture = table_picture(seen, *given, **more)
        sent.append(picture.png)
        return picture

    evening().new_table()
    with patch.object(sheets, "table_picture", keep):
        evening().stored(MOVES, hand=False)
    images = tuple(Image.open(BytesIO(png)) for png in sent)
    for image in images:
        image.load()
    return images


@row("move: with board / Pillow's bare file", goal=1.1, better="less", cheap=True, held=1.9)
def board_ratio(effort: Effort) -> float:
    """Through the services' door; SQLite by SQLAlchemy, with an fsync; the picture, its alt text and its message."""
    return ratio(with_board(), bare(shown()), effort)


@row("move: with hand / Pillow's bare file", goal=1.9, better="less")
def hand_ratio(effort: Effort) -> float:
    """With a second picture, of the mover's hand."""
    return ratio(with_hand(), bare(shown()), effort)


@row("move: all that is said in public / Pillow's bare file", better="less")
def announced_ratio(effort: Effort) -> float:
    """Two transactions more: a board is taken, sent and noted."""
    return ratio(announced(), bare(shown()), effort)


@row("move: /tiles play / Pillow's bare file", goal=3.5, better="less")
def typed_ratio(effort: Effort) -> float:
    """With discord.py's parsing of what comes and of what Discord answers."""
    return ratio(typed(), bare(shown()), effort)


@row("moves a second / with boards drawn the usual way", goal=12)
def beside_usual(effort: Effort) -> float:
    """The same move with its board drawn three times too large in true colour, and pressed as Pillow does by itself."""
    ours, theirs = with_board(), with_board()

    def slowly() -> None:
        with patch.object(sheets, "table_picture", the_usual_way):
            theirs.do()

    return ratio(Work(slowly, units=theirs.units, before=theirs.before), ours, effort)


def the_usual_way(seen: Seen, names: Any, words: Captions, **_: object) -> Picture:
    """What stands in for the project's own drawing."""
    drawn = scene(seen, names, words)
    return Picture(usual.drawn(drawn), drawn.width, drawn.height)


@row("the event loop's stall while 8 tables are drawn, p99", goal=5, better="less", unit="ms")
def stall(effort: Effort) -> float:
    """How late a tick of half a millisecond is, in wall time: a machine with other work to do is late by itself."""
    return asyncio.run(_stall(max(1.0, effort.pairs * effort.seconds))) * 1000


async def _stall(seconds: float) -> float:
    boards = [seen for seen, _ in course()]
    until = perf_counter() + seconds
    late: list[float] = []

    async def draw(number: int) -> None:
        while perf_counter() < until:
            number = (number + 1) % len(boards)
            await drawn(table_picture, boards[number], NAMES, captions(boards[number]))

    async def tick() -> None:
        while perf_counter() < until:
            before = perf_counter()
            await asyncio.sleep(TICK)
            late.append(perf_counter() - before - TICK)

    await asyncio.gather(tick(), *(draw(number * 3) for number in range(TABLES)))
    return quantiles(late, n=100)[98]
