"""An empty SQLite file with the current schema: created once per process, then copied for each test.

Creating the schema takes longer than most tests. Tests about opening a database create a new one instead.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from data.store.store import Store

_template: list[bytes] = []


async def prepare_database(url: str) -> str:
    file = Path(url.removeprefix("sqlite:///"))
    if not url.startswith("sqlite:///") or _is_there(file):
        return url
    if not _template:
        with TemporaryDirectory() as folder:
            template_file = Path(folder) / "empty.db"
            store = await Store.open(f"sqlite:///{template_file}")
            await store.close()
            _save_template(template_file)
        if _is_there(file):
            return url
    _copy_template(file)
    return url


def _is_there(file: Path) -> bool:
    return file.exists()


def _save_template(file: Path) -> None:
    _template.append(file.read_bytes())


def _copy_template(file: Path) -> None:
    file.touch(0o600)  # as the store makes it
    file.write_bytes(_template[0])
