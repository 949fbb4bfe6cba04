"""What each round of a season or of a Swiss tournament brought somebody: signs beside their name, and what they say."""

from collections.abc import Iterable, Sequence
from typing import Final

from data.words import Words
from engine.league.lines import RoundMark, round_marks
from engine.league.season import Season

SIGNS: Final[dict[RoundMark, str]] = {
    "won": "●",
    "tied": "◐",
    "lost": "○",
    "unplayed": "✗",
    "bye": "–",
    "open": "◌",
    "none": "·",
}
"""The signs of the picture, as a message writes them."""


def with_signs(row: str, rounds: Sequence[RoundMark]) -> str:
    """A line of a table with all rounds of somebody, the first one first, where anything has come of one."""
    return f"{row} · {''.join(SIGNS[mark] for mark in rounds)}" if _any(rounds) else row


def signs_told(season: Season, players: Iterable[int], words: Words) -> list[str]:
    """A line with the signs beside these people and what they stand for; none where there are none."""
    there = {mark for player in players if player not in season.gone for mark in round_marks(season, player)}
    told = [f"{sign} {words(f'league.round_{mark}')}" for mark, sign in SIGNS.items() if mark in there - {"none"}]
    return [words("league.rounds", signs=" · ".join(told))] if told else []


def rounds_in_words(rounds: Sequence[RoundMark], words: Words) -> str:
    """All rounds of somebody in words, for those who do not see the signs; empty where nothing has come of any."""
    if not _any(rounds):
        return ""
    each = (SIGNS["none"] if mark == "none" else words(f"league.round_{mark}") for mark in rounds)
    return f" ({words('and.comma').join(each)})"


def _any(rounds: Sequence[RoundMark]) -> bool:
    return any(mark != "none" for mark in rounds)
