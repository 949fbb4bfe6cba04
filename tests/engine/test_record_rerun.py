"""A record with something wrong in it: the line is named, and what it should say."""

import re
from pathlib import Path

import pytest

from data.rulebook import rules
from engine.errors import Why
from engine.record import Fault, read, rerun

GOLDEN = (Path(__file__).parents[1] / "golden" / "triominoes-by-hand.txt").read_text(encoding="utf-8")


def faults(text: str) -> list[Fault]:
    return rerun(read(text, rules)).faults


def changed(pattern: str, to: str) -> tuple[str, int]:
    """The golden record with the first match of the pattern replaced, and the number of that line."""
    text, count = re.subn(pattern, to, GOLDEN, count=1, flags=re.MULTILINE)
    assert count == 1
    both = zip(GOLDEN.split("\n"), text.split("\n"), strict=False)
    return text, next(number for number, (old, new) in enumerate(both, 1) if old != new)


@pytest.mark.parametrize(
    ("pattern", "to"),
    [
        (r"(plays \S+: )\+\d+ -> ", r"\1+99 -> "),
        (r"(plays .* -> )\d+$", r"\g<1>777"),
        (r"\d+ for 1 hexagon", "60 for 1 hexagon"),
        (r"for 1 hexagon", "for 2 hexagons"),
        (r"40 for a bridge", "50 for 1 hexagon"),
        (r"15 \+ 10 for the opening", "14 + 11 for the opening"),
        (r" - 5 for 1 drawn", " - 10 for 2 drawn"),
        (r"passes after 3 drawn: -25", "passes after 3 drawn: -15"),
        (r"^(\d+ [AB] draws) \d-\d-\d", r"\1 0-0-0"),
        (r"(holds nothing: )\+\d+", r"\1+1"),
        (r"(holds \d.* = )\d+:", r"\g<1>1:"),
        (r"(match ends: A )-?\d+", r"\1 1000"),
        (r"place 2", "place 1"),
        (r"^round 1 ends: A is out|^round 1 ends: B is out|^round 1 ends: blocked", "round 2 ends: blocked"),
    ],
)
def test_a_wrong_number_is_named_with_the_right_line(pattern: str, to: str):
    text, line = changed(pattern, to)

    first = faults(text)[0]

    original = " ".join(GOLDEN.split("\n")[line - 1].split())
    assert (first.line, first.should) == (line, original)
    assert first.says == " ".join(text.split("\n")[line - 1].split())


def test_one_wrong_score_is_one_fault_and_the_rest_is_still_checked():
    text, line = changed(r"(plays \S+: )\+\d+ -> ", r"\1+99 -> ")

    assert [fault.line for fault in faults(text)] == [line]


def test_a_secret_that_does_not_belong_to_the_record_is_found_out():
    text, line = changed(r"^(secret: )........", r"\g<1>00000000")

    found = faults(text)

    assert found[0].line == line - 1
    assert found[0].says.startswith("commitment: ")
    assert not rerun(read(text, rules)).proved
    deal = next(number for number, words in enumerate(text.split("\n"), 1) if words.startswith("A is dealt"))
    assert deal in [fault.line for fault in found]


def test_two_tiles_exchanged_in_a_deal_are_found_by_the_shuffle_only():
    lines = GOLDEN.split("\n")
    at = max(number for number, words in enumerate(lines) if words.startswith("boneyard"))
    right = lines[at]
    *most, last_but_one, last = right.split()
    lines[at] = " ".join((*most, last, last_but_one))
    text = "\n".join(lines)

    assert [(fault.line, fault.should) for fault in faults(text)] == [(at + 1, right)]
    unproved = re.sub(r"^(secret|commitment): .*\n", "", text, flags=re.MULTILINE)
    assert faults(unproved) == []


def test_without_a_secret_hands_must_still_be_as_large_as_the_rules_deal_them():
    text = re.sub(r"^secret: .*\n", "", GOLDEN, flags=re.MULTILINE)
    text = re.sub(r"^(A is dealt .*) (\d-\d-\d)\n", r"\1\n", text, count=1, flags=re.MULTILINE)
    tile = re.search(r"^A is dealt .* (\d-\d-\d)$", GOLDEN, flags=re.MULTILINE)
    assert tile
    text = re.sub(r"^boneyard:", f"boneyard: {tile[1]}", text, count=1, flags=re.MULTILINE)

    found = faults(text)

    assert [fault.should for fault in found] == ["A is dealt 9 tiles"]


