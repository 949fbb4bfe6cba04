"""Changes of user settings, and their effects on the user's tables."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Final

from bot.tables.acts import MAX_TRIES, Now, TableActions
from bot.tables.service import TableCache
from data.store.connection.store_errors import StaleVersion
from data.store.log.match_values import Head
from data.store.store import Store
from engine.table.commands import Rearm, RunDue, SetVacation
from engine.table.preferences import (
    AUTOMATIC_DAYS,
    MAX_MONTHLY_VACATIONS,
    Pings,
    Preferences,
    compute_days_left,
    compute_next_start,
    end_vacation,
    is_away,
    start_vacation,
)
from engine.table.refusals import Refusal, RefusalError
from engine.table.table_events import Granted

MAX_MUTED_TURNS: Final = 20  # muted turns of each user; older ones are dropped
Setting = Callable[[Preferences], Preferences]  # Computes new preferences; called again after a concurrent change.


class UserSettings:
    def __init__(self, store: Store, tables: TableCache, acts: TableActions, now: Now) -> None:
        self._store = store
        self._tables = tables
        self._acts = acts
        self._now = now

    async def load_preferences(self, user_id: int) -> Preferences:
        return (await self._store.users.load_person(user_id)).preferences

    async def set_vacation(self, user_id: int, days: int, *, automatic: bool = False) -> Preferences:
        """Start a vacation, which stops the user's clocks; 0 days end it. Raises RefusalError(NO_VACATION_LEFT)."""
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
        RefusalError(NO_VACATION_LEFT).
        """
        for _ in range(MAX_TRIES):
            with suppress(StaleVersion):
                return await self._set_once(user_id, setting, pings, days, automatic=automatic)
        raise RefusalError(Refusal.STALE)

    async def _set_once(
        self, user_id: int, setting: Setting, pings: Pings | None, days: int | None, *, automatic: bool
    ) -> Preferences:
        """Try `set` once. Raises StaleVersion after a concurrent change of the user or of one of their tables."""
        now, person = self._now(), await self._store.users.load_person(user_id)
        before = person.preferences
        is_vacation_change = days is not None and _is_vacation_change(before, days, now, automatic=automatic)
        after = _with_vacation(setting(before), days or 0, now) if is_vacation_change else setting(before)
        if after == before and pings in (None, person.pings):
            return after
        reason = "home" if not days else "away_by_itself" if automatic else "away"
        command = SetVacation(user_id, after.away_until if days else 0, reason)
        running = await self._list_running_tables(user_id) if is_vacation_change else []
        commands = dict.fromkeys([head.match_id for head in running], command)
        if automatic and not commands:
            return before  # no table waits for this user any more
        changed = replace(person, preferences=after, pings=pings or person.pings)
        await self._acts.save_preferences(person, changed, pings, commands)
        if not is_vacation_change:
            await self._rearm_turns(user_id)
        return after

    async def mute(self, match_id: int, user_id: int) -> None:
        """Mute reminders for a user's running turn. Raises RefusalError(NOTHING_TO_MUTE)."""
        table = await self._tables.load(match_id)
        if table.head.state != "open" or table.find_turn_user() != user_id:
            raise RefusalError(Refusal.NOTHING_TO_MUTE)

        def add_mute(preferences: Preferences) -> Preferences:
            older = [item for item in preferences.muted.items() if item[0] != str(match_id)][-MAX_MUTED_TURNS:]
            return replace(preferences, muted=dict([*older, (str(match_id), table.clock.watch.began)]))

        await self.set(user_id, add_mute)

    async def run_due(self, head: Head) -> bool:
        """Do what is due at a table, with an automatic vacation if granted. Return whether anything was done."""
        assert head.due is not None
        acted = await self._acts.act(head.match_id, RunDue(head.due))
        for event in acted.events:
            if isinstance(event, Granted):
                # Only the process whose act was applied gets the event, so a vacation is taken once.
                user_id = acted.table.seats[event.seat].user_id
                assert user_id is not None
                await self.set_vacation(user_id, AUTOMATIC_DAYS, automatic=True)
        return bool(acted.events)

    async def _list_running_tables(self, user_id: int) -> list[Head]:
        return await self._store.matches.list_heads_of_user(user_id, ("open",))

    async def _rearm_turns(self, user_id: int) -> None:
        for head in await self._list_running_tables(user_id):
            if head.turn is not None and head.turn.user == user_id:
                await self._acts.act(head.match_id, Rearm())


def _is_vacation_change(preferences: Preferences, days: int, now: int, *, automatic: bool) -> bool:
    """Return whether a vacation starts or ends. An automatic vacation does not replace another one."""
    away = is_away(preferences, now)
    return away if not days else not (automatic and away)


def _with_vacation(preferences: Preferences, days: int, now: int) -> Preferences:
    """Start or end a vacation in the preferences. Raises RefusalError(NO_VACATION_LEFT, VACATIONS_TOO_MANY)."""
    preferences = end_vacation(preferences, now)
    if not days:
        return preferences
    if not compute_days_left(preferences, now):
        raise RefusalError(Refusal.NO_VACATION_LEFT)
    next_allowed = compute_next_start(preferences, now)
    if next_allowed > now:
        raise RefusalError(Refusal.VACATIONS_TOO_MANY, most=MAX_MONTHLY_VACATIONS, again=next_allowed)
    return start_vacation(preferences, days, now)
