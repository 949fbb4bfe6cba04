"""A program of somebody else, at the other end of three pipes: lines go in, lines come out, and whatever it does it is
waited for no longer, and read no further, than is said.
"""

import os
import queue
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

PIECE: Final = 1 << 14
"""Bytes that are read at once. Two pieces wait for whoever asks; a program that writes more is not read meanwhile, so
that it stops at its full pipe."""
MOST_SAID: Final = 1 << 16
"""Bytes that a program may write, in lines that answer nothing too, while one answer is waited for."""
MOST_ERRORS: Final = 1 << 20
"""Bytes that it may write to standard error meanwhile."""
KEPT: Final = 400
"""Bytes of standard error that are kept: the last ones."""
FAREWELL: Final = 1.0
"""Seconds that a program has to end in by itself, once nothing will be asked any more."""
LEASH: Final = Path(__file__).with_name("parent_watchdog.py")
"""What it is started by on Linux; it knows nothing of the rest of us, so it is there at once."""
LAST_STATUS: Final = 128
"""What is above it says which signal has ended a program."""
ENDING: Final = 2.0
"""Seconds that it takes at most to find and end all that a program has started."""
SURROUNDINGS: Final = ("PATH", "HOME", "USER", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ", "SYSTEMROOT")
"""What it is told of the environment. Tokens and addresses stand in the rest."""


class OutOfTime(Exception):  # noqa: N818 - what the program was
    """No line came in time."""


class Flooded(Exception):  # noqa: N818 - what the program did
    """More came than anybody reads."""


class Gone(Exception):  # noqa: N818 - what the program is
    """The program has ended, or was never there."""


class Program:
    """A running program. It is started at once, and ends with `close`, whether it wants to or not."""

    def __init__(self, command: str) -> None:
        """Raises Gone where it cannot be started."""
        try:
            words = shlex.split(command)
            if not words:
                raise Gone("there is no command")
            # A group of its own: what it starts ends with it, and Ctrl-C is ours to deal with.
            self._process = subprocess.Popen(  # noqa: S603 - whoever plays against it named it
                [*_leash(), *words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={name: os.environ[name] for name in SURROUNDINGS if name in os.environ},
                start_new_session=True,
            )
        except (OSError, ValueError, IndexError) as error:
            raise Gone(str(error)) from error
        self._said: queue.Queue[bytes] = queue.Queue(2)
        self._errors: queue.Queue[bytes] = queue.Queue(2)
        self._asked: queue.Queue[bytes | None] = queue.Queue()
        self._rest = b""
        self._tail = b""
        self._complaints = self._read_since = 0
        self._closed = threading.Event()
        for work in (self._write, self._read_answers, self._read_errors):
            threading.Thread(target=work, daemon=True).start()

    @property
    def complaint(self) -> str:
        """The end of what it wrote to standard error, in signs that do nothing to a terminal."""
        if not self._tail:
            # What it said as it ended is still on its way.
            with suppress(queue.Empty):
                self._hear(self._errors.get(timeout=0.2))
        self._listen()
        return "".join(
            sign if sign.isprintable() or sign == "\n" else "?" for sign in self._tail.decode(errors="replace")
        ).strip()

    def tell(self, line: bytes) -> None:
        """Send a line. It never waits: whoever does not read it is found out by not answering."""
        self._asked.put(line)

    def line(self, until: float) -> bytes:
        """The next line that it says, without its end, by `until` on the monotonic clock.

        Raises OutOfTime, Flooded, Gone. Lines without anything in them are passed over.
        """
        while True:
            found, end, rest = self._rest.partition(b"\n")
            if end:
                self._rest = rest
                if found.strip():
                    return found.strip()
                continue
            if self._read_since > MOST_SAID or self._listen() > MOST_ERRORS:
                raise Flooded
            piece = self._piece(until)
            if not piece:
                raise Gone(self._how_it_ended())
            self._read_since += len(piece)
            self._rest += piece

    def forget(self) -> None:
        """Begin to count anew what it writes: a new question is asked."""
        self._complaints = self._read_since = 0

    def close(self, patience: float = FAREWELL) -> None:
        """Let it end, and see to it that it has. Nothing can be asked any more."""
        self._asked.put(None)
        until = time.monotonic() + patience
        with suppress(OutOfTime, Flooded):
            # What it still writes is read, so that a program that says farewell is not held up by it.
            while time.monotonic() < until and self._process.poll() is None and self._piece(until):
                self._listen()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(max(0.0, until - time.monotonic()))
        self._closed.set()
        _kill(self._process)
        self._process.wait()

    def _piece(self, until: float) -> bytes:
        """What it says next; nothing once it says no more."""
        while True:
            try:
                return self._said.get(timeout=min(0.05, max(0.0, until - time.monotonic())))
            except queue.Empty:
                if self._listen() > MOST_ERRORS:
                    raise Flooded from None
                if time.monotonic() >= until:
                    raise OutOfTime from None

    def _listen(self) -> int:
        """Take what has come on standard error; how much that is since the last question."""
        with suppress(queue.Empty):
            while self._complaints <= MOST_ERRORS:
                self._hear(self._errors.get_nowait())
        return self._complaints

    def _hear(self, piece: bytes) -> None:
        self._complaints += len(piece)
        self._tail = (self._tail + piece)[-KEPT:]

    def _how_it_ended(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(0.2)
        status = self._process.poll()
        if status is None:
            return "it closed its output"
        if status > LAST_STATUS:
            status = LAST_STATUS - status  # as a shell says it, and who has it on a leash
        return f"signal {-status}" if status < 0 else f"status {status}"

    def _write(self) -> None:
        into = self._process.stdin
        assert into is not None
        with suppress(OSError, ValueError):
            while (line := self._asked.get()) is not None:
                into.write(line)
                into.flush()
        with suppress(OSError, ValueError):
            into.close()

    def _read_answers(self) -> None:
        self._read(self._process.stdout, self._said)

    def _read_errors(self) -> None:
        self._read(self._process.stderr, self._errors)

    def _read(self, out: IO[bytes] | None, into: "queue.Queue[bytes]") -> None:
        assert out is not None
        piece = b"-"
        while piece:
            try:
                piece = os.read(out.fileno(), PIECE)
            except (OSError, ValueError):
                piece = b""
            while not self._closed.is_set():
                with suppress(queue.Full):
                    into.put(piece, timeout=1.0)
                    break
            else:
                break
        with suppress(OSError):
            out.close()


def _leash() -> Sequence[str]:
    """What a program is started by where there is such a thing: it ends when we do, however we end."""
    return [sys.executable, "-I", "-S", str(LEASH), str(os.getpid())] if sys.platform == "linux" else []


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """End it, and what it has started."""
    if _leash():
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(ENDING)
    with suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
