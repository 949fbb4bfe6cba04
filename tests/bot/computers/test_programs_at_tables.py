"""External programs that hosts seat at tables."""

import asyncio
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from bot.computers import external_players
from bot.computers.external_players import ExternalPlayers, read_programs
from bot.computers.player_names import ComputationError
from bot.computers.protocol import SCHEMA
from bot.computers.runner import request_action
from bot.computers.worker_pool import WorkerPool
from bot.core.layout import CustomId
from bot.core.names import SeatNames
from bot.playground.server import LocalDiscord
from bot.tables.lobbies import TableRequest
from bot.tables.move_labels import build_program_options, format_programs
from bot.tables.service import Table
from data.store.results.scores import build_match_result
from data.store.store import Store
from data.words import list_languages, load_words
from engine.match.events import Placed
from engine.match.player_view import list_legal_actions
from engine.players.levels import LEVELS
from engine.table.commands import AddComputer, Join
from engine.table.table_events import Stumbled
from engine.table.table_state import MAX_FAULTS
from engine.table.terms import PROGRAM_PREFIX
from tests.bot.computers.duels import FIRST_ACTION_PROGRAM, REQUEST_LOOP
from tests.bot.computers.workers import build_view, count_thoughts, is_alive, play_to_computer_turn
from tests.bot.core.forged_interactions import click_forged
from tests.bot.local_bot import list_button_labels, list_components, play_by_typing, read_text, run_local_bot
from tests.bot.member import Member
from tests.bot.operating.runner import run_bot_process
from tests.bot.simulated_guild import TIMEOUT_SECONDS, SimGuild
from tests.bot.use_cases import ADA, GRACE, UseCases
from tests.bot.waiting import wait_until
from tests.playground.page_user import PageUser
from tests.project.sources import ROOT
from tests.wording import en, has_sentence

MAX_CHOICES = 25
PROGRAM_PLAYER = f"{PROGRAM_PREFIX}mine"
RUNNER = (sys.executable, "-m", "bot.computers.runner")
NEEDS_PERL = pytest.mark.skipif(shutil.which("perl") is None, reason="there is no perl")


def write_program(folder: Path, text: str, name: str = "mine.py") -> str:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return shlex.join([sys.executable, "-S", str(file)])


def build_external_players(*command_lines: str, max_workers: int = 1) -> ExternalPlayers:
    workers = WorkerPool(
        most_workers=max_workers, silence_timeout=TIMEOUT_SECONDS, queue_timeout=TIMEOUT_SECONDS, command=RUNNER
    )
    commands = dict(zip(("mine", "yours"), command_lines, strict=False))
    return ExternalPlayers(commands, workers, hello_timeout=TIMEOUT_SECONDS, answer_timeout=TIMEOUT_SECONDS)


async def list_fault_reasons(store: Store, match_id: int = 1) -> list[str]:
    loaded = await store.matches.load(match_id)
    return [entry.event.why for entry in loaded.log if isinstance(entry.event, Stumbled)]


@NEEDS_PERL
async def test_host_seats_program_by_name_and_it_plays(url: str) -> None:
    programs, before = (
        build_external_players(f"perl {ROOT / 'docs' / 'players' / 'heaviest.pl'}"),
        count_thoughts("thought", PROGRAM_PLAYER),
    )
    async with run_local_bot(url, programs=programs) as at:
        await at.use_command(at.ada, "tiles", "new", seats=3)
        (lobby,) = await at.list_boards()
        (menu,) = [one for one in list_components(lobby["components"]) if "options" in one]
        assert [one["value"] for one in menu["options"]][-2:] == ["master", PROGRAM_PLAYER]
        await at.grace.click(lobby, label="Join")
        lobby = await at.ada.wait_for_message(at.channel_id, lambda one: "2. Grace" in read_text(one))
        assert has_sentence(read_text(lobby), "lobby.rated")
        await at.grace.select(lobby, [PROGRAM_PLAYER])
        await at.grace.wait_for_message(at.channel_id, lambda one: has_sentence(read_text(one), "no.HOST_DECIDES"))
        await at.ada.select(lobby, [PROGRAM_PLAYER])
        await at.ada.wait_for_message(at.channel_id, lambda one: one["mentions"])
        for _ in range(4):
            await at.move()
            await wait_until(lambda: at.client.services.tables.find_awaiting_player(1))
        (board,) = await at.list_boards()
        assert "**mine (program)**" in read_text(board)
        assert "not rated" in read_text(board)
        assert [event for event in await at.list_events() if isinstance(event, Placed) and event.seat == 2]
        assert count_thoughts("thought", PROGRAM_PLAYER) > before, "it was asked"
        assert await list_fault_reasons(at.store) == []
        assert len(programs.workers.pids) == 1
        await at.client.drain()
    assert not programs.workers.pids, "the process that asks it ends with the bot"


