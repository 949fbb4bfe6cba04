"""Hands with more moves than fit one menu: the player chooses the tile, then the place."""

from dataclasses import replace

from bot.tables.hand_views import MENU_SIZE
from data.rulebook import load_rules
from engine.board.tiles import format_tile_notation
from engine.match.actions import Play
from engine.match.decide import decide, start
from engine.match.event_log import EventLog, build_event_log
from engine.match.events import Dealt, Event
from engine.match.player_view import view_for
from tests.bot.member import Member
from tests.bot.messages import find_play_label, list_alt_texts, list_menus, read_text
from tests.bot.simulated_guild import SimGuild, derive_secret
from tests.bot.tables.stacked_deals import play_out, store_match
from tests.wording import en


def build_long_hand() -> tuple[list[Event], EventLog]:
    game = load_rules("triominoes")
    started, deal_event = start(game, seats=2, computers=[], by_hand=False, secret=derive_secret(1))
    assert isinstance(deal_event, Dealt)
    tiles = sorted(game.tiles)
    small, boneyard = tuple(tiles[5::6]), tuple(tiles[2::8])
    hands = (tuple(tile for tile in tiles if tile not in small + boneyard), small)
    opener = max((0, 1), key=lambda seat: max(hands[seat]))
    opening = (max(hands[opener]),)
    log: list[Event] = [started, replace(deal_event, hands=hands, boneyard=boneyard, opener=opener, choices=opening)]
    event_log = build_event_log(log)
    log += play_out(event_log, derive_secret(1))
    while event_log.match.turn != 0 or len(view_for(event_log.match, 0).moves) <= MENU_SIZE:
        match = event_log.match
        best = view_for(match, match.turn).moves[0].placement
        for event in decide(match, Play(match.turn, best.tile, best.cell, best.rotation), derive_secret(1)):
            event_log.apply(event)
            log.append(event)
        log += play_out(event_log, derive_secret(1))
    return log, event_log


async def test_large_hand_has_menus_by_tile_then_place(sim: SimGuild, ada: Member, grace: Member) -> None:
    events, event_log = build_long_hand()
    view = view_for(event_log.match, 0)
    await store_match(sim, events, ada, grace)

    hand = await sim.open_hand(ada)
    (tiles,) = list_menus(hand)
    assert tiles.placeholder == "Choose a tile…"
    assert 1 < len(tiles.options) <= 25
    best: dict[str, int] = {}
    places: dict[str, int] = {}
    for move in view.moves:
        text = format_tile_notation(move.placement.tile)
        best.setdefault(text, move.points)
        places[text] = places.get(text, 0) + 1
    expected = [f"{tile} · best {f'+{points}' if points else 0}" for tile, points in best.items()]
    assert [option.label for option in tiles.options] == expected[:25]
    chosen = next(option for option in tiles.options if places[option.label.split(" ")[0]] > 1)
    text = chosen.label.split(" ")[0]
    assert chosen.description == en("hand.tile_places", n=places[text])

    place_message = await ada.open_select(hand, chosen.value)
    (menu,) = list_menus(place_message)
    assert menu.placeholder == en("hand.choose_place", tile=text)
    assert len(menu.options) == places[text]
    assert all(option.label.startswith(f"{text} → ") for option in menu.options)
    back = await ada.open_click(place_message, "Back")
    assert list_menus(back)[0].options == tiles.options

    place_message = await ada.open_select(back, chosen.value)
    preview = await ada.open_select(place_message, list_menus(place_message)[0].options[0].value)
    play = find_play_label(preview)
    answer = await ada.open_click(preview, play)
    assert read_text(answer).startswith(f"You played {text} ")
    assert all(
        len(alt) <= 1024 for alt in (*list_alt_texts(hand), *list_alt_texts(place_message), *list_alt_texts(answer))
    )

    grace_text = await grace.read_command("tiles board", text=True)
    ada_text = await ada.read_command("tiles board", text=True)
    assert len(grace_text) < 4000
    assert len(ada_text) < 4000
    assert all(format_tile_notation(tile) in ada_text for tile in (await sim.replay_match()).seats[0].hand)
