"""The daily solo deal, `/tiles solo figure:today`, with one ranked attempt per player."""

import asyncio
from datetime import UTC, date, datetime, timedelta

from simcord import MemberActor

from bot.solo.service import AttackState, ScoreAttackService
from bot.tables.move_labels import encode_placement
from data.store.solo.store import SoloStore
from engine.match.player_view import view_for
from engine.solo.score_attack import SEAT, ScoreAttack
from tests.bot.core.stored_traces import forget
from tests.bot.messages import Message, button_ids, ids, menus, pictures, private, told, words_of
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, says

DAY = date(2026, 11, 24)
SEVERAL = 8


def go_to(sim: SimGuild, day: date, *, hour: float = 12) -> None:
    sim.clock.skipped = 0
    wanted = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp() * 1000 + hour * 3_600_000)
    sim.clock.skipped = wanted - sim.clock()


async def opened(sim: SimGuild, who: MemberActor) -> Message:
    return private(await who.slash(sim.channel, "tiles solo", figure="today"))


async def standing(sim: SimGuild, who: MemberActor) -> AttackState:
    return await sim.client.services[ScoreAttackService].load_current(who.id)


def played(attack: ScoreAttack) -> ScoreAttack:
    while not attack.can_end:
        attack = attack.draw() if attack.must_draw else attack.place(view_for(attack.match, SEAT).moves[0].placement)
    return attack


async def nearly_over(sim: SimGuild, who: MemberActor) -> Message:
    before = await standing(sim, who)
    assert (await sim.client.services[ScoreAttackService].change(before, before.stored.version, played)).is_applied
    return await opened(sim, who)


async def over(sim: SimGuild, who: MemberActor) -> Message:
    return private(await who.click(await nearly_over(sim, who), label="Finish"))


async def test_tile_is_placed_undone_and_drawn_if_none_fits(sim: SimGuild, ada: MemberActor) -> None:
    sim.deals.wanted = [SEVERAL]
    go_to(sim, DAY)
    shown = await opened(sim, ada)
    assert says(words_of(shown), "attack.title", day="Nov 24, 2026")
    assert "This attempt counts" in words_of(shown)
    begun = await standing(sim, ada)
    points, lying = begun.attack.points, len(begun.attack.match.board.placed)

    move = view_for(begun.attack.match, SEAT).moves[0]
    menu = next(one for one in menus(shown) if one.custom_id.startswith("by:attackplay"))
    laid = private(await ada.select(shown, [encode_placement(move.placement)], custom_id=menu.custom_id))
    assert f"**{points + move.points} points** · {en('solo.lies', laid=lying + 1, all=56)}" in words_of(laid)
    back = private(await ada.click(laid, label="Take back"))
    assert f"**{points} points** · {en('solo.lies', laid=lying, all=56)}" in words_of(back)

    while not (stuck := await standing(sim, ada)).attack.must_draw:
        await sim.client.services[ScoreAttackService].change(
            stuck, stuck.stored.version, lambda at: at.place(view_for(at.match, SEAT).moves[0].placement)
        )
    shown = await opened(sim, ada)
    assert says(words_of(shown), "hand.must_draw", drawn="0", limit="3", cost="−5")
    drew = private(await ada.click(shown, label="Draw"))
    assert "You drew **" in words_of(drew)
    assert "boneyard 46" in words_of(drew)
    assert sim.public() == [], "nobody else sees anything"
    forged = await sim.post(f"by:attackundo|{DAY:%Y%m%d}.{(await standing(sim, ada)).stored.version}.c")
    again = private(await ada.click(forged, label="Button 0"))
    assert en("attack.stale") in words_of(again)
    assert "boneyard 46" in words_of(again), "a draw is never taken back"


