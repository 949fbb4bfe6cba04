"""Localized numbers, dates and durations, and the texts about clocks and absence."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final, Self

import discord
from discord import ui

from bot.core.layout import (
    CALM_COLOUR,
    GOLD,
    CustomId,
    build_button,
    build_layout,
    build_plain_view,
    build_primary_button,
    build_rows,
    build_text_view,
    format_timestamp,
)
from bot.core.names import SeatNames
from bot.tables.move_labels import format_list
from bot.tables.service import Table
from data.words import Words, list_languages, load_words
from engine.table.absence import CHOICES
from engine.table.table_state import compute_deadline, compute_idle_end
from engine.table.terms import DAY, HOUR, MINUTE, RELAXED, Pace, parse_pace
from engine.typed_text import normalize_text


class GroupedNumber(int):
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


def format_tenths(words: Words, number: float) -> str:
    from babel.numbers import format_decimal

    return format_decimal(number, "#,##0.0", locale=words.language)


def format_share(words: Words, share: float) -> str:
    from babel.numbers import format_percent

    return format_percent(int(100 * share) / 100, locale=words.language)


def format_day(words: Words, at: int) -> str:
    """Return the UTC day, where a timestamp is impossible: `Nov 22, 2026`, `22.11.2026`, `22 nov. 2026`."""
    from babel.dates import format_date

    return format_date(datetime.fromtimestamp(at / 1000, UTC).date(), "medium", locale=words.language)


def format_month(words: Words, at: int) -> str:
    """Return the UTC month: `November 2026`, `listopad 2026`."""
    from babel.dates import format_skeleton

    return str(format_skeleton("yMMMM", datetime.fromtimestamp(at / 1000, UTC), locale=words.language))


def format_duration(words: Words, span: int) -> str:
    """Return `3 days`, `1 day 12 hours`, `5 minutes`."""
    parts = []
    for key, size in (("count.days", DAY), ("count.hours", HOUR), ("count.minutes", MINUTE)):
        count, span = divmod(span, size)
        if count:
            parts.append(words(key, n=count))
    return " ".join(parts) or words("count.minutes", n=0)


def format_pace(words: Words, pace: Pace) -> str:
    match pace.kind:
        case "relaxed":
            return words("clock.relaxed")
        case "bank":
            key = "clock.bank" if pace.increment else "clock.bank_bare"
            bank, increment = format_duration(words, pace.bank), format_duration(words, pace.increment)
            return words(key, bank=bank, increment=increment)
        case kind:
            return words(f"clock.{kind}", turn=format_duration(words, pace.turn))


SPAN_PATTERN: Final = re.compile(r"(\d+) ?([^\W\d_]+)")


@cache
def _map_unit_words() -> dict[str, str]:
    """Return the units `d`, `h` and `m` by the words for days, hours and minutes in every language."""
    found = {}
    for words in map(load_words, list_languages()):
        for key, unit in (("count.days", "d"), ("count.hours", "h"), ("count.minutes", "m")):
            for number in (1, 2, 5, 25):
                found[words(key, n=number).replace(str(number), "").strip().casefold()] = unit
    return found


def shorten_spans(text: str) -> str:
    """Write spans as `parse_pace` reads them: `1 day 12 hours` and `1 Tag 12 Stunden` as `1d12h`."""

    def shorten(found: re.Match[str]) -> str:
        unit = _map_unit_words().get(found[2])
        return found[0] if unit is None else found[1] + unit

    return re.sub(r"(?<=\d[dhm]) (?=\d+[dhm]\b)", "", SPAN_PATTERN.sub(shorten, normalize_text(text).casefold()))


def parse_typed_pace(text: str) -> Pace:
    """Parse a clock as `parse_pace` does, with units in any language, or as the bot writes it. Raises ValueError."""
    short = shorten_spans(text)
    with suppress(ValueError):
        return parse_pace(short)
    spans, typed = re.findall(r"(?:\d+[dhm])+", short), normalize_text(text).casefold()
    for candidate in (RELAXED, *spans[:1], f"bank {'+'.join(spans[:2])}"):
        with suppress(ValueError):
            pace = parse_pace(candidate)
            if typed in (normalize_text(format_pace(load_words(one), pace)).casefold() for one in list_languages()):
                return pace
    raise ValueError(text)


def normalize_clock(text: str) -> str:
    """Return a typed clock as `parse_pace` reads it; unreadable text stays, so that a refusal can quote it. Without
    text, the server's default applies.
    """
    if not text.strip():
        return ""
    try:
        return str(parse_typed_pace(text))
    except ValueError:
        return text


def format_clock_terms(words: Words, table: Table) -> str:
    pace = table.terms.pace
    return words("clock.terms", pace=format_pace(words, pace), absent=words(f"clock.absent_{table.terms.absent}"))


def format_clock_lines(words: Words, table: Table, names: Sequence[str]) -> list[str]:
    """Return the board's lines about time: the deadline, and who is away or replaced."""
    if table.head.state != "open":
        return []
    clock, turn = table.clock, table.match.turn
    open_turn = table.state.tentative_turn
    if open_turn is not None:
        facts = {"name": names[open_turn.seat], "next": names[turn], "until": format_timestamp(open_turn.until, "T")}
        lines = [words("clock.unsettled", **facts)]
    else:
        lines = [line for line in (_format_turn_line(words, table, names[turn]),) if line]
    replaced = [names[seat] for seat in sorted(clock.standins) if seat < len(names)]
    if replaced:
        lines.append(words("clock.standins", names=format_list(words, replaced)))
    for seat, until in sorted(clock.watch.away.items()):
        if until > table.head.updated_at and (seat != turn or clock.time.paused):
            lines.append(words("clock.away", name=names[seat], until=format_timestamp(until, "D")))
    return lines


