"""A question to the people at a table: how it reads, and the buttons to answer it."""

from collections.abc import Mapping
from typing import Any

import discord
from discord import ui

from bot.service.proposals import Proposal
from bot.service.tables import Table
from bot.views import sentences as sentences
from bot.views.ids import Press
from bot.views.names import Names
from bot.views.parts import Item, button, rows
from bot.views.times import moment
from data.words import Words
from engine.moments import last_placement
from engine.tiles import tile_text


def under_board(table: Table, proposal: Proposal, names: Names, person: str, words: Words) -> list[Item]:
    """The open question with its buttons, for the board message. `person` is the escaped name of who is to sit down."""
    text = f"{question(table, proposal, names, person, words)}\n{waiting(proposal, names, person, words)}"
    return [ui.TextDisplay(text), *rows(buttons(table, proposal, words))]


def question(table: Table, proposal: Proposal, names: Names, person: str, words: Words) -> str:
    """What is asked for."""
    key = f"agree.{proposal.kind}"
    if proposal.kind == "substitute" and proposal.seat != proposal.by:
        key = "agree.substitute_other"
    return words(
        key,
        name=names.safe[proposal.by],
        owner=names.safe[proposal.seat],
        person=f"**{person}**",
        tile=tile(table, proposal),
    )


def tile(table: Table, proposal: Proposal) -> str:
    """The tile that is to go back."""
    moment = last_placement(table.match.behind, proposal.seat) if proposal.kind == "undo" else None
    return tile_text(moment.tile) if moment is not None and moment.tile is not None else ""


def waiting(proposal: Proposal, names: Names, person: str, words: Words) -> str:
    """Who has yet to agree, and until when."""
    missing = [names.safe[seat] for seat in proposal.waiting]
    if proposal.person is not None and not proposal.accepted:
        missing.append(person)
    return words("agree.waiting", names=sentences.listed(words, missing), until=moment(proposal.until))


def concerned(table: Table, proposal: Proposal) -> list[int]:
    """The people who have yet to answer, by user id."""
    found = [user_id for seat in proposal.waiting if (user_id := table.seats[seat].user_id) is not None]
    return [*found, proposal.person] if proposal.person is not None and not proposal.accepted else found


def buttons(table: Table, proposal: Proposal, words: Words) -> list[ui.Button[Any]]:
    """Yes and no. They carry the number of the question, so that an old button answers no new one."""
    yes, no = (Press("agree", table.head.match_id, proposal.number, answer) for answer in ("yes", "no"))
    return [
        button(words("agree.yes"), yes, style=discord.ButtonStyle.success),
        button(words("agree.no"), no),
    ]


def call(table: Table, proposal: Proposal, names: Names, person: str, words: Words) -> tuple[str, ui.View]:
    """The message that asks those concerned: they are named in it so that Discord tells them."""
    view = ui.View(timeout=None)
    for item in buttons(table, proposal, words):
        view.add_item(item)
    view.stop()
    mentions = sentences.listed(words, [f"<@{user_id}>" for user_id in concerned(table, proposal)])
    asked, missing = question(table, proposal, names, person, words), waiting(proposal, names, person, words)
    return words("agree.call", mentions=mentions, question=asked, waiting=missing), view


def settled(body: Mapping[str, Any], called: Mapping[int, str], words: Words) -> str:
    """What the message that asked says from then on: the question as it was, and what became of it."""
    somebody = words("name.somebody")
    by, owner, person, user = (called.get(body[who], somebody) for who in ("by", "owner", "person", "user"))
    key = f"agree.{body['kind']}" + ("_other" if body["owner"] is not None else "")
    asked = words(key, name=by, owner=owner, person=f"**{person}**", tile=body["tile"])
    match body["outcome"]:
        case "agreed":
            told = words(f"agree.agreed_{body['kind']}", person=f"**{person}**")
        case "no":
            told = words(f"agree.said_no_{body['kind']}", person=f"**{user}**")
        case "withdrawn":
            told = words("agree.no_longer", person=f"**{by}**")
        case _:
            told = words("agree.lapsed")
    mentions = sentences.listed(words, [somebody if user_id is None else f"<@{user_id}>" for user_id in body["asked"]])
    return words("agree.settled", mentions=mentions, question=asked, outcome=told)


def outcome(body: Mapping[str, Any], called: Mapping[int, str], words: Words) -> str:
    """The line that says how a question ended. `called` has the escaped names of people by user id."""
    somebody = words("name.somebody")
    user, person = (f"**{called.get(body.get(who, 0), somebody)}**" for who in ("user", "person"))
    if body["key"] == "no":
        return words(f"agree.said_no_{body['kind']}", person=user)
    return words("agree.replaced", person=person, owner=user)
