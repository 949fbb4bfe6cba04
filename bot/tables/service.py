"""Tables as they are read: where they stand in the store, folded out of their logs, and kept in memory for a while."""

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
from engine.table.premove import Premove
from engine.table.refusals import No, Refused
from engine.table.table_events import LogEvent
from engine.table.table_state import RUNNING, Clock, Guests, Outage, Question, SeatRow, TableState
from engine.table.terms import GENTLE, RELAXED, Terms

log = logger(__name__)

PATIENCE: Final = 5 * 60_000
"""So long, in ms, an event of a kind that is not known keeps its table waiting: while one process after the other is
brought up to date, those that are not yet meet what the others have written.
"""


class Quarantine:
    """Sets aside what cannot be read, and says why it is refused."""

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now
        self._since: dict[int, int] = {}
        """When an event of an unknown kind was first met, by its match."""

    async def refused(self, head: Head, damage: LogDamaged) -> Refused:
        """What to refuse with whoever needs this table."""
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
        """What to refuse with whoever needs a table that was set aside; of one that was over, its result stands."""
        why = {"lobby": No.SET_ASIDE, "open": No.SET_ASIDE, "void": No.ASIDE_CLOSED, "done": No.UNREADABLE}[aside.state]
        return Refused(why, match=aside.match_id, server=aside.guild_id)


def what_to_do(damage: LogDamaged) -> str:
    """What an operator is to do about it."""
    if damage.newer:
        return f"{damage}. A newer version wrote it: run that one, and the match goes on by itself"
    return f"{damage}. See that the disk is sound; a backup has the match as it was; a moderator can close it"


@dataclass(frozen=True, slots=True)
class Table:
    """One table at one moment. The story is None in the lobby; it is shared, so nobody carries it on in place."""

    head: Head
    state: TableState
    event_log: EventLog | None
    people: Mapping[int, Person] = field(default_factory=dict)
    """What those have set whom it has to do with, by user id, as it was last read; who is missing has set nothing."""

    premoves: Mapping[int, Premove] = field(default_factory=dict)
    """What they have decided to do when it is their turn, by user id. Nobody is told of another's."""

    @property
    def seats(self) -> tuple[SeatRow, ...]:
        """Who sits there, in order."""
        return self.state.seats

    @property
    def terms(self) -> Terms:
        """What the host chose."""
        return self.state.terms

    @property
    def clock(self) -> Clock:
        """What the clock says."""
        return self.state.clock

    @property
    def guests(self) -> Guests:
        """Whom it waits for before the match."""
        return self.state.guests

    @property
    def question(self) -> Question | None:
        """What the people at the table are being asked."""
        return self.state.open_question

    @property
    def rated(self) -> bool:
        """Whether its result moves ratings, as people sit here now: it takes two of them."""
        return self.state.rated and len(self.state.sitting) > 1

    @property
    def hints(self) -> bool:
        """Whether people may ask what to play: where no rating is at stake, whoever leaves or sits down later."""
        state = self.state
        if state.terms.deal:
            return False  # its tables are compared
        return not state.rated or (state.practice and len(state.played) <= 1)

    @property
    def rules(self) -> Rules:
        """What is played here: as the match began, whatever the game's file has come to say since."""
        return rules_of(self.terms) if self.event_log is None else self.event_log.match.rules

    @property
    def match(self) -> Match:
        """The match. Raises Refused when there is none yet, or none came about."""
        if self.event_log is None or self.head.state == "void":
            raise Refused(No.CLOSED if self.head.state == "void" else No.NOT_STARTED, host=self.head.host_id)
        return self.event_log.match

    def person(self, user_id: int) -> Person:
        """What somebody has set, as it was last read."""
        return self.people.get(user_id) or Person(user_id=user_id)

    def seat_of(self, user_id: int) -> int | None:
        """The seat of a person, None for somebody who watches."""
        return self.state.seat_of(user_id)

    def takes_back(self, user_id: int) -> bool:
        """Whether a person may take back their last placement alone."""
        seat, match = self.seat_of(user_id), None if self.event_log is None else self.event_log.match
        return (
            seat is not None
            and match is not None
            and match.can_take_back(seat)
            and self.state.takes_back(seat, match.turn)
        )

    def turn_user(self) -> int | None:
        """The person to act; None when it is a computer's turn or nobody's."""
        return self.head.turn.user if self.head.turn else None


