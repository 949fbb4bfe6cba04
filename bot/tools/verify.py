"""`boneyard verify`: checks the fairness of a match's deals by its record and the fingerprint in its lobby."""

import json
from pathlib import Path
from typing import Annotated

import typer

from bot.tools.position_reading import Unreadable
from bot.tools.replay import SHOWN, exit_on_unreadable, fault_told, naming_source, text_in, write_output
from data.rulebook import rules
from data.words import languages, words
from engine.record import Proof, Rerun, noted, prove, read, rerun
from engine.record.text import seat_name


def verify(
    file: Annotated[
        str, typer.Argument(metavar="FILE|-", help="A record; a dash reads it from standard input.", show_default=False)
    ] = "",
    fingerprint: Annotated[
        str, typer.Option(metavar="HEX", help="The fingerprint from the lobby.", show_default=False)
    ] = "",
    mine: Annotated[
        list[str] | None, typer.Option(metavar="WORD", help="What you added to the shuffle; can be repeated.")
    ] = None,
    language: Annotated[str, typer.Option(help=f"Which language to answer in: {', '.join(languages())}.")] = "en",
    page: Annotated[
        Path | None,
        typer.Option(metavar="OUT.html", help="Write a page that runs this check in a browser.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of sentences.")] = False,
) -> None:
    """Check that the deals of a match were fair.

    They were fair if the secret has the fingerprint that the lobby showed, if
    every player added to the shuffle, if every deal follows from both, and if
    every line follows the rules.

    Status 0: fair. Status 1: unfair or unproven; each line gives a reason.
    Status 2: the record or the fingerprint cannot be read.
    """
    with exit_on_unreadable(), naming_source(file):
        if page is not None:
            _write(page)
        if not file:
            if page is None:
                raise Unreadable("which record? Write boneyard verify match.txt --fingerprint HEX")
            raise typer.Exit(0)
        known = _noted(fingerprint)
        record = read(text_in(file), rules)
    checked = rerun(record)
    proof = prove(record, checked, known, mine or ())
    if as_json:
        typer.echo(json.dumps(_answer(proof)))
    else:
        typer.echo("\n".join(_told(proof, checked, known, language)))
    raise typer.Exit(0 if proof.fair else 1)


def _noted(fingerprint: str) -> str:
    try:
        return noted(fingerprint) if fingerprint else ""
    except ValueError as error:
        raise Unreadable(f"fingerprint: {error}") from error


def _answer(proof: Proof) -> dict[str, object]:
    return {
        "fair": proof.fair,
        "fingerprint": {"given": proof.fingerprint, "found": proof.found or None},
        "contributions": list(proof.contributions),
        "silent": list(proof.silent),
        "early": proof.early,
        "mine": dict(proof.mine),
        "dealt": proof.dealt,
        "wrong": proof.wrong,
    }


def _told(proof: Proof, checked: Rerun, known: str, language: str) -> list[str]:
    from bot.tables.fairness_views import proof_lines
    from bot.tables.move_labels import plain

    match = checked.match
    names = [seat_name(seat) for seat in range(len(match.seats))]
    lines = proof_lines(words(language), proof, names, match.round, known)
    return [
        *(plain(line).replace("`", "") for line in lines),
        *(fault_told(one, match) for one in checked.faults[:SHOWN]),
    ]


def _write(page: Path) -> None:
    from bot.tables.fairness_views import PAGE

    write_output("page", page, PAGE.read_bytes())
