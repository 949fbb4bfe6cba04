"""Languages: the server's language in public messages, the user's language in private answers."""

import json

import discord
import pytest

from bot.client import Boneyard
from bot.core.command_groups import CommandTranslator, tiles
from bot.core.formats import format_day
from bot.core.languages import MAX_CACHE_AGE
from bot.tables.board_views import BOARD_FILE, build_captions
from bot.tables.move_labels import format_list
from data.words import find_language, list_languages, load_words
from engine.match.player_view import view_for
from render.table.table_picture import render_table
from tests.bot.core.stored_traces import forget
from tests.bot.local_bot import LocalBot, list_button_labels
from tests.bot.local_bot import read_text as read_local_text
from tests.bot.member import Member
from tests.bot.messages import list_menus, read_button_ids, read_text
from tests.bot.simulated_guild import GOING_OUT_DEAL, MIXED_HAND_DEAL, SimGuild
from tests.bot.tables.moderation import change_settings
from tests.depth import scale_count
from tests.render.zlib_pictures import zlib_pictures
from tests.wording import en, has_sentence

__all__ = ["zlib_pictures"]  # the fixture

OTHERS = ["de", "pl", *(one for one in list_languages() if one not in ("en", "de", "pl"))]
UNSUPPORTED = [locale.value for locale in discord.Locale if find_language(locale.value) is None]


async def open_lobby_in(sim: SimGuild, locale: str) -> discord.Message:
    guild = sim.env.create_guild("Elsewhere", preferred_locale=locale)
    person = guild.add_member(sim.env.create_user("visitor", global_name="Vera"))
    channel = guild.create_text_channel("tables")
    await person.slash(channel, "tiles new", seats=2)
    (lobby,) = sim.list_public_messages(channel)
    return lobby


async def test_server_texts_use_discord_locale(sim: SimGuild) -> None:
    lobby = await open_lobby_in(sim, "de")
    assert has_sentence(read_text(lobby), "lobby.title", "de", host="Vera")
    assert {"Mitspielen", "Verlassen"} <= set(read_button_ids(lobby))
    (levels,) = list_menus(lobby)
    assert [one.label for one in levels.options] == ["Leicht", "Mittel", "Schwer", "Experte", "Meister"]


async def test_server_with_unsupported_locale_gets_english(sim: SimGuild) -> None:
    assert has_sentence(read_text(await open_lobby_in(sim, UNSUPPORTED[0])), "lobby.title", host="Vera")


async def test_server_language_setting_changes_public_texts_only(room: SimGuild, mary: Member) -> None:
    answer = await change_settings(room, mary, language="de")
    # Private answers to Mary stay in her own language.
    assert has_sentence(answer, "admin.language", language="Deutsch")
    await room.play_by_typing(room.get_called_player())
    board = room.list_public_messages()[-2]
    assert {"Meine Steine", "Punkte", "Als Text"} <= set(read_button_ids(board))
    assert "ist am Zug" in read_text(board)
    assert "bist am Zug" in read_text(room.list_calls()[-1])
    assert has_sentence(
        await change_settings(room, mary, language="discord"), "admin.language_by_itself", language="English"
    )
    await room.play_by_typing(room.get_called_player())
    assert "My hand" in read_button_ids(room.get_board())


async def test_language_setting_offers_supported_languages_only(sim: SimGuild) -> None:
    (command,) = [one for one in await sim.client.tree.fetch_commands() if one.name == "tiles-admin"]
    (settings,) = [one for one in command.options if one.name == "settings"]
    (language,) = [one for one in settings.options if one.name == "language"]
    assert [one.value for one in language.choices] == ["discord", *list_languages()]
    own_names = [load_words(one)("admin.language_name") for one in list_languages()]
    assert [one.name for one in language.choices] == [en("admin.language_discord"), *own_names]
    assert {"Deutsch", "English", "Español", "Français", "Nederlands", "Polski", "Português"} <= set(own_names)
    assert len(set(own_names)) == len(own_names)


async def test_interval_autocomplete_uses_user_language(local: LocalBot) -> None:
    local.discord.world.users[local.ada.id]["locale"] = "de"

    async def list_suggestions(typed: str) -> list[tuple[str, str]]:
        options = {"focused": "every", "every": typed}
        found = await local.ada.fetch_choices(local.channel_id, "tiles", "settings", **options)
        return [(one["name"], one["value"]) for one in found]

    assert ("aus", "off") in await list_suggestions("")
    assert await list_suggestions("Stunden") == [(f"{n} Stunden", f"{n}h") for n in (2, 4, 6, 12)]
    assert await list_suggestions("aus") == [("aus", "off")]


