"""A foreign player at the table: it is asked, waited for and judged.

Whatever comes instead of an answer in time costs the move, which greedy makes in its place, and is told to it. The
third of a match costs the match, and so does a program that ends or floods: it is started anew for the next one. One
that does not say hello in this protocol loses all its matches. (docs/players.md.)
"""

from collections import Counter
from random import Random
from typing import Final

from bot.service import protocol
from bot.service.program import Flooded, Gone, OutOfTime, Program
from bot.service.protocol import BadAnswer
from bot.service.runner import BROKEN, WHY, answer_of, greet
from engine.actions import Action
from engine.players import greedy
from engine.rules import Rules
from engine.seen import Seen
from engine.table.state import MOST_FAULTS

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

    def choose(self, seen: Seen) -> Action | None:
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
