"""Who plays a duel, brought to the table: residents by their level, foreign players as programs."""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from random import Random
from types import TracebackType
from typing import Final, Self

from bot.computers import protocol
from bot.computers.program import Flooded, Gone, OutOfTime, Program
from bot.computers.protocol import BadAnswer
from bot.computers.runner import BROKEN, WHY, answer_of, greet
from bot.tools.contest import FOREIGN, Contest, Played, Sitter, Times, bucket, play_match
from data.weights import weights
from engine.match.actions import Action
from engine.match.player_view import PlayerView
from engine.match.rules import Rules
from engine.players import greedy
from engine.players.levels import Player, player
from engine.table.table_state import MOST_FAULTS

TO_START: Final = 20.0
"""Seconds that a program has to say hello; a compiler or a table that is read takes its time."""
MOST_KEPT: Final = 10
"""Complaints that are kept to be shown."""


class Foreign:
    """A program at a seat, match after match."""

    def __init__(self, command: str, limit: float) -> None:
        self.command = command
        self.limit = limit
        self.faults: Counter[str] = Counter()
        """How often it was at fault, by why: `late`, `nonsense`, `flood`, `gone`."""
        self.forfeits = 0
        """The matches that it lost by that."""
        self.complaints: list[str] = []
        """The first of them in words, with what it said to standard error."""
        self._program: Program | None = None
        self._matches = self._asked = self._against = 0
        self._given_up = self._hopeless = self._owes = False
        self._stand_in = Random(0)  # noqa: S311 - greedy's choice among equals

    def sit_down(self, rules: Rules, seats: int, seat: int, chance: Random) -> None:
        """A match begins."""
        self._matches += 1
        self._against = 0
        if not self._owes:  # else the answer to its last question may still come, and is known by its number
            self._asked = 0
        self._given_up = self._hopeless
        self.forfeits += self._hopeless
        self._stand_in = Random(chance.getrandbits(64))  # noqa: S311 - to be had again is the point
        begins = protocol.match_begins(rules, self._matches, seats, seat, chance.getrandbits(32))
        if self._program is None and not self._hopeless:
            self._start()
        if self._program is not None:
            self._program.tell(protocol.as_line(begins))

    def choose(self, seen: PlayerView) -> Action | None:
        """What it does; None where it has lost the match."""
        if self._given_up or self._program is None:
            return None
        self._asked += 1
        program = self._program
        program.forget()
        program.tell(protocol.as_line(protocol.to_choose(self._asked, seen, self.limit)))
        try:
            found = protocol.action_of(answer_of(program, self._asked, self.limit), seen)
        except (Flooded, Gone) as error:
            self._at_fault(error, worst=True)
        except (OutOfTime, BadAnswer) as error:
            self._at_fault(error, worst=False)
        else:
            self._owes = False
            return found
        return None if self._given_up else greedy.choose(seen, self._stand_in)

    def get_up(self, totals: tuple[int, ...], places: tuple[int, ...]) -> None:
        """The match is over."""
        if self._program is not None:
            self._program.tell(protocol.as_line(protocol.match_ends(self._matches, totals, places)))

    def close(self) -> None:
        """End the program."""
        if self._program is not None:
            self._program.close()
            self._program = None

    def _start(self) -> None:
        try:
            self._program = Program(self.command)
            greet(self._program, self.limit, TO_START)
        except BROKEN as error:
            # Whatever does not say hello would not the next time, and nobody waits for it a thousand times.
            self._hopeless = True
            self._at_fault(error, worst=True)

    def _at_fault(self, error: Exception, *, worst: bool) -> None:
        why, said = WHY[type(error)](error)
        self.faults[why] += 1
        self._against += 1
        program = self._program
        if len(self.complaints) < MOST_KEPT:
            heard = program.complaint if program is not None else ""
            where = f"match {self._matches}, question {self._asked}" if self._asked else "at its start"
            self.complaints.append(f"{where}: {said}" + (f"\n{heard}" if heard else ""))
        self._owes = True
        if program is not None and not worst:
            program.tell(protocol.as_line(protocol.fault(self._asked, why)))
        if worst or self._against >= MOST_FAULTS:
            self._given_up = True
            self.forfeits += 1
            if program is not None:
                program.close(patience=0.0)
            self._program, self._owes = None, False


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

    def choose(self, seen: PlayerView) -> Action:
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

    def choose(self, seen: PlayerView) -> Action | None:
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
