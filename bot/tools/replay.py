"""`boneyard replay`: replays and checks a record, and shows it at any line (docs/reference/records.md)."""

import json
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from bot.tools.choice_names import accept_language, accept_names
from bot.tools.position_reading import (
    UnreadableError,
    format_count,
    format_refusal,
    parse_number,
    require_standard_input,
)
from bot.tools.verdicts import RefereeAnswer
from data.rulebook import RulebookError, load_rules
from data.words import DEFAULT_LANGUAGE, list_languages
from engine.board.tiles import format_tile_notation
from engine.match.actions import Option
from engine.match.decide import compute_reward, list_options
from engine.match.errors import RuleError, Violation
from engine.match.rules import Rules
from engine.match.state import Match
from engine.record import DamagedRecordError, Record, RecordFault, Rerun, read, rerun
from engine.record.text import format_position, format_seat, format_tiles
from engine.table.terms import CLASSIC, THEMES

if TYPE_CHECKING:
    from bot.core.names import SeatNames
    from engine.match.event_log import EventLog


DEFAULT_SCHEME: Final = "dark"  # default picture colours
SCHEME_NAMES: Final = (DEFAULT_SCHEME, "light", "contrast")


@dataclass(frozen=True, slots=True)
class OutputStyle:
    """Names, theme, colours and language of the output. Raises UnreadableError."""

    names: tuple[str, ...]  # by seat; missing ones are `Seat A` and so on
    theme: str
    scheme: str  # picture colours
    language: str

    def __post_init__(self) -> None:
        if self.theme not in THEMES:
            raise UnreadableError(f"theme: there is no {self.theme!r}; there is {', '.join(THEMES)}")
        if self.scheme != DEFAULT_SCHEME:
            from render.canvas.theme import SCHEMES

            if self.scheme not in SCHEMES:
                raise UnreadableError(f"scheme: there is no {self.scheme!r}; there is {', '.join(SCHEMES)}")
        if self.language not in list_languages():
            raise UnreadableError(f"language: there is no {self.language!r}; there is {', '.join(list_languages())}")

    def build_names(self, match: Match) -> "SeatNames":
        """Return the names of all seats. Raises UnreadableError."""
        from bot.core.names import SeatNames
        from bot.core.safe_text import sanitize_text

        seats = len(match.seats)
        if len(self.names) > seats:
            raise UnreadableError(f"name: {len(self.names)} names for {seats} seats")
        others = (f"Seat {format_seat(seat)}" for seat in range(len(self.names), seats))
        names = (*(sanitize_text(name) for name in self.names), *others)
        return SeatNames(names, names)


def write_output(what: str, file: Path, data: bytes) -> None:
    """Write a private file. Raises UnreadableError."""
    from data.private import write_private

    try:
        write_private(file, data)
    except OSError as error:
        raise UnreadableError(f"{what}: {file}: {error.strerror or error}") from error


def write_picture(moment: Rerun, file: Path, style: OutputStyle) -> None:
    """Write the picture of a position to a private file. Raises UnreadableError."""
    if file.suffix.lower() != ".png":
        raise UnreadableError(f"picture: {file}: the name of a picture ends with .png")
    from bot.tables.past_match import render_replay
    from data.words import load_words
    from engine.match.event_log import build_event_log

    event_log, names = build_event_log(moment.log), style.build_names(moment.match)
    drawn = render_replay(event_log, names, load_words(style.language), style.theme, style.scheme)
    write_output("picture", file, drawn.png)


def write_film(whole: Rerun, file: Path, style: OutputStyle, seconds: float) -> None:
    """Write a film of the match to a GIF. Raises UnreadableError."""
    from bot.tables.past_match import build_shots
    from data.words import load_words
    from engine.match.event_log import build_event_log
    from engine.record import list_steps
    from render.table.film import Film

    if file.suffix.lower() != ".gif":
        raise UnreadableError(f"film: {file}: the name of a film ends with .gif")
    first, *others = list_steps(whole.log)
    if not others:
        raise UnreadableError("film: nothing was played")
    event_log, names = build_event_log(whole.log[: first.events]), style.build_names(whole.match)

    def iterate_moments() -> "Iterator[tuple[EventLog, SeatNames]]":
        event_count = first.events
        for step in others:
            for event in whole.log[event_count : step.events]:
                event_log.apply(event)
            event_count = step.events
            yield event_log, names

    frames = build_shots(iterate_moments(), load_words(style.language))
    film = Film(frames, round(seconds * 1000), theme=style.theme, scheme=style.scheme)
    for frame in range(len(film)):
        film.render_frame(frame)
    write_output("film", file, film.to_gif())


