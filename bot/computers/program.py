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

READ_BYTES: Final = 1 << 14  # Bytes a read. Queues hold two reads; a program that writes more blocks on its full pipe.
MAX_OUTPUT: Final = 1 << 16  # bytes that a program may write for one answer
MAX_ERRORS: Final = 1 << 20  # bytes of standard error for one answer
ERROR_TAIL_BYTES: Final = 400  # last bytes of standard error that are kept
EXIT_TIMEOUT: Final = 1.0  # seconds to exit after the last question
WATCHDOG_SCRIPT: Final = Path(__file__).with_name("parent_watchdog.py")  # imports nothing of the bot, so it starts fast
LAST_STATUS: Final = 128  # a status above it is 128 + signal
KILL_TIMEOUT: Final = 2.0  # seconds to end all descendants of a program
# Environment variables that a program gets. Others may hold tokens and addresses.
INHERITED_VARIABLES: Final = ("PATH", "HOME", "USER", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ", "SYSTEMROOT")


class AnswerTimeoutError(Exception):
    """The program did not write a line in time."""


class OutputLimitError(Exception):
    """The program wrote more than allowed."""


class ProgramEndedError(Exception):
    """The program has ended, or could not be started."""


class Program:
    """A running program. It starts at once, and `close` ends it."""

    def __init__(self, command: str, cpu_seconds: int = 0) -> None:
        """Start the program, on Linux with a limit of CPU time; 0 is none. Raises ProgramEndedError."""
        try:
            words = shlex.split(command)
            if not words:
                raise ProgramEndedError("there is no command")
            # In its own session, so that its descendants end with it and Ctrl-C reaches only the bot.
            self._process = subprocess.Popen(  # noqa: S603 - the operator configured it
                [*_build_watchdog_command(cpu_seconds), *words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={name: os.environ[name] for name in INHERITED_VARIABLES if name in os.environ},
                start_new_session=True,
            )
        except (OSError, ValueError, IndexError) as error:
            raise ProgramEndedError(str(error)) from error
        self._output: queue.Queue[bytes] = queue.Queue(2)
        self._errors: queue.Queue[bytes] = queue.Queue(2)
        self._input: queue.Queue[bytes | None] = queue.Queue()
        self._buffer = b""
        self._error_tail = b""
        self._error_bytes = self._output_bytes = 0
        self._closed = threading.Event()
        threading.Thread(target=self._write_input, daemon=True).start()
        for pipe in ((self._process.stdout, self._output), (self._process.stderr, self._errors)):
            threading.Thread(target=self._read, args=pipe, daemon=True).start()

    @property
    def error_output(self) -> str:
        if not self._error_tail:
            # Its last output may still be in the pipe.
            with suppress(queue.Empty):
                self._take_error(self._errors.get(timeout=0.2))
        self._take_errors()
        text = self._error_tail.decode(errors="replace")
        return "".join(sign if sign.isprintable() or sign == "\n" else "?" for sign in text).strip()

    def send(self, line: bytes) -> None:
        self._input.put(line)

    def read_line(self, until: float) -> bytes:
        """Return the next non-blank line, by `until` on the monotonic clock. Raises AnswerTimeoutError,
        OutputLimitError, ProgramEndedError.
        """
        while True:
            found, end, rest = self._buffer.partition(b"\n")
            if end:
                self._buffer = rest
                if found.strip():
                    return found.strip()
                continue
            if self._output_bytes > MAX_OUTPUT or self._take_errors() > MAX_ERRORS:
                raise OutputLimitError
            piece = self._read_piece(until)
            if not piece:
                raise ProgramEndedError(self._describe_end())
            self._output_bytes += len(piece)
            self._buffer += piece

    def reset_limits(self) -> None:
        self._error_bytes = self._output_bytes = 0

    def close(self, timeout: float = EXIT_TIMEOUT) -> None:
        self._input.put(None)
        until = time.monotonic() + timeout
        with suppress(AnswerTimeoutError, OutputLimitError):
            # Read on, so that a program that writes at exit does not block.
            while time.monotonic() < until and self._process.poll() is None and self._read_piece(until):
                self._take_errors()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(max(0.0, until - time.monotonic()))
        self._closed.set()
        _kill(self._process)
        self._process.wait()

    def _read_piece(self, until: float) -> bytes:
        while True:
            try:
                return self._output.get(timeout=min(0.05, max(0.0, until - time.monotonic())))
            except queue.Empty:
                if self._take_errors() > MAX_ERRORS:
                    raise OutputLimitError from None
                if time.monotonic() >= until:
                    raise AnswerTimeoutError from None

    def _take_errors(self) -> int:
        """Read standard error; return the number of bytes since the last question."""
        with suppress(queue.Empty):
            while self._error_bytes <= MAX_ERRORS:
                self._take_error(self._errors.get_nowait())
        return self._error_bytes

    def _take_error(self, piece: bytes) -> None:
        self._error_bytes += len(piece)
        self._error_tail = (self._error_tail + piece)[-ERROR_TAIL_BYTES:]

    def _describe_end(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(0.2)
        status = self._process.poll()
        if status is None:
            return "it closed its output"
        if status > LAST_STATUS:
            status = LAST_STATUS - status  # the shell's and the watchdog's form
        return f"signal {-status}" if status < 0 else f"status {status}"

    def _write_input(self) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        with suppress(OSError, ValueError):
            while (line := self._input.get()) is not None:
                stdin.write(line)
                stdin.flush()
        with suppress(OSError, ValueError):
            stdin.close()

    def _read(self, out: IO[bytes] | None, pieces: "queue.Queue[bytes]") -> None:
        assert out is not None
        piece = b"-"
        while piece:
            try:
                piece = os.read(out.fileno(), READ_BYTES)
            except (OSError, ValueError):
                piece = b""
            while not self._closed.is_set():
                with suppress(queue.Full):
                    pieces.put(piece, timeout=1.0)
                    break
            else:
                break
        with suppress(OSError):
            out.close()


def _build_watchdog_command(cpu_seconds: int) -> Sequence[str]:
    """Return the command that runs a program under the parent watchdog, where supported."""
    if sys.platform != "linux":
        return []
    return [sys.executable, "-I", "-S", str(WATCHDOG_SCRIPT), str(os.getpid()), str(cpu_seconds)]


def _kill(process: "subprocess.Popen[bytes]") -> None:
    if sys.platform == "linux":
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(KILL_TIMEOUT)
    with suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
