"""The header of a record: the game with its options, the seats, and the proof of the shuffle."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from engine.match.rules import Rules
from engine.match.shuffle import FIRST, SECOND, is_contribution, version_of
from engine.record.text import MOST_SEATS, Line, RecordDamaged, seat_name, seat_number

TITLE: Final = "boneyard record 1"  # first line, with the version of the grammar
FindRules = Callable[[str], Rules]
"""Finds the default rules of a game by name. Raises ValueError with a readable message."""

HEX = re.compile(r"[0-9a-f]{64}")
DATE = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])")
NUMBER = re.compile(r"-?[0-9]{1,6}")
VERSION = re.compile(f"{FIRST}|{SECOND}")
ADDED: Final = "contribution "  # prefix of a seat's letter for its entropy


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """Everything before the first deal."""

    rules: Rules
    seats: int
    computers: tuple[int, ...] = ()
    by_hand: bool = False
    preset: str = ""  # the table's preset, for readers: all options are written too
    date: str = ""  # first day of the match, as `2026-02-28`
    commitment: str = ""  # SHA-256 of the secret behind every shuffle, in hex; empty for tiles dealt by hand
    secret: str = ""  # the secret in hex, once the match is over
    contributions: tuple[str, ...] = ()
    """Entropy by seat; empty entries for none; empty tuple under version 1 of the shuffle."""

    @property
    def shuffle(self) -> int:
        """The version of the shuffle."""
        return version_of(self.contributions)


def header_lines(header: Header, standard: Rules) -> Iterator[str]:
    """Yield the header lines, with the options that differ from `standard`, the game's default rules."""
    yield TITLE
    yield f"game: {header.rules.game}"
    if header.preset:
        yield f"preset: {header.preset}"
    for name in settings(header.rules):
        value = getattr(header.rules, name)
        if value != getattr(standard, name):
            yield f"{name}: {' '.join(map(str, value)) if isinstance(value, tuple) else value}"
    yield f"seats: {header.seats}"
    if header.computers:
        yield f"computers: {' '.join(map(seat_name, header.computers))}"
    if header.by_hand:
        yield "by_hand: yes"
    for name in ("date", "commitment", "secret"):
        if getattr(header, name):
            yield f"{name}: {getattr(header, name)}"
    if header.shuffle != FIRST:
        yield f"shuffle: {header.shuffle}"
    for seat, added in enumerate(header.contributions):
        if added:
            yield f"{ADDED}{seat_name(seat)}: {added}"


def settings(rules: Rules) -> dict[str, Any]:
    """Return the names and types of all options and numbers of a game."""
    hints = get_type_hints(type(rules))
    return {item.name: hints[item.name] for item in fields(rules) if item.name not in ("game", "family")}


def read_header(lines: Sequence[Line], find: FindRules) -> Header:
    """Parse the header with its title line. Raises RecordDamaged."""
    if not lines or lines[0].text != TITLE:
        raise RecordDamaged(lines[0].number if lines else 1, f"a record begins with the line {TITLE!r}")
    said: dict[str, tuple[Line, str]] = {}
    for line in lines[1:]:
        name, colon, value = (part.strip() for part in line.text.partition(":"))
        if not colon or not value:
            raise RecordDamaged(line.number, f"{line.text!r} is neither 'name: value' nor the beginning of a round")
        if name in said:
            raise RecordDamaged(line.number, f"{name} is there twice; the first is on line {said[name][0].number}")
        said[name] = line, value
    end = lines[-1]
    for name in ("game", "seats"):
        if name not in said:
            raise RecordDamaged(end.number, f"the head ends here and has no {name}")
    standard = _standard(*said["game"], find)
    added = {name: said.pop(name) for name in [*said] if name.startswith(ADDED)}
    for name, (line, _) in said.items():
        if name not in READERS and name not in settings(standard):
            raise RecordDamaged(line.number, f"there is no {name!r} in the head of a record of {standard.game}")
    rules = _rules(said, standard)
    seats = _seats(*said["seats"], rules)
    rest: dict[str, Any] = {
        name: READERS[name](line, value, seats) for name, (line, value) in said.items() if name in READERS
    }
    del rest["game"]
    rest.pop("edition", None)  # version 0.1 wrote it where `blocked_bonus` is `none`
    shuffle = rest.pop("shuffle", FIRST)
    header = Header(rules=rules, contributions=_added(added, seats), **rest)
    if header.shuffle != shuffle:
        line, _ = said["shuffle"] if "shuffle" in said else next(iter(added.values()))
        raise RecordDamaged(line.number, f"what is added to the deals belongs to shuffle {SECOND}, and to no other")
    return header


