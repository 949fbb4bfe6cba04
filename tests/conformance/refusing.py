"""Chapters for readers: every refusal of the bot, whole matches of every game, and ends of every kind."""

from typing import Final

from tests.conformance.tour import Tour

TARGETS: Final = {"triominoes": 60, "quad-ominos": 120, "muggins": 0, "points": 0, "star": 0, "trioker": 0}
"""What each game is played to: one deal, or a short match."""


async def refusals(at: Tour) -> None:
    await at.tiles("Ada", "hand")
    await at.tiles("Ada", "new", seats=2, options="hexagon_scale=nothing")
    await at.tiles("Ada", "new", seats=2, options="nothing=1")
    await at.tiles("Ada", "new", seats=2, preset="nothing")
    await at.tiles("Ada", "new", seats=2, clock="soon")
    await at.open_table()
    who, other = await at.movers()
    await at.tiles("Ada", "join")
    await at.tiles("Linus", "join")
    await at.tiles("Linus", "hand")
    await at.tiles("Linus", "board")
    await at.tiles("Linus", "board", text=True)
    await at.tiles(other, "play", tile="0-1-2", place="A")
    for tile, place in (("0-0", "A"), ("9-9-9", "A"), ("0-1-2", "ZZ"), ("0-1-2", "?"), ("0-1-2", "A"), ("0-2-4", "A")):
        await at.tiles(who, "play", tile=tile, place=place)
    for command in ("draw", "pass", "undo", "leave", "start"):
        await at.tiles(who, command)
    await at.use("Ada", at.leaf("tiles-admin", "end"), reason="enough")


async def whole_matches(at: Tour) -> None:
    for game, target in TARGETS.items():
        await at.elsewhere()
        await at.open_table(game=game, **({"target": target} if target else {}))
        await at.tiles("Linus", "board")
        await at.play_out()
        await at.tiles("Ada", "board", text=True)
        await at.tiles("Ada", "hand")
        await at.tiles("Linus", "rules", game=game)


async def unanswered(at: Tour) -> None:
    await at.open_table(clock="1d")
    await at.later(24.5 * 3600)
    await at.later(25 * 3600)
    await at.settled()
    await at.later(24.5 * 3600)
    who, _ = await at.movers()
    await at.place_one(who)
    await at.tiles("Ada", "resign")
    await at.press_newest("Ada", "resign", "yes")
    await at.tiles("Grace", "hand")


async def with_shapes(at: Tour) -> None:
    await at.open_table(theme="picture")
    await at.play_out(least=4)
    await at.tiles("Ada", "board", text=True)
    await at.use("Ada", at.leaf("tiles-admin", "end"), reason="enough")


CHAPTERS: Final = (refusals, whole_matches, unanswered, with_shapes)
