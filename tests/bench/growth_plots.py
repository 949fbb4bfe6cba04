"""The plots of docs/performance.md, drawn from what a run has measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot

INK: Final = "#33363f"
COLOURS: Final = ("#2236c6", "#d6761f", "#119872", "#9e1804")
SIZE: Final = (6.4, 3.6)


def draw(found: Mapping[str, Any], folder: Path, goal_at: int) -> None:
    """growth-results.svg and growth-tiles.svg."""
    counts = sorted(int(count) for count in found["results"])
    answers = [found["results"].get(count) or found["results"][str(count)] for count in counts]
    figure, axes = _figure("results in the database", "ms of CPU")
    for name, label, colour in (
        ("ever", "leaderboard of all time, page and own rank", COLOURS[0]),
        ("lately", "leaderboard of 30 days, page and own rank", COLOURS[1]),
        ("match", "a match read with its log", COLOURS[2]),
    ):
        axes.plot(counts, [answer[name] for answer in answers], marker="o", color=colour, label=label)
    axes.set_xscale("log")
    axes.axhline(20, color=COLOURS[3], linestyle=":", label=f"goal of the leaderboards at {goal_at:,}")
    _keep(figure, axes, folder / "growth-results.svg")

    tiles = {int(count): values for count, values in found["tiles"].items()}
    figure, axes = _figure("tiles on the table", "ms of CPU for a board picture")
    axes.plot(list(tiles), [one["picture"] for one in tiles.values()], marker="o", color=COLOURS[0], label="picture")
    axes.set_ylim(bottom=0)
    _keep(figure, axes, folder / "growth-tiles.svg")

    hand = {int(count): value for count, value in found["hand"].items()}
    figure, axes = _figure("tiles in a hand of Quad-Ominos", "ms of CPU for its legal moves")
    axes.plot(list(hand), list(hand.values()), marker="o", color=COLOURS[0], label="asked for the first time")
    axes.set_ylim(bottom=0)
    _keep(figure, axes, folder / "growth-hand.svg")


def draw_memory(samples: Sequence[tuple[float, float, int]], slope: float, file: Path) -> None:
    """Memory against finished matches; `slope` in KiB a match."""
    figure, axes = _figure("finished matches", "MiB resident")
    axes.plot(
        [matches for _, _, matches in samples],
        [memory for _, memory, _ in samples],
        color=COLOURS[0],
        label=f"second half: {slope:+.1f} KiB a match",
    )
    axes.set_ylim(bottom=0)
    _keep(figure, axes, file)


def _figure(x: str, y: str) -> tuple[Any, Any]:
    figure, axes = pyplot.subplots(figsize=SIZE)
    axes.set_xlabel(x, color=INK)
    axes.set_ylabel(y, color=INK)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(axis="y", color="#e4e4e8")
    return figure, axes


def _keep(figure: Any, axes: Any, file: Path) -> None:
    axes.legend(frameon=False, fontsize="small")
    figure.tight_layout()
    # No date and no random ids: the same figures are the same file.
    matplotlib.rcParams["svg.hashsalt"] = file.name
    figure.savefig(file, metadata={"Date": None})
    pyplot.close(figure)
