"""Random damage to records, and the required behaviour of the reader."""

import re
from collections.abc import Sequence
from random import Random

from data.rulebook import load_rules
from engine.record import DamagedRecordError, Record, RecordFault, read, rerun

WORDS = [
    *("A", "B", "C", "Z", "0", "-1", "+7", "999999999", "->", "=", ":", "\x00", "é", "²", "٣"),
    *("U0,0=555", "0,0=4455", "D0,0=BOSS", "0-1-2", "J-0-0", "target: 1", "deal: 1 1 1 1 1"),
    *("plays", "draws", "chooses", "points", "tiles", "passes", "resigns", "nothing", "round", "ends", "blocked"),
    *("match", "matching", "stop", "then"),
]


def apply_random_edits(record_lines: Sequence[str], rng: Random, edits: int) -> str:
    """Return the lines of a record after this many random edits."""
    lines = list(record_lines)
    for _ in range(edits):
        index = rng.randrange(len(lines))
        words = lines[index].split(" ")
        match rng.randrange(9):
            case 0:
                del lines[index]
            case 1:
                lines.insert(index, lines[rng.randrange(len(lines))])
            case 2:
                words[rng.randrange(len(words))] = rng.choice(WORDS)
                lines[index] = " ".join(words)
            case 3:
                del words[rng.randrange(len(words))]
                lines[index] = " ".join(words)
            case 4:
                words.insert(rng.randrange(len(words) + 1), rng.choice(WORDS))
                lines[index] = " ".join(words)
            case 5:
                cut = rng.randrange(len(lines[index]) + 1)
                lines[index] = lines[index][:cut] + chr(rng.randrange(32, 127)) + lines[index][cut + 1 :]
            case 6:
                other = rng.randrange(len(lines))
                lines[index], lines[other] = lines[other], lines[index]
            case 7:
                digits = [place for place, sign in enumerate(lines[index]) if sign.isdigit()] or [0]
                cut = rng.choice(digits)
                lines[index] = lines[index][:cut] + str(rng.randrange(10)) + lines[index][cut + 1 :]
            case _:
                del lines[index:]
        lines = lines or [""]
    return "\n".join(lines)


def replace_first_match(before: str, pattern: str, replacement: str) -> tuple[str, int]:
    """Return a record with the first match of a pattern replaced, and the number of that line."""
    text, count = re.subn(pattern, replacement, before, count=1, flags=re.MULTILINE)
    assert count == 1
    line_pairs = zip(before.split("\n"), text.split("\n"), strict=False)
    return text, next(number for number, (old, new) in enumerate(line_pairs, 1) if old != new)


def list_faults(text: str) -> list[RecordFault]:
    return rerun(read(text, load_rules)).faults


def read_record(text: str) -> Record | DamagedRecordError:
    """Read a damaged record. Return the record, or the error that describes the damage."""
    try:
        return read(text, load_rules)
    except DamagedRecordError as found:
        return found


def assert_read_or_damaged(text: str) -> None:
    """Assert that a text is read or its damage is reported, and that a record that was read can be re-run."""
    result = read_record(text)
    last = text.count("\n") + 1
    if isinstance(result, DamagedRecordError):
        assert 1 <= result.line <= last
        assert result.reason
        return
    checked = rerun(result)
    assert all(1 <= fault.line <= last + 1 for fault in checked.faults)
    assert checked.faults or checked.log == result.events
    assert rerun(result, result.plays // 2).plays <= result.plays // 2
