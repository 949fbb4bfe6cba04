"""The state of a match, how events change it, and how placements are undone (docs/reference/rules.md §10).

A `UndoPoint` keeps the few values that a placement, a choice or a pass changes. `Match.undo_stack` collects undo points
until something hidden is revealed: a draw, a deal, the end of a round or a resignation clears it. `replace` is
`dataclasses.replace` in a third of the time, because loading a table makes about five values per event.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple, assert_never

from engine.board.board import Board, Placement
from engine.board.lattice import Cell, Site
from engine.board.tableau import new_tuple
from engine.board.tiles import Tile
from engine.match import events as event_types
from engine.match.rules import Rules
from engine.match.turns import list_first_bonus_moves

if TYPE_CHECKING:
    # The type checker uses the types of the standard function.
    from dataclasses import replace as replace
else:

    def replace(value, /, **changes):
        """Change fields of a dataclass with slots. Raises KeyError for no such field, TypeError for other values."""
        put, taken = _build_accessors(type(value))
        twin = object.__new__(type(value))
        for set_field, was in zip(put.values(), taken(value), strict=True):
            set_field(twin, was)
        for name, new in changes.items():
            put[name](twin, new)
        return twin


@cache
def _build_accessors(kind: type[Any]) -> tuple[dict[str, Callable[[Any, Any], None]], Callable[[Any], tuple[Any, ...]]]:
    """Return the setters of a class's fields by name, which bypass frozen, and a getter of all values."""
    names = [field.name for field in fields(kind)]
    if "__slots__" not in kind.__dict__ or hasattr(kind, "__post_init__") or not all(f.init for f in fields(kind)):
        raise TypeError(f"{kind.__name__} is no plain dataclass with slots")
    one = attrgetter(*names)
    return {name: getattr(kind, name).__set__ for name in names}, one if len(names) > 1 else lambda value: (one(value),)


TURN_FIELDS: Final = ("turn", "drawn", "choosing", "bonus_tiles", "further", "failed", "latched")
# What a placement changes.
MATCH_FIELDS: Final = (*TURN_FIELDS, "last", "newest", "hexagons", "bridges")
SEAT_FIELDS: Final = ("total", "change", "hexagons", "bridges", "best")
_get_match_values, _get_seat_values = attrgetter(*MATCH_FIELDS), attrgetter(*SEAT_FIELDS)


class UndoPoint(NamedTuple):
    """A match right before a seat placed a tile or passed."""

    seat: int
    tile: Tile | None  # the placed tile; None for a pass
    hand_index: int  # its index in the hand
    table: tuple[Any, ...]  # changing values of the match, except for the board
    score: tuple[Any, ...]  # changing values of the seat, except for the hand
    can_undo_alone: bool = True  # whether the seat may return here alone: no other seat has revealed anything since


def find_last_placement(undo_stack: Sequence[UndoPoint], seat: int) -> UndoPoint | None:
    """Return the newest undo point with a placement of this seat."""
    return next((point for point in reversed(undo_stack) if point.seat == seat and point.tile is not None), None)


def can_undo_last(undo_stack: Sequence[UndoPoint], seat: int) -> bool:
    """Return whether the seat placed last and may undo that alone."""
    if not undo_stack:
        return False
    newest = undo_stack[-1]
    return newest.seat == seat and newest.tile is not None and newest.can_undo_alone


def forbid_earlier_undo(undo_stack: tuple[UndoPoint, ...], seat: int) -> tuple[UndoPoint, ...]:
    """Forbid earlier seats to undo alone, because they have seen a tile that this seat took back."""
    if undo_stack and undo_stack[-1].seat != seat:
        *rest, newest = undo_stack
        return (*rest, newest._replace(can_undo_alone=False))
    return undo_stack


@dataclass(slots=True)
class Seat:
    computer: bool
    hand: list[Tile] = field(default_factory=list)
    total: int = 0
    change: int | None = None  # points of the last turn or award; None before the first
    resigned: bool = False
    hexagons: int = 0
    bridges: int = 0
    best: int = 0  # most points of one placement


