"""Hints in words: where to look, which move it is and what can be said for it."""

from typing import Any, Final, assert_never

import discord
from discord import ui

from bot.service.hints import Advice
from bot.service.tables import Table
from bot.views.moves import MoveNotes, lying, tile_name, token, where
from bot.views.names import Names
from bot.views.parts import Press, button, primary
from bot.views.sentences import arithmetic, points_text
from data.words import Words
from engine.actions import Choose, Draw
from engine.players import reasons
from engine.players.reasons import Holder, Reason
from engine.seen import Seen
from engine.story import neighbours
from engine.table.terms import CLASSIC

MOVE: Final = "move"
"""In the id of a button: the move is asked for too."""
AS_TEXT: Final = "text"
"""In the id of a button: it is asked for in words."""


def hint_button(
    table: Table, seen: Seen, words: Words, *, given: bool = False, text: bool = False
) -> list[ui.Button[Any]]:
    """The button that asks for a hint, where there are any; after one was `given`, for the move itself."""
    if not table.hints or not seen.my_turn or table.clock.time.paused or seen.round_over is not None:
        return []
    asked = ".".join([MOVE] * given + [AS_TEXT] * text)
    press = Press("hint", table.head.match_id, table.head.seq, asked)
    return [primary(words("hint.show"), press) if given else button(words("hint.button"), press)]


def play_button(table: Table, seen: Seen, words: Words, advice: Advice) -> ui.Button[Any]:
    """The button that does it."""
    action, head = advice.hint.action, table.head
    if (move := advice.hint.move) is not None:
        press = Press("play", head.match_id, head.seq, token(move.placement))
        return button(words("hand.play_bare"), press, style=discord.ButtonStyle.success)
    match action:
        case Choose(option=option):
            told = words("hand.stop")
            if seen.reward is not None:
                n = seen.reward.tiles if option == "tiles" else seen.reward.points
                told = words(f"hand.take_{option}", n=n)
            return primary(told, Press("choose", head.match_id, head.seq, option))
        case Draw():
            return primary(words("hand.draw"), Press("draw", head.match_id, head.seq))
        case _:
            return primary(words("hand.pass"), Press("pass", head.match_id, head.seq))


def look_text(table: Table, seen: Seen, words: Words, advice: Advice) -> str:
    """Where to look, and nothing of what to do there."""
    move, theme = advice.hint.move, table.terms.theme
    if move is None:
        return words("hint.look_bonus" if "tiles" in seen.options else "hint.look_nowhere")
    if not seen.tiles:
        return words("hint.look_opening")
    at = MoveNotes(words, seen, theme).where(move)
    return words("hint.look", letter=move.letter, where=at) if at else words("hint.look_letter", letter=move.letter)


def deed_text(table: Table, seen: Seen, words: Words, advice: Advice) -> str:
    """The move, whole: what is played where, or what else is done."""
    move, theme = advice.hint.move, table.terms.theme
    if move is None:
        return words(f"hint.do_{_deed(advice)}")
    tile = tile_name(move.placement.tile, theme)
    sums = arithmetic(words, move, seen.rules, tile=move.placement.tile, opening=not seen.tiles, drawn=seen.drawn)
    key = f"hand.preview{'' if seen.tiles else '_opening'}{'' if sums else '_bare'}"
    about = MoveNotes(words, seen, theme)
    told = [words(key, tile=tile, letter=move.letter, arithmetic=sums), about.where(move), about.lies(move)]
    return " · ".join(filter(None, told))


def reasons_text(table: Table, seen: Seen, words: Words, advice: Advice, names: Names, *, deed: bool = False) -> str:
    """What can be said for it, a line each, and who would play it; what it is (`deed`) stands above, where wanted."""
    lines = [f"- {reason_text(seen, words, one, names, table.terms.theme)}" for one in advice.hint.reasons] or [
        words("hint.none")
    ]
    first = [deed_text(table, seen, words, advice)] if deed else []
    return "\n".join([*first, *lines, words("hint.by", level=words(f"level.{advice.level}"))])


def _deed(advice: Advice) -> str:
    match advice.hint.action:
        case Choose(option=option):
            return option
        case Draw():
            return "draw"
        case _:
            return "pass"


def reason_text(seen: Seen, words: Words, reason: Reason, names: Names, theme: str = CLASSIC) -> str:
    """One thing that can be said for a move, in a sentence."""
    match reason:
        case reasons.OnlyMove():
            return words("hint.only")
        case reasons.GoesOut(bonus):
            return words("hint.out", bonus=points_text(bonus)) if bonus else words("hint.out_bare")
        case reasons.ScoresMost(points, more):
            return words("hint.most" if more else "hint.most_shared", points=points_text(points), n=more)
        case reasons.Closes(hexagons):
            return words("hint.closes", n=hexagons)
        case reasons.Bridges(bonus):
            return words("hint.bridge", bonus=points_text(bonus))
        case reasons.Earns(points, tiles, both):
            facts = {"points": points_text(points), "tiles": words("count.more_tiles", n=tiles)}
            if not tiles:
                return words("hint.earns_points", points=points_text(points))
            return words("hint.earns_both" if both else "hint.earns", **facts)
        case reasons.GoesOn():
            return words("hint.further")
        case reasons.RarelyFits(tile, elsewhere):
            key = "hint.rarely" if elsewhere else "hint.nowhere_else"
            return words(key, tile=tile_name(tile, theme), n=elsewhere)
        case reasons.Keeps(tile, cell, bonus):
            place = seen.place(cell)
            assert place is not None
            at = where(words, cell, neighbours(seen.rules.plane, lying(seen), cell), theme)
            named = words("hint.place", letter=place.letter, where=at) if at else place.letter
            return words("hint.keeps", place=named, tile=tile_name(tile, theme), bonus=points_text(bonus))
        case reasons.LeavesFew(unseen, after, before, holder):
            few = words("hint.leaves", n=after, unseen=unseen, before=before)
            return _left(few if after else words("hint.leaves_none", n=before), unseen, after, holder, names, words)
        case reasons.LeavesFewest(unseen, after, holder):
            return _left(words("hint.leaves_fewest", n=after, unseen=unseen), unseen, after, holder, names, words)
        case reasons.KeepsMost(held, fitting):
            return words("hint.keeps_most", n=fitting, held=held)
        case reasons.Heaviest(heavy):
            return words("hint.heaviest", n=heavy)
        case reasons.Weighs(points, tiles, most):
            told = words("count.more_tiles", n=tiles)
            return words("hint.weighs", points=points_text(points), tiles=told, most=points_text(most))
        case _:
            assert_never(reason)


def _left(few: str, unseen: int, after: int, holder: Holder | None, names: Names, words: Words) -> str:
    """The sentence about tiles that somebody does not see, with whom it leaves little, and who holds all of them, where
    that can be said of one.
    """
    if holder is None:
        return few
    name, lines = names.safe[holder.seat], [few]
    if after * max(holder.tiles, 2) <= unseen:
        # However they lie, on average at most one tile of that hand fits; a last one in half of all cases at most.
        lines.insert(0, words("hint.leaves_whom" if after else "hint.leaves_nobody", name=name))
    if holder.tiles == unseen:
        lines.append(words("hint.holds_all", name=name))
    return " ".join(lines)
