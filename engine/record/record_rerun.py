"""Re-run a record: decide every move again, and compare every line with what it should say."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from engine.match.actions import action_of
from engine.match.decide import decide, start
from engine.match.errors import RuleBroken
from engine.match.events import Dealt, Event, MatchEnded, Resigned, RoundEnded
from engine.match.rounds import match_ended
from engine.match.rules import Opening
from engine.match.shuffle import SECRET_BYTES, commitment
from engine.match.state import Match, evolve, started
from engine.record.reading import Plain, Record, RecordEntry
from engine.record.text import Line
from engine.record.writing import Scribe

NO_SECRET = bytes(SECRET_BYTES)  # orders the deals of a record without a secret; they are not compared


@dataclass(frozen=True, slots=True)
class Fault:
    """A wrong line of a record."""

    line: int
    says: str
    should: str  # the right line; empty if the rules forbid the move, or no line is possible
    broken: RuleBroken | None = None  # why the rules forbid the move


@dataclass(slots=True)
class Rerun:
    """The result of a re-run."""

    match: Match  # after the last accepted line
    log: list[Event]  # accepted events, with the right scores
    plays: int = 0  # accepted numbered lines
    faults: list[Fault] = field(default_factory=list)
    proved: bool = False  # whether every deal is the shuffle of the record's secret and entropy


def rerun(record: Record, plays: int | None = None) -> Rerun:
    """Re-run a record, or its first `plays` numbered lines with the end of their round, but not the next deal. After a
    wrong number it continues with the right one. It stops at the first line that cannot follow.
    """
    return _Referee(record).run(plays)


class _Referee:
    def __init__(self, record: Record) -> None:
        self.record = record
        head = record.header
        self.secret = bytes.fromhex(head.secret) if head.secret else NO_SECRET
        self.proof = bool(head.secret)
        self.scribe = Scribe(head.seats)
        self.result = Rerun(started(record.started), [record.started], proved=self.proof and bool(head.commitment))
        self.expected: deque[Event] = deque(
            start(
                head.rules,
                seats=head.seats,
                computers=head.computers,
                by_hand=head.by_hand,
                secret=self.secret,
                contributions=head.contributions,
            )[1:]
        )

    def run(self, plays: int | None) -> Rerun:
        result, head = self.result, self.record.header
        if self.proof and head.commitment and commitment(self.secret) != head.commitment:
            should = f"commitment: {commitment(self.secret)}"
            result.faults.append(Fault(self.record.commitment_line, f"commitment: {head.commitment}", should))
            result.proved = False
        for count, entry in enumerate(self.record.entries):
            if plays == result.plays and (isinstance(entry.event, Plain) or (count and isinstance(entry.event, Dealt))):
                return result
            if not self._take(entry):
                result.proved = False
                return result
        if plays is None and self.expected:
            # Without a secret the next deal is unknown.
            last = self.record.entries[-1].lines[-1].number
            coming = self.expected[0]
            should = f"round {coming.round}" if isinstance(coming, Dealt) else self.scribe.lines(coming)[0]
            result.faults.append(Fault(last + 1, "", should))
        return result

    def _take(self, entry: RecordEntry) -> bool:
        if isinstance(entry.event, MatchEnded):
            self._end_without()
        if not self.expected and not self._ask(entry):
            return False
        right = self.expected.popleft()
        if type(right) is not type(entry.event):
            self._fault(entry.lines[0], self.scribe.lines(right)[0])
            return False
        if isinstance(right, Dealt) and isinstance(entry.event, Dealt):
            return self._deal(entry, entry.event, right)
        self._compare(entry, self.scribe.lines(right))
        if isinstance(right, MatchEnded):
            right = replace(right, secret=self.record.header.secret)
        self._fold(right)
        self.result.plays += isinstance(right, Plain)
        return True

    def _end_without(self) -> None:
        """Expect the end of the match after a resignation: a table may end it although the rules would continue."""
        match = self.result.match
        coming = self.expected[0] if self.expected else None
        if isinstance(self.result.log[-1], Resigned) and not isinstance(coming, MatchEnded) and match.active:
            totals = [seat.total for seat in match.seats]
            self.expected = deque([match_ended(match, totals, match.active, self.secret)])

    def _ask(self, entry: RecordEntry) -> bool:
        action = action_of(entry.event)
        if action is None:
            self._fault(entry.lines[0], "")
            return False
        try:
            self.expected.extend(decide(self.result.match, action, self.secret))
        except RuleBroken as broken:
            line = entry.lines[0]
            self.result.faults.append(Fault(line.number, line.text, "", broken))
            return False
        return True

    def _deal(self, entry: RecordEntry, told: Dealt, right: Dealt) -> bool:
        """Check a deal by its secret, or by hand sizes and opener; the match continues with the record's hands."""
        fits = [len(hand) for hand in told.hands] == [len(hand) for hand in right.hands]
        if self.proof and self._compare(entry, self.scribe.lines(right)):
            self.result.proved = False
        for line, mine, due in zip(entry.lines[1:], told.hands, right.hands, strict=False):
            if not self.proof and len(mine) != len(due):
                self._fault(line, f"{line.text[0]} is dealt {len(due)} tiles")
        if not fits or (opens := _opening(told, self.record)) is None:
            return False
        dealt = replace(told, round=right.round, opener=opens.seat, choices=opens.tiles, aside=told.aside)
        if not self.proof:
            self._compare(entry, self.scribe.lines(dealt))
        self._fold(dealt)
        return True

    def _fold(self, event: Event) -> None:
        evolve(self.result.match, event)
        self.result.log.append(event)

    def _compare(self, entry: RecordEntry, right: list[str]) -> bool:
        """Add a fault for each wrong line; return whether there is one."""
        # A superfluous line of tiles set aside should be empty; if it is missing, the line in its place is wrong.
        due = [*right, *[""] * (len(entry.lines) - len(right))]
        wrong = [(line, should) for line, should in zip(entry.lines, due, strict=False) if line.text != should]
        for line, should in wrong:
            self._fault(line, should)
        return bool(wrong)

    def _fault(self, line: Line, should: str) -> None:
        self.result.faults.append(Fault(line.number, line.text, should))


def _opening(dealt: Dealt, record: Record) -> Opening | None:
    if record.header.rules.by_lot:
        # The record says who opens by lot.
        hand = dealt.hands[dealt.opener]
        return Opening(dealt.opener, tuple(sorted(hand))) if hand else None
    return record.header.rules.opening(dealt.hands)


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a replayed record."""

    events: int  # number of events up to the step
    round: int


def steps(log: Iterable[object]) -> tuple[Step, ...]:
    """Return the steps of a log, which may have other events too. Each ends where `rerun` stops at that line."""
    found: list[Step] = []
    rounds = 0
    for count, event in enumerate(log, 1):
        if isinstance(event, Dealt):
            rounds += 1
            if not found:
                found.append(Step(count, rounds))
        elif isinstance(event, Plain):
            found.append(Step(count, rounds))
        elif isinstance(event, RoundEnded | MatchEnded):
            found[-1] = Step(count, rounds)
    return tuple(found)
