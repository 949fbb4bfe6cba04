"""A round from its deal to its awards, and what follows it: the next deal or the end of the match (RULES §3)."""

from collections.abc import Collection, Sequence

from engine.board import Placement
from engine.events import Dealt, Event, MatchEnded, RoundEnded
from engine.match import Match
from engine.opening import drawn_by_lot, opening
from engine.rules import Rules
from engine.shuffle import lot, shuffled
from engine.tiles import Tile


def deal(rules: Rules, active: Sequence[int], seats: int, number: int, secret: bytes) -> Dealt:
    """Round `number` of a match, dealt to the seats that are still in it."""
    order = shuffled(rules.tiles, secret, number)
    size = rules.hand_size(len(active))
    hands: list[tuple[Tile, ...]] = [()] * seats
    for place, seat in enumerate(active):
        hands[seat] = tuple(order[place * size : (place + 1) * size])
    if rules.opening_choice == "any_tile":
        opener, choices = drawn_by_lot(hands, lot(len(active), secret, number))
    else:
        opener, choices = opening(hands, rules)
    return Dealt(number, tuple(hands), tuple(order[len(active) * size :]), opener, choices)


def hands_in_play(match: Match) -> list[tuple[Tile, ...]]:
    """What is held and in play: the tiles of a seat that resigned are not."""
    return [() if seat.resigned else tuple(seat.hand) for seat in match.seats]


def is_dead(
    match: Match, hands: Sequence[tuple[Tile, ...]], boneyard: Sequence[Tile], placed: Placement | None = None
) -> bool:
    """Whether the referee ends the round at once: no tile is left to draw and no hand fits (RULES §3.1)."""
    if match.rules.block_detection != "immediate" or boneyard:
        return False
    board = match.board.copy()
    if placed is not None:
        board.place(placed)
    return bool(board.placed) and not any(board.has_legal(hand) for hand in hands)


def went_out(match: Match, seat: int, hands: Sequence[tuple[Tile, ...]]) -> RoundEnded:
    """The round that a seat ended by emptying its hand."""
    award = match.rules.going_out + sum(sum(tile) for hand in hands for tile in hand)
    awards = tuple(award if other == seat else 0 for other in range(len(hands)))
    return RoundEnded(match.round, seat, tuple(hands), awards)


def blocked(match: Match, hands: Sequence[tuple[Tile, ...]], active: Sequence[int]) -> RoundEnded:
    """The round in which nobody could place."""
    held = [hand if seat in active else () for seat, hand in enumerate(hands)]
    totals, tiles = _weighed(held, active)
    awards = [0] * len(held)
    for seat, award in zip(active, block_awards(totals, match.rules, tiles=tiles), strict=True):
        awards[seat] = award
    return RoundEnded(match.round, None, tuple(held), tuple(awards))


def block_awards(totals: Sequence[int], rules: Rules, *, tiles: Sequence[int] | None = None) -> list[int]:
    """What each hand total earns in a blocked round; `tiles` counts the hands where the fewest tiles win.

    By default every lowest hand wins the sum of the others' differences to it; where there is no bonus everybody
    loses what they hold (RULES §3, §3.1).
    """
    if rules.blocked_bonus == "none":
        return [-own for own in totals]
    if rules.blocked_bonus == "others_minus_own":
        won = [max(0, sum(totals) - 2 * own) for own in totals]
    else:
        won = [sum(max(0, other - own) for other in totals) for own in totals]
    winners = block_winners(totals, rules, tiles=tiles)
    return [award if seat in winners else 0 for seat, award in enumerate(won)]


def block_winners(totals: Sequence[int], rules: Rules, *, tiles: Sequence[int] | None = None) -> list[int]:
    """Whose hands win a blocked round, by their place in `totals`: the lowest, or those of the fewest tiles."""
    measure = totals if rules.blocked_winner == "lowest_total" or tiles is None else tiles
    winners = [seat for seat, held in enumerate(measure) if held == min(measure)]
    return [] if rules.blocked_tie == "none" and len(winners) > 1 else winners


def _weighed(hands: Sequence[tuple[Tile, ...]], active: Sequence[int]) -> tuple[list[int], list[int]]:
    """What the `active` seats hold, in points and in tiles."""
    return [sum(map(sum, hands[seat])) for seat in active], [len(hands[seat]) for seat in active]


def after_round(
    match: Match, ended: RoundEnded, turn: dict[int, int], active: Sequence[int], secret: bytes
) -> list[Event]:
    """The end of a round and what follows it for the `active` seats: the next deal, or the end of the match.

    `turn` has the points of the turn that ended the round, which the match has not counted yet.
    """
    before = [seat.total + turn.get(number, 0) for number, seat in enumerate(match.seats)]
    totals = [total + award for total, award in zip(before, ended.awards, strict=True)]
    # An award may be a loss, so a turn that reached the target for a moment is looked at by itself.
    moments = [totals] if match.rules.final_round == "at_round_end" else [before, totals]
    if match.latched or any(scores[seat] >= match.rules.target for scores in moments for seat in active):
        ahead = _round_winners(ended, totals, active, match.rules)
        decided = match_ended(match, totals, active, secret, ahead)
        if match.rules.game_tie == "shared" or decided.places.count(1) == 1:
            return [ended, decided]
    return [ended, deal(match.rules, active, len(match.seats), match.round + 1, secret)]


def _round_winners(ended: RoundEnded, totals: Sequence[int], active: Sequence[int], rules: Rules) -> list[int]:
    """Those who win the match because they won its last round, where that counts (RULES §3.1 game_winner)."""
    reached = [seat for seat in active if totals[seat] >= rules.target]
    if rules.game_winner == "most_points" or len(reached) < 2:
        return []
    if ended.out is not None:
        return [seat for seat in reached if seat == ended.out]
    held, tiles = _weighed(ended.hands, active)
    won = [active[place] for place in block_winners(held, rules, tiles=tiles)]
    return [seat for seat in reached if seat in won]


def match_ended(
    match: Match, totals: Sequence[int], active: Sequence[int], secret: bytes, ahead: Collection[int] = ()
) -> MatchEnded:
    left = [*match.left, *(seat for seat in match.active if seat not in active)]
    return MatchEnded(tuple(totals), places(totals, left, ahead), secret.hex())


def places(totals: Sequence[int], left: Sequence[int] = (), ahead: Collection[int] = ()) -> tuple[int, ...]:
    """The place of each seat from 1: by total, ties shared; then those who `left`, the first to go last.

    Those `ahead` come before everybody else who stayed.
    """
    # Those who stayed come first and compare totals; no two left at the same moment.
    rank = [
        (-left.index(seat), False, 0) if seat in left else (-len(left), seat not in ahead, -total)
        for seat, total in enumerate(totals)
    ]
    return tuple(1 + sum(other < mine for other in rank) for mine in rank)
