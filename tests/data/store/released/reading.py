"""What players and moderators see of a database: every table, waiting post and setting.

Everything is read through the functions of the bot.
"""

import hashlib
import itertools
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any, Final

from bot.tables.service import Table, TableCache
from data.rulebook import list_games, load_rules
from data.store.outbox.outbox_values import BLOCKED, OutboxRow
from data.store.profiles.store import ProfileStore
from data.store.results.scores import EVERYWHERE
from data.store.store import Store
from engine.match.player_view import view_for
from engine.record import write
from engine.table.clock import compute_time_left
from engine.table.commands import Rearm
from engine.table.decide_table import decide
from engine.table.evolve import DecisionContext
from engine.table.preferences import Person, compute_days_left, is_away
from engine.table.refusals import RefusalError
from engine.table.table_posts import QUESTION
from engine.table.table_state import compute_deadline

CHECKED_SEQS: Final = 12
"""Number of last moves of a table whose buttons are checked for validity."""
END_OF_TIME: Final = 1 << 53
"""A time after all due times."""
OLD_NAMES_BY_NAME: Final = {
    "PlayerView(": "Seen(",
    "SeatView(": "SeatSeen(",
    "can_undo=": "can_take_back=",
    "resigned_seats=": "left=",
    "shown_labels=": "shown=",
}
"""By current name: the name in version 0.1, which computed the expected digests."""
OLD_NAMES: Final = re.compile("|".join(map(re.escape, OLD_NAMES_BY_NAME)))
NEW_FIELDS: Final = re.compile(
    r"(hand_size=0|scoring='usual'|children_points=\(1, 1, 1, 5\)|opening_no_triple='highest_sum'|rounds=0"
    r"|head_start='0'|impossible=\(\)), "
)
"""Fields that version 0.1 did not have, with the values that mean its behaviour."""


async def read_everything(
    store: Store, now: int, *, requests: Sequence[int], user_ids: Sequence[int]
) -> dict[str, Any]:
    tables = TableCache(store)
    found = [await _describe_table(store, table, now) for table in await _load_tables(tables)]
    people = sorted({user for one in found for user in one["seats"] if isinstance(user, int)})
    guilds = sorted({one["guild"] for one in found})
    known = [await store.matches.find_request(request) for request in requests]
    return {
        "matches": {str(one["match_id"]): one for one in found},
        "unsent": [_describe_post(row) for row in await _list_unsent(store, [one["match_id"] for one in found])],
        "backlog": await _describe_backlog(store, now),
        "due": [head.match_id for head in await store.matches.list_due_heads(now, 10_000)],
        "ticking": await store.matches.list_timed_matches(),
        "behind": [head.match_id for head in await store.matches.list_outdated_heads(10_000)],
        "outages": [[credit.outage.start, credit.outage.end] for credit in await store.operations.list_outages()],
        "pulses": await store.operations.load_pulses(),
        "people": {
            str(user): one
            for user in sorted(await store.erasure.list_user_ids())
            if (one := await _describe_user(store, user, now))
        },
        "tables_of": {
            str(user): [head.match_id for head in await store.matches.list_heads_of_user(user)] for user in people
        },
        "guilds": {str(guild): await _describe_guild(store, guild) for guild in guilds},
        "leaderboards": await _describe_leaderboards(store, [EVERYWHERE, *guilds]),
        "requests": [list(one) if one else None for one in known],
        "held": {
            str(user): {key: len(rows) for key, rows in (await store.erasure.export_user(user)).items()}
            for user in user_ids
        },
        "forgotten": await store.erasure.load_fingerprints(),
    }


async def _load_tables(tables: TableCache) -> list[Table]:
    found: list[Table] = []
    with suppress(RefusalError):
        while True:
            found.append(await tables.load(len(found) + 1))
    return found


async def _describe_table(store: Store, table: Table, now: int) -> dict[str, Any]:
    """Return a table as it would be shown now, without empty fields."""
    head = table.head
    seq = head.seq
    description = {
        "match_id": head.match_id,
        "game": head.game,
        "state": head.state,
        "seq": seq,
        "guild": head.guild_id,
        "channel": head.channel_id,
        "host": head.host_id,
        "seats": [row.user_id if row.computer is None else row.computer for row in table.seats],
        "joined": [row.joined_at for row in table.seats],
        "opened": [head.created_at, head.updated_at],
        "messages": [
            seq if head.shown_seq == head.seq else head.shown_seq,
            head.board_message_id,
            head.turn_message_id,
        ],
        "turn": None if head.turn is None else [head.turn.seat, head.turn.user],
        "due": None if head.due is None else [head.due.at, head.due.kind],
        "due_by_now": await _describe_due(store, table, now),
        **(_describe_clock(table, now) if head.state == "open" else {}),
        "question": _describe_question(table),
        "terms": _drop_empty({**asdict(table.terms), "closed": table.state.close_reason}),
        "still": [table.state.is_current(one) for one in range(max(1, seq - CHECKED_SEQS + 1), seq + 1)],
        "match": await _describe_match(store, table),
        "results": [
            [
                one.user_id,
                one.place,
                one.score,
                one.best_move,
                one.rated,
                one.won,
                _describe_rating(one.after),
                one.ended_at,
            ]
            for one in await store.results.list_results(head.match_id)
        ],
        "moderations": [
            [one.seq, one.kind, one.reason, one.seat, one.user_id, one.at]
            for one in await store.matches.list_moderations(head.match_id)
        ],
        "questions_that_stand": [
            [row.message_id, row.body["number"]] for row in await store.outbox.list_sent_posts(head.match_id, QUESTION)
        ],
    }
    return {key: value for key, value in description.items() if value not in (None, [], {}) and value is not False}


