"""Builds a message from the bot's request: Discord's limits, uploads, mentions, Components V2."""

import mimetypes
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from urllib.parse import quote

from PIL import Image, UnidentifiedImageError

from bot.playground import components
from bot.playground.channel_messages import get_blob_key
from bot.playground.discord_limits import ApiError, FormErrors, build_form_error
from bot.playground.payloads import EPHEMERAL, LAYOUT, MAX_BYTES, NO_EMBEDS, QUIET, Json
from bot.playground.world import World

MAX_CONTENT, MAX_EMBEDS, MAX_FILES, MAX_MENTIONS = 2000, 10, 10, 100
MAX_EMBED_TEXT = 6000
MENTION = re.compile(r"<@!?(\d+)>")
OWN_ADDRESS = re.compile(r"^http://(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?(?=/attachments/)")
EMBED_LIMITS = {"title": 256, "description": 4096}


@dataclass(frozen=True, slots=True)
class Upload:
    """One `files[index]` part of a request."""

    index: str
    filename: str
    data: bytes


def write_message(world: World, body: Json, payload: Json, uploads: Sequence[Upload]) -> list[Json]:
    """Write the bot's payload onto a message body, all or nothing (50035, 50006, 40005). Return dropped attachments."""
    draft = dict(body)
    flags = payload.get("flags") or 0
    # An edit can set the layout flag but never remove it.
    draft["flags"] = body["flags"] | (flags & (LAYOUT | QUIET | NO_EMBEDS))
    _write_text(draft, payload)
    added = _write_attachments(draft, payload, uploads)
    _write_components(draft, payload)
    embeds = draft["embeds"] = _resolve_embeds(draft)
    if not (draft["content"] or embeds or draft["attachments"] or draft["components"]):
        raise ApiError(400, 50006, "Cannot send an empty message")
    if "components" in payload or "content" in payload or "allowed_mentions" in payload:
        _write_mentions(world, draft, payload.get("allowed_mentions"))
    for attachment, upload in added:
        world.storage.put_blob(get_blob_key(attachment), upload.data)
    kept_ids = {one["id"] for one in draft["attachments"]}
    dropped = [one for one in body["attachments"] if one["id"] not in kept_ids]
    body.clear()
    body.update(draft)
    return dropped


def _write_text(draft: Json, payload: Json) -> None:
    errors = FormErrors()
    if "content" in payload:
        draft["content"] = payload["content"] or ""
        errors.check_length(("content",), draft["content"], 0, MAX_CONTENT)
    if "embeds" in payload:
        draft["embeds"] = payload["embeds"] or []
        errors.check_count(("embeds",), draft["embeds"], MAX_EMBEDS)
        for index, embed in enumerate(draft["embeds"]):
            for key, most in EMBED_LIMITS.items():
                if embed.get(key):
                    errors.check_length(("embeds", index, key), embed[key], 0, most)
            errors.check_count(("embeds", index, "fields"), embed.get("fields") or [], 25)
        if sum(map(_count_embed_text, draft["embeds"])) > MAX_EMBED_TEXT:
            text = f"Embed size exceeds maximum size of {MAX_EMBED_TEXT}"
            errors.add(("embeds",), "MAX_EMBED_SIZE_EXCEEDED", text)
    if draft["flags"] & LAYOUT:
        for key in filter(draft.get, ("content", "embeds")):
            text = f"The '{key}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2"
            errors.add((key,), "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", text)
    errors.raise_if_any()


def _count_embed_text(embed: Json) -> int:
    texts = [embed.get("title"), embed.get("description")]
    texts += [(embed.get("footer") or {}).get("text"), (embed.get("author") or {}).get("name")]
    for one in embed.get("fields") or []:
        texts += [one.get("name"), one.get("value")]
    return sum(len(text) for text in texts if text)


def _write_attachments(draft: Json, payload: Json, uploads: Sequence[Upload]) -> list[tuple[Json, Upload]]:
    """Decide which attachments stay and which uploads are added. Return the new attachments with their uploads."""
    if any(len(upload.data) > MAX_BYTES for upload in uploads):
        raise ApiError(413, 40005, "Request entity too large")
    listed = payload.get("attachments")
    if listed is None:
        kept, details = list(draft["attachments"]), {}
    else:
        known = {one["id"]: one for one in draft["attachments"]}
        retained = [one for one in listed if str(one.get("id")) in known]
        kept = [known[str(one["id"])] | {key: one[key] for key in ("description",) if key in one} for one in retained]
        details = {str(one.get("id")): one for one in listed}
    added = [(_build_attachment(draft, upload, details.get(upload.index, {})), upload) for upload in uploads]
    draft["attachments"] = kept + [attachment for attachment, _ in added]
    errors = FormErrors()
    errors.check_count(("attachments",), draft["attachments"], MAX_FILES)
    for index, one in enumerate(draft["attachments"]):
        if one.get("description"):
            errors.check_length(("attachments", index, "description"), one["description"], 0, 1024)
    errors.raise_if_any()
    return added


