"""`compose.yaml` with PostgreSQL, two bot processes and a local Discord in a container.

The test is skipped without images or container tools. On Debian, the tools are podman, buildah, runc, catatonit,
aardvark-dns and iptables. `test_files` checks the file in any case.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from tests.deploy.conftest import PATIENCE, WITHOUT_LIMITS, run_podman
from tests.project.sources import ROOT

POSTGRES = os.environ.get("BONEYARD_POSTGRES_IMAGE", "postgres:17")
PROJECT = f"boneyardtest{os.getpid()}"
TOKEN = "MTIz.abc.def"
DISCORD = f"""\
import asyncio
from pathlib import Path
from bot.playground.server import LocalDiscord
async def main():
    async with LocalDiscord(None, port=8710, token='{TOKEN}') as discord:
        Path('/tmp/address').write_text(discord.address)
        await asyncio.Event().wait()
asyncio.run(main())
"""
ADA = """\
import asyncio
from pathlib import Path
from tests.playground.page_user import PageUser
async def main():
    async with PageUser(Path('/tmp/address').read_text(), 'Ada') as ada:
        place = (await ada.get('/local/state'))['channels'][0]['id']
        await ada.wait_for_answer(place, await ada.use_command(place, 'tiles', 'new', seats=2))
        await ada.wait_for_message(place, lambda one: 'Join' in str(one['components']))
asyncio.run(main())
"""
OVERRIDE = """\
services:
  discord:
    image: {image}
    entrypoint: ["/opt/boneyard/bin/python", "-c", {discord!r}]
    volumes: ["{page_user}:/checks/tests/playground/page_user.py:ro"]  # the image contains no tests
    tmpfs: [/tmp]
    stop_grace_period: 0s  # it would not hear that it is to stop
  bot-0: &bot
    image: {image}
    network_mode: "service:discord"  # a local Discord is for its own machine
    stdin_open: true
    command: ["run", "--shards", "2", "--shard-ids", "0", "--local", "http://127.0.0.1:8710"]
    depends_on: {{postgres: {{condition: service_started}}, discord: {{condition: service_started}}}}
  bot-1:
    <<: *bot
    environment: {{BONEYARD_STATUS: "9465"}}
    command: ["run", "--shards", "2", "--shard-ids", "1", "--local", "http://127.0.0.1:8710"]
"""


@pytest.fixture(scope="module")
def started(image: str, run_options: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    if run_podman("image", "exists", POSTGRES, check=False).returncode:
        pytest.skip(f"there is no image {POSTGRES}: set BONEYARD_POSTGRES_IMAGE; .ci/base makes localhost/postgres")
    root = tmp_path_factory.mktemp("compose")
    folder = root / "deploy"
    shutil.copytree(ROOT / "deploy", folder)
    filled = {"DISCORD_TOKEN": TOKEN, "POSTGRES_PASSWORD": "abc123", "BONEYARD_PRIVACY_KEY": "0123456789abcdef"}
    text = (folder / ".env.example").read_text(encoding="utf-8")
    for name, value in filled.items():
        text = re.sub(rf"^{name}=$", f"{name}={value}", text, flags=re.MULTILINE)
    (folder / ".env").write_text(f"{text}POSTGRES_IMAGE={POSTGRES}\n", encoding="utf-8")
    override = OVERRIDE.format(image=image, discord=DISCORD, page_user=ROOT / "tests/playground/page_user.py")
    (folder / "try.yaml").write_text(override, encoding="utf-8")
    environment = dict(os.environ)
    if run_options == WITHOUT_LIMITS:
        limits = 'default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]'
        (root / "containers.conf").write_text(f'[containers]\n{limits}\n[engine]\nruntime = "runc"\n')
        environment["CONTAINERS_CONF"] = str(root / "containers.conf")

    def run_compose(*arguments: str) -> subprocess.CompletedProcess[str]:
        files = ("-f", "compose.yaml", "-f", "try.yaml")
        command = [sys.executable, "-m", "podman_compose", "-p", PROJECT, *files, *arguments]
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)

    try:
        done = run_compose("up", "-d", "--no-build")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "Error" not in done.stderr, done.stderr
        yield
    finally:
        run_compose("down", "-v")


def wait_until_healthy(bot: str) -> str:
    deadline = time.monotonic() + PATIENCE
    while True:
        result = run_podman("exec", bot, "boneyard", "health", check=False)
        if result.returncode == 0 and result.stdout.count(" ok  ") == 5 and "gateway: connected" in result.stdout:
            return result.stdout
        assert time.monotonic() < deadline, result.stdout + run_podman("logs", bot, check=False).stderr[-3000:]
        time.sleep(0.5)


def list_unexplained_errors(log: str) -> list[str]:
    entries = [(line, json.loads(line)) for line in log.splitlines() if line.startswith("{")]
    retries = [
        number for number, (_, one) in enumerate(entries) if one["event"].startswith("the database does its work again")
    ]
    has_open_connection = any(one["event"].startswith("the database does not let go") for _, one in entries)

    def is_explained(number: int, event: str) -> bool:
        if event.startswith("the database does not answer"):
            return any(later > number for later in retries)
        return event.startswith("Exception closing connection") and has_open_connection

    errors = [(number, line, one) for number, (line, one) in enumerate(entries) if one["level"] == "error"]
    return [line for number, line, one in errors if not is_explained(number, one["event"])]


@pytest.mark.usefixtures("started")
def test_composed_processes_are_healthy_open_table_and_stop() -> None:
    bots = [f"{PROJECT}_bot-{number}_1" for number in (0, 1)]
    for bot in bots:
        assert " ok  database: answers" in wait_until_healthy(bot)
        config = run_podman("exec", bot, "sh", "-c", "id -u; touch /opt/boneyard/x", check=False)
        assert (config.stdout, "Read-only file system" in config.stderr) == ("10001\n", True)
    run_podman("exec", "--workdir=/checks", f"{PROJECT}_discord_1", "/opt/boneyard/bin/python", "-c", ADA)
    for bot in bots:
        run_podman("stop", "--time=60", bot)
        assert run_podman("inspect", "--format={{.State.ExitCode}}", bot).stdout == "0\n"
        log = run_podman("logs", bot).stderr
        assert list_unexplained_errors(log) == [], log
