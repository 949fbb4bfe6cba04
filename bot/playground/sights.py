"""The page's routes around the talk: its words, the first sight of it, and the language that somebody speaks."""

from __future__ import annotations

from aiohttp import web

from bot.playground import wire
from bot.playground.files import POLICY
from bot.playground.front import FrontDoor
from bot.playground.refusals import RefusedError
from bot.playground.speech import MOST_ASKED, locale_of, page_words
from bot.playground.world import World


class Sights:
    """Handlers for `/page/words.json` and, below `/local`, for the opening, its picture and people's languages."""

    def __init__(self, world: World, front: FrontDoor) -> None:
        self._world = world
        self._front = front

    def routes(self) -> list[web.RouteDef]:
        """The routes, to be added to an application."""
        return [
            web.get("/page/words.json", self.words),
            web.get("/local/opening", self.opening),
            web.get("/local/opening.png", self.picture),
            web.post("/local/language", self.speak),
        ]

    async def words(self, request: web.Request) -> web.Response:
        """The page's own sentences, for `?of=de-AT,en`. They are no secret: the page that lacks its key needs them."""
        answer = wire.json_answer(page_words(request.query.get("of", "").split(",")[:MOST_ASKED]))
        answer.headers["Content-Security-Policy"] = POLICY
        return answer

    async def opening(self, request: web.Request) -> web.Response:
        return wire.json_answer(self._front.shown(request.query.get("language", "")))

    async def picture(self, request: web.Request) -> web.Response:
        drawn = await self._front.picture(request.query.get("language", ""))
        if drawn is None:
            raise web.HTTPNotFound(text="There is no such picture.")
        return web.Response(body=drawn, content_type="image/png", headers={"Cache-Control": "no-cache"})

    async def speak(self, request: web.Request) -> web.Response:
        """What somebody's client would tell: the language of their browser, or the one they chose."""
        body = await wire.page_body(request)
        who = self._world.people.get(str(body.get("as")))
        if who is None:
            raise RefusedError("who")
        self._world.speaks(who, locale_of(str(body.get("language") or "")))
        return wire.json_answer({"locale": who["locale"]})
