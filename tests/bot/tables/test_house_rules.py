"""House rules: chosen at `/tiles new`, shown at the table, kept by a rematch."""

from dataclasses import replace
from functools import partial
from io import BytesIO
from random import Random

import discord
import pytest
from PIL import Image
from simcord import ResponseMessage

from bot.tables.rules_text import format_option, format_rules, format_value, list_offered_values, parse_options
from data.rulebook import list_games, list_presets, load_rules
from data.words import list_languages, load_words
from engine.match.actions import Action
from engine.match.events import Started
from engine.match.player_view import PlayerView, view_for
from engine.match.rules import Rules
from engine.match.state import replay
from engine.players import greedy
from engine.table.commands import Join, TakeAction
from render.canvas.theme import SCHEMES
from tests.bot.member import Member
from tests.bot.messages import Message, list_menus, read_button_ids, read_private_text, read_text
from tests.bot.simulated_guild import MIXED_HAND_DEAL, SimGuild
from tests.bot.tables.moderation import change_settings
from tests.bot.use_cases import GRACE, UseCases
from tests.engine.readings import build_triominoes_rules
from tests.wording import en, has_sentence

HOUSE_RULES_HEADING = "House rules:"


async def test_preset_is_shown_in_lobby_and_rules(sim: SimGuild, ada: Member, grace: Member) -> None:
    await ada.use_command("tiles new", seats=2, preset="goliath")
    assert "**Triominoes** · Goliath's rules · to 400 · 2 seats" in sim.read_board()
    before = await grace.read_command("tiles rules")
    await grace.click(sim.get_board(), label="Join")
    after = await grace.read_command("tiles rules")

    for text in (before, after):
        assert "Two at once: +60. Three: +70" in text
        assert text.split(HOUSE_RULES_HEADING)[1].count("\n- ") == 6
        assert has_sentence(text, "reading.opening_choice_any_tile")
        assert has_sentence(text, "reading.voluntary_draw_on")
        assert has_sentence(text, "reading.empty_boneyard_penalty", value="0")
    assert (await sim.replay_match()).rules == load_rules("triominoes", "goliath")


async def test_single_house_rules_change_preset_and_are_shown(sim: SimGuild, ada: Member, grace: Member) -> None:
    await ada.use_command("tiles new", seats=2, preset="evening", options="blocked_bonus=none, draw_limit=unlimited")
    preset = en("lobby.preset_changed", preset=en("preset.evening"))
    assert f"{preset} · to 150" in sim.read_board()
    await grace.click(sim.get_board(), label="Join")

    assert (await sim.replay_match()).rules == build_triominoes_rules(
        "blocked_bonus=none draw_limit=unlimited", preset="evening"
    )
    text = await grace.read_command("tiles rules")
    assert has_sentence(text, "reading.blocked_bonus_none")
    assert has_sentence(text, "reading.draw_limit_unlimited")


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (
            {"preset": "pressmann"},
            "This game has no rules called “pressmann”. Choose from: default rules (`default`), Pressman's "
            "rules (`pressman`), Goliath's rules (`goliath`), mobile app rules (`app`), older encyclopedia "
            "rules (`encyclopedia`), simple scoring for children (`children`), short game (`evening`).",
        ),
        (
            {"options": "blocked_bonus=half"},
            "I don't understand the house rule “blocked_bonus=half”. **Points for a blocked round** "
            "(`blocked_bonus`) can be: the difference from every other hand (`differences`), the other hands "
            "minus the winner's own (`others_minus_own`), all points in the other hands (`others_all`), everyone "
            "loses the points in their hand (`lose_own`), `none`.",
        ),
        (
            {"options": "voluntary_draw"},
            "I don't understand the house rule “voluntary_draw”. **Drawing by choice** (`voluntary_draw`) can "
            "be: no (`off`), yes (`on`).",
        ),
        (
            {"options": "target=0"},
            "I don't understand the house rule “target=0”. **Points to play to** (`target`) can be: `1-100000`.",
        ),
        (
            {"options": "draw_limit=x"},
            "I don't understand the house rule “draw_limit=x”. **Draws per turn** (`draw_limit`) can be: "
            "`0-100`, until one fits (`unlimited`).",
        ),
        (
            {"game": "quad-ominos", "options": "tile_set=td35"},
            "“tile_set=td35” doesn't work with the other rules of this table. **Tile set** (`tile_set`) can be: "
            "125 tiles, 0 to 5 (`quad125`).",
        ),
        (
            {"game": "star", "options": "layout=open side_contact=last_only"},
            "With these rules, any tile could go anywhere, because no numbers would have to match. Instead of "
            "“side_contact=last_only”, **Sides that must match** (`side_contact`) can be: all sides (`all`).",
        ),
        (
            {"options": "draw_limit=0", "preset": "app"},
            "With these rules, a match might never end: a round would cost more points than it brings. "
            "Instead of “blocked_bonus=lose_own”, **Points for a blocked round** (`blocked_bonus`) can be: "
            "the difference from every other hand (`differences`), the other hands minus the winner's own "
            "(`others_minus_own`), all points in the other hands (`others_all`), `none`.",
        ),
        (
            {"game": "trioker", "options": "trioker_values=999999"},
            "I don't understand the house rule “trioker_values=999999”. **Numbers in the set** "
            "(`trioker_values`) can be: `4-6`.",
        ),
    ],
)
async def test_unknown_rule_value_is_refused_with_allowed_values(
    sim: SimGuild, ada: Member, asked: dict[str, str], answer: str
) -> None:
    assert await ada.read_command("tiles new", **asked) == answer
    assert sim.list_public_messages() == []


