"""What a table's deals come from, and what a check of them found, in words."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import discord
from discord import ui

import data
from bot.core.layout import GOLD, Press, button, layout, primary, rows
from bot.core.names import Names
from bot.core.safe_text import isolated
from bot.tables import move_labels
from bot.tables.end_views import RECORD_FILE
from bot.tables.move_labels import number_text, points_text
from bot.tables.service import Table
from data.words import Words
from engine.board.tiles import tile_text
from engine.match.bonuses import BonusRules
from engine.match.event_log import EventLog, Told
from engine.match.events import Drew, Placed
from engine.match.player_view import PlayerView
from engine.match.shuffle import FIRST, commitment, is_press, version_of
from engine.record import Proof

PAGE: Final = Path(data.__file__).with_name("verify.html")
"""A page without a server that checks a record, for people who trust nobody."""
DIGITS: Final = 12
"""How many of the 64 digits of a press are shown: enough to find it again in the record."""


def fingerprint_view(table: Table, names: Names, words: Words, user_id: int) -> ui.LayoutView:
    """The fingerprint of the deals, what the seats add to them, and how to add a word of one's own."""
    state, event_log = table.state, table.event_log
    waits = state.state == "lobby"
    if state.terms.guided:
        return layout(ui.TextDisplay(f"{words('fair.title')}\n{words('fair.guided')}"), colour=GOLD)
    lines = [words("fair.title"), words("fair.drawn"), f"```\n{announced(table)}\n```"]
    added = [row.contribution for row in state.seats] if event_log is None else [*event_log.match.contributions]
    if state.terms.deal:
        lines.append(words("deal.print_seats", deal=state.terms.deal))
    elif event_log is not None and version_of(added) == FIRST:
        lines.append(words("fair.seats_early"))
    else:
        lines.append(words("fair.seats" if waits else "fair.seats_over"))
        for seat, (text, name) in enumerate(zip(added, names.safe, strict=True)):
            computer = state.seats[seat].computer is not None
            told = added_text(words, text) or words("fair.added_nothing" if computer else "fair.added_none")
            lines.append(words("fair.seat", number=seat + 1, name=name, added=told))
    seated, buttons = table.seat_of(user_id) is not None, []
    if waits and not state.terms.deal and (seated or len(state.seats) < state.terms.seats):
        lines.append(words("fair.free" if seated else "fair.free_sit"))
        press = Press("word", table.head.match_id, state.revised)
        buttons = [button(words("fair.word" if seated else "fair.sit"), press)]
    return layout(ui.TextDisplay("\n".join(lines)), *rows(buttons), colour=GOLD)


def announced(table: Table) -> str:
    """The fingerprint that a table has shown: since it was opened, or, before that was so, since its match began."""
    started = "" if table.event_log is None else table.event_log.match.commitment
    return table.state.commitment or started or commitment(table.head.secret)


def added_text(words: Words, text: str) -> str:
    """What somebody added to the deals; empty for nothing."""
    if not text:
        return ""
    return (
        words("fair.added_press", digits=text[:DIGITS])
        if is_press(text)
        else words("fair.added_word", word=isolated(text))
    )


def proof_lines(words: Words, proof: Proof, names: Sequence[str], rounds: int, noted: str) -> list[str]:
    """What a check found, the verdict first. `noted` is the fingerprint that the record was held against."""
    told = words("fair.no" if not proof.fair else "fair.yes_early" if proof.early else "fair.yes")
    return [
        told,
        _fixed(words, proof, noted),
        *_added(words, proof, names),
        *(words("fair.mine" if there else "fair.mine_not", text=text) for text, there in proof.mine),
        *([words("fair.dealt", n=rounds) if proof.dealt else words("fair.dealt_not")] if proof.found else []),
        words("fair.played_not", n=proof.wrong) if proof.wrong else words("fair.played"),
    ]


def _fixed(words: Words, proof: Proof, noted: str) -> str:
    if not proof.found:
        return words("fair.secret_none")
    match proof.fingerprint:
        case "same":
            return words("fair.fixed", found=proof.found)
        case "other":
            return words("fair.fixed_other", found=proof.found, noted=noted)
        case "none":
            return words("fair.fixed_none")


def _added(words: Words, proof: Proof, names: Sequence[str]) -> list[str]:
    by: Callable[[int], str] = lambda seat: words(  # noqa: E731 - a sentence's part
        "fair.by", name=names[seat], added=added_text(words, proof.contributions[seat])
    )
    who = [by(seat) for seat, text in enumerate(proof.contributions) if text]
    if not who:
        return [words("fair.nobody_early" if proof.early else "fair.nobody")]
    if proof.silent:
        return [words("fair.silent", names=move_labels.listed(words, [names[seat] for seat in proof.silent]))]
    return [words("fair.everybody", list=move_labels.listed(words, who))]