def _strip_address(url: str) -> str:
    """The path of one of our own attachment URLs; other URLs are unchanged."""
    path, found = OWN_ADDRESS.subn("", url)
    return path.partition("?")[0] if found else path


def _build_attachment(draft: Json, upload: Upload, details: Json) -> Json:
    """The attachment object of an upload. Its id is random, because the URL is its only protection."""
    filename = details.get("filename") or upload.filename
    attachment_id = str(secrets.randbits(62) | 1 << 61)
    url = f"/attachments/{draft['channel_id']}/{attachment_id}/{quote(filename, safe='')}"
    kind = mimetypes.guess_type(filename)[0] or "application/octet-stream"
    attachment: Json = {"id": attachment_id, "filename": filename, "size": len(upload.data), "content_type": kind}
    attachment |= {"url": url, "proxy_url": url}
    if details.get("description"):
        attachment["description"] = details["description"]
    if draft["flags"] & EPHEMERAL:
        attachment["ephemeral"] = True
    if attachment["content_type"].startswith("image/"):
        try:
            with Image.open(BytesIO(upload.data)) as picture:
                attachment["width"], attachment["height"] = picture.size
        except (UnidentifiedImageError, OSError):
            pass  # not a picture after all: shown as a file
    return attachment


def _write_components(draft: Json, payload: Json) -> None:
    """Check the tree, number its components, and resolve references to attachments."""
    if "components" not in payload:
        return
    tree = payload["components"] or []
    components.check_components(tree, layout=bool(draft["flags"] & LAYOUT))
    components.assign_component_ids(tree)
    by_name = {one["filename"]: one for one in draft["attachments"]}
    for reference in components.iterate_media(tree):
        url = _strip_address(reference["url"])
        if url.startswith("attachment://"):
            attachment = by_name.get(url.removeprefix("attachment://"))
            if attachment is None:
                code = "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND"
                text = f"The referenced attachment '{url}' was not found"
                raise build_form_error(("components",), code, text)
            reference["attachment_id"] = attachment["id"]
            for key in ("url", "proxy_url", "content_type", "width", "height"):
                if key in attachment:
                    reference[key] = attachment[key]
        else:
            reference["url"] = reference["proxy_url"] = url
    draft["components"] = tree


def _resolve_embeds(draft: Json) -> list[Json]:
    by_name = {one["filename"]: one for one in draft["attachments"]}
    for embed in draft["embeds"]:
        embed.setdefault("type", "rich")
        for key in ("image", "thumbnail"):
            picture = embed.get(key)
            if not picture:
                continue
            picture["url"] = _strip_address(picture["url"])
            attachment = by_name.get(picture["url"].removeprefix("attachment://"))
            if attachment is not None:
                embed[key] = {k: attachment[k] for k in ("url", "proxy_url", "width", "height") if k in attachment}
    embeds: list[Json] = draft["embeds"]
    return embeds


def _write_mentions(world: World, draft: Json, allowed: Json | None) -> None:
    """Set `mentions` to the users whom the text names and `allowed_mentions` permits."""
    full_text = "\n".join([draft["content"], *components.list_texts(draft["components"])])
    user_ids = list(dict.fromkeys(MENTION.findall(full_text)))
    if allowed is not None:
        chosen = [str(one) for one in allowed.get("users") or []]
        mention_all = "users" in (allowed.get("parse") or [])
        if mention_all and chosen:
            text = 'parse:["users"] and users: [ids...] are mutually exclusive.'
            raise build_form_error(("allowed_mentions",), "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", text)
        if len(chosen) > MAX_MENTIONS:
            text = f"Must be {MAX_MENTIONS} or fewer in length."
            raise build_form_error(("allowed_mentions", "users"), "BASE_TYPE_BAD_LENGTH", text)
        if not mention_all:
            user_ids = [one for one in user_ids if one in chosen]
    draft["mentions"] = [who for who in map(world.find_user, user_ids) if who is not None]
