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
from tests.bot.messages import STATE
from tests.crash.delivered_messages import DeliveryLog, words_of
from tests.crash.legal_actions import ACTS, lawful
from tests.crash.premove_checks import decided_ahead, forgotten
from tests.crash.stored_rows import Row, StoredRows, overdue
from tests.crash.tournaments_and_deals import told_of
from tests.wording import says

BOARD = re.compile(r"b[0-9a-f]{24}")
"""The nonces of boards. Every other message has an outbox item until a question is settled."""
POST = re.compile(r"([0-9a-f]+)-([0-9a-f]+)-[0-9a-f]+-[0-9a-f]+")
"""The nonces of messages: match and seq of the action in hexadecimal, index, and the second the match opened."""
ASKING = ("choiceasked", "asked")  # The kinds of events that ask the players a question


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
    acts: int = 0
    expired: int = 0
    ahead: int = 0  # Tiles that were placed as premoves
    fired: int = 0  # Reminders, and turns that timed out

    def faults(self) -> dict[str, list[str]]:
        return {name: value for name, value in vars(self).items() if isinstance(value, list) and value}


def judge(
    found: StoredRows, ledger: DeliveryLog, *, rested: int | None = None, grace: int = 0, silent: Sequence[str] = ()
) -> Verdict:
    verdict = Verdict(matches=len(found.matches), silent=list(silent))
    logs = {match_id: list(_log(match_id, rows, verdict)) for match_id, rows in found.events.items()}
    _check_heads(found, verdict)
    _check_told(found, logs, ledger, verdict)
    _check_requests(found, logs, ledger, verdict)
    verdict.lost += forgotten(found)
    _check_posts(found, ledger, verdict)
    _check_deadlines(found, verdict, rested, grace)
    _check_channels(found, ledger, verdict)
    return verdict


def _log(match_id: int, rows: list[Row], verdict: Verdict) -> Iterator[tuple[int, Event]]:
    """Return the events of a log, each checked against the rules."""
    match = None
    for number, row in enumerate(rows, 1):
        if row["seq"] != number:
            verdict.broken.append(f"match {match_id}: event {number} is missing")
            return
        try:
            event = to_event(row["kind"], row["body"], match_id=match_id, seq=number)
        except DamagedLog:
            return  # during play; it is repaired before the end
        if not isinstance(event, get_args(Event)):
            continue
        if match is None:
            match = create_match(event)
            continue
        if isinstance(event, ACTS):
            verdict.acts += 1
        if not lawful(match, event):
            verdict.broken.append(f"match {match_id}: event {number} is not allowed there")
            return
        try:
            apply_event(match, event)
        except (ValueError, KeyError, IndexError) as error:
            verdict.broken.append(f"match {match_id}: event {number} cannot be replayed ({error!r})")
            return
        yield number, event


def _check_heads(found: StoredRows, verdict: Verdict) -> None:
    for match_id, row in found.matches.items():
        if row["seq"] != len(found.events.get(match_id, ())):
            verdict.broken.append(f"match {match_id}: head {row['seq']}, {len(found.events.get(match_id, ()))} events")


def _told_kind(text: str) -> type:
    word = re.findall(r"\w+", text)[1]
    return {"played": Placed, "opened": Placed, "drew": Drew, "passed": Passed}.get(word, Chose)


def _check_told(
    found: StoredRows, logs: dict[int, list[tuple[int, Event]]], ledger: DeliveryLog, verdict: Verdict
) -> None:
    claims: Counter[tuple[int, int, type]] = Counter()
    for told in {one.interaction: one for one in ledger.told}.values():
        row = found.requests.get(told.interaction)
        seats = {} if row is None else found.seats[row["match_id"]]
        seat = next((seat for seat, user in seats.items() if user == told.user), None)
        if row is None or seat is None:
            verdict.lost.append(f"interaction {told.interaction}: {told.text.splitlines()[0]}")
            continue
        claims[row["match_id"], seat, _told_kind(told.text)] += 1
    for (match_id, seat, kind), count in claims.items():
        kept = sum(type(event) is kind and event.seat == seat for _, event in logs[match_id])  # type: ignore[union-attr]
        if kept < count:
            verdict.lost.append(f"match {match_id}, seat {seat}: told of {count} {kind.__name__}, {kept} are there")


def _check_requests(
    found: StoredRows, logs: dict[int, list[tuple[int, Event]]], ledger: DeliveryLog, verdict: Verdict
) -> None:
    """Check that each manual request caused exactly one action, and each premove at most one."""
    ends = defaultdict(set)
    for row in found.requests.values():
        ends[row["match_id"]].add(row["seq"])
    for match_id, log in logs.items():
        ahead = decided_ahead(found, match_id, log, ledger.ahead)
        verdict.ahead += len(ahead)
        if not any(getattr(event, "by_hand", False) for event in _first(found, match_id)):
            continue
        for number, event in log:
            # A request writes its own action first; follow-up events are no actions in such a match.
            if isinstance(event, ACTS) and number not in ahead:
                following = min((end for end in ends[match_id] if end >= number), default=None)
                others = [
                    other
                    for other, one in log
                    if following is not None
                    and number < other <= following
                    and isinstance(one, ACTS)
                    and other not in ahead
                ]
                if following is None or others:
                    verdict.twice.append(f"match {match_id}: nobody asked for event {number}")


