"""Views of a table's deals, the result of their check, and the lessons of a guided game."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import discord
from discord import ui

import data
from bot.core.layout import GOLD, CustomId, build_button, build_layout, build_text_view
from bot.core.names import SeatNames
from bot.core.safe_text import isolate_text
from bot.tables.board_text import format_awards
from bot.tables.end_views import RECORD_FILE
from bot.tables.move_labels import format_list, format_number, format_points, format_shortcut
from bot.tables.service import Table
from data.words import Words
from engine.board.tiles import format_tile_notation
from engine.match.bonuses import BonusRules
from engine.match.event_log import EventLog, PublicEvent
from engine.match.events import Drew, Event, Passed, Placed
from engine.match.player_view import PlayerView
from engine.match.shuffle import SECRET_VERSION, choose_version, compute_commitment, is_interaction_hash
from engine.record import Proof

VERIFY_PAGE: Final = Path(data.__file__).with_name("verify.html")  # page that checks a record without a server
SHOWN_DIGITS: Final = 12  # shown digits of an entropy value, of 64: enough to find it in the record


def build_fingerprint_view(table: Table, names: SeatNames, words: Words, user_id: int) -> ui.LayoutView:
    """Show the fingerprint of the deals, the entropy of the seats, and how to add a word."""
    state, event_log = table.state, table.event_log
    in_lobby = state.state == "lobby"
    if state.terms.guided:
        return build_text_view(f"{words('fair.title')}\n{words('fair.guided')}", colour=GOLD)
    lines = [words("fair.title"), words("fair.drawn"), f"```\n{compute_fingerprint(table)}\n```"]
    contributions = [row.contribution for row in state.seats] if event_log is None else [*event_log.match.contributions]
    if state.terms.deal:
        lines.append(words("deal.print_seats", deal=state.terms.deal))
    elif event_log is not None and choose_version(contributions) == SECRET_VERSION:
        lines.append(words("fair.seats_early"))
    else:
        lines.append(words("fair.seats" if in_lobby else "fair.seats_over"))
        for seat, (text, name) in enumerate(zip(contributions, names.escaped, strict=True)):
            computer = state.seats[seat].computer is not None
            entropy_text = format_entropy(words, text) or words("fair.added_nothing" if computer else "fair.added_none")
            lines.append(words("fair.seat", number=seat + 1, name=name, added=entropy_text))
    seated, buttons = table.find_seat(user_id) is not None, []
    if in_lobby and not state.terms.deal and (seated or len(state.seats) < state.terms.seats):
        lines.append(words("fair.free" if seated else "fair.free_sit"))
        press = CustomId("word", table.head.match_id, state.revised_seq)
        buttons = [build_button(words("fair.word" if seated else "fair.sit"), press)]
    return build_text_view("\n".join(lines), *buttons, colour=GOLD)


def compute_fingerprint(table: Table) -> str:
    """Return the fingerprint that a table showed; older matches showed it only from their start."""
    started = "" if table.event_log is None else table.event_log.match.commitment
    return table.state.commitment or started or compute_commitment(table.head.secret)


def format_entropy(words: Words, text: str) -> str:
    """Format the entropy that a player added; empty for none."""
    if not text:
        return ""
    if is_interaction_hash(text):
        return words("fair.added_press", digits=text[:SHOWN_DIGITS])
    return words("fair.added_word", word=isolate_text(text))


def format_proof(words: Words, proof: Proof, names: Sequence[str], rounds: int, noted_fingerprint: str) -> list[str]:
    """Format the result of a check, verdict first. `noted` is the fingerprint to compare with."""
    verdict = words("fair.no" if not proof.is_fair else "fair.yes_early" if proof.predates_entropy else "fair.yes")
    lines = [verdict, _format_fingerprint(words, proof, noted_fingerprint), *_format_entropy_lines(words, proof, names)]
    for text, is_found in proof.claimed_entropy:
        lines.append(words("fair.mine" if is_found else "fair.mine_not", text=text))
    if proof.record_fingerprint:
        lines.append(words("fair.dealt" if proof.has_right_deals else "fair.dealt_not", n=rounds))
    return [*lines, words("fair.played_not" if proof.wrong_lines else "fair.played", n=proof.wrong_lines)]


def _format_fingerprint(words: Words, proof: Proof, noted_fingerprint: str) -> str:
    if not proof.record_fingerprint:
        return words("fair.secret_none")
    match proof.fingerprint:
        case "same":
            return words("fair.fixed", found=proof.record_fingerprint)
        case "other":
            return words("fair.fixed_other", found=proof.record_fingerprint, noted=noted_fingerprint)
        case "none":
            return words("fair.fixed_none")


def _format_entropy_lines(words: Words, proof: Proof, names: Sequence[str]) -> list[str]:
    added = [(names[seat], format_entropy(words, text)) for seat, text in enumerate(proof.contributions) if text]
    entropy_texts = [words("fair.by", name=name, added=text) for name, text in added]
    if not entropy_texts:
        return [words("fair.nobody_early" if proof.predates_entropy else "fair.nobody")]
    if proof.silent_seats:
        return [words("fair.silent", names=format_list(words, [names[seat] for seat in proof.silent_seats]))]
    return [words("fair.everybody", list=format_list(words, entropy_texts))]


def build_verify_view(lines: Sequence[str], words: Words) -> ui.LayoutView:
    files = [ui.File[ui.LayoutView](f"attachment://{name}") for name in (RECORD_FILE, VERIFY_PAGE.name)]
    texts = [ui.TextDisplay[ui.LayoutView](text) for text in ("\n".join(lines), f"-# {words('fair.trust')}")]
    return build_layout(*texts, *files, colour=GOLD)


def build_page_file() -> discord.File:
    return discord.File(VERIFY_PAGE, filename=VERIFY_PAGE.name)


NEARLY_OUT: Final = 2  # tiles left in a hand when going out is explained
GUIDE_ID: Final = CustomId("guide")  # starts or continues a guided game


# Events that are explained the first time, by the prefix of their keys.
FIRST_EVENTS: Final[dict[str, Callable[[Event], bool]]] = {
    "draw": lambda event: isinstance(event, Drew),
    "pass_drew": lambda event: isinstance(event, Passed) and event.drawn > 0,
    "pass": lambda event: isinstance(event, Passed) and not event.drawn,
    "bridge": lambda event: isinstance(event, Placed) and event.bridge,
    "hexagon": lambda event: isinstance(event, Placed) and event.hexagons > 0,
}


def format_lesson(words: Words, view: PlayerView, event_log: EventLog, *, text: bool = False) -> str:
    """Return the lesson for the viewer's turn; empty if it is not their turn. A `text` board has no move buttons."""
    if not view.is_own_turn or not view.tiles:
        return ""
    placed = [at for at, entry in enumerate(event_log.events) if _is_own(entry, view)]
    since = placed[-1] if placed else 0
    lines = [] if placed else [words("lesson.start", game=words(f"game.{view.rules.game}"))]
    if len(placed) == 1:
        tile = getattr(event_log.events[placed[0]].event, "tile", ())
        lines.append(words("lesson.corner", sum=f"{' + '.join(map(str, tile))} = {sum(tile)}"))
    for event_key, matches in FIRST_EVENTS.items():
        first = next((at for at, told in enumerate(event_log.events) if matches(told.event)), -1)
        if first >= since:
            lines.append(_format_explanation(words, view, event_key, event_log.events[first]))
    return "\n".join([*lines, *_format_advice(words, view, first=not placed, text=text)])


