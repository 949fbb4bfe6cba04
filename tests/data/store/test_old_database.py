"""A database from before the tables were laid out anew: everybody is shown what they were shown then.

`old/README.md` says what is in it. What it is compared with was said by the version that wrote it.
"""

import copy
import json
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import text

from bot.service.tables import Tables, rules_of
from data.store import BLOCKED, Post, Store
from data.store.connect import make_engine, parse_url
from data.store.keys import GIVEN, key_of, keyed
from data.store.revisions import newest
from engine.table import replay
from engine.table.earlier import Carried
from engine.table.evolve import Draft, Given
from engine.table.pace import DAY
from tests.bot.desk import Desk
from tests.data.store.migrator import Migrator
from tests.data.store.old.database import REVISION, contents, write_old
from tests.data.store.old.reading import EVER, everything
from tests.data.store.scene import NOW, note, table
from tests.depth import part

OLD: Final = Path(__file__).parent / "old"
EXPECTED: Final[dict[str, Any]] = json.loads((OLD / "expected.json").read_text(encoding="utf-8"))

CLOCK: Final = {
    *("left", "deadline", "since", "used", "allowance", "banks", "paused", "credited", "spells", "broken", "height"),
    *("began", "mark", "told", "silences", "standins", "away", "asking", "until"),
}
SILENCE: Final = {"due", "due_by_now", "allowance", "left", "mark", "deadline"}

Rows = Callable[..., Awaitable[list[tuple[Any, ...]]]]


@pytest.fixture
def like() -> None:
    """On a server, the old database is put into an empty one too."""


@pytest.fixture
async def old(url: str) -> str:
    await write_old(url)
    return url


LATER_TERMS: Final = {"rated": True, "guided": False, "deal": "", "deal_until": 0}
LATER_HELD: Final = dict.fromkeys(
    (
        *("alerts", "alerted", "reviews", "seasons", "deal_sitters", "figures", "attacks", "notes", "premoves"),
        *("puzzle_tries", "puzzle_shares"),
    ),
    0,
)
LATER_PREFERENCES: Final = {"listed": True, "language": "", "scheme": ""}


_migrated: list[bytes] = []


@pytest.fixture
async def store(url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Store]:
    monkeypatch.setenv(GIVEN, "the same key for all copies")
    file = Path(url.removeprefix("sqlite:///")) if url.startswith("sqlite") else None
    if file is None or not _migrated:
        await write_old(url)
        await (await Store.open(url)).close()
        if file is not None:
            _migrated.append(file.read_bytes())
    else:
        file.write_bytes(_migrated[0])
    store = await Store.open(url)
    yield store
    await store.close()


@pytest.fixture
def rows(url: str) -> Rows:
    async def found(query: str) -> list[tuple[Any, ...]]:
        engine = make_engine(parse_url(url))
        async with engine.connect() as connection:
            read = [tuple(row) for row in await connection.execute(text(query))]
        await engine.dispose()
        return read

    return found


