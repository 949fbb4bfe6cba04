"""What every repository has in common: the transactions of one database, and methods that are one transaction each."""

from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.transactions import Transactions


class Repository:
    """A part of what a database holds."""

    def __init__(self, transactions: Transactions) -> None:
        self.transactions: Final = transactions


R = TypeVar("R", bound=Repository)
P = ParamSpec("P")
T = TypeVar("T")
InTransaction = Callable[Concatenate[R, AsyncConnection, P], Awaitable[T]]
Method = Callable[Concatenate[R, P], Coroutine[Any, Any, T]]


def reads(work: InTransaction[R, P, T]) -> Method[R, P, T]:
    """Make a method that is given the connection of a transaction of its own, which only reads."""

    @wraps(work)
    async def method(self: R, /, *args: P.args, **options: P.kwargs) -> T:
        return await self.transactions.read(lambda connection: work(self, connection, *args, **options))

    return method


def writes(work: InTransaction[R, P, T]) -> Method[R, P, T]:
    """Make a method that is given the connection of a transaction of its own: all it writes is kept, or nothing."""

    @wraps(work)
    async def method(self: R, /, *args: P.args, **options: P.kwargs) -> T:
        return await self.transactions.write(lambda connection: work(self, connection, *args, **options))

    return method
