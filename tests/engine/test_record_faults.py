"""Records with errors: unreadable lines, forbidden moves, and the expected text of a wrong line."""

import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.rulebook import list_games, load_rules
from engine.match.errors import Violation
from engine.record import DamagedRecordError, Record, read, rerun, write
from tests.depth import scale_count
from tests.engine.damaged_records import (
    apply_random_edits,
    assert_read_or_damaged,
    list_faults,
    read_record,
    replace_first_match,
)
from tests.golden.matches import GOLDEN, play_random_match

STANDARD = load_rules("triominoes")
EVENING = write(
    play_random_match(load_rules("triominoes", "evening"), 3, 5, computers=(2,), by_hand=True),
    STANDARD,
    preset="evening",
)
LINES = EVENING.split("\n")
GAMES = ", ".join(list_games())
TEXTS = {
    name: (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
    for name in (
        *("quad-ominos-zeros", "quad-ominos-chain", "star", "points", "points-boneyard", "trioker-joker"),
        "triominoes-by-hand",
    )
} | {"evening": EVENING}


@pytest.mark.parametrize(
    ("name", "old", "new", "reason"),
    [
        (
            "quad-ominos-zeros",
            "^20 E chooses points:",
            "20 E chooses pints:",
            "'chooses pints: +25 -> 57' cannot be read; write it like '2 B chooses 2 tiles: +0 -> 20'",
        ),
        (
            "quad-ominos-zeros",
            "^2 B chooses points and 2 tiles",
            "2 B chooses points and tiles",
            "'chooses points and tiles: +25 -> 25' cannot be read; write it like '2 B chooses 2 tiles: +0 -> 20'",
        ),
        (
            "quad-ominos-zeros",
            ", then another tile$",
            ", then another",
            "'plays 1,0=0550 matching 2: +10 -> 35, then another' cannot be read; "
            "write it like '1 A plays U0,0=555: 15 + 10 for the opening = +25 -> 25'",
        ),
        ("quad-ominos-zeros", "plays 0,0=0000", "plays U0,0=0000", "'U0,0' is no cell; write it like 0,0"),
        ("quad-ominos-zeros", "plays 0,0=0000", "plays 0,0=000", "'000' is no tile; write it like 1-3-5-5"),
        ("quad-ominos-zeros", "^A is dealt 1-1-3-5", "A is dealt 5-1-1-3", "the set has no tile 5-1-1-3"),
        ("quad-ominos-zeros", "^A is dealt 1-1-3-5", "A is dealt 0-2-4-5", "the set has no tile 0-2-4-5"),
        (
            "points",
            r"^set aside: \S+$",
            "set aside: nothing",
            "{aside} is in no hand of this round, not in the boneyard and not set aside",
        ),
        ("points", r"^set aside: \S+$", "set aside: 9-9-9", "the set has no tile 9-9-9"),
        ("star", "^A is dealt BOSS", "A is dealt boss BOSS", "BOSS is also on line {a}"),
        ("star", "from corner to corner", "from corner", None),
        ("star", "^game: star", "game: star\nlayout: closed", "layout is last_tile, open, not 'closed'"),
        ("star", "^game: star", "game: star\nbridge: 40", "there is no 'bridge' in the head of a record of star"),
        (
            "star",
            "^game: star",
            "game: star\ntarget: -1",
            "target must be from 1 to 100000, or 0 where one deal decides",
        ),
        ("trioker-joker", "^seats: 3", "seats: 5", "seats is a number from 2 to 4, not '5'"),
        ("trioker-joker", "^trioker_joker: on", "trioker_values: 9", "trioker_values must be from 4 to 6"),
    ],
)
def test_line_that_cannot_be_read_is_named_with_reason(name: str, old: str, new: str, reason: str | None):
    text, line = replace_first_match(TEXTS[name], old, new)
    lines = TEXTS[name].split("\n")
    aside = next((words.split(": ")[1] for words in lines if words.startswith("set aside")), "")
    dealt = next(number for number, words in enumerate(lines, 1) if words.startswith("A is dealt"))

    found = expect_damage(text)

    assert found.line == line
    if reason is not None:
        assert found.reason == reason.format(aside=aside, a=dealt)


def expect_damage(text: str) -> DamagedRecordError:
    with pytest.raises(DamagedRecordError) as found:
        read(text, load_rules)
    assert str(found.value) == f"line {found.value.line}: {found.value.reason}"
    return found.value


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("quad-ominos-zeros", "chooses points and 2 tiles: .25 -> 25", "chooses points alone: +25 -> 25"),
        ("quad-ominos-zeros", "chooses points and 2 tiles: .25 -> 25", "chooses points and 2 tiles: +30 -> 30"),
        ("quad-ominos-zeros", "matching 3: .5 -> 32", "matching 2: +5 -> 32"),
        ("quad-ominos-zeros", "matching 3: .5 -> 32, then a choice", "matching 3: +5 -> 32"),
        ("quad-ominos-zeros", ", then another tile$", ""),
        ("quad-ominos-zeros", "^20 E chooses points: .25 -> 57", "20 E chooses points: +20 -> 52"),
        ("star", "8 and 12 count 20", "8 and 13 count 20"),
        ("star", "8 and 12 count 20 = .20 -> 20", "8 and 12 count 0 = +0 -> 0"),
        ("star", "BOSS from corner to corner", "BOSS"),
        ("star", ", then a further turn", ""),
        ("star", "chooses to stop: .0", "chooses to stop: +5"),
        ("triominoes-by-hand", r"(plays \S+: )\+\d+ -> ", r"\1+99 -> "),
        ("triominoes-by-hand", r"(plays .* -> )\d+$", r"\g<1>777"),
        ("triominoes-by-hand", r"\d+ for 1 hexagon", "60 for 1 hexagon"),
        ("triominoes-by-hand", r"for 1 hexagon", "for 2 hexagons"),
        ("triominoes-by-hand", r"40 for a bridge", "50 for 1 hexagon"),
        ("triominoes-by-hand", r"15 \+ 10 for the opening", "14 + 11 for the opening"),
        ("triominoes-by-hand", r" - 5 for 1 drawn", " - 10 for 2 drawn"),
        ("triominoes-by-hand", r"passes after 3 drawn: -25", "passes after 3 drawn: -15"),
        ("triominoes-by-hand", r"^(\d+ [AB] draws) \d-\d-\d", r"\1 0-0-0"),
        ("triominoes-by-hand", r"(holds nothing: )\+\d+", r"\1+1"),
        ("triominoes-by-hand", r"(holds \d.* = )\d+:", r"\g<1>1:"),
        ("triominoes-by-hand", r"(match ends: A )-?\d+", r"\1 1000"),
        ("triominoes-by-hand", r"place 2", "place 1"),
        ("triominoes-by-hand", r"^round 1 ends: (A is out|B is out|blocked)", "round 2 ends: blocked"),
    ],
)
def test_wrong_word_or_number_is_named_with_right_line(name: str, old: str, new: str):
    text, line = replace_first_match(TEXTS[name], old, new)

    first = list_faults(text)[0]

    assert (first.line, first.expected) == (line, " ".join(TEXTS[name].split("\n")[line - 1].split()))
    assert first.actual == " ".join(text.split("\n")[line - 1].split())
    assert first.rule_broken is None


