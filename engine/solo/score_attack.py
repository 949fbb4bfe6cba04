"""Score attack: one seat, a hand and the boneyard of a day, and the most points with as many tiles as lie in the end.

The rules are those of a match (RULES §3), of which everything that scores stands as it is: the sum of a tile, hexagons
and bridges, -5 for each drawn tile, -25 for three that do not fit. What differs is when it ends. With one seat a full
circle is one failed turn, and an empty hand would stop with most of the set still hidden. So neither does: while the
boneyard has tiles, somebody whose hand is empty or does not fit goes on by drawing. It ends as a round does once the
boneyard is empty: with the 25 of going out where all tiles lie, with the failed turn where nothing fits any more; the
tiles that are left are nobody's loss, since no opponent wins them (docs/decisions/0078).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from engine.board.board import Placement
from engine.match.actions import Draw, Pass, Play
from engine.match.decide import decide
from engine.match.events import Event, Started
from engine.match.rounds import deal, hands_in_play, round_blocked, went_out
from engine.match.rules import Rules
from engine.match.shuffle import FIRST, commitment
from engine.match.state import Match, evolve, started
from engine.record.text import parse_placement

SEAT: Final = 0
"""The one who plays."""
DRAWN, ENDED = "+", "."
"""How a draw and the end stand among the acts; everything else is a placement."""
LONGEST: Final = 4096
"""Characters that all acts take at most: each tile is drawn and laid once."""


class Untimely(ValueError):  # noqa: N818 - whoever asks is told how it stands
    """It cannot be done now: something fits, nothing is left to draw, it is over, or a draw lies in between."""


@dataclass(frozen=True)
class ScoreAttack:
    """How far somebody is with a deal. Nothing changes one: each act makes another.

    `secret` orders the tiles as it orders the first round of a match, and nobody who plays may learn it before the end.
    """

    rules: Rules
    secret: bytes
    acts: tuple[str, ...] = ()

    @classmethod
    def parsed(cls, rules: Rules, secret: bytes, text: str) -> "ScoreAttack":
        """The same out of its text. Raises Untimely, RuleBroken, ValueError for one that the rules do not allow."""
        if len(text) > LONGEST:
            raise ValueError("nobody can do so much")
        found = cls(rules, secret, tuple(text.split()))
        _ = found.match
        return found

    def __str__(self) -> str:
        return " ".join(self.acts)

    @cached_property
    def match(self) -> Match:
        """How the tiles lie, and the hand. Nobody changes it. Raises as `parsed` does where an act was impossible."""
        match = _dealt(self.rules, self.secret)
        for act in self.acts:
            _do(match, act, self.secret)
        return match

    @property
    def points(self) -> int:
        """What it has come to."""
        return self.match.seats[SEAT].total

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.match.round_over is not None

    @property
    def must_draw(self) -> bool:
        """Whether nothing fits, and there is something to draw."""
        return not self.is_over and bool(self.match.boneyard) and not self.match.legal(SEAT)

    @property
    def may_end(self) -> bool:
        """Whether nothing fits, and there is nothing to draw."""
        return not self.is_over and not self.match.boneyard and not self.match.legal(SEAT)

    @property
    def may_undo(self) -> bool:
        """Whether the last act was a placement: what was drawn has been seen, and what is over is over."""
        return bool(self.acts) and self.acts[-1] not in (DRAWN, ENDED)

    @property
    def drew(self) -> bool:
        """Whether the last act was a draw."""
        return self.acts[-1:] == (DRAWN,)

    def lay(self, placement: Placement) -> "ScoreAttack":
        """Lay a tile of the hand. Raises RuleBroken, Untimely."""
        return self._with(str(placement))

    def draw(self) -> "ScoreAttack":
        """Draw a tile, because none fits. Raises RuleBroken, Untimely."""
        return self._with(DRAWN)

    def end(self) -> "ScoreAttack":
        """Have it counted, because nothing fits and nothing can be drawn. Raises RuleBroken, Untimely."""
        return self._with(ENDED)

    def undo(self) -> "ScoreAttack":
        """Take back the tile that was laid last. Raises Untimely."""
        if not self.may_undo:
            raise Untimely("nothing can be taken back")
        return replace(self, acts=self.acts[:-1])

    def _with(self, act: str) -> "ScoreAttack":
        after, match = replace(self, acts=(*self.acts, act)), self.match.copy()
        _do(match, act, self.secret)
        after.__dict__["match"] = match  # known without looking at all acts again
        return after


def _dealt(rules: Rules, secret: bytes) -> Match:
    match = started(Started(rules, 1, (), False, commitment(secret), FIRST, ()))
    evolve(match, deal(rules, [SEAT], 1, 1, secret))
    if len(match.choices) == 1:
        # The rules lay the one tile that may open, as they do at a table.
        _evolve_first(match, decide(match, Play(SEAT, match.choices[0], match.board.lattice.first, 0), secret))
    return match


def _do(match: Match, act: str, secret: bytes) -> None:
    """Do one act. What the rules make of it beyond the act itself, the end of the round, is for others to say."""
    if match.round_over is not None:
        raise Untimely("it is over")
    if act == DRAWN:
        _evolve_first(match, decide(match, Draw(SEAT), secret))
        if match.boneyard and not match.can_draw() and not match.legal(SEAT):
            # The third tile does not fit either: that turn has failed, and the next begins.
            _evolve_first(match, decide(match, Pass(SEAT), secret))
    elif act == ENDED:
        _end(match, secret)
    else:
        lies = parse_placement(act, match.rules)
        _evolve_first(match, decide(match, Play(SEAT, lies.tile, lies.cell, lies.rotation), secret))


def _end(match: Match, secret: bytes) -> None:
    if match.boneyard:
        raise Untimely("there are tiles to draw")
    hand = match.seats[SEAT].hand
    if not hand:
        evolve(match, went_out(match, SEAT, hands_in_play(match, SEAT, ())))
        return
    _evolve_first(match, decide(match, Pass(SEAT), secret))
    evolve(match, round_blocked(match, hands_in_play(match, SEAT, hand), match.active))


def _evolve_first(match: Match, events: Sequence[Event]) -> None:
    evolve(match, events[0])
