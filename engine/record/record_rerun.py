"""Re-run a record: decide every move again, and compare every line with what it should say."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import chain, zip_longest

from engine.match.actions import to_action
from engine.match.decide import decide, start
from engine.match.errors import RuleError
from engine.match.events import Dealt, Event, MatchEnded, Resigned, RoundEnded
from engine.match.rounds import deal_in_order, end_match
from engine.match.rules import Opening
from engine.match.shuffle import SECRET_BYTES, compute_commitment
from engine.match.state import Match, apply_event, create_match
from engine.record.reading import NumberedEvent, Record, RecordEntry
from engine.record.text import Line
from engine.record.writing import RecordWriter

NO_SECRET = bytes(SECRET_BYTES)  # orders the deals of a record without a secret; they are not compared


@dataclass(frozen=True, slots=True)
class RecordFault:
    line: int
    actual: str
    expected: str  # the right line; empty if the rules forbid the move, or no line is possible
    rule_broken: RuleError | None = None  # why the rules forbid the move


@dataclass(slots=True)
class Rerun:
    match: Match  # after the last accepted line
    log: list[Event]  # accepted events, with the right scores
    plays: int = 0  # accepted numbered lines
    faults: list[RecordFault] = field(default_factory=list)
    is_proved: bool = False  # whether every deal is the shuffle of the record's secret and entropy


def rerun(record: Record, plays: int | None = None) -> Rerun:
    """Re-run a record, or its first `plays` numbered lines with the end of their round, but not the next deal. After a
    wrong number it continues with the right one. It stops at the first line that cannot follow.
    """
    return _RecordChecker(record).run(plays)


class _RecordChecker:
    def __init__(self, record: Record) -> None:
        self.record = record
        head = record.header
        self.secret = bytes.fromhex(head.secret) if head.secret else NO_SECRET
        self.has_secret = bool(head.secret)
        self.writer = RecordWriter(head.rules.list_head_starts(head.seats))
        self.result = Rerun(
            create_match(record.started_event),
            [record.started_event],
            is_proved=self.has_secret and bool(head.commitment),
        )
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
        if self.has_secret and head.commitment and compute_commitment(self.secret) != head.commitment:
            expected = f"commitment: {compute_commitment(self.secret)}"
            result.faults.append(RecordFault(self.record.commitment_line, f"commitment: {head.commitment}", expected))
            result.is_proved = False
        for count, entry in enumerate(self.record.entries):
            if plays == result.plays and (
                isinstance(entry.event, NumberedEvent) or (count and isinstance(entry.event, Dealt))
            ):
                return result
            if not self._check_entry(entry):
                result.is_proved = False
                return result
        if plays is None and self.expected:
            # Without a secret the next deal is unknown.
            last = self.record.entries[-1].lines[-1].number
            next_event = self.expected[0]
            expected = (
                f"round {next_event.round}"
                if isinstance(next_event, Dealt)
                else self.writer.format_event(next_event)[0]
            )
            result.faults.append(RecordFault(last + 1, "", expected))
        return result

    def _check_entry(self, entry: RecordEntry) -> bool:
        if isinstance(entry.event, MatchEnded):
            self._expect_early_end()
        if not self.expected and not self._decide_entry(entry):
            return False
        expected_event = self.expected.popleft()
        if type(expected_event) is not type(entry.event):
            self._add_fault(entry.lines[0], self.writer.format_event(expected_event)[0])
            return False
        if isinstance(expected_event, Dealt) and isinstance(entry.event, Dealt):
            return self._check_deal(entry, entry.event, expected_event)
        self._compare(entry, self.writer.format_event(expected_event))
        if isinstance(expected_event, MatchEnded):
            expected_event = replace(expected_event, secret=self.record.header.secret)
        self._apply(expected_event)
        self.result.plays += isinstance(expected_event, NumberedEvent)
        return True

    def _expect_early_end(self) -> None:
        """Expect the end of the match after a resignation: a table may end it although the rules would continue."""
        match = self.result.match
        next_event = self.expected[0] if self.expected else None
        if isinstance(self.result.log[-1], Resigned) and not isinstance(next_event, MatchEnded) and match.active:
            totals = [seat.total for seat in match.seats]
            self.expected = deque([end_match(match, totals, match.active, self.secret)])

    def _decide_entry(self, entry: RecordEntry) -> bool:
        action = to_action(entry.event)
        if action is None:
            self._add_fault(entry.lines[0], "")
            return False
        try:
            self.expected.extend(decide(self.result.match, action, self.secret))
        except RuleError as broken:
            line = entry.lines[0]
            self.result.faults.append(RecordFault(line.number, line.text, "", broken))
            return False
        return True

    def _check_deal(self, entry: RecordEntry, recorded: Dealt, expected: Dealt) -> bool:
        """Check a deal by its secret, or by hand sizes and opener; the match continues with the record's hands."""
        if not self.has_secret:
            expected = _deal_again(recorded, self.result.match)
        fits = [len(hand) for hand in recorded.hands] == [len(hand) for hand in expected.hands]
        if self.has_secret and self._compare(entry, self.writer.format_event(expected)):
            self.result.is_proved = False
        for line, recorded_hand, expected_hand in zip(entry.lines[1:], recorded.hands, expected.hands, strict=False):
            if not self.has_secret and len(recorded_hand) != len(expected_hand):
                self._add_fault(line, f"{line.text[0]} is dealt {len(expected_hand)} tiles")
        if not fits or (opening := _find_opening(recorded, self.record)) is None:
            return False
        dealt = replace(recorded, round=expected.round, opener=opening.seat, choices=opening.tiles)
        if not self.has_secret:
            self._compare(entry, self.writer.format_event(dealt))
        self._apply(dealt)
        return True

    def _apply(self, event: Event) -> None:
        apply_event(self.result.match, event)
        self.result.log.append(event)

    def _compare(self, entry: RecordEntry, expected: list[str]) -> bool:
        """Add a fault for each wrong line; return whether there is one."""
        # A superfluous line of tiles set aside should be empty; if it is missing, the line in its place is wrong.
        expected_lines = [*expected, *[""] * (len(entry.lines) - len(expected))]
        wrong = [(line, text) for line, text in zip(entry.lines, expected_lines, strict=False) if line.text != text]
        for line, should in wrong:
            self._add_fault(line, should)
        return bool(wrong)

    def _add_fault(self, line: Line, expected: str) -> None:
        self.result.faults.append(RecordFault(line.number, line.text, expected))


