"""The alerts and the dashboard match the metrics, the log and the guides."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from bot.core.metrics import REGISTRY
from bot.operating.status import serve_status
from tests.project.sources import ROOT

DEPLOY = ROOT / "deploy"
ALERTS = yaml.safe_load((DEPLOY / "alerts.yaml").read_text(encoding="utf-8"))["groups"][0]["rules"]
DASHBOARD = json.loads((DEPLOY / "dashboard.json").read_text(encoding="utf-8"))
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
EXPRESSIONS = [target["expr"] for panel in PANELS for target in panel["targets"]]
FROM_PROMETHEUS = {"up"}

promtool = pytest.mark.skipif(
    shutil.which("promtool") is None, reason="promtool is not here (Debian: apt install prometheus)"
)


def list_exported_metrics() -> set[str]:
    assert serve_status, "importing the page adds what it tells of the process"
    names = set()
    for family in REGISTRY.collect():
        endings = {"counter": ("_total",), "histogram": ("_bucket", "_count", "_sum")}
        names |= {f"{family.name}{ending}" for ending in endings.get(family.type, ("",))}
    return names


def find_metric_names(expression: str) -> set[str]:
    return set(re.findall(r"\b(?:boneyard|process)_[a-z_]+\b|\bup\b", expression))


@pytest.mark.parametrize("expression", [rule["expr"] for rule in ALERTS] + EXPRESSIONS)
def test_monitored_metrics_are_exported(expression: str) -> None:
    assert find_metric_names(expression)
    assert find_metric_names(expression) <= list_exported_metrics() | FROM_PROMETHEUS


def test_exported_metrics_are_on_dashboard() -> None:
    dashboard_metrics = set.union(*map(find_metric_names, EXPRESSIONS))
    missing = {
        name for name in list_exported_metrics() if name.startswith("boneyard_") and name not in dashboard_metrics
    }
    assert {name for name in missing if not name.endswith("_sum")} == {"boneyard_last_sweep_timestamp_seconds"}


def test_six_alerts_each_describe_impact_and_action() -> None:
    assert len(ALERTS) == 6
    page = (ROOT / "docs" / "how-to" / "respond-to-alerts.md").read_text(encoding="utf-8")
    for rule in ALERTS:
        assert set(rule["annotations"]) == {"summary", "people", "action", "runbook"}
        assert rule["annotations"]["runbook"] == f"docs/how-to/respond-to-alerts.md#{rule['alert'].lower()}"
        assert f"\n### {rule['alert']}\n" in page, rule["alert"]


def test_log_lines_named_in_alerts_exist() -> None:
    source = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "bot").rglob("*.py"))
    quoted = {line for rule in ALERTS for line in re.findall(r"`([^`]+)`", rule["annotations"]["action"])}
    lines = {line for line in quoted if " " in line and not line.startswith("boneyard ")}
    assert len(lines) >= 3
    for line in lines:
        assert f'"{line}' in source, line


def test_dashboard_panels_do_not_overlap() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken, panel["title"]
        assert max(x for x, _ in cells) < 24
        taken |= cells


@promtool
def test_alerts_fire_only_when_expected() -> None:
    for words in (("check", "config", "deploy/prometheus.yml"), ("test", "rules", "tests/deploy/alerts_test.yaml")):
        done = subprocess.run(["promtool", *words], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@promtool
def test_prometheus_accepts_dashboard_queries(tmp_path: Path) -> None:
    rules = [{"record": f"panel:{number}", "expr": one} for number, one in enumerate(EXPRESSIONS)]
    file = tmp_path / "panels.yaml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}), encoding="utf-8")
    done = subprocess.run(["promtool", "check", "rules", file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
