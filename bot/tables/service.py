"""Tables as they are read from the store: replayed from their logs and cached."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

from bot.core.environment import now as wall_clock
from bot.core.guild_settings import Guilds
from bot.core.logs import logger
from bot.tables.lobbies import Invitation
from data.rulebook import rules
from data.store.connection.shards import Owed
from data.store.connection.store_errors import LogDamaged, TooMany
from data.store.log.match_values import Head, Known, Loaded, Quarantined, where_and_when
from data.store.store import Store
from engine.match.errors import RuleBroken
from engine.match.event_log import EventLog, Told
from engine.match.rules import Rules
from engine.match.state import Match
from engine.table.clockwork import repaid
from engine.table.commands import Join
from engine.table.decide_table import decide
from engine.table.evolve import Given, replay
from engine.table.preferences import Person
from engine.table.refusals import No, Refused
from engine.table.table_events import LogEvent
from engine.table.table_state import RUNNING, Clock, Guests, Outage, Premove, Question, SeatRow, TableState
from engine.table.terms import GENTLE, RELAXED, Terms

log = logger(__name__)

PATIENCE: Final = 5 * 60_000
"""During a rolling update, ms that a table waits while this process does not know an event of a newer one."""


class Quarantine:
    """Quarantines unreadable matches and explains refusals."""

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now
        self._since: dict[int, int] = {}  # first time of an unknown event, by match

    async def refused(self, head: Head, damage: LogDamaged) -> Refused:
        """Return the refusal for an unreadable table, and quarantine it."""
        match_id, now = head.match_id, self._now()
        if damage.newer and head.state in RUNNING:
            since = self._since.setdefault(match_id, now)
            if since <= now < since + PATIENCE:
                return Refused(No.UPDATING, match=match_id, server=head.guild_id)
        why = "newer" if damage.newer else "damaged"
        if await self._store.quarantine.set_aside(match_id, damage.seq, why, now=now):
            self._since.pop(match_id, None)
            log.error("a match is set aside: " + what_to_do(damage), match=match_id, server=head.guild_id)
        aside = await self._store.quarantine.quarantine_of(match_id)
        return Refused(No.NO_SUCH_TABLE) if aside is None else self.refusal(aside)

    def refusal(self, aside: Quarantined) -> Refused:
        """Return the refusal for a quarantined table; if it was finished, its result stays."""
        why = {"lobby": No.SET_ASIDE, "open": No.SET_ASIDE, "void": No.ASIDE_CLOSED, "done": No.UNREADABLE}[aside.state]
        return Refused(why, match=aside.match_id, server=aside.guild_id)


def what_to_do(damage: LogDamaged) -> str:
    if damage.newer:
        return f"{damage}. A newer version wrote it: run that one, and the match goes on by itself"
    return f"{damage}. See that the disk is sound; a backup has the match as it was; a moderator can close it"


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
    def rated(self) -> bool:
        """Whether the result changes ratings with the current players: it takes two users."""
        return self.state.rated and len(self.state.sitting) > 1

    @property
    def hints(self) -> bool:
        """Whether hints are allowed: only where no rating is at stake, whatever seats change later."""
        state = self.state
        if state.terms.deal:
            return False  # the tables of a deal are compared
        return not state.rated or (state.practice and len(state.played) <= 1)

    @property
    def rules(self) -> Rules:
        """The rules as of the start of the match, even if the game's file has changed."""
        return rules_of(self.terms) if self.event_log is None else self.event_log.match.rules

    @property
    def match(self) -> Match:
        """The match. Raises Refused if there is none (yet)."""
        if self.event_log is None or self.head.state == "void":
            raise Refused(No.CLOSED if self.head.state == "void" else No.NOT_STARTED, host=self.head.host_id)
        return self.event_log.match

    def person(self, user_id: int) -> Person:
        return self.people.get(user_id) or Person(user_id=user_id)

    def seat_of(self, user_id: int) -> int | None:
        return self.state.seat_of(user_id)

    def takes_back(self, user_id: int) -> bool:
        """Return whether a user may take back their last placement without asking."""
        seat, match = self.seat_of(user_id), None if self.event_log is None else self.event_log.match
        return (
            seat is not None
            and match is not None
            and match.can_take_back(seat)
            and self.state.takes_back(seat, match.turn)
        )

    def turn_user(self) -> int | None:
        return self.head.turn.user if self.head.turn else None


@dataclass(frozen=True, slots=True)
class Acted:
    """The result of a command. No events if it was applied before or is outdated."""

    table: Table
    events: tuple[LogEvent, ...] = ()
    told: tuple[Told, ...] = ()


