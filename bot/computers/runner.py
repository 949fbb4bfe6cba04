"""The worker process that starts a new external program for each move: `python -m bot.computers.runner`."""

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


def greet(program: Program, limit: float, patience: float) -> None:
    """Say hello and check the protocol version; `limit` (s) is for later answers. Raises one of BROKEN."""
    program.tell(protocol.as_line(protocol.hello(limit)))
    protocol.require_protocol(protocol.read_answer(program.line(time.monotonic() + patience)))


def answer_of(program: Program, number: int, limit: float) -> JsonObject:
    """Return the answer to a question within `limit` seconds; skip late answers. Raises one of BROKEN."""
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


FAREWELL: Final = 0.2  # seconds to exit
LARGEST: Final = 64 * 1024 * 1024  # bytes of a file that the program may write
# Limits of each process. RLIMIT_AS is not among them: other runtimes reserve addresses that they never use.
LIMITS: Final = {"RLIMIT_DATA": MEMORY, "RLIMIT_FSIZE": LARGEST, "RLIMIT_CORE": 0}


def move_of(command: str, seen: PlayerView, luck: int, start: float, limit: float) -> Action:
    """Return a program's action: it has `start` seconds to say hello and `limit` to answer. Raises Unthought."""
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
