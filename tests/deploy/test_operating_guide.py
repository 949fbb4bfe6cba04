"""The commands of the guides to deployment, backup and upgrade, executed with a real bot.

Programs of the same names replace those of the machine: `systemctl` starts and stops the bot, `runuser` and `pip`
change nothing, and `sleep` advances the time in the database. All folders belong to the test.
"""

import asyncio
import itertools
import os
import re
import sys
from asyncio.subprocess import PIPE, STDOUT
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.playground.server import LocalDiscord
from data.store.store import Store
from tests.bot.local_bot import list_button_labels
from tests.deploy.conftest import PATIENCE
from tests.playground.page_user import PageUser
from tests.postgres.servers import find_free_port
from tests.project.guides import read_steps
from tests.project.sources import ROOT

PAGES = ("deploy.md", "back-up.md", "upgrade.md")
GUIDE = "\n".join((ROOT / "docs" / "how-to" / page).read_text(encoding="utf-8") for page in PAGES)
FOLDERS = ("/opt/boneyard", "/var/lib/boneyard", "/var/backups/boneyard", "/etc/")
PROGRAMS = {
    "systemctl": """
        case "$1 ${{*: -1}}" in
          "start boneyard")
            {python} -m bot run --local {discord} <{here}/stdin >>{here}/log 2>&1 &
            echo $! >{here}/pid ;;
          "stop boneyard")
            kill -TERM $(cat {here}/pid)
            tail --pid=$(cat {here}/pid) -f /dev/null ;;
          "daemon-reload daemon-reload") ;;
          *) echo "no guide does $*" >&2; exit 2 ;;
        esac""",
    "runuser": 'test "$1 $2 $3" = "-u boneyard --" || exit 2; shift 3; exec "$@"',
    "sleep": """exec {python} -c 'import sqlite3, sys
connection = sqlite3.connect("{here}/var/lib/boneyard/boneyard.db")
connection.execute("UPDATE pulses SET at = at - 1000 * ?", sys.argv[1:])
connection.commit()' "$1" """,
    "opt/boneyard/bin/boneyard": 'exec {python} -m bot "$@"',
    "opt/boneyard/bin/pip": 'echo "$@" >>{here}/installed',
}


def list_command_blocks(section: str) -> list[str]:
    (found,) = re.findall(rf"^## {section}\n(.*?)(?=^## |\Z)", GUIDE, re.MULTILINE | re.DOTALL)
    return [step.text for step in read_steps(found) if step.kind == "sh"]


class Machine:
    def __init__(self, root: Path, discord: LocalDiscord) -> None:
        self.root = root
        for folder in ("opt/boneyard/bin", "var/lib/boneyard", "var/backups/boneyard", "etc/systemd/system"):
            (root / folder).mkdir(parents=True, mode=0o700)
        for name, text in PROGRAMS.items():
            program = root / name
            script = text.format(here=root, python=sys.executable, discord=discord.url)
            program.write_text(f"#!/bin/bash\n{script}\n", encoding="utf-8")
            program.chmod(0o700)
        (root / "etc/boneyard.env").write_text(f"DISCORD_TOKEN={discord.token}\nBONEYARD_STATUS={find_free_port()}\n")
        os.mkfifo(root / "stdin")
        self.stdin = os.open(root / "stdin", os.O_RDWR)  # a local bot ends with it

    async def run_commands(self, text: str) -> tuple[int | None, str]:
        setup = next(
            block for block in list_command_blocks("On one machine, under systemd") if block.startswith("set -a")
        )
        script = "set -e\n" + setup + text
        for folder in FOLDERS:
            script = script.replace(folder, f"{self.root}{folder}")
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("BONEYARD", "DISCORD"))}
        shell = await asyncio.create_subprocess_exec(
            *("bash", "-c", script),
            cwd=ROOT,
            env=inherited | {"PATH": f"{self.root}:{os.environ['PATH']}"},
            stdout=PIPE,
            stderr=STDOUT,
        )
        async with asyncio.timeout(PATIENCE):
            output, _ = await shell.communicate()
        return shell.returncode, output.decode()

    async def follow_section(self, section: str, omitted: str = "\0") -> str:
        outputs = ""
        for block in list_command_blocks(section):
            lines = [line for line in block.splitlines(keepends=True) if omitted not in line]
            status, output = await self.run_commands("".join(lines))
            assert status == 0, output
            outputs += output
        return outputs

    async def wait_until_healthy(self) -> None:
        async with asyncio.timeout(PATIENCE):
            while True:
                status, output = await self.run_commands("/opt/boneyard/bin/boneyard health")
                if status == 0 and "gateway: connected" in output:
                    return

    async def load_seq(self) -> int:
        store = await Store.open(f"sqlite:///{self.root}/var/lib/boneyard/boneyard.db")
        head = await store.matches.find_head(1)
        await store.close()
        return head.seq