@dataclass(frozen=True, slots=True)
class Acted:
    """What an act led to. There are no events where it had its effect before, or has lost its sense."""

    table: Table
    events: tuple[LogEvent, ...] = ()
    told: tuple[Told, ...] = ()
    """What there is to tell of the match."""


class Tables:
    """Reads tables from the store. Folded ones are kept for a while; the store's head says if one is current.

    A clock that ran through an outage is read as if that time had been given back already.
    """

    KEPT: Final = 1000

    def __init__(self, store: Store, now: Callable[[], int] = wall_clock) -> None:
        self._store = store
        self._quarantine = Quarantine(store, now)
        self.owed: tuple[Owed, ...] = ()
        """The outages that are to be given back, oldest first, as they were last read."""
        self._looked = False
        self._remembered: OrderedDict[int, Table] = OrderedDict()

    async def load(self, match_id: int) -> Table:
        """The table as it stands. Raises Refused(NO_SUCH_TABLE)."""
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
        """The table that this head was just read of, with the time given back that it is owed. Raises as `at` does."""
        return self._repaid(await self.at(head))

    def _repaid(self, table: Table) -> Table:
        if table.head.state != "open" or not (outages := self.owed_at(table.head.guild_id)):
            return table
        return replace(table, state=replace(table.state, clock=repaid(table.clock, outages)))

    def remembered(self, match_id: int) -> Table | None:
        """A table as this process last saw it: enough to act on, for an act finds out whether it still stands so. None
        where it is not known, or where its clock is owed time.
        """
        return self._unowed(self._remembered.get(match_id))

    def remembered_in(self, channel_id: int) -> Table | None:
        """The same for the table of a channel."""
        here = (table for table in reversed(self._remembered.values()) if table.head.channel_id == channel_id)
        return self._unowed(next(here, None))

    def _unowed(self, table: Table | None) -> Table | None:
        return None if table is None or self.owed_at(table.head.guild_id) else table

    def moved_on(self, head: Head) -> bool:
        """Whether somebody has acted on a table since this head was read, as far as this process knows."""
        kept = self._remembered.get(head.match_id)
        return kept is not None and kept.head.seq > head.seq

    def at_rest(self, match_id: int) -> Table | None:
        """A table as this process last saw it, where no computer is to move; None where one is, or nobody knows."""
        kept = self._remembered.get(match_id)
        return None if kept is None or kept.head.turn is None or kept.head.turn.user is None else kept

    def newest(self, table: Table) -> Table:
        """A table as this process last carried it on; the same where it has not since, or owes it time."""
        if not self.moved_on(table.head) or self.owed_at(table.head.guild_id):
            return table
        return self._remembered[table.head.match_id]

    async def here(self, channel_id: int, *, over: bool = True) -> Table | None:
        """The table that is open in a channel, else the last one that was played there, unless `over` is False.

        What cannot be read stands nowhere: its channel is free.
        """
        known = await self._store.matches.asked_in(channel_id)
        if known is not None and (found := await self._readable(known)) is not None:
            return found
        ended = await self._store.matches.heads_in_channel(channel_id, ("done",), limit=1) if over else []
        return await self._readable(await self._store.matches.asked(ended[0].match_id, None)) if ended else None

    async def check_quarantine(self, channel_id: int, newest: Table | None) -> None:
        """Raise Refused(SET_ASIDE) where a table of this channel was set aside after its `newest` one that is over."""
        quarantined = await self._store.quarantine.quarantined(channel_id=channel_id)
        if quarantined and (newest is None or newest.head.match_id < quarantined[0].match_id):
            raise self._quarantine.refusal(quarantined[0])

    async def frees(self, match_id: int) -> bool:
        """Whether a table that holds a channel cannot be read, and has been set aside by this."""
        return await self._readable(await self._store.matches.asked(match_id, None)) is None

    async def _readable(self, known: Known | None) -> Table | None:
        try:
            return None if known is None else await self._known(known)
        except Refused as refused:
            if refused.why is No.UPDATING:
                raise
            return None

    async def of(self, user_id: int) -> list[Table]:
        """The tables somebody sits at that are not over."""
        heads = await self._store.matches.heads_of_user(user_id, RUNNING)
        found = []
        for head in heads:
            with suppress(Refused):  # one that cannot be read hides none of the others
                found.append(await self.load(head.match_id))
        return found

    async def earlier(self, match_id: int, seq: int) -> Table:
        """The table as it stood at an earlier move, with those who sat there then."""
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
        """Remember a table that was just carried on. One that is over is hardly ever looked at again."""
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
        """The table that this head was just read of, as its log tells it.

        Raises Refused(NO_SUCH_TABLE); SET_ASIDE, ASIDE_CLOSED, UNREADABLE or UPDATING where its log cannot be read.
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
        """What the log of a table comes to, with nothing of it in memory. Raises Refused as `at` does."""
        try:
            loaded = await self._store.matches.load(head.match_id)
            if loaded is None:
                raise Refused(No.NO_SUCH_TABLE)
            return loaded, *replay_loaded(loaded)
        except LogDamaged as damage:
            raise await self._quarantine.refused(head, damage) from damage

    def owed_at(self, guild_id: int) -> tuple[Outage, ...]:
        """Those of them in which nobody could play on a server."""
        return tuple(owed.outage for owed in self.owed if owed.shard.holds(guild_id))

    async def look_for_outages(self) -> tuple[Owed, ...]:
        """Read anew what is to be given back: another process may have noted an outage."""
        self.owed, self._looked = await self._store.operations.outages(), True
        return self.owed


def replay_loaded(loaded: Loaded) -> tuple[TableState, EventLog | None]:
    """What a log comes to. Raises LogDamaged where it does not fold, or is longer or shorter than the store says."""
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
    """The rules that terms come to, by what the file of the game says now."""
    chosen = rules(terms.game, terms.preset)
    for name, value in terms.options.items():
        chosen = chosen.with_option(name, value)
    return replace(chosen, target=terms.target)


LOOKED_AT: Final = 100
"""So many lobbies of a server are looked through, the newest ones; a server allows no more tables unless it is told."""


class OpenLobbies:
    """Finds them. Nothing is written, and nothing is promised: whoever sits down comes the way everybody does."""

    def __init__(self, store: Store, tables: Tables, guilds: Guilds, now: Callable[[], int]) -> None:
        self._store = store
        self._tables = tables
        self._guilds = guilds
        self._now = now

    async def of(self, guild_id: int, user_id: int, sees: Callable[[int], bool]) -> list[Table]:
        """The lobbies at which somebody may sit down, newest first. `sees` says of a channel whether they see it: of
        others nothing is read.
        """
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
                continue  # what cannot be read is nobody's to sit at; the doctor tells of it
            if self.may_join(table, user_id):
                found.append(table)
        return found

    def may_join(self, table: Table, user_id: int) -> bool:
        """Whether somebody could sit down now: asked of the table itself, so that full ones, kept seats and whatever
        else it refuses are left out.
        """
        # The last seat would deal; what that comes to is kept nowhere and shown to nobody.
        given = Given(now=self._now(), secret=table.head.secret, rules=table.rules, match_id=table.head.match_id)
        try:
            decide(table.state, table.event_log, Join(user_id), given)
        except (Refused, RuleBroken):
            return False
        return True


GAME: Final = "triominoes"
TARGET: Final = 50
"""Points that somebody has by the end of its one round, however it is played (`engine.table.seats`)."""


def lesson_for(guild_id: int, channel_id: int, user_id: int) -> Invitation:
    """A guided game for this person here."""
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
    """Whether it is a guided game that somebody is in the middle of."""
    return table.terms.guided and table.head.state == "open"
