"""Posts of the outbox as values, and kinds of posts that only the store uses.

Times are UTC epoch ms, ids are Discord's numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from data.store.connection.hooks import StalledItem
from data.store.log.match_values import Guild, Head
from engine.table.preferences import Person
from engine.table.reminders import NEXT_UP

REMOVE: Final = "remove"
"""A message to delete."""
RECALL: Final = "recall"
"""A post that became obsolete while it may have been sent: find and delete its message."""
BOARD: Final = "board"
"""A lease on showing the board. If it expires, the board is shown again."""
SHRINK: Final = "shrink"
"""An old board to replace by a link to the new one."""
BLOCKED: Final = "blocked"
"""A channel that the bot cannot write to: the posts of its match wait."""
ALERT: Final = "alert"
"""An alert for one user that the table has opened."""
FIXTURE: Final = "fixture"
"""The announcement of a league match to its players."""
TURN_KINDS: Final = ("remind", NEXT_UP)
"""Kinds for one turn: their messages are deleted when it ends."""
REFUSED: Final = "refused"
"""A post that Discord rejects; kept for diagnosis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxRow:
    """A post to send. `nonce` is its idempotency key. With `attempts`, its message may exist already."""

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
    def first_attempt_at(self) -> int | None:
        """Since when (ms) its message may exist; None if it was not tried."""
        return self.created_at if self.attempts else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """The due posts of one table, taken together, and the data to format them."""

    head: Head
    rows: tuple[OutboxRow, ...]
    """Oldest first, including a board to show."""
    until: int
    guild: Guild
    called_player: Person | None
    """The settings of the player whom a call to move among them mentions."""


@dataclass(frozen=True, slots=True)
class RowStatus:
    """The delivery status of a post that was taken. It may be noted twice."""

    row: OutboxRow


@dataclass(frozen=True, slots=True)
class PostSent(RowStatus):
    message_id: int
    ends_with_turn: bool = False
    """Whether the message is deleted when the turn ends."""
    channel_id: int | None = None
    """The channel, if it differs from that of the row because the table has moved."""


@dataclass(frozen=True, slots=True)
class CallSent(RowStatus):
    """The call to move was sent; `shown_as` is the new turn message, None if it was sent elsewhere."""

    sent_as: int
    shown_as: int | None


@dataclass(frozen=True, slots=True)
class BoardShown(RowStatus):
    """The board message shows the seq of this head. A board message before it is shrunk.

    If that message was deleted, the board is shown again.
    """

    head: Head
    message_id: int


@dataclass(frozen=True, slots=True)
class PostDropped(RowStatus):
    """The post will never be sent."""


@dataclass(frozen=True, slots=True)
class RowCleared(RowStatus):
    """The row is done, or cannot be done."""


@dataclass(frozen=True, slots=True)
class PostRejected(RowStatus):
    """Discord rejects the post with this error code. A board is not retried before the next event."""

    head: Head
    code: int


@dataclass(frozen=True, slots=True)
class PostPostponed(RowStatus):
    next_at: int


@dataclass(frozen=True, slots=True)
class PostReleased(RowStatus):
    """No attempt was made: the post is still due."""


DeliveryStatus = (
    PostSent | CallSent | BoardShown | PostDropped | RowCleared | PostRejected | PostPostponed | PostReleased
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """Unsent posts, the age of the oldest in ms, and boards that are behind.

    Without posts for channels that the bot cannot write to: `closed` has these channels by match. `refused` counts
    recent posts that Discord rejected, by error code. `due` tables are overdue, the oldest for `due_age` ms.
    """

    posts: int
    oldest: int
    boards: int
    closed: Mapping[int, int] = field(default_factory=dict)
    refused: Mapping[int, int] = field(default_factory=dict)
    due: int = 0
    due_age: int = 0
    quarantined: int = 0
    stalled: tuple[StalledItem, ...] = ()
    """Objects of features that cannot continue, such as leagues."""