def build_position_json(moment: Rerun) -> RefereeAnswer:
    """Return the table as the value that `--json` prints. `turn` is null after the round.

    `options` are the seat's choices beside placing a tile, `bonus_tiles` the bonus tiles it may still place, `further`
    whether it has a further turn.
    """
    match = moment.match
    over = bool(match.round_over or match.ended)
    return {
        "plays": moment.plays,
        "round": match.round,
        "position": format_position(match.board),
        "seats": [
            {"total": seat.total, "hand": [format_tile_notation(tile) for tile in seat.hand], "resigned": seat.resigned}
            for seat in match.seats
        ],
        "boneyard": len(match.boneyard),
        "aside": len(match.aside),
        "turn": None if over else match.turn,
        "drawn": match.drawn,
        "options": [] if over else list(_list_options(match)),
        "bonus_tiles": match.bonus_tiles,
        "further": match.further,
    }


def format_position_lines(moment: Rerun | None, plays: int) -> list[str]:
    if moment is None:
        return [f"Line of play {plays} cannot be reached."]
    match = moment.match
    lines = [format_position(match.board) or "The board is empty."]
    for place, seat in enumerate(match.seats):
        holds = "resigned" if seat.resigned else f"holds {format_tiles(seat.hand)}"
        lines.append(f"{format_seat(place)} {seat.total}, {holds}")
    rest = f"boneyard {len(match.boneyard)}" if match.rules.has_boneyard else f"set aside {len(match.aside)}"
    after = f"After {format_count(plays, 'line')} of play, round {match.round}, {rest}"
    if match.ended:
        return [*lines, f"{after}: the match is over."]
    if match.round_over:
        return [*lines, f"{after}: the round is over."]
    return [*lines, f"{after}: {format_seat(match.turn)} {_format_turn(match)}."]


def _format_turn(match: Match) -> str:
    if match.choosing:
        bonus = compute_reward(match)
        points, tiles = format_count(bonus.points, "point"), format_count(bonus.tiles, "more tile")
        possible = "tiles" in list_options(match)
        return f"takes {points} {'and' if bonus.both else 'or'} {tiles}" if possible else f"takes {points}"
    if match.bonus_tiles:
        return f"may place {format_count(match.bonus_tiles, 'more tile')}"
    if match.further:
        return "may take a further turn" if list_options(match) else "must take a further turn"
    return f"is to play and has drawn {match.drawn}" if match.drawn else "is to play"


def _list_options(match: Match) -> tuple[Option, ...]:
    return () if match.choosing and compute_reward(match).both else list_options(match)


RecordFile = Annotated[str, typer.Argument(metavar="FILE|-", help="A record; a dash reads it from standard input.")]
PlayerNames = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="The name of each player, seat by seat; can be repeated.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of sentences.")]
MAX_BYTES: Final = 8_000_000  # a thousand times a usual match
ONLY_VERIFY: Final = "Only boneyard verify shows whether it was fixed before: by the fingerprint of the lobby."
MAX_SHOWN_FAULTS = 10  # wrong lines that are listed


