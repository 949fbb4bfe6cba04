"""Connect to a PostgreSQL server: several addresses, poolers, failover and time limits.

The driver alone would wait for the first address as long as the kernel does, and never try the second.
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
POOL_SIZE: Final = 5
POOL_OVERFLOW: Final = 5
"""Connections that a process keeps open, and further ones for a moment."""
CONNECT_TIMEOUT: Final = 3.0
"""Seconds that one address has to accept a connection."""
CONNECT_LIMIT: Final = 6.0
"""Seconds for which all addresses are tried: a restart or a failover takes that long."""
PAUSE: Final = 0.2
STATEMENT_TIMEOUT: Final = 15.0
"""Seconds that one statement may take. Our statements take some ms; a silent server hangs."""
IDLE_LIMIT: Final = 5.0
"""Seconds after which a connection is checked before it is used again."""
CHECK_TIMEOUT: Final = 2.0
_TRANSIENT_STATES: Final = ("08", "53300", "57P")
"""Prefixes of the SQLSTATEs of temporary errors: no connection, too many connections, shut down, starting."""
READ_ONLY: Final = "25006"
"""SQLSTATE of a server that became a replica or rejects writes."""
_LIBPQ: Final = ("application_name", "krbsrvname", "gsslib", "options", "passfile", "service", "servicefile", "ssl")
"""Prefixes of libpq's options, which the driver accepts only in a DSN."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    host: str | None
    """None is the driver's default: a local socket or PGHOST."""
    port: int | None

    def __str__(self) -> str:
        host = f"[{self.host}]" if self.host and ":" in self.host else self.host or ""
        return host if self.port is None else f"{host}:{self.port}"


def with_addresses(text: str) -> str:
    """Convert `postgresql://USER@ONE:5432,TWO:5432/NAME` to SQLAlchemy's form. Raises ValueError for wrong ones."""
    kind, mark, rest = text.partition("://")
    authority, slash, path = rest.partition("/")
    user, at, hosts = authority.rpartition("@")
    if not mark or not kind.startswith("postgres") or "," not in hosts:
        return text
    found = [str(_parse_address(host)) for host in hosts.split(",")]
    joined = urlencode([("host", host) for host in found])
    return f"{kind}://{user}{at}{slash or '/'}{path}{'&' if '?' in path else '?'}{joined}"


def parse_addresses(url: URL) -> tuple[Endpoint, ...]:
    """Return the addresses of a URL in its order. Raises ValueError for a wrong address."""
    given = url.query.get("host", ())
    named = (given,) if isinstance(given, str) else given
    if not named:
        return (Endpoint(url.host, url.port),)
    return tuple(_parse_address(one) for several in named for one in several.split(","))


def _parse_address(text: str) -> Endpoint:
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]"):
        host, port = text, ""
    host = host.removeprefix("[").removesuffix("]")
    if not host or (port and not port.isdecimal()):
        raise ValueError("no address")
    return Endpoint(host, int(port) if port else 5432)


def make_server_engine(url: URL, *, unlimited: bool) -> AsyncEngine:
    """See make_engine. Raises ValueError and TypeError for an option that the driver rejects."""
    connector = ServerConnector.from_url(url, STATEMENT_TIMEOUT if not unlimited else None)
    plain = url.set(host=None, port=None, query={})
    engine = create_async_engine(
        plain, pool_size=POOL_SIZE, max_overflow=POOL_OVERFLOW, connect_args={"async_creator_fn": connector.connect}
    )

    def connect(_dialect: object, _record: object, _given: object, options: dict[str, Any]) -> None:
        if await_only(connector.is_pooled()):
            # The next transaction may get another connection of the pooler, which lacks the prepared statements of this
            # one.
            options |= {"prepared_statement_cache_size": 0, "prepared_statement_name_func": str}

    event.listen(engine.sync_engine, "do_connect", connect)
    event.listen(engine.sync_engine, "handle_error", _disconnect_on_timeout)
    if connector.has_choice:
        event.listen(engine.sync_engine, "handle_error", _disconnect_on_read_only)
    event.listen(engine.sync_engine, "checkin", _handle_checkin)
    event.listen(engine.sync_engine, "checkout", _handle_checkout)
    return engine


