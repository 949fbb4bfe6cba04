"""A record that cannot be read names the line and the reason, whatever happened to it."""

from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from data.rulebook import list_games, load_rules
from engine.record import DamagedRecordError, Record, read, write
from tests.depth import scale_count
from tests.engine.accidents import apply_random_edits, assert_read_or_damaged, read_record
from tests.golden.matches import play_random_match

STANDARD = load_rules("triominoes")
TEXT = write(
    play_random_match(load_rules("triominoes", "evening"), 3, 5, computers=(2,), by_hand=True),
    STANDARD,
    preset="evening",
)
LINES = TEXT.split("\n")
GAMES = ", ".join(list_games())


def expect_damage(text: str) -> DamagedRecordError:
    with pytest.raises(DamagedRecordError) as found:
        read(text, load_rules)
    assert str(found.value) == f"line {found.value.line}: {found.value.reason}"
    return found.value


def find_line(beginning: str) -> int:
    return next(number for number, line in enumerate(LINES, 1) if line.startswith(beginning))


def replace_line(beginning: str, instead: str) -> tuple[str, int]:
    number = find_line(beginning)
    return "\n".join([*LINES[: number - 1], instead, *LINES[number:]]), number


@pytest.mark.parametrize(
    ("beginning", "instead", "reason"),
    [
        ("boneyard record", "boneyard record 2", "a record begins with the line 'boneyard record 1'"),
        ("game", "game: chess", f"there is no game 'chess'; there is {GAMES}"),
        ("preset", "preset: Evening!", "preset is a short name in small letters, not 'Evening!'"),
        ("preset", "colour: red", "there is no 'colour' in the head of a record of triominoes"),
        ("by_hand", "target: 200", "target is there twice; the first is on line 4"),
        ("preset", "nonsense", "'nonsense' is neither 'name: value' nor the beginning of a round"),
        ("target", "target: many", "target is a whole number, not 'many'"),
        ("target", "target: 0", "target must be from 1 to 100000"),
        (
            "target",
            "tile_set: trio99",
            "tile_set must be a kind and its count, like trio56, td35, mac24, quad125; not 'trio99'",
        ),
        ("target", "draw_limit: some", "draw_limit is a whole number or unlimited, not 'some'"),
        ("target", "draw_limit: 999", "draw_limit must be from 0 to 100, or unlimited"),
        ("target", "deal: 9 7", "deal must have 5 numbers, one for each number of seats"),
        ("target", "hexagons: a b c", "hexagons is whole numbers with spaces between them, not 'a b c'"),
        ("seats", "seats: 7", "seats is a number from 2 to 6, not '7'"),
        ("seats", "seats: two", "seats is a number from 2 to 6, not 'two'"),
        ("computers", "computers: D", "there is no seat D; the seats are A to C"),
        ("computers", "computers: CA", "computers are seats like A B, not 'CA'"),
        ("computers", "computers: C C", "computers are named once each, in the order of the seats"),
        ("by_hand", "by_hand: maybe", "by_hand is yes or no, not 'maybe'"),
        ("by_hand", "date: 2026-13-01", "date is a day like 2026-02-28, not '2026-13-01'"),
        ("secret", "secret: 12", "secret is 64 hexadecimal digits, not '12'"),
        ("B is dealt", "C is dealt 0-0-0", "'C is dealt 0-0-0' stands where 'B is dealt ...' should be"),
        ("B is dealt", "B is dealt 0-0-9", "the set has no tile 0-0-9"),
        ("B is dealt", "B is dealt zero", "'zero' is no tile; write it like 1-3-5"),
        ("1 ", "2 A plays U0,0=555: +15 -> 15", "this is play 2 where play 1 should be"),
        ("1 ", "1 D resigns", "there is no seat D; the seats are A to C"),
        ("1 ", "1 A palys U0,0=555: +15 -> 15", "'1 A palys U0,0=555: +15 -> 15' is no play, no round and no end"),
        (
            "1 ",
            "1 A plays U0,0=555",
            "'plays U0,0=555' cannot be read; write it like '1 A plays U0,0=555: 15 + 10 for the opening = +25 -> 25'",
        ),
        ("1 ", "1 A plays X0,0=555: +15 -> 15", "'X0,0' is no cell; write it like U0,0"),
        ("1 ", "1 A plays 555: +15 -> 15", "'555' is no placement; write it like U0,0=135"),
        ("1 ", "1 A draws", "'draws' cannot be read; write it like '2 B draws 0-1-5'"),
        ("round 1 ends", "round 1 ended", "'round 1 ended' is no play, no round and no end"),
        ("A holds", "A has nothing", "'A has nothing' stands where 'A holds ...: +0 -> 0' should be"),
        (
            "match ends",
            "match ends: A 1 place 1",
            "the result names every seat once, like 'A 410 place 1, B 380 place 2'",
        ),
    ],
)
def test_line_that_cannot_be_read_is_named_with_reason(beginning: str, instead: str, reason: str):
    text, number = replace_line(beginning, instead)

    found = expect_damage(text)

    assert (found.line, found.reason) == (number, reason)


def test_tile_dealt_twice_is_reported_at_second_line():
    tile = LINES[find_line("A is dealt") - 1].split()[-1]
    text, number = replace_line("B is dealt", f"B is dealt {tile}")

    found = expect_damage(text)

    assert found.line == number
    assert found.reason.startswith(tile)
    assert found.reason.endswith(f" line {find_line('A is dealt')}")


def test_missing_tile_is_reported_at_boneyard_line():
    *rest, tile = LINES[find_line("boneyard:") - 1].split()
    text, number = replace_line("boneyard:", " ".join(rest))

    found = expect_damage(text)

    assert found.line == number
    assert found.reason.startswith(f"{tile} is in no")


@pytest.mark.parametrize(
    ("text", "line", "fragment"),
    [
        ("\n".join(LINES[: find_line("boneyard:") - 1]), find_line("boneyard:") - 1, "'boneyard: ...'"),
        ("boneyard record 1\ngame: triominoes\nseats: 2", 3, "the first round"),
        ("boneyard record 1\nseats: 2\nround 1", 2, "no game"),
        ("boneyard record 1\ngame: triominoes\nround 1", 2, "no seats"),
        (f"{TEXT}\n999 A resigns\n", len(LINES) + 1, "nothing comes after"),
        *((text, 1, "boneyard record 1") for text in ("", "\n\n", "# only a comment", "hello", "\x00")),
    ],
)
def test_record_with_missing_or_extra_part_names_line_and_reason(text: str, line: int, fragment: str):
    found = expect_damage(text)

    assert fragment in found.reason
    assert found.line == line


def test_comments_blank_lines_spaces_and_windows_do_no_harm():
    text = "\ufeff# a remark\r\n\r\n" + TEXT.replace("\n", "  \r\n# so he did\r\n").replace(" plays ", "\t plays  ")

    assert read(text, load_rules).events == read(TEXT, load_rules).events


@settings(max_examples=scale_count(100))
@given(st.integers(0, 2**32), st.integers(1, 4))
@example(0, 1)
def test_no_accident_crashes_record(seed: int, edits: int):
    assert_read_or_damaged(apply_random_edits(LINES, Random(seed), edits))


@settings(max_examples=scale_count(10))
@given(st.text(max_size=300))
def test_no_text_crashes_reader(text: str):
    for body in (text, f"boneyard record 1\n{text}", TEXT[:900] + text):
        found = read_record(body)
        assert isinstance(found, Record) or 1 <= found.line <= body.count("\n") + 1
