"""`boneyard analyse`: another program asks for reviews, a record a line, and is answered in lines (docs/players.md).

It is the other half of the protocol of players: JSON, one object a line, the same number. Whatever a line holds, the
next one is answered too.
"""

import json
import math
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Final

import typer

import data
from bot.referee.reading import Unreadable
from bot.referee.review import log_of, plays_of, so_far, told_to_programs
from bot.service import protocol
from bot.service.protocol import BadAnswer, JsonObject
from engine.record import RecordDamaged

SCHEMA: Final = Path(data.__file__).parent / "analysis-1.schema.json"
MOST_LINE: Final = 4 * 1024 * 1024
"""Bytes of a line: no match comes to half of it, however its signs are written."""
MOST_EFFORT: Final = 4.0
MOST_SEED: Final = 100
STEPS: Final = 100
"""So often at most it is told how far a review is."""


def analyse(
    schema: Annotated[bool, typer.Option("--schema", help="Print the schema of the protocol, and end.")] = False,
) -> None:
    """Review records for another program: lines of JSON in, lines of JSON out.

    A line {"type":"analyse","protocol":1,"ask":1,"record":"..."} is answered
    by how far it is, and in the end by what boneyard review --json prints
    (docs/players.md). A record that cannot be read, or of a match that is not
    over, is answered by a fault, and so is any other line. The status is 0.
    """
    if schema:
        typer.echo(SCHEMA.read_text(encoding="utf-8"), nl=False)
        return
    try:
        say_line(protocol.greeting())
        for line in () if sys.stdin is None else requests_in(sys.stdin.buffer):  # it may be closed
            for told in answers(line):
                say_line(told)
    except BrokenPipeError:
        # Nobody reads it any more. What is left to be written goes nowhere, and nothing is said of that at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say_line(told: JsonObject) -> None:
    """Write a line at once."""
    sys.stdout.buffer.write(protocol.as_line(told))
    sys.stdout.buffer.flush()


def requests_in(source: BinaryIO) -> Iterator[bytes]:
    """The lines that come, without those that hold nothing; of one that is too long as much as shows that it is."""
    while line := source.readline(MOST_LINE + 1):
        rest = line
        while len(line) > MOST_LINE and rest and not rest.endswith(b"\n"):
            rest = source.readline(MOST_LINE)
        if line.strip():
            yield line


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """What a line asks for."""

    ask: int
    record: str
    effort: float
    seed: str


def answers(line: bytes) -> Iterator[JsonObject]:
    """What one line is answered by, as it is found."""
    number: int | None = None
    try:
        request = _request(line)
        number = _number(request)
        asked = _asked(request, number)
        log = log_of(asked.record)
    except BadAnswer as error:
        yield {"type": "fault", "ask": number, "why": "nonsense", "says": str(error)}
        return
    except (RecordDamaged, Unreadable) as error:
        yield {"type": "fault", "ask": number, "why": "record", "says": str(error)}
        return
    told = 0
    for found in so_far(log, asked.seed, asked.effort):
        if found.done < found.of and found.done * STEPS // found.of > told:
            told = found.done * STEPS // found.of
            yield {"type": "progress", "ask": asked.ask, "done": found.done, "of": found.of}
    review = told_to_programs(found.review, log, plays_of(log))
    yield {"type": "analysis", "ask": asked.ask, **review}


def _request(line: bytes) -> Mapping[str, Any]:
    if len(line) > MOST_LINE:
        raise BadAnswer(f"the line is longer than {MOST_LINE} bytes")
    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadAnswer("the line is no JSON") from error
    if not isinstance(request, dict):
        raise BadAnswer("the line is no object of JSON")
    return request


def _number(request: Mapping[str, Any]) -> int:
    number = request.get("ask")
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 2**53:
        raise BadAnswer("ask is a number by which the answer is known")
    return number


def _asked(request: Mapping[str, Any], number: int) -> ReviewRequest:
    """Raises BadAnswer."""
    protocol.require_protocol(request)
    if request.get("type") != "analyse":
        raise BadAnswer('type is "analyse"')
    record, effort, seed = request.get("record"), request.get("effort", 1), request.get("seed", "boneyard")
    if not isinstance(record, str):
        raise BadAnswer("record is the text of a record")
    if not isinstance(effort, int | float) or not math.isfinite(effort) or not 0.01 <= effort <= MOST_EFFORT:
        raise BadAnswer(f"effort is a number from 0.01 to {MOST_EFFORT:g}")
    if not isinstance(seed, str) or len(seed) > MOST_SEED:
        raise BadAnswer(f"seed is a text of at most {MOST_SEED} characters")
    return ReviewRequest(number, record, float(effort), seed)
