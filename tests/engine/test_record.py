"""Records that are written, read and re-run give the same match again (docs/reference/records.md)."""

from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.rulebook import list_games, list_presets, load_rules
from engine.board.tiles import to_canonical
from engine.match.events import Chose, Dealt, Drew, Event, MatchEnded, Passed, Placed, Resigned, RoundEnded
from engine.match.rules import Rules
from engine.match.state import replay
from engine.record import Header, read, rerun, write
from engine.record.header import iterate_header_lines
from engine.record.reading import NumberedEvent
from engine.record.text import format_position, parse_placement
from engine.record.writing import RecordWriter
from tests.depth import scale_count
from tests.engine.readings import build_rules, build_triominoes_rules, format_deal
from tests.engine.tables import build_board, build_placement, capture_state
from tests.golden.matches import play_random_match

STANDARD = load_rules("triominoes")
every_game = pytest.mark.parametrize("game", list_games())


@st.composite
def logs(draw: st.DrawFn, game: str) -> tuple[list[Event], str]:
    preset = draw(st.sampled_from(list_presets(game)))
    reading = load_rules(game, preset)
    choices = reading.get_readings()
    for name in draw(st.lists(st.sampled_from(sorted(choices)), max_size=4)):
        reading = reading.with_option(name, draw(st.sampled_from(choices[name])))
    seats = draw(st.integers(reading.min_seats, reading.max_seats))
    log = play_random_match(
        reading,
        seats,
        draw(st.integers(0, 2**32)),
        computers=sorted(draw(st.sets(st.integers(1, seats - 1), max_size=seats - 1))) if seats > 1 else (),
        by_hand=draw(st.booleans()),
        resign_chance=draw(st.sampled_from([0.0, 0.0, 0.01])),
        max_actions=draw(st.sampled_from([0, 1, 7, 60, 10_000])),
    )
    return log, preset


@every_game
@settings(max_examples=scale_count(6))
@given(data=st.data())
def test_written_record_is_read_as_same_match_without_faults(game: str, data: st.DataObject):
    log, preset = data.draw(logs(game))

    standard = load_rules(log[0].rules.game)

    text = write(log, standard, preset=preset, date="2026-02-28")
    record = read(text, load_rules)

    assert record.events == log
    assert (record.header.preset, record.header.date) == (preset, "2026-02-28")
    assert write(record.events, standard, preset=preset, date="2026-02-28") == text
    checked = rerun(record)
    assert (checked.faults, checked.log) == ([], log)
    assert capture_state(checked.match) == capture_state(replay(log))
    assert checked.is_proved == isinstance(log[-1], MatchEnded)


@every_game
@settings(max_examples=scale_count(5))
@given(data=st.data())
def test_rerun_to_any_play_restores_state_from_log(game: str, data: st.DataObject):
    log, _ = data.draw(logs(game))

    record = read(write(log, load_rules(log[0].rules.game)), load_rules)
    plays = data.draw(st.integers(0, record.plays), label="plays")

    shown = rerun(record, plays)

    assert shown.plays == plays
    assert shown.log == log[: len(shown.log)]
    assert sum(isinstance(event, NumberedEvent) for event in shown.log) == plays
    assert capture_state(shown.match) == capture_state(replay(shown.log))


@given(st.sampled_from(list_games()), st.data())
def test_every_option_is_written_and_read_back(game: str, data: st.DataObject):
    reading = load_rules(game)
    for name, values in reading.get_readings().items():
        reading = reading.with_option(name, data.draw(st.sampled_from(values), label=name))
    for name in ("target", "rounds", "head_start"):
        reading = reading.with_option(name, str(data.draw(st.integers(1, 99), label=name)))

    lines = list(iterate_header_lines(Header(rules=reading, seats=2), load_rules(game)))
    text = "\n".join([*lines, *format_deal(reading)])

    assert read(text, load_rules).header.rules == reading
    changed_count = sum(
        getattr(reading, field.name) != getattr(load_rules(game), field.name) for field in fields(reading)
    )
    assert len(lines) == 3 + changed_count


def test_header_writes_only_changed_values_and_reads_them_back():
    reading = replace(build_triominoes_rules("draw_limit=unlimited"), hexagons=(1, 20, 300), bridge=-7)

    lines = list(iterate_header_lines(Header(rules=reading, seats=2), STANDARD))

    assert read("\n".join([*lines, *format_deal(reading)]), load_rules).header.rules == reading
    assert lines == [
        "boneyard record 1",
        "game: triominoes",
        "hexagons: 1 20 300",
        "bridge: -7",
        "draw_limit: unlimited",
        "seats: 2",
    ]