def test_dates_and_lists_follow_language() -> None:
    evening = 1_795_388_340_000
    days = {
        "de": "22.11.2026",
        "en": "Nov 22, 2026",
        "es": "22 nov 2026",
        "fr": "22 nov. 2026",
        "nl": "22 nov 2026",
        "pl": "22 lis 2026",
        "pt": "22 de nov. de 2026",
    }
    assert {language: format_day(load_words(language), evening) for language in days} == days
    lists = {
        "de": "A, B und C",
        "en": "A, B and C",
        "es": "A, B y C",
        "fr": "A, B et C",
        "nl": "A, B en C",
        "pl": "A, B i C",
        "pt": "A, B e C",
    }
    assert {language: format_list(load_words(language), ["A", "B", "C"]) for language in lists} == lists


async def test_refused_option_is_explained_in_user_language(local: LocalBot) -> None:
    local.discord.world.users[local.ada.id]["locale"] = "de"

    async def read_refusal(options: str) -> str:
        interaction = await local.ada.use_command(local.channel_id, "tiles", "new", options=options)
        return read_local_text(await local.wait_for_answer(local.ada, interaction))

    facts = {"text": "target=x", "name": "**Ziel** (`target`)", "allowed": "`1-100000`"}
    assert await read_refusal("target=x") == load_words("de")("no.BAD_OPTION", **facts)
    answer = await read_refusal("bridge=50")
    assert has_sentence(answer, "no.NO_SUCH_OPTION", "de", name="bridge")
    assert " Ziel (`target`), " in answer


async def test_private_answers_use_user_then_server_language(local: LocalBot) -> None:
    for person, locale in ((local.ada, "de"), (local.grace, UNSUPPORTED[0])):
        local.discord.world.users[person.id]["locale"] = locale
    answer = read_local_text(await local.use_command(local.ada, "tiles", "games"))
    assert has_sentence(answer, "tables.none", "de")
    answer = read_local_text(await local.use_command(local.grace, "tiles", "games"))
    assert has_sentence(answer, "tables.none")
    await local.ada.use_command(local.channel_id, "tiles", "new", seats=2)
    lobby = await local.ada.wait_for_message(local.channel_id, lambda one: "Join" in list_button_labels(one))
    assert has_sentence(read_local_text(lobby), "lobby.title", host="Ada")
    guild = int(local.discord.world.channels[local.channel_id]["guild_id"])
    await local.store.guilds.set_guild(guild, {"language": "de"}, now=0)
    answer = read_local_text(await local.use_command(local.grace, "tiles", "leave"))
    assert has_sentence(answer, "no.JOIN_FIRST", "de")


@pytest.mark.usefixtures("zlib_pictures")
async def test_picture_captions_use_server_language(sim: SimGuild, ada: Member, mary: Member) -> None:
    await change_settings(sim, mary, language="de")
    await ada.use_command("tiles new", seats=2, computers=1)
    table = await sim.client.services.tables.load((await sim.load_head()).match_id)
    view, words = view_for(table.match, None), load_words("de")
    names = await sim.client.services.languages.build_messages(words).load_names(table)
    captions = build_captions(view, table.event_log, names, words)
    assert captions.title == "Triominoes · Runde 1"
    drawn = render_table(view, names.plain, captions, theme=table.terms.theme)
    (board,) = sim.list_public_messages()[0].attachments
    assert board.filename == BOARD_FILE
    assert await board.read() == drawn.png


@pytest.mark.parametrize("language", OTHERS)
async def test_match_starts_in_each_language(sim: SimGuild, ada: Member, mary: Member, language: str) -> None:
    words = load_words(language)
    await change_settings(sim, mary, language=language)
    await ada.use_command("tiles settings", language=language)
    await sim.start_table(ada, computers=1, game="quad-ominos")
    (board, *_) = (one for one in sim.list_public_messages() if words("board.hand") in read_button_ids(one))
    hand = await ada.open_click(board, words("board.hand"))
    assert words("hand.text") in read_button_ids(hand)
    assert await ada.read_command("tiles join") == words("no.ALREADY_SEATED")


@pytest.mark.parametrize("language", OTHERS[: scale_count(2)])
async def test_match_is_played_to_its_end_in_other_languages(
    sim: SimGuild, ada: Member, grace: Member, mary: Member, language: str
) -> None:
    await change_settings(sim, mary, language=language)
    sim.deals.next_numbers.append(GOING_OUT_DEAL)
    channel = await sim.start_table(ada, computers=1, target=30)
    await sim.play_to_the_end()
    assert load_words(language)("board.rematch") in read_button_ids(sim.list_public_messages(channel)[-1])
    sim.deals.next_numbers.append(MIXED_HAND_DEAL)
    await grace.use_command("tiles new", game="quad-ominos", seats=2, computers=1, target=20)
    await sim.play_to_the_end()


