"""The process may end at any moment: another one on the same database goes on where it stopped."""

from simcord import MemberActor

from bot.tables.service import Tables
from data.store.log.match_values import Change
from engine.match.actions import Play
from engine.match.player_view import view_for
from engine.table.commands import Act, Join
from engine.table.table_events import Rearmed
from engine.table.table_posts import Post
from tests.bot.house import BLOCKED, SHORT_MATCH, House
from tests.bot.reading import button_ids, menus, private, shown_seq, told, words_of


async def test_old_buttons_keep_working_after_restart(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await ada.slash(house.channel, "tiles new", seats=2)
    await house.restart()
    await grace.click(house.board(), label="Join")
    mover = house.to_move()
    call = house.calls()[0]
    hand = await house.hand(mover)
    await house.restart()
    preview = private(await mover.select(hand, [menus(hand)[0].options[0].value]))
    play = next(label for label in button_ids(preview) if label.startswith("Play"))
    await house.restart()
    assert words_of(private(await mover.click(preview, label=play))).startswith("You played ")
    await house.stands()
    assert [message.id for message in house.calls()] != [call.id]
    assert len(house.boards()) == len(house.calls()) == 1


async def test_match_is_finished_by_several_processes_one_after_other(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    house.deals.wanted = [SHORT_MATCH]
    await house.table(ada, grace, linus, target=60)
    await house.restart()
    await house.play_to_the_end()
    await house.restart()
    (end,) = house.ends()
    for person in (ada, grace, linus):
        await person.click(end, label="Rematch")
    assert (await house.head()).state == "open"
    leaders = told(await ada.slash(house.channel, "tiles leaderboard"))
    assert "1 of 1 won" in leaders


async def test_settings_survive_restart(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace)
    await ada.click(await house.hand(ada), label="Play without asking")
    await house.restart()
    assert "Ask before playing" in button_ids(await house.hand(ada))


async def test_call_that_crash_left_unsent_is_sent_once_by_next_process(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    await house.table(ada, grace)
    head = await house.head()
    # A process wrote the change and died before it could say anything.
    await house.store.matches.commit(
        Change(
            match_id=head.match_id,
            expected_seq=head.seq,
            events=[Rearmed()],
            outbox=[Post(kind="turn", body={"seat": head.turn.seat})],
        ),
        now=house.clock(),
    )
    board = house.board()
    call = house.calls()[0].id
    await house.restart()
    await house.wait()
    (again,) = house.calls()
    assert again.id > call
    assert house.board().id == board.id
    assert shown_seq(house.board()) == head.seq + 1, "a board behind its match is brought to the head"
    assert (await house.head()).shown_seq == head.seq + 1
    sent = len(house.env.http_requests)
    await house.wait(seconds=60)
    assert len(house.env.http_requests) == sent, "and nothing is said twice"


async def test_round_that_ended_unseen_is_told_once_by_next_process(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    house.deals.wanted = [BLOCKED]
    await ada.slash(house.channel, "tiles new", seats=2)
    # The table fills while the bot can say nothing.
    await house.client.services.acts.act((await house.head()).match_id, Join(grace.id), request=1)
    assert "Waiting for players" in words_of(house.board())
    await house.restart()
    await house.wait()
    assert [words_of(message).split("\n")[0] for message in house.public() if not message.mentions] == [
        "### Triominoes · round 2 · to 400",
        "### Round 1 is over",
    ]
    await house.wait(seconds=60)
    assert len(house.public()) == 3


async def test_computer_that_was_to_move_moves_after_restart(house: House, ada: MemberActor) -> None:
    await house.table(ada, computers=1)
    move = view_for(await house.match(), 0).moves[0].placement
    # The person's move is written; then the process dies.
    await house.client.services.acts.act(
        (await house.head()).match_id,
        Act(ada.id, lambda seat: Play(seat, move.tile, move.cell, move.rotation)),
        request=2,
    )
    assert (await house.match()).turn == 1
    await house.restart()
    await house.wait()
    assert (await house.match()).turn == 0
    assert len(house.calls()) == 1


async def test_process_that_is_behind_sees_moves_of_another(house: House, ada: MemberActor, grace: MemberActor) -> None:
    await house.table(ada, grace)
    other = Tables(house.store)
    match_id = (await house.head()).match_id
    before = await other.load(match_id)
    await house.play_by_typing(house.to_move())
    after = await other.load(match_id)
    assert after.head.seq > before.head.seq
    assert after.match.turn != before.match.turn
