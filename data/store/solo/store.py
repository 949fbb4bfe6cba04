"""How far people are with the figures that they fill alone: kept for months, and theirs alone."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import bindparam, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.engines import insert_unless_there
from data.store.connection.transactions import Part
from data.store.results.tables import figures

_ONE: Final = select(figures).where(figures.c.user_id == bindparam("user"), figures.c.figure == bindparam("name"))


@dataclass(frozen=True, slots=True)
class KeptFigure:
    """How far somebody is with a figure."""

    figure: str
    version: int = 0
    """Grows by one with each change; 0 where nothing was kept yet."""
    acts: str = ""
    """What was laid and lifted (`engine.solo.filling`)."""
    hints: int = 0
    """Since it was begun."""
    solved_at: int | None = None
    """When it was filled for the first time."""
    updated_at: int = 0


async def kept_figure(connection: AsyncConnection, user_id: int, figure: str) -> KeptFigure:
    """How far somebody is with a figure."""
    row = (await connection.execute(_ONE, {"user": user_id, "name": figure})).first()
    if row is None:
        return KeptFigure(figure)
    return KeptFigure(figure, row.version, row.acts, row.hints, row.solved_at, row.updated_at)


async def keep_figure(connection: AsyncConnection, user_id: int, kept: KeptFigure, now: int) -> bool:
    """Keep what became of the version that `kept` names, as the next one. False where somebody was quicker: another
    device of the same person.
    """
    row = {"acts": kept.acts, "hints": kept.hints, "solved_at": kept.solved_at, "updated_at": now}
    row["version"] = kept.version + 1
    if kept.version == 0:
        added = insert_unless_there(figures, connection.dialect.name)
        done = await connection.execute(added.values(user_id=user_id, figure=kept.figure, **row))
    else:
        mine = figures.c.user_id == user_id, figures.c.figure == kept.figure, figures.c.version == kept.version
        done = await connection.execute(update(figures).where(*mine).values(**row))
    return done.rowcount == 1


class FiguresKept(Part):
    """The store's door to them."""

    async def figure(self, user_id: int, figure: str) -> KeptFigure:
        """How far somebody is with a figure."""
        return await self._read(lambda connection: kept_figure(connection, user_id, figure))

    async def last_figure(self, user_id: int) -> str | None:
        """The figure that somebody was at last."""
        mine = select(figures.c.figure).where(figures.c.user_id == user_id).order_by(figures.c.updated_at.desc())

        async def work(connection: AsyncConnection) -> str | None:
            return (await connection.execute(mine.limit(1))).scalar_one_or_none()

        return await self._read(work)

    async def keep_figure(self, user_id: int, kept: KeptFigure, *, now: int) -> bool:
        """Keep what became of a version as the next one. False where it is not the last one any more."""
        return await self._write(lambda connection: keep_figure(connection, user_id, kept, now))

    async def begin_sharing_figure(self, user_id: int, figure: str, *, again: int, now: int) -> bool:
        """The caller may show a figure to all. False where that was done since the moment `again`."""
        quiet = (figures.c.shared_at.is_(None)) | (figures.c.shared_at < again)
        mine = update(figures).where(figures.c.user_id == user_id, figures.c.figure == figure, quiet)

        async def work(connection: AsyncConnection) -> bool:
            return (await connection.execute(mine.values(shared_at=now))).rowcount == 1

        return await self._write(work)

    async def figure_not_shared(self, user_id: int, figure: str, *, at: int) -> None:
        """Nothing came of showing it at that moment."""
        mine = figures.c.user_id == user_id, figures.c.figure == figure, figures.c.shared_at == at

        async def work(connection: AsyncConnection) -> None:
            await connection.execute(update(figures).where(*mine).values(shared_at=None))

        await self._write(work)

    async def prune_figures(self, before: int) -> int:
        """Forget figures that nobody has touched since; returns how many."""

        async def work(connection: AsyncConnection) -> int:
            return (await connection.execute(delete(figures).where(figures.c.updated_at < before))).rowcount

        return await self._write(work)
