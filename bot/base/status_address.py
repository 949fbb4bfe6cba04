"""Where a bot tells how it is doing, and asking there: what a health check of a container runs every half minute, so it
needs next to nothing.
"""

import http.client
import ipaddress
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Final, Self

HERE: Final = "127.0.0.1"
ASKED: Final = 5.0
"""Seconds that `boneyard health` waits for an answer."""
LONGEST: Final = 64_000
"""Bytes of an answer; the bot's has some hundreds."""
BEGINS: Final = (" ok  ", "FIX  ")
"""How the first line of the bot's answer begins, and that of nobody else."""
_DIRECTLY: Final = urllib.request.build_opener(urllib.request.ProxyHandler({}))
"""Whatever proxy this machine has for the world outside."""


@dataclass(frozen=True, slots=True)
class StatusAddress:
    """Where the page is served."""

    host: str
    port: int

    @classmethod
    def read(cls, text: str) -> Self:
        """Out of `9464`, `127.0.0.1:9464` or `[::1]:9464`; a port alone is one of this machine. Raises ValueError."""
        host, colon, port = text.strip().rpartition(":")
        is_port = port.isascii() and port.isdigit() and 0 < int(port) < 1 << 16
        if not is_port or (colon and not host) or any(sign.isspace() for sign in host):
            raise ValueError(f"BONEYARD_STATUS is a port such as 9464, or HOST:PORT, and not {text!r}")
        return cls(host.strip("[]") or HERE, int(port))

    @property
    def is_ours(self) -> bool:
        """Whether only this machine reaches it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def url(self) -> str:
        """Without a slash at the end."""
        return f"http://[{self.host}]:{self.port}" if ":" in self.host else f"http://{self.host}:{self.port}"


def reported(address: StatusAddress) -> tuple[bool, str]:
    """Whether the bot that tells here how it is doing is well, and what it says."""
    # One that listens everywhere is asked here.
    url = StatusAddress({"0.0.0.0": HERE, "::": "::1"}.get(address.host, address.host), address.port).url  # noqa: S104
    try:
        good, told = _answer(f"{url}/healthz")
    except OSError as error:
        reason = getattr(error, "reason", error)
        return False, f"Nothing answers at {url} ({reason}): is the bot running, with this BONEYARD_STATUS?\n"
    except http.client.HTTPException:
        told = ""
    if not told.startswith(BEGINS):
        # The bot waits for a port that is taken, and what answers there may well say that it is fine.
        return False, f"Another program answers at {url}: end that one, or name another port in BONEYARD_STATUS.\n"
    return good, told


def _answer(url: str) -> tuple[bool, str]:
    """Whether what is asked there says that all is well, and in which words. Raises OSError and HTTPException."""
    try:
        with _DIRECTLY.open(url, timeout=ASKED) as answer:
            return True, answer.read(LONGEST).decode(errors="replace")
    except urllib.error.HTTPError as ill:
        return False, ill.read(LONGEST).decode(errors="replace")