class Tables:
    """Reads tables from the store and caches them; the stored head says whether a cached one is current.

    A clock that ran through an outage is read with its outage credit.
    """

    KEPT: Final = 1000

    def __init__(self, store: Store, now: Callable[[], int] = wall_clock) -> None:
        self._store = store
        self._quarantine = Quarantine(store, now)
        self.owed: tuple[Owed, ...] = ()  # unpaid outages, oldest first
        self._looked = False
        self._remembered: OrderedDict[int, Table] = OrderedDict()

    async def load(self, match_id: int) -> Table:
        """Return the current table. Raises Refused(NO_SUCH_TABLE)."""
        known = await self._store.matches.asked(match_id, None)
        if known is None:
            raise Refused(No.NO_SUCH_TABLE)
        return await self._known(known)

    async def _known(self, known: Known) -> Table:
        table = replace(await self.at(known.head), people=known.people, premoves=known.premoves)
        if table.head.match_id in self._remembered:
            self._remembered[table.head.match_id] = table
        return self._repaid(table)

    async def standing(self, head: Head) -> Table:
        """Return the table of a head that was just read, with outage credit. Raises as `at` does."""
        return self._repaid(await self.at(head))

    def _repaid(self, table: Table) -> Table:
        if table.head.state != "open" or not (outages := self.owed_at(table.head.guild_id)):
            return table
        return replace(table, state=replace(table.state, clock=repaid(table.clock, outages)))

    def remembered(self, match_id: int) -> Table | None:
        """Return the cached table, which `act` checks before it commits; None if unknown or if outage credit is due."""
        return self._unowed(self._remembered.get(match_id))

    def remembered_in(self, channel_id: int) -> Table | None:
        here = (table for table in reversed(self._remembered.values()) if table.head.channel_id == channel_id)
        return self._unowed(next(here, None))

    def _unowed(self, table: Table | None) -> Table | None:
        return None if table is None or self.owed_at(table.head.guild_id) else table

    def moved_on(self, head: Head) -> bool:
        """Return whether this process knows a newer version than this head."""
        kept = self._remembered.get(head.match_id)
        return kept is not None and kept.head.seq > head.seq

    def at_rest(self, match_id: int) -> Table | None:
        """Return the cached table if a player is to move; None if a computer is, or if unknown."""
        kept = self._remembered.get(match_id)
        return None if kept is None or kept.head.turn is None or kept.head.turn.user is None else kept

    def newest(self, table: Table) -> Table:
        """Return the newest cached version of a table; the same table if there is none or outage credit is due."""
        if not self.moved_on(table.head) or self.owed_at(table.head.guild_id):
            return table
        return self._remembered[table.head.match_id]

    async def here(self, channel_id: int, *, over: bool = True) -> Table | None:
        """Return the open table of a channel, or the last finished one unless `over` is False.

        An unreadable table does not occupy its channel.
        """
        known = await self._store.matches.asked_in(channel_id)
        if known is not None and (found := await self._readable(known)) is not None:
            return found
        ended = await self._store.matches.heads_in_channel(channel_id, ("done",), limit=1) if over else []
        return await self._readable(await self._store.matches.asked(ended[0].match_id, None)) if ended else None

    async def check_quarantine(self, channel_id: int, newest: Table | None) -> None:
        """Raise Refused(SET_ASIDE) if a table of this channel was quarantined after the `newest` finished one."""
        quarantined = await self._store.quarantine.quarantined(channel_id=channel_id)
        if quarantined and (newest is None or newest.head.match_id < quarantined[0].match_id):
            raise self._quarantine.refusal(quarantined[0])

    async def frees(self, match_id: int) -> bool:
        """Return whether the table that holds a channel is unreadable; reading it quarantines it."""
        return await self._readable(await self._store.matches.asked(match_id, None)) is None

    async def _readable(self, known: Known | None) -> Table | None:
        try:
            return None if known is None else await self._known(known)
        except Refused as refused:
            if refused.why is No.UPDATING:
                raise
            return None

    async def of(self, user_id: int) -> list[Table]:
        heads = await self._store.matches.heads_of_user(user_id, RUNNING)
        found = []
        for head in heads:
            with suppress(Refused):  # an unreadable table must not hide the others
                found.append(await self.load(head.match_id))
        return found

    async def earlier(self, match_id: int, seq: int) -> Table:
        """Return the table at an earlier event, with the seats of that time."""
        now = await self.load(match_id)
        return Table(now.head, *replay(await self._store.matches.log(match_id, seq)))

    def keep(
        self,
        head: Head,
        state: TableState,
        event_log: EventLog | None,
        people: Mapping[int, Person] | None = None,
        premoves: Mapping[int, Premove] | None = None,
    ) -> Table:
        table = Table(head, state, event_log, people or {}, premoves or {})
        if head.state not in ("lobby", "open"):
            self._remembered.pop(head.match_id, None)
            return table
        self._remembered[head.match_id] = table
        self._remembered.move_to_end(head.match_id)
        while len(self._remembered) > self.KEPT:
            self._remembered.popitem(last=False)
        return table

    async def at(self, head: Head) -> Table:
        """Return the table of a head that was just read.

        Raises Refused(NO_SUCH_TABLE); SET_ASIDE, ASIDE_CLOSED, UNREADABLE or UPDATING if its log cannot be read.
        """
        if not self._looked:
            await self.look_for_outages()
        kept = self._remembered.get(head.match_id)
        if kept is not None and where_and_when(kept.head) == where_and_when(head) and kept.state.state == head.state:
            self._remembered.move_to_end(head.match_id)
            return replace(kept, head=head)
        loaded, state, event_log = await self.read_anew(head)
        if (
            state.state != loaded.head.state
            and (aside := await self._store.quarantine.quarantine_of(head.match_id)) is not None
        ):
            raise self._quarantine.refusal(aside)
        return self.keep(loaded.head, state, event_log)

    async def read_anew(self, head: Head) -> tuple[Loaded, TableState, EventLog | None]:
        """Replay the log of a table without the cache. Raises Refused as `at` does."""
        try:
            loaded = await self._store.matches.load(head.match_id)
            if loaded is None:
                raise Refused(No.NO_SUCH_TABLE)
            return loaded, *replay_loaded(loaded)
        except LogDamaged as damage:
            raise await self._quarantine.refused(head, damage) from damage

    def owed_at(self, guild_id: int) -> tuple[Outage, ...]:
        return tuple(owed.outage for owed in self.owed if owed.shard.holds(guild_id))

    async def look_for_outages(self) -> tuple[Owed, ...]:
        """Read the outages again: another process may have noted one."""
        self.owed, self._looked = await self._store.operations.outages(), True
        return self.owed


