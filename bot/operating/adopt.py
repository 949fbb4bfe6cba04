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
            raise CopyFailed(f"{store.name} has no owner yet: it will belong to the first bot that starts with it.")
        if owner.application_id != old:
            raise CopyFailed(
                f"{store.name} belongs to the application {owner.application_id}, not to {old}: nothing was changed."
            )
        await require_stopped(store, now())
        await store.operations.hand_over(Owner(new))
    finally:
        await store.close()
    return (
        f"{store.name} now belongs to the application {new}, and no longer to {old}. Servers that the new bot is not "
        "on when it starts count as left; their data is deleted after 30 days."
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
                    raise CopyFailed(f"{there.to} has different logs from {file}; nothing was changed.")
                note_moved(connection, there.to)
                await there.finish()
        finally:
            await source.close()
    except UNREACHED as error:
        raise CopyFailed(f"{there.to} cannot store it: {in_words(error)}. Nothing was changed.") from error
    finally:
        await there.close()
    many = f"{sum(rows.values())} rows, {rows['matches']} matches"
    told = [
        f"{there.to} has everything of {file}: {many}. Every row was compared and every match replayed.",
        "Set BONEYARD_DATABASE_URL to it. The file does not change, and no bot can start with it any more.",
    ]
    told += [f"The log of match {number} can't be used, as before: {why}" for number, why in wrong.items()]
    return told


def undone(url: str | None) -> str:
    """Release a file that was moved; return what to print. Raises CopyFailed."""
    file = file_of(url)
    to = unmark(file)
    if to is None:
        return f"{file} was not moved; nothing was changed."
    return f"{file} can be used again. It lacks the matches played at {to} since then; do not start a bot there."


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
