"""The container image: its contents, and a bot that runs unprivileged on a read-only file system.

The tests are skipped without container tools or a base image.
"""

import asyncio
import json
import os
import tomllib
from asyncio.subprocess import PIPE

from bot.playground.server import LocalDiscord
from tests.bot.local_bot import list_button_labels
from tests.deploy.conftest import PATIENCE, run_podman
from tests.playground.page_user import PageUser
from tests.postgres.servers import find_free_port
from tests.project.sources import ROOT


def test_image_contains_bot_without_build_tools_or_secrets(image: str, run_options: tuple[str, ...]) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert run_podman("run", "--rm", *run_options, image, "--version").stdout == f"boneyard {version}\n"
    programs = "command -v pip uv hatchling || echo none; test -e /build || echo no build"
    script = f"id -u; {programs}; ls -A /data; touch /data/x && echo mine"
    output = run_podman("run", "--rm", "--read-only", *run_options, "--entrypoint", "sh", image, "-c", script).stdout
    assert output.splitlines() == ["10001", "none", "no build", "mine"]
    inspected = json.loads(run_podman("image", "inspect", image).stdout)[0]
    config = inspected["Config"]
    assert config["User"] == "10001:10001"
    assert config["StopSignal"] == "SIGTERM"
    assert inspected["Healthcheck"]["Test"] == ["CMD", "boneyard", "health"]
    assert "TOKEN" not in json.dumps(config)


async def test_bot_in_image_plays_reports_status_and_stops(image: str, run_options: tuple[str, ...]) -> None:
    name, port = f"boneyard-test-{os.getpid()}", str(find_free_port())
    restrictions = ("--read-only", "--tmpfs=/tmp", "--cap-drop=all", "--security-opt=no-new-privileges")
    async with LocalDiscord(None, port=0) as discord, PageUser(discord.address, "Ada") as ada:
        bot = await asyncio.create_subprocess_exec(
            *("podman", "run", "--rm", "--interactive", f"--name={name}", *run_options, *restrictions),
            *("--env=DISCORD_TOKEN", f"--env=BONEYARD_STATUS={port}", image, "run", "--local", discord.url),
            env=os.environ | {"DISCORD_TOKEN": discord.token},
            stdin=PIPE,
            stderr=PIPE,
        )
        try:
            async with asyncio.timeout(PATIENCE):
                await discord.gateway.connected.wait()
            place = discord.world.welcome_channel
            await ada.wait_for_answer(place, await ada.use_command(place, "tiles", "new", seats=2))
            await ada.wait_for_message(place, lambda one: "Join" in list_button_labels(one))
            health = run_podman("exec", name, "boneyard", "health")
            assert health.stdout.count(" ok  ") == 5
            result = run_podman(
                "exec", name, "sh", "-c", "stat -c '%u %a' /data/boneyard.db; touch /opt/boneyard/x", check=False
            )
            assert result.stdout == "10001 600\n"
            assert "Read-only file system" in result.stderr
            await asyncio.to_thread(run_podman, "stop", "--time=60", name)
            async with asyncio.timeout(PATIENCE):
                assert await bot.wait() == 0
        finally:
            await asyncio.to_thread(run_podman, "rm", "--force", name, check=False)
