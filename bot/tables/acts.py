"""Commit every change of a table: load, decide, commit, and retry where another process was faster.

Commands, buttons, deadlines, computers, moderators and the clock all use `TableActions`. `engine.table` decides what
follows; this module writes it completely or not at all.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from bot.core.guild_settings import Guilds, build_limit_refusal
from bot.core.logs import get_logger
from bot.core.metrics import ACTS
from bot.tables.lobbies import (
    DealAccess,
    MentionLimit,
    TableRequest,
    build_deal_refusal,
    build_new_match,
    build_open_command,
)
from bot.tables.ratings import rate
from bot.tables.service import CommandResult, Table, TableCache, build_rules, replay_loaded
from data.store.connection import store_errors
from data.store.connection.faults import is_database_down
from data.store.connection.store_errors import DamagedLog, RepeatedRequest, StaleVersion, StoreClosed, TooManyMatches
from data.store.log.match_values import Change, ExtraWrite, Head, NewMatch, QuarantinedMatch
from data.store.results.scores import build_match_result
from data.store.store import Store
from engine.match.errors import RuleError
from engine.table import commands as table_commands
from engine.table.commands import Command
from engine.table.decide_table import TableDecision, decide
from engine.table.evolve import DecisionContext
from engine.table.people import list_dismissed_users
from engine.table.preferences import Person, Pings, Preferences
from engine.table.refusals import Refusal, RefusalError
from engine.table.table_events import Moved, is_sealed, list_new_viewers
from engine.table.table_posts import Post
from engine.table.table_state import TableState

log = get_logger(__name__)

Now = Callable[[], int]
MAX_TRIES: Final = 5  # lost commits before a request is refused as stale


@dataclass(frozen=True, slots=True)
class PreparedChange:
    """A change ready to be committed, and the decision behind it."""

    change: Change
    decided: TableDecision


class TableActions:
    def __init__(
        self, store: Store, tables: TableCache, now: Now, secret: Callable[[], bytes], *, presses: bool = True
    ) -> None:
        # Tests that choose the deals pass `presses=False`: the deals then get no entropy from button presses.
        self._store = store
        self._tables = tables
        self._now = now
        self._secret = secret
        self._presses = presses
        self._guilds = Guilds(store, now)
        self._mention_limit = MentionLimit(now)
        self.deals = DealAccess()  # the duplicate deals feature replaces this

    async def open(
        self,
        table_request: TableRequest,
        *,
        request: int | None = None,
        also: ExtraWrite | None = None,
        posts: Sequence[Post] = (),
    ) -> Table:
        """Open a table. It starts at once if no other player has to join. `fixture` is the league fixture it is for.

        Raises what `agreed` raises, RefusalError(CHANNEL_BUSY, TOO_MANY_TABLES_PERSON, TOO_MANY_TABLES_SERVER), and
        StaleVersion if the season has changed.
        """
        terms, deal = await self.deals.resolve_terms_and_deal(table_request)
        command = build_open_command(table_request, terms)
        now, secret = self._now(), self._secret() if deal is None else deal.secret
        given = DecisionContext(
            now=now,
            secret=secret,
            rules=build_rules(command.terms),
            people={user: await self._store.users.load_person(user) for user in (command.host, *command.companions)},
            interaction_id=request if self._presses else None,
            uninvited=self._mention_limit.list_blocked_users(table_request.guild_id, command.host, command.guests),
        )
        decided = decide(None, None, command, given)
        # League players accepted the match when they signed up, so limits do not apply.
        guild_id, deal_id = table_request.guild_id, None if deal is None else deal.deal_id
        limits = await self._guilds.load_limits(guild_id, command.host, new=True) if also is None else None
        new = build_new_match(table_request, command, decided, secret, limits, also, posts, deal_id)
        try:
            (head,) = await self._commit([], now, new=new, request=request)
        except RefusalError as busy:
            # A quarantined table holds no channel.
            is_busy = busy.why is Refusal.CHANNEL_BUSY
            if not is_busy or not await self._tables.is_unreadable(int(str(busy.facts["table"]))):
                raise
            (head,) = await self._commit([], now, new=new, request=request)
        except RepeatedRequest as repeated:
            return await self._tables.load(repeated.match_id)
        self._mention_limit.record(table_request.guild_id, command.host, decided.events)
        return self._tables.cache(head, decided.table, decided.event_log)

    async def act(
        self, match_id: int, command: Command, *, request: int | None = None, cached_table: Table | None = None
    ) -> CommandResult:
        """Apply a command to a table.

        `request` is the interaction that asks. `cached_table` is the table in memory: it is read again only if acting
        on `cached_table` has no effect or `cached_table` is stale. Raises RefusalError, or RuleError with the reason.
        """
        if cached_table is not None and self._tables.list_owed_outages(cached_table.head.guild_id):
            cached_table = None  # its clock shows outage credit that is not in the log yet
        try:
            with ACTS.time():
                return await self._act_with_retries(match_id, command, request, cached_table)
        except RepeatedRequest:
            return CommandResult(await self._tables.load(match_id))
        except RuleError:
            if isinstance(command, table_commands.TakeAction):
                # A refused move shows that a player whom a computer replaces is back.
                table = await self._tables.load(match_id)
                if table.find_seat(command.user) in table.clock.standins:
                    await self.act(match_id, table_commands.ReturnToSeat(command.user))
            raise

    async def _act_with_retries(
        self, match_id: int, command: Command, request: int | None, cached_table: Table | None
    ) -> CommandResult:
        """Load, decide, commit; retry if the table has changed. Raises RefusalError(STALE) after TRIES lost
        commits.
        """
        newcomers = (command.user,) if isinstance(command, table_commands.Join) else ()
        lost_commits = 0
        while lost_commits < MAX_TRIES:
            table, cached_table, is_cached = cached_table, None, cached_table is not None
            if table is None:
                table, repeated = await self._read(match_id, request, newcomers)
                if repeated:
                    return CommandResult(await self._tables.load(match_id))
            if isinstance(command, table_commands.TakeAction) and command.expected is None:
                # The player decided on the current table: a retry must not act on a later one.
                command = replace(command, expected=table.state.seq)
            now = self._now()
            try:
                prepared = await self._prepare(table, command, now, request)
                if prepared is None:
                    if is_cached:
                        continue
                    return CommandResult(table)
                (head,) = await self._commit([prepared], now)
            except StaleVersion:
                lost_commits += 1
                continue
            except (RefusalError, RuleError, store_errors.UnknownMatch):
                if is_cached:
                    continue  # the memory may be stale: decide on the stored table
                raise
            decided, after = prepared.decided, self._remember(head, prepared)
            if not decided.must_repeat:
                if isinstance(command, table_commands.Join | table_commands.ReserveSeats):
                    self._mention_limit.record(table.head.guild_id, table.head.host_id, decided.events)
                return CommandResult(after, decided.events, decided.public_events)
            # This commit only settled the previous turn; the command is decided on the table after it.
            if isinstance(command, table_commands.TakeAction) and table.state.is_current(command.expected or 0):
                command = replace(command, expected=None)  # settling does not make a valid button stale
        raise RefusalError(Refusal.STALE)

    async def save_preferences(
        self, before: Person, after: Person, pings: Pings | None, vacations: Mapping[int, table_commands.SetVacation]
    ) -> None:
        """Save a user's settings together with the changes at these tables. Raises StaleVersion."""
        now, changes = self._now(), []
        for match_id, command in sorted(vacations.items()):
            table, _ = await self._read(match_id)
            table = replace(table, people={**table.people, after.user_id: after})
            prepared = await self._prepare(table, command, now)
            changes += [] if prepared is None else [prepared]
        heads = await self._commit(changes, now, settings=(before, after.preferences, pings))
        for head, prepared in zip(heads, changes, strict=True):
            self._remember(head, prepared)

    async def save_outage_credit(self, match_ids: Sequence[int]) -> tuple[list[int], list[int]]:
        """Write the outage credit of these matches and their next due times in one transaction.

        Returns the matches that changed, and the others, which moved on in between and may have credit left.
        """
        now = self._now()
        prepared = {match_id: await self._prepare_credit(match_id, now) for match_id in match_ids}
        changes = {match_id: change for match_id, change in prepared.items() if change is not None}
        heads = await self._commit(list(changes.values()), now, each=True)
        for head in heads:
            self._remember(head, changes[head.match_id])
        done = [head.match_id for head in heads]
        return done, [match_id for match_id in changes if match_id not in done]

    async def restore_quarantined(self, quarantined: QuarantinedMatch) -> Table:
        """Restore a quarantined table. Raises RefusalError(CHANNEL_TAKEN) if another table has its channel."""
        for _ in range(MAX_TRIES):
            now, match_id = self._now(), quarantined.match_id
            loaded = await self._store.matches.load(match_id)
            known = await self._store.matches.find_context(match_id, None)
            if loaded is None or known is None or await self._store.quarantine.find_quarantined(match_id) is None:
                raise RefusalError(Refusal.NO_SUCH_TABLE)  # another process has restored it
            table = Table(loaded.head, *replay_loaded(loaded), known.people)
            command = table_commands.RestoreQuarantined(quarantined.since)
            prepared = await self._prepare(table, command, now, ended_quarantine=quarantined)
            assert prepared is not None, "it always has an event"
            with suppress(StaleVersion):
                (head,) = await self._commit([prepared], now)
                return self._remember(head, prepared)
        raise RefusalError(Refusal.STALE)

    async def _read(self, match_id: int, request: int | None = None, others: Sequence[int] = ()) -> tuple[Table, bool]:
        """Load a table, and return whether the interaction was already applied to it."""
        known = await self._store.matches.find_context(match_id, request, others)
        if known is None:
            raise RefusalError(Refusal.NO_SUCH_TABLE)
        table = await self._tables.load_from_head(known.head)
        return replace(table, people=known.people, premoves=known.premoves), known.is_repeated

    async def _prepare_credit(self, match_id: int, now: int) -> PreparedChange | None:
        """Prepare one match's outage credit; None if there is none or it fails: other clocks must not stop."""
        try:
            return await self._prepare((await self._read(match_id))[0], table_commands.Rearm(), now)
        except StoreClosed:
            raise
        except RefusalError:
            return None  # its log cannot be read, which is logged already
        except Exception as error:
            if is_database_down(error):
                raise  # otherwise the table would never get its credit
            log.error("what an outage owes to a table could not be worked out", match=match_id, exc_info=error)
            return None

    async def _prepare(
        self,
        table: Table,
        command: Command,
        now: int,
        request: int | None = None,
        ended_quarantine: QuarantinedMatch | None = None,
    ) -> PreparedChange | None:
        """Decide on a command and build the change to commit, with outage credit; None if nothing changes.

        `ended_quarantine` is the quarantine that the change ends.
        """
        head, before = table.head, table.state
        given = DecisionContext(
            now=now,
            secret=head.secret,
            rules=table.rules if table.event_log is None else table.event_log.match.rules,
            people=table.people,
            premoves=table.premoves,
            interaction_id=request if self._presses else None,
            match_id=head.match_id,
            due=head.due,
            written_at=head.updated_at,
            outages=self._tables.list_owed_outages(head.guild_id),
            uninvited=self._mention_limit.list_blocked_users(head.guild_id, command.by, command.users)
            if isinstance(command, table_commands.ReserveSeats)
            else frozenset(),
        )
        decided = decide(before, table.event_log, command, given)
        after, event_log = decided.table, decided.event_log
        if not decided.events:
            return None
        seats = None if after.seats == before.seats else after.seats
        newcomer = seats and next(iter(after.seated_users - before.seated_users), None)
        dealt_to = await self._find_newly_dealt(head, before, after) if after.terms.deal else frozenset()
        change = Change(
            match_id=head.match_id,
            expected_seq=head.seq,
            decided_on=head,
            people=table.people,
            premoves=decided.premoves,
            events=decided.events,
            state=after.state if ended_quarantine or after.state != before.state else None,
            turn=decided.turn,
            due=decided.due,
            seats=seats,
            host_id=None if after.host == before.host else after.host,
            channel_id=next((event.channel for event in decided.events if isinstance(event, Moved)), None),
            game=None if after.terms.game == head.game else after.terms.game,
            outbox=decided.posts,
            withdrawn_kinds=decided.obsolete_kinds,
            result=build_match_result(event_log, after, rate) if after.state in ("done", "void") else None,
            # A commit that only settles the previous turn does not answer the interaction yet.
            request=None if decided.must_repeat else request,
            limits=None if not newcomer else await self._guilds.load_limits(head.guild_id, newcomer),
            is_of_deal=bool(after.terms.deal),
            deal_user_ids=dealt_to,
            unlinked_user_ids=()
            if before.state == "open" and before.question == after.question
            else list_dismissed_users(before, after),
        )
        return PreparedChange(change, decided)

    async def _find_newly_dealt(self, head: Head, before: TableState, after: TableState) -> frozenset[int]:
        """Return the users who newly see the hands of a sealed deal. Raises RefusalError if one may not sit there."""
        if not is_sealed(after):
            return frozenset()
        dealt_to = list_new_viewers(before, after)
        if arriving := dealt_to | (after.seated_users - before.seated_users):
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
        clock. Raises StaleVersion, RepeatedRequest, RefusalError(CHANNEL_BUSY, CHANNEL_TAKEN, SITS_AT_TOO_MANY,
        TOO_MANY_TABLES_...).
        """
        changes = [one.change for one in prepared]
        try:
            if new is not None:
                return [await self._store.matches.create(new, now=now, request=request)]
            if settings is not None:
                before, after, pings = settings
                return await self._store.matches.save_preferences(before, after, changes, pings=pings, now=now)
            if each:
                return await self._store.matches.commit_each(changes, now=now) if changes else []
            return [await self._store.matches.commit(change, now=now) for change in changes]
        except store_errors.ChannelBusy as busy:
            why = Refusal.CHANNEL_TAKEN if new is None else Refusal.CHANNEL_BUSY
            raise RefusalError(why, table=busy.match_id) from None
        except (store_errors.DealAlreadyPlayed, store_errors.DealClosed) as late:
            raise build_deal_refusal(late) from None
        except TooManyMatches as found:
            if new is None and prepared[0].decided.table.state == "open" and changes[0].state is None:
                # A player joins a running match.
                raise RefusalError(Refusal.SITS_AT_TOO_MANY, most=found.limit) from None
            raise build_limit_refusal(found) from None

    def _remember(self, head: Head, prepared: PreparedChange) -> Table:
        decided, people = prepared.decided, prepared.change.people
        return self._tables.cache(head, decided.table, decided.event_log, people, decided.remaining_premoves)


CHECK_INTERVAL: Final = 60_000  # ms between two checks
MAX_RESTORES: Final = 50  # quarantined tables per check, newest first
MAX_REPLAYS: Final = 20  # logs replayed per check; ten thousand take eight hours


class QuarantineRestorer:
    """Restores quarantined tables whose logs can be read again."""

    def __init__(self, store: Store, tables: TableCache, acts: TableActions, now: Now) -> None:
        self._store = store
        self._tables = tables
        self._acts = acts
        self._now = now
        self._checked_at: int | None = None
        self._last_replayed = 0  # the match whose log was replayed last
        self._resume_below: int | None = None  # the next check starts below this match; None: at the newest

    async def restore_readable(self) -> list[int]:
        now = self._now()
        if self._checked_at is not None and 0 <= now - self._checked_at < CHECK_INTERVAL:
            return []
        self._checked_at = now
        await self._replay_logs()
        quarantined = await self._store.quarantine.list_quarantined()
        found = [one for one in quarantined if self._resume_below is None or one.match_id < self._resume_below]
        batch = found[:MAX_RESTORES]
        self._resume_below = batch[-1].match_id if len(found) > MAX_RESTORES else None
        return [candidate.match_id for candidate in batch if await self._restore(candidate)]

    async def _replay_logs(self) -> None:
        heads = await self._store.matches.list_future_heads(0, MAX_REPLAYS, after=self._last_replayed)
        self._last_replayed = heads[-1].match_id if heads else 0
        for head in heads:
            try:
                loaded = await self._store.matches.load(head.match_id)
                if loaded is not None:
                    replay_loaded(loaded)
            except DamagedLog as damage:
                # A newer process can read a newer log, which is not quarantined here.
                if not damage.is_newer:
                    with suppress(RefusalError):
                        await self._tables.load_uncached(head)

    async def _restore(self, quarantined: QuarantinedMatch) -> bool:
        """Restore a table if its log can be read and its channel is free."""
        try:
            loaded = await self._store.matches.load(quarantined.match_id)
            if loaded is None or replay_loaded(loaded)[0].state != quarantined.state:
                return False
        except DamagedLog:
            return False
        with suppress(RefusalError):
            await self._acts.restore_quarantined(quarantined)
            log.info("a match in quarantine can be read again", match=quarantined.match_id, server=quarantined.guild_id)
            return True
        return False
