"""Commands to a table from users, moderators, computers and the clock. `engine.table.decide_table` decides them."""

from collections.abc import Callable
from typing import Literal

from engine.match.actions import Action
from engine.match.events import value_class
from engine.table.table_events import Choice
from engine.table.table_state import Due, PremoveChoice, QuestionKind, Stumble
from engine.table.terms import GREEDY, Terms

Ruling = Literal["stop", "pause", "resume", "skip"]


@value_class
class OpenTable:
    """Open a table with its host and computers; a full table begins at once."""

    terms: Terms
    host: int
    computers: tuple[str, ...] = ()  # player names of the computer seats
    guests: tuple[int, ...] = ()  # user ids that get reserved seats
    word: str = ""  # the host's entropy instead of the interaction id
    companions: tuple[int, ...] = ()  # users who sit down with the host, in order: they agreed before, as in a league


@value_class
class Join:
    """Take the first free seat, or the one reserved for this user; the last seat begins the match."""

    user: int
    revised: int | None = None  # last change of the terms that the user has seen, if known
    word: str = ""  # entropy instead of the interaction id


@value_class
class AddWord:
    """Add a word of a seated player to the deals; it can change until the match begins."""

    user: int
    word: str


@value_class
class AddComputer:
    """A seated player adds a computer on the first free seat."""

    by: int
    level: str = GREEDY  # player name


@value_class
class LeaveTable:
    """Leave a lobby. The next player becomes the host; a table without users closes. `deletes_data` deletes the user's
    data, which also resigns from a running match.
    """

    user: int
    deletes_data: bool = False


@value_class
class ReserveSeats:
    """The host reserves seats for users, who are invited once and have a day to accept."""

    by: int
    users: tuple[int, ...]


@value_class
class DeclineSeat:
    user: int


@value_class
class OpenReservedSeats:
    """The host opens the reserved seat of one user, or all of them, to everyone."""

    by: int
    user: int | None = None


@value_class
class RemovePlayer:
    """The host removes a user (who cannot rejoin), a computer (None) or a reserved seat."""

    by: int
    user: int | None
    level: str | None = None  # remove the last computer of this level; None: the last computer of all


@value_class
class ChangeTerms:
    """The host changes the terms; `change` makes the new terms from the current ones."""

    by: int
    change: Callable[[Terms], Terms]


@value_class
class CloseTable:
    by: int


@value_class
class StartMatch:
    """The host begins with the taken seats."""

    by: int


@value_class
class MoveTable:
    """A seated player moves the table to another channel."""

    by: int
    channel: int


@value_class
class VacateChannel:
    """Leave the channel to a new table: continue in a thread, or close if there is none."""

    thread: int | None = None


@value_class
class TakeAction:
    """A player acts; `action` makes the action for their seat. `expected` is the event at which a button was made,
    `then` the bonus that the player has already chosen.
    """

    user: int
    action: Callable[[int], Action]
    expected: int | None = None
    then: PremoveChoice = ""


@value_class
class TakeComputerAction:
    """A computer acts for its own seat, an absent player or a program. `expected` is the event at which it chose,
    `stumble` the reason why the program did not move.
    """

    action: Action
    expected: int
    stumble: Stumble | None = None


@value_class
class RunDue:
    """Do what the clock is due to do."""

    due: Due


@value_class
class ViewHand:
    """A player looks at their hand; if it is their turn, the placement before it becomes final."""

    user: int


@value_class
class Rearm:
    """Recompute the due moment after changed reminder settings or an outage."""


@value_class
class ChooseAbsence:
    """A player chooses what happens to a silent player; `asked` is the event of the question."""

    user: int
    choice: Choice
    asked: int | None


@value_class
class NoteDeparture:
    """The player to move has left the server."""

    user: int


@value_class
class ReturnToSeat:
    """Return after a stand-in or a timeout."""

    user: int


@value_class
class SetVacation:
    """Start a vacation until then, or end it (0). `notice` is the announcement, as in `Away`."""

    user: int
    until: int
    notice: str


@value_class
class AskPlayers:
    """Ask to end without a result, pause, undo the last placement, or hand a seat to `person`. The seat is the user's
    own, or that of `owner`.
    """

    user: int
    kind: QuestionKind
    person: int | None = None
    owner: int | None = None


@value_class
class EndPause:
    """A player ends a pause that the players agreed on."""

    user: int


@value_class
class AnswerQuestion:
    """Answer the question with this number. The asker's no withdraws it."""

    user: int
    number: int | None
    yes: bool


@value_class
class ExpireQuestion:
    """Let the question with this number time out."""

    number: int


@value_class
class RestoreQuarantined:
    """Continue a quarantined table whose log is readable again; `since` is when it was quarantined."""

    since: int


@value_class
class Moderate:
    """A moderator closes a table, pauses or resumes a match, or has the computer take the running turn."""

    ruling: Ruling
    by: int
    reason: str


SeatingCommand = OpenTable | Join | AddWord | AddComputer | LeaveTable | StartMatch | MoveTable | VacateChannel
HostingCommand = ReserveSeats | DeclineSeat | OpenReservedSeats | RemovePlayer | ChangeTerms | CloseTable
PlayingCommand = (
    TakeAction
    | TakeComputerAction
    | ViewHand
    | RunDue
    | Rearm
    | ChooseAbsence
    | NoteDeparture
    | ReturnToSeat
    | SetVacation
)
Command = (
    SeatingCommand
    | HostingCommand
    | PlayingCommand
    | AskPlayers
    | AnswerQuestion
    | EndPause
    | RestoreQuarantined
    | ExpireQuestion
    | Moderate
)
