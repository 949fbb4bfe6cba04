"""Caches for drawings, limited by memory."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import wraps
from threading import Lock
from typing import Any, Final, Generic, ParamSpec, TypeVar, cast

from PIL import Image

P = ParamSpec("P")
T = TypeVar("T")
V = TypeVar("V")

GENERATIONS: Final = 4
YOUNG_GENERATIONS: Final = 2  # values found in the first ages stay there; from an older age they move to the first
ENTRY_BYTES: Final = 600  # bytes of an entry beside its pixels: key, objects, slot
BYTES_PER_PIXEL: Final = {"1": 1, "L": 1, "P": 1, "RGB": 4, "RGBA": 4}  # memory per pixel by Pillow's mode
_PLAIN: Final = frozenset({int, str, bool, float, type(None)})


def count_bytes(value: object) -> int:
    """The memory that the pixels in a value take; 0 for other values."""
    if type(value) in _PLAIN:  # most parts of a key have these types
        return 0
    if isinstance(value, Image.Image):
        return value.width * value.height * BYTES_PER_PIXEL[value.mode]
    if isinstance(value, bytes):
        return len(value)
    if isinstance(value, tuple):
        return sum(map(count_bytes, value))
    found: int = getattr(value, "bytes", 0)
    return found


@dataclass
class _Generation(Generic[V]):
    """Values of about the same time, each with its size."""

    values: dict[Hashable, tuple[V, int]] = field(default_factory=dict)
    bytes: int = 0


class Cache(Generic[V]):
    """Values by key within a memory limit; values that were not used lately are dropped. Thread-safe.

    There are four ages. A new value, or one found in an older age, goes to the first age. When that is full, the oldest
    age is dropped. Values found in the first two ages do not move, because lookups happen 200 times per picture.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._generation_limit = limit // GENERATIONS
        self._generations: list[_Generation[V]] = [_Generation() for _ in range(GENERATIONS)]
        self._lock = Lock()

    @property
    def bytes(self) -> int:
        return sum(age.bytes for age in self._generations)

    def get(self, key: Hashable) -> V | None:
        ages = self._generations
        # The first two ages without a loop, because this runs for every piece of a picture.
        found = ages[0].values.get(key) or ages[1].values.get(key)
        if found is None:
            older = (age.values.get(key) for age in ages[YOUNG_GENERATIONS:])
            found = next((entry for entry in older if entry is not None), None)
            if found is None:
                return None
            self.put(key, *found)
        return found[0]

    def pop(self, key: Hashable) -> V | None:
        """Remove a value and return it, so that no other thread gets it until it is kept again."""
        with self._lock:
            for age in self._generations:
                if (found := age.values.pop(key, None)) is not None:
                    age.bytes -= found[1]
                    return found[0]
        return None

    def put(self, key: Hashable, value: V, size: int) -> None:
        """Store a value of this size. A value larger than a share is not stored."""
        if size > self._generation_limit:
            return
        with self._lock:
            for age in self._generations:
                age.bytes -= age.values.pop(key, (None, 0))[1]
            if self._generations[0].bytes + size > self._generation_limit:
                self._generations = [_Generation(), *self._generations[:-1]]
            self._generations[0].values[key] = value, size
            self._generations[0].bytes += size

    def clear(self) -> None:
        with self._lock:
            self._generations = [_Generation() for _ in range(GENERATIONS)]

    def memoize(self, make: Callable[P, T]) -> Callable[P, T]:
        """Cache the results of a function, like `lru_cache` but limited by memory."""

        values = cast("Cache[T]", self)

        @wraps(make)
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> T:
            key = (make, args, *kwargs.items()) if kwargs else (make, args)
            value = values.get(key)
            if value is None:
                value = make(*args, **kwargs)
                values.put(key, value, ENTRY_BYTES + count_bytes(args) + count_bytes(value))
            return value

        return wrapper


PART_CACHE: Final[Cache[Any]] = Cache(32 * 1024 * 1024)
"""Expensive parts that all pictures of a size share: outlines, light, labels, words."""
COMPOSITION_CACHE: Final[Cache[Any]] = Cache(17 * 1024 * 1024)
"""Compositions and intermediate drawings; so many that they would drive out the parts."""
