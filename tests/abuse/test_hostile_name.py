"""Users with hostile names: links, Markdown, mentions, control characters and right-to-left letters."""

import logging
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Any

import discord
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simcord import MemberActor

from bot.core.safe_text import ISOLATE_END, ISOLATE_START, escape_text, sanitize_text
from data.words import PluralText, list_languages, load_words
from tests.abuse.markdown import MESSAGE_ONLY, UNESCAPABLE, TextSpan, parse_markdown
from tests.bot.messages import get_private_answer, read_button_ids, read_private_text, read_text
from tests.bot.simulated_guild import SimGuild
from tests.depth import scale_count
from tests.wording import en, has_sentence

CODE_BLOCK = re.compile(r"```.*?```", re.DOTALL)  # Discord shows its text literally
FIRST_HOSTILE_NAME = "https://e.vil/||**__~~`x"  # The first hostile name that was found

HOSTILE_NAMES = (
    FIRST_HOSTILE_NAME,
    "\u202egnp.live\u202c",
    "\u2066\u2067\u2068x\u200e\u200f\u061c",
    "<@1><@&2><#3><!@4>",
    "@everyone @here",
    "@\u200beveryone",
    "[x](https://e.vil)",
    "<https://e.vil>",
    "ht\u200btps:\u2060/\ufeff/e.vil",
    "steam://run/1",
    "discord.gg/x DISCORD.GG/y",
    "discord.com/invite/x",
    "# head",
    "-# small",
    "> quoted",
    ">>> all of it",
    "1. one",
    "10. ten",
    "- item",
    "+ item",
    "* item",
    "<:a:1> :skull: <a:b:2>",
    "<t:0:R>",
    "</tiles end:1>",
    "<id:customize>",
    "```py\nimport os",
    "`",
    "``",
    "\\",
    "\\\\`",
    "a\\*b",
    "||spoiler",
    "**bold",
    "_a_ __b__ *c*",
    "~~gone~~",
    "a\nb\r\nc\u2028d\u2029e\x0bf",
    "\x00\x07\x1b[31mred",
    "Z\u0338\u0321\u0322\u0327\u0328\u031b\u0334\u0335\u0336\u0337" * 2,
    "\u05d0\u05d1\u05d2 123",
    "\u0639\u0645\u0631 (x)",
    "{name} {0} %s",
    "<b>&amp;\"'</b>",
    "]( )",
)

INVISIBLE_NAMES = (
    "", "\ud800", " ", "\u200b", "\u200d", "\u3164", "\u2800\u2800", "\u00ad", "\ufe0f", "\u0301", "\u202e", "\n",
    "\U000e0041",
)  # fmt: skip

ORDINARY_NAMES = (
    "Ada", "Zoë Ó Súilleabháin", "Nguye\u0302\u0303n", "Łukasz_99", "李小龍", "नमस्\u200dते", "สวัสดี",
    "\U0001f469\U0001f3fd\u200d\U0001f680", "\U0001f3f4\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f",
    "\U0001f1e9\U0001f1ea", "1\ufe0f\u20e3", "\u2764\ufe0f\u200d\U0001f525", "O'Brien & Söhne, Inc. (ltd)", "e.vil",
    "50 %",
)  # fmt: skip

ALPHABET = "\\`*_~|<>[]()#@:/.-+!&{}t1ax \n\t\u200b\u200d\u200f\u202e\u2067\u0301\u05d0\u0661\ufe0f\U0001f3f4\U000e0067"
HOSTILE_TEXTS = st.lists(
    st.one_of(st.sampled_from(HOSTILE_NAMES), st.text(ALPHABET, max_size=12), st.text(max_size=4)),
    min_size=1,
    max_size=4,
).map("".join)


def assert_safe_characters(shown: str) -> None:
    for sign in shown:
        assert unicodedata.category(sign) not in ("Cc", "Cs", "Zl", "Zp"), ascii(shown)
        assert unicodedata.category(sign) != "Cf" or sign in "\u200c\u200d" or "\U000e0020" <= sign <= "\U000e007f"
    assert not UNESCAPABLE.search(shown), ascii(shown)


def assert_plain_name(shown: str) -> None:
    inner = shown.removeprefix(ISOLATE_START).removesuffix(ISOLATE_END)
    assert len(shown) - len(inner) in (0, 2)
    assert_safe_characters(inner)
    assert inner == " ".join(inner.split())
    assert (shown != inner) == any(unicodedata.bidirectional(sign) in ("R", "AL", "AN") for sign in inner)


