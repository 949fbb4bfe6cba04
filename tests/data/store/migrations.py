"""Move a database to another revision of the schema."""

from alembic import command
from sqlalchemy import Connection

from data.store.migrate import config


def moved(connection: Connection, revision: str) -> None:
    settings = config()
    settings.attributes["connection"] = connection
    (command.upgrade if revision == "head" else command.downgrade)(settings, revision)
