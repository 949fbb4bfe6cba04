"""The rules: legal moves, complete rounds, rebuilding a match. Everything is asked as the bot asks it.

How each is counted is told in docs/performance.md.
"""

from functools import cache, partial

from bot.referee.perft import counts
from data.rulebook import games, rules
from engine.match import Match, replay
from engine.rules import Rules
from engine.tiles import Tile
from tests.bench import rounds
from tests.bench.measure import Effort, Work, cost, ratio
from tests.bench.others import block_dominoes, chess_games
from tests.bench.positions import courses, full_hands, long_match, positions
from tests.bench.rows import row, work
from tests.engine.naive_games import second_opinion

ROUNDS = 4
QUICKEST = ("triominoes", "trioker")


@cache
def place_and_ask(game: str) -> Work:
    """Along matches: a tile is placed, then the hand to move is asked for its legal moves, once; a unit is a tile. In
    the small numbers that a simulation plays with, as python-chess has squares and pieces; the empty table is in the
    price.
    """
    board = rules(game).board()
    games = [[(*board.plies[lies], board.hand(hand)) for lies, hand in course] for course in courses(game)]
    _same_moves(game)

    def play(course: list[tuple[int, int, int]]) -> None:
        tableau = rules_of(game).board().tableau
        for cell, way, hand in course:
            tableau.place(cell, way)
            tableau.legal(hand)

    return Work.of((partial(play, course) for course in games), units=sum(map(len, games)))


@cache
def place_and_ask_named(game: str) -> Work:
    """The same with cells, tiles and placements, as a match asks."""
    games = courses(game)

    def play() -> None:
        for course in games:
            board = rules_of(game).board()
            for placement, hand in course:
                board.place(placement)
                board.legal(hand)

    return Work(play, sum(map(len, games)))


@cache
def rules_of(game: str) -> Rules:
    """The rules of a game, read once."""
    return rules(game)


def _same_moves(game: str) -> None:
    """See to it that numbers and names list the same, and that the second opinion does too."""
    for position in positions(game):
        board, hand = position.match.board, position.match.seats[position.match.turn].hand
        assert {*map(board.named.__getitem__, board.tableau.legal(board.hand(hand)))} == {*position.legal()}


@cache
def naive_legal(game: str) -> Work:
    """The same hands asked of the second opinion in the tests, which has no table to keep; a unit is a question."""
    asked, opinion = positions(game), second_opinion(rules(game))
    return Work.of(partial(position.naive, opinion) for position in asked)


def _compare(game: str) -> None:
    work(f"place and ask, {game}")(lambda: place_and_ask(game))
    work(f"place and ask with names, {game}")(lambda: place_and_ask_named(game))
    work(f"legal moves, {game}, naive")(lambda: naive_legal(game))

    @row(f"engine: place and ask, {game} / python-chess", goal=8 if game in QUICKEST else 4, cheap=True)
    def beside_chess(effort: Effort) -> float:
        return ratio(chess_games(), place_and_ask(game), effort)

    @row(f"engine: place and ask with names, {game} / python-chess")
    def with_names(effort: Effort) -> float:
        return ratio(chess_games(), place_and_ask_named(game), effort)

    @row(f"engine: place and ask, {game} / the naive generator", goal=60, cheap=game in ("triominoes", "star"))
    def beside_naive(effort: Effort) -> float:
        return ratio(naive_legal(game), place_and_ask(game), effort)


for _game in games():
    _compare(_game)

work("push and list, chess")(lambda: chess_games())


@cache
@work("random rounds through events, a ply")
def our_rounds() -> Work:
    """Complete random rounds of Triominoes; a unit is a ply."""
    return Work.of((partial(rounds.ours, seed) for seed in range(ROUNDS)), units=sum(_plies()))


@cache
@work("simulated rounds, a ply")
def simulated_rounds() -> Work:
    """The same rounds simulated, the deal in the price; a unit is a ply."""
    plies = sum(rounds.simulated(seed).plies for seed in range(ROUNDS))
    return Work.of((partial(rounds.simulated, seed) for seed in range(ROUNDS)), units=plies)


@cache
@work("random rounds, a ply, naive")
def naive_rounds() -> Work:
    """The same by the second opinion."""
    deals = [rounds.dealt(seed) for seed in range(ROUNDS)]
    plies = sum(rounds.theirs(seed, deal).plies for seed, deal in enumerate(deals))
    return Work.of((partial(rounds.theirs, seed, deal) for seed, deal in enumerate(deals)), units=plies)