@settings(max_examples=scale_count(150), deadline=None)
@given(HOSTILE_TEXTS)
def test_any_name_is_displayed_literally(name: str):
    sanitized, escaped = sanitize_text(name), escape_text(name)
    assert_plain_name(sanitized)
    assert sanitize_text(sanitized) == sanitized
    assert escape_text(sanitized) == escaped, "what was made harmless stays so"
    assert not UNESCAPABLE.search(escaped)
    assert not MESSAGE_ONLY.search(escaped)
    for template in (
        "{}",
        "**{}**'s turn.",
        "a {}\n{}: {}",
        "`1` **{}**",
        "“{}” `/tiles`",
        "-# {} · {}",
        "## {}",
        "*{}*",
    ):
        if sanitized:
            assert parse_markdown(template.replace("{}", escaped)) == replace_text(
                parse_markdown(template.replace("{}", "QQQ")), "QQQ", sanitized
            )


@settings(max_examples=scale_count(150), deadline=None)
@given(HOSTILE_TEXTS, st.data())
def test_hostile_name_changes_no_sentence_in_any_language(name: str, data: st.DataObject):
    sanitized, escaped = sanitize_text(name), escape_text(name)
    if not sanitized:
        return
    language, key = data.draw(st.sampled_from(SENTENCES))
    harmless, hostile = (format_sentence(language, key, who) for who in ("QQQ", escaped))
    assert parse_markdown(hostile) == replace_text(parse_markdown(harmless), "QQQ", sanitized)


def replace_text(spans: list[TextSpan], old: str, new: str) -> list[TextSpan]:
    return [TextSpan(kinds, text.replace(old, new)) for kinds, text in spans]


NAME_FACTS = (
    "server", "people", "waiting", "silent", "name", "names", "host", "owner", "person", "player", "reason", "totals",
)  # fmt: skip


def format_sentence(language: str, key: str, who: str) -> str:
    words = load_words(language)
    text = words.texts[key]
    return words(key, **{fact: who if fact in NAME_FACTS else 2 for fact in find_fact_names(text)})


def find_fact_names(text: str | PluralText) -> set[str]:
    forms = "".join(text.forms.values()) if isinstance(text, PluralText) else text
    return {field for _, field, _, _ in Formatter().parse(forms) if field}


def iterate_user_sentences() -> Iterator[tuple[str, str]]:
    for language in list_languages():
        for key, text in load_words(language).texts.items():
            # Guild limits and game options contain only fixed numbers and names.
            if find_fact_names(text) & set(NAME_FACTS) and not key.startswith(
                ("admin.", "doctor.", "why", "no.NO_SUCH", "no.BAD", "no.UNPL", "no.NOTHING_TO", "no.NEVER")
            ):
                yield language, key


SENTENCES = tuple(iterate_user_sentences())


@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=ascii)
def test_known_hostile_names_are_displayed_literally(name: str):
    shown = sanitize_text(name)
    assert_plain_name(shown)
    assert parse_markdown(f"**{escape_text(name)}** won.") == [TextSpan(("strong",), shown), TextSpan((), " won.")]


@pytest.mark.parametrize("name", INVISIBLE_NAMES, ids=ascii)
def test_invisible_name_is_treated_as_missing(name: str):
    assert sanitize_text(name) == ""
    assert escape_text(name) == ""


@pytest.mark.parametrize("name", ORDINARY_NAMES, ids=ascii)
def test_ordinary_names_are_unchanged(name: str):
    assert sanitize_text(name) == name
    assert parse_markdown(escape_text(name)) == [TextSpan((), name)]


def test_right_to_left_name_does_not_reverse_score():
    hebrew = "\u05d0\u05d1\u05d2"
    assert escape_text(hebrew) == f"\u2068{hebrew}\u2069"
    assert escape_text(f"{hebrew}*") == f"\u2068{hebrew}\\*\u2069"
    assert sanitize_text(f"x {hebrew}") == f"\u2068x {hebrew}\u2069"


def test_previous_escaping_fails_for_hostile_names():
    def escape_as_before(name: str) -> str:
        escaped = discord.utils.escape_mentions(discord.utils.escape_markdown(name))
        return escaped.replace("<", "\\<")

    assert any(
        kinds[-1] == "link" for kinds, _ in parse_markdown(f"**{escape_as_before(FIRST_HOSTILE_NAME)}** won.") if kinds
    )
    assert "||**" in escape_as_before(FIRST_HOSTILE_NAME)
    assert "\u202e" in escape_as_before(HOSTILE_NAMES[1])


