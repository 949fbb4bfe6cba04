"""The replay of a finished match in Discord: the button and `/tiles replay`."""

import re
from pathlib import Path

import discord
from sqlalchemy import text
from typer.testing import CliRunner

from data.store.connection.engines import make_engine, parse_url
from tests.bot.history.replays import app, play_out, play_to_result, read_png, save_record
from tests.bot.member import Member
from tests.bot.messages import list_alt_texts, list_menus, read_button_ids, read_private_text, read_text
from tests.bot.simulated_guild import GOING_OUT_DEAL, SimGuild
from tests.wording import has_sentence


def render_by_command(file: Path, at: int, *words: str) -> bytes:
    out = file.with_suffix(".png")
    arguments = ["replay", str(file), "--at", str(at), "--picture", str(out), *words]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    return out.read_bytes()


NAME_OPTIONS = ("--name", "Ada", "--name", "Grace")


async def test_replay_pictures_match_record(
    sim: SimGuild, ada: Member, grace: Member, linus: Member, tmp_path: Path
) -> None:
    end = await play_to_result(sim, ada, grace)
    file = await save_record(linus, end, tmp_path / "match.txt")
    lines = [line for line in file.read_text().split("\n") if re.match(r"\d+ [AB] ", line)]
    public = len(sim.list_public_messages())

    shown = await linus.open_click(end, "Replay")

    assert set(read_button_ids(shown)) >= {"Forward", "Last"}
    assert not {"First", "Back"} & set(read_button_ids(shown)), "there is nothing before the first deal"
    moves = sum(bool(re.search(r" (plays|passes) ", line)) for line in lines)
    assert f"move 0 of {moves}" in read_text(shown)
    assert has_sentence(read_text(shown), "replay.dealt")
    texts = []
    for number, line in enumerate(lines, 1):
        shown = await linus.open_click(shown, "Forward")
        texts.append(read_text(shown))
        assert f"Line {number} of {len(lines)} in the record" in read_text(shown)
        assert await read_png(shown) == render_by_command(file, number, *NAME_OPTIONS), number
        name = "**Ada**" if line.split()[1] == "A" else "**Grace**"
        if total := re.search(r"-> (-?\d+)", line):
            assert f"{name} " in read_text(shown)
            assert f"→ {total[1].replace('-', '−')}" in read_text(shown)
        else:
            assert f"{name} drew a tile." in read_text(shown)
    assert not {"Forward", "Last"} & set(read_button_ids(shown))
    assert f"move {moves} of {moves}" in read_text(shown), "counted as the board counts them"
    assert f"· move {moves}" in sim.read_board()
    assert "won with" in read_text(shown)
    assert re.search(r"played .*(left|right|above|below)", "".join(texts)), (
        "it says where a tile went, as the board does"
    )
    assert len(sim.list_public_messages()) == public, "nobody else sees it"


async def test_replay_uses_settings_of_viewer(sim: SimGuild, ada: Member, grace: Member, tmp_path: Path) -> None:
    end = await play_to_result(sim, ada, grace, target=10)
    file = await save_record(ada, end, tmp_path / "match.txt")
    await grace.use_command("tiles settings", colours="light", language="de")

    shown = await grace.open_click(end, "Replay")
    shown = await grace.open_click(shown, "Ende")

    last = sum(bool(re.match(r"\d+ [AB] ", line)) for line in file.read_text().split("\n"))
    assert f"Zeile {last} von {last} im Protokoll" in read_text(shown)
    assert await read_png(shown) == render_by_command(
        file, last, *NAME_OPTIONS, "--scheme", "light", "--language", "de"
    )


async def test_replay_navigation_buttons_lead_to_expected_step(sim: SimGuild, ada: Member, grace: Member) -> None:
    end = await play_to_result(sim, ada, grace)
    first = await ada.open_click(end, "Replay")

    text, drawing = read_text(first), await read_png(first)
    shown = await ada.open_click(first, "Last")
    assert shown.id == first.id, "it is the same message"
    found = re.search(r"Line (\d+) of \1\b", read_text(shown))
    count = int(found[1])
    shown = await ada.open_click(shown, "Back")
    assert f"Line {count - 1} of {count} in" in read_text(shown)
    shown = await ada.open_click(shown, "First")
    assert read_text(shown) == text
    assert await read_png(shown) == drawing, "one picture has taken the place of the other"


