"""A record before the referee: every play decided again, and every line compared with what it should say."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from engine.match.actions import Action, Choose, Draw, Pass, Play, Resign, TakeBack
from engine.match.decide import decide, start
from engine.match.errors import RuleBroken
from engine.match.events import Chose, Dealt, Drew, Event, MatchEnded, Passed, Placed, Resigned, RoundEnded, Undone
from engine.match.rounds import match_ended
from engine.match.rules import Opening
from engine.match.shuffle import SECRET_BYTES, commitment
from engine.match.state import Match, evolve, started
from engine.record.reading import Plain, Record, RecordEntry
from engine.record.text import Line
from engine.record.writing import Scribe

NO_SECRET = bytes(SECRET_BYTES)
"""Orders the deals of a record that has no secret; what comes out is not looked at."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A line that is not as it should be."""

    line: int
    says: str
    should: str
    """What stands there in a right record; empty when the rules forbid the play, or nothing can stand there."""
    broken: RuleBroken | None = None
    """Why the rules forbid the play."""


@dataclass(slots=True)
class Rerun:
    """What came of it."""

    match: Match
    """As it stood after the last line that was taken."""
    log: list[Event]
    """What happened until then, with the right scores."""
    plays: int = 0
    """Numbered lines taken."""
    faults: list[Fault] = field(default_factory=list)
    proved: bool = False
    """Whether every deal is the shuffle of the secret behind the record's fingerprint, with what the seats added."""


def rerun(record: Record, plays: int | None = None) -> Rerun:
    """Re-run a record, all of it or up to that many numbered lines; then the end of a round still counts, but not the
    next deal.

    After a wrong number it goes on with the right one. It stops at the first line that cannot follow.
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
            # Where hands were dealt from no secret, the next deal is not for us to say.
            last = self.record.entries[-1].lines[-1].number
            coming = self.expected[0]
            should = f"round {coming.round}" if isinstance(coming, Dealt) else self.scribe.lines(coming)[0]
            result.faults.append(Fault(last + 1, "", should))
        return result

    def _take(self, entry: RecordEntry) -> bool:
        """Judge the next event. False when nothing can follow it."""
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
        """A table may end its match when somebody is gone: then the rules' own way to go on is not taken."""
        match = self.result.match
        coming = self.expected[0] if self.expected else None
        if isinstance(self.result.log[-1], Resigned) and not isinstance(coming, MatchEnded) and match.active:
            totals = [seat.total for seat in match.seats]
            self.expected = deque([match_ended(match, totals, match.active, self.secret)])

    def _ask(self, entry: RecordEntry) -> bool:
        """Let somebody act, which makes new events expected."""
        action = _action(entry.event)
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
        """A deal is right when the secret makes it; without a secret, when the hands are as large as they should be
        and the opener is the one that they name. The match goes on with the hands that the record has.
        """
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
        """Whether some line is wrong; each of them becomes a fault."""
        # Where no tile belongs set aside, a line that says some are stands for nothing. Where some do, and no line says
        # so, the one that stands there is wrong.
        due = [*right, *[""] * (len(entry.lines) - len(right))]
        wrong = [(line, should) for line, should in zip(entry.lines, due, strict=False) if line.text != should]
        for line, should in wrong:
            self._fault(line, should)
        return bool(wrong)

    def _fault(self, line: Line, should: str) -> None:
        self.result.faults.append(Fault(line.number, line.text, should))


def _action(event: Event) -> Action | None:
    """What somebody asked for when this happened; None for what follows by itself."""
    match event:
        case Placed():
            return Play(event.seat, event.tile, event.cell, event.rotation)
        case Chose(seat, option):
            return None if option == "both" else Choose(seat, option)
        case Drew(seat):
            return Draw(seat)
        case Passed(seat):
            return Pass(seat)
        case Resigned(seat):
            return Resign(seat)
        case Undone(seat, agreed):
            return TakeBack(seat, agreed)
        case _:
            return None


def _opening(dealt: Dealt, record: Record) -> Opening | None:
    """Who opens with these hands; None when nobody who could is named."""
    if record.header.rules.by_lot:
        # Found by lot: whoever the record says.
        hand = dealt.hands[dealt.opener]
        return Opening(dealt.opener, tuple(sorted(hand))) if hand else None
    return record.header.rules.opening(dealt.hands)


@dataclass(frozen=True, slots=True)
class Step:
    """One of them."""

    events: int
    """How many events of the log have happened by then."""
    round: int


def steps(log: Iterable[object]) -> tuple[Step, ...]:
    """The steps of a log, which may hold other events beside those of its match. Where they end, `rerun` of the record
    stops at that line of play.
    """
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
