"""The image is built as the Containerfile says, and the bot in it plays as nobody in particular on a root that it
cannot write to. Where there are no tools for containers, or no image to start from, this skips and says so.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import tomllib
from asyncio.subprocess import PIPE
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.playground.person import Person
from bot.playground.server import LocalDiscord
from tests.bot.parlour import labels
from tests.bot.test_status import free_port
from tests.house.sources import ROOT

PATIENCE = 120.0
"""Seconds that anything may take on a busy machine before it counts as never happening."""
BASE = os.environ.get("BONEYARD_BASE_IMAGE", "python:3.13-slim")
"""What it starts from; `.ci/base` makes one out of Debian's packages where there is no registry for images."""
ORDINARY = ("--network=host",)
WITHOUT_LIMITS = (*ORDINARY, "--runtime=runc", "--ulimit=nofile=1024:1024", "--ulimit=nproc=4096:4096")
"""Where whoever runs the tests is in a container already."""
FROM_HERE = [
    f"--volume={file}:{file}:ro" for file in ("/etc/pip.conf", "/etc/ssl/certs", "/opt/wheels") if Path(file).exists()
]
"""How this machine comes to packages."""


def podman(*words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(["podman", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert not check or done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def ways() -> tuple[str, ...]:
    """How a container is run here."""
    if shutil.which("podman") is None or shutil.which("buildah") is None:
        pytest.skip("podman and buildah are not here (Debian: apt install podman buildah runc)")
    if podman("image", "exists", BASE, check=False).returncode:
        pytest.skip(f"there is no image {BASE}: set BONEYARD_BASE_IMAGE; .ci/base makes localhost/boneyard-base")
    for way in (ORDINARY, WITHOUT_LIMITS):
        if podman("run", "--rm", *way, BASE, "true", check=False).returncode == 0:
            return way
    pytest.skip("podman cannot run a container here")


@pytest.fixture(scope="module")
def image(ways: tuple[str, ...]) -> Iterator[str]:
    """The image."""
    name = f"localhost/boneyard-test-{os.getpid()}"
    built = ["buildah", "bud", "--layers", "--format=docker", "--isolation=chroot", "--network=host", *FROM_HERE]
    told = [*built, f"--build-arg=BASE={BASE}", f"--tag={name}", "--file=deploy/Containerfile", "."]
    done = subprocess.run(told, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    yield name
    podman("rmi", name, check=False)


def test_the_image_holds_the_bot_and_neither_what_built_it_nor_a_secret(image: str, ways: tuple[str, ...]) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert podman("run", "--rm", *ways, image, "--version").stdout == f"boneyard {version}\n"
    look = "id -u; command -v pip uv hatchling || echo none; ls -A /data /build 2>&1; touch /data/x && echo mine"
    said = podman("run", "--rm", "--read-only", *ways, "--entrypoint", "sh", image, "-c", look).stdout
    assert said.splitlines() == [
        "10001",
        "none",
        "ls: cannot access '/build': No such file or directory",
        "/data:",
        "mine",
    ]
    inspected = json.loads(podman("image", "inspect", image).stdout)[0]
    config = inspected["Config"]
    assert config["User"] == "10001:10001"
    assert config["StopSignal"] == "SIGTERM"
    assert inspected["Healthcheck"]["Test"] == ["CMD", "boneyard", "health"]
    assert "TOKEN" not in json.dumps(config)


async def test_the_bot_in_it_plays_tells_how_it_is_and_ends_when_it_is_told_to(
    image: str, ways: tuple[str, ...]
) -> None:
    name, port = f"boneyard-test-{os.getpid()}", str(free_port())
    closed = ("--read-only", "--tmpfs=/tmp", "--cap-drop=all", "--security-opt=no-new-privileges")
    async with LocalDiscord(None, port=0) as discord, Person(discord.address, "Ada") as ada:
        bot = await asyncio.create_subprocess_exec(
            *("podman", "run", "--rm", "--interactive", f"--name={name}", *ways, *closed),
            *("--env=DISCORD_TOKEN", f"--env=BONEYARD_STATUS={port}", image, "run", "--local", discord.url),
            env=os.environ | {"DISCORD_TOKEN": discord.token},
            stdin=PIPE,
            stderr=PIPE,
        )
        try:
            async with asyncio.timeout(PATIENCE):
                await discord.gateway.connected.wait()
            place = discord.world.welcome_channel
            await ada.answer(place, await ada.slash(place, "tiles", "new", seats=2))
            await ada.wait_for(place, lambda one: "Join" in labels(one))
            asked = podman("exec", name, "boneyard", "health")
            assert asked.stdout.count(" ok  ") == 5
            where = podman(
                "exec", name, "sh", "-c", "stat -c '%u %a' /data/boneyard.db; touch /opt/boneyard/x", check=False
            )
            assert where.stdout == "10001 600\n"
            assert "Read-only file system" in where.stderr
            await asyncio.to_thread(podman, "stop", "--time=60", name)
            async with asyncio.timeout(PATIENCE):
                assert await bot.wait() == 0
        finally:
            await asyncio.to_thread(podman, "rm", "--force", name, check=False)
