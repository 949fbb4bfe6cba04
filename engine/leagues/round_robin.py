"""Round-robin pairings and seats: the Berger tables of FIDE's handbook (C.05, annex 1).

Each player meets each other once. The number of first and second seats of a player is equal, or differs by one if the
number of matches is odd.
"""

Pairing = tuple[int, int]  # two players by index, the first one in the first seat


def list_berger_rounds(players: int) -> list[list[Pairing]]:
    """Return the rounds for so many players. With an odd number one player has a bye in each round."""
    table = players + players % 2
    if players < 2:
        return []
    rest, half = table - 1, table // 2
    pairs = [(first, table - 1 - first) for first in range(half)]
    rounds = []
    for number in range(rest):
        rounds.append([pair for pair in pairs if max(pair) < players])
        # The last player stays and changes sides; all others move by half the table.
        pairs = [_rotate_pair(pair, half, rest, flips=number % 2 == 0) for pair in pairs]
        pairs = [pairs[0], *sorted(pairs[1:], key=lambda pair: _compute_order(pair, pairs[0], rest))]
    return rounds


def list_all_rounds(players: int, legs: int) -> list[list[Pairing]]:
    """Return the rounds of one or two legs; the second swaps the seats."""
    single_leg = list_berger_rounds(players)
    return [[pair if leg % 2 == 0 else pair[::-1] for pair in one] for leg in range(legs) for one in single_leg]


def _rotate_pair(pair: Pairing, half: int, rest: int, *, flips: bool) -> Pairing:
    if rest not in pair:
        return (pair[0] + half) % rest, (pair[1] + half) % rest
    other = (min(pair) + half) % rest
    return (rest, other) if flips else (other, rest)


def _compute_order(pair: Pairing, leading: Pairing, rest: int) -> int:
    """Return the handbook's order: after the opponent of the last player comes the next one."""
    meets_last = min(leading)
    return (pair[0] - meets_last) % rest
