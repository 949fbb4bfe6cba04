"""A table while something is being decided: what has happened so far, and how it stands by that."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.match import Match
from engine.rules import Rules
from engine.story import Story
from engine.table.events import Away, LogEvent
from engine.table.evolve import MATCH, evolve
from engine.table.preferences import Person
from engine.table.premove import Premove
from engine.table.refusals import No, Refused
from engine.table.state import Due, Outage, Pause, TableState, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What is to be known of the world around a table."""

    now: int
    """UTC epoch ms."""
    secret: bytes = field(repr=False)
    """32 bytes behind every shuffle."""
    rules: Rules
    """What is to be played; of a match that has begun, the log knows it."""
    people: Mapping[int, Person] = field(default_factory=dict)
    """What people have set by now, by user id; the defaults for everybody else."""
    press: int | None = None
    """The interaction that asks, where it is one: with it somebody who sits down adds to the deals."""
    match_id: int = 0
    due: Due | None = None
    """What was due before, as the store has it."""
    written: int = 0
    """When the table was last written to, as the store has it."""
    outages: tuple[Outage, ...] = ()
    """What is owed to the clocks that ran through them."""
    premoves: Mapping[int, Premove] = field(default_factory=dict)
    """What people have decided to do when it is their turn, by user id; and what became of that."""
    uncalled: frozenset[int] = frozenset()
    """Those who are not called to a seat that is kept for them: they were called lately, and did not come."""

    def person(self, user_id: int) -> Person:
        """What somebody has set."""
        return self.people.get(user_id) or Person(user_id=user_id)


@dataclass(slots=True)
class Draft:
    """A table that is carried on. What it was made from stays as it is."""

    table: TableState
    """The table by now."""
    story: Story | None
    """Its match by now; None in the lobby."""
    given: Given
    events: list[LogEvent] = field(default_factory=list)
    premoves: dict[int, Premove | None] = field(default_factory=dict)
    """What becomes of premoves by this; None: nothing is kept of it."""
    _own: bool = False
    """Whether the story is this draft's alone."""

    @property
    def match(self) -> Match:
        """The match. Raises Refused when there is none yet, or none came about."""
        if self.story is None or self.table.state == "void":
            why = No.CLOSED if self.table.state == "void" else No.NOT_STARTED
            raise Refused(why, host=self.table.host or 0)
        return self.story.match

    @property
    def turn(self) -> Turn | None:
        """Whose move it is now; no person's where a computer plays, for itself or for somebody."""
        if self.story is None or self.story.match.ended or self.table.state != "open":
            return None
        seat = self.story.match.turn
        return Turn(seat=seat, user=None if seat in self.table.clock.standins else self.table.seats[seat].user_id)

    def happens(self, *events: LogEvent) -> None:
        """Let these happen, in order."""
        for event in events:
            self.events.append(event)
            if not self._own and isinstance(event, MATCH):
                # Others look at the match as it was.
                self.story, self._own = None if self.story is None else self.story.copy(), True
            self.table, self.story = evolve(self.table, self.story, event, self.given.now)

    def check_running(self) -> None:
        """Raise Refused(PAUSED) with who and why while a moderator has stopped the match, PAUSED_TOGETHER while its
        people have.
        """
        if self.table.clock.time.paused:
            pause = self.table.pause or Pause()
            if pause.until is not None:
                raise Refused(No.PAUSED_TOGETHER, until=pause.until)
            raise Refused(No.PAUSED, moderator=pause.by, reason=pause.reason)

    def follow_vacation(self) -> Turn | None:
        """The running turn stands still, or goes on, as its player has set it by now; answers whose turn that is."""
        turn = self.turn
        if turn is None or turn.user is None:
            return turn
        until = self.given.person(turn.user).preferences.away_until
        if until <= self.given.now:
            until = 0
        elif self.table.terms.pace.kind == "live":
            until = 0  # whoever sits down there is there
        if self.table.clock.watch.away.get(turn.seat, 0) != until:
            self.happens(Away(turn.seat, until))
        return turn
