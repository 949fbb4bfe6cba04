"""`/tiles settings`: calls, quiet hours, and vacations."""

import pytest

from data.words import load_words
from tests.bot.member import Member
from tests.bot.messages import read_button_ids, read_private_text, read_text
from tests.bot.simulated_guild import SimGuild
from tests.wording import en, has_sentence

DEFAULT_SETTINGS = [
    "**Your settings**",
    "Turn notifications: **in the channel**.",
    "You get a reminder when most of your time is gone.",
    "No quiet hours. To set them: `/tiles settings quiet:22:00-07:30 zone:Europe/Paris`.",
    (
        "Not on vacation. You have 21 days left, out of 21 within 365 days. To start one: `/tiles settings "
        "vacation:7`. A day counts as soon as it starts. Live tables don't stop for vacations."
    ),
    "No automatic vacation if your time runs out.",
    "You aren't notified when you're next.",
    "You appear on leaderboards.",
    "Messages that only you see are in English, your Discord language. To change it: `/tiles settings language:`.",
    "Pictures that only you see: dark cloth, the same as on this server. To change it: `/tiles settings colours:`.",
    "You see a preview on the board before your move is played.",
    "You don't get alerts for new tables here.",
]


async def change_settings(sim: SimGuild, person: Member, **options: object) -> list[str]:
    return (await person.read_command("tiles settings", **options)).split("\n")


async def test_settings_command_without_options_lists_all_settings(sim: SimGuild, ada: Member) -> None:
    assert await change_settings(sim, ada) == DEFAULT_SETTINGS


async def test_settings_change_own_lines_and_survive_restart(sim: SimGuild, ada: Member) -> None:
    changed = await change_settings(
        sim, ada, call="none", remind=False, every="6h", quiet="22-7:30", zone="europe/paris", automatic=True
    )
    assert changed == [
        "**Your settings**",
        en("settings.call", call="off"),
        en("settings.remind_off"),
        en("settings.every", span="6 hours"),
        en("settings.quiet", start="22:00", end="07:30", zone="Europe/Paris"),
        *DEFAULT_SETTINGS[4:5],
        en("settings.automatic_on"),
        *DEFAULT_SETTINGS[6:],
    ]
    await sim.restart()
    assert await change_settings(sim, ada) == changed
    back = await change_settings(sim, ada, call="channel", remind=True, every="off", quiet="off", automatic=False)
    assert back == DEFAULT_SETTINGS


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "On vacation until then. After that you have 1 day left within 365 days."),
        ("nl", "Op vakantie tot then. Daarna heb je nog 1 dag over binnen 365 dagen."),
        ("pl", "Na urlopie do then. Potem w okresie 365 dni pozostanie: 1 dzień."),
        ("pt", "De férias até then. Depois disso, você ainda tem 1 dia dentro de 365 dias."),
    ],
)
def test_one_remaining_vacation_day_is_written_in_singular(language: str, line: str) -> None:
    words = load_words(language)
    assert words("settings.away", until="then", left=words("count.days", n=1)) == line


@pytest.mark.parametrize(
    ("option", "value", "key"),
    [
        ("zone", "Atlantis", "BAD_ZONE"),
        ("quiet", "all day", "BAD_HOURS"),
        ("quiet", "25:00-07:00", "BAD_HOURS"),
        ("quiet", "07:00-07:00", "BAD_HOURS"),
        ("quiet", "22-24:30", "BAD_HOURS"),
        ("quiet", "00:00-24:00", "BAD_HOURS"),
        ("every", "5m", "BAD_INTERVAL"),
        ("every", "@everyone", "BAD_INTERVAL"),
    ],
)
async def test_unreadable_setting_is_refused_and_changes_nothing(
    sim: SimGuild, ada: Member, option: str, value: str, key: str
) -> None:
    refused = await ada.use_command("tiles settings", **{option: value, "remind": False})
    assert read_private_text(refused).startswith(en(f"no.{key}", text=value.lstrip("@")))
    assert await change_settings(sim, ada) == DEFAULT_SETTINGS


async def test_time_zones_and_intervals_are_suggested(sim: SimGuild, ada: Member) -> None:
    zones = await ada.autocomplete(sim.channel, "tiles settings", "zone", "new york")
    assert {"name": "America/New_York", "value": "America/New_York"} in zones
    assert len(await ada.autocomplete(sim.channel, "tiles settings", "zone", "")) == 25
    every = await ada.autocomplete(sim.channel, "tiles settings", "every", "")
    assert [choice["value"] for choice in every] == ["off", "2h", "4h", "6h", "12h", "1d", "2d"]


async def test_vacation_is_announced_and_ended_by_button(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, clock="1d")
    mover = sim.get_called_player()
    name = mover.name.capitalize()
    answer = await mover.open_command("tiles settings", vacation=7)
    assert has_sentence(read_text(answer), "settings.away", left="14 days")
    lines = sim.list_public_texts()
    assert sum(has_sentence(line, "notice.away", name=name) for line in lines) == 1
    assert has_sentence(sim.read_board(), "clock.away_turn", name=name)
    await sim.wait(hours=100)
    assert not any("What now?" in read_text(message) for message in sim.list_public_messages())
    await sim.restart()
    answer_after = await mover.open_click(answer, "End my vacation")
    assert has_sentence(read_text(answer_after), "settings.vacation", left="16 days")
    assert "on vacation" not in sim.read_board()
    assert has_sentence(sim.list_public_texts(), "notice.home", name=f"-# {name}")
    assert "End my vacation" not in read_button_ids(answer_after)


async def test_reminder_goes_to_dm_when_chosen(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, clock="1d")
    mover = sim.get_called_player()
    await change_settings(sim, mover, call="dm")
    before = len(sim.list_public_messages())
    await sim.wait(hours=20)
    assert len(sim.list_public_messages()) == before
    lines = map(read_text, mover.user.dm_channel.history())
    assert sum(has_sentence(line, "remind.deadline", game="Triominoes") for line in lines) == 1
