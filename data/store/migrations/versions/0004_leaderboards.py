"""Leaderboards that are read and not added up: counts by rating, and the sums of the last days."""

from collections import Counter
from math import floor

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

UNRATED = -1_000_000
MONTH = 30 * 24 * 3600 * 1000

SUMS = """
    INSERT INTO recents (guild_id, game, user_id, matches, rated, wins, points, met, average)
    SELECT {guild}, game, user_id, count(*), sum(CASE WHEN rated THEN 1 ELSE 0 END),
           sum(CASE WHEN won THEN 1 ELSE 0 END), sum(score), max(CASE WHEN rated THEN 1 ELSE 0 END),
           CAST(sum(score) AS DOUBLE PRECISION) / count(*)
    FROM results WHERE ended_at >= :since{where} GROUP BY {group}game, user_id
"""


def upgrade() -> None:
    op.create_table(
        "bands",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("band", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("people", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("guild_id", "game", "band", name=op.f("pk_bands")),
    )
    op.create_table(
        "recents",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("rated", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("met", sa.Integer(), nullable=False),
        sa.Column("average", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("guild_id", "game", "user_id", name=op.f("pk_recents")),
    )
    op.create_table(
        "spans",
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_spans")),
    )
    op.drop_index("ix_results_game", "results")
    op.create_index("ix_results_ended", "results", ["ended_at"])
    _fill(op.get_bind())
    op.create_index("ix_recents_rank", "recents", ["guild_id", "game", "met", "wins", "average", "user_id"])


def _fill(base: sa.Connection) -> None:
    """From the results and standings that are there."""
    last = base.execute(sa.text("SELECT max(ended_at) FROM results")).scalar()
    since = {"since": 0 if last is None else last - MONTH}
    base.execute(sa.text("INSERT INTO spans (name, since) VALUES ('recent', :since)"), since)
    base.execute(sa.text(SUMS.format(guild="0", where="", group="")), since)
    base.execute(sa.text(SUMS.format(guild="guild_id", where=" AND guild_id <> 0", group="guild_id, ")), since)
    counts: Counter[tuple[int, str, int]] = Counter()
    for guild_id, game, ordinal in base.execute(sa.text("SELECT guild_id, game, ordinal FROM standings")):
        counts[guild_id, game, UNRATED if ordinal is None else floor(ordinal * 4)] += 1
    rows = [{"g": guild, "m": game, "b": band, "p": people} for (guild, game, band), people in counts.items()]
    if rows:
        base.execute(sa.text("INSERT INTO bands (guild_id, game, band, people) VALUES (:g, :m, :b, :p)"), rows)


def downgrade() -> None:
    op.drop_index("ix_results_ended", "results")
    op.create_index("ix_results_game", "results", ["game", "ended_at"])
    for table in ("spans", "recents", "bands"):
        op.drop_table(table)
