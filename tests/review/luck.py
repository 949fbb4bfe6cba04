"""`python -m tests.review.luck`: plays matches, reviews them, and says whether luck is nothing in the mean.

Between equal players luck and skill must both be nothing in the mean, however little was looked at; between unequal
ones luck must be nothing still, and skill on the side of the better one. So cheap players and few play-outs are enough:
what is found of a single match is then less certain, and no less fair. With `--file` it goes on where it was stopped.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Final

from bot.arena.contest import Contest, lineup
from bot.arena.seating import Arena
from bot.arena.tally import mean
from data.weights import weights
from engine.events import Event, MatchEnded
from engine.review.costs import Effort
from engine.review.findings import Luck, Review
from engine.review.futures import margins
from engine.review.outcome import won_or_scored
from engine.review.reviewer import Reviewer

CHEAP: Final = Effort(choosing=200, valuing=400, orders=0.01)
"""What is looked at for each match."""
EXACTLY: Final = 1e-6
"""Points that adding up may lose."""
PARTS: Final = ("deal", "draws", "luck", "skill", "rest", "result")
HEAD: Final = (
    "| what is played | who | matches | deals | draws | luck | skill | rest | result | adds up |\n"
    "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|"
)


@dataclass(frozen=True, slots=True)
class Told:
    """What a review found in one match for the player named first."""

    deal: float
    draws: float
    luck: float
    skill: float
    rest: float
    result: float
    adds_up: bool
    """Whether the parts of every seat add up to what it really ended with."""


def reviewed(contest: Contest, first: int, matches: int, effort: Effort = CHEAP) -> Iterator[Told]:
    """Play so many matches, from the number `first` on, and review each. Who sits where goes round."""
    found, times = weights(contest.rules), tuple(Counter[int]() for _ in contest.players)
    with Arena(contest) as arena:
        for number in range(first, matches):
            turned = number % contest.seats
            log = arena.match(number, turned, times).log
            # The chance of a review is its own: nothing that the tiles were dealt by.
            reviewer = Reviewer(found, partial(_chance, f"review {contest.seed} {number}"), effort)
            seat = next(seat for seat in range(contest.seats) if contest.place_at(seat, turned) == 0)
            yield told(reviewer.review(log), log, seat)


def _chance(of: str, name: str) -> Random:
    return Random(f"{of} {name}")


def told(review: Review, log: Sequence[Event], seat: int) -> Told:
    """What a review tells of a seat, held against the end of the match."""
    ended = log[-1]
    assert isinstance(ended, MatchEnded)
    results = margins(won_or_scored(ended.totals, ended.places, wins=review.wins))
    parts = [one.luck for one in review.seats if one.luck is not None]
    mine = parts[seat]
    return Told(
        mine.deal,
        mine.draws,
        mine.luck,
        mine.skill,
        mine.rest,
        mine.result,
        len(parts) == len(results) and all(map(_adds_up, parts, results)),
    )


def _adds_up(parts: Luck, result: float) -> bool:
    return abs(parts.result - result) < EXACTLY and sum(parts.in_points) == round(parts.result)


def row(contest: Contest, known: Sequence[Told]) -> str:
    """A row of docs/review.md: means for the player named first, with intervals of 95 %."""
    length = "single deals" if not contest.rules.target else f"matches to {contest.rules.target}"
    means = [str(mean([getattr(one, part) for one in known])) for part in PARTS]
    right = sum(one.adds_up for one in known)
    played = f"{contest.game}, {contest.seats} seats, {length}"
    cells = [played, lineup(contest.players), str(len(known)), *means, f"{right} of {len(known)}"]
    return "| " + " | ".join(cells) + " |"


def kept(file: Path | None, contest: Contest) -> list[Told]:
    """What is there already. A file that is not there yet is begun."""
    if file is None:
        return []
    if not file.exists():
        file.write_text(json.dumps(contest.told()) + "\n", encoding="utf-8")
    first, *lines = file.read_text(encoding="utf-8").splitlines()
    if Contest.of(json.loads(first)) != contest:
        sys.exit(f"{file} is about something else: {first}")
    return [Told(**json.loads(line)) for line in lines]


def main() -> None:
    """Play and review, and print the row."""
    parser = argparse.ArgumentParser(prog="python -m tests.review.luck", description=__doc__)
    parser.add_argument("--game", default="triominoes")
    parser.add_argument("--preset", default="default")
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--players", default="medium,medium", help="as in a duel: the last one has all further seats")
    parser.add_argument("--matches", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--file", type=Path, help="where each match is kept, to go on from there")
    asked = parser.parse_args()
    players = tuple(asked.players.split(","))
    contest = Contest(asked.game, players, asked.seed, asked.seats, asked.preset)
    contest.require_playable()
    known = kept(asked.file, contest)
    for one in reviewed(contest, len(known), asked.matches):
        known.append(one)
        if asked.file is not None:
            with asked.file.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(asdict(one)) + "\n")
    print(HEAD, row(contest, known), sep="\n")
    if not all(one.adds_up for one in known):
        sys.exit("in some of them the parts do not add up to the result")


if __name__ == "__main__":
    main()
