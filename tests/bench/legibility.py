"""What can be read on a phone: sizes in pictures of computers' rounds that are shown 369 pixels wide.

Sizes come from the layouts that are drawn (`legibility_sizes.py`); a test holds one of them against the pixels. The
same for every game and number of seats: `python -m tests.bench.legibility`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from statistics import median, quantiles
from typing import Final

from rich.console import Console
from rich.table import Table

from data.rulebook import rules
from engine.decide import decide, forced, start
from engine.events import RoundEnded
from engine.match import Match, evolve, replay
from engine.players import greedy
from engine.seen import Seen, see
from render import Film, Gif, Shot
from tests.bench.boards import captions
from tests.bench.legibility_sizes import BoardSizes, HandSizes, Written, board_sizes, film_sizes, hand_sizes, written
from tests.bench.measure import SHORT, Effort
from tests.bench.rows import row
from tests.render.tables import NAMES

TRIANGLES: Final = ("triominoes", "points", "muggins", "star", "trioker")
SQUARES: Final = ("quad-ominos",)
FEW: Final = (2, 3, 4)
MANY: Final = (6, 8, 10, 12)
BIG: Final = 30
"""Tiles in a big hand."""


@dataclass
class Sizes:
    """Of all pictures of the rounds of a game with so many seats."""

    boards: list[BoardSizes] = field(default_factory=list)
    hands: list[HandSizes] = field(default_factory=list)


def rounds(effort: Effort) -> int:
    """How many rounds of a game and number of seats are looked at."""
    return 1 if effort == SHORT else 4


def course(game: str, seats: int, seed: int) -> Iterator[Match]:
    """The first round of a match of computers, as it stands after every placement and at its end."""
    rng, secret = Random(f"{game} {seats} {seed}"), bytes([seed] * 32)
    match = replay(start(rules(game), seats=seats, computers=(), by_hand=False, secret=secret))
    lying = 0
    while True:
        action = forced(match) or greedy.choose(see(match, match.turn), rng)
        for event in decide(match, action, secret):
            evolve(match, event)
            if isinstance(event, RoundEnded):
                # The next deal may follow at once.
                yield match
                return
        if len(match.board.placed) != lying:
            lying = len(match.board.placed)
            yield match


@cache
def sizes(game: str, seats: int, many: int) -> Sizes:
    """What so many rounds of a game look like."""
    found = Sizes()
    for seed in range(many):
        for match in course(game, seats, seed):
            if (board := board_sizes(see(match, None))) is not None:
                found.boards.append(board)
            if not match.round_over:
                found.hands.append(hand_sizes(see(match, match.turn)))
    return found


def played_by(games: Sequence[str], seats: Sequence[int]) -> list[tuple[str, int]]:
    """Games with numbers of seats that they can be played with."""
    return [(game, many) for game in games for many in seats if many <= rules(game).max_seats]


def boards(games: Sequence[str], seats: Sequence[int], effort: Effort) -> list[BoardSizes]:
    """All public pictures."""
    return [one for game, many in played_by(games, seats) for one in sizes(game, many, rounds(effort)).boards]


def hands(games: Sequence[str], seats: Sequence[int], effort: Effort) -> list[HandSizes]:
    """All private pictures."""
    return [one for game, many in played_by(games, seats) for one in sizes(game, many, rounds(effort)).hands]


def lowest_but(part: float, values: Sequence[float]) -> float:
    """What this share of the values, in per cent, does not fall short of."""
    return quantiles(values, n=100, method="inclusive")[round(100 - part) - 1]


def big_hands(effort: Effort) -> list[HandSizes]:
    """Whoever is next in Quad-Ominos for four holds thirty tiles of those that do not lie."""
    found = []
    for seed in range(rounds(effort)):
        for match in course("quad-ominos", 4, seed):
            if match.round_over:
                continue
            hand = match.seats[match.turn].hand
            left = sorted(set(match.rules.tiles) - set(match.board.tiles))
            held = Random(len(left)).sample(left, min(BIG, len(left)))
            was, hand[:] = list(hand), held
            found.append(hand_sizes(see(match, match.turn)))
            hand[:] = was
    return found


@cache
def texts(own: bool, seats: tuple[int, ...]) -> tuple[tuple[Written, ...], tuple[Written, ...]]:
    """Words and letters of places in some pictures of every game."""
    words: list[Written] = []
    letters: list[Written] = []
    for game, many in played_by((*TRIANGLES, *SQUARES), seats):
        for seen in _looked_at(game, many, own=own):
            said, lettered = written(seen, own=own)
            words += said
            letters += lettered
    return tuple(words), tuple(letters)


def _looked_at(game: str, seats: int, *, own: bool) -> list[Seen]:
    """A round after a few tiles, in its middle, and at its end."""
    seen = [
        see(match, match.turn if own else None) for match in course(game, seats, 0) if not (own and match.round_over)
    ]
    return [seen[min(3, len(seen) - 1)], seen[len(seen) // 2], seen[-1]]


def _digits(game: str, seats: Sequence[int] = FEW) -> Callable[[Effort], list[float]]:
    return lambda effort: [one.digits for one in boards((game,), seats, effort)]


def _rows_of(game: str, usual: float, least: float) -> None:
    """The two rows of a game's boards."""
    of = _digits(game)

    @row(f"legibility: {game}, digits on 95 % of the boards", goal=usual, unit="px")
    def nearly_all(effort: Effort) -> float:
        return lowest_but(95, of(effort))

    @row(f"legibility: {game}, digits on every board", goal=least, unit="px")
    def smallest(effort: Effort) -> float:
        return min(of(effort))


