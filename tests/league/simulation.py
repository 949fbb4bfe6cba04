"""Seasons of a league on a real store, with people who leave, are away or are forgotten, and a bot that is killed.

Everything but Discord is real: each kill leaves the database as it is, and the bot's parts are made anew on it. What is
decided at a table is decided by resigning, since what a match costs in moves says nothing about a league.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from bot.service.acts import Acts
from bot.service.guild_settings import Guilds
from bot.service.invitations import Invitation
from bot.service.leagues import LeagueBook, LeagueSeason
from bot.service.privacy import Privacy
from bot.service.tables import Tables
from data.store import DatabaseTrouble, Stale, Store
from engine.actions import Resign
from engine.league.season import Conditions
from engine.table.commands import Act
from engine.table.refusals import Refused
from tests.engine.league.sketch import check_sums

HOUR: Final = 3_600_000
DAY: Final = 24 * HOUR
NOW: Final = 1_800_000_000_000
GUILD, CHANNEL = 900_000_000_000_000_001, 800_000_000_000_000_001
PEOPLE: Final = 700_000_000_000_000_000


class Killed(BaseException):
    """The process ends here."""


@dataclass
class Told:
    """What a simulation came to."""

    people: int
    seasons: int = 0
    divisions: int = 0
    fixtures: int = 0
    how: Counter[str] = field(default_factory=Counter)
    left: int = 0
    forgotten: int = 0
    away: int = 0
    kills: int = 0
    most_at_once: int = 0
    """Matches of a season that one person played at the same time, at most."""
    most_threads: int = 0
    """Matches of the league that ran at the same time, at most."""


class Simulation:
    """One server with one league."""

    def __init__(self, file: Path, people: int, seed: int) -> None:
        self._url = f"sqlite:///{file}"
        self._chance = Random(seed)
        self._users = [PEOPLE + number for number in range(people)]
        self._away: dict[int, int] = {}
        self._threads = CHANNEL
        self._clock = NOW
        self._fatal: float = 0.0
        self.told = Told(people)

    def now(self) -> int:
        """The hour."""
        return self._clock

    async def run(self, seasons: int) -> Told:
        """So many seasons, each announced by the one before; what they came to."""
        await self._start()
        head = (await self._book.announce(*self._asked(), request=1)).head
        for _ in range(seasons):
            found = await self._lived(head.season_id)
            self._counted(found)
            following = [one for one in await self._store.seasons_of(GUILD) if one.previous_id == head.season_id]
            assert len(following) == 1, "the next season is announced once"
            head = following[0]
        await self._check_matches()
        await self._store.close()
        return self.told

    # -- the bot, which is killed now and then

    async def _start(self) -> None:
        self._store = await Store.open(self._url)
        tables = Tables(self._store, self.now)
        secret = self._chance.randbytes
        self._acts = Acts(self._store, tables, self.now, lambda: secret(32), presses=False)
        self._tables = tables
        self._book = LeagueBook(self._store, tables, self._acts, Guilds(self._store, self.now), self.now)
        self._privacy = Privacy(self._store, self._acts, self.now)
        for name in ("change_season", "create", "commit", "announce_season"):
            setattr(self._store, name, self._mortal(getattr(self._store, name)))

    def _mortal(self, write: Any) -> Any:
        """A write after which, or before which, the process may end."""

        async def done(*args: Any, **more: Any) -> Any:
            fate = self._chance.random()
            if fate < self._fatal / 2:
                raise Killed
            found = await write(*args, **more)
            if fate < self._fatal:
                raise Killed
            return found

        return done

    async def _killed(self) -> None:
        self.told.kills += 1
        await self._anew()

    async def _anew(self) -> None:
        """Begin again on what is written: also where a busy machine kept the database from answering in time."""
        await self._store.close()
        await self._start()

    # -- the people

    async def _lived(self, season_id: int) -> LeagueSeason:
        """A season, day by day."""
        for user in self._users:
            if self._chance.random() < 0.95:
                await self._book.sign_up(season_id, GUILD, user)
        while True:
            self._fatal = 0.1
            try:
                await self._a_day(season_id)
            except Killed:
                await self._killed()
                continue
            except DatabaseTrouble:
                await self._anew()
                continue
            finally:
                self._fatal = 0.0
            found = await self._book.season(season_id)
            if found.season.state in ("over", "off"):
                return await self._book.run(season_id)
            self._clock += DAY // 2

    async def _a_day(self, season_id: int) -> None:
        found = await self._book.run(season_id)
        while ready := found.season.ready(self._clock):
            for fixture in ready:
                self._threads += 1
                try:
                    await self._book.open(found, fixture, self._threads)
                except (Stale, Refused):
                    break
                found = await self._book.season(season_id)
        self._watch(found)
        await self._play(found)
        await self._go(season_id)

    def _watch(self, found: LeagueSeason) -> None:
        season = found.season
        running = [season.running(player) for player in season.players]
        self.told.most_at_once = max([self.told.most_at_once, *running])
        open_now = sum(number not in season.decisions for number in season.opened)
        self.told.most_threads = max(self.told.most_threads, open_now)

    async def _play(self, found: LeagueSeason) -> None:
        """Whoever is there may end a match today; who is away lets the others wait."""
        for fixture in found.season.undecided:
            match_id = found.season.opened.get(fixture.number)
            if match_id is None or self._chance.random() > 0.12:
                continue
            table = await self._tables.load(match_id)
            user = table.turn_user()
            if table.head.state != "open" or user is None or self._away.get(user, 0) > self._clock:
                continue
            await self._acts.act(match_id, Act(user, Resign))

    async def _go(self, season_id: int) -> None:
        """Somebody goes on vacation, leaves, or is forgotten."""
        found = await self._book.season(season_id)
        if found.season.state != "running":
            return
        here = [user for player, user in found.people.items() if user and player in found.season.players]
        if self._chance.random() < 0.15 and here:
            self._away[self._chance.choice(here)] = self._clock + 10 * DAY
            self.told.away += 1
        if self._chance.random() < 0.02 and here:
            await self._book.withdraw(season_id, GUILD, self._chance.choice(here))
        if self._chance.random() < 0.01 and here:
            user = self._chance.choice(here)
            self._users.remove(user)
            self.told.forgotten += 1
            await self._privacy.delete(user)

    # -- what must be so

    def _asked(self) -> tuple[Invitation, Conditions]:
        asked = Invitation(
            guild_id=GUILD, channel_id=CHANNEL, host_id=0, game="triominoes", seats=2, target=100, clock="days 1d"
        )
        conditions = Conditions(
            name="Spring",
            game="triominoes",
            clock="days 1d",
            signup_until=NOW + 7 * DAY,
            length=28 * DAY,
            target=100,
            again=True,
            signup=7 * DAY,
        )
        return asked, conditions

    def _counted(self, found: LeagueSeason) -> None:
        season, told = found.season, self.told
        assert season.state == "over"
        check_sums(season)
        told.seasons += 1
        told.divisions += len(season.divisions)
        told.fixtures += len(season.fixtures)
        told.how.update(one.how for one in season.decisions.values())
        told.left += len(season.gone)

    async def _check_matches(self) -> None:
        """Every match is that of one fixture, in a thread of its own, between the two who meet there."""
        seen: set[int] = set()
        for head in await self._store.seasons_of(GUILD):
            found = await self._book.season(head.season_id)
            for fixture in found.season.fixtures:
                match_id = found.season.opened.get(fixture.number)
                if match_id is None:
                    continue
                assert match_id not in seen
                seen.add(match_id)
                people = [row.user_id for row in await self._store.seats(match_id)]
                assert people == [found.people[player] for player in fixture.players]
        numbers = await self._store.numbers(100_000)
        assert seen == {*numbers}, "no match belongs to nobody"
        threads = [one.channel_id for one in await self._store.heads(numbers)]
        assert len(threads) == len({*threads})
