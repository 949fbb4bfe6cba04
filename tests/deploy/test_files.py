"""The deployment files: options, privileges and pinned packages."""

import os
import re
import shutil
import subprocess
import tomllib
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.project.sources import ROOT

DEPLOY = ROOT / "deploy"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONTAINERFILE = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
BOTS = {name: service for name, service in COMPOSE["services"].items() if name.startswith("bot")}
UNIT = (DEPLOY / "boneyard.service").read_text(encoding="utf-8")
EXAMPLE = (DEPLOY / ".env.example").read_text(encoding="utf-8")


def read_pins(file: str) -> dict[str, tuple[Requirement, list[str]]]:
    blocks = (DEPLOY / file).read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    found = {}
    for block in blocks:
        wanted, *hashes = block.split(" --hash=")
        requirement = Requirement(wanted.strip())
        found[canonicalize_name(requirement.name)] = (requirement, [one.strip() for one in hashes])
    return found


IMAGE, BUILD = read_pins("requirements.txt"), read_pins("requirements-build.txt")


@pytest.mark.parametrize("file", ["requirements.txt", "requirements-build.txt"])
def test_packages_are_pinned_by_hash_without_source_urls(file: str) -> None:
    for requirement, hashes in read_pins(file).values():
        assert re.fullmatch(r"==[\w.]+", str(requirement.specifier)), requirement
        assert hashes
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", one) for one in hashes)
    text = (DEPLOY / file).read_text(encoding="utf-8")
    assert "://" not in text
    assert not re.search(r"^\s*(-|#)(?!-hash)", text, re.MULTILINE)


def test_pinned_packages_match_project_requirements() -> None:
    project = PROJECT["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["postgres"]]
    for pinned, required in ((IMAGE, wanted), (BUILD, PROJECT["build-system"]["requires"])):
        for line in required:
            requirement = Requirement(line)
            version = str(pinned[canonicalize_name(requirement.name)][0].specifier).removeprefix("==")
            assert requirement.specifier.contains(version), f"deploy/pin: {line} and not {version}"


def test_pinned_packages_include_all_dependencies() -> None:
    for name, (pinned, _) in IMAGE.items():
        try:
            needs = requires(name) or []
        except PackageNotFoundError:
            continue  # for other systems or newer interpreters
        for line in needs:
            needed = Requirement(line)
            if needed.marker is None or needed.marker.evaluate({"extra": ",".join(pinned.extras)}):
                assert canonicalize_name(needed.name) in IMAGE, f"deploy/pin: {name} needs {line}"


def test_image_copies_existing_files_and_pinned_packages() -> None:
    text = CONTAINERFILE.replace("\\\n", " ")
    for line in re.findall(r"^COPY (?!--from)(.+)$", text, re.MULTILINE):
        for source in line.split()[:-1]:
            assert (ROOT / source).exists(), source
    installs = [part for part in re.split(r"&&|\n", text) if re.search(r"\bpip\b.*\binstall\b", part)]
    assert len(installs) == 3
    for install in installs:
        assert "--require-hashes --only-binary :all: -r" in install or "--no-deps --no-index dist/" in install, install
    assert not re.search(r"^\s*ADD\b|\bcurl\b|\bwget\b|:latest\b", text, re.MULTILINE)


def test_image_runs_as_unprivileged_user() -> None:
    last = CONTAINERFILE.rpartition("\nFROM ")[2]
    assert re.findall(r"^USER (.+)$", last, re.MULTILINE) == ["10001:10001"]
    assert "STOPSIGNAL SIGTERM" in last
    assert 'ENTRYPOINT ["boneyard"]' in last
    assert "DISCORD_TOKEN" not in CONTAINERFILE


def test_processes_have_own_shards_and_minimal_privileges() -> None:
    assert len(BOTS) == 2
    commands = [" ".join(bot["command"]) for bot in BOTS.values()]
    assert sorted(commands) == [f"run --shards 2 --shard-ids {shard}" for shard in (0, 1)]
    for bot in BOTS.values():
        assert bot["read_only"] is True
        assert bot["init"] is True
        assert bot["cap_drop"] == ["ALL"]
        assert bot["security_opt"] == ["no-new-privileges:true"]
        assert not {"privileged", "ports", "volumes", "cap_add", "network_mode"} & set(bot)
        assert bot["healthcheck"]["test"] == ["CMD", "boneyard", "health"]
        assert bot["restart"] == "unless-stopped"
        assert bot["depends_on"]["postgres"]["condition"] == "service_healthy"
    assert "ports" not in COMPOSE["services"]["postgres"], "the database is for the bots alone"


def test_example_environment_lists_all_variables_without_secrets() -> None:
    listed = dict(re.findall(r"^#? ?([A-Z][A-Z_]+)=(.*)$", EXAMPLE, re.MULTILINE))
    used = set(re.findall(r"\$\{(\w+)", (DEPLOY / "compose.yaml").read_text(encoding="utf-8"))) - {"POSTGRES_IMAGE"}
    source = "\n".join(
        file.read_text(encoding="utf-8") for room in ("bot", "data") for file in (ROOT / room).rglob("*.py")
    )
    assert used <= set(listed)
    for name in listed:
        assert name in used or f'"{name}"' in source, name
    assert {name for name in listed if not listed[name]} == {
        "DISCORD_TOKEN",
        "POSTGRES_PASSWORD",
        "BONEYARD_PRIVACY_KEY",
    }
    assert ".env" in (ROOT / ".gitignore").read_text(encoding="utf-8").split()


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not here")
def test_systemd_accepts_unit_and_rates_it_secure(tmp_path: Path) -> None:
    program = tmp_path / "boneyard"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    file = tmp_path / "boneyard.service"
    file.write_text(UNIT.replace("/opt/boneyard/bin/boneyard", str(program)))
    environment = os.environ | {"SYSTEMD_LOG_LEVEL": "warning"}
    for words in (("verify",), ("security", "--offline=true", "--threshold=20")):
        command = ["systemd-analyze", *words, str(file)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        if words == ("verify",):
            assert "boneyard.service" not in done.stderr, done.stderr


def test_unit_stop_timeout_exceeds_bot_shutdown_time() -> None:
    settings = dict(re.findall(r"^(\w+)=(.*)$", UNIT, re.MULTILINE))
    assert settings["User"] == "boneyard"
    assert settings["Restart"] == "always"
    assert settings["RestartPreventExitStatus"] == "3"
    assert int(settings["TimeoutStopSec"]) >= 20
    assert int(COMPOSE["services"]["bot-0"]["stop_grace_period"].removesuffix("s")) >= 20
