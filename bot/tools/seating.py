"""The players of a duel: residents by level, foreign players as programs."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Final, Self

from bot.computers import protocol
from bot.computers.program import AnswerTimeoutError, OutputLimitError, Program, ProgramEndedError
from bot.computers.protocol import InvalidAnswerError
from bot.computers.runner import ERROR_REASONS, PROGRAM_ERRORS, perform_handshake, read_answer
from bot.tools.contest import PROGRAM_PREFIX, Contest, PlayedMatch, SeatPlayer, Times, compute_bucket, play_match
from data.weights import load_weights
from engine.match.actions import Action
from engine.match.player_view import PlayerView
from engine.match.rules import Rules
from engine.players import greedy
from engine.players.levels import build_player
from engine.table.table_state import MAX_FAULTS

START_TIMEOUT: Final = 20.0  # seconds to say hello; compilers and large tables are slow
MAX_COMPLAINTS: Final = 10  # complaints that are kept


class ProgramPlayer:
    def __init__(self, command: str, limit: float) -> None:
        self.command = command
        self.limit = limit
        self.faults: Counter[str] = Counter()  # by reason: `late`, `nonsense`, `flood`, `gone`
        self.forfeits = 0  # matches lost by faults
        self.complaints: list[str] = []  # the first faults, with standard error
        self._program: Program | None = None
        self._matches = self._questions = self._match_faults = 0
        self._has_lost = self._cannot_start = self._owes_answer = False
        self._stand_in = Random(0)  # noqa: S311 - greedy's choice among equals

    def start_match(self, rules: Rules, seats: int, seat: int, chance: Random) -> None:
        self._matches += 1
        self._match_faults = 0
        if not self._owes_answer:  # a late answer to the last question is recognized by its number
            self._questions = 0
        self._has_lost = self._cannot_start
        self.forfeits += self._cannot_start
        self._stand_in = Random(chance.getrandbits(64))  # noqa: S311 - repeatable on purpose
        begins = protocol.build_match_start(rules, self._matches, seats, seat, chance.getrandbits(32))
        if self._program is None and not self._cannot_start:
            self._start()
        if self._program is not None:
            self._program.send(protocol.encode_line(begins))

    def choose(self, seen: PlayerView) -> Action | None:
        """Return an action; None if the program has lost the match."""
        if self._has_lost or self._program is None:
            return None
        self._questions += 1
        program = self._program
        program.reset_limits()
        program.send(protocol.encode_line(protocol.build_question(self._questions, seen, self.limit)))
        try:
            found = protocol.parse_action(read_answer(program, self._questions, self.limit), seen)
        except (OutputLimitError, ProgramEndedError) as error:
            self._record_fault(error, worst=True)
        except (AnswerTimeoutError, InvalidAnswerError) as error:
            self._record_fault(error, worst=False)
        else:
            self._owes_answer = False
            return found
        return None if self._has_lost else greedy.choose(seen, self._stand_in)

    def end_match(self, totals: tuple[int, ...], places: tuple[int, ...]) -> None:
        if self._program is not None:
            self._program.send(protocol.encode_line(protocol.build_match_end(self._matches, totals, places)))

    def close(self) -> None:
        if self._program is not None:
            self._program.close()
            self._program = None

    def _start(self) -> None:
        try:
            self._program = Program(self.command)
            perform_handshake(self._program, self.limit, START_TIMEOUT)
        except PROGRAM_ERRORS as error:
            # A restart would not help a program that does not say hello.
            self._cannot_start = True
            self._record_fault(error, worst=True)

    def _record_fault(self, error: Exception, *, worst: bool) -> None:
        why, text = ERROR_REASONS[type(error)](error)
        self.faults[why] += 1
        self._match_faults += 1
        program = self._program
        if len(self.complaints) < MAX_COMPLAINTS:
            program_errors = program.error_output if program is not None else ""
            where = f"match {self._matches}, question {self._questions}" if self._questions else "at its start"
            self.complaints.append(f"{where}: {text}" + (f"\n{program_errors}" if program_errors else ""))
        self._owes_answer = True
        if program is not None and not worst:
            program.send(protocol.encode_line(protocol.build_fault(self._questions, why)))
        if worst or self._match_faults >= MAX_FAULTS:
            self._has_lost = True
            self.forfeits += 1
            if program is not None:
                program.close(timeout=0.0)
            self._program, self._owes_answer = None, False


@dataclass(frozen=True, slots=True)
class PlayedDeal:
    deal: int
    totals: tuple[tuple[int, ...], ...]  # by rotation and place (`Contest.places`), not by seat
    ranks: tuple[tuple[int, ...], ...]  # ranks in the same order
    times: tuple[Times, ...] = field(default=(), compare=False)  # times of choices, by player
    faults: tuple[dict[str, int], ...] = field(default=(), compare=False)  # of programs, by player and reason


@dataclass(frozen=True, slots=True)
class TimedPlayer:
    """Measures the choices of a player: processor time of residents, waiting time of programs."""

    player: Callable[[PlayerView], Action | None]
    clock: Callable[[], int]
    times: Times

    def choose(self, seen: PlayerView) -> Action | None:
        began = self.clock()
        found = self.player(seen)
        if found is not None:
            self.times[compute_bucket(self.clock() - began)] += 1
        return found


class Arena:
    """The players of a contest, for any number of its deals. `with` ends the programs."""

    def __init__(self, contest: Contest) -> None:
        """Raises ValueError for an unknown player."""
        self.contest = contest
        names = contest.players
        self._residents = {
            name: build_player(name, contest.rules, load_weights(contest.rules))
            for name in names
            if not name.startswith(PROGRAM_PREFIX)
        }
        # A program for each rotation: no program gets the same tiles twice, so what it learns of a deal cannot help it.
        self._programs = {
            (place, rotation): ProgramPlayer(names[who].removeprefix(PROGRAM_PREFIX), contest.limit)
            for place, who in enumerate(contest.places)
            if names[who].startswith(PROGRAM_PREFIX)
            for rotation in range(contest.seats)
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        with ExitStack() as stack:
            for program in self._programs.values():
                stack.callback(program.close)

    def play(self, deal: int) -> PlayedDeal:
        contest = self.contest
        times = tuple(Counter[int]() for _ in contest.players)
        before = self._count_faults()
        matches = [self.play_rotation(deal, rotation, times) for rotation in range(contest.seats)]
        return PlayedDeal(
            deal,
            tuple(_order_by_place(contest, rotation, played.totals) for rotation, played in enumerate(matches)),
            tuple(_order_by_place(contest, rotation, played.places) for rotation, played in enumerate(matches)),
            times,
            tuple(dict(after - before[who]) for who, after in enumerate(self._count_faults())),
        )

    def play_rotation(self, deal: int, rotation: int, times: tuple[Times, ...]) -> PlayedMatch:
        contest, players = self.contest, list[SeatPlayer]()
        rules: Rules = contest.rules
        programs: list[ProgramPlayer] = []
        for seat in range(contest.seats):
            place = contest.compute_place(seat, rotation)
            who, chance = contest.places[place], contest.create_random(deal, rotation, place)
            if (program := self._programs.get((place, rotation))) is None:
                choose = partial(self._residents[contest.players[who]].choose, rng=chance)
                players.append(TimedPlayer(choose, time.thread_time_ns, times[who]))
            else:
                program.start_match(rules, contest.seats, seat, chance)
                programs.append(program)
                players.append(TimedPlayer(program.choose, time.monotonic_ns, times[who]))
        played = play_match(rules, players, contest.compute_secret(deal), single=contest.single)
        for program in programs:
            program.end_match(played.totals, played.places)
        return played

    @property
    def programs(self) -> Iterator[ProgramPlayer]:
        return iter(self._programs.values())

    def _count_faults(self) -> list[Counter[str]]:
        found = [Counter[str]() for _ in self.contest.players]
        for (place, _), program in self._programs.items():
            found[self.contest.places[place]] += program.faults + Counter({"lost": program.forfeits})
        return found


def _order_by_place(contest: Contest, rotation: int, by_seat: tuple[int, ...]) -> tuple[int, ...]:
    found = [0] * contest.seats
    for seat, value in enumerate(by_seat):
        found[contest.compute_place(seat, rotation)] = value
    return tuple(found)
