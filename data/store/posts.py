"""What waits to be said in public, as it comes out of the store, and the kinds of posts that the store has of its own.

Times are UTC epoch ms, ids are Discord's numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

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
