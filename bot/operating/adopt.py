"""`boneyard adopt` and `boneyard move`: give a database to another application, or move it to PostgreSQL."""

from bot.core.environment import read_clock
from bot.operating.doctor import check_logs, open_store, require_stopped
from bot.tables.acts import Now
from data.store.connection.facts import Owner, format_moved
from data.store.connection.open_database import format_reason
from data.store.connection.store_errors import CopyError
from data.store.operations.copies import to_file, to_url
from data.store.operations.moving import SERVER_ERRORS, Transfer, lock_for_writing, note_moved, unmark_moved


async def adopt_database(url: str | None, new: int, old: int) -> str:
    """Give the database of application `old` to `new`; return what to print. Raises CopyError, StoreUnavailable."""
    async with open_store(url) as store:
        owner = await store.operations.load_owner()
        if owner is None:
            raise CopyError(f"{store.name} has no owner yet: it will belong to the first bot that starts with it.")
        if owner.application_id != old:
            raise CopyError(
                f"{store.name} belongs to the application {owner.application_id}, not to {old}: nothing was changed."
            )
        await require_stopped(store, read_clock())
        await store.operations.change_owner(Owner(new))
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
    transfer = Transfer(file, target)
    try:
        async with open_store(to_url(file)) as source:
            elsewhere = await source.operations.load_new_location()
            if elsewhere is not None and elsewhere != transfer.target_name:
                raise CopyError(format_moved(str(file), elsewhere))
            await require_stopped(source, now())
            with lock_for_writing(file) as connection:
                # The source is only read from here on, and no other process can write to it.
                wrong = await check_logs(source)
                rows = await transfer.copy()
                async with open_store(target) as copied:
                    if await check_logs(copied) != wrong:
                        raise CopyError(f"{transfer.target_name} has different logs from {file}; nothing was changed.")
                note_moved(connection, transfer.target_name)
                await transfer.finish()
    except SERVER_ERRORS as error:
        raise CopyError(
            f"{transfer.target_name} cannot store it: {format_reason(error)}. Nothing was changed."
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