def _deal_again(recorded: Dealt, match: Match) -> Dealt:
    """Deal the recorded tiles again in their order, in which drawn tiles follow the dealt ones."""
    size = match.rules.compute_hand_size(len(match.active))
    hands = [recorded.hands[seat] for seat in match.active]
    drawn = zip_longest(*(hand[size:] for hand in hands))
    order = [
        *chain.from_iterable(hand[:size] for hand in hands),
        *(tile for tiles in drawn for tile in tiles if tile is not None),
        *recorded.boneyard,
        *recorded.aside,
    ]
    return deal_in_order(match.rules, match.active, len(match.seats), recorded.round, order, 0)


def _find_opening(dealt: Dealt, record: Record) -> Opening | None:
    if record.header.rules.has_random_opener:
        # The record says who opens by lot.
        hand = dealt.hands[dealt.opener]
        return Opening(dealt.opener, tuple(sorted(hand))) if hand else None
    return record.header.rules.find_opening(dealt.hands)


@dataclass(frozen=True, slots=True)
class Step:
    events: int  # number of events up to the step
    round: int


def list_steps(log: Iterable[object]) -> tuple[Step, ...]:
    """Return the steps of a log, which may have other events too. Each ends where `rerun` stops at that line."""
    found: list[Step] = []
    rounds = 0
    for count, event in enumerate(log, 1):
        if isinstance(event, Dealt):
            rounds += 1
            if not found:
                found.append(Step(count, rounds))
        elif isinstance(event, NumberedEvent):
            found.append(Step(count, rounds))
        elif isinstance(event, RoundEnded | MatchEnded):
            found[-1] = Step(count, rounds)
    return tuple(found)
