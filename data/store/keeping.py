"""What is kept beside the matches: results and ratings, people, servers, the bot's own pulse."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.shards import UNDIVIDED, Owed, Shard
from data.store.connection.store_errors import OtherApplication
from data.store.connection.transactions import Part
from data.store.guilds import guilds
from data.store.guilds import outages as downtime
from data.store.log import journal, moderation
from data.store.log.match_values import Change, Guild, Head, Limits, Moderation
from data.store.operations import facts
from data.store.operations.facts import Owner
from data.store.profiles import leaderboard
from data.store.results import player_standings, recent
from data.store.results.scores import LeaderboardPage, LeaderRow, Profile, Result
from data.store.reviews import store as reviews_store
from data.store.reviews.store import KeptReview, Reviewed, ReviewedTogether
from data.store.users import erasure, users
from engine.table.preferences import Person, Pings, Preferences
from engine.table.table_state import Outage

LONG: Final = 120.0
"""Seconds for what goes through all that is kept."""

LARGE: Final = 16_000_000
"""Bytes of a database file that is not written anew while the bot runs: everybody would wait for that."""


class Keeping(Part):
    """Scores, settings, and what is held about somebody."""

    _bring_up_to_date: Callable[[], Awaitable[None]] | None = None
    """What is left to do once it is known that the database is ours."""

    # -- scores

    async def results(self, match_id: int) -> tuple[Result, ...]:
        """Everybody's line of a finished match, best place first, with the rating change on its server."""
        return await self._read(lambda connection: player_standings.results_of(connection, match_id))

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
        return await self._read(lambda connection: leaderboard.profile_of(connection, user_id, guild_id, game))

    async def rebuild_standings(self) -> int:
        """Add the standings up anew from the results; their number. They come out as they were."""
        return await self._write(player_standings.rebuild, limit=None)

    async def uncounted(self, limit: int, *, after: int = 0) -> list[int]:
        """Matches above number `after` whose moves nobody counted when they ended, in order, `limit` at most."""
        return await self._read(lambda connection: player_standings.uncounted(connection, limit, after))

    async def count_moves(self, match_id: int, moves: int) -> None:
        """A match that ended before moves were counted had so many; `rebuild_standings` adds up what follows."""
        await self._write(lambda connection: player_standings.count_moves(connection, match_id, moves))

    # -- reviews

    async def review(self, match_id: int) -> KeptReview | None:
        """The review of a match, as it was last kept; None where it is to be made."""
        return await self._read(lambda connection: reviews_store.review_of(connection, match_id))

    async def keep_review(self, match_id: int, text: str, facts: Mapping[int, Mapping[str, Any]], *, now: int) -> bool:
        """Keep a review, with the facts of the seats that one person played. False where its match is gone."""
        return await self._write(lambda connection: reviews_store.keep_review(connection, match_id, text, facts, now))

    async def begin_showing(self, match_id: int, *, again: int, now: int) -> bool:
        """The caller may show the review of a match to all. False where somebody did since the moment `again`."""
        return await self._write(lambda connection: reviews_store.begin_showing(connection, match_id, again, now))

    async def not_shown(self, match_id: int, *, at: int, before: int | None) -> None:
        """Nothing came of showing it at that moment: it was last shown `before`, None for never."""
        await self._write(lambda connection: reviews_store.not_shown(connection, match_id, at, before))

    async def reviewed(self, user_id: int, game: str, *, limit: int) -> list[Reviewed]:
        """What somebody has of reviews of a game, the newest match first."""
        return await self._read(lambda connection: reviews_store.own_reviews(connection, user_id, game, limit))

    async def reviewed_together(
        self, guild_id: int, first: int, second: int, *, game: str | None = None, limit: int
    ) -> list[ReviewedTogether]:
        """What two people have of the same reviews on a server, in one game or in all, the newest match first."""
        return await self._read(
            lambda connection: reviews_store.reviewed_together(connection, guild_id, first, second, game, limit)
        )

    # -- people

    async def person(self, user_id: int) -> Person:
        """Somebody's own settings; the defaults for a newcomer."""
        return await self._read(lambda connection: users.person(connection, user_id))

    async def set_person(
        self,
        user_id: int,
        *,
        quick: bool | None = None,
        pings: Pings | None = None,
        preferences: Preferences | None = None,
        now: int,
    ) -> Person:
        """Change the settings that are not None; returns all of them."""
        return await self._write(
            lambda connection: users.set_person(connection, user_id, quick, pings, preferences, now)
        )

    async def prefer(
        self,
        before: Person,
        preferences: Preferences,
        changes: Sequence[Change] = (),
        *,
        pings: Pings | None = None,
        now: int,
    ) -> list[Head]:
        """Keep what somebody prefers, and where they are called unless that is None, and do what follows from it at
        their matches; returns the new heads.

        Raises Stale when they have preferred something else since `before` was read, and whatever `commit` does for
        any of the changes. Whatever is raised, nothing of all this happened.
        """

        async def work(connection: AsyncConnection) -> list[Head]:
            await users.prefer(connection, before, preferences, pings, now)
            if preferences.listed != before.preferences.listed:
                await player_standings.hide(connection, before.user_id, not preferences.listed)
            # In order, so that two people at the same tables do not wait for each other.
            ordered = sorted(changes, key=lambda change: change.match_id)
            return [await journal.commit(connection, change, now) for change in ordered]

        return await self._write(work)

    # -- whose database it is

    async def owner(self) -> Owner | None:
        """The application it belongs to; None where no bot has ever started on it."""
        return await self._read(facts.owner_of)

    async def moved_to(self) -> str | None:
        """Where all of it was moved to; None where it was not."""
        return await self._read(facts.elsewhere)

    async def claim(self, owner: Owner) -> None:
        """Let it belong to this application, unless it belongs to one. Raises OtherApplication, and nothing happens,
        where that is another, or the database was moved away or not wholly moved here.
        """
        if (elsewhere := await self.moved_to()) is not None:
            raise OtherApplication(facts.told_moved(self.name, elsewhere))
        if await self._read(facts.unfinished):
            raise OtherApplication(facts.told_moving(self.name))
        found = await self._read(facts.owner_of)
        if found is None or found.application_id == owner.application_id:
            if self._bring_up_to_date is not None:
                await self._bring_up_to_date()
                self._bring_up_to_date = None  # not before: where it fails it has to be done yet
            found = await self._write(lambda connection: facts.claim(connection, owner))
        if found.application_id != owner.application_id:
            raise OtherApplication(facts.told_whose(self.name, found, owner))

    async def registers_commands(self, mark: str, *, now: int, until: int) -> bool | None:
        """Whether Discord has to be told of the commands with this mark. True: by the caller, who has until then; None:
        another process is at it; False: it knows them.
        """
        return await self._write(lambda connection: facts.registers(connection, mark, now, until))

    async def commands_registered(self, mark: str, *, well: bool = True) -> None:
        """Discord knows the commands with this mark; where it did not go `well`, whoever comes next may try."""
        await self._write(lambda connection: facts.registered(connection, mark, well=well))

    async def hand_over(self, new: Owner) -> None:
        """Let it belong to another application from now on."""
        await self._write(lambda connection: facts.hand_over(connection, new))

    # -- servers, and the bot's own pulse

    async def guild(self, guild_id: int) -> Guild:
        """A server's settings, empty where nothing was set."""
        return await self._read(lambda connection: guilds.guild_of(connection, guild_id))

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
        await self._write(facts.leave_remains)

    async def check_limits(self, guild_id: int, given: Limits) -> None:
        """Whether somebody could sit down just now. Raises TooMany, as sitting down does."""
        await self._read(lambda connection: journal.check_limits(connection, guild_id, given))

    async def running_in_guild(self, guild_id: int) -> int:
        """The number of lobbies and running matches on a server."""
        return await self._read(lambda connection: guilds.running(connection, guild_id))

    async def moderations(self, match_id: int) -> tuple[Moderation, ...]:
        """Every time a moderator stepped in at a match, oldest first."""
        return await self._read(lambda connection: moderation.moderations(connection, match_id))

    async def moderation(self, match_id: int, seq: int) -> Moderation | None:
        """How a moderator stepped in at a match with this event; None where it tells of no such thing."""
        return await self._read(lambda connection: moderation.moderation(connection, match_id, seq))

    async def pulses(self) -> dict[str, int]:
        """When each process was last alive, by its name."""
        return await self._read(guilds.last_pulses)

    async def pulse(self, name: str, *, now: int) -> int | None:
        """Note that the process of this name is alive; returns when it last was, None when never."""
        return await self._write(lambda connection: guilds.pulse(connection, name, now))

    async def beat(self, shards: Iterable[Shard], *, now: int) -> None:
        """Note that these shards are heard."""

        async def work(connection: AsyncConnection) -> None:
            for shard in shards:
                await guilds.pulse(connection, shard.pulse, now)

        await self._write(work)

    async def identify(self, bucket: int, *, gap: int, now: int) -> int:
        """Whether a shard of this group of Discord's may say who it is: 0, and nobody else for `gap` ms, or the ms to
        wait before asking again.
        """
        return await self._write(lambda connection: facts.identify(connection, bucket, gap, now))

    # -- time that the bot was gone

    async def note_outage(self, shard: Shard, outage: Outage, *, pulse: int | None) -> bool:
        """Keep that nobody heard this shard until now, and note that it is heard. False, and nothing happens, where its
        own pulse is not what it was (None: it has none): another process does all this.
        """
        return await self._write(lambda connection: downtime.note_outage(connection, shard, outage, pulse))

    async def outages(self) -> tuple[Owed, ...]:
        """Those that have not been given back to everybody yet, oldest first."""
        return await self._read(downtime.owed_outages)

    async def outages_over(self, given: Sequence[Owed]) -> None:
        """These have been given back to everybody."""
        await self._write(lambda connection: downtime.given_back(connection, given))

    async def ticking(self, *, of: Iterable[Shard] = UNDIVIDED) -> list[int]:
        """The numbers of the matches on the servers of any of these shards that wait for somebody until a certain
        time, the most urgent first.
        """
        return await self._read(lambda connection: downtime.ticking(connection, of))

    async def commit_each(self, changes: Sequence[Change], *, now: int) -> list[Head]:
        """Do some changes at once, each as `commit` does; returns the new heads. Where a match is gone, or not where
        its change expects it, nothing happens to that match.
        """
        return await self._write(lambda connection: downtime.commit_each(connection, changes, now))

    # -- what is held about a person

    async def held(self, user_id: int) -> dict[str, Any]:
        """Everything that is held about somebody, as JSON."""
        return await self._read(lambda connection: erasure.held_about(connection, user_id), limit=LONG)

    async def forget(self, user_id: int, *, left: Collection[int], now: int) -> bool:
        """Forget somebody, who has left these running matches. False, and nothing happens, when they sit at others."""
        return await self._write(
            lambda connection: erasure.forget(connection, user_id, left, self._privacy_key, now), limit=LONG
        )

    async def scrub(self, most: float = LARGE) -> bool:
        """Let nothing of what was deleted be left in the bytes of the database file. False where that has to wait, for
        other processes or, with a file of more than `most` bytes, for the next start.
        """
        remains = await self._read(facts.remains)
        if remains is None:
            return True
        if not await self._transactions.scrub(most):
            return False
        await self._write(lambda connection: facts.no_remains(connection, remains))
        return True

    async def forgotten(self) -> dict[str, int]:
        """The fingerprints of those who were forgotten, and when."""
        return await self._read(erasure.fingerprints)

    async def keep_forgotten(self, marks: Mapping[str, int]) -> None:
        """Take over fingerprints from another database."""
        await self._write(lambda connection: erasure.keep_fingerprints(connection, marks))

    async def recognised(self, marks: Collection[str]) -> list[int]:
        """Those whose fingerprint is among these, of all that anything is held about."""

        async def work(connection: AsyncConnection) -> list[int]:
            return await erasure.recognised(
                connection, await facts.fingerprint_key(connection, self._privacy_key), marks
            )

        return await self._write(work, limit=None)  # a key may have to be made

    async def same_fingerprints(self, other: "Keeping", theirs: Collection[str]) -> bool:
        """Whether fingerprints of another database mean the same people here: a key that is known there alone is taken
        over where there are fingerprints. False where each has its own, or theirs is not known.
        """
        key = await other._read(facts.kept_key)
        return await self._write(lambda connection: facts.same_key(connection, self._privacy_key, key, bool(theirs)))

    async def everybody(self) -> set[int]:
        """The ids of all people that anything is held about."""
        return await self._read(erasure.everybody, limit=None)