async def test_finished_attempt_shows_guild_ranking_and_allows_practice(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    go_to(sim, DAY)
    ended = await over(sim, ada)
    points = (await standing(sim, ada)).stored.points
    assert f"Final score: **{points} points** with" in words_of(ended)
    assert f"1. Ada · {points}" in words_of(ended)
    best = en("attack.best", points=f"{points} points", day="Nov 24, 2026")
    assert f"{best} · Streak: 1 day" in words_of(ended)

    practice = private(await ada.click(ended, label="Practice this deal"))
    assert says(words_of(practice), "attack.practice")
    assert (await standing(sim, ada)).attack.match.boneyard == (await standing(sim, grace)).attack.match.boneyard
    again = await over(sim, ada)
    assert says(words_of(again), "attack.practice")
    assert en("solo.share") not in button_ids(again)
    assert [row.points for row in await sim.client.services[ScoreAttackService].list_attacks(sim.guild.id, DAY)] == [
        points
    ]
    anew = private(await ada.click(again, label="Start over"))
    assert "boneyard 47" in words_of(anew)

    await over(sim, grace)
    assert f"1. Ada · {points}\n2. Grace · {points}" in told(
        await grace.slash(sim.channel, "tiles solo", figure="today")
    )


async def test_result_is_shared_once_without_tiles(sim: SimGuild, ada: MemberActor) -> None:
    go_to(sim, DAY)
    ended = await over(sim, ada)

    for _ in range(3):
        await ada.click(ended, label="Show to all")

    (public,) = sim.public()
    assert words_of(public).startswith("**Ada** scored **")
    assert pictures(public) == [], "others have these tiles before them"


async def test_stale_second_device_changes_nothing(sim: SimGuild, ada: MemberActor) -> None:
    sim.deals.wanted = [SEVERAL]
    go_to(sim, DAY)
    phone = await opened(sim, ada)
    use_cases = await opened(sim, ada)
    first, second = (move.placement for move in view_for((await standing(sim, ada)).attack.match, SEAT).moves[:2])
    menu = next(one for one in menus(phone) if one.custom_id.startswith("by:attackplay"))
    await ada.select(phone, [encode_placement(first)], custom_id=menu.custom_id)

    late = private(await ada.select(use_cases, [encode_placement(second)], custom_id=menu.custom_id))

    assert en("attack.stale") in words_of(late)
    assert (await standing(sim, ada)).attack.acts == (str(first),)


async def test_attempt_started_before_midnight_counts_for_one_more_hour(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    go_to(sim, DAY, hour=23.5)
    in_time, late = await nearly_over(sim, ada), await nearly_over(sim, grace)

    go_to(sim, DAY, hour=24.5)
    assert "deal of Nov 24, 2026" in words_of(await opened(sim, ada)), "what was begun comes first"
    ended = private(await ada.click(in_time, label="Finish"))
    assert "1. Ada · " in words_of(ended)
    assert "Practice this deal" not in button_ids(ended)
    today = private(await ada.click(ended, label="Today’s deal (score attack)"))
    assert "deal of Nov 25, 2026" in words_of(today)

    go_to(sim, DAY, hour=25.1)
    closed = private(await grace.click(late, label="Finish"))
    assert says(words_of(closed), "attack.day_over")
    assert "deal of Nov 25, 2026" in words_of(closed)
    listed = await sim.client.services[ScoreAttackService].list_attacks(sim.guild.id, DAY)
    assert [row.user_id for row in listed] == [ada.id]


async def test_click_on_closed_deal_does_not_affect_todays_deal(sim: SimGuild, ada: MemberActor) -> None:
    go_to(sim, DAY)
    old = await over(sim, ada)
    go_to(sim, DAY + timedelta(days=1))
    await over(sim, ada)

    copied = await sim.post(f"by:attackinfo|{DAY:%Y%m%d}.1.c", f"by:attacktext|{DAY:%Y%m%d}.1.c")

    for message, label in ((old, "Show to all"), (copied, "Button 0"), (copied, "Button 1")):
        shown = private(await ada.click(message, label=label))
        assert says(words_of(shown), "attack.day_over")
        assert "deal of Nov 25, 2026" in words_of(shown)
    assert len(sim.public()) == 1, "nothing was shown to all"


async def test_yesterdays_deal_cannot_be_started_after_midnight(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    go_to(sim, DAY)
    await over(sim, ada)
    go_to(sim, DAY, hour=24.5)
    copied = await sim.post(f"by:attack|{DAY:%Y%m%d}.1.c", f"by:attackagain|{DAY:%Y%m%d}.1.p")

    for button in ("Button 0", "Button 1"):
        assert "deal of Nov 25, 2026" in told(await grace.click(copied, label=button))
    assert await SoloStore(sim.store.transactions).find_attack(grace.id, DAY.isoformat(), practice=False) is None


async def test_tomorrows_deal_is_neither_available_nor_predictable(sim: SimGuild, ada: MemberActor) -> None:
    go_to(sim, DAY)
    await over(sim, ada)
    tomorrow = DAY + timedelta(days=1)
    verbs = ("attack", "attackdraw", "attackagain", "attackinfo", "attacktext")
    forged = await sim.post(*(f"by:{verb}|{tomorrow:%Y%m%d}.1.c" for verb in verbs))

    for number in range(len(verbs)):
        await ada.click(forged, label=f"Button {number}")

    assert await SoloStore(sim.store.transactions).find_attack(ada.id, tomorrow.isoformat(), practice=False) is None
    assert await SoloStore(sim.store.transactions).find_attack_secret(tomorrow.isoformat()) is None, (
        "it is not even drawn"
    )


async def test_order_fingerprint_is_published_at_start_and_revealed_at_end(sim: SimGuild, ada: MemberActor) -> None:
    go_to(sim, DAY)
    shown = await opened(sim, ada)
    secret = await SoloStore(sim.store.transactions).find_attack_secret(DAY.isoformat())
    assert secret is not None
    before = told(await ada.click(shown, label="Rules and results"))
    assert (await standing(sim, ada)).attack.match.commitment in before
    for hour in (24.5, 25.5):
        go_to(sim, DAY, hour=hour)
        said = told(await ada.click(await opened(sim, ada), label="Rules and results"))
        assert (secret.hex() in said) is (hour > 25), "not while somebody may go on with it"
    assert secret.hex() not in before + words_of(shown) + str(ids(shown))


async def test_deleting_data_gives_no_second_first_attempt(sim: SimGuild, ada: MemberActor) -> None:
    go_to(sim, DAY)
    await over(sim, ada)
    await forget(sim, ada)

    shown = await opened(sim, ada)
    assert says(words_of(shown), "attack.uncounted")
    ended = await over(sim, ada)
    assert "Ada" not in words_of(ended)
    assert en("solo.share") not in button_ids(ended)
    assert await sim.client.services[ScoreAttackService].load_own_results(ada.id, DAY) is None


async def test_opted_out_player_is_not_in_ranking(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    go_to(sim, DAY)
    await ada.slash(sim.channel, "tiles settings", leaderboard=False)
    await over(sim, ada)

    ended = await over(sim, grace)

    assert "1. Grace · " in words_of(ended)
    assert "Ada" not in words_of(ended)


async def test_clicking_other_players_button_affects_own_deal(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    go_to(sim, DAY)
    await nearly_over(sim, ada)
    before = (await standing(sim, ada)).stored
    day = f"{DAY:%Y%m%d}"
    copied = await sim.post(
        f"by:attackend|{day}.2.c", f"by:attackundo|{day}.2.c", f"by:attackdraw|{day}.9.c", f"by:attackshare|{day}.2.c"
    )

    for number in range(4):
        await grace.click(copied, label=f"Button {number}")

    assert (await standing(sim, ada)).stored == before
    assert (await standing(sim, grace)).attack.acts == ()
    assert len(sim.public()) == 1, "nothing was shown to all"


async def test_forged_component_ids_are_refused(sim: SimGuild, ada: MemberActor) -> None:
    go_to(sim, DAY)
    forged = await sim.post("by:attackdraw|99999999.1.c", "by:attackend", "by:attackshare|x", menu="by:attackplay")

    for number in range(3):
        assert "attack" not in told(await ada.click(forged, label=f"Button {number}")).lower()
    assert (await standing(sim, ada)).attack.acts == ()


async def test_simultaneous_starts_get_same_deal(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    go_to(sim, DAY)
    attacks = sim.client.services[ScoreAttackService]
    first, second, third = await asyncio.gather(*(attacks.load_current(who.id) for who in (ada, grace, ada)))

    assert first.attack.secret == second.attack.secret == third.attack.secret
    assert first.stored == third.stored
