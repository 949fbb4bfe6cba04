"""Render the pictures of the README from stored matches: `python -m tests.render.readme docs/pictures`.

Each is drawn as Discord shows it, with its header and the words of the bot.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from bot.core.names import SeatNames
from bot.tables.end_views import MatchCard
from bot.tables.hand_views import build_hand_captions, build_picture_words
from bot.tables.past_match import render_replay
from data.words import load_words
from engine.match.event_log import EventLog, build_event_log
from engine.match.player_view import view_for
from engine.record import list_steps, rerun
from render.canvas.picture import Picture
from render.table.hand import render_hand
from tests.golden.matches import read_golden_record
from tests.render.tables import NAMES


@dataclass(frozen=True, slots=True)
class Scene:
    """A moment of a stored match: after this many steps, or its end. `is_own` selects the view of the seat to move."""

    record: str
    step: int = -1
    is_own: bool = False
    scheme: str = "dark"

    def render(self) -> Picture:
        log = rerun(read_golden_record(self.record)).log
        return self._render_log(build_event_log(log[: list_steps(log)[self.step].events]))

    def _render_log(self, event_log: EventLog) -> Picture:
        match, words = event_log.match, load_words()
        plain_names = NAMES[: len(match.seats)]
        names = SeatNames(plain_names, plain_names)
        if match.ended:
            return MatchCard(view_for(match, None), event_log, names, words).render(theme="classic", scheme=self.scheme)
        if not self.is_own:
            return render_replay(event_log, names, words, "classic", self.scheme)
        view = view_for(match, match.turn)
        header = build_hand_captions(view, event_log, names, words)
        return render_hand(view, plain_names, header, words=build_picture_words(view, words), scheme=self.scheme)


SCENES: Final = {
    "board": Scene("triominoes-app", 200),
    "hand": Scene("triominoes", 19, is_own=True),
    "end": Scene("triominoes"),
    "quads": Scene("quad-ominos-chain", 40),
    "star": Scene("star-evening", 24),
    "light": Scene("triominoes-added", 73, scheme="light"),
}
"""By file name."""


def main(folder: Annotated[Path, typer.Argument(help="Where they are written.")]) -> None:
    for name, scene in SCENES.items():
        picture = scene.render()
        (folder / f"{name}.png").write_bytes(picture.png)
        typer.echo(f"{name}: {picture.width} x {picture.height}, {len(picture.png) / 1000:.0f} kB")


if __name__ == "__main__":
    typer.run(main)