def _is_own(entry: PublicEvent, view: PlayerView) -> bool:
    return isinstance(entry.event, Placed) and entry.event.seat == view.viewer and not entry.opening


def _format_explanation(words: Words, view: PlayerView, event_key: str, entry: PublicEvent) -> str:
    event, rules = entry.event, view.rules
    owner = "own" if getattr(event, "seat", None) == view.viewer else "other"
    facts = {"cost": rules.draw_cost, "limit": rules.max_draws, "bonus": ""}
    if isinstance(event, Placed):
        facts["bonus"] = format_points(event.bonus)
    elif isinstance(event, Passed):
        extra = -event.points - event.drawn * rules.draw_cost
        facts |= {"tiles": words("count.tiles", n=event.drawn), "extra": extra, "points": format_points(event.points)}
    return words(f"lesson.{event_key}_{owner}", **facts)


def _format_advice(words: Words, view: PlayerView, *, first: bool, text: bool) -> list[str]:
    """Give the best place in the first turn; later only say that there is something to find."""
    if first and view.moves:
        best = view.moves[0]
        advice = words("lesson.first", letter=best.letter, tile=format_tile_notation(best.placement.tile))
        press = "" if text else words("lesson.first_press", button=format_shortcut(words, view, best))
        return [" ".join(filter(None, [advice, press]))]
    own_view, rules = view.own_seat, view.rules
    if own_view is None or not isinstance(rules, BonusRules):
        return []
    if not own_view.hexagons and any(move.hexagons for move in view.moves):
        return [words("lesson.chance_hexagon")]
    if not own_view.bridges and any(move.bridge for move in view.moves):
        return [words("lesson.chance_bridge")]
    return [words("lesson.last", out=rules.out_bonus)] if own_view.tiles == NEARLY_OUT else []


def format_lesson_end(words: Words, view: PlayerView, names: SeatNames) -> list[str]:
    """Return the result of a guided game for its player, how the round ended, and what to do next."""
    assert view.ended is not None
    assert view.viewer is not None
    place, own_total = view.ended.places[view.viewer], view.ended.totals[view.viewer]
    shared = view.ended.places.count(1) > 1
    best_other_total = max(total for seat, total in enumerate(view.ended.totals) if seat != view.viewer)
    key = "lesson.lost" if place > 1 else "lesson.shared" if shared else "lesson.won"
    lines = [words(key, mine=format_number(own_total), other=format_number(best_other_total))]
    ended = view.round_over
    if ended is not None and ended.out is not None:
        award, bonus = ended.awards[ended.out], view.rules.out_bonus
        key = "lesson.out_own" if ended.out == view.viewer else "lesson.out_other"
        lines.append(words(key, out=bonus, tiles=award - bonus, points=format_points(award)))
    elif ended is not None and any(ended.awards):
        lines += format_awards(words, ended, view.ended.totals, names.escaped)
    return [*lines, words("lesson.next")]