async def test_unknown_house_rule_is_refused_with_list_of_all(sim: SimGuild, ada: Member) -> None:
    answer = await ada.read_command("tiles new", options="bridge=50", thread=True)
    assert answer.startswith(
        "This game has no house rule “bridge”. Choose from: Points to play to (`target`), Number of rounds (`rounds`), "
    )
    assert all(name in answer for name in load_rules("triominoes").get_readings())
    assert sim.list_public_messages() == []
    assert sim.channel.threads == [], "no empty thread is left behind"


async def test_autocomplete_offers_presets_and_house_rules(sim: SimGuild, ada: Member) -> None:
    async def list_suggestions(option: str, typed: str, **filled: str) -> list[str]:
        found = await ada.autocomplete(sim.channel, "tiles new", option, typed, **filled)
        return [choice["value"] for choice in found]

    assert await list_suggestions("preset", "") == list(list_presets("triominoes"))
    assert await list_suggestions("preset", "GOLI") == ["goliath"]
    assert await list_suggestions("preset", "short") == ["evening"]
    assert await list_suggestions("options", "blocked_b") == [
        "blocked_bonus=others_minus_own",
        "blocked_bonus=others_all",
        "blocked_bonus=lose_own",
        "blocked_bonus=none",
    ]
    assert await list_suggestions("options", "blocked_b", preset="pressman") == [
        "blocked_bonus=differences",
        "blocked_bonus=others_all",
        "blocked_bonus=lose_own",
        "blocked_bonus=none",
    ]
    assert await list_suggestions("options", "voluntary_draw=on draw_l") == ["voluntary_draw=on draw_limit=unlimited"]
    suggestions = await ada.autocomplete(sim.channel, "tiles new", "options", "hexagons at")
    assert [one["value"] for one in suggestions] == ["hexagon_scale=stepped", "hexagon_scale=flat"]
    next_suggestions = await ada.autocomplete(sim.channel, "tiles new", "options", f"{suggestions[0]['name']}; who o")
    assert next_suggestions == [
        {
            "name": "Several hexagons at once: less for each extra one; Who opens: random player, any tile",
            "value": "hexagon_scale=stepped opening_choice=any_tile",
        }
    ]
    all_suggestions = await list_suggestions("options", "")
    assert {option_text.partition("=")[0] for option_text in all_suggestions} == set(
        load_rules("triominoes").list_options()
    ) - {"target"}
    for way in all_suggestions:
        assert build_triominoes_rules(way) != build_triominoes_rules()


