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

from bot.tools.contest import Contest, Times, edition, milliseconds
from bot.tools.position_reading import Unreadable
from bot.tools.seating import DealPlayed

FORMAT: Final = "duel 1"
SUM_UP: Final = 100  # deals between two lines of times and faults
MOST_LINE: Final = 100_000  # characters; limits the memory for a file


class Results:
    def __init__(self, contest: Contest, file: Path | None = None) -> None:
        """Continue or begin the file. Raises Unreadable if it is another contest's, no such file, or not writable."""
        self.contest = contest
        self.edition = edition()
        self.deals: dict[int, DealPlayed] = {}
        self.times: tuple[Times, ...] = tuple(Counter() for _ in contest.players)
        self.faults: tuple[Counter[str], ...] = tuple(Counter() for _ in contest.players)
        self._file = file
        self._since: tuple[tuple[Times, ...], tuple[Counter[str], ...]] | None = None
        self._unsaid = 0
        if file is None:
            return
        if is_begun(file):
            self._resume(file)
            _remove_partial_line(file)
        else:
            # Before anything is played, so that a concurrent run sees whose file it is.
            self._write({"boneyard": FORMAT, "contest": contest.told(), "edition": self.edition})

    @classmethod
    def of(cls, file: Path) -> Self:
        """Read a file without writing. Raises Unreadable, also if it has no deal."""
        found = cls(contest_of(file))
        found._resume(file)
        if not found.deals:
            raise Unreadable(f"{file}: holds no deal yet")
        return found

    def add(self, played: DealPlayed) -> None:
        self.deals[played.deal] = played
        self._write({"deal": played.deal, "totals": played.totals, "ranks": played.ranks})
        if self._since is None:
            self._since = tuple(Counter() for _ in self.times), tuple(Counter() for _ in self.faults)
        for now, since, found in zip(self.times, self._since[0], played.times, strict=True):
            now.update(found)
            since.update(found)
        for told, lately, faulty in zip(self.faults, self._since[1], played.faults, strict=True):
            told.update(faulty)
            lately.update(faulty)
        self._unsaid += 1
        if self._unsaid >= SUM_UP:
            self.sum_up()

    def sum_up(self) -> None:
        if self._since is not None:
            times, faults = self._since
            choices = sum(one.total() for one in times)
            self._write({"choices": choices, "times": list(map(dict, times)), "faults": list(map(dict, faults))})
        self._since, self._unsaid = None, 0

    def missing(self, deals: int) -> list[int]:
        return [deal for deal in range(deals) if deal not in self.deals]

    def _write(self, told: dict[str, Any]) -> None:
        if self._file is None:
            return
        line = json.dumps(told, separators=(",", ":")).encode() + b"\n"
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
            raise Unreadable(f"{file}: cannot be written: {error.strerror}") from error

    def _resume(self, file: Path) -> None:
        known = contest_of(file)
        if known != self.contest:
            other = next(name for name, value in known.told().items() if value != self.contest.told()[name])
            raise Unreadable(
                f"{file}: holds another duel: {other} is {getattr(known, other)!r} there; name another file, or leave "
                "out all but --file to go on with that one"
            )
        first, *rest = _lines(file)
        try:
            self.edition = str(first["edition"])
            for told in rest:
                self._read(told)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise Unreadable(f"{file}: is no file of results: {error}") from error

    def _read(self, told: dict[str, Any]) -> None:
        if "deal" in told:
            totals, ranks = _table(told["totals"]), _table(told["ranks"])
            seats = self.contest.seats
            if any(len(table) != seats or any(len(row) != seats for row in table) for table in (totals, ranks)):
                raise ValueError(f"deal {told['deal']} is not one of {seats} seats")
            for row in ranks:
                if not 1 == min(row) <= max(row) <= seats:
                    raise ValueError(f"the places {list(row)} are none")
            if (deal := int(told["deal"])) < 0:
                raise ValueError(f"there is no deal {deal}")
            self.deals[deal] = DealPlayed(deal, totals, ranks)
            return
        for now, times in zip(self.times, told["times"], strict=True):
            now.update({int(one): int(count) for one, count in times.items()})
            list(map(milliseconds, now))  # reject a time out of range
        for faults, found in zip(self.faults, told["faults"], strict=True):
            faults.update({str(why): int(count) for why, count in found.items()})


def is_begun(file: Path) -> bool:
    return file.exists() and file.stat().st_size > 0


def contest_of(file: Path) -> Contest:
    """Return the contest of a file. Raises Unreadable."""
    try:
        first = _lines(file)[0]
        if first["boneyard"] != FORMAT:
            raise Unreadable(f"{file}: is of the format {first['boneyard']!r}; this is {FORMAT!r}")
        return Contest.of(first["contest"])
    except (IndexError, KeyError, TypeError) as error:
        raise Unreadable(f"{file}: is no file of results") from error


def _lines(file: Path) -> list[dict[str, Any]]:
    try:
        text = file.read_bytes()
        lines = text[: text.rfind(b"\n") + 1].splitlines()
        if any(len(line) > MOST_LINE for line in lines):
            raise Unreadable(f"{file}: a line is longer than {MOST_LINE} bytes")
        found = [json.loads(line) for line in lines]
    except (OSError, ValueError, RecursionError) as error:
        raise Unreadable(f"{file}: cannot be read: {error}") from error
    if not all(isinstance(told, dict) for told in found):
        raise Unreadable(f"{file}: is no file of results")
    return found


def _remove_partial_line(file: Path) -> None:
    text = file.read_bytes()
    whole = text.rfind(b"\n") + 1
    if whole < len(text):
        os.truncate(file, whole)


def _table(rows: Iterable[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(map(int, row)) for row in rows)
