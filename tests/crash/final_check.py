"""The final check: compare log, heads, requests, outbox and channels, and list all faults."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import get_args

from data.store.connection.schema import to_mapping
from data.store.connection.store_errors import DamagedLog
from data.store.log.codec import to_event
from engine.match.events import Chose, Drew, Event, Passed, Placed
from engine.match.state import apply_event, create_match
from tests.bot.messages import SEQ_PATTERN
from tests.crash.delivered_messages import DeliveryLog, read_text
from tests.crash.legal_actions import ACTION_EVENTS, is_legal
from tests.crash.premove_checks import find_premove_numbers, iterate_stuck_premoves
from tests.crash.stored_rows import Row, StoredRows, is_overdue
from tests.crash.tournaments_and_deals import is_known_message
from tests.wording import has_sentence

BOARD_NONCE = re.compile(r"b[0-9a-f]{24}")
"""The nonces of boards. Every other message has an outbox item until a question is settled."""
POST_NONCE = re.compile(r"([0-9a-f]+)-([0-9a-f]+)-[0-9a-f]+-[0-9a-f]+")
"""The nonces of messages: match and seq of the action in hexadecimal, index, and the second the match opened."""
QUESTION_KINDS = ("choiceasked", "asked")  # The kinds of events that ask the players a question


@dataclass
class Verdict:
    """The faults by kind; a good run has none."""

    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)  # Actions that one request caused twice
    broken: list[str] = field(default_factory=list)
    """Logs with gaps or illegal actions."""
    missing: list[str] = field(default_factory=list)  # Announcements that were not delivered
    doubled: list[str] = field(default_factory=list)
    """Announcements that were posted twice, or without an event."""
    deadlines: list[str] = field(default_factory=list)
    """Lobbies that closed twice or never, waiting computers, and overdue or duplicate reminders and timeouts."""
    behind: list[str] = field(default_factory=list)  # Boards that do not show the head
    left: list[str] = field(default_factory=list)  # Old boards and old mentions that still look current
    silent: list[str] = field(default_factory=list)
    """Work that was due at the end of the last fault and was not done soon after."""
    matches: int = 0
    action_count: int = 0

    def collect_faults(self) -> dict[str, list[str]]:
        return {name: value for name, value in vars(self).items() if isinstance(value, list) and value}


def judge(
    stored: StoredRows,
    delivery_log: DeliveryLog,
    *,
    idle_at: int | None = None,
    grace: int = 0,
    silent: Sequence[str] = (),
) -> Verdict:
    verdict = Verdict(matches=len(stored.matches), silent=list(silent))
    logs = {match_id: list(_iterate_log(match_id, rows, verdict)) for match_id, rows in stored.events.items()}
    _check_heads(stored, verdict)
    _check_confirmations(stored, logs, delivery_log, verdict)
    _check_requests(stored, logs, delivery_log, verdict)
    verdict.lost += iterate_stuck_premoves(stored)
    _check_posts(stored, delivery_log, verdict)
    _check_deadlines(stored, verdict, idle_at, grace)
    _check_channels(stored, delivery_log, verdict)
    return verdict


def _iterate_log(match_id: int, rows: list[Row], verdict: Verdict) -> Iterator[tuple[int, Event]]:
    """Return the events of a log, each checked against the rules."""
    match = None
    for number, row in enumerate(rows, 1):
        if row["seq"] != number:
            verdict.broken.append(f"match {match_id}: event {number} is missing")
            return
        try:
            event = to_event(row["kind"], row["body"], match_id=match_id, seq=number)
        except DamagedLog:
            return  # the match is unreadable during play and is repaired before the end
        if not isinstance(event, get_args(Event)):
            continue
        if match is None:
            match = create_match(event)
            continue
        if isinstance(event, ACTION_EVENTS):
            verdict.action_count += 1
        if not is_legal(match, event):
            verdict.broken.append(f"match {match_id}: event {number} is not allowed there")
            return
        try:
            apply_event(match, event)
        except (ValueError, KeyError, IndexError) as error:
            verdict.broken.append(f"match {match_id}: event {number} cannot be replayed ({error!r})")
            return
        yield number, event


def _check_heads(stored: StoredRows, verdict: Verdict) -> None:
    for match_id, row in stored.matches.items():
        if row["seq"] != len(stored.events.get(match_id, ())):
            verdict.broken.append(f"match {match_id}: head {row['seq']}, {len(stored.events.get(match_id, ()))} events")


def _parse_confirmed_kind(text: str) -> type:
    if has_sentence(text.splitlines()[0], "hand.passed_drew"):
        return Passed
    word = re.findall(r"\w+", text)[1]
    return {"played": Placed, "opened": Placed, "drew": Drew, "passed": Passed}.get(word, Chose)


def _check_confirmations(
    stored: StoredRows, logs: dict[int, list[tuple[int, Event]]], delivery_log: DeliveryLog, verdict: Verdict
) -> None:
    claims: Counter[tuple[int, int, type]] = Counter()
    for confirmation in {one.interaction: one for one in delivery_log.confirmations}.values():
        row = stored.requests.get(confirmation.interaction)
        seats = {} if row is None else stored.seats[row["match_id"]]
        seat = next((seat for seat, user in seats.items() if user == confirmation.user), None)
        if row is None or seat is None:
            verdict.lost.append(f"interaction {confirmation.interaction}: {confirmation.text.splitlines()[0]}")
            continue
        claims[row["match_id"], seat, _parse_confirmed_kind(confirmation.text)] += 1
    for (match_id, seat, kind), count in claims.items():
        stored_count = sum(type(event) is kind and event.seat == seat for _, event in logs[match_id])  # type: ignore[union-attr]
        if stored_count < count:
            verdict.lost.append(
                f"match {match_id}, seat {seat}: told of {count} {kind.__name__}, {stored_count} are there"
            )


def _check_requests(
    stored: StoredRows, logs: dict[int, list[tuple[int, Event]]], delivery_log: DeliveryLog, verdict: Verdict
) -> None:
    """Check that each manual request caused exactly one action, and each premove at most one."""
    ends = defaultdict(set)
    for row in stored.requests.values():
        ends[row["match_id"]].add(row["seq"])
    for match_id, log in logs.items():
        premove_numbers = find_premove_numbers(stored, match_id, log, delivery_log.premoves)
        if not any(getattr(event, "by_hand", False) for event in _iterate_start_events(stored, match_id)):
            continue
        for number, event in log:
            # A request writes its own action first; follow-up events are no actions in such a match.
            if isinstance(event, ACTION_EVENTS) and number not in premove_numbers:
                next_end = min((end for end in ends[match_id] if end >= number), default=None)
                others = [
                    other
                    for other, one in log
                    if next_end is not None
                    and number < other <= next_end
                    and isinstance(one, ACTION_EVENTS)
                    and other not in premove_numbers
                ]
                if next_end is None or others:
                    verdict.twice.append(f"match {match_id}: nobody asked for event {number}")


def _iterate_start_events(stored: StoredRows, match_id: int) -> Iterator[Event]:
    for row in stored.events[match_id]:
        if row["kind"] == "started":
            with suppress(DamagedLog):
                event = to_event(row["kind"], row["body"], match_id=match_id, seq=row["seq"])
                assert isinstance(event, get_args(Event))
                yield event


def _check_posts(stored: StoredRows, delivery_log: DeliveryLog, verdict: Verdict) -> None:
    rows = {row["dedupe"]: row for row in stored.outbox}
    post_counts = Counter(delivery_log.posted_nonces)
    for nonce, count in post_counts.items():
        is_known = nonce in rows or BOARD_NONCE.fullmatch(nonce) or is_known_message(nonce, stored)
        if not is_known and not _was_settled(nonce, stored):
            verdict.doubled.append(f"message {nonce!r} is of nothing that happened")
        if count > 1:
            verdict.doubled.append(f"message {nonce} was posted {count} times")
    live_ids = {int(body["id"]) for body in delivery_log.list_live_messages()}
    for row in stored.outbox:
        if row["next_at"] is not None and row["match_id"] not in stored.quarantined:
            verdict.missing.append(f"{row['kind']} {row['dedupe']} still waits")
        elif row["kind"] in ("round", "end") and row["next_at"] is None and row["message_id"] not in live_ids:
            verdict.missing.append(f"{row['kind']} {row['dedupe']} stands nowhere")
    ends = Counter(row["match_id"] for row in stored.outbox if row["kind"] == "end")
    for match_id, match in stored.matches.items():
        if ends[match_id] != (match["state"] == "done"):
            verdict.missing.append(f"match {match_id} is {match['state']} and ends {ends[match_id]} times")


def _was_settled(nonce: str, stored: StoredRows) -> bool:
    """A settled question has no outbox item any more. Its nonce names the action."""
    nonce_match = POST_NONCE.fullmatch(nonce)
    if nonce_match is None:
        return False
    match_id, seq = int(nonce_match[1], 16), int(nonce_match[2], 16)
    question_rows = [row for row in stored.events.get(match_id, ()) if row["kind"] in QUESTION_KINDS]
    return any(seq - row["seq"] in range(3) for row in question_rows)


def _check_deadlines(stored: StoredRows, verdict: Verdict, idle_at: int | None, grace: int) -> None:
    for match_id, match in stored.matches.items():
        closed = [row for row in stored.events[match_id] if row["kind"] == "closed"]
        if len(closed) != (match["state"] == "void") and match_id not in stored.quarantined:
            verdict.deadlines.append(f"lobby {match_id} is {match['state']} and was closed {len(closed)} times")
        if match["state"] == "lobby" or match["due_kind"] == "computer":
            verdict.deadlines.append(f"match {match_id} waits for {match['due_kind']}")
        if idle_at is not None and is_overdue(match, idle_at, grace):
            verdict.deadlines.append(f"match {match_id}: {match['due_kind']} is {idle_at - match['due_at']} ms overdue")
        verdict.deadlines += [f"match {match_id}: {fault}" for fault in _iterate_timer_faults(stored.events[match_id])]


def _iterate_timer_faults(rows: list[Row]) -> Iterator[str]:
    """Check that a turn has one reminder and times out once, unless it gets more time."""
    counts: Counter[str] = Counter()
    for row in rows:
        if row["kind"] in ("reminded", "ranout"):
            counts[row["kind"]] += 1
            if counts[row["kind"]] > 1 + counts["rearmed"]:
                yield f"event {row['seq']}, {row['kind']}, comes again"
        elif row["kind"] == "rearmed":
            counts["rearmed"] += 1
        elif row["kind"] != "choiceasked":  # which is one action with the timeout
            counts.clear()


def _check_channels(stored: StoredRows, delivery_log: DeliveryLog, verdict: Verdict) -> None:
    """Check that boards show the head, and that no other message looks like a current board or mention."""
    live_messages = {int(body["id"]): body for body in delivery_log.list_live_messages()}
    boards = {row["board_message_id"] or -row["match_id"]: row for row in stored.matches.values()}
    for message, row in boards.items():
        if row["match_id"] in stored.quarantined:
            continue
        shown = SEQ_PATTERN.search(str(live_messages[message]["components"])) if message in live_messages else None
        # A closed lobby has no moves to count.
        is_current = message in live_messages if row["state"] == "void" else shown and int(shown[1]) == row["seq"]
        if row["shown_seq"] != row["seq"] or not is_current:
            verdict.behind.append(f"match {row['match_id']} is at {row['seq']}, its board at {shown and shown[1]}")
    matches = {row["dedupe"]: row["match_id"] for row in stored.outbox if row["kind"] in ("turn", "recall")}
    quarantined_posts = [
        row for row in stored.outbox if row["kind"] == "board" and row["match_id"] in stored.quarantined
    ]
    unrecorded_nonces = {to_mapping(row["body"])["nonce"] for row in quarantined_posts}
    mentions: dict[int, dict[str, int]] = defaultdict(dict)
    for message, body in live_messages.items():
        nonce = str(body.get("nonce", ""))
        if (
            BOARD_NONCE.fullmatch(nonce)
            and message not in boards
            and nonce not in unrecorded_nonces
            and not has_sentence(read_text(body), "board.moved_on")
        ):
            verdict.left.append(f"board {nonce} still looks like one")
        if nonce in matches:
            mentions[matches[nonce]] |= {f"{nonce} ({message})": int(one["id"]) for one in body["mentions"]}
    for match_id, row in stored.matches.items():
        mentioned = mentions[match_id]
        expected_user = row["turn_user"]
        if expected_user is not None and expected_user not in mentioned.values():
            verdict.missing.append(f"match {match_id}: nobody called {expected_user}")
        if len(mentioned) > (expected_user is not None):
            verdict.left.append(f"match {match_id}: {expected_user} is to be called, and there are {mentioned}")
