"""Match results that are stored without playing a match."""

from collections.abc import Mapping, Sequence

from bot.tables.ratings import rate
from data.store.log.match_values import Change, NewMatch
from data.store.results.scores import History, MatchResult, PlayerResult, Rating, RatingStep
from engine.table.table_events import Opened, Rearmed
from engine.table.table_state import SeatRow
from engine.table.terms import Terms
from tests.bot.member import Member
from tests.bot.simulated_guild import SimGuild, derive_secret


def rate_with_full_weight(
    before: Mapping[int, Rating], players: Sequence[PlayerResult], _: History
) -> Mapping[int, RatingStep]:
    """Rate every match with full weight, so that players need few matches for a rank."""
    return rate(before, players)


async def save_match(
    sim: SimGuild,
    *players: PlayerResult,
    game: str = "triominoes",
    guild_id: int = 0,
    channel_id: int = 1,
    moves: int | None = None,
) -> int:
    """Store a finished match of these players, in the order of their seats. Return the match id."""
    seats = [SeatRow(seat=seat, user_id=player.user_id, joined_at=0) for seat, player in enumerate(players)]
    terms, host_id = Terms(game=game, seats=len(seats), target=400, by_hand=False), players[0].user_id
    new = NewMatch(
        game=game,
        guild_id=guild_id or sim.guild.id,
        channel_id=channel_id,
        host_id=host_id,
        secret=derive_secret(1),
        events=[Opened(terms, host_id, tuple(seats))],
        seats=seats,
    )
    head = await sim.store.matches.create(new, now=sim.clock())
    result = MatchResult(seats=len(seats), players=players, rate=rate_with_full_weight, moves=moves)
    change = Change(match_id=head.match_id, expected_seq=head.seq, events=[Rearmed()], state="done", result=result)
    await sim.store.matches.commit(change, now=sim.clock())
    # The board counts as shown, so the bot posts none.
    await sim.store.outbox.note_shown(head.match_id, seq=head.seq + 1, message_id=None)
    return head.match_id


async def save_finished_match(
    sim: SimGuild, winner: Member, loser: Member, *, guild_id: int = 0, score: int = 400
) -> int:
    """Store a match that `winner` won on the first seat. Return the match id."""
    players = (
        PlayerResult(user_id=winner.id, place=1, score=score, best_move=60, hexagons=2, bridges=1),
        PlayerResult(user_id=loser.id, place=2, score=score // 2, best_move=20, hexagons=0, bridges=0),
    )
    return await save_match(sim, *players, guild_id=guild_id)
