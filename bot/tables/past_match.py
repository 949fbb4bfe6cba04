"""Finished matches: the table after each step, with the seats of that time."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from bot.core.names import SeatNames
from bot.tables import board_text, end_views
from bot.tables.board_views import build_captions
from bot.tables.service import Table, TableCache
from data.store.log.match_values import Head
from data.words import Words
from engine.match.event_log import EventLog
from engine.match.events import Drew, Event, RoundEnded
from engine.match.player_view import view_for
from engine.record import Step, list_steps
from engine.table.evolve import MATCH_EVENTS, LogEntry, apply_event, replay
from render.canvas.picture import Picture
from render.table.film import FilmFrame
from render.table.table_picture import render_table

FRAMES: Final = 300  # frames of a film; longer matches show the last ones


@dataclass(frozen=True, slots=True)
class Replay:
    """A finished match. Step 0 is the first deal; the others are the numbered lines of its record."""

    head: Head
    log: tuple[LogEntry, ...]
    steps: tuple[Step, ...]
    end: Table  # the final table; its event log is shared and must not be modified

    @property
    def play_count(self) -> int:
        return 0 if self.end.event_log is None else self.end.event_log.play_count

    @property
    def events(self) -> list[Event]:
        """Return the match events only; reviews count these from 0."""
        return [entry.event for entry in self.log if isinstance(entry.event, MATCH_EVENTS)]

    @property
    def last_step(self) -> int:
        return len(self.steps) - 1

    @property
    def round_starts(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for number, step in enumerate(self.steps):
            found.setdefault(step.round, number)
        return found

    @property
    def shown_steps(self) -> tuple[Step, ...]:
        """Return the steps that a picture shows: all but the first deal and draws."""
        return tuple(step for step in self.steps[1:] if not isinstance(self.log[step.events - 1].event, Drew))

    @property
    def theme(self) -> str:
        return self.replay_to(0).terms.theme

    def list_seatings(self) -> list[Table]:
        """Return a table for each different seating of the match."""
        return list({table.seats: replace(table, event_log=None) for table in self.iterate_tables()}.values())

    def replay_to(self, number: int) -> Table:
        return Table(self.head, *replay(self.log[: self.steps[number].events]))

    def replay_around(self, event_index: int) -> tuple[Table, Table]:
        """Return the table before and after a match event, by its index in `events`."""
        place = [place for place, entry in enumerate(self.log) if isinstance(entry.event, MATCH_EVENTS)][event_index]
        before, after = (Table(self.head, *replay(self.log[:end])) for end in (place, place + 1))
        return before, after

    def iterate_tables(self) -> Iterator[Table]:
        """Yield the table after every step. The event log is modified in place: use each table before the next."""
        table = self.replay_to(0)
        yield table
        for before, step in zip(self.steps, self.steps[1:], strict=False):
            for entry in self.log[before.events : step.events]:
                state, event_log = apply_event(table.state, table.event_log, entry.event, entry.at)
                table = replace(table, state=state, event_log=event_log)
            yield table


async def load_replay(tables: TableCache, head: Head) -> Replay:
    """Load a finished match, compressed or not. Raises RefusalError as `TableCache.at` does."""
    loaded, state, event_log = await tables.load_uncached(head)
    end = Table(loaded.head, state, event_log)
    return Replay(loaded.head, loaded.log, list_steps(entry.event for entry in loaded.log), end)


def render_replay(event_log: EventLog, names: SeatNames, words: Words, theme: str, scheme: str = "dark") -> Picture:
    view = view_for(event_log.match, None)
    captions = build_captions(view, event_log, names, words)
    return render_table(view, names.picture_names, captions, theme=theme, scheme=scheme)


def format_replay_lines(event_log: EventLog, names: SeatNames, words: Words, theme: str) -> list[str]:
    """Describe the last step with its arithmetic; empty before the first."""
    if event_log.events and isinstance(drew := event_log.events[-1].event, Drew):
        return [words("replay.drew", name=f"**{names.escaped[drew.seat]}**")]
    lines: list[str] = []
    for entry in reversed(event_log.list_recent()):
        line = board_text.format_event(words, entry, event_log.match.rules, names.escaped, theme=theme, located=True)
        lines += [line] if line else []
        if not isinstance(entry.event, RoundEnded):
            break
    return lines[::-1]


def format_replay_alt(event_log: EventLog, names: SeatNames, words: Words) -> str:
    return end_views.format_alt_with_hands(view_for(event_log.match, None), event_log, names, words)


def build_shots(moments: Iterable[tuple[EventLog, SeatNames]], words: Words) -> list[FilmFrame]:
    """Return the frames of a film. The event log may be modified in place."""
    found = []
    for event_log, names in moments:
        if event_log.events and not isinstance(event_log.events[-1].event, Drew):
            view = view_for(event_log.match, None)
            found.append(FilmFrame(view, names.picture_names, build_captions(view, event_log, names, words)))
    return found[-FRAMES:]
