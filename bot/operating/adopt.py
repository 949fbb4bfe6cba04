"""`boneyard adopt` and `boneyard move`: give a database to another application, or move it to PostgreSQL."""

from pathlib import Path

from bot.core.environment import now
from bot.operating.doctor import damaged, require_stopped
from bot.tables.acts import Now
from data.store.connection.facts import Owner, told_moved
from data.store.operations.copies import CopyFailed, file_of, url_of
from data.store.operations.moving import UNREACHED, Transfer, in_words, note_moved, unmark, written_by_us
from data.store.store import Store


async def adopted(url: str | None, new: int, old: int) -> str:
    """Give the database of application `old` to `new`; return what to print. Raises CopyFailed, StoreUnavailable."""
    store = await Store.open(url)
    try:
        owner = await store.operations.owner()
        if owner is None:
            raise CopyFailed(f"{store.name} belongs to nobody yet: the first bot that starts on it is its own.")
        if owner.application_id != old:
            raise CopyFailed(
                f"{store.name} belongs to the application {owner.application_id}, not to {old}: nothing was changed."
            )
        await require_stopped(store, now())
        await store.operations.hand_over(Owner(new))
    finally:
        await store.close()
    return (
        f"{store.name} belongs to the application {new} now, no more to {old}. Servers that the new bot is not on when "
        "it starts count as left, and all that is kept of them is deleted 30 days later."
    )


async def transferred(url: str | None, target: str, now: Now) -> list[str]:
    """Copy everything to an empty database, compare it, and replay every log there; return what to print.

    Afterwards no bot starts on the file, which stays unchanged. Raises CopyFailed and StoreUnavailable; then the bot
    keeps the file. An interrupted move can be repeated.
    """
    file = file_of(url)
    if not file.is_file():
        raise CopyFailed(f"There is no database at {file}.")
    there = Transfer(file, target)
    try:
        source = await Store.open(url_of(file))
        try:
            await _check(source, file, there.to, now())
            with written_by_us(file) as connection:
                # The source is only read from here on, and no other process can write to it.
                wrong = await damaged(source)
                rows = await there.copy()
                if await _damaged(target) != wrong:
                    raise CopyFailed(f"{there.to} has other logs than {file}; nothing was changed here.")
                note_moved(connection, there.to)
                await there.finish()
        finally:
            await source.close()
    except UNREACHED as error:
        raise CopyFailed(f"{there.to} cannot take it: {in_words(error)}. Nothing was changed here.") from error
    finally:
        await there.close()
    many = f"{sum(rows.values())} rows, {rows['matches']} matches"
    told = [
        f"{there.to} has all of {file}: {many}. Every row was compared and every log re-run.",
        "Name it in BONEYARD_DATABASE_URL from now on. The file stays as it is, and no bot starts on it any more.",
    ]
    told += [f"As before, the log of match {number} cannot be used: {why}" for number, why in wrong.items()]
    return told


def undone(url: str | None) -> str:
    """Release a file that was moved; return what to print. Raises CopyFailed."""
    file = file_of(url)
    to = unmark(file)
    if to is None:
        return f"{file} was not moved: nothing was changed."
    return f"{file} may be used again. What was played at {to} since then is not in it; let no bot start there."


async def _check(source: Store, file: Path, to: str, now: int) -> None:
    elsewhere = await source.operations.moved_to()
    if elsewhere is not None and elsewhere != to:
        raise CopyFailed(told_moved(str(file), elsewhere))
    await require_stopped(source, now)


async def _damaged(target: str) -> dict[int, str]:
    store = await Store.open(target)
    try:
        return await damaged(store)
    finally:
        await store.close()
