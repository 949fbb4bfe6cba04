"""Compare every request of the bot with Discord's OpenAPI description.

The description is not part of this repository: `BONEYARD_OPENAPI` names the file, Discord's `openapi.json`.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from aiohttp import web
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from bot.playground.injected_faults import Faults
from bot.playground.wire import FILE_COUNT, JSON_PART

Json = dict[str, Any]

API: Final = "/api/v10"
BASE_URI: Final = "urn:discord"  # base URI of the references between schemas

UNREAD_FORM: Final = b'"a form that was not read"'
"""Placeholder body of a form that was refused unread. It fits no schema."""


@dataclass(frozen=True)
class KnownComplaint:
    """An accepted schema violation: discord.py causes it, or the API description is incomplete."""

    route: str  # regular expression for the whole route
    complaint: str  # regular expression for a part of the message
    reason: str


KNOWN_COMPLAINTS: Final = (
    KnownComplaint(
        r".*",
        r"(/id|allowed_mentions/users/\d+|recipient_id): \d+ is not (of type '(string|null)'|valid)",
        "discord.py writes ids as numbers; Discord reads them as it reads those in quotes",
    ),
    KnownComplaint(
        # An edit may answer an interaction. The schema allows `tts` only for answers with a new message.
        r"PATCH .*/messages/.*|POST /interactions/.*/callback",
        r"\('tts' was unexpected\)",
        "discord.py says with each edit not to read it aloud",
    ),
    KnownComplaint(
        r"PUT /applications/.*",
        r"\('nsfw' was unexpected\)",
        "documented for commands, left out of the description of them",
    ),
    KnownComplaint(
        r"PUT /applications/.*",
        r"/channel_types/\d+: ",
        "16, channels for media: documented, left out of the description of what a command may ask for",
    ),
)


@dataclass(frozen=True)
class BotRequest:
    method: str
    path: str
    query: dict[str, str]
    content_type: str
    body: Any  # the JSON part of the request; None without one
    files: int


@dataclass(slots=True)
class RequestRecorder(Faults):
    _requests: list[tuple[web.Request, str, Any]] = field(default_factory=list)

    async def intercept_request(self, request: web.Request) -> web.Response | None:
        content_type, body = request.content_type if request.can_read_body else "", None
        if content_type == "application/json":
            body = json.loads(await request.read())
        self._requests.append((request, content_type, body))
        return None

    def list_requests(self) -> list[BotRequest]:
        return [
            BotRequest(
                request.method,
                request.path.removeprefix(API),
                dict(request.query),
                kind,
                json.loads(request.get(JSON_PART, UNREAD_FORM)) if kind.startswith("multipart/") else body,
                request.get(FILE_COUNT, 0),
            )
            for request, kind, body in self._requests
        ]


class ApiDescription:
    def __init__(self, file: Path) -> None:
        self._document: Json = json.loads(file.read_text(encoding="utf-8"))
        _forbid_extra_fields(self._document["components"]["schemas"])
        resource = Resource(contents=self._document, specification=DRAFT202012)
        self._registry: Registry[Any] = Registry().with_resource(BASE_URI, resource)
        self._validators: dict[str, Draft202012Validator] = {}

    @cached_property
    def _routes(self) -> list[tuple[re.Pattern[str], str]]:
        """All paths, sorted by the number of parameters: `@me` comes before any id."""
        paths = sorted(self._document["paths"], key=lambda path: path.count("{"))
        return [(re.compile(re.sub(r"\\\{\w+\\\}", "([^/]+)", re.escape(path))), path) for path in paths]

    def find_route(self, request: BotRequest) -> tuple[str, tuple[str, ...]] | None:
        """Return the path of a request as the description has it, and the values of its parameters."""
        for pattern, path in self._routes:
            found = pattern.fullmatch(request.path)
            if found and request.method.lower() in self._document["paths"][path]:
                return path, found.groups()
        return None

    def check_request(self, request: BotRequest) -> Iterator[str]:
        route = self.find_route(request)
        if route is None:
            yield "there is no such route"
            return
        path, values = route
        item, operation = self._document["paths"][path], self._document["paths"][path][request.method.lower()]
        path_values = dict(zip(re.findall(r"\{(\w+)\}", path), values, strict=True))
        parameters = [*item.get("parameters", []), *operation.get("parameters", [])]
        yield from self._check_parameters(request.query, path_values, parameters)
        body = operation.get("requestBody")
        if body is None:
            if request.content_type and request.body:
                yield "this route takes no body"
            return
        if not request.content_type:
            if body.get("required"):
                yield "this route needs a body"
            return
        content = body["content"].get(request.content_type)
        if content is None:
            yield f"this route does not take {request.content_type}"
            return
        schema = content["schema"]
        if request.content_type.startswith("multipart/") and "allOf" in schema:
            schema, files = schema["allOf"]
            if any(f"files[{number}]" not in files["properties"] for number in range(request.files)):
                yield f"{request.files} files are too many"
        yield from self._check_value(schema, request.body)

    def _check_parameters(self, query: Json, path_values: Json, parameters: list[Json]) -> Iterator[str]:
        for one in parameters:
            values = path_values if one["in"] == "path" else query
            if one["name"] in values:
                for complaint in self._check_value(one["schema"], _parse_value(values[one["name"]], one["schema"])):
                    yield f"{one['in']} {one['name']}: {complaint}"
            elif one.get("required"):
                yield f"{one['in']} {one['name']} is missing"
        known = {one["name"] for one in parameters if one["in"] == "query"}
        yield from (f"query {name} is unknown" for name in query if name not in known)

    def _check_value(self, schema: Json, value: Any) -> Iterator[str]:
        key = json.dumps(schema, sort_keys=True)
        if key not in self._validators:
            self._validators[key] = Draft202012Validator(_with_absolute_refs(schema), registry=self._registry)
        for error in self._validators[key].iter_errors(value):
            yield from _iterate_nearest_errors(error)


def _iterate_nearest_errors(error: ValidationError) -> Iterator[str]:
    """Yield the errors of a value. If it fits none of several schemas, use those of the most similar schema."""
    if error.context:
        forms: defaultdict[Any, list[ValidationError]] = defaultdict(list)
        for one in error.context:
            forms[one.schema_path[0]].append(one)
        for one in min(forms.values(), key=_compute_distance):
            yield from _iterate_nearest_errors(one)
        return
    place = "/".join(str(step) for step in error.absolute_path)
    yield f"{place or 'the whole'}: {error.message:.200}"


def _compute_distance(errors: list[ValidationError]) -> tuple[bool, int]:
    """Return how far a value is from a schema: whether its type differs, and the number of errors."""
    # A number where a text belongs, somewhere within, makes no other kind of the whole.
    is_other_type = any(
        list(one.relative_path)[-1:] == ["type"] or (one.validator == "type" and not one.relative_path)
        for one in errors
    )
    return is_other_type, len(errors)


def _with_absolute_refs(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_with_absolute_refs(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: BASE_URI + value if key == "$ref" and value.startswith("#") else _with_absolute_refs(value)
        for key, value in schema.items()
    }


def _forbid_extra_fields(schema: Any) -> None:
    """Forbid fields that the description does not name, because Discord drops them silently."""
    if isinstance(schema, list):
        for one in schema:
            _forbid_extra_fields(one)
    elif isinstance(schema, dict):
        if "properties" in schema and "additionalProperties" not in schema:
            schema["additionalProperties"] = False
        for one in schema.values():
            _forbid_extra_fields(one)


def _parse_value(text: str, schema: Json) -> Any:
    kinds = schema.get("type", "string")
    if "integer" in kinds and text.lstrip("-").isdecimal():
        return int(text)
    if "boolean" in kinds and text.lower() in ("0", "1", "true", "false"):
        return text.lower() in ("1", "true")
    return text


def list_unknown_complaints(description: ApiDescription, request: BotRequest) -> list[str]:
    path, _ = description.find_route(request) or (request.path, ())
    route = f"{request.method} {path}"
    known = [one.complaint for one in KNOWN_COMPLAINTS if re.fullmatch(one.route, route)]
    return [
        f"{route}: {complaint}"
        for complaint in description.check_request(request)
        if not any(re.search(one, complaint) for one in known)
    ]
