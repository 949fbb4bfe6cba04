"""Write the page of database faults: `uv run checks -m tests.tools.faults_page`."""

from typing import Final

from data.store.connection.faults import REMEDIES
from tests.project.sources import ROOT

PAGE: Final = ROOT / "docs" / "reference" / "database-faults.md"
HEAD: Final = """# Database faults

All commands and the log use these words. The table is generated from `data/store/connection/faults.py`: run
`uv run checks -m tests.tools.faults_page` after a change.

| fault | what happened | what to do |
|---|---|---|
"""


def format_page() -> str:
    rows = [(fault, *remedy.split(": ", 1)) for fault, remedy in REMEDIES.items()]
    return HEAD + "".join(f"| `{fault}` | {cause} | {fix} |\n" for fault, cause, fix in rows)


if __name__ == "__main__":
    PAGE.write_text(format_page(), encoding="utf-8")
