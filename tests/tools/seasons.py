"""Simulate leagues and tournaments on a real store, with players who leave and a bot that is killed.

    uv run checks -m tests.tools.seasons league --players 40 --seasons 3
    uv run checks -m tests.tools.seasons swiss --players 16 --seasons 20

Everything but Discord is real. A kill leaves the database unchanged, and the bot is created again on it.
Matches are decided by resigning: a league does not depend on the moves of a match.
"""

import argparse
import asyncio
from collections import Counter
from dataclasses import dataclass, field, fields
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

from bot.core.privacy import Privacy
from bot.leagues.service import LeagueSeason, LeagueService
from bot.tables.acts import TableActions
from bot.tables.lobbies import TableRequest
from bot.tables.service import TableCache
from data.store.connection.faults import DatabaseUnavailable
from data.store.connection.store_errors import StaleVersion
from data.store.leagues.store import SeasonStore
from data.store.store import Store
from engine.leagues.season import WIN, Conditions, SeasonKind
from engine.leagues.standings import list_winners, rank_division
from engine.leagues.tournament import count_planned_rounds
from engine.match.actions import Resign
from engine.table.commands import RunDue, TakeAction
from engine.table.refusals import RefusalError
from tests.engine.league.season_builders import assert_standings_add_up

MINUTE: Final = 60_000  # ms
DAY: Final = 24 * 60 * MINUTE
NOW: Final = 1_800_000_000_000
GUILD, CHANNEL = 900_000_000_000_000_001, 800_000_000_000_000_001
FIRST_USER: Final = 700_000_000_000_000_000
ROUND: Final = 45 * MINUTE
TOURNAMENT_STEP: Final = 3 * MINUTE
TOURNAMENT_CLOCK: Final = "live 20m"
"""A slow clock: players resign at some time, so only absent players time out."""


class BotKilledError(BaseException):
    """The bot process is killed at this point."""


@dataclass
class Totals:
    players: int
    seasons: int = 0
    divisions: int = 0
    """Divisions of a league, or rounds of a tournament."""
    fixtures: int = 0
    how: Counter[str] = field(default_factory=Counter)
    """By the way in which a fixture was decided."""
    left: int = 0
    forgotten: int = 0
    """Players who deleted their data."""
    away: int = 0
    kills: int = 0
    most_at_once: int = 0
    """The most matches of a season that one player played at the same time."""
    most_threads: int = 0
    """The most matches of the league that were open at the same time."""


