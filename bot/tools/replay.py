"""`boneyard replay`: replays and checks a record, and shows it at any line (docs/reference/records.md)."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from bot.tools.position_reading import Unreadable, counted, number, refusal, standard_input
from bot.tools.verdicts import RefereeAnswer
from data.rulebook import RulebookError
from data.rulebook import rules as shelf
from data.words import FALLBACK, languages
from engine.board.tiles import tile_text
from engine.match.actions import Option
from engine.match.decide import options, reward
from engine.match.errors import RuleBroken, Why
from engine.match.rules import Rules
from engine.match.state import Match
from engine.record import Fault, Record, RecordDamaged, Rerun, read, rerun
from engine.record.text import position_text, seat_name, tiles_text
from engine.table.terms import CLASSIC, THEMES

if TYPE_CHECKING:
    from bot.core.names import Names
    from engine.match.event_log import EventLog


USUAL: Final = "dark"  # default picture colours


def _schemes() -> Sequence[str]:
    from render.canvas.theme import SCHEMES

    return tuple(SCHEMES)


@dataclass(frozen=True, slots=True)
class Looks:
    """Names, theme, colours and language of the output. Raises Unreadable."""

    names: tuple[str, ...]  # by seat; missing ones are `Seat A` and so on
    theme: str
    scheme: str  # picture colours
    language: str

    def __post_init__(self) -> None:
        if self.theme not in THEMES:
            raise Unreadable(f"theme: there is no {self.theme!r}; there is {', '.join(THEMES)}")
        if self.scheme != USUAL and self.scheme not in (known := _schemes()):
            raise Unreadable(f"scheme: there is no {self.scheme!r}; there is {', '.join(known)}")
        if self.language not in languages():
            raise Unreadable(f"language: there is no {self.language!r}; there is {', '.join(languages())}")

    def called(self, match: Match) -> "Names":
        """Return the names of all seats. Raises Unreadable."""
        from bot.core.names import Names
        from bot.core.safe_text import harmless

        seats = len(match.seats)
        if len(self.names) > seats:
            raise Unreadable(f"name: {len(self.names)} names for {seats} seats")
        others = (f"Seat {seat_name(seat)}" for seat in range(len(self.names), seats))
        names = (*(harmless(name) for name in self.names), *others)
        return Names(names, names)


def write_output(what: str, file: Path, data: bytes) -> None:
    """Write a private file. Raises Unreadable."""
    from data.private import write_private

    try:
        write_private(file, data)
    except OSError as error:
        raise Unreadable(f"{what}: {file}: {error.strerror or error}") from error


def draw_moment(there: Rerun, file: Path, looks: Looks) -> None:
    """Write the picture of a position to a private file. Raises Unreadable."""
    from bot.tables.past_match import replay_picture
    from data.words import words
    from engine.match.event_log import event_log_of

    drawn = replay_picture(
        event_log_of(there.log), looks.called(there.match), words(looks.language), looks.theme, looks.scheme
    )
    write_output("picture", file, drawn.png)


def write_film(whole: Rerun, file: Path, looks: Looks, seconds: float) -> None:
    """Write a film of the match to a GIF. Raises Unreadable."""
    from bot.tables.past_match import shots
    from data.words import words
    from engine.match.event_log import event_log_of
    from engine.record import steps
    from render.table.film import Film

    if file.suffix.lower() != ".gif":
        raise Unreadable(f"film: {file}: the name of a film ends with .gif")
    first, *others = steps(whole.log)
    if not others:
        raise Unreadable("film: nothing was played")
    event_log, names = event_log_of(whole.log[: first.events]), looks.called(whole.match)

    def moments() -> "Iterator[tuple[EventLog, Names]]":
        happened = first.events
        for step in others:
            for event in whole.log[happened : step.events]:
                event_log.tell(event)
            happened = step.events
            yield event_log, names

    told = shots(moments(), words(looks.language))
    film = Film(told, round(seconds * 1000), theme=looks.theme, scheme=looks.scheme)
    for frame in range(len(film)):
        film.shoot(frame)
    write_output("film", file, film.file())


def position(there: Rerun) -> RefereeAnswer:
    """Return the table as the value that `--json` prints. `turn` is null after the round.

    `options` are the seat's choices beside placing a tile, `bonus_tiles` the bonus tiles it may still place, `further`
    whether it has a further turn.
    """
    match = there.match
    over = bool(match.round_over or match.ended)
    return {
        "plays": there.plays,
        "round": match.round,
        "position": position_text(match.board),
        "seats": [
            {"total": seat.total, "hand": [tile_text(tile) for tile in seat.hand], "resigned": seat.resigned}
            for seat in match.seats
        ],
        "boneyard": len(match.boneyard),
        "aside": len(match.aside),
        "turn": None if over else match.turn,
        "drawn": match.drawn,
        "options": [] if over else list(_options(match)),
        "bonus_tiles": match.bonus_tiles,
        "further": match.further,
    }


def position_told(there: Rerun | None, plays: int) -> list[str]:
    if there is None:
        return [f"Line of play {plays} cannot be reached."]
    match = there.match
    told = [position_text(match.board) or "The board is empty."]
    for place, seat in enumerate(match.seats):
        holds = "resigned" if seat.resigned else f"holds {tiles_text(seat.hand)}"
        told.append(f"{seat_name(place)} {seat.total}, {holds}")
    rest = f"boneyard {len(match.boneyard)}" if match.rules.has_boneyard else f"set aside {len(match.aside)}"
    after = f"After {counted(plays, 'line')} of play, round {match.round}, {rest}"
    if match.ended:
        return [*told, f"{after}: the match is over."]
    if match.round_over:
        return [*told, f"{after}: the round is over."]
    return [*told, f"{after}: {seat_name(match.turn)} {_turn(match)}."]


def _turn(match: Match) -> str:
    if match.choosing:
        bonus = reward(match)
        points, tiles = counted(bonus.points, "point"), counted(bonus.tiles, "more tile")
        possible = "tiles" in options(match)
        return f"takes {points} {'and' if bonus.both else 'or'} {tiles}" if possible else f"takes {points}"
    if match.bonus_tiles:
        return f"may place {counted(match.bonus_tiles, 'more tile')}"
    if match.further:
        return "may take a further turn" if options(match) else "must take a further turn"
    return f"is to play and has drawn {match.drawn}" if match.drawn else "is to play"


def _options(match: Match) -> tuple[Option, ...]:
    return () if match.choosing and reward(match).both else options(match)


MOST_BYTES: Final = 8_000_000  # a thousand times a usual match
ONLY_VERIFY: Final = "Only boneyard verify shows whether it was fixed before: by the fingerprint of the lobby."
SHOWN = 10  # wrong lines that are listed


def replay(
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="A record; a dash reads it from standard input.")],
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
    name: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="The name of each player, seat by seat; can be repeated.")
    ] = None,
    theme: Annotated[str, typer.Option(help=f"How tiles are drawn: {', '.join(THEMES)}.")] = CLASSIC,
    scheme: Annotated[str, typer.Option(help="The colours of a picture: dark, light, contrast.")] = USUAL,
    language: Annotated[str, typer.Option(help=f"The language of a picture: {', '.join(languages())}.")] = FALLBACK,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of sentences.")] = False,
) -> None:
    """Re-run the record of a match.

    Every play is decided again by the rules of the record, and every score,
    award, deal and result is compared with what it should be. Where the
    record has the secret, the deals are checked to be its shuffles.

    Status 0: everything is right. Status 1: the record can be read, and some
    line in it is wrong; what it should say is printed. Status 2: it cannot be
    read; the line and the reason are printed on standard error.
    """
    with exit_on_unreadable(), naming_source(file):
        record = read(text_in(file), shelf)
        shown = record.plays if at is None else number("at", at, 0, record.plays)
        checked = rerun(record)
        moment = rerun(record, shown)
        there = moment if at is None or moment.plays == shown else None
        looks = Looks(tuple(name or ()), theme, scheme, language)
        if picture is not None and there is not None:
            draw_moment(there, picture, looks)
        if film is not None:
            write_film(checked, film, looks, speed)
    if as_json:
        answer = summary(record, checked)
        if at is not None:
            answer["at"] = None if there is None else position(there)
        typer.echo(json.dumps(answer))
    else:
        told = [] if at is None else position_told(there, shown)
        typer.echo("\n".join([*told, *(summary_told(record, checked) if at is None or checked.faults else [])]))
    raise typer.Exit(1 if checked.faults else 0)


def summary(record: Record, checked: Rerun) -> RefereeAnswer:
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
        "proved": checked.proved,
        "faults": [
            {"line": fault.line, "says": fault.says, "should": _should(fault, match.rules)} for fault in checked.faults
        ],
    }


def summary_told(record: Record, checked: Rerun) -> list[str]:
    head, match = record.header, checked.match
    game = f"{head.rules.game} ({head.preset})" if head.preset else head.rules.game
    size = f"{counted(match.round, 'round')}, {counted(record.plays, 'line')} of play"
    told = [f"{game}, {head.seats} seats: {size}."]
    if match.ended:
        ranks = (
            f"{seat_name(seat)} {total} (place {place})"
            for seat, (total, place) in enumerate(zip(match.ended.totals, match.ended.places, strict=True))
        )
        told.append(f"Finished: {', '.join(ranks)}.")
    else:
        scores = (f"{seat_name(place)} {seat.total}" for place, seat in enumerate(match.seats))
        told.append(f"{'Broken off' if checked.faults else 'Not finished'}: {', '.join(scores)}.")
    told += [fault_told(fault, match) for fault in checked.faults[:SHOWN]]
    if len(checked.faults) > SHOWN:
        told.append(f"... and {counted(len(checked.faults) - SHOWN, 'more wrong line')}.")
    if not checked.faults:
        told.append("Every score, award and deal is right.")
    if checked.proved:
        added = " with what the seats added" if head.contributions else ""
        told.append(f"The deals are the shuffles of the record's secret{added}. {ONLY_VERIFY}")
    elif not checked.faults:
        told.append("The shuffles are not proved: the record has no secret, or no fingerprint of it.")
    return told


@contextmanager
def exit_on_unreadable() -> Iterator[None]:
    """Print unreadable input as one line on standard error, and exit with status 2."""
    try:
        yield
    except (Unreadable, RulebookError) as error:
        typer.echo(f"boneyard: {error}", err=True)
        raise typer.Exit(2) from error


@contextmanager
def naming_source(file: str) -> Iterator[None]:
    """Raise Unreadable with the file's name for a damaged record."""
    try:
        yield
    except RecordDamaged as damage:
        raise Unreadable(f"{'standard input' if file == '-' else file}, {damage}") from damage