@dataclass(slots=True)
class Match:
    """The complete state of a match, including hidden tiles. It stays in the engine and the services."""

    rules: Rules
    by_hand: bool
    commitment: str
    seats: list[Seat]
    board: Board
    boneyard: list[Tile] = field(default_factory=list)  # the next tile to draw is the last
    aside: tuple[Tile, ...] = ()  # tiles out of this round
    round: int = 0
    turn: int = 0
    choices: tuple[Tile, ...] = ()  # what the opener may open with
    drawn: int = 0  # in the running turn
    choosing: bool = False  # whether the running turn waits for a choice of bonus
    bonus_tiles: int = 0  # tiles of a bonus that may still be placed
    further: bool = False  # whether the running turn is a further one, which may be left
    failed: list[int] = field(default_factory=list)  # seats that passed since the last placement, in order
    latched: bool = False  # whether this round is the last: by a total, by its number, or because a tie is played off
    last: event_types.Placed | None = None
    history: list[event_types.RoundEvent] = field(default_factory=list)
    """What the seats did in this round, without drawn tiles and undone moves."""
    resigned_seats: list[int] = field(default_factory=list)  # seats that resigned, in order
    newest: tuple[Site, ...] = ()  # centres of the hexagons that the last placement closed
    hexagons: tuple[Site, ...] = ()  # centres of all hexagons of the round
    bridges: tuple[Cell, ...] = ()  # tiles of the round that earned a bridge
    contributions: tuple[str, ...] = ()  # entropy by seat; empty under version 1 of the shuffle
    round_over: event_types.RoundEnded | None = None  # between the end of a round and the next deal
    ended: event_types.MatchEnded | None = None
    undo_stack: tuple[UndoPoint, ...] = ()  # what can be undone, oldest first

    def copy(self) -> "Match":
        return replace(
            self,
            seats=[replace(seat, hand=seat.hand.copy()) for seat in self.seats],
            board=self.board.copy(),
            boneyard=self.boneyard.copy(),
            failed=self.failed.copy(),
            resigned_seats=self.resigned_seats.copy(),
            history=self.history.copy(),
        )

    @property
    def active(self) -> list[int]:
        return [number for number, seat in enumerate(self.seats) if not seat.resigned]

    def find_next_active(self, seat: int) -> int:
        seats = self.seats
        following = (seat + 1) % len(seats)
        while seats[following].resigned:
            following = (following + 1) % len(seats)
        return following

    def list_legal_moves(self, seat: int) -> list[Placement]:
        """Return every legal placement of this seat's hand, in any turn."""
        if not self.board.placed:
            return self.board.list_legal_moves(self.choices) if seat == self.turn else []
        hand = self.seats[seat].hand
        if seat == self.turn and self.bonus_tiles > 1 and not self.rules.allows_partial_reward:
            board = self.board
            moves = sorted(list_first_bonus_moves(board.tableau, board.to_mask(hand)))
            return [board.placements_by_ply[move] for move in moves]
        return self.board.list_legal_moves(hand)

    def can_draw(self) -> bool:
        return self.drawn < self.rules.max_draws and bool(self.boneyard) and not (self.bonus_tiles or self.further)

    def can_undo(self, seat: int) -> bool:
        """Return whether the seat may undo its last placement alone."""
        return not self.ended and can_undo_last(self.undo_stack, seat)


def create_match(event: event_types.Started) -> Match:
    return Match(
        rules=event.rules,
        by_hand=event.by_hand,
        commitment=event.commitment,
        seats=[
            Seat(computer=number in event.computers, total=points)
            for number, points in enumerate(event.rules.list_head_starts(event.seats))
        ],
        board=event.rules.build_board(),
        contributions=event.contributions,
    )


def replay(events: Iterable[event_types.Event]) -> Match:
    """Rebuild a match from a whole log. Raises ValueError if it does not begin with Started."""
    log = iter(events)
    first = next(log, None)
    if not isinstance(first, event_types.Started):
        raise ValueError("a match begins with Started")
    match = create_match(first)
    for event in log:
        apply_event(match, event)
    return match


def apply_event(match: Match, event: event_types.Event) -> None:
    """Apply an event in place."""
    match event:
        case event_types.Placed():
            _place(match, event)
        case event_types.Drew(seat, tile):
            if tile is None or match.boneyard[-1:] != [tile]:
                raise ValueError("the log draws a tile that is not next in the boneyard")
            match.boneyard.pop()
            match.seats[seat].hand.append(tile)
            match.drawn += 1
            match.undo_stack = ()
            match.history.append(event_types.Drew(seat, None))
        case event_types.Dealt():
            _deal(match, event)
        case event_types.Chose(seat, _, points, tiles):
            if points:
                _score(match, seat, points)
            match.choosing, match.further = False, False
            match.bonus_tiles += tiles
            match.history.append(event)
            if event.option == "stop" or not match.bonus_tiles:
                _end_turn(match, seat)
        case event_types.Passed(seat, _, points):
            _remember(match, seat)
            _score(match, seat, points)
            # A new list, because undo points keep the previous one.
            match.failed = [*match.failed, seat]
            match.history.append(event)
            _end_turn(match, seat)
        case event_types.RoundEnded(awards=awards):
            for seat, award in enumerate(awards):
                if award:
                    _score(match, seat, award)
            match.round_over = event
            match.undo_stack = ()
        case event_types.Undone(seat):
            _undo_placement(match, seat)
        case event_types.Resigned(seat):
            match.undo_stack = ()
            match.seats[seat].resigned = True
            match.resigned_seats.append(seat)
            match.history.append(event)
            if match.turn == seat:
                _end_turn(match, seat)
        case event_types.MatchEnded():
            match.ended = event
        case event_types.Started():
            raise ValueError("a match starts once")
        case _:
            assert_never(event)


