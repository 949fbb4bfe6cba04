"""League seasons in a store: an announced season and a running season."""

from data.store.leagues.seasons import NewSeason, SeasonChange, SeasonHead
from data.store.leagues.store import SeasonStore
from data.store.store import Store
from engine.leagues.commands import RunSeason
from engine.leagues.season_events import Announced, SignedUp
from tests.data.store.scene import ADA, CHANNEL, GRACE, GUILD, NOW
from tests.engine.league.season_builders import apply_command, build_conditions, build_sign_up_season

DUE_AT = NOW + 1000


def build_new_season(**changed: object) -> NewSeason:
    defaults: dict[str, object] = {
        "guild_id": GUILD,
        "channel_id": CHANNEL,
        "events": [Announced(build_conditions())],
        "due_at": DUE_AT,
    }
    return NewSeason(**{**defaults, **changed})  # type: ignore[arg-type]


async def add_running_season(store: Store, **changed: object) -> SeasonHead:
    """Add a running season of four players: Ada, Grace and two deleted users."""
    seasons = SeasonStore(store.transactions)
    head = await seasons.announce_season(build_new_season(**changed), now=NOW)
    season = build_sign_up_season(4)
    for player, user in ((1, ADA), (2, GRACE), (3, 7001), (4, 7002)):
        change = SeasonChange(
            season_id=head.season_id,
            expected_seq=head.seq,
            events=[SignedUp(player)],
            state="signup",
            due_at=DUE_AT,
            signup=(player, user),
        )
        head = await seasons.change_season(change, now=NOW)
    _, events = apply_command(season, RunSeason(), build_conditions().signup_until)
    change = SeasonChange(
        season_id=head.season_id, expected_seq=head.seq, events=events, state="running", due_at=DUE_AT
    )
    return await seasons.change_season(change, now=NOW)
