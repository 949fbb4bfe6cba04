"""The setup menus of the host: every option of `/tiles new`, for the host only, with visible changes."""

from typing import Any

import pytest

from bot.core.guild_settings import GuildSettings
from data.rulebook import list_games, list_presets
from data.words import list_languages
from tests.bot.member import Member
from tests.bot.messages import (
    Menu,
    Message,
    get_private_answer,
    list_custom_ids,
    list_menus,
    read_button_ids,
    read_private_text,
    read_text,
)
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, has_sentence


async def open_panel(sim: SimGuild, person: Member, page: str = "Game") -> Message:
    panel = await person.open_click(sim.get_board(), "Set up")
    return panel if page == "Game" else await person.open_click(panel, page)


def find_menu(message: Message, field: str) -> Menu:
    return next(menu for menu in list_menus(message) if menu.custom_id.endswith(f"|{field}"))


async def choose_option(person: Member, panel: Message, field: str, value: str) -> Message:
    return await person.open_select(panel, value, custom_id=find_menu(panel, field).custom_id)


CHOICES = [
    ("Game", "game", "star", {"game": "star", "seats": 6, "target": 0, "preset": "default"}),
    ("Game", "preset", "evening", {"preset": "evening", "target": 150}),
    ("Game", "target", "200", {"target": 200}),
    ("Game", "seats", "3", {"seats": 3}),
    ("Clock and rating", "clock", "live 5m", {"clock": "live 5m"}),
    ("Clock and rating", "absent", "end", {"absent": "end"}),
    ("Clock and rating", "rated", "no", {"rated": False}),
    ("Clock and rating", "hand", "yes", {"by_hand": True}),
    ("Clock and rating", "theme", "picture", {"theme": "picture"}),
]


@pytest.mark.parametrize(("page", "field", "value", "expected"), CHOICES, ids=[one[1] for one in CHOICES])
async def test_every_term_can_be_chosen_in_menu(
    sim: SimGuild, ada: Member, page: str, field: str, value: str, expected: dict[str, Any]
) -> None:
    await ada.use_command("tiles new", clock="relaxed")
    before = await sim.load_terms()
    after = await choose_option(ada, await open_panel(sim, ada, page), field, value)
    assert {key: (await sim.load_terms())[key] for key in expected} == expected
    unchanged = before.keys() - expected.keys()
    assert {key: (await sim.load_terms())[key] for key in unchanged} == {key: before[key] for key in unchanged}
    assert "Changed: " in read_text(after)
    assert "Changed: " in sim.read_board()


async def test_every_menu_option_has_label_and_description(sim: SimGuild, ada: Member) -> None:
    await ada.use_command("tiles new", computers=1, seats=3)
    assert len(list_languages()) > 1
    for game in list_games():
        panel = await choose_option(ada, await open_panel(sim, ada), "game", game)
        assert len(find_menu(panel, "preset").options) == len(list_presets(game))
        for page in ("Game", "Clock and rating", "Players"):
            panel = await ada.open_click(panel, page)
            for menu in list_menus(panel):
                assert menu.options
                for one in menu.options:
                    assert one.label
                    assert len(one.description.split()) > 2, (game, menu.custom_id, one)