@dataclass(frozen=True)
class SentText:
    field_name: str
    text: str


MARKDOWN_FIELDS = ("content", "text")

EXPECTED_PHRASES = (
    "opened a table", "New table on", "'s table", "You're next in Triominoes, after", "'s turn",
    "couldn't play", "a moderator, paused this match", "let the computer take", "paused this match: “",
    "to take over their seat", "Waiting for", "takes over the seat of", "ran out", "wins", "Profile of",
    "**your turn**", "rating", "Fingerprint of the deals", "wants to pause", "said no", "*reserved for",
)  # fmt: skip


def list_sent_texts(sim: SimGuild) -> list[SentText]:
    return [one for entry in sim.env.http_requests for one in iterate_texts(entry.json, "")]


def iterate_texts(tree: Any, field_name: str) -> Iterator[SentText]:
    if isinstance(tree, str):
        yield SentText(field_name, tree)
    elif isinstance(tree, Mapping):
        for name, inner in tree.items():
            if name == "payload_json" and isinstance(inner, str):
                continue
            yield from iterate_texts(inner, str(name))
    elif isinstance(tree, list | tuple):
        for inner in tree:
            yield from iterate_texts(inner, field_name)


def find_marked_names(text: str) -> list[str]:
    return re.findall(r"Zq.*?(?:qZ|…|$)", text, re.DOTALL)


async def play_evening(sim: SimGuild, people: tuple[MemberActor, ...], reason: str) -> None:
    ada, grace, linus, mary = people
    await ada.slash(sim.channel, "tiles new", seats=2, clock="live 2m", thread=True)
    thread = sim.channel.threads[-1]
    await grace.slash(thread, "tiles join")
    for _ in range(4):
        await sim.play_by_typing(sim.get_called_player(thread), thread)
    mover = sim.get_called_player(thread)
    for command in ("board", "scores", "games", "leaderboard", "profile", "hand", "undo"):
        await mover.slash(thread, f"tiles {command}")
    await mover.slash(thread, "tiles board", text=True)
    await linus.slash(thread, "tiles draw")
    other = sim.get_waiting_player(thread)
    await (other if other in (ada, grace) else ada).slash(thread, "tiles pass")
    for command in ("pause", "resume", "skip"):
        await mary.slash(thread, f"tiles-admin {command}", reason=reason)
        await ada.slash(thread, "tiles draw")
    await sim.wait()
    await ada.slash(thread, "tiles match substitute", person=linus)
    await linus.click(sim.get_board(thread), label="Agree")
    await sim.wait(seconds=200)
    await sim.wait(seconds=200)
    await grace.slash(thread, "tiles match abort")
    question = get_private_answer(await grace.slash(thread, "tiles match resign"))
    await grace.click(question, label=next(iter(read_button_ids(question))))
    await sim.wait()
    for person in (ada, linus):
        await grace.slash(thread, "tiles profile", person=person)
    await grace.slash(thread, "tiles leaderboard")
    await grace.click(sim.list_results(thread)[-1], label="Verify")
    await play_second_table(sim, people)
    await ada.slash(sim.channel, "tiles new", seats=4, **{"with": linus})
    await grace.click(sim.get_board(), label="Join")
    await mary.click(sim.get_board(), label="Join")
    await mary.click(sim.get_board(), label="Set up")
    host = get_private_answer(await ada.click(sim.get_board(), label="Set up"))
    for page in [label for label in read_button_ids(host) if label not in ("Game", "Close table")]:
        await ada.click(host, label=page)
    await linus.slash(sim.channel, "tiles games")
    await linus.click(sim.list_calls()[-1], label="Decline")
    await mary.slash(sim.channel, "tiles-admin end", reason=reason)


