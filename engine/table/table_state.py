"""How a table stands: small frozen values, made of its log by `engine.table.evolve`; and when its clock acts next.

Times are UTC epoch ms, people are Discord's numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from engine.board.tiles import Tile
from engine.match.state import Match
from engine.table.clock import Time, deadline
from engine.table.preferences import Person, Preferences, quiet_since, quiet_until
from engine.table.terms import DAY, MINUTE, Terms, program_named

State = Literal["lobby", "open", "done", "void"]
"""Gathering people, being played, decided, or closed without a result."""

RUNNING: Final[tuple[State, ...]] = ("lobby", "open")
"""The states that occupy a channel."""

StandIn = Literal["turn", "seat"]
"""The computer plays one turn for a person, or their seat until they are back."""

MOST_TAKEN_BACK: Final = 3
"""How often in one turn a placement can be taken back; what is placed after that stands at once."""

Stumble = Literal["late", "nonsense", "flood", "gone", "busy", "failed", "removed"]
"""Why a program did not move: it had no answer in time, none that is a move, more than anybody reads, or it ended;
there was no process for it, or that one failed; whoever runs the bot has taken it away.
"""
FAULTS: Final[tuple[Stumble, ...]] = ("late", "nonsense", "flood", "gone")
"""Those that are its own fault."""
MOST_FAULTS: Final = 3
"""With so many of them in a match it is asked no more there."""

QuestionKind = Literal["abort", "undo", "substitute", "pause"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatRow:
    """One chair: a person (`user_id`), or a computer (the name of its player). Neither: a person who was forgotten."""

    seat: int
    user_id: int | None = None
    computer: str | None = None
    joined_at: int
    contribution: str = ""
    """What this seat adds to the deals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Whose move it is; `user` is None for a computer."""

    seat: int
    user: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """When the clock acts on the table, and what it does: "settle", "remind", "deadline", "default", "computer",
    "expire", "unkeep", "resume" or "idle".
    """

    at: int
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """A time in which nobody could play."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Watch:
    """What has been said and asked about the running turn."""

    seat: int | None = None
    """Whose turn it is."""
    began: int = 0
    """When that turn began."""
    mark: int | None = None
    """The used time at which its player is reminded; None: no more."""
    told: int = 0
    """When its player was last called or reminded."""
    asking: int | None = None
    """While the others choose what to do about a silent player: the move at which they were asked."""
    until: int | None = None
    """When what the table agreed on is done without them."""
    silences: Mapping[int, int] = field(default_factory=dict)
    """By seat: how often in a row its time ran out."""
    away: Mapping[int, int] = field(default_factory=dict)
    """By seat: until when its person is on vacation."""
    ending: tuple[int, ...] = ()
    """While the others choose: the seats that would have the match end."""


@dataclass(frozen=True, slots=True)
class Clock:
    """What the clock of a table says: the time, the reminders, and who plays for whom."""

    time: Time = field(default_factory=Time)
    watch: Watch = field(default_factory=Watch)
    standins: Mapping[int, StandIn] = field(default_factory=dict)
    acted: int = 0
    """When a person last did something at the table; time that is given back counts as if they had."""


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A turn has ended, and its player may still take it back alone: nothing that follows from it has happened."""

    seat: int
    """Whose turn it was."""
    until: int
    """When it stands by itself; it does before that when the next player acts or looks at their hand."""
    used: int
    """What its player had used of their time when it ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question to the people at a table. Seats stand for the people who sit there. It lapses after a day, and with
    any further move.
    """

    kind: QuestionKind
    by: int
    """Who asks."""
    seat: int
    """Whose placement goes back, or whose seat changes hands; the asker's own where it is neither."""
    number: int
    """The move at which it was asked: its buttons carry it."""
    until: int
    """When it lapses."""
    asked: tuple[int, ...] = ()
    """Who has to agree."""
    waiting: tuple[int, ...] = ()
    """Who of them has yet to."""
    person: int | None = None
    """Who is to take the seat, by user id."""
    accepted: bool = False
    """Whether they will."""
    refused: bool = False
    """Whether somebody said no. It is kept, so that nobody is asked the same again before something has happened."""
    tile: Tile | None = None
    """The tile that is to go back."""
    refusals: tuple[tuple[QuestionKind, int], ...] = ()
    """What somebody said no to since something has happened, and who had asked."""

    @property
    def lost(self) -> bool:
        """Whether nobody can answer it any more: whoever was to sit down has been forgotten."""
        return self.kind == "substitute" and self.person is None and not self.refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Guests:
    """Whom a lobby waits for, and whom it does not want. A match that begins leaves nothing of it."""

    kept: Mapping[int, int] = field(default_factory=dict)
    """Until when a seat is kept, by the person it is kept for."""
    called: frozenset[int] = frozenset()
    """Those for whom one was kept at any time: nobody is called twice."""
    named: int = 0
    """How often the host has named somebody."""
    latest: int = 0
    """Until when a seat has been kept at the latest."""
    removed: frozenset[int] = frozenset()
    """Those whom the host had get up."""

    @property
    def known(self) -> frozenset[int]:
        """Everybody in it."""
        return self.called | self.removed


