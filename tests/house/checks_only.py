"""Scripts that need the test tools, which are not where people play from."""

import sys
from importlib.util import find_spec


def in_the_checks_environment(module: str) -> None:
    """Go on; as the same script in the checks environment where this is another one."""
    if find_spec("simcord") is None:
        from boneyard_checks import hand_over  # type: ignore[import-not-found]

        hand_over("-m", module, *sys.argv[1:])
