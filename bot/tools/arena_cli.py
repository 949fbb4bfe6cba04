"""`boneyard duel`, `ladder` and `run_seat`: the command line. Each imports slow modules itself.

Unreadable input is one line on standard error and status 2. Status 1: an interrupted duel, a check with differences, a
match that a program lost by its faults.
"""

import json
import secrets
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from bot.tools.contest import Contest

Game = Annotated[str, typer.Option(help="The game to play.")]
Seats = Annotated[int, typer.Option(min=2, max=26, help="Number of seats.")]
Players = Annotated[
    str,
    typer.Option(
        metavar="A,B,...",
        help='Players: easy, medium, hard, expert, master, greedy, random, or a program as "seat:COMMAND". The last '
        "one has all further seats.",
    ),
]
Deals = Annotated[
    int | None, typer.Option(min=1, help="Number of deals; each is played once with every player on every seat.")
]
Single = Annotated[bool, typer.Option("--single/--matches", help="Play one round of each deal, or whole matches.")]
Preset = Annotated[str, typer.Option(help="The rule set, as in /tiles new.")]
Option = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=VALUE", help="A house rule, as in /tiles new; can be repeated."),
]
Target = Annotated[int | None, typer.Option(min=1, help="Points that end a match, as in /tiles new.")]
Seed = Annotated[int | None, typer.Option(min=0, help="Seed of the deals and all randomness; default: random.")]
Jobs = Annotated[int | None, typer.Option(min=1, help="Number of parallel processes; default: one for each core.")]
Limit = Annotated[float, typer.Option(min=0.05, max=3600, help="Seconds that a program has for each move.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of rows.")]


def mount(app: typer.Typer) -> None:
    app.command("duel")(run_duel)
    app.command("ladder")(run_ladder)
    app.command("seat", context_settings={"allow_interspersed_args": False, "ignore_unknown_options": True})(run_seat)


def run_duel(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE]...", help="Only print the rows of these files.", show_default=False),
    ] = None,
    game: Game = "",
    seats: Seats = 2,
    players: Players = "",
    deals: Deals = None,
    single: Single = False,
    preset: Preset = "default",
    option: Option = None,
    target: Target = None,
    seed: Seed = None,
    jobs: Jobs = None,
    limit: Limit = 5.0,
    file: Annotated[
        Path | None,
        typer.Option(help="Store the results there, and continue with those it has.", show_default=False),
    ] = None,
    recheck: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Play some deals of a file again.", show_default=False)
    ] = None,
    sample: Annotated[int, typer.Option(min=1, help="Number of deals to play again.")] = 20,
    as_json: Json = False,
) -> None:
    """Let players play each other and print the share of wins of the first one.

    Each deal is played with every rotation of the seats, so that every player
    gets every hand. A tie counts as half a win. The 95 % interval is over
    deals. With --file, results are stored as they arrive and a stopped run
    continues; without --players, the file names the players.
    docs/strength/tables.txt consists of such rows.
    """
    from bot.tools.duel import clear_line, count_cores, create_progress_printer, play_duel
    from bot.tools.duel_results import DuelResults, is_begun, read_contest
    from bot.tools.tally import TABLE_HEAD, build_duel_json, format_command, format_row

    with _exit_on_failure():
        if files:
            known = list(map(DuelResults.from_file, files))
            rows = [json.dumps(list(map(build_duel_json, known)))] if as_json else [TABLE_HEAD, *map(format_row, known)]
            typer.echo("\n".join(rows))
            raise typer.Exit(0)
        if recheck is not None:
            raise typer.Exit(_run_recheck(recheck, sample, seed, jobs or count_cores(), as_json=as_json))
        if players or file is None or not is_begun(file):
            if file is not None and is_begun(file) and seed is None:
                seed = read_contest(file).seed
            names = _parse_names(players or "greedy,random")
            contest = _build_contest(game, names, seats, preset, option, target, seed, single, limit)
        else:
            contest = read_contest(file)
        _require_programs(contest)
        results = DuelResults(contest, file)
        play_duel(results, deals or (len(results.deals) or 100), jobs or count_cores(), create_progress_printer())
        clear_line()
        if as_json:
            typer.echo(json.dumps(build_duel_json(results)))
        else:
            typer.echo(f"{TABLE_HEAD}\n{format_row(results)}\n\n{format_command(contest, len(results.deals))}")


