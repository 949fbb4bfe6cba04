"""The databases of the bench are as the store would have written them."""

from pathlib import Path

from data.store import Store
from engine.table import replay
from tests.bench.growth_books import GAME, written


async def test_a_database_of_the_bench_is_read_like_any_other(tmp_path: Path) -> None:
    books = await written(tmp_path, 60)
    store = await Store.open(books.url)
    try:
        table, story = replay(await store.log(books.match))
        assert story is not None
        assert story.match.ended
        assert table.state == "done"
        head = await store.head(books.match)
        assert head is not None
        assert (head.game, head.state, head.seq) == (GAME, "done", table.seq)
        sitting = {row.user_id for row in table.seats}
        assert sitting
        page = await store.leaderboard(books.guild, GAME, size=100)
        assert {row.user_id for row in page.rows} >= set(books.users)
    finally:
        await store.close()
