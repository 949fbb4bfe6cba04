"""What `boneyard replay` draws: the table at a moment of a record, just as a replay in Discord shows it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.referee.reading import Unreadable
from data.words import languages
from engine.match import Match
from engine.record import Rerun
from engine.record.text import seat_name
from engine.table.terms import THEMES

if TYPE_CHECKING:
    from bot.views.names import Names
    from engine.story import Story


USUAL: Final = "dark"
"""The colours of a picture where nothing is said."""


def _schemes() -> Sequence[str]:
    # What draws takes a moment to load, and most who ask for a record want no picture.
    from render import SCHEMES

    return tuple(SCHEMES)


@dataclass(frozen=True, slots=True)
class Looks:
    """Who sits there, how tiles are drawn, and the language of what is written. Raises Unreadable."""

    names: tuple[str, ...]
    """Seat by seat; those that are left out are called `Seat A` and so on."""
    theme: str
    scheme: str
    """The colours of pictures."""
    language: str

    def __post_init__(self) -> None:
        if self.theme not in THEMES:
            raise Unreadable(f"theme: there is no {self.theme!r}; there is {', '.join(THEMES)}")
        if self.scheme != USUAL and self.scheme not in (known := _schemes()):
            raise Unreadable(f"scheme: there is no {self.scheme!r}; there is {', '.join(known)}")
        if self.language not in languages():
            raise Unreadable(f"language: there is no {self.language!r}; there is {', '.join(languages())}")

    def called(self, match: Match) -> "Names":
        """The names of all seats. Raises Unreadable."""
        from bot.views.harmless import harmless
        from bot.views.names import Names

        seats = len(match.seats)
        if len(self.names) > seats:
            raise Unreadable(f"name: {len(self.names)} names for {seats} seats")
        others = (f"Seat {seat_name(seat)}" for seat in range(len(self.names), seats))
        names = (*(harmless(name) for name in self.names), *others)
        return Names(names, names)


def draw_moment(there: Rerun, file: Path, looks: Looks) -> None:
    """Write the picture of a moment to a file that only its owner may read. Raises Unreadable."""
    # Only a picture needs all of this, and it takes a moment to load.
    from bot.views.replay import still
    from data.private import write_private
    from data.words import words
    from engine.story import story_of

    drawn = still(story_of(there.log), looks.called(there.match), words(looks.language), looks.theme, looks.scheme)
    try:
        write_private(file, drawn.png)
    except OSError as error:
        raise Unreadable(f"picture: {file}: {error.strerror or error}") from error


def write_film(whole: Rerun, file: Path, looks: Looks, seconds: float) -> None:
    """Write a film of all that was played to a GIF. Raises Unreadable."""
    from bot.views.films import shots
    from data.private import write_private
    from data.words import words
    from engine.record import steps
    from engine.story import story_of
    from render import Film

    if file.suffix.lower() != ".gif":
        raise Unreadable(f"film: {file}: the name of a film ends with .gif")
    first, *others = steps(whole.log)
    if not others:
        raise Unreadable("film: nothing was played")
    story, names = story_of(whole.log[: first.events]), looks.called(whole.match)

    def moments() -> "Iterator[tuple[Story, Names]]":
        happened = first.events
        for step in others:
            for event in whole.log[happened : step.events]:
                story.tell(event)
            happened = step.events
            yield story, names

    told = shots(moments(), words(looks.language))
    film = Film(told, round(seconds * 1000), theme=looks.theme, scheme=looks.scheme)
    for number in range(len(film)):
        film.shoot(number)
    try:
        write_private(file, film.file())
    except OSError as error:
        raise Unreadable(f"film: {file}: {error.strerror or error}") from error
