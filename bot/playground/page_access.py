"""Access control: only our own page, in a browser on this machine and with the key, may use the server.

Access means seeing every hand and acting as any user, and every program on this machine can reach the port. Therefore
the address that `boneyard play` prints contains a key.
"""

import asyncio
import mimetypes
import secrets
from pathlib import Path
from typing import Final
from urllib.parse import quote

from aiohttp import web
from aiohttp.typedefs import Handler

from bot.playground import wire
from bot.playground.discord_limits import RefusedError
from bot.playground.world_storage import WorldStorage

HOSTS = ("127.0.0.1", "localhost", "[::1]")
KEY = "X-Boneyard-Key"  # the header with the key; browsers that cannot set headers use `?key=`
PUBLIC_PATH = "/page/"  # the page's own files are public and need no key
FOREIGN_SITES = ("cross-site", "same-site")
"""Sec-Fetch-Site values for requests from other pages; another port is another page."""


def check_origin(request: web.Request, port: int) -> None:
    """Refuse (403) a request from another page or through a foreign host name. Raises PageError.

    A foreign `Host` means DNS rebinding; a foreign `Origin` or `Sec-Fetch-Site` means another page. Requests that
    change something need an Origin. GET requests may omit it, because a browser omits it when it opens a link. `port`
    is the port that the server listens on.
    """
    if request.host not in [f"{host}:{port}" for host in HOSTS]:
        raise RefusedError("address", 403, address=f"http://127.0.0.1:{port}")
    origin = request.headers.get("Origin")
    needs_origin = request.method not in ("GET", "HEAD") and request.path.startswith("/local")
    if (origin is None and needs_origin) or (origin is not None and origin != f"http://{request.host}"):
        raise RefusedError("foreign", 403)
    if request.headers.get("Sec-Fetch-Site") in FOREIGN_SITES and not _is_page_navigation(request):
        raise RefusedError("foreign_link", 403)


def is_authorized(request: web.Request, *keys: str) -> bool:
    """Whether a request has one of these keys or needs none."""
    if request.path.startswith(PUBLIC_PATH):
        return True
    given = (request.headers.get(KEY) or request.query.get("key") or "").encode()
    return any(secrets.compare_digest(given, key.encode()) for key in keys)


def _is_page_navigation(request: web.Request) -> bool:
    """Whether the browser opens a link to the page itself, as in our own start file. Other pages lack the key."""
    return request.path == "/" and request.headers.get("Sec-Fetch-Dest") == "document"


PAGE = Path(__file__).parent / "page"
CACHE_FOREVER = "private, max-age=31536000, immutable"  # the content of an attachment URL never changes
LOCKED_TEXT = "The key in the address is missing or wrong: open the whole address that `boneyard play` printed."
POLICY = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'"


class FileRoutes:
    """Handlers for `/`, `/page/<file>` and `/attachments/...`."""

    def __init__(self, storage: WorldStorage) -> None:
        self._storage = storage

    def list_routes(self) -> list[web.RouteDef]:
        return [
            web.get("/", self.serve_index),
            web.get("/page/{file:.+}", self.serve_page_file),
            web.get("/attachments/{channel}/{attachment}/{file}", self.serve_attachment),
        ]

    async def serve_index(self, request: web.Request) -> web.Response:
        return _read_page_file("index.html")

    async def serve_page_file(self, request: web.Request) -> web.Response:
        return _read_page_file(request.match_info["file"])

    async def serve_attachment(self, request: web.Request) -> web.Response:
        info = request.match_info
        data = await self._storage.load_blob(f"{info['channel']}/{info['attachment']}/{quote(info['file'], safe='')}")
        if data is None:
            raise web.HTTPNotFound(text="This file is gone.")
        kind = mimetypes.guess_type(info["file"])[0] or "application/octet-stream"
        # Only pictures without scripts are displayed inline. The sandbox disables scripts in all other files.
        is_inline = kind.startswith("image/") and kind != "image/svg+xml"
        headers = {
            "Cache-Control": CACHE_FOREVER,
            "Content-Security-Policy": "default-src 'none'; sandbox",
            "X-Content-Type-Options": "nosniff",
            "Content-Disposition": "inline" if is_inline else "attachment",
        }
        return web.Response(body=data, content_type=kind, headers=headers)


def build_locked_response(request: web.Request) -> web.Response:
    """The response to a request without a valid key: where to find it."""
    if request.path == "/":
        return _read_page_file("locked.html", status=403)
    return wire.build_json_response({"message": LOCKED_TEXT}, 403)


def _read_page_file(name: str, status: int = 200) -> web.Response:
    """A file of the page. It is read on each request so that an update shows immediately."""
    path = (PAGE / name).resolve()
    if not path.is_relative_to(PAGE) or not path.is_file():
        raise web.HTTPNotFound(text="There is no such file.")
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    headers = {
        "Cache-Control": "no-cache",
        "Content-Security-Policy": POLICY,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",  # the page's address has the key in it
    }
    charset = "utf-8" if kind.startswith("text/") or kind.endswith(("javascript", "json")) else None
    body = path.read_bytes()
    return web.Response(body=body, status=status, content_type=kind, charset=charset, headers=headers)


IDEMPOTENCY_HEADER: Final = "X-Boneyard-Once"  # the idempotency key of a request
MAX_RESPONSES: Final = 200  # stored responses; older ones are dropped


class RequestDeduplicator:
    def __init__(self) -> None:
        self._responses: dict[str, asyncio.Future[web.StreamResponse]] = {}

    async def handle(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """The handler's response. A duplicate request gets the response to the first one."""
        idempotency_key = request.headers.get(IDEMPOTENCY_HEADER)
        if idempotency_key is None:
            return await handler(request)
        request_key = f"{request.path} {idempotency_key}"
        if request_key not in self._responses:
            self._responses[request_key] = asyncio.ensure_future(handler(request))
            while len(self._responses) > MAX_RESPONSES:
                del self._responses[next(iter(self._responses))]
        try:
            # A disconnected client must not cancel the request, because it may send it again.
            first = await asyncio.shield(self._responses[request_key])
        except Exception:
            self._responses.pop(request_key, None)
            raise
        assert isinstance(first, web.Response), "only the stream of events is none, and nobody marks that"
        # A response that was prepared on one connection cannot be sent on another.
        return web.Response(
            body=first.body, status=first.status, headers={"Content-Type": first.headers["Content-Type"]}
        )
