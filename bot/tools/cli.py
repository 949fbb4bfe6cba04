"""`boneyard judge`, `run_perft`, `replay`, `review` and `verify`: the command line of the referee.

A refused move is an answer and ends with status 0; unreadable input is one line on standard error and status 2.
"""

import io
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, BinaryIO

import typer

from bot.tools import verdicts
from bot.tools.choice_names import accept_names
from bot.tools.position_reading import (
    MAX_TEXT,
    UnreadableError,
    parse_case,
    parse_case_line,
    parse_number,
    parse_tile,
    require_standard_input,
    with_options,
)
from bot.tools.replay import exit_on_unreadable, run_replay
from bot.tools.review import run_review
from bot.tools.verdicts import RefereeAnswer, Verdict, count_sequences
from bot.tools.verify import run_verify
from data.rulebook import list_games, load_rules
from engine.match.rules import Rules

Game = Annotated[
    str,
    typer.Argument(
        help=f"The game: {', '.join(list_games())}.", show_default=False, callback=accept_names("game", list_games())
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a sentence.")]
Options = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        metavar="NAME=VALUE",
        help="A house rule of RULES §3.1, §4.1, §5.1 or §6.",
    ),
]

Position = Annotated[
    str, typer.Option(help='The table, in the order of play: "U0,0=135 D0,0=355".', show_default=False)
]

judge = typer.Typer(help="Judge a placement, an opening or a blocked round.", no_args_is_help=True)


def mount(app: typer.Typer) -> None:
    app.add_typer(judge, name="judge")
    app.command("perft")(run_perft)
    app.command("replay")(run_replay)
    app.command("review")(run_review)
    app.command("verify")(run_verify)


@judge.command("placement")
def judge_placement(
    game: Game,
    source: Annotated[
        str | None, typer.Argument(metavar="-", help="A dash reads cases from standard input.", show_default=False)
    ] = None,
    position: Annotated[
        str | None, typer.Option(help='The table, in the order of play: "U0,0=135 D0,0=355".', show_default=False)
    ] = None,
    move: Annotated[str | None, typer.Option(help="The placement to judge: D-1,0=331.", show_default=False)] = None,
    drawn: Annotated[
        str | None, typer.Option(metavar="N", help="Tiles drawn in this turn before it.", show_default=False)
    ] = None,
    option: Options = None,
    as_json: Json = False,
) -> None:
    """Judge one placement, or one on each line of standard input.

    A tile's numbers are read clockwise. A triangle that points up (U) begins
    at its left corner; one that points down (D) and a square begin at the top
    left. Numbers on sides begin with the side after that corner. J is a wild
    corner, BOSS the tile without numbers. Without a position, the move is
    judged as the opening of a round. If a game has several tile sets and no
    option names one, the smallest set with all these tiles is used.

    A refused move has "legal": false and a reason in "why"; the status is 0.
    "points" are the points of the placement. "bonus_choice": it earns a choice
    of points or further tiles. "matched": the corners matched for it.
    "extra_turn": it allows another turn.

    With a dash, each line of standard input is a case:
    POSITION ; MOVE [; drawn=N] [; NAME=VALUE]...
    The answers are lines of JSON in the same order. The answer to an
    unreadable line is {"error": "..."}, and the status is then 2. Blank lines
    are skipped. A line can have 20000 characters and 60 options.
    """
    with exit_on_unreadable():
        with_options(load_rules(game), option or [])  # report a wrong option once, not for every line
        if source is not None:
            if source != "-":
                raise UnreadableError(f"{source!r} is out of place; write - to read cases from standard input")
            if not (position is None and move is None and drawn is None):
                raise UnreadableError(
                    "- reads positions and moves from standard input; leave --position, --move, --drawn out"
                )
            raise typer.Exit(_print_answers(load_rules(game), option or []))
        if move is None:
            raise UnreadableError('move: missing; write it like --move "D-1,0=331"')
        parsed_case = parse_case(load_rules(game), position or "", move, "0" if drawn is None else drawn, option or [])
        _print_verdict(verdicts.judge_case(parsed_case), as_json)


@judge.command("moves")
def judge_moves(
    game: Game,
    position: Position = "",
    tiles: Annotated[
        str | None,
        typer.Option(help='The tiles to place: "1-1-3 0-0-5". Default: all not on the table.', show_default=False),
    ] = None,
    option: Options = None,
    as_json: Json = False,
) -> None:
    """Print every legal placement of some tiles with its points, most points first.

    The points do not include the cost of tiles drawn before. With --json,
    "moves" has an object for each, with "move" and what judge placement says.
    """
    with exit_on_unreadable():
        _print_verdict(verdicts.judge_moves(load_rules(game), position, tiles, option or []), as_json)


