"""The base of all repositories, and decorators for methods that each run in one transaction."""

from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.transactions import Transactions


class Repository:
    def __init__(self, transactions: Transactions) -> None:
        self.transactions: Final = transactions


R = TypeVar("R", bound=Repository)
P = ParamSpec("P")
T = TypeVar("T")
InTransaction = Callable[Concatenate[R, AsyncConnection, P], Awaitable[T]]
Method = Callable[Concatenate[R, P], Coroutine[Any, Any, T]]


def read_transaction(work: InTransaction[R, P, T]) -> Method[R, P, T]:
    """Run a method in a transaction that only reads, and pass it the connection."""

    @wraps(work)
    async def method(self: R, /, *args: P.args, **options: P.kwargs) -> T:
        return await self.transactions.read(lambda connection: work(self, connection, *args, **options))

    return method


def write_transaction(work: InTransaction[R, P, T]) -> Method[R, P, T]:
    """Run a method in a transaction that commits everything or nothing, and pass it the connection."""

    @wraps(work)
    async def method(self: R, /, *args: P.args, **options: P.kwargs) -> T:
        return await self.transactions.write(lambda connection: work(self, connection, *args, **options))

    return method


def build_read_method(function: Callable[Concatenate[AsyncConnection, P], Awaitable[T]]) -> Method[Repository, P, T]:
    """Make a method that runs this function in a transaction that only reads."""
    return read_transaction(_ignore_self(function))


def build_write_method(function: Callable[Concatenate[AsyncConnection, P], Awaitable[T]]) -> Method[Repository, P, T]:
    """Make a method that runs this function in a transaction that commits everything or nothing."""
    return write_transaction(_ignore_self(function))


def _ignore_self(function: Callable[Concatenate[AsyncConnection, P], Awaitable[T]]) -> InTransaction[Repository, P, T]:
    @wraps(function)
    def work(_self: Repository, connection: AsyncConnection, /, *args: P.args, **options: P.kwargs) -> Awaitable[T]:
        return function(connection, *args, **options)

    return work
