"""Measure how much duplicate deals reduce the variance of a strength estimate.

The margin of a match is the lead of the first player over the mean of the others, in points. In a duel, every deal is
played from all seats. So its file gives two variances: that of single matches, and that of the mean over all seats of
a deal, which has no luck of the deal.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Final

from bot.tools.contest import format_lineup
from bot.tools.duel_results import DuelResults
from bot.tools.position_reading import UnreadableError
from bot.tools.tally import format_contest

MIN_DEALS: Final = 10
BOOTSTRAP_SAMPLES: Final = 400

HEADER: Final = (
    "| what is played | who | deals | variance of one match | of a deal from all seats | % of that "
    "| % of as many matches |\n|---|---|--:|--:|--:|--:|--:|"
)


@dataclass(frozen=True, slots=True)
class Variance:
    deals: int
    independent: float
    """In points squared, for single matches with independent deals."""
    duplicate: float
    """In points squared, for the mean over all seats of one deal."""
    seats: int
    interval: tuple[float, float]
    """95 % interval of the second variance divided by the first, from bootstrap samples of the deals."""

    @property
    def share_per_deal(self) -> float:
        """The share of variance that remains if a deal is played from all seats instead of once."""
        return self.duplicate / self.independent

    @property
    def share_per_match(self) -> float:
        """The share of variance that remains for the same number of matches."""
        return self.seats * self.share_per_deal


def compute_variance(results: DuelResults) -> Variance:
    """Return the variances of a duel. Raises UnreadableError if it has too few deals."""
    margins = [
        [totals[0] - fmean(totals[1:]) for totals in played.totals] for _, played in sorted(results.deals.items())
    ]
    if len(margins) < MIN_DEALS:
        raise UnreadableError(f"{len(margins)} deals tell no variance; play {MIN_DEALS} at least")
    independent, duplicate = _compute_variances(margins)
    if not independent:
        raise UnreadableError("all matches ended alike: there is no variance to compare")
    rng = Random(len(margins))
    ratios = []
    for _ in range(BOOTSTRAP_SAMPLES):
        one, other = _compute_variances(rng.choices(margins, k=len(margins)))
        if one:
            ratios.append(other / one)
    ratios.sort()
    interval = ratios[round(0.025 * len(ratios))], ratios[round(0.975 * len(ratios)) - 1]
    return Variance(len(margins), independent, duplicate, results.contest.seats, interval)


def _compute_variances(margins: Sequence[Sequence[float]]) -> tuple[float, float]:
    by_seat = zip(*margins, strict=True)
    return fmean(_compute_sample_variance(list(seat)) for seat in by_seat), _compute_sample_variance(
        [fmean(deal) for deal in margins]
    )


def _compute_sample_variance(values: Sequence[float]) -> float:
    middle = fmean(values)
    return sum((value - middle) ** 2 for value in values) / (len(values) - 1)


def format_row(results: DuelResults) -> str:
    """Return a row of docs/explanation/duplicate.md."""
    contest, found = results.contest, compute_variance(results)
    low, high = found.interval
    return (
        f"| {format_contest(contest)} | {format_lineup(contest.players)} | {found.deals:,} | {found.independent:,.0f} "
        f"| {found.duplicate:,.0f} | **{100 * found.share_per_deal:.0f}** ({100 * low:.0f} to {100 * high:.0f}) "
        f"| {100 * found.share_per_match:.0f} |"
    )


def main(words: Sequence[str] | None = None) -> None:
    """Print the variance of the duels in files, as rows of docs/explanation/duplicate.md."""
    parser = argparse.ArgumentParser(prog="tests.tools.variance", description=main.__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    files = parser.parse_args(words).files
    print(HEADER, *map(format_row, map(DuelResults.from_file, files)), sep="\n")


if __name__ == "__main__":
    main()
