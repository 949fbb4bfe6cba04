"""What can be asked of a table, by people, moderators, computers and the clock. `engine.table.decide` answers."""

from collections.abc import Callable
from dataclasses import dataclass

from engine.actions import Action
from engine.table.events import Choice
from engine.table.state import Due, Outage
from engine.table.terms import Terms


@dataclass(frozen=True, slots=True)
class Open:
    """A host opens a table and sits down with some computers; it begins at once when they fill it."""

    terms: Terms
    host: int
    computers: int


@dataclass(frozen=True, slots=True)
class Join:
    """A person sits down on the first free seat; the last one to do so begins the match."""

    user: int


@dataclass(frozen=True, slots=True)
class AddComputer:
    """Somebody who sits there puts a computer on the first free seat."""

    by: int


@dataclass(frozen=True, slots=True)
class Leave:
    """Somebody gets up before the match. The host's part goes to the next person; a table without people closes."""

    user: int


@dataclass(frozen=True, slots=True)
class Depart:
    """Somebody is about to be forgotten: they leave the lobby, or resign."""

    user: int


@dataclass(frozen=True, slots=True)
class Start:
    """The host begins with the seats that are taken."""

    by: int


@dataclass(frozen=True, slots=True)
class Expire:
    """Nobody began in time."""


@dataclass(frozen=True, slots=True)
class Move:
    """Somebody who sits there brings the table to another channel."""

    by: int
    channel: int


@dataclass(frozen=True, slots=True)
class Act:
    """A person acts in the match; `action` makes the act for the seat they sit on.

    `expected` is the event that a button was made at.
    """

    user: int
    action: Callable[[int], Action]
    expected: int | None = None


@dataclass(frozen=True, slots=True)
class ActFor:
    """A computer acts, for its own seat or for a person's. `expected` is where the table stood when it chose."""

    action: Action
    expected: int


@dataclass(frozen=True, slots=True)
class RunDue:
    """The clock does what is due, if it still is."""

    due: Due


@dataclass(frozen=True, slots=True)
class ChooseAbsence:
    """Somebody says what is to be done about a silent player; `asked` is the event at which they were asked."""

    user: int
    choice: Choice
    asked: int | None


@dataclass(frozen=True, slots=True)
class ComeBack:
    """Somebody the computer plays for, or whose time ran out, is there again."""

    user: int


@dataclass(frozen=True, slots=True)
class GoAway:
    """Somebody goes on vacation until then, or is back (0). `told` is what the table is told, as `Away` has it."""

    user: int
    until: int
    told: str


@dataclass(frozen=True, slots=True)
class Rearm:
    """Whoever is to move has set when they are reminded."""


@dataclass(frozen=True, slots=True)
class Credit:
    """Time in which nobody could play is to be given back."""

    outages: tuple[Outage, ...]


@dataclass(frozen=True, slots=True)
class AskAbort:
    """Somebody wants the match to end without a result."""

    user: int


@dataclass(frozen=True, slots=True)
class AskUndo:
    """Somebody wants their last placement back, with all that others placed since."""

    user: int


@dataclass(frozen=True, slots=True)
class AskSubstitute:
    """Another person is to go on with a seat: one's own (`owner` None), or that of `owner`, who agrees or is absent."""

    user: int
    person: int
    owner: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """Somebody says yes or no to the question with this number. The asker's no withdraws it."""

    user: int
    number: int | None
    yes: bool


@dataclass(frozen=True, slots=True)
class Lapse:
    """The time of the question with this number is over."""

    number: int


@dataclass(frozen=True, slots=True)
class Stop:
    """A moderator closes a lobby, or ends a match without a result."""

    by: int
    reason: str


@dataclass(frozen=True, slots=True)
class PauseMatch:
    """A moderator stops a match: no time runs, and nobody can act."""

    by: int
    reason: str


@dataclass(frozen=True, slots=True)
class ResumeMatch:
    """A moderator lets it go on."""

    by: int
    reason: str


@dataclass(frozen=True, slots=True)
class SkipTurn:
    """A moderator has the computer take the turn of whoever is to move."""

    by: int
    reason: str


Command = (
    Open
    | Join
    | AddComputer
    | Leave
    | Depart
    | Start
    | Expire
    | Move
    | Act
    | ActFor
    | RunDue
    | ChooseAbsence
    | ComeBack
    | GoAway
    | Rearm
    | Credit
    | AskAbort
    | AskUndo
    | AskSubstitute
    | Answer
    | Lapse
    | Stop
    | PauseMatch
    | ResumeMatch
    | SkipTurn
)
