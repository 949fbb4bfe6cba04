"""What a host asks for when opening a table, the resulting terms and their changes, and who may be invited."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol, get_args

from data.rulebook import DEFAULT, games, presets, rules
from data.store.connection.store_errors import DealClosed, DealSeen
from data.store.log.match_values import AlsoWrites, Limits, NewMatch
from engine.match.errors import OptionRefused, RuleBroken, Unfit, Why
from engine.table.commands import Open
from engine.table.decide_table import Decided
from engine.table.refusals import No, Refused
from engine.table.table_events import Joined, Kept, LogEvent
from engine.table.table_posts import Post
from engine.table.table_state import TableState
from engine.table.terms import CLASSIC, DAY, THEMES, USUAL_CLOCK, Absent, Terms, parse_pace

OPTION_REFUSALS: Final = {
    Unfit.NO_SUCH_OPTION: No.NO_SUCH_OPTION,
    Unfit.NO_SUCH_VALUE: No.BAD_OPTION,
    Unfit.UNPLAYABLE: No.UNPLAYABLE_OPTION,
    Unfit.NOTHING_TO_MATCH: No.NOTHING_TO_MATCH,
    Unfit.NEVER_ENDS: No.NEVER_ENDS,
}
"""Refusals of a table when a game refuses an option."""

ECHOED: Final = 60  # characters of the user's input that a refusal repeats


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """Where a table is to be opened, by whom, and on which terms. None takes the game's own number."""

    guild_id: int
    channel_id: int
    host_id: int
    game: str
    seats: int | None = None
    computers: tuple[str, ...] = ()  # players of the computer seats, by name; empty is the server's usual level
    guests: tuple[int, ...] = ()  # users with reserved seats
    beside: tuple[int, ...] = ()  # users who sit down with the host and agreed to it before
    target: int | None = None
    by_hand: bool = False
    preset: str = DEFAULT
    options: tuple[str, ...] = ()  # house rules, each as `name=value`
    theme: str = CLASSIC
    clock: str = USUAL_CLOCK
    absent: str = "turn"
    rated: bool = True
    word: str = ""  # the host's entropy for the deals, instead of that of the button press
    guided: bool = False
    deal: str = ""  # name of the sealed deal to be played


class Offers:
    """Keeps refused requests for a while, so that a button can open the same table elsewhere."""

    KEPT: Final = 500

    def __init__(self) -> None:
        self._asked: OrderedDict[str, Invitation] = OrderedDict()

    def keep(self, request: int, asked: Invitation) -> str:
        """Remember the request of an interaction; return its key."""
        self._asked[str(request)] = asked
        while len(self._asked) > self.KEPT:
            self._asked.popitem(last=False)
        return str(request)

    def take(self, name: str, user_id: int) -> Invitation:
        """Return the remembered request of this user. Raises Refused(OFFER_GONE)."""
        asked = self._asked.get(name)
        if asked is None or asked.host_id != user_id:
            raise Refused(No.OFFER_GONE)
        return asked


