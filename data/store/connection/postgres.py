"""How a PostgreSQL server is reached: by several addresses, through a pooler, and by nobody for ever.

A server that restarts, hangs, or hands over to its replica is found again by whoever connects next. The driver alone
would wait for the first address as long as the kernel does, and never come to the second.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlencode

from sqlalchemy import URL, event
from sqlalchemy.engine.interfaces import ExceptionContext
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.util import await_only

log = logging.getLogger(__name__)

KEPT: Final = 5
MORE: Final = 5
"""Connections that a process keeps, and more of them for a moment: ten at most, beside one while it starts."""

ANSWERS: Final = 3.0
"""Seconds that one address has to take a connection."""
TRYING: Final = 6.0
"""Seconds that all addresses are tried again and again: so long a restart or a failover takes that nobody notices."""
PAUSE: Final = 0.2
"""Seconds from one round of all addresses to the next."""
STATEMENT: Final = 15.0
"""Seconds that one statement may take. One of ours takes some ms; a server that is silent for so long hangs."""
IDLE: Final = 5.0
"""Seconds after which a connection is asked whether it is alive, before it is used again."""
ALIVE: Final = 2.0
"""Seconds that it has to say so."""

_PASSING: Final = ("08", "53300", "57P")
"""How the codes of errors begin that may be over in a moment: no connection, too many of them, shut down, starting."""
READ_ONLY: Final = "25006"
"""The server became a replica, or was told to take no more writes."""
_LIBPQ: Final = ("application_name", "krbsrvname", "gsslib", "options", "passfile", "service", "servicefile", "ssl")
"""How options begin as everybody else writes them, which the driver takes in a text only."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a server listens."""

    host: str | None
    """None is the driver's own default, a socket of this machine or what PGHOST says."""
    port: int | None

    def __str__(self) -> str:
        host = f"[{self.host}]" if self.host and ":" in self.host else self.host or ""
        return host if self.port is None else f"{host}:{self.port}"


def with_addresses(text: str) -> str:
    """A URL of several hosts, `postgresql://USER@ONE:5432,TWO:5432/NAME`, as SQLAlchemy reads it; others as they are.

    Raises ValueError for what is no address.
    """
    kind, mark, rest = text.partition("://")
    authority, slash, path = rest.partition("/")
    user, at, hosts = authority.rpartition("@")
    if not mark or not kind.startswith("postgres") or "," not in hosts:
        return text
    found = [str(_address(host)) for host in hosts.split(",")]
    joined = urlencode([("host", host) for host in found])
    return f"{kind}://{user}{at}{slash or '/'}{path}{'&' if '?' in path else '?'}{joined}"


def addresses_of(url: URL) -> tuple[Endpoint, ...]:
    """Where the servers of a URL listen, in its order. Raises ValueError for what is no address."""
    given = url.query.get("host", ())
    named = (given,) if isinstance(given, str) else given
    if not named:
        return (Endpoint(url.host, url.port),)
    return tuple(_address(one) for several in named for one in several.split(","))


def _address(text: str) -> Endpoint:
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]"):
        host, port = text, ""
    host = host.removeprefix("[").removesuffix("]")
    if not host or (port and not port.isdecimal()):
        raise ValueError("no address")
    return Endpoint(host, int(port) if port else 5432)


def make_server_engine(url: URL, *, patient: bool) -> AsyncEngine:
    """An engine that has not connected yet. One that is `patient` lets a statement take as long as it likes, which
    those of a migration may.

    Raises ValueError and TypeError for an option that the driver does not take.
    """
    way = Way.of(url, STATEMENT if not patient else None)
    plain = url.set(host=None, port=None, query={})
    engine = create_async_engine(plain, pool_size=KEPT, max_overflow=MORE, connect_args={"async_creator_fn": way.taken})

    def connect(_dialect: object, _record: object, _given: object, options: dict[str, Any]) -> None:
        if await_only(way.is_pooled()):
            # The next transaction may be on another connection of the pooler, which has never heard of a statement
            # that was prepared on this one; and one without a name is replaced by the next.
            options |= {"prepared_statement_cache_size": 0, "prepared_statement_name_func": str}

    event.listen(engine.sync_engine, "do_connect", connect)
    event.listen(engine.sync_engine, "handle_error", _silent)
    if way.has_choice:
        event.listen(engine.sync_engine, "handle_error", _read_only)
    event.listen(engine.sync_engine, "checkin", _put_back)
    event.listen(engine.sync_engine, "checkout", _take_out)
    return engine


