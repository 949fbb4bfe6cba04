"""What people add to the deals of a table, by which way ever they come to sit there."""

from dataclasses import replace

import pytest

from engine.match.events import Dealt, Started
from engine.match.shuffle import compute_commitment, hash_interaction
from engine.table.commands import AddComputer, AddWord, Join, LeaveTable, OpenTable, StartMatch
from engine.table.evolve import LogEntry, replay
from engine.table.table_events import Contributed, Joined, Opened
from engine.table.table_state import SeatRow
from tests.engine.table.sitting import ADA, GRACE, LINUS, NEMO, Sitting, kinds, refused, terms
from tests.engine.tables import SECRET


def pressed(sitting: Sitting, *commands: object) -> Sitting:
    for command in commands:
        sitting.press = (sitting.press or 0) + 1
        sitting.ask(command)  # type: ignore[arg-type]
    return sitting


def began(sitting: Sitting) -> Started:
    return next(entry.event for entry in sitting.entries if isinstance(entry.event, Started))


def test_deal_fingerprint_is_published_before_players_join():
    sitting = pressed(Sitting(terms(seats=3)), OpenTable(terms(seats=3), ADA))
    assert sitting.state.commitment == compute_commitment(SECRET)
    opened = sitting.entries[0].event
    assert opened.commitment == compute_commitment(SECRET)


def test_players_add_entropy_when_joining_but_computers_do_not():
    chosen = terms(seats=4)
    sitting = pressed(Sitting(chosen), OpenTable(chosen, ADA, ("greedy",)), Join(GRACE), Join(LINUS, word=" kiwi  2"))
    first = began(sitting)
    assert first.contributions == (hash_interaction(1), "", hash_interaction(2), "kiwi 2")
    assert first.shuffle == 2
    assert sitting.match.contributions == first.contributions


def test_deals_differ_from_those_of_secret_alone():
    chosen = terms(seats=2)
    with_presses = pressed(Sitting(chosen), OpenTable(chosen, ADA), Join(GRACE))
    without = Sitting(chosen)
    without.ask(OpenTable(chosen, ADA))
    without.ask(Join(GRACE))
    one, other = (
        next(entry.event for entry in sitting.entries if isinstance(entry.event, Dealt))
        for sitting in (with_presses, without)
    )
    assert one.hands != other.hands
    assert began(without).shuffle == 1


def test_entropy_leaves_with_player_and_moves_with_seat():
    chosen = terms(seats=3)
    sitting = pressed(Sitting(chosen), OpenTable(chosen, ADA), Join(GRACE), LeaveTable(ADA), Join(LINUS, word="plum"))
    pressed(sitting, StartMatch(GRACE))
    assert began(sitting).contributions == (hash_interaction(2), "plum")


def test_word_replaces_join_entropy_until_match_begins():
    chosen = terms(seats=3)
    sitting = pressed(Sitting(chosen), OpenTable(chosen, ADA), Join(GRACE), AddWord(GRACE, "pear"))
    assert kinds(sitting.ask(AddWord(GRACE, "pear"))) == []
    assert kinds(sitting.ask(AddWord(GRACE, "plum"))) == ["Contributed"]
    assert refused(sitting, AddWord(NEMO, "plum")) == "JOIN_FIRST"
    assert refused(sitting, AddWord(ADA, "p`")) == "BAD_WORD"
    assert refused(sitting, AddWord(ADA, "")) == "BAD_WORD"
    assert refused(sitting, Join(LINUS, word="x" * 41)) == "BAD_WORD"
    pressed(sitting, AddComputer(ADA))
    assert began(sitting).contributions == (hash_interaction(1), "plum", "")
    assert refused(sitting, AddWord(GRACE, "late")) == "WORD_TOO_LATE"


def test_table_that_was_opened_with_another_secret_does_not_begin():
    chosen = terms(seats=2)
    sitting = pressed(Sitting(chosen), OpenTable(chosen, ADA))
    sitting.secret = bytes(32)
    with pytest.raises(ValueError, match="not the secret"):
        sitting.ask(Join(GRACE))


def test_old_lobby_uses_only_entropy_added_since_upgrade():
    chosen = terms(seats=3)
    host = SeatRow(seat=0, user_id=ADA, joined_at=0)
    for presses, version, added in ((False, 1, ()), (True, 2, (hash_interaction(1), "", ""))):
        sitting = Sitting(chosen)
        sitting.entries = [
            LogEntry(Opened(chosen, ADA, (host,)), 0),
            LogEntry(Joined(GRACE), 0),
            LogEntry(Joined(LINUS), 0),
        ]
        sitting.entries = sitting.entries if presses else sitting.entries[:2]
        sitting.replay_loaded = replay(sitting.entries)
        sitting.table = replace(sitting.replay_loaded[0])
        if presses:
            sitting.press = 1
        sitting.ask(StartMatch(ADA))
        assert (began(sitting).shuffle, began(sitting).contributions) == (version, added)
        assert any(isinstance(entry.event, Contributed) for entry in sitting.entries) == presses
