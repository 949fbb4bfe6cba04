"""What outlives the process: matches and their logs, posts to send, results, people's settings."""

from data.store.errors import (
    ChannelBusy,
    LogDamaged,
    Repeated,
    Stale,
    StoreClosed,
    StoreUnavailable,
    TooMany,
    UnknownMatch,
)
from data.store.posts import BLOCKED, BOARD, RECALL, REFUSED, REMOVE, SHRINK, Backlog, OutboxRow
from data.store.scores import (
    EVERYWHERE,
    LeaderboardPage,
    LeaderRow,
    MatchResult,
    PlayerResult,
    Profile,
    Rate,
    Rating,
    Result,
)
from data.store.store import Store
from data.store.values import KEEP, Change, Guild, Head, Keep, Known, Limits, Loaded, Moderation, NewMatch
from engine.table.posts import QUESTION, TURN, Post
from engine.table.preferences import Person, Pings
from engine.table.state import RUNNING, Due, Outage, SeatRow, State, Turn

__all__ = [
    "BLOCKED",
    "BOARD",
    "EVERYWHERE",
    "KEEP",
    "QUESTION",
    "RECALL",
    "REFUSED",
    "REMOVE",
    "RUNNING",
    "SHRINK",
    "TURN",
    "Backlog",
    "Change",
    "ChannelBusy",
    "Due",
    "Guild",
    "Head",
    "Keep",
    "Known",
    "LeaderRow",
    "LeaderboardPage",
    "Limits",
    "Loaded",
    "LogDamaged",
    "MatchResult",
    "Moderation",
    "NewMatch",
    "Outage",
    "OutboxRow",
    "Person",
    "Pings",
    "PlayerResult",
    "Post",
    "Profile",
    "Rate",
    "Rating",
    "Repeated",
    "Result",
    "SeatRow",
    "Stale",
    "State",
    "Store",
    "StoreClosed",
    "StoreUnavailable",
    "TooMany",
    "Turn",
    "UnknownMatch",
]
