"""Score attack: one seat scores as many points as possible with the hand and the boneyard of a day.

Scoring follows RULES §3: tile sums, hexagons and bridges, -5 per drawn tile, -25 for three that do not fit. While the
boneyard has tiles, a player whose hand is empty or does not fit draws. With an empty boneyard it ends like a round:
with 25 points for placing all tiles, or with a failed turn if nothing fits; remaining tiles cost nothing
(docs/decisions/0078).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from engine.board.board import Placement
from engine.match.actions import Draw, Pass, Play
from engine.match.decide import decide
from engine.match.events import Event, Started
from engine.match.rounds import deal, end_by_block, end_by_going_out, list_hands_in_play
from engine.match.rules import Rules
from engine.match.shuffle import SECRET_VERSION, compute_commitment
from engine.match.state import Match, apply_event, create_match
from engine.record.text import parse_placement

SEAT: Final = 0
DRAW_ACT, END_ACT = "+", "."  # acts that are no placement: a draw, and the end
MAX_TEXT_LENGTH: Final = 4096  # maximal characters of all acts: each tile is drawn and placed once


class ScoreAttackError(ValueError):
    """The act is not possible: a tile fits, nothing can be drawn, the game is over, or a tile was drawn since."""


@dataclass(frozen=True)
class ScoreAttack:
    """The immutable state of a score attack; each act makes a new one. `secret` orders the tiles as in the first round
    of a match; players must not learn it before the end.
    """

    rules: Rules
    secret: bytes
    acts: tuple[str, ...] = ()

    @classmethod
    def from_text(cls, rules: Rules, secret: bytes, text: str) -> "ScoreAttack":
        """Parse the output of `str`. Raises ScoreAttackError, RuleError, ValueError for an illegal act."""
        if len(text) > MAX_TEXT_LENGTH:
            raise ValueError("nobody can do so much")
        found = cls(rules, secret, tuple(text.split()))
        _ = found.match
        return found

    def __str__(self) -> str:
        return " ".join(self.acts)

    @cached_property
    def match(self) -> Match:
        """The state of the tiles; read-only. Raises as `from_text` does for an illegal act."""
        match = _deal_match(self.rules, self.secret)
        for act in self.acts:
            _apply_act(match, act, self.secret)
        return match

    @property
    def points(self) -> int:
        return self.match.seats[SEAT].total

    @property
    def is_over(self) -> bool:
        return self.match.round_over is not None

    @property
    def must_draw(self) -> bool:
        """Whether nothing fits, and tiles can be drawn."""
        return not self.is_over and bool(self.match.boneyard) and not self.match.list_legal_moves(SEAT)

    @property
    def can_end(self) -> bool:
        """Whether nothing fits, and no tile can be drawn."""
        return not self.is_over and not self.match.boneyard and not self.match.list_legal_moves(SEAT)

    @property
    def can_undo(self) -> bool:
        """Whether the last act was a placement: a drawn tile is known, and the end is final."""
        return bool(self.acts) and self.acts[-1] not in (DRAW_ACT, END_ACT)

    @property
    def has_just_drawn(self) -> bool:
        return self.acts[-1:] == (DRAW_ACT,)

    def place(self, placement: Placement) -> "ScoreAttack":
        """Place a tile of the hand. Raises RuleError, ScoreAttackError."""
        return self._add_act(str(placement))

    def draw(self) -> "ScoreAttack":
        """Draw a tile, because none fits. Raises RuleError, ScoreAttackError."""
        return self._add_act(DRAW_ACT)

    def end(self) -> "ScoreAttack":
        """End the game, because nothing fits and nothing can be drawn. Raises RuleError, ScoreAttackError."""
        return self._add_act(END_ACT)

    def undo(self) -> "ScoreAttack":
        """Undo the last placement. Raises ScoreAttackError."""
        if not self.can_undo:
            raise ScoreAttackError("nothing can be taken back")
        return replace(self, acts=self.acts[:-1])

    def _add_act(self, act: str) -> "ScoreAttack":
        changed, match = replace(self, acts=(*self.acts, act)), self.match.copy()
        _apply_act(match, act, self.secret)
        changed.__dict__["match"] = match  # known without looking at all acts again
        return changed


def _deal_match(rules: Rules, secret: bytes) -> Match:
    match = create_match(Started(rules, 1, (), False, compute_commitment(secret), SECRET_VERSION, ()))
    apply_event(match, deal(rules, [SEAT], 1, 1, secret))
    if len(match.choices) == 1:
        # The rules place the only possible opening tile.
        _apply_first_event(match, decide(match, Play(SEAT, match.choices[0], match.board.lattice.first, 0), secret))
    return match


def _apply_act(match: Match, act: str, secret: bytes) -> None:
    """Do one act, without the end of the round that may follow it."""
    if match.round_over is not None:
        raise ScoreAttackError("it is over")
    if act == DRAW_ACT:
        _apply_first_event(match, decide(match, Draw(SEAT), secret))
        if match.boneyard and not match.can_draw() and not match.list_legal_moves(SEAT):
            # The third drawn tile does not fit either: the turn fails, and the next begins.
            _apply_first_event(match, decide(match, Pass(SEAT), secret))
    elif act == END_ACT:
        _end(match, secret)
    else:
        placement = parse_placement(act, match.rules)
        _apply_first_event(match, decide(match, Play(SEAT, placement.tile, placement.cell, placement.rotation), secret))


def _end(match: Match, secret: bytes) -> None:
    if match.boneyard:
        raise ScoreAttackError("there are tiles to draw")
    hand = match.seats[SEAT].hand
    if not hand:
        apply_event(match, end_by_going_out(match, SEAT, list_hands_in_play(match, SEAT, ())))
        return
    _apply_first_event(match, decide(match, Pass(SEAT), secret))
    apply_event(match, end_by_block(match, list_hands_in_play(match, SEAT, hand), match.active))


def _apply_first_event(match: Match, events: Sequence[Event]) -> None:
    apply_event(match, events[0])
