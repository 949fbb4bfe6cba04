"""`boneyard analyse`: another program asks for reviews in lines of JSON, and whatever it writes is answered."""

import json
import re
import subprocess
import sys
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from bot.referee.analysis import MOST_LINE, SCHEMA, answers
from tests.project.sources import ROOT

GOLDEN = ROOT / "tests" / "golden" / "trioker.txt"
GUIDE = ROOT / "docs" / "players.md"


@pytest.fixture(scope="module")
def schema() -> Any:
    return json.loads(SCHEMA.read_text(encoding="utf-8"))


def request(record: str, **more: object) -> dict[str, object]:
    return {"type": "analyse", "protocol": 1, "ask": 7, "record": record, "effort": 0.01, **more}


def asked(*lines: bytes) -> list[dict[str, Any]]:
    ran = subprocess.run(
        [sys.executable, "-m", "bot", "analyse"], input=b"\n".join(lines), capture_output=True, cwd=ROOT, check=True
    )
    assert ran.stderr == b""
    return [json.loads(line) for line in ran.stdout.splitlines()]


def test_whatever_is_asked_is_answered_and_record_with_its_review(schema: Any) -> None:
    record = GOLDEN.read_text(encoding="utf-8")
    lines = [
        b"hello",
        b"[1]",
        b"x" * (MOST_LINE + 10),
        b"[" * 100_000,
        json.dumps(request(record, ask=-1)).encode(),
        json.dumps(request(record, protocol=2)).encode(),
        json.dumps(request(record, effort=1e9)).encode(),
        json.dumps(request(record, effort=True) | {"record": 7}).encode(),
        json.dumps(request("no record")).encode(),
        json.dumps(request("\n".join(record.splitlines()[:-3]))).encode(),
        json.dumps(request(record, seed="\ud800")).encode(),
    ]
    hello, *told = asked(*lines)
    for line in (hello, *told):
        Draft202012Validator(schema["$defs"]["told"] | {"$defs": schema["$defs"]}).validate(line)
    assert hello == {"type": "hello", "protocol": 1}
    faults = [(one["ask"], one["why"]) for one in told if one["type"] == "fault"]
    assert faults == [(None, "nonsense")] * 5 + [(7, "nonsense")] * 3 + [(7, "record")] * 2
    *steps, analysis = told[len(faults) :]
    assert steps
    assert {(one["type"], one["ask"]) for one in steps} == {("progress", 7)}
    assert [one["done"] for one in steps] == sorted({one["done"] for one in steps})
    assert (analysis["type"], analysis["ask"], analysis["game"]) == ("analysis", 7, "trioker")


def test_review_is_that_of_command_line() -> None:
    *_, told = answers(json.dumps(request(GOLDEN.read_text(encoding="utf-8"), seed="one")).encode())
    words = ["review", str(GOLDEN), "--json", "--effort", "0.01", "--seed", "one"]
    ran = subprocess.run([sys.executable, "-m", "bot", *words], capture_output=True, cwd=ROOT, check=True)
    found = json.loads(json.dumps(told))
    assert (found.pop("type"), found.pop("ask")) == ("analysis", 7)
    assert found == json.loads(ran.stdout)


def test_guide_says_what_schema_says(schema: Any) -> None:
    (example,) = re.findall(r'^(\{"type":"analyse".*\})$', GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    Draft202012Validator.check_schema(schema)
    asked = Draft202012Validator(schema["$defs"]["asked"] | {"$defs": schema["$defs"]})
    assert [*asked.iter_errors(json.loads(example))] == []
