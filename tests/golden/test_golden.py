"""The golden records: whole matches, kept as text, that must come out line for line whatever changes in the code."""

from pathlib import Path

import pytest

from data.rulebook import rules
from engine.events import Placed, Resigned, RoundEnded
from engine.record import read, rerun, write
from engine.record.positions import parse_placement
from engine.record.text import spoken

RECORDS = sorted(Path(__file__).parent.glob("*.txt"))


@pytest.mark.parametrize("file", RECORDS, ids=lambda file: file.stem)
def test_a_golden_record_comes_out_line_for_line(file: Path):
    record = read(file.read_text(encoding="utf-8"), rules)

    checked = rerun(record)

    assert checked.faults == []
    assert checked.log == record.events
    assert checked.match.ended is not None
    assert checked.proved == bool(record.header.secret)


@pytest.mark.parametrize("file", RECORDS, ids=lambda file: file.stem)
def test_a_golden_record_is_written_as_it_stands(file: Path):
    text = file.read_text(encoding="utf-8")
    record = read(text, rules)

    again = write(record.events, rules(record.header.rules.game), preset=record.header.preset, date=record.header.date)

    assert [line.text for line in spoken(again)] == [line.text for line in spoken(text)]


@pytest.mark.parametrize("file", RECORDS, ids=lambda file: file.stem)
def test_every_moment_of_a_golden_record_can_be_shown(file: Path):
    record = read(file.read_text(encoding="utf-8"), rules)
    table: list[str] = []
    plays = 0

    for entry in record.entries:
        line = entry.lines[0].text
        if line.startswith("round") and "ends" not in line:
            table = []
        if " plays " in line:
            table.append(line.split(" plays ")[1].split(":")[0])
        if line[0].isdigit():
            plays += 1
            if plays % 20 == 0:
                shown = rerun(record, plays).match.board
                assert [str(lies) for lies in shown.placed.values()] == table
                assert [str(parse_placement(text, record.header.rules)) for text in table] == table


def test_the_records_hold_what_is_rare():
    events = {file.stem: read(file.read_text(encoding="utf-8"), rules).events for file in RECORDS}
    everything = [event for log in events.values() for event in log]

    assert any(isinstance(event, Placed) and event.hexagons == 3 for event in everything)
    assert any(isinstance(event, RoundEnded) and event.out is None for event in events["triominoes"])
    assert sum(isinstance(event, Resigned) for event in events["triominoes-resignation"]) == 4
