"""The start, the moves, the rounds and the rematch of a match in Discord."""

import re

from tests.bot.member import Member
from tests.bot.messages import (
    get_private_answer,
    iterate_components,
    list_alt_texts,
    list_menus,
    read_button_ids,
    read_private_text,
    read_text,
)
from tests.bot.simulated_guild import GOING_OUT_DEAL, SimGuild
from tests.wording import en, has_sentence


async def test_end_of_round_shows_hands_and_points(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, deal=GOING_OUT_DEAL)
    while (await sim.replay_match()).round == 1:
        await sim.play_by_typing(sim.get_called_player())
    over = next(
        message for message in sim.list_public_messages() if has_sentence(read_text(message), "round.title", round=1)
    )
    (alt,) = list_alt_texts(over)
    assert has_sentence(alt, "alt.round", round=1)
    assert "Hands: Ada " in alt
    assert has_sentence(read_text(over), "round.out", name="Ada", going_out=25)
    assert re.search(r"Ada: −?\d+ · Grace: −?\d+", read_text(over))
    assert list(read_button_ids(over)) == ["Scores"]
    assert "round 2" in sim.read_board()


async def test_menu_lists_best_move_first_with_preview(room: SimGuild) -> None:
    mover = room.get_called_player()
    before = [message.id for message in room.list_public_messages()], room.read_board()
    hand = await room.open_hand(mover)
    (menu,) = list_menus(hand)
    points = [int(option.label.split("· ")[1].replace("−", "-")) for option in menu.options]
    assert points == sorted(points, reverse=True)
    assert 1 <= len(menu.options) <= 25

    preview = await mover.open_select(hand, menu.options[0].value)
    assert preview.id == hand.id, "one private message, edited"
    tile, letter = menu.options[0].label.split(" · ")[0].split(" → ")
    assert f"**{tile} at {letter}**" in read_text(preview)
    assert ([message.id for message in room.list_public_messages()], room.read_board()) == before, (
        "looking changes nothing"
    )

    back = await mover.open_click(preview, "Back")
    assert list_menus(back)[0].options == menu.options


async def test_quick_play_takes_one_choice(room: SimGuild) -> None:
    mover = room.get_called_player()
    hand = await room.open_hand(mover)
    hand = await mover.open_click(hand, "Skip preview")
    assert has_sentence(read_text(hand), "settings.quick_on")
    answer = await mover.select(hand, [list_menus(hand)[0].options[0].value])
    assert read_private_text(answer).startswith("You played ")
    back = await mover.open_click(get_private_answer(answer), "Show preview")
    assert has_sentence(read_text(back), "settings.quick_off")
    assert "Skip preview" in read_button_ids(back)


async def test_host_starts_table_early(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await ada.use_command("tiles new", seats=4)
    await grace.use_command("tiles join")
    join_answer = await linus.use_command("tiles join")
    assert read_private_text(join_answer).startswith(en("lobby.joined", host="Ada", link=""))
    assert (await sim.load_head()).state == "lobby"
    start_answer = await ada.use_command("tiles start")
    assert read_private_text(start_answer).startswith(en("lobby.started", link=""))
    assert "My hand" in read_button_ids(get_private_answer(start_answer))
    assert len((await sim.replay_match()).seats) == 3


async def test_watcher_can_read_rules_scores_and_board(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    text = await linus.read_command("tiles rules")
    assert "2–6 players" in text
    await sim.start_table(ada, grace, target=300)
    text = await linus.read_command("tiles rules")
    assert "**2 players**, 9 tiles each" in text
    assert "**The goal:** 300 points." in text
    scores = await linus.read_click(sim.get_board(), "Scores")
    assert scores.startswith("### Scores · round 1 of 1")
    assert "**Totals**: Ada" in scores
    assert re.search(r"```\n +Ada  Grace\n1…( +−?\d+){2}\n─+\nΣ ( +−?\d+){2}\n```", scores)
    help_message = await linus.open_command("tiles help")
    for_one = {"Puzzle of the day", "Solo puzzles"}
    assert {*read_button_ids(help_message)} == {"Guided game", en("help.practice"), "Rules", *for_one}
    board = await linus.open_command("tiles board")
    assert len(list_alt_texts(board)) == 1
    assert sum(1 for part in iterate_components(board)) > 3