def run_replay(
    file: RecordFile,
    at: Annotated[
        str | None, typer.Option(metavar="N", help="Show the table after N lines of play.", show_default=False)
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE.png", help="Draw the table at --at, or at the end.", show_default=False)
    ] = None,
    film: Annotated[
        Path | None,
        typer.Option(metavar="FILE.gif", help="Draw the whole match as an animation.", show_default=False),
    ] = None,
    speed: Annotated[
        float, typer.Option(min=0.1, max=10, metavar="SECONDS", help="How long a film shows each move.")
    ] = 1.0,
    name: PlayerNames = None,
    theme: Annotated[
        str,
        typer.Option(help=f"How tiles are drawn: {', '.join(THEMES)}.", callback=accept_names("theme", THEMES)),
    ] = CLASSIC,
    scheme: Annotated[
        str,
        typer.Option(
            help=f"The colours of a picture: {', '.join(SCHEME_NAMES)}.", callback=accept_names("scheme", SCHEME_NAMES)
        ),
    ] = DEFAULT_SCHEME,
    language: Annotated[
        str,
        typer.Option(help=f"The language of a picture: {', '.join(list_languages())}.", callback=accept_language),
    ] = DEFAULT_LANGUAGE,
    as_json: Json = False,
) -> None:
    """Re-run the record of a match.

    Every play is decided again by the rules of the record, and every score,
    award, deal and result is compared with what it should be. Where the
    record has the secret, the deals are checked to be its shuffles.

    Status 0: everything is right. Status 1: the record can be read, and some
    line in it is wrong; what it should say is printed. Status 2: it cannot be
    read; the line and the reason are printed on standard error.
    """
    with exit_on_unreadable(), raise_with_source(file):
        record = read(read_text(file), load_rules)
        shown = record.plays if at is None else parse_number("at", at, 0, record.plays)
        checked = rerun(record)
        moment = rerun(record, shown)
        reached = moment if at is None or moment.plays == shown else None
        style = OutputStyle(tuple(name or ()), theme, scheme, language)
        if picture is not None and reached is not None:
            write_picture(reached, picture, style)
        if film is not None:
            write_film(checked, film, style, speed)
    if as_json:
        answer = build_summary_json(record, checked)
        if at is not None:
            answer["at"] = None if reached is None else build_position_json(reached)
        typer.echo(json.dumps(answer))
    else:
        lines = [] if at is None else format_position_lines(reached, shown)
        lines += format_summary_lines(record, checked) if at is None or checked.faults else []
        typer.echo("\n".join(lines))
    raise typer.Exit(1 if checked.faults else 0)


def build_summary_json(record: Record, checked: Rerun) -> RefereeAnswer:
    """Return the summary that `--json` prints, with the correct `totals` and `places` (null before the end)."""
    match = checked.match
    ended = match.ended
    return {
        "game": record.header.rules.game,
        "preset": record.header.preset or None,
        "seats": record.header.seats,
        "rounds": match.round,
        "plays": record.plays,
        "finished": ended is not None,
        "totals": [seat.total for seat in match.seats],
        "places": list(ended.places) if ended else None,
        "proved": checked.is_proved,
        "faults": [
            {"line": fault.line, "says": fault.actual, "should": _format_expected(fault, match.rules)}
            for fault in checked.faults
        ],
    }


def format_summary_lines(record: Record, checked: Rerun) -> list[str]:
    head, match = record.header, checked.match
    game = f"{head.rules.game} ({head.preset})" if head.preset else head.rules.game
    size = f"{format_count(match.round, 'round')}, {format_count(record.plays, 'line')} of play"
    lines = [f"{game}, {head.seats} seats: {size}."]
    if match.ended:
        ranks = (
            f"{format_seat(seat)} {total} (place {place})"
            for seat, (total, place) in enumerate(zip(match.ended.totals, match.ended.places, strict=True))
        )
        lines.append(f"Finished: {', '.join(ranks)}.")
    else:
        scores = (f"{format_seat(place)} {seat.total}" for place, seat in enumerate(match.seats))
        lines.append(f"{'Broken off' if checked.faults else 'Not finished'}: {', '.join(scores)}.")
    lines += [format_fault(fault, match) for fault in checked.faults[:MAX_SHOWN_FAULTS]]
    if len(checked.faults) > MAX_SHOWN_FAULTS:
        lines.append(f"... and {format_count(len(checked.faults) - MAX_SHOWN_FAULTS, 'more wrong line')}.")
    if not checked.faults:
        lines.append("Every score, award and deal is right.")
    if checked.is_proved:
        added = " with what the seats added" if head.contributions else ""
        lines.append(f"The deals are the shuffles of the record's secret{added}. {ONLY_VERIFY}")
    elif not checked.faults:
        lines.append("The shuffles are not proved: the record has no secret, or no fingerprint of it.")
    return lines


