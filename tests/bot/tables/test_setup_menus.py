"""The setup menus of the host: every option of `/tiles new`, for the host only, with visible changes."""

from typing import Any

import pytest
from simcord import MemberActor

from bot.core.guild_settings import GuildSettings
from data.rulebook import list_games, list_presets
from data.words import list_languages
from tests.bot.messages import Menu, Message, button_ids, ids, menus, private, told, words_of
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, says


async def open_panel(sim: SimGuild, person: MemberActor, page: str = "Game") -> Message:
    shown = private(await person.click(sim.board(), label="Set up"))
    return shown if page == "Game" else private(await person.click(shown, label=page))


def find_menu(message: Message, field: str) -> Menu:
    return next(menu for menu in menus(message) if menu.custom_id.endswith(f"|{field}"))


async def choose_option(person: MemberActor, shown: Message, field: str, value: str) -> Message:
    return private(await person.select(shown, [value], custom_id=find_menu(shown, field).custom_id))


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
    sim: SimGuild, ada: MemberActor, page: str, field: str, value: str, expected: dict[str, Any]
) -> None:
    await ada.slash(sim.channel, "tiles new", clock="relaxed")
    before = await sim.terms()
    after = await choose_option(ada, await open_panel(sim, ada, page), field, value)
    assert {key: (await sim.terms())[key] for key in expected} == expected
    unchanged = before.keys() - expected.keys()
    assert {key: (await sim.terms())[key] for key in unchanged} == {key: before[key] for key in unchanged}
    assert "Changed: " in words_of(after)
    assert "Changed: " in words_of(sim.board())


async def test_every_menu_option_has_label_and_description(sim: SimGuild, ada: MemberActor) -> None:
    await ada.slash(sim.channel, "tiles new", computers=1, seats=3)
    assert len(list_languages()) > 1
    for game in list_games():
        shown = await choose_option(ada, await open_panel(sim, ada), "game", game)
        assert len(find_menu(shown, "preset").options) == len(list_presets(game))
        for page in ("Game", "Clock and rating", "Players"):
            shown = private(await ada.click(shown, label=page))
            for menu in menus(shown):
                assert menu.options
                for one in menu.options:
                    assert one.label
                    assert len(one.description.split()) > 2, (game, menu.custom_id, one)


