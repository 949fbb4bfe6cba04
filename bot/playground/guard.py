"""The door: only a page this server sent, in a browser on this machine, may talk to it, and only with the key.

Every hand lies behind it, and whoever is in can act as anybody. A browser alone is no proof of who asks: every person
and every program on this machine reaches the port. So the address that `boneyard play` prints has a key in it.
"""

from __future__ import annotations

import secrets

from aiohttp import web

from bot.playground.refusals import RefusedError

HOSTS = ("127.0.0.1", "localhost", "[::1]")
KEY = "X-Boneyard-Key"
"""The header that has the key; where a browser lets nobody write headers, `?key=` has it."""
FREE = "/page/"
"""The page's own files hold no secrets, they are those of the program: no key opens them, or keeps them closed."""
FOREIGN = ("cross-site", "same-site")
"""What browsers write into Sec-Fetch-Site when another page asks; another port is another page."""


def check_origin(request: web.Request, port: int) -> None:
    """Refuse (403) a request that another page, or a name pointing here from outside, brings along.

    A foreign `Host` means that somebody's domain was made to point at this machine (DNS rebinding); a foreign
    `Origin` or `Sec-Fetch-Site` means that another page asks. Changes from the page need an Origin; what only looks
    may come without one, as a browser sends it that opens a link. Raises PageError.

    `port` is the one that the server listens on.
    """
    if request.host not in [f"{host}:{port}" for host in HOSTS]:
        raise RefusedError("address", 403, address=f"http://127.0.0.1:{port}")
    origin = request.headers.get("Origin")
    needs_origin = request.method not in ("GET", "HEAD") and request.path.startswith("/local")
    if (origin is None and needs_origin) or (origin is not None and origin != f"http://{request.host}"):
        raise RefusedError("foreign", 403)
    if request.headers.get("Sec-Fetch-Site") in FOREIGN and not _is_opened(request):
        raise RefusedError("foreign_link", 403)


def is_let_in(request: web.Request, *keys: str) -> bool:
    """Whether a request brings one of these keys along, or asks for what needs none."""
    if request.path.startswith(FREE):
        return True
    given = (request.headers.get(KEY) or request.query.get("key") or "").encode()
    return any(secrets.compare_digest(given, key.encode()) for key in keys)


def _is_opened(request: web.Request) -> bool:
    """Whether somebody follows a link to the page itself. The one that opens a browser stands in a file of ours; any
    other page lacks the key.
    """
    return request.path == "/" and request.headers.get("Sec-Fetch-Dest") == "document"
