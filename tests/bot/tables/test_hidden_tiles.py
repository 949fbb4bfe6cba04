"""Public messages, alt texts and custom ids contain no tile of a hand or the boneyard."""

import json
import random
import re

import pytest
from simcord import MemberActor

from bot.core.names import SeatNames
from bot.tables import board_text, board_views, end_views
from data.rulebook import list_games, load_rules
from data.words import load_words
from engine.board.tiles import BOSS, Tile
from engine.match.actions import Action
from engine.match.decide import decide, find_forced_action, start
from engine.match.event_log import EventLog, build_event_log
from engine.match.events import Event, MatchEnded, Placed, RoundEnded
from engine.match.player_view import view_for
from engine.match.rules import Rules
from engine.match.state import Match
from tests.bot.messages import ids, pictures, words_of
from tests.bot.simulated_guild import LIVELY, SimGuild, secret
from tests.bot.tables.greedy_clicks import take_turn
from tests.bot.tables.stacked_deals import play_out, random_tile_action

OPEN_PLACES = re.compile(r"Open spots, (corners|sides) clockwise[^.]*\.(?: \d)?")

TRIANGLES, SQUARES = load_rules("triominoes"), load_rules("quad-ominos")


def find_tiles(text: str, game: Rules = TRIANGLES) -> set[Tile]:
    sides = game.plane.sides
    found = re.findall(rf"(?<![\d-])(\d(?:-\d){{{sides - 1}}})(?![\d-])", OPEN_PLACES.sub("", text))
    found += re.findall(rf"(?<![\dA-Fa-f])(\d{{{sides}}})\.(?:[UD]|-?\d+,)", text)
    named = {
        game.build_placement(game.plane.first, tuple(int(label) for label in labels if label != "-")).tile
        for labels in found
    }
    return named | ({BOSS} if "BOSS" in text else set())


def hidden_tiles(match: Match) -> set[Tile]:
    held = {tile for seat in match.seats if not match.round_over for tile in seat.hand}
    return held | set(match.boneyard) | set(match.aside)


@pytest.mark.parametrize(("game", "turns"), [(game, 17 if game == "triominoes" else 6) for game in list_games()])
async def test_public_messages_name_no_hidden_tile(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor, game: str, turns: int
) -> None:
    sim.deals.wanted = [3]
    await sim.table(ada, grace, linus, game=game)
    scanned = 0
    for _ in range(turns):
        match = await sim.match()
        for message in sim.public():
            if words_of(message).startswith("### Round"):
                continue  # a round result shows the hands of the finished round
            for text in (message.content, words_of(message), *pictures(message), *ids(message)):
                assert not find_tiles(text, match.rules) & hidden_tiles(match)
                scanned += 1
            for custom_id in ids(message):
                assert re.fullmatch(r"by:[a-z]+:\d+(:\d+)?(~[a-z]+)?", custom_id)
            for attachment in message.attachments:
                assert attachment.filename == "board.png"
        await take_turn(sim, sim.to_move())
    assert scanned > 5 * turns


async def test_answers_are_ephemeral(sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor) -> None:
    sim.deals.wanted = [LIVELY]
    await sim.table(ada, grace)
    commands = ("hand", "board", "scores", "rules", "games", "leaderboard", "profile", "help", "match resign", "join")
    for command in commands:
        for person in (sim.to_move(), sim.waiting(), linus):
            answered = await person.slash(sim.channel, f"tiles {command}")
            assert answered.ephemeral
            assert answered.response.ephemeral
    for label in ("My hand", "Text board", "Scores", "Rules"):
        for person in (ada, grace, linus):
            answered = await person.click(sim.board(), label=label)
            assert answered.response.ephemeral
    assert len(sim.public()) == 2
    bodies = [entry.json for entry in sim.env.http_requests if "/channels/" in entry.path and entry.json]
    match = await sim.match()
    for body in bodies:
        assert not find_tiles(json.dumps(body)) & hidden_tiles(match)


MATCHES = [(game, number) for game in list_games() for number in range(24 if game == "triominoes" else 5)]


@pytest.mark.parametrize(("game", "number"), MATCHES)
def test_board_texts_of_random_match_name_no_hidden_tile(game: str, number: int) -> None:
    rng, played = random.Random(number), load_rules(game)
    seats, by_hand = 2 + number % (played.max_seats - 1), bool(number % 2)
    deal = secret(1000 + number)
    said = load_words()
    plain = tuple(f"{'Maximilian-Alexander von und zu ' if number % 3 else ''}{n}"[:32] for n in range(seats))
    names = SeatNames(plain, plain)
    events: list[Event] = start(played, seats=seats, computers=[], by_hand=by_hand, secret=deal)
    event_log = build_event_log(events)
    play_out(event_log, deal)
    longest = 0
    for _ in range(60):
        if event_log.match.ended:
            break
        match, seen = event_log.match, view_for(event_log.match, None)
        alt, captions = (
            board_views.format_full_board_alt(seen, event_log, names, said),
            board_views.build_captions(seen, event_log, names, said),
        )
        public = [
            alt,
            board_views.format_turn_call(seen, "<@1>", said),
            *board_views.format_recent_turns(event_log, names, said),
            *(str(getattr(captions, name)) for name in ("title", "subtitle", "turn", "note")),
            board_text.format_text_board(
                said, seen, names.escaped, board_views.format_recent_turns(event_log, names, said)
            ),
        ]
        seen_lately = {told.event.tile for told in event_log.list_recent() if isinstance(told.event, Placed)}
        for text in public:
            assert not find_tiles(text, played) & (hidden_tiles(match) - seen_lately), text
        assert len(alt) <= 1024
        for seat in range(seats):
            mine = view_for(match, seat)
            assert len(board_text.format_hand_alt(said, mine, alt)) <= 1024
            longest = max(
                longest,
                len(
                    board_text.format_text_board(
                        said, mine, names.escaped, board_views.format_recent_turns(event_log, names, said)
                    )
                ),
            )
        _apply_action(event_log, random_tile_action(match, rng), deal, names)
    assert 0 < longest <= 4000, "the text board of a hand fits one message"


def _apply_action(event_log: EventLog, action: Action, deal: bytes, names: SeatNames) -> None:
    queue = decide(event_log.match, action, deal)
    while queue:
        for event in queue:
            event_log.apply(event)
            if isinstance(event, RoundEnded | MatchEnded):
                alt = end_views.format_alt_with_hands(view_for(event_log.match, None), event_log, names, load_words())
                assert not find_tiles(alt, event_log.match.rules) & {*event_log.match.boneyard, *event_log.match.aside}
                assert len(alt) <= 1024
        move = find_forced_action(event_log.match)
        queue = [] if move is None or event_log.match.by_hand else decide(event_log.match, move, deal)


def test_tile_scan_finds_every_notation() -> None:
    assert find_tiles("by:play:1:5|355.D-1,0.0") == {(3, 5, 5)}
    assert find_tiles("Ada 3-3-4 at G, 0-0-1") == {(3, 3, 4), (0, 0, 1)}
    assert find_tiles("fingerprint 335455aa") == set()
    assert find_tiles("by:play:1:5|3355.-1,0.2", SQUARES) == {(3, 3, 5, 5)}
    assert find_tiles("Ada 5-3-3-4 at G, BOSS", SQUARES) == {(3, 3, 4, 5), BOSS}
    assert find_tiles("Open spots, corners clockwise: A 3-5-5, B ?-1-2.") == set()
