"""Time in words: how long somebody has, the clock of a table, and who is away or stood in for.

A moment is always one of Discord's timestamps: everybody reads it in their own time zone, and it never goes stale.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

from bot.service.tables import Table
from bot.views.sentences import listed
from data.words import Words
from engine.table.clock import deadline
from engine.table.pace import DAY, HOUR, MINUTE, Pace
from engine.table.reminders import idle_at


def moment(at: int, style: str = "R") -> str:
    """A time as Discord shows it: `R` in so many hours, `f` date and time, `D` the date."""
    return f"<t:{at // 1000}:{style}>"


def day_text(words: Words, at: int) -> str:
    """The day of a moment, in UTC, where a timestamp cannot stand: `Nov 22, 2026`, `22.11.2026`, `22 nov. 2026`."""
    # As for plurals: it takes longer to import than anything else here.
    from babel.dates import format_date

    return format_date(datetime.fromtimestamp(at / 1000, UTC).date(), "medium", locale=words.language)


def month_text(words: Words, at: int) -> str:
    """The month of a moment, in UTC: `November 2026`, `listopad 2026`."""
    from babel.dates import format_skeleton

    return str(format_skeleton("yMMMM", datetime.fromtimestamp(at / 1000, UTC), locale=words.language))


def span_words(words: Words, span: int) -> str:
    """`3 days`, `1 day 12 hours`, `5 minutes`."""
    parts = []
    for key, size in (("count.days", DAY), ("count.hours", HOUR), ("count.minutes", MINUTE)):
        count, span = divmod(span, size)
        if count:
            parts.append(words(key, n=count))
    return " ".join(parts) or words("count.minutes", n=0)


def pace_text(words: Words, pace: Pace) -> str:
    """What a clock is like."""
    match pace.kind:
        case "relaxed":
            return words("clock.relaxed")
        case "bank":
            key = "clock.bank" if pace.increment else "clock.bank_bare"
            bank, increment = span_words(words, pace.bank), span_words(words, pace.increment)
            return words(key, bank=bank, increment=increment)
        case kind:
            return words(f"clock.{kind}", turn=span_words(words, pace.turn))


def clock_terms(words: Words, table: Table) -> str:
    """The line of the lobby about the clock."""
    pace = table.terms.pace
    return words("clock.terms", pace=pace_text(words, pace), absent=words(f"clock.absent_{table.terms.absent}"))


def clock_lines(words: Words, table: Table, names: Sequence[str]) -> list[str]:
    """What the board says about time: until when, and who is away or stood in for."""
    if table.head.state != "open":
        return []
    clock, turn = table.clock, table.match.turn
    open_turn = table.state.unsettled
    if open_turn is not None:
        facts = {"name": names[open_turn.seat], "next": names[turn], "until": moment(open_turn.until, "T")}
        lines = [words("clock.unsettled", **facts)]
    else:
        lines = [line for line in (_running(words, table, names[turn]),) if line]
    stood = [names[seat] for seat in sorted(clock.standins) if seat < len(names)]
    if stood:
        lines.append(words("clock.standins", names=listed(words, stood)))
    # Those who are back by now are left out when the board is drawn the next time.
    for seat, until in sorted(clock.watch.away.items()):
        if until > table.head.updated_at and (seat != turn or clock.time.paused):
            lines.append(words("clock.away", name=names[seat], until=moment(until, "D")))
    return lines


def _running(words: Words, table: Table, name: str) -> str:
    clock, agreed, idle = table.clock, table.state.paused_until, idle_at(table.state)
    if clock.time.paused:
        return words("clock.paused") if agreed is None else words("clock.paused_together", until=moment(agreed, "D"))
    if clock.watch.asking is not None and clock.watch.until is not None:
        return words("clock.asking", name=name, until=moment(clock.watch.until, "f"))
    end = _told_end(table)
    if table.state.practice and (end is None or idle < end):
        return words("clock.practice", end=moment(idle, "f"))
    waits = clock.watch.away.get(-1 if clock.time.seat is None else clock.time.seat)
    if waits is not None and waits == clock.time.since:
        key = "clock.away" if end is None else "clock.away_turn"
        return words(key, name=name, until=moment(waits, "D"), end=moment(end or waits, "f"))
    return "" if end is None else words("clock.until", end=moment(end), date=moment(end, "f"))


def _told_end(table: Table) -> int | None:
    """When a turn ends, as far as that is a reason to hurry."""
    return None if table.terms.pace.kind == "relaxed" else deadline(table.clock.time)


def ends_before(table: Table) -> bool:
    """Whether the match, against computers, ends before the turn has used its time."""
    end = deadline(table.clock.time)
    return table.state.practice and end is not None and idle_at(table.state) < end


def call_time(words: Words, table: Table) -> str:
    """What the call adds about time; empty where there is no hurry, and where the others choose by now."""
    end = None if table.clock.watch.asking is not None or ends_before(table) else _told_end(table)
    return "" if end is None else words("clock.call", date=moment(end, "f"), end=moment(end))
