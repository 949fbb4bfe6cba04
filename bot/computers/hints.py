"""Hints: the best move, computed once for each position."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Final, assert_never

import discord
from discord import ui

from bot.computers.thinking import MoveChooser
from bot.core.layout import CustomId, build_button, build_primary_button
from bot.core.names import SeatNames, put_bounded
from bot.tables.move_labels import (
    MoveNotes,
    encode_placement,
    format_arithmetic,
    format_location,
    format_points,
    format_tile,
    map_tiles_by_cell,
)
from bot.tables.service import Table
from data.words import Words
from engine.match.actions import Choose
from engine.match.event_log import list_neighbours
from engine.match.player_view import PlayerView, view_for
from engine.players import hint_reasons
from engine.players.hint_reasons import Hint, OnlyOpponent, Reason, build_hint
from engine.record.text import format_choice
from engine.table.terms import CLASSIC

MAX_CACHED: Final = 1_000  # cached hints


@dataclass(frozen=True, slots=True)
class Advice:
    """A hint, and the level of the computer that would make this move."""

    hint: Hint
    level: str


class HintService:
    """Asks the strongest player that is free, for one position at a time for each user."""

    def __init__(self, thinking: MoveChooser) -> None:
        self._thinking = thinking
        self._tasks: OrderedDict[tuple[int, int, int], asyncio.Task[Advice]] = OrderedDict()  # by table, event, seat
        self._busy_users: set[int] = set()  # users for whom a hint is being computed

    async def advise(self, table: Table, seat: int, user_id: int) -> Advice:
        """Return a hint for the user on this seat, whose turn it is. The same position has the same hint."""
        key = table.head.match_id, table.head.seq, seat
        task = self._tasks.get(key)
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = asyncio.create_task(self._compute_advice(table, seat, user_id))
            put_bounded(self._tasks, key, task, MAX_CACHED)
        # Others may wait for this task, so it must not end with the first request.
        return await asyncio.shield(task)

    async def _compute_advice(self, table: Table, seat: int, user_id: int) -> Advice:
        view, skip_worker = view_for(table.match, seat), user_id in self._busy_users
        self._busy_users.add(user_id)
        try:
            level, action = await self._thinking.advise(
                view, owner_id=user_id, seed=table.head.seq, skip_worker=skip_worker
            )
        finally:
            if not skip_worker:
                self._busy_users.discard(user_id)
        return Advice(build_hint(view, action), level)


MOVE: Final = "move"  # in a button id: show the move too
AS_TEXT: Final = "text"  # in a button id: show it in words


def build_hint_buttons(
    table: Table, view: PlayerView, words: Words, *, is_given: bool = False, text: bool = False
) -> list[ui.Button[Any]]:
    """Return the hint button if hints are allowed; after one was `is_given`, the button for the move itself."""
    if not table.has_hints or not view.is_own_turn or table.clock.time.paused or view.round_over is not None:
        return []
    argument = ".".join([MOVE] * is_given + [AS_TEXT] * text)
    press = CustomId("hint", table.head.match_id, table.head.seq, argument)
    return [build_primary_button(words("hint.show"), press) if is_given else build_button(words("hint.button"), press)]


def build_play_button(table: Table, view: PlayerView, words: Words, advice: Advice) -> ui.Button[Any]:
    action, head = advice.hint.action, table.head
    if (move := advice.hint.move) is not None:
        press = CustomId("play", head.match_id, head.seq, encode_placement(move.placement))
        return build_button(words("hand.play_bare"), press, style=discord.ButtonStyle.success)
    if not isinstance(action, Choose):
        key = format_choice(action)
        return build_primary_button(words(f"hand.{key}"), CustomId(key, head.match_id, head.seq))
    label = words("hand.stop")
    if view.reward is not None:
        n = view.reward.tiles if action.option == "tiles" else view.reward.points
        label = words(f"hand.take_{action.option}", n=n)
    return build_primary_button(label, CustomId("choose", head.match_id, head.seq, action.option))


def format_hint_location(table: Table, view: PlayerView, words: Words, advice: Advice) -> str:
    move, theme = advice.hint.move, table.terms.theme
    if move is None:
        return words("hint.look_bonus" if "tiles" in view.options else "hint.look_nowhere")
    if not view.tiles:
        return words("hint.look_opening")
    location = MoveNotes(words, view, theme).format_location(move)
    return words("hint.look" if location else "hint.look_letter", letter=move.letter, where=location)


def format_advised_move(table: Table, view: PlayerView, words: Words, advice: Advice) -> str:
    move, theme = advice.hint.move, table.terms.theme
    if move is None:
        return words(f"hint.do_{format_choice(advice.hint.action)}")
    tile, opening = move.placement.tile, not view.tiles
    calculation = format_arithmetic(words, move, view.rules, opening=opening, drawn=view.drawn)
    key = f"hand.preview{'' if view.tiles else '_opening'}{'' if calculation else '_bare'}"
    notes = MoveNotes(words, view, theme)
    what = words(key, tile=format_tile(tile, theme), letter=move.letter, arithmetic=calculation)
    return " · ".join(filter(None, [what, notes.format_location(move), notes.format_rotation(move)]))


def format_reasons(
    table: Table, view: PlayerView, words: Words, advice: Advice, names: SeatNames, *, with_move: bool = False
) -> str:
    """Give the reasons for a move and the level that would play it, a line each; `with_move` adds the move above."""
    reasons = [f"- {format_reason(view, words, one, names, table.terms.theme)}" for one in advice.hint.reasons]
    first = [format_advised_move(table, view, words, advice)] if with_move else []
    return "\n".join(
        [*first, *(reasons or [words("hint.none")]), words("hint.by", level=words(f"level.{advice.level}"))]
    )


def format_reason(view: PlayerView, words: Words, reason: Reason, names: SeatNames, theme: str = CLASSIC) -> str:
    match reason:
        case hint_reasons.OnlyMove():
            return words("hint.only")
        case hint_reasons.GoingOut(bonus):
            return words("hint.out", bonus=format_points(bonus)) if bonus else words("hint.out_bare")
        case hint_reasons.HighestScore(points, more):
            return words("hint.most" if more else "hint.most_shared", points=format_points(points), n=more)
        case hint_reasons.ClosedHexagons(hexagons):
            return words("hint.closes", n=hexagons)
        case hint_reasons.BridgeBonus(bonus):
            return words("hint.bridge", bonus=format_points(bonus))
        case hint_reasons.EarnedReward(points, tiles, both):
            facts = {"points": format_points(points), "tiles": words("count.more_tiles", n=tiles)}
            if not tiles:
                return words("hint.earns_points", points=format_points(points))
            return words("hint.earns_both" if both else "hint.earns", **facts)
        case hint_reasons.FurtherTurn():
            return words("hint.further")
        case hint_reasons.RareFit(tile, elsewhere):
            key = "hint.rarely" if elsewhere else "hint.nowhere_else"
            return words(key, tile=format_tile(tile, theme), n=elsewhere)
        case hint_reasons.KeptBonus(tile, cell, bonus):
            place = view.find_place(cell)
            assert place is not None
            neighbours = list_neighbours(view.rules.plane, map_tiles_by_cell(view), cell)
            location = format_location(words, cell, neighbours, theme)
            place_text = words("hint.place", letter=place.letter, where=location) if location else place.letter
            return words("hint.keeps", place=place_text, tile=format_tile(tile, theme), bonus=format_points(bonus))
        case hint_reasons.FewReplies(unseen, after, before, holder):
            few_text = words("hint.leaves", n=after, unseen=unseen, before=before)
            few_text = few_text if after else words("hint.leaves_none", n=before)
            return _format_fitting_tiles(few_text, unseen, after, holder, names, words)
        case hint_reasons.FewestReplies(unseen, after, holder):
            few_text = words("hint.leaves_fewest", n=after, unseen=unseen)
            return _format_fitting_tiles(few_text, unseen, after, holder, names, words)
        case hint_reasons.MostPlayableHand(held, fitting):
            return words("hint.keeps_most", n=fitting, held=held)
        case hint_reasons.HeaviestTile(heavy):
            return words("hint.heaviest", n=heavy)
        case hint_reasons.RewardComparison(points, tiles, most):
            tiles_text = words("count.more_tiles", n=tiles)
            return words("hint.weighs", points=format_points(points), tiles=tiles_text, most=format_points(most))
        case _:
            assert_never(reason)


def _format_fitting_tiles(
    few_text: str, unseen: int, after: int, holder: OnlyOpponent | None, names: SeatNames, words: Words
) -> str:
    """Say how few of the unseen tiles fit, who is left with little, and who holds all of them, if one player does."""
    if holder is None:
        return few_text
    name, lines = names.escaped[holder.seat], [few_text]
    if after * max(holder.tiles, 2) <= unseen:
        # On average at most one tile of that hand fits; a last tile fits in at most half of all cases.
        lines.insert(0, words("hint.leaves_whom" if after else "hint.leaves_nobody", name=name))
    if holder.tiles == unseen:
        lines.append(words("hint.holds_all", name=name))
    return " ".join(lines)
