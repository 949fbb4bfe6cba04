"""The open database with the repositories of the core. Each write is one atomic transaction."""

import math
from collections.abc import Awaitable, Callable
from typing import Final, Self

from sqlalchemy.ext.asyncio import AsyncEngine

from data.store.connection import facts
from data.store.connection.facts import Owner
from data.store.connection.faults import DatabaseFault, DatabaseUnavailable
from data.store.connection.open_database import open_engine
from data.store.connection.store_errors import DatabaseOwnerError, StoreUnavailable
from data.store.connection.transactions import Transactions
from data.store.guilds.store import GuildStore
from data.store.matches.quarantine import QuarantineStore
from data.store.matches.store import MatchStore
from data.store.operations.erasure import ErasureStore
from data.store.operations.store import OperationsStore
from data.store.outbox.alert_posts import AlertStore
from data.store.outbox.store import OutboxStore
from data.store.results.store import ResultStore
from data.store.users.store import UserStore

MAX_SCRUB_BYTES: Final = 16_000_000
"""Size in bytes from which a database file is not rewritten while the bot runs: all writers would wait."""


class Store:
    """One database. Several stores, in one process or many, may use the same one."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.transactions: Final = Transactions(engine)
        self.name: Final = self.transactions.name
        self.matches: Final = MatchStore(self.transactions)
        self.quarantine: Final = QuarantineStore(self.transactions)
        self.outbox: Final = OutboxStore(self.transactions)
        self.alerts: Final = AlertStore(self.transactions)
        self.users: Final = UserStore(self.transactions)
        self.guilds: Final = GuildStore(self.transactions)
        self.results: Final = ResultStore(self.transactions)
        self.operations: Final = OperationsStore(self.transactions)
        self.erasure: Final = ErasureStore(self.transactions)
        self.set_deadline: Final = self.transactions.set_deadline
        self._bring_up_to_date: Callable[[], Awaitable[None]] | None = None
        """The work that waits until the owner is known."""

    @classmethod
    async def open(cls, url: str | None = None, *, claimed: bool = True) -> Self:
        """Connect and migrate. None is a file in the user's data directory.

        Unless `claimed`, a database with an owner is not migrated before `claim`, and must not be used before.

        Takes sqlite:///FILE and postgresql://USER:PASSWORD@HOST/NAME. Raises StoreUnavailable.
        """
        store = cls(await open_engine(url, unless_owned=not claimed))

        async def bring_up_to_date() -> None:
            if not claimed:
                await (await open_engine(url)).dispose()
            await store.scrub(math.inf)

        try:
            if claimed:
                await bring_up_to_date()
            else:
                store._bring_up_to_date = bring_up_to_date
        except DatabaseUnavailable as trouble:
            await store.close()
            raise StoreUnavailable(
                f"The database {store.name} cannot be used: {trouble}.", is_transient=True
            ) from trouble
        except BaseException:
            await store.close()
            raise
        return store

    async def close(self, within: float | None = None) -> None:
        """Finish running transactions and close the database, within so many seconds. Later calls raise StoreClosed."""
        await self.transactions.close(within)

    @property
    def failure_count(self) -> int:
        return self.transactions.failure_count

    @property
    def fault(self) -> DatabaseFault | None:
        """The known fault of the database; None while it works."""
        faults = self.transactions.faults
        return faults.current or (DatabaseFault.DAMAGED if faults.has_damage else None)

    async def claim(self, owner: Owner) -> None:
        """Set the owner unless there is one. Raises DatabaseOwnerError for another owner or a moved or incomplete
        database.
        """
        if (location := await self.operations.load_new_location()) is not None:
            raise DatabaseOwnerError(facts.format_moved(self.name, location))
        if await self.transactions.read(facts.load_unfinished_move) is not None:
            raise DatabaseOwnerError(facts.format_unfinished_move(self.name))
        found = await self.operations.load_owner()
        if found is None or found.application_id == owner.application_id:
            if self._bring_up_to_date is not None:
                await self._bring_up_to_date()
                self._bring_up_to_date = None  # after it succeeded: a failure must be retried
            found = await self.transactions.write(lambda connection: facts.claim(connection, owner))
        if found.application_id != owner.application_id:
            raise DatabaseOwnerError(facts.format_wrong_owner(self.name, found, owner))

    async def scrub(self, max_bytes: float = MAX_SCRUB_BYTES) -> bool:
        """Overwrite deleted bytes; False if other processes prevent it, or the file has more than `max_bytes` bytes."""
        request_id = await self.transactions.read(facts.load_scrub_request)
        if request_id is None:
            return True
        if not await self.transactions.scrub(max_bytes):
            return False
        await self.transactions.write(lambda connection: facts.clear_scrub_request(connection, request_id))
        return True