async def play_second_table(sim: SimGuild, people: tuple[MemberActor, ...]) -> None:
    ada, grace, linus, mary = people
    listed = get_private_answer(await linus.slash(sim.channel, "tiles games"))
    chosen = get_private_answer(await linus.click(listed, label="Get table alerts"))
    await linus.click(chosen, label="Triominoes")
    await linus.slash(sim.channel, "tiles settings", next=True, call="dm")
    lounge = sim.guild.create_text_channel("lounge")
    await mary.slash(lounge, "tiles new", seats=3)
    await sim.wait(hours=0.1)
    await sim.client.services.alerts.wait_until_idle()
    await grace.click(sim.get_board(lounge), label="Fingerprint")
    await linus.click(sim.get_board(lounge), label="Join")
    await ada.click(sim.get_board(lounge), label="Join")
    for _ in range(3):
        turn = (await sim.load_table(lounge)).find_turn_user()
        assert turn is not None
        await sim.play_by_typing(sim.members[turn], lounge)
    await mary.slash(lounge, "tiles match pause")
    await ada.click(sim.get_board(lounge), label="No")
    turn = (await sim.load_table(lounge)).find_turn_user()
    assert turn is not None
    await sim.play_by_typing(sim.members[turn], lounge)
    await mary.slash(lounge, "tiles match pause")
    await ada.click(sim.get_board(lounge), label="Agree")
    await mary.slash(lounge, "tiles-admin skip", reason="mine")
    await linus.slash(sim.channel, "tiles settings", next=False, call="channel")


@pytest.mark.parametrize(
    "nasty",
    [FIRST_HOSTILE_NAME, "\u202e@everyone\n# x", "<@1>[x](http://e.v)<t:0:R>", "\u05d0 discord.gg/x"],
    ids=["the one that was found", "turned round", "angles", "from the right"],
)
async def test_hostile_name_stays_literal_in_all_messages(
    sim: SimGuild, nasty: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    role = sim.guild.create_role("mods", permissions=discord.Permissions(manage_guild=True))
    people = []
    for number in range(4):
        user = sim.env.create_user(f"u{number}", global_name=f"Zq{number}{nasty}qZ")
        people.append(sim.guild.add_member(user, roles=[role] if number == 3 else []))
        sim.members[people[-1].id] = people[-1]
    await play_evening(sim, tuple(people), f"Zq{nasty}qZ")
    shown_names = {
        sanitize_text(f"Zq{number}{nasty}qZ").strip(ISOLATE_START + ISOLATE_END) for number in ("", 0, 1, 2, 3)
    }
    fields: dict[str, int] = {}
    for sent in list_sent_texts(sim):
        spans = parse_markdown(sent.text) if sent.field_name in MARKDOWN_FIELDS else [TextSpan((), sent.text)]
        found = find_marked_names("".join(text for _, text in spans))
        assert len(found) == sent.text.count("Zq")
        fields[sent.field_name] = fields.get(sent.field_name, 0) + len(found)
        for one in found:
            assert_safe_characters(one)
            assert any(name.startswith(one.removesuffix("…").rstrip()) for name in shown_names)
        for kinds, text in spans:
            assert "Zq" not in text or {*kinds} <= {"strong", "leaning", "code"}
        raw = "".join(find_marked_names(CODE_BLOCK.sub("", sent.text)))
        assert not UNESCAPABLE.search(raw), "nor do escapes hide it from people only"
        assert sent.field_name not in MARKDOWN_FIELDS or not MESSAGE_ONLY.search(raw)
        if found and ISOLATE_START in "".join(sanitize_text(nasty)):
            assert sent.text.count(ISOLATE_START) == len(found)
    assert {"content", "description", "name"} <= {where for where, times in fields.items() if times}, fields
    assert fields["content"] > 50
    named = "\n".join(said.text for said in list_sent_texts(sim) if "Zq" in said.text)
    assert [words for words in EXPECTED_PHRASES if words not in named] == []
    assert not [entry for entry in caplog.records if entry.name.startswith("bot") and "Zq" in entry.getMessage()]


async def test_empty_name_is_replaced_and_empty_reason_is_omitted(sim: SimGuild) -> None:
    role = sim.guild.create_role("mods", permissions=discord.Permissions(manage_guild=True))
    users = [
        sim.env.create_user(f"u{number}", global_name=name) for number, name in enumerate(("\u200b", "\u3164", "Eve"))
    ]
    ada, grace, eve = (sim.guild.add_member(user, roles=[role]) for user in users)
    await ada.slash(sim.channel, "tiles new", seats=2)
    await grace.click(sim.get_board(), label="Join")
    assert has_sentence(read_text(sim.get_board()), "board.whose", name=en("name.somebody"))
    await eve.slash(sim.channel, "tiles-admin pause", reason="\u200b\u200b")
    assert has_sentence(read_text(sim.list_public_messages()[-1]), "moderated.paused", name="Eve", reason="…")
    assert "paused this match: “…”" in read_private_text(await ada.slash(sim.channel, "tiles draw"))
