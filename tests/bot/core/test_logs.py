"""Log lines: their fields, and no secrets or names."""

import asyncio
import gc
import json
import logging
import re
from collections.abc import Iterator
from io import StringIO

import pytest
from structlog.contextvars import bind_contextvars, bound_contextvars

from bot.core import logs
from engine.board.tiles import format_tile_notation
from engine.match.events import Dealt, Drew
from tests.bot.member import Member
from tests.bot.simulated_guild import SHORT_MATCH_DEAL, SimGuild
from tests.bot.tables.greedy_clicks import click_through_match

TOKEN = "MTIzNDU2Nzg5MDEyMzQ1Njc4.GaBcDe.abcdefghijklmnopqrstuvwxyz0123"
INTERACTION = "aW50ZXJhY3Rpb246MTIz.nobody-should_see"

log = logs.get_logger("parlour")


@pytest.fixture
def log_stream() -> Iterator[StringIO]:
    stream = StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logs.build_formatter(as_json=True, secrets=(TOKEN,)))
    root, level = logging.getLogger(), logging.getLogger().level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    yield stream
    root.removeHandler(handler)
    root.setLevel(level)


def parse_lines(stream: StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


@pytest.mark.parametrize("game", ["triominoes", "quad-ominos"])
async def test_match_log_has_numbers_and_no_secrets(sim: SimGuild, log_stream: StringIO, game: str) -> None:
    ada, grace = sim.add_member("Adalovelace"), sim.add_member("Gracehopper")
    await sim.start_table(ada, grace, game=game, target=60, deal=SHORT_MATCH_DEAL)
    assert await ada.use_command("tiles play", tile="9-9-9", place="A")
    await click_through_match(sim)
    found, text = parse_lines(log_stream), log_stream.getvalue()

    ours = [line for line in found if str(line["logger"]).startswith("bot.")]
    served = [line for line in ours if line["event"] == "served"]
    assert len(served) > 4
    for line in served:
        assert line["server"] == sim.guild.id
        assert isinstance(line["interaction"], int)
    about = [line for line in served if line["verb"] == "play"]
    assert about
    for line in about:
        assert line["match"] == 1
        assert isinstance(line["seq"], int)

    for name in ("Adalovelace", "Gracehopper", "adalovelace", "gracehopper"):
        assert name not in text
    everything = (await sim.load_stored_match()).events
    dealt_tiles = {tile for event in everything if isinstance(event, Dealt) for hand in event.hands for tile in hand}
    dealt_tiles |= {event.tile for event in everything if isinstance(event, Drew) and event.tile is not None}
    assert dealt_tiles
    for tile in dealt_tiles:
        digits = "".join(map(str, tile))
        assert format_tile_notation(tile) not in text
        assert not re.search(rf"[\[(]{', ?'.join(map(str, tile))}[\])]", text)
        assert not re.search(rf"\b{digits}\b", "\n".join(str(line.get("event")) for line in found))
    assert "simcord_interaction" not in text, "the token of an interaction answers for the bot"


def test_logged_error_has_location_and_no_message(log_stream: StringIO) -> None:
    try:
        raise KeyError("Grace holds 3-4-5")
    except KeyError:
        log.exception("failed", reference="abcd")
    (line,) = parse_lines(log_stream)
    assert line["event"] == "failed"
    assert line["level"] == "error"
    assert str(line["broke"]).startswith("KeyError at core/test_logs.py:")
    assert "Grace" not in log_stream.getvalue()
    assert "3-4-5" not in log_stream.getvalue()


def test_logged_error_includes_its_cause(log_stream: StringIO) -> None:
    try:
        try:
            raise OSError(28, "no space for Grace")
        except OSError as error:
            raise ValueError("so it failed") from error
    except ValueError:
        logging.getLogger("library").exception("Ignoring exception")
    (line,) = parse_lines(log_stream)
    broke, cause = str(line["broke"]).split(" from ")
    assert re.match(r"ValueError at \S+:\d+ \w+$", broke)
    assert cause.startswith("OSError 28 at ")
    assert "Grace" not in log_stream.getvalue()


def test_tokens_are_hidden_in_every_log_line(log_stream: StringIO) -> None:
    library = logging.getLogger("aiohttp.client")
    library.warning("GET https://discord.com/api/webhooks/123/%s/messages/@original failed", INTERACTION)
    library.warning("POST /interactions/123/%s/callback", INTERACTION)
    log.info("connecting", token=TOKEN, header=f"Bot {TOKEN}")
    log.info("somebody else's", token=TOKEN[::-1].swapcase().replace(".", "x") + ".GaBcDe." + "a" * 30)
    text = log_stream.getvalue()
    assert TOKEN not in text
    assert INTERACTION not in text
    assert text.count("[hidden]") >= 4


def test_log_line_has_context_of_its_task(log_stream: StringIO) -> None:
    with bound_contextvars(interaction=7):
        bind_contextvars(match=3, seq=12)
        logging.getLogger("bot.elsewhere").info("from %s", "a library")
    log.info("after it")
    inside, outside = parse_lines(log_stream)
    assert (inside["interaction"], inside["match"], inside["seq"]) == (7, 3, 12)
    assert inside["event"] == "from a library"
    assert "interaction" not in outside


def test_formatter_writes_json_or_words() -> None:
    record = logging.LogRecord("bot.x", logging.WARNING, __file__, 1, "the table waits", (), None)
    assert json.loads(logs.build_formatter(as_json=True).format(record))["event"] == "the table waits"
    plain = re.sub(r"\x1b\[[0-9;]*m", "", logs.build_formatter(as_json=False).format(record))
    assert "the table waits" in plain
    assert not plain.startswith("{")


@pytest.mark.parametrize(
    ("broke", "told"), [(ConnectionError("given up long ago"), False), (ValueError("of our own"), True)]
)
async def test_connection_error_of_dropped_future_is_not_logged(broke: Exception, told: bool) -> None:
    stream, root = StringIO(), logging.getLogger()
    before, level = root.handlers.copy(), root.level
    try:
        logs.configure_logging(stream=stream)
        forgotten = asyncio.get_running_loop().create_future()
        forgotten.set_exception(broke)
        del forgotten, broke
        gc.collect()
    finally:
        root.handlers[:] = before
        root.setLevel(level)
    assert ("never retrieved" in stream.getvalue()) is told


async def test_refusal_is_logged_with_reason(sim: SimGuild, log_stream: StringIO, ada: Member) -> None:
    await ada.use_command("tiles hand")
    (line,) = [line for line in parse_lines(log_stream) if line["event"] == "refused"]
    assert (line["verb"], line["why"]) == ("hand", "NO_TABLE_HERE")