def replay_loaded(loaded: Loaded) -> tuple[TableState, EventLog | None]:
    """Replay a log. Raises LogDamaged if that fails, or if its length differs from the store."""
    head = loaded.head
    try:
        state, event_log = replay(loaded.log)
    except MemoryError:
        raise
    except Exception as error:
        raise LogDamaged(head.match_id, head.seq, f"its log does not fold ({type(error).__name__})") from error
    if state.seq != head.seq:
        raise LogDamaged(head.match_id, head.seq, f"its log has {state.seq} events and not {head.seq}")
    return state, event_log


def rules_of(terms: Terms) -> Rules:
    """Return the rules of the terms, from the current file of the game."""
    chosen = rules(terms.game, terms.preset)
    for name, value in terms.options.items():
        chosen = chosen.with_option(name, value)
    return replace(chosen, target=terms.target)


LOOKED_AT: Final = 100  # newest lobbies of a server that are checked


class OpenLobbies:
    """Finds lobbies to join. Nothing is written or reserved."""

    def __init__(self, store: Store, tables: Tables, guilds: Guilds, now: Callable[[], int]) -> None:
        self._store = store
        self._tables = tables
        self._guilds = guilds
        self._now = now

    async def of(self, guild_id: int, user_id: int, sees: Callable[[int], bool]) -> list[Table]:
        """Return the lobbies that a user may join, newest first, in channels for which `sees` is true."""
        try:
            await self._store.guilds.check_limits(guild_id, await self._guilds.limits(guild_id, user_id))
        except TooMany:
            return []
        found = []
        for head in await self._store.matches.lobbies(guild_id, LOOKED_AT):
            if not sees(head.channel_id):
                continue
            try:
                table = await self._tables.at(head)
            except Refused:
                continue  # unreadable tables are reported by the doctor
            if self.may_join(table, user_id):
                found.append(table)
        return found

    def may_join(self, table: Table, user_id: int) -> bool:
        """Return whether a user could join now, by deciding on a `Join` without committing it."""
        # Joining the last seat deals the tiles; this deal is neither stored nor shown.
        given = Given(now=self._now(), secret=table.head.secret, rules=table.rules, match_id=table.head.match_id)
        try:
            decide(table.state, table.event_log, Join(user_id), given)
        except (Refused, RuleBroken):
            return False
        return True


GAME: Final = "triominoes"
TARGET: Final = 50  # reached in the single round, however it is played (`engine.table.seats`)


def lesson_for(guild_id: int, channel_id: int, user_id: int) -> Invitation:
    return Invitation(
        guild_id=guild_id,
        channel_id=channel_id,
        host_id=user_id,
        game=GAME,
        computers=(GENTLE,),
        target=TARGET,
        theme="",
        clock=RELAXED,
        rated=False,
        guided=True,
    )


def is_running(table: Table) -> bool:
    return table.terms.guided and table.head.state == "open"
