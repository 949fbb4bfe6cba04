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
from engine.table.preferences import Person, Preferences, find_quiet_end, find_quiet_start
from engine.table.terms import DAY, MINUTE, Terms, find_program_name

State = Literal["lobby", "open", "done", "void"]  # "done": decided; "void": closed without a result
RUNNING: Final[tuple[State, ...]] = ("lobby", "open")  # states that occupy a channel
StandIn = Literal["turn", "seat"]  # the computer plays one turn for a player, or the seat until they return
MAX_UNDOS: Final = 3  # undos per turn; placements after that are final at once
Stumble = Literal["late", "nonsense", "flood", "gone", "busy", "failed", "removed"]
"""Why a program did not move; "busy": no process free, "failed": its process failed, "removed": by the operator."""
FAULTS: Final[tuple[Stumble, ...]] = ("late", "nonsense", "flood", "gone")  # the program's own faults
MAX_FAULTS: Final = 3  # after this many faults a program is not asked again in the match
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
class PastTurn:
    """A turn at its end, or at the moment when a move before it was undone."""

    seat: int | None  # None for a computer
    used: int
    allowance: int | None
    bank: int  # of the seat at the start of the turn, in ms
    height: int  # number of placements and passes that could be undone at the start of the turn
    has_used_grace: bool = False  # whether the grace period after the time was used


@dataclass(frozen=True, slots=True)
class Time:
    """The clock of a table at one moment. Times are UTC epoch ms, spans are ms."""

    seat: int | None = None  # None while a computer plays
    since: int | None = None  # None while the clock stands still; a moment in the future starts the clock then
    used: int = 0  # time used in this turn before `since`
    allowance: int | None = None  # for this turn; None means unlimited
    banks: tuple[int, ...] = ()  # time left by seat for later turns, at tables with time banks
    paused: bool = False  # turns still change while paused, but no time runs
    credited: int = 0  # the end of the last outage that was credited
    has_used_grace: bool = False  # whether the grace period of this turn was used: only the other players can add time
    height: int = 0  # number of placements and passes that could be undone at the start of this turn
    past_turns: tuple[PastTurn, ...] = ()  # turns that an undo can bring back, oldest first
    undone_turns: tuple[PastTurn, ...] = ()  # at most one undone turn per seat, which continues when it comes again


@dataclass(frozen=True, slots=True)
class Watch:
    """Notifications and questions about the running turn."""

    seat: int | None = None
    began: int = 0
    mark: int | None = None  # used time at which the player is reminded; None: no reminder
    notified_at: int = 0  # when the player was last notified
    absence_question: int | None = None  # event of the question about a silent player, while it is open
    asked: Literal["late", "left"] | None = None  # why that question was asked in this turn
    until: int | None = None  # when the terms of the table decide that question
    timeouts: Mapping[int, int] = field(default_factory=dict)  # timeouts in a row, by seat
    away: Mapping[int, int] = field(default_factory=dict)  # end of the vacation, by seat
    end_votes: tuple[int, ...] = ()  # seats that agree to end the match


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of a table: time, reminders and stand-ins."""

    time: Time = field(default_factory=Time)
    watch: Watch = field(default_factory=Watch)
    standins: Mapping[int, StandIn] = field(default_factory=dict)
    acted_at: int = 0  # last act of a user; credited time counts as one


def compute_used_time(time: Time, now: int) -> int:
    """Return the time used by this turn, in ms."""
    return time.used + (0 if time.since is None else max(0, now - time.since))


def compute_deadline(time: Time) -> int | None:
    """Return when the allowance ends; None if it never does or the clock stands still."""
    if time.since is None or time.allowance is None:
        return None
    return time.since + max(0, time.allowance - time.used)


@dataclass(frozen=True, slots=True)
class TentativeTurn:
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
    def is_unanswerable(self) -> bool:
        """Whether it cannot be answered, because the new player's data was deleted."""
        return self.kind == "substitute" and self.person is None and not self.refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Guests:
    """Invited and removed users of a lobby; cleared when the match begins."""

    reserved_until: Mapping[int, int] = field(default_factory=dict)  # end of each reserved seat, by user id
    invited: frozenset[int] = frozenset()  # users who had a reserved seat: they are not invited again
    invitation_count: int = 0  # number of invitations by the host
    latest: int = 0  # latest end of any reserved seat
    removed: frozenset[int] = frozenset()  # users removed by the host

    @property
    def known_users(self) -> frozenset[int]:
        return self.invited | self.removed


