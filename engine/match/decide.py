"""Decide an action of a seat (RULES §3 to §6): return events, or raise `RuleError`; the match does not change."""

from collections.abc import Sequence
from typing import Final, assert_never

from engine.board.board import Placement
from engine.board.tableau import new_tuple
from engine.board.tiles import Tile
from engine.match.actions import Action, Choose, Draw, Option, Pass, Play, Resign, Undo
from engine.match.errors import RuleError, Violation
from engine.match.events import Chose, Drew, Event, Passed, Placed, Resigned, Started, Undone
from engine.match.rounds import (
    deal,
    end_by_block,
    end_by_going_out,
    end_match,
    finish_round,
    is_dead,
    list_hands_in_play,
)
from engine.match.rules import FollowUp, Reward, Rules, Score, judge_placement
from engine.match.shuffle import SECRET_VERSION, choose_version, compute_commitment, derive_seed
from engine.match.state import Match, find_last_placement
from engine.match.turns import can_place_bonus, compute_open_reward


def list_options(match: Match) -> tuple[Option, ...]:
    """Return the choices of the seat to move, besides placing a tile."""
    if match.ended:
        return ()
    if match.choosing:
        board, hand = match.board, match.seats[match.turn].hand
        return ("points", "tiles") if can_place_bonus(board.tableau, board.to_mask(hand), match.rules) else ("points",)
    if match.bonus_tiles:
        # Bonus tiles that cannot be placed lapse.
        return () if match.list_legal_moves(match.turn) else ("stop",)
    if match.further:
        must = match.rules.must_take_further_turn and match.board.has_legal_move(match.seats[match.turn].hand)
        return () if must else ("stop",)
    return ()


def decide_choice(match: Match, seat: int, option: Option) -> Chose:
    """Return the result of a choice. Raises RuleError if it is not available."""
    available = list_options(match)
    if match.choosing:
        bonus = compute_reward(match)
        if option == "tiles" and option not in available:
            raise RuleError(Violation.BONUS_TILES_IMPOSSIBLE, points=bonus.points, tiles=bonus.tiles)
        if option == "points":
            return Chose(seat, "points", bonus.points, 0)
        if option == "tiles":
            return Chose(seat, "tiles", 0, bonus.tiles)
    elif option == "stop" and option in available:
        return Chose(seat, "stop", 0, 0)
    elif option == "stop" and (match.bonus_tiles or match.further):
        raise RuleError(Violation.MUST_PLAY, moves=tuple(match.list_legal_moves(seat)))
    if available:
        raise RuleError(Violation.MUST_CHOOSE, options=available)
    raise RuleError(Violation.NOTHING_TO_CHOOSE)


def compute_reward(match: Match) -> Reward:
    """Return the bonus of the last placement while it is to be chosen."""
    assert match.choosing
    return compute_open_reward(match.rules, match.board.tableau)


TURN_OVER: Final[tuple[FollowUp, Sequence[Chose]]] = "next", ()
"""What a placement leads to in games where its turn is over."""


def start(
    rules: Rules,
    *,
    seats: int,
    computers: Sequence[int],
    by_hand: bool,
    secret: bytes,
    contributions: Sequence[str] = (),
) -> list[Event]:
    """Return the first two events of a match. `contributions` has each seat's entropy (`engine.match.shuffle`). Raises
    RuleError(SEAT_COUNT) for an unplayable number of seats.
    """
    if not rules.min_seats <= seats <= rules.max_seats:
        raise RuleError(Violation.SEAT_COUNT, seats=seats, least=rules.min_seats, most=rules.max_seats)
    version = choose_version(contributions)
    added = tuple(contributions) if version != SECRET_VERSION else ()
    return [
        Started(rules, seats, tuple(computers), by_hand, compute_commitment(secret), version, added),
        deal(rules, list(range(seats)), seats, 1, derive_seed(secret, added)),
    ]


def decide(match: Match, action: Action, secret: bytes) -> list[Event]:
    """Return the events of an action. `secret` orders the next deal if the round ends. Raises RuleError with the
    reason, and ValueError for a seat that does not exist.
    """
    if not 0 <= action.seat < len(match.seats):
        raise ValueError(f"the table has no seat {action.seat}")
    if match.ended:
        raise RuleError(Violation.MATCH_OVER)
    if match.seats[action.seat].resigned:
        raise RuleError(Violation.RESIGNED)
    if isinstance(action, Resign):
        return _resign(match, action.seat, secret)
    if isinstance(action, Undo):
        return [_decide_undo(match, action)]
    if action.seat != match.turn:
        raise RuleError(Violation.NOT_YOUR_TURN, turn=match.turn)
    if match.choosing and not isinstance(action, Choose):
        raise RuleError(Violation.MUST_CHOOSE, options=list_options(match))
    match action:
        case Play():
            return _play(match, action, secret)
        case Choose(seat, option):
            return _finish_turn(match, [decide_choice(match, seat, option)], match.seats[seat].hand, secret)
        case Draw(seat):
            _require_no_move(match, seat, free=match.rules.may_draw_freely)
            if not match.boneyard:
                raise RuleError(Violation.BONEYARD_EMPTY)
            if not match.can_draw():
                raise RuleError(Violation.DRAW_LIMIT, limit=match.rules.max_draws)
            return _draw(match, seat, secret)
        case Pass(seat):
            # After a voluntary draw a player may pass, but not if there was nothing to draw.
            _require_no_move(match, seat, free=match.rules.may_draw_freely and (match.drawn > 0 or match.can_draw()))
            if match.can_draw():
                raise RuleError(Violation.MUST_DRAW, drawn=match.drawn, limit=match.rules.max_draws)
            return _fail_turn(match, seat, secret)
        case _:
            assert_never(action)


