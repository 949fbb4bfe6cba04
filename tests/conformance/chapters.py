"""Chapters in which every command and every button of the bot is used."""

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
from tests.bot.profiles.results import save_finished_match
from tests.bot.simulated_guild import BLOCKED_DEAL, TIMEOUT_SECONDS, SimGuild
from tests.conformance.tour import LeafCommand, Tour, choose_value
from tests.engine.figure_counting import build_solved_filling

QUAD, CORNER, SOLO = 7, 47, 8
"""Deals with a known course: Ada opens with four equal numbers, Grace makes a corner play, one player can move at
once.
"""
ENDING_COMMANDS = ("pause", "leave", "abort", "resign", "close", "end", "delete", "remove")
"""Last words of the commands that end something; these commands are used last."""


async def play_all_chapters(tour: Tour) -> None:
    for chapter in (*CHAPTERS, *LAST_CHAPTERS):
        await tour.move_to_new_channel()
        await chapter(tour)


async def practice(tour: Tour) -> None:
    await tour.use_tiles("Linus", "settings", vacation=3)
    await tour.click_each("Linus", "home", "alerts", "alerts triominoes.on")
    await tour.use_tiles("Linus", "help")
    await tour.click_each("Linus", "rules", "strategy", "practice")
    await wait_for_turn(tour, "Linus")
    for argument in ("", "move"):
        await tour.click_newest("Linus", "hint", argument)
    await tour.use_tiles("Linus", "hand")
    await tour.click_each("Linus", "note", "unseen")
    await tour.use_tiles("Linus", "hand")
    await tour.click_newest("Linus", "text")
    for argument in ("text", "move.text"):
        await tour.click_newest("Linus", "hint", argument)
    await tour.resign("Linus")
    await tour.move_to_new_channel()
    await tour.use_tiles("Linus", "help")
    await tour.click_newest("Linus", "guide")
    await tour.resign("Linus")


async def solo_puzzles(tour: Tour) -> None:
    """Linus fills a solo puzzle: he places and removes a tile, and the test places the last ones."""
    await tour.use_tiles("Linus", "solo", figure="bar")
    await tour.click_each("Linus", "solo", "soloways", "solohint")
    await tour.use_tiles("Linus", "solo", figure="bar")
    await tour.click_each("Linus", "solotile", "soloplace", "sololay", "sololift", "soloundo", "soloundo")
    service, linus = tour.client.services[FigureService], int(tour.people["Linus"].id)
    version = (await service.load(linus, "bar")).stored.version
    assert (await service.change(linus, "bar", version, lambda bare: build_solved_filling(bare.figure))).is_applied
    await tour.use_tiles("Linus", "solo", figure="bar")
    await tour.click_newest("Linus", "soloshare")
    await tour.use_tiles("Linus", "solo", figure="bar")
    await tour.click_newest("Linus", "soloagain")


async def score_attack(tour: Tour) -> None:
    """Linus plays the score attack: he draws, places and undoes; the test does the steps in between."""
    tour.deals.next_numbers.append(SOLO)
    await tour.use_tiles("Linus", "solo", figure="today")
    await tour.click_each("Linus", "attackinfo", "attacktext")
    attacks, linus = tour.client.services[ScoreAttackService], int(tour.people["Linus"].id)

    async def apply_change(change: Callable[[ScoreAttack], ScoreAttack]) -> None:
        before = await attacks.load_current(linus)
        assert (await attacks.change(before, before.stored.version, change)).is_applied
        await tour.use_tiles("Linus", "solo", figure="today")

    await apply_change(play_until(lambda attack: attack.must_draw))
    await tour.click_newest("Linus", "attackdraw")
    await apply_change(play_until(lambda attack: bool(attack.match.list_legal_moves(SEAT))))
    await tour.click_each("Linus", "attackplay", "attackundo")
    await apply_change(play_until(lambda attack: attack.can_end))
    await tour.click_each("Linus", "attackend", "attackshare", "attack", "attackagain")


