"""A small real disk that runs full: it is mounted in a separate namespace and ends with its process."""

import shutil
import subprocess
from functools import cache

SMALL_DISK = ["unshare", "--user", "--map-root-user", "--mount"]
"""The command prefix for a namespace in which a disk can be mounted."""


@cache
def can_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    result = subprocess.run([*SMALL_DISK, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False)
    return result.returncode == 0
