"""Discord's own description of its interface, and every request of the bot held against it.

The description is not part of this repository: `BONEYARD_OPENAPI` names the file, Discord's `openapi.json`.
"""

import json
import os
import re
from collections import Counter, defaultdict
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

VARIABLE: Final = "BONEYARD_OPENAPI"
API: Final = "/api/v10"
HERE: Final = "urn:discord"  # What the description is called while schemas refer to one another

NOT_READ: Final = b'"a form that was not read"'
"""Placeholder body of a form that was refused unread. It fits no schema."""


@dataclass(frozen=True)
class Known:
    """A complaint that is not the bot's: of what discord.py sends, or of what the description leaves out."""

    route: str  # A pattern for the whole route
    complaint: str  # A pattern that is found in the complaint
    why: str


KNOWN: Final = (
    Known(
        r".*",
        r"(/id|allowed_mentions/users/\d+|recipient_id): \d+ is not (of type '(string|null)'|valid)",
        "discord.py writes ids as numbers; Discord reads them as it reads those in quotes",
    ),
    Known(
        # An edit may be the answer to an interaction; what answers with a new message may be read aloud.
        r"PATCH .*/messages/.*|POST /interactions/.*/callback",
        r"\('tts' was unexpected\)",
        "discord.py says with each edit not to read it aloud",
    ),
    Known(
        r"PUT /applications/.*",
        r"\('nsfw' was unexpected\)",
        "documented for commands, left out of the description of them",
    ),
    Known(
        r"PUT /applications/.*",
        r"/channel_types/\d+: ",
        "16, channels for media: documented, left out of the description of what a command may ask for",
    ),
)


@dataclass(frozen=True)
class Asked:
    """One request of the bot."""

    method: str
    path: str
    query: dict[str, str]
    kind: str  # Its content type
    body: Any  # What it sent as JSON, beside its files; None where it sent nothing
    files: int


@dataclass(slots=True)
class Recorder(Faults):
    """No trouble, but every request of the bot is kept."""

    _requests: list[tuple[web.Request, str, Any]] = field(default_factory=list)

    async def intercept_request(self, request: web.Request) -> web.Response | None:
        kind, body = request.content_type if request.can_read_body else "", None
        if kind == "application/json":
            body = json.loads(await request.read())
        self._requests.append((request, kind, body))
        return None

    def asked(self) -> list[Asked]:
        return [
            Asked(
                request.method,
                request.path.removeprefix(API),
                dict(request.query),
                kind,
                json.loads(request.get(JSON_PART, NOT_READ)) if kind.startswith("multipart/") else body,
                request.get(FILE_COUNT, 0),
            )
            for request, kind, body in self._requests
        ]


class Description:
    """What Discord says that it takes."""

    def __init__(self, file: Path) -> None:
        self._whole: Json = json.loads(file.read_text(encoding="utf-8"))
        _close(self._whole["components"]["schemas"])
        resource = Resource(contents=self._whole, specification=DRAFT202012)
        self._registry: Registry[Any] = Registry().with_resource(HERE, resource)
        self._validators: dict[str, Draft202012Validator] = {}

    @cached_property
    def _routes(self) -> list[tuple[re.Pattern[str], str]]:
        """Every path, those with the most words of their own first: `@me` before any id."""
        paths = sorted(self._whole["paths"], key=lambda path: path.count("{"))
        return [(re.compile(re.sub(r"\\\{\w+\\\}", "([^/]+)", re.escape(path))), path) for path in paths]

    def route(self, asked: Asked) -> str | None:
        for pattern, path in self._routes:
            if pattern.fullmatch(asked.path) and asked.method.lower() in self._whole["paths"][path]:
                return path
        return None

    def complaints(self, asked: Asked) -> Iterator[str]:
        path = self.route(asked)
        if path is None:
            yield "there is no such route"
            return
        item, operation = self._whole["paths"][path], self._whole["paths"][path][asked.method.lower()]
        yield from self._of_parameters(asked, path, [*item.get("parameters", []), *operation.get("parameters", [])])
        body = operation.get("requestBody")
        if body is None:
            if asked.kind and asked.body:
                yield "this route takes no body"
            return
        if not asked.kind:
            if body.get("required"):
                yield "this route needs a body"
            return
        content = body["content"].get(asked.kind)
        if content is None:
            yield f"this route does not take {asked.kind}"
            return
        schema = content["schema"]
        if asked.kind.startswith("multipart/") and "allOf" in schema:
            schema, files = schema["allOf"]
            if any(f"files[{number}]" not in files["properties"] for number in range(asked.files)):
                yield f"{asked.files} files are too many"
        yield from self._of(schema, asked.body)

    def _of_parameters(self, asked: Asked, path: str, parameters: list[Json]) -> Iterator[str]:
        given = dict(zip(re.findall(r"\{(\w+)\}", path), self._values(asked, path), strict=True))
        for one in parameters:
            values = given if one["in"] == "path" else asked.query
            if one["name"] in values:
                for complaint in self._of(one["schema"], _typed(values[one["name"]], one["schema"])):
                    yield f"{one['in']} {one['name']}: {complaint}"
            elif one.get("required"):
                yield f"{one['in']} {one['name']} is missing"
        known = {one["name"] for one in parameters if one["in"] == "query"}
        yield from (f"query {name} is unknown" for name in asked.query if name not in known)

    def _values(self, asked: Asked, path: str) -> tuple[str, ...]:
        pattern = next(pattern for pattern, one in self._routes if one == path)
        found = pattern.fullmatch(asked.path)
        return found.groups()

    def _of(self, schema: Json, value: Any) -> Iterator[str]:
        key = json.dumps(schema, sort_keys=True)
        if key not in self._validators:
            self._validators[key] = Draft202012Validator(_absolute(schema), registry=self._registry)
        for error in self._validators[key].iter_errors(value):
            yield from _innermost(error)


