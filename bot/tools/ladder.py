"""A duel for every pair of players, and their ratings as a table of docs/strength/tables.txt."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from itertools import combinations
from math import log10
from pathlib import Path
from random import Random
from typing import Any, Final

from bot.tools.contest import Contest, format_lineup, shorten_name
from bot.tools.duel import Progress, play_duel
from bot.tools.duel_results import DuelResults
from bot.tools.position_reading import UnreadableError
from bot.tools.tally import build_mean_json, compute_share_mean, compute_win_mean, compute_win_share, format_contest

MAX_STEPS: Final = 10_000  # most steps of the fit, which converges long before
CONVERGENCE_LIMIT: Final = 1e-8  # relative change below which a strength is stable
SAMPLES: Final = 200  # bootstrap samples
PRIOR_WINS: Final = 0.5  # added wins and losses in every pair, so that ratings stay finite
MATCHES: Final = 2  # in each deal of a pair
Pair = tuple[str, str]
Shares = Mapping[Pair, Sequence[float]]  # by pair, the first player's share of the wins in each deal


@dataclass(frozen=True, slots=True)
class PlayerRating:
    player: str
    rating: float
    low: float
    high: float  # 95 % interval
    share: float  # of all wins in its matches


def compute_ratings(players: Sequence[str], found: Shares, anchor: str) -> list[PlayerRating]:
    """Return the players, best first; `anchor` has 0."""
    best = _fit_ratings(players, found, anchor)
    rng = Random(1)  # noqa: S311 - the same table each time
    drawn = [_fit_ratings(players, _resample(found, rng), anchor) for _ in range(SAMPLES)]
    rated_players = []
    for name in players:
        spread = sorted(one[name] for one in drawn)
        own: list[float] = []
        for pair, values in found.items():
            if name in pair:
                own += values if pair[0] == name else [1 - value for value in values]
        share = sum(own) / len(own) if own else 0.5
        rated_players.append(PlayerRating(name, best[name], spread[SAMPLES // 40], spread[-1 - SAMPLES // 40], share))
    return sorted(rated_players, key=lambda one: -one.rating)


def _resample(found: Shares, rng: Random) -> Shares:
    return {pair: rng.choices(values, k=len(values)) for pair, values in found.items() if values}


def _fit_ratings(players: Sequence[str], found: Shares, anchor: str) -> dict[str, float]:
    """Return the maximum-likelihood Elo ratings (Bradley-Terry), by fixed-point iteration."""
    wins = dict.fromkeys(players, 0.0)
    met: dict[Pair, float] = {}
    for (one, other), values in found.items():
        if values:
            won, count = sum(values) * MATCHES + PRIOR_WINS, len(values) * MATCHES + 2 * PRIOR_WINS
            wins[one] += won
            wins[other] += count - won
            met[one, other] = count
    strength = dict.fromkeys(players, 1.0)
    for _ in range(MAX_STEPS):
        weight = dict.fromkeys(players, 0.0)
        for (one, other), count in met.items():
            part = count / (strength[one] + strength[other])
            weight[one] += part
            weight[other] += part
        before = strength
        strength = {name: wins[name] / weight[name] if weight[name] else 1.0 for name in players}
        if all(abs(strength[name] - before[name]) <= CONVERGENCE_LIMIT * before[name] for name in players):
            break
    return {name: 400 * log10(strength[name] / strength[anchor]) for name in players}


ANCHOR: Final = "greedy"  # has rating 0 if it takes part, else the first player


def play_ladder(
    contest: Contest, deals: int, jobs: int, folder: Path | None, progress: Progress
) -> dict[Pair, DuelResults]:
    """Play every pair of players, each with a file in the folder, if any. Raises UnreadableError, WorkerError."""
    if contest.seats != 2:
        raise UnreadableError("seats: a ladder is climbed by two at a time")
    if len(set(contest.players)) < len(contest.players):
        raise UnreadableError("players: each stands on the ladder once")
    found = {}
    pairs = list(combinations(contest.players, 2))
    for count, pair in enumerate(pairs, 1):
        pair_contest = replace(contest, players=pair, seed=_compute_seed(contest.seed, pair))
        file = None if folder is None else folder / _format_file_name(pair_contest)
        results = DuelResults(pair_contest, file)
        prefix = f"{count} of {len(pairs)}, {format_lineup(pair)}: "
        play_duel(results, deals, jobs, partial(_report_progress, progress, prefix))
        found[pair] = results
    return found


def _report_progress(progress: Progress, pair: str, format_text: Callable[[], str]) -> None:
    progress(lambda: pair + format_text())


def rate_players(players: Sequence[str], found: dict[Pair, DuelResults]) -> list[PlayerRating]:
    shares = {pair: [compute_win_share(played) for played in results.deals.values()] for pair, results in found.items()}
    return compute_ratings(players, shares, ANCHOR if ANCHOR in players else players[0])


def format_table(contest: Contest, found: dict[Pair, DuelResults]) -> list[str]:
    """Return a table of docs/strength/tables.txt: ratings, and the wins of each pair in per cent."""
    ratings = rate_players(contest.players, found)
    names = [one.player for one in ratings]
    lines = [
        f"| {format_contest(contest)} | rating | {' | '.join(f'v {shorten_name(name)}' for name in names)} |",
        f"|---|--:|{'--:|' * len(names)}",
    ]
    for one in ratings:
        cells = [_format_pair_share(one.player, other, found) for other in names]
        span = f"{one.rating:+.0f} ({one.low:+.0f} to {one.high:+.0f})" if one.low != one.high else f"{one.rating:+.0f}"
        lines.append(f"| {shorten_name(one.player)} | {span} | {' | '.join(cells)} |")
    return lines


def build_ladder_json(contest: Contest, found: dict[Pair, DuelResults]) -> dict[str, Any]:
    return {
        **contest.to_dict(),
        "ratings": [
            {
                "player": one.player,
                "rating": round(one.rating, 1),
                "low": round(one.low, 1),
                "high": round(one.high, 1),
                "won": round(100 * one.share, 2),
            }
            for one in rate_players(contest.players, found)
        ],
        "pairs": [
            {
                "players": list(pair),
                "deals": len(results.deals),
                "seed": results.contest.seed,
                "won": build_mean_json(compute_win_mean(results)),
            }
            for pair, results in found.items()
        ],
    }


def _format_pair_share(one: str, other: str, found: dict[Pair, DuelResults]) -> str:
    if one == other:
        return ""
    first = (one, other) in found
    results = found[one, other] if first else found[other, one]
    values = [compute_win_share(played) for played in results.deals.values()]
    return str(compute_share_mean([100 * (value if first else 1 - value) for value in values]))


def _compute_seed(seed: int, pair: Pair) -> int:
    """Return a seed for each pair: what a player learns in one pair must not help in the next."""
    return int.from_bytes(sha256(f"boneyard ladder {seed} {' '.join(sorted(pair))}".encode()).digest()[:6], "big")


def _format_file_name(contest: Contest) -> str:
    one, other = (re.sub(r"[^A-Za-z0-9]+", "-", shorten_name(name)) for name in contest.players)
    return f"{contest.game}-{one}-{other}-{sha256(str(contest.to_dict()).encode()).hexdigest()[:6]}.jsonl"
