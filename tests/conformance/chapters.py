"""Where every command and every button of the bot has something to do, one chapter after another."""

import asyncio
from collections.abc import Callable
from itertools import product
from types import SimpleNamespace
from typing import Any, cast

from bot.core.environment import to_epoch_ms
from bot.leagues.service import LeagueService
from bot.puzzles.service import PuzzleService
from bot.reviews.posts import ReviewProgressUpdater
from bot.reviews.service import ReviewService
from bot.solo.service import FigureService, ScoreAttackService
from data.puzzle_book import load_puzzles
from data.rulebook import load_rules
from data.store.leagues.store import SeasonStore
from engine.match.player_view import view_for
from engine.puzzles.position import hide_scores
from engine.puzzles.puzzle import Puzzle, build_start
from engine.solo.score_attack import SEAT, ScoreAttack
from tests.bot.profiles.results import finished
from tests.bot.simulated_guild import BLOCKED, PATIENCE, SimGuild
from tests.conformance.tour import Tour, value_for
from tests.engine.naive_figures import solved as known_solution

QUAD, CORNER, ALONE = 7, 47, 8
"""Deals: Ada opens with four equal numbers; Grace goes from corner to corner; one person can move at once."""
ENDING = ("pause", "leave", "abort", "resign", "close", "end", "delete", "remove")
"""Last words of the commands that end something: they come last."""


async def everything(at: Tour) -> None:
    for chapter in (*CHAPTERS, *LAST):
        await at.elsewhere()
        await chapter(at)


async def by_oneself(at: Tour) -> None:
    await at.tiles("Linus", "settings", vacation=3)
    await at.press_newest("Linus", "home")
    await at.press_newest("Linus", "alerts")
    await at.press_newest("Linus", "alerts", "triominoes.on")
    await at.tiles("Linus", "help")
    await at.press_newest("Linus", "rules")
    await at.press_newest("Linus", "practice")
    await to_move(at, "Linus")
    for asked in ("", "move"):
        await at.press_newest("Linus", "hint", asked)
    await at.tiles("Linus", "hand")
    await at.press_newest("Linus", "note")
    await at.press_newest("Linus", "unseen")
    await at.tiles("Linus", "hand")
    await at.press_newest("Linus", "text")
    for asked in ("text", "move.text"):
        await at.press_newest("Linus", "hint", asked)
    await at.tiles("Linus", "resign")
    await at.press_newest("Linus", "resign", "yes")
    await at.elsewhere()
    await at.tiles("Linus", "help")
    await at.press_newest("Linus", "guide")
    await at.tiles("Linus", "resign")
    await at.press_newest("Linus", "resign", "yes")


async def figures(at: Tour) -> None:
    """A figure that Linus fills alone: he lays a tile and lifts it; the last ones are laid for him."""
    await at.tiles("Linus", "solo", figure="bar")
    for verb in ("solo", "soloways", "solohint"):
        await at.press_newest("Linus", verb)
    await at.tiles("Linus", "solo", figure="bar")
    for verb in ("solotile", "soloplace", "sololay", "sololift", "soloundo", "soloundo"):
        await at.press_newest("Linus", verb)
    kept, linus = at.client.services[FigureService], int(at.people["Linus"].id)
    version = (await kept.load(linus, "bar")).stored.version
    assert (await kept.change(linus, "bar", version, lambda bare: known_solution(bare.figure))).is_applied
    await at.tiles("Linus", "solo", figure="bar")
    await at.press_newest("Linus", "soloshare")
    await at.tiles("Linus", "solo", figure="bar")
    await at.press_newest("Linus", "soloagain")


