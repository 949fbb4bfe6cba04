"""What a host asks for when opening a table, the resulting terms and their changes, and who may be invited."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol, get_args

from data.rulebook import DEFAULT_PRESET, list_games, list_presets, load_rules
from data.store.connection.store_errors import DealAlreadyPlayed, DealClosed
from data.store.log.match_values import ExtraWrite, Limits, NewMatch
from engine.match.errors import OptionError, OptionFault, RuleError, Violation
from engine.table.commands import OpenTable
from engine.table.decide_table import TableDecision
from engine.table.refusals import Refusal, RefusalError
from engine.table.table_events import Joined, Kept, LogEvent
from engine.table.table_posts import Post
from engine.table.table_state import TableState
from engine.table.terms import CLASSIC, DAY, DEFAULT_CLOCK, THEMES, AbsenceRule, Terms, parse_pace

OPTION_REFUSALS: Final = {
    OptionFault.NO_SUCH_OPTION: Refusal.NO_SUCH_OPTION,
    OptionFault.NO_SUCH_VALUE: Refusal.BAD_OPTION,
    OptionFault.UNPLAYABLE: Refusal.UNPLAYABLE_OPTION,
    OptionFault.NOTHING_TO_MATCH: Refusal.NOTHING_TO_MATCH,
    OptionFault.TOO_FEW_TILES: Refusal.TOO_FEW_TILES,
    OptionFault.NEVER_ENDS: Refusal.NEVER_ENDS,
}
"""Refusals of a table when a game refuses an option."""

MAX_QUOTED: Final = 60  # characters of the user's input that a refusal repeats


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRequest:
    """Where a table is to be opened, by whom, and on which terms. None takes the game's own number."""

    guild_id: int
    channel_id: int
    host_id: int
    game: str
    seats: int | None = None
    computers: tuple[str, ...] = ()  # players of the computer seats, by name; empty is the server's usual level
    guests: tuple[int, ...] = ()  # users with reserved seats
    companions: tuple[int, ...] = ()  # users who sit down with the host and agreed to it before
    target: int | None = None
    by_hand: bool = False
    preset: str = DEFAULT_PRESET
    options: tuple[str, ...] = ()  # house rules, each as `name=value`
    theme: str = CLASSIC
    clock: str = DEFAULT_CLOCK
    absent: str = "turn"
    rated: bool = True
    word: str = ""  # the host's entropy for the deals, instead of that of the button press
    guided: bool = False
    deal: str = ""  # name of the sealed deal to be played


class Offers:
    """Keeps refused requests for a while, so that a button can open the same table elsewhere."""

    MAX_KEPT: Final = 500

    def __init__(self) -> None:
        self._requests: OrderedDict[str, TableRequest] = OrderedDict()

    def keep(self, request: int, table_request: TableRequest) -> str:
        """Remember the request of an interaction; return its key."""
        self._requests[str(request)] = table_request
        while len(self._requests) > self.MAX_KEPT:
            self._requests.popitem(last=False)
        return str(request)

    def take(self, name: str, user_id: int) -> TableRequest:
        """Return the remembered request of this user. Raises RefusalError(OFFER_GONE)."""
        table_request = self._requests.get(name)
        if table_request is None or table_request.host_id != user_id:
            raise RefusalError(Refusal.OFFER_GONE)
        return table_request


