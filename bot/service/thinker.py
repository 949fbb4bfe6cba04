"""The process in which computer players think: `python -m bot.service.thinker`, begun by `bot.service.workers`.

Requests come in on standard input and answers go out on standard output, each a pickled value after its length. It is
told what one seat may see and nothing else; it has no token, no database and no way to anybody but the bot. When the
bot is gone, however that came, its input ends, and so does it, even in the middle of a thought.
"""

import os
import pickle
import signal
import struct
import threading
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, BinaryIO, Final

from bot.service.players import thought

LENGTH: Final = struct.Struct(">I")
"""What stands before each value."""
MEMORY: Final = 1024 * 1024 * 1024
"""Bytes of addresses that such a process can have."""
NICER: Final = 5
"""So much less than the bot itself it gets of a processor that both want."""


def think() -> None:
    """Answer one request after the other."""
    _be_modest()
    answers, requests = os.fdopen(os.dup(1), "wb"), SimpleQueue[bytes]()
    os.dup2(2, 1)  # whatever prints does not get between the answers
    threading.Thread(target=_listen, args=(os.fdopen(os.dup(0), "rb"), requests), daemon=True).start()
    while True:
        request: Any = pickle.loads(requests.get())  # noqa: S301 - the bot's own
        try:
            answer: object = thought(*request)
        except Exception as error:
            answer = repr(error)
        packed = pickle.dumps(answer)
        answers.write(LENGTH.pack(len(packed)) + packed)
        answers.flush()


def _listen(stream: BinaryIO, requests: "SimpleQueue[bytes]") -> None:
    with suppress(OSError):
        while head := stream.read(LENGTH.size):
            requests.put(stream.read(*LENGTH.unpack(head)))
    os._exit(0)


def _be_modest() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # they are for the bot, with which this ends
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with suppress(AttributeError, OSError):
        os.nice(NICER)


if __name__ == "__main__":
    think()