async def test_replay_shows_hands_at_end_of_round(sim: SimGuild, ada: Member, grace: Member) -> None:
    end = await play_to_result(sim, ada, grace, target=200)
    rounds = (await sim.replay_match()).round
    assert rounds > 1
    shown = await ada.open_click(end, "Replay")

    (menu,) = list_menus(shown)
    assert [one.label for one in menu.options] == [f"Round {number}" for number in range(1, rounds + 1)]
    shown = await ada.open_select(shown, menu.options[1].value)
    assert "round 2 · move " in read_text(shown)
    assert "Line 21 of" in read_text(shown)
    assert "holds" not in list_alt_texts(shown)[0], "hands are hidden in a round that is being played"
    shown = await ada.open_click(shown, "Back")
    assert "round 1 · move " in read_text(shown)
    assert "Line 20 of" in read_text(shown)
    assert "**Ada** went out" in read_text(shown)
    assert "Hands: Ada none" in list_alt_texts(shown)[0]
    assert "'s turn" not in read_text(shown)


async def test_forged_step_shows_nearest_valid_step(sim: SimGuild, ada: Member, grace: Member) -> None:
    await play_to_result(sim, ada, grace, target=10)
    match_id = (await sim.load_head()).match_id
    forged = await sim.post(*(f"by:replay:{match_id}|{step}" for step in ("forward.99999", "x", "a.b", "back.-1")))

    assert "won with" in await grace.read_click(forged, "Button 0")
    for number in (1, 2, 3):
        assert "move 0 of" in await grace.read_click(forged, f"Button {number}")


async def test_running_match_has_no_replay(room: SimGuild, ada: Member) -> None:
    match_id = (await room.load_head()).match_id
    forged = await room.post(f"by:replay:{match_id}", "by:replay:999", "by:replay")
    before = await room.take_snapshot()

    assert has_sentence(await ada.read_click(forged, "Button 0"), "replay.not_over")
    assert has_sentence(await ada.read_command("tiles replay", match=str(match_id)), "replay.not_over")
    assert has_sentence(await ada.read_click(forged, "Button 1"), "no.NO_SUCH_TABLE")
    assert has_sentence(await ada.read_click(forged, "Button 2"), "no.NO_SUCH_TABLE")
    assert has_sentence(await ada.read_command("tiles replay"), "replay.none")
    assert await room.take_snapshot() == before


