"""Chapters with texts to read: every refusal of the bot, whole matches of every game, and all kinds of ends."""

from typing import Final

from tests.conformance.tour import Tour

TARGETS: Final = {"triominoes": 60, "quad-ominos": 120, "muggins": 0, "points": 0, "star": 0, "trioker": 0}
"""The target of each game: one deal, or a short match."""


async def refusals(tour: Tour) -> None:
    await tour.use_tiles("Ada", "hand")
    for wrong in (
        {"options": "hexagon_scale=nothing"},
        {"options": "nothing=1"},
        {"preset": "nothing"},
        {"clock": "soon"},
    ):
        await tour.use_tiles("Ada", "new", seats=2, **wrong)
    await tour.open_table()
    who, other = await tour.list_turn_order()
    await tour.use_tiles("Ada", "join")
    await tour.use_tiles("Linus", "join")
    await tour.use_tiles("Linus", "hand")
    await tour.use_tiles("Linus", "board")
    await tour.use_tiles("Linus", "board", text=True)
    await tour.use_tiles(other, "play", tile="0-1-2", place="A")
    for tile, place in (("0-0", "A"), ("9-9-9", "A"), ("0-1-2", "ZZ"), ("0-1-2", "?"), ("0-1-2", "A"), ("0-2-4", "A")):
        await tour.use_tiles(who, "play", tile=tile, place=place)
    for command in ("draw", "pass", "undo", "leave", "start"):
        await tour.use_tiles(who, command)
    await tour.use("Ada", tour.find_command("tiles-admin", "end"), reason="enough")


async def whole_matches(tour: Tour) -> None:
    for game, target in TARGETS.items():
        await tour.move_to_new_channel()
        await tour.open_table(game=game, **({"target": target} if target else {}))
        await tour.use_tiles("Linus", "board")
        await tour.play_match()
        await tour.use_tiles("Ada", "board", text=True)
        await tour.use_tiles("Ada", "hand")
        await tour.use_tiles("Linus", "rules", game=game)


async def missed_turns(tour: Tour) -> None:
    await tour.open_table(clock="1d")
    await tour.skip_time(24.5 * 3600)
    await tour.skip_time(25 * 3600)
    await tour.wait_until_settled()
    await tour.skip_time(24.5 * 3600)
    who, _ = await tour.list_turn_order()
    await tour.place_tile(who)
    await tour.resign("Ada")
    await tour.use_tiles("Grace", "hand")


async def with_shapes(tour: Tour) -> None:
    await tour.open_table(theme="picture")
    await tour.play_match(min_turns=4)
    await tour.use_tiles("Ada", "board", text=True)
    await tour.use("Ada", tour.find_command("tiles-admin", "end"), reason="enough")


CHAPTERS: Final = (refusals, whole_matches, missed_turns, with_shapes)