@pytest.mark.parametrize("edition", ["", "edition: 2\n"])
def test_record_of_version_0_1_with_edition_is_read(edition: str):
    head = f"boneyard record 1\ngame: triominoes\nblocked_bonus: none\n{edition}seats: 2\n"
    record = read(head + "\n".join(format_deal(build_triominoes_rules())), load_rules)
    assert record.header.rules == build_triominoes_rules("blocked_bonus=none")


def test_events_are_written_as_expected_record_lines():
    writer = RecordWriter([0, 0, 0])

    placed = build_placed_event(0, "U0,0=113", STANDARD, 5, hexagons=2, bridge=True, bonus=140, drawn=2, points=135)
    tiles = ((0, 1, 2),), (), ((3, 3, 3), (4, 4, 5))

    assert writer.format_event(placed) == [
        "1 A plays U0,0=113: 5 + 140 for 2 hexagons and a bridge - 10 for 2 drawn = +135 -> 135"
    ]
    assert writer.format_event(replace(placed, seat=1, hexagons=0, bridge=False, bonus=0, drawn=0, points=5)) == [
        "2 B plays U0,0=113: +5 -> 5"
    ]
    assert writer.format_event(Drew(1, (0, 1, 2))) == ["3 B draws 0-1-2"]
    assert writer.format_event(Passed(1, 3, -25)) == ["4 B passes after 3 drawn: -25 -> -20"]
    assert writer.format_event(Passed(2, 0, -10)) == ["5 C passes: -10 -> -10"]
    assert writer.format_event(Resigned(2)) == ["6 C resigns"]
    assert writer.format_event(RoundEnded(4, 1, tiles, (0, 50, 0))) == [
        "round 4 ends: B is out",
        "A holds 0-1-2 = 3: +0 -> 135",
        "B holds nothing: +50 -> 30",
        "C holds 3-3-3 4-4-5 = 22: +0 -> -10",
    ]
    assert writer.format_event(RoundEnded(5, None, tiles, (0, 0, 0)))[0] == "round 5 ends: blocked"
    assert writer.format_event(MatchEnded((135, 30, -10), (1, 2, 3), "")) == [
        "match ends: A 135 place 1, B 30 place 2, C -10 place 3"
    ]


QUADS, STAR = load_rules("quad-ominos"), load_rules("star")


def build_placed_event(seat: int, text: str, reading: Rules, base: int, **changes: Any) -> Placed:
    move = build_placement(text, reading)
    defaults = {"base": base, "hexagons": 0, "bridge": False, "bonus": 0, "drawn": 0, "points": base}
    return Placed(seat=seat, tile=move.tile, cell=move.cell, rotation=move.rotation, **{**defaults, **changes})


@pytest.mark.parametrize(
    ("reading", "happened", "line"),
    [
        (QUADS, build_placed_event(0, "0,0=4455", QUADS, 18), "1 A plays 0,0=4455: +18 -> 18"),
        (
            QUADS,
            build_placed_event(0, "0,1=1244", QUADS, 11, matched=3, follows="choice"),
            "1 A plays 0,1=1244 matching 3: +11 -> 11, then a choice",
        ),
        (
            QUADS,
            build_placed_event(0, "1,0=4445", QUADS, 17, matched=2, drawn=3, points=-43),
            "1 A plays 1,0=4445 matching 2: 17 - 60 for 3 drawn = -43 -> -43",
        ),
        (
            QUADS,
            build_placed_event(0, "2,0=4444", QUADS, 16, matched=2, follows="tiles"),
            "1 A plays 2,0=4444 matching 2: +16 -> 16, then another tile",
        ),
        (QUADS, Chose(0, "points", 25, 0), "1 A chooses points: +25 -> 25"),
        (QUADS, Chose(0, "tiles", 0, 2), "1 A chooses 2 tiles: +0 -> 0"),
        (QUADS, Chose(0, "tiles", 0, 1), "1 A chooses 1 tile: +0 -> 0"),
        (QUADS, Chose(0, "both", 25, 2), "1 A chooses points and 2 tiles: +25 -> 25"),
        (QUADS, Chose(0, "both", 25, 0), "1 A chooses points alone: +25 -> 25"),
        (QUADS, Chose(0, "stop", 0, 0), "1 A chooses to stop: +0 -> 0"),
        (STAR, build_placed_event(0, "U0,0=444", STAR, 0), "1 A plays U0,0=444: +0 -> 0"),
        (
            STAR,
            build_placed_event(0, "D0,0=313", STAR, 15, beside=8),
            "1 A plays D0,0=313: 7 and 8 count 15 = +15 -> 15",
        ),
        (
            STAR,
            build_placed_event(0, "D1,-1=343", STAR, 0, corner=True, beside=8, follows="further"),
            "1 A plays D1,-1=343 from corner to corner: 10 and 8 count 0 = +0 -> 0, then a further turn",
        ),
        (
            STAR,
            build_placed_event(0, "D0,0=BOSS", STAR, 10, beside=8),
            "1 A plays D0,0=BOSS: 0 and 8 count 10 = +10 -> 10",
        ),
    ],
)
def test_line_of_turn_with_choices_is_written_and_read(reading: Rules, happened: NumberedEvent, line: str):
    assert RecordWriter([0, 0]).format_event(happened) == [line]

    text = "\n".join([*iterate_header_lines(Header(rules=reading, seats=2), reading), *format_deal(reading), line])

    assert read(text, load_rules).events[-1] == happened


