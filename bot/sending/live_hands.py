"""Private messages with players' hands. A player's newest message at a table shows their next hand when their turn
comes, says when the match is over, and never offers an outdated move.

A private message can be edited while the token of its interaction lives: fifteen minutes. Tokens are secrets, so they
are kept in memory only. After a restart or expiry, *My hand* creates a new message.

`PrivateAnswerTracker` deletes a private answer when the next one of its kind comes.
"""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import discord
from structlog.contextvars import bound_contextvars

from bot.core.discord_errors import REQUEST_ERRORS, format_error_code
from bot.core.languages import Languages
from bot.core.logs import get_logger
from bot.tables.messages import Content
from bot.tables.service import Table, TableCache
from data.words import Words
from engine.table.table_state import Premove, find_drop_reason

log = get_logger(__name__)

TRACKED_MS: Final = 14 * 60_000  # ms for which a message is tracked; the token lives a minute longer
MAX_TRACKED: Final = 5_000  # newest messages that are tracked
ANSWER_KINDS: Final = {
    **dict.fromkeys(("play", "draw", "pass", "choose", "undo"), "act"),
    **{look: look for look in ("board", "scores", "rules", "print")},
}
"""Answers of one kind replace each other, by verb; others stay, such as files."""

EXTRA_SUFFIX: Final = " beside"  # suffix of the kind of an answer that does not replace the hand
AnswerKey = tuple[int, int, str]  # user, table, kind


class PrivateAnswer(NamedTuple):
    """A private message, and the webhook that deletes it."""

    message_id: int
    webhook: discord.Webhook
    until: int  # UTC epoch ms