def run_ladder(
    game: Game = "triominoes",
    players: Players = "random,greedy,easy,medium,hard,expert,master",
    deals: Deals = 100,
    single: Single = False,
    preset: Preset = "default",
    option: Option = None,
    target: Target = None,
    seed: Seed = None,
    jobs: Jobs = None,
    limit: Limit = 5.0,
    folder: Annotated[
        Path | None,
        typer.Option(help="Store the results of every pair there, and continue with those it has.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """Let all players play all others, two at a time, and rate them.

    The ratings are Elo ratings with greedy at 0: 100 points more mean 64 wins
    in 100 matches, and 400 more mean ten wins to one. The 95 % interval is
    over deals. The default seed is 1.
    """
    from dataclasses import replace

    from bot.tools.duel import clear_line, count_cores, create_progress_printer
    from bot.tools.ladder import build_ladder_json, format_table, play_ladder

    with _exit_on_failure():
        names = _parse_names(players)
        seed = 1 if seed is None else seed
        contest = _build_contest(game, names[:2], 2, preset, option, target, seed, single, limit)
        contest = replace(contest, players=names)
        _require_programs(contest)
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        found = play_ladder(contest, deals or 100, jobs or count_cores(), folder, create_progress_printer())
        clear_line()
        rows = [json.dumps(build_ladder_json(contest, found))] if as_json else format_table(contest, found)
        typer.echo("\n".join(rows))


def run_seat(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="CMD...", help="A program that speaks the protocol.", show_default=False),
    ] = None,
    game: Game = "triominoes",
    seats: Seats = 2,
    against: Annotated[str, typer.Option(help="The level that plays all other seats.")] = "greedy",
    matches: Annotated[
        int, typer.Option(min=1, help="Number of matches; the program changes to the next seat in each.")
    ] = 1,
    single: Annotated[bool, typer.Option("--single", help="One round instead of a match.")] = False,
    preset: Preset = "default",
    option: Option = None,
    target: Target = None,
    seed: Seed = None,
    limit: Limit = 5.0,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the record of the last match.", show_default=False)
    ] = None,
    schema: Annotated[bool, typer.Option("--schema", help="Print the schema of the protocol and exit.")] = False,
    as_json: Json = False,
) -> None:
    """Let a program play: lines of JSON in, lines of JSON out (docs/reference/player-protocol.md).

    It sees only what its seat may see. If an answer is late, missing or no
    legal move, greedy makes the move. The third time in a match, the program
    loses the match; it also loses if it exits or floods its output. The status
    is then 1.
    """
    from bot.computers.protocol import SCHEMA
    from bot.tools.contest import PROGRAM_PREFIX
    from bot.tools.single_seat import play_seat

    with _exit_on_failure():
        if schema:
            typer.echo(SCHEMA.read_text(encoding="utf-8"), nl=False)
            raise typer.Exit(0)
        if not words:
            from bot.tools.position_reading import UnreadableError

            raise UnreadableError("which program? Write boneyard seat perl player.pl")
        import shlex

        names = (f"{PROGRAM_PREFIX}{shlex.join(words)}", against)
        contest = _build_contest(game, names, seats, preset, option, target, seed, single, limit)
        _require_programs(contest)
        raise typer.Exit(play_seat(contest, matches, record, as_json=as_json))


def _run_recheck(file: Path, sample: int, seed: int | None, jobs: int, *, as_json: bool) -> int:
    from bot.tools.duel import clear_line, create_progress_printer, recheck
    from bot.tools.duel_results import DuelResults

    results = DuelResults.from_file(file)
    _require_programs(results.contest)
    found = recheck(results, sample, secrets.randbits(32) if seed is None else seed, jobs, create_progress_printer())
    clear_line()
    if as_json:
        answer = {"deals": found.total, "sample": found.sample}
        typer.echo(json.dumps(answer | {"differ": found.differing, "changed": found.other_edition}))
    else:
        result = f"{len(found.differing)} ended otherwise" if found.differing else "all end as they did"
        typer.echo(f"{len(found.sample):,} of {found.total:,} deals played again: {result}.")
        if found.differing:
            typer.echo(f"These: {', '.join(map(str, found.differing))}.")
        if found.differing and found.other_edition:
            typer.echo("Players or rules have changed since the file was made.")
    return 1 if found.differing else 0


def _build_contest(
    game: str,
    players: tuple[str, ...],
    seats: int,
    preset: str,
    option: list[str] | None,
    target: int | None,
    seed: int | None,
    single: bool,
    limit: float,
) -> "Contest":
    from bot.tables.rules_text import parse_options
    from bot.tools.choice_names import find_value
    from bot.tools.contest import Contest
    from data.rulebook import list_games, list_presets
    from data.words import load_words
    from engine.players.levels import LEVELS, REFERENCE_PLAYERS

    game = find_value(game, "game", list_games()) or list_games()[0]
    known = (*LEVELS, *REFERENCE_PLAYERS)
    preset = find_value(preset, "preset", list_presets(game)) if game in list_games() else preset
    typed = [one for text in option or [] for one in parse_options(text, game, preset, (load_words(),))]
    found = Contest(
        game=game,
        players=tuple(find_value(name, "level", known) for name in players),
        seed=secrets.randbits(48) if seed is None else seed,
        seats=seats,
        preset=preset,
        options=(*typed, *([f"target={target}"] if target is not None else [])),
        single=single,
        limit=limit,
    )
    found.require_playable()
    return found


def _parse_names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _require_programs(contest: "Contest") -> None:
    import shlex
    import shutil

    from bot.tools.contest import PROGRAM_PREFIX
    from bot.tools.position_reading import UnreadableError
    from engine.players.evaluation_weights import NO_WEIGHTS
    from engine.players.levels import build_player

    for name in contest.players:
        if not name.startswith(PROGRAM_PREFIX):
            try:
                build_player(name, contest.rules, NO_WEIGHTS)
            except ValueError as error:
                raise UnreadableError(f"players: {error}, or {PROGRAM_PREFIX}COMMAND") from error
            continue
        try:
            command = shlex.split(name.removeprefix(PROGRAM_PREFIX))
        except ValueError as error:
            raise UnreadableError(f"players: {name!r} cannot be read: {error}") from error
        if not command or shutil.which(command[0]) is None:
            raise UnreadableError(f"players: there is no program {command[0] if command else ''!r} to run")


@contextmanager
def _exit_on_failure() -> Iterator[None]:
    from bot.tools.duel import WorkerError
    from bot.tools.position_reading import UnreadableError
    from data.rulebook import RulebookError

    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        print(file=sys.stderr)
        raise typer.Exit(1) from None
    except (UnreadableError, RulebookError) as error:
        typer.echo(f"boneyard: {error}", err=True)
        raise typer.Exit(2) from error
    except OSError as error:
        if error.filename is None:  # the reader of the output may have closed it
            raise
        typer.echo(f"boneyard: {error.filename}: {error.strerror}", err=True)
        raise typer.Exit(2) from error
    except WorkerError as error:
        typer.echo(f"boneyard: {error}", err=True)
        raise typer.Exit(1) from error
    finally:
        signal.signal(signal.SIGTERM, before)
