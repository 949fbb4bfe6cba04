"""The scenes. Each is written once and runs on every stage."""

from typing import Any

from tests.conformance.stage import PEOPLE, TABLE
from tests.conformance.staging import SceneRun, list_button_labels


async def open_table(run: SceneRun, *, target: int = 100, **options: Any) -> None:
    await run.use_command("Ada", "tiles new", seats=2, target=target, **options)
    await run.click("Grace", run.find_board(run.stage.places[-1]), "Join")


async def play_by_menu(run: SceneRun, place: str = TABLE) -> None:
    who = run.find_turn_player(place)
    await run.click(who, run.find_board(place), "My hand")
    await run.choose(who, run.find_private_message(who, place))
    await run.click(who, run.find_private_message(who, place), "Play")
    await settle_turn(run, who, place)


async def play_by_typing(run: SceneRun) -> None:
    who = run.find_turn_player()
    tile = (await run.suggest(who, "tiles play", "tile"))[0]["value"]
    place = (await run.suggest(who, "tiles play", "place", tile=tile))[0]["value"]
    await run.use_command(who, "tiles play", tile=tile, place=place)
    await settle_turn(run, who)


async def settle_turn(run: SceneRun, mover: str, place: str = TABLE) -> None:
    """Let the other player open their hand, so that the last placement is final and their turn begins."""
    if run.find_turn_player(place) is None and "My hand" in list_button_labels(run.find_board(place)):
        next_player = next(who for who in PEOPLE[:2] if who != mover)
        await run.click(next_player, run.find_board(place), "My hand")


async def play_whole_match(run: SceneRun) -> None:
    await open_table(run, target=50)
    await play_by_menu(run)
    await play_by_menu(run)
    while run.find_turn_player() is not None:
        await play_by_typing(run)
    for command in ("leaderboard", "profile", "scores", "rules", "help", "games", "board"):
        await run.use_command("Ada", f"tiles {command}")
    await run.use_command("Linus", "tiles profile", person="Grace")
    await run.use_command("Linus", "tiles leaderboard")
    await run.choose("Linus", run.find_private_message("Linus"), 1)
    await run.click("Grace", run.find_board(), "Rematch")
    await run.click("Ada", run.find_board(), "Join")


async def use_lobby(run: SceneRun) -> None:
    await run.use_command("Ada", "tiles join")
    await run.use_command("Ada", "tiles new", seats=3)
    await run.click("Ada", run.find_board(), "Join")
    await run.click("Linus", run.find_board(), "Leave")
    await run.click("Grace", run.find_board(), "Join")
    await run.click("Grace", run.find_board(), "Join")
    await run.click("Grace", run.find_board(), "Start")
    await run.choose("Grace", run.find_board(), 3)
    await run.choose("Ada", run.find_board(), 1)
    await run.click("Grace", run.find_board(), "Rules")
    await run.use_command("Grace", "tiles new")
    await run.use_command("Grace", "tiles leave")
    await run.use_command("Linus", "tiles join")
    await run.use_command("Grace", "tiles scores")
    await run.use_command("Ada", "tiles start")
    await run.use_command("Grace", "tiles join")


async def use_reserved_seats(run: SceneRun) -> None:
    await run.use_command("Ada", "tiles new", **{"with": "Grace"})
    await run.click("Linus", run.find_board(), "Join")
    await run.click("Linus", run.find_board(), "Set up")
    await run.click("Ada", run.find_board(), "Set up")
    await run.choose("Ada", run.find_private_message("Ada"), 3)
    await run.click("Ada", run.find_private_message("Ada"), "Clock")
    await run.click("Ada", run.find_private_message("Ada"), "Players")
    await run.click("Linus", run.find_board(), "Decline")
    await run.click("Grace", run.find_board(), "Decline")
    await run.use_command("Ada", "tiles-host keep", person="Grace")
    await run.use_command("Ada", "tiles-host keep", person="Linus")
    await run.click("Grace", run.find_board(), "Join")


async def trigger_refusals(run: SceneRun) -> None:
    await open_table(run)
    who, waiting = run.find_turn_player(), run.find_waiting_player()
    await run.use_command(waiting, "tiles play", tile="0-1-2", place="A")
    await run.use_command("Linus", "tiles play", tile="0-1-2", place="A")
    await run.click("Linus", run.find_board(), "My hand")
    for tile, place in (("0-0", "A"), ("9-9-9", "A"), ("0-1-2", "ZZ"), ("0-1-2", "A"), ("0-2-4", "A")):
        await run.use_command(who, "tiles play", tile=tile, place=place)
    for command in ("draw", "pass"):
        await run.use_command(who, f"tiles {command}")
    await run.click(who, run.find_board(), "My hand")
    await run.choose(who, run.find_private_message(who))
    old_message = run.find_private_message(who)
    run.expire_private_messages()
    await play_by_typing(run)
    await run.click(who, old_message, "Play")
    await run.click(waiting, run.find_board(), "My hand")
    old_message = run.find_private_message(waiting)
    run.expire_private_messages()
    await play_by_typing(run)
    await run.choose(waiting, old_message)


