"""Commit every change of a table: load, decide, commit, and retry where another process was faster.

Commands, buttons, deadlines, computers, moderators and the clock all use `Acts`. `engine.table` decides what follows;
this module writes it completely or not at all.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from bot.core.guild_settings import Guilds, too_many
from bot.core.logs import logger
from bot.core.metrics import ACTS
from bot.tables.lobbies import DealSeats, Invitation, Summons, late_refusal, new_match, opens
from bot.tables.ratings import rate
from bot.tables.service import Acted, Table, Tables, replay_loaded, rules_of
from data.store.connection import store_errors
from data.store.connection.faults import is_everywhere
from data.store.connection.store_errors import LogDamaged, Repeated, Stale, StoreClosed, TooMany
from data.store.log.match_values import AlsoWrites, Change, Head, NewMatch, Quarantined
from data.store.results.scores import outcome
from data.store.store import Store
from engine.match.errors import RuleBroken
from engine.table import commands as table_commands
from engine.table.commands import Command
from engine.table.decide_table import Decided, decide
from engine.table.evolve import Given
from engine.table.people import dismissed
from engine.table.preferences import Person, Pings, Preferences
from engine.table.refusals import No, Refused
from engine.table.table_events import Moved, is_sealed, newly_dealt_to
from engine.table.table_posts import Post
from engine.table.table_state import TableState

log = logger(__name__)

Now = Callable[[], int]
TRIES: Final = 5  # lost commits before a request is refused as stale


@dataclass(frozen=True, slots=True)
class PreparedChange:
    """A change ready to be committed, and the decision behind it."""

    change: Change
    decided: Decided


class Acts:
    def __init__(
        self, store: Store, tables: Tables, now: Now, secret: Callable[[], bytes], *, presses: bool = True
    ) -> None:
        # Tests that choose the deals pass `presses=False`: the deals then get no entropy from button presses.
        self._store = store
        self._tables = tables
        self._now = now
        self._secret = secret
        self._presses = presses
        self._guilds = Guilds(store, now)
        self._summons = Summons(now)
        self.deals = DealSeats()  # the duplicate deals feature replaces this

    async def open(
        self,
        asked: Invitation,
        *,
        request: int | None = None,
        also: AlsoWrites | None = None,
        posts: Sequence[Post] = (),
    ) -> Table:
        """Open a table. It starts at once if no other player has to join. `fixture` is the league fixture it is for.

        Raises what `agreed` raises, Refused(CHANNEL_BUSY, TOO_MANY_TABLES_PERSON, TOO_MANY_TABLES_SERVER), and Stale if
        the season has changed.
        """
        terms, deal = await self.deals.agreed(asked)
        command = opens(asked, terms)
        now, secret = self._now(), self._secret() if deal is None else deal.secret
        given = Given(
            now=now,
            secret=secret,
            rules=rules_of(command.terms),
            people={user: await self._store.users.person(user) for user in (command.host, *command.beside)},
            press=request if self._presses else None,
            uncalled=self._summons.uncalled(asked.guild_id, command.host, command.guests),
        )
        decided = decide(None, None, command, given)
        # League players accepted the match when they signed up, so limits do not apply.
        limits = await self._guilds.limits(asked.guild_id, command.host, new=True) if also is None else None
        new = new_match(asked, command, decided, secret, limits, also, posts, None if deal is None else deal.deal_id)
        try:
            (head,) = await self._commit([], now, new=new, request=request)
        except Refused as busy:
            # A quarantined table holds no channel.
            if busy.why is not No.CHANNEL_BUSY or not await self._tables.frees(int(str(busy.facts["table"]))):
                raise
            (head,) = await self._commit([], now, new=new, request=request)
        except Repeated as repeated:
            return await self._tables.load(repeated.match_id)
        self._summons.note(asked.guild_id, command.host, decided.events)
        return self._tables.keep(head, decided.table, decided.event_log)

    async def act(
        self, match_id: int, command: Command, *, request: int | None = None, seen: Table | None = None
    ) -> Acted:
        """Apply a command to a table.

        `request` is the interaction that asks. `seen` is the table in memory: it is read again only if acting on `seen`
        has no effect or `seen` is stale. Raises Refused, or RuleBroken with the reason.
        """
        if seen is not None and self._tables.owed_at(seen.head.guild_id):
            seen = None  # its clock shows outage credit that is not in the log yet
        try:
            with ACTS.time():
                return await self._act_with_retries(match_id, command, request, seen)
        except Repeated:
            return Acted(await self._tables.load(match_id))
        except RuleBroken:
            if isinstance(command, table_commands.Act):
                # A refused move shows that a player whom a computer replaces is back.
                table = await self._tables.load(match_id)
                if table.seat_of(command.user) in table.clock.standins:
                    await self.act(match_id, table_commands.ComeBack(command.user))
            raise

    async def _act_with_retries(
        self, match_id: int, command: Command, request: int | None, remembered: Table | None
    ) -> Acted:
        """Load, decide, commit; retry where the table has changed. Raises Refused(STALE) after TRIES lost commits."""
        newcomers = (command.user,) if isinstance(command, table_commands.Join) else ()
        lost = 0
        while lost < TRIES:
            table, remembered, is_remembered = remembered, None, remembered is not None
            if table is None:
                table, repeated = await self._read(match_id, request, newcomers)
                if repeated:
                    return Acted(await self._tables.load(match_id))
            if isinstance(command, table_commands.Act) and command.expected is None:
                # The player decided on the current table: a retry must not act on a later one.
                command = replace(command, expected=table.state.seq)
            now = self._now()
            try:
                prepared = await self._prepare(table, command, now, request)
                if prepared is None:
                    if is_remembered:
                        continue
                    return Acted(table)
                (head,) = await self._commit([prepared], now)
            except Stale:
                lost += 1
                continue
            except (Refused, RuleBroken, store_errors.UnknownMatch):
                if is_remembered:
                    continue  # the memory may be stale: decide on the stored table
                raise
            decided, after = prepared.decided, self._remember(head, prepared)
            if not decided.again:
                if isinstance(command, table_commands.Join | table_commands.KeepSeats):
                    self._summons.note(table.head.guild_id, table.head.host_id, decided.events)
                return Acted(after, decided.events, decided.told)
            # This commit only settled the previous turn; the command is decided on the table after it.
            if isinstance(command, table_commands.Act) and table.state.still(command.expected or 0):
                command = replace(command, expected=None)  # settling does not make a valid button stale
        raise Refused(No.STALE)

    async def prefer(
        self, before: Person, after: Person, pings: Pings | None, going: Mapping[int, table_commands.GoAway]
    ) -> None:
        """Save a user's settings together with the changes at these tables. Raises Stale."""
        now, changes = self._now(), []
        for match_id, command in sorted(going.items()):
            table, _ = await self._read(match_id)
            table = replace(table, people={**table.people, after.user_id: after})
            prepared = await self._prepare(table, command, now)
            changes += [] if prepared is None else [prepared]
        heads = await self._commit(changes, now, settings=(before, after.preferences, pings))
        for head, prepared in zip(heads, changes, strict=True):
            self._remember(head, prepared)

    async def repay(self, match_ids: Sequence[int]) -> tuple[list[int], list[int]]:
        """Write the outage credit of these matches and their next due times in one transaction.

        Returns the matches that changed, and the others, which moved on in between and may have credit left.
        """
        now, changes = self._now(), {}
        for match_id in match_ids:
            prepared = await self._prepare_credit(match_id, now)
            if prepared is not None:
                changes[match_id] = prepared
        heads = await self._commit(list(changes.values()), now, each=True)
        for head in heads:
            self._remember(head, changes[head.match_id])
        done = [head.match_id for head in heads]
        return done, [match_id for match_id in changes if match_id not in done]

    async def restore_quarantined(self, aside: Quarantined) -> Table:
        """Restore a quarantined table. Raises Refused(CHANNEL_TAKEN) if another table has its channel."""
        for _ in range(TRIES):
            now, loaded = self._now(), await self._store.matches.load(aside.match_id)
            known = await self._store.matches.asked(aside.match_id, None)
            if loaded is None or known is None or await self._store.quarantine.quarantine_of(aside.match_id) is None:
                raise Refused(No.NO_SUCH_TABLE)  # another process has restored it
            table = Table(loaded.head, *replay_loaded(loaded), known.people)
            prepared = await self._prepare(table, table_commands.RestoreQuarantined(aside.since), now, back=aside)
            assert prepared is not None, "it always has an event"
            with suppress(Stale):
                (head,) = await self._commit([prepared], now)
                return self._remember(head, prepared)
        raise Refused(No.STALE)

    async def _read(self, match_id: int, request: int | None = None, others: Sequence[int] = ()) -> tuple[Table, bool]:
        """Load a table, and return whether the interaction was already applied to it."""
        known = await self._store.matches.asked(match_id, request, others)
        if known is None:
            raise Refused(No.NO_SUCH_TABLE)
        return replace(await self._tables.at(known.head), people=known.people, premoves=known.premoves), known.repeated

    async def _prepare_credit(self, match_id: int, now: int) -> PreparedChange | None:
        """Prepare one match's outage credit; None if there is none or it fails: other clocks must not stop."""
        try:
            return await self._prepare((await self._read(match_id))[0], table_commands.Rearm(), now)
        except StoreClosed:
            raise
        except Refused:
            return None  # its log cannot be read, which is logged already
        except Exception as error:
            if is_everywhere(error):
                raise  # otherwise the table would never get its credit
            log.error("what an outage owes to a table could not be worked out", match=match_id, exc_info=error)
            return None

    async def _prepare(
        self, table: Table, command: Command, now: int, request: int | None = None, back: Quarantined | None = None
    ) -> PreparedChange | None:
        """Decide on a command and build the change to commit, with outage credit; None if nothing changes.

        `back` is the quarantine that the change ends.
        """
        head, before = table.head, table.state
        given = Given(
            now=now,
            secret=head.secret,
            rules=table.rules if table.event_log is None else table.event_log.match.rules,
            people=table.people,
            premoves=table.premoves,
            press=request if self._presses else None,
            match_id=head.match_id,
            due=head.due,
            written=head.updated_at,
            outages=self._tables.owed_at(head.guild_id),
            uncalled=self._summons.uncalled(head.guild_id, command.by, command.users)
            if isinstance(command, table_commands.KeepSeats)
            else frozenset(),
        )
        decided = decide(before, table.event_log, command, given)
        after, event_log = decided.table, decided.event_log
        if not decided.events:
            return None
        seats = None if after.seats == before.seats else after.seats
        newcomer = seats and next(iter(after.sitting - before.sitting), None)
        dealt_to = await self._dealt_to(head, before, after) if after.terms.deal else frozenset()
        change = Change(
            match_id=head.match_id,
            expected_seq=head.seq,
            decided_on=head,
            people=table.people,
            premoves=decided.premoves,
            events=decided.events,
            state=after.state if back or after.state != before.state else None,
            turn=decided.turn,
            due=decided.due,
            seats=seats,
            host_id=None if after.host == before.host else after.host,
            channel_id=next((event.channel for event in decided.events if isinstance(event, Moved)), None),
            game=None if after.terms.game == head.game else after.terms.game,
            outbox=decided.posts,
            withdraws=decided.withdraws,
            result=outcome(event_log, after, rate) if after.state in ("done", "void") else None,
            # A commit that only settles the previous turn does not answer the interaction yet.
            request=None if decided.again else request,
            limits=None if not newcomer else await self._guilds.limits(head.guild_id, newcomer),
            of_deal=bool(after.terms.deal),
            dealt_to=dealt_to,
            unlinks=() if before.state == "open" and before.question == after.question else dismissed(before, after),
        )
        return PreparedChange(change, decided)

    async def _dealt_to(self, head: Head, before: TableState, after: TableState) -> frozenset[int]:
        """Return the users who newly see the hands of a sealed deal. Raises Refused if one may not sit there."""
        if not is_sealed(after):
            return frozenset()
        dealt_to = newly_dealt_to(before, after)
        if arriving := dealt_to | (after.sitting - before.sitting):
            await self.deals.check(head.guild_id, head.match_id, after, arriving)
        return dealt_to

    async def _commit(
        self,
        prepared: Sequence[PreparedChange],
        now: int,
        *,
        new: NewMatch | None = None,
        request: int | None = None,
        each: bool = False,
        settings: tuple[Person, Preferences, Pings | None] | None = None,
    ) -> list[Head]:
        """Write everything or nothing: a `new` table, changes, or settings with the changes they cause.

        With `each`, write every change that is not stale. `now` is the time of the decision, so a replay gives the same
        clock. Raises Stale, Repeated, Refused(CHANNEL_BUSY, CHANNEL_TAKEN, SITS_AT_TOO_MANY, TOO_MANY_TABLES_...).
        """
        changes = [one.change for one in prepared]
        try:
            if new is not None:
                return [await self._store.matches.create(new, now=now, request=request)]
            if settings is not None:
                before, after, pings = settings
                return await self._store.matches.prefer(before, after, changes, pings=pings, now=now)
            if each:
                return await self._store.matches.commit_each(changes, now=now) if changes else []
            return [await self._store.matches.commit(change, now=now) for change in changes]
        except store_errors.ChannelBusy as busy:
            raise Refused(No.CHANNEL_TAKEN if new is None else No.CHANNEL_BUSY, table=busy.match_id) from None
        except (store_errors.DealSeen, store_errors.DealClosed) as late:
            raise late_refusal(late) from None
        except TooMany as found:
            if new is None and prepared[0].decided.table.state == "open" and changes[0].state is None:
                # A player joins a running match.
                raise Refused(No.SITS_AT_TOO_MANY, most=found.most) from None
            raise too_many(found) from None

    def _remember(self, head: Head, prepared: PreparedChange) -> Table:
        decided = prepared.decided
        return self._tables.keep(head, decided.table, decided.event_log, prepared.change.people, decided.ahead)