def text_in(file: str) -> str:
    """Return the text of a file, or of standard input for a dash. Raises Unreadable."""
    try:
        with nullcontext(standard_input()) if file == "-" else Path(file).open("rb") as source:
            raw = source.read(MOST_BYTES + 1)
    except OSError as error:
        raise Unreadable(f"{file}: {error.strerror or error}") from error
    if len(raw) > MOST_BYTES:
        raise Unreadable(f"{file}: longer than {MOST_BYTES} bytes, which no match comes to")
    # An undecodable byte then makes only its own line wrong.
    return raw.decode("utf-8", errors="replace")


def fault_told(fault: Fault, match: Match) -> str:
    if fault.broken is not None:
        return f"Line {fault.line}: {fault.says!r} is against the rules: {_should(fault, match.rules)}."
    if not fault.should:
        return f"Line {fault.line}: nobody can be at {fault.says!r} here."
    if not fault.says:
        return f"Line {fault.line}: {fault.should!r} is missing; the record breaks off."
    return f"Line {fault.line}: {fault.says!r} should be {fault.should!r}."


def _should(fault: Fault, rules: Rules) -> str | None:
    if fault.broken is not None:
        return f"{fault.broken.why}: {_refused(fault.broken, rules)}"
    return fault.should or None


FIXED: Final = {
    Why.BONEYARD_EMPTY: "there is nothing left to draw",
    Why.NOTHING_TO_CHOOSE: "there is nothing to choose",
    Why.NOTHING_TO_TAKE_BACK: "the seat has placed nothing that can be taken back",
    Why.RESIGNED: "the seat has left the match",
    Why.MATCH_OVER: "the match is over",
}


