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

from bot.tools.contest import Contest, lineup, short_name
from bot.tools.duel import Progress, fight
from bot.tools.duel_results import Results
from bot.tools.position_reading import Unreadable
from bot.tools.tally import played_what, share_mean, win_mean, win_share

ROUNDS: Final = 10_000  # most steps of the fit, which converges long before
REST: Final = 1e-8  # relative change below which a strength is stable
SAMPLES: Final = 200  # bootstrap samples
DRAWN: Final = 0.5  # added wins and losses in every pair, so that ratings stay finite
Pair = tuple[str, str]
Shares = Mapping[Pair, Sequence[float]]  # by pair, the first player's share of the wins in each deal


@dataclass(frozen=True, slots=True)
class Rated:
    player: str
    rating: float
    low: float
    high: float  # 95 % interval
    share: float  # of all wins in its matches


def ratings(players: Sequence[str], found: Shares, anchor: str, matches: int = 2) -> list[Rated]:
    """Return the players, best first; `anchor` has 0. `matches` is the number for each deal."""
    best = _fit(players, found, anchor, matches)
    rng = Random(1)  # noqa: S311 - the same table each time
    drawn = [_fit(players, _redrawn(found, rng), anchor, matches) for _ in range(SAMPLES)]
    told = []
    for name in players:
        spread = sorted(one[name] for one in drawn)
        own = [value for pair, values in found.items() if name in pair for value in _for(name, pair, values)]
        share = sum(own) / len(own) if own else 0.5
        told.append(Rated(name, best[name], spread[SAMPLES // 40], spread[-1 - SAMPLES // 40], share))
    return sorted(told, key=lambda one: -one.rating)


def _for(name: str, pair: Pair, values: Sequence[float]) -> list[float]:
    return [value if pair[0] == name else 1 - value for value in values]


def _redrawn(found: Shares, rng: Random) -> Shares:
    return {pair: rng.choices(values, k=len(values)) for pair, values in found.items() if values}


def _fit(players: Sequence[str], found: Shares, anchor: str, matches: int) -> dict[str, float]:
    """Return the maximum-likelihood Elo ratings (Bradley-Terry), by fixed-point iteration."""
    wins = dict.fromkeys(players, 0.0)
    met: dict[Pair, float] = {}
    for (one, other), values in found.items():
        if values:
            won, count = sum(values) * matches + DRAWN, len(values) * matches + 2 * DRAWN
            wins[one] += won
            wins[other] += count - won
            met[one, other] = count
    strength = dict.fromkeys(players, 1.0)
    for _ in range(ROUNDS):
        weight = dict.fromkeys(players, 0.0)
        for (one, other), count in met.items():
            part = count / (strength[one] + strength[other])
            weight[one] += part
            weight[other] += part
        before = strength
        strength = {name: wins[name] / weight[name] if weight[name] else 1.0 for name in players}
        if all(abs(strength[name] - before[name]) <= REST * before[name] for name in players):
            break
    return {name: 400 * log10(strength[name] / strength[anchor]) for name in players}


ANCHOR: Final = "greedy"  # has rating 0 if it takes part, else the first player


def climb(contest: Contest, deals: int, jobs: int, folder: Path | None, progress: Progress) -> dict[Pair, Results]:
    """Play every pair of players, each with a file in the folder, if any. Raises Unreadable, WorkerFailed."""
    if contest.seats != 2:
        raise Unreadable("seats: a ladder is climbed by two at a time")
    if len(set(contest.players)) < len(contest.players):
        raise Unreadable("players: each stands on the ladder once")
    found = {}
    pairs = list(combinations(contest.players, 2))
    for count, pair in enumerate(pairs, 1):
        meeting = replace(contest, players=pair, seed=_seed_of(contest.seed, pair))
        file = None if folder is None else folder / _name(meeting)
        results = Results(meeting, file)
        fight(results, deals, jobs, partial(_about, progress, f"{count} of {len(pairs)}, {lineup(pair)}: "))
        found[pair] = results
    return found


def _about(progress: Progress, pair: str, how_far: Callable[[], str]) -> None:
    progress(lambda: pair + how_far())


def rated(players: Sequence[str], found: dict[Pair, Results]) -> list[Rated]:
    shares = {pair: [win_share(played) for played in results.deals.values()] for pair, results in found.items()}
    return ratings(players, shares, ANCHOR if ANCHOR in players else players[0])


def table(contest: Contest, found: dict[Pair, Results]) -> list[str]:
    """Return a table of docs/strength/tables.txt: ratings, and the wins of each pair in per cent."""
    standing = rated(contest.players, found)
    names = [one.player for one in standing]
    lines = [
        f"| {played_what(contest)} | rating | {' | '.join(f'v {short_name(name)}' for name in names)} |",
        f"|---|--:|{'--:|' * len(names)}",
    ]
    for one in standing:
        cells = [_against(one.player, other, found) for other in names]
        span = f"{one.rating:+.0f} ({one.low:+.0f} to {one.high:+.0f})" if one.low != one.high else f"{one.rating:+.0f}"
        lines.append(f"| {short_name(one.player)} | {span} | {' | '.join(cells)} |")
    return lines


def ladder_told(contest: Contest, found: dict[Pair, Results]) -> dict[str, Any]:
    return {
        **contest.told(),
        "ratings": [
            {
                "player": one.player,
                "rating": round(one.rating, 1),
                "low": round(one.low, 1),
                "high": round(one.high, 1),
                "won": round(100 * one.share, 2),
            }
            for one in rated(contest.players, found)
        ],
        "pairs": [
            {"players": list(pair), "deals": len(results.deals), "seed": results.contest.seed, "won": _won(results)}
            for pair, results in found.items()
        ],
    }


def _won(results: Results) -> dict[str, float | None]:
    share = win_mean(results)
    return {"mean": round(share.value, 3), "within": None if share.within is None else round(share.within, 3)}


def _against(one: str, other: str, found: dict[Pair, Results]) -> str:
    if one == other:
        return ""
    first = (one, other) in found
    results = found[one, other] if first else found[other, one]
    values = [win_share(played) for played in results.deals.values()]
    return str(share_mean([100 * (value if first else 1 - value) for value in values]))


def _seed_of(seed: int, pair: Pair) -> int:
    """Return a seed for each pair: what a player learns in one pair must not help in the next."""
    return int.from_bytes(sha256(f"boneyard ladder {seed} {' '.join(sorted(pair))}".encode()).digest()[:6], "big")


def _name(contest: Contest) -> str:
    one, other = (re.sub(r"[^A-Za-z0-9]+", "-", short_name(name)) for name in contest.players)
    return f"{contest.game}-{one}-{other}-{sha256(str(contest.told()).encode()).hexdigest()[:6]}.jsonl"
