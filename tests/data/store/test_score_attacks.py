"""Score attack in the store: one secret a day, one attempt that counts, one list a server."""

import asyncio
from dataclasses import replace

from data.store.solo.store import SoloStore, StoredAttack
from data.store.store import Store
from tests.data.store.scene import ADA, GRACE, LINUS, NOW
from tests.data.store.server import BOTH_DATABASES

DAY, NEXT = "2026-11-02", "2026-11-03"
SERVER, OTHER = 71, 72


async def begin_attack(store: Store, user_id: int, day: str = DAY, *, practice: bool = False) -> StoredAttack:
    return await SoloStore(store.transactions).begin_attack(user_id, day, practice=practice, began=NOW, now=NOW + 10)


async def finish_attack(store: Store, user_id: int, points: int, *, at: int = NOW + 20, server: int = SERVER) -> None:
    stored = await begin_attack(store, user_id)
    assert await SoloStore(store.transactions).save_attack(
        replace(stored, acts="+", points=points, guild_id=server, ended_at=at)
    )


async def test_concurrent_first_requests_get_one_score_attack_secret(store: Store, other: Store) -> None:
    asked = (
        SoloStore(one.transactions).load_attack_secret(DAY, bytes([number]) * 32, now=NOW)
        for number, one in enumerate((store, other) * 4)
    )
    found = await asyncio.gather(*asked)
    assert len(set(found)) == 1
    assert await SoloStore(store.transactions).find_attack_secret(DAY) == found[0]
    assert await SoloStore(store.transactions).find_attack_secret(NEXT) is None, (
        "nobody can know what has not been drawn"
    )


async def test_second_device_saving_same_score_attack_is_refused(store: Store, other: Store) -> None:
    phone, use_cases = await asyncio.gather(begin_attack(store, ADA), begin_attack(other, ADA))
    assert phone == use_cases
    results = await asyncio.gather(
        SoloStore(store.transactions).save_attack(replace(phone, acts="+")),
        SoloStore(other.transactions).save_attack(replace(use_cases, acts="U0,0=555")),
    )
    assert sorted(results) == [False, True]


@BOTH_DATABASES
async def test_score_attack_list_ranks_only_listed_counted_attempts(store: Store) -> None:
    await finish_attack(store, ADA, 200, at=NOW + 30)
    await finish_attack(store, GRACE, 200, at=NOW + 20)
    await finish_attack(store, LINUS, 300, server=OTHER)
    practised = await begin_attack(store, ADA, practice=True)
    assert not practised.counted
    await SoloStore(store.transactions).save_attack(replace(practised, points=900, guild_id=SERVER, ended_at=NOW))
    listed = await SoloStore(store.transactions).list_attacks(SERVER, DAY)
    assert [(one.user_id, one.points) for one in listed] == [(GRACE, 200), (ADA, 200)]
    assert await SoloStore(store.transactions).list_attacks(SERVER, NEXT) == []
    person = await store.users.load_person(GRACE)
    await store.users.set_person(GRACE, preferences=replace(person.preferences, listed=False), now=NOW)
    assert [one.user_id for one in await SoloStore(store.transactions).list_attacks(SERVER, DAY)] == [ADA]


async def test_forgotten_player_gets_no_second_counted_attempt_that_day(store: Store) -> None:
    await finish_attack(store, ADA, 200)
    assert await store.erasure.erase_user(ADA, left_match_ids=(), now=NOW + 50)
    assert await SoloStore(store.transactions).list_attacks(SERVER, DAY) == []
    again = await begin_attack(store, ADA)
    assert not again.counted
    assert again.acts == ""
    assert (await begin_attack(store, GRACE)).counted
    # A day that begins later knows nothing of it.
    assert (
        await SoloStore(store.transactions).begin_attack(ADA, NEXT, practice=False, began=NOW + 51, now=NOW + 60)
    ).counted


async def test_score_attack_is_shared_once_unless_sharing_failed(store: Store) -> None:
    await begin_attack(store, ADA)
    assert not await SoloStore(store.transactions).begin_sharing_attack(ADA, DAY, now=NOW), "it is not ended"
    await finish_attack(store, ADA, 100)
    assert await SoloStore(store.transactions).begin_sharing_attack(ADA, DAY, now=NOW)
    assert not await SoloStore(store.transactions).begin_sharing_attack(ADA, DAY, now=NOW)
    await SoloStore(store.transactions).cancel_sharing_attack(ADA, DAY)
    assert await SoloStore(store.transactions).begin_sharing_attack(ADA, DAY, now=NOW)


async def test_pruning_keeps_points_and_deletes_unfinished_old_attempts(store: Store) -> None:
    await SoloStore(store.transactions).load_attack_secret(DAY, bytes(32), now=NOW)
    await finish_attack(store, ADA, 100)
    await begin_attack(store, GRACE)
    await begin_attack(store, ADA, practice=True)
    assert await SoloStore(store.transactions).prune_attacks(DAY) == 0, "of this day nothing goes yet"
    assert await SoloStore(store.transactions).prune_attacks(NEXT) == 2
    stored = await SoloStore(store.transactions).find_attack(ADA, DAY, practice=False)
    assert (stored.points, stored.acts) == (100, "")
    assert await SoloStore(store.transactions).list_attack_points(ADA) == [(DAY, 100)]
    assert await SoloStore(store.transactions).find_attack_secret(DAY) is None


async def test_purged_guild_leaves_score_attack_points_to_players(store: Store) -> None:
    await finish_attack(store, ADA, 100)
    await store.guilds.note_guild_left(SERVER, NOW, now=NOW)
    await store.guilds.purge_guild(SERVER, left_by=NOW)
    stored = await SoloStore(store.transactions).find_attack(ADA, DAY, practice=False)
    assert stored.guild_id is None
    assert await SoloStore(store.transactions).list_attack_points(ADA) == [(DAY, 100)]


async def test_score_attack_export_excludes_tile_order(store: Store) -> None:
    await SoloStore(store.transactions).load_attack_secret(DAY, b"boneyard" * 4, now=NOW)
    await finish_attack(store, ADA, 100)
    held = await store.erasure.export_user(ADA)
    assert [(row["day"], row["points"]) for row in held["attacks"]] == [(DAY, 100)]
    assert "boneyardboneyard" not in str(held)
