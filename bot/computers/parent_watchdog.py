"""Runs an external program on Linux, and ends it with all its descendants on SIGTERM or the parent's death."""

import ctypes
import os
import resource
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

MAX_OPEN_FILES: Final = 256
PARENT_DEATH_SIGNAL: Final = 1
# Options of Linux's `prctl`: the signal on the death of the parent, and adoption of orphaned descendants.
SUBREAPER: Final = 36
AWAITED_SIGNALS: Final = (signal.SIGTERM, signal.SIGCHLD)
RESET_SIGNALS: Final = (*AWAITED_SIGNALS, signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ)


def run_watched(parent: int, cpu_seconds: int, command: list[str]) -> int:
    signal.pthread_sigmask(signal.SIG_BLOCK, AWAITED_SIGNALS)
    for number in RESET_SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    control = ctypes.CDLL(None).prctl
    control(PARENT_DEATH_SIGNAL, signal.SIGTERM)
    control(SUBREAPER, 1)
    if os.getppid() != parent:
        return 1  # the parent died before it was watched
    program = os.fork()
    if not program:
        control(PARENT_DEATH_SIGNAL, signal.SIGKILL)
        resource.setrlimit(resource.RLIMIT_NOFILE, (MAX_OPEN_FILES, MAX_OPEN_FILES))
        if cpu_seconds:
            resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
        _exec_program(command)
    for stream in range(3):  # only the program holds the pipes, so it can close them
        os.dup2(os.open(os.devnull, os.O_RDWR), stream)
    status = None
    while status is None and signal.sigwait(AWAITED_SIGNALS) != signal.SIGTERM:
        status = _reap_children(program)
    _kill_children()
    return 128 + signal.SIGKILL if status is None else status


def _exec_program(command: list[str]) -> None:
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, AWAITED_SIGNALS)
        # The original environment: Python adds its own variables.
        environment = Path("/proc/self/environ").read_bytes().split(b"\0")
        os.execvpe(command[0], command, dict(one.split(b"=", 1) for one in environment if b"=" in one))  # noqa: S606 - see program.py
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr, flush=True)
    finally:
        os._exit(127)


def _reap_children(program: int) -> int | None:
    """Reap ended children; return the status of the program if it is one of them."""
    with suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            if found[0] == program:
                code = os.waitstatus_to_exitcode(found[1])
                return code if code >= 0 else 128 - code
    return None


def _kill_children() -> None:
    children_file = Path(f"/proc/self/task/{os.getpid()}/children")
    with suppress(OSError):
        while children := children_file.read_text(encoding="ascii").split():
            for child in map(int, children):
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            os.waitpid(-1, 0)


if __name__ == "__main__":
    sys.exit(run_watched(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