def test_exchange_of_dealt_tile_and_tile_set_aside_is_found():
    aside = re.search(r"^set aside: (\S+)$", TEXTS["points"], re.MULTILINE)[1]
    hand = re.search(r"^A is dealt (\S+)", TEXTS["points"], re.MULTILINE)[1]
    text, line = replace_first_match(TEXTS["points"], f"A is dealt {hand}", f"A is dealt {aside}")
    text, _ = replace_first_match(text, f"set aside: {aside}", f"set aside: {hand}")

    first = list_faults(text)[0]

    assert (first.line, first.expected) == (line, TEXTS["points"].split("\n")[line - 1])
    assert first.rule_broken is None


@pytest.mark.parametrize(
    ("name", "old", "new", "why"),
    [
        ("quad-ominos-zeros", "^20 E chooses points: .*", "20 E passes: -20 -> 12", Violation.MUST_CHOOSE),
        ("quad-ominos-zeros", "^20 E chooses points: .*", "20 F chooses points: +25 -> 40", Violation.NOT_YOUR_TURN),
        ("quad-ominos-zeros", "^5 C plays .*", "5 C chooses points: +25 -> 25", Violation.NOTHING_TO_CHOOSE),
        ("quad-ominos-zeros", "^3 B plays .*", "3 B passes: -20 -> 5", Violation.MUST_PLAY),
        ("star", "^9 B chooses to stop.*", "9 B passes: +0 -> 50", Violation.MUST_CHOOSE),
        ("star", "^9 B chooses to stop.*", "9 B chooses 2 tiles: +0 -> 50", Violation.MUST_CHOOSE),
        ("star", "^10 A plays D0,-1=441", "10 A plays D0,-1=422", Violation.SIDE_MISMATCH),
        ("star", "^2 B plays D0,0=134", "2 B plays U5,5=134", Violation.NOT_NEXT_TO_LAST),
        ("points", "^1 (.) plays .*", r"1 \1 chooses to stop: +0 -> 0", Violation.NOTHING_TO_CHOOSE),
        ("triominoes-by-hand", "^1 A plays U0,0=555", "1 A plays U0,0=222", Violation.WRONG_OPENING),
        ("triominoes-by-hand", "^1 A plays U0,0=555", "1 A plays D4,4=555", Violation.WRONG_OPENING),
        ("triominoes-by-hand", "^2 B draws 1-1-5", "2 A draws 1-1-5", Violation.NOT_YOUR_TURN),
        ("triominoes-by-hand", "^2 B draws 1-1-5", "2 B passes: -10 -> -10", Violation.MUST_DRAW),
        ("triominoes-by-hand", "^5 B passes .*", "5 B draws 3-5-5", Violation.DRAW_LIMIT),
        ("triominoes-by-hand", "^12 A plays U1,0=533: .*", "12 A draws 0-0-0", Violation.MUST_PLAY),
        ("triominoes-by-hand", "^12 A plays U1,0=533", "12 A plays U1,0=333", Violation.NOT_IN_HAND),
        ("triominoes-by-hand", "^12 A plays U1,0=533", "12 A plays U1,0=335", Violation.CORNER_MISMATCH),
        ("triominoes-by-hand", "^12 A plays U1,0=533", "12 A plays U7,7=335", Violation.NO_SIDE_CONTACT),
        ("triominoes-by-hand", "^12 A plays U1,0=533", "12 A plays D0,0=335", Violation.OCCUPIED),
        ("triominoes-by-hand", "^12 A plays U1,0=533", "12 A plays U1,0=535", Violation.TILE_ALREADY_PLAYED),
        ("triominoes-by-hand", "^12 A plays U1,0=533", "12 A plays U1,0=569", Violation.NO_SUCH_TILE),
    ],
)
def test_illegal_choice_or_play_stops_rerun_with_reason(name: str, old: str, new: str, why: Violation):
    text, line = replace_first_match(TEXTS[name], old, new)

    (fault,) = list_faults(text)

    assert (fault.line, fault.rule_broken.why, fault.actual) == (line, why, text.split("\n")[line - 1])


