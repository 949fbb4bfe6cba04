"""Other people's games in Python, as yardsticks: chess by python-chess, dominoes by OpenSpiel."""

from functools import cache, partial
from random import Random

from tests.bench.measure import Work
from tests.bench.rows import Missing

GAMES = 12


@cache
def chess_games() -> Work:
    """Random games of chess by python-chess, along which each move is pushed and all legal ones are listed then; a unit
    is a ply, the board itself is in the price.
    """
    try:
        import chess
    except ImportError as error:
        raise Missing("python-chess is not installed (package `chess`)") from error
    games = []
    for seed in range(GAMES):
        rng, board = Random(seed), chess.Board()
        while not board.is_game_over() and board.ply() < 80:
            board.push(rng.choice(list(board.legal_moves)))
        games.append(list(board.move_stack))

    def play(moves: list[chess.Move]) -> None:
        board = chess.Board()
        for move in moves:
            board.push(move)
            list(board.legal_moves)

    return Work.of((partial(play, moves) for moves in games), units=sum(map(len, games)))


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

    return Work.of((partial(play, seed) for seed in range(GAMES)), units=sum(map(play, range(GAMES))))