def _format_turn_line(words: Words, table: Table, name: str) -> str:
    clock, paused_until, idle = table.clock, table.state.paused_until, compute_idle_end(table.state)
    if clock.time.paused:
        if paused_until is None:
            return words("clock.paused")
        return words("clock.paused_together", until=format_timestamp(paused_until, "D"))
    if clock.watch.absence_question is not None and clock.watch.until is not None:
        key = "clock.asking_left" if clock.watch.asked == "left" else "clock.asking"
        return words(key, name=name, until=format_timestamp(clock.watch.until, "f"))
    end = _find_pressing_deadline(table)
    if table.state.is_practice and (end is None or idle < end):
        return words("clock.practice", end=format_timestamp(idle, "f"))
    away_until = clock.watch.away.get(-1 if clock.time.seat is None else clock.time.seat)
    if away_until is not None and away_until == clock.time.since:
        until, turn_end = format_timestamp(away_until, "D"), format_timestamp(end or away_until, "f")
        return words("clock.away" if end is None else "clock.away_turn", name=name, until=until, end=turn_end)
    return "" if end is None else words("clock.until", end=format_timestamp(end), date=format_timestamp(end, "f"))


def _find_pressing_deadline(table: Table) -> int | None:
    return None if table.terms.pace.kind == "relaxed" else compute_deadline(table.clock.time)


def is_idle_end_first(table: Table) -> bool:
    end = compute_deadline(table.clock.time)
    return table.state.is_practice and end is not None and compute_idle_end(table.state) < end


def format_call_time(words: Words, table: Table) -> str:
    end = _find_pressing_deadline(table)
    if end is None or table.clock.watch.absence_question is not None or is_idle_end_first(table):
        return ""
    return words("clock.call", date=format_timestamp(end, "f"), end=format_timestamp(end))


CHOICE_STYLES: Final = {"wait": discord.ButtonStyle.primary, "end": discord.ButtonStyle.danger}
ABSENCE_ANSWER: Final = "asked"  # argument of the button with which an absent player answers


def build_mute_button(words: Words, table: Table) -> ui.Button[ui.View]:
    return build_button(words("clock.mute"), CustomId("mute", table.head.match_id))


def build_return_buttons(words: Words, table: Table) -> list[ui.Button[ui.LayoutView]]:
    if not table.clock.standins:
        return []
    return [build_primary_button(words("absence.back"), CustomId("back", table.head.match_id))]


def build_absence_view(table: Table, names: SeatNames, words: Words) -> ui.LayoutView:
    seat, match_id = table.match.turn, table.head.match_id
    question_number, until = table.clock.watch.absence_question or 0, table.clock.watch.until or 0
    usual = words(f"clock.absent_{table.terms.absent}")
    span = format_duration(words, table.terms.pace.extra_time)
    key = "absence.asked_left" if table.clock.watch.asked == "left" else "absence.asked"
    text = words(key, name=names.escaped[seat], until=format_timestamp(until, "f"), usual=usual)
    ending = table.clock.watch.end_votes
    if ending:
        waiting = [other for other in table.state.list_present_seats(table.match) if other not in (seat, *ending)]
        voters, others = (format_list(words, [names.escaped[one] for one in seats]) for seats in (ending, waiting))
        text += "\n" + words("absence.ending", names=voters, waiting=others)
    buttons = [
        build_button(
            words(f"absence.{choice}", span=span),
            CustomId("absent", match_id, question_number, choice),
            style=CHOICE_STYLES.get(choice, discord.ButtonStyle.secondary),
        )
        for choice in CHOICES
    ]
    present_button = build_button(words("absence.here"), CustomId("back", match_id, argument=ABSENCE_ANSWER))
    return build_layout(ui.TextDisplay(text), *build_rows([*buttons, present_button]), colour=GOLD)


def build_absence_outcome_view(words: Words, name: str, outcome: str, *, left: bool) -> ui.LayoutView:
    text = words("absence.over_left" if left else "absence.over", name=name, outcome=words(f"absence.over_{outcome}"))
    return build_text_view(f"-# {text}", colour=CALM_COLOUR)


def format_notice(words: Words, names: SeatNames, body: Mapping[str, Any]) -> str:
    seat, silent_seat = body.get("seat"), body.get("silent")
    return words(
        f"notice.{body['key']}",
        name="" if seat is None else names.escaped[int(seat)],
        until=format_timestamp(int(body.get("until", 0)), "D"),
        silent="" if silent_seat is None else names.escaped[int(silent_seat)],
        waiting=format_list(words, [names.escaped[int(other)] for other in body.get("waiting", ())]),
    )


def format_reminder(words: Words, table: Table, mention: str, link: str) -> str:
    end = compute_deadline(table.clock.time)
    game = words(f"game.{table.terms.game}")
    facts = {"mention": mention, "game": game, "link": link}
    if end is None or is_idle_end_first(table):
        return words("remind.turn", **facts)
    facts["date"] = format_timestamp(end, "f")
    if table.terms.pace.kind == "relaxed":
        return words("remind.silent", **facts)
    return words("remind.deadline", **facts, end=format_timestamp(end))


def build_reminder_view(table: Table, words: Words) -> ui.View:
    hand = build_primary_button(words("board.hand"), CustomId("hand", table.head.match_id))
    return build_plain_view(hand, build_mute_button(words, table))
