"""External programs that hosts seat at tables."""

import asyncio
import json
import re
import shlex
import shutil
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest
from jsonschema import Draft202012Validator
from simcord import MemberActor

from bot.computers import external_players
from bot.computers.external_players import ExternalPlayers, read_programs
from bot.computers.player_names import ComputationError
from bot.computers.protocol import SCHEMA
from bot.computers.runner import request_action
from bot.computers.worker_pool import WorkerPool
from bot.core.component_items import handle_click
from bot.core.layout import CustomId
from bot.core.metrics import REGISTRY
from bot.core.names import SeatNames
from bot.playground.person import PageUser
from bot.playground.server import LocalDiscord
from bot.tables.lobbies import TableRequest
from bot.tables.move_labels import build_program_options, format_programs
from bot.tables.service import Table
from data.rulebook import load_rules
from data.store.results.scores import build_match_result
from data.store.store import Store
from data.words import list_languages, load_words
from engine.match.decide import start
from engine.match.events import Placed
from engine.match.player_view import PlayerView, list_legal_actions, view_for
from engine.match.state import replay
from engine.players import greedy
from engine.players.levels import LEVELS
from engine.table.commands import AddComputer, Join, TakeAction
from engine.table.table_events import Stumbled
from engine.table.table_state import MAX_FAULTS
from engine.table.terms import PROGRAM_PREFIX
from tests.bot.computers.duels import ANSWERING, FIRST_LINES
from tests.bot.computers.workers import eventually, lives, typed
from tests.bot.core.forged_interactions import Stranger
from tests.bot.local_bot import Json, labels, run_local_bot, walk, words_of
from tests.bot.operating.runner import running
from tests.bot.simulated_guild import PATIENCE, SimGuild, secret
from tests.bot.use_cases import ADA, GRACE, UseCases
from tests.project.sources import ROOT
from tests.wording import en, says

CHOICES = 25
MINE = f"{PROGRAM_PREFIX}mine"
RUNNER = (sys.executable, "-m", "bot.computers.runner")
PERL = pytest.mark.skipif(shutil.which("perl") is None, reason="there is no perl")


def command(folder: Path, text: str, name: str = "mine.py") -> str:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return shlex.join([sys.executable, "-S", str(file)])


def asking(*named: str, most: int = 1) -> ExternalPlayers:
    workers = WorkerPool(most_workers=most, silence_timeout=PATIENCE, queue_timeout=PATIENCE, command=RUNNER)
    commands = dict(zip(("mine", "yours"), named, strict=False))
    return ExternalPlayers(commands, workers, hello_timeout=PATIENCE, answer_timeout=PATIENCE)


def counted(how: str, name: str = MINE) -> float:
    return REGISTRY.get_sample_value("boneyard_thoughts_total", {"level": name, "how": how}) or 0.0


def position() -> PlayerView:
    match = replay(start(load_rules("triominoes"), seats=2, computers=(0, 1), by_hand=False, secret=secret(3)))
    return view_for(match, match.turn)


async def unseen(_match_id: int) -> None:
    """Do nothing instead of updating messages."""


async def stumbles(store: Store, match_id: int = 1) -> list[str]:
    loaded = await store.matches.load(match_id)
    return [entry.event.why for entry in loaded.log if isinstance(entry.event, Stumbled)]


@PERL
async def test_host_seats_program_by_name_and_it_plays(url: str) -> None:
    programs, before = asking(f"perl {ROOT / 'docs' / 'players' / 'heaviest.pl'}"), counted("thought")
    async with run_local_bot(url, programs=programs) as at:
        await at.answered(at.ada, await at.ada.use_command(at.place, "tiles", "new", seats=3))
        (lobby,) = await at.boards()
        assert [one["value"] for one in menu(lobby)["options"]][-2:] == ["master", MINE]
        await at.grace.click(lobby, label="Join")
        lobby = await at.ada.wait_for_message(at.place, lambda one: "2. Grace" in words_of(one))
        assert says(words_of(lobby), "lobby.rated")
        await at.grace.select(lobby, [MINE])
        await at.grace.wait_for_message(at.place, lambda one: says(words_of(one), "no.HOST_DECIDES"))
        await at.ada.select(lobby, [MINE])
        await at.ada.wait_for_message(at.place, lambda one: one["mentions"])
        for _ in range(4):
            await at.move()
            await eventually(lambda: at.client.services.tables.find_awaiting_player(1))
        (board,) = await at.boards()
        assert "**mine (program)**" in words_of(board)
        assert "not rated" in words_of(board)
        assert [event for event in await at.log() if isinstance(event, Placed) and event.seat == 2]
        assert counted("thought") > before, "it was asked"
        assert await stumbles(at.store) == []
        assert len(programs.workers.pids) == 1
        await at.client.drain()
    assert not programs.workers.pids, "the process that asks it ends with the bot"


