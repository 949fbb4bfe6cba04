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
from tests.data.store.scene import GUILD, add_finished_match

START: Final = 1_768_046_400_000
DAY: Final = 86_400_000
TARGET: Final = 400
TURN_POINTS: Final = 16.0  # Mean and standard deviation of the points of one turn
HAND_TURNS: Final = 8  # Number of turns that are played from the first hand
GAME: Final = "triominoes"
DAYS: Final = 40
MATCHES_PER_DAY: Final = 6  # Matches of the whole guild per day


@dataclass(frozen=True)
class MatchCourse:
    totals: tuple[tuple[int, int], ...]  # After each round of turns
    deal: float  # Quality of the first player's first hand, in standard deviations

    @property
    def has_first_won(self) -> bool:
        return self.totals[-1][0] > self.totals[-1][1]


LeaveRule = Callable[[MatchCourse, "Population", int], int | None]
"""Return after how many rounds of turns the attacker leaves, or None. The attacker sits on the first seat."""


def never_leave(_course: MatchCourse, _society: Population, _attacker: int) -> None:
    """Never leave."""


@dataclass
class Population:
    """Players with strengths, and the matches they have played."""

    store: Store
    seed: int
    guild: int = GUILD
    strengths: dict[int, float] = field(default_factory=dict)
    now: int = START
    departures: list[tuple[int, int]] = field(default_factory=list)  # (user, time) of each match that a player left
    fresh: count[int] = field(default_factory=lambda: count(10_000))

    def __post_init__(self) -> None:
        self.rng = Random(self.seed)

    def simulate_course(self, first: int, second: int) -> MatchCourse:
        deal = self.rng.gauss(0, 1)
        totals, totals_by_round = [0.0, 0.0], []
        while max(totals) < TARGET or totals[0] == totals[1]:
            for seat, user in enumerate((first, second)):
                luck = deal * 0.35 * TURN_POINTS if seat == 0 and len(totals_by_round) < HAND_TURNS else 0.0
                totals[seat] += self.rng.gauss(TURN_POINTS * (1 + self.strengths.get(user, 0.0)) + luck, TURN_POINTS)
            totals_by_round.append((round(totals[0]), round(totals[1])))
        return MatchCourse(tuple(totals_by_round), deal)

    async def play_match(self, first: int, second: int, leave_rule: LeaveRule = never_leave) -> None:
        course = self.simulate_course(first, second)
        rounds = leave_rule(course, self, first)
        if rounds is None:
            winner, loser = (first, second) if course.has_first_won else (second, first)
            await self.save_match(self.build_result(winner, 1), self.build_result(loser, 2))
            return
        self.departures.append((first, self.now))
        totals = course.totals[rounds - 1] if rounds else (0, 0)
        leaver = replace(
            self.build_result(first, 2),
            finished=False,
            fair=rounds >= MIN_PLACED_TILES,
            weight=compute_hopelessness(totals, 0, TARGET),
        )
        opponent = replace(
            self.build_result(second, 1), fair=rounds >= MIN_PLACED_TILES, empty=rounds < MIN_PLACED_TILES
        )
        await self.save_match(opponent, leaver)

    async def throw_match(self, winner: int, loser: int) -> None:
        """Store a completed match that the loser lost on purpose."""
        await self.save_match(self.build_result(winner, 1), self.build_result(loser, 2))

    def build_result(self, user: int, place: int) -> PlayerResult:
        return PlayerResult(user_id=user, place=place, score=TARGET // place)

    async def save_match(self, *players: PlayerResult) -> None:
        self.now += 60_000
        result = MatchResult(seats=len(players), players=players, rate=rate)
        await add_finished_match(self.store, result, guild_id=self.guild, now=self.now)

    async def play_days(self, people: Sequence[int], leave_rules: dict[int, LeaveRule], days: int = DAYS) -> None:
        """Play days of matches between random pairs of players."""
        for _ in range(days):
            self.now += DAY
            for _ in range(MATCHES_PER_DAY):
                first, second = self.rng.sample(people, 2)
                if second in leave_rules:
                    first, second = second, first
                await self.play_match(first, second, leave_rules.get(first, never_leave))

    def count_recent_departures(self, user: int) -> int:
        return sum(who == user and at >= self.now - 30 * DAY for who, at in self.departures)

    async def load_points(self, user: int) -> int:
        profile = await self.store.results.find_profile(user, self.guild, GAME)
        return compute_points(profile.rating if profile else None)


def build_strengths(people: int, spread: float = 0.25, first: int = 1) -> dict[int, float]:
    """Return players with evenly rising strengths. The weakest player has the id `first`."""
    return {first + place: spread * (2 * place / (people - 1) - 1) for place in range(people)}


async def measure_advantage(store: Store, leave_rule: LeaveRule, *, seed: int, days: int, people: int = 12) -> float:
    """Return the mean rating gain of every second player who leaves as `leave_rule` says.

    The reference is a second guild with the same opponents, deals and luck, where players never leave.
    """
    means = []
    for first, rule in ((1000, never_leave), (2000, leave_rule)):
        population = Population(store, seed, guild=first, strengths=build_strengths(people, first=first))
        attackers = list(population.strengths)[::2]
        await population.play_days(list(population.strengths), dict.fromkeys(attackers, rule), days)
        numbers = [await population.load_points(user) for user in attackers]
        means.append(sum(numbers) / len(numbers))
    return means[1] - means[0]
