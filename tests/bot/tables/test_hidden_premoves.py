"""Other users cannot see a premove, or that a player has one."""

import re
from dataclasses import replace
from random import Random

import pytest
from simcord import MemberActor

from bot.core.names import SeatNames
from bot.tables.hand_views import MOST_POINTS
from bot.tables.service import Table
from data.rulebook import DEFAULT_PRESET, list_games
from data.store.store import Store
from engine.board.board import Placement
from engine.match.actions import Action, Pass, Play
from engine.match.errors import RuleError
from engine.match.event_log import EventLog
from engine.match.player_view import view_for
from engine.match.state import Match
from engine.table.commands import Join, OpenTable, RunDue, TakeAction, ViewHand
from engine.table.decide_table import TableDecision, decide
from engine.table.refusals import RefusalError
from engine.table.table_state import Premove, create_premove, find_drop_reason, has_stable_places
from tests.bot.messages import Message, ids, pictures, private, told, words_of
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.premoves import choose_premove, find_safe_premove, premove_menu, start_with_possible_premove
from tests.bot.tables.public_views import NOW, PublicTexts, RandomMatch, collect_public_texts, random_action
from tests.crash.stored_rows import reader
from tests.depth import scaled
from tests.engine.table import sitting as rows
from tests.engine.table.sitting import TRAILS, waiting

PREMOVE_GAMES = [game for game in list_games() if game not in TRAILS]


def visible_parts(message: Message) -> tuple[str, ...]:
    files = [attachment.filename for attachment in message.attachments]
    return (message.content or "", words_of(message), *pictures(message), *ids(message), *files)


async def collect_visible_texts(sim: SimGuild, mover: MemberActor, watcher: MemberActor) -> list[object]:
    found: list[object] = [visible_parts(message) for message in sim.public()]
    found.append(visible_parts(await sim.hand(mover)))
    for person in (mover, watcher):
        for command, options in (("board", {"text": True}), ("board", {}), ("scores", {}), ("games", {}), ("hand", {})):
            found.append(visible_parts(private(await person.slash(sim.channel, f"tiles {command}", **options))))
        found += [await person.autocomplete(sim.channel, "tiles play", "tile", typed) for typed in ("", "5", "0-")]
        found.append(told(await person.slash(sim.channel, "tiles play", tile="9-9-9", place="A")))
        found.append(told(await person.slash(sim.channel, "tiles choose", option="points")))
    head = await sim.head()
    return [*found, head.seq, head.turn, head.due, head.shown_seq]