def apply_answer(question: Question, seat: int | None, *, yes: bool) -> Question:
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
class StumbleCount:
    """Moves that the computer made for a program in a match."""

    moves: int = 0
    faults: int = 0  # moves made because of the program's own faults

    @property
    def is_excluded(self) -> bool:
        """Whether the program is not asked again."""
        return self.faults >= MAX_FAULTS


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatOwnership:
    """Play on one seat: the owner of its result, and who placed its tiles."""

    is_owned: bool = False  # whether the owner is final: a user placed a tile there that did not open the round
    owner: int | None = None  # user id; None for a deleted user, and for one who owns another seat
    user_tiles: int = 0  # tiles placed by users
    standin_tiles: int = 0  # tiles placed by the computer for them
    totals_when_left: tuple[int, ...] | None = None  # all totals when the owner gave up the seat; None otherwise


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    """The state of a table except for its match."""

    terms: Terms
    state: State = "lobby"
    host: int | None = None  # None for a deleted user
    seats: tuple[SeatRow, ...] = ()
    clock: Clock = field(default_factory=Clock)
    tentative_turn: TentativeTurn | None = None
    undo_count: int = 0  # undos since the last regular turn began
    question: Question | None = None
    pause: Pause | None = None
    permanent_users: frozenset[int] = frozenset()
    """Users who stay in the log: players since the match began, and moderators."""
    match_players: frozenset[int] = frozenset()  # current and former players of the match
    guests: Guests = field(default_factory=Guests)
    previous_terms: Terms | None = None  # terms before the host's last change
    revised_seq: int = 0  # event of the host's last change of terms; 0: never changed
    ownerships: Mapping[int, SeatOwnership] = field(default_factory=dict)  # owners of results, by seat
    stumbles: Mapping[int, StumbleCount] = field(default_factory=dict)  # by seat of a program
    early_leavers: tuple[int, ...] = ()  # users who gave up a seat of a running match before owning it
    early_end: Literal["", "chosen", "default"] = ""
    """How the match ended early: by agreement of those present, or by the terms."""
    is_deal_open: bool = False  # whether the sealed deal is open to everyone
    has_outlived_deal: bool = False  # whether the match still ran when the deal was opened
    close_reason: str = ""  # reason of closing: the end of a key of `lobby.closed_`
    commitment: str = ""  # SHA-256 of the secret behind the deals, in hex
    opened_at: int = 0
    seq: int = 0  # number of events
    changed_seq: int = 0  # last event that changed the table; reminders and the like do not count

    def is_current(self, seq: int) -> bool:
        """Return whether a button made at that event is still valid."""
        return self.changed_seq <= seq <= self.seq

    def can_undo(self, seat: int, turn: int) -> bool:
        """Return whether a seat may undo its last placement alone: in its turn, or until that has settled."""
        ended = self.tentative_turn is not None and self.tentative_turn.seat == seat
        return self.undo_count < MAX_UNDOS and (ended or seat == turn)

    def find_seat(self, user_id: int) -> int | None:
        """Return the seat of a user, None for a spectator."""
        return next((row.seat for row in self.seats if row.user_id == user_id), None)

    @property
    def programs(self) -> dict[int, str]:
        """The names of external programs, by seat."""
        named = ((row.seat, find_program_name(row.computer)) for row in self.seats)
        return {seat: name for seat, name in named if name is not None}

    def get_stumbles(self, seat: int) -> StumbleCount:
        return self.stumbles.get(seat) or StumbleCount()

    @property
    def is_rated(self) -> bool:
        """Whether the result may change ratings: never with a program or a head start."""
        return self.terms.rated and not self.programs and "head_start" not in self.terms.options

    @property
    def seated_users(self) -> frozenset[int]:
        """The seated users."""
        return frozenset(row.user_id for row in self.seats if row.user_id is not None)

    @property
    def open_question(self) -> Question | None:
        """The question that can be answered; its time limit is not checked."""
        found = self.question
        return None if found is None or found.refused or found.is_unanswerable or self.state != "open" else found

    @property
    def paused_until(self) -> int | None:
        """When an agreed pause ends; None without one."""
        return None if self.pause is None or self.state != "open" else self.pause.until

    def is_absent(self, seat: int, now: int | None = None) -> bool:
        """Return whether a player is absent: a timeout without return, or a stand-in. With `now`, also a vacation that
        is longer than a turn may take, or has delayed their turn for that long.
        """
        clock, allowed = self.clock, self.terms.pace.max_turn_time
        if seat in clock.standins or clock.watch.timeouts.get(seat):
            return True
        until = clock.watch.away.get(seat, 0)
        if now is None or until <= now:
            return False
        waited = now - clock.watch.began if seat == clock.watch.seat else 0
        return max(until - now, waited) > allowed

    def list_present_seats(self, match: Match, now: int | None = None) -> list[int]:
        """Return the seats that may agree: users who still play and are present."""
        present = [row.seat for row in self.seats if row.user_id is not None and not self.is_absent(row.seat, now)]
        return [seat for seat in present if seat in match.active]

    @property
    def is_practice(self) -> bool:
        """Whether a single user plays, against computers only."""
        others = [row for row in self.seats if row.user_id is None]
        return self.state == "open" and 1 <= len(others) == len(self.seats) - 1 and all(row.computer for row in others)

    def can_vacate(self, match: Match) -> bool:
        """Return whether another table may have its channel: it is practice, or all players are absent."""
        return self.state == "open" and (self.is_practice or not self.list_present_seats(match))