def _refused(broken: RuleBroken, rules: Rules) -> str:
    facts = broken.facts
    match broken.why, facts:
        case Why.NOT_IN_HAND, {"tile": tuple(tile)}:
            return f"the seat does not hold {tile_text(tile)}"
        case Why.NOT_YOUR_TURN, {"turn": int(turn)}:
            return f"it is the turn of {seat_name(turn)}"
        case Why.WRONG_OPENING, {"choices": tuple(choices)}:
            return f"the round opens with {' or '.join(map(tile_text, choices))} on the first cell"
        case Why.MUST_PLAY, {"moves": tuple(moves)}:
            return f"{moves[0]} can be played"
        case Why.MUST_DRAW, {"drawn": int(drawn)}:
            return f"only {drawn} drawn, and there are tiles to draw"
        case Why.DRAW_LIMIT, {"limit": int(limit)}:
            return f"no more than {limit} may be drawn in a turn"
        case Why.MUST_CHOOSE, {"options": tuple(choices)}:
            return f"the seat has to choose: {' or '.join(choices) or 'where to place its next tile'}"
        case Why.BONUS_TILES_IMPOSSIBLE, {"tile": tuple(tile)}:
            return f"after {tile_text(tile)} there the hand could not place another tile"
        case Why.BONUS_TILES_IMPOSSIBLE, {"tiles": int(tiles)}:
            return f"the hand cannot place {counted(tiles, 'more tile')}"
        case Why.TOO_LATE_TO_TAKE_BACK, {"tile": tuple(tile)}:
            return f"others have acted since {tile_text(tile)} was placed"
        case _:
            return FIXED.get(broken.why) or refusal(broken, rules)
