"""Private messages with players' hands. A player's newest message at a table shows their next hand when their turn
comes, says when the match is over, and never offers an outdated move.

A private message can be edited while the token of its interaction lives: fifteen minutes. Tokens are secrets, so they
are kept in memory only. After a restart or expiry, *My hand* creates a new message.

`PassingAnswers` deletes a private answer when the next one of its kind comes.
"""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import discord

from bot.core.discord_errors import FAILURES, code_of
from bot.core.languages import Languages
from bot.core.logs import bound, logger
from bot.tables.messages import Content
from bot.tables.service import Table, Tables
from data.words import Words

log = logger(__name__)

LIFE: Final = 14 * 60_000  # ms for which a message is tracked; the token lives a minute longer
MOST_KNOWN: Final = 5_000  # newest messages that are tracked
KINDS: Final = {
    **dict.fromkeys(("play", "draw", "pass", "choose", "undo"), "act"),
    **{look: look for look in ("board", "scores", "rules", "print")},
}
"""Answers of one kind replace each other, by verb; others stay, such as files."""

BESIDE: Final = " beside"  # suffix of the kind of an answer that does not replace the hand
AnswerKey = tuple[int, int, str]  # user, table, kind


class PassingAnswer(NamedTuple):
    """A private message, and the webhook that deletes it."""

    message_id: int
    webhook: discord.Webhook
    until: int  # UTC epoch ms


