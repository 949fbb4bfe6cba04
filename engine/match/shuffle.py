"""The shuffle: a Fisher-Yates over a SHA-256 stream, the same on every machine and Python, for ever.

`random.shuffle` promises no such thing. The stream is SHA-256(seed + round + counter), both as 4 bytes, most
significant first; each digest gives eight 32-bit numbers. A number n in 0..k-1 is drawn by rejecting the top of the
range that k does not divide, so every order is equally likely. Going down from the last position i, position i swaps
with a number in 0..i.

What the seed is has two versions. In the first it is the secret, which whoever runs the bot could pick after seeing
who plays. In the second it is the secret keyed with what every seat has added (docs/records.md): HMAC-SHA256 with the
secret as its key, over "boneyard deal 2", a zero byte, and by seat the length of its contribution in UTF-8 as 4 bytes,
most significant first, and the contribution.
"""

import hmac
import re
import unicodedata
from collections.abc import Iterator, Sequence
from hashlib import sha256
from struct import Struct

from engine.board.tiles import Tile

SECRET_BYTES = 32
FIRST, SECOND = 1, 2
"""The versions of the shuffle: by the secret alone, and by what everybody added too."""
LONGEST_WORD = 40
"""Signs in a word that somebody adds."""
_SALT = b"boneyard deal 2\0"
_EIGHT = Struct(">8I")
_RANGE = 1 << 32


def commitment(secret: bytes) -> str:
    """What is shown before anybody sits down, so that the secret told at the end can be checked."""
    return sha256(secret).hexdigest()


def contribution_of(interaction: int) -> str:
    """What somebody adds to the deals by the press or command with which they sat down: Discord numbers these, not the
    bot. Hashed, since the number itself is nobody else's business.
    """
    return sha256(str(interaction).encode()).hexdigest()


def own_word(text: str) -> str:
    """The word that somebody adds instead, as it is kept: composed, with single spaces. Raises ValueError when it has
    other signs than letters, digits, spaces and hyphens, or is longer than `LONGEST_WORD`.
    """
    word = " ".join(unicodedata.normalize("NFC", text).split())
    if not 0 < len(word) <= LONGEST_WORD or not all(sign in " -" or _letter(sign) for sign in word):
        raise ValueError(f"a word is 1 to {LONGEST_WORD} letters, digits, spaces and hyphens")
    return word


def is_contribution(text: str) -> bool:
    """Whether it is what a press adds, or a word as it is kept."""
    try:
        return is_press(text) or own_word(text) == text
    except ValueError:
        return False


def is_press(contribution: str) -> bool:
    """Whether it is what a press adds: 64 hexadecimal digits, which no word is long enough for."""
    return re.fullmatch("[0-9a-f]{64}", contribution) is not None


def _letter(sign: str) -> bool:
    # Marks belong to the letters of many scripts. What is none of these could change how the text around it reads.
    return unicodedata.category(sign)[0] in "LMN"


def seed_of(secret: bytes, contributions: Sequence[str]) -> bytes:
    """What the deals of a match come from: the secret with what each seat added, empty for none. Where nobody added
    anything it is the first version: the secret alone.
    """
    if version_of(contributions) == FIRST:
        return secret
    added = (text.encode() for text in contributions)
    return hmac.digest(secret, _SALT + b"".join(len(text).to_bytes(4, "big") + text for text in added), "sha256")


def version_of(contributions: Sequence[str]) -> int:
    """The version of the shuffle of a match to which this was added."""
    return SECOND if any(contributions) else FIRST


def shuffled(tiles: Sequence[Tile], seed: bytes, number: int) -> list[Tile]:
    """The tiles in the order of round `number` (from 1) under this seed."""
    words = _words(seed, number)
    order = list(tiles)
    for last in range(len(order) - 1, 0, -1):
        other = _below(last + 1, words)
        order[last], order[other] = order[other], order[last]
    return order


def lot(limit: int, seed: bytes, number: int) -> int:
    """A number from 0 to limit - 1 for round `number`, from a stream of its own: the round's number plus 2^31."""
    return _below(limit, _words(seed, number + (1 << 31)))


def _words(seed: bytes, number: int) -> Iterator[int]:
    counter = 0
    while True:
        digest = sha256(seed + number.to_bytes(4, "big") + counter.to_bytes(4, "big")).digest()
        yield from _EIGHT.unpack(digest)
        counter += 1


def _below(limit: int, words: Iterator[int]) -> int:
    fair = _RANGE - _RANGE % limit
    word = next(words)
    while word >= fair:
        word = next(words)
    return word % limit
