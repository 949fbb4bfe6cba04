"""Leagues without Discord: announcing a season, signing up, leaving, and whatever is due there.

A match of a league is a table like any other. What it came to is read from the table once it is over; a season that
ends decides the rest by what was told beforehand, and lets the matches that still run go on as ordinary ones.
"""

from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
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
    """What a match that is over gives. One that both agreed to end, or a moderator, gives nobody anything."""
    match = None if table.event_log is None else table.event_log.match
    if match is None:
        return UNPLAYED
    totals = (match.seats[0].total, match.seats[1].total)
    if match.ended is None:
        if not table.state.ended:
            return UNPLAYED
        # It was closed because somebody let their time run out: the other one has won.
        return FixtureResult((LOSS, WIN) if match.turn == 0 else (WIN, LOSS), "forfeit", totals)
    first, second = match.ended.places[:2]
    points_each = (TIE, TIE) if first == second else (WIN, LOSS) if first < second else (LOSS, WIN)
    return FixtureResult(points_each, "resigned" if match.left else "played", totals)


def running_score(table: Table, now: int, *, absences: bool) -> RunningScore:
    """How a match stands that runs when the season or the round ends, with who is away where that matters.

    Raises Refused where it has not begun.
    """
    first, second = (seat.total for seat in table.match.seats[:2])
    turn = None if table.clock.time.paused or table.head.turn is None else table.head.turn.seat
    waited = now - table.clock.watch.began
    return RunningScore((first, second), turn, waited, absent_of(table) if absences else ())


def absent_of(table: Table) -> tuple[int, ...]:
    """The seats of those who let their time run out and have not come back."""
    return tuple(seat for seat in range(2) if table.state.is_absent(seat))


MOST_SEASONS: Final = 5
"""So many seasons of a server may run or be signed up for at the same time."""
LONGEST_NAME: Final = 40
LEAVING: Final[Collection[How]] = ("forfeit", "struck")
"""How the matches are decided that somebody leaves behind."""

IN_TOURNAMENTS: Final[Mapping[Objection, No]] = {
    Objection.NOT_IN_SEASON: No.NOT_IN_TOURNAMENT,
    Objection.SIGNUP_OVER: No.TOURNAMENT_SIGNUP_OVER,
    Objection.SEASON_FULL: No.TOURNAMENT_FULL,
    Objection.SEASON_OVER: No.TOURNAMENT_OVER,
    Objection.LEFT_SEASON: No.LEFT_TOURNAMENT,
    Objection.TOO_FEW_SIGNED_UP: No.TOURNAMENT_TOO_FEW,
    Objection.ALREADY_BEGUN: No.TOURNAMENT_BEGUN,
}
"""What is said of a tournament in other words than of a season."""


@dataclass(frozen=True, slots=True)
class LeagueSeason:
    """A season at one moment, and who its players are."""

    head: SeasonHead
    season: Season
    people: Mapping[int, int | None]
    """By player; None for somebody who was forgotten."""

    def player(self, user_id: int) -> int | None:
        """The number of somebody who has signed up at any time."""
        return next((player for player, user in self.people.items() if user == user_id), None)

    def plays(self, user_id: int) -> bool:
        """Whether somebody is signed up, or plays and has not left."""
        return self.player(user_id) in self.season.players