async def test_replay_names_substitute(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await sim.start_table(ada, grace, target=60, deal=GOING_OUT_DEAL)
    await sim.play_turns(2)
    await ada.use_command("tiles match substitute", person=linus)
    await linus.click(sim.list_calls()[-1], label="Agree")
    await play_out(sim)
    shown = await grace.open_click(sim.list_results()[-1], "Replay")

    texts = [read_text(shown)]
    while "Forward" in read_button_ids(shown):
        shown = await grace.open_click(shown, "Forward")
        texts.append(read_text(shown))

    linus_since = next(number for number, one in enumerate(texts) if "Linus" in one)
    assert 2 < linus_since < len(texts) - 1
    assert "**Ada** played" in "".join(texts[:linus_since])
    assert "Ada" not in "".join(texts[linus_since:])


async def test_compressed_log_is_replayed_identically(sim: SimGuild, ada: Member, grace: Member) -> None:
    end = await play_to_result(sim, ada, grace, target=10)
    before = await ada.open_click(await ada.open_click(end, "Replay"), "Last")
    assert await sim.store.operations.compress_logs(sim.clock() + 1) == 1

    after = await ada.open_click(await ada.open_click(end, "Replay"), "Last")

    assert after.id != before.id
    assert read_text(after) == read_text(before)
    assert await read_png(after) == await read_png(before)


async def test_damaged_log_is_reported_in_replay(
    sim: SimGuild, ada: Member, grace: Member, logged_errors: list[str]
) -> None:
    end = await play_to_result(sim, ada, grace, target=10)
    shown = await ada.open_click(end, "Replay")
    await execute_sql(sim.url, "UPDATE events SET body = '{' WHERE seq = 5")

    for message, label in ((end, "Replay"), (shown, "Forward")):
        assert has_sentence(await ada.read_click(message, label), "no.UNREADABLE", match=1)
    logged_errors.clear()  # the bot has reported the error to the operator

    await execute_sql(sim.url, "DELETE FROM matches")
    for message, label in ((end, "Replay"), (shown, "Last")):
        assert has_sentence(await ada.read_click(message, label), "no.NO_SUCH_TABLE")


async def execute_sql(url: str, statement: str) -> None:
    engine = make_engine(parse_url(url))
    async with engine.begin() as connection:
        await connection.execute(text("PRAGMA foreign_keys=ON"))
        await connection.execute(text(statement))
    await engine.dispose()


async def test_replay_autocomplete_lists_visible_matches(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    lounge = sim.guild.create_text_channel("lounge")
    await play_to_result(sim, ada, grace, target=10)
    (own_choice,) = await ada.autocomplete(lounge, "tiles replay", "match", "")
    (channel_choice,) = await linus.autocomplete(sim.channel, "tiles replay", "match", "")

    assert own_choice == channel_choice
    game, day, players, table = own_choice["name"].split(" · ")
    assert (game, sorted(players.split(", ")), table) == ("Triominoes", ["Ada", "Grace"], "table 1")
    assert re.fullmatch(r"[A-Z][a-z]+ \d+, \d{4}", day)
    assert await linus.autocomplete(lounge, "tiles replay", "match", "") == []
    assert await ada.autocomplete(lounge, "tiles replay", "match", "grace · table 1") == [own_choice]
    assert await ada.autocomplete(lounge, "tiles replay", "match", "star") == []
    for where, who, options in ((lounge, ada, {}), (sim.channel, linus, {}), (lounge, linus, {"match": "1"})):
        assert "move 0 of" in read_private_text(await who.slash(where, "tiles replay", **options))
    assert has_sentence(read_private_text(await linus.slash(lounge, "tiles replay")), "replay.none")
    for text_typed in ("2", "²", "table", "9" * 30):
        assert has_sentence(
            read_private_text(await ada.slash(lounge, "tiles replay", match=text_typed)), "no.NO_SUCH_TABLE"
        )


async def test_replay_of_hidden_match_is_private(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    everyone = sim.guild.default_role
    denied, allowed = discord.PermissionOverwrite(view_channel=False), discord.PermissionOverwrite(view_channel=True)
    me = sim.guild.me
    cellar = sim.guild.create_text_channel(
        "cellar", overwrites={everyone: denied, me: allowed, ada: allowed, grace: allowed}
    )
    await sim.start_table(ada, grace, channel=cellar, target=10)
    await play_out(sim, cellar)

    assert has_sentence(await linus.read_command("tiles replay", match="1"), "no.NO_SUCH_TABLE")
    forged = await sim.post("by:replay:1|forward.3")
    assert has_sentence(await linus.read_click(forged, "Button 0"), "no.NO_SUCH_TABLE")
    assert "move 0 of" in await ada.read_command("tiles replay", match="1")


async def test_final_message_hides_fingerprints_behind_button(sim: SimGuild, ada: Member, grace: Member) -> None:
    end = await play_to_result(sim, ada, grace, target=10)

    assert has_sentence(read_text(end), "fair.at_end")
    for message in sim.list_public_messages():
        assert not re.search(r"[0-9a-f]{12}", read_text(message)), "fingerprint and secret are behind a button"
    assert re.search(r"[0-9a-f]{64}", await grace.read_click(end, "Verify"))
