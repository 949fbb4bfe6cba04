"""A round from its deal to its awards, and what follows: the next deal or the end of the match (RULES §3 to §6)."""

from collections.abc import Sequence

from engine.board.board import Placement
from engine.board.tiles import Tile, is_triple
from engine.match import turns
from engine.match.events import Dealt, Event, MatchEnded, RoundEnded
from engine.match.rules import Rules, find_opening_by_lot
from engine.match.shuffle import derive_seed, draw_lot, shuffle_tiles
from engine.match.state import Match
from engine.match.turns import compute_final_places, compute_places, compute_round_awards, list_round_winners


def deal(rules: Rules, active: Sequence[int], seats: int, number: int, seed: bytes) -> Dealt:
    """Deal round `number` of a match to the active seats."""
    order, lot = shuffle_tiles(rules.tiles, seed, number), draw_lot(len(active), seed, number)
    return deal_in_order(rules, active, seats, number, order, lot)


def deal_in_order(
    rules: Rules, active: Sequence[int], seats: int, number: int, order: Sequence[Tile], opener_lot: int
) -> Dealt:
    """Deal tiles in this order; `opener_lot` counts from 0 and selects the opener if it is found by lot. The first seat
    of `active` gets the first hand.
    """
    size = rules.compute_hand_size(len(active))
    hands: list[tuple[Tile, ...]] = [()] * seats
    for place, seat in enumerate(active):
        hands[seat] = tuple(order[place * size : (place + 1) * size])
    rest = tuple(order[len(active) * size :])
    if rules.draws_for_triple and not rules.has_random_opener:
        rest = _draw_for_triple(hands, active, rest)
    opener, choices = find_opening_by_lot(hands, opener_lot) if rules.has_random_opener else rules.find_opening(hands)
    boneyard, aside = (rest, ()) if rules.has_boneyard else ((), rest)
    return Dealt(number, tuple(hands), boneyard, opener, choices, aside)


def _draw_for_triple(hands: list[tuple[Tile, ...]], active: Sequence[int], rest: Sequence[Tile]) -> tuple[Tile, ...]:
    """Draw a tile for each seat in turn until one has a triple; return the rest of the boneyard."""
    drawn = 0
    while drawn < len(rest) and not any(is_triple(tile) for hand in hands for tile in hand):
        hands[active[drawn % len(active)]] += (rest[drawn],)
        drawn += 1
    return tuple(rest[drawn:])


def list_hands_in_play(match: Match, seat: int, hand: Sequence[Tile]) -> list[tuple[Tile, ...]]:
    """Return the hands once `seat` has this hand; those of resigned seats are empty."""
    held = [() if other.resigned else tuple(other.hand) for other in match.seats]
    held[seat] = tuple(hand)
    return held


def is_dead(
    match: Match, seat: int, hand: Sequence[Tile], boneyard: Sequence[Tile], placed: Placement | None = None
) -> bool:
    """Return whether the referee ends the round at once: no tile is left to draw and no hand fits (RULES §3.1). The
    check comes before the change: `seat` will have this hand, and a tile may be placed.
    """
    if boneyard or not match.rules.ends_when_dead:
        return False
    board, tableau = match.board, match.board.tableau
    if placed is not None:
        tableau = tableau.copy()
        tableau.place(*board.plies_by_placement[placed])
    hands = map(board.to_mask, list_hands_in_play(match, seat, hand))
    return turns.is_round_dead(match.rules, tableau, boneyard, hands)


def end_by_going_out(match: Match, seat: int, hands: Sequence[tuple[Tile, ...]]) -> RoundEnded:
    """Return the end of a round by an empty hand."""
    awards = compute_round_awards(match.rules, seat, hands, match.active)
    return RoundEnded(match.round, seat, tuple(hands), tuple(awards))


def end_by_block(match: Match, hands: Sequence[tuple[Tile, ...]], active: Sequence[int]) -> RoundEnded:
    """Return the end of a round in which no seat could place."""
    held = tuple(hand if seat in active else () for seat, hand in enumerate(hands))
    return RoundEnded(match.round, None, held, tuple(compute_round_awards(match.rules, None, held, active)))


def finish_round(
    match: Match, ended: RoundEnded, turn: dict[int, int], active: Sequence[int], secret: bytes
) -> list[Event]:
    """Return the end of a round and what follows for the `active` seats: the next deal, or the end of the match. `turn`
    has the points of the turn that ended the round, which are not in the totals yet.
    """
    rules = match.rules
    before = [seat.total + turn.get(number, 0) for number, seat in enumerate(match.seats)]
    totals = [total + award for total, award in zip(before, ended.awards, strict=True)]
    found = compute_final_places(
        rules,
        latched=match.latched,
        totals_history=(before, totals),
        winners=list_round_winners(rules, ended.out, ended.hands, active),
        active=active,
        resigned=_list_resigned(match, active),
    )
    if found is not None:
        return [ended, MatchEnded(tuple(totals), found, secret.hex())]
    return [ended, deal(rules, active, len(match.seats), match.round + 1, derive_seed(secret, match.contributions))]


def end_dead_round(match: Match, secret: bytes) -> list[Event]:
    """Return the end of a dead round after the placement that ended the last turn. It depends on every hand and is
    checked only once the placement cannot be undone. `decide` does it at once (RULES §3.1).
    """
    if not is_dead(match, match.turn, match.seats[match.turn].hand, match.boneyard):
        return []
    ended = end_by_block(match, list_hands_in_play(match, match.turn, match.seats[match.turn].hand), match.active)
    return finish_round(match, ended, {}, match.active, secret)


def end_match(match: Match, totals: Sequence[int], active: Sequence[int], secret: bytes) -> MatchEnded:
    """Return the end of the match with these totals."""
    return MatchEnded(tuple(totals), compute_places(totals, _list_resigned(match, active)), secret.hex())


def _list_resigned(match: Match, active: Sequence[int]) -> list[int]:
    """Return the seats that left, in order, then the ones that leave now."""
    return [*match.resigned_seats, *(seat for seat in match.active if seat not in active)]
