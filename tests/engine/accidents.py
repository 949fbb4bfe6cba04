"""What happens to a record on its way: small accidents, and what a reader must make of the rest."""

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


def edited(written: Sequence[str], rng: Random, edits: int) -> str:
    """The lines of a record after so many small accidents."""
    lines = list(written)
    for _ in range(edits):
        at = rng.randrange(len(lines))
        words = lines[at].split(" ")
        match rng.randrange(9):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, lines[rng.randrange(len(lines))])
            case 2:
                words[rng.randrange(len(words))] = rng.choice(WORDS)
                lines[at] = " ".join(words)
            case 3:
                del words[rng.randrange(len(words))]
                lines[at] = " ".join(words)
            case 4:
                words.insert(rng.randrange(len(words) + 1), rng.choice(WORDS))
                lines[at] = " ".join(words)
            case 5:
                cut = rng.randrange(len(lines[at]) + 1)
                lines[at] = lines[at][:cut] + chr(rng.randrange(32, 127)) + lines[at][cut + 1 :]
            case 6:
                other = rng.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
            case 7:
                digits = [place for place, sign in enumerate(lines[at]) if sign.isdigit()] or [0]
                cut = rng.choice(digits)
                lines[at] = lines[at][:cut] + str(rng.randrange(10)) + lines[at][cut + 1 :]
            case _:
                del lines[at:]
        lines = lines or [""]
    return "\n".join(lines)


def changed(before: str, pattern: str, to: str) -> tuple[str, int]:
    """Return a record with the first match of a pattern replaced, and the number of that line."""
    text, count = re.subn(pattern, to, before, count=1, flags=re.MULTILINE)
    assert count == 1
    both = zip(before.split("\n"), text.split("\n"), strict=False)
    return text, next(number for number, (old, new) in enumerate(both, 1) if old != new)


def faults(text: str) -> list[RecordFault]:
    return rerun(read(text, load_rules)).faults


def reading(text: str) -> Record | DamagedRecordError:
    """What a reader makes of it; anything but a record and its damage is a crash."""
    try:
        return read(text, load_rules)
    except DamagedRecordError as found:
        return found


def survives(text: str) -> None:
    """Claims that a text is read, or its damage named, and that what was read can be put before the referee."""
    read_as = reading(text)
    last = text.count("\n") + 1
    if isinstance(read_as, DamagedRecordError):
        assert 1 <= read_as.line <= last
        assert read_as.reason
        return
    checked = rerun(read_as)
    assert all(1 <= fault.line <= last + 1 for fault in checked.faults)
    assert checked.faults or checked.log == read_as.events
    assert rerun(read_as, read_as.plays // 2).plays <= read_as.plays // 2
