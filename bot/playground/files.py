"""Serving the page's own files, and the attachments of messages."""

from __future__ import annotations

import mimetypes
from pathlib import Path
from urllib.parse import quote

from aiohttp import web

from bot.playground import wire
from bot.playground.shelf import Shelf

PAGE = Path(__file__).parent / "page"
KEEP = "private, max-age=31536000, immutable"
"""An attachment never changes under its address."""
LOCKED = "The key in the address is missing or wrong: open the whole address that `boneyard play` printed."
POLICY = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'"


class Files:
    """Handlers for `/`, `/page/<file>` and `/attachments/...`."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def routes(self) -> list[web.RouteDef]:
        """The routes, to be added to an application."""
        return [
            web.get("/", self.index),
            web.get("/page/{file:.+}", self.page_file),
            web.get("/attachments/{channel}/{attachment}/{file}", self.attachment),
        ]

    async def index(self, request: web.Request) -> web.Response:
        return _file("index.html")

    async def page_file(self, request: web.Request) -> web.Response:
        return _file(request.match_info["file"])

    async def attachment(self, request: web.Request) -> web.Response:
        info = request.match_info
        data = await self._shelf.blob(f"{info['channel']}/{info['attachment']}/{quote(info['file'], safe='')}")
        if data is None:
            raise web.HTTPNotFound(text="This file is gone.")
        kind = mimetypes.guess_type(info["file"])[0] or "application/octet-stream"
        # Only pictures that cannot carry a script are shown; the sandbox keeps anything else from acting here.
        shown = kind.startswith("image/") and kind != "image/svg+xml"
        headers = {
            "Cache-Control": KEEP,
            "Content-Security-Policy": "default-src 'none'; sandbox",
            "X-Content-Type-Options": "nosniff",
            "Content-Disposition": "inline" if shown else "attachment",
        }
        return web.Response(body=data, content_type=kind, headers=headers)


def locked(request: web.Request) -> web.Response:
    """What somebody gets who comes without the key, or with an old one: where to find it."""
    if request.path == "/":
        return _file("locked.html", status=403)
    return wire.json_answer({"message": LOCKED}, 403)


def _file(name: str, status: int = 200) -> web.Response:
    """A file of the page; it is small and read afresh, so that an update shows at once."""
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