@cache
def _plies() -> list[int]:
    """The plies of each of our rounds, once both sides were seen to play the same round from the same choices."""
    for seed in range(ROUNDS):
        assert rounds.ours(seed, sort=True) == rounds.theirs(seed, rounds.dealt(seed), sort=True)
    return [rounds.ours(seed).plies for seed in range(ROUNDS)]


work("random games of block dominoes, a ply")(lambda: block_dominoes())


@row("engine: simulated rounds / OpenSpiel", goal=8, cheap=True, held=5.5)
def simulated_beside_dominoes(effort: Effort) -> float:
    """Both are counted by the ply."""
    return ratio(block_dominoes(), simulated_rounds(), effort)


@row("engine: rounds through events / OpenSpiel", goal=3, cheap=True, held=1.8)
def rounds_beside_dominoes(effort: Effort) -> float:
    """Both are counted by the ply."""
    return ratio(block_dominoes(), our_rounds(), effort)


@row("engine: rounds through events / the naive generator", goal=50, cheap=True)
def rounds_beside_naive(effort: Effort) -> float:
    """Both are counted by the ply."""
    return ratio(naive_rounds(), our_rounds(), effort)


@cache
@work("worlds of 8 plies")
def worlds() -> Work:
    """Deals of what a seat does not see, 8 plies of each played and taken back; a unit is a world."""
    return Work(rounds.worlds, rounds.WORLDS)


@row("engine: 1,000 worlds of 8 plies", goal=0.1, better="less", unit="s")
def thousand_worlds(effort: Effort) -> float:
    """In the middle of a round of Triominoes for two, from what one seat sees; dealing is in the price."""
    return 1000 * cost(worlds(), effort)


@row("engine: a world of 8 plies / 8 plies of python-chess", goal=0.5, better="less", cheap=True)
def world_beside_chess(effort: Effort) -> float:
    """The same beside pushing a move and listing the legal ones."""
    return ratio(worlds(), chess_games(), effort) / 8


@cache
@work("rebuilding a match of 56 placements")
def rebuilding() -> Work:
    """A match of Triominoes from the log of its events, up to the 56th placement."""
    log = long_match(56)
    return Work(lambda: replay(log))


@row("rebuilding 56 placements: legal-move queries it costs", goal=100, better="less", cheap=True)
def rebuilding_in_queries(effort: Effort) -> float:
    """A query is that of a hand of nine, on a table that has just changed."""
    return ratio(rebuilding(), big_hand("triominoes", 9), effort)


@cache
def big_hand(game: str, size: int) -> Work:
    """Legal moves of hands of this size, on tables that have just changed; a unit is a question."""
    tables = full_hands(game, size)
    fresh: list[tuple[Match, tuple[Tile, ...]]] = []

    def before() -> None:
        fresh[:] = [(match.copy(), hand) for match, hand in tables]

    def ask() -> None:
        for match, hand in fresh:
            match.board.legal(hand)

    return Work(ask, len(tables), before)


@row("a hand of 30 in quad-ominos: beside 9 in triominoes", goal=10, better="less", cheap=True)
def thirty(effort: Effort) -> float:
    """Hands of tiles that do not lie, on tables of the middle of a round."""
    return ratio(big_hand("quad-ominos", 30), big_hand("triominoes", 9), effort)


@row("a hand of 28 in star: beside 9 in triominoes", goal=10, better="less", cheap=True)
def twenty_eight(effort: Effort) -> float:
    """Hands of tiles that do not lie, on tables of the middle of a round."""
    return ratio(big_hand("star", 28), big_hand("triominoes", 9), effort)


STARTS = {"triominoes": (5, 5, 5), "quad-ominos": (5, 5, 5, 5), "star": (4, 4, 4), "trioker": (3, 3, 3)}


def _perft(game: str, start: Tile) -> None:
    depth = 3 if len(start) == 3 and game != "star" else 2

    @row(f"perft, {game}: ways counted", unit="/s")
    def nodes(effort: Effort) -> float:
        ways = sum(counts(rules(game), start, depth))
        return 1 / cost(Work(lambda: counts(rules(game), start, depth), ways), effort)


for _game, _start in STARTS.items():
    _perft(_game, _start)