def test_tiles_set_aside_have_a_separate_line():
    tiles = STAR.tiles
    dealt = Dealt(1, (tiles[:2], tiles[2:4]), (), 1, tiles[2:3], tiles[4:])

    lines = RecordWriter([0, 0]).format_event(dealt)

    assert lines[:4] == ["round 1", "A is dealt BOSS 0-0-0", "B is dealt 0-0-1 0-0-2", "boneyard: nothing"]
    assert lines[4].startswith("set aside: 0-0-3 0-0-4 0-1-1 ")
    text = "\n".join([*iterate_header_lines(Header(rules=STAR, seats=2), STAR), *lines])
    assert read(text, load_rules).events[-1] == dealt


def test_log_with_hidden_tiles_cannot_be_written():
    with pytest.raises(ValueError, match="left out"):
        RecordWriter([0, 0]).format_event(Drew(0, None))
    with pytest.raises(ValueError, match="begins with Started"):
        write([], STANDARD)


@pytest.mark.parametrize(
    ("game", "options", "text"),
    [
        ("triominoes", "", "D-1,0=341 U-1,1=344 D-1,1=444 U0,1=445 D0,0=455"),
        ("quad-ominos", "", "0,0=4455 1,0=4445 1,1=2244"),
        ("quad-ominos", "quad_arrangement=free", "0,0=4545 1,0=5224 -1,0=0451"),
        ("star", "", "U0,0=233 D0,0=BOSS U1,0=014"),
        ("trioker", "trioker_joker=on", "U0,0=003 D0,0=00J"),
    ],
)
def test_position_text_is_one_line_and_parsed_back(game: str, options: str, text: str):
    reading = build_rules(game, options)

    assert format_position(build_board(text, reading)) == text
    assert [str(parse_placement(one, reading)) for one in text.split()] == text.split()


def test_placement_is_read_from_other_spelling():
    assert parse_placement("u0,0=5-1-3", STANDARD).tile == to_canonical((5, 1, 3))


@pytest.mark.parametrize(
    ("game", "text", "said"),
    [
        ("triominoes", "U0,0", "'U0,0' is no placement; write it like U0,0=135"),
        ("triominoes", "X0,0=135", "'X0,0' is no cell; write it like U0,0"),
        ("triominoes", "U0,0=1355", "'1355' is no tile; write it like 1-3-5"),
        ("quad-ominos", "0,0", "'0,0' is no placement; write it like 0,0=1355"),
        ("quad-ominos", "U0,0=4455", "'U0,0' is no cell; write it like 0,0"),
        ("quad-ominos", "0,0=445", "'445' is no tile; write it like 1-3-5-5"),
        ("quad-ominos", "0,0=BOSS", "'BOSS' is no tile; write it like 1-3-5-5"),
    ],
)
def test_invalid_placement_text_is_refused_with_an_example(game: str, text: str, said: str):
    with pytest.raises(ValueError) as excinfo:
        parse_placement(text, load_rules(game))
    assert str(excinfo.value) == said
