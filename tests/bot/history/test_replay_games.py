"""The command `boneyard replay` for the records of every game."""

import json
from pathlib import Path
from random import Random

import pytest
from PIL import Image
from typer.testing import CliRunner

from bot.tables.acts import TableActions
from bot.tables.service import Table, TableCache
from data.rulebook import list_games
from data.store.store import Store
from engine.match.events import RoundEnded
from engine.match.player_view import view_for
from engine.players import greedy
from engine.record.text import parse_placement
from engine.table.commands import AnswerQuestion, AskPlayers, Join, TakeAction, ViewHand
from tests.bot.history.replays import DOC_BLOCKS, GOLDEN_FOLDER, app, run_for_json, run_for_output
from tests.bot.member import Member
from tests.bot.messages import list_alt_texts, read_text
from tests.bot.simulated_guild import SimGuild
from tests.bot.use_cases import ADA, GRACE, UseCases
from tests.engine.readings import build_rules

FILES = sorted(GOLDEN_FOLDER.glob("*.txt"))
STAR = next(block for block in DOC_BLOCKS if "game: star" in block)
CHAIN = GOLDEN_FOLDER / "quad-ominos-chain.txt"
ZEROS = GOLDEN_FOLDER / "quad-ominos-zeros.txt"


def read_last_line(file: Path | str, plays: int) -> str:
    return run_for_output(file, "--at", str(plays)).split("\n")[-1]


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_every_golden_record_is_valid(file: Path):
    found = run_for_json(file)

    assert found["faults"] == []
    assert file.stem.startswith(found["game"])


def test_every_game_has_record_to_replay():
    assert {run_for_json(file)["game"] for file in FILES} == set(list_games())


@pytest.mark.parametrize("game", list_games())
def test_position_of_every_game_is_accepted_by_judge(game: str):
    file = GOLDEN_FOLDER / f"{game}.txt"
    plays = [line.split() for line in file.read_text(encoding="utf-8").split("\n") if " plays " in line]
    position = run_for_json(file, "--at", "12")["at"]["position"].split()

    assert position == [line[3].removesuffix(":") for line in plays if int(line[0]) <= 12]
    judged = CliRunner().invoke(
        app, ["judge", "placement", game, "--position", " ".join(position[:-1]), "--move", position[-1], "--json"]
    )
    assert json.loads(judged.stdout)["legal"]
    assert str(parse_placement(position[0], build_rules(game))) == position[0]


@pytest.mark.parametrize("game", list_games())
def test_picture_of_every_game_can_be_rendered(game: str, tmp_path: Path):
    line_file, end_file = tmp_path / "there.png", tmp_path / "end.png"

    run_for_output(GOLDEN_FOLDER / f"{game}.txt", "--at", "5", "--picture", line_file)
    run_for_output(GOLDEN_FOLDER / f"{game}.txt", "--picture", end_file)

    with Image.open(line_file) as one, Image.open(end_file) as other:
        assert one.width == other.width == 1200
        assert one.tobytes() != other.tobytes()


@pytest.mark.parametrize(
    ("file", "plays", "said"),
    [
        (CHAIN, 1, "A takes 25 points or 2 more tiles."),
        (CHAIN, 2, "A may place 2 more tiles."),
        (CHAIN, 3, "A may place 1 more tile."),
        (CHAIN, 4, "B is to play."),
        (ZEROS, 1, "B takes 25 points and 2 more tiles."),
        (ZEROS, 2, "B may place 2 more tiles."),
        (STAR, 5, "B may take a further turn."),
        (STAR, 6, "C is to play."),
    ],
)
def test_replay_within_turn_lists_available_choices(file: Path | str, plays: int, said: str):
    assert read_last_line(file, plays).endswith(f": {said}")


def test_json_output_matches_text_output_in_every_game():
    choice, tiles = run_for_json(CHAIN, "--at", "1")["at"], run_for_json(CHAIN, "--at", "2")["at"]
    both, further = run_for_json(ZEROS, "--at", "1")["at"], run_for_json(STAR, "--at", "5")["at"]

    assert (choice["turn"], choice["options"], choice["bonus_tiles"]) == (0, ["points", "tiles"], 0)
    assert (tiles["turn"], tiles["options"], tiles["bonus_tiles"]) == (0, [], 2)
    assert (both["turn"], both["options"]) == (1, [])
    assert (further["turn"], further["options"], further["further"]) == (1, ["stop"], True)


def test_game_without_boneyard_shows_tiles_set_aside():
    assert read_last_line(STAR, 6) == "After 6 lines of play, round 1, set aside 1: C is to play."
    assert run_for_json(STAR, "--at", "6")["at"]["aside"] == 1


