"""Metrics for the page `/metrics`: numbers without any user data."""

import logging
from functools import partial
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

REGISTRY: Final = CollectorRegistry()  # excludes what libraries register
_counter = partial(Counter, registry=REGISTRY)
_gauge = partial(Gauge, registry=REGISTRY)
_histogram = partial(Histogram, registry=REGISTRY)

# -- Discord

REQUESTS: Final = _counter(
    "boneyard_discord_requests",
    "Requests to Discord by what they are for and how they ended: a status, or lost where there was no answer",
    ("what", "status"),
)
RATE_LIMITED: Final = _counter(
    "boneyard_discord_rate_limited",
    "Answers 429 by whose limit it was: user, global, shared, or none where no limit was named",
    ("scope",),
)
INVALID_REQUESTS: Final = _counter(
    "boneyard_discord_invalid_requests",
    "Answers 401, 403 and 429 (but shared ones): 10000 in ten minutes, and Discord bans this address",
)
LAST_POST: Final = _gauge("boneyard_last_post_timestamp_seconds", "When Discord last took a message or an edit of one")
GATEWAY: Final = _gauge("boneyard_gateway_up", "1 while a shard is connected", ("shard",))
LATENCY: Final = _gauge("boneyard_gateway_latency_seconds", "Between a heartbeat and its answer", ("shard",))
SERVERS: Final = _gauge("boneyard_servers", "Servers that this process serves")

# -- what the bot does

ACTS: Final = _histogram(
    "boneyard_act_seconds",
    "An act at a table, from reading it to having written it, whoever asked and however it ended",
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
PICTURES: Final = _histogram(
    "boneyard_picture_seconds",
    "A picture, from asking for a thread to having it",
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
COMPUTER_MOVES: Final = _counter(
    "boneyard_thoughts",
    "Moves that a computer was to think about, by its level and how that went: thought; or its cheaper sibling moved,"
    " since all processes were busy, or one was late or failed",
    ("level", "how"),
)
THINKING_SECONDS: Final = _histogram(
    "boneyard_thought_seconds",
    "A move that was thought about, from asking for a process to having it",
    ("level",),
    buckets=(0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
COMPUTER_WORKERS: Final = _gauge("boneyard_thinkers", "Processes in which computers think")
REVIEWS: Final = _counter(
    "boneyard_reviews",
    "Matches that were looked back on, by how it went: made, or the process was busy, late or failed, or the bot ended",
    ("how",),
)
LAST_SWEEP: Final = _gauge("boneyard_last_sweep_timestamp_seconds", "When all that was due had last been looked at")
LOG_LINES: Final = _counter("boneyard_log_lines", "Lines of the log by level", ("level",))

# -- the database, of the servers that this process serves

DATABASE: Final = _gauge("boneyard_database_up", "1 where it answered in time when asked for this page")
DATABASE_ERRORS: Final = _counter("boneyard_database_errors", "Transactions that the database broke off or refused")
WAITING_POSTS: Final = _gauge("boneyard_posts_waiting", "Posts that should have been sent by now")
POST_AGE: Final = _gauge("boneyard_oldest_post_age_seconds", "Age of the oldest of them, 0 without any")
OUTDATED_BOARDS: Final = _gauge("boneyard_boards_behind", "Tables whose board is older than their log")
CLOSED_CHANNELS: Final = _gauge("boneyard_channels_closed", "Running tables whose channel is closed to the bot")
OVERDUE_TABLES: Final = _gauge("boneyard_due_late", "Tables on which the clock should have acted by now")
OVERDUE_AGE: Final = _gauge("boneyard_oldest_due_age_seconds", "How late the latest of them is, 0 without any")
QUARANTINED_MATCHES: Final = _gauge(
    "boneyard_matches_set_aside", "Running matches whose log cannot be read; `boneyard doctor` names them"
)

BLOCKED_SEASONS: Final = _gauge(
    "boneyard_leagues_held_up",
    "Leagues and tournaments that cannot go on, by who can put it right; `boneyard doctor` names them",
    ("whose",),
)

VERSION: Final = _gauge("boneyard_build_info", "1, with the version that runs", ("version",))

# Prometheus computes no increase from a missing series, so the series start at 0.
for _whose in ("server", "operator"):
    BLOCKED_SEASONS.labels(_whose)
for _scope in ("user", "global", "shared", "none"):
    RATE_LIMITED.labels(_scope)
for _level in ("expert", "master"):
    for _how in ("thought", "busy", "late", "failed"):
        COMPUTER_MOVES.labels(_level, _how)
for _how in ("made", "busy", "late", "failed", "ended"):
    REVIEWS.labels(_how)
for _level in ("warning", "error", "critical"):
    LOG_LINES.labels(_level)


class LogLineCounter(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)

    def emit(self, record: logging.LogRecord) -> None:
        LOG_LINES.labels(record.levelname.lower()).inc()
