"""One log a table: what happened around a match is typed, and what the clock knew stands in the log.

The columns that held it as JSON go. Whom a log means stands in `participants`, moderators among them.
"""

import json
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

RULINGS = "kind IN ('stopped', 'paused', 'resumed', 'skipped')"
MATCH = ("started", "dealt", "drew", "placed", "chose", "passed", "resigned", "undone", "roundended", "matchended")
"""The match's own events, which stay as they are."""
TOLD = ("placed", "chose", "passed", "resigned", "undone", "roundended", "drew")
"""Those that withdraw a question."""
KEPT = {"moved", "forgotten"}
"""What needed no more than it had."""


def upgrade() -> None:
    op.create_table(
        "participants",
        sa.Column("match_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.match_id"], name=op.f("fk_participants_match_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("match_id", "number", name=op.f("pk_participants")),
        sa.UniqueConstraint("match_id", "user_id", name=op.f("uq_participants_match_id_user_id")),
    )
    base = op.get_bind()
    for match_id in list(base.execute(sa.text("SELECT match_id FROM matches ORDER BY match_id")).scalars()):
        _Match(base, match_id).carry_over()
    op.create_index("ix_participants_user", "participants", ["user_id"])
    op.create_index(
        "ix_events_rulings",
        "events",
        ["match_id", "seq"],
        sqlite_where=sa.text(RULINGS),
        postgresql_where=sa.text(RULINGS),
    )
    op.drop_table("moderations")
    # Not by a table made anew: those of SQLite would lose what refers to them.
    op.execute("ALTER TABLE matches DROP COLUMN settings")
    op.execute("ALTER TABLE matches DROP COLUMN clock")
    op.execute("ALTER TABLE people RENAME COLUMN wishes TO preferences")


class _Match:
    """One match, read whole and written back."""

    def __init__(self, base: sa.Connection, match_id: int) -> None:
        self.base = base
        self.match_id = match_id
        self.head = self.rows("SELECT * FROM matches WHERE match_id = :match")[0]
        self.settings, self.clock = json.loads(self.head["settings"]), json.loads(self.head["clock"])
        self.log = self.rows("SELECT seq, kind, body, at FROM events WHERE match_id = :match ORDER BY seq")
        self.seats = self.rows(
            "SELECT seat, user_id, computer, joined_at FROM seats WHERE match_id = :match ORDER BY seat"
        )
        acts = self.rows("SELECT seq, user_id FROM moderations WHERE match_id = :match")
        self.moderators = {act["seq"]: act["user_id"] for act in acts}
        self.numbers: dict[int, int] = {}

    def rows(self, query: str) -> list[dict[str, Any]]:
        found = self.base.execute(sa.text(query), {"match": self.match_id})
        return [dict(row._mapping) for row in found]

    def number(self, user_id: int | None) -> int | None:
        return None if not user_id else self.numbers.setdefault(user_id, len(self.numbers))

    def carry_over(self) -> None:
        sat, host, replaced = self.history()
        changed = []
        for row in self.log:
            kind = row["kind"]
            if kind in MATCH or kind in KEPT:
                continue
            facts = json.loads(row["body"])
            written = kind
            match kind:
                case "opened":
                    body: dict[str, Any] = {
                        "terms": self.terms(),
                        "host": self.number(host),
                        "seats": self.sitters(sat),
                    }
                case "closed":
                    body = {"reason": facts.get("reason", ""), "seat": facts.get("seat")}
                case "stopped" | "paused" | "resumed" | "skipped":
                    body = {
                        "by": self.number(self.moderators.get(row["seq"])),
                        "reason": str(facts.get("reason") or ""),
                    }
                    body |= {"seat": facts.get("seat")} if kind == "skipped" else {}
                case "replaced":
                    body = {"seat": facts["seat"], "user": self.number(replaced[row["seq"]])}
                case _:
                    written, body = "noted", {"what": kind}
            changed.append({"m": self.match_id, "s": row["seq"], "k": written, "b": json.dumps(body)})
        if changed:
            self.base.execute(
                sa.text("UPDATE events SET kind = :k, body = :b WHERE match_id = :m AND seq = :s"), changed
            )
        if self.head["state"] == "open":
            self.carry_clock()
        people = [{"m": self.match_id, "n": number, "u": user} for user, number in self.numbers.items()]
        if people:
            self.base.execute(
                sa.text("INSERT INTO participants (match_id, number, user_id) VALUES (:m, :n, :u)"), people
            )

    def history(self) -> tuple[list[dict[str, Any]], int | None, dict[int, int | None]]:
        """Who sat there when the match began, who was the host then, and who came by each handover."""
        sat, host = [dict(row) for row in self.seats], self.head["host_id"]
        came: dict[int, int | None] = {}
        handed = dict(self.handovers())
        for row in reversed(self.log):
            if row["kind"] == "replaced":
                seat = json.loads(row["body"])["seat"]
                after = came[row["seq"]] = sat[seat]["user_id"]
                if row["seq"] in handed:
                    sat[seat]["user_id"] = handed[row["seq"]]
                    host = handed[row["seq"]] if host == after else host
        return sat, host, came

    def handovers(self) -> Iterator[tuple[int, int | None]]:
        """Who left at a handover: the log did not say, but what the table was told did, by the name of the post."""
        for row in self.rows("SELECT dedupe, body FROM outbox WHERE match_id = :match AND kind = 'agreement'"):
            body = json.loads(row["body"])
            if body.get("key") == "replaced":
                yield int(row["dedupe"].split("-")[1], 16), body.get("user")

    def terms(self) -> dict[str, Any]:
        return {key: value for key, value in self.settings.items() if key != "closed"}

    def sitters(self, sat: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{**row, "user_id": self.number(row["user_id"])} for row in sat]

    def carry_clock(self) -> None:
        """One more line, after which everything that could be pressed can still be pressed."""
        seq = self.head["seq"]
        kept = self.clock.get("time") or {}
        watch = dict(kept.get("watch") or {})
        moved, calm = watch.pop("moved", 0), watch.pop("calm", 0)
        body = {
            "clock": {
                "time": kept.get("time") or {},
                "watch": watch,
                "standins": self.clock.get("standins") or {},
            },
            "question": self.question(),
            "pause": self.pause() if (kept.get("time") or {}).get("paused") else None,
            "moved": moved if calm == seq else seq,
        }
        self.base.execute(
            sa.text("INSERT INTO events (match_id, seq, kind, body, at) VALUES (:m, :s, 'carried', :b, :at)"),
            {"m": self.match_id, "s": seq + 1, "b": json.dumps(body), "at": self.head["updated_at"]},
        )
        self.base.execute(
            sa.text(
                "UPDATE matches SET seq = seq + 1, shown_seq = shown_seq + CASE WHEN shown_seq = seq THEN 1 ELSE 0 END"
                " WHERE match_id = :m"
            ),
            {"m": self.match_id},
        )

    def question(self) -> dict[str, Any] | None:
        """The question that is open, or was refused and is remembered, unless the match has gone on since."""
        found = self.clock.get("proposal")
        told = sum(row["kind"] in TOLD for row in self.log)
        if not found or found["told"] != told:
            return None
        kept = {key: value for key, value in found.items() if key != "told"}
        return {**kept, "person": self.number(found.get("person"))}

    def pause(self) -> dict[str, Any]:
        last = [row for row in self.log if row["kind"] == "paused"][-1:]
        facts = json.loads(last[0]["body"]) if last else {}
        by = self.moderators.get(last[0]["seq"]) if last else None
        return {"by": self.number(by), "reason": str(facts.get("reason") or "")}


def downgrade() -> None:
    """The shape alone: what the columns held stands in the logs by now. A backup has it as it was."""
    op.add_column("matches", sa.Column("settings", sa.Text(), server_default="{}", nullable=False))
    op.add_column("matches", sa.Column("clock", sa.Text(), server_default="{}", nullable=False))
    op.execute("ALTER TABLE people RENAME COLUMN preferences TO wishes")
    op.create_table(
        "moderations",
        sa.Column("match_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.match_id"], name=op.f("fk_moderations_match_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("match_id", "seq", name=op.f("pk_moderations")),
    )
    op.create_index("ix_moderations_user", "moderations", ["user_id"])
    op.drop_index("ix_events_rulings", "events")
    op.drop_table("participants")
