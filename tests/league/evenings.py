"""Tournaments of an evening on a real store, with people who leave, do not come or are forgotten, and a bot that is
killed.

As in the simulation of leagues everything but Discord is real, clocks included: what is due at a table is done.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from bot.service.invitations import Invitation
from bot.service.leagues import LeagueSeason
from data.store import DatabaseTrouble, Stale
from engine.actions import Resign
from engine.league.season import WIN, Conditions, SeasonKind
from engine.league.standings import division_table, winners
from engine.league.tournament import planned_rounds
from engine.table.commands import Act, RunDue
from engine.table.refusals import Refused
from tests.league.simulation import CHANNEL, GUILD, NOW, Killed, Simulation

MINUTE: Final = 60_000
STEP: Final = 3 * MINUTE
ROUND: Final = 45 * MINUTE
CLOCK: Final = "live 20m"
"""Slow, since whoever is there does nothing here but resign at some time: only who has not come runs out of it."""


class Evening(Simulation):
    """One tournament, to which some of those who signed up do not come."""

    def __init__(self, file: Path, people: int, seed: int, kind: SeasonKind) -> None:
        super().__init__(file, people, seed)
        self._kind = kind
        self._missing = {user for user in self._users if self._chance.random() < 0.15}
        self.told.away = len(self._missing)

    async def evening(self) -> LeagueSeason:
        """From its announcement to its end."""
        await self._start()
        head = (await self._book.announce(*self._asked(), request=1)).head
        for user in self._users:
            await self._book.sign_up(head.season_id, GUILD, user)
        while True:
            self._fatal = 0.04
            try:
                await self._a_day(head.season_id)
            except Killed:
                await self._killed()
                continue
            except DatabaseTrouble:
                await self._anew()
                continue
            finally:
                self._fatal = 0.0
            found = await self._book.season(head.season_id)
            if found.season.state in ("over", "off"):
                break
            self._clock += STEP
        self._counted(found)
        await self._check_matches()
        await self._store.close()
        return found

    async def _play(self, found: LeagueSeason) -> None:
        """Whoever has come ends a match of theirs within a quarter of an hour or so; clocks do what they do."""
        for fixture in found.season.undecided:
            match_id = found.season.opened.get(fixture.number)
            if match_id is None:
                continue
            await self._tick(match_id)
            table = await self._tables.load(match_id)
            user = table.turn_user()
            if table.head.state != "open" or user is None or user in self._missing or self._chance.random() > 0.2:
                continue
            await self._acts.act(match_id, Act(user, Resign))

    async def _tick(self, match_id: int) -> None:
        """What is due at a table."""
        for _ in range(3):
            head = await self._store.head(match_id)
            if head is None or head.due is None or head.due.at > self._clock:
                return
            try:
                await self._acts.act(match_id, RunDue(head.due))
            except (Refused, Stale):
                return

    async def _go(self, season_id: int) -> None:
        """Somebody leaves, or is forgotten."""
        found = await self._book.season(season_id)
        here = [user for player, user in found.people.items() if user and player in found.season.players]
        if found.season.state != "running" or not here:
            return
        if self._chance.random() < 0.02:
            await self._book.withdraw(season_id, GUILD, self._chance.choice(here))
        if self._chance.random() < 0.005:
            user = self._chance.choice(here)
            self._users.remove(user)
            self.told.forgotten += 1
            await self._privacy.delete(user)

    def _asked(self) -> tuple[Invitation, Conditions]:
        asked = Invitation(
            guild_id=GUILD, channel_id=CHANNEL, host_id=0, game="triominoes", seats=2, target=100, clock=CLOCK
        )
        conditions = Conditions(
            name="Friday",
            game="triominoes",
            clock=CLOCK,
            signup_until=NOW + 30 * MINUTE,
            length=0,
            target=100,
            at_once=1,
            kind=self._kind,
            round_time=ROUND,
        )
        return asked, conditions

    def _counted(self, found: LeagueSeason) -> None:
        season, told = found.season, self.told
        assert season.state == "over"
        check_evening(found)
        told.seasons += 1
        told.divisions += season.round + 1
        told.fixtures += len(season.fixtures)
        told.how.update(one.how for one in season.decisions.values())
        told.left += len(season.gone)


def check_evening(found: LeagueSeason) -> None:
    """Every pairing is decided once, nobody meets anybody twice, and the table adds up."""
    season = found.season
    assert season.decisions.keys() == {one.number for one in season.fixtures}
    pairs = [frozenset(one.players) for one in season.fixtures]
    assert len(pairs) == len({*pairs})
    assert season.round < planned_rounds(season)
    table = division_table(season, 0)
    assert {line.player for line in table} == {*season.divisions[0]}
    if season.conditions.kind == "swiss":
        byes = sum(len(one) for one in season.byes.values())
        given = sum(sum(one.points) for one in season.decisions.values())
        assert sum(line.points for line in table) == given + WIN * byes
    else:
        assert len(winners(season)) == 1
