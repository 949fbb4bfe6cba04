"""Matches with chosen hands and moves, written directly into the store."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import get_args

from data.store.log.match_values import NewMatch
from engine.board.tiles import Tile, parse_labels
from engine.match.actions import Action, Choose, Draw, Option, Pass, Play
from engine.match.decide import decide, find_forced_action, start
from engine.match.event_log import EventLog, build_event_log
from engine.match.events import Dealt, Event
from engine.match.player_view import view_for
from engine.match.rules import Rules
from engine.match.state import Match
from engine.record.text import parse_placement
from engine.table.evolve import DecisionContext, Draft, LogEntry, replay
from engine.table.play import update_clock
from engine.table.table_events import Opened
from engine.table.table_posts import build_posts
from engine.table.table_state import SeatRow
from engine.table.terms import Terms
from tests.bot.member import Member
from tests.bot.simulated_guild import SimGuild, derive_secret

DEAL = derive_secret(1)
"""The deal secret of later rounds."""


def parse_hand(rules: Rules, text: str) -> tuple[Tile, ...]:
    first = rules.plane.first
    return tuple(rules.build_placement(first, parse_labels(labels, rules.plane.sides)).tile for labels in text.split())


def stack_deal(rules: Rules, *hands: str, opener: int = 0, by_hand: bool = False) -> list[Event]:
    started, deal = start(rules, seats=len(hands), computers=[], by_hand=by_hand, secret=DEAL)
    assert isinstance(deal, Dealt)
    parsed_hands = tuple(parse_hand(rules, text) for text in hands)
    other_tiles = tuple(tile for tile in rules.tiles if not any(tile in tiles for tiles in parsed_hands))
    boneyard, unused_tiles = (other_tiles, ()) if rules.has_boneyard else ((), other_tiles)
    first_tile = parsed_hands[opener][:1]
    return [
        started,
        replace(deal, hands=parsed_hands, boneyard=boneyard, aside=unused_tiles, opener=opener, choices=first_tile),
    ]


def play_out(event_log: EventLog, secret: bytes) -> list[Event]:
    """Apply all forced actions, except for players who draw and pass manually."""
    events: list[Event] = []
    while (action := find_forced_action(event_log.match)) and (
        not event_log.match.by_hand or event_log.match.seats[event_log.match.turn].computer
    ):
        for event in decide(event_log.match, action, secret):
            event_log.apply(event)
            events.append(event)
    return events


def play_moves(events: Sequence[Event], *moves: str) -> tuple[list[Event], EventLog]:
    log, event_log = list(events), build_event_log(events)

    log += play_out(event_log, DEAL)
    for move in moves:
        match = event_log.match
        action: Action
        if move in get_args(Option):
            action = Choose(match.turn, move)
        else:
            placement = parse_placement(move, match.rules)
            action = Play(match.turn, placement.tile, placement.cell, placement.rotation)
        new_events = decide(match, action, DEAL)
        for event in new_events:
            event_log.apply(event)
        log += [*new_events, *play_out(event_log, DEAL)]
    return log, event_log


def choose_random_tile_action(match: Match, rng: Random) -> Action:
    """Return a random legal action that prefers tiles to options, so that rounds are long."""
    view = view_for(match, match.turn)
    if view.reward is not None or (view.options and not view.moves):
        return Choose(match.turn, rng.choice(view.options))
    if view.moves:
        placement = rng.choice(view.moves).placement
        return Play(match.turn, placement.tile, placement.cell, placement.rotation)
    return Draw(match.turn) if match.can_draw() else Pass(match.turn)


async def store_match(sim: SimGuild, events: Sequence[Event], *members: Member) -> None:
    rules, match = build_event_log(events).match.rules, build_event_log(events).match
    seats = tuple(SeatRow(seat=seat, user_id=person.id, joined_at=0) for seat, person in enumerate(members))
    terms = Terms(game=rules.game, seats=len(members), target=rules.target, by_hand=match.by_hand)
    opening = Opened(terms, members[0].id, seats)
    table, event_log = replay([LogEntry(event, 0) for event in (opening, *events)])
    draft = Draft(table, event_log, DecisionContext(now=0, secret=DEAL, rules=rules))
    update_clock(draft, events)
    new = NewMatch(
        game=rules.game,
        guild_id=sim.guild.id,
        channel_id=sim.channel.id,
        host_id=members[0].id,
        secret=DEAL,
        events=[opening, *events, *draft.events],
        seats=seats,
        state="open",
        turn=draft.turn,
        outbox=[post for post in build_posts(table, events, draft.table, match, draft.turn) if post.kind == "turn"],
    )
    await sim.store.matches.create(new, now=sim.clock())
    await sim.wait()
