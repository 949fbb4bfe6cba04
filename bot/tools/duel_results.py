"""The results of a duel in a file: a line of JSON for every deal, so that a later run can continue.

    {"boneyard": "duel 1", "contest": {"game": "triominoes", ...}, "edition": "5d41402abc4b"}
    {"deal": 0, "totals": [[412, 300], [250, 405]], "ranks": [[1, 2], [2, 1]]}
    {"choices": 50, "times": [{"22": 31}, {"-3": 40}], "faults": [{}, {}]}

Each deal is written at once. The last line has times and faults since the previous line of its kind.
"""

import errno
import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, Self

from bot.tools.contest import Contest, Times, compute_edition, to_milliseconds
from bot.tools.position_reading import UnreadableError
from bot.tools.seating import PlayedDeal

FORMAT: Final = "duel 1"
SUMMARY_INTERVAL: Final = 100  # deals between two lines of times and faults
MAX_LINE_BYTES: Final = 100_000  # characters; limits the memory for a file


class DuelResults:
    def __init__(self, contest: Contest, file: Path | None = None) -> None:
        """Continue or begin the file. Raises UnreadableError if it is another contest's, no such file, or not
        writable.
        """
        self.contest = contest
        self.edition = compute_edition()
        self.deals: dict[int, PlayedDeal] = {}
        self.times: tuple[Times, ...] = tuple(Counter() for _ in contest.players)
        self.faults: tuple[Counter[str], ...] = tuple(Counter() for _ in contest.players)
        self._file = file
        self._pending: tuple[tuple[Times, ...], tuple[Counter[str], ...]] | None = None
        self._pending_deals = 0
        if file is None:
            return
        if is_begun(file):
            self._resume(file)
            _remove_partial_line(file)
        else:
            # Before anything is played, so that a concurrent run sees whose file it is.
            self._write_line({"boneyard": FORMAT, "contest": contest.to_dict(), "edition": self.edition})

    @classmethod
    def from_file(cls, file: Path) -> Self:
        """Read a file without writing. Raises UnreadableError, also if it has no deal."""
        found = cls(read_contest(file))
        found._resume(file)
        if not found.deals:
            raise UnreadableError(f"{file}: holds no deal yet")
        return found

    def add(self, played: PlayedDeal) -> None:
        self.deals[played.deal] = played
        self._write_line({"deal": played.deal, "totals": played.totals, "ranks": played.ranks})
        if self._pending is None:
            self._pending = tuple(Counter() for _ in self.times), tuple(Counter() for _ in self.faults)
        for now, since, found in zip(self.times, self._pending[0], played.times, strict=True):
            now.update(found)
            since.update(found)
        for totals, pending, faults in zip(self.faults, self._pending[1], played.faults, strict=True):
            totals.update(faults)
            pending.update(faults)
        self._pending_deals += 1
        if self._pending_deals >= SUMMARY_INTERVAL:
            self.write_summary()

    def write_summary(self) -> None:
        if self._pending is not None:
            times, faults = self._pending
            choices = sum(one.total() for one in times)
            self._write_line({"choices": choices, "times": list(map(dict, times)), "faults": list(map(dict, faults))})
        self._pending, self._pending_deals = None, 0

    def list_missing(self, deals: int) -> list[int]:
        return [deal for deal in range(deals) if deal not in self.deals]

    def _write_line(self, values: dict[str, Any]) -> None:
        if self._file is None:
            return
        line = json.dumps(values, separators=(",", ":")).encode() + b"\n"
        # One write, so that a line is complete unless the disk is full.
        try:
            target = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
            try:
                whole = os.write(target, line) == len(line)
            finally:
                os.close(target)
            if not whole:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            file, self._file = self._file, None  # nothing may follow a partial line
            raise UnreadableError(f"{file}: cannot be written: {error.strerror}") from error

    def _resume(self, file: Path) -> None:
        known = read_contest(file)
        if known != self.contest:
            other = next(name for name, value in known.to_dict().items() if value != self.contest.to_dict()[name])
            raise UnreadableError(
                f"{file}: holds another duel: {other} is {getattr(known, other)!r} there; name another file, or leave "
                "out all but --file to go on with that one"
            )
        first, *rest = _read_lines(file)
        try:
            self.edition = str(first["edition"])
            for values in rest:
                self._read_values(values)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise UnreadableError(f"{file}: is no file of results: {error}") from error

    def _read_values(self, values: dict[str, Any]) -> None:
        if "deal" in values:
            totals, ranks = _to_table(values["totals"]), _to_table(values["ranks"])
            seats = self.contest.seats
            if any(len(table) != seats or any(len(row) != seats for row in table) for table in (totals, ranks)):
                raise ValueError(f"deal {values['deal']} is not one of {seats} seats")
            for row in ranks:
                if not 1 == min(row) <= max(row) <= seats:
                    raise ValueError(f"the places {list(row)} are none")
            if (deal := int(values["deal"])) < 0:
                raise ValueError(f"there is no deal {deal}")
            self.deals[deal] = PlayedDeal(deal, totals, ranks)
            return
        for now, times in zip(self.times, values["times"], strict=True):
            now.update({int(one): int(count) for one, count in times.items()})
            list(map(to_milliseconds, now))  # reject a time out of range
        for faults, found in zip(self.faults, values["faults"], strict=True):
            faults.update({str(why): int(count) for why, count in found.items()})


def is_begun(file: Path) -> bool:
    return file.exists() and file.stat().st_size > 0


def read_contest(file: Path) -> Contest:
    """Return the contest of a file. Raises UnreadableError."""
    try:
        first = _read_lines(file)[0]
        if first["boneyard"] != FORMAT:
            raise UnreadableError(f"{file}: is of the format {first['boneyard']!r}; this is {FORMAT!r}")
        return Contest.from_dict(first["contest"])
    except (IndexError, KeyError, TypeError) as error:
        raise UnreadableError(f"{file}: is no file of results") from error


def _read_lines(file: Path) -> list[dict[str, Any]]:
    try:
        text = file.read_bytes()
        lines = text[: text.rfind(b"\n") + 1].splitlines()
        if any(len(line) > MAX_LINE_BYTES for line in lines):
            raise UnreadableError(f"{file}: a line is longer than {MAX_LINE_BYTES} bytes")
        found = [json.loads(line) for line in lines]
    except (OSError, ValueError, RecursionError) as error:
        raise UnreadableError(f"{file}: cannot be read: {error}") from error
    if not all(isinstance(values, dict) for values in found):
        raise UnreadableError(f"{file}: is no file of results")
    return found


def _remove_partial_line(file: Path) -> None:
    text = file.read_bytes()
    whole = text.rfind(b"\n") + 1
    if whole < len(text):
        os.truncate(file, whole)


def _to_table(rows: Iterable[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(map(int, row)) for row in rows)