def play_until(predicate: Callable[[ScoreAttack], bool]) -> Callable[[ScoreAttack], ScoreAttack]:
    def play(attack: ScoreAttack) -> ScoreAttack:
        while not predicate(attack) and not attack.can_end:
            legal = attack.match.list_legal_moves(SEAT)
            attack = attack.place(legal[0]) if legal else attack.draw()
        return attack

    return play


async def premoves(tour: Tour) -> None:
    await tour.open_table()
    await tour.play_match(min_turns=3)
    await tour.wait_until_settled()
    _, other = await tour.list_turn_order()
    await tour.use_tiles(other, "hand")
    await tour.click_each(other, "premove", "unpremove")
    await end_match(tour)


async def wait_for_turn(tour: Tour, who: str) -> None:
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while not [one for one in await tour.list_components() if (one.who, one.custom_id.verb) == (who, "hint")]:
            await tour.use_tiles(who, "hand")


async def lobbies(tour: Tour) -> None:
    await tour.use_tiles("Ada", "new", seats=4, **{"with": "Grace"})
    await tour.skip_time(120)
    await tour.click_each("Linus", "unalert", "print", "join", "leave", "print")
    await tour.use_tiles("Linus", "games")
    await tour.click_each("Linus", "sit", "word", "leave")
    await tour.click_each("Ada", "setup", "setup who", "keep")
    await tour.click_newest("Grace", "decline")
    await tour.click_each("Ada", "computer", "setup", "setup who", "open", "off")
    await tour.use_tiles_host("Ada", "keep", person="Grace")
    await tour.click_each("Ada", "setup rules", "rule", "set rule.rounds")
    for page in ("game", "rules", "how", "who"):
        await tour.click_newest("Ada", "setup", page)
        fields = {one.custom_id.argument for one in await tour.list_components() if one.custom_id.verb == "set"}
        for field in sorted(fields):
            await tour.click_newest("Ada", "set", field)
    await tour.click_newest("Ada", "close")


async def busy_channels(tour: Tour) -> None:
    await tour.use_tiles("Ada", "new", seats=3)
    await tour.use_tiles("Linus", "new", seats=2, computers=1)
    await tour.click_newest("Linus", "inthread")
    await tour.click_newest("Grace", "join")
    await tour.click_newest("Ada", "start")
    deleted_channel = tour.place
    await tour.move_to_new_channel()
    tour.discord.world.delete_channel(deleted_channel)
    await tour.use_tiles("Ada", "games")
    await tour.click_newest("Ada", "bring")
    await tour.use_tiles("Ada", "board", text=True)
    await tour.use_tiles("Grace", "resign")
    await tour.click_newest("Grace", "resign", "no")
    await tour.resign("Grace")


async def turns(tour: Tour) -> None:
    tour.deals.next_numbers.append(QUAD)
    await tour.open_table(game="quad-ominos", options="deal=half")
    await tour.click_newest("Ada", "hand")
    await tour.use_tiles("Grace", "choose", option="tiles")
    await tour.click_newest("Grace", "why")
    await tour.click_newest("Ada", "choose", "tiles")
    await tour.play_match(min_turns=3)
    await end_match(tour)
    await tour.move_to_new_channel()
    tour.deals.next_numbers.append(CORNER)
    await tour.open_table(game="star")
    await tour.play_match(min_turns=4)
    await end_match(tour)
    await tour.move_to_new_channel()
    tour.deals.next_numbers.append(BLOCKED_DEAL)
    await tour.open_table(by_hand=True, target=10)
    await tour.play_match(min_turns=1)
    await tour.use_tiles("Linus", "play", tile="0-1-2", place="A")
    who, _ = await tour.list_turn_order()
    await tour.use_tiles(who, "hand")
    await tour.click_each(who, "quick", "draw", "draw", "draw", "pass")
    await tour.play_match()
    await tour.use_tiles("Linus", "replay", film=True, speed="fast")
    await tour.click_each("Ada", "replay", "film", "review")
    await tour.client.services[ReviewService].wait_until_idle()
    await tour.client.services[ReviewProgressUpdater].wait_until_idle()
    await tour.click_each("Ada", "showreview", "scores", "record", "verify", "rematch")
    await tour.use_tiles("Ada", "leaderboard")
    await tour.click_each("Ada", "leaderswhere", "leadersgame", "leaderswhen")
    await add_leaderboard_players(tour)
    await tour.click_each("Ada", "records", "recordsgame")
    await tour.use_tiles("Ada", "profile", against="Grace")
    await tour.click_newest("Ada", "rivals")
    await tour.use_tiles("Ada", "history")
    await tour.click_each("Ada", "historymonth", "historygame", "past", "history")
    await play_daily_puzzle(tour)
    await tour.use_tiles("Ada", "leaderboard", game="triominoes")
    await tour.click_newest("Ada", "leaders")
    await tour.use_tiles_host("Ada", "close")


