"""Leagues without Discord: announce a season, sign up, leave, and run what is due.

A match of a league is a table like any other, and its result is read from the table. When a season ends, the announced
rules decide the other matches, which continue as ordinary matches.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from bot.core.logs import get_logger
from bot.tables.acts import MAX_TRIES, TableActions
from bot.tables.lobbies import TableRequest, resolve_terms
from bot.tables.ratings import compute_points
from bot.tables.service import Table, TableCache
from data.store.connection.bodies import BODY_ERRORS
from data.store.connection.store_errors import DamagedLog, StaleVersion
from data.store.leagues.seasons import DUE_NOW, UNDER_WAY, NewSeason, SeasonChange, SeasonHead, StoredSeason
from data.store.leagues.store import FixtureOpener, SeasonStore
from data.store.log.match_values import Head
from data.store.operations.erasure import has_user_id
from data.store.outbox.outbox_values import FIXTURE
from data.store.store import Store
from engine.leagues import Season, SeasonError, SeasonRefusal, apply_season_event, decide_season, replay_season
from engine.leagues.commands import AnnounceSeason, EndSeason, ReportResult, RunSeason, SeasonCommand, SignUp, Withdraw
from engine.leagues.season import LOSS, TIE, WIN, Conditions, Fixture, FixtureResult, ResultKind, RunningScore
from engine.leagues.season_events import SeasonEvent
from engine.leagues.standings import list_winners
from engine.table.commands import LeaveTable, MoveTable
from engine.table.refusals import Refusal, RefusalError
from engine.table.table_posts import Post
from engine.table.terms import parse_pace

UNPLAYED: Final = FixtureResult((LOSS, LOSS), "unplayed")


def compute_fixture_result(table: Table) -> FixtureResult:
    """Return the result of a finished match. An aborted match gives no points."""
    match = None if table.event_log is None else table.event_log.match
    if match is None:
        return UNPLAYED
    totals = (match.seats[0].total, match.seats[1].total)
    if match.ended is None:
        if not table.state.early_end:
            return UNPLAYED
        # The season closed the match because a player ran out of time: the other player has won.
        return FixtureResult((LOSS, WIN) if match.turn == 0 else (WIN, LOSS), "forfeit", totals)
    first, second = match.ended.places[:2]
    points_each = (TIE, TIE) if first == second else (WIN, LOSS) if first < second else (LOSS, WIN)
    return FixtureResult(points_each, "resigned" if match.resigned_seats else "played", totals)


def compute_running_score(table: Table, now: int, *, absences: bool) -> RunningScore:
    """Return the score of a running match, with `absences` if they count. Raises RefusalError before its start."""
    first, second = (seat.total for seat in table.match.seats[:2])
    turn = None if table.clock.time.paused or table.head.turn is None else table.head.turn.seat
    waited = now - table.clock.watch.began
    return RunningScore((first, second), turn, waited, list_absent_seats(table) if absences else ())


def list_absent_seats(table: Table) -> tuple[int, ...]:
    """Return the seats that ran out of time and have not come back."""
    return tuple(seat for seat in range(2) if table.state.is_absent(seat))


MAX_SEASONS: Final = 5  # the most seasons of a server that may run or have sign-up at the same time
LONGEST_NAME: Final = 40
LEAVER_DECISIONS: Final[Collection[ResultKind]] = ("forfeit", "struck")  # how matches of players who left are decided

TOURNAMENT_REFUSALS: Final[Mapping[SeasonRefusal, Refusal]] = {
    SeasonRefusal.NOT_IN_SEASON: Refusal.NOT_IN_TOURNAMENT,
    SeasonRefusal.SIGNUP_OVER: Refusal.TOURNAMENT_SIGNUP_OVER,
    SeasonRefusal.SEASON_FULL: Refusal.TOURNAMENT_FULL,
    SeasonRefusal.SEASON_OVER: Refusal.TOURNAMENT_OVER,
    SeasonRefusal.LEFT_SEASON: Refusal.LEFT_TOURNAMENT,
    SeasonRefusal.TOO_FEW_SIGNED_UP: Refusal.TOURNAMENT_TOO_FEW,
    SeasonRefusal.ALREADY_BEGUN: Refusal.TOURNAMENT_BEGUN,
}
"""Refusals with other words for tournaments."""


@dataclass(frozen=True, slots=True)
class LeagueSeason:
    head: SeasonHead
    season: Season
    user_ids: Mapping[int, int | None]  # user ids by player; None after their data was erased

    def find_player(self, user_id: int) -> int | None:
        """Return the player number of a user who has signed up at any time."""
        return next((player for player, user in self.user_ids.items() if user == user_id), None)

    def has_player(self, user_id: int) -> bool:
        return self.find_player(user_id) in self.season.players


class LeagueService:
    def __init__(self, store: Store, tables: TableCache, acts: TableActions, now: Callable[[], int]) -> None:
        self._store = store
        self._season_store = SeasonStore(store.transactions)
        self._tables = tables
        self._acts = acts
        self._now = now

    async def announce(self, table_request: TableRequest, conditions: Conditions, *, request: int) -> LeagueSeason:
        """Announce a season. Raises RefusalError(SEASONS_ENOUGH, BAD_LEAGUE_NAME, CLOCK_NOT_LIVE, CLOCK_NOT_DAYS)."""
        name = " ".join(conditions.name.split())[:LONGEST_NAME]
        if not name or has_user_id(name):
            raise RefusalError(Refusal.BAD_LEAGUE_NAME)
        terms = resolve_terms(table_request)
        if conditions.kind != "league" and parse_pace(terms.clock).kind != "live":
            raise RefusalError(Refusal.CLOCK_NOT_LIVE)
        if conditions.kind == "league" and parse_pace(terms.clock).kind not in ("days", "bank"):
            raise RefusalError(Refusal.CLOCK_NOT_DAYS)
        if await self._season_store.count_active_seasons(table_request.guild_id) >= MAX_SEASONS:
            raise RefusalError(Refusal.SEASONS_ENOUGH, most=MAX_SEASONS)
        conditions = replace(conditions, name=name, target=terms.target, clock=terms.clock, preset=terms.preset)
        new = NewSeason(
            guild_id=table_request.guild_id,
            channel_id=table_request.channel_id,
            events=decide_season(None, AnnounceSeason(conditions), self._now()),
            due_at=DUE_NOW,
        )
        head = await self._season_store.announce_season(new, now=self._now(), request=request)
        return await self.load(head.season_id, table_request.guild_id)

    async def load(self, season_id: int, guild_id: int | None = None) -> LeagueSeason:
        """Return a season. Raises RefusalError(NO_SUCH_SEASON), also for one of another server, or SEASON_DAMAGED."""
        try:
            stored = await self._season_store.find_season(season_id)
            if stored is None or (guild_id is not None and stored.head.guild_id != guild_id):
                raise RefusalError(Refusal.NO_SUCH_SEASON)
            return _replay_stored(stored)
        except BODY_ERRORS as error:
            log.warning("a season cannot be read", season=season_id, reason=str(error)[:200])
            raise RefusalError(Refusal.SEASON_DAMAGED, season=season_id) from error

    async def load_nearest(
        self, guild_id: int, channel_id: int, is_visible: Callable[[LeagueSeason], bool]
    ) -> LeagueSeason:
        """Return the nearest season that the user `is_visible` see, of those that can be read.

        Raises RefusalError(NO_SUCH_SEASON, SEASON_DAMAGED).
        """

        def sort_key(head: SeasonHead) -> tuple[bool, bool]:
            return head.state not in ("signup", "running"), head.channel_id != channel_id

        damaged: RefusalError | None = None
        for head in sorted(await self._season_store.list_seasons(guild_id), key=sort_key):
            try:
                league = await self.load(head.season_id)
            except RefusalError as refused:
                if head.state in UNDER_WAY:
                    damaged = damaged or refused
                    if head.channel_id == channel_id:
                        break
                continue
            if is_visible(league):
                return league
        raise damaged or RefusalError(Refusal.NO_SUCH_SEASON)

    async def sign_up(self, season_id: int, guild_id: int, user_id: int) -> LeagueSeason:
        """Sign a user up. Raises RefusalError(ALREADY_SIGNED_UP, SIGNUP_OVER, SEASON_FULL, LEFT_SEASON)."""

        async def change(league: LeagueSeason) -> LeagueSeason:
            player = league.find_player(user_id) or max(league.user_ids, default=0) + 1
            command = SignUp(player, await self._load_previous_place(league.head, user_id))
            return await self._apply(league, command, new_player=(player, user_id))

        return await self._retry(season_id, guild_id, change)

    async def withdraw(self, season_id: int, guild_id: int, user_id: int) -> LeagueSeason:
        """Withdraw a user, who resigns the running matches. Raises RefusalError(NOT_IN_SEASON, SEASON_OVER)."""
        after = await self._retry(
            season_id, guild_id, lambda league: self._apply(league, Withdraw(league.find_player(user_id) or 0))
        )
        await self._resign(after)
        return after

    async def end(self, season_id: int, guild_id: int) -> LeagueSeason:
        """End or cancel a season. Raises RefusalError(SEASON_OVER)."""
        return await self._retry(season_id, guild_id, lambda league: self._apply(league, EndSeason()))

    async def begin(self, season_id: int, guild_id: int) -> LeagueSeason:
        """Begin a season before the end of sign-up. Raises RefusalError(ALREADY_BEGUN, TOO_FEW_SIGNED_UP)."""

        async def change(league: LeagueSeason) -> LeagueSeason:
            return await self._apply(league, RunSeason(await self._load_ratings(league), early=True))

        return await self._retry(season_id, guild_id, change)

    async def _retry(
        self, season_id: int, guild_id: int | None, change: Callable[[LeagueSeason], Awaitable[LeagueSeason]]
    ) -> LeagueSeason:
        """Load and change a season, and retry after a concurrent change. Raises RefusalError(STALE)."""
        for _ in range(MAX_TRIES):
            with suppress(StaleVersion):
                return await change(await self.load(season_id, guild_id))
        raise RefusalError(Refusal.STALE)

    async def list_unregistered(self, league: LeagueSeason) -> list[int]:
        """Return the players of the last season who have not signed up for this one, best first."""
        if league.season.state != "signup" or league.head.previous_id is None:
            return []
        previous = await self._find_previous(league.head)
        users = [] if previous is None else [previous.user_ids.get(player) for player in previous.season.order]
        return [user for user in users if user is not None and league.find_player(user) is None]

    async def run(self, season_id: int) -> LeagueSeason:
        """Do what is due except opening matches: drop erased players, resign, count results, begin, end, announce."""

        async def change(league: LeagueSeason) -> LeagueSeason:
            for player in league.season.players:
                if league.user_ids.get(player) is None:
                    league = await self._apply(league, Withdraw(player))
            for report in await self._list_reports(league):
                league = await self._apply(league, report)
            return await self._apply(league, await self._build_due_command(league))

        found = await self._retry(season_id, None, change)
        await self._resign(found)
        if found.season.state == "over" and found.season.conditions.again:
            await self._announce_next(found)
        return found

    async def open(self, league: LeagueSeason, fixture: Fixture, channel_id: int) -> Table:
        """Open the match of a fixture in a thread. Raises StaleVersion if the season has changed: it may be open
        already.
        """
        conditions, head = league.season.conditions, league.head
        first, second = (league.user_ids[player] for player in fixture.players)
        if first is None or second is None:
            raise RefusalError(Refusal.NOT_IN_SEASON)  # the player leaves before the next round
        change = SeasonChange(season_id=head.season_id, expected_seq=head.seq, state="running", due_at=DUE_NOW)
        table_request = TableRequest(
            guild_id=head.guild_id,
            channel_id=channel_id,
            host_id=first,
            game=conditions.game,
            seats=2,
            companions=(second,),
            target=conditions.target,
            preset=conditions.preset,
            clock=conditions.clock,
        )
        call = Post(kind=FIXTURE, body={"users": [first, second], "season": head.season_id})
        opening = FixtureOpener(change=change, number=fixture.number)
        return await self._acts.open(table_request, also=opening, posts=[call])

    async def move_match(self, league: LeagueSeason, fixture: Fixture, channel_id: int) -> None:
        """Move the match of a fixture to another thread. Raises RefusalError if it is over or has no players left."""
        people = [user for user in (league.user_ids[player] for player in fixture.players) if user is not None]
        if not people:
            raise RefusalError(Refusal.NOT_SEATED)
        await self._acts.act(league.season.match_ids[fixture.number], MoveTable(people[0], channel_id))

    async def _resign(self, league: LeagueSeason) -> None:
        """Resign the running matches of players who left. It depends on the log only, so it survives a crash."""
        season, leavers = league.season, dict[int, list[int]]()
        for one in season.fixtures if season.leavers else ():
            decided, match_id = season.decisions.get(one.number), season.match_ids.get(one.number)
            if match_id is not None and decided is not None and decided.how in LEAVER_DECISIONS:
                users = [league.user_ids[player] for player in one.players if player in season.leavers]
                leavers[match_id] = [user for user in users if user is not None]
        for head in await self._store.matches.list_heads(list(leavers)) if leavers else ():
            for user in leavers[head.match_id] if head.state == "open" else ():
                with suppress(RefusalError):  # an unreadable match must not stop the season
                    await self._acts.act(head.match_id, LeaveTable(user, deletes_data=True))

    async def _build_due_command(self, league: LeagueSeason) -> RunSeason:
        """Return the command of the clock, with the facts that it needs."""
        season, now = league.season, self._now()
        if season.state == "signup" and now >= season.conditions.signup_until:
            return RunSeason(await self._load_ratings(league))
        if season.state == "running" and now >= season.ends:
            scores = {}
            for one in season.undecided_fixtures:
                score = await self._load_score(season, season.match_ids.get(one.number))
                if score is not None:
                    scores[one.number] = score
            return RunSeason({}, scores)
        return RunSeason()

    async def _load_ratings(self, league: LeagueSeason) -> dict[int, float]:
        ratings, game = {}, league.season.conditions.game
        for player in league.season.players:
            user = league.user_ids[player]
            profile = user and await self._store.results.find_profile(user, league.head.guild_id, game)
            if profile and profile.rating is not None:
                ratings[player] = float(compute_points(profile.rating))
        return ratings

    async def _load_score(self, season: Season, match_id: int | None) -> RunningScore | None:
        """Return the score of a match; None if it has none or cannot be read."""
        with suppress(RefusalError):
            if match_id is not None:
                table = await self._tables.load(match_id)
                return compute_running_score(table, self._now(), absences=season.is_tournament)
        return None

    async def _list_reports(self, league: LeagueSeason) -> list[ReportResult]:
        """Return the results of finished matches that do not count yet."""
        running = {league.season.match_ids.get(one.number): one.number for one in league.season.undecided_fixtures}
        numbers = [match_id for match_id in running if match_id is not None]
        heads = {head.match_id: head for head in await self._store.matches.list_heads(numbers)}
        reports = []
        for match_id in numbers:
            head = heads.get(match_id)
            if head is None or head.state in ("done", "void"):
                reports.append(await self._build_report(league.season, running[match_id], head))
        return reports

    async def _build_report(self, season: Season, number: int, head: Head | None) -> ReportResult:
        with suppress(RefusalError):
            if head is not None:
                table = await self._tables.load(head.match_id)
                absent_seats = list_absent_seats(table) if season.is_tournament else ()
                return ReportResult(number, compute_fixture_result(table), absent_seats)
        return ReportResult(number, UNPLAYED)

    async def _announce_next(self, league: LeagueSeason) -> None:
        before, now = league.season.conditions, self._now()
        conditions = replace(before, number=before.number + 1, signup_until=now + before.signup)
        new = NewSeason(
            guild_id=league.head.guild_id,
            channel_id=league.head.channel_id,
            events=decide_season(None, AnnounceSeason(conditions), now),
            due_at=DUE_NOW,
            previous_id=league.head.season_id,
        )
        await self._season_store.announce_season(new, now=now)

    async def _find_previous(self, head: SeasonHead) -> LeagueSeason | None:
        """Return the season before; None if there is none, or it is damaged."""
        try:
            return None if head.previous_id is None else await self.load(head.previous_id)
        except RefusalError:
            return None

    async def close_damaged(self, season_id: int, guild_id: int) -> bool:
        """Cancel a damaged season; its matches go on. False if it is over."""
        return await self._season_store.close_damaged_season(season_id, guild_id)

    async def _load_previous_place(self, head: SeasonHead, user_id: int) -> int | None:
        """Return a user's place in the order of the season before."""
        previous = await self._find_previous(head)
        if previous is None:
            return None
        player, order = previous.find_player(user_id), previous.season.order
        return order.index(player) if player in order else None

    async def _apply(
        self, league: LeagueSeason, command: SeasonCommand, new_player: tuple[int, int] | None = None
    ) -> LeagueSeason:
        """Apply a command and store the season. Raises RefusalError, StaleVersion."""
        try:
            events: tuple[SeasonEvent, ...] = decide_season(league.season, command, self._now())
        except SeasonError as refused:
            why = TOURNAMENT_REFUSALS.get(refused.why) if league.season.is_tournament else None
            raise RefusalError(why or Refusal[refused.why.name], **refused.facts) from None
        if not events:
            return league
        season = league.season
        for event in events:
            season = apply_season_event(season, event)
        change = SeasonChange(
            season_id=league.head.season_id,
            expected_seq=league.head.seq,
            events=events,
            state=season.state,
            due_at=DUE_NOW,  # its message has to show it
            signup=new_player,
        )
        head = await self._season_store.change_season(change, now=self._now())
        people = league.user_ids if new_player is None else {**league.user_ids, new_player[0]: new_player[1]}
        return LeagueSeason(head, season, people)