def _innermost(error: ValidationError) -> Iterator[str]:
    """Where a value fits none of several forms, what is wrong with it in the form that it comes nearest to."""
    if error.context:
        forms: defaultdict[Any, list[ValidationError]] = defaultdict(list)
        for one in error.context:
            forms[one.schema_path[0]].append(one)
        for one in min(forms.values(), key=_distance):
            yield from _innermost(one)
        return
    place = "/".join(str(step) for step in error.absolute_path)
    yield f"{place or 'the whole'}: {error.message:.200}"


def _distance(form: list[ValidationError]) -> tuple[bool, int]:
    """How far a value is from one of several forms: of another kind altogether, or wrong in so many places."""
    # A number where a text belongs, somewhere within, makes no other kind of the whole.
    other = any(
        list(one.relative_path)[-1:] == ["type"] or (one.validator == "type" and not one.relative_path) for one in form
    )
    return other, len(form)


def _absolute(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_absolute(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: HERE + value if key == "$ref" and value.startswith("#") else _absolute(value)
        for key, value in schema.items()
    }


def _close(schema: Any) -> None:
    """Let no object have fields that the description does not name: Discord drops them without a word."""
    if isinstance(schema, list):
        for one in schema:
            _close(one)
    elif isinstance(schema, dict):
        if "properties" in schema and "additionalProperties" not in schema:
            schema["additionalProperties"] = False
        for one in schema.values():
            _close(one)


def _typed(text: str, schema: Json) -> Any:
    """A value out of an address, as what it is meant to be."""
    kinds = schema.get("type", "string")
    if "integer" in kinds and text.lstrip("-").isdecimal():
        return int(text)
    if "boolean" in kinds and text.lower() in ("0", "1", "true", "false"):
        return text.lower() in ("1", "true")
    return text


@dataclass
class Report:
    """How many requests there were, by route, and what was wrong with them."""

    requests: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    known: Counter[Known] = field(default_factory=Counter)

    def add(self, description: Description, asked: Asked) -> None:
        route = f"{asked.method} {description.route(asked) or asked.path}"
        self.requests[route] += 1
        for complaint in description.complaints(asked):
            excuse = next(
                (one for one in KNOWN if re.fullmatch(one.route, route) and re.search(one.complaint, complaint)), None
            )
            if excuse is None:
                self.wrong[f"{route}: {complaint}"] += 1
            else:
                self.known[excuse] += 1

    def __str__(self) -> str:
        rows = [f"| `{route}` | {count:,} |" for route, count in sorted(self.requests.items())]
        whole = f"| **all** | {self.requests.total():,} |"
        excused = [f"{count:,} times: {one.why}" for one, count in self.known.items()]
        wrong = [f"{count:,} times {one}" for one, count in self.wrong.most_common()]
        return "\n".join(["| route | requests |", "| --- | --: |", *rows, whole, "", *excused, *wrong])


def file() -> Path | None:
    named = os.environ.get(VARIABLE, "").strip()
    return Path(named) if named else None
