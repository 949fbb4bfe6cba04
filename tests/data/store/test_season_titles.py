"""The winners of the seasons of a server, read from each log once, even if one season cannot be read."""

from bot.leagues.service import SeasonTitleFinder
from data.store.leagues.seasons import NewSeason, SeasonChange
from data.store.leagues.store import SeasonStore
from data.store.store import Store
from engine.leagues import apply_season_event
from engine.leagues.commands import AnnounceSeason, EndSeason, ReportResult, RunSeason, SeasonCommand, SignUp
from engine.leagues.season import LOSS, WIN, FixtureResult
from engine.leagues.season_events import FixtureOpened, SeasonEvent
from tests.data.store.scene import ADA, CHANNEL, GRACE, GUILD, NOW
from tests.data.store.server import BOTH_DATABASES
from tests.data.store.statements import Sql, record_statements
from tests.engine.league.season_builders import START, apply_command, build_conditions

PEOPLE = {1: ADA, 2: GRACE, 3: 7001, 4: 7002}


def build_log(winner: int | None, **changed: object) -> list[SeasonEvent]:
    season, log = apply_command(None, AnnounceSeason(build_conditions(**changed)), NOW)
    for command in [*map(SignUp, PEOPLE), RunSeason()]:
        season, events = apply_command(season, command, NOW if isinstance(command, SignUp) else START)
        log += events
    commands: list[SeasonCommand] = [EndSeason()]
    if winner is not None:
        fixture = next(season.iterate_fixtures(winner))
        points = (WIN, LOSS) if fixture.first == winner else (LOSS, WIN)
        log += (FixtureOpened(fixture.number, 77),)
        season = apply_season_event(season, log[-1])
        commands = [ReportResult(fixture.number, FixtureResult(points)), EndSeason()]
    for command in commands:
        season, events = apply_command(season, command, START)
        log += events
    assert season.state == "over"
    return [*log]


async def add_ended_season(store: Store, winner: int | None, **changed: object) -> int:
    new = NewSeason(guild_id=GUILD, channel_id=CHANNEL, events=build_log(winner, **changed), due_at=None)
    head = await SeasonStore(store.transactions).announce_season(new, now=NOW)
    for signed_up in PEOPLE.items():
        change = SeasonChange(
            season_id=head.season_id, expected_seq=head.seq, state="over", due_at=None, signup=signed_up
        )
        head = await SeasonStore(store.transactions).change_season(change, now=NOW)
    return head.season_id


@BOTH_DATABASES
async def test_season_title_belongs_to_game_and_winner(store: Store) -> None:
    await add_ended_season(store, 1, name="Spring")
    await add_ended_season(store, 2, name="Summer")
    await add_ended_season(store, 1, name="Stars", game="star")
    await add_ended_season(store, None, name="Nothing")
    titles = SeasonTitleFinder(store)
    assert [one.conditions.name for one in await titles.list_for_user(ADA, GUILD, "triominoes")] == ["Spring"]
    assert [one.conditions.name for one in await titles.list_for_user(ADA, GUILD, "star")] == ["Stars"]
    assert await titles.list_for_user(ADA, GUILD + 1, "triominoes") == []
    everything = [(one.conditions.name, [*one.winners]) for one in await titles.list_for_guild(GUILD)]
    assert everything == [("Nothing", []), ("Stars", [ADA]), ("Summer", [GRACE]), ("Spring", [ADA])]


async def test_forgotten_winner_has_no_title_and_no_name(store: Store) -> None:
    await add_ended_season(store, 1)
    titles = SeasonTitleFinder(store)
    assert [[*one.winners] for one in await titles.list_for_guild(GUILD)] == [[ADA]]
    assert await store.erasure.erase_user(ADA, left_match_ids=[], now=NOW)
    assert await titles.list_for_user(ADA, GUILD, "triominoes") == []
    assert [[*one.winners] for one in await titles.list_for_guild(GUILD)] == [[None]], "nor is a name kept in memory"


async def test_season_that_cannot_be_read_hides_no_other(store: Store, sql: Sql) -> None:
    broken = await add_ended_season(store, 1, name="Spring")
    await add_ended_season(store, 1, name="Summer")
    await sql("UPDATE season_events SET body = '{' WHERE season_id = :season AND seq = 2", season=broken)
    titles = SeasonTitleFinder(store)
    assert [one.conditions.name for one in await titles.list_for_user(ADA, GUILD, "triominoes")] == ["Summer"]
    assert [one.conditions.name for one in await titles.list_for_guild(GUILD)] == ["Summer"]


async def test_ended_seasons_are_read_once_and_cached(store: Store) -> None:
    for number in range(20):
        await add_ended_season(store, 1 + number % 4)
    titles = SeasonTitleFinder(store)
    first = await titles.list_for_user(ADA, GUILD, "triominoes")
    with record_statements() as statements:
        assert await titles.list_for_user(ADA, GUILD, "triominoes") == first
    assert len(first) == 5
    assert sum(text.startswith("SELECT") for text, _ in statements) == 2, "which there are, and where each is told of"
