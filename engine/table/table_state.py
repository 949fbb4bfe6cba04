"""The state of a table: small frozen values, made from its log by `engine.table.evolve`; and its next due moment.

Times are UTC epoch ms, users are Discord ids.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from engine.board.board import Placement
from engine.board.demands import Touch
from engine.board.lattice import Cell, TrailFit
from engine.board.tiles import Needs, Tile
from engine.match.state import Match
from engine.table.clock import Time, deadline
from engine.table.preferences import Person, Preferences, quiet_since, quiet_until
from engine.table.terms import DAY, MINUTE, Terms, program_named

State = Literal["lobby", "open", "done", "void"]  # "done": decided; "void": closed without a result
RUNNING: Final[tuple[State, ...]] = ("lobby", "open")  # states that occupy a channel
StandIn = Literal["turn", "seat"]  # the computer plays one turn for a player, or the seat until they return
MOST_TAKEN_BACK: Final = 3  # undos per turn; placements after that are final at once
Stumble = Literal["late", "nonsense", "flood", "gone", "busy", "failed", "removed"]
"""Why a program did not move; "busy": no process free, "failed": its process failed, "removed": by the operator."""
FAULTS: Final[tuple[Stumble, ...]] = ("late", "nonsense", "flood", "gone")  # the program's own faults
MOST_FAULTS: Final = 3  # after this many faults a program is not asked again in the match
QuestionKind = Literal["abort", "undo", "substitute", "pause"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatRow:
    """A seat: a user, or a computer by player name. Neither: a deleted user."""

    seat: int
    user_id: int | None = None
    computer: str | None = None
    joined_at: int
    contribution: str = ""  # entropy of this seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """The seat to move; `user` is None for a computer."""

    seat: int
    user: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """When the clock acts, and what it does. Kinds: "settle", "remind", "deadline", "default", "computer", "expire",
    "unkeep", "resume" and "idle".
    """

    at: int
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """A span in which users could not play."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Watch:
    """Notifications and questions about the running turn."""

    seat: int | None = None
    began: int = 0
    mark: int | None = None  # used time at which the player is reminded; None: no reminder
    told: int = 0  # when the player was last notified
    asking: int | None = None  # event of the question about a silent player, while it is open
    until: int | None = None  # when the terms of the table decide that question
    silences: Mapping[int, int] = field(default_factory=dict)  # timeouts in a row, by seat
    away: Mapping[int, int] = field(default_factory=dict)  # end of the vacation, by seat
    ending: tuple[int, ...] = ()  # seats that agree to end the match


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of a table: time, reminders and stand-ins."""

    time: Time = field(default_factory=Time)
    watch: Watch = field(default_factory=Watch)
    standins: Mapping[int, StandIn] = field(default_factory=dict)
    acted: int = 0  # last act of a user; credited time counts as one


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A turn that its player may still undo alone; what follows from it has not happened yet."""

    seat: int
    until: int  # when it becomes final, if the next player has not acted or looked at their hand before
    used: int  # time used by the turn, in ms


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question to the seats of a table. It times out after a day and is withdrawn by any move."""

    kind: QuestionKind
    by: int  # the seat that asks
    seat: int  # seat of the placement to undo or to hand over; otherwise that of the asker
    number: int  # event of the question, in the ids of its buttons
    until: int  # when it times out
    asked: tuple[int, ...] = ()  # seats that must agree
    waiting: tuple[int, ...] = ()  # seats that have not answered yet
    person: int | None = None  # user id of the new player
    accepted: bool = False  # whether the new player agreed
    refused: bool = False  # kept after a refusal, so that the same question is not repeated before another event
    tile: Tile | None = None  # tile to undo
    refusals: tuple[tuple[QuestionKind, int], ...] = ()  # kind and asker of refused questions since the last move

    @property
    def lost(self) -> bool:
        """Whether it cannot be answered, because the new player's data was deleted."""
        return self.kind == "substitute" and self.person is None and not self.refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Guests:
    """Invited and removed users of a lobby; cleared when the match begins."""

    kept: Mapping[int, int] = field(default_factory=dict)  # end of each reserved seat, by user id
    called: frozenset[int] = frozenset()  # users who had a reserved seat: they are not invited again
    named: int = 0  # number of invitations by the host
    latest: int = 0  # latest end of any reserved seat
    removed: frozenset[int] = frozenset()  # users removed by the host

    @property
    def known(self) -> frozenset[int]:
        return self.called | self.removed