def resolve_terms(table_request: TableRequest) -> Terms:
    """Return the terms of a table.

    Raises RuleError(SEAT_COUNT) or RefusalError(TOO_MANY_COMPUTERS, TOO_MANY_GUESTS, NO_SUCH_PRESET, NO_SUCH_THEME,
    NO_SUCH_OPTION, BAD_OPTION, UNPLAYABLE_OPTION, NOTHING_TO_MATCH, TOO_FEW_TILES, NEVER_ENDS, BAD_CLOCK,
    NO_SUCH_DEFAULT).
    """
    presets = list_presets(table_request.game)
    if table_request.preset not in presets:
        raise RefusalError(Refusal.NO_SUCH_PRESET, preset=table_request.preset[:MAX_QUOTED], presets=presets)
    game = load_rules(table_request.game, table_request.preset)
    if table_request.theme not in THEMES:
        raise RefusalError(Refusal.NO_SUCH_THEME, theme=table_request.theme[:MAX_QUOTED], themes=THEMES)
    options = {}
    for text in table_request.options:
        name, _, value = (part.strip() for part in text.partition("="))
        try:
            game = game.with_option(name, value)
        except OptionError as refused:
            raise _build_option_refusal(refused, text, table_request.game) from None
        options[name] = value
    # A host who names only guests, or a number of computers, wants exactly those players.
    computers, guests = len(table_request.computers), len(table_request.guests)
    default = computers + guests + 1 if computers or guests else game.max_seats
    seats = default if table_request.seats is None else table_request.seats
    if not game.min_seats <= seats <= game.max_seats:
        raise RuleError(Violation.SEAT_COUNT, seats=seats, least=game.min_seats, most=game.max_seats)
    if computers >= seats:
        raise RefusalError(Refusal.TOO_MANY_COMPUTERS, computers=computers, seats=seats, most=seats - 1)
    if computers + guests >= seats:
        raise RefusalError(Refusal.TOO_MANY_GUESTS, guests=guests, computers=computers, seats=seats)
    target = game.target if table_request.target is None else table_request.target
    try:
        replace(game, target=target).require_playable(seats)
    except OptionError as refused:
        text = f"{refused.name}={getattr(game, refused.name)}"
        raise _build_option_refusal(refused, text, table_request.game) from None
    try:
        clock = str(parse_pace(table_request.clock))
    except ValueError:
        raise RefusalError(Refusal.BAD_CLOCK, text=table_request.clock[:MAX_QUOTED]) from None
    choices: tuple[AbsenceRule, ...] = get_args(AbsenceRule)
    absent = next((known for known in choices if known == table_request.absent), None)
    if absent is None:
        raise RefusalError(Refusal.NO_SUCH_DEFAULT, text=table_request.absent[:MAX_QUOTED], choices=choices)
    return Terms(
        game=table_request.game,
        seats=seats,
        target=target,
        by_hand=table_request.by_hand,
        preset=table_request.preset,
        options=options,
        theme=table_request.theme,
        clock=clock,
        absent=absent,
        rated=table_request.rated,
        guided=table_request.guided,
    )


class Deal(Protocol):
    """The duplicate deal of a table."""

    @property
    def deal_id(self) -> int:
        """Its number."""

    @property
    def secret(self) -> bytes:
        """The secret from which all its hands are dealt."""


class DealAccess:
    """Who may sit at a table of a duplicate deal. This one knows no deals; the duplicate deals feature replaces it."""

    async def resolve_terms_and_deal(self, table_request: TableRequest) -> tuple[Terms, Deal | None]:
        """Return the terms of a table, and its deal if any. Raises RefusalError(NO_SUCH_DEAL), and what `agreed`
        raises.
        """
        if table_request.deal:
            raise RefusalError(Refusal.NO_SUCH_DEAL, text=table_request.deal[:MAX_QUOTED])
        return resolve_terms(table_request), None

    async def check(self, guild_id: int, match_id: int, table: TableState, people: Collection[int]) -> None:
        """Raise RefusalError if one of these users may not sit at this table of a deal."""


def build_deal_refusal(error: DealAlreadyPlayed | DealClosed) -> RefusalError:
    if isinstance(error, DealAlreadyPlayed):
        return RefusalError(Refusal.DEAL_SEEN, people=(error.user_id,))
    return RefusalError(Refusal.DEAL_FULL if error.reason == "full" else Refusal.DEAL_OVER)


def _build_option_refusal(refused: OptionError, text: str, game: str) -> RefusalError:
    why, name = OPTION_REFUSALS[refused.why], refused.name[:MAX_QUOTED]
    return RefusalError(why, text=text[:MAX_QUOTED], name=name, allowed=refused.allowed, game=game)


MENTION_COOLDOWN: Final = DAY  # ms before a host mentions the same user again without an answer
MAX_HOSTS: Final = 3  # hosts of a server that may mention the same user within the cooldown, without an answer
MAX_MENTIONS: Final = 12  # users that one host may mention within the cooldown, without an answer
MAX_REMEMBERED: Final = 10_000  # newest mentions that are remembered
Call = tuple[int, int, int]  # server, mentioned user, host


