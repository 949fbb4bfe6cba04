"""`python -m bot.referee.figures`: the figures for one, and counting all ways to fill them, for anybody to compare.

A count that is not the known one ends with status 1; what cannot be read is one line on standard error and status 2.
"""

import json
from dataclasses import dataclass
from threading import Thread
from time import monotonic
from typing import Annotated, Final

import typer

from engine.figures.catalogue import FIGURES
from engine.figures.counting import ENDLESS, alike, parts
from engine.figures.figure import Figure
from engine.figures.search import FigureSearch, WaysFound, has_mirrors

TOLD_EVERY: Final = 10.0
"""Seconds after which a count says how far it is."""

figures_app = typer.Typer(help="The figures that one person fills, and all ways to fill them.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print JSON, one object a figure, instead of sentences.")]


@dataclass(frozen=True, slots=True)
class FigureCount:
    """What counting a figure came to."""

    figure: Figure
    ways: int
    """Turned, mirrored and relabelled ones counted apart."""
    whole: bool
    """False where the steps were used up: there are at least so many."""
    steps: int

    @property
    def different(self) -> int | None:
        """How many there are besides turning, mirroring and exchanging labels, if that is known."""
        each = alike(self.figure)
        return self.ways // each if self.whole and each is not None else None

    @property
    def is_known(self) -> bool | None:
        """Whether it is the count of the catalogue; None where that has none, or it was not counted to the end."""
        known = self.figure.solutions
        if known is None or not self.whole:
            # Cut short, it can only be wrong by being too many.
            return False if known is not None and self.ways > known else None
        return self.ways == known

    def sentence(self) -> str:
        """For people."""
        seen = f"{'' if self.whole else 'at least '}{self.ways:,} ways" if self.ways else "no way"
        told = f"{self.figure.name}: {seen} in {self.steps:,} steps"
        if self.different is not None:
            told += f"; {self.different:,} besides turning, mirroring and exchanging labels"
        if not self.whole:
            told += "; the steps were used up, so give it more with --steps"
        if self.is_known is not None:
            told += "; that is the known count" if self.is_known else f"; the known count is {self.figure.solutions:,}"
        return told

    def answer(self) -> dict[str, object]:
        """For programs."""
        return {
            "figure": self.figure.name,
            "ways": self.ways,
            "different": self.different,
            "whole": self.whole,
            "steps": self.steps,
            "known": self.figure.solutions,
        }


@figures_app.command("list")
def list_figures(as_json: Json = False) -> None:
    """Name the figures, with their tiles and the known numbers of ways to fill them."""
    for figure in FIGURES.values():
        edge = "" if figure.edge is None else f", {figure.edge} all around"
        known = "nobody has counted" if figure.solutions is None else f"{figure.solutions:,} ways"
        told = {"figure": figure.name, "tiles": len(figure.tiles), "labels": figure.labels, "edge": figure.edge}
        line = f"{figure.name}: {len(figure.tiles)} tiles with their numbers at the {figure.labels}{edge}; {known}"
        typer.echo(json.dumps({**told, "known": figure.solutions}) if as_json else line)


@figures_app.command("count")
def count_figure(
    figure: Annotated[
        str | None,
        typer.Argument(help=f"Which one: {', '.join(FIGURES)}. None: those whose count is known.", show_default=False),
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option(min=1, help="Give up after so many steps of the search, and say how many ways were seen."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Do not tell on standard error how far it is.")] = False,
    as_json: Json = False,
) -> None:
    """Count all ways to fill a figure: the raw number, and how many are different.

    A part is counted and multiplied: turning or mirroring a way, or exchanging
    its labels, makes another one. The rectangle and the hexagon together take
    the better part of an hour; nobody knows how long the others do. Known
    counts, and where they are from, are in docs/figures.md.
    """
    if figure is not None and figure not in FIGURES:
        typer.echo(f"boneyard: there is no figure {figure!r}; there is {', '.join(FIGURES)}", err=True)
        raise typer.Exit(2)
    chosen = [FIGURES[figure]] if figure is not None else [one for one in FIGURES.values() if one.solutions is not None]
    if not all(map(has_mirrors, chosen)):
        typer.echo(f"boneyard: the set of {figure} lacks mirror images, so a part of the ways tells nothing", err=True)
        raise typer.Exit(2)
    wrong = False
    for one in chosen:
        found = all_counted(one, steps=ENDLESS if steps is None else steps, quiet=quiet)
        typer.echo(json.dumps(found.answer()) if as_json else found.sentence())
        wrong |= found.is_known is False
    if wrong:
        raise typer.Exit(1)


def all_counted(figure: Figure, *, steps: int, quiet: bool) -> FigureCount:
    """All ways to fill a figure, as far as so many steps go."""
    ways, used, whole = 0, 0, True
    todo = parts(figure)
    for number, part in enumerate(todo, 1):
        if used >= steps:
            whole = False
            break
        search = part.search(steps=steps - used)
        which = f"{figure.name}, part {number} of {len(todo)} (counts {part.times} times)"
        found = part.came_to(search.run() if quiet else _told(search, which))
        ways, used, whole = ways + found.times * found.solutions, used + found.steps, whole and found.whole
    return FigureCount(figure, ways, whole, used)


def _told(search: FigureSearch, which: str) -> WaysFound:
    """Run a search, saying every few seconds how far it is."""
    found: list[WaysFound] = []
    began = monotonic()
    # A daemon: whoever presses Ctrl-C has enough of it at once.
    running = Thread(target=lambda: found.append(search.run()), daemon=True)
    running.start()
    done = False
    while not done:
        running.join(TOLD_EVERY)
        done = not running.is_alive()
        took = f"{monotonic() - began:.0f} s{'; done' if done else ''}"
        typer.echo(f"{which}: {search.seen:,} ways in {search.steps:,} steps, {took}", err=True)
    return found[0]


if __name__ == "__main__":
    figures_app()