FORGED_IDS = (
    "by:hand:1", "by:hand:2", "by:hand:1:999999999", "by:play:1:3|nonsense", "by:play:1|345.U0,0.1", "by:draw:1:0",
    "by:join:1", "by:start:1", "by:rematch:7", "by:bring:1", "by:leaders|quadominoes.x.y.0", "by:scores:1|999",
    "by:unknown:1", "another bot's", "\n",
)  # fmt: skip


async def click_forged_buttons(run: SceneRun) -> None:
    await open_table(run)
    message = await run.post("Forged", *FORGED_IDS)
    for number in range(len(FORGED_IDS)):
        await run.click("Linus" if number % 2 else run.find_waiting_player(), message, chr(ord("A") + number))


async def mention_players(run: SceneRun) -> None:
    await run.post("@Ada and @Grace")
    await run.post("@Ada and @Grace", mentioned="Grace")
    await run.post("@Ada and @Grace", mentioned="Linus")


async def play_against_computer(run: SceneRun) -> None:
    await run.use_command("Ada", "tiles new", seats=2, computers=1, target=50)
    await play_by_menu(run)
    await play_by_typing(run)
    await play_by_typing(run)
    await run.use_command("Ada", "tiles match resign")
    await run.click("Ada", run.find_private_message("Ada"), "Keep")
    await run.use_command("Ada", "tiles match resign")
    await run.click("Ada", run.find_private_message("Ada"), "Resign")


async def play_with_manual_draws(run: SceneRun) -> None:
    """Play at a table with manual draws and passes, at which the second player can place nothing."""
    await open_table(run, by_hand=True)
    await play_by_menu(run)
    who = run.find_turn_player()
    await run.click(who, run.find_board(), "Pass")
    await run.click(who, run.find_board(), "My hand")
    await run.click(who, run.find_private_message(who), "Draw")
    await run.click(who, run.find_board(), "Draw")
    await run.use_command(who, "tiles draw")
    await run.use_command(who, "tiles draw")
    await run.use_command(who, "tiles pass")
    await run.click(who, run.find_board(), "Text board")


async def choose_opening_bonus(run: SceneRun) -> None:
    """Quad-Ominos: an opening earns a bonus, other players try to choose it, and the player takes two more tiles."""
    await open_table(run, game="quad-ominos", options="deal=half")
    await run.click("Ada", run.find_board(), "My hand")
    choice = run.find_private_message("Ada")
    await run.use_command("Grace", "tiles choose", option="tiles")
    await run.click("Grace", run.find_private_message("Grace"), "Why not?")
    await run.use_command("Ada", "tiles draw")
    await run.click("Ada", choice, "2 more tiles")
    for _ in range(2):
        await run.click("Ada", run.find_board(), "My hand")
        await run.choose("Ada", run.find_private_message("Ada"))
        await run.click("Ada", run.find_private_message("Ada"), "Play")
    await run.click("Grace", run.find_board(), "Text board")


async def play_extra_turn(run: SceneRun) -> None:
    await open_table(run, game="star")
    await run.click("Grace", run.find_board(), "My hand")
    await run.choose("Grace", run.find_private_message("Grace"))
    await run.click("Grace", run.find_private_message("Grace"), "Play")
    await run.click("Ada", run.find_board(), "My hand")
    await run.click("Grace", run.find_private_message("Grace"), "End turn")
    await run.use_command("Linus", "tiles rules")


async def play_in_thread(run: SceneRun) -> None:
    await open_table(run, thread=True)
    (thread,) = run.stage.places[1:]
    await play_by_menu(run, thread)
    for who in PEOPLE:
        await run.use_command(who, "tiles games")
    await run.use_command("Ada", "tiles hand", channel=thread)


async def push_board_up(run: SceneRun) -> None:
    await open_table(run)
    await run.say("Linus", *(f"chatter {number}" for number in range(16)))
    await play_by_menu(run)
    await play_by_menu(run)


async def delete_board(run: SceneRun) -> None:
    await run.use_command("Ada", "tiles new", seats=2)
    await run.delete(run.find_board())
    await run.click("Grace", run.find_board(), "Join")
    await run.delete(run.find_board())
    await play_by_menu(run)


async def request_suggestions(run: SceneRun) -> None:
    await open_table(run)
    await play_by_menu(run)
    who = run.find_turn_player()
    for one in (who, run.find_waiting_player(), "Linus"):
        for typed in ("", "0", "1-", "x", "9-9-9"):
            await run.suggest(one, "tiles play", "tile", typed)
        for tile in ("", "0-1-2", "nonsense"):
            await run.suggest(one, "tiles play", "place", "", tile=tile)
    for choice in await run.suggest(who, "tiles play", "tile"):
        await run.suggest(who, "tiles play", "place", "", tile=choice["value"])