@pytest.mark.parametrize(
    ("text", "play", "instead", "reason"),
    [
        (CHAIN, "2 A chooses 2 tiles: +0 -> 16", "2 B passes: -20 -> -20", "NOT_YOUR_TURN: it is the turn of A"),
        (
            CHAIN,
            "2 A chooses 2 tiles: +0 -> 16",
            "2 A plays 0,-1=4442 matching 2: +14 -> 30",
            "MUST_CHOOSE: the seat has to choose: points or tiles",
        ),
        (
            CHAIN,
            "4 A plays 1,-1=4024 matching 2: +10 -> 40",
            "4 A chooses points: +25 -> 55",
            "NOTHING_TO_CHOOSE: there is nothing to choose",
        ),
        (STAR, "6 B chooses to stop: +0 -> 15", "6 B passes: +0 -> 15", "MUST_CHOOSE: the seat has to choose: stop"),
        (
            STAR,
            "7 C plays D2,-4=411",
            "7 C plays U5,5=002",
            "NOT_NEXT_TO_LAST: U5,5 shares no side and no corner that can be played with the last tile",
        ),
        (
            STAR,
            "2 D plays D0,-1=422",
            "2 D plays D0,-1=242",
            "SIDE_MISMATCH: side 0 of D0,-1 carries 4 and the tile shows 2",
        ),
    ],
)
def test_illegal_move_reason_is_a_sentence_in_every_game(text: Path | str, play: str, instead: str, reason: str):
    record = text.read_text(encoding="utf-8") if isinstance(text, Path) else text
    assert f"\n{play}" in record
    record = record.replace(f"\n{play}", f"\n{instead}", 1)

    assert run_for_json(record, status=1)["faults"][0]["should"] == reason


def test_choice_with_wrong_result_is_reported_as_wrong_line():
    record = CHAIN.read_text(encoding="utf-8").replace(
        "12 B chooses points: +25 -> 32", "12 B chooses points: +20 -> 27"
    )

    assert run_for_json(record, status=1)["faults"][0]["should"] == "12 B chooses points: +25 -> 32"


NEWCOMER = 777


async def play_one_round(acts: TableActions, table: Table) -> Table:
    while table.match.round == 1:
        user, action = table.find_turn_user(), greedy.choose(view_for(table.match, table.match.turn), Random(1))
        table = (await acts.act(table.head.match_id, TakeAction(user, lambda _, action=action: action))).table
        if table.state.tentative_turn is not None and (following := table.find_turn_user()) is not None:
            table = (await acts.act(table.head.match_id, ViewHand(following))).table
    return table


async def hand_over_seat(acts: TableActions, table: Table, person: int) -> Table:
    owner, match_id = table.seats[0].user_id, table.head.match_id
    question = (await acts.act(match_id, AskPlayers(owner, "substitute", person))).table.question
    return (await acts.act(match_id, AnswerQuestion(person, question.number, yes=True))).table


async def test_earlier_position_shows_players_seated_at_that_time(store: Store) -> None:
    use_cases = UseCases(store)
    table = await use_cases.open(seats=2)
    table = await play_one_round(use_cases.acts, await use_cases.act(table, Join(GRACE)))
    match_id = table.head.match_id
    log = await store.matches.load_log(match_id)
    ended = next(seq for seq, entry in enumerate(log, 1) if isinstance(entry.event, RoundEnded))
    await hand_over_seat(use_cases.acts, table, NEWCOMER)
    for tables in (use_cases.tables, TableCache(store)):
        now, then = await tables.load(match_id), await tables.load_earlier(match_id, ended)
        assert [row.user_id for row in now.seats] == [NEWCOMER, GRACE]
        assert [row.user_id for row in then.seats] == [ADA, GRACE]
        assert (now.state.host, then.state.host, now.match.round, then.match.round) == (NEWCOMER, ADA, 2, 1)


async def test_late_round_summary_names_player_of_that_round(room: SimGuild, linus: Member) -> None:
    # These tables are not connected to the running bot, which notices the change at its next sweep.
    tables = TableCache(room.store)
    acts = TableActions(room.store, tables, room.clock, room.deals, presses=False)
    table = await play_one_round(acts, await tables.load((await room.load_head()).match_id))
    await hand_over_seat(acts, table, linus.id)
    assert not any("Round 1 is over" in read_text(one) for one in room.list_public_messages())

    await room.wait()

    (summary,) = [one for one in room.list_public_messages() if "Round 1 is over" in read_text(one)]
    text = read_text(summary) + list_alt_texts(summary)[0]
    assert "Ada" in text
    assert "Grace" in text
    assert "Linus" not in text
    assert "Linus" in room.read_board()
