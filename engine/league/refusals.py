"""Why a season says no. The table around a match has words for the same names."""

from enum import StrEnum


class Objection(StrEnum):
    """The reasons."""

    ALREADY_SIGNED_UP = "ALREADY_SIGNED_UP"
    NOT_IN_SEASON = "NOT_IN_SEASON"
    SIGNUP_OVER = "SIGNUP_OVER"
    SEASON_FULL = "SEASON_FULL"
    SEASON_OVER = "SEASON_OVER"
    LEFT_SEASON = "LEFT_SEASON"


class SeasonRefused(Exception):  # noqa: N818 - a refusal is no error
    """What was asked of a season cannot be done, with the reason."""

    def __init__(self, why: Objection, **facts: int) -> None:
        super().__init__(why)
        self.why = why
        self.facts = facts
