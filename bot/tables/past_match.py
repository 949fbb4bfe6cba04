"""Matches that are over, looked back on: the table as it stood after each step, with those who sat there then."""

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

FRAMES: Final = 300
"""A film has so many at most: of a longer match it shows the last ones."""


@dataclass(frozen=True, slots=True)
class Replay:
    """One of them. Step 0 is the first deal; the others are the numbered lines of its record."""

    head: Head
    log: tuple[Entry, ...]
    steps: tuple[Step, ...]
    end: Table
    """How the table stands by now. Its story is shared, so nobody carries it on in place."""

    @property
    def plays(self) -> int:
        """The moves of the whole match, as players count them."""
        return 0 if self.end.event_log is None else self.end.event_log.plays

    @property
    def events(self) -> list[Event]:
        """The events of the match alone: a review counts these, from 0."""
        return [entry.event for entry in self.log if isinstance(entry.event, MATCH)]

    @property
    def last(self) -> int:
        """The number of the last step."""
        return len(self.steps) - 1

    @property
    def rounds(self) -> dict[int, int]:
        """The first step of every round."""
        found: dict[int, int] = {}
        for number, step in enumerate(self.steps):
            found.setdefault(step.round, number)
        return found

    @property
    def shown(self) -> tuple[Step, ...]:
        """The steps in which something was done that a picture shows: all but the first deal and what was drawn."""
        return tuple(step for step in self.steps[1:] if not isinstance(self.log[step.events - 1].event, Drew))

    @property
    def theme(self) -> str:
        """How the tiles were drawn."""
        return self.at(0).terms.theme

    def casts(self) -> list[Table]:
        """A table for each way in which its seats were taken."""
        return list({table.seats: replace(table, event_log=None) for table in self.each()}.values())

    def at(self, number: int) -> Table:
        """The table after a step, 0 to `last`."""
        return Table(self.head, *replay(self.log[: self.steps[number].events]))

    def around(self, at: int) -> tuple[Table, Table]:
        """The table before and after an event of the match, by its number among `events`."""
        (place,) = islice((place for place, entry in enumerate(self.log) if isinstance(entry.event, MATCH)), at, at + 1)
        before, after = (Table(self.head, *replay(self.log[:upto])) for upto in (place, place + 1))
        return before, after

    def each(self) -> Iterator[Table]:
        """The table after every step, in order. Its story is carried on in place: look at it before going on."""
        table = self.at(0)
        yield table
        for before, step in zip(self.steps, self.steps[1:], strict=False):
            for entry in self.log[before.events : step.events]:
                state, event_log = evolve(table.state, table.event_log, entry.event, entry.at)
                table = replace(table, state=state, event_log=event_log)
            yield table


async def looked_back(tables: Tables, head: Head) -> Replay:
    """A match that is over, read from its log, packed or not. Raises Refused as `Tables.at` does."""
    loaded, state, event_log = await tables.read_anew(head)
    end = Table(loaded.head, state, event_log)
    return Replay(loaded.head, loaded.log, steps(entry.event for entry in loaded.log), end)


def replay_picture(event_log: EventLog, names: Names, words: Words, theme: str, scheme: str = "dark") -> Picture:
    """The table at a moment of its match, as everybody saw it."""
    seen = view_for(event_log.match, None)
    return table_picture(seen, names.pictured, captions(seen, event_log, names, words), theme=theme, scheme=scheme)


def replay_lines(event_log: EventLog, names: Names, words: Words, theme: str) -> list[str]:
    """What was done in the last step, with its arithmetic; nothing before the first."""
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
    """The picture in words."""
    return end_views.alt(view_for(event_log.match, None), event_log, names, words)


def shots(moments: Iterable[tuple[EventLog, Names]], words: Words) -> list[Shot]:
    """What a film of these moments shows: each in which something was done that shows. A story may be carried on."""
    found = []
    for event_log, names in moments:
        if event_log.told and not isinstance(event_log.told[-1].event, Drew):
            seen = view_for(event_log.match, None)
            found.append(Shot(seen, names.pictured, captions(seen, event_log, names, words)))
    return found[-FRAMES:]