class PrivateAnswerTracker:
    """Tracks private answers and deletes the replaced ones."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._answers: OrderedDict[AnswerKey, PrivateAnswer] = OrderedDict()  # oldest first
        self._keys: dict[int, AnswerKey] = {}  # by message

    def __len__(self) -> int:
        return len(self._answers)

    async def track(
        self,
        user_id: int,
        match_id: int,
        verb: str,
        message_id: int,
        webhook: discord.Webhook,
        *,
        is_extra: bool = False,
    ) -> None:
        """Track an answer and delete the previous one of its kind; one `is_extra` replaces only another one
        `is_extra`.
        """
        kind, now = ANSWER_KINDS.get(verb), self._now()
        if kind is None:
            return
        keys = [(user_id, match_id, one) for one in (kind, f"{kind}{EXTRA_SUFFIX}")]
        replaced = [self._pop(key) for key in (keys[1:] if is_extra else keys)]
        key = keys[is_extra]
        self._answers[key], self._keys[message_id] = PrivateAnswer(message_id, webhook, now + TRACKED_MS), key
        while len(self._answers) > MAX_TRACKED or next(iter(self._answers.values())).until <= now:
            self._pop(next(iter(self._answers)))
        for before in replaced:
            if before is not None and before.until > now and before.message_id != message_id:
                await _delete_answer(before)

    def untrack(self, user_id: int, message_id: int) -> None:
        key = self._keys.get(message_id)
        if key is not None and key[0] == user_id:
            self._pop(key)

    def forget(self, user_id: int) -> None:
        for key in [key for key in self._answers if key[0] == user_id]:
            self._pop(key)

    def _pop(self, key: AnswerKey) -> PrivateAnswer | None:
        answer = self._answers.pop(key, None)
        if answer is not None:
            self._keys.pop(answer.message_id, None)
        return answer


async def _delete_answer(answer: PrivateAnswer) -> None:
    try:
        await answer.webhook.delete_message(answer.message_id)
    except REQUEST_ERRORS as error:
        log.info("an older answer was gone already", code=format_error_code(error))


TYPING_MS: Final = 60_000  # ms without pictures for a user who is typing a move
TURN: Final = "turn"
WAIT: Final = "wait"
PREMOVE_RESULT: Final = "told"  # waiting, with the outcome of a premove
OVER: Final = "over"
CLOSED: Final = "closed"
OUT: Final = "out"
FINAL_STATES: Final = (OVER, CLOSED, OUT)  # nothing follows these


@dataclass(slots=True, eq=False)
class LiveHand:
    """A private message that shows a table to a user, and what it shows."""

    webhook: discord.Webhook = field(repr=False)  # edits the message; contains the token
    message_id: int
    until: int  # UTC epoch ms
    words: Words
    is_text: bool  # whether it shows the table in words instead of the hand
    is_direct: bool
    shown_state: str
    seq: int  # the event up to which it shows the table
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


Key = tuple[int, bool]  # table, and whether it is shown in words


def compute_shown_state(table: Table, user_id: int) -> str:
    """Return what a user should see: their turn with its event number, waiting, or why no turn follows."""
    seat, state = table.find_seat(user_id), table.state
    if table.event_log is None or state.state == "void":
        return CLOSED
    if table.event_log.match.ended is not None:
        return OVER
    if seat is None or seat not in table.event_log.match.active:
        return OUT
    ahead = table.premoves.get(user_id)
    became = None if ahead is None else ahead.became
    if table.find_turn_user() != user_id or table.clock.time.paused or _is_premove_next(table, ahead):
        return WAIT if became is None else f"{PREMOVE_RESULT} {became}"
    return " ".join(filter(None, [TURN, str(state.changed_seq), became]))


def _is_premove_next(table: Table, premove: Premove | None) -> bool:
    """Return whether this premove of the next player is played as soon as the turn before is final."""
    if premove is None or not premove.is_waiting or table.state.tentative_turn is None:
        return False
    return find_drop_reason(table.match, premove) is None


class LiveHands:
    """Tracks and updates the private messages of all users."""

    def __init__(self, tables: TableCache, languages: Languages, now: Callable[[], int]) -> None:
        self._tables = tables
        self._languages = languages
        self._now = now
        self._hands: dict[int, dict[Key, LiveHand]] = {}  # by user
        self._order: deque[tuple[int, Key, LiveHand]] = deque()  # all, with replaced ones, in the order of expiry
        self._busy: Counter[int] = Counter()  # running answers by user
        self._delayed_tables: dict[int, dict[int, Table]] = {}  # changes during an answer, by user and table
        self._typing: dict[int, int] = {}  # end of the typing time by user
        self._running: set[asyncio.Task[None]] = set()
        self.answers = PrivateAnswerTracker(now)  # other private answers

    @property
    def expiry(self) -> int:
        """Return until when a message shown now can be edited (UTC epoch ms)."""
        return self._now() + TRACKED_MS

    @property
    def user_ids(self) -> frozenset[int]:
        return frozenset(self._hands)

    @contextmanager
    def hold_updates(self, user_id: int) -> Iterator[None]:
        """Mark a user as being answered; until the end, their private messages are not edited."""
        self._busy[user_id] += 1
        try:
            yield
        finally:
            self._busy[user_id] -= 1
            if not self._busy[user_id]:
                del self._busy[user_id]
                for table in self._delayed_tables.pop(user_id, {}).values():
                    self._start_updates(user_id, table)

    def track(
        self,
        table: Table,
        user_id: int,
        message_id: int,
        webhook: discord.Webhook,
        words: Words,
        *,
        text: bool,
        direct: bool,
    ) -> None:
        """Track the message that has just shown a table to a user, and delete the previous one."""
        self._forget_old()
        self._typing.pop(user_id, None)
        self.answers.untrack(user_id, message_id)
        key, state = (table.head.match_id, text), compute_shown_state(table, user_id)
        before = self._hands.get(user_id, {}).get(key)
        if before is not None:
            self._drop(user_id, key, before)
            if before.message_id != message_id:
                self._start(self._delete_hand(before))
        if state not in FINAL_STATES:
            hand = LiveHand(webhook, message_id, self.expiry, words, text, direct, state, table.state.seq)
            self._hands.setdefault(user_id, {})[key] = hand
            self._order.append((user_id, key, hand))

    def untrack(self, user_id: int, message_id: int) -> None:
        self.answers.untrack(user_id, message_id)
        for key, hand in list(self._hands.get(user_id, {}).items()):
            if hand.message_id == message_id:
                self._drop(user_id, key, hand)

    def note_typing(self, user_id: int) -> None:
        if user_id in self._hands:
            self._typing[user_id] = self._now() + TYPING_MS

    def forget(self, user_id: int) -> None:
        self._hands.pop(user_id, None)
        self._typing.pop(user_id, None)
        self.answers.forget(user_id)

    def follow(self, table: Table) -> None:
        """Update the hands of all players when the public board is updated."""
        for user_id in table.state.permanent_users | table.state.seated_users:
            if user_id not in self._hands:
                continue
            if self._busy[user_id]:
                self._delayed_tables.setdefault(user_id, {})[table.head.match_id] = table
            else:
                self._start_updates(user_id, table)

    async def wait_until_idle(self) -> None:
        while running := [task for task in self._running if not task.done()]:
            await asyncio.wait(running)

    def _start_updates(self, user_id: int, table: Table) -> None:
        for text in (False, True):
            key = table.head.match_id, text
            hand = self._hands.get(user_id, {}).get(key)
            if hand is not None and self._is_outdated(hand, table, user_id):
                self._start(self._update(user_id, key, hand, table))

    def _is_outdated(self, hand: LiveHand, table: Table, user_id: int) -> bool:
        """Return whether a message is outdated. A waiting player's message stays until its stated time."""
        state = compute_shown_state(table, user_id)
        return table.state.seq > hand.seq and state not in (hand.shown_state, *[WAIT] * (hand.shown_state == WAIT))

    async def _update(self, user_id: int, key: Key, hand: LiveHand, table: Table) -> None:
        async with hand.lock:
            table = self._tables.choose_newest(table)
            if self._hands.get(user_id, {}).get(key) is not hand or not self._is_outdated(hand, table, user_id):
                return
            state, now = compute_shown_state(table, user_id), self._now()
            if state.startswith(TURN) and self._typing.get(user_id, 0) > now:
                if not hand.shown_state.startswith(TURN):
                    return
                # Others moved while the waiting message was not shown: removed tiles must not stay visible.
                state = WAIT
            if now >= hand.until:
                self._drop(user_id, key, hand)
                return
            with bound_contextvars(match=table.head.match_id):
                content = await self._build_content(hand, table, user_id, state)
                if self._busy[user_id]:
                    self._delayed_tables.setdefault(user_id, {})[table.head.match_id] = table
                    return
                hand.shown_state, hand.seq = state, table.state.seq
                try:
                    await hand.webhook.edit_message(hand.message_id, view=content.view, attachments=content.files)
                except REQUEST_ERRORS as error:
                    # The user dismissed it or it has expired: *My hand* creates a new one.
                    log.info("a hand could not be brought up to date", code=format_error_code(error))
                    self._drop(user_id, key, hand)
                    return
            if state in FINAL_STATES:
                self._drop(user_id, key, hand)

    async def _build_content(self, hand: LiveHand, table: Table, user_id: int, state: str) -> Content:
        messages, seat = self._languages.build_messages(hand.words), table.find_seat(user_id)
        if state in FINAL_STATES or seat is None:
            return await messages.build_hand_over(table, seat, state, direct=hand.is_direct)
        if hand.is_text:
            return await messages.build_text_board(table, seat, direct=hand.is_direct)
        if state == WAIT or state.startswith(PREMOVE_RESULT):
            return await messages.build_waiting(table, seat, until=hand.until)
        return await messages.build_next_hand(table, seat, direct=hand.is_direct)

    async def _delete_hand(self, hand: LiveHand) -> None:
        async with hand.lock:
            if self._now() >= hand.until:
                return
            try:
                await hand.webhook.delete_message(hand.message_id)
            except REQUEST_ERRORS as error:
                log.info("an older hand was gone already", code=format_error_code(error))

    def _start(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._running.add(task)
        task.add_done_callback(self._on_done)

    def _on_done(self, task: "asyncio.Task[None]") -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a hand was not brought up to date", exc_info=error)

    def _drop(self, user_id: int, key: Key, hand: LiveHand) -> None:
        user_hands = self._hands.get(user_id, {})
        if user_hands.get(key) is hand:
            del user_hands[key]
        if not user_hands:
            self._hands.pop(user_id, None)

    def _forget_old(self) -> None:
        now = self._now()
        while self._order and (self._order[0][2].until <= now or len(self._order) > MAX_TRACKED):
            self._drop(*self._order.popleft())
