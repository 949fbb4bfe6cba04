"""A table while something is being decided: what has happened so far, and how it stands by that."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.match import Match
from engine.rules import Rules
from engine.story import Story
from engine.table.events import Away, LogEvent, Opened
from engine.table.evolve import MATCH, evolve, opened
from engine.table.preferences import Person
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
    match_id: int = 0
    due: Due | None = None
    """What was due before, as the store has it."""
    outages: tuple[Outage, ...] = ()
    """What is owed to the clocks that ran through them."""

    def person(self, user_id: int) -> Person:
        """What somebody has set."""
        return self.people.get(user_id) or Person(user_id=user_id)


class Draft:
    """A table that is carried on. What it was made from stays as it is."""

    def __init__(self, table: TableState | None, story: Story | None, given: Given) -> None:
        self._table = table
        self._shared = self.story = story
        """The match as it was, and by now; None in the lobby."""
        self.given = given
        self.events: list[LogEvent] = []

    @property
    def table(self) -> TableState:
        """The table by now."""
        assert self._table is not None
        return self._table

    @property
    def match(self) -> Match:
        """The match. Raises Refused when there is none yet, or none came about."""
        if self.story is None or self.table.state == "void":
            why = No.CLOSED if self.table.state == "void" else No.NOT_STARTED
            raise Refused(why, host=self.table.host or 0)
        return self.story.match

    @property
    def turn(self) -> Turn | None:
        """Whose move it is."""
        return self.table.turn(None if self.story is None else self.story.match)

    def happens(self, *events: LogEvent) -> None:
        """Let these happen, in order."""
        for event in events:
            self.events.append(event)
            if isinstance(event, Opened):
                self._table = opened(event, self.given.now)
                continue
            if self.story is not None and self.story is self._shared and isinstance(event, MATCH):
                self.story = self.story.copy()
            self._table, self.story = evolve(self.table, self.story, event, self.given.now, lettered=True)

    def check_running(self) -> None:
        """Raise Refused(PAUSED) with who and why while a moderator has stopped the match."""
        if self.table.clock.time.paused:
            pause = self.table.pause or Pause(by=None, reason="")
            raise Refused(No.PAUSED, moderator=pause.by, reason=pause.reason)

    def follow_vacation(self) -> None:
        """The running turn stands still, or goes on, as its player has set it by now."""
        turn = self.turn
        if turn is None or turn.user is None:
            return
        now, until = self.given.now, self.given.person(turn.user).preferences.away_until
        known = self.table.clock.watch.away.get(turn.seat, 0)
        if known != (until if until > now else 0):
            self.happens(Away(turn.seat, until if until > now else 0))