@pytest.fixture
async def discord() -> AsyncIterator[LocalDiscord]:
    async with LocalDiscord(None, port=0, token="MTIz.abc.def") as found:
        yield found


@pytest.fixture
async def machine(tmp_path: Path, discord: LocalDiscord) -> AsyncIterator[Machine]:
    found = Machine(tmp_path, discord)
    yield found
    os.close(found.stdin)
    await found.run_commands("systemctl stop boneyard || true")


async def click_join(machine: Machine, person: PageUser, place: str) -> int:
    before = await machine.load_seq()
    lobby = await person.wait_for_message(place, lambda one: "Join" in list_button_labels(one))
    await person.click(lobby, label="Join")
    async with asyncio.timeout(PATIENCE):
        for pause in itertools.repeat(0.05):
            if (after := await machine.load_seq()) > before:
                break
            await asyncio.sleep(pause)
    return after


async def test_upgrade_keeps_data_and_rollback_restores_previous_state(machine: Machine, discord: LocalDiscord) -> None:
    place = discord.world.welcome_channel
    assert (await machine.run_commands("systemctl start boneyard"))[0] == 0
    await machine.wait_until_healthy()
    async with PageUser(discord.address, "Ada") as ada, PageUser(discord.address, "Grace") as grace:
        await ada.wait_for_answer(place, await ada.use_command(place, "tiles", "new", seats=4))
        await ada.wait_for_message(place, lambda one: "Join" in list_button_labels(one))
        before = await machine.load_seq()
        output = await machine.follow_section("Backup")
        assert output.count("1 match") == 2, "copied, and put back beside it"

        output = await machine.follow_section("Upgrade")
        assert "FIX" not in output
        await machine.wait_until_healthy()
        assert await machine.load_seq() == before
        after = await click_join(machine, grace, place)

        with pytest.raises(AssertionError, match="stop the bot first"):
            await machine.follow_section("Rollback", omitted="systemctl stop")
        assert await machine.load_seq() == after
        output = await machine.follow_section("Rollback")
        assert "The old database is in" in output
        await machine.wait_until_healthy()
        assert await machine.load_seq() == before
        assert await click_join(machine, grace, place) > before
    installed = (machine.root / "installed").read_text().splitlines()
    assert installed[0] == "install --require-hashes --only-binary :all: -r deploy/requirements.txt"
    assert (machine.root / "etc/systemd/system/boneyard.service").read_bytes() == (
        ROOT / "deploy" / "boneyard.service"
    ).read_bytes()


def test_every_command_block_of_guide_can_be_executed() -> None:
    assert {"Backup", "Upgrade", "Rollback"} <= set(re.findall(r"^## (.+)$", GUIDE, re.MULTILINE))
    blocks = list_command_blocks("On one machine, under systemd") + list_command_blocks("In containers")
    for file in re.findall(r"\bdeploy/[\w./-]+", "\n".join(blocks)):
        assert (ROOT / file).exists() or file == "deploy/.env", file
