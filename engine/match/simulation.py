"""A round encoded in integers, so that computer players can try and undo moves fast.

A simulation knows every hand and the boneyard. It makes no events, checks no moves and copies nothing. It uses the same
functions as `decide` for scores, turns and ends; a test compares both for all games and options.
"""

from collections.abc import Sequence
from typing import Final

from engine.board.board import Board
from engine.board.tableau import Ply, Snapshot, Tableau
from engine.board.tiles import Tile
from engine.match import turns
from engine.match.actions import Action, Choose, Draw, Pass, Play
from engine.match.player_view import PlayerView
from engine.match.rules import Reward, Rules, Score
from engine.match.state import Match

UndoRecord = tuple[Ply, int, int, list[int], int, Reward | None, int, bool, tuple[int, ...], bool]
"""A move and its undo data: seat, hand, totals; drawn tiles, bonus, bonus tiles, further turn, failed, latched."""

NO_TARGET: Final = 1 << 60


class Simulation:
    """The rest of a round. Only `play`, `undo`, `deal` and `reset` change it."""

    def __init__(self, rules: Rules, board: Board, *, totals: Sequence[int], left: Sequence[int], turn: int) -> None:
        """Start a round with a copy of the board; seats in `left` have resigned, in order. `deal` sets the hands."""
        self.rules: Final = rules
        self.tableau: Final[Tableau] = board.tableau.copy()
        self.active: Final = [seat for seat in range(len(totals)) if seat not in left]  # seats still in the match
        self.hands: list[int] = [0] * len(totals)  # tiles by seat, as masks; empty for resigned seats
        self.boneyard: list[int] = []  # bits of the tiles to draw; the next is the last
        self.choices = 0  # what the opener may open with, as a mask
        self.totals, self.turn = list(totals), turn
        self.drawn = 0  # in the running turn
        self.reward: Reward | None = None  # the bonus to choose from
        self.bonus_tiles = 0  # tiles of a bonus that may still be placed
        self.further = False  # whether the running turn is a further one, which may be left
        self.failed: tuple[int, ...] = ()  # seats that passed since the last placement
        self.latched = False  # whether a total has reached the target, so that this round is the last
        self.over = False  # whether the round or the match has ended: awards are in the totals
        self.out: int | None = None  # the seat that went out; None in a blocked round
        self.places: tuple[int, ...] | None = None  # by seat, from 1, if the match has ended with the round
        self._left = left
        self._before: list[UndoRecord] = []
        self._following = {seat: self.active[place - len(self.active) + 1] for place, seat in enumerate(self.active)}
        # Cached, since every ply needs them.
        self._draw_cost, self._most_draws, self._freely = rules.draw_cost, rules.max_draws, rules.may_draw_freely
        self._goes_on, self._ends_when_dead = rules.has_further_turns, rules.ends_when_dead
        self._target = rules.goal or NO_TARGET
        self._latching, self._at_once = rules.finish == "latched", rules.finish == "turn"

    @classmethod
    def from_match(cls, match: Match) -> "Simulation":
        """Copy the running round of a match as dealt. Raises ValueError between rounds and after the match."""
        if match.round_over is not None or match.ended is not None:
            raise ValueError("there is no round to play on")
        board = match.board
        found = cls(
            match.rules, board, totals=[seat.total for seat in match.seats], left=match.resigned_seats, turn=match.turn
        )
        held = [0 if seat.resigned else board.to_mask(seat.hand) for seat in match.seats]
        found.deal(held, [board.to_mask([tile]) for tile in match.boneyard], board.to_mask(match.choices))
        found.drawn, found.bonus_tiles, found.further = match.drawn, match.bonus_tiles, match.further
        found.failed, found.latched = tuple(match.failed), match.latched
        found.reward = turns.compute_open_reward(match.rules, board.tableau) if match.choosing else None
        return found

    @classmethod
    def from_view(cls, view: PlayerView) -> "Simulation":
        """Copy the running round as one seat knows it; see `deal`. Raises ValueError as `from_match` does."""
        if view.round_over is not None or view.ended is not None:
            raise ValueError("there is no round to play on")
        board = view.rules.build_board(view.tiles)
        found = cls(
            view.rules, board, totals=[seat.total for seat in view.seats], left=view.resigned_seats, turn=view.turn
        )
        found.drawn, found.bonus_tiles, found.further = view.drawn, view.bonus_tiles, view.further
        found.failed, found.latched, found.reward = view.failed, view.latched, view.reward
        return found

    def deal(self, hands: Sequence[int], boneyard: Sequence[int], choices: int = 0) -> None:
        """Set hands by seat as masks, and the boneyard as bits with the next tile last. `choices` is what the opener
        may open with; by default any tile. A simulation at its beginning can be dealt any number of times. Raises
        ValueError if moves were played.
        """
        if self._before:
            raise ValueError("take back what was played first")
        self.hands, self.boneyard = list(hands), list(boneyard)
        self.choices = choices or self.hands[self.turn]

    @property
    def ply_count(self) -> int:
        return len(self._before)

    def list_moves(self) -> list[Ply]:
        """Return the legal moves, which may be `DRAW`, `PASS`, `POINTS`, `TILES` or `STOP`; none after the round."""
        if self.over:
            return []
        tableau, hand = self.tableau, self.hands[self.turn]
        if self.reward is not None:
            return [turns.POINTS, turns.TILES] if turns.can_place_bonus(tableau, hand, self.rules) else [turns.POINTS]
        if not tableau.placed_ways:
            return tableau.list_legal_moves(self.choices)
        if self.bonus_tiles:
            if self.bonus_tiles > 1 and not self.rules.allows_partial_reward:
                return turns.list_first_bonus_moves(tableau, hand) or [turns.STOP]
            return tableau.list_legal_moves(hand) or [turns.STOP]
        found = tableau.list_legal_moves(hand)
        if self.further:
            return found if found and self.rules.must_take_further_turn else [*found, turns.STOP]
        if found and not self._freely:
            return found
        if self.drawn < self._most_draws and self.boneyard:
            found.append(turns.DRAW)
        elif not found or self.drawn:
            found.append(turns.PASS)
        return found

    def to_action(self, move: Ply) -> Action:
        """Return the action of the seat to move that makes this move in a match."""
        seat, (cell, way) = self.turn, move
        if way >= 0:
            turned = self.tableau.table.oriented_tiles[way]
            return Play(seat, turned.tile, self.tableau.grid.decode_cell(cell), turned.rotation)
        if move == turns.DRAW:
            return Draw(seat)
        return Pass(seat) if move == turns.PASS else Choose(seat, turns.OPTIONS[move])

    def compute_score(self, move: Ply) -> Score:
        """Return the score of a placement before the cost of drawing."""
        return self.rules.compute_score(self.tableau, *move)

    def play(self, move: Ply) -> None:
        """Make one of the `list_moves`."""
        seat = self.turn
        hand, totals, bonus_tiles, failed = self.hands[seat], self.totals, self.bonus_tiles, self.failed
        before = (move, seat, hand, totals, self.drawn, self.reward, bonus_tiles, self.further, failed, self.latched)
        self._before.append(before)
        if move[1] >= 0:
            self._place(seat, move)
        elif move == turns.DRAW:
            self._draw(seat)
        elif move == turns.PASS:
            self._pass(seat)
        else:
            self._choose(seat, move)

    def undo(self) -> Ply:
        """Undo the last move and return it."""
        move, seat, hand, totals, drawn, reward, bonus_tiles, further, failed, latched = self._before.pop()
        if move[1] >= 0:
            self.tableau.undo()
        elif move == turns.DRAW:
            self.boneyard.append(self.hands[seat] & ~hand)
        self.turn, self.hands[seat], self.totals = seat, hand, totals
        self.drawn, self.reward, self.bonus_tiles, self.further = drawn, reward, bonus_tiles, further
        self.failed, self.latched = failed, latched
        self.over, self.out, self.places = False, None, None
        return move

    def reset(self, kept: Snapshot) -> None:
        """Undo all moves, to the given snapshot; then the tiles have to be dealt again."""
        if self._before:
            _, seat, _, totals, drawn, reward, bonus_tiles, further, failed, latched = self._before[0]
            self.turn, self.totals, self.drawn, self.reward, self.bonus_tiles = seat, totals, drawn, reward, bonus_tiles
            self.further, self.failed, self.latched = further, failed, latched
            self.over, self.out, self.places = False, None, None
            self._before = []
            self.tableau.restore(kept)

    def _place(self, seat: int, move: Ply) -> None:
        tableau, rules, drawn = self.tableau, self.rules, self.drawn
        cell, way = move
        table, opening = tableau.table, not tableau.placed_ways
        earned = rules.compute_score(tableau, cell, way)
        hand = self.hands[seat] = self.hands[seat] & ~table.bit_by_way[way]
        tableau.place(cell, way)
        points = earned[0] + earned[1]  # base and bonus, read by place in half the time
        if drawn:
            points -= self._draw_cost * drawn
        self.failed, self.drawn = (), 0
        self._score(seat, points)
        if self._goes_on:
            self._follow(seat, hand, earned, table.oriented_tiles[way].tile, opening=opening)
        elif hand and self.boneyard and not self._at_once:
            # The most common case: nothing ends.
            self.turn = self._following[seat]
        else:
            self._end_turn(seat)

    def _follow(self, seat: int, hand: int, earned: Score, tile: Tile, *, opening: bool) -> None:
        rules, bonus_tiles = self.rules, self.bonus_tiles
        reward = rules.find_reward(tile, earned, opening=opening, bonus_tile=bonus_tiles > 0)
        follows = rules.decide_follow_up(earned, reward, bonus_tiles=bonus_tiles, left=bool(hand))
        self.bonus_tiles = bonus_tiles - 1 if bonus_tiles else 0
        self.further = follows == "further"
        if reward is not None:
            if hand and not reward.both:
                self.reward = reward
                return
            self._score(seat, reward.points)
            if hand and turns.can_place_bonus(self.tableau, hand, rules):
                self.bonus_tiles += reward.tiles
        if follows == "next" or (reward is not None and not (hand and self.bonus_tiles)):
            self._end_turn(seat)

    def _choose(self, seat: int, move: Ply) -> None:
        reward, self.reward, self.further = self.reward, None, False
        if reward is not None:
            if move == turns.TILES:
                self.bonus_tiles += reward.tiles
            else:
                self._score(seat, reward.points)
        if move == turns.STOP or not self.bonus_tiles:
            self._end_turn(seat)

    def _draw(self, seat: int) -> None:
        self.hands[seat] |= self.boneyard.pop()
        self.drawn += 1
        if not self.boneyard and turns.is_round_dead(self.rules, self.tableau, (), self.hands):
            # The round is dead: the draws are paid, the failed turn is not.
            self._score(seat, -self._draw_cost * self.drawn)
            self._end_round(None)

    def _pass(self, seat: int) -> None:
        self._score(seat, -self.rules.compute_failed_turn_cost(self.drawn, len(self.boneyard)))
        self.failed = (*self.failed, seat)
        if all(other in self.failed for other in self.active):
            self._end_round(None)
        else:
            self._begin_next_turn(seat)

    def _score(self, seat: int, points: int) -> None:
        totals = self.totals = self.totals.copy()
        totals[seat] += points
        if totals[seat] >= self._target and self._latching:
            self.latched = True

    def _end_turn(self, seat: int) -> None:
        if not self.hands[seat]:
            self._end_round(seat)
        elif (
            self._ends_when_dead and not self.boneyard and turns.is_round_dead(self.rules, self.tableau, (), self.hands)
        ):
            self._end_round(None)
        elif self._at_once and self.totals[seat] >= self._target:
            # The first to reach the target wins at once.
            self.over, self.places = True, turns.compute_places(self.totals, self._left)
        else:
            self._begin_next_turn(seat)

    def _begin_next_turn(self, seat: int) -> None:
        self.drawn = self.bonus_tiles = 0
        self.further = False
        self.turn = self._following[seat]

    def _end_round(self, out: int | None) -> None:
        rules, active, before = self.rules, self.active, self.totals
        hands = [self.tableau.table.list_tiles(hand) for hand in self.hands]
        awards = turns.compute_round_awards(rules, out, hands, active)
        totals = [total + award for total, award in zip(before, awards, strict=True)]
        self.totals, self.over, self.out = totals, True, out
        self.places = turns.compute_final_places(
            rules,
            latched=self.latched,
            totals_history=(before, totals),
            winners=turns.list_round_winners(rules, out, hands, active),
            active=active,
            resigned=self._left,
        )