LOBBY_SPAN: Final = DAY  # a lobby closes after this span in ms, counted from the end of its last reserved seat
IDLE_SPAN: Final = 60 * DAY  # a match without any act ends without a result after this span, in ms
PRACTICE_IDLE_SPAN: Final = DAY  # the same for practice


def find_due(table: TableState, turn: Turn | None, person: Person | None, match_id: int) -> Due | None:
    """Return when the clock acts next; `person` is the player to move. None: never."""
    if table.state == "lobby":
        if table.guests.reserved_until:
            return Due(at=min(table.guests.reserved_until.values()), kind="unkeep")
        return Due(at=max(table.opened_at, table.guests.latest) + LOBBY_SPAN, kind="expire")
    if turn is None or table.state != "open":
        return None
    idle = Due(at=compute_idle_end(table), kind="idle")
    found = _find_turn_due(table, turn, person, match_id)
    return found if found is not None and found.at < idle.at else idle


def compute_idle_end(table: TableState) -> int:
    alone = any(row.computer is not None for row in table.seats) and table.is_practice
    return table.clock.acted_at + (PRACTICE_IDLE_SPAN if alone else IDLE_SPAN)


def _find_turn_due(table: TableState, turn: Turn, person: Person | None, match_id: int) -> Due | None:
    clock = table.clock
    if clock.time.paused and table.paused_until is not None:
        return Due(at=table.paused_until, kind="resume")
    if table.tentative_turn is not None:
        return Due(at=table.tentative_turn.until, kind="settle")
    if turn.user is None or person is None:
        return None if clock.time.paused else Due(at=clock.watch.began, kind="computer")
    muted = person.preferences.muted.get(str(match_id)) == clock.watch.began
    return find_user_due(clock, person.preferences, muted=muted, calls=person.pings != "none")


