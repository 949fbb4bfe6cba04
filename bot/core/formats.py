"""Localized numbers, dates and durations, and the texts about clocks and absence."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, Self

import discord
from discord import ui

from bot.core.layout import CALM_COLOUR, GOLD, Press, button, layout, primary, rows, said
from bot.core.names import Names
from bot.tables import move_labels
from bot.tables.move_labels import listed
from bot.tables.service import Table
from data.words import Words
from engine.table.absence import CHOICES
from engine.table.clock import deadline
from engine.table.table_state import idle_at
from engine.table.terms import DAY, HOUR, MINUTE, Pace


class Grouped(int):
    """A number that formats with digit groups: `11,853,792`, `11.853.792`."""

    language: str

    def __new__(cls, number: int, language: str) -> Self:
        made = super().__new__(cls, number)
        made.language = language
        return made

    def __format__(self, spec: str) -> str:
        # babel is slow to import.
        from babel.numbers import format_decimal

        return format_decimal(int(self), locale=self.language)


def tenths_text(words: Words, number: float) -> str:
    from babel.numbers import format_decimal

    return format_decimal(number, "#,##0.0", locale=words.language)


def percent_text(words: Words, share: float) -> str:
    from babel.numbers import format_percent

    return format_percent(int(100 * share) / 100, locale=words.language)


def moment(at: int, style: str = "R") -> str:
    """Return a Discord timestamp: `R` relative, `f` date and time, `D` date."""
    return f"<t:{at // 1000}:{style}>"


def day_text(words: Words, at: int) -> str:
    """Return the UTC day, where a timestamp is impossible: `Nov 22, 2026`, `22.11.2026`, `22 nov. 2026`."""
    from babel.dates import format_date

    return format_date(datetime.fromtimestamp(at / 1000, UTC).date(), "medium", locale=words.language)


def month_text(words: Words, at: int) -> str:
    """Return the UTC month: `November 2026`, `listopad 2026`."""
    from babel.dates import format_skeleton

    return str(format_skeleton("yMMMM", datetime.fromtimestamp(at / 1000, UTC), locale=words.language))


def span_words(words: Words, span: int) -> str:
    """Return `3 days`, `1 day 12 hours`, `5 minutes`."""
    parts = []
    for key, size in (("count.days", DAY), ("count.hours", HOUR), ("count.minutes", MINUTE)):
        count, span = divmod(span, size)
        if count:
            parts.append(words(key, n=count))
    return " ".join(parts) or words("count.minutes", n=0)


def pace_text(words: Words, pace: Pace) -> str:
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
    pace = table.terms.pace
    return words("clock.terms", pace=pace_text(words, pace), absent=words(f"clock.absent_{table.terms.absent}"))


def clock_lines(words: Words, table: Table, names: Sequence[str]) -> list[str]:
    """Return the board's lines about time: the deadline, and who is away or replaced."""
    if table.head.state != "open":
        return []
    clock, turn = table.clock, table.match.turn
    open_turn = table.state.unsettled
    if open_turn is not None:
        facts = {"name": names[open_turn.seat], "next": names[turn], "until": moment(open_turn.until, "T")}
        lines = [words("clock.unsettled", **facts)]
    else:
        lines = [line for line in (_turn_line(words, table, names[turn]),) if line]
    stood = [names[seat] for seat in sorted(clock.standins) if seat < len(names)]
    if stood:
        lines.append(words("clock.standins", names=listed(words, stood)))
    for seat, until in sorted(clock.watch.away.items()):
        if until > table.head.updated_at and (seat != turn or clock.time.paused):
            lines.append(words("clock.away", name=names[seat], until=moment(until, "D")))
    return lines


def _turn_line(words: Words, table: Table, name: str) -> str:
    clock, agreed, idle = table.clock, table.state.paused_until, idle_at(table.state)
    if clock.time.paused:
        return words("clock.paused") if agreed is None else words("clock.paused_together", until=moment(agreed, "D"))
    if clock.watch.asking is not None and clock.watch.until is not None:
        return words("clock.asking", name=name, until=moment(clock.watch.until, "f"))
    end = _pressing_deadline(table)
    if table.state.practice and (end is None or idle < end):
        return words("clock.practice", end=moment(idle, "f"))
    waits = clock.watch.away.get(-1 if clock.time.seat is None else clock.time.seat)
    if waits is not None and waits == clock.time.since:
        key = "clock.away" if end is None else "clock.away_turn"
        return words(key, name=name, until=moment(waits, "D"), end=moment(end or waits, "f"))
    return "" if end is None else words("clock.until", end=moment(end), date=moment(end, "f"))


