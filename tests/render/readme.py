"""The pictures of the README, from matches that were held: `python -m tests.render.readme docs/pictures`.

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
from data.rulebook import load_rules
from data.words import load_words
from engine.match.event_log import EventLog, build_event_log
from engine.match.player_view import view_for
from engine.record import list_steps, read, rerun
from render.canvas.picture import Picture
from render.table.hand import render_hand
from tests.render.tables import NAMES

RECORDS: Final = Path(__file__).parents[1] / "golden"


@dataclass(frozen=True, slots=True)
class Scene:
    """A moment of a held match: after so many steps, or its end; `own` is what the seat sees whose turn it is."""

    record: str
    step: int = -1
    own: bool = False
    scheme: str = "dark"

    def picture(self) -> Picture:
        log = rerun(read((RECORDS / f"{self.record}.txt").read_text(encoding="utf-8"), load_rules)).log
        return self._of(build_event_log(log[: list_steps(log)[self.step].events]))

    def _of(self, event_log: EventLog) -> Picture:
        match, said = event_log.match, load_words()
        plain = NAMES[: len(match.seats)]
        names = SeatNames(plain, plain)
        if match.ended:
            return MatchCard(view_for(match, None), event_log, names, said).render(theme="classic", scheme=self.scheme)
        if not self.own:
            return render_replay(event_log, names, said, "classic", self.scheme)
        seen = view_for(match, match.turn)
        header = build_hand_captions(seen, event_log, names, said)
        return render_hand(seen, plain, header, words=build_picture_words(seen, said), scheme=self.scheme)


SCENES: Final = {
    "board": Scene("triominoes-app", 200),
    "hand": Scene("triominoes", 19, own=True),
    "end": Scene("triominoes"),
    "quads": Scene("quad-ominos-chain", 40),
    "star": Scene("star-evening", 24),
    "light": Scene("triominoes-added", 73, scheme="light"),
}
"""By the name of the file."""


def main(folder: Annotated[Path, typer.Argument(help="Where they are written.")]) -> None:
    for name, scene in SCENES.items():
        picture = scene.picture()
        (folder / f"{name}.png").write_bytes(picture.png)
        typer.echo(f"{name}: {picture.width} x {picture.height}, {len(picture.png) / 1000:.0f} kB")


if __name__ == "__main__":
    typer.run(main)
