"""What is said with somebody else's program: the greeting, and one question after the other (docs/players.md)."""

import time
from collections.abc import Callable
from typing import Final

from bot.service import protocol
from bot.service.program import Flooded, Gone, OutOfTime, Program
from bot.service.protocol import BadAnswer, JsonObject
from engine.table.state import Stumble

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
