"""What follows a move: further tiles of a bonus, a further turn, and newly opened places."""

from functools import cached_property
from typing import Final

from engine.board.board import Board, Placement
from engine.match.player_view import Move, PlayerView
from engine.match.rules import Rules
from engine.match.turns import can_place_bonus


class FollowUpProbe:
    """Tries the viewer's moves on its own copy of the table."""

    def __init__(self, view: PlayerView) -> None:
        self._seen: Final = view

    @cached_property
    def _board(self) -> Board:
        return self._seen.rules.build_board(self._seen.tiles)

    def can_take_tiles(self, move: Move) -> bool:
        """Return whether its bonus can be taken as further tiles."""
        return move.reward is not None and self._fits(move, bonus=True)

    def can_move_again(self, move: Move) -> bool:
        """Return whether a further turn follows in which a tile can be placed."""
        return move.corner and self._fits(move, bonus=False)

    def _fits(self, move: Move, *, bonus: bool) -> bool:
        board, own_seat = self._board, self._seen.own_seat
        assert own_seat is not None, "nobody is looking"
        tableau = board.tableau
        rest = board.to_mask(tile for tile in own_seat.hand or () if tile != move.placement.tile)
        tableau.place(*board.plies_by_placement[move.placement])
        found = can_place_bonus(tableau, rest, self._seen.rules) if bonus else tableau.has_legal_move(rest)
        tableau.undo()
        return found


class NewPlaceCounter:
    """A copy of the table for trying what moves would open."""

    def __init__(self, rules: Rules, tiles: tuple[Placement, ...]) -> None:
        self._board = rules.build_board(tiles)

    def count_new_places(self, placement: Placement) -> int:
        """Return the number of new places that some unplayed tile fits."""
        tableau = self._board.tableau
        before = tableau.get_open_cells()
        tableau.place(*self._board.plies_by_placement[placement])
        table = tableau.table
        unplayed = table.full_mask & ~tableau.played_mask
        found = sum(
            bool(table.mask_by_demand[demand] & unplayed)
            for cell, demand in tableau.get_open_cells().items()
            if cell not in before
        )
        tableau.undo()
        return found