async def score_attack(at: Tour) -> None:
    """The deal of the day, alone: Linus draws, lays and takes back; what is between is done for him."""
    at.deals.wanted.append(ALONE)
    await at.tiles("Linus", "solo", figure="today")
    for verb in ("attackinfo", "attacktext"):
        await at.press_newest("Linus", verb)
    attacks, linus = at.client.services[ScoreAttackService], int(at.people["Linus"].id)

    async def done(change: Callable[[ScoreAttack], ScoreAttack]) -> None:
        before = await attacks.load_current(linus)
        assert (await attacks.change(before, before.stored.version, change)).is_applied
        await at.tiles("Linus", "solo", figure="today")

    await done(until(lambda attack: attack.must_draw))
    await at.press_newest("Linus", "attackdraw")
    await done(until(lambda attack: bool(attack.match.list_legal_moves(SEAT))))
    await at.press_newest("Linus", "attackplay")
    await at.press_newest("Linus", "attackundo")
    await done(until(lambda attack: attack.can_end))
    await at.press_newest("Linus", "attackend")
    await at.press_newest("Linus", "attackshare")
    await at.press_newest("Linus", "attack")
    await at.press_newest("Linus", "attackagain")


def until(there: Callable[[ScoreAttack], bool]) -> Callable[[ScoreAttack], ScoreAttack]:
    def play(attack: ScoreAttack) -> ScoreAttack:
        while not there(attack) and not attack.can_end:
            legal = attack.match.list_legal_moves(SEAT)
            attack = attack.place(legal[0]) if legal else attack.draw()
        return attack

    return play


async def beforehand(at: Tour) -> None:
    await at.open_table()
    await at.play_out(least=3)
    await at.settled()
    _, other = await at.movers()
    await at.tiles(other, "hand")
    await at.press_newest(other, "premove")
    await at.press_newest(other, "unpremove")
    await end(at)


async def to_move(at: Tour, who: str) -> None:
    async with asyncio.timeout(PATIENCE):
        while not [one for one in await at.shown() if (one.who, one.press.verb) == (who, "hint")]:
            await at.tiles(who, "hand")


async def lobbies(at: Tour) -> None:
    await at.tiles("Ada", "new", seats=4, **{"with": "Grace"})
    await at.later(120)
    await at.press_newest("Linus", "unalert")
    await at.press_newest("Linus", "print")
    await at.press_newest("Linus", "join")
    await at.press_newest("Linus", "leave")
    await at.press_newest("Linus", "print")
    await at.tiles("Linus", "games")
    await at.press_newest("Linus", "sit")
    await at.press_newest("Linus", "word")
    await at.press_newest("Linus", "leave")
    await at.press_newest("Ada", "setup")
    await at.press_newest("Ada", "setup", "who")
    await at.press_newest("Ada", "keep")
    await at.press_newest("Grace", "decline")
    await at.press_newest("Ada", "computer")
    await at.press_newest("Ada", "setup")
    await at.press_newest("Ada", "setup", "who")
    await at.press_newest("Ada", "open")
    await at.press_newest("Ada", "off")
    await at.tiles_host("Ada", "keep", person="Grace")
    await at.press_newest("Ada", "setup", "rules")
    await at.press_newest("Ada", "rule")
    await at.press_newest("Ada", "set", "rule.hexagon_scale")
    for page in ("game", "rules", "how", "who"):
        await at.press_newest("Ada", "setup", page)
        for field in sorted({one.press.argument for one in await at.shown() if one.press.verb == "set"}):
            await at.press_newest("Ada", "set", field)
    await at.press_newest("Ada", "close")


async def busy_places(at: Tour) -> None:
    await at.tiles("Ada", "new", seats=3)
    await at.tiles("Linus", "new", seats=2, computers=1)
    await at.press_newest("Linus", "inthread")
    await at.press_newest("Grace", "join")
    await at.press_newest("Ada", "start")
    gone = at.place
    await at.elsewhere()
    at.discord.world.delete_channel(gone)
    await at.tiles("Ada", "games")
    await at.press_newest("Ada", "bring")
    await at.tiles("Ada", "board", text=True)
    await at.tiles("Grace", "resign")
    await at.press_newest("Grace", "resign", "no")
    await at.tiles("Grace", "resign")
    await at.press_newest("Grace", "resign", "yes")


