"""Worker programs that misbehave, and helpers that wait for workers."""

import sys
from contextlib import suppress
from pathlib import Path

SILENT_WORKER = (sys.executable, "-c", "import time; time.sleep(600)")
"""A worker that never answers."""


DYING_WORKER = (sys.executable, "-c", "import sys; sys.stdin.buffer.read(4)")
"""A worker that dies at its first request."""


INVALID_ANSWER_WORKER = (
    sys.executable,
    "-c",
    "import sys, time; sys.stdin.buffer.read(4); print('0' * 99, flush=True); time.sleep(600)",
)
"""A worker that sends an invalid answer."""


MISSING_PROGRAM = ("/nonexistent/python",)


def is_alive(pid: int) -> bool:
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0] != "Z"
    return False
