"""The command `boneyard verify`."""

import json
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from bot.__main__ import app
from bot.tables.fairness_views import VERIFY_PAGE
from data.rulebook import load_rules
from engine.record import read
from tests.wording import en

ROOT = Path(__file__).parents[3]
GOLDEN = ROOT / "tests" / "golden"
ADDED_RECORD = GOLDEN / "triominoes-added.txt"
TEXT = ADDED_RECORD.read_text(encoding="utf-8")
FINGERPRINT = read(TEXT, load_rules).header.commitment


def run_command(*words: str | Path, lines: str = "") -> Result:
    return CliRunner().invoke(app, ["verify", *map(str, words)], input=lines)


def test_documented_example_has_documented_output():
    page = (ROOT / "docs" / "reference" / "records.md").read_text(encoding="utf-8")
    block = next(part for part in page.split("```console\n") if part.startswith("$ boneyard verify")).split("```")[0]
    command, _, printed = block.partition("\n")
    words = [str(ADDED_RECORD) if word == "match.txt" else word for word in shlex.split(command)[3:]]
    result = run_command(*words)
    assert (result.exit_code, result.stdout, result.stderr) == (0, printed, "")


def test_verify_supports_json_and_standard_input():
    result = run_command("-", "--fingerprint", FINGERPRINT, "--mine", "1442870954112880722", "--json", lines=TEXT)
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {
        "fair": True,
        "fingerprint": {"given": "same", "found": FINGERPRINT},
        "contributions": ["grün 7", "99f286185c217749e435d577b0ad12c81ef0810c89288722a38f95e35c6340f7", ""],
        "silent": [],
        "early": False,
        "mine": {"1442870954112880722": True},
        "dealt": True,
        "wrong": 0,
    }


def test_first_version_record_is_valid_and_its_limits_are_stated():
    file = GOLDEN / "triominoes.txt"
    result = run_command(file, "--fingerprint", read(file.read_text(encoding="utf-8"), load_rules).header.commitment)
    assert result.exit_code == 0
    assert result.stdout.startswith(en("fair.yes_early").replace("**", ""))
    assert en("fair.nobody_early") in result.stdout
    assert "fair" not in result.stdout


def test_wrong_line_is_named_and_match_is_not_verified():
    wrong = "A is dealt 2-4-5 1-1-3"
    forged = TEXT.replace("A is dealt 1-1-3 2-4-5", wrong, 1)
    result = run_command("-", "--fingerprint", FINGERPRINT, lines=forged)
    assert result.exit_code == 1
    assert result.stdout.startswith(en("fair.no").replace("**", ""))
    assert en("fair.dealt_not") in result.stdout
    assert f"Line 15: '{wrong}" in result.stdout


def test_record_without_fingerprint_is_not_called_fair():
    result = run_command(ADDED_RECORD)
    assert result.exit_code == 1
    assert "--fingerprint HEX" in result.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "which record? Write boneyard verify match.txt --fingerprint HEX"),
        (["none.txt"], "none.txt: No such file or directory"),
        ([ADDED_RECORD, "--fingerprint", "abc"], "fingerprint: 'abc' is no fingerprint; it has 64 hexadecimal digits"),
        (["-"], "standard input, line 1: a record begins with the line 'boneyard record 1'"),
        (["--page", "no/where.html"], "page: no/where.html: No such file or directory"),
    ],
)
def test_unreadable_record_exits_with_2_and_one_line(words: list[str | Path], said: str):
    result = run_command(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"boneyard: {said}")
    assert result.stderr.count("\n") == 1


def test_verification_page_is_written_completely(tmp_path: Path):
    out = tmp_path / "verify.html"
    assert run_command("--page", out).exit_code == 0
    assert out.read_bytes() == VERIFY_PAGE.read_bytes()


@pytest.mark.parametrize(
    ("line", "instead", "reason"),
    [
        ("shuffle: 2\n", "", "what is added to the deals belongs to shuffle 2, and to no other"),
        ("shuffle: 2\n", "shuffle: 3\n", "shuffle is 1 or 2, not '3'"),
        ("contribution A: grün 7\n", "contribution A: <b>\n", "'<b>' is neither a word nor the 64 digits of a press"),
        ("contribution A: ", "contribution Z: ", "there is no seat Z; the seats are A to C"),
        ("contribution A: ", "contribution AB: ", "'contribution AB' names no seat"),
        ("contribution A: ", "contribution B: ", "contribution B is there twice"),
    ],
)
def test_invalid_header_is_reported_with_line_number(line: str, instead: str, reason: str):
    result = run_command("-", lines=TEXT.replace(line, instead, 1))
    assert result.exit_code == 2
    assert reason in result.stderr
