"""League seasons in a store: an announced season and a running season."""

from data.store.leagues.seasons import NewSeason, SeasonChange, SeasonHead
from data.store.leagues.store import SeasonStore
from data.store.store import Store
from engine.leagues.commands import RunSeason
from engine.leagues.season_events import Announced, SignedUp
from tests.data.store.scene import ADA, CHANNEL, GRACE, GUILD, NOW
from tests.engine.league.sketch import after, conditions, signed_up

DUE = NOW + 1000


def announced(**changed: object) -> NewSeason:
    usual: dict[str, object] = {
        "guild_id": GUILD,
        "channel_id": CHANNEL,
        "events": [Announced(conditions())],
        "due_at": DUE,
    }
    return NewSeason(**{**usual, **changed})  # type: ignore[arg-type]


async def running(store: Store, **changed: object) -> SeasonHead:
    """A season of four has begun: Ada, Grace and two who were forgotten."""
    head = await SeasonStore(store.transactions).announce_season(announced(**changed), now=NOW)
    season = signed_up(4)
    for player, user in ((1, ADA), (2, GRACE), (3, 7001), (4, 7002)):
        change = SeasonChange(
            season_id=head.season_id,
            expected_seq=head.seq,
            events=[SignedUp(player)],
            state="signup",
            due_at=DUE,
            signup=(player, user),
        )
        head = await SeasonStore(store.transactions).change_season(change, now=NOW)
    _, found = after(season, RunSeason(), conditions().signup_until)
    change = SeasonChange(season_id=head.season_id, expected_seq=head.seq, events=found, state="running", due_at=DUE)
    return await SeasonStore(store.transactions).change_season(change, now=NOW)
