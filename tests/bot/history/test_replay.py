"""The command `boneyard replay`."""

import resource
from pathlib import Path

import pytest
from typer.testing import CliRunner

from data.rulebook import list_games
from tests.bot.history.replays import DOC_BLOCKS, GOLDEN_FOLDER, app, run_for_json, run_for_output, run_replay
from tests.wording import en

GOLDEN = GOLDEN_FOLDER / "triominoes-by-hand.txt"
TEXT = GOLDEN.read_text(encoding="utf-8")


def run_for_error(record: Path | str | bytes, *words: str | Path) -> str:
    result = run_replay(record, *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    return result.stderr.removeprefix("boneyard: ").removesuffix("\n")


def test_valid_record_is_summarized():
    assert run_for_output(GOLDEN) == (
        "triominoes, 2 seats: 2 rounds, 127 lines of play.\n"
        "Finished: A 98 (place 2), B 401 (place 1).\n"
        "Every score, award and deal is right.\n"
        "The deals are the shuffles of the record's secret. "
        "Only boneyard verify shows whether it was fixed before: by the fingerprint of the lobby."
    )


def test_json_output_matches_text_output():
    assert run_for_json(GOLDEN) == {
        "game": "triominoes",
        "preset": None,
        "seats": 2,
        "rounds": 2,
        "plays": 127,
        "finished": True,
        "totals": [98, 401],
        "places": [2, 1],
        "proved": True,
        "faults": [],
    }


def test_record_without_secret_reports_unverified_shuffles():
    last = run_for_output(GOLDEN_FOLDER / "triominoes-three-hexagons.txt").split("\n")[-1]

    assert last == "The shuffles are not proved: the record has no secret, or no fingerprint of it."
    assert run_for_json(GOLDEN_FOLDER / "triominoes-three-hexagons.txt")["proved"] is False


def test_replay_stops_after_given_number_of_lines():
    assert run_for_output(GOLDEN, "--at", "9") == (
        "U0,0=555 D0,0=535 U0,1=503\n"
        "A 33, holds 1-3-5 0-0-5 2-2-2 3-4-4 0-0-1 3-3-4 3-3-5 0-1-5\n"
        "B -22, holds 3-3-3 0-0-2 2-3-3 1-2-3 0-2-3 0-2-5 0-3-4 1-3-4 1-4-5 1-1-5 4-4-5 1-1-1\n"
        "After 9 lines of play, round 1, boneyard 33: A is to play."
    )


def test_replay_before_first_line_shows_empty_table():
    assert run_for_output(GOLDEN, "--at", "0").split("\n")[0] == en("alt.opening")
    assert run_for_json(GOLDEN, "--at", "0")["at"]["position"] == ""


def test_replay_within_turn_counts_drawn_tiles():
    assert run_for_output(GOLDEN, "--at", "4").split("\n")[-1] == (
        "After 4 lines of play, round 1, boneyard 35: B is to play and has drawn 3."
    )


def test_last_line_of_round_shows_award():
    shown = run_for_json(GOLDEN, "--at", "94")["at"]

    assert (shown["round"], shown["turn"]) == (1, None)
    assert [seat["total"] for seat in shown["seats"]] == [79, 239]
    assert run_for_output(GOLDEN, "--at", "94").endswith(
        "After 94 lines of play, round 1, boneyard 0: the round is over."
    )
    assert run_for_output(GOLDEN, "--at", "127").endswith("match is over.")


def test_wrong_score_exits_with_1_and_expected_value():
    text = TEXT.replace("12 A plays U1,0=533: +11 -> 49", "12 A plays U1,0=533: +12 -> 50")

    assert run_for_output(text, status=1) == (
        "triominoes, 2 seats: 2 rounds, 127 lines of play.\n"
        "Finished: A 98 (place 2), B 401 (place 1).\n"
        "Line 26: '12 A plays U1,0=533: +12 -> 50' should be '12 A plays U1,0=533: +11 -> 49'.\n"
        "The deals are the shuffles of the record's secret. "
        "Only boneyard verify shows whether it was fixed before: by the fingerprint of the lobby."
    )
    assert run_for_json(text, status=1)["faults"] == [
        {"line": 26, "says": "12 A plays U1,0=533: +12 -> 50", "should": "12 A plays U1,0=533: +11 -> 49"}
    ]


def test_illegal_move_is_reported_with_reason_and_stops_replay():
    text = TEXT.replace("12 A plays U1,0=533", "12 A plays U1,0=335")

    lines = run_for_output(text, status=1).split("\n")

    assert lines[1:] == [
        "Broken off: A 38, B -17.",
        "Line 26: '12 A plays U1,0=335: +11 -> 49' is against the rules: "
        "CORNER_MISMATCH: corner 0 of U1,0 carries 5 and the tile shows 3.",
    ]
    found = run_for_json(text, status=1)
    assert (found["finished"], found["places"]) == (False, None)
    assert found["faults"][0]["should"] == "CORNER_MISMATCH: corner 0 of U1,0 carries 5 and the tile shows 3"


@pytest.mark.parametrize(
    ("play", "instead", "reason"),
    [
        ("1 A plays U0,0=555", "1 A plays U0,0=222", "WRONG_OPENING: the round opens with 5-5-5 on the first cell"),
        ("2 B draws 1-1-5", "2 A draws 1-1-5", "NOT_YOUR_TURN: it is the turn of B"),
        ("2 B draws 1-1-5", "2 B passes: -10 -> -10", "MUST_DRAW: only 0 drawn, and there are tiles to draw"),
        (
            "5 B passes after 3 drawn: -25 -> -25",
            "5 B draws 3-5-5",
            "DRAW_LIMIT: no more than 3 may be drawn in a turn",
        ),
        ("12 A plays U1,0=533: +11 -> 49", "12 A draws 0-0-0", "MUST_PLAY: U1,0=533 can be played"),
        ("12 A plays U1,0=533", "12 A plays U1,0=333", "NOT_IN_HAND: the seat does not hold 3-3-3"),
    ],
)
def test_illegal_move_reason_is_a_sentence(play: str, instead: str, reason: str):
    text = TEXT.replace(f"\n{play}", f"\n{instead}")

    assert run_for_json(text, status=1)["faults"][0]["should"] == reason


def test_truncated_record_is_reported():
    text = "\n".join(TEXT.rstrip("\n").split("\n")[:-1])

    last = run_for_output(text, status=1).split("\n")[2]

    assert last == "Line 157: 'match ends: A 98 place 2, B 401 place 1' is missing; the record breaks off."


def test_replay_cannot_go_past_illegal_move():
    text = TEXT.replace("12 A plays U1,0=533", "12 A plays U1,0=335")

    assert run_for_output(text, "--at", "50", status=1).startswith("Line of play 50 cannot be reached.\n")
    assert run_for_json(text, "--at", "50", status=1)["at"] is None
    assert run_for_json(text, "--at", "11", status=1)["at"]["plays"] == 11


def test_many_wrong_lines_are_counted_but_abbreviated():
    text = (
        TEXT.replace("drawn = ", "drawn = +1").replace("drawn = +1+", "drawn = +1").replace("drawn = +1-", "drawn = -1")
    )

    lines = run_for_output(text, status=1).split("\n")

    assert sum(line.startswith("Line ") for line in lines) == 10
    assert any(line.startswith("... and ") and line.endswith(" more wrong lines.") for line in lines)


def test_unfinished_record_is_summarized_so_far():
    text = TEXT[: TEXT.index("\n10 ") + 1]

    assert run_for_output(text).split("\n")[1] == "Not finished: A 33, B -22."


@pytest.mark.parametrize(
    ("line", "instead", "said"),
    [
        ("12 A plays", "12 A palys", "line 26: '12 A palys U1,0=533: +11 -> 49' is no play, no round and no end"),
        ("12 A plays", "13 A plays", "line 26: this is play 13 where play 12 should be"),
        ("game: triominoes", "game: chess", f"line 3: there is no game 'chess'; there is {', '.join(list_games())}"),
        ("boneyard record 1", "boneyard record", "line 2: a record begins with the line 'boneyard record 1'"),
    ],
)
def test_damaged_record_exits_with_2_and_line_number(line: str, instead: str, said: str):
    text = TEXT.replace(line, instead, 1)

    assert run_for_error(text) == f"standard input, {said}"
    assert run_for_error(text, "--json") == f"standard input, {said}"


def test_other_errors_are_reported_in_one_line(tmp_path: Path):
    assert run_for_error(tmp_path / "none.txt") == f"{tmp_path / 'none.txt'}: No such file or directory"
    assert run_for_error(GOLDEN, "--at", "128") == "at: '128' is no whole number from 0 to 127"
    assert run_for_error(GOLDEN, "--at", "x") == "at: 'x' is no whole number from 0 to 127"
    unwritable = tmp_path / "no" / "where.png"
    assert run_for_error(GOLDEN, "--picture", unwritable) == f"picture: {unwritable}: No such file or directory"


@pytest.mark.parametrize(
    ("words", "name"), [(["replay", str(GOLDEN), "--picture"], "table.png"), (["verify", "--page"], "verify.html")]
)
def test_full_disk_leaves_no_partial_file(words: list[str], name: str, tmp_path: Path):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        result = CliRunner().invoke(app, [*words, str(tmp_path / name)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (result.exit_code, [*tmp_path.iterdir()]) == (2, [])
    assert result.stderr.endswith(f"{name}: File too large\n")


@pytest.mark.parametrize("words", ["replay -", "verify -", "judge placement triominoes -"])
def test_closed_standard_input_is_reported_in_one_line(
    words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(SystemExit) as ended:
        app(words.split())
    error = "boneyard: standard input is closed; name a file, or hand one over with a pipe or <\n"
    assert (ended.value.code, capsys.readouterr()) == (2, ("", error))


def test_invalid_utf8_affects_only_its_own_line():
    raw = TEXT.encode().replace(b"12 A plays", b"\xff\xfe")

    assert run_for_error(raw).startswith("standard input, line 26: ")


def test_documented_example_has_documented_output(tmp_path: Path):
    record = next(block for block in DOC_BLOCKS if block.startswith("boneyard record 1"))
    file = tmp_path / "match.txt"
    file.write_text(record, encoding="utf-8")
    runs = next(block for block in DOC_BLOCKS if block.startswith("$ boneyard replay")).strip().split("\n\n")

    assert len(runs) == 2
    for run in runs:
        command, _, printed = run.partition("\n")
        words = command.removeprefix("$ boneyard replay match.txt").split()
        assert run_for_output(file, *words) == printed


def test_documented_records_are_valid_and_excerpts_match_golden_record():
    records = [block for block in DOC_BLOCKS if block.startswith("boneyard record 1")]
    excerpts = [block for block in DOC_BLOCKS if block.startswith("1 A plays")]

    assert [run_for_json(record)["faults"] for record in records] == [[], []]
    assert [run_for_json(record)["proved"] for record in records] == [True, True]
    assert excerpts
    for excerpt in excerpts:
        assert any(excerpt in file.read_text(encoding="utf-8") for file in GOLDEN_FOLDER.glob("*.txt"))