def test_missing_or_extra_automatic_bonus_is_a_fault():
    missing = re.sub(r"^2 B chooses .*\n", "", TEXTS["quad-ominos-zeros"], flags=re.MULTILINE)
    numbers = iter(range(1, 1000))
    missing = re.sub(r"^\d+(?= [A-F] )", lambda _: str(next(numbers)), missing, flags=re.MULTILINE)
    found = list_faults(missing)
    assert [(fault.actual.split(":")[0], fault.expected) for fault in found] == [
        ("2 B plays 1,0=0550 matching 2", "2 B chooses points and 2 tiles: +25 -> 25")
    ]

    put_in, line = replace_first_match(
        TEXTS["quad-ominos-zeros"], "^20 E chooses points: .25", "20 E chooses points and 2 tiles: +25"
    )
    assert [(fault.line, fault.expected, fault.rule_broken) for fault in list_faults(put_in)] == [(line, "", None)]


@pytest.mark.parametrize("name", TEXTS)
@settings(max_examples=scale_count(50))
@given(seed=st.integers(0, 2**32), edits=st.integers(1, 4))
def test_randomly_damaged_record_of_any_game_is_read_or_refused(name: str, seed: int, edits: int):
    assert_read_or_damaged(apply_random_edits(TEXTS[name].split("\n"), Random(seed), edits))


BY_HAND = TEXTS["triominoes-by-hand"]


def test_wrong_score_gives_exactly_one_fault():
    text, line = replace_first_match(BY_HAND, r"(plays \S+: )\+\d+ -> ", r"\1+99 -> ")

    assert [fault.line for fault in list_faults(text)] == [line]


def test_wrong_secret_is_reported_as_commitment_fault():
    text, line = replace_first_match(BY_HAND, r"^(secret: )........", r"\g<1>00000000")

    found = list_faults(text)

    assert found[0].line == line - 1
    assert found[0].actual.startswith("commitment: ")
    assert not rerun(read(text, load_rules)).is_proved
    deal = next(number for number, words in enumerate(text.split("\n"), 1) if words.startswith("A is dealt"))
    assert deal in [fault.line for fault in found]


def test_two_tiles_exchanged_in_deal_are_found_by_shuffle_only():
    lines = BY_HAND.split("\n")
    at = max(number for number, words in enumerate(lines) if words.startswith("boneyard"))
    right = lines[at]
    *most, last_but_one, last = right.split()
    lines[at] = " ".join((*most, last, last_but_one))
    text = "\n".join(lines)

    assert [(fault.line, fault.expected) for fault in list_faults(text)] == [(at + 1, right)]
    unproved = re.sub(r"^(secret|commitment): .*\n", "", text, flags=re.MULTILINE)
    assert list_faults(unproved) == []


