"""After a restart, a new process continues every match from the database."""

from bot.tables.service import TableCache
from data.store.log.match_values import Change
from engine.match.actions import Play
from engine.match.player_view import view_for
from engine.table.commands import Join, TakeAction
from engine.table.table_events import Rearmed
from engine.table.table_posts import Post
from tests.bot.member import Member
from tests.bot.messages import find_play_label, list_menus, read_shown_seq, read_text
from tests.bot.simulated_guild import BLOCKED_DEAL, SHORT_MATCH_DEAL, SimGuild


async def test_old_buttons_keep_working_after_restart(sim: SimGuild, ada: Member, grace: Member) -> None:
    await ada.use_command("tiles new", seats=2)
    await sim.restart()
    await grace.click(sim.get_board(), label="Join")
    mover = sim.get_called_player()
    call = sim.list_calls()[0]
    hand = await sim.open_hand(mover)
    await sim.restart()
    preview = await mover.open_select(hand, list_menus(hand)[0].options[0].value)
    play = find_play_label(preview)
    await sim.restart()
    assert (await mover.read_click(preview, play)).startswith("You played ")
    await sim.settle_turns()
    assert [message.id for message in sim.list_calls()] != [call.id]
    assert len(sim.list_boards()) == len(sim.list_calls()) == 1


async def test_match_survives_several_restarts(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await sim.start_table(ada, grace, linus, target=60, deal=SHORT_MATCH_DEAL)
    await sim.restart()
    await sim.play_to_the_end()
    await sim.restart()
    (end,) = sim.list_results()
    for person in (ada, grace, linus):
        await person.click(end, label="Rematch")
    assert (await sim.load_head()).state == "open"
    leaders = await ada.read_command("tiles leaderboard")
    assert "1 of 1 won" in leaders


async def test_unsent_call_is_sent_once_after_crash(room: SimGuild) -> None:
    head = await room.load_head()
    # A process stored the change and ended before it sent the post.
    await room.store.matches.commit(
        Change(
            match_id=head.match_id,
            expected_seq=head.seq,
            events=[Rearmed()],
            outbox=[Post(kind="turn", body={"seat": head.turn.seat})],
        ),
        now=room.clock(),
    )
    board = room.get_board()
    call = room.list_calls()[0].id
    await room.restart()
    await room.wait()
    (call_after,) = room.list_calls()
    assert call_after.id > call
    assert room.get_board().id == board.id
    assert read_shown_seq(room.get_board()) == head.seq + 1, "a board behind its match is brought to the head"
    assert (await room.load_head()).shown_seq == head.seq + 1
    sent = len(room.env.http_requests)
    await room.wait(seconds=60)
    assert len(room.env.http_requests) == sent, "and nothing is said twice"


async def test_unsent_round_result_is_posted_once_after_restart(sim: SimGuild, ada: Member, grace: Member) -> None:
    sim.deals.next_numbers = [BLOCKED_DEAL]
    await ada.use_command("tiles new", seats=2)
    # The match starts without the announcer, as in a crash.
    await sim.client.services.acts.act((await sim.load_head()).match_id, Join(grace.id), request=1)
    assert "Waiting for players" in sim.read_board()
    await sim.restart()
    await sim.wait()
    assert [read_text(message).split("\n")[0] for message in sim.list_public_messages() if not message.mentions] == [
        "### Triominoes · round 2 · to 400",
        "### Round 1 is over",
    ]
    await sim.wait(seconds=60)
    assert len(sim.list_public_messages()) == 3


async def test_pending_computer_move_is_played_after_restart(sim: SimGuild, ada: Member) -> None:
    await sim.start_table(ada, computers=1)
    move = view_for(await sim.replay_match(), 0).moves[0].placement
    # The process ends after it stored the move.
    await sim.client.services.acts.act(
        (await sim.load_head()).match_id,
        TakeAction(ada.id, lambda seat: Play(seat, move.tile, move.cell, move.rotation)),
        request=2,
    )
    assert (await sim.replay_match()).turn == 1
    await sim.restart()
    await sim.wait()
    assert (await sim.replay_match()).turn == 0
    assert len(sim.list_calls()) == 1


async def test_tables_of_other_process_load_new_moves(room: SimGuild) -> None:
    other = TableCache(room.store)
    match_id = (await room.load_head()).match_id
    before = await other.load(match_id)
    await room.play_by_typing(room.get_called_player())
    after = await other.load(match_id)
    assert after.head.seq > before.head.seq
    assert after.match.turn != before.match.turn
