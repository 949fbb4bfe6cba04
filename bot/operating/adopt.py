"""`boneyard adopt`: a database is handed over to another application, on purpose."""

from bot.base.environment import now
from bot.operating.rerunning import require_stopped
from data.store import Store
from data.store.copies import CopyFailed
from data.store.facts import Owner


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
        await require_stopped(store, now())
        await store.hand_over(Owner(new))
    finally:
        await store.close()
    return (
        f"{store.name} belongs to the application {new} now, no more to {old}. Servers that the new bot is not on when "
        "it starts count as left, and all that is kept of them is deleted 30 days later."
    )
