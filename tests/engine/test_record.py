"""Records: written, read and re-run, and the same match again (docs/records.md)."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.rulebook import games, presets, rules
from engine.events import Dealt, Drew, Event, MatchEnded, Passed, Placed, Resigned, RoundEnded, Started
from engine.match import replay
from engine.record import Header, read, rerun, write
from engine.record.header import header_lines
from engine.record.positions import parse_placement, position_text
from engine.record.writing import Scribe
from engine.rules import CHOICES, Rules
from engine.tiles import canonical
from tests.engine.tables import board, placement, state
from tests.golden.matches import played

STANDARD = rules("triominoes")
READINGS = [(game, preset) for game in games() for preset in presets(game)]


@st.composite
def logs(draw: st.DrawFn) -> tuple[list[Event], str]:
    """A match of any game, preset and options, whole or broken off, and the preset's name."""
    game, preset = draw(st.sampled_from(READINGS))
    reading = rules(game, preset)
    for name in draw(st.lists(st.sampled_from(sorted(CHOICES)), max_size=4)):
        reading = reading.with_option(name, draw(st.sampled_from(CHOICES[name])))
    seats = draw(st.integers(reading.min_seats, min(6, reading.max_seats)))
    log = played(
        reading,
        seats,
        draw(st.integers(0, 2**32)),
        computers=sorted(draw(st.sets(st.integers(1, seats - 1), max_size=seats - 1))) if seats > 1 else (),
        by_hand=draw(st.booleans()),
        resigning=draw(st.sampled_from([0.0, 0.0, 0.01])),
        most=draw(st.sampled_from([0, 1, 7, 60, 10_000])),
    )
    return log, preset


@given(logs())
def test_what_was_written_is_read_as_the_same_match(made: tuple[list[Event], str]):
    log, preset = made
    assert isinstance(log[0], Started)
    standard = rules(log[0].rules.game)

    text = write(log, standard, preset=preset, date="2026-02-28")
    record = read(text, rules)

    assert record.events == log
    assert (record.header.preset, record.header.date) == (preset, "2026-02-28")
    assert write(record.events, standard, preset=preset, date="2026-02-28") == text


@settings(max_examples=40)
@given(logs())
def test_a_match_that_was_played_is_found_right_and_ends_in_the_same_state(made: tuple[list[Event], str]):
    log, preset = made
    assert isinstance(log[0], Started)

    checked = rerun(read(write(log, rules(log[0].rules.game), preset=preset), rules))

    assert checked.faults == []
    assert checked.log == log
    assert state(checked.match) == state(replay(log))
    assert checked.proved == isinstance(log[-1], MatchEnded)


@settings(max_examples=25)
@given(logs(), st.data())
def test_any_moment_is_the_one_that_the_log_had(made: tuple[list[Event], str], data: st.DataObject):
    log, _ = made
    assert isinstance(log[0], Started)
    record = read(write(log, rules(log[0].rules.game)), rules)
    plays = data.draw(st.integers(0, record.plays), label="plays")

    shown = rerun(record, plays)

    assert shown.plays == plays
    assert shown.log == log[: len(shown.log)]
    assert sum(isinstance(event, Placed | Drew | Passed | Resigned) for event in shown.log) == plays
    assert state(shown.match) == state(replay(shown.log))


@given(st.fixed_dictionaries({name: st.sampled_from(values) for name, values in CHOICES.items()}), st.integers(1, 999))
def test_every_option_comes_back(options: dict[str, str], target: int):
    reading: Rules = STANDARD
    for name, value in options.items():
        reading = reading.with_option(name, value)
    reading = replace(reading, target=target, draw_limit="unlimited", hexagons=(1, 20, 300), bridge=-7)

    lines = list(header_lines(Header(rules=reading, seats=2), STANDARD))
    text = "\n".join([*lines, *deal_of(reading)])

    assert read(text, rules).header.rules == reading
    assert "hexagons: 1 20 300" in lines
    assert not any(line.startswith("going_out") for line in lines)


def deal_of(reading: Rules) -> list[str]:
    tiles = reading.tiles
    return Scribe(2).lines(Dealt(1, (tiles[:2], tiles[2:4]), tiles[4:], 1, tiles[2:3]))


def test_the_lines_say_what_people_say():
    scribe = Scribe(3)
    lies = placement("U0,0=113")
    placed = Placed(
        seat=0,
        tile=lies.tile,
        cell=lies.cell,
        rotation=lies.rotation,
        base=5,
        hexagons=2,
        bridge=True,
        bonus=140,
        drawn=2,
        points=135,
    )
    tiles = ((0, 1, 2),), (), ((3, 3, 3), (4, 4, 5))

    assert scribe.lines(placed) == [
        "1 A plays U0,0=113: 5 + 140 for 2 hexagons and a bridge - 10 for 2 drawn = +135 -> 135"
    ]
    assert scribe.lines(replace(placed, seat=1, hexagons=0, bridge=False, bonus=0, drawn=0, points=5)) == [
        "2 B plays U0,0=113: +5 -> 5"
    ]
    assert scribe.lines(Drew(1, (0, 1, 2))) == ["3 B draws 0-1-2"]
    assert scribe.lines(Passed(1, 3, -25)) == ["4 B passes after 3 drawn: -25 -> -20"]
    assert scribe.lines(Passed(2, 0, -10)) == ["5 C passes: -10 -> -10"]
    assert scribe.lines(Resigned(2)) == ["6 C resigns"]
    assert scribe.lines(RoundEnded(4, 1, tiles, (0, 50, 0))) == [
        "round 4 ends: B is out",
        "A holds 0-1-2 = 3: +0 -> 135",
        "B holds nothing: +50 -> 30",
        "C holds 3-3-3 4-4-5 = 22: +0 -> -10",
    ]
    assert scribe.lines(RoundEnded(5, None, tiles, (0, 0, 0)))[0] == "round 5 ends: blocked"
    assert scribe.lines(MatchEnded((135, 30, -10), (1, 2, 3), "")) == [
        "match ends: A 135 place 1, B 30 place 2, C -10 place 3"
    ]


def test_a_log_with_hidden_tiles_makes_no_record():
    with pytest.raises(ValueError, match="left out"):
        Scribe(2).lines(Drew(0, None))
    with pytest.raises(ValueError, match="begins with Started"):
        write([], STANDARD)


def test_a_position_is_one_line_both_ways():
    text = "D-1,0=341 U-1,1=344 D-1,1=444 U0,1=445 D0,0=455"

    assert position_text(board(text)) == text
    assert [str(parse_placement(one, board().lattice)) for one in text.split()] == text.split()
    assert parse_placement("u0,0=5-1-3", board().lattice).tile == canonical((5, 1, 3))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("U0,0", "'U0,0' is no placement; write it like U0,0=135"),
        ("X0,0=135", "'X0,0' is no cell; write it like U0,0"),
        ("U0,0=1355", "'1355' is no tile; write it like 1-3-5"),
    ],
)
def test_what_is_no_placement_is_told_how_to_write_one(text: str, said: str):
    with pytest.raises(ValueError) as refused:
        parse_placement(text, board().lattice)
    assert str(refused.value) == said