def answered(question: Question, seat: int | None, *, yes: bool) -> Question:
    """Apply an answer to a question. A refused question keeps its seats, but no user id."""
    if not yes:
        return replace(question, refused=True, person=None, refusals=(*question.refusals, (question.kind, question.by)))
    if seat is None:
        return replace(question, accepted=True)
    return replace(question, waiting=tuple(other for other in question.waiting if other != seat))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """A pause by a moderator or by agreement."""

    by: int | None = None  # the moderator; None for a deleted user
    reason: str = ""
    until: int | None = None  # end of an agreed pause; None for a moderator's, which players cannot end


@dataclass(frozen=True, slots=True)
class Stumbles:
    """Moves that the computer made for a program in a match."""

    moves: int = 0
    faults: int = 0  # moves made because of the program's own faults

    @property
    def out(self) -> bool:
        """Whether the program is not asked again."""
        return self.faults >= MOST_FAULTS


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatPlay:
    """Play on one seat: the owner of its result, and who placed its tiles."""

    owned: bool = False  # whether the owner is final: a user placed a tile there that did not open the round
    owner: int | None = None  # user id; None for a deleted user, and for one who owns another seat
    placed: int = 0  # tiles placed by users
    stood_in: int = 0  # tiles placed by the computer for them
    left: tuple[int, ...] | None = None  # totals of all seats when the owner gave up the seat; None otherwise


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    """The state of a table except for its match."""

    terms: Terms
    state: State = "lobby"
    host: int | None = None  # None for a deleted user
    seats: tuple[SeatRow, ...] = ()
    clock: Clock = field(default_factory=Clock)
    unsettled: Unsettled | None = None
    taken_back: int = 0  # undos since the last regular turn began
    question: Question | None = None
    pause: Pause | None = None
    lasting: frozenset[int] = frozenset()  # users who stay in the log: players since the match began, and moderators
    played: frozenset[int] = frozenset()  # current and former players of the match
    guests: Guests = field(default_factory=Guests)
    agreed: Terms | None = None  # terms before the host's last change
    revised: int = 0  # event of the host's last change of terms; 0: never changed
    parts: Mapping[int, SeatPlay] = field(default_factory=dict)  # owners of results, by seat
    stumbles: Mapping[int, Stumbles] = field(default_factory=dict)  # by seat of a program
    gone: tuple[int, ...] = ()  # users who gave up a seat of a running match before owning it
    ended: Literal["", "chosen", "default"] = ""
    """How the match ended early: by agreement of those present, or by the terms."""
    deal_opened: bool = False  # whether the sealed deal is open to everyone
    deal_outrun: bool = False  # whether the match still ran when the deal was opened
    closed: str = ""  # reason of closing: the end of a key of `lobby.closed_`
    commitment: str = ""  # SHA-256 of the secret behind the deals, in hex
    opened_at: int = 0
    seq: int = 0  # number of events
    moved: int = 0  # last event that changed the table; reminders and the like do not count

    def still(self, seq: int) -> bool:
        """Return whether a button made at that event is still valid."""
        return self.moved <= seq <= self.seq

    def takes_back(self, seat: int, turn: int) -> bool:
        """Return whether a seat may undo its last placement alone: in its turn, or until that has settled."""
        ended = self.unsettled is not None and self.unsettled.seat == seat
        return self.taken_back < MOST_TAKEN_BACK and (ended or seat == turn)

    def seat_of(self, user_id: int) -> int | None:
        """Return the seat of a user, None for a spectator."""
        return next((row.seat for row in self.seats if row.user_id == user_id), None)

    @property
    def programs(self) -> dict[int, str]:
        """The names of external programs, by seat."""
        named = ((row.seat, program_named(row.computer)) for row in self.seats)
        return {seat: name for seat, name in named if name is not None}

    def stumbled(self, seat: int) -> Stumbles:
        return self.stumbles.get(seat) or Stumbles()

    @property
    def rated(self) -> bool:
        """Whether the result may change ratings: never with a program."""
        return self.terms.rated and not self.programs

    @property
    def sitting(self) -> frozenset[int]:
        """The seated users."""
        return frozenset(row.user_id for row in self.seats if row.user_id is not None)

    @property
    def open_question(self) -> Question | None:
        """The question that can be answered; its time limit is not checked."""
        found = self.question
        return None if found is None or found.refused or found.lost or self.state != "open" else found

    @property
    def paused_until(self) -> int | None:
        """When an agreed pause ends; None without one."""
        return None if self.pause is None or self.state != "open" else self.pause.until

    def is_absent(self, seat: int, now: int | None = None) -> bool:
        """Return whether a player is absent: a timeout without return, or a stand-in. With `now`, also a vacation that
        is longer than a turn may take, or has delayed their turn for that long.
        """
        clock, allowed = self.clock, self.terms.pace.longest
        if seat in clock.standins or clock.watch.silences.get(seat):
            return True
        until = clock.watch.away.get(seat, 0)
        if now is None or until <= now:
            return False
        waited = now - clock.watch.began if seat == clock.watch.seat else 0
        return max(until - now, waited) > allowed

    def people(self, match: Match, now: int | None = None) -> list[int]:
        """Return the seats that may agree: users who still play and are present."""
        present = [row.seat for row in self.seats if row.user_id is not None and not self.is_absent(row.seat, now)]
        return [seat for seat in present if seat in match.active]

    @property
    def practice(self) -> bool:
        """Whether a single user plays, against computers only."""
        others = [row for row in self.seats if row.user_id is None]
        return self.state == "open" and 1 <= len(others) == len(self.seats) - 1 and all(row.computer for row in others)

    def gives_way(self, match: Match) -> bool:
        """Return whether another table may have its channel: it is practice, or all players are absent."""
        return self.state == "open" and (self.practice or not self.people(match))


