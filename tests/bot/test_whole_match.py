"""A whole match, from the lobby to the leaderboard, as the people at the table live it."""

import hashlib
import re

from simcord import MemberActor

from tests.bot.house import GOING_OUT, SHORT_MATCH, House
from tests.bot.reading import button_ids, menus, parts, pictures, private, told, words_of


async def test_a_match_goes_from_the_lobby_to_the_leaderboard(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    house.deals.wanted = [GOING_OUT]
    opened = await ada.slash(house.channel, "tiles new", target=100, seats=2)
    assert told(opened).startswith("Your table is open: https://discord.com/channels/")
    lobby = house.board()
    assert "Ada opened a table" in words_of(lobby)
    assert "to 100 · 2 seats" in words_of(lobby)
    assert "2. *free*" in words_of(lobby)

    await grace.click(lobby, label="Join")

    board = house.board()
    assert board.id == lobby.id, "the lobby message becomes the board"
    assert "Triominoes · round 1 · to 100" in words_of(board)
    shown = words_of(private(await ada.click(board, label="Fingerprint")))
    fingerprint = re.search("^[0-9a-f]{64}$", shown, re.MULTILINE)
    assert fingerprint is not None

    # One by the menu with a second look, the rest by typing.
    mover = house.to_move()
    answer = await house.play_by_menu(mover)
    assert words_of(answer).startswith("You played ")
    assert house.to_move().id != mover.id
    await house.play_to_the_end()

    (end,) = house.ends()
    match = await house.match()
    assert match.ended is not None
    winner = match.ended.places.index(1)
    names = ["Ada", "Grace"]
    assert words_of(end).startswith(f"## Triominoes: {names[winner]} wins")
    for seat, name in enumerate(names):
        row = next(line for line in words_of(end).split("\n") if f"**{name}** ·" in line)
        assert row.startswith(f"`{match.ended.places[seat]}` ")
        assert f"{match.ended.totals[seat]} points".replace("-", "−") in row
        assert "rating 1500, still finding out (0)" in row
    commitment = hashlib.sha256(bytes.fromhex(match.ended.secret)).hexdigest()
    assert commitment == match.commitment == fingerprint[0]
    assert not re.search("[0-9a-f]{20}", words_of(end) + words_of(board)), "the numbers live behind a button"

    board = house.board()
    assert f"**{names[winner]}** won with" in words_of(board)
    assert {"Rematch", "Scores"} <= set(button_ids(board))
    assert house.calls() == [], "nobody is called after the end"

    leaders = private(await grace.slash(house.channel, "tiles leaderboard"))
    lines = words_of(leaders).split("\n")
    assert lines[0] == "## Leaderboard · Triominoes"
    assert f"**{names[winner]}**" in next(line for line in lines if "`  –`" in line and "1 of 1 won" in line)
    assert next(line for line in lines if line.startswith("You: ")).count("**Grace**") == 1

    profile = private(await ada.slash(house.channel, "tiles profile"))
    (card,) = pictures(profile)
    assert card.startswith("Profile of Ada: Rating, still finding out 1500")
    assert "Matches finished 1 of 1" in card
    assert f"Wins {int(winner == 0)}" in card


async def test_the_end_of_a_round_shows_the_hands_and_the_arithmetic(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    house.deals.wanted = [GOING_OUT]
    await house.table(ada, grace)
    while (await house.match()).round == 1:
        await house.play_by_typing(house.to_move())
    over = next(message for message in house.public() if "Round 1 is over" in words_of(message))
    (alt,) = pictures(over)
    assert alt.startswith("Round 1 is over. Hands: Ada ")
    assert re.search(r"\*\*Ada\*\* went out: 25 \+ \d+ in the other hands = \*\*\+\d+\*\*", words_of(over))
    assert re.search(r"Ada: −?\d+ · Grace: −?\d+", words_of(over))
    assert list(button_ids(over)) == ["Scores"]
    assert "round 2" in words_of(house.board())


async def test_a_rematch_keeps_the_terms_and_seats_whoever_presses_first_and_second(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    house.deals.wanted = [SHORT_MATCH]
    await house.table(ada, grace, linus, target=60)
    await house.play_to_the_end()
    (end,) = house.ends()

    watching = await house.person("Mary").click(end, label="Rematch")
    assert told(watching).startswith("This match was played by others, and **Rematch** is for them.")
    assert (await house.head()).state == "done"
    first = await grace.click(end, label="Rematch")
    assert told(first).startswith("Your table is open")
    assert "to 60 · 2–3 seats" in words_of(house.board())
    assert "1. Grace · host" in words_of(house.board())
    second = await ada.click(end, label="Rematch")
    assert told(second).startswith("You sit at the table of Grace")
    assert (await house.head()).state == "lobby"
    await linus.click(house.board(), label="Join")
    assert (await house.head()).state == "open"


async def test_the_menu_lists_every_move_best_first_and_playing_asks_once(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.table(ada, grace)
    mover = house.to_move()
    before = [message.id for message in house.public()], words_of(house.board())
    hand = await house.hand(mover)
    (menu,) = menus(hand)
    points = [int(option.label.split("· ")[1].replace("−", "-")) for option in menu.options]
    assert points == sorted(points, reverse=True)
    assert 1 <= len(menu.options) <= 25

    preview = private(await mover.select(hand, [menu.options[0].value]))
    assert preview.id == hand.id, "one private message, edited"
    tile, letter = menu.options[0].label.split(" · ")[0].split(" → ")
    assert f"**{tile} at {letter}**" in words_of(preview)
    assert ([message.id for message in house.public()], words_of(house.board())) == before, "looking changes nothing"

    back = private(await mover.click(preview, label="Back"))
    assert menus(back)[0].options == menu.options


async def test_people_who_want_it_quick_play_with_one_choice(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.table(ada, grace)
    mover = house.to_move()
    hand = await house.hand(mover)
    hand = private(await mover.click(hand, label="Play without asking"))
    assert "played at once" in words_of(hand)
    played = await mover.select(hand, [menus(hand)[0].options[0].value])
    assert told(played).startswith("You played ")
    back = private(await mover.click(private(played), label="Ask before playing"))
    assert "before it is played" in words_of(back)
    assert "Play without asking" in button_ids(back)


async def test_a_full_table_starts_by_itself_and_an_open_one_when_the_host_says_so(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await ada.slash(house.channel, "tiles new", seats=4)
    await grace.slash(house.channel, "tiles join")
    joined = await linus.slash(house.channel, "tiles join")
    assert told(joined).startswith("You sit at the table of Ada")
    assert (await house.head()).state == "lobby"
    started = await ada.slash(house.channel, "tiles start")
    assert told(started).startswith("The match has begun")
    assert "My hand" in button_ids(private(started))
    assert len((await house.match()).seats) == 3


async def test_everybody_can_read_the_rules_scores_and_help(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    text = told(await linus.slash(house.channel, "tiles rules"))
    assert "2–6 players" in text
    await house.table(ada, grace, target=300)
    text = told(await linus.slash(house.channel, "tiles rules"))
    assert "**2 players**, 9 tiles each" in text
    assert "**300 points**" in text
    scores = told(await linus.click(house.board(), label="Scores"))
    assert scores.startswith("### Scores · round 1 of 1")
    assert "**Totals**: Ada" in scores
    helped = private(await linus.slash(house.channel, "tiles help"))
    for_one = {"Puzzle of the day", "Figures for one"}
    assert {*button_ids(helped)} == {"Guided game", "Practice against the computer", "Rules", *for_one}
    board = private(await linus.slash(house.channel, "tiles board"))
    assert len(pictures(board)) == 1
    assert sum(1 for part in parts(board)) > 3