def _added(said: dict[str, tuple[Line, str]], seats: int) -> tuple[str, ...]:
    found = [""] * seats
    for name, (line, text) in said.items():
        letter = name.removeprefix(ADDED)
        if len(letter) != 1:
            raise RecordDamaged(line.number, f"{name!r} names no seat; write it like '{ADDED}A: a word'")
        if not is_contribution(text):
            raise RecordDamaged(line.number, f"{text!r} is neither a word nor the 64 digits of a press")
        found[seat_number(letter, seats, line)] = text
    return tuple(found) if said else ()


def _standard(line: Line, game: str, find: FindRules) -> Rules:
    try:
        return find(game)
    except ValueError as error:
        raise RecordDamaged(line.number, str(error)) from error


def _rules(said: dict[str, tuple[Line, str]], standard: Rules) -> Rules:
    kinds = settings(standard)
    changes = {name: _setting(name, kinds[name], value, line) for name, (line, value) in said.items() if name in kinds}
    try:
        return replace(standard, **changes)
    except ValueError as error:
        # The message begins with the name of a wrong option, which must be one of the record's.
        blamed = said.get(str(error).partition(" ")[0])
        last = max((said[name][0] for name in changes), key=lambda line: line.number, default=said["game"][0])
        raise RecordDamaged((blamed[0] if blamed else last).number, str(error)) from error


def _setting(name: str, kind: Any, text: str, line: Line) -> Any:
    kinds = get_args(kind) if get_origin(kind) not in (None, Literal, tuple) else (kind,)
    if any(get_origin(one) is tuple for one in kinds):
        words = text.split()
        if all(NUMBER.fullmatch(word) for word in words):
            return tuple(map(int, words))
        raise RecordDamaged(line.number, f"{name} is whole numbers with spaces between them, not {text!r}")
    if int in kinds and NUMBER.fullmatch(text):
        return int(text)
    allowed = [value for one in kinds if get_origin(one) is Literal for value in get_args(one)]
    if text in allowed or str in kinds:
        return text
    named = ", ".join(allowed)
    whole = "a whole number" if int in kinds else ""
    raise RecordDamaged(line.number, f"{name} is {' or '.join(filter(None, (whole, named)))}, not {text!r}")


def _seats(line: Line, text: str, rules: Rules) -> int:
    most = min(rules.max_seats, MOST_SEATS)
    if NUMBER.fullmatch(text) and rules.min_seats <= int(text) <= most:
        return int(text)
    raise RecordDamaged(line.number, f"seats is a number from {rules.min_seats} to {most}, not {text!r}")


def _computers(line: Line, text: str, seats: int) -> tuple[int, ...]:
    names = text.split()
    if any(len(name) != 1 for name in names):
        raise RecordDamaged(line.number, f"computers are seats like A B, not {text!r}")
    found = tuple(seat_number(name, seats, line) for name in names)
    if list(found) != sorted(set(found)):
        raise RecordDamaged(line.number, "computers are named once each, in the order of the seats")
    return found


def _yes(line: Line, text: str, seats: int) -> bool:
    if text not in ("yes", "no"):
        raise RecordDamaged(line.number, f"by_hand is yes or no, not {text!r}")
    return text == "yes"


def _like(pattern: re.Pattern[str], told: str) -> Callable[[Line, str, int], str]:
    def reader(line: Line, text: str, seats: int) -> str:
        if pattern.fullmatch(text):
            return text
        raise RecordDamaged(line.number, f"{line.text.partition(':')[0]} is {told}, not {text!r}")

    return reader


READERS: Final[dict[str, Callable[[Line, str, int], object]]] = {
    "game": lambda line, text, seats: text,
    "preset": _like(re.compile(r"[a-z][a-z0-9_-]{0,39}"), "a short name in small letters"),
    "seats": lambda line, text, seats: seats,
    "edition": _like(re.compile("2"), "2"),
    "computers": _computers,
    "by_hand": _yes,
    "date": _like(DATE, "a day like 2026-02-28"),
    "commitment": _like(HEX, "64 hexadecimal digits"),
    "secret": _like(HEX, "64 hexadecimal digits"),
    "shuffle": lambda line, text, seats: int(_like(VERSION, f"{FIRST} or {SECOND}")(line, text, seats)),
}
"""Header fields besides the game's options."""