class LeagueSimulation:
    """One server with one league. Each season announces the next one."""

    next_seasons = 1
    step = DAY // 2
    kill_share = 0.1
    """The probability that a write of the store kills the bot, half of the time before it happens."""
    signup_share = 0.95
    vacation_share = 0.15
    withdraw_share = 0.02
    delete_share = 0.01

    def __init__(self, file: Path, players: int, seed: int) -> None:
        self._url = f"sqlite:///{file}"
        self._rng = Random(seed)
        self._users = [FIRST_USER + number for number in range(players)]
        self._away_until: dict[int, int] = {}
        self._threads = CHANNEL
        self._clock = NOW
        self._kill_share = 0.0
        self.totals = Totals(players)

    def read_clock(self) -> int:
        return self._clock

    async def run(self, seasons: int) -> Totals:
        await self._start_bot()
        season_id = (await self._book.announce(*self._build_conditions(), request=1)).head.season_id
        for _ in range(seasons):
            self._add_up(await self._play_season(season_id))
            following = [
                one
                for one in await SeasonStore(self._store.transactions).list_seasons(GUILD)
                if one.previous_id == season_id
            ]
            assert len(following) == self.next_seasons, "the next season is announced once"
            season_id = following[0].season_id if following else 0
        await self._check_matches()
        await self._store.close()
        return self.totals

    async def _start_bot(self) -> None:
        self._store = await Store.open(self._url)
        self._tables = TableCache(self._store, self.read_clock)
        self._acts = TableActions(
            self._store, self._tables, self.read_clock, lambda: self._rng.randbytes(32), presses=False
        )
        self._book = LeagueService(self._store, self._tables, self._acts, self.read_clock)
        self._privacy = Privacy(self._store, self._acts, self.read_clock)
        matches, seasons = self._store.matches, self._book._season_store
        writes = ((matches, "create"), (matches, "commit"), (seasons, "change_season"), (seasons, "announce_season"))
        for store, name in writes:
            setattr(store, name, self._with_kills(getattr(store, name)))

    def _with_kills(self, write: Any) -> Any:
        async def write_or_die(*args: Any, **more: Any) -> Any:
            drawn = self._rng.random()
            if drawn < self._kill_share / 2:
                raise BotKilledError
            found = await write(*args, **more)
            if drawn < self._kill_share:
                raise BotKilledError
            return found

        return write_or_die

    async def _play_season(self, season_id: int) -> LeagueSeason:
        for user in self._users:
            if self._rng.random() < self.signup_share:
                await self._book.sign_up(season_id, GUILD, user)
        while True:
            self._kill_share = self.kill_share
            try:
                await self._take_step(season_id)
            except (BotKilledError, DatabaseUnavailable) as error:
                # On a busy machine the database may not answer in time.
                self.totals.kills += isinstance(error, BotKilledError)
                await self._store.close()
                await self._start_bot()
                continue
            finally:
                self._kill_share = 0.0
            found = await self._book.load(season_id)
            if found.season.state in ("over", "off"):
                return await self._book.run(season_id)
            self._clock += self.step

    async def _take_step(self, season_id: int) -> None:
        found = await self._book.run(season_id)
        while ready := found.season.list_ready_fixtures(self._clock):
            for fixture in ready:
                self._threads += 1
                try:
                    await self._book.open(found, fixture, self._threads)
                except (StaleVersion, RefusalError):
                    break
                found = await self._book.load(season_id)
        season = found.season
        running = [season.count_running(player) for player in season.players]
        self.totals.most_at_once = max([self.totals.most_at_once, *running])
        open_now = sum(number not in season.decisions for number in season.match_ids)
        self.totals.most_threads = max(self.totals.most_threads, open_now)
        await self._resign_somewhere(found)
        await self._let_players_leave(season_id)

    def _list_open_matches(self, found: LeagueSeason) -> list[int]:
        match_ids = [found.season.match_ids.get(one.number) for one in found.season.undecided_fixtures]
        return [one for one in match_ids if one is not None]

    async def _resign_somewhere(self, found: LeagueSeason) -> None:
        """End a few matches. Players who are away let the others wait."""
        for match_id in self._list_open_matches(found):
            if self._rng.random() > 0.12:
                continue
            table = await self._tables.load(match_id)
            user = table.find_turn_user()
            if table.head.state == "open" and user is not None and self._away_until.get(user, 0) <= self._clock:
                await self._acts.act(match_id, TakeAction(user, Resign))

    async def _let_players_leave(self, season_id: int) -> None:
        """Start vacations, withdraw players or delete their data."""
        found = await self._book.load(season_id)
        active_users = [user for player, user in found.user_ids.items() if user and player in found.season.players]
        if found.season.state != "running" or not active_users:
            return
        if self.vacation_share and self._rng.random() < self.vacation_share:
            self._away_until[self._rng.choice(active_users)] = self._clock + 10 * DAY
            self.totals.away += 1
        if self._rng.random() < self.withdraw_share:
            await self._book.withdraw(season_id, GUILD, self._rng.choice(active_users))
        if self._rng.random() < self.delete_share:
            user = self._rng.choice(active_users)
            self._users.remove(user)
            self.totals.forgotten += 1
            await self._privacy.delete(user)

    def _build_conditions(self) -> tuple[TableRequest, Conditions]:
        week, clock = 7 * DAY, "days 1d"
        conditions = Conditions(
            name="Spring",
            game="triominoes",
            clock=clock,
            signup_until=NOW + week,
            length=4 * week,
            target=100,
            again=True,
            signup=week,
        )
        return _build_request(clock), conditions

    def _check_season(self, found: LeagueSeason) -> None:
        assert_standings_add_up(found.season)

    def _add_up(self, found: LeagueSeason) -> None:
        season, totals = found.season, self.totals
        assert season.state == "over"
        self._check_season(found)
        totals.seasons += 1
        totals.divisions += len(season.divisions) if season.conditions.kind == "league" else season.round + 1
        totals.fixtures += len(season.fixtures)
        totals.how.update(one.how for one in season.decisions.values())
        totals.left += len(season.leavers)

    async def _check_matches(self) -> None:
        """Check that every match belongs to one fixture, is played by its two players and has its own thread."""
        checked: set[int] = set()
        for head in await SeasonStore(self._store.transactions).list_seasons(GUILD):
            found = await self._book.load(head.season_id)
            for fixture in found.season.fixtures:
                match_id = found.season.match_ids.get(fixture.number)
                if match_id is None:
                    continue
                assert match_id not in checked
                checked.add(match_id)
                users = [row.user_id for row in await self._store.matches.list_seats(match_id)]
                assert users == [found.user_ids[player] for player in fixture.players]
        numbers = await self._store.matches.list_match_ids(100_000)
        assert checked == {*numbers}, "every match belongs to a fixture"
        threads = [one.channel_id for one in await self._store.matches.list_heads(numbers)]
        assert len(threads) == len({*threads})