def agreed(asked: Invitation) -> Terms:
    """Return the terms of a table.

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
    # A host who names only guests, or a number of computers, wants exactly those players.
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


class Deal(Protocol):
    """The duplicate deal of a table."""

    @property
    def deal_id(self) -> int:
        """Its number."""

    @property
    def secret(self) -> bytes:
        """The secret from which all its hands are dealt."""


class DealSeats:
    """Who may sit at a table of a duplicate deal. This one knows no deals; the duplicate deals feature replaces it."""

    async def agreed(self, asked: Invitation) -> tuple[Terms, Deal | None]:
        """Return the terms of a table, and its deal if any. Raises Refused(NO_SUCH_DEAL), and what `agreed` raises."""
        if asked.deal:
            raise Refused(No.NO_SUCH_DEAL, text=asked.deal[:ECHOED])
        return agreed(asked), None

    async def check(self, guild_id: int, match_id: int, table: TableState, people: Collection[int]) -> None:
        """Raise Refused if one of these users may not sit at this table of a deal."""


def late_refusal(error: DealSeen | DealClosed) -> Refused:
    if isinstance(error, DealSeen):
        return Refused(No.DEAL_SEEN, people=(error.user_id,))
    return Refused(No.DEAL_FULL if error.why == "full" else No.DEAL_OVER)


def _refused(refused: OptionRefused, text: str, game: str) -> Refused:
    return Refused(
        OPTION_REFUSALS[refused.why], text=text[:ECHOED], name=refused.name[:ECHOED], allowed=refused.allowed, game=game
    )


AGAIN_AFTER: Final = DAY  # ms before a host mentions the same user again without an answer
MOST: Final = 3  # hosts of a server that may mention the same user without an answer in that time
MOST_OF_HOST: Final = 12  # users one host may mention without an answer in that time
REMEMBERED: Final = 10_000  # remembered calls: the last ones
Call = tuple[int, int, int]  # server, mentioned user, host


class Summons:
    """Remembers calls until they are answered by joining. In memory: a restart allows one more call each."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._in_vain: OrderedDict[Call, int] = OrderedDict()  # UTC epoch ms, oldest first

    def uncalled(self, guild_id: int, host: int, users: Iterable[int]) -> frozenset[int]:
        """Return the users that this host must not mention now."""
        since = self._now() - AGAIN_AFTER
        while self._in_vain and next(iter(self._in_vain.values())) <= since:
            self._in_vain.popitem(last=False)
        found, left = set(), MOST_OF_HOST - sum(call[::2] == (guild_id, host) for call in self._in_vain)
        for user in dict.fromkeys(users):
            hosts = {call[2] for call in self._in_vain if call[:2] == (guild_id, user)}
            if left <= 0 or host in hosts or len(hosts) >= MOST:
                found.add(user)
            else:
                left -= 1
        return frozenset(found)

    def note(self, guild_id: int, host: int, events: Iterable[LogEvent]) -> None:
        for event in events:
            match event:
                case Kept(users, _, True):
                    for user in users:
                        if user is not None:
                            self._in_vain[guild_id, user, host] = self._now()
                            self._in_vain.move_to_end((guild_id, user, host))
                case Joined(user) if user is not None:
                    self._in_vain.pop((guild_id, user, host), None)
                case _:
                    pass
        while len(self._in_vain) > REMEMBERED:
            self._in_vain.popitem(last=False)


def revised(terms: Terms, chosen: Mapping[str, Any]) -> Terms:
    """Return the terms with some of them replaced, by the names of `Invitation`; "rule" is one option with its value.

    Another game or reading brings its own target and no house rules, and a game its own reading and number of seats,
    unless these were chosen too. Raises as `agreed` does, or Refused(UNKNOWN_BUTTON) for an unknown game.
    """
    game = str(chosen.get("game", terms.game))
    if game not in games():
        raise Refused(No.UNKNOWN_BUTTON)
    usual = terms.preset if terms.preset in presets(game) else DEFAULT
    preset = str(chosen.get("preset", usual))
    found: dict[str, Any] = {"guild_id": 0, "channel_id": 0, "host_id": 0, "game": game, "preset": preset}
    if (game, preset) != (terms.game, terms.preset):
        found |= {"options": (), "target": None}
    if "rule" in chosen:
        name, value = chosen["rule"]
        usual_value = getattr(rules(game, preset), name, None)
        options = {**terms.options, name: value}
        found["options"] = tuple(
            f"{one}={now}" for one, now in options.items() if one != name or now != str(usual_value)
        )
        chosen = {key: one for key, one in chosen.items() if key != "rule"}
    if game != terms.game:
        playing = rules(game)
        found["seats"] = min(max(terms.seats, playing.min_seats), playing.max_seats)
    asked = invitation_again(terms, **{**found, **chosen})
    return replace(agreed(asked), deal=terms.deal, deal_until=terms.deal_until)


def invitation_again(terms: Terms, **others: Any) -> Invitation:
    """Return an invitation to the same terms, with `others` in their places."""
    names = ("game", "seats", "target", "by_hand", "preset", "theme", "clock", "absent", "rated")
    options = tuple(f"{name}={value}" for name, value in terms.options.items())
    return Invitation(**{"options": options, **{name: getattr(terms, name) for name in names}, **others})


def opens(asked: Invitation, terms: Terms) -> Open:
    return Open(terms, asked.host_id, asked.computers, asked.guests, asked.word, asked.beside)


def new_match(
    asked: Invitation,
    command: Open,
    decided: Decided,
    secret: bytes,
    limits: Limits | None,
    also: AlsoWrites | None,
    posts: Sequence[Post],
    deal_id: int | None,
) -> NewMatch:
    """Return what is written. Players of a league fixture are called once, by a post written with the match."""
    return NewMatch(
        game=command.terms.game,
        guild_id=asked.guild_id,
        channel_id=asked.channel_id,
        host_id=command.host,
        secret=secret,
        events=decided.events,
        seats=decided.table.seats,
        state=decided.table.state,
        turn=decided.turn,
        due=decided.due,
        outbox=[*posts, *decided.posts],
        limits=limits,
        also=also,
        deal_id=deal_id,
    )