class LeagueBook:
    """Announces seasons and carries them on."""

    def __init__(self, store: Store, tables: Tables, acts: Acts, guilds: Guilds, now: Callable[[], int]) -> None:
        self._store = store
        self._season_store = SeasonStore(store.transactions)
        self._tables = tables
        self._acts = acts
        self._guilds = guilds
        self._now = now

    async def announce(self, asked: Invitation, conditions: Conditions, *, request: int) -> LeagueSeason:
        """People can sign up from now on. The terms are those of the matches, and refused as for any table.

        Raises Refused(SEASONS_ENOUGH, BAD_LEAGUE_NAME, CLOCK_NOT_LIVE) and what `agreed` does.
        """
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
        """A season as it stands. Raises Refused(NO_SUCH_SEASON): those of other servers are nobody's business here."""
        kept = await self._season_store.season(season_id)
        if kept is None or (guild_id is not None and kept.head.guild_id != guild_id):
            raise Refused(No.NO_SUCH_SEASON)
        return _read(kept)

    async def newest(self, guild_id: int, channel_id: int, may: Callable[[LeagueSeason], bool]) -> LeagueSeason:
        """The season that is meant where nobody says which, of those that whoever asks `may` know of: this channel's,
        else the server's newest that is not over, else its newest. Raises Refused(NO_SUCH_SEASON).
        """

        def nearer(head: SeasonHead) -> tuple[bool, bool]:
            return head.state not in ("signup", "running"), head.channel_id != channel_id

        for head in sorted(await self._season_store.seasons_of(guild_id), key=nearer):
            found = await self.season(head.season_id)
            if may(found):
                return found
        raise Refused(No.NO_SUCH_SEASON)

    async def sign_up(self, season_id: int, guild_id: int, user_id: int) -> LeagueSeason:
        """Somebody wants to play. Raises Refused(ALREADY_SIGNED_UP, SIGNUP_OVER, SEASON_FULL, LEFT_SEASON)."""
        for _ in range(TRIES):
            with suppress(Stale):
                found = await self.season(season_id, guild_id)
                player = found.player(user_id) or max(found.people, default=0) + 1
                command = SignUp(player, await self._place_before(found.head, user_id))
                return await self._does(found, command, signs_up=(player, user_id))
        raise Refused(No.STALE)

    async def withdraw(self, season_id: int, guild_id: int, user_id: int) -> LeagueSeason:
        """Somebody does not play after all. Where the season runs they leave it for good, and resign its matches:
        nobody saves a rating by leaving. Raises Refused(NOT_IN_SEASON, SEASON_OVER).
        """
        for _ in range(TRIES):
            with suppress(Stale):
                found = await self.season(season_id, guild_id)
                after = await self._does(found, Withdraw(found.player(user_id) or 0))
                break
        else:
            raise Refused(No.STALE)
        await self._resign(after)
        return after

    async def end(self, season_id: int, guild_id: int) -> LeagueSeason:
        """A moderator ends a season, or calls it off. Raises Refused(SEASON_OVER)."""
        for _ in range(TRIES):
            with suppress(Stale):
                return await self._does(await self.season(season_id, guild_id), EndSeason())
        raise Refused(No.STALE)

    async def begin(self, season_id: int, guild_id: int) -> LeagueSeason:
        """A moderator does not wait for the end of sign-up. Raises Refused(ALREADY_BEGUN, TOO_FEW_SIGNED_UP)."""
        for _ in range(TRIES):
            with suppress(Stale):
                found = await self.season(season_id, guild_id)
                return await self._does(found, RunSeason(await self._ratings(found), early=True))
        raise Refused(No.STALE)

    async def awaited(self, found: LeagueSeason) -> list[int]:
        """Who stayed to the end of the season before, best first, and has not said yet whether they play this one."""
        if found.season.state != "signup" or found.head.previous_id is None:
            return []
        kept = await self._season_store.season(found.head.previous_id)
        before = None if kept is None else _read(kept)
        users = [] if before is None else [before.people.get(player) for player in before.season.order]
        return [user for user in users if user is not None and found.player(user) is None]

    # -- what is due

    async def run(self, season_id: int) -> LeagueSeason:
        """Do what is due but for opening matches: players who were forgotten leave, whoever left resigns, matches that
        are over count, a season begins or ends, and the next one is announced where that is wished.
        """
        for _ in range(TRIES):
            with suppress(Stale):
                found = await self.season(season_id)
                for player in found.season.players:
                    if found.people.get(player) is None:
                        found = await self._does(found, Withdraw(player))
                for report in await self._reports(found):
                    found = await self._does(found, report)
                found = await self._does(found, await self._due(found))
                break
        else:
            raise Refused(No.STALE)
        await self._resign(found)
        if found.season.state == "over" and found.season.conditions.again:
            await self._announce_next(found)
        return found

    async def open(self, found: LeagueSeason, fixture: Fixture, channel_id: int) -> Table:
        """The match of a fixture begins in a thread: both sit there, and the first hand is dealt. Raises Stale where
        the season has moved on: it may have been opened meanwhile.
        """
        conditions, head = found.season.conditions, found.head
        first, second = (found.people[player] for player in fixture.players)
        if first is None or second is None:
            raise Refused(No.NOT_IN_SEASON)  # who was forgotten leaves before the next round
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
        """The match of a fixture goes on in another thread, its own is gone. Raises Refused where it is over, or where
        nobody is left who plays it.
        """
        people = [user for user in (found.people[player] for player in fixture.players) if user is not None]
        if not people:
            raise Refused(No.NOT_SEATED)
        await self._acts.act(found.season.opened[fixture.number], MoveTable(people[0], channel_id))

    async def _resign(self, found: LeagueSeason) -> None:
        """Whoever has left a season resigns its matches that still run. That follows from what is written, so that it
        is done whoever is killed meanwhile.
        """
        season, theirs = found.season, dict[int, list[int]]()
        for one in season.fixtures if season.gone else ():
            decided, match_id = season.decisions.get(one.number), season.opened.get(one.number)
            if match_id is not None and decided is not None and decided.how in LEAVING:
                users = [found.people[player] for player in one.players if player in season.gone]
                theirs[match_id] = [user for user in users if user is not None]
        for head in await self._store.matches.heads(list(theirs)) if theirs else ():
            for user in theirs[head.match_id] if head.state == "open" else ():
                with suppress(Refused):  # a log that cannot be read keeps nobody from going on
                    await self._acts.act(head.match_id, Leave(user, forgotten=True))

    async def _due(self, found: LeagueSeason) -> RunSeason:
        """The clock's command, with what it has to know."""
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
        """The ratings of the players of a season, by player."""
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
        """How a match stands; None where there is none that can be read."""
        if match_id is None:
            return None
        try:
            return running_score(await self._tables.load(match_id), self._now(), absences=season.is_tournament)
        except Refused:
            return None

    async def _reports(self, found: LeagueSeason) -> list[Report]:
        """What came of the matches that are over and do not count yet."""
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
        """What a match that is over comes to, with who was not there at its end, where that matters."""
        try:
            table = None if head is None else await self._tables.load(head.match_id)
        except Refused:
            table = None
        if table is None:
            return Report(number, UNPLAYED)
        return Report(number, fixture_result(table), absent_of(table) if season.is_tournament else ())

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
        """Somebody's place in the order that the season before led to."""
        if head.previous_id is None or (kept := await self._season_store.season(head.previous_id)) is None:
            return None
        before = _read(kept)
        player, order = before.player(user_id), before.season.order
        return order.index(player) if player in order else None

    async def _does(
        self, found: LeagueSeason, command: SeasonCommand, signs_up: tuple[int, int] | None = None
    ) -> LeagueSeason:
        """The season after a command, written. Raises Refused, Stale."""
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
        self._season_store = SeasonStore(store.transactions)
        self._known: OrderedDict[int, tuple[Conditions, tuple[int, ...]]] = OrderedDict()
        """By season: what was played, and which players have won."""

    async def of(self, user_id: int, guild_id: int, game: str) -> list[SeasonTitle]:
        """What somebody has won on a server in a game, newest first."""
        over = await self._season_store.seasons_over_with(user_id, guild_id, limit=LOOKED_AT)
        messages = await self._season_store.standing_messages([past.season_id for past in over])
        found = []
        for past in over:
            conditions, won = await self._outcome(past.season_id)
            if conditions is not None and conditions.game == game and past.player in won:
                found.append(SeasonTitle(conditions, past.channel_id, messages.get(past.season_id), [user_id]))
        return found

    async def all(self, guild_id: int) -> list[SeasonTitle]:
        """The last seasons of a server that are over, newest first."""
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
        """What was played, and which players have won; nothing where that cannot be read."""
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
