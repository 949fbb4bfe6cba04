"""The referee's answers, as the values that `--json` prints."""

from dataclasses import dataclass
from typing import Any

from bot.referee import reading, sentences
from bot.referee.reading import Case
from engine.bonuses import opening_score
from engine.errors import RuleBroken
from engine.placing import judge
from engine.rounds import block_awards
from engine.rules import Rules
from engine.tiles import tile_text

Answer = dict[str, Any]
"""One JSON object."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """An answer in both forms."""

    answer: Answer
    sentence: str


def placement(case: Case) -> Verdict:
    """What a move scores, or why it is refused.

    A refused move has no points and no base (null), no hexagons (0) and no bridge (false).
    """
    try:
        earned = judge(case.board, case.move, case.rules)
    except RuleBroken as broken:
        answer = _placement(legal=False, why=broken.why.value)
        return Verdict(answer, f"Refused, {broken.why}: {sentences.refusal(broken)}.")
    cost = case.rules.draw_penalty * case.drawn
    answer = _placement(
        legal=True,
        points=earned.points - cost,
        base=earned.base,
        hexagons=earned.hexagons,
        bridge=earned.bridge,
    )
    return Verdict(answer, sentences.scored(earned, opens=not case.board.placed, drawn=case.drawn, cost=cost))


def opening(rules: Rules, hands: str) -> Verdict:
    """Who opens, with which tiles, for how many points.

    Several tiles leave a choice. Where it is one between different points, `points` lists them beside the tiles.
    """
    opener = reading.opener(rules, hands)
    tiles = [tile_text(tile) for tile in opener.tiles]
    points = [opening_score(tile, rules).points for tile in opener.tiles]
    answer = {"seat": opener.seat, "tiles": tiles, "points": points[0] if len(set(points)) == 1 else points}
    return Verdict(answer, sentences.opening(opener.seat, tiles, points))


def block(rules: Rules, totals: str, tiles: str | None = None) -> Verdict:
    """What each seat earns when the round is blocked and this is what they hold: points, and how many tiles."""
    held = reading.hand_totals(rules, totals)
    counts = reading.hand_counts(rules, tiles, len(held)) if tiles is not None else None
    if rules.blocked_winner == "fewest_tiles" and counts is None:
        raise reading.Unreadable("tiles: under blocked_winner=fewest_tiles say how many, like --tiles 3,2,4")
    awards = block_awards(held, rules, tiles=counts)
    return Verdict({"awards": awards}, sentences.block(awards))


def _placement(
    *,
    legal: bool,
    points: int | None = None,
    base: int | None = None,
    hexagons: int = 0,
    bridge: bool = False,
    why: str | None = None,
) -> Answer:
    return {"legal": legal, "points": points, "base": base, "hexagons": hexagons, "bridge": bridge, "why": why}
