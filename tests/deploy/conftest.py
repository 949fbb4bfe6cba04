"""Fixtures for images and containers, if container tools are installed. All tests are deep."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.project.sources import ROOT

PATIENCE = 300.0  # Timeout in seconds for any step, with a margin for a busy machine
BASE = os.environ.get("BONEYARD_BASE_IMAGE", "python:3.13-slim")
"""The base image. Without a registry, `.ci/base` creates one from Debian packages."""
DEFAULT_OPTIONS = ("--network=host",)
WITHOUT_LIMITS = (*DEFAULT_OPTIONS, "--runtime=runc", "--ulimit=nofile=1024:1024", "--ulimit=nproc=4096:4096")
"""Options for tests that already run inside a container."""
PACKAGE_SOURCE_MOUNTS = [
    f"--volume={file}:{file}:ro" for file in ("/etc/pip.conf", "/etc/ssl/certs") if Path(file).exists()
]
"""The package source of this machine."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.deep)


def run_podman(*arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(["podman", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert not check or done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def run_options() -> tuple[str, ...]:
    if shutil.which("podman") is None or shutil.which("buildah") is None:
        pytest.skip("podman and buildah are not here (Debian: apt install podman buildah runc)")
    if run_podman("image", "exists", BASE, check=False).returncode:
        pytest.skip(f"there is no image {BASE}: set BONEYARD_BASE_IMAGE; .ci/base makes localhost/boneyard-base")
    for options in (DEFAULT_OPTIONS, WITHOUT_LIMITS):
        if run_podman("run", "--rm", *options, BASE, "true", check=False).returncode == 0:
            return options
    pytest.skip("podman cannot run a container here")


@pytest.fixture(scope="module")
def image(run_options: tuple[str, ...]) -> Iterator[str]:
    name = f"localhost/boneyard-test-{os.getpid()}"
    command = ["buildah", "bud", "--layers", "--format=docker", "--isolation=chroot", "--network=host"]
    command += [*PACKAGE_SOURCE_MOUNTS, f"--build-arg=BASE={BASE}", f"--tag={name}", "--file=deploy/Containerfile", "."]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    yield name
    run_podman("rmi", name, check=False)
