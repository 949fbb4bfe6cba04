"""An empty SQLite file of today's form, for tests that begin with one: made once in a process, then copied.

To migrate takes longer than most tests. Those that are about opening a database open one that is not there yet.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from data.store.store import Store

_made: list[bytes] = []


async def laid(url: str) -> str:
    file = Path(url.removeprefix("sqlite:///"))
    if not url.startswith("sqlite:///") or _is_there(file):
        return url
    if not _made:
        with TemporaryDirectory() as folder:
            made = Path(folder) / "empty.db"
            store = await Store.open(f"sqlite:///{made}")
            await store.close()
            _keep(made)
        if _is_there(file):
            return url
    _copy(file)
    return url


def _is_there(file: Path) -> bool:
    return file.exists()


def _keep(file: Path) -> None:
    _made.append(file.read_bytes())


def _copy(file: Path) -> None:
    file.touch(0o600)  # as the store makes it
    file.write_bytes(_made[0])