async def play_daily_puzzle(tour: Tour) -> None:
    candidates = [(day, one) for day, one in sorted(load_puzzles("triominoes").items())[7:] if one.kind == "bridge"]
    day = next(day for day, one in candidates if _find_first_placement(one) == one.line[0])
    tour.client.services[PuzzleService].now = lambda: to_epoch_ms(day) + 12 * 3_600_000
    await tour.use_tiles("Ada", "daily")
    await tour.click_each(
        "Ada", "dailytext", "dailyhint", "dailypick", "daily", "dailypick", "dailyanswer", "dailyshare", "dailyday"
    )
    await tour.use_tiles("Ada", "daily", date=day.isoformat(), game="triominoes")
    await tour.click_newest("Ada", "dailygame")


def _find_first_placement(puzzle: Puzzle) -> str:
    match = build_start(puzzle, load_rules("triominoes"))
    view = view_for(match, match.turn)
    return str(hide_scores(view, view).moves[0].placement)


async def add_leaderboard_players(tour: Tour) -> None:
    server = int(next(iter(tour.discord.world.guilds)))
    sim = SimpleNamespace(guild=SimpleNamespace(id=server), store=tour.store, clock=tour.client.services.now)
    for number in range(12):
        tour.discord.world.add_user(f"Player {number}")
    people = [SimpleNamespace(id=int(one)) for one in list(tour.discord.world.users)[-12:]]
    for number, distance in product(range(12), (1, 2, 3, 4)):
        better, worse = sorted((number, (number + distance) % 12))
        await save_finished_match(cast(SimGuild, sim), cast(Any, people[better]), cast(Any, people[worse]))


async def end_match(tour: Tour) -> None:
    await tour.use("Ada", tour.find_command("tiles-admin", "end"), reason="enough")


async def duplicate_deals(tour: Tour) -> None:
    await tour.use("Ada", tour.find_command("tiles-deal", "new"), target=10)
    await tour.click_newest("Ada", "playdeal")
    for who in ("Ada", "Grace"):
        await tour.use(who, tour.find_command("tiles-deal", "list"))
        await tour.click_newest(who, "playdeal")
    await tour.click_newest("Grace", "sit")
    await tour.resign("Ada")
    await tour.click_newest("Grace", "field")


async def agreements(tour: Tour) -> None:
    await tour.open_table()
    await tour.play_match(min_turns=3)
    await tour.wait_until_settled()
    await tour.use_tiles("Ada", "pause")
    await tour.click_newest("Grace", "agree", "yes")
    await tour.use_tiles("Grace", "hand")
    await tour.click_newest("Grace", "resume")
    await tour.use_tiles("Ada", "abort")
    await tour.click_newest("Ada", "abort", "no")
    await tour.use_tiles("Ada", "abort")
    await tour.click_newest("Ada", "abort", "yes")
    await tour.click_newest("Grace", "agree", "no")
    who, other = await tour.list_turn_order()
    await tour.place_tile(who)
    await tour.click_newest(who, "undo")
    await tour.place_tile(who)
    await tour.use_tiles(other, "hand")
    await tour.use_tiles(who, "undo")
    await tour.use_tiles("Ada", "substitute", person="Linus", seat="Grace")
    await end_match(tour)