def verify_view(lines: Sequence[str], words: Words) -> ui.LayoutView:
    """What the check of a match found, with the record and the page, which are sent along."""
    files = [ui.File[ui.LayoutView](f"attachment://{name}") for name in (RECORD_FILE, PAGE.name)]
    return layout(ui.TextDisplay("\n".join(lines)), ui.TextDisplay(f"-# {words('fair.trust')}"), *files, colour=GOLD)


def page_file() -> discord.File:
    """The page, to be sent along."""
    return discord.File(PAGE, filename=PAGE.name)


NEARLY_OUT: Final = 2
"""Tiles with which somebody is told what going out brings."""

GUIDE: Final = Press("guide")
"""Begins a guided game, or goes on with the one that is running."""


def _drawn(told: Told) -> bool:
    return isinstance(told.event, Drew)


def _bridged(told: Told) -> bool:
    return isinstance(told.event, Placed) and told.event.bridge


def _closed(told: Told) -> bool:
    return isinstance(told.event, Placed) and told.event.hexagons > 0


FIRSTS: Final[dict[str, Callable[[Told], bool]]] = {"draw": _drawn, "bridge": _bridged, "hexagon": _closed}
"""What is explained when it happens for the first time, by the beginning of its keys."""


def lesson_text(words: Words, seen: PlayerView, event_log: EventLog) -> str:
    """What there is to learn of the turn that somebody is in; nothing while it is not theirs."""
    if not seen.my_turn or not seen.tiles:
        return ""
    placed = [at for at, told in enumerate(event_log.told) if _is_own(told, seen)]
    since = placed[-1] if placed else 0
    lines = [] if placed else [words("lesson.start", game=words(f"game.{seen.rules.game}"))]
    if len(placed) == 1:
        lines.append(words("lesson.corner"))
    for what, happened in FIRSTS.items():
        first = next((at for at, told in enumerate(event_log.told) if happened(told)), -1)
        if first >= since:
            lines.append(_explained(words, seen, what, event_log.told[first]))
    return "\n".join([*lines, *_advice(words, seen, first=not placed)])


def _is_own(told: Told, seen: PlayerView) -> bool:
    return isinstance(told.event, Placed) and told.event.seat == seen.viewer and not told.opening


def _explained(words: Words, seen: PlayerView, what: str, told: Told) -> str:
    event = told.event
    whose = "own" if getattr(event, "seat", None) == seen.viewer else "other"
    return words(
        f"lesson.{what}_{whose}",
        bonus=points_text(event.bonus) if isinstance(event, Placed) else "",
        cost=seen.rules.draw_cost,
        limit=seen.rules.most_draws,
    )


def _advice(words: Words, seen: PlayerView, *, first: bool) -> list[str]:
    """Where to look: the best place is named once, in the first turn; later on that there is something to be found."""
    if first and seen.moves:
        best = seen.moves[0]
        return [words("lesson.first", letter=best.letter, tile=tile_text(best.placement.tile))]
    mine, rules = seen.mine, seen.rules
    if mine is None or not isinstance(rules, BonusRules):
        return []
    if not mine.hexagons and any(move.hexagons for move in seen.moves):
        return [words("lesson.chance_hexagon")]
    if not mine.bridges and any(move.bridge for move in seen.moves):
        return [words("lesson.chance_bridge")]
    return [words("lesson.last", out=rules.out_bonus)] if mine.tiles == NEARLY_OUT else []


def lesson_over_view(words: Words, seen: PlayerView, note: str) -> ui.LayoutView:
    """How a lesson ended, and what comes after it. A lesson that was lost was a lesson all the same."""
    assert seen.ended is not None
    assert seen.viewer is not None
    place, mine = seen.ended.places[seen.viewer], seen.ended.totals[seen.viewer]
    shared = seen.ended.places.count(1) > 1
    other = max(total for seat, total in enumerate(seen.ended.totals) if seat != seen.viewer)
    key = "lesson.lost" if place > 1 else "lesson.shared" if shared else "lesson.won"
    told = words(key, mine=number_text(mine), other=number_text(other))
    buttons = [primary(words("help.practice"), Press("practice")), button(words("lesson.again"), GUIDE)]
    lines = [*([note] if note else []), told, words("lesson.next")]
    return layout(ui.TextDisplay("\n".join(lines)), *rows(buttons), colour=GOLD)
