"""Questions to the players of a table: their texts and buttons."""

from collections.abc import Mapping
from typing import Any

import discord
from discord import ui

from bot.core.layout import CustomId, Item, build_button, build_plain_view, build_rows, format_timestamp
from bot.core.names import SeatNames
from bot.tables.move_labels import format_list, format_tile
from bot.tables.service import Table
from data.words import Words
from engine.board.tiles import parse_labels
from engine.table.table_state import Question


def build_question_items(
    table: Table, open_question: Question, names: SeatNames, person: str, words: Words
) -> list[Item]:
    """Return the open question with its buttons, for the board message. `person` is the substitute's escaped name."""
    question = format_question(table, open_question, names, person, words)
    waiting = format_waiting(open_question, names, person, words)
    return [ui.TextDisplay(f"{question}\n{waiting}"), *build_rows(build_answer_buttons(table, open_question, words))]


def format_question(table: Table, open_question: Question, names: SeatNames, person: str, words: Words) -> str:
    key = f"agree.{open_question.kind}"
    if open_question.kind == "substitute" and open_question.seat != open_question.by:
        key = "agree.substitute_other"
    tile = "" if open_question.tile is None else format_tile(open_question.tile, table.terms.theme)
    name, owner = names.escaped[open_question.by], names.escaped[open_question.seat]
    return words(key, name=name, owner=owner, person=f"**{person}**", tile=tile)


def format_waiting(open_question: Question, names: SeatNames, person: str, words: Words) -> str:
    missing = [names.escaped[seat] for seat in open_question.waiting]
    if open_question.person is not None and not open_question.accepted:
        missing.append(person)
    until = format_timestamp(open_question.until, "f")
    return words("agree.waiting", names=format_list(words, missing), until=until)


def list_asked_users(table: Table, open_question: Question) -> list[int]:
    found = [user_id for seat in open_question.waiting if (user_id := table.seats[seat].user_id) is not None]
    return [*found, open_question.person] if open_question.person is not None and not open_question.accepted else found


def build_answer_buttons(table: Table, open_question: Question, words: Words) -> list[ui.Button[Any]]:
    """Return the yes and no buttons, which carry the question's number: old buttons cannot answer a new question."""
    yes, no = (CustomId("agree", table.head.match_id, open_question.number, answer) for answer in ("yes", "no"))
    agree = build_button(words("agree.yes"), yes, style=discord.ButtonStyle.success)
    return [agree, build_button(words("agree.no"), no)]


def build_call(
    table: Table, open_question: Question, names: SeatNames, person: str, words: Words
) -> tuple[str, ui.View]:
    """Return the message that asks the players concerned and mentions them."""
    mentions = format_list(words, [f"<@{user_id}>" for user_id in list_asked_users(table, open_question)])
    text = format_question(table, open_question, names, person, words)
    missing = format_waiting(open_question, names, person, words)
    view = build_plain_view(*build_answer_buttons(table, open_question, words))
    return words("agree.call", mentions=mentions, question=text, waiting=missing), view


def format_settled(table: Table, body: Mapping[str, Any], names: Mapping[int, str], words: Words) -> str:
    somebody = words("name.somebody")
    by, owner, person, user = (names.get(body[role], somebody) for role in ("by", "owner", "person", "user"))
    key = f"agree.{body['kind']}" + ("_other" if body["owner"] is not None else "")
    sides, text = table.rules.plane.sides, str(body["tile"])
    tile = format_tile(parse_labels(text, sides), table.terms.theme) if text else ""
    question_text = words(key, name=by, owner=owner, person=f"**{person}**", tile=tile)
    match body["outcome"]:
        case "agreed":
            outcome = words(f"agree.agreed_{body['kind']}", person=f"**{person}**")
        case "no":
            outcome = words(f"agree.said_no_{body['kind']}", person=f"**{user}**")
        case "withdrawn":
            outcome = words("agree.no_longer", person=f"**{by}**")
        case _:
            outcome = words("agree.lapsed")
    asked = [somebody if user_id is None else f"<@{user_id}>" for user_id in body["asked"]]
    return words("agree.settled", mentions=format_list(words, asked), question=question_text, outcome=outcome)


def format_outcome(body: Mapping[str, Any], names: Mapping[int, str], words: Words) -> str:
    """Format the outcome of a question. `names` maps user ids to escaped names."""
    somebody = words("name.somebody")
    user, person = (f"**{names.get(body.get(role, 0), somebody)}**" for role in ("user", "person"))
    if body["key"] == "no":
        return words(f"agree.said_no_{body['kind']}", person=user)
    return words("agree.replaced", person=person, owner=user)
