"""Events around a match, applied by `engine.table.evolve`; one log has these and the events of the match.

In memory an event has Discord user ids. The store replaces them by small numbers (`engine.table.people`), so that a
user can be deleted and the log still replays.
"""

from dataclasses import replace
from typing import Final, Literal, get_args

from engine.board.tiles import Tile
from engine.match.events import Event as MatchEvent
from engine.match.events import value_class
from engine.table.refusals import Refusal, RefusalError
from engine.table.table_state import Outage, QuestionKind, SeatRow, Stumble, TableState
from engine.table.terms import DAY, UNDO_SPANS, Terms, parse_pace

CLOCK_SKEW: Final = 30_000  # tolerated difference between clocks of two machines, in ms
MAX_WAIT: Final = DAY  # longest wait of a question or a reserved seat, in ms
MAX_PAUSE: Final = 30 * DAY  # longest agreed pause, in ms


@value_class
class SetBack:
    """Times after now become now, because an earlier writer's clock was ahead."""


@value_class
class ReadAgain:
    """The log is readable again; the table was quarantined since then."""

    since: int


CorrectionEvent = SetBack | ReadAgain


def limit_times(table: TableState, at: int) -> TableState:
    """Limit all times to `at` and restart waiting spans, after a writer's clock was ahead."""
    pace, unsettled, question, pause = parse_pace(table.terms.clock), table.tentative_turn, table.question, table.pause
    if unsettled is not None:
        unsettled = replace(unsettled, until=min(unsettled.until, at + UNDO_SPANS[pace.kind]))
    if question is not None:
        question = replace(question, until=min(question.until, at + MAX_WAIT))
    if pause is not None and pause.until is not None:
        pause = replace(pause, until=min(pause.until, at + MAX_PAUSE))
    time, watch, guests = table.clock.time, table.clock.watch, table.guests
    since, until = time.since, None if watch.until is None else min(watch.until, at + pace.grace)
    # The time of an absent player begins when they return, which may be later.
    if since is not None and (time.seat is None or watch.away.get(time.seat, 0) < since):
        since = min(since, at)
    time = replace(time, since=since, credited=min(time.credited, at))
    watch = replace(watch, began=min(watch.began, at), notified_at=min(watch.notified_at, at), until=until)
    kept = {user: min(until, at + MAX_WAIT) for user, until in guests.reserved_until.items()}
    return replace(
        table,
        clock=replace(table.clock, time=time, watch=watch, acted_at=min(table.clock.acted_at, at)),
        tentative_turn=unsettled,
        question=question,
        pause=pause,
        guests=replace(guests, reserved_until=kept, latest=min(guests.latest, at + MAX_WAIT)),
        opened_at=min(table.opened_at, at),
    )


MATCH_DEAL_PREFIX: Final = "match-"  # prefix of a deal that replays a match; its id follows


@value_class
class DealOpened:
    """The sealed deal is open to everyone; later results are not compared."""


def is_sealed(table: TableState) -> bool:
    """Return whether only the seated users may see what happens at a table."""
    return bool(table.terms.deal) and not table.is_deal_open


def list_new_viewers(before: TableState, after: TableState) -> frozenset[int]:
    """Return the users who begin to see hands of the match: all at the start, and later replacements."""
    if after.state == "lobby":
        return frozenset()
    return after.seated_users - (frozenset() if before.state == "lobby" else before.seated_users)


def check_full(table: TableState) -> None:
    """Raise RefusalError(DEAL_SEATS) for empty seats in a sealed deal: fewer seats would get other hands."""
    if table.terms.deal and len(table.seats) < table.terms.seats:
        raise RefusalError(Refusal.DEAL_SEATS, seats=table.terms.seats)


def check_terms(before: Terms, after: Terms) -> None:
    """Raise RefusalError(DEAL_FIXED) for a change of terms that all tables of a sealed deal share."""

    def list_shared_terms(terms: Terms) -> tuple[object, ...]:
        rated = terms.deal.startswith(MATCH_DEAL_PREFIX) and terms.rated
        played = terms.target, terms.preset, dict(terms.options), terms.by_hand
        return terms.deal, terms.game, terms.seats, *played, rated

    if before.deal and list_shared_terms(before) != list_shared_terms(after):
        raise RefusalError(Refusal.DEAL_FIXED)


Choice = Literal["wait", "turn", "seat", "end"]
"""What happens to a silent player: as much time again, a stand-in for the turn or the seat, or the end of the match."""

TurnStart = Literal["next", "back", "anew"]
"""How a turn begins: after the turn before; by an undo; or again for another player."""


@value_class
class Opened:
    """The table is open, with its first seats."""

    terms: Terms
    host: int | None
    seats: tuple[SeatRow, ...]
    commitment: str = ""  # SHA-256 of the secret behind its deals, in hex, so that users can verify them


@value_class
class Joined:
    """A user or a computer (by player name) took the next seat."""

    user: int | None
    computer: str | None = None


@value_class
class Contributed:
    """A seat added entropy: an interaction id or a word (`engine.match.shuffle`)."""

    seat: int
    text: str


@value_class
class Left:
    """A seat left the lobby; the seats behind it move up, and the next player becomes the host if needed."""

    seat: int


@value_class
class Kept:
    """Seats are reserved until then; `calls` is whether the users are invited."""

    users: tuple[int | None, ...]
    until: int
    calls: bool = True