async def test_program_missing_from_configuration_gets_no_seat(sim: SimGuild, ada: Member) -> None:
    await ada.use_command("tiles new", seats=3)
    press = CustomId("computer", (await sim.load_head()).match_id)
    commands = (PROGRAM_PREFIX, f"{PROGRAM_PREFIX}rm -rf /", f"{PROGRAM_PREFIX}{'x' * 5000}")
    for player in (PROGRAM_PLAYER, "mine", *commands):
        assert has_sentence(await click_forged(sim, ada, press, player), "no.NO_SUCH_LEVEL")
    assert [row.computer for row in (await sim.load_table()).seats] == [None]


@pytest.mark.parametrize("player", [PROGRAM_PLAYER, "medium"])
async def test_table_with_program_is_always_unrated(use_cases: UseCases, player: str) -> None:
    table = await use_cases.open(seats=3)
    table = await use_cases.act(table, AddComputer(ADA, player))
    table = await use_cases.interact(table, Join(GRACE))
    assert (table.is_rated, table.has_hints) == (player != PROGRAM_PLAYER, player == PROGRAM_PLAYER)
    table = await use_cases.resign(await use_cases.resign(table, GRACE), ADA)
    result = build_match_result(table.event_log, table.state, lambda *_: {})
    assert result.rated == (player != PROGRAM_PLAYER)


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
    text += "print('{\"protocol\":2}', flush=True)\n" if does is None else f"{REQUEST_LOOP}        {does}\n"
    command_line = write_program(tmp_path, text) if misbehavior != "no program" else "/nonexistent/player"
    with pytest.raises(ComputationError) as failed:
        request_action(command_line, build_view(), 1, TIMEOUT_SECONDS, 0.2 if why == "late" else TIMEOUT_SECONDS)
    assert failed.value.why == why
    assert misbehavior == "no program" or not is_alive(int(pid.read_text()))


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


async def open_table(use_cases: UseCases, *players: str) -> Table:
    request = TableRequest(guild_id=1, channel_id=2, host_id=ADA, game="triominoes", computers=players)
    return await play_to_computer_turn(
        use_cases, await use_cases.acts.open(request, request=use_cases.create_request_id())
    )


async def test_computer_replaces_program_after_three_faults(
    desk_of: Callable[[ExternalPlayers], UseCases], tmp_path: Path
) -> None:
    note, before = tmp_path / "asked", count_thoughts("gone", PROGRAM_PLAYER)
    text = f"open({str(note)!r}, 'a').write('x')\n{REQUEST_LOOP}        sys.exit(7)\n"
    use_cases = desk_of(build_external_players(write_program(tmp_path, text)))
    table, status_texts = await open_table(use_cases, PROGRAM_PLAYER), []
    for _ in range(MAX_FAULTS + 2):
        assert table.find_turn_user() is None
        table = await use_cases.play_computers(table)
        status_texts.append(
            "\n".join(format_programs(table, SeatNames(("Ada", "mine"), ("Ada", "mine")), load_words()))
        )
        table = await play_to_computer_turn(use_cases, table)
    question_count = len(note.read_text())
    assert question_count == MAX_FAULTS
    assert await list_fault_reasons(use_cases.store, table.head.match_id) == ["gone"] * MAX_FAULTS
    assert count_thoughts("gone", PROGRAM_PLAYER) == before + MAX_FAULTS
    assert status_texts[0] == en("program.stood_in", name="mine", moves="1 move")
    assert status_texts[-1] == en("program.out", name="mine")


