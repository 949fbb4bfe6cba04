"""What logs of earlier versions leave open, the lines that tell it, and what they come to: tables that were begun then
go on.
"""

from dataclasses import replace

from engine.events import fact
from engine.match import last_placement
from engine.story import Story
from engine.table import clock as time_of
from engine.table.pace import Pace
from engine.table.state import Clock, Pause, Question


@fact
class Carried:
    """What the log of an earlier version does not tell, and that version knew: how the table stands here."""

    clock: Clock
    question: Question | None = None
    pause: Pause | None = None
    moved: int = 0


@fact
class Noted:
    """Something around the table of which an earlier version wrote only that it happened."""

    what: str


@fact
class Woken:
    """Something is due from now on at a table of an earlier version on which nothing was: its silence begins here."""


Earlier = Carried | Noted | Woken


def carried(clock: Clock, pace: Pace, at: int) -> Clock:
    """The clock of an earlier version, which knew neither who did something when nor when a relaxed turn is silent."""
    time = clock.time
    if pace.kind == "relaxed" and time.seat is not None:
        time = replace(time, allowance=pace.longest)
        clock = replace(clock, time=time, watch=replace(clock.watch, mark=time_of.mark(time, pace, at)))
    return replace(clock, acted=at)


def woken(clock: Clock, pace: Pace, at: int) -> Clock:
    """A clock on which nothing was due: whoever is to move is silent from now on."""
    time = clock.time
    if pace.kind == "relaxed":
        time = replace(time, used=0, since=None if time.since is None else max(at, time.since))
    watch = replace(clock.watch, told=at, mark=time_of.mark(time, pace, at))
    return replace(clock, time=time, watch=watch, acted=at)


def made_whole(question: Question | None, story: Story | None) -> Question | None:
    """A question of an earlier version, which kept no tile, and of what was refused the last alone."""
    if question is not None and question.refused:
        question = replace(question, refusals=((question.kind, question.by),))
    if question is None or story is None or question.kind != "undo" or question.tile is not None:
        return question
    moment = last_placement(story.match.behind, question.seat)
    return replace(question, tile=None if moment is None else moment.tile)
