"""Play matches, review them, and check that the mean luck is zero (docs/explanation/review.md).

    uv run checks -m tests.tools.luck --matches 100 --players hard,random

Between equal players the mean luck and the mean skill must be zero, however small the effort of the reviews is. Between
unequal players the mean luck must still be zero, and the better player has the skill.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

from bot.tools.contest import Contest, format_lineup
from bot.tools.seating import Arena
from bot.tools.tally import compute_mean
from data.weights import load_weights
from engine.match.events import Event
from engine.players.prospects import compute_margins, compute_outcomes
from engine.reviews.costs import Effort
from engine.reviews.findings import Luck, Review
from engine.reviews.review_match import Reviewer

SMALL_EFFORT: Final = Effort(search_moves=200, valuation_moves=400, orders=0.01)
ROUNDING: Final = 1e-6
"""Points by which sums may differ."""
PARTS: Final = ("deal", "draws", "luck", "skill", "rest", "result")
Finding = tuple[Luck, bool]
"""What a review found in one match for the player named first, and whether the parts of every seat add up."""
HEADER: Final = (
    "| what is played | who | matches | deals | draws | luck | skill | rest | result | adds up |\n"
    "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|"
)


def review_matches(contest: Contest, matches: int, effort: Effort = SMALL_EFFORT) -> Iterator[Finding]:
    """Play so many matches and review each. The players change seats after every match."""
    known, times = load_weights(contest.rules), tuple(Counter[int]() for _ in contest.players)
    with Arena(contest) as arena:
        for number in range(matches):
            rotation = number % contest.seats
            log = arena.play_rotation(number, rotation, times).log
            # The random numbers of a review must not depend on those of the deal.
            seed = f"review {contest.seed} {number}"
            reviewer = Reviewer(known, lambda name, seed=seed: Random(f"{seed} {name}"), effort)
            seat = next(seat for seat in range(contest.seats) if contest.compute_place(seat, rotation) == 0)
            yield read_finding(reviewer.review(log), log, seat)


def read_finding(review: Review, log: Sequence[Event], seat: int) -> Finding:
    """Return what a review says about a seat, compared with the end of the match."""
    ended = log[-1]
    results = compute_margins(compute_outcomes(ended.totals, ended.places, wins=review.wins))
    parts = [one.luck for one in review.seats if one.luck is not None]
    return parts[seat], len(parts) == len(results) and all(
        abs(luck.result - result) < ROUNDING and sum(luck.rounded_parts) == round(luck.result)
        for luck, result in zip(parts, results, strict=True)
    )


def format_row(contest: Contest, found: Sequence[Finding]) -> str:
    """Return a row of docs/explanation/review.md: means for the player named first, with intervals of 95 %."""
    length = f"matches to {contest.rules.target}" if contest.rules.target else "single deals"
    means = [str(compute_mean([getattr(luck, part) for luck, _ in found])) for part in PARTS]
    played = f"{contest.game}, {contest.seats} seats, {length}"
    added_up = f"{sum(adds_up for _, adds_up in found)} of {len(found)}"
    return "| " + " | ".join([played, format_lineup(contest.players), str(len(found)), *means, added_up]) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="checks -m tests.tools.luck", description=__doc__)
    parser.add_argument("--game", default="triominoes")
    parser.add_argument("--preset", default="default")
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--players", default="medium,medium", help="as in a duel: the last one has all further seats")
    parser.add_argument("--matches", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    contest = Contest(asked.game, tuple(asked.players.split(",")), asked.seed, asked.seats, asked.preset)
    contest.require_playable()
    found = list(review_matches(contest, asked.matches))
    print(HEADER, format_row(contest, found), sep="\n")
    if not all(adds_up for _, adds_up in found):
        sys.exit("In some matches the parts do not add up to the result.")


if __name__ == "__main__":
    main()