EVERY: Final = 60_000  # ms between two checks
AT_ONCE: Final = 50  # quarantined tables per check, newest first
LOOKED_THROUGH: Final = 20  # logs replayed per check; ten thousand take eight hours


class QuarantineCheck:
    """Restores quarantined tables whose logs can be read again."""

    def __init__(self, store: Store, tables: Tables, acts: Acts, now: Now) -> None:
        self._store = store
        self._tables = tables
        self._acts = acts
        self._now = now
        self._looked_at: int | None = None
        self._last = 0  # the match whose log was replayed last
        self._behind: int | None = None  # the next check starts below this match; None: at the newest

    async def look(self) -> list[int]:
        now = self._now()
        if self._looked_at is not None and 0 <= now - self._looked_at < EVERY:
            return []
        self._looked_at = now
        await self._replay_logs()
        quarantined = await self._store.quarantine.quarantined()
        found = [one for one in quarantined if self._behind is None or one.match_id < self._behind]
        some = found[:AT_ONCE]
        self._behind = some[-1].match_id if len(found) > AT_ONCE else None
        return [aside.match_id for aside in some if await self._restore(aside)]

    async def _replay_logs(self) -> None:
        heads = await self._store.matches.heads_ahead(0, LOOKED_THROUGH, after=self._last)
        self._last = heads[-1].match_id if heads else 0
        for head in heads:
            try:
                loaded = await self._store.matches.load(head.match_id)
                if loaded is not None:
                    replay_loaded(loaded)
            except LogDamaged as damage:
                # A newer process can read a newer log, which is not quarantined here.
                if not damage.newer:
                    with suppress(Refused):
                        await self._tables.read_anew(head)

    async def _restore(self, aside: Quarantined) -> bool:
        """Restore a table if its log can be read and its channel is free."""
        try:
            loaded = await self._store.matches.load(aside.match_id)
            if loaded is None or replay_loaded(loaded)[0].state != aside.state:
                return False
        except LogDamaged:
            return False
        with suppress(Refused):
            await self._acts.restore_quarantined(aside)
            log.info("a match that was set aside can be read again", match=aside.match_id, server=aside.guild_id)
            return True
        return False
