"""A round from its deal to its awards, and what follows: the next deal or the end of the match (RULES §3 to §6)."""

from collections.abc import Sequence

from engine.board.board import Placement
from engine.board.tiles import Tile
from engine.match import turns
from engine.match.events import Dealt, Event, MatchEnded, RoundEnded
from engine.match.rules import Rules, drawn_by_lot
from engine.match.shuffle import lot, seed_of, shuffled
from engine.match.state import Match
from engine.match.turns import final_places, places, round_awards, round_winners


def deal(rules: Rules, active: Sequence[int], seats: int, number: int, seed: bytes) -> Dealt:
    """Deal round `number` of a match to the active seats."""
    return dealt(rules, active, seats, number, shuffled(rules.tiles, seed, number), lot(len(active), seed, number))


def dealt(rules: Rules, active: Sequence[int], seats: int, number: int, order: Sequence[Tile], opens: int) -> Dealt:
    """Deal tiles in this order; `opens` counts from 0 and selects the opener if it is found by lot. The first seat of
    `active` gets the first hand.
    """
    size = rules.hand_size(len(active))
    hands: list[tuple[Tile, ...]] = [()] * seats
    for place, seat in enumerate(active):
        hands[seat] = tuple(order[place * size : (place + 1) * size])
    rest = tuple(order[len(active) * size :])
    opener, choices = drawn_by_lot(hands, opens) if rules.by_lot else rules.opening(hands)
    boneyard, aside = (rest, ()) if rules.has_boneyard else ((), rest)
    return Dealt(number, tuple(hands), boneyard, opener, choices, aside)


def hands_in_play(match: Match, seat: int, hand: Sequence[Tile]) -> list[tuple[Tile, ...]]:
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
        tableau.place(*board.plies[placed])
    return turns.nobody_fits(match.rules, tableau, boneyard, map(board.hand, hands_in_play(match, seat, hand)))


def went_out(match: Match, seat: int, hands: Sequence[tuple[Tile, ...]]) -> RoundEnded:
    """Return the end of a round by an empty hand."""
    return RoundEnded(match.round, seat, tuple(hands), tuple(round_awards(match.rules, seat, hands, match.active)))


def round_blocked(match: Match, hands: Sequence[tuple[Tile, ...]], active: Sequence[int]) -> RoundEnded:
    """Return the end of a round in which no seat could place."""
    held = tuple(hand if seat in active else () for seat, hand in enumerate(hands))
    return RoundEnded(match.round, None, held, tuple(round_awards(match.rules, None, held, active)))


def after_round(
    match: Match, ended: RoundEnded, turn: dict[int, int], active: Sequence[int], secret: bytes
) -> list[Event]:
    """Return the end of a round and what follows for the `active` seats: the next deal, or the end of the match. `turn`
    has the points of the turn that ended the round, which are not in the totals yet.
    """
    rules = match.rules
    before = [seat.total + turn.get(number, 0) for number, seat in enumerate(match.seats)]
    totals = [total + award for total, award in zip(before, ended.awards, strict=True)]
    found = final_places(
        rules,
        latched=match.latched,
        moments=(before, totals),
        winners=round_winners(rules, ended.out, ended.hands, active),
        active=active,
        left=_left(match, active),
    )
    if found is not None:
        return [ended, MatchEnded(tuple(totals), found, secret.hex())]
    return [ended, deal(rules, active, len(match.seats), match.round + 1, seed_of(secret, match.contributions))]


def when_it_stands(match: Match, secret: bytes) -> list[Event]:
    """Return the end of a dead round after the placement that ended the last turn. It depends on every hand and is
    checked only once the placement cannot be undone. `decide` does it at once (RULES §3.1).
    """
    if not is_dead(match, match.turn, match.seats[match.turn].hand, match.boneyard):
        return []
    ended = round_blocked(match, hands_in_play(match, match.turn, match.seats[match.turn].hand), match.active)
    return after_round(match, ended, {}, match.active, secret)


def match_ended(match: Match, totals: Sequence[int], active: Sequence[int], secret: bytes) -> MatchEnded:
    """Return the end of the match with these totals."""
    return MatchEnded(tuple(totals), places(totals, _left(match, active)), secret.hex())


def _left(match: Match, active: Sequence[int]) -> list[int]:
    """Return the seats that left, in order, then the ones that leave now."""
    return [*match.left, *(seat for seat in match.active if seat not in active)]