@value_class
class Freed:
    """The reserved seats of these users are free."""

    users: tuple[int | None, ...]
    how: Literal["declined", "lapsed", "opened"]


@value_class
class Removed:
    """The host removed a user, who cannot rejoin uninvited, or a computer."""

    seat: int


@value_class
class Revised:
    terms: Terms


@value_class
class Moved:
    """The board is in another channel."""

    channel: int
    made_way: bool = False  # whether it left its channel to another table


@value_class
class Closed:
    """The table closed without a result. `seat` is the seat of a user who caused it."""

    reason: str
    seat: int | None = None
    agreed: bool = False  # whether all players agreed


@value_class
class TurnBegan:
    """A turn begins, and its time runs."""

    seat: int
    height: int  # number of placements and passes that can be undone now
    how: TurnStart = "next"


@value_class
class Tentative:
    """A turn has ended, and its seat may undo it alone until then; what follows waits."""

    seat: int
    until: int
    used: int  # time used, in ms


@value_class
class Settled:
    """A tentative turn is final; what follows comes next."""

    by: int | None = None  # the seat whose player, now to move, caused it; None: time, or another command


@value_class
class Reminded:
    seat: int
    main: bool  # whether it was the main reminder of the turn


@value_class
class RanOut:
    seat: int


@value_class
class ChoiceAsked:
    """The others are asked what happens to a silent player, or to one who has left the server."""

    seat: int
    until: int
    left: bool = False


@value_class
class ChoiceMade:
    seat: int
    choice: Choice
    how: Literal["chosen", "default", "returned"]  # by the others, by the terms, or because the player is present again
    span: int | None = None  # time for a returned player, in ms; None: as much again


@value_class
class EndWished:
    """A present player wants to end the match because of a silent one; all present must agree."""

    seat: int
    silent: int
    waiting: tuple[int, ...]  # the seats that have yet to agree


@value_class
class Granted:
    """More time for a turn whose time ran out, because its player acts or is on vacation."""

    seat: int
    span: int  # ms


@value_class
class Returned:
    """A player is present again after a stand-in (`told` announces it) or a timeout."""

    seat: int
    told: bool = True


@value_class
class Away:
    """A player is on vacation until then; 0: has returned."""

    seat: int
    until: int
    told: str = ""  # announcement: the end of a key of `notice.`; empty: none


@value_class
class Credited:
    outages: tuple[Outage, ...]


@value_class
class Rearmed:
    """A changed setting has moved the due moment."""


@value_class
class Asked:
    """The players are asked to agree; the seats in `asked` must answer."""

    kind: QuestionKind
    by: int
    seat: int
    until: int
    asked: tuple[int, ...] = ()
    person: int | None = None
    tile: Tile | None = None


@value_class
class Answered:
    """A seat, or the user who is to sit down (None), answered the open question."""

    seat: int | None
    yes: bool


@value_class
class Lapsed:
    """The open question timed out."""


@value_class
class Replaced:
    """Another user has the seat."""

    seat: int
    user: int | None


@value_class
class Stopped:
    """A moderator closed the table."""

    by: int | None
    reason: str


@value_class
class Paused:
    """A moderator paused the match."""

    by: int | None
    reason: str


@value_class
class Resumed:
    """A moderator resumed the match."""

    by: int | None
    reason: str


@value_class
class Skipped:
    """A moderator has the computer take the running turn."""

    by: int | None
    reason: str
    seat: int | None


@value_class
class Stumbled:
    """A program made no valid move, and the computer moves for it."""

    seat: int
    why: Stumble


@value_class
class Forgotten:
    """A user's data was deleted: earlier decisions are stale."""


@value_class
class PauseAgreed:
    """All players agreed on a pause. `seat` gave the last yes, or asked."""

    seat: int
    until: int  # when it ends automatically


@value_class
class PauseEnded:
    """An agreed pause ended, by a player or by time (None)."""

    seat: int | None


SeatingEvent = Opened | Joined | Contributed | Left | Moved | Closed | Replaced | Forgotten
HostingEvent = Kept | Freed | Removed | Revised
TimingEvent = TurnBegan | Tentative | Settled | Reminded | RanOut | Granted | Away | Credited | Rearmed | Stumbled
AbsenceEvent = ChoiceAsked | ChoiceMade | EndWished | Returned
QuestionEvent = Asked | Answered | Lapsed
PauseEvent = PauseAgreed | PauseEnded
RulingEvent = Stopped | Paused | Resumed | Skipped
TableEvent = (
    SeatingEvent
    | HostingEvent
    | TimingEvent
    | CorrectionEvent
    | AbsenceEvent
    | QuestionEvent
    | PauseEvent
    | RulingEvent
    | DealOpened
)
LogEvent = TableEvent | MatchEvent

INVALIDATING_EVENTS: Final = (
    *get_args(HostingEvent),
    *(Opened, Joined, Left, Moved, Closed, Forgotten, TurnBegan, ChoiceAsked, Stopped, Skipped),
)
QUIET_EVENTS: Final = tuple(kind for kind in get_args(TableEvent) if kind not in INVALIDATING_EVENTS)
"""Buttons from before these events stay valid."""

RULING_EVENTS: Final = get_args(RulingEvent)