async def test_head_start_and_rounds_are_shown_and_leave_ratings_alone(
    sim: SimGuild, ada: Member, grace: Member
) -> None:
    await sim.start_table(ada, grace, options="head_start=0/50 rounds=3")
    assert "3 rounds" in sim.read_board()
    assert (await sim.replay_match()).seats[1].total == 50
    rules = await ada.read_command("tiles rules")
    given = en("value.head_start", points=en("count.points", n=50), seat="2")
    assert has_sentence(rules, "reading.head_start", head_start=given)
    assert has_sentence(rules, "reading.rounds", rounds=en("count.rounds", n=3))
    await ada.click(await ada.open_command("tiles match resign"), label="Resign")
    (end,) = sim.list_results()
    assert has_sentence(read_text(end), "end.unrated_head_start")


async def test_rematch_keeps_house_rules_and_clock(sim: SimGuild, ada: Member, grace: Member) -> None:
    options = {"preset": "app", "options": "bridge_extension=none", "target": 50, "clock": "3d", "absent": "end"}
    await sim.start_table(ada, grace, **options)
    await ada.click(await ada.open_command("tiles match resign"), label="Resign")
    (end,) = sim.list_results()

    await grace.click(end, label="Rematch")
    assert "mobile app rules + house rules · to 50" in sim.read_board()
    await ada.click(end, label="Rematch")

    assert (await sim.replay_match()).rules == build_triominoes_rules("bridge_extension=none target=50", preset="app")
    terms = await sim.load_terms()
    assert (terms["clock"], terms["absent"]) == ("days 3d", "end")


async def test_voluntary_draw_offers_draw_then_pass_beside_menu(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, options="voluntary_draw=on", deal=MIXED_HAND_DEAL)
    await sim.play_turns(2)
    mover = sim.get_called_player()
    hand = await sim.open_hand(mover)
    assert list_menus(hand)
    assert "Draw" in read_button_ids(hand)
    assert "Pass" not in read_button_ids(hand)

    for _ in range(3):
        hand = await sim.open_hand(mover)
        hand = await mover.open_click(hand, "Draw")
        assert "You drew " in read_text(hand)
    hand = await sim.open_hand(mover)
    assert list_menus(hand), "what fitted before still fits"
    assert "Draw" not in read_button_ids(hand)
    await mover.click(hand, label="Pass")

    assert sim.get_called_player().id != mover.id
    assert has_sentence(sim.read_board(), "event.stayed_out_drew", drawn="3", points="**−25**")


async def test_forced_draw_rules_offer_no_draw_beside_menu(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, deal=MIXED_HAND_DEAL)
    hand = await sim.open_hand(sim.get_called_player())
    assert list_menus(hand)
    assert not {"Draw", "Pass"} & set(read_button_ids(hand))


@pytest.mark.parametrize("preset", list_presets("triominoes"))
async def test_match_is_played_and_replayed_under_every_preset(use_cases: UseCases, preset: str) -> None:
    table = await use_cases.open(seats=2, target=120, preset=preset)
    table = await use_cases.interact(table, Join(GRACE))
    rng = Random(preset)
    while (table := await use_cases.settle_turn(table)).head.state == "open":
        user, view = table.find_turn_user(), view_for(table.match, table.match.turn)
        act = partial(choose_greedy_action, seen=view, rng=rng)
        request = use_cases.create_request_id()
        acted = await use_cases.acts.act(table.head.match_id, TakeAction(user, act, table.head.seq), request=request)
        table = acted.table

    loaded = await use_cases.store.matches.load(table.head.match_id)
    started = next(event for event in loaded.events if isinstance(event, Started))
    assert started.rules == replace(load_rules("triominoes", preset), target=120)
    match_end = replay(loaded.events).ended
    assert match_end is not None
    assert match_end == table.match.ended


def choose_greedy_action(seat: int, *, seen: PlayerView, rng: Random) -> Action:
    assert seen.viewer == seat
    return greedy.choose(seen, rng)


