"""Finished matches: the table after each step, with the seats of that time."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from bot.core.names import Names
from bot.tables import board_text, end_views
from bot.tables.board_views import captions
from bot.tables.service import Table, Tables
from data.store.log.match_values import Head
from data.words import Words
from engine.match.event_log import EventLog
from engine.match.events import Drew, Event, RoundEnded
from engine.match.player_view import view_for
from engine.record import Step, steps
from engine.table.evolve import MATCH, Entry, evolve, replay
from render.canvas.picture import Picture
from render.table.film import Shot
from render.table.table_picture import table_picture

FRAMES: Final = 300  # frames of a film; longer matches show the last ones


@dataclass(frozen=True, slots=True)
class Replay:
    """A finished match. Step 0 is the first deal; the others are the numbered lines of its record."""

    head: Head
    log: tuple[Entry, ...]
    steps: tuple[Step, ...]
    end: Table  # the final table; its event log is shared and must not be modified

    @property
    def plays(self) -> int:
        return 0 if self.end.event_log is None else self.end.event_log.plays

    @property
    def events(self) -> list[Event]:
        """Return the match events only; reviews count these from 0."""
        return [entry.event for entry in self.log if isinstance(entry.event, MATCH)]

    @property
    def last(self) -> int:
        return len(self.steps) - 1

    @property
    def rounds(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for number, step in enumerate(self.steps):
            found.setdefault(step.round, number)
        return found

    @property
    def shown(self) -> tuple[Step, ...]:
        """Return the steps that a picture shows: all but the first deal and draws."""
        return tuple(step for step in self.steps[1:] if not isinstance(self.log[step.events - 1].event, Drew))

    @property
    def theme(self) -> str:
        return self.at(0).terms.theme

    def casts(self) -> list[Table]:
        """Return a table for each different seating of the match."""
        return list({table.seats: replace(table, event_log=None) for table in self.each()}.values())

    def at(self, number: int) -> Table:
        return Table(self.head, *replay(self.log[: self.steps[number].events]))

    def around(self, at: int) -> tuple[Table, Table]:
        """Return the table before and after a match event, by its index in `events`."""
        (place,) = islice((place for place, entry in enumerate(self.log) if isinstance(entry.event, MATCH)), at, at + 1)
        before, after = (Table(self.head, *replay(self.log[:upto])) for upto in (place, place + 1))
        return before, after

    def each(self) -> Iterator[Table]:
        """Yield the table after every step. The event log is modified in place: use each table before the next."""
        table = self.at(0)
        yield table
        for before, step in zip(self.steps, self.steps[1:], strict=False):
            for entry in self.log[before.events : step.events]:
                state, event_log = evolve(table.state, table.event_log, entry.event, entry.at)
                table = replace(table, state=state, event_log=event_log)
            yield table


async def looked_back(tables: Tables, head: Head) -> Replay:
    """Load a finished match, packed or not. Raises Refused as `Tables.at` does."""
    loaded, state, event_log = await tables.read_anew(head)
    end = Table(loaded.head, state, event_log)
    return Replay(loaded.head, loaded.log, steps(entry.event for entry in loaded.log), end)


def replay_picture(event_log: EventLog, names: Names, words: Words, theme: str, scheme: str = "dark") -> Picture:
    seen = view_for(event_log.match, None)
    return table_picture(seen, names.pictured, captions(seen, event_log, names, words), theme=theme, scheme=scheme)


def replay_lines(event_log: EventLog, names: Names, words: Words, theme: str) -> list[str]:
    """Describe the last step with its arithmetic; empty before the first."""
    if event_log.told and isinstance(drew := event_log.told[-1].event, Drew):
        return [words("replay.drew", name=f"**{names.safe[drew.seat]}**")]
    lines: list[str] = []
    for told in reversed(event_log.lately()):
        line = board_text.line(words, told, event_log.match.rules, names.safe, theme=theme, located=True)
        lines += [line] if line else []
        if not isinstance(told.event, RoundEnded):
            break
    return lines[::-1]


def replay_alt(event_log: EventLog, names: Names, words: Words) -> str:
    return end_views.alt(view_for(event_log.match, None), event_log, names, words)


def shots(moments: Iterable[tuple[EventLog, Names]], words: Words) -> list[Shot]:
    """Return the frames of a film. The event log may be modified in place."""
    found = []
    for event_log, names in moments:
        if event_log.told and not isinstance(event_log.told[-1].event, Drew):
            seen = view_for(event_log.match, None)
            found.append(Shot(seen, names.pictured, captions(seen, event_log, names, words)))
    return found[-FRAMES:]
