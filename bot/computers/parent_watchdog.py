"""What somebody else's program is started by on Linux: `python leash.py PARENT COMMAND...`, by `bot.computers.program`.

It ends with the program, and as the program does. When it is told to end, and when whoever began it has gone, however
that came, the program ends too; and with that each time whatever it has started, to whichever session it has moved.
"""

import ctypes
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

PDEATHSIG: Final = 1
SUBREAPER: Final = 36
"""Linux's numbers for `prctl`: which signal one is sent when one's parent ends; that orphans among one's descendants
come to be one's own children.
"""
WATCHED: Final = (signal.SIGTERM, signal.SIGCHLD)
USUAL: Final = (*WATCHED, signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ)
"""What a program does at these it decides itself: neither Python's ways nor the bot's are handed down to it."""


def on_leash(parent: int, words: list[str]) -> int:
    """Let a program run until it ends or has to; the status that a shell would have."""
    signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)
    for number in USUAL:
        signal.signal(number, signal.SIG_DFL)
    control = ctypes.CDLL(None).prctl
    control(PDEATHSIG, signal.SIGTERM)
    control(SUBREAPER, 1)
    if os.getppid() != parent:
        return 1  # it has gone before it was watched
    program = os.fork()
    if not program:
        control(PDEATHSIG, signal.SIGKILL)
        _become(words)
    for stream in range(3):  # the program's alone: it can close them
        os.dup2(os.open(os.devnull, os.O_RDWR), stream)
    status = None
    while status is None and signal.sigwait(WATCHED) != signal.SIGTERM:
        status = _ended(program)
    _end_all()
    return 128 + signal.SIGKILL if status is None else status


def _become(words: list[str]) -> None:
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, WATCHED)
        # As it was handed to us: Python adds to its own.
        given = Path("/proc/self/environ").read_bytes().split(b"\0")
        os.execvpe(words[0], words, dict(one.split(b"=", 1) for one in given if b"=" in one))  # noqa: S606 - see program.py
    except OSError as error:
        print(f"{words[0]}: {error.strerror}", file=sys.stderr, flush=True)
    finally:
        os._exit(127)


def _ended(program: int) -> int | None:
    """The status of the program, once it has ended; nobody else who has is kept."""
    with suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            if found[0] == program:
                code = os.waitstatus_to_exitcode(found[1])
                return code if code >= 0 else 128 - code
    return None


def _end_all() -> None:
    """Kill all children, and those who become ours by that, until there is none."""
    ours = Path(f"/proc/self/task/{os.getpid()}/children")
    with suppress(OSError):
        while children := ours.read_text(encoding="ascii").split():
            for child in map(int, children):
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            os.waitpid(-1, 0)


if __name__ == "__main__":
    sys.exit(on_leash(int(sys.argv[1]), sys.argv[2:]))
