"""Hints: the best move, computed once for each position."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Final, assert_never

import discord
from discord import ui

from bot.computers.thinking import Chooser
from bot.core.layout import Press, button, primary
from bot.core.names import Names
from bot.tables.move_labels import MoveNotes, arithmetic, lying, points_text, tile_name, token, where
from bot.tables.service import Table
from data.words import Words
from engine.match.actions import Choose, Draw
from engine.match.event_log import neighbours
from engine.match.player_view import PlayerView, view_for
from engine.players import hint_reasons
from engine.players.hint_reasons import Hint, Holder, Reason, hint
from engine.table.terms import CLASSIC

KEPT: Final = 1_000  # cached hints


@dataclass(frozen=True, slots=True)
class Advice:
    """A hint, and the level of the computer that would make this move."""

    hint: Hint
    level: str


class Hints:
    """Asks the strongest player that is free, for one position at a time for each user."""

    def __init__(self, thinking: Chooser) -> None:
        self._thinking = thinking
        self._found: OrderedDict[tuple[int, int, int], asyncio.Task[Advice]] = OrderedDict()  # by table, event, seat
        self._asking: set[int] = set()  # users for whom a hint is being computed

    async def of(self, table: Table, seat: int, user_id: int) -> Advice:
        """Return a hint for the user on this seat, whose turn it is. The same position has the same hint."""
        key = table.head.match_id, table.head.seq, seat
        task = self._found.get(key)
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = self._found[key] = asyncio.create_task(self._advice(table, seat, user_id))
            while len(self._found) > KEPT:
                self._found.popitem(last=False)
        # Others may wait for this task, so it must not end with the first request.
        return await asyncio.shield(task)

    async def _advice(self, table: Table, seat: int, user_id: int) -> Advice:
        seen, at_once = view_for(table.match, seat), user_id in self._asking
        self._asking.add(user_id)
        try:
            level, action = await self._thinking.advise(seen, whose=user_id, seed=table.head.seq, at_once=at_once)
        finally:
            if not at_once:
                self._asking.discard(user_id)
        return Advice(hint(seen, action), level)


MOVE: Final = "move"  # in a button id: show the move too
AS_TEXT: Final = "text"  # in a button id: show it in words


def hint_button(
    table: Table, seen: PlayerView, words: Words, *, given: bool = False, text: bool = False
) -> list[ui.Button[Any]]:
    """Return the hint button if hints are allowed; after one was `given`, the button for the move itself."""
    if not table.hints or not seen.my_turn or table.clock.time.paused or seen.round_over is not None:
        return []
    asked = ".".join([MOVE] * given + [AS_TEXT] * text)
    press = Press("hint", table.head.match_id, table.head.seq, asked)
    return [primary(words("hint.show"), press) if given else button(words("hint.button"), press)]


def play_button(table: Table, seen: PlayerView, words: Words, advice: Advice) -> ui.Button[Any]:
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


def look_text(table: Table, seen: PlayerView, words: Words, advice: Advice) -> str:
    move, theme = advice.hint.move, table.terms.theme
    if move is None:
        return words("hint.look_bonus" if "tiles" in seen.options else "hint.look_nowhere")
    if not seen.tiles:
        return words("hint.look_opening")
    at = MoveNotes(words, seen, theme).where(move)
    return words("hint.look", letter=move.letter, where=at) if at else words("hint.look_letter", letter=move.letter)


def deed_text(table: Table, seen: PlayerView, words: Words, advice: Advice) -> str:
    move, theme = advice.hint.move, table.terms.theme
    if move is None:
        return words(f"hint.do_{_deed(advice)}")
    tile = tile_name(move.placement.tile, theme)
    sums = arithmetic(words, move, seen.rules, tile=move.placement.tile, opening=not seen.tiles, drawn=seen.drawn)
    key = f"hand.preview{'' if seen.tiles else '_opening'}{'' if sums else '_bare'}"
    about = MoveNotes(words, seen, theme)
    told = [words(key, tile=tile, letter=move.letter, arithmetic=sums), about.where(move), about.lies(move)]
    return " · ".join(filter(None, told))


def reasons_text(
    table: Table, seen: PlayerView, words: Words, advice: Advice, names: Names, *, deed: bool = False
) -> str:
    """Give the reasons for a move and the level that would play it, a line each; `deed` adds the move above."""
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


def reason_text(seen: PlayerView, words: Words, reason: Reason, names: Names, theme: str = CLASSIC) -> str:
    match reason:
        case hint_reasons.OnlyMove():
            return words("hint.only")
        case hint_reasons.GoesOut(bonus):
            return words("hint.out", bonus=points_text(bonus)) if bonus else words("hint.out_bare")
        case hint_reasons.ScoresMost(points, more):
            return words("hint.most" if more else "hint.most_shared", points=points_text(points), n=more)
        case hint_reasons.Closes(hexagons):
            return words("hint.closes", n=hexagons)
        case hint_reasons.Bridges(bonus):
            return words("hint.bridge", bonus=points_text(bonus))
        case hint_reasons.Earns(points, tiles, both):
            facts = {"points": points_text(points), "tiles": words("count.more_tiles", n=tiles)}
            if not tiles:
                return words("hint.earns_points", points=points_text(points))
            return words("hint.earns_both" if both else "hint.earns", **facts)
        case hint_reasons.GoesOn():
            return words("hint.further")
        case hint_reasons.RarelyFits(tile, elsewhere):
            key = "hint.rarely" if elsewhere else "hint.nowhere_else"
            return words(key, tile=tile_name(tile, theme), n=elsewhere)
        case hint_reasons.Keeps(tile, cell, bonus):
            place = seen.place(cell)
            assert place is not None
            at = where(words, cell, neighbours(seen.rules.plane, lying(seen), cell), theme)
            named = words("hint.place", letter=place.letter, where=at) if at else place.letter
            return words("hint.keeps", place=named, tile=tile_name(tile, theme), bonus=points_text(bonus))
        case hint_reasons.LeavesFew(unseen, after, before, holder):
            few = words("hint.leaves", n=after, unseen=unseen, before=before)
            return _left(few if after else words("hint.leaves_none", n=before), unseen, after, holder, names, words)
        case hint_reasons.LeavesFewest(unseen, after, holder):
            return _left(words("hint.leaves_fewest", n=after, unseen=unseen), unseen, after, holder, names, words)
        case hint_reasons.KeepsMost(held, fitting):
            return words("hint.keeps_most", n=fitting, held=held)
        case hint_reasons.Heaviest(heavy):
            return words("hint.heaviest", n=heavy)
        case hint_reasons.Weighs(points, tiles, most):
            told = words("count.more_tiles", n=tiles)
            return words("hint.weighs", points=points_text(points), tiles=told, most=points_text(most))
        case _:
            assert_never(reason)


def _left(few: str, unseen: int, after: int, holder: Holder | None, names: Names, words: Words) -> str:
    """Say how few of the unseen tiles fit, who is left with little, and who holds all of them, if one player does."""
    if holder is None:
        return few
    name, lines = names.safe[holder.seat], [few]
    if after * max(holder.tiles, 2) <= unseen:
        # On average at most one tile of that hand fits; a last tile fits in at most half of all cases.
        lines.insert(0, words("hint.leaves_whom" if after else "hint.leaves_nobody", name=name))
    if holder.tiles == unseen:
        lines.append(words("hint.holds_all", name=name))
    return " ".join(lines)
