"""Messages without what may differ between two Discords: ids, times, nonces, marks and addresses."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tests.conformance.known import Difference
from tests.conformance.stage import Json

SNOWFLAKE = re.compile(r"(?<![0-9A-Za-z])\d{17,20}(?![0-9A-Za-z])")
TIMESTAMP = re.compile(r"<t:\d+(?=[:>])")
MARK = re.compile(r"(?<=~)[a-p]{16,20}$")
ATTACHMENT_FIELDS = ("filename", "description", "content_type", "size", "width", "height")
UNKNOWN_ID = "something gone"  # replaces the id of an object that no message shows

Views = dict[tuple[str, str], list[Json]]  # by user and channel: the visible messages


def normalize_views(views: Views, names: Mapping[str, str]) -> Json:
    """Return all views with readable names instead of ids. A message is named by its position in its channel."""
    id_names = dict(names) | dict(_iterate_id_names(views))
    return {
        f"{who} in #{place}": [_normalize_message(one, id_names) for one in page]
        for (who, place), page in views.items()
    }


def _iterate_id_names(views: Views) -> Iterator[tuple[str, str]]:
    for place in {place for _, place in views}:
        pages = [page for (_, page_place), page in views.items() if page_place == place]
        found = {message["id"]: message for page in pages for message in page}
        for number, message_id in enumerate(sorted(found, key=int), 1):
            yield message_id, f"message {number} of #{place}"
            for attachment in found[message_id]["attachments"]:
                yield str(attachment["id"]), f"attachment {attachment['filename']}"


def _normalize_message(body: Json, id_names: Mapping[str, str]) -> Json:
    """Return what users see of a message, and what a click on it sends."""
    metadata = body.get("interaction_metadata")
    visible = {
        "which": body["id"],
        "channel": body["channel_id"],
        "type": body["type"],
        "author": body["author"]["id"],
        "content": body["content"],
        "flags": body["flags"],
        "edited" if metadata is None else "answer edited": body["edited_timestamp"] is not None,
        "pinned": body["pinned"],
        "tts": body["tts"],
        "mentions": [who["id"] for who in body["mentions"]],
        "mention_everyone": body["mention_everyone"],
        "mention_roles": body["mention_roles"],
        "embeds": body["embeds"],
        "attachments": [{key: one.get(key) for key in ATTACHMENT_FIELDS} for one in body["attachments"]],
        "components": body["components"],
        "refers to": (body.get("message_reference") or {}).get("message_id"),
        "answers": metadata and {"type": metadata["type"], "user": metadata["user"]["id"]},
    }
    found: Json = _replace_ids(visible, id_names)
    return found


def _replace_ids(value: Any, id_names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {
            key: _format_address(one) if "url" in key else _replace_ids(one, id_names) for key, one in value.items()
        }
    if isinstance(value, list):
        return [_replace_ids(one, id_names) for one in value]
    if isinstance(value, int) and len(str(value)) >= 17:
        value = str(value)
    if isinstance(value, str):
        value = MARK.sub("some mark", SNOWFLAKE.sub(lambda match: id_names.get(match[0], UNKNOWN_ID), value))
        return TIMESTAMP.sub("<t:some time", value)
    return value


def _format_address(url: str) -> str:
    """Return the file name of an address. The rest of the address differs by Discord."""
    return "address of " + url.partition("?")[0].rpartition("/")[2]


def iterate_differences(simcord: Any, local: Any, path: str = "", key: str = "") -> Iterator[Difference]:
    if isinstance(simcord, dict) and isinstance(local, dict):
        for name in [*simcord, *(name for name in local if name not in simcord)]:
            yield from iterate_differences(simcord.get(name), local.get(name), f"{path}.{name}", name)
    elif isinstance(simcord, list) and isinstance(local, list) and len(simcord) == len(local):
        for index, (one, other) in enumerate(zip(simcord, local, strict=True)):
            yield from iterate_differences(one, other, f"{path}[{index}]", key)
    elif simcord != local or type(simcord) is not type(local):
        yield Difference(path, key, simcord, local)
