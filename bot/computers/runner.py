"""The process from which somebody else's program is asked for one move: `python -m bot.computers.runner`, begun by
`bot.computers.worker_pool`.

The program is begun for this move and ended after it, so it carries nothing from one table or seat to another, and
however it behaves the next move has a fresh one. Whatever it writes is read here and not in the bot. It ends with this
process, and this one with the bot.
"""

import time
from collections.abc import Callable
from typing import Final

from bot.computers import protocol
from bot.computers.player_names import Unthought
from bot.computers.program import Flooded, Gone, OutOfTime, Program
from bot.computers.protocol import BadAnswer, JsonObject
from bot.computers.thinker import MEMORY, think
from engine.match.actions import Action
from engine.match.player_view import PlayerView
from engine.table.table_state import Stumble

BROKEN: Final = (OutOfTime, Flooded, Gone, BadAnswer)
"""What comes instead of an answer."""


def greet(program: Program, limit: float, patience: float) -> None:
    """Say hello, and see that it speaks the same protocol. `limit` is for its answers later on, both are seconds.

    Raises one of BROKEN.
    """
    program.tell(protocol.as_line(protocol.hello(limit)))
    protocol.require_protocol(protocol.read_answer(program.line(time.monotonic() + patience)))


def answer_of(program: Program, number: int, limit: float) -> JsonObject:
    """What it answers to the question of this number, in so many seconds. What answers an earlier one came too late,
    and is passed over. Raises one of BROKEN.
    """
    until = time.monotonic() + limit
    while True:
        said = dict(protocol.read_answer(program.line(until)))
        asked = said.get("ask")
        if asked == number and not isinstance(asked, bool):
            return said
        if not isinstance(asked, int) or not 0 < asked < number:
            raise BadAnswer(f"the answer is to question {ascii(asked)[:20]}, and {number} was asked")


WHY: Final[dict[type[Exception], Callable[[Exception], tuple[Stumble, str]]]] = {
    OutOfTime: lambda _: ("late", "no answer in time"),
    Flooded: lambda _: ("flood", "it wrote more than anybody reads"),
    Gone: lambda error: ("gone", f"it has ended ({error})"),
    BadAnswer: lambda error: ("nonsense", str(error)),
}
"""What each of them is called, and how it is told."""


FAREWELL: Final = 0.2
"""Seconds that a program has to end in by itself."""
LARGEST: Final = 64 * 1024 * 1024
"""Bytes of a file that it writes."""
LIMITS: Final = {"RLIMIT_DATA": MEMORY, "RLIMIT_FSIZE": LARGEST, "RLIMIT_CORE": 0}
"""Each of its processes. Those of other languages reserve addresses that they never use, so they are not counted."""


def move_of(command: str, seen: PlayerView, luck: int, start: float, limit: float) -> Action:
    """What a program does: it has `start` seconds to say hello and `limit` to answer. Raises Unthought."""
    program: Program | None = None
    try:
        program = Program(command)
        greet(program, limit, start)
        assert seen.viewer is not None
        program.tell(protocol.as_line(protocol.match_begins(seen.rules, 1, len(seen.seats), seen.viewer, luck)))
        program.forget()
        program.tell(protocol.as_line(protocol.to_choose(1, seen, limit)))
        return protocol.action_of(answer_of(program, 1, limit), seen)
    except BROKEN as error:
        why, _ = WHY[type(error)](error)
        raise Unthought(why) from None
    finally:
        if program is not None:
            program.close(FAREWELL)


if __name__ == "__main__":
    think(move_of, LIMITS)