def _deal(match: Match, event: event_types.Dealt) -> None:
    match.round = event.round
    for seat, hand in zip(match.seats, event.hands, strict=True):
        seat.hand = list(hand)
    match.boneyard = list(reversed(event.boneyard))
    match.aside = event.aside
    match.board = match.rules.build_board()
    match.turn, match.choices = event.opener, event.choices
    match.drawn = match.bonus_tiles = 0
    match.choosing = match.further = False
    match.failed = []
    match.last = match.round_over = None
    match.newest = match.hexagons = ()
    match.bridges = ()
    match.undo_stack = ()
    match.history = []
    # After the target was reached, another round only plays off a tie, and decides (RULES §3.1).
    rules = match.rules
    if 0 < rules.rounds <= event.round or any(0 < rules.goal <= match.seats[seat].total for seat in match.active):
        match.latched = True


def _place(match: Match, event: event_types.Placed) -> None:
    seat, tile = match.seats[event.seat], event.tile
    at = seat.hand.index(tile)
    _remember(match, event.seat, tile, at)
    del seat.hand[at]
    match.board.place(new_tuple(Placement, (tile, event.cell, event.rotation)))
    seat.hexagons += event.hexagons
    seat.bridges += event.bridge
    if event.points > seat.best:
        seat.best = event.points
    match.newest = ()
    if event.hexagons:
        match.newest = match.board.list_closed_corners(event.cell)
        match.hexagons += match.newest
    if event.bridge:
        match.bridges += (event.cell,)
    match.last = event
    match.history.append(event)
    match.failed = []
    match.drawn = 0
    if match.bonus_tiles:
        match.bonus_tiles -= 1
    match.choosing = event.follows == "choice"
    match.further = event.follows == "further"
    _score(match, event.seat, event.points)
    if event.follows == "next":
        _end_turn(match, event.seat)


def _score(match: Match, seat: int, points: int) -> None:
    scorer = match.seats[seat]
    scorer.total += points
    scorer.change = points
    # Once reached, the target makes this round the last even if the total drops again (RULES §3, Game end).
    rules = match.rules
    if not match.latched and not rules.rounds and 0 < rules.target <= scorer.total:
        match.latched = rules.finish == "latched"


def _end_turn(match: Match, seat: int) -> None:
    match.drawn = match.bonus_tiles = 0
    match.choosing = match.further = False
    if len(match.resigned_seats) < len(match.seats):
        match.turn = match.find_next_active(seat)


def _remember(match: Match, seat: int, tile: Tile | None = None, at: int = 0) -> None:
    """Add an undo point before the seat places this tile, at this index of its hand, or passes."""
    if tile is not None and not match.board.placed and len(match.choices) == 1:
        # The rules force this tile, so undoing it would be pointless.
        match.undo_stack = ()
        return
    table, score = _get_match_values(match), _get_seat_values(match.seats[seat])
    match.undo_stack = (*match.undo_stack, new_tuple(UndoPoint, (seat, tile, at, table, score, True)))


def _undo_placement(match: Match, seat: int) -> None:
    """Undo the last placement of this seat and everything since. Raises ValueError if there is none."""
    while match.undo_stack:
        *rest, point = match.undo_stack
        match.undo_stack = tuple(rest)
        # The undo point precedes a placement or a pass; choices may have followed it.
        while isinstance(match.history.pop(), event_types.Chose):
            pass
        holder = match.seats[point.seat]
        if point.tile is not None:
            match.board.undo()
            holder.hand.insert(point.hand_index, point.tile)
        # Board and hand are restored above.
        for target, names, values in ((match, MATCH_FIELDS, point.table), (holder, SEAT_FIELDS, point.score)):
            for name, value in zip(names, values, strict=True):
                setattr(target, name, value)
        if point.tile is not None and point.seat == seat:
            match.undo_stack = forbid_earlier_undo(match.undo_stack, seat)
            return
    raise ValueError(f"seat {seat} has no placement that could be taken back")
