"""`boneyard adopt` and `boneyard move`: give a database to another application, or move it to PostgreSQL."""

from pathlib import Path

from bot.core.environment import read_clock
from bot.operating.doctor import check_logs, require_stopped
from bot.tables.acts import Now
from data.store.connection.facts import Owner, format_moved
from data.store.operations.copies import CopyError, to_file, to_url
from data.store.operations.moving import (
    SERVER_ERRORS,
    Transfer,
    format_error,
    lock_for_writing,
    note_moved,
    unmark_moved,
)
from data.store.store import Store


async def adopt_database(url: str | None, new: int, old: int) -> str:
    """Give the database of application `old` to `new`; return what to print. Raises CopyError, StoreUnavailable."""
    store = await Store.open(url)
    try:
        owner = await store.operations.load_owner()
        if owner is None:
            raise CopyError(f"{store.name} has no owner yet: it will belong to the first bot that starts with it.")
        if owner.application_id != old:
            raise CopyError(
                f"{store.name} belongs to the application {owner.application_id}, not to {old}: nothing was changed."
            )
        await require_stopped(store, read_clock())
        await store.operations.change_owner(Owner(new))
    finally:
        await store.close()
    return (
        f"{store.name} now belongs to the application {new}, and no longer to {old}. Servers that the new bot is not "
        "on when it starts count as left; their data is deleted after 30 days."
    )


async def transfer_database(url: str | None, target: str, now: Now) -> list[str]:
    """Copy everything to an empty database, compare it, and replay every log there; return what to print.

    Afterwards no bot starts on the file, which stays unchanged. Raises CopyError and StoreUnavailable; then the bot
    keeps the file. An interrupted move can be repeated.
    """
    file = to_file(url)
    if not file.is_file():
        raise CopyError(f"There is no database at {file}.")
    transfer = Transfer(file, target)
    try:
        source = await Store.open(to_url(file))
        try:
            await _check(source, file, transfer.target_name, now())
            with lock_for_writing(file) as connection:
                # The source is only read from here on, and no other process can write to it.
                wrong = await check_logs(source)
                rows = await transfer.copy()
                if await _check_target_logs(target) != wrong:
                    raise CopyError(f"{transfer.target_name} has different logs from {file}; nothing was changed.")
                note_moved(connection, transfer.target_name)
                await transfer.finish()
        finally:
            await source.close()
    except SERVER_ERRORS as error:
        raise CopyError(
            f"{transfer.target_name} cannot store it: {format_error(error)}. Nothing was changed."
        ) from error
    finally:
        await transfer.close()
    many = f"{sum(rows.values())} rows, {rows['matches']} matches"
    lines = [
        f"{transfer.target_name} has everything of {file}: {many}. Every row was compared and every match replayed.",
        "Set BONEYARD_DATABASE_URL to it. The file does not change, and no bot can start with it any more.",
    ]
    lines += [f"The log of match {number} can't be used, as before: {why}" for number, why in wrong.items()]
    return lines


def undo_move(url: str | None) -> str:
    """Release a file that was moved; return what to print. Raises CopyError."""
    file = to_file(url)
    to = unmark_moved(file)
    if to is None:
        return f"{file} was not moved; nothing was changed."
    return f"{file} can be used again. It lacks the matches played at {to} since then; do not start a bot there."


async def _check(source: Store, file: Path, to: str, now: int) -> None:
    elsewhere = await source.operations.load_new_location()
    if elsewhere is not None and elsewhere != to:
        raise CopyError(format_moved(str(file), elsewhere))
    await require_stopped(source, now)


async def _check_target_logs(target: str) -> dict[int, str]:
    store = await Store.open(target)
    try:
        return await check_logs(store)
    finally:
        await store.close()
