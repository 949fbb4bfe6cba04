"""The shuffle: a Fisher-Yates over a SHA-256 stream, the same on every machine and Python, for ever.

`random.shuffle` promises no such thing. The stream is SHA-256(secret + round + counter), both as 4 bytes, most
significant first; each digest gives eight 32-bit numbers. A number n in 0..k-1 is drawn by rejecting the top of the
range that k does not divide, so every order is equally likely. Going down from the last position i, position i swaps
with a number in 0..i.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from struct import Struct

from engine.tiles import Tile

SECRET_BYTES = 32
_EIGHT = Struct(">8I")
_RANGE = 1 << 32


def commitment(secret: bytes) -> str:
    """What is shown before the first deal, so that the secret told at the end can be checked."""
    return sha256(secret).hexdigest()


def shuffled(tiles: Sequence[Tile], secret: bytes, number: int) -> list[Tile]:
    """The tiles in the order of round `number` (from 1) under this secret."""
    words = _words(secret, number)
    order = list(tiles)
    for last in range(len(order) - 1, 0, -1):
        other = _below(last + 1, words)
        order[last], order[other] = order[other], order[last]
    return order


def lot(limit: int, secret: bytes, number: int) -> int:
    """A number from 0 to limit - 1 for round `number`, from a stream of its own: the round's number plus 2^31."""
    return _below(limit, _words(secret, number + (1 << 31)))


def _words(secret: bytes, number: int) -> Iterator[int]:
    counter = 0
    while True:
        digest = sha256(secret + number.to_bytes(4, "big") + counter.to_bytes(4, "big")).digest()
        yield from _EIGHT.unpack(digest)
        counter += 1


def _below(limit: int, words: Iterator[int]) -> int:
    fair = _RANGE - _RANGE % limit
    word = next(words)
    while word >= fair:
        word = next(words)
    return word % limit
