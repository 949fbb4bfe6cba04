"""Leagues without Discord: announce a season, sign up, leave, and run what is due.

A match of a league is a table like any other, and its result is read from the table. When a season ends, the announced
rules decide the other matches, which continue as ordinary matches.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from bot.core.guild_settings import Guilds
from bot.core.logs import logger
from bot.tables.acts import TRIES, Acts
from bot.tables.lobbies import Invitation, agreed
from bot.tables.ratings import points
from bot.tables.service import Table, Tables
from data.store.connection.store_errors import LogDamaged, Stale
from data.store.leagues.seasons import DUE_NOW, KeptSeason, NewSeason, SeasonChange, SeasonHead
from data.store.leagues.store import OpensFixture, SeasonStore
from data.store.log.match_values import Head
from data.store.operations.erasure import looks_like_an_id
from data.store.outbox.outbox_values import FIXTURE
from data.store.store import Store
from engine.leagues import Objection, Season, SeasonRefused, decide_season, evolve_season, replay_season
from engine.leagues.commands import Announce, EndSeason, Report, RunSeason, SeasonCommand, SignUp, Withdraw
from engine.leagues.season import LOSS, TIE, WIN, Conditions, Fixture, FixtureResult, How, RunningScore
from engine.leagues.season_events import SeasonEvent
from engine.leagues.standings import winners
from engine.table.commands import Leave, MoveTable
from engine.table.refusals import No, Refused
from engine.table.table_posts import Post
from engine.table.terms import parse_pace

UNPLAYED: Final = FixtureResult((LOSS, LOSS), "unplayed")


def fixture_result(table: Table) -> FixtureResult:
    """Return the result of a finished match. An aborted match gives no points."""
    match = None if table.event_log is None else table.event_log.match
    if match is None:
        return UNPLAYED
    totals = (match.seats[0].total, match.seats[1].total)
    if match.ended is None:
        if not table.state.ended:
            return UNPLAYED
        # It was closed because a player ran out of time: the other one has won.
        return FixtureResult((LOSS, WIN) if match.turn == 0 else (WIN, LOSS), "forfeit", totals)
    first, second = match.ended.places[:2]
    points_each = (TIE, TIE) if first == second else (WIN, LOSS) if first < second else (LOSS, WIN)
    return FixtureResult(points_each, "resigned" if match.left else "played", totals)


def running_score(table: Table, now: int, *, absences: bool) -> RunningScore:
    """Return the score of a running match, with `absences` if they count. Raises Refused before its start."""
    first, second = (seat.total for seat in table.match.seats[:2])
    turn = None if table.clock.time.paused or table.head.turn is None else table.head.turn.seat
    waited = now - table.clock.watch.began
    return RunningScore((first, second), turn, waited, absent_of(table) if absences else ())


def absent_of(table: Table) -> tuple[int, ...]:
    """Return the seats that ran out of time and have not come back."""
    return tuple(seat for seat in range(2) if table.state.is_absent(seat))


MOST_SEASONS: Final = 5  # the most seasons of a server that may run or have sign-up at the same time
LONGEST_NAME: Final = 40
LEAVING: Final[Collection[How]] = ("forfeit", "struck")  # how matches of players who left are decided

IN_TOURNAMENTS: Final[Mapping[Objection, No]] = {
    Objection.NOT_IN_SEASON: No.NOT_IN_TOURNAMENT,
    Objection.SIGNUP_OVER: No.TOURNAMENT_SIGNUP_OVER,
    Objection.SEASON_FULL: No.TOURNAMENT_FULL,
    Objection.SEASON_OVER: No.TOURNAMENT_OVER,
    Objection.LEFT_SEASON: No.LEFT_TOURNAMENT,
    Objection.TOO_FEW_SIGNED_UP: No.TOURNAMENT_TOO_FEW,
    Objection.ALREADY_BEGUN: No.TOURNAMENT_BEGUN,
}
"""Refusals with other words for tournaments."""


@dataclass(frozen=True, slots=True)
class LeagueSeason:
    head: SeasonHead
    season: Season
    people: Mapping[int, int | None]  # user ids by player; None after their data was erased

    def player(self, user_id: int) -> int | None:
        """Return the player number of a user who has signed up at any time."""
        return next((player for player, user in self.people.items() if user == user_id), None)

    def plays(self, user_id: int) -> bool:
        return self.player(user_id) in self.season.players


class LeagueBook:
    def __init__(self, store: Store, tables: Tables, acts: Acts, guilds: Guilds, now: Callable[[], int]) -> None:
        self._store = store
        self._season_store = SeasonStore(store.transactions)
        self._tables = tables
        self._acts = acts
        self._guilds = guilds
        self._now = now

    async def announce(self, asked: Invitation, conditions: Conditions, *, request: int) -> LeagueSeason:
        """Announce a season. Raises Refused(SEASONS_ENOUGH, BAD_LEAGUE_NAME, CLOCK_NOT_LIVE), or as `agreed` does."""
        name = " ".join(conditions.name.split())[:LONGEST_NAME]
        if not name or looks_like_an_id(name):
            raise Refused(No.BAD_LEAGUE_NAME)
        terms = agreed(asked)
        if conditions.kind != "league" and parse_pace(terms.clock).kind != "live":
            raise Refused(No.CLOCK_NOT_LIVE)
        if await self._season_store.seasons_underway(asked.guild_id) >= MOST_SEASONS:
            raise Refused(No.SEASONS_ENOUGH, most=MOST_SEASONS)
        conditions = replace(conditions, name=name, target=terms.target, clock=terms.clock, preset=terms.preset)
        new = NewSeason(
            guild_id=asked.guild_id,
            channel_id=asked.channel_id,
            events=decide_season(None, Announce(conditions), self._now()),
            due_at=DUE_NOW,
        )
        head = await self._season_store.announce_season(new, now=self._now(), request=request)
        return await self.season(head.season_id, asked.guild_id)

    async def season(self, season_id: int, guild_id: int | None = None) -> LeagueSeason:
        """Return a season. Raises Refused(NO_SUCH_SEASON), also for one of another server."""
        kept = await self._season_store.season(season_id)
        if kept is None or (guild_id is not None and kept.head.guild_id != guild_id):
            raise Refused(No.NO_SUCH_SEASON)
        return _read(kept)

    async def newest(self, guild_id: int, channel_id: int, may: Callable[[LeagueSeason], bool]) -> LeagueSeason:
        """Return the nearest season that the user `may` see. Raises Refused(NO_SUCH_SEASON)."""

        def nearer(head: SeasonHead) -> tuple[bool, bool]:
            return head.state not in ("signup", "running"), head.channel_id != channel_id

        for head in sorted(await self._season_store.seasons_of(guild_id), key=nearer):
            found = await self.season(head.season_id)
            if may(found):
                return found
        raise Refused(No.NO_SUCH_SEASON)

    async def sign_up(self, season_id: int, guild_id: int, user_id: int) -> LeagueSeason:
        """Sign a user up. Raises Refused(ALREADY_SIGNED_UP, SIGNUP_OVER, SEASON_FULL, LEFT_SEASON)."""

        async def change(found: LeagueSeason) -> LeagueSeason:
            player = found.player(user_id) or max(found.people, default=0) + 1
            command = SignUp(player, await self._place_before(found.head, user_id))
            return await self._does(found, command, signs_up=(player, user_id))

        return await self._retry(season_id, guild_id, change)

    async def withdraw(self, season_id: int, guild_id: int, user_id: int) -> LeagueSeason:
        """Withdraw a user, who resigns the running matches. Raises Refused(NOT_IN_SEASON, SEASON_OVER)."""
        after = await self._retry(
            season_id, guild_id, lambda found: self._does(found, Withdraw(found.player(user_id) or 0))
        )
        await self._resign(after)
        return after

    async def end(self, season_id: int, guild_id: int) -> LeagueSeason:
        """End or cancel a season. Raises Refused(SEASON_OVER)."""
        return await self._retry(season_id, guild_id, lambda found: self._does(found, EndSeason()))

    async def begin(self, season_id: int, guild_id: int) -> LeagueSeason:
        """Begin a season before the end of sign-up. Raises Refused(ALREADY_BEGUN, TOO_FEW_SIGNED_UP)."""

        async def change(found: LeagueSeason) -> LeagueSeason:
            return await self._does(found, RunSeason(await self._ratings(found), early=True))

        return await self._retry(season_id, guild_id, change)

    async def _retry(
        self, season_id: int, guild_id: int | None, change: Callable[[LeagueSeason], Awaitable[LeagueSeason]]
    ) -> LeagueSeason:
        """Load and change a season, and retry after a concurrent change. Raises Refused(STALE)."""
        for _ in range(TRIES):
            with suppress(Stale):
                return await change(await self.season(season_id, guild_id))
        raise Refused(No.STALE)

    async def awaited(self, found: LeagueSeason) -> list[int]:
        """Return the players of the last season who have not signed up for this one, best first."""
        if found.season.state != "signup" or found.head.previous_id is None:
            return []
        kept = await self._season_store.season(found.head.previous_id)
        before = None if kept is None else _read(kept)
        users = [] if before is None else [before.people.get(player) for player in before.season.order]
        return [user for user in users if user is not None and found.player(user) is None]

    async def run(self, season_id: int) -> LeagueSeason:
        """Do what is due except opening matches: drop erased players, resign, count results, begin, end, announce."""

        async def change(found: LeagueSeason) -> LeagueSeason:
            for player in found.season.players:
                if found.people.get(player) is None:
                    found = await self._does(found, Withdraw(player))
            for report in await self._reports(found):
                found = await self._does(found, report)
            return await self._does(found, await self._due(found))

        found = await self._retry(season_id, None, change)
        await self._resign(found)
        if found.season.state == "over" and found.season.conditions.again:
            await self._announce_next(found)
        return found

    async def open(self, found: LeagueSeason, fixture: Fixture, channel_id: int) -> Table:
        """Open the match of a fixture in a thread. Raises Stale if the season has changed: it may be open already."""
        conditions, head = found.season.conditions, found.head
        first, second = (found.people[player] for player in fixture.players)
        if first is None or second is None:
            raise Refused(No.NOT_IN_SEASON)  # the player leaves before the next round
        change = SeasonChange(season_id=head.season_id, expected_seq=head.seq, state="running", due_at=DUE_NOW)
        asked = Invitation(
            guild_id=head.guild_id,
            channel_id=channel_id,
            host_id=first,
            game=conditions.game,
            seats=2,
            beside=(second,),
            target=conditions.target,
            preset=conditions.preset,
            clock=conditions.clock,
        )
        called = Post(kind=FIXTURE, body={"users": [first, second], "season": head.season_id})
        opening = OpensFixture(change=change, number=fixture.number)
        return await self._acts.open(asked, also=opening, posts=[called])

    async def bring(self, found: LeagueSeason, fixture: Fixture, channel_id: int) -> None:
        """Move the match of a fixture to another thread. Raises Refused if it is over or has no players left."""
        people = [user for user in (found.people[player] for player in fixture.players) if user is not None]
        if not people:
            raise Refused(No.NOT_SEATED)
        await self._acts.act(found.season.opened[fixture.number], MoveTable(people[0], channel_id))

    async def _resign(self, found: LeagueSeason) -> None:
        """Resign the running matches of players who left. It depends on the log only, so it survives a crash."""
        season, theirs = found.season, dict[int, list[int]]()
        for one in season.fixtures if season.gone else ():
            decided, match_id = season.decisions.get(one.number), season.opened.get(one.number)
            if match_id is not None and decided is not None and decided.how in LEAVING:
                users = [found.people[player] for player in one.players if player in season.gone]
                theirs[match_id] = [user for user in users if user is not None]
        for head in await self._store.matches.heads(list(theirs)) if theirs else ():
            for user in theirs[head.match_id] if head.state == "open" else ():
                with suppress(Refused):  # an unreadable match must not stop the season
                    await self._acts.act(head.match_id, Leave(user, forgotten=True))

    async def _due(self, found: LeagueSeason) -> RunSeason:
        """Return the command of the clock, with the facts that it needs."""
        season, now = found.season, self._now()
        if season.state == "signup" and now >= season.conditions.signup_until:
            return RunSeason(await self._ratings(found))
        if season.state == "running" and now >= season.ends:
            scores = {}
            for one in season.undecided:
                score = await self._score(season, season.opened.get(one.number))
                if score is not None:
                    scores[one.number] = score
            return RunSeason({}, scores)
        return RunSeason()

    async def _ratings(self, found: LeagueSeason) -> dict[int, float]:
        ratings = {}
        for player in found.season.players:
            user = found.people[player]
            profile = user and await self._store.results.profile(
                user, found.head.guild_id, found.season.conditions.game
            )
            if profile and profile.rating is not None:
                ratings[player] = float(points(profile.rating))
        return ratings

    async def _score(self, season: Season, match_id: int | None) -> RunningScore | None:
        """Return the score of a match; None if it has none or cannot be read."""
        with suppress(Refused):
            if match_id is not None:
                return running_score(await self._tables.load(match_id), self._now(), absences=season.is_tournament)
        return None

    async def _reports(self, found: LeagueSeason) -> list[Report]:
        """Return the results of finished matches that do not count yet."""
        running = {found.season.opened.get(one.number): one.number for one in found.season.undecided}
        numbers = [match_id for match_id in running if match_id is not None]
        heads = {head.match_id: head for head in await self._store.matches.heads(numbers)}
        reports = []
        for match_id in numbers:
            head = heads.get(match_id)
            if head is None or head.state in ("done", "void"):
                reports.append(await self._report(found.season, running[match_id], head))
        return reports

    async def _report(self, season: Season, number: int, head: Head | None) -> Report:
        with suppress(Refused):
            if head is not None:
                table = await self._tables.load(head.match_id)
                return Report(number, fixture_result(table), absent_of(table) if season.is_tournament else ())
        return Report(number, UNPLAYED)

    async def _announce_next(self, found: LeagueSeason) -> None:
        before, now = found.season.conditions, self._now()
        conditions = replace(before, number=before.number + 1, signup_until=now + before.signup)
        new = NewSeason(
            guild_id=found.head.guild_id,
            channel_id=found.head.channel_id,
            events=decide_season(None, Announce(conditions), now),
            due_at=DUE_NOW,
            previous_id=found.head.season_id,
        )
        await self._season_store.announce_season(new, now=now)

    async def _place_before(self, head: SeasonHead, user_id: int) -> int | None:
        """Return a user's place in the order of the season before."""
        if head.previous_id is None or (kept := await self._season_store.season(head.previous_id)) is None:
            return None
        before = _read(kept)
        player, order = before.player(user_id), before.season.order
        return order.index(player) if player in order else None

    async def _does(
        self, found: LeagueSeason, command: SeasonCommand, signs_up: tuple[int, int] | None = None
    ) -> LeagueSeason:
        """Apply a command and store the season. Raises Refused, Stale."""
        try:
            events: tuple[SeasonEvent, ...] = decide_season(found.season, command, self._now())
        except SeasonRefused as refused:
            why = IN_TOURNAMENTS.get(refused.why) if found.season.is_tournament else None
            raise Refused(why or No[refused.why.name], **refused.facts) from None
        if not events:
            return found
        season = found.season
        for event in events:
            season = evolve_season(season, event)
        change = SeasonChange(
            season_id=found.head.season_id,
            expected_seq=found.head.seq,
            events=events,
            state=season.state,
            due_at=DUE_NOW,  # its message has to show it
            signs_up=signs_up,
        )
        head = await self._season_store.change_season(change, now=self._now())
        people = found.people if signs_up is None else {**found.people, signs_up[0]: signs_up[1]}
        return LeagueSeason(head, season, people)


