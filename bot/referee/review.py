"""`boneyard review`: what the choices of a match cost, what was luck, and where it was decided (docs/review.md)."""

import json
import sys
from collections.abc import Iterator, Sequence
from random import Random
from typing import Annotated

import typer

from bot.referee.reading import Unreadable
from bot.referee.replay import text_in
from bot.referee.review_told import review_told
from data.rulebook import rules as shelf
from data.weights import weights
from engine.events import Event, MatchEnded, Started
from engine.record import RecordDamaged, read, rerun
from engine.record.reading import Plain
from engine.review.costs import Effort
from engine.review.findings import Review
from engine.review.kept import PlainReview, as_plain
from engine.review.reviewer import Reviewer, SoFar


def review(
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="A record; a dash reads it from standard input.")],
    name: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Who sat there, seat by seat; may be repeated.")
    ] = None,
    most: Annotated[int, typer.Option(min=0, metavar="N", help="The costliest choices to tell of, of each seat.")] = 3,
    effort: Annotated[
        float, typer.Option(min=0.01, max=100, metavar="N", help="So many times as long; 4 halves what is uncertain.")
    ] = 1.0,
    seed: Annotated[str, typer.Option(help="Where its chance comes from; the same finds the same.")] = "boneyard",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of sentences.")] = False,
) -> None:
    """Look back on a match that is over.

    Every choice is compared with our best guess from what its seat could see
    and infer at that time; luck is told with hindsight. Lines are those of
    the record: boneyard replay FILE --at N shows the table there.

    A match takes some seconds to half a minute, most where there are many
    choices. Status 2: the record cannot be read, has a wrong line, or is of a
    match that is not over.
    """
    try:
        log = _log_in(file)
    except Unreadable as error:
        typer.echo(f"boneyard: {error}", err=True)
        raise typer.Exit(2) from error
    found = _watched(so_far(log, seed, effort))
    plays = plays_of(log)
    if as_json:
        typer.echo(json.dumps(told_to_programs(found, log, plays)))
    else:
        typer.echo("\n".join(review_told(found, log, plays, name or (), most)))


def log_of(record: str) -> list[Event]:
    """The events of a match that is over, from its record. Raises RecordDamaged or Unreadable, saying what to do."""
    checked = rerun(read(record, shelf))
    if checked.faults:
        raise Unreadable(f"line {checked.faults[0].line} is wrong; boneyard replay tells what it should be")
    if not isinstance(checked.log[-1], MatchEnded):
        raise Unreadable("this match is not over; there is nothing to be told of it before")
    return checked.log


def _log_in(file: str) -> list[Event]:
    """The same from a file, or from standard input for a dash. Raises Unreadable, saying where."""
    record, source = text_in(file), "standard input" if file == "-" else file
    try:
        return log_of(record)
    except RecordDamaged as damage:
        raise Unreadable(f"{source}, {damage}") from damage
    except Unreadable as error:
        raise Unreadable(f"{source}: {error}") from error


def so_far(log: Sequence[Event], seed: str, effort: float = 1.0) -> Iterator[SoFar]:
    """A review as it comes along."""
    first = log[0]
    assert isinstance(first, Started)
    # A seed may have signs that are no text, as a terminal and JSON can say them.
    chance = lambda name: Random(f"{seed} {name}".encode(errors="surrogatepass"))  # noqa: E731, S311 - a game
    return Reviewer(weights(first.rules), chance, Effort().times(effort)).progress(log)


def plays_of(log: Sequence[Event]) -> list[int]:
    """By event: the numbered line of the record that it stands on, or that it follows."""
    found, plays = [], 0
    for event in log:
        plays += isinstance(event, Plain)
        found.append(plays)
    return found


def told_to_programs(found: Review, log: Sequence[Event], plays: Sequence[int]) -> PlainReview:
    """What `--json` prints: the review as it is kept, and the number of each line of the record."""
    first, ended = log[0], log[-1]
    assert isinstance(first, Started)
    assert isinstance(ended, MatchEnded)
    told = as_plain(found)
    for one in (*told["choices"], *told["curve"]):
        one["line"] = plays[one["at"]]
    lines = [plays[at] for at in found.moments]
    head = {"game": first.rules.game, "totals": list(ended.totals), "places": list(ended.places)}
    return head | told | {"lines_of_moments": lines}


def _watched(progress: Iterator[SoFar]) -> Review:
    """The whole review; where somebody looks on, how far it is."""
    at = next(progress)
    with typer.progressbar(length=at.of, label="Looking back", file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
        bar.update(at.done)
        for at in progress:  # noqa: B007 - the last is the whole
            bar.update(1)
    return at.review