for _game in TRIANGLES:
    _rows_of(_game, 8.5, 6.5)
for _game in SQUARES:
    _rows_of(_game, 6.5, 5)


@row("legibility: share of the board's part that tiles fill, median", goal=40, unit="%")
def filled(effort: Effort) -> float:
    """Over the boards of all games."""
    return 100 * median(one.filled for one in boards((*TRIANGLES, *SQUARES), FEW, effort))


@row("legibility: the same of the smallest box around tiles and places, median", unit="%")
def around_places(effort: Effort) -> float:
    """What pictures of this shape could reach."""
    return 100 * median(one.fillable[0] for one in boards((*TRIANGLES, *SQUARES), FEW, effort))


@row("legibility: the same of the smallest box around tiles alone, median", unit="%")
def around_tiles(effort: Effort) -> float:
    """What pictures without places could reach."""
    return 100 * median(one.fillable[1] for one in boards((*TRIANGLES, *SQUARES), FEW, effort))


@row("legibility: my hand, digits of its tiles, always", goal=9, unit="px")
def rack(effort: Effort) -> float:
    """The smallest of all hands."""
    found = hands((*TRIANGLES, *SQUARES), FEW, effort)
    return min(one.tiles for one in found if one.tiles is not None)


@row("legibility: my hand, digits where it fits, always", goal=9, unit="px")
def fitting(effort: Effort) -> float:
    """The smallest beside any place of any hand."""
    found = hands((*TRIANGLES, *SQUARES), FEW, effort)
    return min(one.places for one in found if one.places is not None)


@row("legibility: my hand of 30 squares, tiles and places, always", goal=9, unit="px")
def many_tiles(effort: Effort) -> float:
    """A hand that fits nearly everywhere."""
    found = big_hands(effort)
    return min(size for one in found for size in (one.tiles, one.places) if size is not None)


@row("legibility: words, capital letters", goal=7, unit="px")
def words(_: Effort) -> float:
    """The smallest in the public and the private picture."""
    return min(word.capital for own in (False, True) for word in texts(own, FEW)[0])


@row("legibility: words, small letters", unit="px")
def small_letters(_: Effort) -> float:
    """The same, by the height of an x."""
    return min(word.small for own in (False, True) for word in texts(own, FEW)[0])


@row("legibility: my hand, letters of places", goal=7, unit="px")
def own_letters(_: Effort) -> float:
    """By which one chooses in the menu."""
    return min(letter.capital for letter in texts(True, FEW)[1])


@row("legibility: letters of places on the board", unit="px")
def public_letters(_: Effort) -> float:
    """The smallest, at two to four seats."""
    return min(letter.capital for letter in texts(False, FEW)[1])