def find_forced_action(match: Match) -> Action | None:
    """Return the forced action, if any: the only opening tile, a draw, a pass, the only bonus. Placing a tile is never
    forced, even if only one place is left (docs/decisions).
    """
    if match.ended:
        return None
    seat = match.turn
    is_mid_turn = match.choosing or match.bonus_tiles or match.further
    if found := list_options(match) if is_mid_turn else ():
        is_forced = len(found) == 1 and (match.choosing or not match.list_legal_moves(seat))
        return Choose(seat, found[0]) if is_forced else None
    if not match.board.placed:
        if len(match.choices) > 1:
            return None
        return Play(seat, match.choices[0], match.board.lattice.first, 0)
    if match.bonus_tiles or match.board.has_legal_move(match.seats[seat].hand):
        return None
    return Draw(seat) if match.can_draw() else Pass(seat)


def _judge_play(match: Match, play: Play) -> tuple[Placement, Score]:
    """Return the requested placement in the rotation of its legal twin, and its score before the cost of drawing.
    Raises RuleError with the first reason against it.
    """
    board, rules, tile, cell = match.board, match.rules, play.tile, play.cell
    hand, tableau = match.seats[play.seat].hand, board.tableau
    rotation = play.rotation if board.fit.free_order else play.rotation % board.lattice.sides
    placement = new_tuple(Placement, (tile, cell, rotation))
    earned = None
    if tile in hand and tile in tableau.table.number_by_tile:
        ply = board.plies_by_placement[placement]
        placement = board.placements_by_ply[ply]
        if tableau.can_place(*ply):
            # A legal placement needs no further check.
            earned = rules.compute_score(tableau, *ply)
    if earned is None:
        earned = judge_placement(board, placement, rules, hand)
    if not board.placed and (tile not in match.choices or cell != board.lattice.first):
        raise RuleError(Violation.WRONG_OPENING, tile=tile, choices=match.choices)
    first_of_bonus = match.bonus_tiles > 1 and not rules.allows_partial_reward
    if first_of_bonus and placement not in match.list_legal_moves(play.seat):
        raise RuleError(Violation.BONUS_TILES_IMPOSSIBLE, tile=tile, tiles=match.bonus_tiles)
    return placement, earned


def _require_no_move(match: Match, seat: int, *, free: bool) -> None:
    if found := list_options(match):
        # Such a turn ends by a choice, never by a draw or a pass.
        raise RuleError(Violation.MUST_CHOOSE, options=found)
    if free and match.board.placed:
        return
    if legal := match.list_legal_moves(seat):
        raise RuleError(Violation.MUST_PLAY, moves=tuple(legal))


def _play(match: Match, play: Play, secret: bytes) -> list[Event]:
    rules, seat, drawn = match.rules, play.seat, match.drawn
    placement, earned = _judge_play(match, play)
    hand = match.seats[seat].hand.copy()
    hand.remove(play.tile)
    follows, taken = _decide_follow_up(match, placement, earned, hand) if rules.has_further_turns else TURN_OVER
    tile, cell, rotation = placement
    base, bonus, hexagons, bridge, matched, corner, beside = earned
    points = base + bonus - (rules.draw_cost * drawn if drawn else 0)
    placed = Placed(
        seat, tile, cell, rotation, base, hexagons, bridge, bonus, drawn, points, matched, corner, beside, follows
    )
    return _finish_turn(match, [placed, *taken], hand, secret, placement)