async def test_everything_is_shown_as_version_showed_it_that_wrote_it(
    old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(GIVEN, "a key")
    store = await Store.open(old)
    told = await everything(store, EXPECTED["now"], requests=EXPECTED["requests"], held=EXPECTED["held"])
    await store.close()
    told, expected = json.loads(json.dumps(told)), copy.deepcopy(EXPECTED["shown"])
    for rows in expected["held"].values():
        del rows["interactions"]  # those of a whole match, which others pressed as well
    for rows in told["held"].values():
        del rows["tables"], rows["turns"]
        assert rows.pop("bests") == 0 or rows["results"], "folded from results since then"
    # Posts had a number of all posts then, which said in which order those of a match come.
    posts = sorted(expected["unsent"], key=lambda post: (post[3] == BLOCKED, post[1], post[0]))
    expected["unsent"] = [post[1:] for post in posts]
    key = key_of(Path("any"))
    expected["forgotten"] = {keyed(key, mark): at for mark, at in expected["forgotten"].items()}
    matches = {number: _shown(match) for number, match in expected["matches"].items()}
    assert told["matches"].keys() == matches.keys()
    for number, match in matches.items():
        shown = told["matches"][number]
        if match["state"] == "open" and "due" not in match:
            # Nothing was ever due there: these are woken, and what is silence at a relaxed table has an end by now.
            assert shown["due"][1] == "wake"
            shown = told["matches"][number] = {key: shown[key] for key in match.keys() - SILENCE}
            match = matches[number] = {key: match[key] for key in match.keys() - SILENCE}
        if match["state"] == "done":
            # An end shows no places and all hands since then.
            del shown["match"]["seen"], match["match"]["seen"]
        assert shown == match, f"table {number}"
    # By now something falls due there, too.
    silent = [int(number) for number, match in EXPECTED["shown"]["matches"].items() if "due" not in match]
    for key in ("due", "ticking"):
        told[key] = [number for number in told[key] if number not in silent]
    # Days of vacation are written one by one from the next on.
    assert [person.pop("vacations") for person in told["people"].values()] == [[]] * len(told["people"])
    assert not any(person.pop("next_up") for person in told["people"].values())
    for told_by in (told, expected):
        told_by["tables_of"] = {user: sorted(numbers) for user, numbers in told_by["tables_of"].items()}
    held = {user: LATER_HELD | counted for user, counted in expected["held"].items()}
    for key, shown in (expected | {"matches": matches, "held": held}).items():
        assert _unranked(told, key) == _unranked({key: shown}, key), key


def _unranked(shown: dict[str, Any], part: str) -> Any:
    if part == "people":
        return {user: LATER_PREFERENCES | person for user, person in shown[part].items()}
    if part != "leaderboards":
        return shown[part]
    return {board: sorted(line[1:] for line in lines) for board, lines in shown[part].items()}


def _shown(match: dict[str, Any]) -> dict[str, Any]:
    shown = {key: value for key, value in match.items() if match["state"] == "open" or key not in CLOCK}
    if asked := shown.get("question"):
        refusals = [[asked["kind"], asked["by"]]] if asked["refused"] else []
        shown |= {"question": {**asked, "refusals": refusals}}
    return shown | {"terms": LATER_TERMS | shown["terms"]}


async def test_table_on_which_nothing_was_due_is_woken_with_all_time_there_is(store: Store) -> None:
    now = EXPECTED["now"] + 300 * DAY
    desk = Desk(store, now)
    woken = [
        head for head in await store.heads_due(now, limit=1000) if head.due is not None and head.due.kind == "wake"
    ]
    assert len(woken) > 10
    for head in woken:
        assert await desk.people.run_due(head)
        due = (await desk.tables.load(head.match_id)).head.due
        assert due.at >= now + DAY or due.kind == "computer"


async def test_every_log_tells_of_its_table_what_store_knows_of_it(store: Store) -> None:
    for number in map(int, EXPECTED["shown"]["matches"]):
        loaded = await store.load(number)
        head = loaded.head
        state, story = replay(loaded.log)
        # Whose turn it is needs neither a clock nor rules.
        turn = Draft(state, story, Given(now=0, secret=b"", rules=rules_of(state.terms))).turn
        told = (state.seq, state.state, state.seats, state.host or 0, turn)
        assert told == (head.seq, head.state, await store.seats(number), head.host_id, head.turn), f"table {number}"


async def test_one_line_is_added_to_log_of_table_that_goes_on_and_none_to_any_other(store: Store, rows: Rows) -> None:
    for number, match in EXPECTED["shown"]["matches"].items():
        log = [entry.event for entry in await store.log(int(number))]
        carried = [place for place, event in enumerate(log, 1) if isinstance(event, Carried)]
        assert carried == ([match["seq"] + 1] if match["state"] == "open" else []), f"table {number}"
        assert len(log) == match["seq"] + len(carried)


async def test_log_says_nobodys_name_beside_what_moderator_typed(store: Store, rows: Rows) -> None:
    people = {user for (user,) in await rows("SELECT user_id FROM participants WHERE user_id IS NOT NULL")}
    assert len(people) > 20
    for kind, body in await rows("SELECT kind, body FROM events"):
        facts = json.loads(body)
        facts.pop("reason", None)
        # A time in ms has thirteen digits; some of the people of this database have few.
        assert not set(_numbers(facts, kind)) & {user for user in people if user > 10**13}, (kind, body)


def _numbers(value: Any, kind: str) -> list[int]:
    match value:
        case dict():
            keys = [int(key) for key in value if key.isdigit()]
            return keys + [number for part in value.values() for number in _numbers(part, kind)]
        case list():
            return [number for part in value for number in _numbers(part, kind)]
        case bool():
            return []
        case int():
            return [value]
        case _:
            return []


async def test_messages_that_are_to_go_with_turn_are_still_known(store: Store, rows: Rows) -> None:
    query = "SELECT match_id, dedupe, body FROM outbox WHERE kind = 'remove' AND next_at IS NULL"
    number = EXPECTED["cases"]["wish: quiet hours"]
    assert [(match_id, name[:4]) for match_id, name, _ in await rows(query)] == [(number, "old-")]


async def test_every_post_is_there_once_and_no_other(old: str, rows: Rows) -> None:
    every = (
        "SELECT match_id, channel_id, kind, dedupe, body, next_at, attempts, message_id FROM outbox ORDER BY match_id, "
    )
    before = await rows(f"{every} id")
    await (await Store.open(old)).close()
    assert await rows(f"{every} seq, number") == before
    assert len(before) > len(EXPECTED["shown"]["unsent"]) > 0


async def test_round_that_is_told_late_names_those_who_played_it(store: Store) -> None:
    tables = Tables(store)
    for number, rounds in EXPECTED["sat"].items():
        for seq, people in rounds.items():
            then = await tables.earlier(int(number), int(seq))
            assert [row.user_id for row in then.seats] == people, f"table {number} at {seq}"


async def test_new_tables_and_posts_go_on_from_old_numbers(store: Store, rows: Rows) -> None:
    number = EXPECTED["cases"]["wish: quiet hours"]
    waiting = await store.due_outbox(EVER, 100, match_id=number)
    head = await store.head(number)
    await store.commit(note(head, outbox=[Post(kind="round")]), now=0)
    *before, after = await store.due_outbox(EVER, 100, match_id=number)
    assert ([row.nonce for row in before], after.kind) == ([row.nonce for row in waiting], "round")
    head = await store.create(table(channel_id=5), now=NOW)
    assert head.match_id == len(EXPECTED["shown"]["matches"]) + 1


@pytest.mark.deep
async def test_migration_that_was_killed_starts_again_from_beginning(
    old: str, rows: Rows, fresh: Callable[[], Awaitable[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = await fresh()
    await write_old(whole)
    monkeypatch.setenv(GIVEN, "the same key for both")
    with Migrator() as migrator:
        status, steps = migrator.migrate(whole)
        assert status == 0
        assert steps is not None
        assert steps > 500
        untouched, expected = await _contents(old), await _contents(whole)
        for last in part((steps * 3 // 4, steps // 50, steps // 2, steps - 3, steps - 1)):
            assert migrator.migrate(old, last) == (-signal.SIGKILL, None)
            assert await rows("SELECT version_num FROM alembic_version") == [(REVISION,)], (
                f"killed at {last} of {steps}"
            )
            assert await _contents(old) == untouched, f"killed at {last} of {steps}"
        assert migrator.migrate(old)[0] == 0
    assert await rows("SELECT version_num FROM alembic_version") == [(newest(),)]
    assert await _contents(old) == expected


async def _contents(url: str) -> dict[str, list[tuple[Any, ...]]]:
    engine = make_engine(parse_url(url))
    found = await contents(engine)
    await engine.dispose()
    return found


async def test_counting_its_leaderboards_anew_gives_what_it_has(store: Store, rows: Rows) -> None:
    tables = ("standings", "recents", "bests", "bands WHERE people <> 0")
    before = [await rows(f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4") for table in tables]
    assert len(before[0]) > 10
    await store.rebuild_standings()
    assert [await rows(f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4") for table in tables] == before