async def turns(at: Tour) -> None:
    at.deals.wanted.append(QUAD)
    await at.open_table(game="quad-ominos", options="deal=half")
    await at.press_newest("Ada", "hand")
    await at.tiles("Grace", "choose", option="tiles")
    await at.press_newest("Grace", "why")
    await at.press_newest("Ada", "choose", "tiles")
    await at.play_out(least=3)
    await end(at)
    await at.elsewhere()
    at.deals.wanted.append(CORNER)
    await at.open_table(game="star")
    await at.play_out(least=4)
    await end(at)
    await at.elsewhere()
    at.deals.wanted.append(BLOCKED)
    await at.open_table(by_hand=True, target=10)
    await at.play_out(least=1)
    await at.tiles("Linus", "play", tile="0-1-2", place="A")
    who, _ = await at.movers()
    await at.tiles(who, "hand")
    await at.press_newest(who, "quick")
    for verb in ("draw", "draw", "draw", "pass"):
        await at.press_newest(who, verb)
    await at.play_out()
    await at.tiles("Linus", "replay", film=True, speed="fast")
    for verb in ("replay", "film", "review"):
        await at.press_newest("Ada", verb)
    await at.client.services[ReviewService].wait_until_idle()
    await at.client.services[ReviewProgressUpdater].wait_until_idle()
    for verb in ("showreview", "scores", "record", "verify", "rematch"):
        await at.press_newest("Ada", verb)
    await at.tiles("Ada", "leaderboard")
    for verb in ("leaderswhere", "leadersgame", "leaderswhen"):
        await at.press_newest("Ada", verb)
    await crowd(at)
    await at.press_newest("Ada", "records")
    await at.press_newest("Ada", "recordsgame")
    await at.tiles("Ada", "profile", against="Grace")
    await at.press_newest("Ada", "rivals")
    await at.tiles("Ada", "history")
    for verb in ("historymonth", "historygame", "past", "history"):
        await at.press_newest("Ada", verb)
    await puzzle(at)
    await at.tiles("Ada", "leaderboard", game="triominoes")
    await at.press_newest("Ada", "leaders")
    await at.tiles_host("Ada", "close")


async def puzzle(at: Tour) -> None:
    first = [(day, one) for day, one in sorted(load_puzzles("triominoes").items())[7:] if one.kind == "bridge"]
    day = next(day for day, one in first if _first_of(one) == one.line[0])
    at.client.services[PuzzleService].now = lambda: to_epoch_ms(day) + 12 * 3_600_000
    await at.tiles("Ada", "daily")
    for verb in ("dailytext", "dailyhint", "dailypick", "daily", "dailypick", "dailyanswer", "dailyshare", "dailyday"):
        await at.press_newest("Ada", verb)
    await at.tiles("Ada", "daily", date=day.isoformat(), game="triominoes")
    await at.press_newest("Ada", "dailygame")


def _first_of(puzzle: Puzzle) -> str:
    match = build_start(puzzle, load_rules("triominoes"))
    seen = view_for(match, match.turn)
    return str(hide_scores(seen, seen).moves[0].placement)


async def crowd(at: Tour) -> None:
    server = int(next(iter(at.discord.world.guilds)))
    sim = SimpleNamespace(guild=SimpleNamespace(id=server), store=at.store, clock=at.client.services.now)
    for number in range(12):
        at.discord.world.add_user(f"Player {number}")
    people = [SimpleNamespace(id=int(one)) for one in list(at.discord.world.users)[-12:]]
    for number, apart in product(range(12), (1, 2, 3, 4)):
        better, worse = sorted((number, (number + apart) % 12))
        await finished(cast(SimGuild, sim), cast(Any, people[better]), cast(Any, people[worse]))


async def end(at: Tour) -> None:
    await at.use("Ada", at.leaf("tiles-admin", "end"), reason="enough")


async def sealed_deals(at: Tour) -> None:
    await at.use("Ada", at.leaf("tiles-deal", "new"), target=10)
    await at.press_newest("Ada", "playdeal")
    for who in ("Ada", "Grace"):
        await at.use(who, at.leaf("tiles-deal", "list"))
        await at.press_newest(who, "playdeal")
    await at.press_newest("Grace", "sit")
    await at.tiles("Ada", "resign")
    await at.press_newest("Ada", "resign", "yes")
    await at.press_newest("Grace", "field")