@pytest.mark.parametrize("language", [one for one in list_languages() if one != "en"])
async def test_command_descriptions_are_translated_into_every_language(language: str) -> None:
    client = Boneyard()
    await client.tree.set_translator(CommandTranslator())
    payload = await tiles.get_translated_payload(client.tree, CommandTranslator())
    (new,) = [one for one in payload["options"] if one["name"] == "new"]
    (game,) = [one for one in new["options"] if one["name"] == "game"]
    assert new["description"] == en("command.new")
    words = load_words(language)
    locales = [locale.value for locale in discord.Locale if find_language(locale.value) == language]
    assert locales, f"{language}.toml is for nobody: Discord has no such language"
    for locale in locales:
        assert new["description_localizations"][locale] == words("command.new")
        assert game["description_localizations"][locale] == words("parameter.new_game")
    # Command names are not translated, because texts mention them.
    assert not new.get("name_localizations")


async def test_language_setting_of_user_changes_private_answers_only(sim: SimGuild, ada: Member, grace: Member) -> None:
    answer = await ada.read_command("tiles settings", language="de")
    assert answer.startswith("**Deine Einstellungen**")
    assert "Nachrichten, die nur du siehst, sind auf Deutsch.\n" in answer
    await sim.start_table(ada, grace)
    assert "My hand" in read_button_ids(sim.get_board())
    hand = await ada.open_click(sim.get_board(), "My hand")
    assert "Als Text" in read_button_ids(hand)
    assert hand.attachments[0].description.startswith("Deine Steine: ")
    assert "Show as text" in read_button_ids(await grace.open_click(sim.get_board(), "My hand"))
    # A refusal without a database read also uses the chosen language.
    assert "Du sitzt" in await ada.read_command("tiles join")
    answer = await ada.read_command("tiles settings", language="discord")
    assert has_sentence(answer, "settings.language_by_itself", language="English")


async def test_user_language_survives_restart_and_is_deleted(sim: SimGuild, ada: Member) -> None:
    await ada.use_command("tiles settings", language="de")
    await sim.restart()
    assert (await ada.read_command("tiles games")).startswith("Du sitzt an keinem Tisch.")
    file = (await ada.open_command("tiles data export")).attachments[0]
    assert json.loads(await file.read())["settings"][0]["preferences"]["language"] == "de"
    await ada.use_command("tiles settings", language="discord")
    assert await forget(sim, ada) == load_words("en")("data.deleted")
    await ada.use_command("tiles settings", language="de")
    question = await ada.open_command("tiles data delete")
    await ada.click(question, label="Alles löschen")
    assert has_sentence(await ada.read_command("tiles games"), "tables.none")


async def test_language_set_by_other_process_is_loaded_later(sim: SimGuild, ada: Member) -> None:
    assert has_sentence(await ada.read_command("tiles games"), "tables.none")
    person = await sim.store.users.load_person(ada.id)
    await sim.client.services.user_settings.set(ada.id, lambda one: type(one)(language="de"))
    assert person.preferences.language == ""
    assert has_sentence(await ada.read_command("tiles games"), "tables.none")
    sim.clock.skipped_ms += MAX_CACHE_AGE
    assert (await ada.read_command("tiles games")).startswith("Du sitzt an keinem Tisch.")


async def test_dm_calls_use_user_language(sim: SimGuild, ada: Member, grace: Member) -> None:
    for person, language in ((ada, "de"), (grace, "discord")):
        await person.use_command("tiles settings", language=language, call="dm")
    await sim.start_table(ada, grace)
    for _ in range(2):
        turn = (await sim.load_head()).turn
        await sim.play_by_typing(sim.members[turn.user])
    calls_by_user = {person.id: read_text(person.user.dm_channel.history()[-1]) for person in (ada, grace)}
    assert calls_by_user[ada.id].startswith("Du bist in Triominoes am Zug: ")
    assert has_sentence(calls_by_user[grace.id], "direct.call")


async def test_autocomplete_uses_chosen_language_of_user(local: LocalBot) -> None:
    interaction = await local.ada.use_command(local.channel_id, "tiles", "settings", language="de")
    assert read_local_text(await local.wait_for_answer(local.ada, interaction)).startswith("**Deine Einstellungen**")
    options = {"focused": "every", "every": "Stunden"}
    found = await local.ada.fetch_choices(local.channel_id, "tiles", "settings", **options)
    assert [one["name"] for one in found] == [f"{n} Stunden" for n in (2, 4, 6, 12)]
