"""Records of the other games with something wrong in them: what cannot be read, and what the rules forbid."""

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.rulebook import rules
from engine.errors import Why
from engine.record import Fault, RecordDamaged, read, rerun
from tests.depth import deep
from tests.engine.accidents import edited, survives

GOLDEN = Path(__file__).parents[1] / "golden"
TEXTS = {
    name: (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
    for name in ("quad-ominos-zeros", "quad-ominos-chain", "star", "points", "points-boneyard", "trioker-joker")
}


def changed(name: str, old: str, new: str) -> tuple[str, int]:
    """The record with the first match of a pattern replaced, and the number of that line."""
    text, count = re.subn(old, new, TEXTS[name], count=1, flags=re.MULTILINE)
    assert count == 1
    both = zip(TEXTS[name].split("\n"), text.split("\n"), strict=False)
    return text, next(number for number, (before, after) in enumerate(both, 1) if before != after)


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
        (
            "trioker-joker",
            "^trioker_joker: on",
            "trioker_values: 9",
            "trioker_values must be from 4 to 6",
        ),
    ],
)
def test_a_line_that_cannot_be_read_is_named_with_the_reason(name: str, old: str, new: str, reason: str | None):
    text, line = changed(name, old, new)
    lines = TEXTS[name].split("\n")
    aside = next((words.split(": ")[1] for words in lines if words.startswith("set aside")), "")
    dealt = next(number for number, words in enumerate(lines, 1) if words.startswith("A is dealt"))

    with pytest.raises(RecordDamaged) as found:
        read(text, rules)

    assert found.value.line == line
    if reason is not None:
        assert found.value.reason == reason.format(aside=aside, a=dealt)


def faults(text: str) -> list[Fault]:
    return rerun(read(text, rules)).faults


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
        ("points", r"^(set aside: )\S+$", r"\g<1>{hand}"),
    ],
)
def test_a_wrong_word_or_number_is_named_with_the_right_line(name: str, old: str, new: str):
    if "{hand}" in new:
        # The tile set aside and one of a hand change places.
        aside = re.search(r"^set aside: (\S+)$", TEXTS[name], re.MULTILINE)
        hand = re.search(r"^A is dealt (\S+)", TEXTS[name], re.MULTILINE)
        assert aside
        assert hand
        text = TEXTS[name].replace(f"A is dealt {hand[1]}", f"A is dealt {aside[1]}")
        text = text.replace(f"set aside: {aside[1]}", f"set aside: {hand[1]}")
        line = next(number for number, words in enumerate(text.split("\n"), 1) if words.startswith("A is dealt"))
    else:
        text, line = changed(name, old, new)

    first = faults(text)[0]

    assert (first.line, first.should) == (line, TEXTS[name].split("\n")[line - 1])
    assert first.broken is None


@pytest.mark.parametrize(
    ("name", "old", "new", "why"),
    [
        ("quad-ominos-zeros", "^20 E chooses points: .*", "20 E passes: -20 -> 12", Why.MUST_CHOOSE),
        ("quad-ominos-zeros", "^20 E chooses points: .*", "20 F chooses points: +25 -> 40", Why.NOT_YOUR_TURN),
        ("quad-ominos-zeros", "^5 C plays .*", "5 C chooses points: +25 -> 25", Why.NOTHING_TO_CHOOSE),
        ("quad-ominos-zeros", "^3 B plays .*", "3 B passes: -20 -> 5", Why.MUST_PLAY),
        ("star", "^9 B chooses to stop.*", "9 B passes: +0 -> 50", Why.MUST_CHOOSE),
        ("star", "^9 B chooses to stop.*", "9 B chooses 2 tiles: +0 -> 50", Why.MUST_CHOOSE),
        ("star", "^10 A plays D0,-1=441", "10 A plays D0,-1=422", Why.SIDE_MISMATCH),
        ("star", "^2 B plays D0,0=134", "2 B plays U5,5=134", Why.NOT_NEXT_TO_LAST),
        ("points", "^1 (.) plays .*", r"1 \1 chooses to stop: +0 -> 0", Why.NOTHING_TO_CHOOSE),
    ],
)
def test_a_choice_or_play_against_the_rules_stops_there_with_the_reason(name: str, old: str, new: str, why: Why):
    text, line = changed(name, old, new)

    found = faults(text)

    assert [(fault.line, fault.broken.why) for fault in found if fault.broken] == [(line, why)]
    assert len(found) == 1


def test_a_bonus_that_nobody_asks_for_cannot_be_left_out_or_put_in():
    missing = re.sub(r"^2 B chooses .*\n", "", TEXTS["quad-ominos-zeros"], flags=re.MULTILINE)
    numbers = iter(range(1, 1000))
    missing = re.sub(r"^\d+(?= [A-F] )", lambda _: str(next(numbers)), missing, flags=re.MULTILINE)
    found = faults(missing)
    assert [(fault.says.split(":")[0], fault.should) for fault in found] == [
        ("2 B plays 1,0=0550 matching 2", "2 B chooses points and 2 tiles: +25 -> 25")
    ]

    put_in, line = changed("quad-ominos-zeros", "^20 E chooses points: .25", "20 E chooses points and 2 tiles: +25")
    assert [(fault.line, fault.should, fault.broken) for fault in faults(put_in)] == [(line, "", None)]


@pytest.mark.parametrize("name", TEXTS)
@settings(max_examples=deep(30))
@given(seed=st.integers(0, 2**32), edits=st.integers(1, 4))
def test_no_accident_crashes_a_record_of_any_game(name: str, seed: int, edits: int):
    survives(edited(TEXTS[name].split("\n"), Random(seed), edits))