def menu(lobby: Json) -> Json:
    (found,) = [one for one in walk(lobby["components"]) if "options" in one]
    return found


async def test_program_missing_from_configuration_gets_no_seat(sim: SimGuild, ada: MemberActor) -> None:
    await ada.slash(sim.channel, "tiles new", seats=3)
    press = str(CustomId("computer", (await sim.head()).match_id))
    for player in (MINE, PROGRAM_PREFIX, f"{PROGRAM_PREFIX}rm -rf /", "mine", f"{PROGRAM_PREFIX}{'x' * 5000}"):
        user, sent = SimpleNamespace(id=ada.id, display_name="Ada"), {"custom_id": press, "values": [player]}
        asked = Stranger(sim.client, user, sim.guild.id, sim.channel.id, data=sent)
        await handle_click(asked)  # type: ignore[arg-type]
        assert says(asked.heard[0], "no.NO_SUCH_LEVEL")
    assert [row.computer for row in (await sim.now()).seats] == [None]


@pytest.mark.parametrize("player", [MINE, "medium"])
async def test_table_with_program_is_always_unrated(use_cases: UseCases, player: str) -> None:
    table = await use_cases.open(seats=3)
    table = await use_cases.act(table.head.match_id, AddComputer(ADA, player))
    table = await use_cases.act(table.head.match_id, Join(GRACE), request=use_cases.request())
    assert (table.is_rated, table.has_hints) == (player != MINE, player == MINE)
    table = await use_cases.resign(await use_cases.resign(table, GRACE), ADA)
    result = build_match_result(table.event_log, table.state, lambda *_: {})
    assert result.rated == (player != MINE)


MISBEHAVIORS = {
    "a word": ("print('moo', flush=True)", "nonsense"),
    "no action of the list": ("print(json.dumps({'ask': 1, 'action': 999}), flush=True)", "nonsense"),
    "silence": ("time.sleep(1000)", "late"),
    "a line without end": ("\n        while True: sys.stdout.write('x' * 65536)", "flood"),
    "complaints for ever": ("\n        while True: sys.stderr.write('x' * 65536)", "flood"),
    "a crash": ("raise ValueError('oh dear')", "gone"),
    "another protocol": (None, "nonsense"),
    "no program": (None, "gone"),
}


@pytest.mark.parametrize("misbehavior", MISBEHAVIORS)
def test_misbehaving_program_is_terminated_and_its_output_ignored(misbehavior: str, tmp_path: Path) -> None:
    does, why = MISBEHAVIORS[misbehavior]
    pid = tmp_path / "pid"
    text = f"import os\nopen({str(pid)!r}, 'w').write(str(os.getpid()))\n"
    text += "print('{\"protocol\":2}', flush=True)\n" if does is None else f"{ANSWERING}        {does}\n"
    named = command(tmp_path, text) if misbehavior != "no program" else "/nonexistent/player"
    with pytest.raises(ComputationError) as failed:
        request_action(named, position(), 1, PATIENCE, 0.2 if why == "late" else PATIENCE)
    assert failed.value.why == why
    assert misbehavior == "no program" or not lives(int(pid.read_text()))


@pytest.fixture
async def desk_of(store: Store) -> AsyncIterator[Callable[[ExternalPlayers], UseCases]]:
    made: list[UseCases] = []

    def make(programs: ExternalPlayers) -> UseCases:
        made.append(UseCases(store, programs=programs))
        return made[-1]

    yield make
    for one in made:
        await one.computers.end()
        assert not one.programs.workers.pids


