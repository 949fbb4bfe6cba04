"""Messages to external programs: they match the schema and contain nothing hidden."""

import json
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from bot.computers import protocol
from bot.tools.contest import play_match
from data.rulebook import list_games, list_presets, load_rules
from engine.match.actions import Action
from engine.match.decide import decide, start
from engine.match.player_view import PlayerView, list_legal_actions, view_for
from engine.match.state import Match, apply_event, replay
from tests.bot.tables.public_views import exchange_hidden_tiles
from tests.depth import scale_count
from tests.engine.tables import SECRET

SCHEMA = json.loads(protocol.SCHEMA.read_text(encoding="utf-8"))
MESSAGE_VALIDATOR = Draft202012Validator({**SCHEMA, "oneOf": [{"$ref": "#/$defs/told"}]})
ANSWER_VALIDATOR = Draft202012Validator({**SCHEMA, "oneOf": [{"$ref": "#/$defs/answer"}]})
SAMPLE_INTERVAL = 7


class RecordingPlayer:
    def __init__(self, rng: Random, questions: list[Any]) -> None:
        self.rng = rng
        self.questions = questions

    def choose(self, view: PlayerView) -> Action:
        question = json.loads(protocol.encode_line(protocol.build_question(len(self.questions) + 1, view, 5)))
        self.questions.append(question)
        number = self.rng.randrange(len(question["actions"]))
        answer = {"ask": question["ask"], "action": number}
        if len(self.questions) < 3:
            ANSWER_VALIDATOR.validate(answer)
        return protocol.parse_action(protocol.parse_answer(protocol.encode_line(answer)), view)


def test_schema_is_valid() -> None:
    assert [*Draft202012Validator(Draft202012Validator.META_SCHEMA).iter_errors(SCHEMA)] == []


@pytest.mark.parametrize(("game", "preset"), [(game, preset) for game in list_games() for preset in list_presets(game)])
def test_all_messages_of_match_conform_to_schema(game: str, preset: str) -> None:
    rules, rng = load_rules(game, preset), Random(game + preset)
    for seats in {rules.min_seats, rules.max_seats}:
        questions: list[Any] = []
        MESSAGE_VALIDATOR.validate(protocol.build_hello(5))
        MESSAGE_VALIDATOR.validate(json.loads(protocol.encode_line(protocol.build_match_start(rules, 1, seats, 0, 12))))

        ended = play_match(rules, [RecordingPlayer(rng, questions) for _ in range(seats)], SECRET, single=True)

        MESSAGE_VALIDATOR.validate(protocol.build_match_end(1, ended.totals, ended.places))
        assert len(questions) > 3
        for question in questions[:: max(1, SAMPLE_INTERVAL // scale_count(1))]:
            MESSAGE_VALIDATOR.validate(question)


def test_message_that_violates_schema_is_detected() -> None:
    table = play_to_middle("triominoes", 9)
    question = protocol.build_question(1, view_for(table, table.turn), 5)
    MESSAGE_VALIDATOR.validate(json.loads(protocol.encode_line(question)))

    assert not MESSAGE_VALIDATOR.is_valid({**question, "secret": "x"})
    assert not MESSAGE_VALIDATOR.is_valid({**question, "seen": {**question["seen"], "commitment": table.commitment}})
    assert not MESSAGE_VALIDATOR.is_valid({**question, "actions": []})


@pytest.mark.parametrize("game", list_games())
def test_messages_do_not_depend_on_hidden_tiles(game: str) -> None:
    rng = Random(game)
    for number in range(scale_count(12)):
        table = play_to_middle(game, number)
        viewer = table.turn
        question = protocol.encode_line(protocol.build_question(1, view_for(table, viewer), 5))
        for _ in range(3):
            exchanged = exchange_hidden_tiles(table, viewer, rng)
            assert protocol.encode_line(protocol.build_question(1, view_for(exchanged, viewer), 5)) == question
        assert table.commitment.encode() not in question, "a deal that is played once more would be known by it"


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "[]",
        "7",
        '"action"',
        "{",
        "null",
        "{}",
        '{"action":-1}',
        '{"action":true}',
        '{"action":1e0}',
        '{"action":"0"}',
        '{"action":9999}',
        '{"action":null}',
        '{"action":[0]}',
        "\x00",
        "[" * 4000,
        "NaN",
    ],
)
def test_invalid_answer_is_refused_in_one_line(answer: str) -> None:
    table = play_to_middle("triominoes", 3)
    with pytest.raises(protocol.InvalidAnswerError) as refused:
        protocol.parse_action(protocol.parse_answer(answer.encode()), view_for(table, table.turn))
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 200


def play_to_middle(game: str, number: int) -> Match:
    rng, rules = Random(number), load_rules(game)
    seats = rng.randrange(rules.min_seats, min(4, rules.max_seats) + 1)
    table = replay(start(rules, seats=seats, computers=(), by_hand=True, secret=rng.randbytes(32)))
    for _ in range(rng.randrange(4, 24)):
        action = rng.choice(list_legal_actions(view_for(table, table.turn)))
        events = decide(table, action, SECRET)
        if len(events) > 2:
            break  # the end of a round reveals all hands
        for event in events:
            apply_event(table, event)
    return table
