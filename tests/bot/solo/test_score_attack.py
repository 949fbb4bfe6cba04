"""The daily solo deal, `/tiles solo figure:today`, with one ranked attempt per player."""

import asyncio
from datetime import date, timedelta

from bot.solo.service import AttackState, ScoreAttackService
from bot.tables.move_labels import encode_placement
from data.store.solo.store import SoloStore
from engine.match.player_view import view_for
from engine.solo.score_attack import SEAT, ScoreAttack
from tests.bot.core.stored_traces import forget
from tests.bot.member import Member
from tests.bot.messages import Message, list_alt_texts, list_custom_ids, list_menus, read_button_ids, read_text
from tests.bot.puzzles.daily_puzzles import set_date
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, has_sentence

DAY = date(2026, 11, 24)
SEVERAL_MOVES_DEAL = 8


async def open_attack(sim: SimGuild, member: Member) -> Message:
    return await member.open_command("tiles solo", figure="today")


async def load_attack(sim: SimGuild, member: Member) -> AttackState:
    return await sim.client.services[ScoreAttackService].load_current(member.id)


def play_to_end(attack: ScoreAttack) -> ScoreAttack:
    while not attack.can_end:
        attack = attack.draw() if attack.must_draw else attack.place(view_for(attack.match, SEAT).moves[0].placement)
    return attack


async def open_finished_attack(sim: SimGuild, member: Member) -> Message:
    before = await load_attack(sim, member)
    assert (await sim.client.services[ScoreAttackService].change(before, before.stored.version, play_to_end)).is_applied
    return await open_attack(sim, member)


async def finish_attack(sim: SimGuild, member: Member) -> Message:
    return await member.open_click(await open_finished_attack(sim, member), "Finish")


async def test_tile_is_placed_undone_and_drawn_if_none_fits(sim: SimGuild, ada: Member) -> None:
    sim.deals.next_numbers = [SEVERAL_MOVES_DEAL]
    set_date(sim, DAY)
    message = await open_attack(sim, ada)
    assert has_sentence(read_text(message), "attack.title", day="Nov 24, 2026")
    assert "This attempt counts" in read_text(message)
    state = await load_attack(sim, ada)
    points, tile_count = state.attack.points, len(state.attack.match.board.placed)

    move = view_for(state.attack.match, SEAT).moves[0]
    menu = next(one for one in list_menus(message) if one.custom_id.startswith("by:attackplay"))
    message_after = await ada.open_select(message, encode_placement(move.placement), custom_id=menu.custom_id)
    assert f"**{points + move.points} points** · {en('solo.lies', laid=tile_count + 1, all=56)}" in read_text(
        message_after
    )
    back = await ada.open_click(message_after, "Take back")
    assert f"**{points} points** · {en('solo.lies', laid=tile_count, all=56)}" in read_text(back)

    while not (latest_state := await load_attack(sim, ada)).attack.must_draw:
        await sim.client.services[ScoreAttackService].change(
            latest_state,
            latest_state.stored.version,
            lambda attack: attack.place(view_for(attack.match, SEAT).moves[0].placement),
        )
    message = await open_attack(sim, ada)
    assert has_sentence(read_text(message), "hand.must_draw", drawn="0", limit="3", cost="−5")
    drew = await ada.open_click(message, "Draw")
    assert "You drew **" in read_text(drew)
    assert "boneyard 46" in read_text(drew)
    assert sim.list_public_messages() == [], "nobody else sees anything"
    forged = await sim.post(f"by:attackundo|{DAY:%Y%m%d}.{(await load_attack(sim, ada)).stored.version}.c")
    second_answer = await ada.open_click(forged, "Button 0")
    assert en("attack.stale") in read_text(second_answer)
    assert "boneyard 46" in read_text(second_answer), "a draw is never taken back"


