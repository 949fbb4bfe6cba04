"""Every request of the bot fits Discord's OpenAPI description.

`BONEYARD_OPENAPI=openapi.json uv run pytest tests/conformance/test_openapi.py -s` prints the requests by route.
"""

import asyncio
import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import bot.tables.messages
from bot import features
from bot.core.dispatch import FORMS, HANDLERS
from tests.conformance.chapters import everything
from tests.conformance.openapi import VARIABLE, Asked, Description, Recorder, Report, file
from tests.conformance.tour import tour
from tests.crash.fork_server import BLANK
from tests.depth import scaled

features.load()  # their buttons register then

TARGETS = {"triominoes": 10, "quad-ominos": 200, "muggins": 10, "points": 10, "star": 10, "trioker": 10}

WHOLE = Report()  # Of all tests together


@pytest.fixture(scope="module")
def description() -> Iterator[Description]:
    named = file()
    if named is None or not named.is_file():
        pytest.skip(f"Discord's description is not here: {VARIABLE} names its openapi.json")
    yield Description(named)
    print(f"\n{WHOLE}")


@dataclass(frozen=True)
class Tried:
    unused: set[str]
    unpressed: set[str]
    asked: list[Asked]


def _without_pictures(patch: pytest.MonkeyPatch) -> None:
    for name in ("render_table", "render_hand"):
        patch.setattr(bot.tables.messages, name, lambda *_, **__: BLANK)


@pytest.fixture(autouse=True)
def nothing_broke(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    logged = [*caplog.get_records("setup"), *caplog.get_records("call")]
    assert [record.getMessage() for record in logged if record.levelno >= logging.ERROR] == []


def held(description: Description, asked: list[Asked]) -> list[str]:
    report = Report()
    for one in asked:
        report.add(description, one)
        WHOLE.add(description, one)
    return list(report.wrong)


@pytest.mark.deep
@pytest.mark.parametrize("game", TARGETS)
def test_requests_of_whole_match_fit_openapi(
    description: Description, tmp_path: Path, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = Recorder()
    _without_pictures(monkeypatch)

    async def play() -> int:
        async with tour(tmp_path, recorder) as at:
            await at.open_table(game=game, target=scaled(TARGETS[game]))
            return await at.play_out()

    assert asyncio.run(play()) > 10
    assert held(description, recorder.asked()) == []


@pytest.fixture(scope="module")
def everything_tried(tmp_path_factory: pytest.TempPathFactory) -> Tried:
    recorder, folder = Recorder(), tmp_path_factory.mktemp("tour")

    async def run() -> tuple[set[str], set[str]]:
        async with tour(folder, recorder) as at:
            await everything(at)
            return {leaf.name for leaf in at.leaves()} - at.used.keys(), {*HANDLERS, *FORMS} - at.pressed.keys()

    with pytest.MonkeyPatch.context() as patch:
        _without_pictures(patch)
        return Tried(*asyncio.run(run()), recorder.asked())


@pytest.mark.deep
def test_every_command_and_every_button_is_tried(everything_tried: Tried) -> None:
    assert (everything_tried.unused, everything_tried.unpressed) == (set(), set())


@pytest.mark.deep
def test_requests_of_every_command_and_button_fit_openapi(description: Description, everything_tried: Tried) -> None:
    assert held(description, everything_tried.asked) == []


@pytest.mark.parametrize(
    ("method", "path", "body", "complaint"),
    [
        ("POST", "/channels/1/messages", {"content": 5}, "content: 5 is not of type 'string', 'null'"),
        ("POST", "/channels/1/messages", {"contents": "x"}, "the whole: Additional properties"),
        ("POST", "/channels/1/messages", None, "this route needs a body"),
        ("POST", "/channels/1/messages", {"components": [{"type": 1, "components": [{"type": 2}]}]}, "components/0"),
        ("POST", "/channels/x/messages", {"content": "x"}, "path channel_id: the whole: 'x' does not match"),
        ("GET", "/channels/1/messages", {"content": "x"}, "this route takes no body"),
        ("POST", "/channels/1/massages", {"content": "x"}, "there is no such route"),
        ("DELETE", "/gateway/bot", None, "there is no such route"),
    ],
)
def test_request_outside_openapi_has_a_complaint(
    description: Description, method: str, path: str, body: Any, complaint: str
) -> None:
    asked = Asked(method, path, {}, "application/json" if body else "", body, 0)
    assert any(one.startswith(complaint) for one in description.complaints(asked)), list(description.complaints(asked))


def test_complaints_for_several_schemas_describe_the_nearest_one(tmp_path: Path) -> None:
    message = {"type": "object", "properties": {"id": {"type": "string"}, "flags": {"type": "integer"}}}
    data = {"properties": {"data": {"oneOf": [{"type": "null"}, {"$ref": "#/components/schemas/Message"}]}}}
    body = {"content": {"application/json": {"schema": {"type": "object", **data}}}}
    whole = {"paths": {"/callback": {"post": {"requestBody": body}}}, "components": {"schemas": {"Message": message}}}
    (tmp_path / "openapi.json").write_text(json.dumps(whole), encoding="utf-8")
    sent = {"data": {"id": 5, "flags": 1, "tts": False}}

    found = Description(tmp_path / "openapi.json").complaints(
        Asked("POST", "/callback", {}, "application/json", sent, 0)
    )

    wrong_type, unknown = sorted(found)
    assert wrong_type.startswith("data/id: 5 is not")
    assert "('tts' was unexpected)" in unknown


def test_address_asks_for_what_it_may_and_for_nothing_else(description: Description) -> None:
    def wrong(**query: str) -> list[str]:
        return list(description.complaints(Asked("GET", "/channels/1/messages", query, "", None, 0)))

    assert wrong(limit="100") == []
    (too_many,), (unknown,) = wrong(limit="101"), wrong(limits="5")
    assert too_many.startswith("query limit: the whole: 101")
    assert unknown.startswith("query limits")
