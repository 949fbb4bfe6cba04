"""The replay of a finished match in Discord: the button and `/tiles replay`."""

import re
from pathlib import Path

import discord
from simcord import MemberActor
from sqlalchemy import text
from typer.testing import CliRunner

from data.store.connection.engines import make_engine, parse_url
from tests.bot.history.replays import app, over, play_out, png, record
from tests.bot.messages import button_ids, menus, pictures, private, told, words_of
from tests.bot.simulated_guild import GOING_OUT, SimGuild
from tests.wording import says


def drawn(file: Path, at: int, *words: str) -> bytes:
    out = file.with_suffix(".png")
    asked = ["replay", str(file), "--at", str(at), "--picture", str(out), *words]
    assert CliRunner().invoke(app, asked).exit_code == 0
    return out.read_bytes()


NAMED = ("--name", "Ada", "--name", "Grace")


async def test_replay_pictures_match_record(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor, tmp_path: Path
) -> None:
    end = await over(sim, ada, grace)
    file = await record(linus, end, tmp_path / "match.txt")
    lines = [line for line in file.read_text().split("\n") if re.match(r"\d+ [AB] ", line)]
    public = len(sim.public())

    shown = private(await linus.click(end, label="Replay"))

    assert set(button_ids(shown)) >= {"Forward", "Last"}
    assert not {"First", "Back"} & set(button_ids(shown)), "there is nothing before the first deal"
    moves = sum(bool(re.search(r" (plays|passes) ", line)) for line in lines)
    assert f"move 0 of {moves}" in words_of(shown)
    assert says(words_of(shown), "replay.dealt")
    said = []
    for number, line in enumerate(lines, 1):
        shown = private(await linus.click(shown, label="Forward"))
        said.append(words_of(shown))
        assert f"Line {number} of {len(lines)} in the record" in words_of(shown)
        assert await png(shown) == drawn(file, number, *NAMED), number
        name = "**Ada**" if line.split()[1] == "A" else "**Grace**"
        if total := re.search(r"-> (-?\d+)", line):
            assert f"{name} " in words_of(shown)
            assert f"→ {total[1].replace('-', '−')}" in words_of(shown)
        else:
            assert f"{name} drew a tile." in words_of(shown)
    assert not {"Forward", "Last"} & set(button_ids(shown))
    assert f"move {moves} of {moves}" in words_of(shown), "counted as the board counts them"
    assert f"· move {moves}" in words_of(sim.board())
    assert "won with" in words_of(shown)
    assert re.search(r"played .*(left|right|above|below)", "".join(said)), (
        "it says where a tile went, as the board does"
    )
    assert len(sim.public()) == public, "nobody else sees it"


async def test_replay_uses_settings_of_viewer(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, tmp_path: Path
) -> None:
    end = await over(sim, ada, grace, target=10)
    file = await record(ada, end, tmp_path / "match.txt")
    await grace.slash(sim.channel, "tiles settings", colours="light", language="de")

    shown = private(await grace.click(end, label="Replay"))
    shown = private(await grace.click(shown, label="Ende"))

    last = sum(bool(re.match(r"\d+ [AB] ", line)) for line in file.read_text().split("\n"))
    assert f"Zeile {last} von {last} im Protokoll" in words_of(shown)
    assert await png(shown) == drawn(file, last, *NAMED, "--scheme", "light", "--language", "de")