async def test_finished_attempt_shows_guild_ranking_and_allows_practice(
    sim: SimGuild, ada: Member, grace: Member
) -> None:
    set_date(sim, DAY)
    result = await finish_attack(sim, ada)
    points = (await load_attack(sim, ada)).stored.points
    assert f"Final score: **{points} points** with" in read_text(result)
    assert f"1. Ada · {points}" in read_text(result)
    best = en("attack.best", points=f"{points} points", day="Nov 24, 2026")
    assert f"{best} · Streak: 1 day" in read_text(result)

    practice = await ada.open_click(result, "Practice this deal")
    assert has_sentence(read_text(practice), "attack.practice")
    assert (await load_attack(sim, ada)).attack.match.boneyard == (await load_attack(sim, grace)).attack.match.boneyard
    second_result = await finish_attack(sim, ada)
    assert has_sentence(read_text(second_result), "attack.practice")
    assert en("solo.share") not in read_button_ids(second_result)
    assert [row.points for row in await sim.client.services[ScoreAttackService].list_attacks(sim.guild.id, DAY)] == [
        points
    ]
    new_attempt = await ada.open_click(second_result, "Start over")
    assert "boneyard 47" in read_text(new_attempt)

    await finish_attack(sim, grace)
    assert f"1. Ada · {points}\n2. Grace · {points}" in await grace.read_command("tiles solo", figure="today")


async def test_result_is_shared_once_without_tiles(sim: SimGuild, ada: Member) -> None:
    set_date(sim, DAY)
    result = await finish_attack(sim, ada)

    for _ in range(3):
        await ada.click(result, label="Show to all")

    (public,) = sim.list_public_messages()
    assert read_text(public).startswith("**Ada** scored **")
    assert list_alt_texts(public) == [], "others have these tiles before them"


async def test_stale_second_device_changes_nothing(sim: SimGuild, ada: Member) -> None:
    sim.deals.next_numbers = [SEVERAL_MOVES_DEAL]
    set_date(sim, DAY)
    phone = await open_attack(sim, ada)
    use_cases = await open_attack(sim, ada)
    first, second = (move.placement for move in view_for((await load_attack(sim, ada)).attack.match, SEAT).moves[:2])
    menu = next(one for one in list_menus(phone) if one.custom_id.startswith("by:attackplay"))
    await ada.select(phone, [encode_placement(first)], custom_id=menu.custom_id)

    late_answer = await ada.open_select(use_cases, encode_placement(second), custom_id=menu.custom_id)

    assert en("attack.stale") in read_text(late_answer)
    assert (await load_attack(sim, ada)).attack.acts == (str(first),)


async def test_attempt_started_before_midnight_counts_for_one_more_hour(
    sim: SimGuild, ada: Member, grace: Member
) -> None:
    set_date(sim, DAY, hour=23.5)
    first_message, second_message = await open_finished_attack(sim, ada), await open_finished_attack(sim, grace)

    set_date(sim, DAY, hour=24.5)
    assert "deal of Nov 24, 2026" in read_text(await open_attack(sim, ada)), "what was begun comes first"
    result = await ada.open_click(first_message, "Finish")
    assert "1. Ada · " in read_text(result)
    assert "Practice this deal" not in read_button_ids(result)
    today = await ada.open_click(result, "Today’s deal (score attack)")
    assert "deal of Nov 25, 2026" in read_text(today)

    set_date(sim, DAY, hour=25.1)
    late_result = await grace.open_click(second_message, "Finish")
    assert has_sentence(read_text(late_result), "attack.day_over")
    assert "deal of Nov 25, 2026" in read_text(late_result)
    attacks = await sim.client.services[ScoreAttackService].list_attacks(sim.guild.id, DAY)
    assert [row.user_id for row in attacks] == [ada.id]


async def test_click_on_closed_deal_does_not_affect_todays_deal(sim: SimGuild, ada: Member) -> None:
    set_date(sim, DAY)
    old_result = await finish_attack(sim, ada)
    set_date(sim, DAY + timedelta(days=1))
    await finish_attack(sim, ada)

    copied_message = await sim.post(f"by:attackinfo|{DAY:%Y%m%d}.1.c", f"by:attacktext|{DAY:%Y%m%d}.1.c")

    for message, label in ((old_result, "Show to all"), (copied_message, "Button 0"), (copied_message, "Button 1")):
        answer = await ada.open_click(message, label)
        assert has_sentence(read_text(answer), "attack.day_over")
        assert "deal of Nov 25, 2026" in read_text(answer)
    assert len(sim.list_public_messages()) == 1, "nothing was shown to all"


async def test_yesterdays_deal_cannot_be_started_after_midnight(sim: SimGuild, ada: Member, grace: Member) -> None:
    set_date(sim, DAY)
    await finish_attack(sim, ada)
    set_date(sim, DAY, hour=24.5)
    copied_message = await sim.post(f"by:attack|{DAY:%Y%m%d}.1.c", f"by:attackagain|{DAY:%Y%m%d}.1.p")

    for button in ("Button 0", "Button 1"):
        assert "deal of Nov 25, 2026" in await grace.read_click(copied_message, button)
    assert await SoloStore(sim.store.transactions).find_attack(grace.id, DAY.isoformat(), practice=False) is None