async def agreements(at: Tour) -> None:
    await at.open_table()
    await at.play_out(least=3)
    head = await at.settled()
    assert head is not None
    await at.tiles("Ada", "pause")
    await at.press_newest("Grace", "agree", "yes")
    await at.tiles("Grace", "hand")
    await at.press_newest("Grace", "resume")
    await at.tiles("Ada", "abort")
    await at.press_newest("Ada", "abort", "no")
    await at.tiles("Ada", "abort")
    await at.press_newest("Ada", "abort", "yes")
    await at.press_newest("Grace", "agree", "no")
    who, other = await at.movers()
    await at.place_one(who)
    await at.press_newest(who, "undo")
    await at.place_one(who)
    await at.tiles(other, "hand")
    await at.tiles(who, "undo")
    await at.tiles("Ada", "substitute", person="Linus", seat="Grace")
    await end(at)


async def silence(at: Tour) -> None:
    await at.open_table(clock="1d")
    who, other = await at.movers()
    await at.later(19.5 * 3600)
    await at.press_newest(who, "mute")
    await at.later(5 * 3600)
    await at.press_newest(other, "absent", "seat")
    await at.press_newest(who, "back")
    await end(at)


async def season(at: Tour) -> None:
    await at.use("Ada", at.leaf("tiles-league", "start"), name="Spring", target=100)
    for who in ("Ada", "Grace", "Linus"):
        await at.press_newest(who, "signup")
    await at.press_newest("Linus", "signoff")
    await at.press_newest("Linus", "signup")
    await at.press_newest("Linus", "seasonrules")
    server = int(next(iter(at.discord.world.guilds)))
    (head, *_) = await SeasonStore(at.store.transactions).list_seasons(server)
    at.discord.world.add_user("Mary")
    fourth = int(list(at.discord.world.users)[-1])
    await at.client.services[LeagueService].sign_up(head.season_id, server, fourth)
    await at.use("Ada", at.leaf("tiles-league", "begin"))
    await at.press_newest("Linus", "season")
    await at.press_newest("Linus", "pastseasons")
    await at.press_newest("Linus", "signoff")
    await at.use("Ada", at.leaf("tiles-league", "end"))
    await at.press_newest("Linus", "season")
    await at.press_newest("Linus", "pastseasons")


async def tournament(at: Tour) -> None:
    await at.use("Ada", at.leaf("tiles-league", "tournament"), name="Friday", kind="swiss", target=100)
    for who in ("Ada", "Grace", "Linus"):
        await at.press_newest(who, "signup")
    await at.press_newest("Linus", "seasonrules")
    server = int(next(iter(at.discord.world.guilds)))
    (head, *_) = await SeasonStore(at.store.transactions).list_seasons(server)
    at.discord.world.add_user("Emmy")
    fourth = int(list(at.discord.world.users)[-1])
    await at.client.services[LeagueService].sign_up(head.season_id, server, fourth)
    await at.use("Ada", at.leaf("tiles-league", "begin"))
    await at.press_newest("Linus", "season")
    await at.press_newest("Linus", "signoff")
    await at.press_newest("Linus", "signoff", "sure")
    await at.use("Ada", at.leaf("tiles-league", "end"))


async def moderation(at: Tour) -> None:
    await at.open_table()
    for act in ("show", "doctor"):
        await at.use("Ada", at.leaf("tiles-admin", act))
    for act in ("pause", "resume", "skip", "end"):
        await at.use("Ada", at.leaf("tiles-admin", act), reason="to show it")


async def all_by_typing(at: Tour) -> None:
    for leaf in sorted(at.leaves(), key=lambda leaf: ENDING.index(leaf.path[-1]) if leaf.path[-1] in ENDING else -1):
        needed = {one["name"]: value_for(one, at.place) for one in leaf.options if one.get("required")}
        await at.use("Ada", leaf, **needed)
        for one in leaf.options:
            if not one.get("required"):
                await at.use("Ada", leaf, **needed, **{one["name"]: value_for(one, at.place)})


async def deletion(at: Tour) -> None:
    await at.tiles("Linus", "export")
    await at.tiles("Linus", "delete")
    await at.press_newest("Linus", "forget")


CHAPTERS = (
    by_oneself, figures, score_attack, lobbies, busy_places, turns, sealed_deals, beforehand, agreements, silence,
    season, tournament, moderation,
)  # fmt: skip
LAST = (all_by_typing, deletion)  # What leaves a server with other settings than it had, and people without their data