async def _describe_due(store: Store, table: Table, now: int) -> list[Any] | None:
    if table.head.state != "open":
        return None
    head = table.head
    people = {row.user_id: await store.users.load_person(row.user_id) for row in table.seats if row.user_id is not None}
    context = DecisionContext(
        now=now, secret=head.secret, rules=table.rules, people=people, match_id=head.match_id, due=head.due
    )
    due = decide(table.state, table.event_log, Rearm(), context).due
    return None if due is None else [due.at, due.kind]


def _describe_clock(table: Table, now: int) -> dict[str, Any]:
    clock = table.clock
    time, watch = clock.time, clock.watch
    return {
        "left": compute_time_left(time, now),
        "deadline": compute_deadline(time),
        "since": time.since,
        "used": time.used,
        "allowance": time.allowance,
        "banks": list(time.banks),
        "paused": time.paused,
        "credited": time.credited,
        "spells": [[one.seat, one.used, one.allowance, one.bank, one.height] for one in time.past_turns],
        "broken": [[one.seat, one.used, one.allowance, one.bank, one.height] for one in time.undone_turns],
        "height": time.height,
        "began": watch.began,
        "mark": watch.mark,
        "told": watch.notified_at,
        "silences": _sort_by_seat(watch.timeouts),
        "standins": _sort_by_seat(clock.standins),
        "away": _sort_by_seat(watch.away),
        "asking": watch.absence_question,
        "until": watch.until,
    }


def _describe_question(table: Table) -> dict[str, Any] | None:
    """Return the last question, and whether it can still be answered or is due."""
    found = table.state.question
    if table.head.state != "open" or found is None:
        return None
    description = asdict(found)
    del description["tile"]
    return {**description, "open": table.question is not None, "unsettled": not found.refused}


async def _describe_match(store: Store, table: Table) -> dict[str, Any] | None:
    """Return the replayed match: some facts in plain text, and everything as digests."""
    if table.event_log is None:
        return None
    match, seats = table.event_log.match, range(len(table.seats))
    record = write(
        await store.matches.list_events(table.head.match_id), load_rules(table.head.game), preset=table.terms.preset
    )
    views = [repr(replace(view_for(match, viewer), history=(), impossible=())) for viewer in (None, *seats)]
    views = [OLD_NAMES.sub(lambda found: OLD_NAMES_BY_NAME[found[0]], NEW_FIELDS.sub("", view)) for view in views]
    return {
        "round": match.round,
        "turn": match.turn,
        "totals": [seat.total for seat in match.seats],
        "tiles": [len(seat.hand) for seat in match.seats],
        "left": list(match.resigned_seats),
        "takes_back": len(match.undo_stack),
        "told": len(table.event_log.events),
        "over": match.ended is not None,
        "record": _compute_digest(record.replace("edition: 2\n", "")),  # version 0.1 wrote this additional line
        "seen": _compute_digest("\n".join(views)),
    }


async def _list_unsent(store: Store, match_ids: Sequence[int]) -> list[OutboxRow]:
    rows = [
        row for number in match_ids for row in await store.outbox.list_due(END_OF_TIME, limit=10_000, match_id=number)
    ]
    return [*rows, *await store.outbox.list_blocked()]


def _describe_post(row: OutboxRow) -> list[Any]:
    assert row.next_at is not None or row.kind == BLOCKED
    return [row.match_id, row.channel_id, row.kind, row.nonce, row.next_at, row.attempts, dict(row.body)]


async def _describe_backlog(store: Store, now: int) -> dict[str, Any]:
    found = await store.operations.load_backlog(now=now)
    closed = {str(match_id): channel for match_id, channel in found.closed.items()}
    refused = {str(code): count for code, count in found.refused.items()}
    return {"posts": found.posts, "oldest": found.oldest, "boards": found.boards, "closed": closed, "refused": refused}


async def _describe_user(store: Store, user_id: int, now: int) -> dict[str, Any] | None:
    person = await store.users.load_person(user_id)
    if person == Person(user_id=user_id):
        return None
    known = person.preferences
    away = {"is_away": is_away(known, now), "days_left": compute_days_left(known, now)}
    return {"quick": person.quick, "pings": person.pings, **_drop_empty(asdict(known)), **away}


async def _describe_guild(store: Store, guild_id: int) -> dict[str, Any]:
    guild = await store.guilds.load_guild(guild_id)
    running = await store.guilds.count_running(guild_id)
    return {"settings": dict(guild.settings), "left_at": guild.left_at, "running": running}


async def _describe_leaderboards(store: Store, guilds: Sequence[int]) -> dict[str, Any]:
    """Return all lines of all leaderboards that are not empty."""
    found = {}
    for guild, game, is_recent in itertools.product(guilds, list_games(), (False, True)):
        page = await ProfileStore(store.transactions).load_leaderboard(guild, game, is_recent=is_recent, size=1000)
        if page.rows:
            found[f"{guild} {game}{' lately' if is_recent else ''}"] = [
                [row.rank, row.user_id, _describe_rating(row.rating), row.matches, row.wins, row.points]
                for row in page.rows
            ]
    return found


def _describe_rating(rating: Any) -> list[float] | None:
    return None if rating is None else [round(rating.mu, 9), round(rating.sigma, 9)]


def _sort_by_seat(values: Any) -> dict[str, Any]:
    return {str(seat): value for seat, value in sorted(values.items())}


def _drop_empty(values: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that are not empty, because a later release may have more fields."""
    return {name: value for name, value in values.items() if value not in (None, "", False, 0, (), {})}


def _compute_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
