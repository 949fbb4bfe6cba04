"""Named levels of computer players."""

from types import SimpleNamespace

import pytest
from simcord import MemberActor

from bot.core.component_items import handle_click
from bot.core.layout import CustomId
from bot.tables.lobbies import TableRequest
from bot.tables.service import Table
from data.words import list_languages, load_words
from engine.players.levels import LEVELS
from engine.table.commands import AddComputer, RemovePlayer
from engine.table.refusals import Refusal, RefusalError
from tests.bot.core.forged_interactions import Stranger
from tests.bot.messages import Option, button_ids, menus, pictures, private, words_of
from tests.bot.simulated_guild import SHORT_MATCH, SimGuild
from tests.bot.use_cases import ADA, UseCases
from tests.wording import en


async def levels(sim: SimGuild) -> list[str | None]:
    return [row.computer for row in (await sim.now()).seats]


async def test_level_is_shown_with_every_computer_name(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace, computers=1, level="expert")
    assert await levels(sim) == [None, "expert", None]
    await sim.play_by_typing(await sim.turn())
    (alt,) = pictures(sim.board())
    text = words_of(private(await grace.slash(sim.channel, "tiles board", text=True)))
    scores = words_of(private(await grace.click(sim.board(), label="Scores")))
    for shown in (words_of(sim.board()), alt, text, scores):
        assert "Computer (expert)" in shown


async def test_computers_are_distinguished_by_number_and_level(sim: SimGuild, ada: MemberActor) -> None:
    await ada.slash(sim.channel, "tiles new", seats=4)
    before = menus(sim.board())[0].custom_id
    await sim.add_computer(ada, "easy")
    assert menus(sim.board())[0].custom_id != before, "else Discord keeps the last choice"
    for level in ("master", "master"):
        await sim.add_computer(ada, level)
    assert await levels(sim) == [None, "easy", "master", "master"]
    for name in ("Bot 1 (easy)", "Bot 2 (master)", "Bot 3 (master)"):
        assert name in words_of(sim.board())


async def test_narrow_picture_shows_computer_number_without_level(sim: SimGuild, ada: MemberActor) -> None:
    names = sim.client.services.names
    for computers, pictured in ((1, ("Ada", "Computer (master)")), (2, ("Ada", "Bot 1", "Bot 2"))):
        table = await opened(sim, ada, ("master",) * computers)
        assert (await names.resolve_seat_names(table, load_words())).picture_names == pictured


async def opened(sim: SimGuild, host: MemberActor, players: tuple[str, ...]) -> Table:
    channel = sim.guild.create_text_channel(f"table-{len(players)}")
    here = {"guild_id": sim.guild.id, "channel_id": channel.id, "host_id": host.id}
    asked = TableRequest(**here, game="triominoes", computers=players)
    return await sim.client.services.acts.open(asked, request=len(players))


