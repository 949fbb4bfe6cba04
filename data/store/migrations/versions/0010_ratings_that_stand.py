"""What a match did to ratings stands with its results; ranks need several opponents; people may stay off leaderboards.

Nobody's rating changes by this: what the standings say is written to the last results, as what they led to.
"""

from collections import Counter
from collections.abc import Iterator
from math import floor
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

UNRATED = -1_000_000
OPPONENTS = 3
UNSURE = 7.0
CHUNK = 1000

PAIRS = """
    SELECT {guild} AS guild_id, mine.game AS game, mine.user_id AS user_id, count(DISTINCT other.user_id) AS people
    FROM results AS mine JOIN results AS other ON other.match_id = mine.match_id AND other.user_id <> mine.user_id
    WHERE mine.rated AND other.rated{where} GROUP BY {group}mine.game, mine.user_id
"""
LAST = """
    SELECT match_id, guild_id, game, user_id FROM results ORDER BY ended_at DESC, match_id DESC
"""


def upgrade() -> None:
    for name in ("mu_everywhere", "sigma_everywhere"):
        op.add_column("results", sa.Column(name, sa.Double(), nullable=True))
    for name in ("opponents", "opponents_everywhere"):
        op.add_column("results", sa.Column(name, sa.Integer(), server_default="0", nullable=False))
    for name in ("finished", "counts"):
        op.add_column("results", sa.Column(name, sa.Boolean(), server_default=sa.true(), nullable=False))
    op.drop_index("ix_results_user", "results")
    op.create_index("ix_results_user", "results", ["user_id", "ended_at"])
    op.drop_index("ix_standings_rank", "standings")
    with op.batch_alter_table("standings") as table:
        table.drop_constraint(op.f("ck_standings_rating"), type_="check")
        table.add_column(sa.Column("finished", sa.Integer(), server_default="0", nullable=False))
        table.add_column(sa.Column("opponents", sa.Integer(), server_default="0", nullable=False))
        table.add_column(sa.Column("hidden", sa.Boolean(), server_default=sa.false(), nullable=False))
        table.create_check_constraint(
            op.f("ck_standings_rating"), "(mu IS NULL) = (sigma IS NULL) AND (ordinal IS NULL OR mu IS NOT NULL)"
        )
    op.drop_index("ix_recents_rank", "recents")
    op.add_column("recents", sa.Column("hidden", sa.Boolean(), server_default=sa.false(), nullable=False))
    _carry_over(op.get_bind())
    op.create_index(
        "ix_standings_rank", "standings", ["guild_id", "game", "hidden", "ordinal", "wins", "points", "user_id"]
    )
    op.create_index("ix_standings_user", "standings", ["user_id"])
    op.create_index("ix_recents_rank", "recents", ["guild_id", "game", "hidden", "met", "wins", "average", "user_id"])


def _carry_over(base: sa.Connection) -> None:
    met: dict[tuple[int, str, int], int] = {}
    everywhere = PAIRS.format(guild="0", where="", group="")
    here = PAIRS.format(guild="mine.guild_id", where=" AND mine.guild_id <> 0", group="mine.guild_id, ")
    for query in (everywhere, here):
        for guild_id, game, user_id, people in base.execute(sa.text(query)):
            met[guild_id, game, user_id] = people
    base.execute(sa.text("UPDATE standings SET finished = matches"))
    standing: dict[tuple[int, str, int], tuple[Any, ...]] = {}
    counts: Counter[tuple[int, str, int]] = Counter()
    lines, unmet = [], []
    for guild_id, game, user_id, mu, sigma in base.execute(
        sa.text("SELECT guild_id, game, user_id, mu, sigma FROM standings")
    ):
        people = met.get((guild_id, game, user_id), 0)
        standing[guild_id, game, user_id] = (mu, sigma, people)
        ordinal = None if mu is None or people < OPPONENTS or sigma > UNSURE else round(mu, 4)
        key = {"g": guild_id, "m": game, "u": user_id}
        lines.append({**key, "p": people, "o": ordinal})
        unmet += [key] if people < OPPONENTS else []
        counts[guild_id, game, UNRATED if ordinal is None else floor(ordinal * 4)] += 1
    _run(
        base,
        "UPDATE standings SET opponents = :p, ordinal = :o WHERE guild_id = :g AND game = :m AND user_id = :u",
        lines,
    )
    _run(base, "UPDATE recents SET met = 0 WHERE guild_id = :g AND game = :m AND user_id = :u", unmet)
    base.execute(sa.text("DELETE FROM bands"))
    rows = [{"g": guild, "m": game, "b": band, "p": people} for (guild, game, band), people in counts.items()]
    _run(base, "INSERT INTO bands (guild_id, game, band, people) VALUES (:g, :m, :b, :p)", rows)
    last = list(_last(base, standing))
    _run(
        base,
        "UPDATE results SET mu_after = :mu, sigma_after = :s, opponents = :p WHERE match_id = :i AND user_id = :u",
        [row for everywhere, row in last if not everywhere],
    )
    _run(
        base,
        "UPDATE results SET mu_everywhere = :mu, sigma_everywhere = :s, opponents_everywhere = :p"
        " WHERE match_id = :i AND user_id = :u",
        [row for everywhere, row in last if everywhere],
    )


def _last(
    base: sa.Connection, standing: dict[tuple[int, str, int], tuple[Any, ...]]
) -> Iterator[tuple[bool, dict[str, Any]]]:
    """Of each line of a leaderboard the last result, with what it led to."""
    for match_id, guild_id, game, user_id in base.execute(sa.text(LAST)):
        for guild in {0, guild_id}:
            found = standing.pop((guild, game, user_id), None)
            if found is not None:
                mu, sigma, people = found
                row = {"mu": mu, "s": sigma, "p": people, "i": match_id, "u": user_id}
                yield guild == 0, row
                if guild == guild_id == 0:
                    yield False, row
        if not standing:
            return


def _run(base: sa.Connection, statement: str, rows: list[dict[str, Any]]) -> None:
    for start in range(0, len(rows), CHUNK):
        base.execute(sa.text(statement), rows[start : start + CHUNK])


def downgrade() -> None:
    op.drop_index("ix_recents_rank", "recents")
    op.drop_column("recents", "hidden")
    op.create_index("ix_recents_rank", "recents", ["guild_id", "game", "met", "wins", "average", "user_id"])
    op.drop_index("ix_standings_user", "standings")
    op.drop_index("ix_standings_rank", "standings")
    with op.batch_alter_table("standings") as table:
        table.drop_constraint(op.f("ck_standings_rating"), type_="check")
        for name in ("hidden", "opponents", "finished"):
            table.drop_column(name)
    op.execute("UPDATE standings SET ordinal = round(CAST(mu - 3 * sigma AS NUMERIC), 4)")
    with op.batch_alter_table("standings") as table:
        table.create_check_constraint(
            op.f("ck_standings_rating"), "(mu IS NULL) = (ordinal IS NULL) AND (sigma IS NULL) = (ordinal IS NULL)"
        )
    op.create_index("ix_standings_rank", "standings", ["guild_id", "game", "ordinal", "wins", "points", "user_id"])
    op.drop_index("ix_results_user", "results")
    op.create_index("ix_results_user", "results", ["user_id"])
    for name in (
        "counts",
        "finished",
        "opponents_everywhere",
        "opponents",
        "sigma_everywhere",
        "mu_everywhere",
    ):
        op.drop_column("results", name)