def find_user_due(clock: Clock, preferences: Preferences, *, muted: bool, calls: bool = True) -> Due | None:
    """Return the next due moment of a user's turn; None if the clock stands still or has nothing to do. `calls` is
    whether the user wants turn notifications.
    """
    time, watch = clock.time, clock.watch
    if watch.absence_question is not None and watch.until is not None:
        return None if time.paused else Due(at=watch.until, kind="default")
    if time.since is None:
        return None
    moment = None if muted or not calls else find_reminder(clock, preferences)
    end = compute_deadline(time)
    if moment is not None and (end is None or moment < end):
        return Due(at=moment, kind="remind")
    return None if end is None else Due(at=end, kind="deadline")


def compute_reminder_times(clock: Clock, preferences: Preferences) -> tuple[int | None, int | None]:
    """Return the moments of the main and of a further reminder, ignoring quiet hours."""
    time, watch = clock.time, clock.watch
    if time.since is None:
        return None, None
    main = None if watch.mark is None or not preferences.remind else time.since + max(0, watch.mark - time.used)
    return main, max(watch.notified_at, time.since) + preferences.every if preferences.every else None


def find_reminder(clock: Clock, preferences: Preferences) -> int | None:
    """Return the next reminder of the running turn; None: no further one. Quiet hours postpone it to their end or, if
    that is too late, move it before their start.
    """
    found = [moment for moment in compute_reminder_times(clock, preferences) if moment is not None]
    if not found:
        return None
    moment = min(found)
    quiet_end = None if preferences.quiet is None else find_quiet_end(preferences, moment)
    if quiet_end is None:
        return moment
    end = compute_deadline(clock.time)
    if end is None or quiet_end < end:
        return quiet_end
    start = find_quiet_start(preferences, moment)
    # A minute before, since quiet hours begin at that very moment.
    return None if start is None or start - MINUTE <= clock.watch.notified_at else start - MINUTE


PremoveOutcome = Literal["played", "place", "hand", "round", "stopped", "here"]
"""Outcome: played; place, tile or round gone; match stopped or seat played by others; player present."""

PremoveChoice = Literal["", "points", "tiles"]  # bonus to choose if the tile earns one; empty: ask


@dataclass(frozen=True, slots=True, kw_only=True)
class Premove:
    """A tile at a place in its state at the decision; without a placement, the move that scores most."""

    seat: int
    round: int
    placement: Placement | None
    needs: Needs = ()  # constraints of the place
    touch: Touch | None = None  # constraint of a place that is reached only by a corner
    then: PremoveChoice = ""
    became: PremoveOutcome | None = None  # the outcome, shown until the owner acts again; None: waiting

    @property
    def is_waiting(self) -> bool:
        return self.became is None


def has_stable_places(match: Match) -> bool:
    """Return whether places survive until a later turn: not if each tile must touch the last one."""
    return not isinstance(match.board.fit, TrailFit)


def create_premove(match: Match, seat: int, placement: Placement | None, then: PremoveChoice = "") -> Premove:
    """Return a premove at the current board. Raises ValueError if this hand has no such move."""
    if placement is None:
        return Premove(seat=seat, round=match.round, placement=None)
    asked = find_constraints(match, placement.cell) if has_stable_places(match) else None
    if asked is None or placement not in match.list_legal_moves(seat):
        raise ValueError(f"seat {seat} could not place {placement} now")
    needs, touch = asked
    return Premove(seat=seat, round=match.round, placement=placement, needs=needs, touch=touch, then=then)


def find_constraints(match: Match, cell: Cell) -> tuple[Needs, Touch | None] | None:
    """Return the constraints of an open place; None if nothing fits there."""
    found = next((place for place in match.board.list_places().open if place.cell == cell), None)
    return None if found is None else (found.needs, found.touch)


def find_drop_reason(match: Match, premove: Premove) -> PremoveOutcome | None:
    """Return why a premove is impossible now; None if possible. The owner's hand is the only hidden fact used."""
    if match.round != premove.round or match.round_over is not None:
        return "round"
    placement = premove.placement
    if placement is None:
        return None
    if placement.tile not in match.seats[premove.seat].hand:
        return "hand"
    same_place = find_constraints(match, placement.cell) == (premove.needs, premove.touch)
    return None if same_place and placement in match.list_legal_moves(premove.seat) else "place"
