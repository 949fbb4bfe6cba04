"""Who meets whom in which round, and who sits first: the Berger tables of FIDE's handbook (C.05, annex 1).

Everybody meets everybody once, nobody twice in a round, and of the seats everybody has the first as often as the
second, or once more or less often where the number of matches is odd.
"""

Pairing = tuple[int, int]
"""Two players by their place in the list, from 0; the one named first has the first seat."""


def berger_rounds(players: int) -> list[list[Pairing]]:
    """The rounds for so many players. With an odd number one of them rests in each round."""
    table = players + players % 2
    if players < 2:
        return []
    rest, half = table - 1, table // 2
    pairs = [(first, table - 1 - first) for first in range(half)]
    rounds = []
    for number in range(rest):
        rounds.append([pair for pair in pairs if max(pair) < players])
        # The last of the list stays where they are and changes sides; everybody else moves on by half the table.
        pairs = [_moved_on(pair, half, rest, flips=number % 2 == 0) for pair in pairs]
        pairs = [pairs[0], *sorted(pairs[1:], key=lambda pair: _order(pair, pairs[0], rest))]
    return rounds


def all_rounds(players: int, legs: int) -> list[list[Pairing]]:
    """The rounds of one or two legs: in the second everybody sits the other way round."""
    once = berger_rounds(players)
    return [[pair if leg % 2 == 0 else pair[::-1] for pair in one] for leg in range(legs) for one in once]


def _moved_on(pair: Pairing, half: int, rest: int, *, flips: bool) -> Pairing:
    if rest not in pair:
        return (pair[0] + half) % rest, (pair[1] + half) % rest
    other = (min(pair) + half) % rest
    return (rest, other) if flips else (other, rest)


def _order(pair: Pairing, leading: Pairing, rest: int) -> int:
    """The boards as the handbook lists them: behind whoever meets the last of the list comes who is one further on."""
    meets_last = min(leading)
    return (pair[0] - meets_last) % rest
