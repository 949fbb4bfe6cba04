"""The rules: legal moves, complete rounds, rebuilding a match. Everything is asked as the bot asks it.

How each is counted is told in docs/performance.md.
"""

from functools import cache

from bot.referee.perft import counts
from data.rulebook import games, rules
from engine.match import Match, replay
from engine.tiles import Tile
from tests.bench import rounds
from tests.bench.measure import Effort, Work, cost, ratio
from tests.bench.others import block_dominoes, chess_positions
from tests.bench.positions import ASKED, full_hands, long_match, positions
from tests.bench.rows import row, work
from tests.engine.naive_games import second_opinion

ROUNDS = 4
HELD = {"star": 5.0, "quad-ominos": 5.0}
"""Where six times as many positions as python-chess are met by a little, and what is held instead on a busy machine."""


@cache
def legal(game: str, asked: int = ASKED) -> Work:
    """Legal moves of the hand whose turn it is, on tables that have just changed; a unit is a question."""
    tables: list[Match] = []

    def before() -> None:
        tables[:] = [position.match.copy() for position in positions(game)]

    def ask() -> None:
        for table in tables:
            for _ in range(asked):
                table.legal(table.turn)

    return Work(ask, len(positions(game)) * asked, before)


@cache
def naive_legal(game: str) -> Work:
    """The same by the second opinion in the tests."""
    asked, opinion = positions(game), second_opinion(rules(game))
    return Work(lambda: [position.naive(opinion) for position in asked], len(asked))


def _compare(game: str) -> None:
    work(f"legal moves, {game}")(lambda: legal(game))
    work(f"legal moves, {game}, naive")(lambda: naive_legal(game))

    @row(f"legal moves, {game}: beside the naive generator", goal=60, cheap=game in ("triominoes", "star"))
    def beside_naive(effort: Effort) -> float:
        return ratio(naive_legal(game), legal(game), effort)

    @row(f"legal moves, {game}: beside python-chess", goal=6, cheap=True, held=HELD.get(game))
    def beside_chess(effort: Effort) -> float:
        return ratio(chess_positions(), legal(game), effort)

    @row(f"legal moves, {game}: asked once only, beside the naive generator")
    def once(effort: Effort) -> float:
        return ratio(naive_legal(game), legal(game, 1), effort)


for _game in games():
    _compare(_game)

work("legal moves of chess")(lambda: chess_positions())


@cache
@work("random rounds, a ply")
def our_rounds() -> Work:
    """Complete random rounds of Triominoes; a unit is a ply."""
    return Work(lambda: [rounds.ours(seed) for seed in range(ROUNDS)], sum(_plies()))


@cache
@work("random rounds, a ply, naive")
def naive_rounds() -> Work:
    """The same by the second opinion."""
    deals = [rounds.dealt(seed) for seed in range(ROUNDS)]
    plies = sum(rounds.theirs(seed, deal).plies for seed, deal in enumerate(deals))
    return Work(lambda: [rounds.theirs(seed, deal) for seed, deal in enumerate(deals)], plies)


@cache
def _plies() -> list[int]:
    """The plies of each of our rounds, once both sides were seen to play the same round from the same choices."""
    for seed in range(ROUNDS):
        assert rounds.ours(seed, sort=True) == rounds.theirs(seed, rounds.dealt(seed), sort=True)
    return [rounds.ours(seed).plies for seed in range(ROUNDS)]


work("random games of block dominoes, a ply")(lambda: block_dominoes())


@row("random rounds, triominoes: plies beside the naive generator", goal=50, cheap=True, held=36)
def rounds_beside_naive(effort: Effort) -> float:
    """Both are counted by the ply."""
    return ratio(naive_rounds(), our_rounds(), effort)


@row("random rounds, triominoes: plies beside OpenSpiel's block dominoes", goal=4, cheap=True, held=1.9)
def rounds_beside_dominoes(effort: Effort) -> float:
    """Both are counted by the ply."""
    return ratio(block_dominoes(), our_rounds(), effort)


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
