"""A round from its deal to its awards, and what follows it: the next deal or the end of the match (RULES §3 to §6)."""

from collections.abc import Collection, Sequence

from engine.board import Placement
from engine.events import Dealt, Event, MatchEnded, RoundEnded
from engine.match import Match
from engine.opening import drawn_by_lot
from engine.rules import Rules, pips_of
from engine.shuffle import lot, seed_of, shuffled
from engine.tiles import Tile


def deal(rules: Rules, active: Sequence[int], seats: int, number: int, seed: bytes) -> Dealt:
    """Round `number` of a match, dealt to the seats that are still in it."""
    order = shuffled(rules.tiles, seed, number)
    size = rules.hand_size(len(active))
    hands: list[tuple[Tile, ...]] = [()] * seats
    for place, seat in enumerate(active):
        hands[seat] = tuple(order[place * size : (place + 1) * size])
    rest = tuple(order[len(active) * size :])
    opener, choices = drawn_by_lot(hands, lot(len(active), seed, number)) if rules.by_lot else rules.opening(hands)
    boneyard, aside = (rest, ()) if rules.has_boneyard else ((), rest)
    return Dealt(number, tuple(hands), boneyard, opener, choices, aside)


def hands_in_play(match: Match, seat: int, hand: Sequence[Tile]) -> list[tuple[Tile, ...]]:
    """What is held and in play once `seat` has this hand: the tiles of a seat that resigned are not."""
    held = [() if other.resigned else tuple(other.hand) for other in match.seats]
    held[seat] = tuple(hand)
    return held


def is_dead(
    match: Match, seat: int, hand: Sequence[Tile], boneyard: Sequence[Tile], placed: Placement | None = None
) -> bool:
    """Whether the referee ends the round at once: no tile is left to draw and no hand fits (RULES §3.1).

    It is asked before it is so: `seat` will have this hand, and a tile may be placed.
    """
    if boneyard or not match.rules.ends_when_dead:
        return False
    board = match.board.copy()
    if placed is not None:
        board.place(placed)
    return bool(board.placed) and not any(board.has_legal(held) for held in hands_in_play(match, seat, hand))


def went_out(match: Match, seat: int, hands: Sequence[tuple[Tile, ...]]) -> RoundEnded:
    """The round that a seat ended by emptying its hand."""
    award = match.rules.out_award(hands)
    awards = tuple(award if other == seat else 0 for other in range(len(hands)))
    return RoundEnded(match.round, seat, tuple(hands), awards)


def round_blocked(match: Match, hands: Sequence[tuple[Tile, ...]], active: Sequence[int]) -> RoundEnded:
    """The round in which nobody could place."""
    held = [hand if seat in active else () for seat, hand in enumerate(hands)]
    totals, tiles = _weighed(held, active)
    awards = [0] * len(held)
    for seat, award in zip(active, match.rules.block_awards(totals, tiles), strict=True):
        awards[seat] = award
    return RoundEnded(match.round, None, tuple(held), tuple(awards))


def _weighed(hands: Sequence[tuple[Tile, ...]], active: Sequence[int]) -> tuple[list[int], list[int]]:
    """What the `active` seats hold, in points and in tiles."""
    return [pips_of(hands[seat]) for seat in active], [len(hands[seat]) for seat in active]


def after_round(
    match: Match, ended: RoundEnded, turn: dict[int, int], active: Sequence[int], secret: bytes
) -> list[Event]:
    """The end of a round and what follows it for the `active` seats: the next deal, or the end of the match.

    `turn` has the points of the turn that ended the round, which the match has not counted yet.
    """
    rules = match.rules
    before = [seat.total + turn.get(number, 0) for number, seat in enumerate(match.seats)]
    totals = [total + award for total, award in zip(before, ended.awards, strict=True)]
    # An award may be a loss, so a turn that reached the target for a moment is looked at by itself.
    moments = [totals] if rules.finish == "round" else [before, totals]
    # Where there is no target, a single deal decides.
    if match.latched or any(scores[seat] >= (rules.target or scores[seat]) for scores in moments for seat in active):
        ahead = rules.ahead(
            _round_winners(ended, active, rules), [seat for seat in active if totals[seat] >= rules.target]
        )
        decided = match_ended(match, totals, active, secret, ahead)
        if rules.shares_ties or decided.places.count(1) == 1:
            return [ended, decided]
    return [ended, deal(rules, active, len(match.seats), match.round + 1, seed_of(secret, match.contributions))]


def when_it_stands(match: Match, secret: bytes) -> list[Event]:
    """What the referee finds after the placement that ended the last turn: nobody can go on, so the round is over.

    It depends on every hand, so it is looked for only once the placement cannot be taken back any more. `decide` says
    the same at once (RULES §3.1).
    """
    if not is_dead(match, match.turn, match.seats[match.turn].hand, match.boneyard):
        return []
    ended = round_blocked(match, hands_in_play(match, match.turn, match.seats[match.turn].hand), match.active)
    return after_round(match, ended, {}, match.active, secret)


def _round_winners(ended: RoundEnded, active: Sequence[int], rules: Rules) -> list[int]:
    """Who won the round: whoever went out, else those whose hands win when it is blocked."""
    if ended.out is not None:
        return [ended.out]
    held, tiles = _weighed(ended.hands, active)
    return [active[place] for place in rules.block_winners(held, tiles)]


def match_ended(
    match: Match, totals: Sequence[int], active: Sequence[int], secret: bytes, ahead: Collection[int] = ()
) -> MatchEnded:
    """The end of the match. Those `ahead` win whatever the totals say."""
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
