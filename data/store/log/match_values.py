"""Matches, users and guilds as values. Times are UTC epoch ms, ids are Discord's numbers."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from operator import attrgetter
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.results.scores import MatchResult
from engine.match.events import Event
from engine.table.evolve import MATCH_EVENTS, LogEntry
from engine.table.preferences import Person
from engine.table.table_events import LogEvent
from engine.table.table_posts import Post
from engine.table.table_state import Due, Premove, SeatRow, State, Turn


class Unchanged(Enum):
    """The mark for "unchanged", because None means "no user" or "never"."""

    KEEP = "keep"


UNCHANGED: Final = Unchanged.KEEP


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of running matches when a user sits down; None is no limit."""

    user_id: int
    person: int | None = None
    server: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The state of a match without its log and seats."""

    match_id: int
    game: str
    guild_id: int
    channel_id: int
    host_id: int
    state: State
    seq: int
    shown_seq: int
    """The seq that the board message shows; 0 if there is none."""
    board_message_id: int | None
    turn_message_id: int | None
    turn: Turn | None
    due: Due | None
    secret: bytes = field(repr=False)
    created_at: int
    updated_at: int
    private: int = 0
    """The number of private changes, such as notes and premoves."""

    @property
    def is_board_outdated(self) -> bool:
        """Whether the board message is behind the match."""
        return self.shown_seq < self.seq


get_version: Final[Callable[[Head], tuple[int, int, State]]] = attrgetter("seq", "updated_at", "state")
"""After a failover a server may have lost its last transactions: another event may have the seq of a remembered one."""
ExtraWrite = Callable[[AsyncConnection, int, int], Awaitable[None]]
"""Takes the number of the new match, and now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMatch:
    """A table to open. `guild_id` is 0 outside guilds; `channel_id` is a thread's own id inside one."""

    game: str
    guild_id: int
    channel_id: int
    host_id: int
    secret: bytes = field(repr=False)
    """32 bytes that determine every shuffle."""
    events: Sequence[LogEvent]
    seats: Sequence[SeatRow] = ()
    state: State = "lobby"
    turn: Turn | None = None
    due: Due | None = None
    outbox: Sequence[Post] = ()
    limits: Limits | None = None
    extra_write: ExtraWrite | None = None
    """A feature's part of the transaction."""
    deal_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The atomic change of a match by one command."""

    match_id: int
    expected_seq: int
    """The seq on which the command was decided."""
    decided_on: Head | None = None
    """The head on which it was decided. It may come from a cache, so the store compares it with the current head."""
    people: Mapping[int, Person] | None = None
    """The settings of its users on which it was decided."""
    premoves: Mapping[int, Premove | None] = field(default_factory=dict)
    """New premoves by user; None deletes one."""
    events: Sequence[LogEvent]
    state: State | None = None
    """A new state; "done" and "void" also remove turn and due."""
    turn: Turn | Unchanged | None = UNCHANGED
    due: Due | Unchanged | None = UNCHANGED
    seats: Sequence[SeatRow] | None = None
    host_id: int | None = None
    channel_id: int | None = None
    game: str | None = None
    outbox: Sequence[Post] = ()
    withdrawn_kinds: Sequence[str] = ()
    """Kinds of unsent posts that this makes obsolete. The call to move is deleted from the channel, too."""
    result: MatchResult | None = None
    """Needs the state "done", or "void" if a player left."""
    request: int | None = None
    """The interaction that asked for it."""
    unlinked_user_ids: Collection[int] = ()
    """Users in the log whose link to the match is removed."""
    limits: Limits | None = None
    is_of_deal: bool = False
    """Whether the match plays a duplicate deal, open or not."""
    deal_user_ids: Collection[int] = ()
    """Users who see the hands of that deal from now on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moderation:
    """A moderator's action in a match. `user_id` is None for an erased user."""

    match_id: int
    seq: int
    kind: str
    reason: str
    seat: int | None
    """The seat whose turn was meant, if any."""
    user_id: int | None
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QuarantinedMatch:
    """A quarantined match: its log cannot be read."""

    match_id: int
    guild_id: int
    channel_id: int
    state: State
    """Its state before; "void" if a moderator has closed it since."""
    seq: int
    """The event that cannot be read."""
    why: str
    """"newer" for an event of an unknown kind, else "damaged"."""
    since: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedMatch:
    head: Head
    log: tuple[LogEntry, ...]

    @property
    def events(self) -> list[Event]:
        """The match's own events, which make its record."""
        return [entry.event for entry in self.log if isinstance(entry.event, MATCH_EVENTS)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Guild:
    guild_id: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    left_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchContext:
    head: Head
    people: Mapping[int, Person]
    """The settings of its users, and of others that were requested, by user id."""
    premoves: Mapping[int, Premove] = field(default_factory=dict)
    """By user id."""
    is_repeated: bool
    """Whether the interaction was already processed."""
