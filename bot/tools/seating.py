"""The players of a duel: residents by level, foreign players as programs."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
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
from engine.players.levels import player
from engine.table.table_state import MOST_FAULTS

TO_START: Final = 20.0  # seconds to say hello; compilers and large tables are slow
MOST_KEPT: Final = 10  # complaints that are kept


class Foreign:
    def __init__(self, command: str, limit: float) -> None:
        self.command = command
        self.limit = limit
        self.faults: Counter[str] = Counter()  # by reason: `late`, `nonsense`, `flood`, `gone`
        self.forfeits = 0  # matches lost by faults
        self.complaints: list[str] = []  # the first faults, with standard error
        self._program: Program | None = None
        self._matches = self._asked = self._against = 0
        self._given_up = self._hopeless = self._owes = False
        self._stand_in = Random(0)  # noqa: S311 - greedy's choice among equals

    def sit_down(self, rules: Rules, seats: int, seat: int, chance: Random) -> None:
        self._matches += 1
        self._against = 0
        if not self._owes:  # a late answer to the last question is recognized by its number
            self._asked = 0
        self._given_up = self._hopeless
        self.forfeits += self._hopeless
        self._stand_in = Random(chance.getrandbits(64))  # noqa: S311 - repeatable on purpose
        begins = protocol.match_begins(rules, self._matches, seats, seat, chance.getrandbits(32))
        if self._program is None and not self._hopeless:
            self._start()
        if self._program is not None:
            self._program.tell(protocol.as_line(begins))

    def choose(self, seen: PlayerView) -> Action | None:
        """Return an action; None if the program has lost the match."""
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
        if self._program is not None:
            self._program.tell(protocol.as_line(protocol.match_ends(self._matches, totals, places)))

    def close(self) -> None:
        if self._program is not None:
            self._program.close()
            self._program = None

    def _start(self) -> None:
        try:
            self._program = Program(self.command)
            greet(self._program, self.limit, TO_START)
        except BROKEN as error:
            # A restart would not help a program that does not say hello.
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
    deal: int
    totals: tuple[tuple[int, ...], ...]  # by rotation and place (`Contest.places`), not by seat
    ranks: tuple[tuple[int, ...], ...]  # ranks in the same order
    times: tuple[Times, ...] = field(default=(), compare=False)  # of choices, by player
    faults: tuple[dict[str, int], ...] = field(default=(), compare=False)  # of programs, by player and reason


@dataclass(frozen=True, slots=True)
class TimedSitter:
    """Measures the choices of a player: processor time of residents, waiting time of programs."""

    player: Callable[[PlayerView], Action | None]
    clock: Callable[[], int]
    took: Times

    def choose(self, seen: PlayerView) -> Action | None:
        began = self.clock()
        found = self.player(seen)
        if found is not None:
            self.took[bucket(self.clock() - began)] += 1
        return found


class Arena:
    """The players of a contest, for any number of its deals. `with` ends the programs."""

    def __init__(self, contest: Contest) -> None:
        """Raises ValueError for an unknown player."""
        self.contest = contest
        names = contest.players
        self._residents = {
            name: player(name, contest.rules, weights(contest.rules)) for name in names if not name.startswith(FOREIGN)
        }
        # A program for each rotation: no program gets the same tiles twice, so what it learns of a deal cannot help it.
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
        contest, sitters = self.contest, list[Sitter]()
        rules: Rules = contest.rules
        foreign: list[Foreign] = []
        for seat in range(contest.seats):
            place = contest.place_at(seat, rotation)
            who, chance = contest.places[place], contest.chance(deal, rotation, place)
            if (program := self._programs.get((place, rotation))) is None:
                choose = partial(self._residents[contest.players[who]].choose, rng=chance)
                sitters.append(TimedSitter(choose, time.thread_time_ns, times[who]))
            else:
                program.sit_down(rules, contest.seats, seat, chance)
                foreign.append(program)
                sitters.append(TimedSitter(program.choose, time.monotonic_ns, times[who]))
        played = play_match(rules, sitters, contest.secret(deal), single=contest.single)
        for program in foreign:
            program.get_up(played.totals, played.places)
        return played

    @property
    def programs(self) -> Iterator[Foreign]:
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