@judge.command("opening")
def judge_opening(
    game: Game,
    hands: Annotated[str, typer.Option(help='Hands by seat: "0-4-5 3-3-3 / 4-4-4 0-0-1".', show_default=False)] = "",
    option: Options = None,
    as_json: Json = False,
) -> None:
    """Print who opens a round, with which tile, and for how many points.

    Seats count from 0. If the opener can choose between tiles with different
    points, "points" has one number for each. In Quad-Ominos these are only the
    sums. "bonus_choice": the tile also earns 25 points or two more tiles.
    "both": it earns 25 points and two more tiles.
    """
    with exit_on_unreadable():
        _print_verdict(verdicts.judge_opening(load_rules(game), hands, option or []), as_json)


@judge.command("block")
def judge_block(
    game: Game,
    totals: Annotated[str, typer.Option(help="Points in every hand: 23,15,27.", show_default=False)] = "",
    tiles: Annotated[
        str | None,
        typer.Option(help="Tiles in every hand, for games in which the fewest win: 3,2,4.", show_default=False),
    ] = None,
    position: Position = "",
    hands: Annotated[str | None, typer.Option(help='Hands by seat: "0-4-5 3-3-3 / 4-4-4".', show_default=False)] = None,
    left: Annotated[
        str | None,
        typer.Option(help="Tiles left to draw. Default: all not on the table or in a hand.", show_default=False),
    ] = None,
    option: Options = None,
    as_json: Json = False,
) -> None:
    """Print whether a round is blocked, and the award of each seat.

    With --position and --hands, it looks for a tile that can be placed, in the
    hands and among the tiles left to draw. Penalties for failed turns are not
    included.

    With --totals, it assumes that the round is blocked. Trioker also needs
    --tiles, because the player with the fewest tiles wins.
    """
    with exit_on_unreadable():
        if hands is None and not position and left is None:
            verdict = verdicts.judge_block(with_options(load_rules(game), option or []), totals, tiles)
        elif totals or tiles is not None:
            raise UnreadableError("block: give --totals and --tiles, or --position, --hands and --left")
        else:
            verdict = verdicts.judge_hands(load_rules(game), position, hands or "", left, option or [])
        _print_verdict(verdict, as_json)


def run_perft(
    game: Game,
    start: Annotated[str, typer.Option(help="The first tile on the table: 5-5-5.", show_default=False)] = "",
    depth: Annotated[str, typer.Option(metavar="N", help="Number of further tiles.")] = "3",
    option: Options = None,
    as_json: Json = False,
) -> None:
    """Count the ways to place 1, 2, ... N further tiles when all others are in hand.

    Each step takes many times as long as the one before it: about seventeen
    times in Triominoes and Trioker, forty in Points, eighty in Muggins, Star
    and Quad-Ominos. Known counts are in docs/reference/perft.md.
    """
    with exit_on_unreadable():
        table_rules = with_options(load_rules(game), option or [])
        tile = parse_tile(table_rules, start, "start")
        found = count_sequences(table_rules, tile, parse_number("depth", depth, 1, len(table_rules.tiles) - 1))
        _print_verdict(Verdict({"counts": found}, ", ".join(map(str, found))), as_json)


def judge_lines(table_rules: Rules, lines: Iterable[str], options: Sequence[str] = ()) -> Iterator[RefereeAnswer]:
    """Yield the answer to each case, skipping blank lines. `options` hold for every line."""
    for line in lines:
        if not line.strip():
            continue
        try:
            yield verdicts.judge_case(parse_case_line(table_rules, line, options)).answer
        except UnreadableError as error:
            yield {"error": str(error)}


def _read_lines(source: BinaryIO) -> Iterator[str]:
    """Yield the lines of a stream; a line that is too long is cut just above the limit."""
    # Only \n ends a line, so that answers match the sender's count.
    text = io.TextIOWrapper(source, encoding="utf-8", errors="replace", newline="\n")
    try:
        while line := text.readline(MAX_TEXT + 2):
            yield line.removesuffix("\n")
            while not line.endswith("\n") and (line := text.readline(MAX_TEXT)):
                pass
    finally:
        text.detach()


def _print_answers(table_rules: Rules, options: Sequence[str]) -> int:
    status = 0
    for answer in judge_lines(table_rules, _read_lines(require_standard_input()), options):
        # Flush each answer, for interactive use by another program.
        print(json.dumps(answer), flush=True)
        if "error" in answer:
            status = 2
    return status


def _print_verdict(verdict: Verdict, as_json: bool) -> None:
    typer.echo(json.dumps(verdict.answer) if as_json else verdict.sentence)
