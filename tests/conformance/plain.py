"""Messages with everything taken out that may differ between two Discords: ids, times, nonces, marks and addresses."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tests.conformance.known import Difference
from tests.conformance.stage import Json

SNOWFLAKE = re.compile(r"(?<![0-9A-Za-z])\d{17,20}(?![0-9A-Za-z])")
MOMENT = re.compile(r"<t:\d+(?=[:>])")
MARK = re.compile(r"(?<=~)[a-p]{16,20}$")
GONE = "something gone"  # What an id stands for that belongs to nothing one can see

Views = dict[tuple[str, str], list[Json]]  # The messages that a person sees in a channel


def plain(views: Views, names: Mapping[str, str]) -> Json:
    """All views with readable names in place of ids; a message is called after its position in its channel."""
    known = dict(names) | dict(_numbered(views))
    return {f"{who} in #{place}": [_message(one, known) for one in page] for (who, place), page in views.items()}


def _numbered(views: Views) -> Iterator[tuple[str, str]]:
    for place in {place for _, place in views}:
        pages = [page for (_, there), page in views.items() if there == place]
        found = {message["id"]: message for page in pages for message in page}
        for number, message_id in enumerate(sorted(found, key=int), 1):
            yield message_id, f"message {number} of #{place}"
            for attachment in found[message_id]["attachments"]:
                yield str(attachment["id"]), f"attachment {attachment['filename']}"


def _message(body: Json, known: Mapping[str, str]) -> Json:
    """Everything about a message that people see, or that a press on it sends back."""
    by = body.get("interaction_metadata")
    seen = {
        "which": body["id"],
        "channel": body["channel_id"],
        "type": body["type"],
        "author": body["author"]["id"],
        "content": body["content"],
        "flags": body["flags"],
        "edited" if by is None else "answer edited": body["edited_timestamp"] is not None,
        "pinned": body["pinned"],
        "tts": body["tts"],
        "mentions": [who["id"] for who in body["mentions"]],
        "mention_everyone": body["mention_everyone"],
        "mention_roles": body["mention_roles"],
        "embeds": body["embeds"],
        "attachments": [_attachment(one) for one in body["attachments"]],
        "components": body["components"],
        "refers to": (body.get("message_reference") or {}).get("message_id"),
        "answers": by and {"type": by["type"], "user": by["user"]["id"]},
    }
    found: Json = _without_ids(seen, known)
    return found


def _attachment(one: Json) -> Json:
    return {key: one.get(key) for key in ("filename", "description", "content_type", "size", "width", "height")}


def _without_ids(value: Any, known: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _address(one) if "url" in key else _without_ids(one, known) for key, one in value.items()}
    if isinstance(value, list):
        return [_without_ids(one, known) for one in value]
    if isinstance(value, int) and len(str(value)) >= 17:
        value = str(value)
    if isinstance(value, str):
        value = MARK.sub("some mark", SNOWFLAKE.sub(lambda match: known.get(match[0], GONE), value))
        return MOMENT.sub("<t:some time", value)
    return value


def _address(url: str) -> str:
    """Where a file lies is each Discord's own business; that it is this file is not."""
    return "address of " + url.partition("?")[0].rpartition("/")[2]


def differences(simcord: Any, local: Any, path: str = "", key: str = "") -> Iterator[Difference]:
    if isinstance(simcord, dict) and isinstance(local, dict):
        for name in [*simcord, *(name for name in local if name not in simcord)]:
            yield from differences(simcord.get(name), local.get(name), f"{path}.{name}", name)
    elif isinstance(simcord, list) and isinstance(local, list) and len(simcord) == len(local):
        for index, (one, other) in enumerate(zip(simcord, local, strict=True)):
            yield from differences(one, other, f"{path}[{index}]", key)
    elif simcord != local or type(simcord) is not type(local):
        yield Difference(path, key, simcord, local)
