"""Views of a table's deals, the result of their check, and the lessons of a guided game."""

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
from engine.match.events import Drew, Event, Placed
from engine.match.player_view import PlayerView
from engine.match.shuffle import FIRST, commitment, is_press, version_of
from engine.record import Proof

PAGE: Final = Path(data.__file__).with_name("verify.html")  # page that checks a record without a server
DIGITS: Final = 12  # shown digits of an entropy value, of 64: enough to find it in the record


def fingerprint_view(table: Table, names: Names, words: Words, user_id: int) -> ui.LayoutView:
    """Show the fingerprint of the deals, the entropy of the seats, and how to add a word."""
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
    """Return the fingerprint that a table showed; older matches showed it only from their start."""
    started = "" if table.event_log is None else table.event_log.match.commitment
    return table.state.commitment or started or commitment(table.head.secret)


def added_text(words: Words, text: str) -> str:
    """Format the entropy that a player added; empty for none."""
    if not text:
        return ""
    if is_press(text):
        return words("fair.added_press", digits=text[:DIGITS])
    return words("fair.added_word", word=isolated(text))


def proof_lines(words: Words, proof: Proof, names: Sequence[str], rounds: int, noted: str) -> list[str]:
    """Format the result of a check, verdict first. `noted` is the fingerprint to compare with."""
    told = words("fair.no" if not proof.fair else "fair.yes_early" if proof.early else "fair.yes")
    return [
        told,
        _fingerprint_line(words, proof, noted),
        *_entropy_lines(words, proof, names),
        *(words("fair.mine" if there else "fair.mine_not", text=text) for text, there in proof.mine),
        *([words("fair.dealt", n=rounds) if proof.dealt else words("fair.dealt_not")] if proof.found else []),
        words("fair.played_not", n=proof.wrong) if proof.wrong else words("fair.played"),
    ]


def _fingerprint_line(words: Words, proof: Proof, noted: str) -> str:
    if not proof.found:
        return words("fair.secret_none")
    match proof.fingerprint:
        case "same":
            return words("fair.fixed", found=proof.found)
        case "other":
            return words("fair.fixed_other", found=proof.found, noted=noted)
        case "none":
            return words("fair.fixed_none")


def _entropy_lines(words: Words, proof: Proof, names: Sequence[str]) -> list[str]:
    added = [(names[seat], added_text(words, text)) for seat, text in enumerate(proof.contributions) if text]
    who = [words("fair.by", name=name, added=text) for name, text in added]
    if not who:
        return [words("fair.nobody_early" if proof.early else "fair.nobody")]
    if proof.silent:
        return [words("fair.silent", names=move_labels.listed(words, [names[seat] for seat in proof.silent]))]
    return [words("fair.everybody", list=move_labels.listed(words, who))]


def verify_view(lines: Sequence[str], words: Words) -> ui.LayoutView:
    files = [ui.File[ui.LayoutView](f"attachment://{name}") for name in (RECORD_FILE, PAGE.name)]
    return layout(ui.TextDisplay("\n".join(lines)), ui.TextDisplay(f"-# {words('fair.trust')}"), *files, colour=GOLD)


def page_file() -> discord.File:
    return discord.File(PAGE, filename=PAGE.name)


NEARLY_OUT: Final = 2  # tiles left in a hand when going out is explained
GUIDE: Final = Press("guide")  # starts or continues a guided game


# Events that are explained the first time, by the prefix of their keys.
FIRSTS: Final[dict[str, Callable[[Event], bool]]] = {
    "draw": lambda event: isinstance(event, Drew),
    "bridge": lambda event: isinstance(event, Placed) and event.bridge,
    "hexagon": lambda event: isinstance(event, Placed) and event.hexagons > 0,
}


def lesson_text(words: Words, seen: PlayerView, event_log: EventLog) -> str:
    """Return the lesson for the viewer's turn; empty if it is not their turn."""
    if not seen.my_turn or not seen.tiles:
        return ""
    placed = [at for at, told in enumerate(event_log.told) if _is_own(told, seen)]
    since = placed[-1] if placed else 0
    lines = [] if placed else [words("lesson.start", game=words(f"game.{seen.rules.game}"))]
    if len(placed) == 1:
        lines.append(words("lesson.corner"))
    for what, happened in FIRSTS.items():
        first = next((at for at, told in enumerate(event_log.told) if happened(told.event)), -1)
        if first >= since:
            lines.append(_explain(words, seen, what, event_log.told[first]))
    return "\n".join([*lines, *_advise(words, seen, first=not placed)])


def _is_own(told: Told, seen: PlayerView) -> bool:
    return isinstance(told.event, Placed) and told.event.seat == seen.viewer and not told.opening


def _explain(words: Words, seen: PlayerView, what: str, told: Told) -> str:
    event = told.event
    whose = "own" if getattr(event, "seat", None) == seen.viewer else "other"
    bonus = points_text(event.bonus) if isinstance(event, Placed) else ""
    return words(f"lesson.{what}_{whose}", bonus=bonus, cost=seen.rules.draw_cost, limit=seen.rules.most_draws)


def _advise(words: Words, seen: PlayerView, *, first: bool) -> list[str]:
    """Give the best place in the first turn; later only say that there is something to find."""
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