def test_wrong_hand_size_is_found_without_secret():
    text = re.sub(r"^secret: .*\n", "", BY_HAND, flags=re.MULTILINE)
    text = re.sub(r"^(A is dealt .*) (\d-\d-\d)\n", r"\1\n", text, count=1, flags=re.MULTILINE)
    tile = re.search(r"^A is dealt .* (\d-\d-\d)$", BY_HAND, flags=re.MULTILINE)
    assert tile
    text = re.sub(r"^boneyard:", f"boneyard: {tile[1]}", text, count=1, flags=re.MULTILINE)

    found = list_faults(text)

    assert [fault.expected for fault in found] == ["A is dealt 9 tiles"]


def test_opener_follows_from_hands():
    text = re.sub(r"^secret: .*\n", "", BY_HAND, flags=re.MULTILINE)
    opens = re.search(r"^([AB]) opens with (\S+)$", text, flags=re.MULTILINE)
    assert opens
    other = "B" if opens[1] == "A" else "A"

    found = list_faults(text.replace(opens[0], f"{other} opens with {opens[2]}", 1))

    assert found[0].expected == opens[0]


def test_record_without_match_end_reports_missing_line():
    lines = BY_HAND.rstrip("\n").split("\n")
    assert lines[-1].startswith("match ends")

    found = list_faults("\n".join(lines[:-1]))

    assert [fault.expected for fault in found] == [lines[-1]]
    assert found[0].actual == ""


def test_record_that_ends_between_turns_has_no_faults():
    text = BY_HAND[: BY_HAND.index("\n10 ") + 1]

    checked = rerun(read(text, load_rules))

    assert checked.faults == []
    assert (checked.plays, checked.match.ended) == (9, None)


def test_round_end_at_wrong_position_is_a_fault():
    ends = re.search(r"^round 1 ends.*\n.*\n.*\n", BY_HAND, flags=re.MULTILINE)
    assert ends
    text = BY_HAND.replace(ends[0], "", 1).replace("\n3 ", f"\n{ends[0]}3 ", 1)

    found = list_faults(text)

    assert len(found) == 1
    assert found[0].actual == ends[0].split("\n")[0]
    assert found[0].expected == ""
    assert found[0].rule_broken is None


def test_tiles_in_boneyard_instead_of_set_aside_are_a_fault():
    played = TEXTS["points-boneyard"]
    text = played.replace("remainder: boneyard\n", "")

    assert [(fault.actual, fault.expected) for fault in list_faults(text)[:2]] == [
        ("boneyard: 0-0-1 1-2-4 0-0-2 0-1-3 1-3-4", "boneyard: nothing"),
        ("D opens with 4-4-4", "set aside: 0-0-1 1-2-4 0-0-2 0-1-3 1-3-4"),
    ]


def find_line(beginning: str) -> int:
    return next(number for number, line in enumerate(LINES, 1) if line.startswith(beginning))


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
def test_line_of_triominoes_that_cannot_be_read_is_named_with_reason(beginning: str, instead: str, reason: str):
    text, number = replace_first_match(EVENING, f"^{beginning}.*", instead)

    found = expect_damage(text)

    assert (found.line, found.reason) == (number, reason)


def test_tile_dealt_twice_is_reported_at_second_line():
    tile = LINES[find_line("A is dealt") - 1].split()[-1]
    text, number = replace_first_match(EVENING, "^B is dealt.*", f"B is dealt {tile}")

    found = expect_damage(text)

    assert found.line == number
    assert found.reason.startswith(tile)
    assert found.reason.endswith(f" line {find_line('A is dealt')}")


def test_missing_tile_is_reported_at_boneyard_line():
    *rest, tile = LINES[find_line("boneyard:") - 1].split()
    text, number = replace_first_match(EVENING, "^boneyard:.*", " ".join(rest))

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
        (f"{EVENING}\n999 A resigns\n", len(LINES) + 1, "nothing comes after"),
        *((text, 1, "boneyard record 1") for text in ("", "\n\n", "# only a comment", "hello", "\x00")),
    ],
)
def test_record_with_missing_or_extra_part_names_line_and_reason(text: str, line: int, fragment: str):
    found = expect_damage(text)

    assert fragment in found.reason
    assert found.line == line


def test_comments_blank_lines_spaces_and_windows_line_ends_are_ignored():
    text = "\ufeff# a remark\r\n\r\n" + EVENING.replace("\n", "  \r\n# so he did\r\n").replace(" plays ", "\t plays  ")

    assert read(text, load_rules).events == read(EVENING, load_rules).events


@settings(max_examples=scale_count(10))
@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(text: str):
    for body in (text, f"boneyard record 1\n{text}", EVENING[:900] + text):
        found = read_record(body)
        assert isinstance(found, Record) or 1 <= found.line <= body.count("\n") + 1
