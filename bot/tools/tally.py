"""The statistics of a duel: share of wins and margin with intervals, and a row of docs/strength/tables.txt."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

from bot.tools.contest import FOREIGN, Contest, Times, lineup, peak_mib, quantile, shares, short_name
from bot.tools.duel_results import Results
from bot.tools.seating import DealPlayed
from data.rulebook import DEFAULT

WIDE: Final = 1.96  # standard errors of a 95 % interval, on each side
UNLIKELY: Final = 0.05  # significance level

HEAD: Final = (
    "| what is played | who | deals | % of wins | fair | points ahead | CPU ms a choice, p50 / p99 |\n"
    "|---|---|--:|--:|--:|--:|--:|"
)


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over deals with the half-width of its 95 % interval; None if that is unknown."""

    value: float
    within: float | None

    def __str__(self) -> str:
        return f"{self.value:.1f}" + ("" if self.within is None else f" ± {self.within:.1f}")


def mean(values: Sequence[float]) -> Mean:
    count = len(values)
    middle = sum(values) / count
    if count < 2:
        return Mean(middle, None)
    spread = sum((value - middle) ** 2 for value in values) / (count - 1)
    return Mean(middle, WIDE * sqrt(spread / count))


def win_share(played: DealPlayed) -> float:
    """Return the first player's share of the wins in a deal, over all rotations."""
    return sum(shares(ranks)[0] for ranks in played.ranks) / len(played.ranks)


def points_ahead(played: DealPlayed) -> float:
    found = [totals[0] - sum(totals[1:]) / (len(totals) - 1) for totals in played.totals]
    return sum(found) / len(found)


def share_mean(per_cent: Sequence[float]) -> Mean:
    """Return the mean of percentages; equal values get the half-width that as many deals can exclude with 95 %."""
    found = mean(per_cent)
    return Mean(found.value, 100 * (1 - UNLIKELY ** (1 / len(per_cent)))) if found.within == 0 else found


def win_mean(results: Results) -> Mean:
    return share_mean([100 * win_share(played) for played in results.deals.values()])


def margin(results: Results) -> Mean:
    return mean([points_ahead(played) for played in results.deals.values()])


def row(results: Results) -> str:
    contest = results.contest
    took = "; ".join(_took(name, times) for name, times in zip(contest.players, results.times, strict=True))
    return (
        f"| {played_what(contest)} | {lineup(contest.players)} | {len(results.deals):,} | **{win_mean(results)}** "
        f"| {100 / contest.seats:.1f} | {margin(results)} | {took} |"
    )


def command(contest: Contest, deals: int) -> str:
    words = ["--game", contest.game, "--seats", contest.seats, "--players", ",".join(contest.players)]
    words += ["--preset", contest.preset] if contest.preset != DEFAULT else []
    words += [word for option in contest.options for word in ("--option", option)]
    words += ["--single"] if contest.single else []
    words += ["--limit", contest.limit] if any(name.startswith(FOREIGN) for name in contest.players) else []
    return f"boneyard duel {shlex.join(map(str, [*words, '--deals', deals, '--seed', contest.seed]))}"


def duel_told(results: Results) -> dict[str, Any]:
    contest, share, lead = results.contest, win_mean(results), margin(results)
    return {
        **contest.told(),
        "deals": len(results.deals),
        "matches": len(results.deals) * contest.seats,
        "won": _numbers(share),
        "fair": round(100 / contest.seats, 2),
        "ahead": _numbers(lead),
        "times": [
            {
                "player": name,
                "choices": times.total(),
                "of": "waiting" if name.startswith(FOREIGN) else "cpu",
                "p50_ms": _rounded(quantile(times, 0.5)),
                "p99_ms": _rounded(quantile(times, 0.99)),
            }
            for name, times in zip(contest.players, results.times, strict=True)
        ],
        "faults": [dict(found) for found in results.faults],
        "peak_mib": peak_mib(),
        "edition": results.edition,
        "command": command(contest, len(results.deals)),
        "row": row(results),
    }


def played_what(contest: Contest) -> str:
    reading = "" if contest.preset == DEFAULT else f" ({contest.preset})"
    read = "".join(f", {option}" for option in contest.options)
    target = contest.rules.target
    length = "single deals" if contest.single or not target else f"matches to {target}"
    return f"{contest.game}{reading}{read}, {contest.seats} seats, {length}"


def _numbers(found: Mean) -> dict[str, float | None]:
    return {"mean": round(found.value, 3), "within": None if found.within is None else round(found.within, 3)}


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.2g}")


def _took(name: str, times: Times) -> str:
    found = [quantile(times, part) for part in (0.5, 0.99)]
    waited = " waited for" if name.startswith(FOREIGN) else ""
    return f"{short_name(name)}{waited} " + " / ".join("–" if one is None else f"{one:.2g}" for one in found)