EXPIRES: Final = DAY  # a lobby closes after this span in ms; with reserved seats, this long after the last one expired
IDLE: Final = 60 * DAY  # a match without any act ends without a result after this span, in ms
PRACTICE: Final = DAY  # the same for practice


def due(table: TableState, turn: Turn | None, person: Person | None, match_id: int) -> Due | None:
    """Return when the clock acts next; `person` is the player to move. None: never."""
    if table.state == "lobby":
        if table.guests.kept:
            return Due(at=min(table.guests.kept.values()), kind="unkeep")
        return Due(at=max(table.opened_at, table.guests.latest) + EXPIRES, kind="expire")
    if turn is None or table.state != "open":
        return None
    idle = Due(at=idle_at(table), kind="idle")
    found = _of_turn(table, turn, person, match_id)
    return found if found is not None and found.at < idle.at else idle


def idle_at(table: TableState) -> int:
    """Return when an idle match ends."""
    alone = any(row.computer is not None for row in table.seats) and table.practice
    return table.clock.acted + (PRACTICE if alone else IDLE)


def _of_turn(table: TableState, turn: Turn, person: Person | None, match_id: int) -> Due | None:
    clock = table.clock
    if clock.time.paused and table.paused_until is not None:
        return Due(at=table.paused_until, kind="resume")
    if table.unsettled is not None:
        return Due(at=table.unsettled.until, kind="settle")
    if turn.user is None or person is None:
        return None if clock.time.paused else Due(at=clock.watch.began, kind="computer")
    muted = person.preferences.muted.get(str(match_id)) == clock.watch.began
    return next_due(clock, person.preferences, muted=muted, calls=person.pings != "none")


