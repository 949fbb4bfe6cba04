"""What can be asked of a table, by people, moderators, computers and the clock. `engine.table.decide_table` answers."""

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
    """A host opens a table and sits down with some computers; it begins at once when they fill it."""

    terms: Terms
    host: int
    computers: tuple[str, ...] = ()
    """The players of the computer seats."""
    guests: tuple[int, ...] = ()
    """For whom seats are kept."""
    word: str = ""
    """What the host adds to the deals instead of the press itself."""
    beside: tuple[int, ...] = ()
    """People who sit down with the host, in order: they agreed to that before, as in a league."""


@fact
class Join:
    """A person sits down on the first free seat, or takes the one kept for them; the last one begins the match."""

    user: int
    revised: int | None = None
    """The last change of the terms that they had seen, where that is known."""
    word: str = ""
    """What they add to the deals instead of the press itself."""


@fact
class AddWord:
    """Somebody who sits there has a word of their own in the deals; until the match begins it can be another one."""

    user: int
    word: str


@fact
class AddComputer:
    """Somebody who sits there puts a computer on the first free seat."""

    by: int
    level: str = GREEDY
    """Its player."""


@fact
class Leave:
    """Somebody gets up before the match. The host's part goes to the next person; a table without people closes.

    Whoever is about to be forgotten resigns from a match that runs.
    """

    user: int
    forgotten: bool = False


@fact
class KeepSeats:
    """The host keeps seats for people, who are called once and have a day to take them."""

    by: int
    users: tuple[int, ...]


@fact
class Decline:
    """Somebody does not want the seat that is kept for them."""

    user: int


@fact
class OpenKept:
    """The host lets anybody have the seats that are kept: that of one person, or all."""

    by: int
    user: int | None = None


@fact
class Remove:
    """The host has somebody get up who does not come back, or a computer (None), or keeps no seat for them."""

    by: int
    user: int | None
    level: str | None = None
    """Which of the computers: the last one of this level; None: the last one of all."""


@fact
class ChangeTerms:
    """The host changes what is played; `change` makes the new terms from those that hold by then."""

    by: int
    change: Callable[[Terms], Terms]


@fact
class CloseTable:
    """The host wants no match after all."""

    by: int


@fact
class Start:
    """The host begins with the seats that are taken."""

    by: int


@fact
class MoveTable:
    """Somebody who sits there brings the table to another channel."""

    by: int
    channel: int


@fact
class GiveWay:
    """Somebody opens another table in the channel: this one goes on in a thread, or ends where there is none."""

    thread: int | None = None


@fact
class Act:
    """A person acts in the match; `action` makes it for the seat they sit on. A button was made at `expected`."""

    user: int
    action: Callable[[int], Action]
    expected: int | None = None


@fact
class ActFor:
    """A computer acts, for its own seat, a person's or a program's. `expected` is where the table stood when it chose,
    `instead` why the program did not.
    """

    action: Action
    expected: int
    instead: Stumble | None = None


@fact
class RunDue:
    """The clock does what is due, if it still is."""

    due: Due


@fact
class Look:
    """Whoever is to move looks at their hand: what the seat before them placed stands from then on."""

    user: int


@fact
class Rearm:
    """Whoever is to move has set when they are reminded, or time is to be given back to them."""


@fact
class ChooseAbsence:
    """Somebody says what is to be done about a silent player; `asked` is the event at which they were asked."""

    user: int
    choice: Choice
    asked: int | None


@fact
class ComeBack:
    """Somebody the computer plays for, or whose time ran out, is there again."""

    user: int


@fact
class GoAway:
    """Somebody goes on vacation until then, or is back (0). `told` is what the table is told, as `Away` has it."""

    user: int
    until: int
    told: str


@fact
class Ask:
    """Somebody wants the match to end without a result or to pause, their last placement back, or another `person` to
    go on with a seat: their own, or that of `owner`.
    """

    user: int
    kind: QuestionKind
    person: int | None = None
    owner: int | None = None


@fact
class GoOn:
    """Somebody who plays ends the pause that was agreed on."""

    user: int


@fact
class Answer:
    """Somebody says yes or no to the question with this number. The asker's no withdraws it."""

    user: int
    number: int | None
    yes: bool


@fact
class Lapse:
    """The time of the question with this number is over."""

    number: int


@fact
class RestoreQuarantined:
    """The log can be read again that could not since then: the table goes on."""

    since: int


@fact
class Rule:
    """A moderator closes a table, stops a match or lets it go on, or has the computer take the running turn."""

    what: Ruling
    by: int
    reason: str


Seating = Open | Join | AddWord | AddComputer | Leave | Start | MoveTable | GiveWay
Hosting = KeepSeats | Decline | OpenKept | Remove | ChangeTerms | CloseTable
Playing = Act | ActFor | Look | RunDue | Rearm | ChooseAbsence | ComeBack | GoAway
Command = Seating | Hosting | Playing | Ask | Answer | GoOn | RestoreQuarantined | Lapse | Rule