class ServerConnector:
    """The addresses of a database, tried in turn from the last good one."""

    def __init__(self, endpoints: tuple[Endpoint, ...], options: Mapping[str, Any], libpq: Mapping[str, str]) -> None:
        self._endpoints = endpoints
        self._options = options
        self._libpq = libpq
        self._good = endpoints[0]
        self._pooled: bool | None = None

    @property
    def has_choice(self) -> bool:
        return len(self._endpoints) > 1

    @classmethod
    def from_url(cls, url: URL, statement: float | None) -> ServerConnector:
        """Make a connector from a URL, with a time limit for statements in seconds."""
        query = {name: value if isinstance(value, str) else value[-1] for name, value in url.query.items()}
        query.pop("host", None)
        libpq_names = {name for name in query if name.startswith(_LIBPQ) and name != "ssl"}
        libpq = {"application_name": "boneyard"} | {name: query.pop(name) for name in libpq_names}
        endpoints = parse_addresses(url)
        named = {"user": url.username, "password": url.password, "database": url.database}
        options: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
        if len(endpoints) > 1:
            # The bot writes, so it needs the primary.
            options["target_session_attrs"] = "read-write"
        if "connect_timeout" in query:
            options["timeout"] = float(query.pop("connect_timeout"))
        return cls(endpoints, {"command_timeout": statement, **options, **query}, libpq)

    async def is_pooled(self) -> bool:
        """Return whether a pooler gives every transaction another connection to the server. Asked once. Raises OSError.

        Behind a pooler, the server reports another process id than the one of the handshake.
        """
        if self._pooled is not None:
            return self._pooled
        try:
            connection = await self.connect()
            try:
                async with connection.transaction():
                    server_pid = await connection.fetchval("SELECT pg_backend_pid()")
            finally:
                await connection.close(timeout=CONNECT_TIMEOUT)
        except OSError:
            raise
        except Exception:
            return True  # the next connection reports the error; ask again then
        self._pooled = bool(server_pid != connection.get_server_pid())
        if self._pooled:
            log.info("the database is behind a pooler: no statement is kept prepared")
        return self._pooled

    async def connect(self, *_: object, **__: object) -> Any:
        """Connect to a suitable address. Raises the error of one address if all fail for `CONNECT_LIMIT` seconds."""
        until = time.monotonic() + CONNECT_LIMIT
        while True:
            errors = []
            for endpoint in sorted(self._endpoints, key=lambda one: one != self._good):
                try:
                    connection = await self._connect_to(endpoint)
                except Exception as error:
                    errors.append(error)
                    continue
                if endpoint != self._good:
                    log.warning("the database is reached at %s now, no more at %s", endpoint, self._good)
                    self._good = endpoint
                return connection
            # A replica may lag behind the primary; an error of all addresses is permanent.
            permanent = [error for error in errors if not _is_transient(error)]
            if len(permanent) == len(errors) or time.monotonic() >= until:
                raise (permanent or errors)[0]
            await asyncio.sleep(PAUSE)

    async def _connect_to(self, endpoint: Endpoint) -> Any:
        import asyncpg  # type: ignore[import-untyped]  # installed by the extra `postgres`

        dsn = f"postgresql:///?{urlencode(self._libpq, quote_via=quote)}"
        cache = {"statement_cache_size": 0} if self._pooled is not False else {}
        where = {name: value for name, value in (("host", endpoint.host), ("port", endpoint.port)) if value is not None}
        return await asyncpg.connect(dsn, **{"timeout": CONNECT_TIMEOUT, **where, **cache, **self._options})


def _is_transient(error: Exception) -> bool:
    """Return whether another address, or the same one later, may work."""
    code = getattr(error, "sqlstate", None)
    wrong_one = type(error).__name__ == "TargetServerAttributeNotMatched"
    return wrong_one or isinstance(error, OSError) or (code or "").startswith(_TRANSIENT_STATES)


def _disconnect_on_timeout(context: ExceptionContext) -> None:
    if isinstance(context.original_exception, TimeoutError):
        context.is_disconnect = True


def _disconnect_on_read_only(context: ExceptionContext) -> None:
    """Discard all connections if the server rejects writes: another one accepts them by now."""
    if getattr(context.original_exception, "sqlstate", None) == READ_ONLY:
        context.is_disconnect = True


def _handle_checkin(_connection: object, record: Any) -> None:
    record.info["used"] = time.monotonic()


def _handle_checkout(connection: Any, record: Any, _proxy: object) -> None:
    """Check a connection that was idle; a check each time would cost as much as reading."""
    if time.monotonic() - record.info.get("used", time.monotonic()) < IDLE_LIMIT:
        return
    try:
        await_only(connection.driver_connection.execute(";", timeout=CHECK_TIMEOUT))
    except Exception as error:
        raise DisconnectionError from error
