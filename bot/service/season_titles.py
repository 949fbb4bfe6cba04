"""The seasons and tournaments that somebody has won: a fold of their logs, and of nothing that is kept beside them."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from bot.base.logs import logger
from data.store import LogDamaged, Store
from data.store.signed_up import PastSeason
from engine.league import replay_season
from engine.league.season import Conditions
from engine.league.standings import winners

log = logger(__name__)

LOOKED_AT: Final = 50
"""So many of somebody's seasons on a server are looked through, the newest ones: a weekly tournament has as many a
year.
"""


@dataclass(frozen=True, slots=True)
class SeasonTitle:
    """A season that somebody has won."""

    conditions: Conditions
    channel_id: int
    message_id: int | None
    """Where it is told how it ended."""


class SeasonTitles:
    """Finds them. What is over stays as it is, so its log is folded once."""

    KEPT: Final = 1000

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: OrderedDict[int, tuple[Conditions, frozenset[int]]] = OrderedDict()
        """By season: what was played, and which players have won."""

    async def of(self, user_id: int, guild_id: int, game: str) -> list[SeasonTitle]:
        """What somebody has won on a server in a game, newest first."""
        found = []
        for past in await self._store.seasons_over_with(user_id, guild_id, limit=LOOKED_AT):
            conditions, won = await self._outcome(past)
            if conditions is not None and conditions.game == game and past.player in won:
                found.append(SeasonTitle(conditions, past.channel_id, past.message_id))
        return found

    async def _outcome(self, past: PastSeason) -> tuple[Conditions | None, frozenset[int]]:
        """What was played, and who has won; nothing where that cannot be read."""
        if past.season_id in self._known:
            self._known.move_to_end(past.season_id)
            return self._known[past.season_id]
        try:
            kept = await self._store.season(past.season_id)
        except LogDamaged as damage:
            log.warning("a season that is over cannot be read", season=past.season_id, reason=str(damage))
            kept = None
        if kept is None:
            return None, frozenset()
        season = replay_season(kept.log)
        self._known[past.season_id] = season.conditions, frozenset(winners(season))
        while len(self._known) > self.KEPT:
            self._known.popitem(last=False)
        return self._known[past.season_id]
