"""The referee's answers, as the values that `--json` prints."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from bot.tools import position_reading
from bot.tools.position_reading import Case
from engine.board.board import Board, Placement
from engine.board.tiles import Tile, format_tile_notation
from engine.families import QuadRules, TriokerRules, TriominoRules
from engine.match.errors import RuleError
from engine.match.rules import Rules, judge_placement
from engine.match.turns import compute_round_awards

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


def judge_case(case: Case) -> Verdict:
    """Return what a move scores without a bonus or further turn, or why it is illegal (null points and base)."""
    try:
        verdict = _judge_move(case)
    except RuleError as broken:
        answer = REFUSED | {"why": broken.why.value}
        return Verdict(answer, f"Refused, {broken.why}: {position_reading.format_refusal(broken, case.rules)}.")
    return Verdict(verdict.answer, f"Legal, {verdict.sentence}.")


def _judge_move(case: Case) -> Verdict:
    opens = not case.board.placed
    earned = judge_placement(case.board, case.move, case.rules)
    cost = case.rules.draw_cost * case.drawn
    reward = case.rules.find_reward(case.move.tile, earned, opening=opens, bonus_tile=False)
    extra_turn = case.rules.earns_further_turn(earned)
    answer = REFUSED | {
        "legal": True,
        "points": earned.points - cost,
        "base": earned.base,
        "hexagons": earned.hexagons,
        "bridge": earned.bridge,
        "matched": earned.matched,
        "bonus_choice": reward is not None,
        "extra_turn": extra_turn,
    }
    follows = position_reading.format_follow_up(reward, extra_turn=extra_turn)
    text = position_reading.format_score(earned, opens=opens, drawn=case.drawn, cost=cost, follow_up=follows)
    return Verdict(answer, text)


def judge_moves(rules: Rules, position: str, tiles: str | None, options: Sequence[str] = ()) -> Verdict:
    """Return each legal placement of `tiles`, or of all tiles that are not on the table; most points first."""
    hands = {} if tiles is None else {"tiles": tiles}
    rules, board, held = position_reading.parse_table(rules, position, hands, options)
    moves = board.list_legal_moves(held[0] if held else set(rules.tiles) - board.tiles)
    judged = [(move, _judge_move(Case(rules, board, move, 0))) for move in moves]
    judged.sort(key=lambda pair: -pair[1].answer["points"])
    answer = {"moves": [{"move": str(move)} | verdict.answer for move, verdict in judged]}
    lines = [f"{move}  {verdict.sentence}" for move, verdict in judged]
    return Verdict(answer, "\n".join(lines) or "None of these tiles can be placed.")


def judge_opening(rules: Rules, hands: str, options: Sequence[str] = ()) -> Verdict:
    """Return who opens, with which tiles, for how many points: one for each tile if they differ."""
    rules, opener = position_reading.find_opener(rules, hands, options)
    tiles = [format_tile_notation(tile) for tile in opener.tiles]
    first = [Placement(tile, rules.plane.first, 0) for tile in opener.tiles]
    earned = [rules.score_placement(rules.build_board(), lies) for lies in first]
    points = [score.points for score in earned]
    rewards = [
        rules.find_reward(lies.tile, score, opening=True, bonus_tile=False)
        for lies, score in zip(first, earned, strict=True)
    ]
    answer: RefereeAnswer = {"seat": opener.seat, "tiles": tiles, "points": _merge_equal(points)}
    if isinstance(rules, QuadRules):
        answer["bonus_choice"] = _merge_equal([reward is not None for reward in rewards])
        answer["both"] = _merge_equal([reward is not None and reward.both for reward in rewards])
    follow_ups = [position_reading.format_follow_up(reward, extra_turn=False) for reward in rewards]
    return Verdict(answer, position_reading.format_opening(opener.seat, tiles, points, follow_ups))


def judge_hands(
    rules: Rules, position: str, hands: str, left: str | None = None, options: Sequence[str] = ()
) -> Verdict:
    """Return whether a round is blocked: no tile in a hand and none that is `left` to draw can be placed. Without
    `left` all tiles that are neither on the table nor in a hand are left. The awards are known if none is.
    """
    seats = position_reading.split_hands(hands)
    pool = {"left": left} if left and left.strip() else {}
    rules, board, held = position_reading.parse_table(rules, position, seats | pool, options)
    position_reading.require_seat_count(rules, "hands", len(seats))
    if not board.placed:
        raise position_reading.UnreadableError("position: missing; a round that has not opened can't be blocked")
    draws = rules.has_boneyard and rules.max_draws > 0
    if pool and not draws:
        raise position_reading.UnreadableError(f"left: in {rules.game} nobody draws; leave left out")
    hands_by_seat, named = held[: len(seats)], held[len(seats) :]
    unseen = {*rules.tiles} - board.tiles - {tile for hand in hands_by_seat for tile in hand}
    to_draw = named[0] if named else sorted(unseen) if left is None and draws else []
    fitting = [_list_fitting(board, hand) for hand in hands_by_seat]
    drawable = _list_fitting(board, to_draw)
    blocked = not any([*fitting, drawable])
    awards = compute_round_awards(rules, None, hands_by_seat, range(len(seats))) if blocked and not to_draw else None
    answer = {"blocked": blocked, "can_place": fitting, "left": len(to_draw), "left_fit": drawable, "awards": awards}
    return Verdict(answer, position_reading.format_block(fitting, len(to_draw), drawable, awards))


def _list_fitting(board: Board, tiles: Sequence[Tile]) -> list[str]:
    return [format_tile_notation(tile) for tile in tiles if board.has_legal_move([tile])]


def judge_block(rules: Rules, totals: str, tiles: str | None = None) -> Verdict:
    """Return the award of each seat in a blocked round, by the points and numbers of tiles in hand."""
    held = position_reading.parse_hand_totals(rules, totals)
    counts = position_reading.parse_hand_counts(rules, tiles, len(held)) if tiles is not None else None
    if counts is None and _needs_tile_counts(rules):
        raise position_reading.UnreadableError(
            "tiles: the fewest tiles win a blocked round here; say how many everybody holds, like --tiles 3,2,4"
        )
    awards = rules.compute_block_awards(held, counts)
    return Verdict({"awards": awards}, position_reading.format_awards(awards))


def _needs_tile_counts(rules: Rules) -> bool:
    if isinstance(rules, TriominoRules):
        return rules.blocked_winner == "fewest_tiles"
    return isinstance(rules, TriokerRules)


def _merge_equal(values: list[Any]) -> Any:
    return values[0] if len(set(values)) == 1 else values


def count_sequences(rules: Rules, start: Tile, depth: int) -> list[int]:
    """Return the number of sequences of 1, 2, ... `depth` tiles after a start tile, by tile, cell and numbers shown."""
    board = rules.build_board()
    board.place(Placement(start, rules.plane.first, 0))
    found = [0] * depth
    _count_from(board, [tile for tile in rules.tiles if tile != start], 0, found)
    return found


def _count_from(board: Board, hand: list[Tile], step: int, found: list[int]) -> None:
    legal = board.list_legal_moves(hand)
    found[step] += len(legal)
    if step + 1 == len(found):
        return
    for placement in legal:
        board.place(placement)
        _count_from(board, [tile for tile in hand if tile != placement.tile], step + 1, found)
        board.undo()
