"""What happened around a match. Facts with their results, folded by `engine.table.evolve`; one log holds these and the
match's own.

In memory an event names people by Discord's numbers. The store writes small numbers of its own in their place
(`engine.table.people`), so that a person can be forgotten and every log still folds.
"""

from typing import Final, Literal, get_args

from engine.events import Event as MatchEvent
from engine.events import fact
from engine.table.sealed import DealOpened
from engine.table.set_back import PutRight
from engine.table.state import Outage, QuestionKind, SeatRow, Stumble
from engine.table.terms import Terms
from engine.tiles import Tile

Choice = Literal["wait", "turn", "seat", "end"]
"""What the others can do about a silent player: give them as much time again, let the computer take that turn or the
seat until they are back, or end the match."""

Begins = Literal["next", "back", "anew"]
"""How a turn begins: after the one before it; because placements were taken back; anew, for somebody else there."""


@fact
class Opened:
    """The table is there, and somebody sits at it."""

    terms: Terms
    host: int | None
    seats: tuple[SeatRow, ...]
    commitment: str = ""
    """SHA-256 of the secret behind its deals, in hex: whoever sits down can know it before."""


@fact
class Joined:
    """A person took the next seat, or a computer by its player's name."""

    user: int | None
    computer: str | None = None


@fact
class Contributed:
    """Somebody added to the deals: with the press by which they sat down, or with a word (`engine.shuffle`)."""

    seat: int
    text: str


@fact
class Left:
    """Somebody got up before the match; the seats behind them move up. Where it was the host, there is another one."""

    seat: int


@fact
class Kept:
    """Seats are kept for these people until then, and they are called, unless they have been before."""

    users: tuple[int | None, ...]
    until: int
    calls: bool = True


@fact
class Freed:
    """No seats are kept for these people any more."""

    users: tuple[int | None, ...]
    how: Literal["declined", "lapsed", "opened"]
    """They said no; their time was over; the host let anybody have them."""


@fact
class Removed:
    """The host had somebody get up, or took a computer away. A person does not sit down there again uninvited."""

    seat: int


@fact
class Revised:
    """The host changed what is going to be played."""

    terms: Terms


@fact
class Moved:
    """The board lives in another channel."""

    channel: int
    made_way: bool = False
    """Whether it left its own to another table."""


@fact
class Closed:
    """The table is over without a result. `seat` is whose act it was, where it was somebody's."""

    reason: str
    seat: int | None = None
    agreed: bool = False
    """Whether everybody had been asked."""


@fact
class TurnBegan:
    """A turn begins, and its time runs."""

    seat: int
    height: int
    """How many placements and passes can be taken back by now."""
    how: Begins = "next"


@fact
class Tentative:
    """A seat has ended its turn, and may take that back alone until then: what follows has to wait."""

    seat: int
    until: int
    used: int
    """What it had used of its time by then, in ms."""


@fact
class Settled:
    """What was tentative stands; what follows from it is next."""

    by: int | None = None
    """The seat whose person wanted to go on, where it is theirs to move: they are there. None: it was time, or it had
    to be for something else.
    """


@fact
class Reminded:
    """Whoever is to move was reminded."""

    seat: int
    main: bool
    """Whether it was the one reminder that every turn has."""


@fact
class RanOut:
    """The time of a seat ran out."""

    seat: int


@fact
class ChoiceAsked:
    """The others are asked what to do about a silent player."""

    seat: int
    until: int


@fact
class ChoiceMade:
    """What is done about a silent player."""

    seat: int
    choice: Choice
    how: Literal["chosen", "default", "returned"]
    """The others chose it; the terms say it; the player is there again."""
    span: int | None = None
    """The time that whoever is there again has by it, in ms; None is as much again."""


@fact
class EndWished:
    """Somebody who is present would have the match end, because of the silent player: all who are must."""

    seat: int
    silent: int
    waiting: tuple[int, ...]
    """Who has yet to say so."""


@fact
class Granted:
    """A turn goes on after its time: its player acts after all, or is excused by a vacation."""

    seat: int
    span: int
    """For so long, in ms."""


@fact
class Returned:
    """Somebody the computer played for, or who had been silent, is there again. The table is told of the first."""

    seat: int
    told: bool = True


@fact
class Away:
    """Somebody is on vacation until then; 0: is not any more."""

    seat: int
    until: int
    told: str = ""
    """What the table is told of it, as the end of a key of `notice.`; empty is nothing."""


@fact
class Credited:
    """Time in which nobody could play was given back."""

    outages: tuple[Outage, ...]


@fact
class Rearmed:
    """When the clock acts next has changed, with what somebody has set."""


@fact
class Asked:
    """The people at the table are asked for something. Who has to agree stands in `asked`."""

    kind: QuestionKind
    by: int
    seat: int
    until: int
    asked: tuple[int, ...] = ()
    person: int | None = None
    tile: Tile | None = None


@fact
class Answered:
    """Somebody answered the open question: a seat, or whoever is to sit down (None)."""

    seat: int | None
    yes: bool


@fact
class Lapsed:
    """Nobody settled the open question in its time."""


@fact
class Replaced:
    """Somebody else goes on with a seat."""

    seat: int
    user: int | None


@fact
class Stopped:
    """A moderator closed the table."""

    by: int | None
    reason: str


@fact
class Paused:
    """A moderator stopped the match: no time runs, and nobody can act."""

    by: int | None
    reason: str


@fact
class Resumed:
    """A moderator let it go on."""

    by: int | None
    reason: str


@fact
class Skipped:
    """A moderator has the computer take the running turn."""

    by: int | None
    reason: str
    seat: int | None


@fact
class Stumbled:
    """A program made no move that counts, and the computer makes one for it."""

    seat: int
    why: Stumble


@fact
class Forgotten:
    """Somebody the table had to do with is not known any more: what was decided before that is stale."""


@fact
class PauseAgreed:
    """Everybody who plays agreed that the match stands still: no time runs. `seat` is whose yes, or wish, it was."""

    seat: int
    until: int
    """When it goes on by itself."""


@fact
class PauseEnded:
    """It goes on: somebody who plays wants it to, or nobody did in all that time (None)."""

    seat: int | None


Seating = Opened | Joined | Contributed | Left | Moved | Closed | Replaced | Forgotten
Hosting = Kept | Freed | Removed | Revised
Timing = TurnBegan | Tentative | Settled | Reminded | RanOut | Granted | Away | Credited | Rearmed | Stumbled
Silence = ChoiceAsked | ChoiceMade | EndWished | Returned
Asking = Asked | Answered | Lapsed
Pausing = PauseAgreed | PauseEnded
Ruling = Stopped | Paused | Resumed | Skipped
TableEvent = Seating | Hosting | Timing | PutRight | Silence | Asking | Pausing | Ruling | DealOpened

LogEvent = TableEvent | MatchEvent
"""Whatever stands in the log of a table."""

STIRRING: Final = (
    *get_args(Hosting),
    *(Opened, Joined, Left, Moved, Closed, Forgotten, TurnBegan, ChoiceAsked, Stopped, Skipped),
)
CALM: Final = tuple(kind for kind in get_args(TableEvent) if kind not in STIRRING)
"""After these the table is as it was: buttons made before are still good."""

MODERATED: Final = get_args(Ruling)
"""A moderator's acts."""
