"""What follows a move: further tiles of a bonus, a further turn, and newly opened places."""

from functools import cached_property
from typing import Final

from engine.board.board import Board, Placement
from engine.match.player_view import Move, PlayerView
from engine.match.rules import Rules
from engine.match.turns import can_place_bonus


class Following:
    """Tries the viewer's moves on its own copy of the table."""

    def __init__(self, seen: PlayerView) -> None:
        self._seen: Final = seen

    @cached_property
    def _board(self) -> Board:
        return self._seen.rules.board(self._seen.tiles)

    def brings_tiles(self, move: Move) -> bool:
        """Return whether its bonus can be taken as further tiles."""
        return move.reward is not None and self._fits(move, bonus=True)

    def brings_turn(self, move: Move) -> bool:
        """Return whether a further turn follows in which a tile can be placed."""
        return move.corner and self._fits(move, bonus=False)

    def _fits(self, move: Move, *, bonus: bool) -> bool:
        board, mine = self._board, self._seen.mine
        assert mine is not None, "nobody is looking"
        tableau, kept = board.tableau, board.hand([tile for tile in mine.hand or () if tile != move.placement.tile])
        tableau.place(*board.plies[move.placement])
        try:
            return can_place_bonus(tableau, kept, self._seen.rules) if bonus else tableau.has_legal(kept)
        finally:
            tableau.undo()


class Outlook:
    """A copy of the table for trying what moves would open."""

    def __init__(self, rules: Rules, tiles: tuple[Placement, ...]) -> None:
        self._board = rules.board(tiles)

    def opened(self, placement: Placement) -> int:
        """Return the number of new places that some unplayed tile fits."""
        tableau = self._board.tableau
        before = tableau.open()
        tableau.place(*self._board.plies[placement])
        table = tableau.table
        unplayed = table.whole & ~tableau.played
        found = sum(
            bool(table.masks[demand] & unplayed) for cell, demand in tableau.open().items() if cell not in before
        )
        tableau.undo()
        return found