def _decide_follow_up(
    match: Match, placement: Placement, earned: Score, hand: Sequence[Tile]
) -> tuple[FollowUp, Sequence[Chose]]:
    """Return what a placement leads to that leaves this hand, and a bonus that is taken at once without a choice."""
    rules, seat = match.rules, match.turn
    bonus_tiles = match.bonus_tiles
    reward = rules.find_reward(placement.tile, earned, opening=not match.board.placed, bonus_tile=bonus_tiles > 0)
    follows = rules.decide_follow_up(earned, reward, bonus_tiles=bonus_tiles, left=bool(hand))
    if reward is None:
        return follows, ()
    if not hand:
        # Nothing is left to place: the bonus is its points (example Q27 of RULES §8).
        return follows, [Chose(seat, "points", reward.points, 0)]
    if reward.both:
        tableau = match.board.tableau.copy()
        tableau.place(*match.board.plies_by_placement[placement])
        tiles = reward.tiles if can_place_bonus(tableau, match.board.to_mask(hand), rules) else 0
        return follows, [Chose(seat, "both", reward.points, tiles)]
    return follows, ()


def _finish_turn(
    match: Match, events: list[Event], hand: Sequence[Tile], secret: bytes, placement: Placement | None = None
) -> list[Event]:
    seat, goes_on = match.turn, bool(hand)
    if goes_on:
        if not _is_over(match, events):
            return events
        goes_on = bool(match.boneyard) or not is_dead(match, seat, hand, (), placement)
    if goes_on and match.rules.finish != "turn":
        return events
    points = sum([event.points for event in events if isinstance(event, Placed | Chose)])
    if not goes_on:
        hands = list_hands_in_play(match, seat, hand)
        ended = end_by_block(match, hands, match.active) if hand else end_by_going_out(match, seat, hands)
        return [*events, *finish_round(match, ended, {seat: points}, match.active, secret)]
    if match.seats[seat].total + points >= match.rules.target:
        # The first to reach the target wins at once.
        totals = [other.total + points * (number == seat) for number, other in enumerate(match.seats)]
        return [*events, end_match(match, totals, match.active, secret)]
    return events


def _is_over(match: Match, events: Sequence[Event]) -> bool:
    match events[-1]:
        case Placed() as placed:
            return placed.follows == "next"
        case Chose(option="stop"):
            return True
        case Chose(tiles=tiles):
            has_placed = any(isinstance(event, Placed) for event in events)
            return not tiles and match.bonus_tiles <= has_placed
        case _:
            return True


def _draw(match: Match, seat: int, secret: bytes) -> list[Event]:
    drew = Drew(seat, match.boneyard[-1])
    if len(match.boneyard) > 1:
        return [drew]
    hand = (*match.seats[seat].hand, *match.boneyard)
    if not is_dead(match, seat, hand, ()):
        return [drew]
    # The round is dead: the draws are paid, the failed turn is not.
    drawn = match.drawn + 1
    passed = Passed(seat, drawn, -match.rules.draw_cost * drawn)
    ended = end_by_block(match, list_hands_in_play(match, seat, hand), match.active)
    return [drew, passed, *finish_round(match, ended, {seat: passed.points}, match.active, secret)]


def _fail_turn(match: Match, seat: int, secret: bytes) -> list[Event]:
    passed = Passed(seat, match.drawn, -match.rules.compute_failed_turn_cost(match.drawn, len(match.boneyard)))
    if any(other != seat and other not in match.failed for other in match.active):
        return [passed]
    ended = end_by_block(match, list_hands_in_play(match, seat, match.seats[seat].hand), match.active)
    return [passed, *finish_round(match, ended, {seat: passed.points}, match.active, secret)]


def _decide_undo(match: Match, action: Undo) -> Undone:
    moment = find_last_placement(match.undo_stack, action.seat)
    if moment is None:
        raise RuleError(Violation.NOTHING_TO_TAKE_BACK)
    if not action.agreed and not match.can_undo(action.seat):
        raise RuleError(Violation.TOO_LATE_TO_TAKE_BACK, tile=moment.tile)
    return Undone(action.seat, action.agreed)


def _resign(match: Match, seat: int, secret: bytes) -> list[Event]:
    resigned = Resigned(seat)
    left = [other for other in match.active if other != seat]
    if len(left) < match.rules.min_seats or all(match.seats[other].computer for other in left):
        # No player is left, or only computers: the match is decided as it stands.
        totals = [other.total for other in match.seats]
        return [resigned, end_match(match, totals, left, secret)]
    if not match.board.placed and match.turn == seat:
        # The opener left before opening: deal the round again.
        seed = derive_seed(secret, match.contributions)
        return [resigned, deal(match.rules, left, len(match.seats), match.round + 1, seed)]
    if all(other in match.failed for other in left) or is_dead(match, seat, (), match.boneyard):
        paid: list[Event] = []
        if match.turn != seat and match.drawn:
            # The seat to move pays its draws, as if a draw had shown that the round is dead.
            paid = [Passed(match.turn, match.drawn, -match.rules.draw_cost * match.drawn)]
        turn = {event.seat: event.points for event in paid if isinstance(event, Passed)}
        ended = end_by_block(match, list_hands_in_play(match, seat, ()), left)
        return [resigned, *paid, *finish_round(match, ended, turn, left, secret)]
    return [resigned]
