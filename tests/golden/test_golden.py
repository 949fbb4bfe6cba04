"""The golden records: whole matches, kept as text, that must come out line for line whatever changes in the code."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import get_args

import pytest

from data.rulebook import load_rules
from engine.board.tiles import BOSS, WILD
from engine.match.events import Chose, ChosenOption, Dealt, Drew, Event, Placed, Resigned, RoundEnded, Undone
from engine.match.rules import FollowUp
from engine.record import read, rerun, write
from engine.record.text import list_content_lines, parse_placement

RECORDS = sorted(Path(__file__).parent.glob("*.txt"))


@pytest.mark.parametrize("file", RECORDS, ids=lambda file: file.stem)
def test_golden_record_replays_without_faults(file: Path):
    record = read(file.read_text(encoding="utf-8"), load_rules)
    checked = rerun(record)
    assert checked.faults == []
    assert checked.log == record.events
    assert checked.match.ended is not None
    assert checked.is_proved == bool(record.header.secret)


@pytest.mark.parametrize("file", RECORDS, ids=lambda file: file.stem)
def test_rewritten_golden_record_equals_its_file(file: Path):
    text = file.read_text(encoding="utf-8")
    record = read(text, load_rules)
    again = write(
        record.events, load_rules(record.header.rules.game), preset=record.header.preset, date=record.header.date
    )
    assert [line.text for line in list_content_lines(again)] == [line.text for line in list_content_lines(text)]


@pytest.mark.parametrize("file", RECORDS, ids=lambda file: file.stem)
def test_every_moment_of_golden_record_can_be_shown(file: Path):
    record = read(file.read_text(encoding="utf-8"), load_rules)
    table: list[str] = []
    seats: list[str] = []
    plays = 0
    for entry in record.entries:
        line = entry.lines[0].text
        if line.startswith("round") and "ends" not in line:
            table = []
        if " plays " in line:
            table.append(line.split(" plays ")[1].split(":")[0].split(" ")[0])
            seats.append(line.split(" ")[1])
        if " takes back" in line:
            while seats.pop() != line.split(" ")[1]:
                table.pop()
            table.pop()
        if line[0].isdigit():
            plays += 1
            if plays % 20 == 0:
                board = rerun(record, plays).match.board
                assert [str(lies) for lies in board.placed.values()] == table
                assert [str(parse_placement(text, record.header.rules)) for text in table] == table


def test_records_hold_what_is_rare():
    events = {file.stem: read(file.read_text(encoding="utf-8"), load_rules).events for file in RECORDS}
    everything = [event for log in events.values() for event in log]
    placed = [event for event in everything if isinstance(event, Placed)]
    chosen = [event for event in everything if isinstance(event, Chose)]
    dealt = [event for event in everything if isinstance(event, Dealt)]
    assert any(event.hexagons == 3 for event in placed)
    assert {event.follows for event in placed} == set(get_args(FollowUp))
    assert {event.option for event in chosen} == set(get_args(ChosenOption))
    assert any(event.option == "both" and event.tiles == 2 for event in chosen)
    assert any(event.corner for event in placed)
    assert any(event.tile == BOSS and event.beside for event in placed)
    assert any(event.tile != BOSS and WILD in event.tile for event in placed)
    assert any(event.aside for event in dealt)
    assert any(isinstance(event, Drew) for event in events["points-boneyard"])
    assert any(isinstance(event, RoundEnded) and event.out is None for event in events["muggins-blocked"])
    assert any(event.option == "stop" for event in list_choices(events["quad-ominos-chain"]))
    assert any(event.option == "stop" for event in list_choices(events["star"]))
    assert any(isinstance(event, RoundEnded) and event.out is None for event in events["triominoes"])
    second_thoughts = events["quad-ominos-second-thoughts"]
    assert {event.agreed for event in second_thoughts if isinstance(event, Undone)} == {False, True}
    assert any(isinstance(event, Undone) and isinstance(before, Chose) for before, event in pairwise(second_thoughts))
    assert sum(isinstance(event, Resigned) for event in events["triominoes-resignation"]) == 4


def list_choices(log: Sequence[Event]) -> list[Chose]:
    return [event for event in log if isinstance(event, Chose)]