async def test_premove_changes_nothing_that_others_see(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    mover, person = await start_with_possible_premove(sim, ada, grace, rated=False)
    before = await collect_visible_texts(sim, mover, linus)
    undecided = await sim.hand(person)
    menu = premove_menu(undecided)
    other = menu.options[0].value
    for value in (other, await find_safe_premove(sim, mover, person), MOST_POINTS):
        assert visible_parts(await choose_premove(sim, person, value)) != visible_parts(undecided), "the owner is told"
        assert len((await sim.now()).premoves) == 1
        assert await collect_visible_texts(sim, mover, linus) == before
    await person.click(await sim.hand(person), label="Cancel planned move")
    assert await collect_visible_texts(sim, mover, linus) == before


class PairedMatches:
    def __init__(self, one: RandomMatch, other: RandomMatch, rng: Random) -> None:
        self.one, self.other, self.rng = one, other, rng
        plain = tuple(f"Player {chr(65 + seat)}" for seat in range(len(one.table.seats)))
        self.names, self.armed, self.lost = SeatNames(plain, plain), 0, 0

    async def play_step(self, step: int) -> None:
        table = self.one.table
        action = random_action(table.match, self.rng)
        if table.state.tentative_turn is None:
            for user in await self._users_with_valid_premove(action):
                await self._set_premove(user, None)
            await self._choose_broken_premoves(action)
        for sitting in (self.one, self.other):
            await sitting.act(sitting.table.head.channel_id * 1000 + step + 50, action)
        now = await self.one.tables.load(table.head.match_id)
        self.lost += sum(one.became == "place" for one in now.premoves.values())

    async def _users_with_valid_premove(self, action: Action) -> list[int]:
        kept = (await self.one.tables.load(self.one.table.head.match_id)).premoves
        return [
            user
            for user, one in kept.items()
            if one.is_waiting and not _is_broken_by(self.one.table.match, action, one)
        ]

    async def _choose_broken_premoves(self, action: Action) -> None:
        match = self.one.table.match
        for row in self.one.table.state.seats:
            if row.user_id is None or row.seat == match.turn or not match.board.placed or not has_stable_places(match):
                continue
            moves = [create_premove(match, row.seat, move.placement) for move in view_for(match, row.seat).moves]
            if broken := [one for one in moves if _is_broken_by(match, action, one)]:
                await self._set_premove(row.user_id, self.rng.choice(broken))
                self.armed += 1

    async def _set_premove(self, user: int, premove: Premove | None) -> None:
        sitting = self.one
        await sitting.store.matches.save_premove(sitting.table.head, user, premove)
        sitting.table = await sitting.tables.load(sitting.table.head.match_id)

    async def visible_state(self, sitting: RandomMatch) -> tuple[object, ...]:
        table = sitting.table
        assert table.event_log is not None
        seen = collect_public_texts(table.event_log, table, self.names)
        refusals = [await _refusal(sitting, user) for user in (*self._waiting(table), 999)]
        ids = [re.sub(rf":{table.head.match_id}\b", ":#", one) for one in seen.ids]
        texts = [re.sub(rf"Table {table.head.match_id}\b", "Table #", text) for text in seen.texts]
        public = PublicTexts(tuple(texts), tuple(ids), seen.files)
        return public, refusals, table.head.seq, table.head.turn, table.head.due

    @staticmethod
    def _waiting(table: Table) -> list[int]:
        return [row.user_id for row in table.state.seats if row.user_id and row.seat != table.match.turn]


def _is_broken_by(match: Match, action: Action, premove: Premove) -> bool:
    if not isinstance(action, Play):
        return False
    after = match.copy()
    after.board.place(Placement(action.tile, action.cell, action.rotation))
    return find_drop_reason(after, premove) == "place"


async def _refusal(sitting: RandomMatch, user: int) -> object:
    try:
        await sitting.acts.act(sitting.table.head.match_id, TakeAction(user, Pass, expected=sitting.table.state.seq))
    except (RefusalError, RuleError) as refusal:
        return refusal.why, repr(refusal.facts)
    return None


@pytest.mark.parametrize("game", PREMOVE_GAMES)
async def test_unplayed_premove_changes_no_public_text_log_or_time(store: Store, url: str, game: str) -> None:
    number, now = 2 + PREMOVE_GAMES.index(game), [NOW]
    rng = Random(number)
    one, other = [
        await RandomMatch.begin(store, game, DEFAULT_PRESET, number, at=channel, clock=lambda: now[0])
        for channel in (501, 502)
    ]
    pair = PairedMatches(one, other, rng)
    for step in range(scaled(30, 20)):
        if one.table.match.ended:
            break
        assert await pair.visible_state(one) == await pair.visible_state(other)
        now[0] += rng.randrange(400, 60_000)
        await pair.play_step(step)
    assert pair.armed > 1
    assert pair.lost > 0, "some were dropped, and nobody but their owners was told"
    logs = [await store.matches.load(sitting.table.head.match_id) for sitting in (one, other)]
    assert logs[0] is not None
    assert logs[1] is not None
    assert [(entry.event, entry.at) for entry in logs[0].log[1:]] == [
        (entry.event, entry.at) for entry in logs[1].log[1:]
    ]
    async with reader(url) as written:
        outbox = (await written.books()).outbox
    said = [
        [
            (row["seq"], row["kind"], row["number"], row["created_at"], row["next_at"])
            for row in outbox
            if row["match_id"] == sitting.table.head.match_id
        ]
        for sitting in (one, other)
    ]
    assert said[0] == said[1] != []


def deal_other_hand(match: Match, seat: int, rng: Random) -> Match:
    found = match.copy()
    pool = [*found.seats[seat].hand, *found.boneyard]
    rng.shuffle(pool)
    size = len(found.seats[seat].hand)
    found.seats[seat].hand, found.boneyard = pool[:size], pool[size:]
    return found


def comparable_outcome(decided: TableDecision) -> tuple[object, ...]:
    return (
        decided.events,
        decided.due,
        decided.turn,
        decided.posts,
        decided.obsolete_kinds,
        decided.public_events,
        decided.must_repeat,
    )


@pytest.mark.parametrize("game", PREMOVE_GAMES)
def test_unplayed_premove_changes_no_decision_for_any_hand(game: str) -> None:
    rng, compared, hands = Random(game), 0, 0
    for _ in range(scaled(6, 3)):
        table = rows.Sitting(rows.terms(game, 3, target=10_000, by_hand=True), secret=rng.randbytes(32))
        for command in (OpenTable(table.terms, rows.ADA), Join(rows.GRACE), Join(rows.LINUS)):
            table.ask(command)
        for _ in range(8):
            if table.match.ended or table.turn is None or table.event_log is None:
                break
            user = rng.choice(waiting(table))
            seat = table.state.find_seat(user)
            assert seat is not None
            before = table.match.copy()
            table.place()
            if table.due is None or table.due.kind != "settle":
                continue
            for _ in range(4):
                start = deal_other_hand(before, seat, rng)
                moves = [create_premove(start, seat, move.placement) for move in view_for(start, seat).moves]
                after = table.match.copy()
                after.seats[seat].hand, after.boneyard = start.seats[seat].hand, start.boneyard
                idle = [one for one in moves if find_drop_reason(after, one) is not None or after.turn != seat]
                event_log, given = EventLog(after, table.event_log.events), table.given()
                for command in (RunDue(table.due), ViewHand(table.mover)):
                    plain = decide(table.state, event_log, command, given)
                    for premove in rng.sample(idle, min(2, len(idle))):
                        armed = replace(given, premoves={user: premove})
                        assert comparable_outcome(decide(table.state, event_log, command, armed)) == comparable_outcome(
                            plain
                        )
                        compared += 1
                hands += 1
            table.ask(ViewHand(table.mover))
    assert compared > 20
    assert hands > 20
