"""Measure how much duplicate deals reduce the variance of a strength estimate.

The margin of a match is the lead of the first player over the mean of the others, in points. In a duel, every deal is
played from all seats. So its file gives two variances: that of single matches, and that of the mean over all seats of
a deal, which has no luck of the deal.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any, Final

from bot.tools.contest import format_lineup
from bot.tools.duel_results import DuelResults
from bot.tools.position_reading import UnreadableError
from bot.tools.tally import format_contest

LEAST: Final = 10
"""Minimum number of deals for a variance."""
DRAWN: Final = 400
"""Number of bootstrap samples for an interval."""

VARIANCE_HEAD: Final = (
    "| what is played | who | deals | variance of one match | of a deal from all seats | % of that "
    "| % of as many matches |\n|---|---|--:|--:|--:|--:|--:|"
)
"""The header of the rows."""


@dataclass(frozen=True, slots=True)
class Variance:
    """The variances of the margins of a duel."""

    deals: int
    independent: float
    """In points squared, for single matches with independent deals."""
    duplicate: float
    """In points squared, for the mean over all seats of one deal."""
    seats: int
    within: tuple[float, float]
    """95 % interval of the second variance divided by the first, from bootstrap samples of the deals."""

    @property
    def of_a_match(self) -> float:
        """The share of variance that remains if a deal is played from all seats instead of once."""
        return self.duplicate / self.independent

    @property
    def of_as_many(self) -> float:
        """The share of variance that remains for the same number of matches."""
        return self.seats * self.of_a_match


def variance(results: DuelResults) -> Variance:
    """Return the variances of a duel. Raises Unreadable if it has too few deals."""
    margins = [
        [totals[0] - fmean(totals[1:]) for totals in played.totals] for _, played in sorted(results.deals.items())
    ]
    if len(margins) < LEAST:
        raise UnreadableError(f"{len(margins)} deals tell no variance; play {LEAST} at least")
    independent, duplicate = _both(margins)
    if not independent:
        raise UnreadableError("all matches ended alike: there is no variance to compare")
    chance = Random(len(margins))
    drawn = []
    for _ in range(DRAWN):
        one, other = _both(chance.choices(margins, k=len(margins)))
        if one:
            drawn.append(other / one)
    drawn.sort()
    within = drawn[round(0.025 * len(drawn))], drawn[round(0.975 * len(drawn)) - 1]
    return Variance(len(margins), independent, duplicate, results.contest.seats, within)


def _both(margins: Sequence[Sequence[float]]) -> tuple[float, float]:
    by_seat = zip(*margins, strict=True)
    return fmean(_spread(list(seat)) for seat in by_seat), _spread([fmean(deal) for deal in margins])


def _spread(values: Sequence[float]) -> float:
    middle = fmean(values)
    return sum((value - middle) ** 2 for value in values) / (len(values) - 1)


def variance_row(results: DuelResults) -> str:
    """Return a row of docs/explanation/duplicate.md."""
    contest, found = results.contest, variance(results)
    low, high = found.within
    return (
        f"| {format_contest(contest)} | {format_lineup(contest.players)} | {found.deals:,} | {found.independent:,.0f} "
        f"| {found.duplicate:,.0f} | **{100 * found.of_a_match:.0f}** ({100 * low:.0f} to {100 * high:.0f}) "
        f"| {100 * found.of_as_many:.0f} |"
    )


def variance_told(results: DuelResults) -> dict[str, Any]:
    """Return the value that `--json` prints."""
    found = variance(results)
    return {
        **results.contest.to_dict(),
        "deals": found.deals,
        "independent": round(found.independent, 3),
        "duplicate": round(found.duplicate, 3),
        "of_a_match": round(found.of_a_match, 4),
        "of_as_many": round(found.of_as_many, 4),
        "within": [round(one, 4) for one in found.within],
    }


def main(words: Sequence[str] | None = None) -> None:
    """Print the variance of the duels in files, as rows of docs/explanation/duplicate.md or as JSON."""
    parser = argparse.ArgumentParser(prog="tests.tools.variance", description=main.__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args(words)
    known = list(map(DuelResults.from_file, asked.files))
    rows = "\n".join([VARIANCE_HEAD, *map(variance_row, known)])
    print(json.dumps(list(map(variance_told, known))) if asked.json else rows)


if __name__ == "__main__":
    main()
