"""Alerts about open tables by DM: subscription, visibility, quiet hours, and daily limit."""

from random import Random

import pytest

from bot.core.formats import format_pace
from bot.sending.sender import Sender
from data.store.outbox.alert_posts import MAX_PER_DAY
from data.words import load_words
from tests.bot.core.channels import hide_channel
from tests.bot.local_bot import LocalBot, list_button_labels
from tests.bot.local_bot import read_text as read_local_text
from tests.bot.member import Member
from tests.bot.messages import read_private_text, read_text
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, has_sentence

MINUTE = 1 / 60


def list_alerts(person: Member) -> list[str]:
    return [text for text in map(read_text, person.user.dm_channel.history()) if has_sentence(text, "alerts.opened")]


async def subscribe(sim: SimGuild, person: Member, game: str = "Triominoes") -> None:
    listed = await person.open_command("tiles games")
    chosen = await person.open_click(listed, "Get table alerts")
    assert has_sentence(await person.read_click(chosen, game), "alerts.on", games=game)


async def pass_time(sim: SimGuild, hours: float = 2 * MINUTE) -> None:
    await sim.wait(hours=hours)
    await sim.client.services.alerts.wait_until_idle()


async def test_alert_is_sent_to_subscriber_only(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await subscribe(sim, grace)
    await subscribe(sim, ada)
    await ada.use_command("tiles new", seats=3, rated=False)
    await pass_time(sim)
    await pass_time(sim)
    (alert,) = list_alerts(grace)
    pace = format_pace(load_words(), (await sim.load_table()).terms.pace)
    terms = f"default rules · to 400 · 1 of 3 seats taken · {pace} · not rated"
    facts = {"server": "The Parlour", "game": "Triominoes", "name": "Ada", "link": sim.get_board().jump_url}
    assert alert.split("\n")[0] == en("alerts.opened", terms=terms, **facts)
    assert list_alerts(linus) == []
    assert list_alerts(ada) == [], "nobody is told of their own"


async def test_alerts_follow_chosen_game_until_stopped(sim: SimGuild, ada: Member, grace: Member) -> None:
    await subscribe(sim, grace, "Star")
    await ada.use_command("tiles new", seats=3)
    await pass_time(sim)
    assert list_alerts(grace) == []
    await ada.use_command("tiles leave")
    await pass_time(sim, hours=7)
    await ada.use_command("tiles new", seats=2, game="star")
    await pass_time(sim)
    (message,) = [
        one for one in grace.user.dm_channel.history() if has_sentence(read_text(one), "alerts.opened", game="Star")
    ]
    stopped = await grace.user.click(message, label="Stop alerts")
    assert read_private_text(stopped).startswith(en("alerts.stopped"))
    settings = await grace.read_command("tiles settings")
    assert settings.endswith(en("alerts.off"))


async def test_full_table_sends_no_alert(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    await subscribe(sim, grace)
    await ada.use_command("tiles new", seats=3)
    await ada.use_command("tiles leave")
    await pass_time(sim)
    await linus.use_command("tiles new", seats=2)
    await ada.click(sim.get_board(), label="Join")
    await pass_time(sim)
    assert list_alerts(grace) == []


async def test_alert_obeys_quiet_hours(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    for person in (grace, linus):
        await subscribe(sim, person)
    hour = (sim.clock() // 3_600_000) % 24
    await grace.use_command("tiles settings", quiet=f"{hour:02}:00-{(hour + 3) % 24:02}:00", zone="UTC")
    await linus.use_command("tiles settings", vacation=2)
    await ada.use_command("tiles new", seats=3)
    await pass_time(sim)
    assert (list_alerts(grace), list_alerts(linus)) == ([], [])
    await pass_time(sim, hours=3)
    assert (len(list_alerts(grace)), list_alerts(linus)) == (1, [])


async def test_hidden_channel_sends_no_alert(sim: SimGuild, ada: Member, grace: Member) -> None:
    await subscribe(sim, grace)
    cellar = sim.guild.create_text_channel("cellar")
    await ada.slash(cellar, "tiles new", seats=3)
    hide_channel(sim, cellar)
    await pass_time(sim)
    assert list_alerts(grace) == []
    assert "cellar" not in "".join(read_text(one) for one in grace.user.dm_channel.history())


async def test_alerts_are_limited_per_day(sim: SimGuild, ada: Member) -> None:
    listener = sim.add_member("Listener")
    await subscribe(sim, listener)
    for number in range(MAX_PER_DAY + 2):
        host = sim.add_member(f"Host {number}")
        await host.slash(sim.guild.create_text_channel(f"room-{number}"), "tiles new", seats=4)
        await pass_time(sim)
    assert len(list_alerts(listener)) == MAX_PER_DAY
    await pass_time(sim, hours=25)
    await ada.use_command("tiles new", seats=4)
    await pass_time(sim)
    assert len(list_alerts(listener)) == MAX_PER_DAY + 1


async def test_alert_is_sent_once_across_restart(sim: SimGuild, ada: Member, grace: Member) -> None:
    await subscribe(sim, grace)
    await ada.use_command("tiles new", seats=3)
    await sim.restart()
    await pass_time(sim)
    await sim.restart()
    await pass_time(sim)
    assert len(list_alerts(grace)) == 1


async def test_deleted_user_gets_no_alert_and_leaves_no_data(sim: SimGuild, ada: Member, grace: Member) -> None:
    await subscribe(sim, grace)
    await ada.use_command("tiles new", seats=3)
    export = await sim.client.services.privacy.export(grace.id)
    assert [row["game"] for row in export["alerts"]] == ["triominoes"]
    assert "outbox" in {row["table"] for row in export["named_in"]}
    await sim.client.services.privacy.delete(grace.id)
    await pass_time(sim)
    assert list_alerts(grace) == []
    export = await sim.client.services.privacy.export(grace.id)
    assert (export["alerts"], export["alerted"], export["named_in"]) == ([], [], [])


async def test_user_deleted_during_alert_gets_no_message(
    sim: SimGuild, ada: Member, grace: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    await subscribe(sim, grace)
    can_user_see, services = Sender.can_user_see, sim.client.services

    async def delete_user_first(sender: Sender, guild_id: int, channel_id: int, user_id: int) -> bool:
        await services.privacy.delete(user_id)
        return await can_user_see(sender, guild_id, channel_id, user_id)

    monkeypatch.setattr(Sender, "can_user_see", delete_user_first)
    await ada.use_command("tiles new", seats=3)
    await pass_time(sim)
    assert list_alerts(grace) == []
    export = await services.privacy.export(grace.id)
    assert (export["alerts"], export["alerted"], export["named_in"]) == ([], [], [])


async def open_watched_table(local: LocalBot) -> None:
    (guild_id,) = local.discord.world.guilds
    await local.store.alerts.subscribe(int(local.grace.id), int(guild_id), "triominoes", now=0)
    await local.use_command(local.ada, "tiles", "new", seats=3)
    await local.wait_until_idle()


async def run_alerts(local: LocalBot, seconds: float) -> None:
    local.skipped[0] += int(seconds * 1000)
    await local.client.services.alerts.sweep()
    await local.client.services.alerts.wait_until_idle()


async def test_closed_dms_stop_alerts_and_next_command_says_so(local: LocalBot) -> None:
    local.discord.world.closed_direct_messages.add(local.grace.id)
    await open_watched_table(local)
    await run_alerts(local, 120)
    assert await local.list_direct_messages(local.grace) == []
    listed = await local.use_command(local.grace, "tiles", "games")
    assert has_sentence(read_local_text(listed), "alerts.unreached")
    assert has_sentence(list_button_labels(listed), "alerts.choose")
    assert local.channel_id in str((await local.list_public_messages())[0]), (
        "and nobody was called in the channel instead"
    )
    assert not await local.list_calls()


async def test_alert_with_lost_answer_is_not_sent_twice(local: LocalBot) -> None:
    await open_watched_table(local)
    local.faults.lose_responses(1.0, Random(1), times=1)
    await run_alerts(local, 120)
    for _ in range(3):
        await run_alerts(local, 600)
    assert (
        len(
            [
                one
                for one in await local.list_direct_messages(local.grace)
                if has_sentence(read_local_text(one), "alerts.opened")
            ]
        )
        == 1
    )
