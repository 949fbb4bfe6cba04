"""A table that is about to be opened: what is asked for, and what is written of it."""

from bot.service.invitations import Invitation
from data.store import Limits, NewMatch, Post
from data.store.posts import FIXTURE
from data.store.seasons import OpensFixture
from engine.table import Decided
from engine.table.commands import Open
from engine.table.terms import Terms


def opens(asked: Invitation, terms: Terms) -> Open:
    """The command that opens it, on these terms."""
    return Open(terms, asked.host_id, asked.computers, asked.guests, asked.word, asked.beside)


def new_match(
    asked: Invitation,
    command: Open,
    decided: Decided,
    secret: bytes,
    limits: Limits | None,
    fixture: OpensFixture | None,
    deal_id: int | None,
) -> NewMatch:
    """What is written. Those who meet in a league are called once, by a post that is written with the match."""
    posts = list(decided.posts)
    if fixture is not None:
        users = [command.host, *command.beside]
        posts.insert(0, Post(kind=FIXTURE, body={"users": users, "season": fixture.change.season_id}))
    return NewMatch(
        game=command.terms.game,
        guild_id=asked.guild_id,
        channel_id=asked.channel_id,
        host_id=command.host,
        secret=secret,
        events=decided.events,
        seats=decided.table.seats,
        state=decided.table.state,
        turn=decided.turn,
        due=decided.due,
        outbox=posts,
        limits=limits,
        fixture=fixture,
        deal_id=deal_id,
    )
