"""What a list offers is accepted, in whatever form Discord or a phone keyboard sends it back."""

from typing import Any

import pytest

from bot.core import choices
from bot.core.choices import SUGGESTERS, resolve_choices
from bot.core.context import Context
from bot.core.formats import format_duration, format_pace, normalize_clock
from bot.core.layout import CustomId
from bot.core.settings_commands import format_zone, parse_interval, parse_quiet_hours, parse_zone
from bot.tables.opening_commands import CLOCKS
from bot.tools.choice_names import accept_language, find_value
from bot.tools.replay import SCHEME_NAMES
from data.rulebook import list_games, list_presets
from data.words import list_languages, load_words
from engine.players.levels import LEVELS
from engine.table.preferences import QuietHours
from engine.table.refusals import RefusalError
from engine.table.terms import DAY, HOUR, MINUTE, THEMES, parse_pace
from tests.bot.core.forged_interactions import forge_interaction
from tests.bot.member import Member
from tests.bot.simulated_guild import MIXED_HAND_DEAL, SimGuild
from tests.project.commands import GROUPS, Command, list_commands

COMMANDS: dict[str, Command] = {one.qualified_name: one for group in GROUPS for one in list_commands(group).values()}


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for the choices however slow the machine is."""
    monkeypatch.setattr(choices, "RESOLVE_TIMEOUT", 60.0)


async def resolve(sim: SimGuild, person: Member, command: Command, **typed: str) -> dict[str, str]:
    """Return the options of a command after its choices were resolved."""
    options = [{"name": name, "value": value} for name, value in typed.items()]
    interaction: Any = forge_interaction(sim, person, command=command, data={"options": options})
    await resolve_choices(interaction)
    return {str(one["name"]): str(one["value"]) for one in options}


def vary(text: str) -> list[str]:
    """Return ways in which Discord or a person may write a text."""
    return [text, text.upper(), f"  {text.lower()} ", text.replace("-", "\N{EN DASH}"), text.replace(" ", "  ")]


async def test_every_static_choice_is_accepted_in_every_form(sim: SimGuild, ada: Member) -> None:
    count = 0
    for command in COMMANDS.values():
        for parameter in command.parameters:
            for choice in parameter.choices:
                key = getattr(choice, "locale_name", None)
                names = (
                    [choice.name] if key is None else [load_words(one)(key.extras["key"]) for one in list_languages()]
                )
                for text in (str(choice.value), *names):
                    for form in vary(text):
                        found = await resolve(sim, ada, command, **{parameter.display_name: form})
                        assert found == {parameter.display_name: choice.value}
                        count += 1
    assert count > 500


async def test_every_suggestion_is_accepted_in_every_form_and_language(
    sim: SimGuild, ada: Member, grace: Member
) -> None:
    await sim.start_table(ada, grace, deal=MIXED_HAND_DEAL)
    person = sim.get_called_player()
    empty, count = set(), 0
    for (name, option), suggester in SUGGESTERS.items():
        for language in list_languages():
            ctx = Context(forge_interaction(sim, person), CustomId("play")).translate(language)
            listed = await suggester(ctx, "", {})
            if not listed:
                empty.add((name, option))
            for value, text in list(listed.items())[:4]:
                for form in (value, *vary(text)):
                    assert await resolve(sim, person, COMMANDS[name], **{option: form}) == {option: value}
                    count += 1
    assert count > 500
    # There are no finished matches, deals and past puzzles yet.
    assert {option for _, option in empty} <= {"month", "match", "deal", "date"}


def test_every_suggested_option_of_all_commands_is_resolved() -> None:
    suggested = {
        (name, one.display_name) for name, command in COMMANDS.items() for one in command.parameters if one.autocomplete
    }
    assert suggested == SUGGESTERS.keys()


@pytest.mark.parametrize("language", list_languages())
def test_command_line_accepts_names_of_choices(language: str) -> None:
    words, presets = load_words(language), {value for game in list_games() for value in list_presets(game)}
    sections = {"game": list_games(), "level": LEVELS, "theme": THEMES, "scheme": SCHEME_NAMES, "preset": presets}
    for section, values in sections.items():
        for value in values:
            for form in (*vary(value), *vary(words(f"{section}.{value}"))):
                assert find_value(form, section, values) == value
    assert {accept_language(form) for form in vary(words("admin.language_name"))} == {language}
    assert find_value("else", "level", LEVELS) == "else"


async def test_past_matches_days_and_deals_are_found_by_name(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.add_moderator().use_command("tiles-deal new")
    await sim.start_table(ada, grace, target=20)
    await sim.play_to_the_end()
    found = set()
    for options, days in (({"month", "match", "deal"}, 2), ({"date"}, 365)):
        sim.clock.skipped_ms += days * DAY
        for (name, option), suggester in SUGGESTERS.items():
            for language in list_languages() if option in options else ():
                ctx = Context(forge_interaction(sim, ada), CustomId("replay")).translate(language)
                for value, text in list((await suggester(ctx, "", {})).items())[:2]:
                    for form in (value, *vary(text)):
                        assert await resolve(sim, ada, COMMANDS[name], **{option: form}) == {option: value}
                        found.add(option)
    assert found == {"month", "match", "deal", "date"}


async def test_outdated_name_leaves_its_first_part(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, deal=MIXED_HAND_DEAL)
    typed = "0-0-0 · best +99 · 9 spots"
    assert await resolve(sim, ada, COMMANDS["tiles play"], tile=typed) == {"tile": "0-0-0"}
    assert await resolve(sim, ada, COMMANDS["tiles play"], tile="5 5 5") == {"tile": "5 5 5"}


@pytest.mark.parametrize("language", list_languages())
def test_every_clock_and_duration_is_accepted_as_printed(language: str) -> None:
    words = load_words(language)
    for clock in (*CLOCKS, "days 2d", "bank 3d+12h", "live 7m", "days 1d12h", "bank 5d"):
        pace = parse_pace(clock)
        for form in vary(format_pace(words, pace)):
            assert normalize_clock(form) == str(pace)
    for span in (2 * HOUR, 12 * HOUR, DAY, DAY + 12 * HOUR, 2 * DAY):
        assert parse_interval(format_duration(words, span)) == span


@pytest.mark.parametrize(
    ("typed", "clock"),
    [
        ("3 days", "days 3d"), ("1 day 12 hours", "days 1d12h"), ("５ min", "live 5m"), ("2 Std.", "2 Std."),
        ("bank 7 Tage + 12 Stunden", "bank 7d+12h"), ("live 3m", "live 3m"), ("soon", "soon"), ("", ""), (" ", ""),
    ],
)  # fmt: skip
def test_clock_is_read_as_people_write_it(typed: str, clock: str) -> None:
    assert normalize_clock(typed) == clock


@pytest.mark.parametrize(
    ("typed", "start", "end"),
    [
        ("22:00-07:30", 22 * 60, 7 * 60 + 30), ("10pm-7am", 22 * 60, 7 * 60), ("10 PM – 7:30 a.m.", 22 * 60, 450),
        ("22−7", 22 * 60, 7 * 60), ("22.00 to 7.00", 22 * 60, 7 * 60), ("12am-12pm", 0, 720), ("20h30-24", 1230, 0),
    ],
)  # fmt: skip
def test_quiet_hours_are_read_as_people_write_them(typed: str, start: int, end: int) -> None:
    assert parse_quiet_hours(typed) == QuietHours(start, end)


@pytest.mark.parametrize("typed", ["25-7", "10pm", "13pm-2am", "22:60-7", "7-7", "24:00-7", "night"])
def test_impossible_quiet_hours_are_refused(typed: str) -> None:
    with pytest.raises(RefusalError):
        parse_quiet_hours(typed)


@pytest.mark.parametrize(
    ("typed", "zone", "shown"),
    [
        ("UTC+2", "Etc/GMT-2", "UTC+2"), ("utc −5", "Etc/GMT+5", "UTC-5"), ("GMT", "UTC", "UTC"),
        ("europe/berlin", "Europe/Berlin", "Europe/Berlin"), ("Berlin", "Europe/Berlin", "Europe/Berlin"),
        ("new york", "America/New_York", "America/New_York"),
    ],
)  # fmt: skip
def test_zone_is_read_as_people_write_it(typed: str, zone: str, shown: str) -> None:
    assert parse_zone(typed) == zone
    assert format_zone(zone) == shown


@pytest.mark.parametrize("typed", ["Europe", "UTC+20", "nowhere", ""])
def test_ambiguous_zone_is_refused(typed: str) -> None:
    with pytest.raises(RefusalError):
        parse_zone(typed)


def test_shortest_interval_is_a_minute_multiple() -> None:
    with pytest.raises(RefusalError):
        parse_interval(format_duration(load_words(), 5 * MINUTE))