def _read(kept: KeptSeason) -> LeagueSeason:
    return LeagueSeason(kept.head, replay_season(kept.log), kept.people)


log = logger(__name__)

LOOKED_AT: Final = 50
"""The most seasons that are searched for titles, newest first. A weekly tournament has as many a year."""


@dataclass(frozen=True, slots=True)
class SeasonTitle:
    conditions: Conditions
    channel_id: int
    message_id: int | None  # the message with the result
    winners: Sequence[int | None]  # user ids; None after their data was erased. Empty if no player has points.


class SeasonTitles:
    """Finds titles. A finished season never changes, so its log is read once."""

    KEPT: Final = 1000

    def __init__(self, store: Store) -> None:
        self._store = store
        self._season_store = SeasonStore(store.transactions)
        self._known: OrderedDict[int, tuple[Conditions, tuple[int, ...]]] = OrderedDict()
        """By season: its conditions and the winning players."""

    async def of(self, user_id: int, guild_id: int, game: str) -> list[SeasonTitle]:
        """Return what a user has won on a server in a game, newest first."""
        over = await self._season_store.seasons_over_with(user_id, guild_id, limit=LOOKED_AT)
        messages = await self._season_store.standing_messages([past.season_id for past in over])
        found = []
        for past in over:
            conditions, won = await self._outcome(past.season_id)
            if conditions is not None and conditions.game == game and past.player in won:
                found.append(SeasonTitle(conditions, past.channel_id, messages.get(past.season_id), [user_id]))
        return found

    async def all(self, guild_id: int) -> list[SeasonTitle]:
        """Return the last finished seasons of a server, newest first."""
        heads = [one for one in await self._season_store.seasons_of(guild_id, limit=LOOKED_AT) if one.state == "over"]
        numbers = [head.season_id for head in heads]
        people, messages = (
            await self._season_store.season_people(numbers),
            await self._season_store.standing_messages(numbers),
        )
        found = []
        for head in heads:
            conditions, won = await self._outcome(head.season_id)
            if conditions is not None:
                users = [people.get((head.season_id, player)) for player in won]
                found.append(SeasonTitle(conditions, head.channel_id, messages.get(head.season_id), users))
        return found

    async def _outcome(self, season_id: int) -> tuple[Conditions | None, tuple[int, ...]]:
        """Return the conditions and the winners; None if the log cannot be read."""
        if season_id in self._known:
            self._known.move_to_end(season_id)
            return self._known[season_id]
        try:
            kept = await self._season_store.season(season_id)
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
