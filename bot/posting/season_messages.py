"""The message of a season, as it is sent: in the server's language, with its picture, and with what people are called
there.
"""

from collections import Counter
from collections.abc import Mapping

import discord

from bot.base.permissions import missing
from bot.posting.sending import Outgoing, Sender
from bot.service.leagues import LeagueSeason
from bot.views import league
from bot.views.bracket import bracket_drawing
from bot.views.harmless import safe
from bot.views.languages import Languages
from bot.views.names import NameBook
from bot.views.pictures import drawn, file
from data.store.seasons import SeasonHead
from data.words import Words
from render import bracket_picture, league_picture


class SeasonMessages:
    """Makes them."""

    def __init__(self, sender: Sender, languages: Languages, names: NameBook) -> None:
        self._sender = sender
        self._languages = languages
        self._names = names

    async def message(self, found: LeagueSeason, awaited: Mapping[int, bool]) -> Outgoing:
        """The message for all, with the picture of the first division where there are any. It names those who are
        `awaited`, and calls those of them who want to be called in channels, while nobody has signed up.
        """
        words = await self._languages.at(found.head.guild_id)
        called = await self.called(found, words)
        lacking = self.lacking(found.head, words)
        if not found.season.divisions:
            names = [
                f"<@{user}>" if rings else safe(await self._names.name(found.head.guild_id, user, words))
                for user, rings in awaited.items()
            ]
            view = league.season_view(found, called, words, permissions=lacking, awaited=names)
            ringing = [user for user, rings in awaited.items() if rings and found.head.seq == 1]
            return Outgoing(view, rings=ringing or None)
        scheme = (await self._languages.messages_at(found.head.guild_id)).scheme
        page = league.page_of(found, None)
        alt = league.page_alt(found, page, called, words)
        image = await self.picture(found, page, called, words, scheme)
        view = league.season_view(found, called, words, alt=alt, permissions=lacking)
        return Outgoing(view, files=[file(league.LEAGUE_FILE, image, alt)])

    async def picture(
        self, found: LeagueSeason, division: int, called: league.SeasonNames, words: Words, scheme: str
    ) -> bytes:
        """The table of a division, or a part of a bracket, as a picture."""
        title = league.title_of(found, words, escaped=False)
        if found.season.conditions.kind == "knockout":
            held = found.head.trouble is not None
            what = bracket_drawing(found.season, division, title, called.plain, words, held=held)
            return (await drawn(bracket_picture, *what, scheme=scheme)).png
        heading = league.heading_of(found, division, words)
        lines = league.picture_lines(found, division, called)
        return (
            await drawn(league_picture, title, heading, league.column_names(found, words), lines, scheme=scheme)
        ).png

    async def called(self, found: LeagueSeason, words: Words) -> league.SeasonNames:
        """What everybody of a season is called here. Those of one name have numbers, in the order of their sign-up."""
        nobody, plain = words("name.somebody"), {}
        for player, user in found.people.items():
            known = None if user is None else await self._names.name(found.head.guild_id, user, words)
            plain[player] = known or nobody
        often, so_far = Counter(plain.values()), Counter[str]()
        numbers = dict.fromkeys(plain, "")
        for player, name in sorted(plain.items()):
            if often[name] > 1 and name != nobody:
                so_far[name] += 1
                numbers[player] = f" ({so_far[name]})"
        return league.SeasonNames(
            {player: safe(name) + numbers[player] for player, name in plain.items()},
            {player: name + numbers[player] for player, name in plain.items()},
        )

    def lacking(self, head: SeasonHead, words: Words) -> str:
        """What the bot may not do in the channel of a season, in words; empty where all is well or nobody knows."""
        guild = self._sender.guild(head.guild_id)
        place = None if guild is None else guild.get_channel(head.channel_id)
        if guild is None or not isinstance(place, discord.TextChannel):
            return ""
        flags = missing(place.permissions_for(guild.me), in_thread=False, opens_thread=True)
        return words("and.comma").join(words(f"permission.{flag}") for flag in flags)
