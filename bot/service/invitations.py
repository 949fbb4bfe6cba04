"""What a host asks for when opening a table, and the terms that come of it."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final, get_args

from data.rulebook import DEFAULT, presets, rules
from engine.errors import OptionRefused, RuleBroken, Unfit, Why
from engine.table import No, Refused
from engine.table.pace import parse_pace
from engine.table.terms import CLASSIC, THEMES, USUAL_CLOCK, Absent, Terms

OPTION_REFUSALS: Final = {
    Unfit.NO_SUCH_OPTION: No.NO_SUCH_OPTION,
    Unfit.NO_SUCH_VALUE: No.BAD_OPTION,
    Unfit.UNPLAYABLE: No.UNPLAYABLE_OPTION,
    Unfit.NOTHING_TO_MATCH: No.NOTHING_TO_MATCH,
    Unfit.NEVER_ENDS: No.NEVER_ENDS,
}
"""What a table says where a game refuses an option."""

ECHOED: Final = 60
"""Characters that a refusal repeats of what was typed; people may type thousands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """Where a table is to be opened, by whom, and on which terms. None takes the game's own number."""

    guild_id: int
    channel_id: int
    host_id: int
    game: str
    seats: int | None = None
    computers: tuple[str, ...] = ()
    """The players of the computer seats, by name; an empty one is whoever is usual on the server."""
    guests: tuple[int, ...] = ()
    """For whom seats are kept."""
    beside: tuple[int, ...] = ()
    """Who sits down with the host, and agreed to that before."""
    target: int | None = None
    by_hand: bool = False
    preset: str = DEFAULT
    options: tuple[str, ...] = ()
    """Readings chosen one by one, each as `name=value`."""
    theme: str = CLASSIC
    clock: str = USUAL_CLOCK
    absent: str = "turn"
    rated: bool = True
    """Whether ratings may move."""
    word: str = ""
    """What the host adds to the deals, instead of the press itself."""
    guided: bool = False
    """Whether it is to be a lesson."""
    deal: str = ""
    """The name of the sealed deal that is to be played."""


class Offers:
    """What somebody asked for and could not have where they asked; a button opens just that elsewhere, for a while."""

    KEPT: Final = 500

    def __init__(self) -> None:
        self._asked: OrderedDict[str, Invitation] = OrderedDict()

    def keep(self, request: int, asked: Invitation) -> str:
        """Remember what an interaction asked for; answers with the name under which it is found."""
        self._asked[str(request)] = asked
        while len(self._asked) > self.KEPT:
            self._asked.popitem(last=False)
        return str(request)

    def take(self, name: str, user_id: int) -> Invitation:
        """What this person asked for. Raises Refused(OFFER_GONE)."""
        asked = self._asked.get(name)
        if asked is None or asked.host_id != user_id:
            raise Refused(No.OFFER_GONE)
        return asked


def agreed(asked: Invitation) -> Terms:
    """The terms of a table.

    Raises RuleBroken(SEAT_COUNT) or Refused(TOO_MANY_COMPUTERS, TOO_MANY_GUESTS, NO_SUCH_PRESET, NO_SUCH_THEME,
    NO_SUCH_OPTION, BAD_OPTION, UNPLAYABLE_OPTION, NOTHING_TO_MATCH, NEVER_ENDS, BAD_CLOCK, NO_SUCH_DEFAULT).
    """
    if asked.preset not in presets(asked.game):
        raise Refused(No.NO_SUCH_PRESET, preset=asked.preset[:ECHOED], presets=presets(asked.game))
    game = rules(asked.game, asked.preset)
    if asked.theme not in THEMES:
        raise Refused(No.NO_SUCH_THEME, theme=asked.theme[:ECHOED], themes=THEMES)
    options = {}
    for text in asked.options:
        name, _, value = (part.strip() for part in text.partition("="))
        try:
            game = game.with_option(name, value)
        except OptionRefused as refused:
            raise _refused(refused, text, asked.game) from None
        options[name] = value
    # Whoever names people, or a number of computers, and nothing else means: only these and me.
    computers, guests = len(asked.computers), len(asked.guests)
    default = computers + guests + 1 if computers or guests else game.max_seats
    seats = default if asked.seats is None else asked.seats
    if not game.min_seats <= seats <= game.max_seats:
        raise RuleBroken(Why.SEAT_COUNT, seats=seats, least=game.min_seats, most=game.max_seats)
    if computers >= seats:
        raise Refused(No.TOO_MANY_COMPUTERS, computers=computers, seats=seats, most=seats - 1)
    if computers + guests >= seats:
        raise Refused(No.TOO_MANY_GUESTS, guests=guests, computers=computers, seats=seats)
    try:
        game.require_playable(seats)
    except OptionRefused as refused:
        raise _refused(refused, f"{refused.name}={getattr(game, refused.name)}", asked.game) from None
    target = game.target if asked.target is None else asked.target
    try:
        clock = str(parse_pace(asked.clock))
    except ValueError:
        raise Refused(No.BAD_CLOCK, text=asked.clock[:ECHOED]) from None
    absent: Absent | None = next((known for known in get_args(Absent) if known == asked.absent), None)
    if absent is None:
        raise Refused(No.NO_SUCH_DEFAULT, text=asked.absent[:ECHOED], choices=get_args(Absent))
    return Terms(
        game=asked.game,
        seats=seats,
        target=target,
        by_hand=asked.by_hand,
        preset=asked.preset,
        options=options,
        theme=asked.theme,
        clock=clock,
        absent=absent,
        rated=asked.rated,
        guided=asked.guided,
    )


def _refused(refused: OptionRefused, text: str, game: str) -> Refused:
    """What is said of an option of a game as somebody wrote it, or as it stands."""
    return Refused(
        OPTION_REFUSALS[refused.why],
        text=text[:ECHOED],
        name=refused.name[:ECHOED],
        allowed=refused.allowed,
        game=game,
    )