async def missed_deadlines(tour: Tour) -> None:
    await tour.open_table(clock="1d")
    who, other = await tour.list_turn_order()
    await tour.skip_time(19.5 * 3600)
    await tour.click_newest(who, "mute")
    await tour.skip_time(5 * 3600)
    await tour.click_newest(other, "absent", "seat")
    await tour.click_newest(who, "back")
    await end_match(tour)


async def season(tour: Tour) -> None:
    await tour.use("Ada", tour.find_command("tiles-league", "start"), name="Spring", target=100)
    await sign_up(tour)
    await tour.click_each("Linus", "signoff", "signup", "seasonrules")
    await add_entrant(tour, "Mary")
    await tour.use("Ada", tour.find_command("tiles-league", "begin"))
    await tour.click_each("Linus", "season", "pastseasons", "signoff")
    await tour.use("Ada", tour.find_command("tiles-league", "end"))
    await tour.click_each("Linus", "season", "pastseasons")


async def sign_up(tour: Tour) -> None:
    for who in ("Ada", "Grace", "Linus"):
        await tour.click_newest(who, "signup")


async def add_entrant(tour: Tour, name: str) -> None:
    """Let a fourth player, who makes no moves, sign up for the newest season."""
    server = int(next(iter(tour.discord.world.guilds)))
    (head, *_) = await SeasonStore(tour.store.transactions).list_seasons(server)
    tour.discord.world.add_user(name)
    fourth = int(list(tour.discord.world.users)[-1])
    await tour.client.services[LeagueService].sign_up(head.season_id, server, fourth)


async def tournament(tour: Tour) -> None:
    await tour.use("Ada", tour.find_command("tiles-league", "tournament"), name="Friday", kind="swiss", target=100)
    await sign_up(tour)
    await tour.click_newest("Linus", "seasonrules")
    await add_entrant(tour, "Emmy")
    await tour.use("Ada", tour.find_command("tiles-league", "begin"))
    await tour.click_each("Linus", "season", "signoff", "signoff sure")
    await tour.use("Ada", tour.find_command("tiles-league", "end"))


async def moderation(tour: Tour) -> None:
    await tour.open_table()
    for act in ("show", "doctor"):
        await tour.use("Ada", tour.find_command("tiles-admin", act))
    for act in ("pause", "resume", "skip", "end"):
        await tour.use("Ada", tour.find_command("tiles-admin", act), reason="to show it")


async def all_commands(tour: Tour) -> None:
    def get_order(leaf: LeafCommand) -> int:
        return ENDING_COMMANDS.index(leaf.path[-1]) if leaf.path[-1] in ENDING_COMMANDS else -1

    for leaf in sorted(tour.iterate_commands(), key=get_order):
        needed = {one["name"]: choose_value(one, tour.place) for one in leaf.options if one.get("required")}
        await tour.use("Ada", leaf, **needed)
        for one in leaf.options:
            if not one.get("required"):
                await tour.use("Ada", leaf, **needed, **{one["name"]: choose_value(one, tour.place)})


async def data_deletion(tour: Tour) -> None:
    await tour.use_tiles("Linus", "export")
    await tour.use_tiles("Linus", "delete")
    await tour.click_newest("Linus", "forget")


CHAPTERS = (
    practice,
    solo_puzzles,
    score_attack,
    lobbies,
    busy_channels,
    turns,
    duplicate_deals,
    premoves,
    agreements,
    missed_deadlines,
    season,
    tournament,
    moderation,
)
LAST_CHAPTERS = (
    all_commands,
    data_deletion,
)  # chapters that change the settings of the server or delete the data of users
