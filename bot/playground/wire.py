"""HTTP helpers: read requests with files, write JSON exactly as discord.py expects it."""

import re
from typing import Any, Final

import msgspec
from aiohttp import BodyPartReader, web

from bot.playground import discord_limits
from bot.playground.discord_limits import ApiError, RefusedError
from bot.playground.message_builder import Upload
from bot.playground.payloads import MAX_BYTES, Json, encode
from bot.playground.world import World

JSON_PART: Final = web.RequestKey("sent", bytes)
FILE_COUNT: Final = web.RequestKey("files", int)
"""The JSON part and the number of files of a multipart request, which can be read only once."""

_ATTACHMENT_URL: Final = re.compile(rb'url":"(/attachments/[^"]*)"')


def build_json_response(body: Any, status: int = 200) -> web.Response:
    """A JSON response with the exact content type `application/json`, which discord.py compares literally."""
    headers = {"Cache-Control": "no-store"}
    return web.Response(body=encode(body), status=status, content_type="application/json", headers=headers)


def encode_for_bot(body: Any, world: World) -> bytes:
    """JSON for the bot with our address and key in attachment URLs. Quotes in texts are escaped, so only keys match."""
    return _ATTACHMENT_URL.sub(rb'url":"%s\1?key=%s"' % (world.url.encode(), world.files_key.encode()), encode(body))


def parse_object(raw: bytes) -> Json:
    """The JSON object of a request. Raises ApiError 50109."""
    if not raw:
        return {}
    try:
        found = msgspec.json.decode(raw)
    except msgspec.DecodeError:
        raise ApiError(400, 50109, "The request body contains invalid JSON.") from None
    if not isinstance(found, dict):
        raise discord_limits.build_form_error((), "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
    return found


async def parse_page_body(request: web.Request) -> Json:
    """The JSON object that the page sent. Raises PageError."""
    try:
        return parse_object(await request.read())
    except ApiError:
        raise RefusedError("malformed") from None


async def parse_payload(request: web.Request) -> tuple[Json, list[Upload]]:
    """The JSON and the files of a request, which is JSON or a form with `payload_json`."""
    if not request.content_type.startswith("multipart/"):
        return parse_object(await request.read()), []
    payload: Json = {}
    uploads: list[Upload] = []
    async for part in await request.multipart():
        if not isinstance(part, BodyPartReader):
            continue
        if part.name == "payload_json":
            raw = bytes(await part.read())
            payload = parse_object(raw)
            request[JSON_PART] = raw
        elif part.name and part.name.startswith("files["):
            data = bytes(await part.read())
            if len(data) > MAX_BYTES:
                raise ApiError(413, 40005, "Request entity too large")
            uploads.append(Upload(part.name[len("files[") : -1], part.filename or "file", data))
    request[FILE_COUNT] = len(uploads)
    return payload, uploads