def test_the_opener_follows_from_the_hands():
    text = re.sub(r"^secret: .*\n", "", GOLDEN, flags=re.MULTILINE)
    opens = re.search(r"^([AB]) opens with (\S+)$", text, flags=re.MULTILINE)
    assert opens
    other = "B" if opens[1] == "A" else "A"

    found = faults(text.replace(opens[0], f"{other} opens with {opens[2]}", 1))

    assert found[0].should == opens[0]


@pytest.mark.parametrize(
    ("play", "instead", "why"),
    [
        ("1 A plays U0,0=555", "1 A plays U0,0=222", Why.WRONG_OPENING),
        ("1 A plays U0,0=555", "1 A plays D4,4=555", Why.WRONG_OPENING),
        ("2 B draws 1-1-5", "2 A draws 1-1-5", Why.NOT_YOUR_TURN),
        ("2 B draws 1-1-5", "2 B passes: -10 -> -10", Why.MUST_DRAW),
        ("5 B passes after 3 drawn: -25 -> -25", "5 B draws 3-5-5", Why.DRAW_LIMIT),
        ("12 A plays U1,0=533: +11 -> 49", "12 A draws 0-0-0", Why.MUST_PLAY),
        ("12 A plays U1,0=533", "12 A plays U1,0=333", Why.NOT_IN_HAND),
        ("12 A plays U1,0=533", "12 A plays U1,0=335", Why.CORNER_MISMATCH),
        ("12 A plays U1,0=533", "12 A plays U7,7=335", Why.NO_SIDE_CONTACT),
        ("12 A plays U1,0=533", "12 A plays D0,0=335", Why.OCCUPIED),
        ("12 A plays U1,0=533", "12 A plays U1,0=535", Why.TILE_ALREADY_PLAYED),
        ("12 A plays U1,0=533", "12 A plays U1,0=569", Why.NO_SUCH_TILE),
    ],
)
def test_a_play_against_the_rules_stops_there_with_the_reason(play: str, instead: str, why: Why):
    assert GOLDEN.count(f"\n{play}") == 1

    found = faults(GOLDEN.replace(f"\n{play}", f"\n{instead}"))

    assert [fault.broken.why for fault in found if fault.broken] == [why]
    assert len(found) == 1
    assert found[0].line == GOLDEN[: GOLDEN.index(f"\n{play}")].count("\n") + 2
    assert found[0].says.startswith(instead)


def test_a_record_that_breaks_off_before_what_must_follow_says_what_is_missing():
    lines = GOLDEN.rstrip("\n").split("\n")
    assert lines[-1].startswith("match ends")

    found = faults("\n".join(lines[:-1]))

    assert [fault.should for fault in found] == [lines[-1]]
    assert found[0].says == ""


def test_a_record_that_stops_between_two_turns_is_right_so_far():
    text = GOLDEN[: GOLDEN.index("\n10 ") + 1]

    checked = rerun(read(text, rules))

    assert checked.faults == []
    assert (checked.plays, checked.match.ended) == (9, None)


def test_an_ending_that_nothing_led_to_cannot_stand_there():
    ends = re.search(r"^round 1 ends.*\n.*\n.*\n", GOLDEN, flags=re.MULTILINE)
    assert ends
    text = GOLDEN.replace(ends[0], "", 1).replace("\n3 ", f"\n{ends[0]}3 ", 1)

    found = faults(text)

    assert len(found) == 1
    assert found[0].says == ends[0].split("\n")[0]
    assert found[0].should == ""
    assert found[0].broken is None


def test_tiles_that_belong_set_aside_and_are_not_are_a_fault_of_the_deal():
    """The record was played by a reading that draws them, and its head does not say so any more."""
    played = (Path(__file__).parents[1] / "golden" / "points-boneyard.txt").read_text(encoding="utf-8")
    text = played.replace("remainder: boneyard\n", "")

    assert [(fault.says, fault.should) for fault in faults(text)[:2]] == [
        ("boneyard: 0-0-1 1-2-4 0-0-2 0-1-3 1-3-4", "boneyard: nothing"),
        ("D opens with 4-4-4", "set aside: 0-0-1 1-2-4 0-0-2 0-1-3 1-3-4"),
    ]
