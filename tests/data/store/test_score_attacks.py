"""Score attack in the store: one secret for each day, one counted attempt for each user, one list for each server."""

import asyncio
from dataclasses import replace

from data.store.solo.store import SoloStore, StoredAttack
from data.store.store import Store
from tests.data.store.scene import ADA, GRACE, LINUS, NOW
from tests.data.store.server import BOTH_DATABASES

DAY, NEXT = "2026-11-02", "2026-11-03"
SERVER, OTHER = 71, 72


async def begin_attack(solo: SoloStore, user_id: int, day: str = DAY, *, practice: bool = False) -> StoredAttack:
    return await solo.begin_attack(user_id, day, practice=practice, began=NOW, now=NOW + 10)


async def finish_attack(
    solo: SoloStore, user_id: int, points: int, *, at: int = NOW + 20, server: int = SERVER
) -> None:
    stored = await begin_attack(solo, user_id)
    assert await solo.save_attack(replace(stored, acts="+", points=points, guild_id=server, ended_at=at))


async def test_concurrent_first_requests_get_one_score_attack_secret(
    store: Store, solo: SoloStore, other: Store
) -> None:
    asked = (
        SoloStore(one.transactions).load_attack_secret(DAY, bytes([number]) * 32, now=NOW)
        for number, one in enumerate((store, other) * 4)
    )
    found = await asyncio.gather(*asked)
    assert len(set(found)) == 1
    assert await solo.find_attack_secret(DAY) == found[0]
    assert await solo.find_attack_secret(NEXT) is None, "nobody can know what has not been drawn"


async def test_second_device_saving_same_score_attack_is_refused(solo: SoloStore, other: Store) -> None:
    phone, use_cases = await asyncio.gather(begin_attack(solo, ADA), begin_attack(SoloStore(other.transactions), ADA))
    assert phone == use_cases
    results = await asyncio.gather(
        solo.save_attack(replace(phone, acts="+")),
        SoloStore(other.transactions).save_attack(replace(use_cases, acts="U0,0=555")),
    )
    assert sorted(results) == [False, True]


@BOTH_DATABASES
async def test_score_attack_list_ranks_only_listed_counted_attempts(store: Store, solo: SoloStore) -> None:
    await finish_attack(solo, ADA, 200, at=NOW + 30)
    await finish_attack(solo, GRACE, 200, at=NOW + 20)
    await finish_attack(solo, LINUS, 300, server=OTHER)
    practised = await begin_attack(solo, ADA, practice=True)
    assert not practised.counted
    await solo.save_attack(replace(practised, points=900, guild_id=SERVER, ended_at=NOW))
    listed = await solo.list_attacks(SERVER, DAY)
    assert [(one.user_id, one.points) for one in listed] == [(GRACE, 200), (ADA, 200)]
    assert await solo.list_attacks(SERVER, NEXT) == []
    person = await store.users.load_person(GRACE)
    await store.users.set_person(GRACE, preferences=replace(person.preferences, listed=False), now=NOW)
    assert [one.user_id for one in await solo.list_attacks(SERVER, DAY)] == [ADA]


async def test_forgotten_player_gets_no_second_counted_attempt_that_day(store: Store, solo: SoloStore) -> None:
    await finish_attack(solo, ADA, 200)
    assert await store.erasure.erase_user(ADA, left_match_ids=(), now=NOW + 50)
    assert await solo.list_attacks(SERVER, DAY) == []
    again = await begin_attack(solo, ADA)
    assert not again.counted
    assert again.acts == ""
    assert (await begin_attack(solo, GRACE)).counted
    # An attempt of a later day is not affected.
    assert (await solo.begin_attack(ADA, NEXT, practice=False, began=NOW + 51, now=NOW + 60)).counted


async def test_score_attack_is_shared_once_unless_sharing_failed(solo: SoloStore) -> None:
    await begin_attack(solo, ADA)
    assert not await solo.begin_sharing_attack(ADA, DAY, now=NOW), "it is not ended"
    await finish_attack(solo, ADA, 100)
    assert await solo.begin_sharing_attack(ADA, DAY, now=NOW)
    assert not await solo.begin_sharing_attack(ADA, DAY, now=NOW)
    await solo.cancel_sharing_attack(ADA, DAY)
    assert await solo.begin_sharing_attack(ADA, DAY, now=NOW)


async def test_pruning_keeps_points_and_deletes_unfinished_old_attempts(solo: SoloStore) -> None:
    await solo.load_attack_secret(DAY, bytes(32), now=NOW)
    await finish_attack(solo, ADA, 100)
    await begin_attack(solo, GRACE)
    await begin_attack(solo, ADA, practice=True)
    assert await solo.prune_attacks(DAY) == 0, "of this day nothing goes yet"
    assert await solo.prune_attacks(NEXT) == 2
    stored = await solo.find_attack(ADA, DAY, practice=False)
    assert (stored.points, stored.acts) == (100, "")
    assert await solo.list_attack_points(ADA) == [(DAY, 100)]
    assert await solo.find_attack_secret(DAY) is None


async def test_purged_guild_leaves_score_attack_points_to_players(store: Store, solo: SoloStore) -> None:
    await finish_attack(solo, ADA, 100)
    await store.guilds.note_guild_left(SERVER, NOW, now=NOW)
    await store.guilds.purge_guild(SERVER, left_by=NOW)
    stored = await solo.find_attack(ADA, DAY, practice=False)
    assert stored.guild_id is None
    assert await solo.list_attack_points(ADA) == [(DAY, 100)]


async def test_score_attack_export_excludes_tile_order(store: Store, solo: SoloStore) -> None:
    await solo.load_attack_secret(DAY, b"boneyard" * 4, now=NOW)
    await finish_attack(solo, ADA, 100)
    held = await store.erasure.export_user(ADA)
    assert [(row["day"], row["points"]) for row in held["attacks"]] == [(DAY, 100)]
    assert "boneyardboneyard" not in str(held)