def _pressing_deadline(table: Table) -> int | None:
    return None if table.terms.pace.kind == "relaxed" else deadline(table.clock.time)


def ends_before(table: Table) -> bool:
    end = deadline(table.clock.time)
    return table.state.practice and end is not None and idle_at(table.state) < end


def call_time(words: Words, table: Table) -> str:
    end = None if table.clock.watch.asking is not None or ends_before(table) else _pressing_deadline(table)
    return "" if end is None else words("clock.call", date=moment(end, "f"), end=moment(end))


STYLES: Final = {"wait": discord.ButtonStyle.primary, "end": discord.ButtonStyle.danger}
IN_QUESTION: Final = "asked"  # argument of the button with which an absent player answers


def mute_button(words: Words, table: Table) -> ui.Button[ui.View]:
    return button(words("clock.mute"), Press("mute", table.head.match_id))


def returns(words: Words, table: Table) -> list[ui.Button[ui.LayoutView]]:
    return [primary(words("absence.back"), Press("back", table.head.match_id))] if table.clock.standins else []


def resumes(words: Words, table: Table) -> list[ui.Button[Any]]:
    ends = table.state.paused_until is not None
    return [primary(words("agree.resume"), Press("resume", table.head.match_id))] if ends else []


def absence_view(table: Table, names: Names, words: Words) -> ui.LayoutView:
    seat, match_id = table.match.turn, table.head.match_id
    asked, until = table.clock.watch.asking or 0, table.clock.watch.until or 0
    usual = words(f"clock.absent_{table.terms.absent}")
    span = span_words(words, table.terms.pace.another)
    text = words("absence.asked", name=names.safe[seat], until=moment(until, "f"), usual=usual)
    ending = table.clock.watch.ending
    if ending:
        waiting = [other for other in table.state.people(table.match) if other not in (seat, *ending)]
        listed = (move_labels.listed(words, [names.safe[other] for other in some]) for some in (ending, waiting))
        text += "\n" + words("absence.ending", names=next(listed), waiting=next(listed))
    buttons = [
        button(
            words(f"absence.{choice}", span=span),
            Press("absent", match_id, asked, choice),
            style=STYLES.get(choice, discord.ButtonStyle.secondary),
        )
        for choice in CHOICES
    ]
    here = button(words("absence.here"), Press("back", match_id, argument=IN_QUESTION))
    return layout(ui.TextDisplay(text), *rows([*buttons, here]), colour=GOLD)


def settled_view(words: Words, name: str, outcome: str) -> ui.LayoutView:
    told = words("absence.over", name=name, outcome=words(f"absence.over_{outcome}"))
    return said(f"-# {told}", colour=CALM_COLOUR)


def notice_text(words: Words, names: Names, body: Mapping[str, Any]) -> str:
    seat, silent = body.get("seat"), body.get("silent")
    return words(
        f"notice.{body['key']}",
        name="" if seat is None else names.safe[int(seat)],
        until=moment(int(body.get("until", 0)), "D"),
        silent="" if silent is None else names.safe[int(silent)],
        waiting=move_labels.listed(words, [names.safe[int(other)] for other in body.get("waiting", ())]),
    )


def reminder_text(words: Words, table: Table, mention: str, link: str) -> str:
    end = deadline(table.clock.time)
    game = words(f"game.{table.terms.game}")
    if end is None or ends_before(table):
        return words("remind.turn", mention=mention, game=game, link=link)
    if table.terms.pace.kind == "relaxed":
        return words("remind.silent", mention=mention, game=game, link=link, date=moment(end, "f"))
    return words("remind.deadline", mention=mention, game=game, link=link, date=moment(end, "f"), end=moment(end))


def reminder_view(table: Table, words: Words) -> ui.View:
    view = ui.View(timeout=None)
    view.add_item(primary(words("board.hand"), Press("hand", table.head.match_id)))
    view.add_item(mute_button(words, table))
    view.stop()
    return view
