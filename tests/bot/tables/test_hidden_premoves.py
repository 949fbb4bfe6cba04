"""Other users cannot see a premove, or that a player has one."""

import re
from dataclasses import replace
from random import Random

import pytest

from bot.core.names import SeatNames
from bot.tables.hand_views import MAX_POINTS
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
from tests.bot.member import Member
from tests.bot.messages import Message, list_alt_texts, list_custom_ids, read_text
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.premoves import choose_premove, find_premove_menu, find_safe_premove, start_with_possible_premove
from tests.bot.tables.public_views import NOW, PublicTexts, RandomMatch, choose_random_action, collect_public_texts
from tests.crash.stored_rows import open_row_reader
from tests.depth import scale_count
from tests.engine.table import simulated_table as rows
from tests.engine.table.simulated_table import TRAIL_GAMES, list_waiting_users

PREMOVE_GAMES = [game for game in list_games() if game not in TRAIL_GAMES]


def list_visible_parts(message: Message) -> tuple[str, ...]:
    files = [attachment.filename for attachment in message.attachments]
    return (message.content or "", read_text(message), *list_alt_texts(message), *list_custom_ids(message), *files)


async def collect_visible_texts(sim: SimGuild, mover: Member, observer: Member) -> list[object]:
    found: list[object] = [list_visible_parts(message) for message in sim.list_public_messages()]
    found.append(list_visible_parts(await sim.open_hand(mover)))
    for person in (mover, observer):
        for command, options in (("board", {"text": True}), ("board", {}), ("scores", {}), ("games", {}), ("hand", {})):
            found.append(list_visible_parts(await person.open_command(f"tiles {command}", **options)))
        found += [await person.autocomplete(sim.channel, "tiles play", "tile", typed) for typed in ("", "5", "0-")]
        found.append(await person.read_command("tiles play", tile="9-9-9", place="A"))
        found.append(await person.read_command("tiles choose", option="points"))
    head = await sim.load_head()
    return [*found, head.seq, head.turn, head.due, head.shown_seq]


