"""What people have reached and in which match, folded from the results there are; how many moves a match had."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0016"
branch_labels = None
depends_on = None

KINDS = ("move", "score", "hexagons", "streak", "longest")
CHUNK = 1000

bests = sa.table(
    "bests",
    *(sa.column(name) for name in ("guild_id", "game", "counted", "user_id", "hidden", "running")),
    *(sa.column(name) for kind in KINDS for name in (kind, f"{kind}_match")),
)


def upgrade() -> None:
    op.add_column("results", sa.Column("moves", sa.Integer(), nullable=True))
    op.create_table(
        "bests",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("counted", sa.Boolean(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("hidden", sa.Boolean(), server_default=sa.false(), nullable=False),
        *(
            column
            for kind in KINDS
            for column in (
                sa.Column(kind, sa.Integer(), nullable=True),
                sa.Column(f"{kind}_match", sa.BigInteger(), autoincrement=False, nullable=True),
            )
        ),
        sa.Column("running", sa.Integer(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("guild_id", "game", "counted", "user_id", name=op.f("pk_bests")),
    )
    _fill(op.get_bind())
    for kind in KINDS:
        op.create_index(f"ix_bests_{kind}", "bests", ["guild_id", "game", "counted", "hidden", kind])
    op.create_index("ix_bests_user", "bests", ["user_id"])


def _fill(base: sa.Connection) -> None:
    """From the results of matches with other people on a server, in their order."""
    hidden = set(base.execute(sa.text("SELECT DISTINCT user_id FROM standings WHERE hidden")).scalars())
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    lines = sa.text(
        "SELECT match_id, user_id, guild_id, game, place, score, best_move, hexagons, won, finished, counts "
        "FROM results WHERE people > 1 AND guild_id <> 0 ORDER BY ended_at, match_id, user_id"
    )
    for line in base.execute(lines):
        for counted in (False, True) if line.counts else (False,):
            key = (line.guild_id, line.game, counted, line.user_id)
            row = found.get(key)
            if row is None:
                names = dict(zip(("guild_id", "game", "counted", "user_id"), key, strict=True))
                nothing = {name: None for kind in KINDS for name in (kind, f"{kind}_match")}
                row = found[key] = {**names, **nothing, "hidden": line.user_id in hidden, "running": 0}
            if line.won:
                row["running"] += 1
            elif line.place != 1 or not line.finished:
                row["running"] = 0
            made = {"move": line.best_move or None, "score": line.score, "hexagons": line.hexagons or None}
            for kind, value in (made | {"streak": row["running"] if line.won else None}).items():
                if value is not None and (row[kind] is None or value > row[kind]):
                    row[kind], row[f"{kind}_match"] = value, line.match_id
    rows = list(found.values())
    for start in range(0, len(rows), CHUNK):
        base.execute(bests.insert(), rows[start : start + CHUNK])


def downgrade() -> None:
    op.drop_table("bests")
    op.drop_column("results", "moves")