async def test_setup_menus_are_for_host_only(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await ada.use_command("tiles new", seats=4)
    await grace.click(sim.get_board(), label="Join")
    before = await sim.take_snapshot()
    for other in (grace, linus):
        for answer in (
            await other.click(sim.get_board(), label="Set up"),
            await other.use_command("tiles-host setup", seats=2),
            await other.use_command("tiles-host keep", person=linus),
            await other.use_command("tiles-host remove", person=grace),
        ):
            assert has_sentence(read_private_text(answer), "no.HOST_DECIDES", name="Ada")
    assert await sim.take_snapshot() == before


async def test_join_button_with_old_terms_is_refused(sim: SimGuild, ada: Member, grace: Member) -> None:
    await ada.use_command("tiles new", seats=2)
    old_join_id = read_button_ids(sim.get_board())["Join"]
    await choose_option(ada, await open_panel(sim, ada, "Clock and rating"), "clock", "live 5m")
    stale = await sim.post(old_join_id)
    answer = await grace.read_click(stale, "Button 0")
    assert has_sentence(answer, "no.TERMS_CHANGED")
    assert (await sim.load_head()).state == "lobby"
    await grace.click(sim.get_board(), label="Join")
    assert (await sim.load_head()).state == "open"


async def test_player_reserved_several_times_is_called_once(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    await ada.use_command("tiles new", seats=3)
    for _ in range(3):
        panel = await open_panel(sim, ada, "Players")
        keep_id = next(one for one in list_custom_ids(panel) if one.startswith("by:keep:"))
        panel = get_private_answer(await ada.select(panel, [grace, linus], custom_id=keep_id))
        assert "*reserved for Grace*" in sim.read_board()
        assert "*reserved for Linus*" in sim.read_board()
        panel = await ada.open_click(panel, "Open reserved seats")
        assert read_text(panel).endswith(en("setup.opened"))
        assert "reserved for" not in sim.read_board()
    texts = sim.list_public_texts()
    calls = [
        one for one in texts if has_sentence(one, "lobby.call", host="Ada") or has_sentence(one, "lobby.call_over")
    ]
    assert calls == [en("lobby.call_over", people="Grace and Linus")]


async def test_host_removes_players_and_computers(sim: SimGuild, ada: Member, grace: Member) -> None:
    await ada.use_command("tiles new", seats=4, computers=1)
    await grace.click(sim.get_board(), label="Join")
    panel = await open_panel(sim, ada, "Players")
    off = next(menu for menu in list_menus(panel) if menu.custom_id.startswith("by:off:"))
    assert [one.label for one in off.options] == ["Grace", "Computer (medium)"]
    panel = await ada.open_select(panel, str(grace.id), custom_id=off.custom_id)
    panel = await ada.open_select(panel, "computer.medium", custom_id=off.custom_id)
    assert [row.user_id for row in (await sim.load_table()).seats] == [ada.id]
    answer = await grace.read_click(sim.get_board(), "Join")
    assert has_sentence(answer, "no.REMOVED", name="Ada")
    await ada.use_command("tiles-host keep", person=grace)
    await grace.click(sim.get_board(), label="Join")
    assert (await sim.load_table()).find_seat(grace.id) == 1


async def test_host_closes_table_after_confirmation(sim: SimGuild, ada: Member) -> None:
    await ada.use_command("tiles new")
    panel = await open_panel(sim, ada, "Players")
    confirmation = await ada.open_click(panel, "Close table")
    assert (await sim.load_head()).state == "lobby"
    answer = await ada.open_click(confirmation, "Close table")
    assert read_text(answer) == en("setup.closed")
    assert (await sim.load_head()).state == "void"
    assert has_sentence(sim.read_board(), "lobby.closed", reason=en("lobby.closed_host"))


async def test_seats_cannot_be_reduced_below_taken_seats(sim: SimGuild, ada: Member, grace: Member) -> None:
    await ada.use_command("tiles new", seats=4, **{"with": grace})
    await sim.add_member("Mary").click(sim.get_board(), label="Join")
    answer = await ada.read_command("tiles-host setup", seats=2)
    assert has_sentence(answer, "no.TOO_FEW_SEATS", taken=3)
    assert has_sentence(await ada.read_command("tiles start"), "no.SEATS_WAITED_FOR", people="**Grace**")
    await grace.click(sim.get_board(), label="Join")
    await ada.use_command("tiles-host setup", seats=3)
    assert (await sim.load_head()).state == "lobby"
    assert has_sentence(sim.read_board(), "lobby.full", host="Ada")
    await ada.click(sim.get_board(), label="Start")
    assert (await sim.load_head()).state == "open"


async def test_changed_game_applies_to_table_and_match(sim: SimGuild, ada: Member, grace: Member) -> None:
    await ada.use_command("tiles new", seats=2)
    await ada.use_command("tiles-host setup", game="trioker")
    assert (await sim.load_head()).game == "trioker"
    await grace.click(sim.get_board(), label="Join")
    assert (await sim.replay_match()).rules.game == "trioker"


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"seats": 50}, "This game is for 2 to 4 seats, not 50."),
    ({"preset": "goliath"}, en("no.NO_SUCH_PRESET", preset="goliath", presets="")[:-1]),
    ({"clock": "soon"}, en("no.BAD_CLOCK", text="soon")),
    ({"options": "luck=more"}, "luck"),
    ({"theme": "picture"}, en("no.THEME_NOT_ALLOWED")),
]


@pytest.mark.parametrize(("options", "expected"), REFUSED, ids=[next(iter(one[0])) for one in REFUSED])
async def test_impossible_terms_are_refused_and_change_nothing(
    sim: SimGuild, ada: Member, options: dict[str, Any], expected: str
) -> None:
    await sim.client.services.guilds.change(sim.guild.id, GuildSettings(themes=("classic",)))
    await ada.use_command("tiles new", game="trioker")
    before = await sim.take_snapshot()
    assert expected in await ada.read_command("tiles-host setup", **options)
    assert await sim.take_snapshot() == before


async def test_setup_autocomplete_uses_game_of_table(sim: SimGuild, ada: Member) -> None:
    await ada.use_command("tiles new", game="star")
    found = await ada.autocomplete(sim.channel, "tiles-host setup", "preset", "")
    assert {one["value"] for one in found} == set(list_presets("star"))
    found = await ada.autocomplete(sim.channel, "tiles-host setup", "preset", "", game="trioker")
    assert {one["value"] for one in found} == set(list_presets("trioker"))
    found = await ada.autocomplete(sim.channel, "tiles-host setup", "options", "star_s")
    assert [one["value"] for one in found] == ["star_sum=all_touching"]
