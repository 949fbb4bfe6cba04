"""The options of a game: named readings of the rules and numbers, with their allowed values."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Literal, NoReturn, Self, get_args, get_origin, get_type_hints

from engine.board.tiles import list_set_names, parse_set_kind
from engine.match.errors import OptionError, OptionFault

Switch = Literal["off", "on"]
UNLIMITED: Final = "unlimited"
MAX_TARGET: Final = 100_000  # largest target
MATCH_NUMBERS: Final = {"target": (1, MAX_TARGET), "rounds": (0, 100)}  # numeric options of every game
SEAT_POINTS: Final = re.compile("[0-9]{1,5}(/[0-9]{1,5})*")  # points of each seat, such as `50/0/20`
NO_HEAD_START: Final = "0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options among the fields of a family's rules: `Literal` fields, and numbers with a range here."""

    numbers: ClassVar[Mapping[str, tuple[int, int]]] = MATCH_NUMBERS
    """Numeric options with their least and greatest value."""
    seat_points: ClassVar[tuple[str, ...]] = ("head_start",)  # options with points for each seat
    unlimited: ClassVar[tuple[str, ...]] = ()  # numeric options that may be unlimited
    one_deal: ClassVar[bool] = False  # whether a single deal without a target may decide a match
    tile_sets: ClassVar[tuple[str, ...]] = ()  # the offered sets; a file may name any other of the same kinds

    @classmethod
    def get_readings(cls) -> dict[str, tuple[str, ...]]:
        """Return the options that are a choice between named readings."""
        return _find_readings(cls)

    @classmethod
    def list_options(cls) -> tuple[str, ...]:
        """Return the names of all options, common ones first."""
        named = {*cls.get_readings(), *cls.numbers, *cls.seat_points}
        return tuple(name for name in get_type_hints(cls) if name in named)

    @classmethod
    def list_allowed_values(cls, name: str) -> tuple[str, ...]:
        """Return the allowed values of an option, for example its readings, or a range such as `0-100`."""
        if name in cls.get_readings():
            return cls.get_readings()[name]
        if name in cls.seat_points:
            return NO_HEAD_START, "50/0/20"
        least, most = cls.numbers[name]
        zero = ("0",) if name == "target" and cls.one_deal else ()
        return *zero, f"{least}-{most}", *((UNLIMITED,) if name in cls.unlimited else ())

    def with_option(self, name: str, value: str) -> Self:
        """Return the rules with one option as a user typed it. Raises OptionError with the allowed values."""
        meant: Any = value
        if name not in self.list_options():
            message = f"there is no option {name!r}; there is {', '.join(self.list_options())}"
            raise OptionError(OptionFault.NO_SUCH_OPTION, message, name=name, allowed=self.list_options())
        allowed = self.list_allowed_values(name)
        if name in self.get_readings():
            if name != "tile_set" and value not in allowed:
                message = f"{name} is {', '.join(allowed)}; not {value!r}"
                raise OptionError(OptionFault.NO_SUCH_VALUE, message, name=name, allowed=allowed)
        elif name in self.seat_points:
            if SEAT_POINTS.fullmatch(value) is None:
                message = f"{name} is the points of each seat, like 50/0/20; not {value!r}"
                raise OptionError(OptionFault.NO_SUCH_VALUE, message, name=name, allowed=allowed)
        elif not (name in self.unlimited and value == UNLIMITED):
            if not (value.isascii() and value.isdigit() and len(value) <= 6):
                also = f" or {UNLIMITED}" if name in self.unlimited else ""
                message = f"{name} is a whole number{also}; not {value!r}"
                raise OptionError(OptionFault.NO_SUCH_VALUE, message, name=name, allowed=allowed)
            meant = int(value)
        try:
            return replace(self, **{name: meant})
        except OptionError:
            raise
        except ValueError as error:
            if name != "tile_set":
                raise OptionError(OptionFault.UNPLAYABLE, str(error), name=name, allowed=allowed) from error
            raise self._build_set_error(value) from error

    def _build_set_error(self, name: str) -> OptionError:
        """Return why a set of tiles is refused."""
        why, reason = OptionFault.NO_SUCH_VALUE, f"{name!r} is unknown"
        if name in list_set_names(kind := parse_set_kind(name)):
            why, reason = OptionFault.UNPLAYABLE, f"{name} is not for this game"
            if kind in self._set_kinds:
                why, reason = OptionFault.TOO_FEW_TILES, f"{name} has too few tiles to fill all hands"
        accepted = self.accepted_sets
        message = f"tile_set is {', '.join(accepted)}; {reason}"
        return OptionError(why, message, name="tile_set", allowed=accepted)

    @property
    def accepted_sets(self) -> tuple[str, ...]:
        """Every playable set of tiles, including the larger ones that are not offered."""
        return tuple(name for known in self._set_kinds for name in list_set_names(known) if self._accepts_set(name))

    def _accepts_set(self, tiles: str) -> bool:
        changed: dict[str, Any] = {"tile_set": tiles}
        try:
            replace(self, **changed).require_playable()
        except ValueError:
            return False
        return True

    @property
    def _set_kinds(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(map(parse_set_kind, self.tile_sets)))

    def require_playable(self, seats: int | None = None) -> None:
        """Raise OptionError for rules that are readable, as in old matches, but not offered: nothing would have to
        match, or no match would end. `seats` is the number of players, if known.
        """

    def refuse(self, why: OptionFault, message: str, *, name: str, allowed: Sequence[str]) -> NoReturn:
        raise OptionError(why, f"{name} {message}", name=name, allowed=tuple(allowed))

    def require_readings(self) -> None:
        """Raise ValueError, naming the field, for a choice outside its readings."""
        for name, values in self.get_readings().items():
            if name != "tile_set":
                require(getattr(self, name) in values, f"{name} must be one of {', '.join(values)}")

    def require_numbers(self) -> None:
        """Raise OptionError for a number out of range, or ValueError for tiles of a kind that is not offered."""
        for name in self.numbers:
            self._require_number(name)
        for name in self.seat_points:
            require(SEAT_POINTS.fullmatch(getattr(self, name)) is not None, f"{name} must be points like 50/0/20")
        if self.tile_sets:
            kind = parse_set_kind(str(getattr(self, "tile_set", "")))
            require(kind in self._set_kinds, f"tile_set must be one of {', '.join(self.tile_sets)}")

    def _require_number(self, name: str) -> None:
        value, (least, most) = getattr(self, name), self.numbers[name]
        if name in self.unlimited:
            exempt, also = value == UNLIMITED, f", or {UNLIMITED}"
        elif name == "target" and self.one_deal:
            exempt, also = value == 0, ", or 0 where one deal decides"
        else:
            exempt, also = False, ""
        if not exempt and not (isinstance(value, int) and least <= value <= most):
            message = f"{name} must be from {least} to {most}{also}"
            raise OptionError(OptionFault.NO_SUCH_VALUE, message, name=name, allowed=self.list_allowed_values(name))


def require(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)


def _find_readings(kind: type[Options]) -> dict[str, tuple[str, ...]]:
    known = _READINGS.get(kind)
    if known is None:
        known = {}
        for name, hint in get_type_hints(kind).items():
            if name == "tile_set":
                known[name] = kind.tile_sets
            elif get_origin(hint) is Literal:
                known[name] = get_args(hint)
        # Another thread may ask at the same time, so it must not get an incomplete dictionary.
        _READINGS[kind] = known
    return known


_READINGS: dict[type, dict[str, tuple[str, ...]]] = {}