def answered(question: Question, seat: int | None, *, yes: bool) -> Question:
    """A question after one answer. Of one that was refused the seats stay, and nobody's name."""
    if not yes:
        return replace(question, refused=True, person=None, refusals=(*question.refusals, (question.kind, question.by)))
    if seat is None:
        return replace(question, accepted=True)
    return replace(question, waiting=tuple(other for other in question.waiting if other != seat))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """Why a match stands still: a moderator stopped it, or the people who play agreed on it."""

    by: int | None = None
    """The moderator; None for one who was forgotten."""
    reason: str = ""
    until: int | None = None
    """When a pause that people agreed on ends by itself; None: a moderator's, which they do not end."""


@dataclass(frozen=True, slots=True)
class Stumbles:
    """What a program has left to the computer in a match."""

    moves: int = 0
    """Moves that were made for it."""
    faults: int = 0
    """How many of them by its own fault."""

    @property
    def out(self) -> bool:
        """Whether it is asked no more."""
        return self.faults >= MOST_FAULTS


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatPlay:
    """How somebody took part in a match on one seat: whose result it makes, and how far they played it."""

    owned: bool = False
    """Whether it belongs to somebody for good: a person has placed a tile there, one that did not open the round."""
    owner: int | None = None
    """Who that is; None for somebody who was forgotten, and for who sat on another seat before."""
    placed: int = 0
    """Tiles that people have placed there."""
    stood_in: int = 0
    """Tiles that the computer has placed there for them."""
    left: tuple[int, ...] | None = None
    """The totals of all seats when the owner gave up the seat; None while they have not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    """Everything about a table but the match that is played at it."""

    terms: Terms
    state: State = "lobby"
    host: int | None = None
    """None for somebody who was forgotten."""
    seats: tuple[SeatRow, ...] = ()
    clock: Clock = field(default_factory=Clock)
    unsettled: Unsettled | None = None
    taken_back: int = 0
    """How often something was taken back since a turn began after the one before it."""
    question: Question | None = None
    pause: Pause | None = None
    lasting: frozenset[int] = frozenset()
    """Those whom the log goes on naming: who sat there since the match began, and moderators who stepped in."""
    played: frozenset[int] = frozenset()
    """Those who play in the match or did, on a seat that others have by now."""
    guests: Guests = field(default_factory=Guests)
    agreed: Terms | None = None
    """The terms before the host last changed them."""
    revised: int = 0
    """The event by which the host last changed the terms; 0 when they are those of the beginning."""
    parts: Mapping[int, SeatPlay] = field(default_factory=dict)
    """By seat: whose result it makes."""
    stumbles: Mapping[int, Stumbles] = field(default_factory=dict)
    """By seat of a program: what was done for it."""
    gone: tuple[int, ...] = ()
    """Who gave up a seat of a running match before it had an owner."""
    ended: Literal["", "chosen", "default"] = ""
    """How the match came to end before its time: those present agreed, or the terms say so."""
    deal_opened: bool = False
    """Whether the sealed deal that is played here is open to all."""
    deal_outrun: bool = False
    """Whether the match still ran when it was opened: whoever plays on can look up all its tiles."""
    closed: str = ""
    """Why the table was closed without a result, as the end of a key of `lobby.closed_`."""
    commitment: str = ""
    """SHA-256 of the secret behind the deals, in hex."""
    opened_at: int = 0
    seq: int = 0
    """How many events there have been."""
    moved: int = 0
    """The event since which nothing on the table has changed: what came then were reminders and the like."""

    def still(self, seq: int) -> bool:
        """Whether a button made at that event is still good."""
        return self.moved <= seq <= self.seq

    def takes_back(self, seat: int, turn: int) -> bool:
        """Whether a seat may take its last placement back alone, where the match allows it; `turn` is whose turn it
        is by the match. It may in the middle of its turn, and until the end of its turn has settled.
        """
        ended = self.unsettled is not None and self.unsettled.seat == seat
        return self.taken_back < MOST_TAKEN_BACK and (ended or seat == turn)

    def seat_of(self, user_id: int) -> int | None:
        """The seat of a person, None for somebody who watches."""
        return next((row.seat for row in self.seats if row.user_id == user_id), None)

    @property
    def programs(self) -> dict[int, str]:
        """The names of other people's programs that sit there, by seat."""
        named = ((row.seat, program_named(row.computer)) for row in self.seats)
        return {seat: name for seat, name in named if name is not None}

    def stumbled(self, seat: int) -> Stumbles:
        """What was done for the program of a seat."""
        return self.stumbles.get(seat) or Stumbles()

    @property
    def rated(self) -> bool:
        """Whether its result may move ratings: as the host chose, and never where a program plays."""
        return self.terms.rated and not self.programs

    @property
    def sitting(self) -> frozenset[int]:
        """The people at the table."""
        return frozenset(row.user_id for row in self.seats if row.user_id is not None)

    @property
    def open_question(self) -> Question | None:
        """The question that can be answered, whatever the hour."""
        found = self.question
        return None if found is None or found.refused or found.lost or self.state != "open" else found

    @property
    def paused_until(self) -> int | None:
        """When the pause ends by itself that people agreed on; None where there is none."""
        return None if self.pause is None or self.state != "open" else self.pause.until

    def is_absent(self, seat: int, now: int | None = None) -> bool:
        """Whether somebody let their time run out and has not come back since, or, with `now`, is on vacation for
        longer than their turn is allowed, or has been while it is theirs.
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
        """The seats whose people have a say: they are still in the match, and not absent."""
        present = [row.seat for row in self.seats if row.user_id is not None and not self.is_absent(row.seat, now)]
        return [seat for seat in present if seat in match.active]

    @property
    def practice(self) -> bool:
        """Whether one person plays, against computers alone: nobody waits for them."""
        others = [row for row in self.seats if row.user_id is None]
        return self.state == "open" and 1 <= len(others) == len(self.seats) - 1 and all(row.computer for row in others)

    def gives_way(self, match: Match) -> bool:
        """Whether another table may have its channel: nobody else plays here, or nobody is there any more."""
        return self.state == "open" and (self.practice or not self.people(match))


EXPIRES: Final = DAY
"""A lobby nobody starts closes after that, in ms; one that keeps seats, so long after the last of them was free."""
IDLE: Final = 60 * DAY
"""A match at which nobody does anything for so long, at whatever clock or none, ends without a result."""
PRACTICE: Final = DAY
"""The same for a match against computers alone."""


def due(table: TableState, turn: Turn | None, person: Person | None, match_id: int) -> Due | None:
    """When the clock of a table acts next; `person` is whoever is to move. None: never, as things stand."""
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
    """When a match ends at which nobody does anything."""
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
    """When the clock of a person's turn acts next; None where it stands still, or has nothing to say.

    `calls` is whether the person wants to hear of turns at all.
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
    """When the main reminder of the running turn is, and when a further one, whatever the hour."""
    time, watch = clock.time, clock.watch
    if time.since is None:
        return None, None
    main = None if watch.mark is None or not preferences.remind else time.since + max(0, watch.mark - time.used)
    return main, max(watch.told, time.since) + preferences.every if preferences.every else None


def reminder(clock: Clock, preferences: Preferences) -> int | None:
    """When the player of the running turn is reminded next. None: never, in this turn.

    Quiet hours put it off to their end. Where that would be too late they put it forward, before they begin.
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
    # A minute before: at that very moment they would be asleep already.
    return None if start is None or start - MINUTE <= clock.watch.told else start - MINUTE