class PassingAnswers:
    """Tracks private answers and deletes the replaced ones."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._answers: OrderedDict[AnswerKey, PassingAnswer] = OrderedDict()  # oldest first
        self._keys: dict[int, AnswerKey] = {}  # by message

    def __len__(self) -> int:
        return len(self._answers)

    async def came(
        self, user_id: int, match_id: int, verb: str, message_id: int, webhook: discord.Webhook, *, beside: bool = False
    ) -> None:
        """Track an answer and delete the previous one of its kind; one `beside` replaces only another one `beside`."""
        kind, now = KINDS.get(verb), self._now()
        if kind is None:
            return
        keys = [(user_id, match_id, one) for one in (kind, f"{kind}{BESIDE}")]
        gone = [self._pop(key) for key in (keys[1:] if beside else keys)]
        key = keys[beside]
        self._answers[key], self._keys[message_id] = PassingAnswer(message_id, webhook, now + LIFE), key
        while len(self._answers) > MOST_KNOWN or next(iter(self._answers.values())).until <= now:
            self._pop(next(iter(self._answers)))
        for before in gone:
            if before is not None and before.until > now and before.message_id != message_id:
                await _removed(before)

    def stays(self, user_id: int, message_id: int) -> None:
        key = self._keys.get(message_id)
        if key is not None and key[0] == user_id:
            self._pop(key)

    def forget(self, user_id: int) -> None:
        for key in [key for key in self._answers if key[0] == user_id]:
            self._pop(key)

    def _pop(self, key: AnswerKey) -> PassingAnswer | None:
        answer = self._answers.pop(key, None)
        if answer is not None:
            self._keys.pop(answer.message_id, None)
        return answer


async def _removed(answer: PassingAnswer) -> None:
    try:
        await answer.webhook.delete_message(answer.message_id)
    except FAILURES as error:
        log.info("an older answer was gone already", code=code_of(error))


TYPES: Final = 60_000  # ms without pictures for a user who is typing a move
TURN: Final = "turn"
WAIT: Final = "wait"
TOLD: Final = "told"  # waiting, with the outcome of a premove
OVER: Final = "over"
CLOSED: Final = "closed"
OUT: Final = "out"
LAST: Final = (OVER, CLOSED, OUT)  # nothing follows these


@dataclass(slots=True, eq=False)
class LiveHand:
    """A private message that shows a table to a user, and what it shows."""

    webhook: discord.Webhook = field(repr=False)  # edits the message; contains the token
    message_id: int
    until: int  # UTC epoch ms
    words: Words
    text: bool  # whether it shows the table in words instead of the hand
    direct: bool
    shows: str
    seq: int  # the event up to which it shows the table
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


Key = tuple[int, bool]  # table, and whether it is shown in words


def shown_of(table: Table, user_id: int) -> str:
    """Return what a user should see: their turn with its event number, waiting, or why no turn follows."""
    seat, state = table.seat_of(user_id), table.state
    if table.event_log is None or state.state == "void":
        return CLOSED
    if table.event_log.match.ended is not None:
        return OVER
    if seat is None or seat not in table.event_log.match.active:
        return OUT
    # While the previous turn can be taken back, the next player sees it only on request.
    if table.turn_user() != user_id or state.unsettled is not None or table.clock.time.paused:
        ahead = table.premoves.get(user_id)
        return WAIT if ahead is None or ahead.became is None else f"{TOLD} {ahead.became}"
    return f"{TURN} {state.moved}"


class LiveHands:
    """Tracks and updates the private messages of all users."""

    def __init__(self, tables: Tables, languages: Languages, now: Callable[[], int]) -> None:
        self._tables = tables
        self._languages = languages
        self._now = now
        self._hands: dict[int, dict[Key, LiveHand]] = {}  # by user
        self._order: deque[tuple[int, Key, LiveHand]] = deque()  # all, with replaced ones, in the order of expiry
        self._busy: Counter[int] = Counter()  # running answers by user
        self._behind: dict[int, dict[int, Table]] = {}  # changes during an answer, by user and table
        self._typing: dict[int, int] = {}  # end of the typing time by user
        self._running: set[asyncio.Task[None]] = set()
        self.passing = PassingAnswers(now)  # other private answers

    @property
    def until(self) -> int:
        """Return until when a message shown now can be edited (UTC epoch ms)."""
        return self._now() + LIFE

    @property
    def people(self) -> frozenset[int]:
        return frozenset(self._hands)

    @contextmanager
    def answering(self, user_id: int) -> Iterator[None]:
        """Mark a user as being answered; until the end, their private messages are not edited."""
        self._busy[user_id] += 1
        try:
            yield
        finally:
            self._busy[user_id] -= 1
            if not self._busy[user_id]:
                del self._busy[user_id]
                for table in self._behind.pop(user_id, {}).values():
                    self._start_updates(user_id, table)

    def keep(
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
        self.passing.stays(user_id, message_id)
        key, shows = (table.head.match_id, text), shown_of(table, user_id)
        before = self._hands.get(user_id, {}).get(key)
        if before is not None:
            self._drop(user_id, key, before)
            if before.message_id != message_id:
                self._start(self._removed(before))
        if shows not in LAST:
            hand = LiveHand(webhook, message_id, self.until, words, text, direct, shows, table.state.seq)
            self._hands.setdefault(user_id, {})[key] = hand
            self._order.append((user_id, key, hand))

    def covered(self, user_id: int, message_id: int) -> None:
        self.passing.stays(user_id, message_id)
        for key, hand in list(self._hands.get(user_id, {}).items()):
            if hand.message_id == message_id:
                self._drop(user_id, key, hand)

    def types(self, user_id: int) -> None:
        if user_id in self._hands:
            self._typing[user_id] = self._now() + TYPES

    def forget(self, user_id: int) -> None:
        self._hands.pop(user_id, None)
        self._typing.pop(user_id, None)
        self.passing.forget(user_id)

    def follow(self, table: Table) -> None:
        """Update the hands of all players when the public board is updated."""
        for user_id in table.state.lasting | table.state.sitting:
            if user_id not in self._hands:
                continue
            if self._busy[user_id]:
                self._behind.setdefault(user_id, {})[table.head.match_id] = table
            else:
                self._start_updates(user_id, table)

    async def idle(self) -> None:
        while running := [task for task in self._running if not task.done()]:
            await asyncio.wait(running)

    def _start_updates(self, user_id: int, table: Table) -> None:
        for text in (False, True):
            key = table.head.match_id, text
            hand = self._hands.get(user_id, {}).get(key)
            if hand is not None and self._is_behind(hand, table, user_id):
                self._start(self._update(user_id, key, hand, table))

    def _is_behind(self, hand: LiveHand, table: Table, user_id: int) -> bool:
        """Return whether a message is outdated. A waiting player's message stays until its stated time."""
        shows = shown_of(table, user_id)
        return table.state.seq > hand.seq and shows not in (hand.shows, *[WAIT] * (hand.shows == WAIT))

    async def _update(self, user_id: int, key: Key, hand: LiveHand, table: Table) -> None:
        async with hand.lock:
            table = self._tables.newest(table)
            if self._hands.get(user_id, {}).get(key) is not hand or not self._is_behind(hand, table, user_id):
                return
            shows, now = shown_of(table, user_id), self._now()
            if shows.startswith(TURN) and self._typing.get(user_id, 0) > now:
                if not hand.shows.startswith(TURN):
                    return
                # Others moved while the waiting message was not shown: removed tiles must not stay visible.
                shows = WAIT
            if now >= hand.until:
                self._drop(user_id, key, hand)
                return
            with bound(match=table.head.match_id):
                content = await self._content(hand, table, user_id, shows)
                if self._busy[user_id]:
                    self._behind.setdefault(user_id, {})[table.head.match_id] = table
                    return
                hand.shows, hand.seq = shows, table.state.seq
                try:
                    await hand.webhook.edit_message(hand.message_id, view=content.view, attachments=content.files)
                except FAILURES as error:
                    # The user dismissed it or it has expired: *My hand* creates a new one.
                    log.info("a hand could not be brought up to date", code=code_of(error))
                    self._drop(user_id, key, hand)
                    return
            if shows in LAST:
                self._drop(user_id, key, hand)

    async def _content(self, hand: LiveHand, table: Table, user_id: int, shows: str) -> Content:
        messages, seat = self._languages.messages(hand.words), table.seat_of(user_id)
        if shows in LAST or seat is None:
            return await messages.hand_over(table, seat, shows, direct=hand.direct)
        if hand.text:
            return await messages.text(table, seat, direct=hand.direct)
        if shows == WAIT or shows.startswith(TOLD):
            return await messages.waiting(table, seat, until=hand.until)
        return await messages.next_hand(table, seat, direct=hand.direct)

    async def _removed(self, hand: LiveHand) -> None:
        async with hand.lock:
            if self._now() >= hand.until:
                return
            try:
                await hand.webhook.delete_message(hand.message_id)
            except FAILURES as error:
                log.info("an older hand was gone already", code=code_of(error))

    def _start(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._running.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: "asyncio.Task[None]") -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a hand was not brought up to date", exc_info=error)

    def _drop(self, user_id: int, key: Key, hand: LiveHand) -> None:
        mine = self._hands.get(user_id, {})
        if mine.get(key) is hand:
            del mine[key]
        if not mine:
            self._hands.pop(user_id, None)

    def _forget_old(self) -> None:
        now = self._now()
        while self._order and (self._order[0][2].until <= now or len(self._order) > MOST_KNOWN):
            self._drop(*self._order.popleft())
