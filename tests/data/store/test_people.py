"""People's own settings."""

from data.store import Person, Store
from tests.data.store.scene import ADA, GRACE, NOW


async def test_a_newcomer_confirms_moves_and_is_called_in_the_channel(store: Store):
    assert await store.person(ADA) == Person(user_id=ADA, quick=False, pings="channel")


async def test_a_setting_is_kept_and_the_others_stay(store: Store):
    assert await store.set_person(ADA, quick=True, now=NOW) == Person(user_id=ADA, quick=True, pings="channel")
    assert await store.set_person(ADA, pings="dm", now=NOW + 1) == Person(user_id=ADA, quick=True, pings="dm")
    assert await store.set_person(ADA, quick=False, now=NOW + 2) == Person(user_id=ADA, quick=False, pings="dm")
    assert await store.person(ADA) == Person(user_id=ADA, quick=False, pings="dm")
    assert await store.person(GRACE) == Person(user_id=GRACE)


async def test_changing_nothing_changes_nothing(store: Store):
    assert await store.set_person(ADA, now=NOW) == Person(user_id=ADA)