class Way:
    """How to come to a database: its addresses, tried in turn, beginning with the one that was good last."""

    def __init__(self, endpoints: tuple[Endpoint, ...], options: Mapping[str, Any], libpq: Mapping[str, str]) -> None:
        self._endpoints = endpoints
        self._options = options
        self._libpq = libpq
        self._good = endpoints[0]
        self._pooled: bool | None = None

    @property
    def has_choice(self) -> bool:
        """Whether there are several addresses."""
        return len(self._endpoints) > 1

    @classmethod
    def of(cls, url: URL, statement: float | None) -> Way:
        """The way that a URL says, with so many seconds for a statement."""
        query = {name: value if isinstance(value, str) else value[-1] for name, value in url.query.items()}
        query.pop("host", None)
        theirs = {name for name in query if name.startswith(_LIBPQ) and name != "ssl"}
        libpq = {"application_name": "boneyard"} | {name: query.pop(name) for name in theirs}
        endpoints = addresses_of(url)
        named = {"user": url.username, "password": url.password, "database": url.database}
        options: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
        if len(endpoints) > 1:
            # The bot writes: a replica is of no use to it.
            options["target_session_attrs"] = "read-write"
        if "connect_timeout" in query:
            options["timeout"] = float(query.pop("connect_timeout"))
        return cls(endpoints, {"command_timeout": statement, **options, **query}, libpq)

    async def is_pooled(self) -> bool:
        """Whether a pooler stands in between, which gives every transaction another connection to the server.

        The server says another process id then than whoever greeted us. Asked once. Raises OSError.
        """
        if self._pooled is not None:
            return self._pooled
        try:
            connection = await self.taken()
            try:
                async with connection.transaction():
                    theirs = await connection.fetchval("SELECT pg_backend_pid()")
            finally:
                await connection.close(timeout=ANSWERS)
        except OSError:
            raise
        except Exception:
            return True  # whoever connects now is told what is wrong, in words of SQLAlchemy's; it is asked again
        self._pooled = bool(theirs != connection.get_server_pid())
        if self._pooled:
            log.info("the database is behind a pooler: no statement is kept prepared")
        return self._pooled

    async def taken(self, *_: object, **__: object) -> Any:
        """A connection to an address that is good for us. Raises what was wrong with one of them, when all were tried
        for long enough.
        """
        until = time.monotonic() + TRYING
        while True:
            errors = []
            for endpoint in sorted(self._endpoints, key=lambda one: one != self._good):
                try:
                    connection = await self._connected(endpoint)
                except Exception as error:
                    errors.append(error)
                    continue
                if endpoint != self._good:
                    log.warning("the database is reached at %s now, no more at %s", endpoint, self._good)
                    self._good = endpoint
                return connection
            # A replica may not know yet what the primary does; what is wrong with all of them stays wrong.
            lasting = [error for error in errors if not _may_pass(error)]
            if len(lasting) == len(errors) or time.monotonic() >= until:
                raise (lasting or errors)[0]
            await asyncio.sleep(PAUSE)

    async def _connected(self, endpoint: Endpoint) -> Any:
        import asyncpg  # type: ignore[import-untyped]  # an extra of ours

        dsn = f"postgresql:///?{urlencode(self._libpq, quote_via=quote)}"
        cache = {"statement_cache_size": 0} if self._pooled is not False else {}
        where = {name: value for name, value in (("host", endpoint.host), ("port", endpoint.port)) if value is not None}
        return await asyncpg.connect(dsn, **{"timeout": ANSWERS, **where, **cache, **self._options})


def _may_pass(error: Exception) -> bool:
    """Whether another address, or the same one in a moment, may be better."""
    code = getattr(error, "sqlstate", None)
    wrong_one = type(error).__name__ == "TargetServerAttributeNotMatched"
    return wrong_one or isinstance(error, OSError) or (code or "").startswith(_PASSING)


def _silent(context: ExceptionContext) -> None:
    """All connections are made anew where one hangs."""
    if isinstance(context.original_exception, TimeoutError):
        context.is_disconnect = True


def _read_only(context: ExceptionContext) -> None:
    """So they are where the server takes no writes any more: another one does by now."""
    if getattr(context.original_exception, "sqlstate", None) == READ_ONLY:
        context.is_disconnect = True


def _put_back(_connection: object, record: Any) -> None:
    record.info["used"] = time.monotonic()


def _take_out(connection: Any, record: Any, _proxy: object) -> None:
    """One that nobody has used for a while may be dead; asking it always would cost as much as reading."""
    if time.monotonic() - record.info.get("used", time.monotonic()) < IDLE:
        return
    try:
        await_only(connection.driver_connection.execute(";", timeout=ALIVE))
    except Exception as error:
        raise DisconnectionError from error
