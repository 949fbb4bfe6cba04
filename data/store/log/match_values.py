"""Matches, people and servers as they go into the store and come out: small frozen values.

Times are UTC epoch ms, ids are Discord's numbers.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from operator import attrgetter
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.results.scores import MatchResult
from engine.match.events import Event
from engine.table.evolve import MATCH, Entry
from engine.table.preferences import Person
from engine.table.premove import Premove
from engine.table.table_events import LogEvent
from engine.table.table_posts import Post
from engine.table.table_state import Due, SeatRow, State, Turn


class Keep(Enum):
    """The mark for "as it was" where None means "nobody" or "never"."""

    KEEP = "keep"


KEEP: Final = Keep.KEEP


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
    created_at: int
    updated_at: int
    private: int = 0
    """How often somebody kept something for themselves there; 0: nobody has."""

    @property
    def dirty(self) -> bool:
        """Whether the board message is behind the match."""
        return self.shown_seq < self.seq


where_and_when: Final[Callable[[Head], tuple[int, int, State]]] = attrgetter("seq", "updated_at", "state")
"""Where a match stands, and since when. A server that fails over may have lost its last moments: then another move may
stand where one did that is remembered.
"""


AlsoWrites = Callable[[AsyncConnection, int, int], Awaitable[None]]
"""Given the number of the new match, and now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMatch:
    """A table to open. `guild_id` is 0 outside servers; `channel_id` is a thread's own id inside one."""

    game: str
    guild_id: int
    channel_id: int
    host_id: int
    secret: bytes = field(repr=False)
    """32 bytes behind every shuffle."""
    events: Sequence[LogEvent]
    """At least one."""
    seats: Sequence[SeatRow] = ()
    state: State = "lobby"
    turn: Turn | None = None
    due: Due | None = None
    outbox: Sequence[Post] = ()
    limits: Limits | None = None
    also: AlsoWrites | None = None
    """What else is written with it: a feature's own part of the transaction."""
    deal_id: int | None = None
    """The sealed deal that it plays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What one act does to a match: all of it happens, or nothing."""

    match_id: int
    expected_seq: int
    """Where the match stood when the act was decided on."""
    decided_on: Head | None = None
    """How it stood then. A table may be decided on as it is remembered: whether all of it is so still is seen now."""
    people: Mapping[int, Person] | None = None
    """What those had set whom the match has to do with, as it was decided on."""
    premoves: Mapping[int, Premove | None] = field(default_factory=dict)
    """What becomes of that which people had decided beforehand; None: nothing is kept of it."""
    events: Sequence[LogEvent]
    """At least one."""
    state: State | None = None
    """A new state; "done" and "void" also take away turn and due."""
    turn: Turn | Keep | None = KEEP
    due: Due | Keep | None = KEEP
    seats: Sequence[SeatRow] | None = None
    """All seats as they are from now on."""
    host_id: int | None = None
    channel_id: int | None = None
    game: str | None = None
    """What is to be played, where that has changed before the match."""
    outbox: Sequence[Post] = ()
    withdraws: Sequence[str] = ()
    """Kinds of posts that wait to be sent and lost their sense by this. A call to move goes where it stands, too."""
    result: MatchResult | None = None
    """Needs the state "done", or "void" where it is of somebody who left."""
    request: int | None = None
    """The interaction that asked for it."""
    unlinks: Collection[int] = ()
    """People that the log has named, and that nothing ties to the match any more."""
    limits: Limits | None = None
    """For whoever comes to sit at the match by this."""
    of_deal: bool = False
    """Whether the match plays a sealed deal, be that open by now or not."""
    dealt_to: Collection[int] = ()
    """People who see the hands of that deal from now on."""


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
class Quarantined:
    """A match that was set aside, because its log cannot be read."""

    match_id: int
    guild_id: int
    channel_id: int
    state: State
    """What it was before; "void" where a moderator has closed it since."""
    seq: int
    """The event that cannot be read."""
    why: str
    """"newer" for an event of a kind that is not known, else "damaged"."""
    since: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A match read at one instant: head and log agree with each other."""

    head: Head
    log: tuple[Entry, ...]
    """Everything that happened, in order."""

    @property
    def events(self) -> list[Event]:
        """The match's own events: its record is made of them."""
        return [entry.event for entry in self.log if isinstance(entry.event, MATCH)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Guild:
    """A server: what its moderators have set, and since when the bot is gone from it."""

    guild_id: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    left_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A match at the moment that an interaction asks for something there."""

    head: Head
    people: Mapping[int, Person]
    """What those whom the match has to do with have set, and whoever else was asked for, by user id."""
    premoves: Mapping[int, Premove] = field(default_factory=dict)
    """What people have decided to do there when it is their turn, by user id."""
    repeated: bool
    """Whether the interaction had its effect already."""
