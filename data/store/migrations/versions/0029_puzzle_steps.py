"""What each try made of the rating of its puzzle is kept, so that this can be added up anew; and the order of tables of
the day.
"""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("puzzle_mu", "puzzle_sigma"):
        op.add_column("puzzle_tries", sa.Column(name, sa.Double()))
    # Nobody noted the steps until now: what they came to stands for each of them.
    this = "FROM puzzle_ratings r WHERE r.game = puzzle_tries.game AND r.day = puzzle_tries.day"
    op.execute(
        f"UPDATE puzzle_tries SET puzzle_mu = (SELECT r.mu {this}), puzzle_sigma = (SELECT r.sigma {this}) "  # noqa: S608
        "WHERE counted AND mu IS NOT NULL"
    )
    op.add_column("puzzle_shares", sa.Column("ranked", sa.BigInteger()))
    answers = "LENGTH(t.answers) - LENGTH(REPLACE(t.answers, ' ', ''))"
    worth = f"CASE WHEN t.solved THEN 0 ELSE 100 END + 10 * ({answers}) + CASE WHEN t.hinted THEN 1 ELSE 0 END"
    that = "t.user_id = puzzle_shares.user_id AND t.game = puzzle_shares.game AND t.day = puzzle_shares.day"
    op.execute(
        f"UPDATE puzzle_shares SET ranked = (SELECT ({worth}) * 10000000000000 + t.ended_at "  # noqa: S608
        f"FROM puzzle_tries t WHERE {that})"
    )
    op.create_index("ix_puzzle_shares_table", "puzzle_shares", ["guild_id", "game", "day", "ranked"])


def downgrade() -> None:
    op.drop_index("ix_puzzle_shares_table", "puzzle_shares")
    op.drop_column("puzzle_shares", "ranked")
    for name in ("puzzle_mu", "puzzle_sigma"):
        op.drop_column("puzzle_tries", name)
