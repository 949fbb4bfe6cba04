"""A disk so small that it runs full: a real one, in a namespace of its own, that goes with whoever made it."""

import shutil
import subprocess
from functools import cache

SMALL_DISK = ["unshare", "--user", "--map-root-user", "--mount"]
"""The command in which one can be mounted."""


@cache
def can_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    tried = subprocess.run([*SMALL_DISK, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False)
    return tried.returncode == 0
