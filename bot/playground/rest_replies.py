"""Discord's REST routes that an interaction's token opens: its first response, follow-ups and edits."""

from __future__ import annotations

from aiohttp import web

from bot.playground import refusals, wire
from bot.playground.interactions import Interaction, Interactions
from bot.playground.replies import Replies
from bot.playground.rest import API
from bot.playground.shapes import Json
from bot.playground.world import World


class ReplyRoutes:
    """Handlers below `/interactions` and `/webhooks`."""

    def __init__(self, world: World, interactions: Interactions, replies: Replies) -> None:
        self._world = world
        self._interactions = interactions
        self._replies = replies
        self.base = ""
        self.files_key = ""

    def routes(self) -> list[web.RouteDef]:
        """The routes, to be added to an application."""
        hook = API + "/webhooks/{app}/{token}"
        one = hook + "/messages/{message}"
        return [
            web.post(API + "/interactions/{interaction}/{token}/callback", self.respond),
            web.post(hook, self.follow_up),
            web.get(one, self.fetch),
            web.patch(one, self.edit),
            web.delete(one, self.delete),
        ]

    def _answer(self, body: Json) -> web.Response:
        return web.Response(body=wire.absolute(body, self.base, self.files_key), content_type="application/json")

    async def respond(self, request: web.Request) -> web.Response:
        payload, uploads = await wire.payload_of(request)
        one = self._interactions.awaiting(request.match_info["interaction"], request.match_info["token"])
        answer = self._replies.respond(one, payload, uploads)
        if request.query.get("with_response", "").lower() in ("1", "true"):
            return self._answer(answer)
        return web.Response(status=204)

    def _interaction(self, request: web.Request) -> Interaction:
        if request.match_info["app"] != self._world.bot["id"]:
            raise refusals.unknown("Webhook", 10015)
        return self._interactions.by_token(request.match_info["token"])

    async def follow_up(self, request: web.Request) -> web.Response:
        payload, uploads = await wire.payload_of(request)
        return self._answer(self._replies.follow_up(self._interaction(request), payload, uploads).body)

    async def fetch(self, request: web.Request) -> web.Response:
        return self._answer(self._replies.find(self._interaction(request), request.match_info["message"]).body)

    async def edit(self, request: web.Request) -> web.Response:
        payload, uploads = await wire.payload_of(request)
        one = self._interaction(request)
        return self._answer(self._replies.edit(one, request.match_info["message"], payload, uploads).body)

    async def delete(self, request: web.Request) -> web.Response:
        self._replies.delete(self._interaction(request), request.match_info["message"])
        return web.Response(status=204)
