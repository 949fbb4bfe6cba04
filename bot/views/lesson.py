"""What a guided game says in place: what a corner match, a draw, a bridge and a hexagon are, as they happen.

It is begun by the press `by:guide`, which stands under `/tiles help`, and by `/tiles help guided:True`: either is one
interaction, which answers with the hand of a lesson that has begun.

Nothing is kept of what was said already. It follows from what has happened, so it is the same after a restart and
however often somebody looks: what happens for the first time is explained until their next tile.
"""

from collections.abc import Callable
from typing import Final

from discord import ui

from bot.views.parts import GOLD, Press, button, layout, primary, rows
from bot.views.sentences import number_text, points_text
from data.words import Words
from engine.bonuses import BonusRules
from engine.events import Drew, Placed
from engine.seen import Seen
from engine.story import Story, Told
from engine.tiles import tile_text

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


def lesson_text(words: Words, seen: Seen, story: Story) -> str:
    """What there is to learn of the turn that somebody is in; nothing while it is not theirs."""
    if not seen.my_turn or not seen.tiles:
        return ""
    placed = [at for at, told in enumerate(story.told) if _is_own(told, seen)]
    since = placed[-1] if placed else 0
    lines = [] if placed else [words("lesson.start", game=words(f"game.{seen.rules.game}"))]
    if len(placed) == 1:
        lines.append(words("lesson.corner"))
    for what, happened in FIRSTS.items():
        first = next((at for at, told in enumerate(story.told) if happened(told)), -1)
        if first >= since:
            lines.append(_explained(words, seen, what, story.told[first]))
    return "\n".join([*lines, *_advice(words, seen, first=not placed)])


def _is_own(told: Told, seen: Seen) -> bool:
    return isinstance(told.event, Placed) and told.event.seat == seen.viewer and not told.opening


def _explained(words: Words, seen: Seen, what: str, told: Told) -> str:
    event = told.event
    whose = "own" if getattr(event, "seat", None) == seen.viewer else "other"
    return words(
        f"lesson.{what}_{whose}",
        bonus=points_text(event.bonus) if isinstance(event, Placed) else "",
        cost=seen.rules.draw_cost,
        limit=seen.rules.most_draws,
    )


def _advice(words: Words, seen: Seen, *, first: bool) -> list[str]:
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


def lesson_over_view(words: Words, seen: Seen, note: str) -> ui.LayoutView:
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
