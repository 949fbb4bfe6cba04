"""Matches, people and servers as they go into the store and come out: small frozen values.

Times are UTC epoch ms, ids are Discord's numbers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, Literal

from data.store.posts import Post
from data.store.scores import MatchResult
from engine.events import Event

State = Literal["lobby", "open", "done", "void"]
"""Gathering people, being played, decided, or closed without a result."""

RUNNING: Final[tuple[State, ...]] = ("lobby", "open")
"""The states that occupy a channel."""

LobbyKind = Literal[
    "opened",
    "joined",
    "left",
    "seated",
    "unseated",
    "set",
    "moved",
    "reminded",
    "closed",
    "stopped",
    "paused",
    "resumed",
    "skipped",
    "absent",
    "standin",
    "returned",
    "away",
    "credited",
    "proposed",
    "answered",
    "replaced",
    "forgotten",
]
"""What happens around a match: the table opens, people come and go, computers are seated and sent away,
settings change, the board moves to another channel, somebody is reminded, the table closes; a moderator stops, pauses
or resumes the match, or has a turn played; somebody lets their time run out, is stood in for, is there again or on
vacation; time that an outage took is given back; people are asked to agree on something, answer, and hand a seat to
somebody else; somebody the match had to do with is forgotten."""


class Keep(Enum):
    """The mark for "as it was" where None means "nobody" or "never"."""

    KEEP = "keep"


KEEP: Final = Keep.KEEP


@dataclass(frozen=True, slots=True, kw_only=True)
class LobbyEvent:
    """Something that happened around the match rather than in it. It takes a place in the same log.

    `facts` is JSON and names seats, never people, so that a person can be forgotten.
    """

    kind: LobbyKind
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Whose move it is; `user` is None for a computer."""

    seat: int
    user: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """When the clock acts on the match, and what it then does ("remind", "deadline", "expire", ...)."""

    at: int
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatRow:
    """One chair: a person (`user_id`), or a computer (the name of its player). Neither: a person who was forgotten."""

    seat: int
    user_id: int | None = None
    computer: str | None = None
    joined_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How many running matches there may be when somebody sits down; None is any number."""

    user_id: int
    """Who sits down."""
    person: int | None = None
    """Of that person, on this server."""
    server: int | None = None
    """Of the whole server, where the match is a new one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMatch:
    """A table to open. `guild_id` is 0 outside servers; `channel_id` is a thread's own id inside one."""

    game: str
    guild_id: int
    channel_id: int
    host_id: int
    secret: bytes = field(repr=False)
    """32 bytes behind every shuffle."""
    events: Sequence[Event | LobbyEvent]
    """At least one."""
    seats: Sequence[SeatRow] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    clock: Mapping[str, Any] = field(default_factory=dict)
    state: State = "lobby"
    turn: Turn | None = None
    due: Due | None = None
    outbox: Sequence[Post] = ()
    limits: Limits | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What one act does to a match: all of it happens, or nothing."""

    match_id: int
    expected_seq: int
    """Where the match stood when the act was decided on."""
    events: Sequence[Event | LobbyEvent]
    """At least one."""
    state: State | None = None
    """A new state; "done" and "void" also take away turn and due."""
    turn: Turn | Keep | None = KEEP
    due: Due | Keep | None = KEEP
    seats: Sequence[SeatRow] | None = None
    """All seats as they are from now on."""
    host_id: int | None = None
    channel_id: int | None = None
    settings: Mapping[str, Any] | None = None
    clock: Mapping[str, Any] | None = None
    """The clock from now on, as JSON; None leaves it as it was."""
    outbox: Sequence[Post] = ()
    withdraws: Sequence[str] = ()
    """Kinds of posts that wait to be sent and lost their sense by this. A call to move goes where it stands, too."""
    result: MatchResult | None = None
    """Needs the state "done"."""
    request: int | None = None
    """The interaction that asked for it."""
    moderator: int | None = None
    """The person behind the first event, where a moderator stepped in: kept beside the log, which names nobody."""
    limits: Limits | None = None
    """For whoever comes to sit at the match by this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moderation:
    """A moderator stepped in at a match: what was done, why, by whom. Nobody: a person who was forgotten."""

    match_id: int
    seq: int
    kind: str
    reason: str
    seat: int | None
    """Whose turn was meant, where it was somebody's."""
    user_id: int | None
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Where a match stands: everything about it but its log and its seats."""

    match_id: int
    game: str
    guild_id: int
    channel_id: int
    host_id: int
    state: State
    seq: int
    shown_seq: int
    """The seq that the board message shows; 0 when there is none."""
    board_message_id: int | None
    turn_message_id: int | None
    turn: Turn | None
    due: Due | None
    secret: bytes = field(repr=False)
    settings: Mapping[str, Any]
    clock: Mapping[str, Any] = field(default_factory=dict)
    created_at: int
    updated_at: int

    @property
    def dirty(self) -> bool:
        """Whether the board message is behind the match."""
        return self.shown_seq < self.seq


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A match read at one instant: head, seats and the decoded log agree with each other."""

    head: Head
    seats: tuple[SeatRow, ...]
    events: tuple[Event, ...]
    """The engine's events; what happened around the match is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guild:
    """A server: what its moderators have set, and since when the bot is gone from it."""

    guild_id: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    left_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """A time in which nobody could play."""

    start: int
    end: int


Pings = Literal["channel", "dm", "none"]
"""Where somebody wants to be called when it is their turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody's own settings."""

    user_id: int
    quick: bool = False
    """Play at once, without the confirming look."""
    pings: Pings = "channel"
    wishes: Mapping[str, Any] = field(default_factory=dict)
    """Everything else somebody has set about reminders and absences, as JSON; `bot.service` knows what."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A match at the moment that an interaction asks for something there."""

    head: Head
    seats: tuple[SeatRow, ...]
    people: Mapping[int, Person]
    """Everybody's own settings, by the ids of those who sit there."""
    repeated: bool
    """Whether the interaction had its effect already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticking:
    """A match that waits for a person."""

    head: Head
    person: Person
    """Whoever is to move."""