async def test_hanging_program_blocks_no_table_and_its_turn_is_retried(url: str, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    hangs = f"import os, time\nopen({str(note)!r}, 'w').write(str(os.getpid()))\ntime.sleep(1000)\n"
    async with run_local_bot(url, programs=build_external_players(write_program(tmp_path, hangs))) as at:
        await at.start_table()
        channel = at.discord.world.add_channel("beside")
        guild_id, channel_id = int(channel["guild_id"]), int(channel["id"])
        request = TableRequest(
            guild_id=guild_id, channel_id=channel_id, host_id=99, game="triominoes", computers=(PROGRAM_PLAYER,)
        )
        program_table = await at.client.services.acts.open(
            replace(request, computers=(PROGRAM_PLAYER,) * 5), request=1000
        )
        assert program_table.find_turn_user() is None, "a program begins"
        at.client.services.scheduler.wake(program_table.head.match_id)
        await wait_until(lambda: note.exists() and note.read_text())
        before = (await at.load_head()).seq
        for _ in range(3):
            assert await at.move()
        assert (await at.load_head()).seq >= before + 3, "people play on"
        await at.client.drain()
        await wait_until(lambda: not is_alive(int(note.read_text())))
        after = await at.store.matches.find_head(program_table.head.match_id)
        assert (after.seq, after.due and after.due.kind) == (program_table.head.seq, "computer"), (
            "nothing was played in haste"
        )


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux signals a program whose parent ended")
async def test_table_continues_after_kill_if_program_is_removed(url: str, tmp_path: Path) -> None:
    note, file = tmp_path / "pid", tmp_path / "players.toml"
    stubborn = f"import os, time\nopen({str(note)!r}, 'w').write(str(os.getpid()))\ntime.sleep(1000)\n"
    file.write_text(f"mine = {json.dumps(write_program(tmp_path, stubborn))}\n", encoding="utf-8")
    timeout_name = "bot.computers.external_players.HELLO_TIMEOUT"
    async with (
        LocalDiscord(None, port=0, answer_within=TIMEOUT_SECONDS) as discord,
        PageUser(discord.address, "Ada") as ada,
    ):
        channel_id = discord.world.welcome_channel
        async with run_bot_process(
            url, discord, BONEYARD_PLAYERS=str(file), shortened_timeouts=timeout_name, seconds=TIMEOUT_SECONDS
        ) as bot:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                await discord.gateway.connected.wait()
            await ada.wait_for_answer(channel_id, await ada.use_command(channel_id, "tiles", "new", seats=2))
            await ada.select(
                await ada.wait_for_message(channel_id, lambda one: "Join" in list_button_labels(one)), [PROGRAM_PLAYER]
            )
            await ada.wait_for_message(channel_id, lambda one: "Text board" in list_button_labels(one))
            # The first player is mentioned after the board appears, unless it is the program.
            call_ids: list[str] = []
            async with asyncio.timeout(TIMEOUT_SECONDS):
                while not call_ids and not note.exists():
                    call_ids = [one["id"] for one in await ada.fetch_messages(channel_id) if one["mentions"]]
                    await asyncio.sleep(0.05)
            if call_ids:
                await play_by_typing(ada, channel_id)
            await wait_until(lambda: note.exists() and note.read_text())
            bot.process.kill()
            await bot.wait_for_exit()
            await wait_until(lambda: not is_alive(int(note.read_text())))
        async with run_bot_process(url, discord):
            await ada.wait_for_message(channel_id, lambda one: one["mentions"] and one["id"] not in call_ids)
            board = await ada.wait_for_message(channel_id, lambda one: "in its place" in read_text(one))
            assert has_sentence(read_text(board), "program.stood_in", name="mine (program)")
            assert "not rated" in read_text(board)


def test_program_does_not_inherit_environment_of_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", "hush")
    monkeypatch.setenv("BONEYARD_DATABASE_URL", "postgresql://hush")
    note = tmp_path / "told"
    text = f"import os\nopen({str(note)!r}, 'w').write(str(os.environ))\n{FIRST_ACTION_PROGRAM}"
    seen = build_view()
    assert (
        request_action(write_program(tmp_path, text), seen, 1, TIMEOUT_SECONDS, TIMEOUT_SECONDS)
        == list_legal_actions(seen)[0]
    )
    assert "PATH" in note.read_text()
    assert "hush" not in note.read_text()


SPY = """
import glob, os
found = [open(name, 'rb').read() for name in glob.glob('/proc/self/environ')]
process = os.getppid()
while process > 1:
    for name in ('environ', 'cmdline', 'mem'):
        try:
            with open(f'/proc/{process}/{name}', 'rb') as opened:
                found.append(opened.read() if name != 'mem' else b'')
        except OSError:
            pass
    process = int(open(f'/proc/{process}/stat').read().rpartition(')')[2].split()[1])
found.append(repr(sorted(map(int, os.listdir('/proc/self/fd')))[:-1]).encode())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is what Linux has")
def test_spying_program_finds_no_secret_in_processes_above_it(tmp_path: Path) -> None:
    note, hidden = tmp_path / "told", "MTIz.hush.hush"
    spy = write_program(tmp_path, f"{SPY}\nopen({str(note)!r}, 'wb').write(b'|'.join(found))\n{FIRST_ACTION_PROGRAM}")
    bot = (
        "import ctypes, sys\nfrom bot.core.environment import hide_secrets, read_settings\nsettings = read_settings()\n"
        "hide_secrets()\nfrom tests.bot.computers.test_programs_at_tables import build_view\n"
        "from bot.computers.runner import request_action\n"
        "request_action(sys.argv[1], build_view(), 1, 30, 30)\n"
        "print(settings.token, ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))"
    )
    done = subprocess.run(
        [sys.executable, "-c", bot, spy],
        cwd=Path(__file__).parents[3],
        env={**os.environ, "DISCORD_TOKEN": hidden, "BONEYARD_DATABASE_URL": f"postgresql://{hidden}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [hidden, "0"], "the bot knows its token, and may not be inspected"
    assert hidden.encode() not in note.read_bytes()
    assert note.read_bytes().endswith(b"[0, 1, 2]"), "no open file is inherited"


def test_program_input_matches_guide_and_schema(tmp_path: Path) -> None:
    note = tmp_path / "lines"
    text = f"import sys, json\nnote = open({str(note)!r}, 'w')\n"
    text += "for line in sys.stdin:\n    note.write(line); note.flush()\n"
    text += "    told = json.loads(line)['type']\n"
    text += "    if told == 'hello': print('{\"protocol\":1}', flush=True)\n"
    text += "    if told == 'choose': print('{\"ask\":1,\"action\":0}', flush=True)\n"
    seen = build_view()
    assert (
        request_action(write_program(tmp_path, text), seen, 7, TIMEOUT_SECONDS, TIMEOUT_SECONDS)
        == list_legal_actions(seen)[0]
    )
    messages = [json.loads(line) for line in note.read_text().splitlines()]
    assert [one["type"] for one in messages] == ["hello", "match", "choose"]
    assert (messages[1]["luck"], messages[2]["ask"], messages[2]["seen"]["seat"]) == (7, 1, seen.viewer)
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    for one in messages:
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
            "\n".join(f'p{number} = "true"' for number in range(external_players.MAX_PROGRAMS + 1)),
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
        len(build_program_options(["x" * 24] * external_players.MAX_PROGRAMS, load_words())) + len(LEVELS)
        <= MAX_CHOICES
    )
    for language in list_languages():
        (option,) = build_program_options(["x" * 24], load_words(language))
        assert len(option.description or "") <= 100


async def test_rematch_replaces_removed_program_with_default_computer() -> None:
    programs = ExternalPlayers({"mine": "true"})
    assert programs.replace_missing((PROGRAM_PLAYER, "hard", f"{PROGRAM_PREFIX}gone")) == (PROGRAM_PLAYER, "hard", "")
