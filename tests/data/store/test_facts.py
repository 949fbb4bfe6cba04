"""The owner of a database and the key of its fingerprints, on SQLite and PostgreSQL."""

import asyncio

from sqlalchemy import make_url

from data.store.connection.facts import Owner
from data.store.connection.privacy_key import PrivacyKey
from data.store.connection.store_errors import DatabaseOwnerError
from data.store.store import Store
from tests.data.store.scene import NOW
from tests.data.store.server import BOTH_DATABASES
from tests.data.store.statements import Sql


async def test_one_of_many_concurrent_bots_owns_database(store: Store, other: Store):
    claims = [(store, other)[number % 2].claim(Owner(number)) for number in range(1, 9)]
    results = await asyncio.gather(*claims, return_exceptions=True)
    owner = await store.operations.load_owner()
    assert [number for number, refused in enumerate(results, 1) if refused is None] == [owner.application_id]
    assert {type(refused) for refused in results} == {type(None), DatabaseOwnerError}
    await other.claim(owner)
    await other.operations.change_owner(Owner(99))
    assert await store.operations.load_owner() == Owner(99)


async def test_transferred_playground_is_no_longer_playground(store: Store):
    assert await store.operations.load_owner() is None
    await store.claim(Owner(5, playground=True))
    assert await store.operations.load_owner() == Owner(5, playground=True)
    await store.operations.change_owner(Owner(5))
    assert await store.operations.load_owner() == Owner(5)


@BOTH_DATABASES
async def test_privacy_key_is_in_server_table_or_beside_sqlite_file(store: Store, sql: Sql, url: str):
    await store.erasure.erase_user(7, left_match_ids=[], now=NOW)
    (first,) = await store.erasure.load_fingerprints()
    await store.erasure.erase_user(7, left_match_ids=[], now=NOW)
    assert list(await store.erasure.load_fingerprints()) == [first], "the same person, the same mark"
    stored = await sql("SELECT value FROM facts WHERE name = 'privacy_key'")
    external_key = PrivacyKey(make_url(url)).load_external()
    assert (len(stored), external_key is None) == ((0, False) if url.startswith("sqlite") else (1, True))
    assert await store.scrub(), "nothing was held, so nothing is left"
