"""`boneyard verify`: checks the fairness of a match's deals by its record and the fingerprint in its lobby."""

import json
from pathlib import Path
from typing import Annotated

import typer

from bot.tools.choice_names import accept_language
from bot.tools.position_reading import UnreadableError, name_location
from bot.tools.replay import (
    MAX_SHOWN_FAULTS,
    exit_on_unreadable,
    format_fault,
    raise_with_source,
    read_text,
    write_output,
)
from data.rulebook import load_rules
from data.words import list_languages, load_words
from engine.record import Proof, Rerun, normalize_fingerprint, prove, read, rerun
from engine.record.text import format_seat


def run_verify(
    file: Annotated[
        str, typer.Argument(metavar="FILE|-", help="A record; a dash reads it from standard input.", show_default=False)
    ] = "",
    fingerprint: Annotated[
        str, typer.Option(metavar="HEX", help="The fingerprint from the lobby.", show_default=False)
    ] = "",
    mine: Annotated[
        list[str] | None, typer.Option(metavar="WORD", help="What you added to the shuffle; can be repeated.")
    ] = None,
    language: Annotated[
        str, typer.Option(help=f"Which language to answer in: {', '.join(list_languages())}.", callback=accept_language)
    ] = "en",
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
    with exit_on_unreadable(), raise_with_source(file):
        if page is not None:
            from bot.tables.fairness_views import VERIFY_PAGE

            write_output("page", page, VERIFY_PAGE.read_bytes())
        if not file:
            if page is None:
                raise UnreadableError("which record? Write boneyard verify match.txt --fingerprint HEX")
            raise typer.Exit(0)
        with name_location("fingerprint"):
            known = normalize_fingerprint(fingerprint) if fingerprint else ""
        record = read(read_text(file), load_rules)
    checked = rerun(record)
    proof = prove(record, checked, known, mine or ())
    if as_json:
        typer.echo(json.dumps(_build_proof_json(proof)))
    else:
        typer.echo("\n".join(_format_proof_lines(proof, checked, known, language)))
    raise typer.Exit(0 if proof.is_fair else 1)


def _build_proof_json(proof: Proof) -> dict[str, object]:
    return {
        "fair": proof.is_fair,
        "fingerprint": {"given": proof.fingerprint, "found": proof.record_fingerprint or None},
        "contributions": list(proof.contributions),
        "silent": list(proof.silent_seats),
        "early": proof.predates_entropy,
        "mine": dict(proof.claimed_entropy),
        "dealt": proof.has_right_deals,
        "wrong": proof.wrong_lines,
    }


def _format_proof_lines(proof: Proof, checked: Rerun, known: str, language: str) -> list[str]:
    from bot.tables.fairness_views import format_proof
    from bot.tables.move_labels import strip_markdown

    match = checked.match
    names = [format_seat(seat) for seat in range(len(match.seats))]
    lines = format_proof(load_words(language), proof, names, match.round, known)
    return [
        *(strip_markdown(line).replace("`", "") for line in lines),
        *(format_fault(one, match) for one in checked.faults[:MAX_SHOWN_FAULTS]),
    ]
