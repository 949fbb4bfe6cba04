"""An empty SQLite file with the current schema: created once per process, then copied for each test.

Creating the schema takes longer than most tests. Tests about opening a database create a new one instead.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from data.store.store import Store

_template: list[bytes] = []


async def prepare_database(url: str) -> str:
    """Create the database of this URL, if it is a file that does not exist."""
    if url.startswith("sqlite:///"):
        if not _template:
            with TemporaryDirectory() as folder:
                file = Path(folder) / "empty.db"
                await (await Store.open(f"sqlite:///{file}")).close()
                _save_template(file)
        _copy_template(Path(url.removeprefix("sqlite:///")))
    return url


def _save_template(file: Path) -> None:
    _template.append(file.read_bytes())


def _copy_template(file: Path) -> None:
    if not file.exists():
        file.touch(0o600)  # as the store makes it
        file.write_bytes(_template[0])