async def test_replay_navigation_buttons_lead_to_expected_step(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    end = await over(sim, ada, grace)
    first = private(await ada.click(end, label="Replay"))

    said, drawing = words_of(first), await png(first)
    shown = private(await ada.click(first, label="Last"))
    assert shown.id == first.id, "it is the same message"
    found = re.search(r"Line (\d+) of \1\b", words_of(shown))
    count = int(found[1])
    shown = private(await ada.click(shown, label="Back"))
    assert f"Line {count - 1} of {count} in" in words_of(shown)
    shown = private(await ada.click(shown, label="First"))
    assert words_of(shown) == said
    assert await png(shown) == drawing, "one picture has taken the place of the other"


async def test_replay_shows_hands_at_end_of_round(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    end = await over(sim, ada, grace, target=200)
    rounds = (await sim.match()).round
    assert rounds > 1
    shown = private(await ada.click(end, label="Replay"))

    (menu,) = menus(shown)
    assert [one.label for one in menu.options] == [f"Round {number}" for number in range(1, rounds + 1)]
    shown = private(await ada.select(shown, [menu.options[1].value]))
    assert "round 2 · move " in words_of(shown)
    assert "Line 21 of" in words_of(shown)
    assert "holds" not in pictures(shown)[0], "hands are hidden in a round that is being played"
    shown = private(await ada.click(shown, label="Back"))
    assert "round 1 · move " in words_of(shown)
    assert "Line 20 of" in words_of(shown)
    assert "**Ada** went out" in words_of(shown)
    assert "Hands: Ada none" in pictures(shown)[0]
    assert "'s turn" not in words_of(shown)


async def test_forged_step_shows_nearest_valid_step(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await over(sim, ada, grace, target=10)
    match_id = (await sim.head()).match_id
    forged = await sim.post(*(f"by:replay:{match_id}|{step}" for step in ("forward.99999", "x", "a.b", "back.-1")))

    assert "won with" in told(await grace.click(forged, label="Button 0"))
    for number in (1, 2, 3):
        assert "move 0 of" in told(await grace.click(forged, label=f"Button {number}"))


async def test_running_match_has_no_replay(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace)
    match_id = (await sim.head()).match_id
    forged = await sim.post(f"by:replay:{match_id}", "by:replay:999", "by:replay")
    before = await sim.standing()

    assert says(told(await ada.click(forged, label="Button 0")), "replay.not_over")
    assert says(told(await ada.slash(sim.channel, "tiles replay", match=str(match_id))), "replay.not_over")
    assert says(told(await ada.click(forged, label="Button 1")), "no.NO_SUCH_TABLE")
    assert says(told(await ada.click(forged, label="Button 2")), "no.NO_SUCH_TABLE")
    assert says(told(await ada.slash(sim.channel, "tiles replay")), "replay.none")
    assert await sim.standing() == before


async def test_replay_names_substitute(sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor) -> None:
    sim.deals.wanted = [GOING_OUT]
    await sim.table(ada, grace, target=60)
    for _ in range(2):
        await sim.play_by_typing(sim.to_move())
    await ada.slash(sim.channel, "tiles match substitute", person=linus)
    await linus.click(sim.calls()[-1], label="Agree")
    await play_out(sim)
    shown = private(await grace.click(sim.ends()[-1], label="Replay"))

    said = [words_of(shown)]
    while "Forward" in button_ids(shown):
        shown = private(await grace.click(shown, label="Forward"))
        said.append(words_of(shown))

    linus_since = next(number for number, one in enumerate(said) if "Linus" in one)
    assert 2 < linus_since < len(said) - 1
    assert "**Ada** played" in "".join(said[:linus_since])
    assert "Ada" not in "".join(said[linus_since:])


async def test_compressed_log_is_replayed_identically(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    end = await over(sim, ada, grace, target=10)
    before = private(await ada.click(private(await ada.click(end, label="Replay")), label="Last"))
    assert await sim.store.operations.compress_logs(sim.clock() + 1) == 1

    after = private(await ada.click(private(await ada.click(end, label="Replay")), label="Last"))

    assert after.id != before.id
    assert words_of(after) == words_of(before)
    assert await png(after) == await png(before)


async def test_damaged_log_is_reported_in_replay(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, nothing_broke: list[str]
) -> None:
    end = await over(sim, ada, grace, target=10)
    shown = private(await ada.click(end, label="Replay"))
    await run(sim.url, "UPDATE events SET body = '{' WHERE seq = 5")

    for message, label in ((end, "Replay"), (shown, "Forward")):
        assert says(told(await ada.click(message, label=label)), "no.UNREADABLE", match=1)
    nothing_broke.clear()  # the bot has reported the error to the operator

    await run(sim.url, "DELETE FROM matches")
    for message, label in ((end, "Replay"), (shown, "Last")):
        assert says(told(await ada.click(message, label=label)), "no.NO_SUCH_TABLE")


async def run(url: str, statement: str) -> None:
    engine = make_engine(parse_url(url))
    async with engine.begin() as connection:
        await connection.execute(text("PRAGMA foreign_keys=ON"))
        await connection.execute(text(statement))
    await engine.dispose()


async def test_replay_autocomplete_lists_visible_matches(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    lounge = sim.guild.create_text_channel("lounge")
    await over(sim, ada, grace, target=10)
    (own,) = await ada.autocomplete(lounge, "tiles replay", "match", "")
    (here,) = await linus.autocomplete(sim.channel, "tiles replay", "match", "")

    assert own == here
    game, day, players, table = own["name"].split(" · ")
    assert (game, sorted(players.split(", ")), table) == ("Triominoes", ["Ada", "Grace"], "table 1")
    assert re.fullmatch(r"[A-Z][a-z]+ \d+, \d{4}", day)
    assert await linus.autocomplete(lounge, "tiles replay", "match", "") == []
    assert await ada.autocomplete(lounge, "tiles replay", "match", "grace · table 1") == [own]
    assert await ada.autocomplete(lounge, "tiles replay", "match", "star") == []
    for where, who, options in ((lounge, ada, {}), (sim.channel, linus, {}), (lounge, linus, {"match": "1"})):
        assert "move 0 of" in told(await who.slash(where, "tiles replay", **options))
    assert says(told(await linus.slash(lounge, "tiles replay")), "replay.none")
    for text_typed in ("2", "²", "table", "9" * 30):
        assert says(told(await ada.slash(lounge, "tiles replay", match=text_typed)), "no.NO_SUCH_TABLE")


async def test_replay_of_hidden_match_is_private(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    everyone = sim.guild.default_role
    denied, allowed = discord.PermissionOverwrite(view_channel=False), discord.PermissionOverwrite(view_channel=True)
    me = sim.guild.me
    assert me is not None
    cellar = sim.guild.create_text_channel(
        "cellar", overwrites={everyone: denied, me: allowed, ada: allowed, grace: allowed}
    )
    await sim.table(ada, grace, channel=cellar, target=10)
    await play_out(sim, cellar)

    assert says(told(await linus.slash(sim.channel, "tiles replay", match="1")), "no.NO_SUCH_TABLE")
    forged = await sim.post("by:replay:1|forward.3")
    assert says(told(await linus.click(forged, label="Button 0")), "no.NO_SUCH_TABLE")
    assert "move 0 of" in told(await ada.slash(sim.channel, "tiles replay", match="1"))


async def test_final_message_hides_fingerprints_behind_button(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    end = await over(sim, ada, grace, target=10)

    assert says(words_of(end), "fair.at_end")
    for message in sim.public():
        assert not re.search(r"[0-9a-f]{12}", words_of(message)), "fingerprint and secret are behind a button"
    assert re.search(r"[0-9a-f]{64}", told(await grace.click(end, label="Verify")))
