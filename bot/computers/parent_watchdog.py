"""Runs an external program on Linux, and ends it with all its descendants on SIGTERM or the parent's death."""

import ctypes
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

PDEATHSIG: Final = 1
# Options of Linux's `prctl`: the signal on the death of the parent, and adoption of orphaned descendants.
SUBREAPER: Final = 36
WATCHED: Final = (signal.SIGTERM, signal.SIGCHLD)
USUAL: Final = (*WATCHED, signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ)


def on_leash(parent: int, words: list[str]) -> int:
    signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)
    for number in USUAL:
        signal.signal(number, signal.SIG_DFL)
    control = ctypes.CDLL(None).prctl
    control(PDEATHSIG, signal.SIGTERM)
    control(SUBREAPER, 1)
    if os.getppid() != parent:
        return 1  # the parent died before it was watched
    program = os.fork()
    if not program:
        control(PDEATHSIG, signal.SIGKILL)
        _become(words)
    for stream in range(3):  # only the program holds the pipes, so it can close them
        os.dup2(os.open(os.devnull, os.O_RDWR), stream)
    status = None
    while status is None and signal.sigwait(WATCHED) != signal.SIGTERM:
        status = _ended(program)
    _end_all()
    return 128 + signal.SIGKILL if status is None else status


def _become(words: list[str]) -> None:
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, WATCHED)
        # The original environment: Python adds its own variables.
        given = Path("/proc/self/environ").read_bytes().split(b"\0")
        os.execvpe(words[0], words, dict(one.split(b"=", 1) for one in given if b"=" in one))  # noqa: S606 - see program.py
    except OSError as error:
        print(f"{words[0]}: {error.strerror}", file=sys.stderr, flush=True)
    finally:
        os._exit(127)


def _ended(program: int) -> int | None:
    """Reap ended children; return the status of the program if it is one of them."""
    with suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            if found[0] == program:
                code = os.waitstatus_to_exitcode(found[1])
                return code if code >= 0 else 128 - code
    return None


def _end_all() -> None:
    ours = Path(f"/proc/self/task/{os.getpid()}/children")
    with suppress(OSError):
        while children := ours.read_text(encoding="ascii").split():
            for child in map(int, children):
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            os.waitpid(-1, 0)


if __name__ == "__main__":
    sys.exit(on_leash(int(sys.argv[1]), sys.argv[2:]))
