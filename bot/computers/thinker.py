"""The process in which computer players think: `python -m bot.computers.thinker`, begun by
`bot.computers.worker_pool`.

Requests come in on standard input and answers go out on standard output, each a pickled value after its length. For a
move it is told what one seat may see and nothing else, for a review a match that is over; it has no token, no database
and no way to anybody but the bot. When the bot is gone, however that came, its input ends, and so does it, even in the
middle of a thought.
"""

import os
import pickle
import signal
import struct
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, BinaryIO, Final

from bot.computers.player_names import Unthought, thought

LENGTH: Final = struct.Struct(">I")
"""What stands before each value."""
MEMORY: Final = 1024 * 1024 * 1024
"""Bytes of addresses that such a process can have."""
LIMITS: Final = {"RLIMIT_AS": MEMORY}
NICER: Final = 5
"""So much less than the bot itself it gets of a processor that both want."""


@dataclass(frozen=True, slots=True)
class Interim:
    """What is said before the answer: how far it has come."""

    said: object


def think(
    answering: Callable[..., object] | None = None, limits: Mapping[str, int] = LIMITS, nicer: int = NICER
) -> None:
    """Answer one request after the other: with what `answering` makes of it, or else with what a player chooses; a
    generator tells of itself in parts before. `limits` are what this process and whatever it starts may have of the
    machine, and it gets so much less (`nicer`) of a processor than the bot.
    """
    _be_modest(limits, nicer)
    answers, requests = os.fdopen(os.dup(1), "wb"), SimpleQueue[bytes]()
    os.dup2(2, 1)  # whatever prints does not get between the answers
    threading.Thread(target=_listen, args=(os.fdopen(os.dup(0), "rb"), requests), daemon=True).start()

    def say(value: object) -> None:
        packed = pickle.dumps(value)
        answers.write(LENGTH.pack(len(packed)) + packed)
        answers.flush()

    while True:
        request: Any = pickle.loads(requests.get())  # noqa: S301 - the bot's own
        try:
            answer = (answering or thought)(*request)
            if isinstance(answer, Generator):
                answer = _in_parts(answer, say)
        except Unthought as why:
            answer = why
        except Exception as error:
            answer = repr(error)
        say(answer)


def _in_parts(parts: Generator[object, None, object], say: Callable[[Interim], None]) -> object:
    """Say each part; what it comes to in the end."""
    while True:
        try:
            say(Interim(next(parts)))
        except StopIteration as end:
            return end.value


def _listen(stream: BinaryIO, requests: "SimpleQueue[bytes]") -> None:
    with suppress(OSError):
        while head := stream.read(LENGTH.size):
            requests.put(stream.read(*LENGTH.unpack(head)))
    os._exit(0)


def _be_modest(limits: Mapping[str, int], nicer: int) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # they are for the bot, with which this ends
    with suppress(ImportError, AttributeError, OSError, ValueError):
        import resource

        for name, most in limits.items():
            resource.setrlimit(getattr(resource, name), (most, most))
    with suppress(AttributeError, OSError):
        os.nice(nicer)


if __name__ == "__main__":
    think()
