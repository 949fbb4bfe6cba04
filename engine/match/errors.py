"""Reasons why a move or an option is refused, with the facts of the case. The edge finds the words."""

from enum import StrEnum


class Violation(StrEnum):
    """Reasons of the referee (RULES §2)."""

    NO_SUCH_TILE = "NO_SUCH_TILE"
    OCCUPIED = "OCCUPIED"
    TILE_ALREADY_PLAYED = "TILE_ALREADY_PLAYED"
    NOT_IN_HAND = "NOT_IN_HAND"
    NO_SIDE_CONTACT = "NO_SIDE_CONTACT"
    NOT_NEXT_TO_LAST = "NOT_NEXT_TO_LAST"
    OFF_THE_BOARD = "OFF_THE_BOARD"
    SIDE_MISMATCH = "SIDE_MISMATCH"
    CORNER_MISMATCH = "CORNER_MISMATCH"
    WRONG_OPENING = "WRONG_OPENING"
    MUST_PLAY = "MUST_PLAY"
    MUST_DRAW = "MUST_DRAW"
    BONEYARD_EMPTY = "BONEYARD_EMPTY"
    DRAW_LIMIT = "DRAW_LIMIT"
    MUST_CHOOSE = "MUST_CHOOSE"
    NOTHING_TO_CHOOSE = "NOTHING_TO_CHOOSE"
    BONUS_TILES_IMPOSSIBLE = "BONUS_TILES_IMPOSSIBLE"
    NOTHING_TO_TAKE_BACK = "NOTHING_TO_TAKE_BACK"
    TOO_LATE_TO_TAKE_BACK = "TOO_LATE_TO_TAKE_BACK"
    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    RESIGNED = "RESIGNED"
    MATCH_OVER = "MATCH_OVER"
    SEAT_COUNT = "SEAT_COUNT"


class RuleError(Exception):
    """A rule forbids this. `facts` has the parameters of the message: cells, tiles, labels, seats."""

    def __init__(self, why: Violation, **facts: object) -> None:
        super().__init__(why.value, facts)
        self.why = why
        self.facts = facts


class OptionFault(StrEnum):
    """Reasons against an option of a game (RULES §3.1)."""

    NO_SUCH_OPTION = "NO_SUCH_OPTION"
    NO_SUCH_VALUE = "NO_SUCH_VALUE"
    UNPLAYABLE = "UNPLAYABLE"  # playable, but not together with the other rules
    TOO_FEW_TILES = "TOO_FEW_TILES"  # a set of tiles that cannot fill all hands
    NOTHING_TO_MATCH = "NOTHING_TO_MATCH"  # no number would have to match any other
    NEVER_ENDS = "NEVER_ENDS"  # a round would cost more than it brings, and the target would never be reached


class OptionError(ValueError):
    """A game cannot be played with this option. `str()` explains it in English, beginning with the option's name.
    `allowed` has the names of options, or the values of this one; a range as `0-100`.
    """

    def __init__(self, why: OptionFault, message: str, *, name: str, allowed: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.why = why
        self.name = name
        self.allowed = allowed
