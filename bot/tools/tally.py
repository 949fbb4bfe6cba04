"""The statistics of a duel: share of wins and margin with intervals, and a row of docs/strength/tables.txt."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

from bot.tools.contest import (
    PROGRAM_PREFIX,
    Contest,
    Times,
    compute_quantile,
    compute_shares,
    format_lineup,
    measure_peak_mib,
    shorten_name,
)
from bot.tools.duel_results import DuelResults
from bot.tools.seating import PlayedDeal
from data.rulebook import DEFAULT_PRESET

ERRORS_PER_SIDE: Final = 1.96  # standard errors of a 95 % interval, on each side
SIGNIFICANCE: Final = 0.05  # significance level

TABLE_HEAD: Final = (
    "| what is played | who | deals | % of wins | fair | points ahead | CPU ms a choice, p50 / p99 |\n"
    "|---|---|--:|--:|--:|--:|--:|"
)


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over deals with the half-width of its 95 % interval; None if that is unknown."""

    value: float
    half_width: float | None

    def __str__(self) -> str:
        return f"{self.value:.1f}" + ("" if self.half_width is None else f" ± {self.half_width:.1f}")


def compute_mean(values: Sequence[float]) -> Mean:
    count = len(values)
    middle = sum(values) / count
    if count < 2:
        return Mean(middle, None)
    spread = sum((value - middle) ** 2 for value in values) / (count - 1)
    return Mean(middle, ERRORS_PER_SIDE * sqrt(spread / count))


def compute_win_share(played: PlayedDeal) -> float:
    """Return the first player's share of the wins in a deal, over all rotations."""
    return sum(compute_shares(ranks)[0] for ranks in played.ranks) / len(played.ranks)


def compute_lead(played: PlayedDeal) -> float:
    found = [totals[0] - sum(totals[1:]) / (len(totals) - 1) for totals in played.totals]
    return sum(found) / len(found)


def compute_share_mean(per_cent: Sequence[float]) -> Mean:
    """Return the mean of percentages; equal values get the half-width that as many deals can exclude with 95 %."""
    found = compute_mean(per_cent)
    return Mean(found.value, 100 * (1 - SIGNIFICANCE ** (1 / len(per_cent)))) if found.half_width == 0 else found


def compute_win_mean(results: DuelResults) -> Mean:
    return compute_share_mean([100 * compute_win_share(played) for played in results.deals.values()])


def compute_margin(results: DuelResults) -> Mean:
    return compute_mean([compute_lead(played) for played in results.deals.values()])


def format_row(results: DuelResults) -> str:
    contest = results.contest
    times_text = "; ".join(
        _format_times(name, times) for name, times in zip(contest.players, results.times, strict=True)
    )
    return (
        f"| {format_contest(contest)} | {format_lineup(contest.players)} | {len(results.deals):,} "
        f"| **{compute_win_mean(results)}** | {100 / contest.seats:.1f} | {compute_margin(results)} | {times_text} |"
    )


def format_command(contest: Contest, deals: int) -> str:
    words = ["--game", contest.game, "--seats", contest.seats, "--players", ",".join(contest.players)]
    words += ["--preset", contest.preset] if contest.preset != DEFAULT_PRESET else []
    words += [word for option in contest.options for word in ("--option", option)]
    words += ["--single"] if contest.single else []
    words += ["--limit", contest.limit] if any(name.startswith(PROGRAM_PREFIX) for name in contest.players) else []
    return f"boneyard duel {shlex.join(map(str, [*words, '--deals', deals, '--seed', contest.seed]))}"


def build_duel_json(results: DuelResults) -> dict[str, Any]:
    contest, share, lead = results.contest, compute_win_mean(results), compute_margin(results)
    return {
        **contest.to_dict(),
        "deals": len(results.deals),
        "matches": len(results.deals) * contest.seats,
        "won": build_mean_json(share),
        "fair": round(100 / contest.seats, 2),
        "ahead": build_mean_json(lead),
        "times": [
            {
                "player": name,
                "choices": times.total(),
                "of": "waiting" if name.startswith(PROGRAM_PREFIX) else "cpu",
                "p50_ms": _round_significant(compute_quantile(times, 0.5)),
                "p99_ms": _round_significant(compute_quantile(times, 0.99)),
            }
            for name, times in zip(contest.players, results.times, strict=True)
        ],
        "faults": [dict(found) for found in results.faults],
        "peak_mib": measure_peak_mib(),
        "edition": results.edition,
        "command": format_command(contest, len(results.deals)),
        "row": format_row(results),
    }


def format_contest(contest: Contest) -> str:
    reading = "" if contest.preset == DEFAULT_PRESET else f" ({contest.preset})"
    read = "".join(f", {option}" for option in contest.options)
    rules = contest.rules
    length = f"matches of {rules.rounds} rounds" if rules.rounds else f"matches to {rules.target}"
    if contest.single or rules.is_one_deal:
        length = "single deals"
    return f"{contest.game}{reading}{read}, {contest.seats} seats, {length}"


def build_mean_json(found: Mean) -> dict[str, float | None]:
    return {"mean": round(found.value, 3), "within": None if found.half_width is None else round(found.half_width, 3)}


def _round_significant(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.2g}")


def _format_times(name: str, times: Times) -> str:
    quantiles = [compute_quantile(times, part) for part in (0.5, 0.99)]
    waited = " waited for" if name.startswith(PROGRAM_PREFIX) else ""
    return f"{shorten_name(name)}{waited} " + " / ".join("–" if one is None else f"{one:.2g}" for one in quantiles)
