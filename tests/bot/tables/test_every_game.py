"""Matches of every game family, from lobby to leaderboard, played with buttons and menus."""

import hashlib
import re
from dataclasses import dataclass, field
from io import BytesIO

import pytest
from PIL import Image

from bot.tables.move_labels import format_number
from data.rulebook import list_games, load_rules
from data.words import load_words
from engine.board.tiles import format_tile_notation
from engine.families import RULES_OF
from engine.match.events import Placed
from engine.match.state import Match
from engine.record import read, rerun
from tests.bot.member import Member
from tests.bot.messages import Message, list_alt_texts, read_button_ids, read_private_text, read_text
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.greedy_clicks import click_through_match, take_turn
from tests.wording import en, has_sentence


@dataclass(frozen=True)
class GameCase:
    deal: int
    end_text: str
    terms: dict[str, object] = field(default_factory=dict)


GAME_CASES = {
    "triominoes": GameCase(40, "The round is blocked: no player can move.", {"target": 50}),
    "quad-ominos": GameCase(316, "", {"target": 120, "options": "deal=half"}),
    "points": GameCase(34, "went out."),
    "muggins": GameCase(42, "The round is blocked: no player can move."),
    "star": GameCase(47, "went out."),
    "trioker": GameCase(123, "went out and gets all the points in the other hands"),
}


async def load_picture(message: Message) -> Image.Image:
    (attached,) = message.attachments
    image = Image.open(BytesIO(await attached.read()))
    image.load()
    return image


@pytest.mark.parametrize("game", GAME_CASES)
async def test_two_players_play_every_game(sim: SimGuild, ada: Member, grace: Member, game: str) -> None:
    case, title = GAME_CASES[game], load_words()(f"game.{game}")
    sim.deals.next_numbers = [case.deal]
    opened = await ada.use_command("tiles new", game=game, seats=2, **case.terms)
    assert read_private_text(opened).startswith(en("lobby.opened", link="https://discord.com/channels/"))
    lobby = sim.get_board()
    assert has_sentence(read_text(lobby), "lobby.title", host="Ada")
    assert f"**{title}** · default rules" in read_text(lobby)
    assert "2. *free*" in read_text(lobby)
    await grace.click(lobby, label="Join")
    assert sim.get_board().id == lobby.id, "the lobby message becomes the board"
    assert read_text(sim.get_board()).startswith(f"### {title} · ")
    fingerprint_text = await ada.read_click(sim.get_board(), "Fingerprint")
    hand = await sim.open_hand(grace)
    assert (await load_picture(hand)).width >= 400
    await grace.click(hand, label="Skip preview")
    empty = await load_picture(sim.get_board())

    await click_through_match(sim)

    assert (await load_picture(sim.get_board())).tobytes() != empty.tobytes()
    match = await sim.replay_match()
    assert hashlib.sha256(bytes.fromhex(match.ended.secret)).hexdigest() == match.commitment
    assert match.commitment in fingerprint_text.split("\n")
    await check_result_message(sim, match, title, case.end_text)
    await check_score_list(sim, match, ada)
    await check_record(sim, grace)
    await check_leaderboard_and_profile(sim, match, game, grace)


async def check_result_message(sim: SimGuild, match: Match, title: str, over: str) -> None:
    (end,) = sim.list_results()
    text, match_end = read_text(end), match.ended
    names = ["Ada", "Grace"]
    winners = [name for name, place in zip(names, match_end.places, strict=True) if place == 1]
    result = f"{winners[0]} wins" if len(winners) == 1 else "Ada and Grace share the win"
    assert text.startswith(f"## {title}: {result}")
    assert over in text
    for name, place, total in zip(names, match_end.places, match_end.totals, strict=True):
        (row,) = [line for line in text.split("\n") if line.startswith(f"`{place}` **{name}** · ")]
        assert f"· {format_number(total)} points" in row
        assert ("rating 1500, uncertain (0)" in row) == ("Not rated" not in text)
    assert not re.search("[0-9a-f]{20}", text + sim.read_board()), "the numbers live behind a button"
    (alt,) = list_alt_texts(end)
    assert title in alt
    assert (await load_picture(end)).width >= 400
    assert sim.list_calls() == []
    board = sim.get_board()
    assert f"**{winners[0]}** won with" in read_text(board) or "share the win" in read_text(board)
    assert {"Rematch", "Scores"} <= set(read_button_ids(board))


