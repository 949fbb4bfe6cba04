"""What happened around a match. Facts with their results, folded by `engine.table.evolve`; one log holds these and the
match's own.

In memory an event names people by Discord's numbers. The store writes small numbers of its own in their place
(`engine.table.people`), so that a person can be forgotten and every log still folds.
"""

from dataclasses import dataclass
from typing import Final, Literal

from engine.events import Event as MatchEvent
from engine.table.state import Clock, Outage, Pause, Question, QuestionKind, SeatRow
from engine.table.terms import Terms
from engine.tiles import Tile

Choice = Literal["wait", "turn", "seat", "end"]
"""What the others can do about a silent player: give them as much time again, let the computer take that turn or the
seat until they are back, or end the match."""

Begins = Literal["next", "back", "anew"]
"""How a turn begins: after the one before it; because placements were taken back; anew, for somebody else there."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The table is there, and somebody sits at it."""

    terms: Terms
    host: int | None
    seats: tuple[SeatRow, ...]


@dataclass(frozen=True, slots=True)
class Joined:
    """A person took the next seat."""

    user: int | None


@dataclass(frozen=True, slots=True)
class Seated:
    """A computer took the next seat."""

    computer: str


@dataclass(frozen=True, slots=True)
class Left:
    """Somebody got up before the match; the seats behind them move up. Where it was the host, there is another one."""

    seat: int


@dataclass(frozen=True, slots=True)
class Moved:
    """The board lives in another channel."""

    channel: int


@dataclass(frozen=True, slots=True)
class Closed:
    """The table is over without a result. `seat` is whose act it was, where it was somebody's."""

    reason: str
    seat: int | None = None
    agreed: bool = False
    """Whether everybody had been asked."""


@dataclass(frozen=True, slots=True)
class TurnBegan:
    """A turn begins, and its time runs."""

    seat: int
    height: int
    """How many placements and passes can be taken back by now."""
    how: Begins = "next"


@dataclass(frozen=True, slots=True)
class Reminded:
    """Whoever is to move was reminded."""

    seat: int
    main: bool
    """Whether it was the one reminder that every turn has."""


@dataclass(frozen=True, slots=True)
class RanOut:
    """The time of a seat ran out."""

    seat: int


@dataclass(frozen=True, slots=True)
class ChoiceAsked:
    """The others are asked what to do about a silent player."""

    seat: int
    until: int


@dataclass(frozen=True, slots=True)
class ChoiceMade:
    """What is done about a silent player."""

    seat: int
    choice: Choice
    how: Literal["chosen", "default", "returned"]
    """The others chose it; the terms say it; the player is there again."""


@dataclass(frozen=True, slots=True)
class Granted:
    """A turn gets as much time again: its player acts after all, or is excused by a vacation."""

    seat: int


@dataclass(frozen=True, slots=True)
class Heard:
    """Somebody who had been silent acts: their silences are forgotten."""

    seat: int


@dataclass(frozen=True, slots=True)
class Returned:
    """Somebody the computer plays for is there again."""

    seat: int


@dataclass(frozen=True, slots=True)
class Away:
    """Somebody is on vacation until then; 0: is not any more."""

    seat: int
    until: int
    told: str = ""
    """What the table is told of it, as the end of a key of `notice.`; empty is nothing."""


@dataclass(frozen=True, slots=True)
class Credited:
    """Time in which nobody could play was given back."""

    outages: tuple[Outage, ...]


@dataclass(frozen=True, slots=True)
class Rearmed:
    """When the clock acts next has changed, with what somebody has set."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The people at the table are asked for something. Who has to agree stands in `asked`."""

    kind: QuestionKind
    by: int
    seat: int
    until: int
    asked: tuple[int, ...] = ()
    person: int | None = None
    tile: Tile | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """Somebody answered the open question: a seat, or whoever is to sit down (None)."""

    seat: int | None
    yes: bool


@dataclass(frozen=True, slots=True)
class Lapsed:
    """Nobody settled the open question in its time."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """Somebody else goes on with a seat."""

    seat: int
    user: int | None


@dataclass(frozen=True, slots=True)
class Stopped:
    """A moderator closed the table."""

    by: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Paused:
    """A moderator stopped the match: no time runs, and nobody can act."""

    by: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Resumed:
    """A moderator let it go on."""

    by: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """A moderator has the computer take the running turn."""

    by: int | None
    reason: str
    seat: int | None


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Somebody the table had to do with is not known any more: what was decided before that is stale."""


@dataclass(frozen=True, slots=True)
class Carried:
    """What the log of an earlier version does not tell, and that version knew: how the table stands here."""

    clock: Clock
    question: Question | None = None
    pause: Pause | None = None
    moved: int = 0


@dataclass(frozen=True, slots=True)
class Noted:
    """Something around the table of which an earlier version wrote only that it happened."""

    what: str


TableEvent = (
    Opened
    | Joined
    | Seated
    | Left
    | Moved
    | Closed
    | TurnBegan
    | Reminded
    | RanOut
    | ChoiceAsked
    | ChoiceMade
    | Granted
    | Heard
    | Returned
    | Away
    | Credited
    | Rearmed
    | Asked
    | Answered
    | Lapsed
    | Replaced
    | Stopped
    | Paused
    | Resumed
    | Skipped
    | Forgotten
    | Carried
    | Noted
)

LogEvent = TableEvent | MatchEvent
"""Whatever stands in the log of a table."""

CALM: Final = (
    Reminded,
    RanOut,
    Granted,
    Heard,
    Returned,
    ChoiceMade,
    Away,
    Credited,
    Rearmed,
    Asked,
    Answered,
    Lapsed,
    Replaced,
    Paused,
    Resumed,
    Carried,
)
"""After these the table is as it was: buttons made before are still good."""

MODERATED: Final = (Stopped, Paused, Resumed, Skipped)
"""A moderator's acts."""
