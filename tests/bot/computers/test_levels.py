"""Named levels of computer players."""

import pytest

from bot.core.layout import CustomId
from bot.tables.lobbies import TableRequest
from bot.tables.service import Table
from data.words import list_languages, load_words
from engine.players.levels import LEVELS
from engine.table.commands import AddComputer, RemovePlayer
from engine.table.refusals import Refusal, RefusalError
from tests.bot.core.forged_interactions import click_forged
from tests.bot.member import Member
from tests.bot.messages import Option, list_alt_texts, list_menus
from tests.bot.simulated_guild import SHORT_MATCH_DEAL, SimGuild
from tests.bot.use_cases import ADA, UseCases, catch_refusal
from tests.wording import en


async def list_levels(sim: SimGuild) -> list[str | None]:
    return [row.computer for row in (await sim.load_table()).seats]


async def test_level_is_shown_with_every_computer_name(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, computers=1, level="expert")
    assert await list_levels(sim) == [None, "expert", None]
    await sim.play_by_typing(await sim.load_turn_player())
    (alt,) = list_alt_texts(sim.get_board())
    text = await grace.read_command("tiles board", text=True)
    scores = await grace.read_click(sim.get_board(), "Scores")
    for shown in (sim.read_board(), alt, text, scores):
        assert "Computer (expert)" in shown


async def test_computers_are_distinguished_by_number_and_level(sim: SimGuild, ada: Member) -> None:
    await ada.use_command("tiles new", seats=4)
    before = list_menus(sim.get_board())[0].custom_id
    await sim.add_computer(ada, "easy")
    assert list_menus(sim.get_board())[0].custom_id != before, "else Discord keeps the last choice"
    for level in ("master", "master"):
        await sim.add_computer(ada, level)
    assert await list_levels(sim) == [None, "easy", "master", "master"]
    for name in ("Bot 1 (easy)", "Bot 2 (master)", "Bot 3 (master)"):
        assert name in sim.read_board()


async def test_narrow_picture_shows_computer_number_without_level(sim: SimGuild, ada: Member) -> None:
    names = sim.client.services.names
    for computers, pictured in ((1, ("Ada", "Computer (master)")), (2, ("Ada", "Bot 1", "Bot 2"))):
        table = await open_table(sim, ada, ("master",) * computers)
        assert (await names.resolve_seat_names(table, load_words())).picture_names == pictured


async def open_table(sim: SimGuild, host: Member, players: tuple[str, ...]) -> Table:
    channel = sim.guild.create_text_channel(f"table-{len(players)}")
    location = {"guild_id": sim.guild.id, "channel_id": channel.id, "host_id": host.id}
    request = TableRequest(**location, game="triominoes", computers=players)
    return await sim.client.services.acts.open(request, request=len(players))


async def test_lobby_offers_levels_until_table_is_full(sim: SimGuild, ada: Member, grace: Member) -> None:
    await ada.use_command("tiles new", seats=2)
    (offered,) = list_menus(sim.get_board())
    assert offered.placeholder == "Add computer"
    assert [one.value for one in offered.options] == list(LEVELS)
    assert offered.options[0] == Option("Easy", "easy", en("level.easy_says"))
    await ada.use_command("tiles-host keep", person=grace)
    assert list_menus(sim.get_board()) == [], "the last free seat is kept"


async def test_default_level_is_medium_and_practice_level_is_easy(sim: SimGuild, ada: Member) -> None:
    await ada.use_command("tiles new", computers=1)
    assert await list_levels(sim) == [None, "medium"]
    helped = await ada.open_command("tiles help")
    await ada.click(helped, label="Practice vs computer")
    assert (await sim.load_table(sim.channel.threads[-1])).seats[1].computer == "easy"


async def test_rematch_keeps_same_computers(sim: SimGuild, ada: Member) -> None:
    sim.deals.next_numbers = [SHORT_MATCH_DEAL]
    await ada.use_command("tiles new", seats=3, target=60)
    await sim.add_computer(ada, "easy")
    await sim.add_computer(ada, "hard")
    await sim.play_to_the_end()
    await ada.click(sim.get_board(), label="Rematch")
    assert await list_levels(sim) == [None, "easy", "hard"]


async def test_host_removes_selected_computer(sim: SimGuild, ada: Member) -> None:
    await ada.use_command("tiles new", seats=5)
    for level in ("easy", "hard", "hard"):
        await sim.add_computer(ada, level)
    panel = await ada.open_click(sim.get_board(), "Set up")
    panel = await ada.open_click(panel, "Players")
    off = next(menu for menu in list_menus(panel) if menu.custom_id.startswith("by:off:"))
    assert [one.label for one in off.options] == ["Computer (easy)", "Computer (hard)"]
    await ada.select(panel, ["computer.easy"], custom_id=off.custom_id)
    assert await list_levels(sim) == [None, "hard", "hard"]


async def test_computer_in_old_log_keeps_its_level_name(sim: SimGuild, ada: Member) -> None:
    location = {"guild_id": sim.guild.id, "channel_id": sim.channel.id, "host_id": ada.id}
    request = TableRequest(**location, game="triominoes", seats=3, computers=("greedy",))
    opened = await sim.client.services.acts.open(request, request=1)
    await sim.client.services.announcer.refresh(opened.head.match_id)
    assert "2. Computer\n" in sim.read_board()


@pytest.mark.parametrize("level", ["grandmaster", "gentle", "random", "", "MASTER", "master ", "x" * 5000])
async def test_unknown_level_gets_no_seat(use_cases: UseCases, level: str) -> None:
    request = TableRequest(guild_id=1, channel_id=2, host_id=ADA, game="triominoes", computers=(level,))
    table = await use_cases.open(seats=3)
    for act in (use_cases.acts.open(request, request=1), use_cases.act(table, AddComputer(ADA, level))):
        with pytest.raises(RefusalError) as refused:
            await act
        assert refused.value.why is Refusal.NO_SUCH_LEVEL
        assert len(str(refused.value.facts["text"])) <= 60
    assert [row.computer for row in (await use_cases.tables.list_of_user(ADA))[0].seats] == [None]


async def test_forged_level_choice_is_refused_and_adds_no_computer(sim: SimGuild, ada: Member) -> None:
    await ada.use_command("tiles new", seats=3)
    press = CustomId("computer", (await sim.load_head()).match_id)
    offered = ", ".join(f"{en(f'level.{level}').lower()} (`{level}`)" for level in LEVELS)
    assert (await click_forged(sim, ada, press, "**gm** @everyone")).endswith(f"{offered}.")
    assert await list_levels(sim) == [None]


async def test_removing_unused_level_removes_no_computer(use_cases: UseCases) -> None:
    table = await use_cases.open(seats=3)
    await use_cases.act(table, AddComputer(ADA, "easy"))
    removal = use_cases.act(table, RemovePlayer(ADA, None, "master"))
    assert await catch_refusal(removal) is Refusal.NO_COMPUTER_HERE


@pytest.mark.parametrize("language", list_languages())
def test_every_level_has_unique_name_and_description_in_every_language(language: str) -> None:
    words = load_words(language)
    assert len({words(f"level.{level}") for level in LEVELS}) == len(LEVELS)
    assert all(words(f"level.{level}_says").endswith(".") for level in LEVELS)
