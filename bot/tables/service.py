"""Tables as they are read from the store: replayed from their logs and cached."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

from bot.core.environment import read_clock as wall_clock
from bot.core.guild_settings import Guilds
from bot.core.logs import get_logger
from bot.tables.lobbies import TableRequest
from data.rulebook import load_rules
from data.store.connection.shards import UncreditedOutage
from data.store.connection.store_errors import DamagedLog, TooManyMatches
from data.store.log.match_values import Head, LoadedMatch, MatchContext, QuarantinedMatch, get_version
from data.store.store import Store
from engine.match.errors import RuleError
from engine.match.event_log import EventLog, PublicEvent
from engine.match.rules import Rules
from engine.match.state import Match
from engine.table.clock import credit_outages
from engine.table.commands import Join
from engine.table.decide_table import decide
from engine.table.evolve import DecisionContext, replay
from engine.table.preferences import Person
from engine.table.refusals import Refusal, RefusalError
from engine.table.table_events import LogEvent
from engine.table.table_state import RUNNING, Clock, Guests, Outage, Premove, Question, SeatRow, TableState
from engine.table.terms import GENTLE, RELAXED, Terms

log = get_logger(__name__)

UPDATE_GRACE: Final = 5 * 60_000
"""During a rolling update, ms that a table waits while this process does not know an event of a newer one."""


class Quarantine:
    """Quarantines unreadable matches and explains refusals."""

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now
        self._since: dict[int, int] = {}  # first time of an unknown event, by match

    async def quarantine_table(self, head: Head, damage: DamagedLog) -> RefusalError:
        """Return the refusal for an unreadable table, and quarantine it."""
        match_id, now = head.match_id, self._now()
        if damage.is_newer and head.state in RUNNING:
            since = self._since.setdefault(match_id, now)
            if since <= now < since + UPDATE_GRACE:
                return RefusalError(Refusal.UPDATING, match=match_id, server=head.guild_id)
        why = "newer" if damage.is_newer else "damaged"
        if await self._store.quarantine.quarantine_match(match_id, damage.seq, why, now=now):
            self._since.pop(match_id, None)
            log.error("a match is in quarantine: " + format_advice(damage), match=match_id, server=head.guild_id)
        quarantined = await self._store.quarantine.find_quarantined(match_id)
        return RefusalError(Refusal.NO_SUCH_TABLE) if quarantined is None else self.build_refusal(quarantined)

    def build_refusal(self, quarantined: QuarantinedMatch) -> RefusalError:
        """Return the refusal for a quarantined table; if it was finished, its result stays."""
        ended = {"void": Refusal.ASIDE_CLOSED, "done": Refusal.UNREADABLE}
        why = ended.get(quarantined.state, Refusal.SET_ASIDE)
        return RefusalError(why, match=quarantined.match_id, server=quarantined.guild_id)


def format_advice(damage: DamagedLog) -> str:
    if damage.is_newer:
        return f"{damage}. A newer version wrote it: run that version, and the match continues"
    return f"{damage}. Check the disk. A backup may have the match; a moderator can close it"


@dataclass(frozen=True, slots=True)
class Table:
    """A table at one moment. `event_log` is None in the lobby; it is shared and must not be modified."""

    head: Head
    state: TableState
    event_log: EventLog | None
    people: Mapping[int, Person] = field(default_factory=dict)  # by user id; a missing user has the defaults
    premoves: Mapping[int, Premove] = field(default_factory=dict)  # by user id; hidden from the other players

    @property
    def seats(self) -> tuple[SeatRow, ...]:
        return self.state.seats

    @property
    def terms(self) -> Terms:
        return self.state.terms

    @property
    def clock(self) -> Clock:
        return self.state.clock

    @property
    def guests(self) -> Guests:
        return self.state.guests

    @property
    def question(self) -> Question | None:
        return self.state.open_question

    @property
    def is_rated(self) -> bool:
        """Whether the result changes ratings with the current players: it takes two users."""
        return self.state.is_rated and len(self.state.seated_users) > 1

    @property
    def has_hints(self) -> bool:
        """Whether hints are allowed: only where no rating is at stake, whatever seats change later."""
        state = self.state
        if state.terms.deal:
            return False  # the tables of a deal are compared
        return not state.is_rated or (state.is_practice and len(state.match_players) <= 1)

    @property
    def rules(self) -> Rules:
        """The rules as of the start of the match, even if the game's file has changed."""
        return build_rules(self.terms) if self.event_log is None else self.event_log.match.rules

    @property
    def match(self) -> Match:
        """The match. Raises RefusalError if there is none (yet)."""
        if self.event_log is None or self.head.state == "void":
            why = Refusal.CLOSED if self.head.state == "void" else Refusal.NOT_STARTED
            raise RefusalError(why, host=self.head.host_id)
        return self.event_log.match

    def get_person(self, user_id: int) -> Person:
        return self.people.get(user_id) or Person(user_id=user_id)

    def find_seat(self, user_id: int) -> int | None:
        return self.state.find_seat(user_id)

    def can_undo(self, user_id: int) -> bool:
        """Return whether a user may take back their last placement without asking."""
        seat, match = self.find_seat(user_id), None if self.event_log is None else self.event_log.match
        return seat is not None and match is not None and match.can_undo(seat) and self.state.can_undo(seat, match.turn)

    def find_turn_user(self) -> int | None:
        return self.head.turn.user if self.head.turn else None


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The result of a command. No events if it was applied before or is outdated."""

    table: Table
    events: tuple[LogEvent, ...] = ()
    public_events: tuple[PublicEvent, ...] = ()


class TableCache:
    """Reads tables from the store and caches them; the stored head says whether a cached one is current.

    A clock that ran through an outage is read with its outage credit.
    """

    MAX_KEPT: Final = 1000

    def __init__(self, store: Store, now: Callable[[], int] = wall_clock) -> None:
        self._store = store
        self._quarantine = Quarantine(store, now)
        self.owed_outages: tuple[UncreditedOutage, ...] = ()  # unpaid outages, oldest first
        self._has_outages = False
        self._cached: OrderedDict[int, Table] = OrderedDict()

    async def load(self, match_id: int) -> Table:
        """Return the current table. Raises RefusalError(NO_SUCH_TABLE)."""
        known = await self._store.matches.find_context(match_id, None)
        if known is None:
            raise RefusalError(Refusal.NO_SUCH_TABLE)
        return await self._load_known(known)

    async def _load_known(self, known: MatchContext) -> Table:
        table = replace(await self.load_from_head(known.head), people=known.people, premoves=known.premoves)
        if table.head.match_id in self._cached:
            self._cached[table.head.match_id] = table
        return self._with_credit(table)

    async def load_with_credit(self, head: Head) -> Table:
        """Return the table of a head that was just read, with outage credit. Raises as `load_from_head` does."""
        return self._with_credit(await self.load_from_head(head))

    def _with_credit(self, table: Table) -> Table:
        if table.head.state != "open" or not (outages := self.list_owed_outages(table.head.guild_id)):
            return table
        return replace(table, state=replace(table.state, clock=credit_outages(table.clock, outages)))

    def find_cached(self, match_id: int) -> Table | None:
        """Return the cached table, which `act` checks before it commits; None if unknown or if outage credit is due."""
        return self._drop_if_owed(self._cached.get(match_id))

    def find_cached_in(self, channel_id: int) -> Table | None:
        candidates = (table for table in reversed(self._cached.values()) if table.head.channel_id == channel_id)
        return self._drop_if_owed(next(candidates, None))

    def _drop_if_owed(self, table: Table | None) -> Table | None:
        return None if table is None or self.list_owed_outages(table.head.guild_id) else table

    def is_outdated(self, head: Head) -> bool:
        """Return whether this process knows a newer version than this head."""
        cached = self._cached.get(head.match_id)
        return cached is not None and cached.head.seq > head.seq

    def find_awaiting_player(self, match_id: int) -> Table | None:
        """Return the cached table if a player is to move; None if a computer is, or if unknown."""
        cached = self._cached.get(match_id)
        return None if cached is None or cached.head.turn is None or cached.head.turn.user is None else cached

    def choose_newest(self, table: Table) -> Table:
        """Return the newest cached version of a table; the same table if there is none or outage credit is due."""
        if not self.is_outdated(table.head) or self.list_owed_outages(table.head.guild_id):
            return table
        return self._cached[table.head.match_id]

    async def find_in_channel(self, channel_id: int, *, with_finished: bool = True) -> Table | None:
        """Return the open table of a channel, or the last finished one unless `with_finished` is False.

        An unreadable table does not occupy its channel.
        """
        known = await self._store.matches.find_channel_context(channel_id)
        if known is not None and (found := await self._find_readable(known)) is not None:
            return found
        ended = await self._store.matches.list_heads_in_channel(channel_id, ("done",), limit=1) if with_finished else []
        if not ended:
            return None
        return await self._find_readable(await self._store.matches.find_context(ended[0].match_id, None))

    async def check_quarantine(self, channel_id: int, newest: Table | None) -> None:
        """Raise RefusalError(SET_ASIDE) if a table of this channel was quarantined after the `newest` finished one."""
        quarantined = await self._store.quarantine.list_quarantined(channel_id=channel_id)
        if quarantined and (newest is None or newest.head.match_id < quarantined[0].match_id):
            raise self._quarantine.build_refusal(quarantined[0])

    async def is_unreadable(self, match_id: int) -> bool:
        """Return whether the table that holds a channel is unreadable; reading it quarantines it."""
        return await self._find_readable(await self._store.matches.find_context(match_id, None)) is None

    async def _find_readable(self, known: MatchContext | None) -> Table | None:
        try:
            return None if known is None else await self._load_known(known)
        except RefusalError as refused:
            if refused.why is Refusal.UPDATING:
                raise
            return None

    async def list_of_user(self, user_id: int) -> list[Table]:
        heads = await self._store.matches.list_heads_of_user(user_id, RUNNING)
        found = []
        for head in heads:
            with suppress(RefusalError):  # an unreadable table must not hide the others
                found.append(await self.load(head.match_id))
        return found

    async def load_earlier(self, match_id: int, seq: int) -> Table:
        """Return the table at an earlier event, with the seats of that time."""
        current = await self.load(match_id)
        return Table(current.head, *replay(await self._store.matches.load_log(match_id, seq)))

    def cache(
        self,
        head: Head,
        state: TableState,
        event_log: EventLog | None,
        people: Mapping[int, Person] | None = None,
        premoves: Mapping[int, Premove] | None = None,
    ) -> Table:
        table = Table(head, state, event_log, people or {}, premoves or {})
        if head.state not in ("lobby", "open"):
            self._cached.pop(head.match_id, None)
            return table
        self._cached[head.match_id] = table
        self._cached.move_to_end(head.match_id)
        while len(self._cached) > self.MAX_KEPT:
            self._cached.popitem(last=False)
        return table

    async def load_from_head(self, head: Head) -> Table:
        """Return the table of a head that was just read.

        Raises RefusalError(NO_SUCH_TABLE); SET_ASIDE, ASIDE_CLOSED, UNREADABLE or UPDATING if its log cannot be read.
        """
        if not self._has_outages:
            await self.load_outages()
        cached = self._cached.get(head.match_id)
        if cached is not None and get_version(cached.head) == get_version(head) and cached.state.state == head.state:
            self._cached.move_to_end(head.match_id)
            return replace(cached, head=head)
        loaded, state, event_log = await self.load_uncached(head)
        if (
            state.state != loaded.head.state
            and (quarantined := await self._store.quarantine.find_quarantined(head.match_id)) is not None
        ):
            raise self._quarantine.build_refusal(quarantined)
        return self.cache(loaded.head, state, event_log)

    async def load_uncached(self, head: Head) -> tuple[LoadedMatch, TableState, EventLog | None]:
        """Replay the log of a table without the cache. Raises RefusalError as `load_from_head` does."""
        try:
            loaded = await self._store.matches.load(head.match_id)
            if loaded is None:
                raise RefusalError(Refusal.NO_SUCH_TABLE)
            return loaded, *replay_loaded(loaded)
        except DamagedLog as damage:
            raise await self._quarantine.quarantine_table(head, damage) from damage

    def list_owed_outages(self, guild_id: int) -> tuple[Outage, ...]:
        return tuple(owed.outage for owed in self.owed_outages if owed.shard.has_guild(guild_id))

    async def load_outages(self) -> tuple[UncreditedOutage, ...]:
        """Read the outages again: another process may have noted one."""
        self.owed_outages, self._has_outages = await self._store.operations.list_outages(), True
        return self.owed_outages


def replay_loaded(loaded: LoadedMatch) -> tuple[TableState, EventLog | None]:
    """Replay a log. Raises DamagedLog if that fails, or if its length differs from the store."""
    head = loaded.head
    try:
        state, event_log = replay(loaded.log)
    except MemoryError:
        raise
    except Exception as error:
        raise DamagedLog(head.match_id, head.seq, f"its log can't be replayed ({type(error).__name__})") from error
    if state.seq != head.seq:
        raise DamagedLog(head.match_id, head.seq, f"its log has {state.seq} events and not {head.seq}")
    return state, event_log


def build_rules(terms: Terms) -> Rules:
    """Return the rules of the terms, from the current file of the game."""
    chosen = load_rules(terms.game, terms.preset)
    for name, value in terms.options.items():
        chosen = chosen.with_option(name, value)
    return replace(chosen, target=terms.target)


MAX_LOBBIES: Final = 100  # newest lobbies of a server that are checked


class LobbyFinder:
    """Finds lobbies to join. Nothing is written or reserved."""

    def __init__(self, store: Store, tables: TableCache, guilds: Guilds, now: Callable[[], int]) -> None:
        self._store = store
        self._tables = tables
        self._guilds = guilds
        self._now = now

    async def list_joinable(self, guild_id: int, user_id: int, sees: Callable[[int], bool]) -> list[Table]:
        """Return the lobbies that a user may join, newest first, in channels for which `sees` is true."""
        try:
            await self._store.guilds.check_limits(guild_id, await self._guilds.load_limits(guild_id, user_id))
        except TooManyMatches:
            return []
        found = []
        for head in await self._store.matches.list_lobbies(guild_id, MAX_LOBBIES):
            if not sees(head.channel_id):
                continue
            try:
                table = await self._tables.load_from_head(head)
            except RefusalError:
                continue  # unreadable tables are reported by the doctor
            if self.can_join(table, user_id):
                found.append(table)
        return found

    def can_join(self, table: Table, user_id: int) -> bool:
        """Return whether a user could join now, by deciding on a `Join` without committing it."""
        # Joining the last seat deals the tiles; this deal is neither stored nor shown.
        head = table.head
        given = DecisionContext(now=self._now(), secret=head.secret, rules=table.rules, match_id=head.match_id)
        try:
            decide(table.state, table.event_log, Join(user_id), given)
        except (RefusalError, RuleError):
            return False
        return True


LESSON_GAME: Final = "triominoes"
LESSON_OPTIONS: Final = ("rounds=1",)


def build_lesson_request(guild_id: int, channel_id: int, user_id: int) -> TableRequest:
    return TableRequest(
        guild_id=guild_id,
        channel_id=channel_id,
        host_id=user_id,
        game=LESSON_GAME,
        computers=(GENTLE,),
        options=LESSON_OPTIONS,
        theme="",
        clock=RELAXED,
        rated=False,
        guided=True,
    )


def is_lesson_running(table: Table) -> bool:
    return table.terms.guided and table.head.state == "open"
