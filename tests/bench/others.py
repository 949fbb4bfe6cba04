"""Other people's games in Python, as yardsticks: chess by python-chess, dominoes by OpenSpiel."""

from functools import cache
from random import Random

from tests.bench.measure import Work
from tests.bench.rows import Missing

GAMES = 12


@cache
def chess_positions() -> Work:
    """All legal moves of chess positions, reached by random play from the start; a unit is a position."""
    try:
        import chess
    except ImportError as error:
        raise Missing("python-chess is not installed (package `chess`)") from error
    rng, found = Random(1), []
    for seed in range(GAMES):
        board = chess.Board()
        while not board.is_game_over() and board.ply() < 80:
            board.push(rng.choice(list(board.legal_moves)))
            if board.ply() % 7 == seed % 7:
                found.append(board.copy(stack=False))
    return Work(lambda: [list(board.legal_moves) for board in found], len(found))


@cache
def block_dominoes() -> Work:
    """Complete random games of block dominoes for two; a unit is a ply of a player, the dealing is in the price."""
    try:
        import pyspiel
        from open_spiel.python.games import block_dominoes  # noqa: F401 - to import it is to register it
    except ImportError as error:
        raise Missing("OpenSpiel is not installed (package `open-spiel`)") from error
    game = pyspiel.load_game("python_block_dominoes")

    def play(seed: int) -> int:
        rng, state, plies = Random(seed), game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(rng.choice(state.chance_outcomes())[0])
            else:
                legal = state.legal_actions()
                state.apply_action(legal[int(rng.random() * len(legal))])
                plies += 1
        return plies

    return Work(lambda: [play(seed) for seed in range(GAMES)], sum(map(play, range(GAMES))))
