"""Who plays a duel, brought to the table: residents by their level, foreign players as programs."""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from random import Random
from types import TracebackType
from typing import Self

from bot.arena.contest import FOREIGN, Contest
from bot.arena.foreign import Foreign
from bot.arena.playing import Played, Sitter, play_match
from bot.arena.times import Times, bucket
from data.weights import weights
from engine.actions import Action
from engine.players.levels import Player, player
from engine.rules import Rules
from engine.seen import Seen


@dataclass(frozen=True, slots=True)
class DealPlayed:
    """A deal that was played once for every rotation of the seats."""

    deal: int
    totals: tuple[tuple[int, ...], ...]
    """By rotation and place (`Contest.places`): who plays, not where they sit."""
    ranks: tuple[tuple[int, ...], ...]
    """Who came first, second ..., in the same order."""
    times: tuple[Times, ...] = field(default=(), compare=False)
    """By player, how long its choices took."""
    faults: tuple[dict[str, int], ...] = field(default=(), compare=False)
    """By player, how often a program was at fault, by why."""


class Resident:
    """One of our own players at a seat of one match."""

    def __init__(self, player: Player, chance: Random, took: Times) -> None:
        self._player = player
        self._chance = chance
        self._took = took

    def choose(self, seen: Seen) -> Action:
        """What it does; how much of a processor that took is noted."""
        began = time.thread_time_ns()
        found = self._player.choose(seen, self._chance)
        self._took[bucket(time.thread_time_ns() - began)] += 1
        return found


class Waited:
    """A foreign player at a seat of one match. What it takes of a processor is its business; it is waited for."""

    def __init__(self, player: Foreign, took: Times) -> None:
        self._player = player
        self._took = took

    def choose(self, seen: Seen) -> Action | None:
        """What it does; None gives the match up."""
        began = time.monotonic_ns()
        found = self._player.choose(seen)
        if found is not None:
            self._took[bucket(time.monotonic_ns() - began)] += 1
        return found


class Arena:
    """The players of a contest, for as many of its deals as one likes. Programs end with it."""

    def __init__(self, contest: Contest) -> None:
        """Raises ValueError for a player that nobody knows."""
        self.contest = contest
        names = contest.players
        self._residents = {
            name: player(name, contest.rules, weights(contest.rules)) for name in names if not name.startswith(FOREIGN)
        }
        # A program of its own for every rotation: no program is dealt the same tiles twice, so what it learns of a deal
        # at the end of a round is of no use to it.
        self._programs = {
            (place, rotation): Foreign(names[who].removeprefix(FOREIGN), contest.limit)
            for place, who in enumerate(contest.places)
            if names[who].startswith(FOREIGN)
            for rotation in range(contest.seats)
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with ExitStack() as stack:
            for program in self._programs.values():
                stack.callback(program.close)

    def play(self, deal: int) -> DealPlayed:
        """Play a deal, with everybody on every seat once."""
        contest = self.contest
        times = tuple(Counter[int]() for _ in contest.players)
        before = self._faults()
        matches = [self.match(deal, rotation, times) for rotation in range(contest.seats)]
        return DealPlayed(
            deal,
            tuple(_by_place(contest, rotation, played.totals) for rotation, played in enumerate(matches)),
            tuple(_by_place(contest, rotation, played.places) for rotation, played in enumerate(matches)),
            times,
            tuple(dict(after - before[who]) for who, after in enumerate(self._faults())),
        )

    def match(self, deal: int, rotation: int, times: tuple[Times, ...]) -> Played:
        """Play a deal once. `times`, by player, are added to."""
        contest, sitters = self.contest, list[Sitter]()
        rules: Rules = contest.rules
        foreign: list[Foreign] = []
        for seat in range(contest.seats):
            place = contest.place_at(seat, rotation)
            who, chance = contest.places[place], contest.chance(deal, rotation, place)
            if (program := self._programs.get((place, rotation))) is None:
                sitters.append(Resident(self._residents[contest.players[who]], chance, times[who]))
            else:
                program.sit_down(rules, contest.seats, seat, chance)
                foreign.append(program)
                sitters.append(Waited(program, times[who]))
        played = play_match(rules, sitters, contest.secret(deal), single=contest.single)
        for program in foreign:
            program.get_up(played.totals, played.places)
        return played

    @property
    def programs(self) -> Iterator[Foreign]:
        """The foreign players, one for every place and rotation."""
        return iter(self._programs.values())

    def _faults(self) -> list[Counter[str]]:
        found = [Counter[str]() for _ in self.contest.players]
        for (place, _), program in self._programs.items():
            found[self.contest.places[place]] += program.faults + Counter({"lost": program.forfeits})
        return found


def _by_place(contest: Contest, rotation: int, by_seat: tuple[int, ...]) -> tuple[int, ...]:
    found = [0] * contest.seats
    for seat, value in enumerate(by_seat):
        found[contest.place_at(seat, rotation)] = value
    return tuple(found)
