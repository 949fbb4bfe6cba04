"""What the store refuses, with the facts a caller needs to answer a person."""

from typing import Literal


class StoreUnavailable(Exception):  # noqa: N818 - the name says what happened
    """The database cannot be opened. The text is one sentence that says which one, why, and what to do.

    `passes` says that it may be otherwise in a while, with nobody changing what is configured: its server is not up
    yet, another program holds its file, the disk is full.
    """

    def __init__(self, told: str, *, passes: bool = False) -> None:
        super().__init__(told)
        self.passes = passes


class OtherApplication(Exception):  # noqa: N818
    """The database belongs to the bot of another application, or is at home elsewhere by now. The text says which, and
    what to do.
    """


class StoreClosed(Exception):  # noqa: N818
    """The store was closed, which is the last that a process does with it: this came too late and did nothing."""

    def __init__(self) -> None:
        super().__init__("the store is closed")


class Stale(Exception):  # noqa: N818
    """The match has moved on since the caller read it. `head_seq` is where it stands now."""

    def __init__(self, head_seq: int) -> None:
        super().__init__(f"the match is at {head_seq}")
        self.head_seq = head_seq


class Repeated(Exception):  # noqa: N818
    """This interaction has had its effect already: it took match `match_id` to `seq`."""

    def __init__(self, match_id: int, seq: int) -> None:
        super().__init__(f"already done: match {match_id} at {seq}")
        self.match_id = match_id
        self.seq = seq


class ChannelBusy(Exception):  # noqa: N818
    """The channel has a lobby or a running match already: `match_id`."""

    def __init__(self, match_id: int) -> None:
        super().__init__(f"match {match_id} is in this channel")
        self.match_id = match_id


class TooMany(Exception):  # noqa: N818
    """A person sits at as many running matches of a server as allowed (`whose` "person"), or the server has so many."""

    def __init__(self, whose: Literal["person", "server"], most: int) -> None:
        super().__init__(f"no more than {most} matches of a {whose}")
        self.whose = whose
        self.most = most


class DealSeen(Exception):  # noqa: N818
    """Somebody would sit at a table of a sealed deal who has sat at another."""

    def __init__(self, user_id: int) -> None:
        super().__init__(f"{user_id} has sat at another table of this deal")
        self.user_id = user_id


class DealClosed(Exception):  # noqa: N818
    """A table of a sealed deal comes too late: the deal is open by now ("over"), or has its tables ("full")."""

    def __init__(self, why: Literal["over", "full"]) -> None:
        super().__init__(f"no table of this deal any more: {why}")
        self.why = why


class UnknownMatch(LookupError):  # noqa: N818
    """There is no such match."""

    def __init__(self, match_id: int) -> None:
        super().__init__(f"there is no match {match_id}")
        self.match_id = match_id


class LogDamaged(Exception):  # noqa: N818
    """A row of a match's log cannot be read: damaged, or written by a newer version of the program."""

    def __init__(self, match_id: int, seq: int, reason: str, *, newer: bool = False) -> None:
        super().__init__(f"event {seq} of match {match_id} cannot be read: {reason}")
        self.match_id = match_id
        self.seq = seq
        self.newer = newer
        """Whether it may well be of a newer version: it is of a kind that this one does not know."""