async def test_running_table_keeps_rules_after_game_file_changed(
    sim: SimGuild, ada: Member, grace: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sim.start_table(ada, grace, preset="goliath")
    later = replace(load_rules("triominoes", "goliath"), bridge=99, hexagons_stepped=(1, 2, 3))
    monkeypatch.setattr("bot.tables.service.load_rules", lambda game, preset: later)
    await sim.restart()

    assert (await sim.replay_match()).rules == load_rules("triominoes", "goliath")
    text = await ada.read_command("tiles rules")
    assert "Two at once: +60. Three: +70" in text
    assert "+99" not in text


def list_other_options(game: str) -> list[tuple[str, str]]:
    default_rules = load_rules(game)
    readings = [(name, value) for name, values in default_rules.get_readings().items() for value in values]
    numbers = {"draw_limit": "2", "empty_boneyard_penalty": "3", "trioker_values": "6"}
    numbers |= {"rounds": "2", "hand_size": "8", "zero_opening_score": "30"}
    readings += [(name, numbers[name]) for name in default_rules.numbers if name != "target"]
    readings.append(("head_start", "50/0/20"))
    return [(name, value) for name, value in readings if value != str(getattr(default_rules, name))]


def list_house_rules(table: Rules) -> list[str]:
    text = format_rules(table, 2, by_hand=False, words=load_words())
    assert "{" not in text
    _, found, after = text.partition(HOUSE_RULES_HEADING)
    return [line.split("\n")[0] for line in after.split("\n- ")[1:]] if found else []


@pytest.mark.parametrize("game", list_games())
def test_every_house_rule_has_own_sentence(game: str) -> None:
    default_rules = load_rules(game)
    options_by_sentence = {}
    for name, value in list_other_options(game):
        (options_by_sentence[name, value],) = list_house_rules(default_rules.with_option(name, value))
    assert list_house_rules(default_rules) == []
    assert len(set(options_by_sentence.values())) == len(options_by_sentence) > 3


@pytest.mark.parametrize("language", list_languages())
@pytest.mark.parametrize("game", list_games())
def test_rules_of_every_game_and_preset_fit_message(game: str, language: str) -> None:
    for preset in list_presets(game):
        for seats in (None, 2):
            assert len(format_rules(load_rules(game, preset), seats, by_hand=False, words=load_words(language))) < 3500


DRAWN_BY_LOT = "Several hexagons at once: less for each extra one; Who opens: random player, any tile"


@pytest.mark.parametrize("language", list_languages())
@pytest.mark.parametrize("game", list_games())
def test_every_rule_and_value_has_name_in_every_language(game: str, language: str) -> None:
    words = load_words(language)
    for preset in list_presets(game):
        playing = load_rules(game, preset)
        for name in playing.list_options():
            assert 2 < len(words(f"rule.{name}")) <= 50
            assert words(f"rulesays.{name}").endswith(".")
            assert len(words(f"rulesays.{name}")) <= 100
        for name, values in list_offered_values(playing).items():
            texts = [format_value(words, playing, name, value) for value in values]
            assert len(set(texts)) == len(texts), f"{name}: two readings have the same name"
            for text, value in zip(texts, values, strict=True):
                assert "_" not in text
                assert text != value or value.isalnum()
                assert "; " not in text, "that stands between two rules"
                assert len(format_option(words, playing, name, value)) <= 100


@pytest.mark.parametrize("language", list_languages())
def test_offered_rule_text_is_parsed_back(language: str) -> None:
    words = load_words(language)
    for game in list_games():
        playing = load_rules(game)
        for name, values in list_offered_values(playing).items():
            for value in values:
                text = format_option(words, playing, name, value)
                assert parse_options(text, game, None, [words]) == (f"{name}={value}",)


def test_typed_and_chosen_rules_parse_to_same_options() -> None:
    expected = ("hexagon_scale=stepped", "opening_choice=any_tile")
    for text in (
        DRAWN_BY_LOT,
        " ".join(expected),
        ", ".join(expected),
        f"{expected[0]}; {DRAWN_BY_LOT.split('; ')[1]}",
    ):
        assert parse_options(text, "triominoes", None, [load_words("de"), load_words("en")]) == expected
    assert parse_options("nothing of the kind", "triominoes", None, [load_words()]) == ("nothing", "of", "the", "kind")


async def open_rules_panel(sim: SimGuild, host: Member) -> Message:
    first = await host.open_click(sim.get_board(), "Set up")
    return await host.open_click(first, "House rules")


async def test_host_sets_house_rules_by_menu_and_lobby_shows_them(sim: SimGuild, ada: Member, grace: Member) -> None:
    await ada.use_command("tiles new", clock="relaxed", preset="goliath")
    (rule_menu,) = list_menus(await open_rules_panel(sim, ada))
    options_by_value = {one.value: one for one in rule_menu.options}
    assert set(options_by_value) == set(load_rules("triominoes").list_options()) - {"target"}
    assert options_by_value["hexagon_scale"].label == "Several hexagons at once: less for each extra one"
    assert options_by_value["hexagon_scale"].description == en("rulesays.hexagon_scale")

    value_panel = await ada.open_select(
        await open_rules_panel(sim, ada), "blocked_bonus", custom_id=rule_menu.custom_id
    )
    _, values = list_menus(value_panel)
    assert [one.label for one in values.options] == [
        "The difference from every other hand",
        "The other hands minus the winner's own",
        "All points in the other hands",
        "Everyone loses the points in their hand",
        "None",
    ]
    after = await ada.open_select(value_panel, "none", custom_id=values.custom_id)

    assert (await sim.load_terms())["options"] == {"blocked_bonus": "none"}
    changed = f"{en('rule.blocked_bonus')}: none"
    assert changed in read_text(after)
    assert has_sentence(sim.read_board(), "lobby.options", options=changed)
    assert "_" not in sim.read_board()
    second_panel = await ada.open_select(after, "others_minus_own", custom_id=list_menus(after)[1].custom_id)
    assert (await sim.load_terms())["options"] == {}, "that is what this reading of the rules says"
    assert "Changed: " in read_text(second_panel)

    for custom_id in (rule_menu.custom_id, values.custom_id):
        forged = await sim.post(menu=custom_id)
        refused = read_private_text(await grace.select(forged, ["nonsense"], custom_id=custom_id))
        assert has_sentence(refused, "no.HOST_DECIDES", name="Ada")
        assert "Something went wrong" not in read_private_text(
            await ada.select(forged, ["nonsense"], custom_id=custom_id)
        )


async def find_colours(message: discord.Message | ResponseMessage) -> str:
    picture = Image.open(BytesIO(await message.attachments[0].read())).convert("RGB")
    counts = {colour: count for count, colour in picture.getcolors(picture.width * picture.height) or ()}
    return max(SCHEMES, key=lambda name: counts.get(SCHEMES[name].cloth, 0))


async def find_hand_colours(sim: SimGuild, person: Member) -> str:
    return await find_colours(await person.open_click(sim.get_board(), "My hand"))


async def test_player_colours_change_own_pictures_only(sim: SimGuild, ada: Member, grace: Member) -> None:
    assert has_sentence(await ada.read_command("tiles settings"), "settings.scheme_by_itself")
    answer = await ada.read_command("tiles settings", colours="light")
    assert has_sentence(answer, "settings.scheme", scheme="light linen")
    await sim.start_table(ada, grace)
    assert [await find_hand_colours(sim, ada), await find_hand_colours(sim, grace)] == ["light", "dark"]
    assert await find_colours(sim.get_board()) == "dark"
    await sim.restart()
    assert await find_hand_colours(sim, ada) == "light"
    await ada.use_command("tiles settings", colours="discord")
    assert await find_hand_colours(sim, ada) == "dark"


async def test_server_colours_apply_where_player_chose_none(
    sim: SimGuild, ada: Member, grace: Member, mary: Member
) -> None:
    answer = await change_settings(sim, mary, colours="contrast")
    assert has_sentence(answer, "admin.scheme", scheme="high contrast")
    await ada.use_command("tiles settings", colours="light")
    await sim.start_table(ada, grace)
    assert await find_colours(sim.get_board()) == "contrast"
    assert [await find_hand_colours(sim, ada), await find_hand_colours(sim, grace)] == ["light", "contrast"]
    await sim.restart()
    assert await find_hand_colours(sim, grace) == "contrast"
    assert await find_colours(await grace.open_command("tiles rules")) == "contrast"
