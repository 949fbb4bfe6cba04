"""`boneyard adopt`: a database is handed over to another application, on purpose."""

from bot.base.environment import now
from data.store import Store
from data.store.copies import CopyFailed
from data.store.facts import Owner

ALIVE = 60_000
"""A bot that gave a sign of life within this many ms is running."""


async def adopted(url: str | None, new: int, old: int) -> str:
    """Let the database of application `old` belong to `new` from now on; answers with what to tell.

    Raises CopyFailed where it belongs to somebody else or a bot runs on it, and StoreUnavailable.
    """
    store = await Store.open(url)
    try:
        owner = await store.owner()
        if owner is None:
            raise CopyFailed(f"{store.name} belongs to nobody yet: the first bot that starts on it is its own.")
        if owner.application_id != old:
            raise CopyFailed(
                f"{store.name} belongs to the application {owner.application_id}, not to {old}: nothing was changed."
            )
        last = max((at for name, at in (await store.pulses()).items() if name != "doctor"), default=0)
        # One that is much later than now is of a clock that was ahead; nobody can wait for that.
        if abs(now() - last) < ALIVE:
            raise CopyFailed(f"A bot runs on {store.name}. Stop it, wait a minute, try again.")
        await store.hand_over(Owner(new))
    finally:
        await store.close()
    return (
        f"{store.name} belongs to the application {new} now, no more to {old}. Servers that the new bot is not on when "
        "it starts count as left, and all that is kept of them is deleted 30 days later."
    )
