"""Records: written, read and re-run, and the same match again (docs/records.md)."""

from dataclasses import fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.rulebook import games, presets, rules
from engine.events import Dealt, Event, MatchEnded, Started
from engine.match import replay
from engine.record import Header, read, rerun, write
from engine.record.header import header_lines
from engine.record.reading import Plain
from engine.record.writing import Scribe
from engine.rules import Rules
from tests.depth import deep
from tests.engine.readings import reading as reading_of
from tests.engine.tables import state
from tests.golden.matches import played

STANDARD = rules("triominoes")
every_game = pytest.mark.parametrize("game", games())


@st.composite
def logs(draw: st.DrawFn, game: str) -> tuple[list[Event], str]:
    """A match of any preset and options of a game, whole or broken off, and the preset's name."""
    preset = draw(st.sampled_from(presets(game)))
    reading = rules(game, preset)
    choices = reading.readings()
    for name in draw(st.lists(st.sampled_from(sorted(choices)), max_size=4)):
        reading = reading.with_option(name, draw(st.sampled_from(choices[name])))
    seats = draw(st.integers(reading.min_seats, reading.max_seats))
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


@every_game
@settings(max_examples=deep(10))
@given(data=st.data())
def test_what_was_written_is_read_as_the_same_match(game: str, data: st.DataObject):
    log, preset = data.draw(logs(game))
    assert isinstance(log[0], Started)
    standard = rules(log[0].rules.game)

    text = write(log, standard, preset=preset, date="2026-02-28")
    record = read(text, rules)

    assert record.events == log
    assert (record.header.preset, record.header.date) == (preset, "2026-02-28")
    assert write(record.events, standard, preset=preset, date="2026-02-28") == text


@every_game
@settings(max_examples=deep(10))
@given(data=st.data())
def test_a_match_that_was_played_is_found_right_and_ends_in_the_same_state(game: str, data: st.DataObject):
    log, preset = data.draw(logs(game))
    assert isinstance(log[0], Started)

    checked = rerun(read(write(log, rules(log[0].rules.game), preset=preset), rules))

    assert checked.faults == []
    assert checked.log == log
    assert state(checked.match) == state(replay(log))
    assert checked.proved == isinstance(log[-1], MatchEnded)


@every_game
@settings(max_examples=deep(8))
@given(data=st.data())
def test_any_moment_is_the_one_that_the_log_had(game: str, data: st.DataObject):
    log, _ = data.draw(logs(game))
    assert isinstance(log[0], Started)
    record = read(write(log, rules(log[0].rules.game)), rules)
    plays = data.draw(st.integers(0, record.plays), label="plays")

    shown = rerun(record, plays)

    assert shown.plays == plays
    assert shown.log == log[: len(shown.log)]
    assert sum(isinstance(event, Plain) for event in shown.log) == plays
    assert state(shown.match) == state(replay(shown.log))


@given(st.sampled_from(games()), st.data())
def test_every_option_comes_back(game: str, data: st.DataObject):
    reading = rules(game)
    for name, values in reading.readings().items():
        reading = reading.with_option(name, data.draw(st.sampled_from(values), label=name))
    reading = reading.with_option("target", str(data.draw(st.integers(1, 999), label="target")))

    lines = list(header_lines(Header(rules=reading, seats=2), rules(game)))
    text = "\n".join([*lines, *deal_of(reading)])

    assert read(text, rules).header.rules == reading
    said = sum(getattr(reading, field.name) != getattr(rules(game), field.name) for field in fields(reading))
    assert len(lines) == 3 + said + ("edition: 2" in lines)


def test_numbers_come_back_and_what_is_as_usual_is_not_said():
    reading = replace(reading_of("draw_limit=unlimited"), hexagons=(1, 20, 300), bridge=-7)

    lines = list(header_lines(Header(rules=reading, seats=2), STANDARD))

    assert read("\n".join([*lines, *deal_of(reading)]), rules).header.rules == reading
    assert lines == [
        "boneyard record 1",
        "game: triominoes",
        "hexagons: 1 20 300",
        "bridge: -7",
        "draw_limit: unlimited",
        "seats: 2",
    ]


def deal_of(reading: Rules) -> list[str]:
    tiles = reading.tiles
    return Scribe(2).lines(Dealt(1, (tiles[:2], tiles[2:4]), tiles[4:], 1, tiles[2:3]))
