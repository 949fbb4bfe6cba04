"""Questions to the players of a table: their texts and buttons."""

from collections.abc import Mapping
from typing import Any

import discord
from discord import ui

from bot.core.formats import moment
from bot.core.layout import Item, Press, button, rows
from bot.core.names import Names
from bot.tables import move_labels
from bot.tables.move_labels import tile_name
from bot.tables.service import Table
from data.words import Words
from engine.board.tiles import parse_labels
from engine.table.table_state import Question


def under_board(table: Table, asked: Question, names: Names, person: str, words: Words) -> list[Item]:
    """Return the open question with its buttons, for the board message. `person` is the substitute's escaped name."""
    text = f"{question(table, asked, names, person, words)}\n{waiting(asked, names, person, words)}"
    return [ui.TextDisplay(text), *rows(buttons(table, asked, words))]


def question(table: Table, asked: Question, names: Names, person: str, words: Words) -> str:
    key = f"agree.{asked.kind}"
    if asked.kind == "substitute" and asked.seat != asked.by:
        key = "agree.substitute_other"
    tile = "" if asked.tile is None else tile_name(asked.tile, table.terms.theme)
    return words(key, name=names.safe[asked.by], owner=names.safe[asked.seat], person=f"**{person}**", tile=tile)


def waiting(asked: Question, names: Names, person: str, words: Words) -> str:
    missing = [names.safe[seat] for seat in asked.waiting]
    if asked.person is not None and not asked.accepted:
        missing.append(person)
    return words("agree.waiting", names=move_labels.listed(words, missing), until=moment(asked.until, "f"))


def concerned(table: Table, asked: Question) -> list[int]:
    found = [user_id for seat in asked.waiting if (user_id := table.seats[seat].user_id) is not None]
    return [*found, asked.person] if asked.person is not None and not asked.accepted else found


def buttons(table: Table, asked: Question, words: Words) -> list[ui.Button[Any]]:
    """Return the yes and no buttons, which carry the question's number: old buttons cannot answer a new question."""
    yes, no = (Press("agree", table.head.match_id, asked.number, answer) for answer in ("yes", "no"))
    return [button(words("agree.yes"), yes, style=discord.ButtonStyle.success), button(words("agree.no"), no)]


def call(table: Table, asked: Question, names: Names, person: str, words: Words) -> tuple[str, ui.View]:
    """Return the message that asks the players concerned and mentions them."""
    view = ui.View(timeout=None)
    for item in buttons(table, asked, words):
        view.add_item(item)
    view.stop()
    mentions = move_labels.listed(words, [f"<@{user_id}>" for user_id in concerned(table, asked)])
    text, missing = question(table, asked, names, person, words), waiting(asked, names, person, words)
    return words("agree.call", mentions=mentions, question=text, waiting=missing), view


def settled_text(table: Table, body: Mapping[str, Any], called: Mapping[int, str], words: Words) -> str:
    somebody = words("name.somebody")
    by, owner, person, user = (called.get(body[who], somebody) for who in ("by", "owner", "person", "user"))
    key = f"agree.{body['kind']}" + ("_other" if body["owner"] is not None else "")
    sides, text = table.rules.plane.sides, str(body["tile"])
    tile = tile_name(parse_labels(text, sides), table.terms.theme) if text else ""
    asked = words(key, name=by, owner=owner, person=f"**{person}**", tile=tile)
    match body["outcome"]:
        case "agreed":
            told = words(f"agree.agreed_{body['kind']}", person=f"**{person}**")
        case "no":
            told = words(f"agree.said_no_{body['kind']}", person=f"**{user}**")
        case "withdrawn":
            told = words("agree.no_longer", person=f"**{by}**")
        case _:
            told = words("agree.lapsed")
    mentions = move_labels.listed(
        words, [somebody if user_id is None else f"<@{user_id}>" for user_id in body["asked"]]
    )
    return words("agree.settled", mentions=mentions, question=asked, outcome=told)


def outcome_text(body: Mapping[str, Any], called: Mapping[int, str], words: Words) -> str:
    """Format the outcome of a question. `called` maps user ids to escaped names."""
    somebody = words("name.somebody")
    user, person = (f"**{called.get(body.get(who, 0), somebody)}**" for who in ("user", "person"))
    if body["key"] == "no":
        return words(f"agree.said_no_{body['kind']}", person=user)
    return words("agree.replaced", person=person, owner=user)
