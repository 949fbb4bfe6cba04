"""Private answers that the next one of their kind takes the place of: whoever types their moves has one before them,
and no pile.

A private message can be deleted for as long as the token of its interaction lives; tokens are kept in memory alone
(`live_hands.py` says why).
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Final, NamedTuple

import discord

from bot.base.discord_errors import FAILURES, code_of
from bot.base.logs import logger

log = logger(__name__)

LIFE: Final = 14 * 60_000
"""Ms for which a message is known; the token lives a minute longer."""
MOST_KNOWN: Final = 5_000
"""So many messages are known, the newest ones."""

KINDS: Final = {
    **dict.fromkeys(("play", "draw", "pass", "choose", "undo"), "act"),
    **{look: look for look in ("board", "scores", "rules", "print")},
}
"""By what was asked for, the answers that are of a kind; others stay, such as files that somebody wants to keep."""

BESIDE: Final = " beside"
"""The end of the kind of what leaves an answer where it is."""

Key = tuple[int, int, str]
"""A person, a table, and the kind."""


class PassingAnswer(NamedTuple):
    """A private message, and by what it is deleted."""

    message_id: int
    webhook: discord.Webhook
    until: int
    """How long that is possible, in UTC epoch ms."""


class PassingAnswers:
    """Takes them away."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._answers: OrderedDict[Key, PassingAnswer] = OrderedDict()
        """The oldest first."""
        self._keys: dict[int, Key] = {}
        """By message."""

    def __len__(self) -> int:
        return len(self._answers)

    async def came(
        self,
        user_id: int,
        match_id: int,
        verb: str,
        message_id: int,
        webhook: discord.Webhook,
        *,
        beside: bool = False,
    ) -> None:
        """Somebody who asked for something at a table was answered with this message: the one before it goes. What is
        `beside` it leaves the one before it for as long, and takes the place of such an answer alone.
        """
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
        """A message of somebody shows something else by now: it is no passing answer any more."""
        key = self._keys.get(message_id)
        if key is not None and key[0] == user_id:
            self._pop(key)

    def forget(self, user_id: int) -> None:
        """Nothing is kept of this person."""
        for key in [key for key in self._answers if key[0] == user_id]:
            self._pop(key)

    def _pop(self, key: Key) -> PassingAnswer | None:
        answer = self._answers.pop(key, None)
        if answer is not None:
            self._keys.pop(answer.message_id, None)
        return answer


async def _removed(answer: PassingAnswer) -> None:
    try:
        await answer.webhook.delete_message(answer.message_id)
    except FAILURES as error:
        log.info("an older answer was gone already", code=code_of(error))