def _replay_stored(stored: StoredSeason) -> LeagueSeason:
    return LeagueSeason(stored.head, replay_season(stored.log), stored.user_ids)


log = get_logger(__name__)

SEARCH_LIMIT: Final = 50
"""The most seasons that are searched for titles, newest first. A weekly tournament has as many a year."""


@dataclass(frozen=True, slots=True)
class SeasonTitle:
    conditions: Conditions
    channel_id: int
    message_id: int | None  # the message with the result
    winners: Sequence[int | None]  # user ids; None after their data was erased. Empty if no player has points.


class SeasonTitleFinder:
    """Finds titles. A finished season never changes, so its log is read once."""

    CACHE_SIZE: Final = 1000

    def __init__(self, store: Store) -> None:
        self._season_store = SeasonStore(store.transactions)
        self._outcomes: OrderedDict[int, tuple[Conditions, tuple[int, ...]]] = OrderedDict()
        """By season: its conditions and the winning players."""

    async def list_for_user(self, user_id: int, guild_id: int, game: str) -> list[SeasonTitle]:
        """Return what a user has won on a server in a game, newest first."""
        over = await self._season_store.list_past_seasons(user_id, guild_id, limit=SEARCH_LIMIT)
        messages = await self._season_store.load_newest_messages([past.season_id for past in over])
        titles = []
        for past in over:
            conditions, won = await self._load_outcome(past.season_id)
            if conditions is not None and conditions.game == game and past.player in won:
                titles.append(SeasonTitle(conditions, past.channel_id, messages.get(past.season_id), [user_id]))
        return titles

    async def list_for_guild(self, guild_id: int) -> list[SeasonTitle]:
        """Return the last finished seasons of a server, newest first."""
        heads = await self._season_store.list_seasons(guild_id, limit=SEARCH_LIMIT)
        over = {head.season_id: head for head in heads if head.state == "over"}
        people = await self._season_store.load_season_users(list(over))
        messages = await self._season_store.load_newest_messages(list(over))
        titles = []
        for head in over.values():
            conditions, won = await self._load_outcome(head.season_id)
            if conditions is not None:
                users = [people.get((head.season_id, player)) for player in won]
                titles.append(SeasonTitle(conditions, head.channel_id, messages.get(head.season_id), users))
        return titles

    async def _load_outcome(self, season_id: int) -> tuple[Conditions | None, tuple[int, ...]]:
        """Return the conditions and the winners; None if the log cannot be read."""
        if season_id in self._outcomes:
            self._outcomes.move_to_end(season_id)
            return self._outcomes[season_id]
        try:
            stored = await self._season_store.find_season(season_id)
        except DamagedLog as damage:
            log.warning("a season that is over cannot be read", season=season_id, reason=str(damage))
            stored = None
        if stored is None:
            return None, ()
        season = replay_season(stored.log)
        outcome = season.conditions, tuple(list_winners(season))
        self._outcomes[season_id] = outcome
        while len(self._outcomes) > self.CACHE_SIZE:
            self._outcomes.popitem(last=False)
        return outcome