async def test_setup_menus_are_for_host_only(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await ada.slash(sim.channel, "tiles new", seats=4)
    await grace.click(sim.board(), label="Join")
    before = await sim.standing()
    for other in (grace, linus):
        for asked in (
            await other.click(sim.board(), label="Set up"),
            await other.slash(sim.channel, "tiles-host setup", seats=2),
            await other.slash(sim.channel, "tiles-host keep", person=linus),
            await other.slash(sim.channel, "tiles-host remove", person=grace),
        ):
            assert says(told(asked), "no.HOST_DECIDES", name="Ada")
    assert await sim.standing() == before


async def test_join_button_with_old_terms_is_refused(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await ada.slash(sim.channel, "tiles new", seats=2)
    old = button_ids(sim.board())["Join"]
    await choose_option(ada, await open_panel(sim, ada, "Clock and rating"), "clock", "live 5m")
    stale = await sim.post(old)
    said = told(await grace.click(stale, label="Button 0"))
    assert says(said, "no.TERMS_CHANGED")
    assert (await sim.head()).state == "lobby"
    await grace.click(sim.board(), label="Join")
    assert (await sim.head()).state == "open"


async def test_player_reserved_several_times_is_called_once(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await ada.slash(sim.channel, "tiles new", seats=3)
    for _ in range(3):
        shown = await open_panel(sim, ada, "Players")
        keep = next(one for one in ids(shown) if one.startswith("by:keep:"))
        shown = private(await ada.select(shown, [grace, linus], custom_id=keep))
        assert "*reserved for Grace*" in words_of(sim.board())
        assert "*reserved for Linus*" in words_of(sim.board())
        shown = private(await ada.click(shown, label="Open reserved seats"))
        assert words_of(shown).endswith(en("setup.opened"))
        assert "reserved for" not in words_of(sim.board())
    said = [words_of(one) for one in sim.public()]
    called = [one for one in said if says(one, "lobby.call", host="Ada") or says(one, "lobby.call_over")]
    assert called == [en("lobby.call_over", people="Grace and Linus")]


async def test_host_removes_players_and_computers(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await ada.slash(sim.channel, "tiles new", seats=4, computers=1)
    await grace.click(sim.board(), label="Join")
    shown = await open_panel(sim, ada, "Players")
    off = next(menu for menu in menus(shown) if menu.custom_id.startswith("by:off:"))
    assert [one.label for one in off.options] == ["Grace", "Computer (medium)"]
    shown = private(await ada.select(shown, [str(grace.id)], custom_id=off.custom_id))
    shown = private(await ada.select(shown, ["computer.medium"], custom_id=off.custom_id))
    assert [row.user_id for row in (await sim.now()).seats] == [ada.id]
    said = told(await grace.click(sim.board(), label="Join"))
    assert says(said, "no.REMOVED", name="Ada")
    await ada.slash(sim.channel, "tiles-host keep", person=grace)
    await grace.click(sim.board(), label="Join")
    assert (await sim.now()).find_seat(grace.id) == 1


async def test_host_closes_table_after_confirmation(sim: SimGuild, ada: MemberActor) -> None:
    await ada.slash(sim.channel, "tiles new")
    shown = await open_panel(sim, ada, "Players")
    asked = private(await ada.click(shown, label="Close table"))
    assert (await sim.head()).state == "lobby"
    said = private(await ada.click(asked, label="Close table"))
    assert words_of(said) == en("setup.closed")
    assert (await sim.head()).state == "void"
    assert says(words_of(sim.board()), "lobby.closed", reason=en("lobby.closed_host"))


async def test_seats_cannot_be_reduced_below_taken_seats(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await ada.slash(sim.channel, "tiles new", seats=4, **{"with": grace})
    await sim.person("Mary").click(sim.board(), label="Join")
    said = told(await ada.slash(sim.channel, "tiles-host setup", seats=2))
    assert says(said, "no.TOO_FEW_SEATS", taken=3)
    assert says(told(await ada.slash(sim.channel, "tiles start")), "no.SEATS_WAITED_FOR", people="**Grace**")
    await grace.click(sim.board(), label="Join")
    await ada.slash(sim.channel, "tiles-host setup", seats=3)
    assert (await sim.head()).state == "lobby"
    assert says(words_of(sim.board()), "lobby.full", host="Ada")
    await ada.click(sim.board(), label="Start")
    assert (await sim.head()).state == "open"


async def test_changed_game_applies_to_table_and_match(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await ada.slash(sim.channel, "tiles new", seats=2)
    await ada.slash(sim.channel, "tiles-host setup", game="trioker")
    assert (await sim.head()).game == "trioker"
    await grace.click(sim.board(), label="Join")
    assert (await sim.match()).rules.game == "trioker"


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"seats": 50}, "This game is for 2 to 4 seats, not 50."),
    ({"preset": "goliath"}, en("no.NO_SUCH_PRESET", preset="goliath", presets="")[:-1]),
    ({"clock": "soon"}, en("no.BAD_CLOCK", text="soon")),
    ({"options": "luck=more"}, "luck"),
    ({"theme": "picture"}, en("no.THEME_NOT_ALLOWED")),
]


@pytest.mark.parametrize(("options", "expected"), REFUSED, ids=[next(iter(one[0])) for one in REFUSED])
async def test_impossible_terms_are_refused_and_change_nothing(
    sim: SimGuild, ada: MemberActor, options: dict[str, Any], expected: str
) -> None:
    await sim.client.services.guilds.change(sim.guild.id, GuildSettings(themes=("classic",)))
    await ada.slash(sim.channel, "tiles new", game="trioker")
    before = await sim.standing()
    assert expected in told(await ada.slash(sim.channel, "tiles-host setup", **options))
    assert await sim.standing() == before


async def test_setup_autocomplete_uses_game_of_table(sim: SimGuild, ada: MemberActor) -> None:
    await ada.slash(sim.channel, "tiles new", game="star")
    found = await ada.autocomplete(sim.channel, "tiles-host setup", "preset", "")
    assert {one["value"] for one in found} == set(list_presets("star"))
    found = await ada.autocomplete(sim.channel, "tiles-host setup", "preset", "", game="trioker")
    assert {one["value"] for one in found} == set(list_presets("trioker"))
    found = await ada.autocomplete(sim.channel, "tiles-host setup", "options", "star_s")
    assert [one["value"] for one in found] == ["star_sum=all_touching"]
