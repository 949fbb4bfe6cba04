"""The store's door to leagues."""

from collections.abc import Collection

from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.shards import UNDIVIDED, Shards
from data.store.connection.transactions import Part
from data.store.leagues import seasons
from data.store.leagues import seasons as season_messages
from data.store.leagues.seasons import KeptSeason, NewSeason, PastSeason, SeasonChange, SeasonHead, SeasonMessage


class Leagues(Part):
    """Seasons: announcing them, going on with them, and what their messages show."""

    async def announce_season(self, new: NewSeason, *, now: int, request: int | None = None) -> SeasonHead:
        """Announce a season; a second time for the same request, or after the same season, it is the one that is
        there.
        """
        return await self._write(lambda connection: seasons.announce(connection, new, now, request))

    async def change_season(self, change: SeasonChange, *, now: int) -> SeasonHead:
        """Write what an act does to a season. Raises Stale where it has moved on."""
        return await self._write(lambda connection: seasons.change_season(connection, change, now))

    async def season(self, season_id: int) -> KeptSeason | None:
        """A season with its log and its people. Raises LogDamaged."""
        return await self._read(lambda connection: seasons.load_season(connection, season_id))

    async def seasons_due(self, now: int, limit: int, *, of: Shards = UNDIVIDED) -> list[SeasonHead]:
        """The seasons of these shards on which the clock must act, longest overdue first."""
        return await self._read(lambda connection: seasons.due_seasons(connection, now, limit, of))

    async def seasons_of(self, guild_id: int, *, limit: int = 25) -> list[SeasonHead]:
        """The seasons of a server, newest first."""
        return await self._read(lambda connection: seasons.seasons_of(connection, guild_id, limit))

    async def seasons_over_with(self, user_id: int, guild_id: int, *, limit: int) -> list[PastSeason]:
        """The seasons of a server that are over and for which somebody signed up, newest first."""
        return await self._read(lambda connection: seasons.over_with(connection, user_id, guild_id, limit))

    async def season_people(self, season_ids: Collection[int]) -> dict[tuple[int, int], int | None]:
        """Whom the logs of these seasons mean, by season and player; None for somebody who was forgotten."""
        return await self._read(lambda connection: seasons.entrants_of(connection, season_ids))

    async def league_names(self, season_ids: Collection[int]) -> dict[int, str]:
        """What the leagues of these seasons are called."""
        return await self._read(lambda connection: seasons.names_of(connection, season_ids))

    async def seasons_underway(self, guild_id: int) -> int:
        """How many seasons of a server are not over."""
        return await self._read(lambda connection: seasons.underway(connection, guild_id))

    async def season_of_match(self, match_id: int) -> int | None:
        """The season that a match belongs to; None where it has none."""
        return await self._read(lambda connection: seasons.season_of_match(connection, match_id))

    async def season_messages(self, season_id: int) -> list[SeasonMessage]:
        """The messages of a season that stand, or may, oldest first."""
        return await self._read(lambda connection: season_messages.messages_of(connection, season_id))

    async def standing_messages(self, season_ids: Collection[int]) -> dict[int, int]:
        """The message of each of these seasons that shows how it stands, where there is one."""
        return await self._read(lambda connection: season_messages.standing_messages(connection, season_ids))

    async def begin_season_message(self, head: SeasonHead, *, now: int) -> SeasonMessage:
        """Note a message that is about to be sent where a season stands, for its state."""
        return await self._write(
            lambda connection: season_messages.begin_message(
                connection, head.season_id, head.channel_id, head.state, now
            )
        )

    async def season_shown(self, message: SeasonMessage, *, message_id: int, before: int, seq: int) -> None:
        """This message of a season arrived as `message_id`, and shows this event; `before` was shown when whoever sent
        it looked. Where that is not so any more it is due again, since an older request may have come last.
        """

        async def work(connection: AsyncConnection) -> None:
            await season_messages.arrived(connection, message, message_id)
            await seasons.message_shows(connection, message.season_id, before, seq)

        await self._write(work)

    async def forget_season_message(self, message: SeasonMessage) -> None:
        """A message of a season stands nowhere any more."""
        await self._write(lambda connection: season_messages.forget_message(connection, message))

    async def take_season(self, head: SeasonHead, *, until: int) -> bool:
        """Only the caller goes on with a season that is due, until then. False where somebody else does."""
        return await self._write(lambda connection: seasons.take_season(connection, head, until))

    async def let_go_of_season(self, season_id: int, *, taken: int, at: int | None, trouble: int | None) -> None:
        """Whoever took a season until `taken` is done with it: it is due again `at` that time, None for never.
        `trouble` is what kept it from going on.
        """
        await self._write(lambda connection: seasons.let_go(connection, season_id, taken, at, trouble))

    async def move_season(self, season_id: int, channel_id: int, *, now: int) -> None:
        """A season that is under way goes on in this channel, with a message of its own; those it has are old."""
        await self._write(lambda connection: seasons.move_season(connection, season_id, channel_id, now))
