"""The messages of seasons: each is noted before it is sent and forgotten once it is deleted, so that one stands
whenever the bot is killed and wherever a season goes on meanwhile.
"""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import and_, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.league_tables import season_messages, seasons
from engine.league.season import SeasonState


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonMessage:
    """A message of a season that stands in a channel, or may: nobody knows whether it arrived before that is noted."""

    number: int
    """As no other message of any season has."""
    season_id: int
    channel_id: int
    state: SeasonState
    """The state that it was posted for."""
    message_id: int | None
    """None: it is being sent, or whoever sent it did not live to note it."""
    begun_at: int

    @property
    def nonce(self) -> str:
        """By what it is sent, and found again."""
        return f"season{self.season_id}{self.state}{self.number}"[-25:]


async def messages_of(connection: AsyncConnection, season_id: int) -> list[SeasonMessage]:
    """The messages of a season that stand, or may, oldest first."""
    query = select(season_messages).where(season_messages.c.season_id == season_id).order_by(season_messages.c.number)
    return [SeasonMessage(**row._mapping) for row in await connection.execute(query)]


async def standing_messages(connection: AsyncConnection, season_ids: Collection[int]) -> dict[int, int]:
    """The message of each of these seasons that shows how it stands, where there is one."""
    here = season_messages.c.season_id == seasons.c.season_id, season_messages.c.channel_id == seasons.c.channel_id
    query = (
        select(season_messages.c.season_id, season_messages.c.message_id)
        .join(seasons, and_(*here))
        .where(season_messages.c.season_id.in_(season_ids), season_messages.c.message_id.is_not(None))
        .order_by(season_messages.c.number)
    )
    return {row.season_id: row.message_id for row in await connection.execute(query)}


async def begin_message(
    connection: AsyncConnection, season_id: int, channel_id: int, state: SeasonState, now: int
) -> SeasonMessage:
    """Note a message for this state of a season that is about to be sent to this channel."""
    line = {"season_id": season_id, "channel_id": channel_id, "state": state, "begun_at": now}
    row = await connection.execute(insert(season_messages).values(**line).returning(season_messages))
    return SeasonMessage(**row.one()._mapping)


async def arrived(connection: AsyncConnection, message: SeasonMessage, message_id: int) -> None:
    """This message of a season stands there."""
    mine = season_messages.c.number == message.number
    await connection.execute(update(season_messages).where(mine).values(message_id=message_id))


async def forget_message(connection: AsyncConnection, message: SeasonMessage) -> None:
    """A message of a season stands nowhere any more."""
    await connection.execute(delete(season_messages).where(season_messages.c.number == message.number))
