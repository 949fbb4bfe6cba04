"""The store: all that outlives the process, behind one door. Each write is one transaction, all or nothing."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Self

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from data.store import (
    chores,
    downtime,
    guilds,
    heads,
    health,
    journal,
    leaderboard,
    limits,
    moderation,
    outbox,
    people,
    privacy,
    recent,
    standings,
)
from data.store.errors import ChannelBusy, Repeated
from data.store.opening import opened
from data.store.posts import REMOVE, Backlog, OutboxRow
from data.store.scores import LeaderboardPage, LeaderRow, Profile, Rate, Result
from data.store.transactions import T, Transactions, Work
from data.store.values import (
    RUNNING,
    Asked,
    Change,
    Guild,
    Head,
    Limits,
    Loaded,
    Moderation,
    NewMatch,
    Outage,
    Person,
    Pings,
    SeatRow,
    State,
    Ticking,
)
from engine.events import Event


class Store:
    """One database. Several stores, in one process or many, may work on the same one."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._transactions = Transactions(engine)
        self._read = self._transactions.read

    @classmethod
    async def open(cls, url: str | None = None) -> Self:
        """Connect and bring the tables up to date. None is a file in the user's data directory.

        Takes sqlite:///FILE and postgresql://USER:PASSWORD@HOST/NAME. Raises StoreUnavailable.
        """
        return cls(await opened(url))

    async def close(self) -> None:
        """Finish what is under way and let go of the database. The process cannot end before that. Whatever is asked of
        the store from now on raises StoreClosed at once.
        """
        await self._transactions.close()

    # -- matches: writing

    async def create(self, new: NewMatch, *, now: int, request: int | None = None) -> Head:
        """Open a table. Raises Repeated for a known interaction, ChannelBusy when a match runs in the channel, TooMany
        where that breaks a limit.
        """
        return await self._write(
            lambda connection: journal.create(connection, new, now, request), request=request, channel_id=new.channel_id
        )

    async def commit(self, change: Change, *, now: int) -> Head:
        """Do all of a change; returns the new head.

        Raises Repeated for a known interaction (checked first), Stale when the match is not where the change expects
        it, UnknownMatch, ChannelBusy, TooMany. Whatever is raised, nothing of the change happened.
        """
        return await self._write(
            lambda connection: journal.commit(connection, change, now),
            request=change.request,
            channel_id=change.channel_id,
            match_id=change.match_id,
        )

    async def moved(self, match_id: int, channel_id: int) -> None:
        """The board lives in another channel from now on, where it must be posted. Raises ChannelBusy, UnknownMatch."""
        await self._write(
            lambda connection: heads.moved(connection, match_id, channel_id), channel_id=channel_id, match_id=match_id
        )

    # -- matches: reading

    async def seen_request(self, interaction_id: int) -> tuple[int, int] | None:
        """The (match_id, seq) that an interaction led to; None when it is new."""
        return await self._read(lambda connection: heads.request(connection, interaction_id))

    async def load(self, match_id: int) -> Loaded | None:
        """Head, seats and events, all of the same instant."""
        return await self._read(lambda connection: heads.load(connection, match_id))

    async def sat_at(self, match_id: int) -> tuple[Head, tuple[SeatRow, ...]] | None:
        """Where a match stands, and its chairs in order, of the same instant."""
        return await self._read(lambda connection: heads.sat_at(connection, match_id))

    async def asked(self, match_id: int, request: int) -> Asked | None:
        """What is to be known when an interaction asks for something at a match, all of the same instant."""

        async def work(connection: AsyncConnection) -> Asked | None:
            known = await heads.request(connection, request)
            found = await heads.sat_at(connection, match_id)
            if found is None:
                return None
            people_there = await people.sitters(connection, match_id, found[1])
            return Asked(head=found[0], seats=found[1], people=people_there, repeated=known is not None)

        return await self._read(work)

    async def head(self, match_id: int) -> Head | None:
        """Where a match stands."""
        return await self._read(lambda connection: heads.head(connection, match_id))

    async def heads_in_channel(
        self, channel_id: int, states: Sequence[State] = RUNNING, *, limit: int | None = None
    ) -> list[Head]:
        """The matches of a channel, newest first: the first `limit` of them, or all."""
        return await self._read(lambda connection: heads.in_channel(connection, channel_id, states, limit))

    async def heads_of_user(self, user_id: int, states: Sequence[State] = RUNNING) -> list[Head]:
        """The matches somebody sits in: those that wait for them first, then least time left first."""
        return await self._read(lambda connection: heads.of_user(connection, user_id, states))

    async def heads_dirty(self, limit: int, *, after: int = 0) -> list[Head]:
        """Matches whose board message is behind, by number, from the one after `after`."""
        return await self._read(lambda connection: heads.dirty(connection, limit, after))

    async def heads_due(self, now: int, limit: int, *, after: Head | None = None) -> list[Head]:
        """Matches on which the clock must act, longest overdue first; the page behind that head, or the first one."""
        return await self._read(lambda connection: heads.due(connection, now, limit, after))

    async def seats(self, match_id: int) -> tuple[SeatRow, ...]:
        """The chairs of a match, in order."""
        return await self._read(lambda connection: heads.seats_of(connection, match_id))

    async def events(self, match_id: int, after: int = 0, upto: int | None = None) -> list[Event]:
        """The engine's events with `after` < seq <= `upto`, in order. Raises LogDamaged."""
        return await self._read(lambda connection: heads.log(connection, match_id, after, upto))

    # -- what Discord shows

    async def take_board(self, head: Head, *, nonce: str, now: int) -> OutboxRow | None:
        """Begin to show a table: nobody else touches its board now, for as long as sending can take. None while
        somebody else does, or where another message is its board than this head says.

        A board that is posted carries the nonce in the body of the row. Where the row was taken before, by somebody
        who did not come to the end (`attempts`), it may stand in the channel.
        """
        until = now + outbox.LEASE
        return await self._write(lambda connection: chores.take_board(connection, head, nonce, now, until))

    async def drop_board(self, row: OutboxRow) -> None:
        """The board that was begun was deleted by somebody: it needs another nonce."""
        await self._write(lambda connection: chores.leave_board(connection, row))

    async def board_shown(self, row: OutboxRow, head: Head, *, message_id: int, now: int) -> bool:
        """The board that was taken is this message and shows the seq of this head. False when the one of that head was
        deleted meanwhile: then it is to be shown again.

        Where it is another message than that head says, shrink the one before, then say so by `retired`.
        """

        async def work(connection: AsyncConnection) -> bool:
            shown = await heads.board_shown(connection, head, message_id, now)
            await (chores.leave_board(connection, row) if shown else outbox.put_off(connection, row.id, now))
            return shown

        return await self._write(work)

    async def shown(self, match_id: int, *, seq: int, message_id: int | None) -> bool:
        """The board message now shows `seq`; None: it can be shown nowhere. False when a newer one is shown already."""
        return await self._write(lambda connection: heads.shown(connection, match_id, seq, message_id))

    async def board_lost(self, match_id: int, message_id: int) -> bool:
        """The board message was deleted, so it must be posted anew. False when the match has another one by now."""
        return await self._write(lambda connection: heads.board_lost(connection, match_id, message_id))

    # -- what waits to be said

    async def due_outbox(self, now: int, limit: int, *, match_id: int | None = None) -> list[OutboxRow]:
        """Posts to send now, of one match or of all, oldest first; a match's posts keep their order even when one had
        to be put off.
        """
        return await self._read(lambda connection: outbox.due(connection, now, limit, match_id))

    async def take(self, row: OutboxRow, *, now: int, until: int | None = None) -> bool:
        """Only the caller deals with this post, until then or for as long as sending can take. False where somebody
        else does, or has: leave it alone.
        """
        end = now + outbox.LEASE if until is None else until
        return await self._write(lambda connection: outbox.take(connection, row, end))

    async def mark_sent(self, row: OutboxRow, message_id: int) -> None:
        """The post stands in the channel as this message."""
        await self._write(lambda connection: outbox.sent(connection, row.id, message_id))

    async def mark_passing(self, row: OutboxRow, message_id: int, *, now: int) -> None:
        """So it does, and the message is to be deleted when the running turn ends."""

        async def work(connection: AsyncConnection) -> None:
            await outbox.sent(connection, row.id, message_id)
            await chores.passing(connection, row, message_id, now)

        await self._write(work)

    async def called(self, row: OutboxRow, *, sent_as: int, shown_as: int | None, now: int) -> int | None:
        """The call of this row was sent as a message, and `shown_as` is the turn message of its match from now on (None
        where it was sent elsewhere). Returns the message to delete: the turn message before it, or this very one where
        the turn is over. Then say so by `retired`.
        """

        async def work(connection: AsyncConnection) -> int | None:
            noted = await outbox.called(connection, row, sent_as)
            if noted:
                return await heads.turn_shown(connection, row.match_id, shown_as, now)
            if noted is None or shown_as is None:
                return None
            await chores.retire(connection, row.match_id, REMOVE, sent_as, now)
            return sent_as

        return await self._write(work)

    async def retired(self, message_id: int) -> None:
        """A message that had had its time is gone, or shrunk."""
        await self._write(lambda connection: chores.retired(connection, message_id))

    async def standing_posts(self, match_id: int, kind: str) -> list[OutboxRow]:
        """The posts of this kind that stand in a channel, oldest first."""
        return await self._read(lambda connection: chores.standing(connection, match_id, kind))

    async def over(self, row: OutboxRow) -> None:
        """A post that stands in a channel has had its time: nobody looks for its message any more."""
        await self._write(lambda connection: chores.over(connection, row))

    async def give_up(self, match_id: int) -> None:
        """The channel of a match that is over is gone: nothing of it will be said any more."""
        await self._write(lambda connection: heads.give_up(connection, match_id))

    async def put_off(self, row_id: int, next_at: int) -> None:
        """The post that was taken could not be sent; it is tried again at `next_at`."""
        await self._write(lambda connection: outbox.put_off(connection, row_id, next_at))

    async def drop(self, row: OutboxRow) -> None:
        """The post will never be sent."""
        await self._write(lambda connection: outbox.drop(connection, row))

    async def refuse(self, row: OutboxRow, code: int) -> None:
        """Discord does not take the post, for its reason `code`: it will never be sent."""
        await self._write(lambda connection: outbox.refuse(connection, row, code))

    async def refuse_board(self, row: OutboxRow, head: Head, code: int) -> None:
        """Discord does not take the board that this head has: nobody tries again before the next act."""

        async def work(connection: AsyncConnection) -> None:
            await chores.refuse_board(connection, row, head.seq, code)
            await heads.shown(connection, head.match_id, head.seq, head.board_message_id)

        await self._write(work)

    async def block(self, match_id: int, channel_id: int, code: int, *, now: int) -> bool:
        """The channel of a match cannot be written to, for Discord's reason `code`. False when that was known."""
        return await self._write(lambda connection: chores.block(connection, match_id, channel_id, code, now))

    async def unblock(self, match_id: int) -> None:
        """The channel of a match can be written to again."""
        await self._write(lambda connection: chores.unblock(connection, match_id))

    async def blocked(self) -> list[OutboxRow]:
        """The matches whose channel is closed to the bot; `next_at` is when something is to be done about it, and
        `attempts` counts what was done.
        """
        return await self._read(chores.blocked)

    async def prune(self, before: int, *, limit: int = 1000) -> int:
        """Forget interactions and sent posts from before this time, some at once; returns how many, 0 for no more."""

        async def work(connection: AsyncConnection) -> int:
            requests = await heads.forget_requests(connection, before, limit)
            return requests + await outbox.prune(connection, before, limit)

        return await self._write(work)

    # -- scores

    async def results(self, match_id: int) -> tuple[Result, ...]:
        """Everybody's line of a finished match, best place first, with the rating change on its server."""
        return await self._read(lambda connection: standings.of_match(connection, match_id))

    async def leaderboard(
        self, guild_id: int, game: str, *, lately: bool = False, page: int = 0, size: int = 10
    ) -> LeaderboardPage:
        """Page `page`, from 0, of a server's leaderboard (0: everywhere), of all time or of what counts as lately."""
        return await self._read(lambda connection: leaderboard.page(connection, guild_id, game, lately, page, size))

    async def own_rank(self, guild_id: int, game: str, user_id: int, *, lately: bool = False) -> LeaderRow | None:
        """Somebody's own line of the same leaderboard; None when they are not on it."""
        return await self._read(lambda connection: leaderboard.own(connection, guild_id, game, lately, user_id))

    async def count_lately(self, since: int, *, limit: int = 500) -> bool:
        """Let only results since then count as lately; all did at first. Some go at once: False when more are to go."""
        return await self._write(lambda connection: recent.slide(connection, since, limit))

    async def profile(self, user_id: int, guild_id: int, game: str) -> Profile | None:
        """What somebody has done in a game, on a server (0: everywhere); None when they have finished no match."""
        return await self._read(lambda connection: leaderboard.profile(connection, user_id, guild_id, game))

    async def rebuild_standings(self, rate: Rate) -> int:
        """Fold the standings anew from the results, after a change of the rating model or of the past; their number.

        Those who were forgotten have no results any more, so the ratings of whoever played them come out differently.
        """
        return await self._write(lambda connection: standings.rebuild(connection, rate))

    # -- people

    async def person(self, user_id: int) -> Person:
        """Somebody's own settings; the defaults for a newcomer."""
        return await self._read(lambda connection: people.person(connection, user_id))

    async def set_person(
        self,
        user_id: int,
        *,
        quick: bool | None = None,
        pings: Pings | None = None,
        wishes: Mapping[str, Any] | None = None,
        now: int,
    ) -> Person:
        """Change the settings that are not None; returns all of them."""
        return await self._write(lambda connection: people.set_person(connection, user_id, quick, pings, wishes, now))

    async def wish(
        self,
        before: Person,
        wishes: Mapping[str, Any],
        changes: Sequence[Change] = (),
        *,
        pings: Pings | None = None,
        now: int,
    ) -> list[Head]:
        """Keep somebody's wishes, and where they are called unless that is None, and do what follows from them at their
        matches; returns the new heads.

        Raises Stale when they have wished for something else since `before` was read, and whatever `commit` does for
        any of the changes. Whatever is raised, nothing of all this happened.
        """

        async def work(connection: AsyncConnection) -> list[Head]:
            await people.wish(connection, before, wishes, pings, now)
            # In order, so that two people at the same tables do not wait for each other.
            ordered = sorted(changes, key=lambda change: change.match_id)
            return [await journal.commit(connection, change, now) for change in ordered]

        return await self._write(work)

    # -- servers, and the bot's own pulse

    async def guild(self, guild_id: int) -> Guild:
        """A server's settings, empty where nothing was set."""
        return await self._read(lambda connection: guilds.guild(connection, guild_id))

    async def set_guild(self, guild_id: int, settings: Mapping[str, Any], *, now: int) -> None:
        """Keep all settings of a server."""
        await self._write(lambda connection: guilds.set_guild(connection, guild_id, settings, now))

    async def guild_left(self, guild_id: int, left_at: int | None, *, now: int) -> None:
        """The bot was removed from a server at this time; None: it is back."""
        await self._write(lambda connection: guilds.guild_left(connection, guild_id, left_at, now))

    async def guilds_known(self) -> set[int]:
        """The servers of which something is kept and that the bot was not seen to leave."""
        return await self._read(guilds.still_known)

    async def guilds_left(self, before: int) -> list[int]:
        """The servers that the bot was removed from by then, longest gone first."""
        return await self._read(lambda connection: guilds.left_before(connection, before))

    async def purge_guild(self, guild_id: int, *, left_by: int) -> None:
        """Delete all that is kept of a server that the bot left by then; nothing when it is back."""
        while not await self._write(lambda connection: guilds.purge(connection, guild_id, left_by)):
            pass  # a part at a time, so that others can write in between

    async def check_limits(self, guild_id: int, given: Limits) -> None:
        """Whether somebody could sit down just now. Raises TooMany, as sitting down does."""
        await self._read(lambda connection: limits.check(connection, guild_id, given))

    async def running_in_guild(self, guild_id: int) -> int:
        """The number of lobbies and running matches on a server."""
        return await self._read(lambda connection: guilds.running(connection, guild_id))

    async def moderations(self, match_id: int) -> tuple[Moderation, ...]:
        """Every time a moderator stepped in at a match, oldest first."""
        return await self._read(lambda connection: moderation.of_match(connection, match_id))

    async def backlog(self, *, now: int, guild_id: int | None = None) -> Backlog:
        """What waits to be said in public."""
        return await self._read(lambda connection: health.backlog(connection, now, guild_id))

    async def pulses(self) -> dict[str, int]:
        """When each process was last alive, by its name."""
        return await self._read(guilds.last_pulses)

    # -- time that the bot was gone

    async def note_outage(self, name: str, outage: Outage) -> bool:
        """Keep that the process of this name was gone until now, and note that it is alive. False, and nothing
        happens, where it has been alive since: another one does all this.
        """
        return await self._write(lambda connection: downtime.note(connection, name, outage))

    async def outages(self) -> tuple[Outage, ...]:
        """Those that have not been given back to everybody yet, oldest first."""
        return await self._read(downtime.noted)

    async def outages_over(self, given: Sequence[Outage]) -> None:
        """These have been given back to everybody."""
        await self._write(lambda connection: downtime.over(connection, given))

    async def ticking(self) -> list[int]:
        """The numbers of the matches that wait for somebody until a certain time, the most urgent first."""
        return await self._read(downtime.ticking)

    async def clocks(self, match_ids: Collection[int]) -> list[Ticking]:
        """Where those of these matches stand that wait for a person, and what that person has set."""
        return await self._read(lambda connection: downtime.clocks(connection, match_ids))

    async def commit_each(self, changes: Sequence[Change], *, now: int) -> list[Head]:
        """Do some changes at once, each as `commit` does; returns the new heads. Where a match is gone, or not where
        its change expects it, nothing happens to that match.
        """
        return await self._write(lambda connection: downtime.commit_each(connection, changes, now))

    # -- what is held about a person

    async def held(self, user_id: int) -> dict[str, Any]:
        """Everything that is held about somebody, as JSON."""
        return await self._read(lambda connection: privacy.held(connection, user_id))

    async def forget(self, user_id: int, *, left: Collection[int], now: int) -> bool:
        """Forget somebody, who has left these running matches. False, and nothing happens, when they sit at others."""
        return await self._write(lambda connection: privacy.forget(connection, user_id, left, now))

    async def forgotten(self) -> dict[str, int]:
        """The fingerprints of those who were forgotten, and when."""
        return await self._read(privacy.marks)

    async def keep_forgotten(self, marks: Mapping[str, int]) -> None:
        """Take over fingerprints from another database."""
        await self._write(lambda connection: privacy.keep_marks(connection, marks))

    async def everybody(self) -> set[int]:
        """The ids of all people that anything is held about."""
        return await self._read(privacy.everybody)

    async def pulse(self, name: str, *, now: int) -> int | None:
        """Note that the process of this name is alive; returns when it last was, None when never."""
        return await self._write(lambda connection: guilds.pulse(connection, name, now))

    async def _write(
        self, work: Work[T], *, request: int | None = None, channel_id: int | None = None, match_id: int | None = None
    ) -> T:
        try:
            return await self._transactions.write(work)
        except IntegrityError:
            # A unique key stopped it: another process did the same at the same moment, or the channel is taken.
            await self._explain(request, channel_id, match_id)
            raise

    async def _explain(self, request: int | None, channel_id: int | None, match_id: int | None) -> None:
        """Raise Repeated or ChannelBusy when that is why a write was refused."""
        known = None if request is None else await self.seen_request(request)
        if known is not None:
            raise Repeated(*known) from None
        if channel_id is None and match_id is not None:
            head = await self.head(match_id)
            channel_id = None if head is None else head.channel_id
        running = [] if channel_id is None else await self.heads_in_channel(channel_id)
        for other in running:
            if other.match_id != match_id:
                raise ChannelBusy(other.match_id) from None
