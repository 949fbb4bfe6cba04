"""A whole match in Discord, from the lobby to the leaderboard."""

import hashlib
import re

from simcord import MemberActor

from tests.bot.messages import button_ids, menus, parts, pictures, private, told, words_of
from tests.bot.simulated_guild import GOING_OUT, SHORT_MATCH, SimGuild
from tests.wording import en, says


async def test_match_goes_from_lobby_to_leaderboard(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    sim.deals.wanted = [GOING_OUT]
    opened = await ada.slash(sim.channel, "tiles new", target=100, seats=2)
    assert told(opened).startswith(en("lobby.opened", link="https://discord.com/channels/"))
    lobby = sim.board()
    assert says(words_of(lobby), "lobby.title", host="Ada")
    assert "to 100 · 2 seats" in words_of(lobby)
    assert "2. *free*" in words_of(lobby)

    await grace.click(lobby, label="Join")

    board = sim.board()
    assert board.id == lobby.id, "the lobby message becomes the board"
    assert "Triominoes · round 1 · to 100" in words_of(board)
    shown = words_of(private(await ada.click(board, label="Fingerprint")))
    fingerprint = re.search("^[0-9a-f]{64}$", shown, re.MULTILINE)
    assert fingerprint is not None

    mover = sim.to_move()
    answer = await sim.play_by_menu(mover)
    assert words_of(answer).startswith("You played ")
    assert sim.to_move().id != mover.id
    await sim.play_to_the_end()

    (end,) = sim.ends()
    match = await sim.match()
    winner = match.ended.places.index(1)
    names = ["Ada", "Grace"]
    assert words_of(end).startswith(f"## Triominoes: {names[winner]} wins")
    for seat, name in enumerate(names):
        row = next(line for line in words_of(end).split("\n") if f"**{name}** ·" in line)
        assert row.startswith(f"`{match.ended.places[seat]}` ")
        assert f"{match.ended.totals[seat]} points".replace("-", "−") in row
        assert en("end.rating", points="1500", sure=en("leaders.finding_out"), change="0") in row
    commitment = hashlib.sha256(bytes.fromhex(match.ended.secret)).hexdigest()
    assert commitment == match.commitment == fingerprint[0]
    assert not re.search("[0-9a-f]{20}", words_of(end) + words_of(board)), "the numbers live behind a button"

    board = sim.board()
    assert f"**{names[winner]}** won with" in words_of(board)
    assert {"Rematch", "Scores"} <= set(button_ids(board))
    assert sim.calls() == [], "nobody is called after the end"

    leaders = private(await grace.slash(sim.channel, "tiles leaderboard"))
    lines = words_of(leaders).split("\n")
    assert lines[0] == "## Leaderboard · Triominoes"
    assert f"**{names[winner]}**" in next(line for line in lines if "`  –`" in line and "1 of 1 won" in line)
    assert next(line for line in lines if line.startswith("You: ")).count("**Grace**") == 1

    profile = private(await ada.slash(sim.channel, "tiles profile"))
    (card,) = pictures(profile)
    assert en("profile.rating_sure", sure=en("leaders.finding_out")) + " 1500" in card
    assert "of Ada:" in card
    assert "Matches finished 1 of 1" in card
    assert f"Wins {int(winner == 0)}" in card


async def test_end_of_round_shows_hands_and_points(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    sim.deals.wanted = [GOING_OUT]
    await sim.table(ada, grace)
    while (await sim.match()).round == 1:
        await sim.play_by_typing(sim.to_move())
    over = next(message for message in sim.public() if says(words_of(message), "round.title", round=1))
    (alt,) = pictures(over)
    assert says(alt, "alt.round", round=1)
    assert "Hands: Ada " in alt
    assert says(words_of(over), "round.out", name="Ada", going_out=25)
    assert re.search(r"Ada: −?\d+ · Grace: −?\d+", words_of(over))
    assert list(button_ids(over)) == ["Scores"]
    assert "round 2" in words_of(sim.board())


async def test_rematch_keeps_terms(sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor) -> None:
    sim.deals.wanted = [SHORT_MATCH]
    await sim.table(ada, grace, linus, target=60)
    await sim.play_to_the_end()
    (end,) = sim.ends()

    watching = await sim.person("Mary").click(end, label="Rematch")
    assert told(watching).startswith(en("no.REMATCH_OF_OTHERS"))
    assert (await sim.head()).state == "done"
    first = await grace.click(end, label="Rematch")
    assert told(first).startswith(en("lobby.opened", link=""))
    assert "to 60 · 2–3 seats" in words_of(sim.board())
    assert "1. Grace · host" in words_of(sim.board())
    second = await ada.click(end, label="Rematch")
    assert told(second).startswith(en("lobby.joined", host="Grace", link=""))
    assert (await sim.head()).state == "lobby"
    await linus.click(sim.board(), label="Join")
    assert (await sim.head()).state == "open"


async def test_menu_lists_best_move_first_with_preview(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace)
    mover = sim.to_move()
    before = [message.id for message in sim.public()], words_of(sim.board())
    hand = await sim.hand(mover)
    (menu,) = menus(hand)
    points = [int(option.label.split("· ")[1].replace("−", "-")) for option in menu.options]
    assert points == sorted(points, reverse=True)
    assert 1 <= len(menu.options) <= 25

    preview = private(await mover.select(hand, [menu.options[0].value]))
    assert preview.id == hand.id, "one private message, edited"
    tile, letter = menu.options[0].label.split(" · ")[0].split(" → ")
    assert f"**{tile} at {letter}**" in words_of(preview)
    assert ([message.id for message in sim.public()], words_of(sim.board())) == before, "looking changes nothing"

    back = private(await mover.click(preview, label="Back"))
    assert menus(back)[0].options == menu.options


async def test_quick_play_takes_one_choice(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    await sim.table(ada, grace)
    mover = sim.to_move()
    hand = await sim.hand(mover)
    hand = private(await mover.click(hand, label="Skip preview"))
    assert says(words_of(hand), "settings.quick_on")
    played = await mover.select(hand, [menus(hand)[0].options[0].value])
    assert told(played).startswith("You played ")
    back = private(await mover.click(private(played), label="Show preview"))
    assert says(words_of(back), "settings.quick_off")
    assert "Skip preview" in button_ids(back)


async def test_host_starts_table_early(sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor) -> None:
    await ada.slash(sim.channel, "tiles new", seats=4)
    await grace.slash(sim.channel, "tiles join")
    joined = await linus.slash(sim.channel, "tiles join")
    assert told(joined).startswith(en("lobby.joined", host="Ada", link=""))
    assert (await sim.head()).state == "lobby"
    started = await ada.slash(sim.channel, "tiles start")
    assert told(started).startswith(en("lobby.started", link=""))
    assert "My hand" in button_ids(private(started))
    assert len((await sim.match()).seats) == 3


async def test_watcher_can_read_rules_scores_and_board(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    text = told(await linus.slash(sim.channel, "tiles rules"))
    assert "2–6 players" in text
    await sim.table(ada, grace, target=300)
    text = told(await linus.slash(sim.channel, "tiles rules"))
    assert "**2 players**, 9 tiles each" in text
    assert "**The goal:** 300 points." in text
    scores = told(await linus.click(sim.board(), label="Scores"))
    assert scores.startswith("### Scores · round 1 of 1")
    assert "**Totals**: Ada" in scores
    helped = private(await linus.slash(sim.channel, "tiles help"))
    for_one = {"Puzzle of the day", "Solo puzzles"}
    assert {*button_ids(helped)} == {"Guided game", en("help.practice"), "Rules", *for_one}
    board = private(await linus.slash(sim.channel, "tiles board"))
    assert len(pictures(board)) == 1
    assert sum(1 for part in parts(board)) > 3
