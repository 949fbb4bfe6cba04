"""What was drawn and may be wanted again: kept by the bytes it takes, whichever function has drawn it."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import wraps
from threading import Lock
from typing import Any, Final, Generic, ParamSpec, TypeVar, cast

from PIL import Image

P = ParamSpec("P")
T = TypeVar("T")
V = TypeVar("V")

AGES: Final = 4
YOUNG: Final = 2
"""What is found in the first so many ages stays where it is; from an older one it becomes young again."""
ENTRY: Final = 600
"""Bytes that anything takes beside its pixels: its key, its objects, its place here."""
PIXEL: Final = {"1": 1, "L": 1, "P": 1, "RGB": 4, "RGBA": 4}
"""Bytes of a pixel in memory by Pillow's mode: it spends a byte on a bit, and four on three."""
_PLAIN: Final = frozenset({int, str, bool, float, type(None)})


def bytes_of(value: object) -> int:
    """The memory that pixels take, in whatever they stand; of anything else, none."""
    if type(value) in _PLAIN:  # as most of what a key holds is
        return 0
    if isinstance(value, Image.Image):
        return value.width * value.height * PIXEL[value.mode]
    if isinstance(value, bytes):
        return len(value)
    if isinstance(value, tuple):
        return sum(map(bytes_of, value))
    found: int = getattr(value, "bytes", 0)
    return found


@dataclass
class _Age(Generic[V]):
    """Values of about the same time, each with its size."""

    values: dict[Hashable, tuple[V, int]] = field(default_factory=dict)
    bytes: int = 0


class Cache(Generic[V]):
    """Values by key, as many as there is room for; what nobody asked for lately goes first. For several threads.

    There are four ages. What is new, or found in one of the older two, goes to the youngest; when that has its share of
    the room, all that is left in the oldest is let go of. So nothing is put in order when something is found in the
    younger two, as nearly all is that a game at one size needs, which happens some two hundred times for a picture.
    """

    def __init__(self, room: int) -> None:
        """`room` in bytes."""
        self.room = room
        self._share = room // AGES
        self._ages: list[_Age[V]] = [_Age() for _ in range(AGES)]
        self._lock = Lock()

    @property
    def bytes(self) -> int:
        """What is kept takes so many."""
        return sum(age.bytes for age in self._ages)

    def get(self, key: Hashable) -> V | None:
        """The value, if it is kept."""
        ages = self._ages
        # The YOUNG ones by name: this is asked for every piece of a picture, and a loop takes longer.
        found = ages[0].values.get(key) or ages[1].values.get(key)
        if found is None:
            found = next((kept for age in ages[YOUNG:] if (kept := age.values.get(key)) is not None), None)
            if found is None:
                return None
            self.keep(key, *found)
        return found[0]

    def take(self, key: Hashable) -> V | None:
        """The value, if it is kept: it is not any more, so nobody else gets it until it is kept again."""
        with self._lock:
            for age in self._ages:
                if (found := age.values.pop(key, None)) is not None:
                    age.bytes -= found[1]
                    return found[0]
        return None

    def keep(self, key: Hashable, value: V, size: int) -> None:
        """Keep a value that takes so many bytes. One that is larger than a share is not kept."""
        if size > self._share:
            return
        with self._lock:
            for age in self._ages:
                age.bytes -= age.values.pop(key, (None, 0))[1]
            if self._ages[0].bytes + size > self._share:
                self._ages = [_Age(), *self._ages[:-1]]
            self._ages[0].values[key] = value, size
            self._ages[0].bytes += size

    def clear(self) -> None:
        """Forget all of them."""
        with self._lock:
            self._ages = [_Age() for _ in range(AGES)]

    def kept(self, make: Callable[P, T]) -> Callable[P, T]:
        """Let a function remember here what it has drawn: `lru_cache` for what takes many bytes."""

        values = cast("Cache[T]", self)

        @wraps(make)
        def found(*args: P.args, **more: P.kwargs) -> T:
            key = (make, args, *more.items()) if more else (make, args)
            value = values.get(key)
            if value is None:
                value = make(*args, **more)
                values.keep(key, value, ENTRY + bytes_of(args) + bytes_of(value))
            return value

        return found


PARTS: Final[Cache[Any]] = Cache(32 * 1024 * 1024)
"""What every picture of a size shares, and is dear to draw: outlines, light, labels, words."""
PIECES: Final[Cache[Any]] = Cache(17 * 1024 * 1024)
"""What is put together of them, or was needed to make them. These are many, and would drive the others out."""