class MentionLimit:
    """Remembers calls until they are answered by joining. In memory: a restart allows one more call each."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._unanswered: OrderedDict[Call, int] = OrderedDict()  # UTC epoch ms, oldest first

    def list_blocked_users(self, guild_id: int, host: int, users: Iterable[int]) -> frozenset[int]:
        """Return the users that this host must not mention now."""
        since = self._now() - MENTION_COOLDOWN
        while self._unanswered and next(iter(self._unanswered.values())) <= since:
            self._unanswered.popitem(last=False)
        blocked, remaining = set(), MAX_MENTIONS - sum(call[::2] == (guild_id, host) for call in self._unanswered)
        for user in dict.fromkeys(users):
            hosts = {call[2] for call in self._unanswered if call[:2] == (guild_id, user)}
            if remaining <= 0 or host in hosts or len(hosts) >= MAX_HOSTS:
                blocked.add(user)
            else:
                remaining -= 1
        return frozenset(blocked)

    def record(self, guild_id: int, host: int, events: Iterable[LogEvent]) -> None:
        for event in events:
            match event:
                case Kept(users, _, True):
                    for user in users:
                        if user is not None:
                            self._unanswered[guild_id, user, host] = self._now()
                            self._unanswered.move_to_end((guild_id, user, host))
                case Joined(user) if user is not None:
                    self._unanswered.pop((guild_id, user, host), None)
                case _:
                    pass
        while len(self._unanswered) > MAX_REMEMBERED:
            self._unanswered.popitem(last=False)


def build_revised_terms(terms: Terms, chosen: Mapping[str, Any]) -> Terms:
    """Return the terms with some of them replaced, by the names of `TableRequest`; "rule" is one option with its value.

    Another game or reading brings its own target and no house rules, and a game its own reading and number of seats,
    unless these were chosen too. Raises as `agreed` does, or RefusalError(UNKNOWN_BUTTON) for an unknown game.
    """
    game = str(chosen.get("game", terms.game))
    if game not in list_games():
        raise RefusalError(Refusal.UNKNOWN_BUTTON)
    usual = terms.preset if terms.preset in list_presets(game) else DEFAULT_PRESET
    preset = str(chosen.get("preset", usual))
    request_fields: dict[str, Any] = {"guild_id": 0, "channel_id": 0, "host_id": 0, "game": game, "preset": preset}
    if (game, preset) != (terms.game, terms.preset):
        request_fields |= {"options": (), "target": None}
    if "rule" in chosen:
        name, value = chosen["rule"]
        options = {**terms.options, name: value}
        if value == str(getattr(load_rules(game, preset), name, None)):
            del options[name]
        request_fields["options"] = tuple(f"{one}={now}" for one, now in options.items())
        chosen = {key: one for key, one in chosen.items() if key != "rule"}
    if game != terms.game:
        playing = load_rules(game)
        request_fields["seats"] = min(max(terms.seats, playing.min_seats), playing.max_seats)
    table_request = build_same_request(terms, **{**request_fields, **chosen})
    return replace(resolve_terms(table_request), deal=terms.deal, deal_until=terms.deal_until)


def build_same_request(terms: Terms, **others: Any) -> TableRequest:
    """Return an invitation to the same terms, with `others` in their places."""
    names = ("game", "seats", "target", "by_hand", "preset", "theme", "clock", "absent", "rated")
    options = tuple(f"{name}={value}" for name, value in terms.options.items())
    return TableRequest(**{"options": options, **{name: getattr(terms, name) for name in names}, **others})


def build_open_command(table_request: TableRequest, terms: Terms) -> OpenTable:
    return OpenTable(
        terms,
        table_request.host_id,
        table_request.computers,
        table_request.guests,
        table_request.word,
        table_request.companions,
    )


def build_new_match(
    table_request: TableRequest,
    command: OpenTable,
    decided: TableDecision,
    secret: bytes,
    limits: Limits | None,
    also: ExtraWrite | None,
    posts: Sequence[Post],
    deal_id: int | None,
) -> NewMatch:
    """Return what is written. Players of a league fixture are called once, by a post written with the match."""
    return NewMatch(
        game=command.terms.game,
        guild_id=table_request.guild_id,
        channel_id=table_request.channel_id,
        host_id=command.host,
        secret=secret,
        events=decided.events,
        seats=decided.table.seats,
        state=decided.table.state,
        turn=decided.turn,
        due=decided.due,
        outbox=[*posts, *decided.posts],
        limits=limits,
        extra_write=also,
        deal_id=deal_id,
    )