async def test_tomorrows_deal_is_neither_available_nor_predictable(sim: SimGuild, ada: Member) -> None:
    set_date(sim, DAY)
    await finish_attack(sim, ada)
    tomorrow = DAY + timedelta(days=1)
    verbs = ("attack", "attackdraw", "attackagain", "attackinfo", "attacktext")
    forged = await sim.post(*(f"by:{verb}|{tomorrow:%Y%m%d}.1.c" for verb in verbs))

    for number in range(len(verbs)):
        await ada.click(forged, label=f"Button {number}")

    assert await SoloStore(sim.store.transactions).find_attack(ada.id, tomorrow.isoformat(), practice=False) is None
    assert await SoloStore(sim.store.transactions).find_attack_secret(tomorrow.isoformat()) is None, (
        "it is not even drawn"
    )


async def test_order_fingerprint_is_published_at_start_and_revealed_at_end(sim: SimGuild, ada: Member) -> None:
    set_date(sim, DAY)
    message = await open_attack(sim, ada)
    secret = await SoloStore(sim.store.transactions).find_attack_secret(DAY.isoformat())
    assert secret is not None
    before = await ada.read_click(message, "Rules and results")
    assert (await load_attack(sim, ada)).attack.match.commitment in before
    for hour in (24.5, 25.5):
        set_date(sim, DAY, hour=hour)
        answer = await ada.read_click(await open_attack(sim, ada), "Rules and results")
        assert (secret.hex() in answer) is (hour > 25), "not while somebody may go on with it"
    assert secret.hex() not in before + read_text(message) + str(list_custom_ids(message))


async def test_deleting_data_gives_no_second_first_attempt(sim: SimGuild, ada: Member) -> None:
    set_date(sim, DAY)
    await finish_attack(sim, ada)
    await forget(sim, ada)

    message = await open_attack(sim, ada)
    assert has_sentence(read_text(message), "attack.uncounted")
    result = await finish_attack(sim, ada)
    assert "Ada" not in read_text(result)
    assert en("solo.share") not in read_button_ids(result)
    assert await sim.client.services[ScoreAttackService].load_own_results(ada.id, DAY) is None


async def test_opted_out_player_is_not_in_ranking(sim: SimGuild, ada: Member, grace: Member) -> None:
    set_date(sim, DAY)
    await ada.use_command("tiles settings", leaderboard=False)
    await finish_attack(sim, ada)

    result = await finish_attack(sim, grace)

    assert "1. Grace · " in read_text(result)
    assert "Ada" not in read_text(result)


async def test_clicking_other_players_button_affects_own_deal(sim: SimGuild, ada: Member, grace: Member) -> None:
    set_date(sim, DAY)
    await open_finished_attack(sim, ada)
    before = (await load_attack(sim, ada)).stored
    day = f"{DAY:%Y%m%d}"
    copied_message = await sim.post(
        f"by:attackend|{day}.2.c", f"by:attackundo|{day}.2.c", f"by:attackdraw|{day}.9.c", f"by:attackshare|{day}.2.c"
    )

    for number in range(4):
        await grace.click(copied_message, label=f"Button {number}")

    assert (await load_attack(sim, ada)).stored == before
    assert (await load_attack(sim, grace)).attack.acts == ()
    assert len(sim.list_public_messages()) == 1, "nothing was shown to all"


async def test_forged_component_ids_are_refused(sim: SimGuild, ada: Member) -> None:
    set_date(sim, DAY)
    forged = await sim.post("by:attackdraw|99999999.1.c", "by:attackend", "by:attackshare|x", menu="by:attackplay")

    for number in range(3):
        assert "attack" not in (await ada.read_click(forged, f"Button {number}")).lower()
    assert (await load_attack(sim, ada)).attack.acts == ()


async def test_simultaneous_starts_get_same_deal(sim: SimGuild, ada: Member, grace: Member) -> None:
    set_date(sim, DAY)
    attacks = sim.client.services[ScoreAttackService]
    first, second, third = await asyncio.gather(*(attacks.load_current(who.id) for who in (ada, grace, ada)))

    assert first.attack.secret == second.attack.secret == third.attack.secret
    assert first.stored == third.stored
