"""The scenes. Each is written once and knows nothing of the Discord it is played on."""

from typing import Any

from tests.conformance.stage import PEOPLE, TABLE
from tests.conformance.staging import Staging


async def open_table(at: Staging, *, target: int = 100, **options: Any) -> None:
    await at.slash("Ada", "tiles new", seats=2, target=target, **options)
    await at.press("Grace", at.board(at.stage.places[-1]), "Join")


async def by_menu(at: Staging, place: str = TABLE) -> None:
    who = at.to_move(place)
    assert who is not None
    await at.press(who, at.board(place), "My hand")
    await at.choose(who, at.private(who, place))
    await at.press(who, at.private(who, place), "Play")
    await stands(at, who, place)


async def by_typing(at: Staging) -> None:
    who = at.to_move()
    assert who is not None
    tile = (await at.suggest(who, "tiles play", "tile"))[0]["value"]
    place = (await at.suggest(who, "tiles play", "place", tile=tile))[0]["value"]
    await at.slash(who, "tiles play", tile=tile, place=place)
    await stands(at, who)


async def stands(at: Staging, mover: str, place: str = TABLE) -> None:
    """The other of the two looks at their hand, so that what was just placed stands: theirs is the turn."""
    if at.to_move(place) is None and at.offers(place, "My hand"):
        following = next(who for who in PEOPLE[:2] if who != mover)
        await at.press(following, at.board(place), "My hand")


async def whole_match(at: Staging) -> None:
    await open_table(at, target=50)
    await by_menu(at)
    await by_menu(at)
    while at.to_move() is not None:
        await by_typing(at)
    for command in ("leaderboard", "profile", "scores", "rules", "help", "games", "board"):
        await at.slash("Ada", f"tiles {command}")
    await at.slash("Linus", "tiles profile", person="Grace")
    await at.slash("Linus", "tiles leaderboard")
    await at.choose("Linus", at.private("Linus"), 1)
    await at.press("Grace", at.board(), "Rematch")
    await at.press("Ada", at.board(), "Join")


async def lobby(at: Staging) -> None:
    await at.slash("Ada", "tiles join")
    await at.slash("Ada", "tiles new", seats=3)
    await at.press("Ada", at.board(), "Join")
    await at.press("Linus", at.board(), "Leave")
    await at.press("Grace", at.board(), "Join")
    await at.press("Grace", at.board(), "Join")
    await at.press("Grace", at.board(), "Start")
    await at.choose("Grace", at.board(), 3)
    await at.choose("Ada", at.board(), 1)
    await at.press("Grace", at.board(), "Rules")
    await at.slash("Grace", "tiles new")
    await at.slash("Grace", "tiles leave")
    await at.slash("Linus", "tiles join")
    await at.slash("Grace", "tiles scores")
    await at.slash("Ada", "tiles start")
    await at.slash("Grace", "tiles join")


async def kept_seats(at: Staging) -> None:
    await at.slash("Ada", "tiles new", **{"with": "Grace"})
    await at.press("Linus", at.board(), "Join")
    await at.press("Linus", at.board(), "Set up")
    await at.press("Ada", at.board(), "Set up")
    await at.choose("Ada", at.private("Ada"), 3)
    await at.press("Ada", at.private("Ada"), "Clock")
    await at.press("Ada", at.private("Ada"), "Players")
    await at.press("Linus", at.board(), "Decline")
    await at.press("Grace", at.board(), "Decline")
    await at.slash("Ada", "tiles-host keep", person="Grace")
    await at.slash("Ada", "tiles-host keep", person="Linus")
    await at.press("Grace", at.board(), "Join")


async def refusals(at: Staging) -> None:
    await open_table(at)
    who, waiting = at.to_move(), at.waiting()
    assert who is not None
    await at.slash(waiting, "tiles play", tile="0-1-2", place="A")
    await at.slash("Linus", "tiles play", tile="0-1-2", place="A")
    await at.press("Linus", at.board(), "My hand")
    for tile, place in (("0-0", "A"), ("9-9-9", "A"), ("0-1-2", "ZZ"), ("0-1-2", "A"), ("0-2-4", "A")):
        await at.slash(who, "tiles play", tile=tile, place=place)
    for command in ("draw", "pass"):
        await at.slash(who, f"tiles {command}")
    await at.press(who, at.board(), "My hand")
    await at.choose(who, at.private(who))
    old = at.private(who)
    at.lapse()
    await by_typing(at)
    await at.press(who, old, "Play")
    await at.press(waiting, at.board(), "My hand")
    old = at.private(waiting)
    at.lapse()
    await by_typing(at)
    await at.choose(waiting, old)


