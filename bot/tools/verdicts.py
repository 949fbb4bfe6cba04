"""The referee's answers, as the values that `--json` prints."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bot.tools import position_reading
from bot.tools.position_reading import Case
from engine.board.board import Placement
from engine.board.tiles import tile_text
from engine.families import QuadRules, TriokerRules, TriominoRules
from engine.match.errors import RuleBroken
from engine.match.rules import Rules, judge

RefereeAnswer = dict[str, Any]
"""One JSON object."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """An answer in both forms."""

    answer: RefereeAnswer
    sentence: str


def placement(case: Case) -> Verdict:
    """What a move scores, or why it is refused.

    A refused move has no points and no base (null); what it would make is 0 or false. `points` are those of the
    placement: a bonus that may be taken for it, or a further turn, is told beside them.
    """
    opens = not case.board.placed
    try:
        earned = judge(case.board, case.move, case.rules)
    except RuleBroken as broken:
        answer = _placement(legal=False, why=broken.why.value)
        return Verdict(answer, f"Refused, {broken.why}: {position_reading.refusal(broken, case.rules)}.")
    cost = case.rules.draw_cost * case.drawn
    reward = case.rules.reward(case.move.tile, earned, opening=opens, bonus_tile=False)
    extra_turn = case.rules.goes_on(earned)
    answer = _placement(
        legal=True,
        points=earned.points - cost,
        base=earned.base,
        hexagons=earned.hexagons,
        bridge=earned.bridge,
        matched=earned.matched,
        bonus_choice=reward is not None,
        extra_turn=extra_turn,
    )
    follows = position_reading.follows(reward, extra_turn=extra_turn)
    return Verdict(answer, position_reading.scored(earned, opens=opens, drawn=case.drawn, cost=cost, follows=follows))


def verdict_on_opening(rules: Rules, hands: str, options: Sequence[str] = ()) -> Verdict:
    """Who opens, with which tiles, for how many points.

    Several tiles leave a choice. Where it is one between different points, `points` lists them beside the tiles. In
    Quad-Ominos `bonus_choice` and `both` say in the same way whether the tile brings the bonus, and all of it.
    """
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
    """What each seat earns when the round is blocked and this is what they hold: points, and how many tiles."""
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
    """What all of the opening tiles have in common, else what each has."""
    return values[0] if len(set(values)) == 1 else values


def _placement(
    *,
    legal: bool,
    points: int | None = None,
    base: int | None = None,
    hexagons: int = 0,
    bridge: bool = False,
    why: str | None = None,
    matched: int = 0,
    bonus_choice: bool = False,
    extra_turn: bool = False,
) -> RefereeAnswer:
    return {
        "legal": legal,
        "points": points,
        "base": base,
        "hexagons": hexagons,
        "bridge": bridge,
        "why": why,
        "matched": matched,
        "bonus_choice": bonus_choice,
        "extra_turn": extra_turn,
    }
