"""An external program behind three pipes, with limits on the time and the amount of its output."""

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

PIECE: Final = 1 << 14  # Bytes a read. Queues hold two reads; a program that writes more blocks on its full pipe.
MOST_SAID: Final = 1 << 16  # bytes that a program may write for one answer
MOST_ERRORS: Final = 1 << 20  # bytes of standard error for one answer
KEPT: Final = 400  # last bytes of standard error that are kept
FAREWELL: Final = 1.0  # seconds to exit after the last question
LEASH: Final = Path(__file__).with_name("parent_watchdog.py")  # imports nothing of the bot, so it starts fast
LAST_STATUS: Final = 128  # a status above it is 128 + signal
ENDING: Final = 2.0  # seconds to end all descendants of a program
# Environment variables that a program gets. Others may hold tokens and addresses.
SURROUNDINGS: Final = ("PATH", "HOME", "USER", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ", "SYSTEMROOT")


class OutOfTime(Exception):  # noqa: N818 - a state of the program
    """The program did not write a line in time."""


class Flooded(Exception):  # noqa: N818 - a state of the program
    """The program wrote more than allowed."""


class Gone(Exception):  # noqa: N818 - a state of the program
    """The program has ended, or could not be started."""


class Program:
    """A running program. It starts at once, and `close` ends it."""

    def __init__(self, command: str) -> None:
        """Start the program. Raises Gone."""
        try:
            words = shlex.split(command)
            if not words:
                raise Gone("there is no command")
            # In its own session, so that its descendants end with it and Ctrl-C reaches only the bot.
            self._process = subprocess.Popen(  # noqa: S603 - the operator configured it
                [*_watchdog_command(), *words],
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
        if not self._tail:
            # Its last output may still be in the pipe.
            with suppress(queue.Empty):
                self._take_error(self._errors.get(timeout=0.2))
        self._take_errors()
        return "".join(
            sign if sign.isprintable() or sign == "\n" else "?" for sign in self._tail.decode(errors="replace")
        ).strip()

    def tell(self, line: bytes) -> None:
        self._asked.put(line)

    def line(self, until: float) -> bytes:
        """Return the next non-blank line, by `until` on the monotonic clock. Raises OutOfTime, Flooded, Gone."""
        while True:
            found, end, rest = self._rest.partition(b"\n")
            if end:
                self._rest = rest
                if found.strip():
                    return found.strip()
                continue
            if self._read_since > MOST_SAID or self._take_errors() > MOST_ERRORS:
                raise Flooded
            piece = self._piece(until)
            if not piece:
                raise Gone(self._how_it_ended())
            self._read_since += len(piece)
            self._rest += piece

    def forget(self) -> None:
        self._complaints = self._read_since = 0

    def close(self, patience: float = FAREWELL) -> None:
        self._asked.put(None)
        until = time.monotonic() + patience
        with suppress(OutOfTime, Flooded):
            # Read on, so that a program that writes at exit does not block.
            while time.monotonic() < until and self._process.poll() is None and self._piece(until):
                self._take_errors()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(max(0.0, until - time.monotonic()))
        self._closed.set()
        _kill(self._process)
        self._process.wait()

    def _piece(self, until: float) -> bytes:
        while True:
            try:
                return self._said.get(timeout=min(0.05, max(0.0, until - time.monotonic())))
            except queue.Empty:
                if self._take_errors() > MOST_ERRORS:
                    raise Flooded from None
                if time.monotonic() >= until:
                    raise OutOfTime from None

    def _take_errors(self) -> int:
        """Read standard error; return the number of bytes since the last question."""
        with suppress(queue.Empty):
            while self._complaints <= MOST_ERRORS:
                self._take_error(self._errors.get_nowait())
        return self._complaints

    def _take_error(self, piece: bytes) -> None:
        self._complaints += len(piece)
        self._tail = (self._tail + piece)[-KEPT:]

    def _how_it_ended(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(0.2)
        status = self._process.poll()
        if status is None:
            return "it closed its output"
        if status > LAST_STATUS:
            status = LAST_STATUS - status  # the shell's and the watchdog's form
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


def _watchdog_command() -> Sequence[str]:
    """Return the command that runs a program under the parent watchdog, where supported."""
    return [sys.executable, "-I", "-S", str(LEASH), str(os.getpid())] if sys.platform == "linux" else []


def _kill(process: "subprocess.Popen[bytes]") -> None:
    if _watchdog_command():
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(ENDING)
    with suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
