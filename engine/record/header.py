"""The header of a record: the game with its options, the seats, and the proof of the shuffle."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from engine.match.rules import Rules
from engine.match.shuffle import ENTROPY_VERSION, SECRET_VERSION, choose_version, is_contribution
from engine.record.text import MAX_SEATS, DamagedRecordError, Line, format_seat, parse_seat

TITLE: Final = "boneyard record 1"  # first line, with the version of the grammar
FindRules = Callable[[str], Rules]
"""Finds the default rules of a game by name. Raises ValueError with a readable message."""

HEX = re.compile(r"[0-9a-f]{64}")
DATE = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])")
NUMBER = re.compile(r"-?[0-9]{1,6}")
VERSION = re.compile(f"{SECRET_VERSION}|{ENTROPY_VERSION}")
CONTRIBUTION_PREFIX: Final = "contribution "  # prefix of a seat's letter for its entropy


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
        return choose_version(self.contributions)


def iterate_header_lines(header: Header, standard: Rules) -> Iterator[str]:
    """Yield the header lines, with the options that differ from `standard`, the game's default rules."""
    yield TITLE
    yield f"game: {header.rules.game}"
    if header.preset:
        yield f"preset: {header.preset}"
    for name in get_settings(header.rules):
        value = getattr(header.rules, name)
        if value != getattr(standard, name):
            yield f"{name}: {' '.join(map(str, value)) if isinstance(value, tuple) else value}"
    yield f"seats: {header.seats}"
    if header.computers:
        yield f"computers: {' '.join(map(format_seat, header.computers))}"
    if header.by_hand:
        yield "by_hand: yes"
    for name in ("date", "commitment", "secret"):
        if getattr(header, name):
            yield f"{name}: {getattr(header, name)}"
    if header.shuffle != SECRET_VERSION:
        yield f"shuffle: {header.shuffle}"
    for seat, added in enumerate(header.contributions):
        if added:
            yield f"{CONTRIBUTION_PREFIX}{format_seat(seat)}: {added}"


def get_settings(rules: Rules) -> dict[str, Any]:
    """Return the names and types of all options and numbers of a game."""
    hints = get_type_hints(type(rules))
    return {item.name: hints[item.name] for item in fields(rules) if item.name not in ("game", "family")}


def read_header(lines: Sequence[Line], find: FindRules) -> Header:
    """Parse the header with its title line. Raises DamagedRecordError."""
    if not lines or lines[0].text != TITLE:
        raise DamagedRecordError(lines[0].number if lines else 1, f"a record begins with the line {TITLE!r}")
    lines_by_name: dict[str, tuple[Line, str]] = {}
    for line in lines[1:]:
        name, colon, value = (part.strip() for part in line.text.partition(":"))
        if not colon or not value:
            raise DamagedRecordError(
                line.number, f"{line.text!r} is neither 'name: value' nor the beginning of a round"
            )
        if name in lines_by_name:
            raise DamagedRecordError(
                line.number, f"{name} is there twice; the first is on line {lines_by_name[name][0].number}"
            )
        lines_by_name[name] = line, value
    end = lines[-1]
    for name in ("game", "seats"):
        if name not in lines_by_name:
            raise DamagedRecordError(end.number, f"the head ends here and has no {name}")
    standard = _find_default_rules(*lines_by_name["game"], find)
    added = {name: lines_by_name.pop(name) for name in [*lines_by_name] if name.startswith(CONTRIBUTION_PREFIX)}
    for name, (line, _) in lines_by_name.items():
        if name not in READERS and name not in get_settings(standard):
            raise DamagedRecordError(line.number, f"there is no {name!r} in the head of a record of {standard.game}")
    rules = _parse_rules(lines_by_name, standard)
    seats = _parse_seats(*lines_by_name["seats"], rules)
    rest: dict[str, Any] = {
        name: READERS[name](line, value, seats) for name, (line, value) in lines_by_name.items() if name in READERS
    }
    del rest["game"]
    rest.pop("edition", None)  # version 0.1 wrote it where `blocked_bonus` is `none`
    shuffle = rest.pop("shuffle", SECRET_VERSION)
    header = Header(rules=rules, contributions=_parse_contributions(added, seats), **rest)
    if header.shuffle != shuffle:
        line, _ = lines_by_name["shuffle"] if "shuffle" in lines_by_name else next(iter(added.values()))
        raise DamagedRecordError(
            line.number, f"what is added to the deals belongs to shuffle {ENTROPY_VERSION}, and to no other"
        )
    return header


