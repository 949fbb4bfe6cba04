"""A simulated guild with honest players and attackers, with the real store and ratings.

A match is a random walk: two players add points by luck, skill and their hands until one reaches the target.
The result is stored in the same way as the result of a real match.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from random import Random
from typing import Final

from bot.tables.ratings import compute_points, rate
from data.store.results.scores import MIN_PLACED_TILES, MatchResult, PlayerResult, compute_hopelessness
from data.store.store import Store
from tests.data.store.scene import GUILD, finish

START: Final = 1_768_046_400_000
DAY: Final = 86_400_000
TARGET: Final = 400
TURN: Final = 16.0  # Mean and standard deviation of the points of one turn
HAND: Final = 8  # Number of turns that are played from the first hand
GAME: Final = "triominoes"
DAYS: Final = 40
WEEKDAYS: Final = 6  # Matches of the whole guild per day


@dataclass(frozen=True)
class Course:
    totals: tuple[tuple[int, int], ...]  # After each round of turns
    deal: float  # Quality of the first player's first hand, in standard deviations

    @property
    def first_wins(self) -> bool:
        return self.totals[-1][0] > self.totals[-1][1]


Leaves = Callable[[Course, "Population", int], int | None]
"""Return after how many rounds of turns the attacker leaves, or None. The attacker sits on the first seat."""


def plays_on(_course: Course, _society: Population, _attacker: int) -> None:
    """Never leave."""


@dataclass
class Population:
    """Players with strengths, and the matches they have played."""

    store: Store
    seed: int
    guild: int = GUILD
    strengths: dict[int, float] = field(default_factory=dict)
    now: int = START
    left: list[tuple[int, int]] = field(default_factory=list)  # (user, time) of each match that a player left
    fresh: count[int] = field(default_factory=lambda: count(10_000))

    def __post_init__(self) -> None:
        self.rng = Random(self.seed)

    def course(self, first: int, second: int) -> Course:
        deal = self.rng.gauss(0, 1)
        totals, said = [0.0, 0.0], []
        while max(totals) < TARGET or totals[0] == totals[1]:
            for seat, user in enumerate((first, second)):
                luck = deal * 0.35 * TURN if seat == 0 and len(said) < HAND else 0.0
                totals[seat] += self.rng.gauss(TURN * (1 + self.strengths.get(user, 0.0)) + luck, TURN)
            said.append((round(totals[0]), round(totals[1])))
        return Course(tuple(said), deal)

    async def meet(self, first: int, second: int, leaves: Leaves = plays_on) -> None:
        course = self.course(first, second)
        circles = leaves(course, self, first)
        if circles is None:
            winner, loser = (first, second) if course.first_wins else (second, first)
            await self.write(self.played(winner, 1), self.played(loser, 2))
            return
        self.left.append((first, self.now))
        totals = course.totals[circles - 1] if circles else (0, 0)
        gone = replace(
            self.played(first, 2),
            finished=False,
            fair=circles >= MIN_PLACED_TILES,
            weight=compute_hopelessness(totals, 0, TARGET),
        )
        stayed = replace(self.played(second, 1), fair=circles >= MIN_PLACED_TILES, empty=circles < MIN_PLACED_TILES)
        await self.write(stayed, gone)

    async def thrown(self, winner: int, loser: int) -> None:
        """Store a completed match that the loser lost on purpose."""
        await self.write(self.played(winner, 1), self.played(loser, 2))

    def played(self, user: int, place: int) -> PlayerResult:
        return PlayerResult(user_id=user, place=place, score=TARGET // place)

    async def write(self, *players: PlayerResult) -> None:
        self.now += 60_000
        result = MatchResult(seats=len(players), players=players, rate=rate)
        await finish(self.store, result, guild_id=self.guild, now=self.now)

    async def seasons(self, people: Sequence[int], leaves: dict[int, Leaves], days: int = DAYS) -> None:
        """Play days of matches between random pairs of players."""
        for _ in range(days):
            self.now += DAY
            for _ in range(WEEKDAYS):
                first, second = self.rng.sample(people, 2)
                if second in leaves:
                    first, second = second, first
                await self.meet(first, second, leaves.get(first, plays_on))

    def lately(self, user: int) -> int:
        return sum(who == user and at >= self.now - 30 * DAY for who, at in self.left)

    async def number(self, user: int) -> int:
        profile = await self.store.results.find_profile(user, self.guild, GAME)
        return compute_points(profile.rating if profile else None)


def honest(people: int, spread: float = 0.25, first: int = 1) -> dict[int, float]:
    """Return players with evenly rising strengths. The weakest player has the id `first`."""
    return {first + place: spread * (2 * place / (people - 1) - 1) for place in range(people)}


async def advantage(store: Store, law: Leaves, *, seed: int, days: int, people: int = 12) -> float:
    """Return the mean rating gain of every second player who leaves as `law` says.

    The reference is a second guild with the same opponents, deals and luck, where players never leave.
    """
    means = []
    for first, leaves in ((1000, plays_on), (2000, law)):
        population = Population(store, seed, guild=first, strengths=honest(people, first=first))
        attackers = list(population.strengths)[::2]
        await population.seasons(list(population.strengths), dict.fromkeys(attackers, leaves), days)
        numbers = [await population.number(user) for user in attackers]
        means.append(sum(numbers) / len(numbers))
    return means[1] - means[0]
