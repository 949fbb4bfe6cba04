"""Public messages, alt texts and custom ids contain no tile of a hand or the boneyard."""

import json
import random
import re

import pytest

from bot.core.names import SeatNames
from bot.tables import board_text, board_views, end_views
from data.rulebook import list_games, load_rules
from data.words import load_words
from engine.match.actions import Action
from engine.match.decide import decide, find_forced_action, start
from engine.match.event_log import EventLog, build_event_log
from engine.match.events import Event, MatchEnded, Placed, RoundEnded
from engine.match.player_view import view_for
from tests.bot.member import Member
from tests.bot.messages import list_alt_texts, list_custom_ids, read_text
from tests.bot.simulated_guild import MIXED_HAND_DEAL, SimGuild, derive_secret
from tests.bot.tables.greedy_clicks import take_turn
from tests.bot.tables.public_views import find_tiles, list_hidden_tiles
from tests.bot.tables.stacked_deals import choose_random_tile_action, play_out
from tests.wording import en


@pytest.mark.parametrize(("game", "turns"), [(game, 17 if game == "triominoes" else 6) for game in list_games()])
async def test_public_messages_name_no_hidden_tile(
    sim: SimGuild, ada: Member, grace: Member, linus: Member, game: str, turns: int
) -> None:
    await sim.start_table(ada, grace, linus, game=game, deal=3)
    scan_count = 0
    for _ in range(turns):
        match = await sim.replay_match()
        for message in sim.list_public_messages():
            if read_text(message).startswith("### Round"):
                continue  # a round result shows the hands of the finished round
            for text in (message.content, read_text(message), *list_alt_texts(message), *list_custom_ids(message)):
                assert not find_tiles(text) & list_hidden_tiles(match)
                scan_count += 1
            for custom_id in list_custom_ids(message):
                assert re.fullmatch(r"by:[a-z]+:\d+(:\d+)?(~[a-z]+)?", custom_id)
            for attachment in message.attachments:
                assert attachment.filename == "board.png"
        view = view_for(match, None)
        played, impossible = set(view.dead) - set(view.impossible), view.impossible
        signs = {"board.gap_played": bool(played), "board.gap_impossible": bool(impossible)}
        assert {key: en(key) in read_text(sim.get_board()) for key in signs} == signs
        await take_turn(sim, sim.get_called_player())
    assert scan_count > 5 * turns


async def test_answers_are_ephemeral(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await sim.start_table(ada, grace, deal=MIXED_HAND_DEAL)
    commands = ("hand", "board", "scores", "rules", "games", "leaderboard", "profile", "help", "match resign", "join")
    for command in commands:
        for person in (sim.get_called_player(), sim.get_waiting_player(), linus):
            answered = await person.use_command(f"tiles {command}")
            assert answered.ephemeral
            assert answered.response.ephemeral
    for label in ("My hand", "Text board", "Scores", "Rules"):
        for person in (ada, grace, linus):
            answered = await person.click(sim.get_board(), label=label)
            assert answered.response.ephemeral
    assert len(sim.list_public_messages()) == 2
    bodies = [entry.json for entry in sim.env.http_requests if "/channels/" in entry.path and entry.json]
    match = await sim.replay_match()
    for body in bodies:
        assert not find_tiles(json.dumps(body)) & list_hidden_tiles(match)


MATCHES = [(game, number) for game in list_games() for number in range(24 if game == "triominoes" else 5)]


@pytest.mark.parametrize(("game", "number"), MATCHES)
def test_board_texts_of_random_match_name_no_hidden_tile(game: str, number: int) -> None:
    rng, rules = random.Random(number), load_rules(game)
    seats, by_hand = 2 + number % (rules.max_seats - 1), bool(number % 2)
    deal = derive_secret(1000 + number)
    words = load_words()
    plain_names = tuple(f"{'Maximilian-Alexander von und zu ' if number % 3 else ''}{n}"[:32] for n in range(seats))
    names = SeatNames(plain_names, plain_names)
    events: list[Event] = start(rules, seats=seats, computers=[], by_hand=by_hand, secret=deal)
    event_log = build_event_log(events)
    play_out(event_log, deal)
    longest = 0
    for _ in range(60):
        if event_log.match.ended:
            break
        match, view = event_log.match, view_for(event_log.match, None)
        alt, captions = (
            board_views.format_full_board_alt(view, event_log, names, words),
            board_views.build_captions(view, event_log, names, words),
        )
        public = [
            alt,
            board_views.format_turn_call(view, "<@1>", words),
            *board_views.format_recent_turns(event_log, names, words),
            *(str(getattr(captions, name)) for name in ("title", "subtitle", "turn", "note")),
            board_text.format_text_board(
                words, view, names.escaped, board_views.format_recent_turns(event_log, names, words)
            ),
        ]
        recent_tiles = {entry.event.tile for entry in event_log.list_recent() if isinstance(entry.event, Placed)}
        for text in public:
            assert not find_tiles(text) & (list_hidden_tiles(match) - recent_tiles), text
        assert len(alt) <= 1024
        for seat in range(seats):
            own_view = view_for(match, seat)
            assert len(board_text.format_hand_alt(words, own_view, alt)) <= 1024
            longest = max(
                longest,
                len(
                    board_text.format_text_board(
                        words, own_view, names.escaped, board_views.format_recent_turns(event_log, names, words)
                    )
                ),
            )
        _apply_action(event_log, choose_random_tile_action(match, rng), deal, names)
    assert 0 < longest <= 4000, "the text board of a hand fits one message"


def _apply_action(event_log: EventLog, action: Action, deal: bytes, names: SeatNames) -> None:
    queue = decide(event_log.match, action, deal)
    while queue:
        for event in queue:
            event_log.apply(event)
            if isinstance(event, RoundEnded | MatchEnded):
                alt = end_views.format_alt_with_hands(view_for(event_log.match, None), event_log, names, load_words())
                assert not find_tiles(alt) & {*event_log.match.boneyard, *event_log.match.aside}
                assert len(alt) <= 1024
        move = find_forced_action(event_log.match)
        queue = [] if move is None or event_log.match.by_hand else decide(event_log.match, move, deal)