async def check_score_list(sim: SimGuild, match: Match, reader: Member) -> None:
    text = await reader.read_click(sim.get_board(), "Scores")
    placements = [event for event in (await sim.load_stored_match()).events if isinstance(event, Placed)]
    for event in placements[-len(match.board.placed) :]:
        assert f" {format_tile_notation(event.tile)}" in text
    totals = [f"{name} {format_number(seat.total)}" for name, seat in zip(("Ada", "Grace"), match.seats, strict=True)]
    assert text.split("\n")[-1] == f"**Totals**: {' · '.join(totals)}"
    expected_totals = dict.fromkeys(("Ada", "Grace"), 0)
    for name, points, total in re.findall(r"\*\*(\w+)\*\*.*?\*\*([+−]?\d+)\*\* → (−?\d+)", text):
        assert format_number(expected_totals[name] + int(points.replace("−", "-"))) == total
        expected_totals[name] = int(total.replace("−", "-"))
    assert [expected_totals["Ada"], expected_totals["Grace"]] == [seat.total for seat in match.seats]


async def check_record(sim: SimGuild, reader: Member) -> None:
    answer = await reader.open_click(sim.list_results()[0], "Record")
    (attached,) = answer.attachments
    record = read((await attached.read()).decode(), load_rules)
    assert record.events == list((await sim.load_stored_match()).events)
    checked = rerun(record)
    assert checked.faults == []
    assert checked.is_proved


async def check_leaderboard_and_profile(sim: SimGuild, match: Match, game: str, reader: Member) -> None:
    assert match.ended is not None
    lines = (await reader.read_command("tiles leaderboard", game=game)).split("\n")
    assert lines[0] == f"## Leaderboard · {load_words()(f'game.{game}')}"
    assert sum("of 1 won" in line for line in lines if not line.startswith("You:")) == 2
    has_won = match.ended.places[1] == 1
    assert next(line for line in lines if line.startswith("You: ")).count("**Grace**") == 1
    assert f" · {int(has_won)} of 1 won" in next(line for line in lines if line.startswith("You: "))

    profile = await reader.open_command("tiles profile", game=game)
    (card,) = list_alt_texts(profile)
    assert card.startswith("Profile of Grace: Rating")
    assert f"Matches finished 1 of 1, Wins {int(has_won)}, Average {format_number(match.seats[1].total)}" in card
    assert ("Hexagons" in card) == (game == "triominoes")
    assert (await load_picture(profile)).width >= 400

    other = next(one for one in list_games() if one != game)
    assert has_sentence(await reader.read_command("tiles leaderboard", game=other), "leaders.none")


COMPUTERS = {"triominoes": 2, "quad-ominos": 3, "points": 5, "muggins": 5, "star": 5, "trioker": 3}


@pytest.mark.parametrize("game", COMPUTERS)
async def test_player_plays_every_game_against_computers(sim: SimGuild, ada: Member, game: str) -> None:
    terms = {} if load_rules(game).one_deal else {"target": 60}
    # Ada moves second in this deal. In other deals, five computers can finish Star before her first turn.
    sim.deals.next_numbers = [2] if game == "star" else []
    await sim.start_table(ada, game=game, computers=COMPUTERS[game], **terms)
    await ada.click(await sim.open_hand(ada), label="Skip preview")

    await click_through_match(sim)

    (end,) = sim.list_results()
    match = await sim.replay_match()
    assert match.ended is not None
    assert len(re.findall(r"^`\d` \*\*Bot \d \(medium\)\*\* · ", read_text(end), re.MULTILINE)) == COMPUTERS[game]
    assert has_sentence(read_text(end), "end.unrated")
    assert "rating " not in read_text(end)
    placements = [event for event in (await sim.load_stored_match()).events if isinstance(event, Placed)]
    assert {event.seat for event in placements} == set(range(COMPUTERS[game] + 1))
    assert f"Ada** · not rated · {int(match.ended.places[0] == 1)} of 1 won" in await ada.read_command(
        "tiles leaderboard", game=game
    )
    assert "Bot 1" not in await ada.read_command("tiles leaderboard", game=game)


async def test_rematch_keeps_game_and_options(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, game="quad-ominos", target=60, options="deal=half", theme="picture", deal=316)
    await click_through_match(sim)
    await grace.click(sim.list_results()[0], label="Rematch")
    lobby = sim.read_board()
    assert "rules + house rules · to 60 · 2 seats" in lobby
    assert "Tiles with shapes." in lobby
    await ada.click(sim.get_board(), label="Join")
    assert (await sim.replay_match()).rules.compute_hand_size(2) == 15
    assert await take_turn(sim, sim.get_called_player()), "and it can be played"


def test_every_game_family_is_covered() -> None:
    for games in (GAME_CASES, COMPUTERS):
        assert {load_rules(game).family for game in games} == set(RULES_OF)
