"""Who has won the seasons and tournaments of a server: a fold of their logs, and of nothing kept beside them."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.base.logs import logger
from data.store import LogDamaged, Store
from engine.league import replay_season
from engine.league.season import Conditions
from engine.league.standings import winners

log = logger(__name__)

LOOKED_AT: Final = 50
"""So many seasons of a server, or of somebody there, are looked through, the newest ones: a weekly tournament has as
many a year.
"""


@dataclass(frozen=True, slots=True)
class SeasonTitle:
    """A season that is over, and who has won it."""

    conditions: Conditions
    channel_id: int
    message_id: int | None
    """Where it is told how it ended."""
    winners: Sequence[int | None]
    """By user id; None for somebody who was forgotten. Nobody where nobody has any points."""


class SeasonTitles:
    """Finds them. What is over stays as it is, so its log is folded once."""

    KEPT: Final = 1000

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: OrderedDict[int, tuple[Conditions, tuple[int, ...]]] = OrderedDict()
        """By season: what was played, and which players have won."""

    async def of(self, user_id: int, guild_id: int, game: str) -> list[SeasonTitle]:
        """What somebody has won on a server in a game, newest first."""
        over = await self._store.seasons_over_with(user_id, guild_id, limit=LOOKED_AT)
        messages = await self._store.standing_messages([past.season_id for past in over])
        found = []
        for past in over:
            conditions, won = await self._outcome(past.season_id)
            if conditions is not None and conditions.game == game and past.player in won:
                found.append(SeasonTitle(conditions, past.channel_id, messages.get(past.season_id), [user_id]))
        return found

    async def all(self, guild_id: int) -> list[SeasonTitle]:
        """The last seasons of a server that are over, newest first."""
        heads = [one for one in await self._store.seasons_of(guild_id, limit=LOOKED_AT) if one.state == "over"]
        numbers = [head.season_id for head in heads]
        people, messages = await self._store.season_people(numbers), await self._store.standing_messages(numbers)
        found = []
        for head in heads:
            conditions, won = await self._outcome(head.season_id)
            if conditions is not None:
                users = [people.get((head.season_id, player)) for player in won]
                found.append(SeasonTitle(conditions, head.channel_id, messages.get(head.season_id), users))
        return found

    async def _outcome(self, season_id: int) -> tuple[Conditions | None, tuple[int, ...]]:
        """What was played, and which players have won; nothing where that cannot be read."""
        if season_id in self._known:
            self._known.move_to_end(season_id)
            return self._known[season_id]
        try:
            kept = await self._store.season(season_id)
        except LogDamaged as damage:
            log.warning("a season that is over cannot be read", season=season_id, reason=str(damage))
            kept = None
        if kept is None:
            return None, ()
        season = replay_season(kept.log)
        self._known[season_id] = season.conditions, tuple(winners(season))
        while len(self._known) > self.KEPT:
            self._known.popitem(last=False)
        return self._known[season_id]