FORGED = (
    "by:hand:1", "by:hand:2", "by:hand:1:999999999", "by:play:1:3|nonsense", "by:play:1|345.U0,0.1", "by:draw:1:0",
    "by:join:1", "by:start:1", "by:rematch:7", "by:bring:1", "by:leaders|quadominoes.x.y.0", "by:scores:1|999",
    "by:unknown:1", "another bot's", "\n",
)  # fmt: skip


async def forged_ids(at: Staging) -> None:
    await open_table(at)
    message = await at.post("Forged", *FORGED)
    for number in range(len(FORGED)):
        await at.press("Linus" if number % 2 else at.waiting(), message, chr(ord("A") + number))


async def names_that_ring(at: Staging) -> None:
    await at.post("@Ada and @Grace")
    await at.post("@Ada and @Grace", rings="Grace")
    await at.post("@Ada and @Grace", rings="Linus")


async def against_a_computer(at: Staging) -> None:
    await at.slash("Ada", "tiles new", seats=2, computers=1, target=50)
    await by_menu(at)
    await by_typing(at)
    await by_typing(at)
    await at.slash("Ada", "tiles match resign")
    await at.press("Ada", at.private("Ada"), "Keep")
    await at.slash("Ada", "tiles match resign")
    await at.press("Ada", at.private("Ada"), "Resign")


async def by_hand(at: Staging) -> None:
    """A table at which people draw and pass themselves, and the second of them can place nothing."""
    await open_table(at, by_hand=True)
    await by_menu(at)
    who = at.to_move()
    assert who is not None
    await at.press(who, at.board(), "Pass")
    await at.press(who, at.board(), "My hand")
    await at.press(who, at.private(who), "Draw")
    await at.press(who, at.board(), "Draw")
    await at.slash(who, "tiles draw")
    await at.slash(who, "tiles draw")
    await at.slash(who, "tiles pass")
    await at.press(who, at.board(), "Text board")


async def a_bonus(at: Staging) -> None:
    """Quad-Ominos: an opening that earns a choice, which others try to make; two more tiles instead of the points."""
    await open_table(at, game="quad-ominos", options="deal=half")
    await at.press("Ada", at.board(), "My hand")
    choice = at.private("Ada")
    await at.slash("Grace", "tiles choose", option="tiles")
    await at.press("Grace", at.private("Grace"), "Why not?")
    await at.slash("Ada", "tiles draw")
    await at.press("Ada", choice, "2 more tiles")
    for _ in range(2):
        await at.press("Ada", at.board(), "My hand")
        await at.choose("Ada", at.private("Ada"))
        await at.press("Ada", at.private("Ada"), "Play")
    await at.press("Grace", at.board(), "Text board")


async def a_further_turn(at: Staging) -> None:
    await open_table(at, game="star")
    await at.press("Grace", at.board(), "My hand")
    await at.choose("Grace", at.private("Grace"))
    await at.choose("Grace", at.private("Grace"))
    await at.press("Grace", at.private("Grace"), "Play")
    await at.press("Ada", at.board(), "My hand")
    await at.press("Grace", at.private("Grace"), "End turn")
    await at.slash("Linus", "tiles rules")


async def in_a_thread(at: Staging) -> None:
    await open_table(at, thread=True)
    (thread,) = at.stage.places[1:]
    await by_menu(at, thread)
    for who in PEOPLE:
        await at.slash(who, "tiles games")
    await at.slash("Ada", "tiles hand", channel=thread)


async def pushed_up(at: Staging) -> None:
    await open_table(at)
    await at.say("Linus", *(f"chatter {number}" for number in range(16)))
    await by_menu(at)
    await by_menu(at)


async def deleted_board(at: Staging) -> None:
    await at.slash("Ada", "tiles new", seats=2)
    await at.delete(at.board())
    await at.press("Grace", at.board(), "Join")
    await at.delete(at.board())
    await by_menu(at)


async def suggestions(at: Staging) -> None:
    await open_table(at)
    await by_menu(at)
    who = at.to_move()
    assert who is not None
    for one in (who, at.waiting(), "Linus"):
        for typed in ("", "0", "1-", "x", "9-9-9"):
            await at.suggest(one, "tiles play", "tile", typed)
        for tile in ("", "0-1-2", "nonsense"):
            await at.suggest(one, "tiles play", "place", "", tile=tile)
    for choice in await at.suggest(who, "tiles play", "tile"):
        await at.suggest(who, "tiles play", "place", "", tile=choice["value"])
