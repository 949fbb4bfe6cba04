"""Hands with more moves than fit one menu: the player chooses the tile, then the place."""

from dataclasses import replace

from simcord import MemberActor

from bot.tables.hand_views import MENU_SIZE
from data.rulebook import load_rules
from engine.board.tiles import format_tile_notation
from engine.match.actions import Play
from engine.match.decide import decide, start
from engine.match.event_log import EventLog, build_event_log
from engine.match.events import Dealt, Event
from engine.match.player_view import view_for
from tests.bot.messages import button_ids, menus, pictures, private, words_of
from tests.bot.simulated_guild import SimGuild, secret
from tests.bot.tables.stacked_deals import play_out, store_match
from tests.wording import en


def build_long_hand() -> tuple[list[Event], EventLog]:
    game = load_rules("triominoes")
    began, dealt = start(game, seats=2, computers=[], by_hand=False, secret=secret(1))
    assert isinstance(dealt, Dealt)
    tiles = sorted(game.tiles)
    small, boneyard = tuple(tiles[5::6]), tuple(tiles[2::8])
    hands = (tuple(tile for tile in tiles if tile not in small + boneyard), small)
    opener = max((0, 1), key=lambda seat: max(hands[seat]))
    opening = (max(hands[opener]),)
    log: list[Event] = [began, replace(dealt, hands=hands, boneyard=boneyard, opener=opener, choices=opening)]
    event_log = build_event_log(log)
    log += play_out(event_log, secret(1))
    while event_log.match.turn != 0 or len(view_for(event_log.match, 0).moves) <= MENU_SIZE:
        match = event_log.match
        best = view_for(match, match.turn).moves[0].placement
        for event in decide(match, Play(match.turn, best.tile, best.cell, best.rotation), secret(1)):
            event_log.apply(event)
            log.append(event)
        log += play_out(event_log, secret(1))
    return log, event_log


async def test_large_hand_has_menus_by_tile_then_place(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    events, event_log = build_long_hand()
    seen = view_for(event_log.match, 0)
    await store_match(sim, events, ada, grace)

    hand = await sim.hand(ada)
    (tiles,) = menus(hand)
    assert tiles.placeholder == "Choose a tile…"
    assert 1 < len(tiles.options) <= 25
    best: dict[str, int] = {}
    places: dict[str, int] = {}
    for move in seen.moves:
        text = format_tile_notation(move.placement.tile)
        best.setdefault(text, move.points)
        places[text] = places.get(text, 0) + 1
    expected = [f"{tile} · best {f'+{points}' if points else 0}" for tile, points in best.items()]
    assert [option.label for option in tiles.options] == expected[:25]
    chosen = next(option for option in tiles.options if places[option.label.split(" ")[0]] > 1)
    text = chosen.label.split(" ")[0]
    assert chosen.description == en("hand.tile_places", n=places[text])

    where = private(await ada.select(hand, [chosen.value]))
    (menu,) = menus(where)
    assert menu.placeholder == en("hand.choose_place", tile=text)
    assert len(menu.options) == places[text]
    assert all(option.label.startswith(f"{text} → ") for option in menu.options)
    back = private(await ada.click(where, label="Back"))
    assert menus(back)[0].options == tiles.options

    where = private(await ada.select(back, [chosen.value]))
    preview = private(await ada.select(where, [menus(where)[0].options[0].value]))
    play = next(label for label in button_ids(preview) if label.startswith("Play"))
    played = private(await ada.click(preview, label=play))
    assert words_of(played).startswith(f"You played {text} ")
    assert all(len(alt) <= 1024 for alt in (*pictures(hand), *pictures(where), *pictures(played)))

    grace_text = words_of(private(await grace.slash(sim.channel, "tiles board", text=True)))
    ada_text = words_of(private(await ada.slash(sim.channel, "tiles board", text=True)))
    assert len(grace_text) < 4000
    assert len(ada_text) < 4000
    assert all(format_tile_notation(tile) in ada_text for tile in (await sim.match()).seats[0].hand)
