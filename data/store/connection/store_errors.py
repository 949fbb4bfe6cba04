"""Errors of the store, with the facts for the answer to the user."""

from typing import Literal


class StoreUnavailable(Exception):  # noqa: N818 - the name says what happened
    """The database cannot be opened. The text is one sentence: which one, why, and what to do.

    `is_transient`: it may work later without a change of configuration, for example when its server has started.
    """

    def __init__(self, text: str, *, is_transient: bool = False) -> None:
        super().__init__(text)
        self.is_transient = is_transient


class CopyError(Exception):
    """A database was not copied or replaced. The text says why and what to do."""


class DatabaseOwnerError(Exception):
    """The database belongs to another application or was moved. The text says which, and what to do."""


class StoreClosed(Exception):  # noqa: N818
    """The store was closed before this call, which did nothing."""

    def __init__(self) -> None:
        super().__init__("the store is closed")


class StaleVersion(Exception):  # noqa: N818
    """The match has changed since the caller read it. `head_seq` is its current seq."""

    def __init__(self, head_seq: int) -> None:
        super().__init__(f"the match is at {head_seq}")
        self.head_seq = head_seq


class RepeatedRequest(Exception):  # noqa: N818
    """This interaction was already processed: it moved match `match_id` to `seq`."""

    def __init__(self, match_id: int, seq: int) -> None:
        super().__init__(f"already done: match {match_id} at {seq}")
        self.match_id = match_id
        self.seq = seq


class ChannelBusy(Exception):  # noqa: N818
    """The channel already has a lobby or a running match: `match_id`."""

    def __init__(self, match_id: int) -> None:
        super().__init__(f"match {match_id} is in this channel")
        self.match_id = match_id


class TooManyMatches(Exception):  # noqa: N818
    """A player or a guild (`scope`) has as many running matches as allowed."""

    def __init__(self, scope: Literal["person", "server"], limit: int) -> None:
        super().__init__(f"no more than {limit} matches of a {scope}")
        self.scope = scope
        self.limit = limit


class DealAlreadyPlayed(Exception):  # noqa: N818
    """A user would play a duplicate deal that they have played at another table."""

    def __init__(self, user_id: int) -> None:
        super().__init__(f"{user_id} has sat at another table of this deal")
        self.user_id = user_id


class DealClosed(Exception):  # noqa: N818
    """A duplicate deal accepts no more tables: it is open ("over"), or has all its tables ("full")."""

    def __init__(self, reason: Literal["over", "full"]) -> None:
        super().__init__(f"no table of this deal any more: {reason}")
        self.reason = reason


class UnknownMatch(LookupError):  # noqa: N818
    """There is no such match."""

    def __init__(self, match_id: int) -> None:
        super().__init__(f"there is no match {match_id}")
        self.match_id = match_id


class DamagedLog(Exception):  # noqa: N818
    """A row of a match's log is damaged, or was written by a newer version of the program."""

    def __init__(self, match_id: int, seq: int, reason: str, *, is_newer: bool = False) -> None:
        super().__init__(f"event {seq} of match {match_id} cannot be read: {reason}")
        self.match_id = match_id
        self.seq = seq
        self.is_newer = is_newer
        """Whether its kind is unknown, so that it may come from a newer version."""