@row("legibility: digits of hands that are shown", goal=6.5, unit="px")
def shown(effort: Effort) -> float:
    """The smallest at the end of any round of two to four."""
    return min(one.shown for one in boards((*TRIANGLES, *SQUARES), FEW, effort) if one.shown is not None)


@row("legibility: six seats, triangles, digits on 95 % of the boards", unit="px")
def six(effort: Effort) -> float:
    """Of the games that seat six."""
    return lowest_but(95, [one.digits for one in boards(TRIANGLES, (6,), effort)])


@row("legibility: six seats, triangles, digits on every board", unit="px")
def six_least(effort: Effort) -> float:
    """The smallest."""
    return min(one.digits for one in boards(TRIANGLES, (6,), effort))


@row("legibility: 6 to 12 seats, quad-ominos, digits on 95 % of the boards", unit="px")
def twelve(effort: Effort) -> float:
    """At large tables nearly all squares are laid."""
    return lowest_but(95, [one.digits for one in boards(SQUARES, MANY, effort)])


@row("legibility: 6 to 12 seats, quad-ominos, digits on every board", unit="px")
def twelve_least(effort: Effort) -> float:
    """The smallest."""
    return min(one.digits for one in boards(SQUARES, MANY, effort))


@row("legibility: 6 to 12 seats, my hand, tiles and places, always", goal=9, unit="px")
def many_seats(effort: Effort) -> float:
    """The smallest of all hands and beside all places."""
    found = hands((*TRIANGLES, *SQUARES), MANY, effort)
    return min(size for one in found for size in (one.tiles, one.places) if size is not None)


@row("legibility: 6 to 12 seats, words, capital letters", goal=7, unit="px")
def many_words(_: Effort) -> float:
    """The smallest."""
    return min(word.capital for own in (False, True) for word in texts(own, MANY)[0])


@cache
def film(game: str, seats: int) -> tuple[BoardSizes, ...]:
    """The frames of a film of a whole round while it runs, and of its end."""
    seen = [see(match, None) for match in course(game, seats, 0)]
    shots = [Shot(one, NAMES[:seats], captions(one, NAMES)) for one in seen]
    return tuple(film_sizes(Film(shots, Gif, 1000), shots))


def films(games: Sequence[str], seats: Sequence[int] = FEW) -> list[BoardSizes]:
    """All frames of films of such rounds."""
    return [one for game, many in played_by(games, seats) for one in film(game, many)]


@row("legibility: films of whole rounds, triangles, digits on every frame", goal=6.5, unit="px")
def film_triangles(_: Effort) -> float:
    """The smallest, the ends of rounds with their hands among them."""
    return min(one.digits for one in films(TRIANGLES))


@row("legibility: films of whole rounds, quad-ominos, digits on every frame", goal=5, unit="px")
def film_squares(_: Effort) -> float:
    """The smallest."""
    return min(one.digits for one in films(SQUARES))


@row("legibility: films, digits of hands that are shown", goal=6.5, unit="px")
def film_hands(_: Effort) -> float:
    """The smallest."""
    return min(one.shown for one in films((*TRIANGLES, *SQUARES)) if one.shown is not None)


def told(many: int) -> Table:
    """Every game and number of seats."""
    columns = ("boards", "digits 95 %", "least", "shown", "filled", "hands", "tiles", "places", "tallest")
    table = Table("game", "seats", *columns)
    for game, seats in played_by((*TRIANGLES, *SQUARES), (*FEW, *MANY)):
        found = sizes(game, seats, many)
        digits = [one.digits for one in found.boards]
        figures = (
            lowest_but(95, digits),
            min(digits),
            min((one.shown for one in found.boards if one.shown is not None), default=None),
            100 * median(one.filled for one in found.boards),
        )
        own = (
            min((one.tiles for one in found.hands if one.tiles is not None), default=None),
            min((one.places for one in found.hands if one.places is not None), default=None),
            max(one.height for one in found.hands),
        )
        table.add_row(
            game,
            str(seats),
            str(len(found.boards)),
            *map(_figure, figures),
            str(len(found.hands)),
            *map(_figure, own),
        )
    return table


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


if __name__ == "__main__":
    Console(width=120).print(told(4))