async def test_premove_changes_nothing_that_others_see(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    mover, person = await start_with_possible_premove(sim, ada, grace, rated=False)
    before = await collect_visible_texts(sim, mover, linus)
    hand_before = await sim.open_hand(person)
    menu = find_premove_menu(hand_before)
    other = menu.options[0].value
    for value in (other, await find_safe_premove(sim, mover, person), MAX_POINTS):
        assert list_visible_parts(await choose_premove(sim, person, value)) != list_visible_parts(hand_before), (
            "the owner is told"
        )
        assert len((await sim.load_table()).premoves) == 1
        assert await collect_visible_texts(sim, mover, linus) == before
    await person.click(await sim.open_hand(person), label="Cancel planned move")
    assert await collect_visible_texts(sim, mover, linus) == before


class PairedMatches:
    def __init__(self, one: RandomMatch, other: RandomMatch, rng: Random) -> None:
        self.one, self.other, self.rng = one, other, rng
        plain_names = tuple(f"Player {chr(65 + seat)}" for seat in range(len(one.table.seats)))
        self.names, self.premove_count, self.dropped_count = SeatNames(plain_names, plain_names), 0, 0

    async def play_step(self, step: int) -> None:
        table = self.one.table
        action = choose_random_action(table.match, self.rng)
        if table.state.tentative_turn is None:
            for user in await self._list_valid_premove_users(action):
                await self._set_premove(user, None)
            await self._choose_broken_premoves(action)
        for random_match in (self.one, self.other):
            await random_match.act(random_match.table.head.channel_id * 1000 + step + 50, action)
        table_now = await self.one.tables.load(table.head.match_id)
        self.dropped_count += sum(one.became == "place" for one in table_now.premoves.values())

    async def _list_valid_premove_users(self, action: Action) -> list[int]:
        premoves = (await self.one.tables.load(self.one.table.head.match_id)).premoves
        return [
            user
            for user, one in premoves.items()
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
                self.premove_count += 1

    async def _set_premove(self, user: int, premove: Premove | None) -> None:
        random_match = self.one
        await random_match.store.matches.save_premove(random_match.table.head, user, premove)
        random_match.table = await random_match.tables.load(random_match.table.head.match_id)

    async def collect_visible_state(self, random_match: RandomMatch) -> tuple[object, ...]:
        table = random_match.table
        texts_shown = collect_public_texts(table.event_log, table, self.names)
        waiting_users = [row.user_id for row in table.state.seats if row.user_id and row.seat != table.match.turn]
        refusals = [await _find_refusal(random_match, user) for user in (*waiting_users, 999)]
        ids = [re.sub(rf":{table.head.match_id}\b", ":#", one) for one in texts_shown.ids]
        texts = [re.sub(rf"Table {table.head.match_id}\b", "Table #", text) for text in texts_shown.texts]
        public = PublicTexts(tuple(texts), tuple(ids), texts_shown.files)
        return public, refusals, table.head.seq, table.head.turn, table.head.due


def _is_broken_by(match: Match, action: Action, premove: Premove) -> bool:
    if not isinstance(action, Play):
        return False
    after = match.copy()
    after.board.place(Placement(action.tile, action.cell, action.rotation))
    return find_drop_reason(after, premove) == "place"


async def _find_refusal(random_match: RandomMatch, user: int) -> object:
    try:
        await random_match.acts.act(
            random_match.table.head.match_id, TakeAction(user, Pass, expected=random_match.table.state.seq)
        )
    except (RefusalError, RuleError) as refusal:
        return refusal.why, repr(refusal.facts)
    return None


@pytest.mark.parametrize("game", PREMOVE_GAMES)
async def test_unplayed_premove_changes_no_public_text_log_or_time(store: Store, url: str, game: str) -> None:
    number, now = 2 + PREMOVE_GAMES.index(game), [NOW]
    rng = Random(number)
    one, other = [
        await RandomMatch.begin(store, game, DEFAULT_PRESET, number, channel_id=channel, clock=lambda: now[0])
        for channel in (501, 502)
    ]
    pair = PairedMatches(one, other, rng)
    for step in range(scale_count(30, 20)):
        if one.table.match.ended:
            break
        assert await pair.collect_visible_state(one) == await pair.collect_visible_state(other)
        now[0] += rng.randrange(400, 60_000)
        await pair.play_step(step)
    assert pair.premove_count > 1
    assert pair.dropped_count > 0, "some were dropped, and nobody but their owners was told"
    logs = [await store.matches.load(random_match.table.head.match_id) for random_match in (one, other)]
    assert [(entry.event, entry.at) for entry in logs[0].log[1:]] == [
        (entry.event, entry.at) for entry in logs[1].log[1:]
    ]
    async with open_row_reader(url) as reader_connection:
        outbox = (await reader_connection.read_rows()).outbox
    texts = [
        [
            (row["seq"], row["kind"], row["number"], row["created_at"], row["next_at"])
            for row in outbox
            if row["match_id"] == sitting.table.head.match_id
        ]
        for sitting in (one, other)
    ]
    assert texts[0] == texts[1] != []


def deal_other_hand(match: Match, seat: int, rng: Random) -> Match:
    found = match.copy()
    pool = [*found.seats[seat].hand, *found.boneyard]
    rng.shuffle(pool)
    size = len(found.seats[seat].hand)
    found.seats[seat].hand, found.boneyard = pool[:size], pool[size:]
    return found


def to_comparable_outcome(decision: TableDecision) -> tuple[object, ...]:
    return (
        decision.events,
        decision.due,
        decision.turn,
        decision.posts,
        decision.obsolete_kinds,
        decision.public_events,
        decision.must_repeat,
    )


@pytest.mark.parametrize("game", PREMOVE_GAMES)
def test_unplayed_premove_changes_no_decision_for_any_hand(game: str) -> None:
    rng, comparison_count, hands = Random(game), 0, 0
    for _ in range(scale_count(6, 3)):
        table = rows.SimulatedTable(rows.build_terms(game, 3, target=10_000, by_hand=True), secret=rng.randbytes(32))
        for command in (OpenTable(table.terms, rows.ADA), Join(rows.GRACE), Join(rows.LINUS)):
            table.execute(command)
        for _ in range(8):
            if table.match.ended or table.turn is None or table.event_log is None:
                break
            user = rng.choice(list_waiting_users(table))
            seat = table.state.find_seat(user)
            assert seat is not None
            before = table.match.copy()
            table.play_move()
            if table.due is None or table.due.kind != "settle":
                continue
            for _ in range(4):
                start = deal_other_hand(before, seat, rng)
                moves = [create_premove(start, seat, move.placement) for move in view_for(start, seat).moves]
                after = table.match.copy()
                after.seats[seat].hand, after.boneyard = start.seats[seat].hand, start.boneyard
                idle = [one for one in moves if find_drop_reason(after, one) is not None or after.turn != seat]
                event_log, context = EventLog(after, table.event_log.events), table.build_context()
                for command in (RunDue(table.due), ViewHand(table.current_user)):
                    plain_decision = decide(table.state, event_log, command, context)
                    for premove in rng.sample(idle, min(2, len(idle))):
                        context_with_premove = replace(context, premoves={user: premove})
                        assert to_comparable_outcome(
                            decide(table.state, event_log, command, context_with_premove)
                        ) == to_comparable_outcome(plain_decision)
                        comparison_count += 1
                hands += 1
            table.execute(ViewHand(table.current_user))
    assert comparison_count > 20
    assert hands > 20
