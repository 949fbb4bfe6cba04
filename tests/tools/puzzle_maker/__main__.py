"""Make puzzles of the day ahead, and check them again (docs/explanation/puzzles.md)."""

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Annotated, Final

import typer

from data.puzzle_book import PuzzleFileError, format_line, parse_game, read_puzzles
from data.rulebook import RulebookError, load_rules
from data.weights import load_weights
from engine.match.errors import RuleError
from engine.match.player_view import view_for
from engine.match.rules import Rules
from engine.players.levels import build_player
from engine.puzzles.position import DamagedPositionError
from engine.puzzles.puzzle import Puzzle, build_proposal, build_start, choose_kind, parse_solution
from tests.tools.puzzle_maker.best_moves import find_best_move_puzzle, find_lead, iterate_choices
from tests.tools.puzzle_maker.unique_answers import find_only_answer, find_unique_puzzle

app = typer.Typer(help="The puzzles of the day: make more of them, check those there are.", no_args_is_help=True)

MAX_ROUNDS: Final = 2_000
"""Number of rounds that are searched for the puzzle of a day."""
MAX_CHOICES: Final = 8
"""Number of choices of a round that are examined for a best move."""
MAKER_LEVEL: Final = "hard"
"""The level that plays the rounds."""

Game = Annotated[str, typer.Option(help="Which game is played.")]
Day = Annotated[str, typer.Option("--from", metavar="YYYY-MM-DD", help="The first day; else today.")]
Seed = Annotated[str, typer.Option(help="Seed of all random numbers; the same seed finds the same puzzles.")]


@app.command("make")
def make_puzzles(
    file: Annotated[Path, typer.Option(help="Where the puzzles go; days that it has are left as they are.")],
    game: Game = "triominoes",
    first: Day = "",
    days: Annotated[int, typer.Option(min=1, max=3660, help="How many days.")] = 31,
    seed: Seed = "boneyard",
    worlds: Annotated[int, typer.Option(min=300, help="Deals in which a best move must lead.")] = 10_000,
) -> None:
    """Make a puzzle for each of these days, from rounds that computers play.

    Each puzzle is written at once, so a stopped run can resume. A best-move puzzle takes seconds to a minute.
    Other puzzles are faster. `chrt -i 0` limits the run to idle CPU time.
    Exits with 2 if the file or the game cannot be read.
    """
    try:
        load_rules(game)
        begin = date.fromisoformat(first) if first else datetime.now(UTC).date()
        known = read_puzzles(file) if file.exists() else {}
        file.touch()
    except (RulebookError, PuzzleFileError, OSError, ValueError) as error:
        raise _report_unusable(error) from error
    wanted = [day for offset in range(days) if (day := begin + timedelta(offset)) not in known]
    missing = 0
    with file.open("a", encoding="utf-8") as out:
        for day in wanted:
            puzzle = find_puzzle(game, day, seed, worlds)
            if puzzle is None:
                missing += 1
                typer.echo(f"boneyard: no puzzle was found for {day} in {MAX_ROUNDS:,} rounds", err=True)
                continue
            out.write(format_line(day, puzzle) + "\n")
            out.flush()
            typer.echo(f"{day} {puzzle.kind}", err=True)
    typer.echo(f"{len(wanted) - missing} puzzles were made; {file} has {len(known) + len(wanted) - missing}.")
    raise typer.Exit(1 if missing else 0)


@app.command("check")
def check_puzzles(
    file: Annotated[Path, typer.Argument(help="A file of puzzles, GAME-YEAR.jsonl.")],
    sample: Annotated[int, typer.Option(min=0, help="So many of them, at random; 0 for all.")] = 10,
    seed: Seed = "check",
    worlds: Annotated[int, typer.Option(min=300, help="Deals in which a best move must lead.")] = 10_000,
) -> None:
    """Check puzzles again: all ways to place the tiles, and new deals for best moves.

    The file name contains the game. Exits with 1 if a puzzle has no answer, another answer, or no clear best move.
    Exits with 2 if the file cannot be read.
    """
    try:
        rules, known = load_rules(parse_game(file)), read_puzzles(file)
    except (RulebookError, PuzzleFileError, OSError) as error:
        raise _report_unusable(error) from error
    rng, days = Random(seed), sorted(known)
    checked_days = sorted(rng.sample(days, sample)) if 0 < sample < len(days) else days
    wrong = 0
    for day in checked_days:
        fault = find_fault(known[day], rules, day, f"{seed} {day}", worlds)
        wrong += bool(fault)
        typer.echo(f"{day} {known[day].kind}: {fault or 'holds'}")
    kinds = Counter(known[day].kind for day in checked_days)
    summary = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    typer.echo(f"{len(checked_days) - wrong} of {len(checked_days)} hold: {summary}.")
    raise typer.Exit(1 if wrong else 0)


def find_puzzle(game: str, day: date, seed: str, worlds: int) -> Puzzle | None:
    """Return the puzzle of a day; None if none is found."""
    rules = load_rules(game)
    weights, kind = load_weights(rules), choose_kind(rules, day.weekday())
    for number in range(MAX_ROUNDS):
        name = f"{seed} {game} {day} {number}"
        rng, secret = Random(name), sha256(name.encode()).digest()[:16]
        situations = list(iterate_choices(rules, build_player(MAKER_LEVEL, rules, weights), secret, rng))
        rng.shuffle(situations)  # use later positions too
        for situation in situations[:MAX_CHOICES] if kind == "best" else situations:
            found = (
                find_best_move_puzzle(situation, weights, rng, worlds)
                if kind == "best"
                else find_unique_puzzle(situation.match, situation.position, kind, rng)
            )
            if found is not None:
                return found
    return None


def find_fault(puzzle: Puzzle, rules: Rules, day: date, seed: str, worlds: int) -> str:
    """Return the fault of a puzzle; empty if there is none."""
    try:
        match = build_start(puzzle, rules)
        proposal = build_proposal(puzzle, match, parse_solution(puzzle, rules))
    except (DamagedPositionError, RuleError) as error:
        return f"it cannot be set up: {error}"
    if puzzle.kind != choose_kind(rules, day.weekday()):
        return "its day has another kind"
    if puzzle.kind == "best":
        view = view_for(match, match.turn)
        leader = find_lead(view, load_weights(rules), Random(seed), worlds)
        if leader is None:
            return "no move leads clearly enough"
        return "" if str(leader.move) == puzzle.line[0] else f"{leader.move} leads"
    if puzzle.kind != "count" and not proposal.solved:
        return "its answer does not solve it"
    found = find_only_answer(match, puzzle.kind)
    return "" if found is not None and {*map(str, found)} == {*puzzle.line} else "it has another answer, or several"


def _report_unusable(error: Exception) -> typer.Exit:
    typer.echo(f"boneyard: {error}", err=True)
    return typer.Exit(2)


if __name__ == "__main__":
    app()
