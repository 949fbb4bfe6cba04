"""Find and delete the stored data of a user."""

import sqlite3
from contextlib import closing

from tests.bot.member import Member
from tests.bot.simulated_guild import SimGuild


def list_user_tables(sim: SimGuild, person: Member) -> list[str]:
    """Return the SQL tables that contain the id of a user."""
    with closing(sqlite3.connect(sim.url.removeprefix("sqlite:///"))) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        rows = {name: repr(connection.execute(f'SELECT * FROM "{name}"').fetchall()) for name in names}
    return sorted(name for name, text in rows.items() if str(person.id) in text)


async def forget(sim: SimGuild, person: Member) -> str:
    """Delete all data of a user with `/tiles data delete`; return the answer."""
    question = await person.open_command("tiles data delete")
    return await person.read_click(question, "Delete everything")
