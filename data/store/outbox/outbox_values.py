"""What waits to be said in public, as it comes out of the store, and the kinds of posts that the store has of its own.

Times are UTC epoch ms, ids are Discord's numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from data.store.connection.hooks import HeldUp
from data.store.log.match_values import Guild, Head
from engine.table.preferences import Person
from engine.table.reminders import NEXT_UP

REMOVE: Final = "remove"
"""The kind that stands for a message to delete."""

RECALL: Final = "recall"
"""The kind of a call that lost its sense before anybody knew whether it was sent: look for it, and delete it."""

BOARD: Final = "board"
"""The kind that stands for somebody who edits or posts the board. Where they did not come to its end, show it again."""

SHRINK: Final = "shrink"
"""The kind that stands for an old board, of which a link to the new one is to be left."""

BLOCKED: Final = "blocked"
"""The kind that stands for a channel the bot cannot write to: the posts of its match wait."""

ALERT: Final = "alert"
"""The kind that stands for somebody who is to be told, alone, that the table has opened."""

FIXTURE: Final = "fixture"
"""The kind that calls those whose match of a league has begun."""

PASSING: Final = ("remind", NEXT_UP)
"""Kinds that are good for one turn: their messages go when it ends."""

REFUSED: Final = "refused"
"""The kind of a post that Discord refuses for what it is: it will never be sent, and is kept for those who ask why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxRow:
    """A post that waits to be sent. `nonce`, its name, makes sending it twice harmless on Discord; `attempts` says how
    often it was taken: whoever takes it up again looks first whether it stands in its channel.
    """

    match_id: int
    channel_id: int
    kind: str
    nonce: str
    body: Mapping[str, Any]
    attempts: int
    created_at: int
    next_at: int | None
    message_id: int | None

    @property
    def tried_since(self) -> int | None:
        """Since when (ms) a message of it may stand in its channel; None where nobody has tried to send it."""
        return self.created_at if self.attempts else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What is to be said at one table now, all of it taken at once, and what one has to know for it."""

    head: Head
    rows: tuple[OutboxRow, ...]
    """Oldest first; a board that is to be shown is among them."""
    until: int
    """When somebody else may take them, unless it is said before that they are dealt with still."""
    guild: Guild
    called: Person | None
    """What the person has set whom a call among them is for."""


# What became of a post that was taken. Each may be noted twice.


@dataclass(frozen=True, slots=True)
class Sent:
    """It stands in the channel as this message."""

    row: OutboxRow
    message_id: int
    passing: bool = False
    """Whether that message is to be deleted when the running turn ends."""
    channel_id: int | None = None
    """The channel, where that is another one than the row says: the table has moved since it was written."""


@dataclass(frozen=True, slots=True)
class Called:
    """The call was sent as a message; `shown_as` is the turn message of its match from now on, None where it was sent
    elsewhere. The turn message before it is to be deleted, or this very one where the turn is over.
    """

    row: OutboxRow
    sent_as: int
    shown_as: int | None


@dataclass(frozen=True, slots=True)
class Shown:
    """The board is this message and shows the seq of this head. Where it is another message than that head says, the
    one before is to be shrunk; where that one was deleted meanwhile, the board is to be shown again.
    """

    row: OutboxRow
    head: Head
    message_id: int


@dataclass(frozen=True, slots=True)
class Dropped:
    """It will never be sent."""

    row: OutboxRow


@dataclass(frozen=True, slots=True)
class Cleared:
    """What the row stands for is done, or cannot be done as it was begun."""

    row: OutboxRow


@dataclass(frozen=True, slots=True)
class Unwanted:
    """Discord does not take it, for its reason `code`: it will never be sent. A board is not tried again before the
    next act on this head.
    """

    row: OutboxRow
    head: Head
    code: int


@dataclass(frozen=True, slots=True)
class PutOff:
    """It could not be sent, and is tried again at `next_at`."""

    row: OutboxRow
    next_at: int


@dataclass(frozen=True, slots=True)
class Untried:
    """Nobody has begun to send it: that is still to be done."""

    row: OutboxRow


Fate = Sent | Called | Shown | Dropped | Cleared | Unwanted | PutOff | Untried


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """What waits to be said: posts that were not sent yet, the age of the oldest in ms, and boards that are behind.

    What waits for a channel that is closed to the bot is none of these: `closed` has the channel of each such table
    that has not ended, by its match. `refused` are the posts of the last days that Discord did not take, by its code
    for the reason. On `due` tables the clock should have acted, for `due_age` ms on the one that waits longest.
    """

    posts: int
    oldest: int
    boards: int
    closed: Mapping[int, int] = field(default_factory=dict)
    refused: Mapping[int, int] = field(default_factory=dict)
    due: int = 0
    due_age: int = 0
    aside: int = 0
    """Running matches that were set aside since their log cannot be read."""
    held: tuple[HeldUp, ...] = ()
    """What of a feature cannot go on, such as leagues under way."""