async def begun(use_cases: UseCases, *players: str) -> Table:
    asked = TableRequest(guild_id=1, channel_id=2, host_id=ADA, game="triominoes", computers=players)
    return await turn_of_computers(use_cases, await use_cases.acts.open(asked, request=use_cases.request()))


async def turn_of_computers(use_cases: UseCases, table: Table) -> Table:
    while table.find_turn_user() == ADA:
        action = greedy.choose(view_for(table.match, table.match.turn), Random(1))
        table = await use_cases.act(
            table.head.match_id, TakeAction(ADA, lambda _, action=action: action), request=use_cases.request()
        )
    return table


async def test_computer_replaces_program_after_three_faults(
    desk_of: Callable[[ExternalPlayers], UseCases], tmp_path: Path
) -> None:
    note, before = tmp_path / "asked", counted("gone")
    text = f"open({str(note)!r}, 'a').write('x')\n{ANSWERING}        sys.exit(7)\n"
    use_cases = desk_of(asking(command(tmp_path, text)))
    table, told = await begun(use_cases, MINE), []
    for _ in range(MAX_FAULTS + 2):
        assert table.find_turn_user() is None
        table = await use_cases.computers.play(table.head.match_id, unseen)
        told.append("\n".join(format_programs(table, SeatNames(("Ada", "mine"), ("Ada", "mine")), load_words())))
        table = await turn_of_computers(use_cases, table)
    asked = len(note.read_text())
    assert asked == MAX_FAULTS
    assert await stumbles(use_cases.store, table.head.match_id) == ["gone"] * MAX_FAULTS
    assert counted("gone") == before + MAX_FAULTS
    assert told[0] == en("program.stood_in", name="mine", moves="1 move")
    assert told[-1] == en("program.out", name="mine")


