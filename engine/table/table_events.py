"""What happened around a match. Facts with their results, folded by `engine.table.evolve`; one log holds these and the
match's own.

In memory an event names people by Discord's numbers. The store writes small numbers of its own in their place
(`engine.table.people`), so that a person can be forgotten and every log still folds.
"""

from dataclasses import replace
from typing import Final, Literal, get_args

from engine.board.tiles import Tile
from engine.match.events import Event as MatchEvent
from engine.match.events import fact
from engine.table.clock import Time
from engine.table.refusals import No, Refused
from engine.table.table_state import Clock, Guests, Outage, QuestionKind, SeatRow, Stumble, TableState, Watch
from engine.table.terms import DAY, SETTLES, Pace, Terms, parse_pace

SKEW: Final = 30_000
"""By so many ms the clocks of two machines may differ, and nothing is made of it."""
WAITS: Final = DAY
"""No question waits longer for its answer, and no kept seat for its guest, in ms."""
PAUSES: Final = 30 * DAY
"""No pause that people agreed on is longer, in ms."""


@fact
class SetBack:
    """Whoever wrote before this had a clock that was ahead. Whatever the table says of later than now is of now."""


@fact
class ReadAgain:
    """The log can be read again: since then it could not, the table was set aside, and nobody could play."""

    since: int


PutRight = SetBack | ReadAgain


def set_back(table: TableState, at: int) -> TableState:
    """The table as it would be had nobody written anything that is later than `at`. Waiting begins anew then."""
    pace = parse_pace(table.terms.clock)
    unsettled, question, pause = table.unsettled, table.question, table.pause
    if unsettled is not None:
        unsettled = replace(unsettled, until=min(unsettled.until, at + SETTLES[pace.kind]))
    if question is not None:
        question = replace(question, until=min(question.until, at + WAITS))
    if pause is not None and pause.until is not None:
        pause = replace(pause, until=min(pause.until, at + PAUSES))
    return replace(
        table,
        clock=_clock(table.clock, pace, at),
        unsettled=unsettled,
        question=question,
        pause=pause,
        guests=_guests(table.guests, at),
        opened_at=min(table.opened_at, at),
    )


def _clock(clock: Clock, pace: Pace, at: int) -> Clock:
    watch = clock.watch
    return replace(clock, time=_time(clock.time, watch, at), watch=_watch(watch, pace, at), acted=min(clock.acted, at))


def _time(time: Time, watch: Watch, at: int) -> Time:
    since = time.since
    # The time of somebody who is away begins to run when they are back, and that may well be later.
    if since is not None and (time.seat is None or watch.away.get(time.seat, 0) < since):
        since = min(since, at)
    return replace(time, since=since, credited=min(time.credited, at))


def _watch(watch: Watch, pace: Pace, at: int) -> Watch:
    until = None if watch.until is None else min(watch.until, at + pace.grace)
    return replace(watch, began=min(watch.began, at), told=min(watch.told, at), until=until)


def _guests(guests: Guests, at: int) -> Guests:
    kept = {user: min(until, at + WAITS) for user, until in guests.kept.items()}
    return replace(guests, kept=kept, latest=min(guests.latest, at + WAITS))


OF_MATCH: Final = "match-"
"""What the name of a deal begins with that was a match before; the number of that match is the rest."""


@fact
class DealOpened:
    """The sealed deal of the table is open: everybody may see all of it, and whoever still plays is not compared."""


def is_sealed(table: TableState) -> bool:
    """Whether what happens at a table is for those alone who sit there."""
    return bool(table.terms.deal) and not table.deal_opened


def newly_dealt_to(before: TableState, after: TableState) -> frozenset[int]:
    """The people who see the hands of a match from now on: all who sit there as it begins, and who comes later."""
    if after.state == "lobby":
        return frozenset()
    return after.sitting - (frozenset() if before.state == "lobby" else before.sitting)


def check_full(table: TableState) -> None:
    """Raise Refused(DEAL_SEATS) where seats of a sealed deal are empty: fewer people would be dealt other hands."""
    if table.terms.deal and len(table.seats) < table.terms.seats:
        raise Refused(No.DEAL_SEATS, seats=table.terms.seats)


def check_terms(before: Terms, after: Terms) -> None:
    """Raise Refused(DEAL_FIXED) for a change of what all tables of a sealed deal have in common."""

    def common(terms: Terms) -> tuple[object, ...]:
        rated = terms.deal.startswith(OF_MATCH) and terms.rated
        played = terms.target, terms.preset, dict(terms.options), terms.by_hand
        return terms.deal, terms.game, terms.seats, *played, rated

    if before.deal and common(before) != common(after):
        raise Refused(No.DEAL_FIXED)


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
    """Somebody added to the deals: with the press by which they sat down, or with a word (`engine.match.shuffle`)."""

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
