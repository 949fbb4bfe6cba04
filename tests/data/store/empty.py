"""An empty SQLite file with the current schema: created once per process, then copied for each test.

Creating the schema takes longer than most tests. Tests about opening a database create a new one instead.
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
