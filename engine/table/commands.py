"""Commands to a table from users, moderators, computers and the clock. `engine.table.decide_table` decides them."""

from collections.abc import Callable
from typing import Literal

from engine.match.actions import Action
from engine.match.events import fact
from engine.table.table_events import Choice
from engine.table.table_state import Due, QuestionKind, Stumble
from engine.table.terms import GREEDY, Terms

Ruling = Literal["stop", "pause", "resume", "skip"]


@fact
class Open:
    """Open a table with its host and computers; a full table begins at once."""

    terms: Terms
    host: int
    computers: tuple[str, ...] = ()  # player names of the computer seats
    guests: tuple[int, ...] = ()  # user ids that get reserved seats
    word: str = ""  # the host's entropy instead of the interaction id
    beside: tuple[int, ...] = ()  # users who sit down with the host, in order: they agreed before, as in a league


@fact
class Join:
    """Take the first free seat, or the one reserved for this user; the last seat begins the match."""

    user: int
    revised: int | None = None  # last change of the terms that the user has seen, if known
    word: str = ""  # entropy instead of the interaction id


@fact
class AddWord:
    """Add a word of a seated player to the deals; it can change until the match begins."""

    user: int
    word: str


@fact
class AddComputer:
    """A seated player adds a computer on the first free seat."""

    by: int
    level: str = GREEDY  # player name


@fact
class Leave:
    """Leave a lobby. The next player becomes the host; a table without users closes. `forgotten` deletes the user's
    data, which also resigns from a running match.
    """

    user: int
    forgotten: bool = False


@fact
class KeepSeats:
    """The host reserves seats for users, who are invited once and have a day to accept."""

    by: int
    users: tuple[int, ...]


@fact
class Decline:
    """Decline a reserved seat."""

    user: int


@fact
class OpenKept:
    """The host opens the reserved seat of one user, or all of them, to everyone."""

    by: int
    user: int | None = None


@fact
class Remove:
    """The host removes a user (who cannot rejoin), a computer (None) or a reserved seat."""

    by: int
    user: int | None
    level: str | None = None  # remove the last computer of this level; None: the last computer of all


@fact
class ChangeTerms:
    """The host changes the terms; `change` makes the new terms from the current ones."""

    by: int
    change: Callable[[Terms], Terms]


@fact
class CloseTable:
    """The host closes the lobby."""

    by: int


@fact
class Start:
    """The host begins with the taken seats."""

    by: int


@fact
class MoveTable:
    """A seated player moves the table to another channel."""

    by: int
    channel: int


@fact
class GiveWay:
    """Leave the channel to a new table: continue in a thread, or close if there is none."""

    thread: int | None = None


@fact
class Act:
    """A player acts; `action` makes the action for their seat. `expected` is the event at which a button was made."""

    user: int
    action: Callable[[int], Action]
    expected: int | None = None


@fact
class ActFor:
    """A computer acts for its own seat, an absent player or a program. `expected` is the event at which it chose,
    `instead` the reason why the program did not move.
    """

    action: Action
    expected: int
    instead: Stumble | None = None


@fact
class RunDue:
    """Do what the clock is due to do."""

    due: Due


@fact
class Look:
    """A player looks at their hand; if it is their turn, the placement before it becomes final."""

    user: int


@fact
class Rearm:
    """Recompute the due moment after changed reminder settings or an outage."""


@fact
class ChooseAbsence:
    """A player chooses what happens to a silent player; `asked` is the event of the question."""

    user: int
    choice: Choice
    asked: int | None


@fact
class ComeBack:
    """Return after a stand-in or a timeout."""

    user: int


@fact
class GoAway:
    """Start a vacation until then, or end it (0). `told` is the announcement, as in `Away`."""

    user: int
    until: int
    told: str


@fact
class Ask:
    """Ask to end without a result, pause, undo the last placement, or hand a seat to `person`. The seat is the user's
    own, or that of `owner`.
    """

    user: int
    kind: QuestionKind
    person: int | None = None
    owner: int | None = None


@fact
class GoOn:
    """A player ends a pause that the players agreed on."""

    user: int


@fact
class Answer:
    """Answer the question with this number. The asker's no withdraws it."""

    user: int
    number: int | None
    yes: bool


@fact
class Lapse:
    """Let the question with this number time out."""

    number: int


@fact
class RestoreQuarantined:
    """Continue a quarantined table whose log is readable again; `since` is when it was quarantined."""

    since: int


@fact
class Rule:
    """A moderator closes a table, pauses or resumes a match, or has the computer take the running turn."""

    what: Ruling
    by: int
    reason: str


Seating = Open | Join | AddWord | AddComputer | Leave | Start | MoveTable | GiveWay
Hosting = KeepSeats | Decline | OpenKept | Remove | ChangeTerms | CloseTable
Playing = Act | ActFor | Look | RunDue | Rearm | ChooseAbsence | ComeBack | GoAway
Command = Seating | Hosting | Playing | Ask | Answer | GoOn | RestoreQuarantined | Lapse | Rule
