"""The golden records: whole matches stored as text, which every version must reproduce line by line."""

from itertools import pairwise
from typing import get_args

import pytest

from data.rulebook import load_rules
from engine.board.tiles import BOSS, WILD
from engine.match.events import Chose, ChosenOption, Dealt, Drew, Placed, Resigned, RoundEnded, Undone
from engine.match.rules import FollowUp
from engine.record import rerun, write
from engine.record.text import list_content_lines, parse_placement
from tests.golden.matches import GOLDEN, read_golden_record

NAMES = sorted(file.stem for file in GOLDEN.glob("*.txt"))
every_record = pytest.mark.parametrize("name", NAMES)


@every_record
def test_golden_record_replays_without_faults(name: str):
    record = read_golden_record(name)
    checked = rerun(record)
    assert checked.faults == []
    assert checked.log == record.events
    assert checked.match.ended is not None
    assert checked.is_proved == bool(record.header.secret)


@every_record
def test_rewritten_golden_record_equals_its_file(name: str):
    text, header = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8"), read_golden_record(name).header
    events = read_golden_record(name).events
    again = write(events, load_rules(header.rules.game), preset=header.preset, date=header.date)
    assert [line.text for line in list_content_lines(again)] == [line.text for line in list_content_lines(text)]


@every_record
def test_every_moment_of_golden_record_can_be_shown(name: str):
    record = read_golden_record(name)
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


def test_golden_records_contain_rare_events():
    events = {name: read_golden_record(name).events for name in NAMES}
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
    for name in ("muggins-blocked", "triominoes"):
        assert any(isinstance(event, RoundEnded) and event.out is None for event in events[name])
    for name in ("quad-ominos-chain", "star"):
        assert any(isinstance(event, Chose) and event.option == "stop" for event in events[name])
    second_thoughts = events["quad-ominos-second-thoughts"]
    assert {event.agreed for event in second_thoughts if isinstance(event, Undone)} == {False, True}
    assert any(isinstance(event, Undone) and isinstance(before, Chose) for before, event in pairwise(second_thoughts))
    assert sum(isinstance(event, Resigned) for event in events["triominoes-resignation"]) == 4
