"""The shuffle: Fisher-Yates over a SHA-256 stream, the same on every machine and Python version.

`random.shuffle` does not guarantee that. The stream is SHA-256(seed + round + counter), both as 4 bytes, big-endian;
each digest gives eight 32-bit numbers. A number n in 0..k-1 is drawn by rejecting the top of the range that k does not
divide, so every order is equally likely. From the last position i down, position i swaps with a number in 0..i.
Version 1 uses the secret as the seed, which the operator could choose after seeing the players. Version 2 keys it with
the entropy of the seats (docs/reference/records.md): HMAC-SHA256 with the secret as its key, over "boneyard deal 2",
a zero byte, and by seat the length of its contribution in UTF-8 as 4 bytes, big-endian, and the contribution.
"""

import hmac
import re
import unicodedata
from collections.abc import Iterator, Sequence
from hashlib import sha256
from struct import Struct

from engine.board.tiles import Tile

SECRET_BYTES = 32
SECRET_VERSION, ENTROPY_VERSION = 1, 2  # shuffle versions: by the secret alone, or with the seats' entropy
MAX_WORD_LENGTH = 40  # characters
_SALT = b"boneyard deal 2\0"
_EIGHT = Struct(">8I")
_RANGE = 1 << 32


def compute_commitment(secret: bytes) -> str:
    """Return the commitment to the secret, published before users sit down and verifiable at the end."""
    return sha256(secret).hexdigest()


def hash_interaction(interaction: int) -> str:
    """Return the entropy of an interaction: Discord chooses its id, not the bot. The hash keeps the id private."""
    return sha256(str(interaction).encode()).hexdigest()


def normalize_word(text: str) -> str:
    """Normalise a user's word: composed, with single spaces. Raises ValueError if it has characters other than letters,
    digits, spaces and hyphens, or is longer than `MAX_WORD_LENGTH`.
    """
    word = " ".join(unicodedata.normalize("NFC", text).split())
    # Marks belong to the letters of many scripts. Other characters could change how the text around them reads.
    allowed = all(sign in " -" or unicodedata.category(sign)[0] in "LMN" for sign in word)
    if not (allowed and 0 < len(word) <= MAX_WORD_LENGTH):
        raise ValueError(f"a word is 1 to {MAX_WORD_LENGTH} letters, digits, spaces and hyphens")
    return word


def is_contribution(text: str) -> bool:
    """Return whether it is the hash of an interaction id, or a normalised word."""
    try:
        return is_interaction_hash(text) or normalize_word(text) == text
    except ValueError:
        return False


def is_interaction_hash(contribution: str) -> bool:
    """Return whether it is the hash of an interaction id: 64 hexadecimal digits, longer than any word."""
    return re.fullmatch("[0-9a-f]{64}", contribution) is not None


def derive_seed(secret: bytes, contributions: Sequence[str]) -> bytes:
    """Return the seed of a match's deals: the secret with each seat's entropy, or the secret alone if there is none."""
    if choose_version(contributions) == SECRET_VERSION:
        return secret
    added = (text.encode() for text in contributions)
    return hmac.digest(secret, _SALT + b"".join(len(text).to_bytes(4, "big") + text for text in added), "sha256")


def choose_version(contributions: Sequence[str]) -> int:
    """Return the version of the shuffle for this entropy."""
    return ENTROPY_VERSION if any(contributions) else SECRET_VERSION


def shuffle_tiles(tiles: Sequence[Tile], seed: bytes, number: int) -> list[Tile]:
    """Return the tiles in the order of round `number` (from 1) under this seed."""
    words = _iterate_words(seed, number)
    order = list(tiles)
    for last in range(len(order) - 1, 0, -1):
        other = _draw_below(last + 1, words)
        order[last], order[other] = order[other], order[last]
    return order


def draw_lot(limit: int, seed: bytes, number: int) -> int:
    """Return a number from 0 to limit - 1 for round `number`, from its own stream: the round's number plus 2^31."""
    return _draw_below(limit, _iterate_words(seed, number + (1 << 31)))


def _iterate_words(seed: bytes, number: int) -> Iterator[int]:
    counter = 0
    while True:
        digest = sha256(seed + number.to_bytes(4, "big") + counter.to_bytes(4, "big")).digest()
        yield from _EIGHT.unpack(digest)
        counter += 1


def _draw_below(limit: int, words: Iterator[int]) -> int:
    fair = _RANGE - _RANGE % limit
    word = next(words)
    while word >= fair:
        word = next(words)
    return word % limit
