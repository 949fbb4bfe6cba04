"""`boneyard restore --since`: what was asked for since a dump is done in the database that it was put back in."""

from secrets import token_bytes

from bot.operating.rerunning import damaged, require_stopped
from bot.service.acts import Acts, Now
from bot.service.privacy import Privacy
from bot.service.tables import Tables
from data.store import Store
from data.store.connect import parse_url
from data.store.copies import CopyFailed
from engine.shuffle import SECRET_BYTES


async def caught_up(url: str | None, before: str, now: Now) -> list[str]:
    """Forget in the database at `url` whoever had their data deleted at `before`, the one it takes the place of, and
    note the servers that were left; answers with what to tell. Stopped in the middle, it may be begun again.

    Raises CopyFailed and StoreUnavailable; nothing is changed at `before`.
    """
    if parse_url(url).get_backend_name() != "postgresql" or parse_url(before).get_backend_name() != "postgresql":
        raise CopyFailed("--since is for PostgreSQL, on both sides; for a file name what `boneyard backup` made.")
    if parse_url(url) == parse_url(before):
        raise CopyFailed("The database cannot take its own place: BONEYARD_DATABASE_URL names the one put back.")
    there, here = await Store.open(before), None
    try:
        await require_stopped(there, now())
        here = await Store.open(url)
        return await _caught_up(here, there, now)
    finally:
        await there.close()
        if here is not None:
            await here.close()


async def _caught_up(here: Store, there: Store, now: Now) -> list[str]:
    ours, theirs = await here.owner(), await there.owner()
    if ours is not None and theirs is not None and ours.application_id != theirs.application_id:
        raise CopyFailed(
            f"{here.name} belongs to the application {ours.application_id}, {there.name} to {theirs.application_id}: "
            "nothing was changed."
        )
    marks = await there.forgotten()
    if not await here.same_fingerprints(there, marks):
        raise CopyFailed(
            f"People who had their data deleted at {there.name} cannot be recognised here: their fingerprints have "
            "another key. Set BONEYARD_PRIVACY_KEY as the bot has it, and try again. Nothing was changed."
        )
    acts = Acts(here, Tables(here), now, lambda: token_bytes(SECRET_BYTES))
    forgotten = await Privacy(here, acts, now).delete_again(marks)
    for guild_id in await there.guilds_left(now()):
        if guild_id in await here.guilds_known():
            await here.guild_left(guild_id, (await there.guild(guild_id)).left_at, now=now())
    told = [
        f"{here.name} knows what was asked for at {there.name} since. "
        f"People forgotten again, who had their data deleted: {forgotten}."
    ]
    told += [f"The log of match {number} cannot be used: {why}" for number, why in (await damaged(here)).items()]
    return told
