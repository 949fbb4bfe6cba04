"""HTTP helpers: read requests with files, write JSON exactly as discord.py expects it."""

import re
from typing import Any, Final

import msgspec
from aiohttp import BodyPartReader, web

from bot.playground import discord_limits
from bot.playground.discord_limits import ApiError, RefusedError
from bot.playground.message_builder import Upload
from bot.playground.payloads import MOST_BYTES, Json, encode

SENT: Final = web.RequestKey("sent", bytes)
FILES: Final = web.RequestKey("files", int)
"""The JSON part and the number of files of a multipart request, which can be read only once."""

_FILES: Final = re.compile(rb'url":"(/attachments/[^"]*)"')


def json_answer(body: Any, status: int = 200) -> web.Response:
    """A JSON response with the exact content type `application/json`, which discord.py compares literally."""
    headers = {"Cache-Control": "no-store"}
    return web.Response(body=encode(body), status=status, content_type="application/json", headers=headers)


def absolute(body: Any, base: str, files_key: str) -> bytes:
    """JSON for the bot with our address and key in attachment URLs. Quotes in texts are escaped, so only keys match."""
    return _FILES.sub(rb'url":"%s\1?key=%s"' % (base.encode(), files_key.encode()), encode(body))


def parsed(raw: bytes) -> Json:
    """The JSON object of a request. Raises ApiError 50109."""
    if not raw:
        return {}
    try:
        found = msgspec.json.decode(raw)
    except msgspec.DecodeError:
        raise ApiError(400, 50109, "The request body contains invalid JSON.") from None
    if not isinstance(found, dict):
        raise discord_limits.invalid((), "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
    return found


async def page_body(request: web.Request) -> Json:
    """The JSON object that the page sent. Raises PageError."""
    try:
        return parsed(await request.read())
    except ApiError:
        raise RefusedError("malformed") from None


async def payload_of(request: web.Request) -> tuple[Json, list[Upload]]:
    """The JSON and the files of a request, which is JSON or a form with `payload_json`."""
    if not request.content_type.startswith("multipart/"):
        return parsed(await request.read()), []
    payload: Json = {}
    uploads: list[Upload] = []
    async for part in await request.multipart():
        if not isinstance(part, BodyPartReader):
            continue
        if part.name == "payload_json":
            raw = bytes(await part.read())
            payload = parsed(raw)
            request[SENT] = raw
        elif part.name and part.name.startswith("files["):
            data = bytes(await part.read())
            if len(data) > MOST_BYTES:
                raise ApiError(413, 40005, "Request entity too large")
            uploads.append(Upload(part.name[len("files[") : -1], part.filename or "file", data))
    request[FILES] = len(uploads)
    return payload, uploads