@contextmanager
def exit_on_unreadable() -> Iterator[None]:
    """Print unreadable input as one line on standard error, and exit with status 2."""
    try:
        yield
    except (UnreadableError, RulebookError) as error:
        typer.echo(f"boneyard: {error}", err=True)
        raise typer.Exit(2) from error


@contextmanager
def raise_with_source(file: str) -> Iterator[None]:
    """Raise UnreadableError with the file's name for a damaged record."""
    try:
        yield
    except DamagedRecordError as damage:
        raise UnreadableError(f"{'standard input' if file == '-' else file}, {damage}") from damage


def read_text(file: str) -> str:
    """Return the text of a file, or of standard input for a dash. Raises UnreadableError."""
    try:
        with nullcontext(require_standard_input()) if file == "-" else Path(file).open("rb") as source:
            raw = source.read(MAX_BYTES + 1)
    except OSError as error:
        raise UnreadableError(f"{file}: {error.strerror or error}") from error
    if len(raw) > MAX_BYTES:
        raise UnreadableError(f"{file}: longer than {MAX_BYTES} bytes, which no match comes to")
    # An undecodable byte then makes only its own line wrong.
    return raw.decode("utf-8", errors="replace")


def format_fault(fault: RecordFault, match: Match) -> str:
    if fault.rule_broken is not None:
        return f"Line {fault.line}: {fault.actual!r} is against the rules: {_format_expected(fault, match.rules)}."
    if not fault.expected:
        return f"Line {fault.line}: nobody can be at {fault.actual!r} here."
    if not fault.actual:
        return f"Line {fault.line}: {fault.expected!r} is missing; the record breaks off."
    return f"Line {fault.line}: {fault.actual!r} should be {fault.expected!r}."


def _format_expected(fault: RecordFault, rules: Rules) -> str | None:
    if fault.rule_broken is not None:
        return f"{fault.rule_broken.why}: {_format_refusal(fault.rule_broken, rules)}"
    return fault.expected or None


FIXED_REASONS: Final = {
    Violation.BONEYARD_EMPTY: "there is nothing left to draw",
    Violation.NOTHING_TO_CHOOSE: "there is nothing to choose",
    Violation.NOTHING_TO_TAKE_BACK: "the seat has placed nothing that can be taken back",
    Violation.RESIGNED: "the seat has left the match",
    Violation.MATCH_OVER: "the match is over",
}


def _format_refusal(broken: RuleError, rules: Rules) -> str:
    facts = broken.facts
    match broken.why, facts:
        case Violation.NOT_IN_HAND, {"tile": tuple(tile)}:
            return f"the seat does not hold {format_tile_notation(tile)}"
        case Violation.NOT_YOUR_TURN, {"turn": int(turn)}:
            return f"it is the turn of {format_seat(turn)}"
        case Violation.WRONG_OPENING, {"choices": tuple(choices)}:
            return f"the round opens with {' or '.join(map(format_tile_notation, choices))} on the first cell"
        case Violation.MUST_PLAY, {"moves": tuple(moves)}:
            return f"{moves[0]} can be played"
        case Violation.MUST_DRAW, {"drawn": int(drawn)}:
            return f"only {drawn} drawn, and there are tiles to draw"
        case Violation.DRAW_LIMIT, {"limit": int(limit)}:
            return f"no more than {limit} may be drawn in a turn"
        case Violation.MUST_CHOOSE, {"options": tuple(choices)}:
            return f"the seat has to choose: {' or '.join(choices) or 'where to place its next tile'}"
        case Violation.BONUS_TILES_IMPOSSIBLE, {"tile": tuple(tile)}:
            return f"after {format_tile_notation(tile)} there the hand could not place another tile"
        case Violation.BONUS_TILES_IMPOSSIBLE, {"tiles": int(tiles)}:
            return f"the hand cannot place {format_count(tiles, 'more tile')}"
        case Violation.TOO_LATE_TO_TAKE_BACK, {"tile": tuple(tile)}:
            return f"others have acted since {format_tile_notation(tile)} was placed"
        case _:
            return FIXED_REASONS.get(broken.why) or format_refusal(broken, rules)