class TournamentSimulation(LeagueSimulation):
    """One tournament of an evening. Some of the players who sign up never come."""

    next_seasons = 0
    step = TOURNAMENT_STEP
    kill_share = 0.04
    signup_share = 1.1  # above 1, so every player signs up
    vacation_share = 0.0
    delete_share = 0.005

    def __init__(self, file: Path, players: int, seed: int, kind: SeasonKind) -> None:
        super().__init__(file, players, seed)
        self._kind = kind
        self._missing = {user for user in self._users if self._rng.random() < 0.15}
        self.totals.away = len(self._missing)

    async def _resign_somewhere(self, found: LeagueSeason) -> None:
        """End each match within about a quarter of an hour, and do whatever is due at its table."""
        for match_id in self._list_open_matches(found):
            await self._run_due_actions(match_id)
            table = await self._tables.load(match_id)
            user = table.find_turn_user()
            if table.head.state != "open" or user is None or user in self._missing or self._rng.random() > 0.2:
                continue
            await self._acts.act(match_id, TakeAction(user, Resign))

    async def _run_due_actions(self, match_id: int) -> None:
        for _ in range(3):
            head = await self._store.matches.find_head(match_id)
            if head is None or head.due is None or head.due.at > self._clock:
                return
            try:
                await self._acts.act(match_id, RunDue(head.due))
            except (RefusalError, StaleVersion):
                return

    def _build_conditions(self) -> tuple[TableRequest, Conditions]:
        conditions = Conditions(
            name="Friday",
            game="triominoes",
            clock=TOURNAMENT_CLOCK,
            signup_until=NOW + 30 * MINUTE,
            length=0,
            target=100,
            at_once=1,
            kind=self._kind,
            round_time=ROUND,
        )
        return _build_request(TOURNAMENT_CLOCK), conditions

    def _check_season(self, found: LeagueSeason) -> None:
        """Check that every pairing is decided once, that no pairing repeats, and that the table adds up."""
        season = found.season
        assert season.decisions.keys() == {one.number for one in season.fixtures}
        pairs = [frozenset(one.players) for one in season.fixtures]
        assert len(pairs) == len({*pairs})
        assert season.round < count_planned_rounds(season)
        table = rank_division(season, 0)
        assert {line.player for line in table} == {*season.divisions[0]}
        if season.conditions.kind == "swiss":
            byes = sum(len(one) for one in season.byes.values())
            given = sum(sum(one.points) for one in season.decisions.values())
            assert sum(line.points for line in table) == given + WIN * byes
        else:
            assert len(list_winners(season)) == 1


def _build_request(clock: str) -> TableRequest:
    return TableRequest(
        guild_id=GUILD, channel_id=CHANNEL, host_id=0, game="triominoes", seats=2, target=100, clock=clock
    )


def simulate_tournaments(kind: SeasonKind, players: int, times: int, seed: int) -> Totals:
    """Play so many tournaments, each on its own database, and return their sums."""
    totals = Totals(players)
    for number in range(times):
        with TemporaryDirectory() as folder:
            simulation = TournamentSimulation(Path(folder) / "league.db", players, seed + number, kind)
            found = asyncio.run(simulation.run(1))
        for each in fields(Totals):
            sum_so_far, more = getattr(totals, each.name), getattr(found, each.name)
            is_largest = each.name.startswith("most") or each.name == "players"
            setattr(totals, each.name, max(sum_so_far, more) if is_largest else sum_so_far + more)
    return totals


def main() -> None:
    parser = argparse.ArgumentParser(prog="checks -m tests.tools.seasons", description=__doc__)
    parser.add_argument("kind", choices=["league", "swiss", "knockout"])
    parser.add_argument("--players", type=int, default=40)
    parser.add_argument("--seasons", type=int, default=3, help="seasons of the league, or how many tournaments")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    if asked.kind == "league":
        with TemporaryDirectory() as folder:
            simulation = LeagueSimulation(Path(folder) / "league.db", asked.players, asked.seed)
            totals = asyncio.run(simulation.run(asked.seasons))
    else:
        totals = simulate_tournaments(asked.kind, asked.players, asked.seasons, asked.seed)
    for each in fields(totals):
        value = getattr(totals, each.name)
        print(f"{each.name}: {dict(value) if isinstance(value, dict) else value}")


if __name__ == "__main__":
    main()
