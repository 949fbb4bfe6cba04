"""Why a table, rather than a rule, says no. `bot.replies` finds the words."""

from enum import StrEnum


class No(StrEnum):
    """The reasons that have to do with tables, seats and time."""

    NO_SUCH_TABLE = "NO_SUCH_TABLE"
    NO_TABLE_HERE = "NO_TABLE_HERE"
    CHANNEL_BUSY = "CHANNEL_BUSY"
    ALREADY_SEATED = "ALREADY_SEATED"
    JOIN_FIRST = "JOIN_FIRST"
    NOT_SEATED = "NOT_SEATED"
    TABLE_FULL = "TABLE_FULL"
    NOT_HOST = "NOT_HOST"
    ALONE = "ALONE"
    NOT_STARTED = "NOT_STARTED"
    ALREADY_STARTED = "ALREADY_STARTED"
    LEAVE_MEANS_RESIGN = "LEAVE_MEANS_RESIGN"
    FINISHED = "FINISHED"
    CLOSED = "CLOSED"
    STALE = "STALE"
    UNKNOWN_BUTTON = "UNKNOWN_BUTTON"
    UNREADABLE_TILE = "UNREADABLE_TILE"
    UNREADABLE_PLACE = "UNREADABLE_PLACE"
    WHICH_WAY = "WHICH_WAY"
    WHICH_PLACE = "WHICH_PLACE"
    NO_SUCH_PLACE = "NO_SUCH_PLACE"
    TOO_MANY_COMPUTERS = "TOO_MANY_COMPUTERS"
    NO_SUCH_PRESET = "NO_SUCH_PRESET"
    NO_SUCH_THEME = "NO_SUCH_THEME"
    BAD_OPTION = "BAD_OPTION"
    MISSING_PERMISSION = "MISSING_PERMISSION"
    NOT_HERE = "NOT_HERE"
    CHANNEL_THERE = "CHANNEL_THERE"


class Refused(Exception):  # noqa: N818 - an answer, not an error
    """The table says no. `facts` has what the sentence needs."""

    def __init__(self, why: No, **facts: object) -> None:
        super().__init__(why.value, facts)
        self.why = why
        self.facts = facts
