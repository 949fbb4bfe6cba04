"""What is counted and measured while the bot runs, for `/metrics`: numbers only, never whose they are.

Names follow Prometheus: base units, `_total` for what only grows. Counting is always on, since it costs next to
nothing; nothing leaves the process unless `BONEYARD_STATUS` says where it may be asked for.
"""

import logging
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

REGISTRY: Final = CollectorRegistry()
"""Of our own: what a library may register elsewhere is not shown."""

# -- Discord

REQUESTS: Final = Counter(
    "boneyard_discord_requests",
    "Requests to Discord by what they are for and how they ended: a status, or lost where there was no answer",
    ("what", "status"),
    registry=REGISTRY,
)
RATE_LIMITED: Final = Counter(
    "boneyard_discord_rate_limited",
    "Answers 429 by whose limit it was: user, global, shared, or none where no limit was named",
    ("scope",),
    registry=REGISTRY,
)
INVALID: Final = Counter(
    "boneyard_discord_invalid_requests",
    "Answers 401, 403 and 429 (but shared ones): 10000 in ten minutes, and Discord bans this address",
    registry=REGISTRY,
)
LAST_POST: Final = Gauge(
    "boneyard_last_post_timestamp_seconds", "When Discord last took a message or an edit of one", registry=REGISTRY
)
GATEWAY: Final = Gauge("boneyard_gateway_up", "1 while a shard is connected", ("shard",), registry=REGISTRY)
LATENCY: Final = Gauge(
    "boneyard_gateway_latency_seconds", "Between a heartbeat and its answer", ("shard",), registry=REGISTRY
)
SERVERS: Final = Gauge("boneyard_servers", "Servers that this process serves", registry=REGISTRY)

# -- what the bot does

ACTS: Final = Histogram(
    "boneyard_act_seconds",
    "An act at a table, from reading it to having written it, whoever asked and however it ended",
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
    registry=REGISTRY,
)
PICTURES: Final = Histogram(
    "boneyard_picture_seconds",
    "A picture, from asking for a thread to having it",
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
    registry=REGISTRY,
)
THOUGHTS: Final = Counter(
    "boneyard_thoughts",
    "Moves that a computer was to think about, by its level and how that went: thought; or its cheaper sibling moved,"
    " since all processes were busy, or one was late or failed",
    ("level", "how"),
    registry=REGISTRY,
)
THOUGHT: Final = Histogram(
    "boneyard_thought_seconds",
    "A move that was thought about, from asking for a process to having it",
    ("level",),
    buckets=(0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
    registry=REGISTRY,
)
THINKERS: Final = Gauge("boneyard_thinkers", "Processes in which computers think", registry=REGISTRY)
REVIEWS: Final = Counter(
    "boneyard_reviews",
    "Matches that were looked back on, by how it went: made, or the process was busy, late or failed, or the bot ended",
    ("how",),
    registry=REGISTRY,
)
LAST_SWEEP: Final = Gauge(
    "boneyard_last_sweep_timestamp_seconds", "When all that was due had last been looked at", registry=REGISTRY
)
LINES: Final = Counter("boneyard_log_lines", "Lines of the log by level", ("level",), registry=REGISTRY)

# -- the database, of the servers that this process serves

DATABASE: Final = Gauge(
    "boneyard_database_up", "1 where it answered in time when asked for this page", registry=REGISTRY
)
DATABASE_ERRORS: Final = Counter(
    "boneyard_database_errors", "Transactions that the database broke off or refused", registry=REGISTRY
)
POSTS: Final = Gauge("boneyard_posts_waiting", "Posts that should have been sent by now", registry=REGISTRY)
POST_AGE: Final = Gauge(
    "boneyard_oldest_post_age_seconds", "Age of the oldest of them, 0 without any", registry=REGISTRY
)
BOARDS: Final = Gauge("boneyard_boards_behind", "Tables whose board is older than their log", registry=REGISTRY)
CLOSED: Final = Gauge(
    "boneyard_channels_closed", "Running tables whose channel is closed to the bot", registry=REGISTRY
)
DUE: Final = Gauge("boneyard_due_late", "Tables on which the clock should have acted by now", registry=REGISTRY)
DUE_AGE: Final = Gauge(
    "boneyard_oldest_due_age_seconds", "How late the latest of them is, 0 without any", registry=REGISTRY
)
SET_ASIDE: Final = Gauge(
    "boneyard_matches_set_aside",
    "Running matches whose log cannot be read; `boneyard doctor` names them",
    registry=REGISTRY,
)

SEASONS_HELD: Final = Gauge(
    "boneyard_leagues_held_up",
    "Leagues and tournaments that cannot go on, by who can put it right; `boneyard doctor` names them",
    ("whose",),
    registry=REGISTRY,
)

VERSION: Final = Gauge("boneyard_build_info", "1, with the version that runs", ("version",), registry=REGISTRY)

# What begins with its first event has no beginning: Prometheus would not count that one.
for _whose in ("server", "operator"):
    SEASONS_HELD.labels(_whose)
for _scope in ("user", "global", "shared", "none"):
    RATE_LIMITED.labels(_scope)
for _level in ("expert", "master"):
    for _how in ("thought", "busy", "late", "failed"):
        THOUGHTS.labels(_level, _how)
for _how in ("made", "busy", "late", "failed", "ended"):
    REVIEWS.labels(_how)
for _level in ("warning", "error", "critical"):
    LINES.labels(_level)


class CountedLines(logging.Handler):
    """Counts the lines of a log from warnings on; writes nothing."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)

    def emit(self, record: logging.LogRecord) -> None:
        """One more."""
        LINES.labels(record.levelname.lower()).inc()
