"""Changes of user settings, and their effects on the user's tables."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Final

from bot.tables.acts import TRIES, Acts, Now
from bot.tables.service import Tables
from data.store.connection.store_errors import Stale
from data.store.log.match_values import Head
from data.store.store import Store
from engine.table.commands import GoAway, Rearm, RunDue
from engine.table.preferences import (
    AUTOMATIC_DAYS,
    VACATIONS_A_MONTH,
    Pings,
    Preferences,
    days_left,
    gone,
    is_away,
    next_start,
    returned,
)
from engine.table.refusals import No, Refused
from engine.table.table_events import Granted

MUTED_KEPT: Final = 20  # muted turns of each user; older ones are dropped
Setting = Callable[[Preferences], Preferences]  # Computes new preferences; called again after a concurrent change.


class People:
    def __init__(self, store: Store, tables: Tables, acts: Acts, now: Now) -> None:
        self._store = store
        self._tables = tables
        self._acts = acts
        self._now = now

    async def preferences(self, user_id: int) -> Preferences:
        return (await self._store.users.person(user_id)).preferences

    async def leave(self, user_id: int, days: int, *, automatic: bool = False) -> Preferences:
        """Start a vacation, which stops the user's clocks; 0 days end it. Raises Refused(NO_VACATION_LEFT)."""
        return await self.set(user_id, lambda preferences: preferences, days=days, automatic=automatic)

    async def set(
        self,
        user_id: int,
        setting: Setting,
        *,
        pings: Pings | None = None,
        days: int | None = None,
        automatic: bool = False,
    ) -> Preferences:
        """Change settings, mentions and vacation in one transaction with the tables. Raises
        Refused(NO_VACATION_LEFT).
        """
        for _ in range(TRIES):
            with suppress(Stale):
                return await self._set_once(user_id, setting, pings, days, automatic=automatic)
        raise Refused(No.STALE)

    async def _set_once(
        self, user_id: int, setting: Setting, pings: Pings | None, days: int | None, *, automatic: bool
    ) -> Preferences:
        """Try `set` once. Raises Stale after a concurrent change of the user or of one of their tables."""
        now, person = self._now(), await self._store.users.person(user_id)
        before = person.preferences
        turns = days is not None and _changes_vacation(before, days, now, automatic=automatic)
        after = _with_vacation(setting(before), days or 0, now) if turns else setting(before)
        if after == before and pings in (None, person.pings):
            return after
        told = "home" if not days else "away_by_itself" if automatic else "away"
        command = GoAway(user_id, after.away_until if days else 0, told)
        going = dict.fromkeys([head.match_id for head in await self._running(user_id)] if turns else [], command)
        if automatic and not going:
            return before  # no table waits for this user any more
        changed = replace(person, preferences=after, pings=pings or person.pings)
        await self._acts.prefer(person, changed, pings, going)
        if not turns:
            await self._rearm_turns(user_id)
        return after

    async def mute(self, match_id: int, user_id: int) -> None:
        """Mute reminders for a user's running turn. Raises Refused(NOTHING_TO_MUTE)."""
        table = await self._tables.load(match_id)
        if table.head.state != "open" or table.turn_user() != user_id:
            raise Refused(No.NOTHING_TO_MUTE)

        def muted(preferences: Preferences) -> Preferences:
            kept = [item for item in preferences.muted.items() if item[0] != str(match_id)][-MUTED_KEPT:]
            return replace(preferences, muted=dict([*kept, (str(match_id), table.clock.watch.began)]))

        await self.set(user_id, muted)

    async def run_due(self, head: Head) -> bool:
        """Do what is due at a table, with an automatic vacation if granted. Return whether anything was done."""
        assert head.due is not None
        acted = await self._acts.act(head.match_id, RunDue(head.due))
        for event in acted.events:
            if isinstance(event, Granted):
                # Only the process whose act was applied gets the event, so a vacation is taken once.
                user_id = acted.table.seats[event.seat].user_id
                assert user_id is not None
                await self.leave(user_id, AUTOMATIC_DAYS, automatic=True)
        return bool(acted.events)

    async def _running(self, user_id: int) -> list[Head]:
        return await self._store.matches.heads_of_user(user_id, ("open",))

    async def _rearm_turns(self, user_id: int) -> None:
        for head in await self._running(user_id):
            if head.turn is not None and head.turn.user == user_id:
                await self._acts.act(head.match_id, Rearm())


def _changes_vacation(preferences: Preferences, days: int, now: int, *, automatic: bool) -> bool:
    """Return whether a vacation starts or ends. An automatic vacation does not replace another one."""
    away = is_away(preferences, now)
    return away if not days else not (automatic and away)


def _with_vacation(preferences: Preferences, days: int, now: int) -> Preferences:
    """Start or end a vacation in the preferences. Raises Refused(NO_VACATION_LEFT, VACATIONS_TOO_MANY)."""
    preferences = returned(preferences, now)
    if not days:
        return preferences
    if not days_left(preferences, now):
        raise Refused(No.NO_VACATION_LEFT)
    again = next_start(preferences, now)
    if again > now:
        raise Refused(No.VACATIONS_TOO_MANY, most=VACATIONS_A_MONTH, again=again)
    return gone(preferences, days, now)
