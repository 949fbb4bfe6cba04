"""The referee's answers, as the values that `--json` prints."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from bot.tools import position_reading
from bot.tools.position_reading import Case
from engine.board.board import Board, Placement
from engine.board.tiles import Tile, tile_text
from engine.families import QuadRules, TriokerRules, TriominoRules
from engine.match.errors import RuleBroken
from engine.match.rules import Rules, judge

RefereeAnswer = dict[str, Any]  # one JSON object
REFUSED: Final[RefereeAnswer] = {
    "legal": False,
    "points": None,
    "base": None,
    "hexagons": 0,
    "bridge": False,
    "why": None,
    "matched": 0,
    "bonus_choice": False,
    "extra_turn": False,
}


@dataclass(frozen=True, slots=True)
class Verdict:
    answer: RefereeAnswer
    sentence: str


def placement(case: Case) -> Verdict:
    """Return what a move scores without a bonus or further turn, or why it is illegal (null points and base)."""
    opens = not case.board.placed
    try:
        earned = judge(case.board, case.move, case.rules)
    except RuleBroken as broken:
        answer = REFUSED | {"why": broken.why.value}
        return Verdict(answer, f"Refused, {broken.why}: {position_reading.refusal(broken, case.rules)}.")
    cost = case.rules.draw_cost * case.drawn
    reward = case.rules.reward(case.move.tile, earned, opening=opens, bonus_tile=False)
    extra_turn = case.rules.goes_on(earned)
    answer = {
        "legal": True,
        "points": earned.points - cost,
        "base": earned.base,
        "hexagons": earned.hexagons,
        "bridge": earned.bridge,
        "why": None,
        "matched": earned.matched,
        "bonus_choice": reward is not None,
        "extra_turn": extra_turn,
    }
    follows = position_reading.follows(reward, extra_turn=extra_turn)
    return Verdict(answer, position_reading.scored(earned, opens=opens, drawn=case.drawn, cost=cost, follows=follows))


def verdict_on_opening(rules: Rules, hands: str, options: Sequence[str] = ()) -> Verdict:
    """Return who opens, with which tiles, for how many points: one for each tile if they differ."""
    rules, opener = position_reading.opener(rules, hands, options)
    tiles = [tile_text(tile) for tile in opener.tiles]
    first = [Placement(tile, rules.plane.first, 0) for tile in opener.tiles]
    earned = [rules.score(rules.board(), lies) for lies in first]
    points = [score.points for score in earned]
    rewards = [
        rules.reward(lies.tile, score, opening=True, bonus_tile=False)
        for lies, score in zip(first, earned, strict=True)
    ]
    answer: RefereeAnswer = {"seat": opener.seat, "tiles": tiles, "points": _one_or_all(points)}
    if isinstance(rules, QuadRules):
        answer["bonus_choice"] = _one_or_all([reward is not None for reward in rewards])
        answer["both"] = _one_or_all([reward is not None and reward.both for reward in rewards])
    told = [position_reading.follows(reward, extra_turn=False) for reward in rewards]
    return Verdict(answer, position_reading.opening(opener.seat, tiles, points, told))


def verdict_on_block(rules: Rules, totals: str, tiles: str | None = None) -> Verdict:
    """Return the award of each seat in a blocked round, by the points and numbers of tiles in hand."""
    held = position_reading.hand_totals(rules, totals)
    counts = position_reading.hand_counts(rules, tiles, len(held)) if tiles is not None else None
    if counts is None and _fewest_win(rules):
        raise position_reading.Unreadable(
            "tiles: the fewest tiles win a blocked round here; say how many everybody holds, like --tiles 3,2,4"
        )
    awards = rules.block_awards(held, counts)
    return Verdict({"awards": awards}, position_reading.block(awards))


def _fewest_win(rules: Rules) -> bool:
    if isinstance(rules, TriominoRules):
        return rules.blocked_winner == "fewest_tiles"
    return isinstance(rules, TriokerRules)


def _one_or_all(values: list[Any]) -> Any:
    return values[0] if len(set(values)) == 1 else values


def counts(rules: Rules, start: Tile, depth: int) -> list[int]:
    """Return the number of sequences of 1, 2, ... `depth` tiles after a start tile, by tile, cell and numbers shown."""
    board = rules.board()
    board.place(Placement(start, rules.plane.first, 0))
    found = [0] * depth
    _count(board, [tile for tile in rules.tiles if tile != start], 0, found)
    return found


def _count(board: Board, hand: list[Tile], step: int, found: list[int]) -> None:
    legal = board.legal(hand)
    found[step] += len(legal)
    if step + 1 == len(found):
        return
    for placement in legal:
        board.place(placement)
        _count(board, [tile for tile in hand if tile != placement.tile], step + 1, found)
        board.undo()
