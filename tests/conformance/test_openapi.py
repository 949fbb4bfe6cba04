"""Every request of the bot fits Discord's OpenAPI description."""

import asyncio
import json
import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot import features
from bot.core.dispatch import FORMS, HANDLERS
from tests.conformance.chapters import play_all_chapters
from tests.conformance.openapi import ApiDescription, BotRequest, RequestRecorder, list_unknown_complaints
from tests.conformance.tour import disable_pictures, open_tour
from tests.depth import scale_count

features.load()  # their buttons register then

TARGETS = {"triominoes": 10, "quad-ominos": 200, "muggins": 10, "points": 10, "star": 10, "trioker": 10}


@pytest.fixture(scope="module")
def description() -> ApiDescription:
    path = Path(os.environ.get("BONEYARD_OPENAPI", ""))
    if not path.is_file():
        pytest.skip("Discord's description is not here: BONEYARD_OPENAPI names its openapi.json")
    return ApiDescription(path)


@dataclass(frozen=True)
class TourResult:
    unused_commands: set[str]
    unclicked_verbs: set[str]
    requests: list[BotRequest]


@pytest.fixture(autouse=True)
def logged_errors(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    logged = [*caplog.get_records("setup"), *caplog.get_records("call")]
    assert [record.getMessage() for record in logged if record.levelno >= logging.ERROR] == []


def check_requests(description: ApiDescription, requests: list[BotRequest]) -> list[str]:
    return [complaint for request in requests for complaint in list_unknown_complaints(description, request)]


@pytest.mark.deep
@pytest.mark.parametrize("game", TARGETS)
def test_requests_of_whole_match_fit_openapi(
    description: ApiDescription, tmp_path: Path, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = RequestRecorder()
    disable_pictures(monkeypatch)

    async def play() -> int:
        async with open_tour(tmp_path, recorder) as tour:
            await tour.open_table(game=game, target=scale_count(TARGETS[game]))
            return await tour.play_match()

    assert asyncio.run(play()) > 10
    assert check_requests(description, recorder.list_requests()) == []


@pytest.fixture(scope="module")
def tour_of_everything(tmp_path_factory: pytest.TempPathFactory) -> TourResult:
    recorder, folder = RequestRecorder(), tmp_path_factory.mktemp("tour")

    async def run() -> tuple[set[str], set[str]]:
        async with open_tour(folder, recorder) as tour:
            await play_all_chapters(tour)
            unused_commands = {leaf.name for leaf in tour.iterate_commands()} - tour.command_counts.keys()
            return unused_commands, {*HANDLERS, *FORMS} - tour.verb_counts.keys()

    with pytest.MonkeyPatch.context() as patch:
        disable_pictures(patch)
        return TourResult(*asyncio.run(run()), recorder.list_requests())


@pytest.mark.deep
def test_every_command_and_button_is_used(tour_of_everything: TourResult) -> None:
    assert (tour_of_everything.unused_commands, tour_of_everything.unclicked_verbs) == (set(), set())


@pytest.mark.deep
def test_requests_of_every_command_and_button_fit_openapi(
    description: ApiDescription, tour_of_everything: TourResult
) -> None:
    assert check_requests(description, tour_of_everything.requests) == []


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
    description: ApiDescription, method: str, path: str, body: Any, complaint: str
) -> None:
    request = BotRequest(method, path, {}, "application/json" if body else "", body, 0)
    found = list(description.check_request(request))
    assert any(one.startswith(complaint) for one in found), found


def test_complaints_for_several_schemas_describe_the_nearest_one(tmp_path: Path) -> None:
    message = {"type": "object", "properties": {"id": {"type": "string"}, "flags": {"type": "integer"}}}
    data = {"properties": {"data": {"oneOf": [{"type": "null"}, {"$ref": "#/components/schemas/Message"}]}}}
    body = {"content": {"application/json": {"schema": {"type": "object", **data}}}}
    whole = {"paths": {"/callback": {"post": {"requestBody": body}}}, "components": {"schemas": {"Message": message}}}
    (tmp_path / "openapi.json").write_text(json.dumps(whole), encoding="utf-8")
    sent = {"data": {"id": 5, "flags": 1, "tts": False}}

    found = ApiDescription(tmp_path / "openapi.json").check_request(
        BotRequest("POST", "/callback", {}, "application/json", sent, 0)
    )

    wrong_type, unknown = sorted(found)
    assert wrong_type.startswith("data/id: 5 is not")
    assert "('tts' was unexpected)" in unknown


def test_invalid_query_parameters_are_complaints(description: ApiDescription) -> None:
    def list_complaints(**query: str) -> list[str]:
        return list(description.check_request(BotRequest("GET", "/channels/1/messages", query, "", None, 0)))

    assert list_complaints(limit="100") == []
    (too_many,), (unknown,) = list_complaints(limit="101"), list_complaints(limits="5")
    assert too_many.startswith("query limit: the whole: 101")
    assert unknown.startswith("query limits")