async def test_lobby_offers_levels_until_table_is_full(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await ada.slash(sim.channel, "tiles new", seats=2)
    (offered,) = menus(sim.board())
    assert offered.placeholder == "Add computer"
    assert [one.value for one in offered.options] == list(LEVELS)
    assert offered.options[0] == Option("Easy", "easy", en("level.easy_says"))
    await ada.slash(sim.channel, "tiles-host keep", person=grace)
    assert menus(sim.board()) == [], "the last free seat is kept"


async def test_old_button_adds_computer_of_default_level(sim: SimGuild, ada: MemberActor) -> None:
    await ada.slash(sim.channel, "tiles new", seats=3)
    old = await sim.post(str(CustomId("computer", (await sim.head()).match_id)))
    await ada.click(old, label="Button 0")
    assert await levels(sim) == [None, "medium"]
    await sim.add_computer(ada, "easy")
    assert "My hand" in button_ids(sim.board()), "the last seat is taken, so the match has begun"
    assert "Bot 2 (easy)" in words_of(private(await ada.slash(sim.channel, "tiles scores")))


async def test_default_level_is_medium_and_practice_level_is_easy(sim: SimGuild, ada: MemberActor) -> None:
    await ada.slash(sim.channel, "tiles new", computers=1)
    assert await levels(sim) == [None, "medium"]
    helped = private(await ada.slash(sim.channel, "tiles help"))
    await ada.click(helped, label="Practice vs computer")
    assert (await sim.now(sim.channel.threads[-1])).seats[1].computer == "easy"


async def test_rematch_keeps_same_computers(sim: SimGuild, ada: MemberActor) -> None:
    sim.deals.wanted = [SHORT_MATCH]
    await ada.slash(sim.channel, "tiles new", seats=3, target=60)
    await sim.add_computer(ada, "easy")
    await sim.add_computer(ada, "hard")
    await sim.play_to_the_end()
    await ada.click(sim.board(), label="Rematch")
    assert await levels(sim) == [None, "easy", "hard"]


async def test_host_removes_selected_computer(sim: SimGuild, ada: MemberActor) -> None:
    await ada.slash(sim.channel, "tiles new", seats=5)
    for level in ("easy", "hard", "hard"):
        await sim.add_computer(ada, level)
    panel = private(await ada.click(sim.board(), label="Set up"))
    panel = private(await ada.click(panel, label="Players"))
    off = next(menu for menu in menus(panel) if menu.custom_id.startswith("by:off:"))
    assert [one.label for one in off.options] == ["Computer (easy)", "Computer (hard)"]
    await ada.select(panel, ["computer.easy"], custom_id=off.custom_id)
    assert await levels(sim) == [None, "hard", "hard"]


async def test_computer_in_old_log_keeps_its_level_name(sim: SimGuild, ada: MemberActor) -> None:
    here = {"guild_id": sim.guild.id, "channel_id": sim.channel.id, "host_id": ada.id}
    asked = TableRequest(**here, game="triominoes", seats=3, computers=("greedy",))
    opened = await sim.client.services.acts.open(asked, request=1)
    await sim.client.services.announcer.refresh(opened.head.match_id)
    assert "2. Computer\n" in words_of(sim.board())


@pytest.mark.parametrize("level", ["grandmaster", "gentle", "random", "", "MASTER", "master ", "x" * 5000])
async def test_unknown_level_gets_no_seat(use_cases: UseCases, level: str) -> None:
    asked = TableRequest(guild_id=1, channel_id=2, host_id=ADA, game="triominoes", computers=(level,))
    table = await use_cases.open(seats=3)
    for act in (use_cases.acts.open(asked, request=1), use_cases.act(table.head.match_id, AddComputer(ADA, level))):
        with pytest.raises(RefusalError) as refused:
            await act
        assert refused.value.why is Refusal.NO_SUCH_LEVEL
        assert len(str(refused.value.facts["text"])) <= 60
    assert [row.computer for row in (await use_cases.tables.list_of_user(ADA))[0].seats] == [None]


async def test_forged_level_choice_is_refused_and_adds_no_computer(sim: SimGuild, ada: MemberActor) -> None:
    await ada.slash(sim.channel, "tiles new", seats=3)
    press = str(CustomId("computer", (await sim.head()).match_id))
    user = SimpleNamespace(id=ada.id, display_name="Ada")
    sent = {"custom_id": press, "values": ["**gm** @everyone"]}
    asked = Stranger(sim.client, user, sim.guild.id, sim.channel.id, data=sent)
    await handle_click(asked)  # type: ignore[arg-type]
    offered = ", ".join(f"{en(f'level.{level}').lower()} (`{level}`)" for level in LEVELS)
    assert asked.heard[0].endswith(f"{offered}.")
    assert await levels(sim) == [None]


async def test_removing_unused_level_removes_no_computer(use_cases: UseCases) -> None:
    table = await use_cases.open(seats=3)
    await use_cases.act(table.head.match_id, AddComputer(ADA, "easy"))
    with pytest.raises(RefusalError) as refused:
        await use_cases.act(table.head.match_id, RemovePlayer(ADA, None, "master"))
    assert refused.value.why is Refusal.NO_COMPUTER_HERE


@pytest.mark.parametrize("language", list_languages())
def test_every_level_has_unique_name_and_description_in_every_language(language: str) -> None:
    said = load_words(language)
    assert len({said(f"level.{level}") for level in LEVELS}) == len(LEVELS)
    assert all(said(f"level.{level}_says").endswith(".") for level in LEVELS)