async def test_hanging_program_blocks_no_table_and_its_turn_is_retried(url: str, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    hangs = f"import os, time\nopen({str(note)!r}, 'w').write(str(os.getpid()))\ntime.sleep(1000)\n"
    async with run_local_bot(url, programs=asking(command(tmp_path, hangs))) as at:
        await at.table()
        channel = at.discord.world.add_channel("beside")
        guild_id, channel_id = int(channel["guild_id"]), int(channel["id"])
        asked = TableRequest(guild_id=guild_id, channel_id=channel_id, host_id=99, game="triominoes", computers=(MINE,))
        beside = await at.client.services.acts.open(replace(asked, computers=(MINE,) * 5), request=1000)
        assert beside.find_turn_user() is None, "a program begins"
        at.client.services.scheduler.wake(beside.head.match_id)
        await eventually(lambda: note.exists() and note.read_text())
        before = (await at.head()).seq
        for _ in range(3):
            assert await at.move()
        assert (await at.head()).seq >= before + 3, "people play on"
        await at.client.drain()
        await eventually(lambda: not lives(int(note.read_text())))
        after = await at.store.matches.find_head(beside.head.match_id)
        assert (after.seq, after.due and after.due.kind) == (beside.head.seq, "computer"), "nothing was played in haste"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux signals a program whose parent ended")
async def test_table_continues_after_kill_if_program_is_removed(url: str, tmp_path: Path) -> None:
    note, file = tmp_path / "pid", tmp_path / "players.toml"
    stubborn = f"import os, time\nopen({str(note)!r}, 'w').write(str(os.getpid()))\ntime.sleep(1000)\n"
    file.write_text(f"mine = {json.dumps(command(tmp_path, stubborn))}\n", encoding="utf-8")
    waits = "bot.computers.external_players.HELLO_TIMEOUT"
    async with LocalDiscord(None, port=0, answer_within=PATIENCE) as discord, PageUser(discord.address, "Ada") as ada:
        place = discord.world.welcome_channel
        async with running(url, discord, players=str(file), hurry=waits, seconds=PATIENCE) as bot:
            async with asyncio.timeout(PATIENCE):
                await discord.gateway.connected.wait()
            await ada.wait_for_answer(place, await ada.use_command(place, "tiles", "new", seats=2))
            await ada.select(await ada.wait_for_message(place, lambda one: "Join" in labels(one)), [MINE])
            await ada.wait_for_message(place, lambda one: "Text board" in labels(one))
            # The first player is mentioned after the board appears, unless it is the program.
            called: list[str] = []
            async with asyncio.timeout(PATIENCE):
                while not called and not note.exists():
                    called = [one["id"] for one in await ada.fetch_messages(place) if one["mentions"]]
                    await asyncio.sleep(0.05)
            if called:
                await typed(ada, place)
            await eventually(lambda: note.exists() and note.read_text())
            bot.process.kill()
            await bot.ended()
            await eventually(lambda: not lives(int(note.read_text())))
        async with running(url, discord):
            await ada.wait_for_message(place, lambda one: one["mentions"] and one["id"] not in called)
            board = await ada.wait_for_message(place, lambda one: "in its place" in words_of(one))
            assert says(words_of(board), "program.stood_in", name="mine (program)")
            assert "not rated" in words_of(board)


def test_program_does_not_inherit_environment_of_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", "hush")
    monkeypatch.setenv("BONEYARD_DATABASE_URL", "postgresql://hush")
    note = tmp_path / "told"
    text = f"import os\nopen({str(note)!r}, 'w').write(str(os.environ))\n{FIRST_LINES}"
    seen = position()
    assert request_action(command(tmp_path, text), seen, 1, PATIENCE, PATIENCE) == list_legal_actions(seen)[0]
    assert "PATH" in note.read_text()
    assert "hush" not in note.read_text()


def test_program_input_matches_guide_and_schema(tmp_path: Path) -> None:
    note = tmp_path / "lines"
    text = f"import sys, json\nnote = open({str(note)!r}, 'w')\n"
    text += "for line in sys.stdin:\n    note.write(line); note.flush()\n"
    text += "    told = json.loads(line)['type']\n"
    text += "    if told == 'hello': print('{\"protocol\":1}', flush=True)\n"
    text += "    if told == 'choose': print('{\"ask\":1,\"action\":0}', flush=True)\n"
    seen = position()
    assert request_action(command(tmp_path, text), seen, 7, PATIENCE, PATIENCE) == list_legal_actions(seen)[0]
    told = [json.loads(line) for line in note.read_text().splitlines()]
    assert [one["type"] for one in told] == ["hello", "match", "choose"]
    assert (told[1]["luck"], told[2]["ask"], told[2]["seen"]["seat"]) == (7, 1, seen.viewer)
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    for one in told:
        Draft202012Validator(schema["$defs"]["told"] | {"$defs": schema["$defs"]}).validate(one)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("mine = ", "is no TOML"),
        ('"**mine**" = "true"', "is no name for a program"),
        ('master = "true"', "is no name for a program"),
        ("mine = 7", "the command of mine is a line such as"),
        ('mine = "true"\nMine = "true"', "the same name"),
        (
            "\n".join(f'p{number} = "true"' for number in range(external_players.MOST_PROGRAMS + 1)),
            "there is room for 20",
        ),
        (None, "cannot be read"),
    ],
)
def test_invalid_program_file_is_reported_in_one_line(tmp_path: Path, text: str | None, says: str) -> None:
    file = tmp_path / "players.toml"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="BONEYARD_PLAYERS: ") as wrong:
        read_programs(str(file))
    assert says in str(wrong.value)
    assert "\n" not in str(wrong.value)


def test_guide_example_is_valid_and_menu_fits_all_programs(tmp_path: Path) -> None:
    (example,) = re.findall(
        r"```toml\n(.*?)```", (ROOT / "docs" / "how-to" / "external-programs.md").read_text(encoding="utf-8"), re.DOTALL
    )
    file = tmp_path / "players.toml"
    file.write_text(example, encoding="utf-8")
    assert list(read_programs(str(file))) == ["heaviest", "mine"]
    assert (
        len(build_program_options(["x" * 24] * external_players.MOST_PROGRAMS, load_words())) + len(LEVELS) <= CHOICES
    )
    for language in list_languages():
        (option,) = build_program_options(["x" * 24], load_words(language))
        assert len(option.description or "") <= 100


async def test_rematch_replaces_removed_program_with_default_computer() -> None:
    programs = ExternalPlayers({"mine": "true"})
    assert programs.replace_missing((MINE, "hard", f"{PROGRAM_PREFIX}gone")) == (MINE, "hard", "")