def _first(found: StoredRows, match_id: int) -> Iterator[Event]:
    for row in found.events[match_id]:
        if row["kind"] == "started":
            with suppress(DamagedLog):
                event = to_event(row["kind"], row["body"], match_id=match_id, seq=row["seq"])
                assert isinstance(event, get_args(Event))
                yield event


def _check_posts(found: StoredRows, ledger: DeliveryLog, verdict: Verdict) -> None:
    rows = {row["dedupe"]: row for row in found.outbox}
    posted = Counter(post.nonce for post in ledger.posted)
    for nonce, count in posted.items():
        known = nonce in rows or BOARD.fullmatch(nonce) or told_of(nonce, found)
        if not known and not _was_settled(nonce, found):
            verdict.doubled.append(f"message {nonce!r} is of nothing that happened")
        if count > 1:
            verdict.doubled.append(f"message {nonce} was posted {count} times")
    alive = {int(body["id"]) for body in ledger.alive()}
    for row in found.outbox:
        if row["next_at"] is not None and row["match_id"] not in found.quarantined:
            verdict.missing.append(f"{row['kind']} {row['dedupe']} still waits")
        elif row["kind"] in ("round", "end") and row["next_at"] is None and row["message_id"] not in alive:
            verdict.missing.append(f"{row['kind']} {row['dedupe']} stands nowhere")
    ends = Counter(row["match_id"] for row in found.outbox if row["kind"] == "end")
    for match_id, match in found.matches.items():
        if ends[match_id] != (match["state"] == "done"):
            verdict.missing.append(f"match {match_id} is {match['state']} and ends {ends[match_id]} times")


def _was_settled(nonce: str, found: StoredRows) -> bool:
    """A settled question has no outbox item any more. Its nonce names the action."""
    named = POST.fullmatch(nonce)
    if named is None:
        return False
    match_id, seq = int(named[1], 16), int(named[2], 16)
    asking = [row for row in found.events.get(match_id, ()) if row["kind"] in ASKING]
    return any(seq - row["seq"] in range(3) for row in asking)


def _check_deadlines(found: StoredRows, verdict: Verdict, rested: int | None, grace: int) -> None:
    for match_id, match in found.matches.items():
        closed = [row for row in found.events[match_id] if row["kind"] == "closed"]
        verdict.expired += len(closed)
        if len(closed) != (match["state"] == "void") and match_id not in found.quarantined:
            verdict.deadlines.append(f"lobby {match_id} is {match['state']} and was closed {len(closed)} times")
        if match["state"] == "lobby" or match["due_kind"] == "computer":
            verdict.deadlines.append(f"match {match_id} waits for {match['due_kind']}")
        if rested is not None and overdue(match, rested, grace):
            verdict.deadlines.append(f"match {match_id}: {match['due_kind']} is {rested - match['due_at']} ms overdue")
        verdict.deadlines += [f"match {match_id}: {what}" for what in _fired_twice(found.events[match_id], verdict)]


def _fired_twice(rows: list[Row], verdict: Verdict) -> Iterator[str]:
    """Check that a turn has one reminder and times out once, unless it gets more time."""
    since: Counter[str] = Counter()
    for row in rows:
        if row["kind"] in ("reminded", "ranout"):
            since[row["kind"]] += 1
            verdict.fired += 1
            if since[row["kind"]] > 1 + since["rearmed"]:
                yield f"event {row['seq']}, {row['kind']}, comes again"
        elif row["kind"] == "rearmed":
            since["rearmed"] += 1
        elif row["kind"] != "choiceasked":  # which is one action with the timeout
            since.clear()


def _check_channels(found: StoredRows, ledger: DeliveryLog, verdict: Verdict) -> None:
    """Check that boards show the head, and that no other message looks like a current board or mention."""
    alive = {int(body["id"]): body for body in ledger.alive()}
    boards = {row["board_message_id"] or -row["match_id"]: row for row in found.matches.values()}
    for message, row in boards.items():
        if row["match_id"] in found.quarantined:
            continue
        shown = STATE.search(str(alive[message]["components"])) if message in alive else None
        # A closed lobby has no moves to count.
        good = message in alive if row["state"] == "void" else shown and int(shown[1]) == row["seq"]
        if row["shown_seq"] != row["seq"] or not good:
            verdict.behind.append(f"match {row['match_id']} is at {row['seq']}, its board at {shown and shown[1]}")
    matches = {row["dedupe"]: row["match_id"] for row in found.outbox if row["kind"] in ("turn", "recall")}
    aside = [row for row in found.outbox if row["kind"] == "board" and row["match_id"] in found.quarantined]
    unnoted = {to_mapping(row["body"])["nonce"] for row in aside}
    calls: dict[int, dict[str, int]] = defaultdict(dict)
    for message, body in alive.items():
        nonce = str(body.get("nonce", ""))
        if (
            BOARD.fullmatch(nonce)
            and message not in boards
            and nonce not in unnoted
            and not says(words_of(body), "board.moved_on")
        ):
            verdict.left.append(f"board {nonce} still looks like one")
        if nonce in matches:
            calls[matches[nonce]] |= {f"{nonce} ({message})": int(one["id"]) for one in body["mentions"]}
    for match_id, row in found.matches.items():
        called = calls[match_id]
        wanted = row["turn_user"]
        if wanted is not None and wanted not in called.values():
            verdict.missing.append(f"match {match_id}: nobody called {wanted}")
        if len(called) > (wanted is not None):
            verdict.left.append(f"match {match_id}: {wanted} is to be called, and there are {called}")
