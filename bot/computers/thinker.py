"""The worker process of computer players: `python -m bot.computers.thinker`, started by `worker_pool`.

Requests and answers are pickled after their length. The process has no token and no database, and ends with the bot.
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

from bot.computers.player_names import ComputationError, choose_action
from bot.core.environment import forbid_inspection

LENGTH_PREFIX: Final = struct.Struct(">I")  # precedes each value
MEMORY: Final = 1024 * 1024 * 1024  # bytes of address space
LIMITS: Final = {"RLIMIT_AS": MEMORY}
NICENESS: Final = 5  # niceness above the bot's


@dataclass(frozen=True, slots=True)
class PartialAnswer:
    value: object


def serve_requests(
    answer_request: Callable[..., object] | None = None, limits: Mapping[str, int] = LIMITS, niceness: int = NICENESS
) -> None:
    """Answer requests in turn with `answer_request`; a generator yields partial answers. `limits` are resource
    limits.
    """
    _limit_resources(limits, niceness)
    forbid_inspection()  # it has seen the hands of other seats
    answers, requests = os.fdopen(os.dup(1), "wb"), SimpleQueue[bytes]()
    os.dup2(2, 1)  # prints must not mix with the answers
    threading.Thread(target=_listen, args=(os.fdopen(os.dup(0), "rb"), requests), daemon=True).start()

    def send(value: object) -> None:
        packed = pickle.dumps(value)
        answers.write(LENGTH_PREFIX.pack(len(packed)) + packed)
        answers.flush()

    while True:
        request: Any = pickle.loads(requests.get())  # noqa: S301 - the bot's own
        try:
            answer = (answer_request or choose_action)(*request)
            if isinstance(answer, Generator):
                answer = _send_parts(answer, send)
        except ComputationError as why:
            answer = why
        except Exception as error:
            answer = repr(error)
        send(answer)


def _send_parts(parts: Generator[object, None, object], send: Callable[[PartialAnswer], None]) -> object:
    while True:
        try:
            send(PartialAnswer(next(parts)))
        except StopIteration as end:
            return end.value


def _listen(stream: BinaryIO, requests: "SimpleQueue[bytes]") -> None:
    with suppress(OSError):
        while head := stream.read(LENGTH_PREFIX.size):
            requests.put(stream.read(*LENGTH_PREFIX.unpack(head)))
    os._exit(0)


def _limit_resources(limits: Mapping[str, int], niceness: int) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # they are for the bot, with which this ends
    with suppress(ImportError, AttributeError, OSError, ValueError):
        import resource

        for name, most in limits.items():
            resource.setrlimit(getattr(resource, name), (most, most))
    with suppress(AttributeError, OSError):
        os.nice(niceness)


if __name__ == "__main__":
    serve_requests()