def _parse_contributions(lines_by_name: dict[str, tuple[Line, str]], seats: int) -> tuple[str, ...]:
    found = [""] * seats
    for name, (line, text) in lines_by_name.items():
        letter = name.removeprefix(CONTRIBUTION_PREFIX)
        if len(letter) != 1:
            raise DamagedRecordError(
                line.number, f"{name!r} names no seat; write it like '{CONTRIBUTION_PREFIX}A: a word'"
            )
        if not is_contribution(text):
            raise DamagedRecordError(line.number, f"{text!r} is neither a word nor the 64 digits of a press")
        found[parse_seat(letter, seats, line)] = text
    return tuple(found) if lines_by_name else ()


def _find_default_rules(line: Line, game: str, find: FindRules) -> Rules:
    try:
        return find(game)
    except ValueError as error:
        raise DamagedRecordError(line.number, str(error)) from error


def _parse_rules(lines_by_name: dict[str, tuple[Line, str]], standard: Rules) -> Rules:
    kinds = get_settings(standard)
    changes = {
        name: _parse_setting(name, kinds[name], value, line)
        for name, (line, value) in lines_by_name.items()
        if name in kinds
    }
    try:
        return replace(standard, **changes)
    except ValueError as error:
        # The message begins with the name of a wrong option, which must be one of the record's.
        wrong_setting = lines_by_name.get(str(error).partition(" ")[0])
        last = max(
            (lines_by_name[name][0] for name in changes), key=lambda line: line.number, default=lines_by_name["game"][0]
        )
        raise DamagedRecordError((wrong_setting[0] if wrong_setting else last).number, str(error)) from error


def _parse_setting(name: str, kind: Any, text: str, line: Line) -> Any:
    kinds = get_args(kind) if get_origin(kind) not in (None, Literal, tuple) else (kind,)
    if any(get_origin(one) is tuple for one in kinds):
        words = text.split()
        if all(NUMBER.fullmatch(word) for word in words):
            return tuple(map(int, words))
        raise DamagedRecordError(line.number, f"{name} is whole numbers with spaces between them, not {text!r}")
    if int in kinds and NUMBER.fullmatch(text):
        return int(text)
    allowed = [value for one in kinds if get_origin(one) is Literal for value in get_args(one)]
    if text in allowed or str in kinds:
        return text
    named = ", ".join(allowed)
    whole = "a whole number" if int in kinds else ""
    raise DamagedRecordError(line.number, f"{name} is {' or '.join(filter(None, (whole, named)))}, not {text!r}")


def _parse_seats(line: Line, text: str, rules: Rules) -> int:
    most = min(rules.max_seats, MAX_SEATS)
    if NUMBER.fullmatch(text) and rules.min_seats <= int(text) <= most:
        return int(text)
    raise DamagedRecordError(line.number, f"seats is a number from {rules.min_seats} to {most}, not {text!r}")


def _parse_computers(line: Line, text: str, seats: int) -> tuple[int, ...]:
    names = text.split()
    if any(len(name) != 1 for name in names):
        raise DamagedRecordError(line.number, f"computers are seats like A B, not {text!r}")
    found = tuple(parse_seat(name, seats, line) for name in names)
    if list(found) != sorted(set(found)):
        raise DamagedRecordError(line.number, "computers are named once each, in the order of the seats")
    return found


def _parse_yes(line: Line, text: str, seats: int) -> bool:
    if text not in ("yes", "no"):
        raise DamagedRecordError(line.number, f"by_hand is yes or no, not {text!r}")
    return text == "yes"


def _build_reader(pattern: re.Pattern[str], expected: str) -> Callable[[Line, str, int], str]:
    def read_value(line: Line, text: str, seats: int) -> str:
        if pattern.fullmatch(text):
            return text
        raise DamagedRecordError(line.number, f"{line.text.partition(':')[0]} is {expected}, not {text!r}")

    return read_value


READERS: Final[dict[str, Callable[[Line, str, int], object]]] = {
    "game": lambda line, text, seats: text,
    "preset": _build_reader(re.compile(r"[a-z][a-z0-9_-]{0,39}"), "a short name in small letters"),
    "seats": lambda line, text, seats: seats,
    "edition": _build_reader(re.compile("2"), "2"),
    "computers": _parse_computers,
    "by_hand": _parse_yes,
    "date": _build_reader(DATE, "a day like 2026-02-28"),
    "commitment": _build_reader(HEX, "64 hexadecimal digits"),
    "secret": _build_reader(HEX, "64 hexadecimal digits"),
    "shuffle": lambda line, text, seats: int(
        _build_reader(VERSION, f"{SECRET_VERSION} or {ENTROPY_VERSION}")(line, text, seats)
    ),
}
"""Header fields besides the game's options."""
