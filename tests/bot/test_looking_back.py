"""Looking back on a match that is over, move by move: *Replay* under its end, and `/tiles replay`."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import discord
import typer
from simcord import ChannelHandle, MemberActor, ResponseMessage
from sqlalchemy import text
from typer.testing import CliRunner

from bot.referee.cli import mount
from data.store.connect import make_engine, parse_url
from engine.players import greedy
from engine.seen import see
from engine.table.commands import Act, Look
from tests.bot.house import GOING_OUT, House
from tests.bot.reading import button_ids, menus, pictures, private, told, words_of

app = typer.Typer()
mount(app)


async def over(house: House, *people: MemberActor, deal: int = GOING_OUT, **options: object) -> discord.Message:
    """A match of these people is over; the message that stays."""
    house.deals.wanted = [deal]
    await house.table(*people, **{"target": 60, **options})
    await play_out(house)
    return house.ends()[-1]


async def play_out(house: House, channel: ChannelHandle | None = None) -> None:
    """Everybody plays their best move until the match is over, by the one way in: quicker than by typing."""
    services, match_id = house.client.services, (await house.head(channel)).match_id
    while (user := (table := await services.tables.load(match_id)).turn_user()) is not None:
        chosen = greedy.choose(see(table.match, table.seat_of(user)), Random(1))
        await services.acts.act(match_id, Act(user, lambda _, chosen=chosen: chosen))
        following = (await services.tables.load(match_id)).turn_user()
        if following is not None:
            await services.acts.act(match_id, Look(following))
    services.announcer.refresh(match_id)
    services.scheduler.soon(match_id)
    await services.announcer.idle()


async def png(shown: ResponseMessage) -> bytes:
    """The picture of an answer."""
    (attached,) = shown.attachments
    return await attached.read()


async def record(person: MemberActor, end: discord.Message, file: Path) -> Path:
    """The record of that match as a file."""
    (attached,) = private(await person.click(end, label="Record")).attachments
    written(file, await attached.read())
    return file


def written(file: Path, content: bytes) -> None:
    """Keep it there."""
    file.write_bytes(content)


def drawn(file: Path, at: int, *words: str) -> bytes:
    """What `boneyard replay --at` draws."""
    out = file.with_suffix(".png")
    asked = ["replay", str(file), "--at", str(at), "--picture", str(out), *words]
    assert CliRunner().invoke(app, asked).exit_code == 0
    return out.read_bytes()


NAMED = ("--name", "Ada", "--name", "Grace")


async def test_anybody_goes_through_a_match_and_every_picture_is_that_of_its_record(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor, tmp_path: Path
) -> None:
    end = await over(house, ada, grace)
    file = await record(linus, end, tmp_path / "match.txt")
    lines = [line for line in file.read_text().split("\n") if re.match(r"\d+ [AB] ", line)]
    public = len(house.public())

    shown = private(await linus.click(end, label="Replay"))

    assert set(button_ids(shown)) >= {"Forward", "Last"}
    assert not {"First", "Back"} & set(button_ids(shown)), "there is nothing before the first deal"
    moves = sum(bool(re.search(r" (plays|passes) ", line)) for line in lines)
    assert f"move 0 of {moves}" in words_of(shown)
    assert "The tiles are dealt." in words_of(shown)
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
    assert f"· move {moves}" in words_of(house.board())
    assert "won with" in words_of(shown)
    assert re.search(r"played .*(left|right|above|below)", "".join(said)), (
        "it says where a tile went, as the board does"
    )
    assert len(house.public()) == public, "nobody else sees it"


async def test_a_replay_has_the_colours_and_the_language_that_somebody_has_chosen(
    house: House, ada: MemberActor, grace: MemberActor, tmp_path: Path
) -> None:
    end = await over(house, ada, grace, target=10)
    file = await record(ada, end, tmp_path / "match.txt")
    await grace.slash(house.channel, "tiles settings", colours="light", language="de")

    shown = private(await grace.click(end, label="Replay"))
    shown = private(await grace.click(shown, label="Ende"))

    last = sum(bool(re.match(r"\d+ [AB] ", line)) for line in file.read_text().split("\n"))
    assert f"Zeile {last} von {last} der Mitschrift" in words_of(shown)
    assert await png(shown) == drawn(file, last, *NAMED, "--scheme", "light", "--language", "de")


async def test_first_and_last_and_back_lead_where_they_say(house: House, ada: MemberActor, grace: MemberActor) -> None:
    end = await over(house, ada, grace)
    first = private(await ada.click(end, label="Replay"))

    said, drawing = words_of(first), await png(first)
    shown = private(await ada.click(first, label="Last"))
    assert shown.id == first.id, "it is the same message"
    found = re.search(r"Line (\d+) of \1\b", words_of(shown))
    assert found is not None
    count = int(found[1])
    shown = private(await ada.click(shown, label="Back"))
    assert f"Line {count - 1} of {count} in" in words_of(shown)
    shown = private(await ada.click(shown, label="First"))
    assert words_of(shown) == said
    assert await png(shown) == drawing, "one picture has taken the place of the other"


async def test_rounds_can_be_chosen_and_hands_lie_open_at_their_ends_as_they_did_in_public(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    end = await over(house, ada, grace, target=200)
    rounds = (await house.match()).round
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
    assert "to play" not in words_of(shown)


async def test_a_forged_step_is_the_nearest_there_is(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await over(house, ada, grace, target=10)
    match_id = (await house.head()).match_id
    forged = await house.post(*(f"by:replay:{match_id}|{step}" for step in ("forward.99999", "x", "a.b", "back.-1")))

    assert "won with" in told(await grace.click(forged, label="Button 0"))
    for number in (1, 2, 3):
        assert "move 0 of" in told(await grace.click(forged, label=f"Button {number}"))


async def test_a_match_that_is_not_over_is_not_looked_back_on(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.table(ada, grace)
    match_id = (await house.head()).match_id
    forged = await house.post(f"by:replay:{match_id}", "by:replay:999", "by:replay")
    before = await house.standing()

    assert told(await ada.click(forged, label="Button 0")).startswith("You can look back on a match once it is over.")
    assert told(await ada.slash(house.channel, "tiles replay", match=str(match_id))).startswith("You can look back on")
    assert told(await ada.click(forged, label="Button 1")).startswith("That table does not exist.")
    assert told(await ada.click(forged, label="Button 2")).startswith("That table does not exist.")
    assert told(await ada.slash(house.channel, "tiles replay")).startswith("No match has ended in this channel yet")
    assert await house.standing() == before


async def test_whoever_gave_up_a_seat_is_named_for_what_they_played(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    house.deals.wanted = [GOING_OUT]
    await house.table(ada, grace, target=60)
    for _ in range(2):
        await house.play_by_typing(house.to_move())
    await ada.slash(house.channel, "tiles match substitute", person=linus)
    await linus.click(house.calls()[-1], label="Agree")
    await play_out(house)
    shown = private(await grace.click(house.ends()[-1], label="Replay"))

    said = [words_of(shown)]
    while "Forward" in button_ids(shown):
        shown = private(await grace.click(shown, label="Forward"))
        said.append(words_of(shown))

    linus_since = next(number for number, one in enumerate(said) if "Linus" in one)
    assert 2 < linus_since < len(said) - 1
    assert "**Ada** played" in "".join(said[:linus_since])
    assert "Ada" not in "".join(said[linus_since:])


async def test_a_log_that_was_packed_is_looked_back_on_all_the_same(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    end = await over(house, ada, grace, target=10)
    before = private(await ada.click(private(await ada.click(end, label="Replay")), label="Last"))
    assert await house.store.pack_logs(house.clock() + 1) == 1

    after = private(await ada.click(private(await ada.click(end, label="Replay")), label="Last"))

    assert after.id != before.id
    assert words_of(after) == words_of(before)
    assert await png(after) == await png(before)


async def test_what_cannot_be_read_or_is_gone_is_said_in_private(
    house: House, ada: MemberActor, grace: MemberActor, nothing_broke: list[str]
) -> None:
    end = await over(house, ada, grace, target=10)
    shown = private(await ada.click(end, label="Replay"))
    await run(house.url, "UPDATE events SET body = '{' WHERE seq = 5")

    assert told(await ada.click(end, label="Replay")).startswith("A line of the record of table 1 cannot be read")
    assert "Its result stands." in told(await ada.click(shown, label="Forward"))
    nothing_broke.clear()  # the operator was told

    await run(house.url, "DELETE FROM matches")
    assert told(await ada.click(end, label="Replay")).startswith("That table does not exist.")
    assert told(await ada.click(shown, label="Last")).startswith("That table does not exist.")


async def run(url: str, statement: str) -> None:
    """What a disk, or a cleanup, does to the rows."""
    engine = make_engine(parse_url(url))
    async with engine.begin() as connection:
        await connection.execute(text("PRAGMA foreign_keys=ON"))
        await connection.execute(text(statement))
    await engine.dispose()


# -- by command ---------------------------------------------------------------------------------------------


async def test_the_list_has_ones_own_matches_and_those_of_the_channel(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    lounge = house.guild.create_text_channel("lounge")
    await over(house, ada, grace, target=10)
    (own,) = await ada.autocomplete(lounge, "tiles replay", "match", "")
    (here,) = await linus.autocomplete(house.channel, "tiles replay", "match", "")

    assert own == here
    assert re.fullmatch(r"Triominoes · [A-Z][a-z]+ \d+, \d{4} · (Ada, Grace|Grace, Ada) · table 1", own["name"])
    assert await linus.autocomplete(lounge, "tiles replay", "match", "") == []
    assert await ada.autocomplete(lounge, "tiles replay", "match", "grace · table 1") == [own]
    assert await ada.autocomplete(lounge, "tiles replay", "match", "star") == []
    for where, who, options in ((lounge, ada, {}), (house.channel, linus, {}), (lounge, linus, {"match": "1"})):
        assert "move 0 of" in told(await who.slash(where, "tiles replay", **options))
    assert told(await linus.slash(lounge, "tiles replay")).startswith("No match has ended in this channel yet")
    for text_typed in ("2", "²", "table", "9" * 30):
        assert told(await ada.slash(lounge, "tiles replay", match=text_typed)).startswith("That table does not exist.")


async def test_what_was_played_where_somebody_may_not_look_stays_there(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    everyone = house.guild.default_role
    denied, allowed = discord.PermissionOverwrite(view_channel=False), discord.PermissionOverwrite(view_channel=True)
    me = house.guild.me
    assert me is not None
    cellar = house.guild.create_text_channel(
        "cellar", overwrites={everyone: denied, me: allowed, ada: allowed, grace: allowed}
    )
    await house.table(ada, grace, channel=cellar, target=10)
    await play_out(house, cellar)

    assert told(await linus.slash(house.channel, "tiles replay", match="1")).startswith("That table does not exist.")
    forged = await house.post("by:replay:1|forward.3")
    assert told(await linus.click(forged, label="Button 0")).startswith("That table does not exist.")
    assert "move 0 of" in told(await ada.slash(house.channel, "tiles replay", match="1"))


# -- the end ------------------------------------------------------------------------------------------------


async def test_the_end_says_in_a_line_how_its_deals_are_checked_and_shows_no_digits(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    end = await over(house, ada, grace, target=10)

    assert "Whether the deals were fair: **Verify** shows it." in words_of(end)
    for message in house.public():
        assert not re.search(r"[0-9a-f]{12}", words_of(message)), "fingerprint and secret are behind a button"
    assert re.search(r"[0-9a-f]{64}", told(await grace.click(end, label="Verify")))