def next_due(clock: Clock, preferences: Preferences, *, muted: bool, calls: bool = True) -> Due | None:
    """Return the next due moment of a user's turn; None if the clock stands still or has nothing to do. `calls` is
    whether the user wants turn notifications.
    """
    time, watch = clock.time, clock.watch
    if watch.asking is not None and watch.until is not None:
        return None if time.paused else Due(at=watch.until, kind="default")
    if time.since is None:
        return None
    moment = None if muted or not calls else reminder(clock, preferences)
    end = deadline(time)
    if moment is not None and (end is None or moment < end):
        return Due(at=moment, kind="remind")
    return None if end is None else Due(at=end, kind="deadline")


def moments(clock: Clock, preferences: Preferences) -> tuple[int | None, int | None]:
    """Return the moments of the main and of a further reminder, ignoring quiet hours."""
    time, watch = clock.time, clock.watch
    if time.since is None:
        return None, None
    main = None if watch.mark is None or not preferences.remind else time.since + max(0, watch.mark - time.used)
    return main, max(watch.told, time.since) + preferences.every if preferences.every else None


def reminder(clock: Clock, preferences: Preferences) -> int | None:
    """Return the next reminder of the running turn; None: no further one. Quiet hours postpone it to their end or, if
    that is too late, move it before their start.
    """
    found = [moment for moment in moments(clock, preferences) if moment is not None]
    if not found:
        return None
    moment = min(found)
    quiet_end = None if preferences.quiet is None else quiet_until(preferences, moment)
    if quiet_end is None:
        return moment
    end = deadline(clock.time)
    if end is None or quiet_end < end:
        return quiet_end
    start = quiet_since(preferences, moment)
    # A minute before, since quiet hours begin at that very moment.
    return None if start is None or start - MINUTE <= clock.watch.told else start - MINUTE


Became = Literal["played", "place", "hand", "round", "stopped", "here"]
"""Outcome: played; place, tile or round gone; match stopped or seat played by others; player present."""

Then = Literal["", "points", "tiles"]  # bonus to choose if the tile earns one; empty: ask


@dataclass(frozen=True, slots=True, kw_only=True)
class Premove:
    """A tile at a place in its state at the decision; without a placement, the move that scores most."""

    seat: int
    round: int
    placement: Placement | None
    needs: Needs = ()  # constraints of the place
    touch: Touch | None = None  # constraint of a place that is reached only by a corner
    then: Then = ""
    became: Became | None = None  # the outcome, shown until the owner acts again; None: waiting

    @property
    def waits(self) -> bool:
        return self.became is None


def places_stay(match: Match) -> bool:
    """Return whether places survive until a later turn: not if each tile must touch the last one."""
    return not isinstance(match.board.fit, TrailFit)


def decided(match: Match, seat: int, placement: Placement | None, then: Then = "") -> Premove:
    """Return a premove at the current board. Raises ValueError if this hand has no such move."""
    if placement is None:
        return Premove(seat=seat, round=match.round, placement=None)
    asked = demands(match, placement.cell) if places_stay(match) else None
    if asked is None or placement not in match.legal(seat):
        raise ValueError(f"seat {seat} could not place {placement} now")
    needs, touch = asked
    return Premove(seat=seat, round=match.round, placement=placement, needs=needs, touch=touch, then=then)


def demands(match: Match, cell: Cell) -> tuple[Needs, Touch | None] | None:
    """Return the constraints of an open place; None if nothing fits there."""
    found = next((place for place in match.board.places().open if place.cell == cell), None)
    return None if found is None else (found.needs, found.touch)


def dropped(match: Match, premove: Premove) -> Became | None:
    """Return why a premove is impossible now; None if possible. The owner's hand is the only hidden fact used."""
    if match.round != premove.round or match.round_over is not None:
        return "round"
    lies = premove.placement
    if lies is None:
        return None
    if lies.tile not in match.seats[premove.seat].hand:
        return "hand"
    if demands(match, lies.cell) != (premove.needs, premove.touch) or lies not in match.legal(premove.seat):
        return "place"
    return None
