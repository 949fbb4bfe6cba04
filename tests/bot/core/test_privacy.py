"""Deletion of users and servers: simultaneous changes, and deletions known from a later backup."""

from pathlib import Path

import pytest

from bot.core.guild_settings import GuildSettings
from bot.core.privacy import RETENTION_AFTER_LEAVING, Privacy
from bot.tables.lobbies import TableRequest
from data.store.connection.privacy_key import compute_fingerprint, load_key
from engine.table.commands import Join
from engine.table.refusals import RefusalError
from engine.table.terms import THEMES
from tests.bot.use_cases import GUILD, UseCases, interrupt_once

ADA, GRACE, LINUS = 111_222_333_444_555_661, 111_222_333_444_555_662, 111_222_333_444_555_663
DAY = 24 * 3600 * 1000


@pytest.fixture
def privacy(use_cases: UseCases) -> Privacy:
    return Privacy(use_cases.store, use_cases.acts, lambda: use_cases.time)


async def open_table(use_cases: UseCases, channel: int, *people: int, seats: int) -> int:
    host, *others = people
    request = TableRequest(guild_id=GUILD, channel_id=channel, host_id=host, game="triominoes", seats=seats)
    table = await use_cases.acts.open(request, request=use_cases.create_request_id())
    for other in others:
        table = await use_cases.interact(table, Join(other))
    return table.head.match_id


async def test_user_joining_during_deletion_is_removed_again(
    use_cases: UseCases, privacy: Privacy, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await open_table(use_cases, 21, GRACE, ADA, seats=2)
    second = await open_table(use_cases, 22, GRACE, seats=2)
    interrupt_once(monkeypatch, use_cases.store.erasure, "erase_user", lambda: use_cases.interact(second, Join(ADA)))
    assert await privacy.delete(ADA) == (first, second)
    for match_id in (first, second):
        table = await use_cases.tables.load(match_id)
        assert table.head.state == "done"
        assert [row.user_id for row in table.seats].count(None) == 1
    assert ADA not in await use_cases.store.erasure.list_user_ids()


async def test_deletion_of_resigned_player_continues_match(use_cases: UseCases, privacy: Privacy) -> None:
    match_id = await open_table(use_cases, 21, ADA, GRACE, LINUS, seats=3)
    await use_cases.resign(await use_cases.tables.load(match_id), ADA)
    before = await use_cases.store.matches.list_events(match_id)
    assert await privacy.delete(ADA) == (match_id,)
    table = await use_cases.tables.load(match_id)
    assert (await use_cases.store.matches.list_events(match_id), table.head.state) == (before, "open")
    assert [row.user_id for row in table.seats] == [None, GRACE, LINUS]


async def test_match_ending_during_deletion_counts_for_others_only(
    use_cases: UseCases, privacy: Privacy, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await open_table(use_cases, 21, ADA, GRACE, LINUS, seats=3)
    await use_cases.resign(await use_cases.tables.load(match_id), ADA)
    late = UseCases(use_cases.store, time=use_cases.time, request_ids=use_cases.request_ids)
    interrupt_once(monkeypatch, use_cases.store.matches, "commit", lambda: privacy.delete(ADA))
    with pytest.raises(RefusalError, match="STALE"):
        await late.resign(await late.tables.load(match_id), GRACE)
    assert (await late.resign(await late.tables.load(match_id), GRACE)).head.state == "done"
    assert [line.user_id for line in await use_cases.store.results.list_results(match_id)] == [LINUS, GRACE]
    assert ADA not in await use_cases.store.erasure.list_user_ids()


async def test_deletions_from_later_backup_are_repeated(use_cases: UseCases, privacy: Privacy, tmp_path: Path) -> None:
    match_id = await open_table(use_cases, 21, ADA, GRACE, LINUS, seats=3)
    key = load_key(tmp_path / "boneyard.db")
    fingerprints = {compute_fingerprint(key, ADA): use_cases.time + 5, compute_fingerprint(key, 9): use_cases.time + 6}
    assert await privacy.repeat_deletions(fingerprints) == 1
    assert [row.user_id for row in (await use_cases.tables.load(match_id)).seats] == [None, GRACE, LINUS]
    assert await use_cases.store.erasure.load_fingerprints() == fingerprints


async def test_known_deletion_is_not_repeated(use_cases: UseCases, privacy: Privacy) -> None:
    await privacy.delete(ADA)
    match_id = await open_table(use_cases, 21, ADA, GRACE, seats=3)
    assert await privacy.repeat_deletions(await use_cases.store.erasure.load_fingerprints()) == 0
    assert (await use_cases.tables.load(match_id)).seats[0].user_id == ADA


async def test_no_guild_is_deleted_before_membership_is_known(use_cases: UseCases, privacy: Privacy) -> None:
    match_id = await open_table(use_cases, 21, ADA, seats=2)
    await privacy.note_left(GUILD)
    use_cases.time += RETENTION_AFTER_LEAVING
    assert await privacy.purge_overdue() == ()
    await privacy.reconcile_guilds({GUILD})
    assert await privacy.purge_overdue() == ()
    assert await use_cases.store.matches.find_head(match_id) is not None


async def test_departed_guilds_are_checked_once_an_hour(use_cases: UseCases, privacy: Privacy) -> None:
    await open_table(use_cases, 21, ADA, seats=2)
    await privacy.reconcile_guilds(set())
    assert await privacy.purge_overdue() == ()
    use_cases.time += RETENTION_AFTER_LEAVING - 1
    assert await privacy.purge_overdue() == ()
    use_cases.time += 1
    assert await privacy.purge_overdue() == (), "an hour is not over"
    use_cases.time += 3600 * 1000
    assert await privacy.purge_overdue() == (GUILD,)


def test_old_server_settings_are_read_with_current_defaults() -> None:
    assert GuildSettings.from_stored({"person": 3, "gone": True}) == GuildSettings(person=3)
    assert GuildSettings.from_stored(GuildSettings(channels=(5,), themes=THEMES[:1]).to_stored()) == GuildSettings(
        channels=(5,), themes=THEMES[:1]
    )


def test_thread_is_allowed_with_its_parent_channel() -> None:
    rules = GuildSettings(channels=(5, 6))
    assert rules.allows({99, 5})
    assert not rules.allows({99, 7})
    assert GuildSettings().allows({99})
